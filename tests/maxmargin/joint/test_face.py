"""Conjugate gradients over the positive weights of the dual."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from novikoff import MaxMargin
from novikoff.certificate import Status
from novikoff.maxmargin.joint.bounds import signed
from novikoff.maxmargin.joint.corral import joint_corral
from novikoff.maxmargin.joint.descent import joint_descent
from novikoff.maxmargin.joint.dual import JointDual
from novikoff.maxmargin.joint.face import Face, _value, descend
from novikoff.maxmargin.joint.settings import DESCENT, FACE
from novikoff.maxmargin.passes import Passes
from novikoff.run.clock import Clock, Limits
from tests.maxmargin.joint.problems import optimum, problem

WITH_FACES = replace(DESCENT, small_model=0)


def counts(n=60, d=25, n_classes=4, seed=0):
    """Counts of words, frequent and rare ones, with some equal rows of different classes."""
    draw = np.random.default_rng(seed)
    rates = 4.0 / np.arange(1, d + 1)
    X = draw.poisson(rates, size=(n, d)).astype(np.float64)
    X[: n // 6] = X[n // 6 : 2 * (n // 6)]
    return X, np.arange(n) % n_classes


def dual_after(X, codes, C, *, affine=True, sweeps=30):
    given = problem(sparse.csr_array(X), codes, C, affine=affine)
    dual = JointDual(given, Passes(given.sample, Clock(Limits(1000))), DESCENT)
    for _ in range(sweeps):
        dual.sweep(given.sample.order.copy())
    return dual


def matrix(face):
    """Return the second derivatives among the positive weights, from the virtual rows."""
    dual = face.dual
    centred = dual.sample.matrix(face.ids).toarray() - dual.centre
    size = len(face.wrong)
    shares = np.zeros((size, dual.weights.shape[1]))
    shares[np.arange(size), face.positive.codes[face.examples]] = 1.0
    shares[np.arange(size), face.wrong] -= 1.0
    rows = centred[face.examples]
    same = face.examples[:, None] == face.examples
    return 0.5 * (shares @ shares.T) * (rows @ rows.T + dual.pull) + same * dual.slack2.max()


@pytest.mark.parametrize("affine", [True, False])
def test_products_are_those_of_the_virtual_rows(affine):
    face = Face(dual_after(*counts(), 3.0, affine=affine))
    weights = np.random.default_rng(1).normal(size=len(face.wrong))
    assert len(weights) > 40
    np.testing.assert_allclose(face._image(weights)[1], matrix(face) @ weights, rtol=1e-9)


@pytest.mark.parametrize("affine", [True, False])
def test_with_all_columns_the_preconditioner_is_the_inverse(affine):
    dual = dual_after(*counts(), 3.0, affine=affine)
    face = Face(dual, replace(FACE, heavy_values=1e9, least_rest=1e-7))
    right = np.random.default_rng(1).normal(size=len(face.wrong))
    # What is added to the rest of the diagonal, which is zero here, is a block of each example.
    same = face.examples[:, None] == face.examples
    rest = 1e-7 * dual.curves[face.ids][face.examples]
    system = matrix(face) + 0.5 * rest * (np.eye(len(right)) + same)
    np.testing.assert_allclose(
        system @ face.heavy.solve(right), right, atol=1e-5 * np.abs(right).max()
    )


@pytest.mark.parametrize("C", [0.1, 100.0])
def test_the_dual_rises(C):
    dual = dual_after(*counts(), C, sweeps=8)
    face = Face(dual)
    offsets = dual.offsets.copy()
    before = _value(dual, face.ids, offsets)
    descend(dual)
    assert _value(dual, face.ids, offsets) < before
    assert (dual.weights >= 0.0).all()
    # The vectors are those that the weights make.
    rows, shares = (
        dual.sample.matrix(face.ids),
        signed(dual.weights[face.ids], dual.codes[face.ids]),
    )
    np.testing.assert_allclose(dual.vectors.sums, rows.T @ shares, atol=1e-9 * abs(shares).max())


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("C", [0.1, 3.0])
def test_the_optimum(C, affine):
    X, codes = counts()
    given = problem(sparse.csr_array(X), codes, C, affine=affine)
    found = joint_descent(
        given,
        tol=1e-7,
        clock=Clock(Limits(3000)),
        settings=replace(WITH_FACES, slow_sweeps=0.0, settled=1.0),
    )
    assert found.status is Status.GAP_REACHED
    expected = optimum(X, codes, C, affine=affine)
    assert found.lower == pytest.approx(expected, rel=1e-5)
    assert found.upper == pytest.approx(expected, rel=1e-5)


def test_equal_rows_of_different_classes_take_few_passes():
    X, codes = counts(n=300, d=900, seed=2)
    given = problem(sparse.csr_array(X), codes, 100.0)
    found = joint_descent(given, tol=1e-3, clock=Clock(Limits(1000)), settings=WITH_FACES)
    assert found.status is Status.GAP_REACHED
    sweeps_alone = replace(WITH_FACES, settled=-1.0, restless_rounds=1_000_000)
    found = joint_descent(given, tol=1e-3, clock=Clock(Limits(2000)), settings=sweeps_alone)
    assert found.status is Status.MAX_ITER


@pytest.mark.parametrize("affine", [True, False])
def test_hard_margins_take_few_passes(affine):
    X, codes = counts(n=300, d=900, seed=2)
    # No two rows are equal.
    X[np.arange(300), 600 + np.arange(300)] = 1.0
    given = problem(sparse.csr_array(X), codes, affine=affine)
    found = joint_descent(given, tol=1e-3, clock=Clock(Limits(300)), settings=WITH_FACES)
    assert found.status is Status.GAP_REACHED
    exact = joint_corral(given, tol=1e-9, aim=1e-9, clock=Clock())
    assert found.lower <= exact.upper and exact.lower <= found.upper
    sweeps_alone = replace(WITH_FACES, settled=-1.0, restless_rounds=1_000_000)
    found = joint_descent(given, tol=1e-3, clock=Clock(Limits(300)), settings=sweeps_alone)
    assert found.status is Status.MAX_ITER


@pytest.mark.parametrize("C", [10.0, 100.0])
def test_small_models_of_one_hot_data_are_left_to_other_solvers(C):
    """Faces alone are at a gap of 0.01 and 0.1 after 1,000 passes."""
    rng = np.random.default_rng(0)
    ends = np.arange(1001)
    levels = (np.minimum((rng.pareto(1.0, 1000) * 2).astype(int), 199) for _ in range(3))
    factors = [sparse.csr_array((np.ones(1000), each, ends), shape=(1000, 200)) for each in levels]
    X = sparse.csr_array(sparse.hstack(factors, format="csr"))
    scores = X @ rng.normal(size=(600, 3))
    y = (scores + 2.0 * scores.std() * rng.normal(size=scores.shape)).argmax(axis=1)
    model = MaxMargin(C=C).fit(X, y)
    assert model.status_ is Status.GAP_REACHED and model.n_iter_ < 100
