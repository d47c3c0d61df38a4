"""The methods for the soft margin agree with each other, with liblinear, and with their bounds."""

import time

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.svm import LinearSVC

from novikoff.certificate import Status, certify_soft
from novikoff.compiled.hinge import best_step
from novikoff.maxmargin import Problem
from novikoff.maxmargin.coordinate.search import coordinate_descent
from novikoff.maxmargin.newton.search import newton
from novikoff.maxmargin.wolfe.search import Search
from novikoff.maxmargin.wolfe.working_set import WorkingSet
from novikoff.run.record import Limits
from novikoff.sample import Sample, storage_of


def corral(problem, *, tol, limits, start=None, callbacks=()):
    search = Search(WorkingSet(problem), limits, callbacks)
    return search.solution(search.run(tol, 0.0))


METHODS = [newton, coordinate_descent, corral]


def noisy(seed=0, n=150, d=6, shift=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + shift
    y = np.where((X - shift) @ rng.normal(size=d) + rng.normal(size=n) > 0.3, 1, -1)
    return X, y.astype(np.int8)


def solved(method, X, y, C, tol=1e-8, affine=True, costs=None, **options):
    costs = np.ones(len(y)) if costs is None else costs
    order = np.flatnonzero(costs > 0)
    sample = Sample.of(storage_of(X), y, order=order, affine=affine)
    with np.errstate(divide="ignore"):
        problem = Problem(sample, 0.5 / (C * costs))
    options.setdefault("limits", Limits())
    return sample, method(problem, tol=tol, **options)


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
    X, y = noisy()
    _, solution = solved(method, X, y, C, tol=1e-13, affine=False)
    peer = LinearSVC(C=C, fit_intercept=False, dual=False, tol=1e-12, max_iter=10**6).fit(X, y)
    np.testing.assert_allclose(solution.w, peer.coef_[0], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("C", [1e-2, 1.0, 30.0])
@pytest.mark.parametrize("seed", range(3))
def test_optimum_with_intercept(method, C, seed):
    X, y = noisy(seed)
    # Coordinate descent is slow where few features make many examples nearly dependent.
    _, solution = solved(method, X, y, C, limits=Limits(max_iter=100_000))
    assert solution.status is Status.GAP_REACHED
    assert solution.lower <= solution.upper * (1 + 1e-12)
    assert solution.upper == pytest.approx(reference(X, y, C), rel=1e-7)


@pytest.mark.parametrize("method", METHODS)
def test_bounds_are_those_of_the_certificate(method):
    X, y = noisy(1)
    sample, solution = solved(method, X, y, 1.0, tol=1e-6)
    support = np.flatnonzero(solution.weights)
    certificate = certify_soft(
        X,
        y,
        coef=solution.w,
        intercept=solution.offset - solution.w @ sample.centre,
        affine=True,
        delta=np.sqrt(0.5),
        support=support,
        weights=solution.weights[support],
        rescale=False,
        status=solution.status,
    )
    assert certificate.primal == pytest.approx(solution.upper, rel=1e-12)
    assert certificate.dual == pytest.approx(solution.lower, rel=1e-12)
    assert certificate.gap <= 1.01e-6


@pytest.mark.parametrize("method", METHODS)
def test_translation_changes_nothing(method):
    X, y = noisy(2)
    _, here = solved(method, X, y, 1.0)
    _, there = solved(method, X + 1e4, y, 1.0)
    assert there.upper == pytest.approx(here.upper, rel=1e-8)


@pytest.mark.parametrize("method", METHODS)
def test_costs_equal_repetition(method):
    X, y = noisy(3)
    times = np.random.default_rng(0).integers(0, 4, len(y))
    _, weighted = solved(method, X, y, 1.0, tol=1e-12, costs=times.astype(float))
    _, repeated = solved(method, np.repeat(X, times, 0), np.repeat(y, times), 1.0, tol=1e-12)
    np.testing.assert_allclose(weighted.w, repeated.w, rtol=1e-5)
    assert weighted.upper == pytest.approx(repeated.upper, rel=1e-10)
    assert not weighted.weights[times == 0].any()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", [np.float32, np.uint8, "csr"])
def test_kinds_of_rows(method, kind):
    X, y = noisy(4)
    X = np.rint(40 * (X - X.min()))
    copy = sparse.csr_array(X) if isinstance(kind, str) else X.astype(kind)
    _, one = solved(method, X, y, 1e-3)
    _, other = solved(method, copy, y, 1e-3)
    assert other.upper == pytest.approx(one.upper, rel=1e-8)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_scale(method, factor):
    X, y = noisy(5)
    _, one = solved(method, X, y, 1.0)
    _, other = solved(method, factor * X, y, factor**-2)
    assert other.upper * factor**2 == pytest.approx(one.upper, rel=1e-8)


@pytest.mark.parametrize("method", [newton, coordinate_descent])
def test_limits_are_told(method):
    X, y = noisy(6, n=3000, d=30)
    _, solution = solved(method, X, y, 100.0, tol=1e-12, limits=Limits(max_iter=3))
    assert solution.status is Status.MAX_ITER
    assert solution.lower <= solution.upper < np.inf
    late = Limits(deadline=time.perf_counter())
    _, solution = solved(method, X, y, 100.0, tol=1e-12, limits=late)
    assert solution.status is Status.TIME_LIMIT


@pytest.mark.parametrize("method", [newton, coordinate_descent])
def test_a_start_at_the_optimum_is_soon_done(method):
    X, y = noisy(7, n=30_000, d=40)
    _, cold = solved(method, X, y, 1.0, tol=1e-6)
    _, warm = solved(method, X, y, 1.0, tol=1e-6, start=cold.weights)
    assert warm.n_passes < cold.n_passes
    assert warm.upper == pytest.approx(cold.upper, rel=1e-6)


def test_coordinate_descent_finds_the_hard_margin():
    rng = np.random.default_rng(0)
    X = sparse.random(400, 900, 0.02, format="csr", random_state=0)
    y = rng.choice(np.array([-1, 1], dtype=np.int8), 400)
    y[:2] = [1, -1]
    problem = Problem(Sample.of(storage_of(X), y))
    by_steps = coordinate_descent(problem, tol=1e-6, limits=Limits())
    search = Search(WorkingSet(problem), Limits())
    by_corral = search.solution(search.run(1e-9, 0.0))
    assert by_steps.status is Status.GAP_REACHED
    assert by_steps.lower == pytest.approx(by_corral.lower, rel=1e-6)
    assert by_steps.upper == pytest.approx(by_corral.upper, rel=1e-6)
    scores = y * (by_steps.w @ (X.toarray() - problem.sample.centre).T + by_steps.offset)
    assert scores.min() == pytest.approx(1.0)
    for sign in (1, -1):
        assert by_steps.weights[y == sign].sum() == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(20))
def test_best_offset_is_the_best(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    scores, slack2 = rng.normal(size=n), rng.uniform(0.1, 2.0, n)
    signs = rng.choice(np.array([-1, 1], dtype=np.int8), n)
    found = best_step(1.0 - signs * scores, signs.astype(float), 1.0 / slack2, 0.0, 0.0, 0.0)

    def cost(offset):
        return (np.maximum(0.0, 1.0 - signs * (scores + offset)) ** 2 / slack2).sum()

    others = found + np.concatenate([rng.normal(size=50), 1e-4 * rng.normal(size=50)])
    assert cost(found) <= min(cost(other) for other in others) + 1e-15
