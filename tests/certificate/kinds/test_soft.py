"""Bounds on the soft-margin optimum, against the objective in fractions."""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from novikoff.certificate import (
    Account,
    CertificateError,
    Certifier,
    Status,
    Undecided,
    Weighted,
)
from novikoff.certificate.exact import slack
from tests.certificate import sentences, truth, verdict
from tests.certificate.strategies import (
    ARITHMETIC,
    STORES,
    arithmetics,
    cases,
    extreme,
    filter_first,
    more_examples,
    ordinary,
    priced,
    stores,
)
from tests.certificate.verdict import agrees, replaced

usual_C = st.sampled_from([1.0, 50.0, 4.5, 1 / 1800, 5e5, 1e12, 1e-12])
any_C = usual_C | st.sampled_from([1e300, 1e-300, 5e-324, 1.0000001])
all_cases = st.one_of(
    cases(ordinary), cases(extreme), priced(cases(ordinary)), priced(cases(extreme), extreme)
)


def soft(X, y, coef, C, *, intercept=0.0, affine=True, proof=None, rescale=False, **other):
    certifier = Certifier.of(X, y, positive=1, affine=affine, **other)
    model = certifier.soft_model(coef, intercept, C=C, proof=proof, rescale=rescale)
    return certifier.soft(Account(status=Status.CONVERGED), model)


@more_examples(4)
@given(arithmetic=arithmetics, store=stores, case=all_cases, C=any_C, rescale=st.booleans())
def test_what_is_made_is_true_and_verifies(arithmetic, store, case, C, rescale):
    X = STORES[store](case.X)
    with ARITHMETIC[arithmetic]():
        made = case.soft(C, X, rescale=rescale)
        verified = case.verify(made, X)
    data = (case.X, case.y, case.sample_weight)
    assert verdict.is_true(made, *data)
    assert sentences.is_true(verified, made, *data)
    assert made.C == C and made.dual <= made.primal
    assert verified.primal <= made.primal and verified.dual >= made.dual
    assert verified.lower >= made.lower and verified.upper <= made.upper
    assert verified.errors == made.model.errors and verified.n_exact <= len(case.X)


@given(case=all_cases, C=any_C)
def test_small_data_is_decided_to_the_last_bit(case, C):
    made = case.soft(C)
    data = (case.X, case.y, case.sample_weight)
    closer = math.nextafter(made.primal, 0.0)
    if math.isfinite(closer) and closer >= made.dual:
        assert not verdict.is_true(replaced(made, of_soft=dict(primal=closer)), *data)
    closer = math.nextafter(made.dual, math.inf)
    if closer <= made.primal and made.soft.support.size:
        assert not verdict.is_true(replaced(made, of_soft=dict(dual=closer)), *data)


@given(case=cases(ordinary) | priced(cases(ordinary)), C=usual_C)
def test_the_scale_is_the_best_one(case, C):
    best = case.soft(C, rescale=True)
    costs = verdict.Data(best.problem, case.X, case.y, case.sample_weight).costs
    assert best.coef.tolist() == case.coef.tolist() and best.intercept == case.intercept
    for factor in (0.0, 0.5, 0.9, 1.1, 2.0):
        scale = factor * best.soft.scale
        coef, intercept = scale * best.coef, scale * best.intercept
        other = truth.primal(case.X, case.signs, coef, intercept, C, costs)
        assert best.primal <= other * (1 + Fraction(1, 10**9))


EDITS = ["label", "example", "weight", "coef", "C", "scale", "weights", "classes"]
BOUNDS = ["primal", "dual", "upper", "margin", "errors"]


@more_examples(2)
@given(
    arithmetic=arithmetics,
    case=all_cases,
    C=any_C,
    edit=st.sampled_from(EDITS + BOUNDS),
    other=st.sampled_from([1.0, -3.0, 1e10]),
    data=st.data(),
)
def test_after_an_edit_exactly_the_truth_is_accepted(arithmetic, case, C, edit, other, data):
    made = case.soft(C)
    X, y, given_weights = case.X.copy(), list(case.y), case.sample_weight
    n, d = X.shape
    row, column = data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, d - 1))
    if edit == "label":
        y[row] = next(label for label in made.problem.classes if label != y[row])
    elif edit == "example":
        X[row, column] = other
    elif edit == "weights":
        given_weights = np.ones(n) if given_weights is None else given_weights.copy()
        given_weights[row] *= data.draw(st.sampled_from([0.5, 2.0, 1.1, 0.0]))
    elif edit in BOUNDS:
        made = moved(made, edit, row, data)
    else:
        made = edited(made, edit, column, other, data)
    if made is not None:
        with ARITHMETIC[arithmetic]():
            assert agrees(made, X, y, given_weights)


def moved(made, bound, row, data):
    if bound == "errors":
        return replaced(made, of_model=dict(errors=row))
    of_model = bound == "margin"
    value = made.model.margin if of_model else getattr(made.soft, bound)
    if value is None:
        return None
    value *= data.draw(st.sampled_from([1.0, 1 - 2.0**-45, 0.5, 2.0]))
    for _ in range(data.draw(st.integers(0, 2))):
        value = math.nextafter(value, data.draw(st.sampled_from([-math.inf, math.inf])))
    changes = {bound: value}
    return replaced(made, **({"of_model": changes} if of_model else {"of_soft": changes}))


def edited(made, edit, column, other, data):
    if edit == "weight":
        weights = made.soft.weights.copy()
        weights[data.draw(st.integers(0, weights.size - 1))] += 1
        return replaced(made, of_soft=dict(weights=weights))
    if edit == "coef":
        coef = made.coef.copy()
        coef[column] = other
        return replaced(made, of_model=dict(coef=coef))
    if edit == "classes":
        pair = data.draw(st.sampled_from([(1.0, 1.0), (0.5, 1.0), (1.0, 3.0)]))
        return replaced(made, problem=dataclasses.replace(made.problem, class_weights=pair))
    factor = data.draw(st.sampled_from([0.5, 2.0, 1 + 2.0**-52]))
    return replaced(made, of_soft={edit: factor * getattr(made.soft, edit)})


def check_enclosure(values, prices):
    # Intervals that are single floats: what is left is the rounding of the sum itself.
    ends = slack.hinge_sums(values, values, prices)
    low, high = (Fraction(int(end.p), int(end.q)) for end in ends)
    hinges = [max(Fraction(0), 1 - Fraction(v)) for v in values.tolist()]
    costs = [1] * len(hinges) if prices is None else map(Fraction, prices.tolist())
    exact = sum((s * h**2 for s, h in zip(costs, hinges, strict=True)), Fraction(0))
    assert low <= exact <= high <= low * (1 + Fraction(1, 10**11)) + Fraction(1, 10**30)


@given(data=st.data(), priced=st.booleans())
def test_the_sum_of_squared_hinges_is_enclosed(data, priced):
    values = data.draw(hnp.arrays(np.float64, st.integers(1, 40), elements=st.floats(-1e3, 2.0)))
    elements = st.floats(0.0, 10.0) | st.sampled_from([5e-324, 1e-300, 1e300])
    prices = hnp.arrays(np.float64, values.size, elements=elements)
    check_enclosure(values, data.draw(prices) if priced else None)


def test_the_sum_of_many_squared_hinges_is_enclosed():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        check_enclosure(rng.uniform(-3, 1, 127), rng.uniform(0, 3, 127) if seed % 2 else None)


def test_a_known_optimum():
    # One feature, x = ±1: P(w) = w²/2 + (1 - w)²  is least at w = 2/3, where it is 1/3.
    X, y, proof = np.array([[1.0], [-1.0]]), [1, -1], Weighted([0, 1], [1, 1])
    made = soft(X, y, [5.0], 0.5, affine=False, proof=proof, rescale=True)
    assert made.soft.scale * 5.0 == pytest.approx(2 / 3, rel=1e-15)
    assert made.primal == pytest.approx(1 / 3, rel=1e-15)
    assert made.dual == pytest.approx(1 / 3, rel=1e-15)
    assert str(made).startswith("For C = 0.5 the soft-margin objective of 0.1333333333333333")
    with pytest.raises(Undecided, match="separability"):
        bool(made)


def test_a_gap_that_rounding_alone_keeps_from_being_reached_is_computed_exactly():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.where(rng.random(40) < 0.5, 1, -1)
    certifier = Certifier.of(X, y, positive=1, affine=True)
    proof = Weighted(np.arange(40), rng.random(40))

    def gap(tol):
        return certifier.soft_model([1.0, 0.1, 0.1], 0.3, C=1.0, proof=proof, tol=tol).soft.gap

    exact = gap(0.0)
    with filter_first():
        loose = gap(0.0)
        assert loose == gap(loose - 2.0**-29) == gap(loose) > exact
        assert gap(loose - 2.0**-31) == exact


def test_it_says_nothing_on_separability_even_where_it_separates():
    X, y = np.array([[1.0], [-1.0]]), [1, -1]
    for coef, what in ((1.0, "It separates the 2 examples, with margin at least 1."), (-1.0, "")):
        made = soft(X, y, [coef], 1.0)
        assert what in made.verify(X, y).sentence
        with pytest.raises(Undecided, match="says nothing on separability"):
            bool(made)


def test_weights_on_one_class_prove_nothing_with_an_intercept():
    X, y, proof = np.array([[1.0], [-1.0]]), [1, -1], Weighted([0], [1])
    assert soft(X, y, [1.0], 0.5, proof=proof).dual == 0.0
    assert soft(X, y, [1.0], 0.5, proof=proof, affine=False).dual > 0.0


def test_many_examples_go_through_the_filter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 6))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=20_000) > 0, 1, -1)
    proof = Weighted([0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 6])
    made = soft(X, y, [0.8, 0, 0, 0, 0, 0], 0.125, proof=proof)
    exact = truth.primal(X, y, made.coef, made.intercept, 0.125)
    assert exact <= Fraction(made.primal) <= exact * (1 + Fraction(1, 10**11))
    assert made.verify(X, y).n_exact < 100
    tight = replaced(made, of_soft=dict(primal=math.nextafter(float(exact), math.inf)))
    assert 1000 < tight.verify(X, y).n_exact <= 20_000
    false = replaced(made, of_soft=dict(primal=math.nextafter(float(exact), 0.0)))
    with pytest.raises(CertificateError, match="does not attain"):
        false.verify(X, y)


@pytest.mark.parametrize("arithmetic", ["exact", "filter"])
@pytest.mark.parametrize("C", [1e-12, 1e-6, 1.0, 1e6, 1e12])
def test_every_usual_C_has_finite_bounds(arithmetic, C):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    y = np.where(X[:, 0] > 0, 1, -1)
    y[:20] *= -1
    weights = np.where(np.arange(400) % 3, 1e-6, 1e6)
    support = np.r_[np.flatnonzero(y > 0)[:5], np.flatnonzero(y < 0)[:5]]
    proof = Weighted(support, np.full(10, 1e-9))
    with ARITHMETIC[arithmetic]():
        made = soft(X, y, [1e-3, 0.0, 0.0], C, proof=proof, rescale=True, sample_weight=weights)
        assert made.verify(X, y, sample_weight=weights).primal == made.primal
    assert 0.0 < made.dual <= made.primal < math.inf and 0.0 <= made.gap <= 1.0
    # At the best scale the objective is at most that of the zero hyperplane.
    assert made.primal <= C * weights.sum() * (1 + 1e-9)


@pytest.mark.parametrize("C", [0.0, -1.0, math.inf, math.nan])
def test_C_must_be_positive_and_finite(C):
    X, y = np.eye(2), [1, -1]
    with pytest.raises(CertificateError, match="C must be positive and finite"):
        soft(X, y, [1, 1], C)
    made = soft(X, y, [1, 1], 1.0)
    for changes in (dict(C=C), dict(scale=C)):
        assert replaced(made, of_soft=changes) is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (dict(dual=-1.0), "dual must be finite and not negative"),
        (dict(dual=math.inf), "dual must be finite and not negative"),
        (dict(primal=-1.0), "primal must not be negative"),
        (dict(upper=-1.0), "upper must not be negative"),
        (dict(primal=math.nan), "primal is not a number"),
        (dict(dual=9.0), "dual is 9.0, above the objective"),
        (dict(support=[], weights=[]), "the support that should prove it is empty"),
        (dict(upper=0.5), "the margin 0.7071067811865475 is above the upper bound 0.5"),
    ],
)
def test_what_does_not_fit_together_is_refused(changes, message):
    made = soft(np.eye(2), [1, -1], [1.0, -1.0], 1.0, proof=Weighted([0, 1], [1, 1]))
    with pytest.raises(CertificateError, match=message):
        parts = dataclasses.replace(made.soft, **changes)
        dataclasses.replace(made, model=dataclasses.replace(made.model, soft=parts))
