"""Kernel values in blocks, and the cache of columns."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics.pairwise import (
    laplacian_kernel,
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
    sigmoid_kernel,
)

from novikoff.sample.columns import ColumnCache
from novikoff.sample.kernel import KernelError, KernelFunction, KernelMatrix
from novikoff.sample.kernel_checks import check_symmetric

THEIRS = {
    "linear": linear_kernel,
    "rbf": lambda X, Y: rbf_kernel(X, Y, gamma=0.3),
    "poly": lambda X, Y: polynomial_kernel(X, Y, gamma=0.3, degree=4, coef0=0.5),
    "sigmoid": lambda X, Y: sigmoid_kernel(X, Y, gamma=0.3, coef0=0.5),
    "laplacian": lambda X, Y: laplacian_kernel(X, Y, gamma=0.3),
}
X = np.random.default_rng(0).normal(size=(50, 6))


def kernel(name):
    return KernelFunction(name, gamma=0.3, degree=4, coef0=0.5)


@pytest.mark.parametrize("name", THEIRS)
@pytest.mark.parametrize("copied", [0.0, 1e9])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_are_those_of_scikit_learn(name, copied, dtype):
    tolerance = dict(rtol=1e-12, atol=1e-12) if dtype == np.float64 else dict(rtol=1e-4, atol=1e-5)
    wanted = THEIRS[name](X, X)
    rows, columns = np.array([3, 1, 7]), np.arange(49, -1, -1)
    for data in (X, np.asfortranarray(X), sparse.csr_matrix(X)):
        matrix = KernelMatrix(data, kernel(name), dtype, copy_bytes=copied)
        np.testing.assert_allclose(
            matrix.block(rows, columns), wanted[np.ix_(rows, columns)], **tolerance
        )
        np.testing.assert_allclose(matrix.against_all(rows), wanted[rows], **tolerance)
        np.testing.assert_allclose(
            matrix.block(rows, matrix.prepare(columns)), wanted[np.ix_(rows, columns)], **tolerance
        )
        np.testing.assert_allclose(matrix.diagonal, np.diagonal(wanted), **tolerance)
        assert matrix.block(rows, columns).dtype == dtype


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.int64])
def test_other_types_of_examples(dtype):
    data = np.random.default_rng(1).integers(0, 200, (20, 4)).astype(dtype)
    matrix = KernelMatrix(data, KernelFunction("rbf", gamma=1e-4))
    everyone = np.arange(20)
    wanted = rbf_kernel(data.astype(float), gamma=1e-4)
    np.testing.assert_allclose(matrix.block(everyone, everyone), wanted, rtol=1e-6)


def test_rows_far_from_the_origin_keep_their_distances():
    far = X + 1e7
    for dtype, tolerance in ((np.float64, 1e-8), (np.float32, 1e-5)):
        matrix = KernelMatrix(far, KernelFunction("rbf", gamma=0.3), dtype)
        wanted = np.exp(-0.3 * ((far[:, None] - far[None]) ** 2).sum(axis=2))
        np.testing.assert_allclose(matrix.against_all(np.arange(50)), wanted, atol=tolerance)


def test_a_callable_and_a_precomputed_kernel_give_the_values_of_the_formula():
    everyone = np.arange(50)
    wanted = KernelMatrix(X, kernel("poly")).block(everyone, everyone)
    function = KernelFunction("callable", function=THEIRS["poly"])
    np.testing.assert_allclose(KernelMatrix(X, function).block(everyone, everyone), wanted)
    precomputed = KernelMatrix(wanted, KernelFunction("precomputed"))
    np.testing.assert_array_equal(precomputed.block(everyone, everyone), wanted)
    np.testing.assert_array_equal(precomputed.diagonal, np.diagonal(wanted))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda A, B: np.zeros((1, 1)), "must be"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "not finite"),
        (lambda A, B: "values", "matrix of numbers"),
    ],
)
def test_a_callable_that_returns_no_values_is_refused(function, message):
    with pytest.raises(KernelError, match=message):
        KernelMatrix(X, KernelFunction("callable", function=function)).block([0, 1, 2], [3])


def test_values_that_overflow_are_refused():
    with pytest.raises(KernelError, match="not finite"):
        KernelMatrix(1e200 * X, kernel("poly")).block([0], [1])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("largest", [1e155, 1e308])
def test_squared_distances_that_overflow_are_refused(form, largest):
    rows = form(largest * np.array([[1.0, 0.0], [-1.0, 1e-9], [0.0, 1.0]]))
    with pytest.raises(KernelError, match="squared distances between examples overflow"):
        KernelMatrix(rows, KernelFunction("rbf", gamma=1.0))


def test_a_kernel_that_is_not_symmetric_is_refused():
    values = np.eye(3)
    values[0, 2] = 0.5
    with pytest.raises(KernelError, match=r"not symmetric: 0\.5 for examples 0 and 2"):
        check_symmetric(KernelMatrix(values, KernelFunction("precomputed")))


def test_the_cache_keeps_the_columns_used_last():
    matrix = KernelMatrix(X, kernel("rbf"))
    cache = ColumnCache(matrix, nbytes=10 * 50 * 8, fewest=4)
    assert cache.values.shape == (10, 50)
    wanted = THEIRS["rbf"](X, X)
    for ids in ([0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 2, 3], [8, 9, 10, 11], [0, 1, 12, 3]):
        slots = cache.slots(np.array(ids))
        np.testing.assert_allclose(cache.values[slots], wanted[ids])
    # 12 columns in all would fit in no way; 0, 1 and 3 were used all the time.
    assert cache.computed == 4 + 4 + 0 + 4 + 1
    assert cache.holds(np.array([0, 1, 3, 12])).all()
    assert not cache.holds(np.array([4])).any()
