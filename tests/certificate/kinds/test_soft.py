"""Certificates of the soft-margin optimum, against the objective in fractions."""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from novikoff.certificate import CertificateError, Status, Undecided, certify_soft
from novikoff.certificate.exact import slack
from tests.certificate import truth
from tests.certificate.strategies import ARITHMETIC, STORES, cases, extreme, ordinary, priced

every = pytest.mark.parametrize("arithmetic", ARITHMETIC)
# From C = 1e12 to 1e-12, and what is beyond.
usual_deltas = st.sampled_from([1.0, 0.1, 1 / 3, 30.0, 1e-3, 7.1e-7, 7.1e5])
deltas = usual_deltas | st.sampled_from([1e-150, 1e150])
all_cases = st.one_of(
    cases(ordinary), cases(extreme), priced(cases(ordinary)), priced(cases(extreme), extreme)
)


def make(case, delta, X=None, **other):
    return certify_soft(
        case.X if X is None else X,
        case.signs,
        coef=case.coef,
        intercept=case.intercept,
        affine=case.affine,
        delta=delta,
        support=case.support,
        weights=case.weights,
        costs=case.costs,
        status=Status.CONVERGED,
        **other,
    )


def is_true(soft, X, signs):
    primal = truth.primal(X, signs, soft.coef, soft.intercept, soft.C, soft.costs)
    dual = truth.dual(X, signs, soft.support, soft.weights, soft.affine, soft.C, soft.costs)
    return (math.isinf(soft.primal) or Fraction(soft.primal) >= primal) and (
        Fraction(soft.dual) <= dual
    )


def accepted(soft, X, signs):
    try:
        soft.verify(X, signs, check_fingerprint=False)
    except CertificateError as error:
        assert "\n" not in str(error)
        return False
    return True


@every
@pytest.mark.parametrize("store", STORES)
@given(case=all_cases, delta=deltas, rescale=st.booleans())
def test_what_is_made_is_true_and_verifies(arithmetic, store, case, delta, rescale):
    X = STORES[store](case.X)
    with ARITHMETIC[arithmetic]():
        soft = make(case, delta, X, rescale=rescale)
        verified = soft.verify(X, case.signs)
    assert is_true(soft, case.X, case.signs)
    assert soft.dual <= soft.primal
    assert verified.primal <= soft.primal and verified.dual >= soft.dual


@given(case=cases(ordinary) | priced(cases(ordinary)), delta=usual_deltas)
def test_the_scale_is_the_best_one(case, delta):
    best = make(case, delta)
    for scale in (0.0, 0.5, 0.9, 1.1, 2.0):
        coef, intercept = scale * best.coef, scale * best.intercept
        other = truth.primal(case.X, case.signs, coef, intercept, best.C, case.costs)
        assert best.primal <= other * (1 + Fraction(1, 10**9))


@every
@given(case=all_cases, delta=deltas, other=st.sampled_from([1.0, -3.0, 1e10]), data=st.data())
def test_after_an_edit_exactly_the_truth_is_accepted(arithmetic, case, delta, other, data):
    soft = make(case, delta)
    X, signs = case.X.copy(), case.signs.copy()
    n, d = X.shape
    edit = data.draw(
        st.sampled_from(["label", "example", "weight", "coef", "delta", "cost", "primal", "dual"])
    )
    if edit == "label":
        signs[data.draw(st.integers(0, n - 1))] *= -1
    elif edit == "example":
        X[data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, d - 1))] = other
    elif edit == "weight":
        weights = soft.weights.copy()
        weights[data.draw(st.sampled_from(np.flatnonzero(weights).tolist()))] += 1
        soft = dataclasses.replace(soft, weights=weights)
    elif edit == "cost":
        costs = np.ones(n) if soft.costs is None else soft.costs.copy()
        costs[data.draw(st.integers(0, n - 1))] *= data.draw(st.sampled_from([0.5, 2.0, 1.1]))
        soft = dataclasses.replace(soft, costs=costs)
    elif edit == "coef":
        coef = soft.coef.copy()
        coef[data.draw(st.integers(0, d - 1))] = other
        soft = dataclasses.replace(soft, coef=coef)
    elif edit == "delta":
        soft = dataclasses.replace(soft, delta=2 * delta)
    else:
        value = getattr(soft, edit) * data.draw(st.sampled_from([1.0, 1 - 2.0**-45, 0.5, 2.0]))
        for _ in range(data.draw(st.integers(0, 2))):
            value = math.nextafter(value, data.draw(st.sampled_from([0.0, math.inf])))
        if edit == "dual" and math.isinf(value):
            return
        soft = dataclasses.replace(soft, **{edit: value})
    with ARITHMETIC[arithmetic]():
        assert accepted(soft, X, signs) == is_true(soft, X, signs)


def check_enclosure(values, prices):
    # Intervals that are single floats: what is left is the rounding of the sum itself.
    ends = slack._filtered_squares(values, values, prices)
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
    X = np.array([[1.0], [-1.0]])
    soft = certify_soft(
        X,
        [1, -1],
        coef=[5.0],
        affine=False,
        delta=1.0,
        support=[0, 1],
        weights=[1, 1],
        status=Status.CONVERGED,
    )
    assert soft.coef[0] == pytest.approx(2 / 3, rel=1e-15)
    assert soft.primal == pytest.approx(1 / 3, rel=1e-15)
    assert soft.dual == pytest.approx(1 / 3, rel=1e-15)
    assert "C = 0.5" in str(soft)
    with pytest.raises(Undecided, match="separability"):
        bool(soft)


def test_weights_on_one_class_prove_nothing_with_an_intercept():
    X = np.array([[1.0], [-1.0]])
    common = dict(coef=[1.0], delta=1.0, support=[0], weights=[1], status=Status.CONVERGED)
    assert certify_soft(X, [1, -1], affine=True, **common).dual == 0.0
    assert certify_soft(X, [1, -1], affine=False, **common).dual > 0.0


def test_many_examples_go_through_the_filter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 6))
    signs = np.where(X[:, 0] + 0.5 * rng.normal(size=20_000) > 0, 1, -1)
    soft = certify_soft(
        X,
        signs,
        coef=[1.0, 0, 0, 0, 0, 0],
        affine=True,
        delta=2.0,
        support=[0, 1, 2, 3, 4, 5],
        weights=[1, 2, 3, 4, 5, 6],
        status=Status.MAX_ITER,
    )
    exact = truth.primal(X, signs, soft.coef, soft.intercept, 0.125)
    assert exact <= Fraction(soft.primal) <= exact * (1 + Fraction(1, 10**11))
    tight = math.nextafter(float(exact), math.inf)
    assert dataclasses.replace(soft, primal=tight).verify(X, signs).n_exact > 1000
    with pytest.raises(CertificateError, match="does not attain"):
        dataclasses.replace(soft, primal=math.nextafter(float(exact), 0.0)).verify(X, signs)


@pytest.mark.parametrize("arithmetic", ["exact", "filter"])
@pytest.mark.parametrize("C", [1e-12, 1e-6, 1.0, 1e6, 1e12])
def test_every_usual_C_has_finite_bounds(arithmetic, C):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    signs = np.where(X[:, 0] > 0, 1, -1)
    signs[:20] *= -1
    costs = np.where(np.arange(400) % 3, 1e-6, 1e6)
    support = np.r_[np.flatnonzero(signs > 0)[:5], np.flatnonzero(signs < 0)[:5]]
    with ARITHMETIC[arithmetic]():
        soft = certify_soft(
            X,
            signs,
            coef=[1e-3, 0.0, 0.0],
            affine=True,
            delta=math.sqrt(0.5 / C),
            support=support,
            weights=np.full(10, 1e-9),
            costs=costs,
            status=Status.CONVERGED,
        )
        assert soft.verify(X, signs).primal == soft.primal
    assert 0.0 < soft.dual <= soft.primal < math.inf and 0.0 <= soft.gap <= 1.0
    assert f"for C = {C:.4g}." in str(soft)
    # At the best scale the objective is at most that of the zero hyperplane.
    assert soft.primal <= C * costs.sum() * (1 + 1e-9)


@pytest.mark.parametrize("delta", [0.0, -1.0, math.inf, math.nan])
def test_delta_must_be_positive(delta):
    with pytest.raises(CertificateError, match="delta"):
        certify_soft(
            np.eye(2), [1, -1], coef=[1, 1], affine=False, delta=delta, status=Status.MAX_ITER
        )
