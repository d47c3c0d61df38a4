"""Costs of examples: repetition, examples of cost 0, and many different costs."""

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
    Certificate,
    CertificateError,
    NonSeparation,
    PerClass,
    Separation,
    Status,
    certify_margin,
    certify_nonseparable,
    certify_soft,
    signs_of,
)
from novikoff.certificate.exact import dyadic
from tests.certificate import truth
from tests.certificate.strategies import ARITHMETIC, STORES, cases, ordinary

COMMON = dict(affine=True, status=Status.CONVERGED)
LINE = np.array([[3.0], [1.0], [-1.0], [2.0]])
SIGNS = np.array([1, 1, -1, -1], dtype=np.int8)
"""The last example is on the wrong side."""


@pytest.mark.parametrize("arithmetic", ARITHMETIC)
@given(case=cases(ordinary), data=st.data(), delta=st.sampled_from([0.1, 1.0, 1 / 3]))
def test_a_whole_cost_is_as_many_copies(arithmetic, case, data, delta):
    copies = data.draw(hnp.arrays(np.int64, len(case.X), elements=st.integers(1, 4)))
    rows = np.repeat(np.arange(len(case.X)), copies)
    costs = copies.astype(np.float64)
    shares = np.zeros(len(case.X))
    shares[case.support] = case.weights
    # Twelve can be divided among one, two, three or four copies.
    shares = 12.0 * np.floor(shares) + 12.0 * (shares > 0)
    common = dict(coef=case.coef, intercept=case.intercept, delta=delta, affine=case.affine)
    common |= dict(rescale=False, status=Status.CONVERGED)
    with ARITHMETIC[arithmetic]():
        priced = certify_soft(
            case.X,
            case.signs,
            **common,
            costs=costs,
            support=case.support,
            weights=shares[case.support],
        )
        repeated = certify_soft(
            case.X[rows],
            case.signs[rows],
            **common,
            support=np.flatnonzero(shares[rows]),
            weights=(shares / costs)[rows][shares[rows] > 0],
        )
    claim = (case.X, case.signs, priced.coef, priced.intercept, priced.C, costs)
    exact = truth.primal(*claim)
    assert exact == truth.primal(case.X[rows], case.signs[rows], *claim[2:5])
    if arithmetic.startswith("exact"):
        assert (priced.primal, priced.dual) == (repeated.primal, repeated.dual)
    else:
        assert priced.primal == pytest.approx(repeated.primal, rel=1e-12)
        assert priced.dual == pytest.approx(repeated.dual, rel=1e-12)


@pytest.mark.parametrize("store", STORES)
def test_an_example_of_cost_0_takes_no_part(store):
    X = STORES[store](LINE)
    costs = [1.0, 5.0, 1.0, 0.0]
    model = dict(coef=[1.0], support=[1, 2], weights=[1, 1])
    without = certify_margin(X, SIGNS, **model, **COMMON)
    assert not isinstance(without, Separation)
    separation = certify_margin(X, SIGNS, **model, costs=costs, **COMMON)
    assert isinstance(separation, Separation) and separation.lower == separation.upper == 1.0
    assert "separates all 3 examples that take part" in str(separation.verify(X, SIGNS))
    assert "1 example of cost 0 takes no part." in str(separation).splitlines()
    with pytest.raises(CertificateError, match="does not have the margin"):
        dataclasses.replace(separation, costs=None).verify(X, SIGNS)

    soft = certify_soft(X, SIGNS, **model, delta=0.1, costs=costs, **COMMON)
    fewer = certify_soft(X[:3], SIGNS[:3], **model, delta=0.1, costs=costs[:3], **COMMON)
    assert (soft.primal, soft.dual, soft.coef) == (fewer.primal, fewer.dual, fewer.coef)
    assert soft.verify(X, SIGNS).primal == soft.primal
    with pytest.raises(CertificateError, match="does not attain"):
        dataclasses.replace(soft, costs=[1.0, 5.0, 1.0, 1e-9]).verify(X, SIGNS)


def test_weight_where_the_cost_is_0_is_refused():
    weighted = dict(support=[0, 3], costs=[1.0, 1.0, 1.0, 0.0])
    same = np.array([[3.0], [1.0], [-1.0], [3.0]])
    for make in (
        lambda w: certify_margin(same, SIGNS, coef=None, weights=w, **weighted, **COMMON),
        lambda w: certify_soft(same, SIGNS, coef=[1.0], delta=1.0, weights=w, **weighted, **COMMON),
        lambda w: certify_nonseparable(same, SIGNS, weights=w, affine=True, **weighted),
    ):
        with pytest.raises(CertificateError, match="example 3 has cost 0"):
            make([1, 1])
    with pytest.raises(CertificateError, match="example 3 has cost 0"):
        certify_nonseparable(same, SIGNS, affine=True, **weighted)
    assert certify_margin(same, SIGNS, coef=[1.0], weights=[1, 0], **weighted, **COMMON)
    proof = certify_nonseparable(same, SIGNS, affine=True, support=[0, 3])
    assert isinstance(proof, NonSeparation)
    document = proof.to_dict() | {"costs": [1.0, 1.0, 1.0, 0.0]}
    with pytest.raises(CertificateError, match="example 3 has cost 0"):
        Certificate.from_dict(document)


def test_examples_without_a_basis_weight_may_have_cost_0():
    X = np.array([[1.0, 0.0], [-2.0, 0.0], [0.0, 1.0]])
    proof = certify_nonseparable(
        X, [1, 1, 1], support=[2, 0, 1], affine=False, costs=[1.0, 2.0, 0.0]
    )
    assert sorted(proof.support.tolist()) == [0, 1]
    assert proof.verify(X, [1, 1, 1]).n_exact == 2
    assert "1 example of cost 0 takes no part." in str(proof)


def test_costs_of_one_are_not_kept():
    made = certify_margin(LINE, SIGNS, coef=[1.0], costs=[1, 1, 1, 1], **COMMON)
    assert made.costs is None and made == certify_margin(LINE, SIGNS, coef=[1.0], **COMMON)
    priced = dataclasses.replace(made, costs=[1, 2, 1, -0.0])
    assert not priced.costs.flags.writeable and math.copysign(1.0, priced.costs[3]) == 1.0
    assert Certificate.from_json(priced.to_json()) == priced != made


def test_each_class_has_costs_of_its_own():
    y = np.array(["a", "b", "b", "b"])
    parts = [
        certify_margin(LINE, signs_of(y, label), coef=[1.0], positive=label, costs=costs, **COMMON)
        for label, costs in (("a", [1, 1, 1, 0]), ("b", [2, 1, 1, 1]))
    ]
    proof = PerClass(classes=("a", "b"), certificates=tuple(parts))
    assert proof.costs is None and Certificate.from_json(proof.to_json()) == proof
    assert [part.costs.tolist() for part in proof.certificates] == [[1, 1, 1, 0], [2, 1, 1, 1]]
    assert len(proof.verify(LINE, y)) == 2


def test_nothing_known_of_those_that_count():
    # The filter overflows on every row; an example of cost 0 is still no competitor.
    X = np.full((2, 2), 1e308)
    made = certify_margin(X, [1, -1], coef=[1e308, 1e308], costs=[1, 0], **COMMON)
    assert isinstance(made, Separation) and made.verify(X, [1, -1]).n_exact == 1


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


def test_many_different_costs_are_rounded_up_until_asked():
    rng = np.random.default_rng(0)
    X, signs = rng.normal(size=(300, 3)), np.repeat([1, -1], 150).astype(np.int8)
    costs = rng.uniform(0.1, 2.0, 300)
    weights = rng.uniform(0.1, 1.0, 300)
    common = dict(coef=[1.0, 0.0, 0.0], delta=0.5, support=np.arange(300), weights=weights)
    soft = certify_soft(X, signs, costs=costs, **common, **COMMON)
    exact = truth.dual(X, signs, soft.support, weights.tolist(), True, 2.0, costs)
    assert Fraction(soft.dual) <= exact < Fraction(math.nextafter(soft.dual, math.inf))
    assert soft.verify(X, signs).dual == soft.dual
    with pytest.raises(CertificateError, match="prove the lower bound"):
        dataclasses.replace(soft, dual=math.nextafter(soft.dual, math.inf)).verify(X, signs)
