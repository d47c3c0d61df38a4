"""Moments of rows, and the best step on a line, against plain numpy."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from novikoff.compiled.hinge import best_step, moments
from tests.compiled.problems import KINDS, rows_of


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [0, 1, 9])
def test_moments(kind, n):
    rows, X = rows_of(kind)
    rng = np.random.default_rng(n)
    order, stiffness = rng.permutation(len(X))[:n], rng.uniform(0.5, 2.0, n)
    origin = rng.normal(size=X.shape[1])
    first, second = np.ones(X.shape[1]), np.full(X.shape[1], 2.0)
    moments(rows, order, stiffness, origin, first, second)
    # Sparse rows are read as they stand.
    Z = X[order] - (0.0 if kind == "csr" else origin)
    np.testing.assert_allclose(first, 1.0 + stiffness @ Z, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(second, 2.0 + stiffness @ Z**2, rtol=1e-12, atol=1e-12)


def cost(t, hinges, speeds, stiffness, linear, quadratic):
    opened = np.maximum(0.0, hinges - t * speeds)
    return linear * t + quadratic * t**2 / 2 + (stiffness * opened**2).sum() / 2


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("start", [0.0, 1.0, -30.0])
def test_the_step_is_the_best(seed, start):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    line = (
        rng.normal(size=n),
        rng.normal(size=n),
        rng.uniform(0.1, 2.0, n),
        rng.normal(),
        rng.uniform(0.1, 1.0),
    )
    found = best_step(*line, start)
    other = minimize_scalar(cost, args=line, options={"xtol": 1e-12})
    assert cost(found, *line) <= cost(other.x, *line) + 1e-14
    assert found == pytest.approx(other.x, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_the_best_offset(seed):
    # No term of its own: the offset is not penalised.
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    scores, stiffness = rng.normal(size=n), rng.uniform(0.5, 10.0, n)
    signs = rng.choice([-1.0, 1.0], n)
    line = 1.0 - signs * scores, signs, stiffness, 0.0, 0.0
    found = best_step(*line, 0.0)
    others = found + np.concatenate([rng.normal(size=50), 1e-4 * rng.normal(size=50)])
    assert cost(found, *line) <= min(cost(other, *line) for other in others) + 1e-15


def test_a_line_without_slope_is_left_where_it_is():
    nothing = np.empty(0)
    assert best_step(nothing, nothing, nothing, 0.0, 0.0, 0.5) == 0.5
    closed = np.full(3, -1.0)
    assert best_step(closed, np.zeros(3), np.ones(3), 0.0, 0.0, 0.5) == 0.5
