"""Bounds against their definitions."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from novikoff.maxmargin.bounds import (
    dual_objective,
    dual_variables,
    normalized,
    place_hard,
    place_soft,
)
from tests.maxmargin.problems import noisy

AFFINE = pytest.mark.parametrize("affine", [True, False])


@AFFINE
@pytest.mark.parametrize("seed", range(5))
def test_the_offset_of_largest_margin(seed, affine):
    rng = np.random.default_rng(seed)
    products, signs = rng.normal(size=30), np.where(np.arange(30) % 3, 1, -1)
    placed = place_hard(products, signs, affine)
    assert placed.value == pytest.approx((signs * (products + placed.offset)).min())
    assert placed.mistakes == np.count_nonzero(signs * (products + placed.offset) <= 0)
    others = rng.normal(size=100) if affine else np.zeros(1)
    assert all((signs * (products + other)).min() <= placed.value + 1e-15 for other in others)
    assert affine or placed.offset == 0.0


@AFFINE
@pytest.mark.parametrize("seed", range(5))
def test_the_offset_of_least_objective(seed, affine):
    X, y = noisy(seed, 40, 3)
    rng = np.random.default_rng(seed)
    w, slack2 = rng.normal(size=3), rng.uniform(0.1, 2.0, 40)

    def primal(offset):
        hinges = np.maximum(0.0, 1.0 - y * (X @ w + offset))
        return w @ w / 2 + (hinges**2 / slack2).sum() / 2

    placed = place_soft(w, X @ w, y, slack2, affine)
    best = minimize_scalar(primal).fun if affine else primal(0.0)
    assert placed.value == pytest.approx(best, rel=1e-12)
    assert primal(placed.offset) == pytest.approx(placed.value, rel=1e-14)
    assert placed.mistakes == np.count_nonzero(y * (X @ w + placed.offset) <= 0)


@AFFINE
def test_normalized_weights(affine):
    weights, signs = np.array([1.0, 3.0, 4.0, 0.0]), np.array([1, 1, -1, -1])
    normal, total = normalized(weights, signs, affine)
    if affine:
        assert normal.tolist() == [0.25, 0.75, 1.0, 0.0] and total == 2.0
    else:
        assert normal.tolist() == [0.125, 0.375, 0.5, 0.0] and total == 1.0
    normal, total = normalized(np.zeros(4), signs, affine)
    assert not normal.any() and total == 0.0
    one_sided, total = normalized(np.array([1.0, 0.0, 0.0, 0.0]), signs, affine)
    assert (total == 0.0) is affine and one_sided.any() is np.bool_(not affine)


@AFFINE
def test_the_dual_is_that_of_the_best_multiple(affine):
    X, y = noisy(0, 20, 4)
    rng = np.random.default_rng(0)
    weights, slack2 = rng.uniform(size=20), rng.uniform(0.1, 1.0, 20)
    sums = np.array([weights[y == sign] @ X[y == sign] for sign in (1, -1)])
    totals = np.array([weights[y == sign].sum() for sign in (1, -1)])
    value = dual_objective(sums, totals, y.astype(float), weights, slack2, affine)

    def dual(a):
        w = (a * y) @ X
        return a.sum() - w @ w / 2 - (slack2 * a**2).sum() / 2

    a = dual_variables(weights, y, value, affine)
    assert dual(a) == pytest.approx(value, rel=1e-12)
    assert all(dual(factor * a) < value for factor in (0.9, 0.999, 1.001, 1.1))
    if affine:
        assert a @ y == pytest.approx(0.0, abs=1e-12)
    one = np.array([totals[0], 0.0])
    nothing = dual_objective(sums, one, y.astype(float), weights, slack2, True)
    assert nothing == 0.0
