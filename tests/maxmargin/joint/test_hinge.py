"""The soft margin with the hinge in place of its square: the optimum of a quadratic program."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_digits
from sklearn.svm import SVC

from novikoff.certificate import Status
from novikoff.maxmargin.joint import JointProblem, hinge_margin, joint_soft_margin
from novikoff.maxmargin.joint.descent import joint_descent
from novikoff.maxmargin.joint.interior import joint_interior
from novikoff.maxmargin.joint.newton import joint_newton
from novikoff.run.clock import Clock, Limits
from novikoff.sample import Sample, storage_of

SOLVERS = [joint_descent, joint_interior, joint_newton]


def hinge_problem(X, codes, C, *, affine=True, costs=None):
    codes = np.asarray(codes, dtype=np.int64)
    sample = Sample.of(storage_of(X), np.ones(len(codes), dtype=np.int8), affine=affine)
    penalties = C * (np.ones(len(codes)) if costs is None else costs)
    return JointProblem.soft(sample, codes, int(codes.max()) + 1, penalties, squared=False)


def hinge_optimum(X, codes, C, *, affine=True, costs=None):
    """The optimum of the primal with a variable for each slack, by sequential least squares."""
    n, d = X.shape
    k = int(codes.max()) + 1
    penalties = C * (np.ones(n) if costs is None else costs)
    if affine:
        X = X - X.mean(axis=0)
    rows, wrong = np.nonzero(np.arange(k) != codes[:, None])
    size = k * d
    A = np.zeros((len(rows), size + k + n))
    for r in range(k):
        sign = (codes[rows] == r).astype(float) - (wrong == r)
        A[:, r * d : (r + 1) * d] = sign[:, None] * X[rows]
        A[:, size + r] = sign * affine
    A[np.arange(len(rows)), size + k + rows] = 1.0
    linear = np.concatenate([np.zeros(size + k), penalties])
    norms = np.concatenate([np.full(size, 2.0), np.zeros(k + n)])
    found = minimize(
        lambda v: 0.5 * v @ (norms * v) + linear @ v,
        np.concatenate([np.zeros(size + k), np.ones(n)]),
        jac=lambda v: norms * v + linear,
        bounds=[(None, None)] * (size + k) + [(0.0, None)] * n,
        constraints={"type": "ineq", "fun": lambda v: A @ v - 1.0, "jac": lambda v: A},
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-12},
    )
    assert found.success
    return found.fun


def blobs(seed, *, n=20, n_classes=3, d=2, spread=1.0):
    draw = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    return draw.normal(size=(n_classes, d))[codes] + spread * draw.normal(size=(n, d)), codes


def solved(solve, posed, tol=1e-8, max_iter=100_000):
    return solve(posed, tol=tol, clock=Clock(Limits(max_iter=max_iter)))


@pytest.mark.parametrize("solve", SOLVERS)
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("C", [0.05, 1.0])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_optimum_is_that_of_a_quadratic_program(solve, affine, C, n_classes):
    X, codes = blobs(n_classes, n_classes=n_classes)
    found = solved(solve, hinge_problem(X, codes, C, affine=affine))
    expected = hinge_optimum(X, codes, C, affine=affine)
    assert found.status is Status.GAP_REACHED
    assert found.lower == pytest.approx(expected, rel=1e-6)
    assert found.upper == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("solve", SOLVERS)
def test_weights_are_factors_on_the_penalty(solve):
    X, codes = blobs(4)
    costs = np.random.default_rng(0).uniform(0.2, 3.0, len(codes))
    found = solved(solve, hinge_problem(X, codes, 0.3, costs=costs))
    assert found.upper == pytest.approx(hinge_optimum(X, codes, 0.3, costs=costs), rel=1e-6)


@pytest.mark.parametrize("solve", SOLVERS)
def test_weights_make_the_vectors_and_balance_and_stay_within_the_penalty(solve):
    X, codes = blobs(1, n=30, d=4)
    found = solved(solve, hinge_problem(X, codes, 0.3), tol=1e-10)
    sums = found.weights.sum(axis=1)
    shares = -found.weights
    shares[np.arange(len(codes)), codes] = sums
    assert (found.weights >= 0.0).all()
    assert sums.max() <= 0.3 * (1.0 + 1e-12)
    # The optimum has examples at the bound, within it, and without weight.
    assert np.count_nonzero(sums > 0.3 * (1.0 - 1e-6)) > 3
    assert np.count_nonzero((sums > 1e-6) & (sums < 0.3 * (1.0 - 1e-6))) > 3
    assert np.abs(shares.sum(axis=0)).max() <= 1e-9 * sums.sum()
    assert np.allclose(found.vectors, 0.5 * shares.T @ X, rtol=0.0, atol=1e-4 * abs(X).max())


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_two_classes_have_the_binary_optimum(affine, C):
    X, codes = blobs(2, n=40, n_classes=2, d=3)
    signs = np.where(codes == 1, 1, -1).astype(np.int8)
    sample = Sample.of(storage_of(X), signs, affine=affine)
    found = hinge_margin(sample, np.full(40, C), tol=1e-9, clock=Clock())
    joint = solved(joint_soft_margin, hinge_problem(X, codes, C, affine=affine), tol=1e-9)
    assert (found.lower, found.upper) == (joint.lower, joint.upper)
    value = 0.5 * found.w @ found.w
    scores = (X - sample.centre) @ found.w + found.offset
    value += C * np.maximum(0.0, 1.0 - signs * scores).sum()
    assert value == pytest.approx(found.upper, rel=1e-9)
    if affine:
        svc = SVC(kernel="linear", C=C, tol=1e-9).fit(X, codes)
        assert np.allclose(found.w, svc.coef_[0], rtol=0.0, atol=1e-4 * abs(svc.coef_).max())


@pytest.mark.parametrize("solve", SOLVERS)
@pytest.mark.parametrize(
    "store",
    [
        lambda X: X.astype(np.float32),
        lambda X: X.astype(np.uint8),
        lambda X: sparse.csr_matrix(X),
        lambda X: sparse.csr_matrix(X.astype(np.float32)),
    ],
)
def test_every_storage_has_the_same_optimum(solve, store):
    draw = np.random.default_rng(0)
    codes = np.arange(30) % 3
    X = draw.integers(0, 6, size=(30, 5)) * (draw.random((30, 5)) < 0.7) + 1.0 * codes[:, None]
    expected = solved(joint_interior, hinge_problem(X, codes, 0.1))
    found = solved(solve, hinge_problem(store(X), codes, 0.1))
    assert found.lower == pytest.approx(expected.lower, rel=1e-7)


def test_descent_from_weights_beyond_the_penalty():
    X, codes = blobs(1, n=60, d=4)
    large = solved(joint_interior, hinge_problem(X, codes, 10.0))
    posed = hinge_problem(X, codes, 0.1)
    found = joint_descent(
        posed, tol=1e-6, clock=Clock(), start=large.weights, offsets=large.offsets
    )
    assert found.status is Status.GAP_REACHED
    assert found.weights.sum(axis=1).max() <= 0.1 * (1.0 + 1e-12)
    expected = solved(joint_interior, posed)
    assert found.lower == pytest.approx(expected.lower, rel=2e-6)


def test_a_problem_of_many_examples_and_features_is_descended():
    X, y = load_digits(return_X_y=True)
    X = np.hstack([X, X[:, ::-1] ** 2 / 16.0]) / 16.0
    clock = Clock()
    found = joint_soft_margin(hinge_problem(X, y, 0.1), tol=1e-3, clock=clock)
    assert (found.status, found.solver) == (Status.GAP_REACHED, "joint-coordinate")
    assert found.gap <= 1e-3
    again = joint_soft_margin(
        hinge_problem(X, y, 0.1),
        tol=1e-3,
        clock=Clock(),
        start=found.weights,
        offsets=found.offsets,
    )
    assert again.gap <= 1e-3
    assert again.lower == pytest.approx(found.lower, rel=1e-3)


@pytest.mark.parametrize("solve", SOLVERS)
def test_a_limit_is_no_success(solve):
    X, codes = blobs(1, n=300, d=4)
    found = solved(solve, hinge_problem(X, codes, 1.0), tol=1e-12, max_iter=8)
    assert found.status is Status.MAX_ITER
    assert 0.0 < found.lower < found.upper < np.inf
    expected = solved(joint_interior, hinge_problem(X, codes, 1.0))
    assert found.lower <= expected.upper and found.upper >= expected.lower


@pytest.mark.parametrize("affine", [True, False])
def test_penalties_that_are_tiny_beside_the_scores(affine):
    """Rounding moves thresholds by as much as the weights are; the descent ends nevertheless."""
    draw = np.random.default_rng(0)
    X, codes = draw.standard_normal((3000, 40)), draw.integers(0, 5, 3000)
    found = solved(joint_descent, hinge_problem(X, codes, 1e-12, affine=affine), tol=1e-3)
    assert found.status is Status.GAP_REACHED
