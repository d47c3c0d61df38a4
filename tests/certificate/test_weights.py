"""Weights of examples and of classes: repetition, weight 0, and who has to bring them."""

import dataclasses
import math
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from novikoff.certificate import (
    Account,
    CertificateError,
    Certifier,
    Inconclusive,
    NonSeparation,
    Separation,
    Status,
    Weighted,
)
from novikoff.certificate.exact import dyadic
from tests.certificate import sentences, truth
from tests.certificate.strategies import (
    ARITHMETIC,
    STORES,
    arithmetics,
    cases,
    more_examples,
    ordinary,
)
from tests.certificate.verdict import replaced

CONVERGED = Account(status=Status.CONVERGED)
LINE = np.array([[3.0], [1.0], [-1.0], [2.0]])
Y = [1, 1, -1, -1]
"""The last example is on the wrong side."""

SAME = np.array([[3.0], [1.0], [-1.0], [3.0]])
"""The last example is the first, of the other class."""


def certifier(X=LINE, y=Y, weights=None, classes=None, *, affine=True):
    return Certifier.of(
        X, y, positive=1, affine=affine, sample_weight=weights, class_weights=classes
    )


def hard(weights=None, *, X=LINE, y=Y, coef=(1.0,), proof=None):
    return certifier(X, y, weights).hard(CONVERGED, coef=coef, proof=proof)


def soft(C=1.0, weights=None, classes=None, *, X=LINE, y=Y, coef=(1.0,), proof=None):
    maker = certifier(X, y, weights, classes)
    return maker.soft(CONVERGED, maker.soft_model(coef, C=C, proof=proof))


@more_examples(2)
@given(
    arithmetic=arithmetics,
    case=cases(ordinary),
    data=st.data(),
    C=st.sampled_from([50.0, 0.5, 4.5]),
)
def test_a_whole_weight_is_as_many_copies(arithmetic, case, data, C):
    copies = data.draw(hnp.arrays(np.int64, len(case.X), elements=st.integers(1, 4)))
    rows = np.repeat(np.arange(len(case.X)), copies)
    shares = np.zeros(len(case.X))
    shares[case.support] = case.weights
    # Twelve can be divided among one, two, three or four copies.
    shares = 12.0 * np.floor(shares) + 12.0 * (shares > 0)
    weighted = dataclasses.replace(
        case, sample_weight=copies.astype(np.float64), weights=shares[case.support]
    )
    repeated = dataclasses.replace(
        case,
        X=case.X[rows],
        y=[case.y[i] for i in rows],
        support=np.flatnonzero(shares[rows]),
        weights=(shares / copies)[rows][shares[rows] > 0],
    )
    with ARITHMETIC[arithmetic]():
        one, other = weighted.soft(C), repeated.soft(C)
    claim = (case.X, case.signs, one.coef, one.intercept, C)
    exact = truth.primal(*claim, copies.astype(float).tolist())
    assert exact == truth.primal(case.X[rows], [case.signs[i] for i in rows], *claim[2:])
    if arithmetic.startswith("exact"):
        assert (one.primal, one.dual) == (other.primal, other.dual)
    else:
        assert one.primal == pytest.approx(other.primal, rel=1e-12)
        assert one.dual == pytest.approx(other.dual, rel=1e-12)


@given(case=cases(ordinary), C=st.sampled_from([50.0, 0.5]), data=st.data())
def test_a_class_weight_is_the_weight_of_its_examples(case, C, data):
    pair = data.draw(st.tuples(*[st.sampled_from([0.5, 1.0, 3.0, 0.1])] * 2))
    classes = sorted(set(case.y))
    by_class = dataclasses.replace(case, class_weights=pair).soft(C)
    of_each = np.array([pair[classes.index(label)] for label in case.y])
    by_example = dataclasses.replace(case, sample_weight=of_each).soft(C)
    assert by_class.model.soft.primal == by_example.model.soft.primal
    assert by_class.model.soft.dual == by_example.model.soft.dual
    assert by_class.problem.class_weights == pair and not by_class.problem.weighted
    # Class weights are numbers of the problem, which nobody needs to bring.
    assert by_class.verify(case.X, case.y).primal == by_class.primal
    assert sentences.is_true(by_class.verify(case.X, case.y), by_class, case.X, case.y)


@pytest.mark.parametrize("store", STORES)
def test_an_example_of_weight_0_takes_no_part(store):
    X, weights = STORES[store](LINE), [1.0, 5.0, 1.0, 0.0]
    proof = Weighted([1, 2], [1, 1])
    assert isinstance(hard(X=X, proof=proof), Inconclusive)
    separation = hard(weights, X=X, proof=proof)
    assert isinstance(separation, Separation) and separation.lower == separation.upper == 1.0
    verified = separation.verify(X, Y, sample_weight=weights)
    assert verified.counts == (1, 2) and verified.n_taking_part == 3
    assert str(verified) == (
        "Verified: the hyperplane separates 1 (2) from -1 (1) with margin at least 1, and no "
        "hyperplane has more than 1. 3 of 4 examples take part (the others have weight 0), with "
        "weights of their own; hyperplanes with an intercept."
    )
    assert "separates the examples that take part" in str(separation)
    with pytest.raises(CertificateError, match="does not have the margin"):
        others = [1.0, 5.0, 1.0, 1e-9]
        separation.verify(X, Y, sample_weight=others, check_fingerprint=False)

    made = soft(50.0, weights, X=X, coef=[0.5], proof=proof)
    fewer = soft(50.0, weights[:3], X=X[:3], y=Y[:3], coef=[0.5], proof=proof)
    assert (made.primal, made.dual) == (fewer.primal, fewer.dual)
    assert made.verify(X, Y, sample_weight=weights).primal == made.primal
    with pytest.raises(CertificateError, match="does not attain"):
        made.verify(X, Y, sample_weight=[1.0, 5.001, 1.0, 0.0], check_fingerprint=False)


def test_reliance_on_an_example_of_weight_0_is_refused():
    weights, relies = [1.0, 1.0, 1.0, 0.0], Weighted([0, 3], [1, 1])
    maker = certifier(SAME, Y, weights)
    for make in (
        lambda: maker.hard(CONVERGED, coef=[1.0], proof=relies),
        lambda: maker.soft_model([1.0], C=1.0, proof=relies),
    ):
        with pytest.raises(CertificateError, match="example 3 has weight 0"):
            make()
    assert maker.refute([0, 3]) is None and maker.refute([0, 3], [1, 1]) is None
    assert maker.hard(CONVERGED, coef=[1.0], proof=Weighted([0, 3], [1, 0])).upper == math.inf

    # A certificate of the unweighted data, claimed of the weighted.
    plain = certifier(SAME)
    for certificate in (
        plain.refuted(plain.refute([0, 3])),
        plain.refuted(plain.refute([0, 3], [1, 1])),
        plain.hard(CONVERGED, coef=[-1.0], proof=Weighted([1, 3], [1, 1])),
        plain.soft(CONVERGED, plain.soft_model([-1.0], C=1.0, proof=relies)),
    ):
        claimed = dataclasses.replace(certificate, problem=maker.problem)
        with pytest.raises(CertificateError, match="example 3 has weight 0"):
            claimed.verify(SAME, Y, sample_weight=weights)


def test_examples_without_a_basis_weight_may_have_weight_0():
    X, y = np.array([[1.0, 0.0], [-2.0, 0.0], [0.0, 1.0], [9.0, 9.0]]), [1, 1, 1, -1]
    weights = [1.0, 2.0, 0.0, 1.0]
    maker = certifier(X, y, weights, affine=False)
    proof = maker.refuted(maker.refute([2, 0, 1]))
    assert isinstance(proof, NonSeparation) and sorted(proof.support.tolist()) == [0, 1]
    assert proof.verify(X, y, sample_weight=weights).n_exact == 2


def test_weights_are_part_of_the_data_and_not_stored():
    weights = [1.0, 0.5, 2.0, 3.0]
    made = soft(1.0, weights, proof=Weighted([1, 2], [1, 1]))
    assert made.problem.weighted and "0.5" not in made.to_json()
    assert made.problem.fingerprint != soft().problem.fingerprint
    assert made.verify(LINE, Y, sample_weight=weights).primal == made.primal
    with pytest.raises(CertificateError, match="weighted examples: give their weights"):
        made.verify(LINE, Y)
    with pytest.raises(CertificateError, match="weighted examples: give their weights"):
        made.verify(LINE, Y, check_fingerprint=False)
    for others in ([1.0, 0.5, 2.0, 3.0000000000000004], [2.0, 1.0, 4.0, 6.0], [1.0] * 4):
        with pytest.raises(CertificateError, match="not the data"):
            made.verify(LINE, Y, sample_weight=others)


def test_leaving_the_weights_out_of_the_file_does_not_help():
    weights = [1.0, 1.0, 1.0, 0.0]
    made = hard(weights, proof=Weighted([1, 2], [1, 1]))
    problem = dataclasses.replace(made.problem, weighted=False)
    unweighted = dataclasses.replace(made, problem=problem)
    with pytest.raises(CertificateError, match="not the data"):
        unweighted.verify(LINE, Y)
    with pytest.raises(CertificateError, match="does not have the margin"):
        unweighted.verify(LINE, Y, check_fingerprint=False)
    with pytest.raises(CertificateError, match="without weights: leave sample_weight out"):
        unweighted.verify(LINE, Y, sample_weight=weights, check_fingerprint=False)


@pytest.mark.parametrize("ones", [[1, 1, 1, 1], [1.0] * 4, np.ones(4, dtype=bool)])
def test_weights_of_one_are_no_weights(ones):
    made = soft(1.0, ones, proof=Weighted([1, 2], [1, 1]))
    assert not made.problem.weighted and made == soft(1.0, proof=Weighted([1, 2], [1, 1]))
    assert made.verify(LINE, Y, sample_weight=ones) == made.verify(LINE, Y)


def test_zero_has_one_form():
    made = hard([1.0, 1.0, 1.0, 0.0])
    for zero in (-0.0, 0.0, 0):
        made.verify(LINE, Y, sample_weight=[1, 1, 1, zero])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, 1.0, 1.0], "4 examples need as many weights"),
        ([[1.0], [1.0], [1.0], [2.0]], "4 examples need as many weights"),
        (2.0, "4 examples need as many weights"),
        ([1.0, 1.0, 1.0, -1.0], "finite and not negative"),
        ([1.0, 1.0, 1.0, math.nan], "finite and not negative"),
        ([1.0, 1.0, 1.0, math.inf], "finite and not negative"),
        ([0.0, 0.0, 0.0, 0.0], "zero for every example"),
        (["a", "b", "c", "d"], "real numbers"),
        ([1j, 1.0, 1.0, 1.0], "real numbers"),
        (np.ma.masked_array([1.0, 2.0, 3.0, 4.0], [0, 0, 0, 1]), "masked"),
        ([1.0, np.longdouble("1e-4000"), 1.0, 1.0], "float64 cannot represent"),
        ([2**53 + 1, 1.5, 1.0, 1.0], "float64 cannot represent"),
        ([0.0, 0.0, 1.0, 1.0], "class 1 "),
        ([1.0, 1.0, 0.0, 0.0], "class -1 "),
    ],
)
def test_wrong_weights_are_named(weights, message):
    made = soft(1.0, [1.0, 2.0, 3.0, 4.0])
    with pytest.raises(CertificateError, match=message) as caught:
        made.verify(LINE, Y, sample_weight=weights, check_fingerprint=False)
    assert "\n" not in str(caught.value)
    with pytest.raises(CertificateError, match=message):
        soft(1.0, weights)


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        ((1.0,), "2 classes need as many class weights, not 1"),
        ((1.0, 0.0), "positive and finite"),
        ((1.0, -1.0), "positive and finite"),
        ((1.0, math.inf), "positive and finite"),
        ((1.0, math.nan), "positive and finite"),
    ],
)
def test_wrong_class_weights_are_named(classes, message):
    with pytest.raises(CertificateError, match=message):
        soft(1.0, classes=classes)


def test_no_product_of_weights_leaves_the_range_of_floats():
    # A weight that is positive never silently becomes one that takes no part.
    with pytest.raises(CertificateError, match="underflows"):
        soft(1.0, [1.0, 1e-300, 1.0, 1.0], (1.0, 1e-300))
    with pytest.raises(CertificateError, match="overflows"):
        soft(1.0, [1.0, 1e300, 1.0, 1.0], (1.0, 1e300))
    made = soft(1.0, [1.0, 0.0, 1.0, 1.0], (1.0, 1e-300))
    assert made.verify(LINE, Y, sample_weight=[1.0, 0.0, 1.0, 1.0]).n_taking_part == 3


def test_other_class_weights_are_another_problem():
    made = soft(1.0, classes=(1.0, 2.0), proof=Weighted([1, 2], [1, 1]))
    for classes in (None, (1.0, 1.0), (2.0, 1.0), (1.0, 2.0000000000000004)):
        changed = replaced(made, problem=dataclasses.replace(made.problem, class_weights=classes))
        assert changed != made
        sentence = None
        try:
            sentence = changed.verify(LINE, Y).sentence
        except CertificateError:
            continue
        assert sentence != made.verify(LINE, Y).sentence
    assert "with class weights 1 for -1 and 2 for 1;" in made.verify(LINE, Y).sentence
    assert "with class weights 1 for -1 and 2 for 1;" in str(made)


@given(
    integers=st.lists(st.integers(1, 2**80), min_size=1, max_size=20),
    data=st.data(),
    most=st.sampled_from([0, 2, 64]),
)
def test_squares_over_costs_are_bounded_from_above(integers, data, most):
    floats = st.floats(1e-3, 1e3) | st.sampled_from([1.0, 0.1, 5e-324, 1e300])
    costs = data.draw(hnp.arrays(np.float64, len(integers), elements=floats))
    values = np.array(integers, dtype=object)
    exact = sum(
        (Fraction(a) ** 2 / Fraction(s) for a, s in zip(integers, costs.tolist(), strict=True)),
        Fraction(0),
    )
    with mock.patch.object(dyadic, "_FEW", most):
        bound, is_exact = dyadic.squares_over(values, costs)
        thorough, always = dyadic.squares_over(values, costs, thorough=True)
    assert always and thorough == fmpq(exact.numerator, exact.denominator)
    found = Fraction(int(bound.p), int(bound.q))
    assert found == exact if is_exact else exact <= found <= exact * (1 + Fraction(1, 2**100))


def test_many_different_weights_are_rounded_up_until_asked():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 1)), np.repeat([1, -1], 150).astype(np.int8)
    costs = rng.uniform(0.1, 2.0, 300)
    weights = rng.uniform(0.1, 1.0, 300)
    made = soft(2.0, costs, X=X, y=y, proof=Weighted(np.arange(300), weights))
    exact = truth.dual(X, y, range(300), weights.tolist(), True, 2.0, costs.tolist())
    assert Fraction(made.dual) <= exact < Fraction(math.nextafter(made.dual, math.inf))
    assert made.verify(X, y, sample_weight=costs).dual == made.dual
    closer = replaced(made, of_soft=dict(dual=math.nextafter(made.dual, math.inf)))
    with pytest.raises(CertificateError, match="prove the lower bound"):
        closer.verify(X, y, sample_weight=costs)


def test_nothing_known_of_those_that_count():
    # The filter overflows on every row; an example of weight 0 is still no competitor.
    X, weights = np.full((3, 2), 1e308), [1.0, 0.0, 1.0]
    X[2] = -1e308
    made = hard(weights, X=X, y=[1, -1, -1], coef=[1e308, 1e308])
    assert isinstance(made, Separation)
    assert made.verify(X, [1, -1, -1], sample_weight=weights).n_exact == 2
