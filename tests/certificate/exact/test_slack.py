"""Bounds on the soft-margin problem hold for the exact value of C, and say which rows they took."""

import math
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from novikoff.certificate.exact.hull import hull_point
from novikoff.certificate.exact.slack import best_scale, dual_below, primal_value
from tests.certificate import truth
from tests.certificate.strategies import (
    ARITHMETIC,
    STORES,
    arithmetics,
    cases,
    extreme,
    more_examples,
    ordinary,
    priced,
    stores,
)

usual_C = st.sampled_from([1.0, 0.1, 1 / 3, 30.0, 1e-3, 1e12, 1e-12])
every_C = usual_C | st.sampled_from([5e-324, 1e-300, 1e300]) | st.floats(1e-5, 1e5)
all_cases = st.one_of(
    cases(ordinary), cases(extreme), priced(cases(ordinary)), priced(cases(extreme), extreme)
)


@more_examples(4)
@given(arithmetic=arithmetics, store=stores, case=all_cases, C=every_C)
def test_the_objective_lies_between_its_bounds(arithmetic, store, case, C):
    exact = truth.primal(case.X, case.signs, case.coef, case.intercept, C, case.costs)
    claim = (STORES[store](case.X), case.signs, case.coef, case.intercept, C, case.costs)
    with ARITHMETIC[arithmetic]():
        for thorough in (False, True):
            found = primal_value(*claim, thorough=thorough)
            assert Fraction(found.low) <= exact
            assert found.high == np.inf or exact <= Fraction(found.high)
            if found.exact:
                assert math.nextafter(found.low, math.inf) >= found.high
    assert found.exact
    # Examples whose hinge is zero, or whose cost is, need no exact arithmetic.
    values = truth.signed_values(case.X, case.signs, case.coef, case.intercept)
    costs = np.ones(len(case.X)) if case.costs is None else case.costs
    needed = [i for i, v in enumerate(values) if v < 1 and costs[i] > 0]
    assert set(needed) <= set(found.exact_rows.tolist()) <= set(np.flatnonzero(costs).tolist())
    assert np.unique(found.exact_rows).size == found.exact_rows.size


@more_examples(2)
@given(arithmetic=arithmetics, case=all_cases, C=every_C)
def test_the_optimum_is_above_the_dual_bound(arithmetic, case, C):
    weighted = (case.X, case.signs, case.support, case.weights)
    exact = truth.dual(*weighted, case.affine, C, case.costs)
    for penalty in (None, C):
        with ARITHMETIC[arithmetic]():
            point = hull_point(*weighted, affine=case.affine, costs=case.costs, C=penalty)
        bound = dual_below(point, C)
        assert Fraction(bound) <= exact
        if point is not None and point.exact:
            assert bound == np.finfo(float).max or exact < Fraction(math.nextafter(bound, math.inf))


def test_a_sum_that_cancels_beside_much_slack_needs_no_exact_arithmetic():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20_000, 3)) + 1e6
    signs = np.where(np.arange(20_000) % 2, 1, -1).astype(np.int8)
    # Each row once in either class, nearly: the weighted sum is 1e-7 of what it sums.
    X[1::2] = X[::2] + 1e-7
    weighted = (X, signs, np.arange(20_000), np.ones(20_000))
    exactly = hull_point(*weighted, affine=True)
    assert exactly.exact_rows.size
    found = hull_point(*weighted, affine=True, C=1e-12)
    assert not found.exact_rows.size
    assert 1.0 - 1e-9 < dual_below(found, 1e-12) / dual_below(exactly, 1e-12) <= 1.0
    # With less slack the norm decides.
    assert hull_point(*weighted, affine=True, C=1e12).exact_rows.size


@given(case=cases(ordinary) | priced(cases(ordinary)), C=usual_C)
def test_the_scale_is_the_best_one(case, C):
    claim = (case.X, case.signs)
    factor = best_scale(*claim, case.coef, case.intercept, C, case.costs)
    coef, intercept = factor * case.coef, factor * case.intercept
    best = truth.primal(*claim, coef, intercept, C, case.costs)
    # Margins are known to 2**-53, so a hinge that should be zero is not smaller than that.
    rounding = truth.primal(*claim, 0.0 * coef, 0.0, C, case.costs) / 2**100
    for scale in (0.0, 0.5, 0.9, 1.1, 2.0):
        other = truth.primal(*claim, scale * coef, scale * intercept, C, case.costs)
        assert best <= other * (1 + Fraction(1, 10**9)) + rounding


def test_rows_that_the_filter_decides_are_not_counted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 6))
    signs = np.where(rng.random(20_000) < 0.5, 1, -1).astype(np.int8)
    found = primal_value(X, signs, np.ones(6), 0.0, 2.0)
    assert found.exact_rows.size == 0 and found.exact_rows.dtype == np.int64
    assert primal_value(X, signs, np.ones(6), 0.0, 2.0, thorough=True).exact_rows.size > 5000


def test_where_the_hyperplane_is_of_no_use_its_scale_is_tiny():
    X, signs = np.zeros((2, 1)), np.array([1, -1], dtype=np.int8)
    scale = best_scale(X, signs, np.array([1.0]), 0.0, 1.0)
    assert 0.0 < scale < 2.0**-60
    assert primal_value(X, signs, np.array([scale]), 0.0, 1.0).low == 2.0
