"""Every solver of a soft margin finds the same optimum, to within the gap that it states."""

import itertools

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate import Status
from novikoff.maxmargin import soft_margin
from novikoff.maxmargin.coordinate.search import coordinate_descent
from novikoff.maxmargin.newton.search import newton
from novikoff.maxmargin.pivoting.search import block_pivoting
from novikoff.maxmargin.wolfe.search import Search
from novikoff.maxmargin.wolfe.working_set import WorkingSet
from tests.maxmargin.problems import clock_of, noisy, planted, problem_of

SLOW = 1e-5
"""The smallest gap asked of coordinate descent, which is slow where few features carry many
examples."""

ROUNDING = 1e-12
"""Of a bound, as a share of it: sums of a few hundred terms."""


def newton_exactly(problem, **options):
    return newton(problem, exact=True, **options)


def wolfe(problem, *, tol, clock):
    search = Search(WorkingSet(problem), clock)
    return search.solution(search.run(tol, 0.0))


SOLVERS = {
    "newton": newton,
    "newton, exact": newton_exactly,
    "pivoting": block_pivoting,
    "wolfe": wolfe,
    "coordinate": coordinate_descent,
    "chosen": soft_margin,
}


def independent(n, d):
    return noisy(8, n, d)


def correlated(n, d):
    """Columns with a spectrum like 1/k."""
    X, y = noisy(8, n, d)
    turned = np.linalg.qr(np.random.default_rng(0).normal(size=(d, d)))[0]
    return X / np.arange(1, d + 1) @ turned, y


def with_means(n, d):
    X, y = noisy(8, n, d)
    return X + np.random.default_rng(0).uniform(1, 3, d), y


def separable(n, d):
    return planted(8, n, d)


def repeated(n, d):
    """Small integers: equal rows, some with both labels, and columns that depend on others."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(-1, 2, (n, d)).astype(float), rng.choice([1, -1], n)
    X[n // 2 :] = X[: n - n // 2]
    X[:, -1] = X[:, 0] + X[:, 1]
    y[:2] = [1, -1]
    return X, y


def scattered(n, d):
    """Mostly zeros."""
    X, y = noisy(8, n, d)
    return X * (np.random.default_rng(0).random((n, d)) < 0.2), y


KINDS = (independent, correlated, with_means, separable, repeated, scattered)
SHAPES = ((12, 3), (40, 120), (30, 30), (120, 20))


def bounds_of(solution, X, y, C, affine, costs):
    """What the weights and the hyperplane prove, from the definitions of dual and primal."""
    hinges = np.maximum(0.0, 1.0 - y * (X @ solution.w + solution.offset))
    primal = solution.w @ solution.w / 2.0 + C * costs @ hinges**2
    shares, totals = solution.weights, [solution.weights.sum()] * 2
    if affine:
        totals = [shares[y > 0].sum(), shares[y < 0].sum()]
    shares = shares / np.where(y > 0, *totals)
    point = (shares * y) @ X
    norm2 = point @ point + (shares**2 / (2.0 * C * costs)).sum()
    return (2.0 if affine else 0.5) / norm2, primal


@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("shape", SHAPES, ids="{0[0]}x{0[1]}".format)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_solver_finds_the_same_optimum(kind, shape, C):
    X, y = kind(*shape)
    unequal = np.random.default_rng(1).choice([0.1, 1.0, 7.0], len(y))
    weighted = ((np.ones(len(y)), (1e-8, 1e-3)), (unequal, (1e-3, 1e-8)))
    for affine, (costs, tols) in itertools.product((True, False), weighted):
        found = {}
        for store, tol in zip((np.asarray, sparse.csr_array), tols, strict=True):
            problem = problem_of(store(X), y, C, affine=affine, costs=costs)
            for name, solve in SOLVERS.items():
                gap = max(tol, SLOW) if name == "coordinate" else tol
                solution = solve(problem, tol=gap, clock=clock_of(100_000))
                assert solution.status is Status.GAP_REACHED, name
                lower, upper = bounds_of(solution, X - problem.sample.centre, y, C, affine, costs)
                assert upper - lower <= (gap + ROUNDING) * upper, name
                assert solution.lower == pytest.approx(lower, rel=1e-9), name
                assert solution.upper == pytest.approx(upper, rel=1e-9), name
                found[name, store.__name__] = lower, upper
        highest = max(found, key=lambda key: found[key][0])
        least = min(found, key=lambda key: found[key][1])
        assert found[highest][0] <= found[least][1] * (1.0 + ROUNDING), (highest, least)
