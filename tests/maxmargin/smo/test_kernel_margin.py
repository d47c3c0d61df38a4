"""Margins in feature space, against a quadratic program and each other."""

import numpy as np
import pytest
from scipy.optimize import minimize

from novikoff.certificate import Status
from novikoff.maxmargin.smo import KernelProblem, kernel_margin
from novikoff.maxmargin.smo.settings import SmoSettings
from novikoff.run.clock import Clock, Limits
from novikoff.sample.kernel import KernelError, KernelFunction, KernelMatrix

BLOCKS = SmoSettings(take_all=0)
RBF = KernelFunction("rbf", gamma=0.7)
NARROW = KernelFunction("rbf", gamma=20.0)


def problem_of(seed, n=24, *, C=None, affine=True, kernel=RBF, **more):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, 3))
    signs = np.where(generator.random(n) < 0.5, 1.0, -1.0)
    signs[:2] = 1.0, -1.0
    slack2 = None if C is None else 0.5 / C / generator.uniform(0.5, 2.0, n)
    return KernelProblem(X, signs, kernel, affine, slack2, **more)


def reference(problem):
    """The dual's optimum by a general method, to about 1e-9."""
    everyone = np.arange(problem.n_examples)
    K = KernelMatrix(problem.X, problem.kernel).block(everyone, everyone)
    Q = K * np.outer(problem.signs, problem.signs)
    if problem.slack2 is not None:
        Q[everyone, everyone] += problem.slack2
    balance = dict(type="eq", fun=lambda a: a @ problem.signs, jac=lambda a: problem.signs)
    found = minimize(
        lambda a: 0.5 * a @ Q @ a - a.sum(),
        np.zeros(len(Q)),
        jac=lambda a: Q @ a - 1.0,
        bounds=[(0.0, None)] * len(Q),
        constraints=[balance] if problem.affine else [],
        method="SLSQP",
        options=dict(ftol=1e-14, maxiter=2000),
    )
    return -found.fun


def solved(problem, tol=1e-9, **how):
    return kernel_margin(problem, tol=tol, clock=Clock(), **how)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("C", [0.1, 1.0, 50.0])
@pytest.mark.parametrize("how", [{}, dict(settings=BLOCKS)], ids=["wolfe", "smo"])
def test_soft_margins_are_those_of_a_quadratic_program(affine, C, how):
    for seed in range(4):
        problem = problem_of(seed, C=C, affine=affine)
        solution = solved(problem, **how)
        assert solution.status is Status.GAP_REACHED
        optimum = reference(problem)
        assert solution.lower == pytest.approx(optimum, rel=1e-6)
        assert solution.upper == pytest.approx(optimum, rel=1e-6)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("how", [{}, dict(settings=BLOCKS)], ids=["wolfe", "smo"])
def test_hard_margins_are_those_of_a_quadratic_program(affine, how):
    for seed in range(4):
        problem = problem_of(seed, affine=affine)
        solution = solved(problem, **how)
        # 1 / (2 margin^2) is the dual's optimum.
        margin = np.sqrt(0.5 / reference(problem))
        assert solution.lower == pytest.approx(margin, rel=1e-6)
        assert solution.upper == pytest.approx(margin, rel=1e-6)


def test_the_margin_is_that_of_the_weights():
    problem = problem_of(3, n=60, kernel=NARROW)
    solution = solved(problem, tol=1e-4, settings=BLOCKS)
    everyone = np.arange(60)
    K = KernelMatrix(problem.X, NARROW).block(everyone, everyone)
    coef = solution.weights * problem.signs
    scores = K @ coef + solution.offset
    assert (problem.signs * scores).min() == pytest.approx(1.0)
    assert solution.lower == pytest.approx(1.0 / np.sqrt(coef @ K @ coef))
    assert coef.sum() == pytest.approx(0.0, abs=1e-9)


def test_a_small_cache_gives_the_same_margin():
    problem = problem_of(0, n=300, kernel=NARROW)
    few = KernelProblem(problem.X, problem.signs, NARROW, cache_bytes=300 * 8 * 40)
    small = SmoSettings(take_all=0, block=32)
    assert solved(few, tol=1e-6, settings=small).lower == pytest.approx(
        solved(problem, tol=1e-6, settings=BLOCKS).lower, rel=2e-6
    )


def test_float32_reaches_the_gap_of_float64():
    problem = problem_of(1, n=400, kernel=NARROW, cache_bytes=400 * 300 * 4)
    solution = solved(problem, tol=1e-3, settings=BLOCKS)
    exact = solved(problem_of(1, n=400, kernel=NARROW), tol=1e-9)
    assert solution.gap <= 1e-3
    assert solution.lower <= exact.lower * (1 + 1e-5)
    assert solution.lower >= exact.lower * (1 - 1.1e-3)


def test_what_nothing_separates_ends_without_a_claim():
    X, signs = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, -1.0, 1.0])
    for settings in (SmoSettings(), BLOCKS):
        solution = solved(
            KernelProblem(X, signs, KernelFunction("linear")), tol=1e-3, settings=settings
        )
        assert solution.status in (Status.PRECISION, Status.MAX_ITER)
        assert solution.lower <= 0.0


def test_limits_end_the_search_with_the_best_so_far():
    problem = problem_of(2, n=400, kernel=NARROW)
    clock = Clock(Limits(max_iter=2))
    solution = kernel_margin(
        problem, tol=1e-12, clock=clock, settings=SmoSettings(take_all=0, block=16)
    )
    assert solution.status is Status.MAX_ITER
    assert solution.lower == max(line.lower for line in clock.history)
    clock = Clock(Limits(deadline=0.0))
    assert kernel_margin(problem, tol=1e-12, clock=clock, settings=BLOCKS).status is (
        Status.TIME_LIMIT
    )
    clock = Clock(Limits(cancelled=lambda: True))
    assert kernel_margin(problem, tol=1e-12, clock=clock).status is Status.INTERRUPTED


def test_a_start_at_the_solution_ends_at_once():
    problem = problem_of(5, n=200, kernel=NARROW)
    first = solved(problem, tol=1e-6, settings=BLOCKS)
    clock = Clock()
    again = kernel_margin(problem, tol=1e-5, clock=clock, start=first.weights, settings=BLOCKS)
    assert again.status is Status.GAP_REACHED
    assert clock.updates == 0


def test_an_indefinite_kernel_is_refused_when_it_shows():
    matrix = np.array([[0.0, 1.0], [1.0, 0.0]])
    problem = KernelProblem(matrix, np.array([1.0, 1.0]), KernelFunction("precomputed"), False)
    other = KernelProblem(-np.eye(3), np.array([1.0, -1.0, 1.0]), KernelFunction("precomputed"))
    assert solved(problem).upper > 0.0
    with pytest.raises(KernelError, match="not positive semidefinite"):
        solved(other)


def test_examples_far_from_the_origin_of_a_polynomial():
    """Products are up to 1e10 times the slack."""
    generator = np.random.default_rng(0)
    X, signs = generator.normal(loc=100.0, size=(100, 2)), np.where(np.arange(100) % 3, 1.0, -1.0)
    kernel = KernelFunction("poly", gamma=0.1, degree=3, coef0=1.0)
    solution = solved(KernelProblem(X, signs, kernel, True, np.full(100, 0.5)), tol=1e-3)
    assert solution.status is Status.GAP_REACHED
    everyone = np.arange(100)
    scores = KernelMatrix(X, kernel).block(everyone, everyone) @ (solution.weights * signs)
    hinges = np.maximum(0.0, 1.0 - signs * (scores + solution.offset))
    # The slack of an example with weight is its weight times Delta^2.
    np.testing.assert_allclose(hinges, 0.5 * solution.weights, atol=0.02)


@pytest.mark.parametrize("other", range(10))
def test_equal_examples_have_no_hyperplane_but_an_optimum(other):
    # The vector of the optimum is zero, and its objective is that of the slacks alone.
    X, signs = np.ones((10, 3)), -np.ones(10)
    signs[other] = 1.0
    problem = KernelProblem(X, signs, KernelFunction("rbf", gamma=0.5), slack2=np.full(10, 0.05))
    solution = kernel_margin(problem, tol=1e-8, clock=Clock())
    assert solution.status is Status.GAP_REACHED
    assert solution.upper == pytest.approx(36.0)
    assert solution.lower == pytest.approx(36.0)
