"""Newton's method by conjugate gradients: the directions, the bounds, and where it is chosen."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate import Status
from novikoff.compiled.joint_newton import HINGE, SQUARED_HINGE
from novikoff.compiled.rows import CSR
from novikoff.maxmargin.joint.choose import _newton_after, joint_soft_margin
from novikoff.maxmargin.joint.class_blocks import ClassBlocks
from novikoff.maxmargin.joint.conjugate import Kept, SparseSpace
from novikoff.maxmargin.joint.descent import joint_descent
from novikoff.maxmargin.joint.lifted import DenseRows, SparseRows
from novikoff.maxmargin.joint.newton import _Rows, joint_newton, takes_conjugates
from novikoff.maxmargin.joint.problem import JointProblem
from novikoff.maxmargin.joint.settings import CONJUGATE, GRAM
from novikoff.run.clock import Clock, Limits
from tests.maxmargin.joint.problems import problem

RHO = 0.1


def sparse_noisy(n=400, d=30, n_classes=4, density=0.2, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.normal(1.0, 1.0, size=(n, d)) * (draw.random((n, d)) < density)
    codes = (X @ draw.normal(size=(d, n_classes))).argmax(axis=1)
    wrong = draw.random(n) < 0.1
    codes[wrong] = draw.integers(0, n_classes, wrong.sum())
    return sparse.csr_array(X), codes


def spaces(X, codes, affine, settings):
    """Return the same examples for conjugate gradients, and for a factorisation."""
    sample = problem(X, codes, 1.0, affine=affine).sample
    stiff = np.random.default_rng(1).uniform(0.5, 2.0, X.shape[0])
    few, many = SparseRows.of(sample), DenseRows.of(sample)
    d = X.shape[1]
    penalty = np.append(np.full(d, 2.0), np.zeros(int(affine)))
    rest = codes[sample.order], stiff, penalty, np.ones(len(penalty)), affine
    ours = SparseSpace(few, *rest, lambda: None, settings=settings)
    return ours, _Rows(many.rows, *rest)


def gradient_and_weights(space, loss, seed=2):
    draw = np.random.default_rng(seed)
    n, k = len(space.codes), 4
    # One, two or all wrong classes; with the hinge some at the most that they may be.
    weights = draw.uniform(0.05, 0.2, size=(n, k)) * (draw.random((n, k)) < 0.5)
    weights[np.arange(n), space.codes] = 0.0
    if not loss.squared:
        full = (draw.random(n) < 0.3) & weights.any(axis=1)
        weights[full] /= weights[full].sum(axis=1)[:, None]
    gradient = draw.normal(size=(len(space.penalty), k))
    return gradient - gradient.mean(axis=1)[:, None], weights


@pytest.mark.parametrize("loss", [SQUARED_HINGE, HINGE])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("share", [100.0, 0.05])
def test_the_direction_is_that_of_a_factorisation(loss, affine, share):
    """With all columns in the blocks, and with few."""
    exact = replace(CONJUGATE, forcing=1e-12, most_products=2000, block_share=share)
    ours, theirs = spaces(*sparse_noisy(), affine, exact)
    gradient, weights = gradient_and_weights(ours, loss)
    found = ours.direction(gradient, weights, RHO, loss, 0.0)
    wanted = theirs.direction(gradient, weights, RHO, loss, 0.0)
    # Equal changes of all intercepts change nothing.
    found = found - found.mean(axis=1)[:, None]
    wanted = wanted - wanted.mean(axis=1)[:, None]
    assert np.abs(found - wanted).max() <= 1e-8 * np.abs(wanted).max()


@pytest.mark.parametrize("affine", [True, False])
def test_scores_and_gradients_are_those_of_dense_rows(affine):
    ours, theirs = spaces(*sparse_noisy(), affine, CONJUGATE)
    draw = np.random.default_rng(0)
    model = draw.normal(size=(len(ours.penalty), 4))
    scores = ours.scores(model)
    np.testing.assert_allclose(scores, theirs.scores(model), atol=1e-12)
    shares = draw.normal(size=scores.shape)
    np.testing.assert_allclose(
        ours.gradient(model, scores, shares), theirs.gradient(model, scores, shares), atol=1e-10
    )
    few, many = ours.examples, DenseRows(theirs.rows, ours.examples.shift)
    assert few.mean_length2() == pytest.approx(many.mean_length2(), rel=1e-12)
    some = np.arange(0, 400, 3)
    np.testing.assert_allclose(
        ours.some(some).scores(model), theirs.some(some).scores(model), atol=1e-12
    )


def test_the_blocks_are_those_of_the_hessian():
    ours, theirs = spaces(*sparse_noisy(), True, CONJUGATE)
    _, weights = gradient_and_weights(ours, SQUARED_HINGE)
    matrix, curved = ours.examples.rows, ours._curved(weights, RHO, SQUARED_HINGE)
    rows = CSR(matrix.data, matrix.indices, matrix.indptr)
    blocks = ClassBlocks(rows, curved, ours.examples.shift, (31, 4), 2.0, 0.0, 30)
    hessian = theirs._hessian(weights, RHO, SQUARED_HINGE)
    for r, (factor, _) in enumerate(blocks.factors):
        lower = np.tril(factor)
        upper = np.triu(hessian[r, :, r])
        wanted = upper + np.triu(upper, 1).T + np.diag(ours.penalty)
        np.testing.assert_allclose(lower @ lower.T, wanted, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("C", [0.01, 1.0, 1e3])
@pytest.mark.parametrize("squared", [True, False])
def test_bounds_are_those_of_newtons_method_on_a_hessian(C, squared):
    X, codes = sparse_noisy()
    sample = problem(X, codes, 1.0).sample
    posed = JointProblem.soft(sample, codes, 4, np.full(len(codes), C), squared=squared)
    ours = joint_newton(posed, tol=1e-6, clock=Clock(), by_conjugates=True)
    theirs = joint_newton(posed, tol=1e-6, clock=Clock(), by_conjugates=False)
    assert ours.status is theirs.status is Status.GAP_REACHED
    assert (ours.solver, theirs.solver) == ("joint-conjugate", "joint-newton")
    assert ours.lower <= theirs.upper
    assert theirs.lower <= ours.upper


def test_a_preconditioner_serves_several_steps():
    ours, _ = spaces(*sparse_noisy(), True, CONJUGATE)
    gradient, weights = gradient_and_weights(ours, SQUARED_HINGE)
    ours.direction(gradient, weights, RHO, SQUARED_HINGE, 0.0)
    first = ours.kept.blocks
    ours.direction(gradient, weights, RHO, SQUARED_HINGE, 0.0)
    assert ours.kept.blocks is first
    # Hinges a million times as stiff are another equation.
    for _ in range(50):
        ours.direction(gradient, weights, 1e-6 * RHO, SQUARED_HINGE, 0.0)
    assert ours.kept.blocks is not first
    assert isinstance(ours.some(np.arange(9)).kept, Kept)
    assert ours.some(np.arange(9)).kept.blocks is None


def test_limits_are_kept():
    X, codes = sparse_noisy()
    posed = problem(X, codes, 1.0)
    best = joint_newton(posed, tol=1e-9, clock=Clock(), by_conjugates=True)
    cut = joint_newton(posed, tol=1e-9, clock=Clock(Limits(max_iter=2)), by_conjugates=True)
    assert cut.status is Status.MAX_ITER
    assert 0.0 < cut.lower <= best.upper
    assert best.lower <= cut.upper < np.inf


@pytest.mark.parametrize("squared", [True, False])
def test_noisy_sparse_data_of_many_features_take_it(squared):
    X, codes = sparse_noisy(3000, 300, 3, 0.03)
    sample = problem(X, codes, 1.0).sample
    posed = JointProblem.soft(sample, codes, 3, np.full(len(codes), 100.0), squared=squared)
    assert takes_conjugates(posed)
    found = joint_soft_margin(posed, tol=1e-3, clock=Clock(Limits(max_iter=1000)))
    assert found.status is Status.GAP_REACHED
    assert "joint-conjugate" in found.solver


def test_dense_data_do_not():
    X, codes = sparse_noisy()
    assert not takes_conjugates(problem(X.toarray(), codes, 1.0))


def test_a_factorisation_follows_where_conjugate_gradients_have_no_digits(monkeypatch):
    X, codes = sparse_noisy(800, 120, density=0.03)
    posed, ways = problem(X, codes, 100.0), []
    assert takes_conjugates(posed)

    def without_digits(problem, *, clock, by_conjugates=None, **how):
        ways.append(by_conjugates)
        if by_conjugates is False:
            return joint_newton(problem, clock=clock, by_conjugates=False, **how)
        with clock.at_most(2):
            found = joint_newton(problem, clock=clock, by_conjugates=True, **how)
        return replace(found, status=Status.PRECISION)

    monkeypatch.setattr("novikoff.maxmargin.joint.choose.joint_newton", without_digits)
    monkeypatch.setattr("novikoff.maxmargin.joint.choose.GRAM", replace(GRAM, most_unknowns=0))
    swept = joint_descent(posed, tol=1e-3, clock=Clock(), sweeps=1)
    found = _newton_after(posed, 1e-3, Clock(), swept)
    assert ways == [True, False]
    assert found.status is Status.GAP_REACHED and found.solver.endswith("joint-newton")
