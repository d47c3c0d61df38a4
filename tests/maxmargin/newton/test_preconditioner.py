"""What stands for the Hessian, beside the Hessian itself."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate.threads import threads
from novikoff.maxmargin.newton import hessian as hessians
from novikoff.maxmargin.newton.hessian import Accumulated, outer_products
from novikoff.maxmargin.newton.preconditioner import Diagonal, Factored, Heavy
from novikoff.maxmargin.passes import Passes
from novikoff.run.clock import Clock
from novikoff.sample import Sample, storage_of


@pytest.fixture(autouse=True)
def many_columns(monkeypatch):
    """Let these few columns count as many, of which sums are kept."""
    monkeypatch.setattr(hessians, "FEW_COLUMNS", 0)


def problem_of(kind, affine, offset=0.0):
    """Some active examples, their stiffness, and their Hessian."""
    rng = np.random.default_rng(0)
    X = rng.integers(-3, 4, size=(60, 6)) * rng.integers(0, 2, size=(60, 6)) + offset
    stored = sparse.csr_array(X) if kind == "csr" else X.astype(kind)
    signs = np.where(rng.uniform(size=60) < 0.5, 1, -1)
    sample = Sample.of(storage_of(stored), signs, affine=affine)
    ids, stiffness = np.arange(0, 60, 2), rng.uniform(0.5, 2.0, size=30)
    Z = X[ids] - sample.centre
    if affine:
        Z = np.column_stack([Z, np.ones(len(Z))])
    hessian = (Z.T * stiffness) @ Z
    hessian[range(6), range(6)] += 1.0
    return Passes(sample, Clock()), ids, stiffness, hessian


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("kind", ["float64", "float32", "csr"])
@pytest.mark.parametrize(("precise", "near"), [(True, 1e-12), (False, 1e-4)])
def test_a_factor_of_all_examples_inverts_the_hessian(kind, affine, precise, near):
    passes, ids, stiffness, hessian = problem_of(kind, affine)
    sums = Accumulated(passes, 7)
    inverse = Factored(passes, ids, stiffness, precise=precise, block=7, accumulated=sums)
    columns = np.array([inverse.solve(column) for column in hessian])
    np.testing.assert_allclose(columns, np.eye(len(hessian)), atol=near)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("kind", ["float64", "uint8", "csr"])
def test_a_wide_hessian_is_made_in_bands_by_threads(kind, affine, monkeypatch):
    monkeypatch.setattr(hessians, "NARROW", 3)
    monkeypatch.setattr(hessians, "BAND", 4)
    passes, ids, stiffness, hessian = problem_of(kind, affine, offset=3.0)
    # The intercept's coordinate is in units of the radius.
    units = np.append(np.ones(6), passes.sample.radius)[: len(hessian)]
    hessian = (hessian - np.diag([1.0] * 6 + [0.0] * affine)) * np.outer(units, units)
    made = []
    for n_jobs in (1, 2, 3):
        with threads(n_jobs):
            made.append(outer_products(passes, ids, stiffness, np.float64, 7))
    np.testing.assert_allclose(np.tril(made[0]), np.tril(hessian), rtol=1e-12, atol=1e-12)
    assert all(np.tril(each).tobytes() == np.tril(made[0]).tobytes() for each in made)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize(("precise", "near"), [(True, 1e-12), (False, 1e-4)])
def test_a_factor_of_sparse_examples_is_made_value_by_value(affine, precise, near):
    passes, ids, stiffness, hessian = problem_of("csr", affine)
    inverse = Factored(passes, ids, stiffness, precise=precise, block=7)
    columns = np.array([inverse.solve(column) for column in hessian])
    np.testing.assert_allclose(columns, np.eye(len(hessian)), atol=near)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("kind", ["float64", "float32", "csr"])
@pytest.mark.parametrize("softness", [1.0, 30.0])
def test_a_factor_is_made_from_the_last_by_the_rows_that_changed(kind, affine, softness):
    passes, ids, stiffness, _ = problem_of(kind, affine)
    sums = Accumulated(passes, 7)
    before, after = slice(3, 28), slice(0, 24)
    sums.matrix(ids[before], stiffness[before], np.float64)
    # Three join, four leave, one has another stiffness.
    stiffness = stiffness / softness
    stiffness[10] *= 2.0
    assert sums.n_read(ids[after], stiffness[after]) == 8
    clock = passes.clock.passes
    found = sums.matrix(ids[after], stiffness[after], np.float64)
    assert passes.clock.passes == pytest.approx(clock + 8 / 60)
    anew = Accumulated(passes, 7).matrix(ids[after], stiffness[after], np.float64)
    np.testing.assert_allclose(np.tril(found), np.tril(anew), rtol=1e-12, atol=1e-12)


def test_a_factor_is_made_anew_after_as_many_changes_as_there_are_rows():
    passes, ids, stiffness, _ = problem_of("float64", True)
    sums = Accumulated(passes, 7)
    read = []
    for left_out in range(5):
        some = np.delete(np.arange(30), [left_out, left_out + 8, left_out + 16])
        read.append(sums.n_read(ids[some], stiffness[some]))
        sums.matrix(ids[some], stiffness[some], np.float64)
    assert read == [27, 6, 6, 6, 6]
    some = np.arange(25)
    assert sums.n_read(ids[some], stiffness[some]) == 25


@pytest.mark.parametrize(
    ("kind", "affine", "offset"),
    [
        ("float64", True, 0.0),
        ("float64", True, 1e9),
        ("float64", False, 0.0),
        ("csr", True, 0.0),
        ("csr", False, 0.0),
    ],
)
def test_the_diagonal_is_that_about_the_mean(kind, affine, offset):
    passes, ids, stiffness, hessian = problem_of(kind, affine, offset)
    diagonal = Diagonal.of(passes, ids, stiffness)
    if affine:
        # The intercept, eliminated.
        hessian = hessian[:6, :6] - np.outer(hessian[:6, 6], hessian[6, :6]) / hessian[6, 6]
    np.testing.assert_allclose(diagonal.curves, np.diag(hessian), rtol=1e-12)
    whole = np.diag(diagonal.curves)
    if affine:
        Z = passes.sample.signed_rows(ids) * passes.sample.signs[ids, None]
        mean, total = stiffness @ Z / stiffness.sum(), stiffness.sum()
        whole = np.block(
            [
                [whole + total * np.outer(mean, mean), total * mean[:, None]],
                [total * mean[None], np.array([[total]])],
            ]
        )
    columns = np.array([diagonal.solve(column) for column in whole])
    np.testing.assert_allclose(columns, np.eye(len(whole)), atol=1e-10)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("most", [6, 3])
def test_the_heaviest_columns_are_treated_exactly(affine, most):
    passes, ids, stiffness, hessian = problem_of("csr", affine)
    inverse = Heavy(passes, ids, stiffness, values=100.0, most=most)
    found = np.array([inverse.solve(column) for column in np.eye(len(hessian))])
    np.testing.assert_allclose(found, found.T, atol=1e-6)
    assert np.linalg.eigvalsh(found).min() > 0.0
    if most == 6:
        np.testing.assert_allclose(found @ hessian, np.eye(len(hessian)), atol=1e-4)
        return
    # Relative to the origin, the block of the heaviest columns and the intercept is exact.
    heaviest = np.sort(np.argsort(-passes.sample.matrix(ids).power(2).T @ stiffness)[:3])
    np.testing.assert_array_equal(inverse.heavy, heaviest)
    shift = np.eye(len(hessian))
    if affine:
        shift[6, :6] = passes.sample.centre
    block = np.append(heaviest, 6) if affine else heaviest
    exact = np.linalg.inv((shift.T @ hessian @ shift)[np.ix_(block, block)])
    back = np.linalg.inv(shift)
    np.testing.assert_allclose((back @ found @ back.T)[np.ix_(block, block)], exact, atol=1e-5)
