"""The methods for the soft margin agree with each other, with liblinear, and with their bounds."""

import time

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

from novikoff.certificate import Certifier, Status, Weighted
from novikoff.maxmargin.coordinate.search import coordinate_descent
from novikoff.maxmargin.newton.search import newton
from novikoff.maxmargin.pivoting.search import block_pivoting
from novikoff.maxmargin.wolfe.search import Search
from novikoff.maxmargin.wolfe.working_set import WorkingSet
from tests.maxmargin.problems import clock_of, noisy, problem_of


def newton_exactly(problem, **options):
    return newton(problem, exact=True, **options)


def wolfe(problem, *, tol, clock):
    search = Search(WorkingSet(problem), clock)
    return search.solution(search.run(tol, 0.0))


METHODS = [newton, newton_exactly, coordinate_descent, wolfe, block_pivoting]


def solved(method, X, y, C, tol=1e-8, affine=True, costs=1.0, **options):
    problem = problem_of(X, y, C, affine=affine, costs=costs)
    options.setdefault("clock", clock_of())
    return problem.sample, method(problem, tol=tol, **options)


def reference(X, y, C):
    """The optimum with an intercept, by a general method from a good start."""

    def objective(v):
        hinge = np.maximum(0, 1 - y * (X @ v[:-1] + v[-1]))
        slope = -2 * C * y * hinge
        value = v[:-1] @ v[:-1] / 2 + C * hinge @ hinge
        return value, np.append(v[:-1] + slope @ X, slope.sum())

    options = {"maxiter": 10_000, "gtol": 1e-9}
    found = minimize(objective, np.zeros(X.shape[1] + 1), jac=True, options=options)
    return found.fun


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("C", [1e-3, 0.1, 1.0, 30.0])
def test_equals_liblinear_without_intercept(method, C):
    X, y = noisy(0, 150, 6)
    _, solution = solved(method, X, y, C, tol=1e-13, affine=False)
    peer = LinearSVC(C=C, fit_intercept=False, dual=False, tol=1e-12, max_iter=10**6).fit(X, y)
    np.testing.assert_allclose(solution.w, peer.coef_[0], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("C", [1e-2, 1.0, 30.0])
@pytest.mark.parametrize("seed", range(3))
def test_optimum_with_intercept(method, C, seed):
    X, y = noisy(seed, 150, 6)
    # Coordinate descent is slow where few features make many examples nearly dependent.
    _, solution = solved(method, X, y, C, clock=clock_of(100_000))
    assert solution.status is Status.GAP_REACHED
    assert solution.lower <= solution.upper * (1 + 1e-12)
    assert solution.upper == pytest.approx(reference(X, y, C), rel=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_bounds_are_those_of_the_certificate(method):
    X, y = noisy(1, 150, 6)
    sample, solution = solved(method, X, y, 1.0, tol=1e-6)
    support = np.flatnonzero(solution.weights)
    certificate = (
        Certifier.of(X, y, positive=1, affine=True)
        .soft_model(
            solution.w,
            solution.offset - solution.w @ sample.centre,
            C=1.0,
            proof=Weighted(support, solution.weights[support]),
        )
        .soft
    )
    assert certificate.primal == pytest.approx(solution.upper, rel=1e-12)
    assert certificate.dual == pytest.approx(solution.lower, rel=1e-12)
    assert certificate.gap <= 1.01e-6


@pytest.mark.parametrize("method", METHODS)
def test_translation_changes_nothing(method):
    X, y = noisy(2, 150, 6)
    _, here = solved(method, X, y, 1.0)
    _, there = solved(method, X + 1e4, y, 1.0)
    assert there.upper == pytest.approx(here.upper, rel=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_costs_equal_repetition(method):
    X, y = noisy(3, 150, 6)
    times = np.random.default_rng(0).integers(0, 4, len(y))
    _, weighted = solved(method, X, y, 1.0, tol=1e-12, costs=times.astype(float))
    _, repeated = solved(method, np.repeat(X, times, 0), np.repeat(y, times), 1.0, tol=1e-12)
    np.testing.assert_allclose(weighted.w, repeated.w, rtol=1e-5)
    assert weighted.upper == pytest.approx(repeated.upper, rel=1e-10)
    assert not weighted.weights[times == 0].any()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", [np.float32, np.uint8, "csr"])
def test_kinds_of_rows(method, kind):
    X, y = noisy(4, 150, 6)
    X = np.rint(40 * (X - X.min()))
    copy = sparse.csr_array(X) if isinstance(kind, str) else X.astype(kind)
    _, one = solved(method, X, y, 1e-3)
    _, other = solved(method, copy, y, 1e-3)
    assert other.upper == pytest.approx(one.upper, rel=1e-8)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_scale(method, factor):
    X, y = noisy(5, 150, 6)
    _, one = solved(method, X, y, 1.0)
    _, other = solved(method, factor * X, y, factor**-2)
    assert other.upper * factor**2 == pytest.approx(one.upper, rel=1e-8)


@pytest.mark.parametrize("method", [newton, coordinate_descent])
def test_limits_are_told(method):
    X, y = noisy(6, 3000, 30)
    _, solution = solved(method, X, y, 100.0, tol=1e-12, clock=clock_of(3))
    assert solution.status is Status.MAX_ITER
    assert solution.lower <= solution.upper < np.inf
    late = clock_of(deadline=time.perf_counter())
    _, solution = solved(method, X, y, 100.0, tol=1e-12, clock=late)
    assert solution.status is Status.TIME_LIMIT


@pytest.mark.parametrize("method", [newton, coordinate_descent])
def test_a_start_at_the_optimum_is_soon_done(method):
    X, y = noisy(7, 30_000, 40)
    first, second = clock_of(), clock_of()
    _, cold = solved(method, X, y, 1.0, tol=1e-6, clock=first)
    _, warm = solved(method, X, y, 1.0, tol=1e-6, clock=second, start=cold.weights)
    assert second.passes < first.passes
    assert warm.upper == pytest.approx(cold.upper, rel=1e-6)


def test_coordinate_descent_finds_the_hard_margin():
    rng = np.random.default_rng(0)
    X = sparse.random(400, 900, 0.02, format="csr", random_state=0)
    y = rng.choice(np.array([-1, 1], dtype=np.int8), 400)
    y[:2] = [1, -1]
    problem = problem_of(X, y)
    by_steps = coordinate_descent(problem, tol=1e-6, clock=clock_of())
    by_corral = wolfe(problem, tol=1e-9, clock=clock_of())
    assert by_steps.status is Status.GAP_REACHED
    assert by_steps.lower == pytest.approx(by_corral.lower, rel=1e-6)
    assert by_steps.upper == pytest.approx(by_corral.upper, rel=1e-6)
    scores = y * (by_steps.w @ (X.toarray() - problem.sample.centre).T + by_steps.offset)
    assert scores.min() == pytest.approx(1.0)
    for sign in (1, -1):
        assert by_steps.weights[y == sign].sum() == pytest.approx(1.0)
