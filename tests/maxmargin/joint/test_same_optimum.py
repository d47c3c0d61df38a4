"""Both solvers of the joint margin find the optimum that a quadratic program finds."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate import Status
from novikoff.maxmargin import Problem, hard_margin, soft_margin
from novikoff.maxmargin.joint.corral import joint_corral
from novikoff.maxmargin.joint.descent import joint_descent
from novikoff.maxmargin.joint.gram_newton import joint_gram_newton
from novikoff.maxmargin.joint.newton import joint_newton
from novikoff.run.clock import Clock, Limits
from novikoff.sample import Sample, storage_of
from tests.maxmargin.joint.problems import optimum, pinwheel, problem


def gram_newton(posed, *, tol, clock):
    begun = joint_descent(posed, tol=tol, clock=Clock(Limits(max_iter=6)))
    return joint_gram_newton(posed, tol=tol, clock=clock, before=begun)


SOLVERS = [joint_corral, joint_descent]
SOFT_SOLVERS = [*SOLVERS, joint_newton]
HARD_SOLVERS = [*SOLVERS, joint_newton, gram_newton]


def solved(solve, posed, tol=1e-8):
    return solve(posed, tol=tol, clock=Clock(Limits(max_iter=200_000)))


def blobs(seed, *, n=12, n_classes=3, d=2, spread=1.0):
    draw = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    return 3.0 * draw.normal(size=(n_classes, d))[codes] + spread * draw.normal(size=(n, d)), codes


@pytest.mark.parametrize("solve", SOFT_SOLVERS)
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("C", [0.05, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_soft_margin_is_that_of_a_quadratic_program(solve, affine, C, seed):
    X, codes = blobs(seed)
    found = solved(solve, problem(X, codes, C, affine=affine))
    expected = optimum(X, codes, C, affine=affine)
    assert found.status is Status.GAP_REACHED
    assert found.lower == pytest.approx(expected, rel=1e-6)
    assert found.upper == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("solve", HARD_SOLVERS)
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("n_classes", [3, 4])
def test_the_hard_margin_is_that_of_a_quadratic_program(solve, affine, n_classes):
    X, codes = blobs(1, n=3 * n_classes, n_classes=n_classes, d=4, spread=0.3)
    found = solved(solve, problem(X, codes, affine=affine))
    expected = optimum(X, codes, affine=affine)
    assert found.status is Status.GAP_REACHED
    assert found.lower == pytest.approx(expected, rel=1e-6)
    assert found.upper == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("solve", SOFT_SOLVERS)
def test_weights_are_factors_on_the_penalty(solve):
    X, codes = blobs(4)
    costs = np.random.default_rng(0).uniform(0.2, 3.0, len(codes))
    found = solved(solve, problem(X, codes, 0.3, costs=costs))
    assert found.upper == pytest.approx(optimum(X, codes, 0.3, costs=costs), rel=1e-6)


@pytest.mark.parametrize(
    ("solve", "C"), [*product(SOLVERS, [0.3, np.inf]), *product(HARD_SOLVERS[2:], [np.inf])]
)
def test_weights_make_the_vectors_and_balance(solve, C):
    X, codes = blobs(1, n=15, d=4, spread=0.3)
    found = solved(solve, problem(X, codes, C), tol=1e-10)
    shares = -found.weights
    shares[np.arange(len(codes)), codes] = found.weights.sum(axis=1)
    assert (found.weights >= 0.0).all()
    assert not found.weights[np.arange(len(codes)), codes].any()
    assert np.abs(shares.sum(axis=0)).max() <= 1e-9 * found.weights.sum()
    assert np.allclose(found.vectors, 0.5 * shares.T @ X, rtol=0.0, atol=1e-4 * abs(X).max())


@pytest.mark.parametrize("solve", SOLVERS)
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("C", [0.1, np.inf])
def test_two_classes_have_the_binary_optimum(solve, affine, C):
    X, codes = blobs(2, n=20, n_classes=2, d=3, spread=0.3)
    posed = problem(X, codes, C, affine=affine)
    joint = solved(solve, posed)
    sample = Sample.of(storage_of(X), np.where(codes == 1, 1, -1).astype(np.int8), affine=affine)
    binary = Problem(sample, posed.slack2)
    if C == np.inf:
        found = hard_margin(binary, tol=1e-9, clock=Clock(), confirm=lambda support: False)
    else:
        found = soft_margin(binary, tol=1e-9, clock=Clock())
    assert joint.lower == pytest.approx(found.lower, rel=1e-6)
    assert joint.upper == pytest.approx(found.upper, rel=1e-6)
    assert np.allclose(joint.vectors[1] - joint.vectors[0], found.w, atol=1e-3 * abs(found.w).max())


@pytest.mark.parametrize("solve", SOLVERS)
@pytest.mark.parametrize(
    "store",
    [
        lambda X: X.astype(np.float32),
        lambda X: X.astype(np.uint8),
        lambda X: sparse.csr_matrix(X),
        lambda X: sparse.csr_matrix(X.astype(np.float32)),
        lambda X: np.asfortranarray(X),
    ],
)
def test_every_storage_has_the_same_optimum(solve, store):
    draw = np.random.default_rng(0)
    codes = np.arange(30) % 3
    X = draw.integers(0, 6, size=(30, 5)) * (draw.random((30, 5)) < 0.7) + 2.0 * codes[:, None]
    expected = solved(joint_corral, problem(X, codes, 0.1))
    found = solved(solve, problem(store(X), codes, 0.1))
    assert found.lower == pytest.approx(expected.lower, rel=1e-7)


@pytest.mark.parametrize("C", [0.1, np.inf])
def test_the_optimum_does_not_depend_on_where_the_origin_is(C):
    X, codes = blobs(1, n=15, d=4, spread=0.3)
    here = solved(joint_corral, problem(X, codes, C))
    there = solved(joint_corral, problem(X + 1000.0, codes, C))
    assert there.upper == pytest.approx(here.upper, rel=1e-6)


def test_a_pinwheel_is_not_separable_though_each_pair_is():
    X, codes = pinwheel()
    for pair in ((0, 1), (1, 2), (2, 0)):
        mine = np.isin(codes, pair)
        signs = np.where(codes[mine] == pair[0], 1, -1).astype(np.int8)
        found = hard_margin(
            Problem(Sample.of(storage_of(X[mine]), signs)),
            tol=1e-3,
            clock=Clock(),
            confirm=lambda support: True,
        )
        assert found.lower > 0.0
    joint = solved(joint_corral, problem(X, codes))
    assert joint.status is Status.NOT_SEPARABLE
    rows, wrong = np.nonzero(joint.weights)
    # The (x, 1)-Kesler vectors of the support combine to zero.
    combined = np.zeros((3, 3))
    for i, r in zip(rows, wrong, strict=True):
        lifted = joint.weights[i, r] * np.append(X[i], 1.0)
        combined[codes[i]] += lifted
        combined[r] -= lifted
    assert np.abs(combined).max() <= 1e-6


def test_a_limit_on_passes_leaves_valid_bounds():
    X, codes = blobs(3, n=60, d=5)
    best = solved(joint_corral, problem(X, codes, 10.0))
    cut = joint_descent(problem(X, codes, 10.0), tol=1e-8, clock=Clock(Limits(max_iter=5)))
    assert cut.status is Status.MAX_ITER
    assert 0.0 < cut.lower <= best.upper * (1.0 + 1e-9)
    assert cut.upper >= best.lower * (1.0 - 1e-9)


def test_a_start_at_the_optimum_is_left_at_once():
    X, codes = blobs(3, n=300, d=20)
    posed = problem(X, codes, 0.1)
    first = solved(joint_descent, posed, tol=1e-6)
    clock = Clock()
    again = joint_descent(posed, tol=1e-5, clock=clock, start=first.weights, offsets=first.offsets)
    assert again.status is Status.GAP_REACHED
    assert clock.passes < 5
