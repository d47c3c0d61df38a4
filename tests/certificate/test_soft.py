"""Certificates of the soft-margin optimum, against the objective in fractions."""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from novikoff.certificate import CertificateError, Status, Undecided, certify_soft, slack
from novikoff.certificate.filter import Interval
from tests.certificate import truth
from tests.certificate.strategies import ARITHMETIC, STORES, cases, extreme, ordinary

every = pytest.mark.parametrize("arithmetic", ARITHMETIC)
deltas = st.sampled_from([1.0, 0.1, 1 / 3, 30.0, 1e-3])
all_cases = st.one_of(cases(ordinary), cases(extreme))


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
        status=Status.CONVERGED,
        **other,
    )


def is_true(soft, X, signs):
    primal = truth.primal(X, signs, soft.coef, soft.intercept, soft.delta)
    dual = truth.dual(X, signs, soft.support, soft.weights, soft.affine, soft.delta)
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


@given(case=cases(ordinary), delta=deltas)
def test_the_scale_is_the_best_one(case, delta):
    best = make(case, delta)
    for scale in (0.0, 0.5, 0.9, 1.1, 2.0):
        coef, intercept = scale * best.coef, scale * best.intercept
        other = truth.primal(case.X, case.signs, coef, intercept, delta)
        assert best.primal <= other * (1 + Fraction(1, 10**9))


@every
@given(case=all_cases, delta=deltas, other=st.sampled_from([1.0, -3.0, 1e10]), data=st.data())
def test_after_an_edit_exactly_the_truth_is_accepted(arithmetic, case, delta, other, data):
    soft = make(case, delta)
    X, signs = case.X.copy(), case.signs.copy()
    n, d = X.shape
    edit = data.draw(
        st.sampled_from(["label", "example", "weight", "coef", "delta", "primal", "dual"])
    )
    if edit == "label":
        signs[data.draw(st.integers(0, n - 1))] *= -1
    elif edit == "example":
        X[data.draw(st.integers(0, n - 1)), data.draw(st.integers(0, d - 1))] = other
    elif edit == "weight":
        weights = soft.weights.copy()
        weights[data.draw(st.integers(0, weights.size - 1))] += 1
        soft = dataclasses.replace(soft, weights=weights)
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


def check_enclosure(values):
    # Intervals that are single floats: what is left is the rounding of the sum itself.
    ends = slack._filtered_squares(Interval(None, values, values))
    low, high = (Fraction(int(end.p), int(end.q)) for end in ends)
    exact = sum((max(Fraction(0), 1 - Fraction(v)) ** 2 for v in values.tolist()), Fraction(0))
    assert low <= exact <= high <= low * (1 + Fraction(1, 10**11)) + Fraction(1, 10**30)


@given(hnp.arrays(np.float64, st.integers(1, 40), elements=st.floats(-1e3, 2.0)))
def test_the_sum_of_squared_hinges_is_enclosed(values):
    check_enclosure(values)


def test_the_sum_of_many_squared_hinges_is_enclosed():
    for seed in range(300):
        check_enclosure(np.random.default_rng(seed).uniform(-3, 1, 127))


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
    exact = truth.primal(X, signs, soft.coef, soft.intercept, 2.0)
    assert exact <= Fraction(soft.primal) <= exact * (1 + Fraction(1, 10**11))
    tight = math.nextafter(float(exact), math.inf)
    assert dataclasses.replace(soft, primal=tight).verify(X, signs).n_exact > 1000
    with pytest.raises(CertificateError, match="does not attain"):
        dataclasses.replace(soft, primal=math.nextafter(float(exact), 0.0)).verify(X, signs)


@pytest.mark.parametrize("delta", [0.0, -1.0, math.inf, math.nan])
def test_delta_must_be_positive(delta):
    with pytest.raises(CertificateError, match="delta"):
        certify_soft(
            np.eye(2), [1, -1], coef=[1, 1], affine=False, delta=delta, status=Status.MAX_ITER
        )
