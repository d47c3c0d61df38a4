"""Conjugate gradients on gathered rows against a dense solution of the same equation."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.compiled.conjugate import Equation, Until, conjugate_gradients, gather_rows
from novikoff.compiled.nonzeros import count_nonzeros, take_nonzeros
from novikoff.compiled.rows import CSR

N, D, N_POSITIVE = 40, 12, 17


def gathered(dtype, ids, stiffness, rng):
    X = sparse.csr_array(rng.integers(0, 3, (60, D)).astype(dtype))
    rows = CSR(X.data, X.indices, X.indptr)
    ends = np.concatenate([[0], np.cumsum(np.diff(X.indptr)[ids])])
    data, indices = np.empty(ends[-1]), np.empty(ends[-1], dtype=np.int32)
    moments = np.zeros((2, D))
    gather_rows(rows, ids, stiffness, ends, data, indices, moments)
    return X.toarray().astype(float), CSR(data, indices, ends), moments


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_rows_are_gathered_in_their_order(dtype):
    rng = np.random.default_rng(0)
    ids, stiffness = rng.permutation(60)[:N], rng.random(N)
    X, rows, moments = gathered(dtype, ids, stiffness, rng)
    copy = sparse.csr_array((rows.data, rows.indices, rows.indptr), shape=(N, D)).toarray()
    np.testing.assert_array_equal(copy, X[ids])
    np.testing.assert_allclose(moments, [stiffness @ X[ids], stiffness @ X[ids] ** 2])


@pytest.mark.parametrize("affine", [True, False])
def test_the_equation_is_solved(affine):
    rng = np.random.default_rng(1)
    ids, stiffness = rng.permutation(60)[:N], rng.random(N) + 0.1
    X, rows, _ = gathered(np.float64, ids, stiffness, rng)
    centre, right = rng.random(D), rng.standard_normal(D)
    equation = Equation(
        rows=rows,
        n_positive=N_POSITIVE,
        stiffness=stiffness,
        centre=centre,
        curves=1.0 + rng.random(D),
        mean=rng.random(D) if affine else np.zeros(D),
        total=float(stiffness.sum()) if affine else 0.0,
    )
    Z = np.hstack([X[ids] - centre, np.ones((N, int(affine)))])
    hessian = Z.T * stiffness @ Z + np.diag([1.0] * D + [0.0] * int(affine))
    expected = np.linalg.solve(hessian, np.append(right, np.zeros(int(affine))))
    w, speeds, images = np.zeros(D), np.zeros(N), np.zeros((2, D))
    offset, products = conjugate_gradients(
        equation, right, Until(1e-12, 0.0, 1.0, 100), w, speeds, images
    )
    np.testing.assert_allclose(np.append(w, [offset] * int(affine)), expected, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(speeds, Z @ expected, atol=1e-8)
    pulls = (stiffness * speeds)[:, None] * X[ids]
    np.testing.assert_allclose(
        images, [pulls[:N_POSITIVE].sum(axis=0), pulls[N_POSITIVE:].sum(axis=0)], atol=1e-8
    )
    assert 0 < products < 100

    def taken(**changes):
        until = Until(1e-12, 0.0, 1.0, 100)._replace(**changes)
        out = np.zeros(D), np.zeros(N), np.zeros((2, D))
        return conjugate_gradients(equation, right, until, *out)[1]

    # Each of the ways to end it.
    assert taken(most=2) == 2
    assert taken(forcing=0.5) < products
    assert taken(enough2=1e300) == 1
    assert taken(forcing=0.5) <= taken(forcing=0.5, enough2=1e-8, near=1e300) < products


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8])
def test_nonzeros_are_those_of_scipy(dtype):
    rng = np.random.default_rng(2)
    X = (rng.integers(0, 3, (9, 5)) * rng.integers(0, 2, (9, 5))).astype(dtype)
    expected = sparse.csr_array(X.astype(float))
    counts = np.full(9, -1)
    count_nonzeros(X, np.array([1, 4]), counts)
    assert counts[[1, 4]].tolist() == np.diff(expected.indptr)[[1, 4]].tolist()
    assert set(np.delete(counts, [1, 4])) == {-1}
    found = CSR(np.empty(expected.nnz), np.empty(expected.nnz, np.int32), expected.indptr)
    take_nonzeros(X, found)
    np.testing.assert_array_equal(found.data, expected.data)
    np.testing.assert_array_equal(found.indices, expected.indices)
