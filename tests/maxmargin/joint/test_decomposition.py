"""Margins of several classes in feature space by steps on blocks, against a quadratic program."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

from novikoff.certificate import Status
from novikoff.compiled.joint_smo import least_leads
from novikoff.maxmargin.joint.block_settings import BLOCKS
from novikoff.maxmargin.joint.bounds import flow_matrix, signed, worst_wrong
from novikoff.maxmargin.joint.decomposition import JointBlockSearch
from novikoff.maxmargin.joint.feature_space import FeatureSpaceSearch
from novikoff.maxmargin.joint.kernel_choose import joint_kernel_margin
from novikoff.maxmargin.joint.kernel_problem import JointKernelProblem
from novikoff.run.clock import Clock, Limits
from novikoff.sample.joint_signed import cycle_of
from novikoff.sample.kernel import KernelFunction, KernelMatrix

RBF = KernelFunction("rbf", gamma=0.7)
NARROW = KernelFunction("rbf", gamma=20.0)
KERNELS = [
    RBF,
    KernelFunction("laplacian", gamma=0.5),
    KernelFunction("poly", gamma=0.5, degree=3, coef0=1.0),
    KernelFunction("linear"),
    KernelFunction("callable", function=lambda A, B: 3.0 + rbf_kernel(A, B, gamma=0.7)),
]
SMALL = replace(BLOCKS, block=8, small_block=8)


def problem_of(seed, n=24, k=3, *, C=None, affine=True, kernel=RBF, **more):
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(n, 3))
    codes = np.concatenate([np.arange(k), generator.integers(0, k, n - k)])
    slack2 = None if C is None else 0.5 / C / generator.uniform(0.5, 2.0, n)
    return JointKernelProblem(X, codes, k, kernel, affine, slack2, **more)


def by_blocks(problem, tol, clock=None, settings=BLOCKS, dtype=np.float64, start=None):
    clock = clock or Clock(Limits(max_iter=20_000))
    matrix = KernelMatrix(problem.X, problem.kernel, dtype)
    search = JointBlockSearch(problem, matrix, problem.cache_bytes, clock, start, settings)
    return search.run(tol, 1e-6)


def reference(problem):
    """The dual's optimum by a general method, to about 1e-8."""
    n, k = problem.n_examples, problem.n_classes
    everyone = np.arange(n)
    K = KernelMatrix(problem.X, problem.kernel).block(everyone, everyone)
    rows, wrong = np.nonzero(np.arange(k) != problem.codes[:, None])
    ends = np.zeros((len(rows), k))
    ends[np.arange(len(rows)), problem.codes[rows]] = 1.0
    ends[np.arange(len(rows)), wrong] = -1.0
    Q = 0.5 * K[np.ix_(rows, rows)] * (ends @ ends.T)
    if problem.slack2 is not None:
        Q += (rows[:, None] == rows) * problem.slack2[rows]
    balance = dict(type="eq", fun=lambda a: (a @ ends)[1:], jac=lambda a: ends[:, 1:].T)
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


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("C", [0.1, 1.0, 50.0])
@pytest.mark.parametrize("settings", [BLOCKS, SMALL], ids=["whole", "blocks"])
def test_soft_margins_are_those_of_a_quadratic_program(affine, C, settings):
    for seed in range(3):
        problem = problem_of(seed, k=3 + seed, C=C, affine=affine)
        solution = by_blocks(problem, 1e-7, settings=settings)
        assert solution.status is Status.GAP_REACHED
        optimum = reference(problem)
        assert solution.lower == pytest.approx(optimum, rel=1e-6)
        assert solution.upper == pytest.approx(optimum, rel=1e-6)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("settings", [BLOCKS, SMALL], ids=["whole", "blocks"])
def test_hard_margins_are_those_of_a_quadratic_program(affine, settings):
    for seed in range(3):
        problem = problem_of(seed, k=3 + seed, affine=affine, kernel=NARROW)
        solution = by_blocks(problem, 1e-7, settings=settings)
        assert solution.status is Status.GAP_REACHED
        # 1 / (2 margin^2) is the dual's optimum.
        margin = np.sqrt(0.5 / reference(problem))
        assert solution.lower == pytest.approx(margin, rel=1e-6)
        assert solution.upper == pytest.approx(margin, rel=1e-6)


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("affine", [True, False])
def test_every_kernel_has_the_optimum_of_coordinates(kernel, affine):
    problem = problem_of(1, n=150, k=4, C=1.0, affine=affine, kernel=kernel)
    solution = by_blocks(problem, 1e-5, settings=replace(BLOCKS, small_block=40))
    exact = FeatureSpaceSearch(
        problem, KernelMatrix(problem.X, kernel), 1e-7, Clock(Limits(max_iter=20_000))
    ).run()
    assert solution.status is exact.status is Status.GAP_REACHED
    assert solution.lower <= exact.upper and exact.lower <= solution.upper
    assert solution.gap <= 1e-5


def test_storages_have_the_same_optimum():
    problem = problem_of(4, n=120, k=3, C=2.0)
    wanted = by_blocks(problem, 1e-6)
    values = rbf_kernel(problem.X, gamma=0.7)
    others = [
        replace(problem, X=sparse.csr_matrix(problem.X)),
        replace(problem, X=values, kernel=KernelFunction("precomputed")),
        replace(problem, X=np.asfortranarray(problem.X)),
    ]
    for other in others:
        found = by_blocks(other, 1e-6)
        assert found.status is Status.GAP_REACHED
        assert found.lower <= wanted.upper and wanted.lower <= found.upper
    rows32 = replace(problem, X=problem.X.astype(np.float32))
    for dtype in (np.float32, np.float64):
        found = by_blocks(rows32, 1e-3, dtype=dtype)
        assert found.lower == pytest.approx(wanted.lower, rel=1.1e-3)
        assert found.upper == pytest.approx(wanted.upper, rel=1.1e-3)


@pytest.mark.parametrize("C", [None, 3.0])
def test_the_bounds_are_those_of_the_weights_which_balance(C):
    problem = problem_of(3, n=200, k=5, C=C, kernel=NARROW)
    found = by_blocks(problem, 1e-3, settings=replace(BLOCKS, small_block=30, block=30))
    K = rbf_kernel(problem.X, gamma=20.0)
    shares = signed(found.weights, problem.codes)
    flow = flow_matrix(found.weights, problem.codes)
    np.testing.assert_allclose(flow.sum(axis=0), flow.sum(axis=1), atol=1e-9 * flow.sum())
    scores = 0.5 * K @ shares
    norm2 = float((shares * scores).sum())
    leads = worst_wrong(scores + found.offsets, problem.codes)[1]
    sums = found.weights.sum(axis=1)
    if C is None:
        assert leads.min() == pytest.approx(1.0)
        assert found.lower == pytest.approx(1.0 / np.sqrt(norm2))
        assert found.upper == pytest.approx(np.sqrt(norm2) / sums.sum())
        return
    hinges = np.maximum(0.0, 1.0 - leads)
    primal = 0.5 * norm2 + 0.5 * float(hinges**2 @ (1.0 / problem.slack2))
    assert found.upper == pytest.approx(primal)
    dual = sums.sum() - 0.5 * norm2 - 0.5 * float(sums**2 @ problem.slack2)
    assert found.lower == pytest.approx(dual)


@pytest.mark.parametrize("C", [None, 1.0])
@pytest.mark.parametrize("columns", [1, 60])
def test_a_cache_of_few_columns_gives_the_same_margin(C, columns):
    problem = problem_of(0, n=300, k=4, C=C, kernel=NARROW)
    wanted = by_blocks(problem, 1e-5)
    few = replace(problem, cache_bytes=8.0 * 300 * (columns + BLOCKS.tables * 4))
    clock = Clock(Limits(max_iter=20_000))
    matrix = KernelMatrix(few.X, few.kernel)
    search = JointBlockSearch(few, matrix, few.cache_bytes, clock)
    # New columns are computed beside those that are kept.
    assert search.block == search.cache.n_slots == max(int(columns / 1.5), 32)
    found = search.run(1e-5, 1e-6)
    assert found.status is Status.GAP_REACHED
    assert found.lower <= wanted.upper and wanted.lower <= found.upper


def test_a_support_that_outgrows_its_room_is_handed_over():
    problem = problem_of(2, n=500, k=3, C=1.0, kernel=NARROW, cache_bytes=2e4)
    solution = joint_kernel_margin(problem, tol=1e-4, clock=Clock(Limits(max_iter=20_000)))
    wanted = by_blocks(replace(problem, cache_bytes=200e6), 1e-6)
    assert solution.status is Status.GAP_REACHED
    # Its kernel values are float32.
    assert solution.lower <= wanted.upper * (1 + 1e-5) and wanted.lower <= solution.upper
    assert solution.gap <= 1e-4


@pytest.mark.parametrize(
    "limits",
    [
        dict(most_steps=2, some_steps=1, few_weights=0),
        dict(most_steps=2, some_steps=1, few_weights=10_000),
        dict(some_rounds=1),
    ],
)
def test_coordinates_take_over_where_steps_are_slow(limits):
    generator = np.random.default_rng(0)
    X, codes = generator.normal(size=(900, 2)), np.arange(900) % 3
    problem = JointKernelProblem(X, codes, 3, RBF, True, np.full(900, 0.5 / 100.0))
    hasty = replace(BLOCKS, **limits)
    solution = joint_kernel_margin(problem, tol=1e-4, clock=Clock(), settings=hasty)
    assert solution.status is Status.GAP_REACHED
    assert solution.solver.startswith("kernel-joint-smo+kernel-joint-")


def test_a_cycle_of_three_classes_is_a_step():
    """Weight that goes round three classes balances, though no two examples can exchange any."""
    K = np.eye(3)
    problem = JointKernelProblem(K, np.arange(3), 3, KernelFunction("precomputed"))
    weights = np.zeros((3, 3))
    least, who = least_leads(np.zeros((3, 3)), weights, problem.codes, np.zeros(3))
    cycle, mean, _ = cycle_of(least)
    assert mean == -1.0
    np.testing.assert_array_equal(who[cycle, np.roll(cycle, -1)], cycle)
    # Class 0 may only err towards 1, 1 towards 2, 2 towards 0.
    scores = np.where(np.roll(np.eye(3), 1, axis=0) > 0, 0.0, -5.0)
    scores[np.diag_indices(3)] = 0.0
    cycle, mean, _ = cycle_of(least_leads(scores, weights, problem.codes, np.zeros(3))[0])
    assert len(cycle) == 3
    assert mean == -1.0
    solution = by_blocks(problem, 1e-9)
    assert solution.lower == pytest.approx(np.sqrt(0.5 / reference(problem)), rel=1e-6)


def test_limits_end_the_search_with_the_best_so_far():
    problem = problem_of(2, n=400, k=4, kernel=NARROW)
    clock = Clock(Limits(max_iter=3))
    found = by_blocks(problem, 1e-12, clock, SMALL)
    assert found.status is Status.MAX_ITER
    assert found.lower == max(line.lower for line in clock.history)
    assert by_blocks(problem, 1e-9, Clock(Limits(deadline=0.0))).status is Status.TIME_LIMIT
    for settings in (BLOCKS, replace(BLOCKS, most_steps=1)):
        clock = Clock(Limits(cancelled=lambda: True))
        found = joint_kernel_margin(problem, tol=1e-9, clock=clock, settings=settings)
        assert found.status is Status.INTERRUPTED


def test_a_start_at_the_solution_ends_at_once():
    problem = problem_of(5, n=400, k=3, C=1.0, kernel=NARROW)
    first = by_blocks(problem, 1e-6)
    clock = Clock()
    again = joint_kernel_margin(problem, tol=1e-5, clock=clock, start=first.weights)
    assert again.status is Status.GAP_REACHED
    assert again.solver == "kernel-joint-smo"
    assert clock.updates == 0
    # Weights that do not balance are made to.
    tilted = first.weights * np.linspace(0.5, 2.0, 400)[:, None]
    again = joint_kernel_margin(problem, tol=1e-5, clock=Clock(), start=tilted)
    assert again.status is Status.GAP_REACHED


def test_what_nothing_separates_ends_without_a_claim():
    X, codes = np.array([[0.0], [1.0], [2.0], [3.0], [1.5]]), np.array([0, 1, 0, 2, 2])
    problem = JointKernelProblem(X, codes, 3, KernelFunction("linear"))
    found = by_blocks(problem, 1e-3, Clock(Limits(max_iter=200)))
    assert found.status in (Status.PRECISION, Status.MAX_ITER)
    assert found.lower <= 0.0


def test_classes_in_sequence_are_all_in_the_first_block():
    """All examples are violated alike at first, and one class alone cannot move."""
    generator = np.random.default_rng(0)
    codes = np.repeat(np.arange(4), 150)
    X = generator.normal(size=(600, 2)) + 3.0 * codes[:, None]
    problem = JointKernelProblem(X, codes, 4, RBF, True, np.full(600, 0.5))
    search = JointBlockSearch(problem, KernelMatrix(X, RBF), 200e6, Clock())
    block, violation = search._choose()
    assert violation == 1.0
    assert len(np.unique(block)) == len(block) == search.block
    counts = np.bincount(codes[block])
    assert counts.min() >= counts.max() - 5


def test_a_laplacian_far_from_the_origin():
    problem = problem_of(1, n=90, k=3, C=1.0, kernel=KernelFunction("laplacian", gamma=0.5))
    values = laplacian_kernel(problem.X, gamma=0.5) + 1e4
    far = replace(problem, X=values, kernel=KernelFunction("precomputed"))
    wanted, found = by_blocks(problem, 1e-6), by_blocks(far, 1e-5)
    assert found.status is Status.GAP_REACHED
    assert found.lower <= wanted.upper * (1 + 1e-6) and wanted.lower <= found.upper * (1 + 1e-6)
