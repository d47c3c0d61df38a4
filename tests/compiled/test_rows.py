"""Reading one row in place: dense or CSR, of every type that is read without a copy."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate.kernels import njit
from novikoff.compiled.rows import CSR, add, distance2, dot, kernel_for

TYPES = ["float64", "float32", "uint8"]
N, D = 12, 37


@njit()
def dots(rows, order, w, out):
    for p in range(len(order)):
        out[p] = dot(rows, order[p], w)


@njit()
def distances(rows, order, centre, at, out):
    for p in range(len(order)):
        out[p] = distance2(rows, order[p], centre, at)


@njit()
def add_one(rows, i, step, w, centre, at):
    return add(rows, i, step, w, centre, at)


def matrix(dtype, seed=0):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((N, D)) < 0.4, rng.integers(1, 200, size=(N, D)), 0)
    X[3] = 0
    return X.astype(dtype)


def csr(X):
    made = sparse.csr_matrix(X)
    return CSR(made.data, made.indices, made.indptr)


@pytest.mark.parametrize("kind", [np.asarray, csr])
@pytest.mark.parametrize("dtype", TYPES)
def test_one_row_against_numpy(dtype, kind):
    """Whole numbers, so that every sum is exact in whichever order it runs."""
    X = matrix(dtype)
    rows, true = kind(X), X.astype(np.float64)
    order = np.random.default_rng(1).permutation(N)
    w = np.random.default_rng(2).integers(-9, 10, size=D).astype(np.float64)
    out = np.empty(N)
    dots(rows, order, w, out)
    np.testing.assert_array_equal(out, true[order] @ w)
    for centre in (np.zeros(D), true[5]):
        at = np.flatnonzero(centre)
        distances(rows, order, centre, at, out)
        np.testing.assert_array_equal(out, ((true[order] - centre) ** 2).sum(axis=1))
        for i in (0, 3, 5):
            moved = w.copy()
            along = add_one(rows, i, -3.0, moved, centre, at)
            np.testing.assert_array_equal(moved, w - 3.0 * (true[i] - centre))
            assert along == moved @ centre


def test_a_sparse_row_close_to_a_centre_far_away():
    """Where the squares nearly cancel, they are added one by one."""
    centre = np.zeros(50)
    centre[:40] = 1e8 + np.arange(40)
    X = np.array([centre, centre])
    X[1, 7] += 0.5
    X[1, 45] = 0.25
    out = np.empty(2)
    distances(csr(X), np.arange(2), centre, np.flatnonzero(centre), out)
    assert out.tolist() == [0.0, 0.5**2 + 0.25**2]


def test_the_kind_of_rows_is_told_in_one_place():
    X = matrix("float64")
    assert kernel_for(X, "dense", "csr") == "dense"
    assert kernel_for(csr(X), "dense", "csr") == "csr"
    for wrong in (tuple(csr(X)), [X], None):
        with pytest.raises(TypeError, match="rows must be an array or CSR, not"):
            kernel_for(wrong, "dense", "csr")
