"""Blocks of kernel values: every error is within its bound."""

import numpy as np
import pytest
from flint import arb
from scipy import sparse

from novikoff.certificate import Kernel
from novikoff.certificate.feature_space.kernel_blocks import Points, kernel_block
from novikoff.certificate.feature_space.table import gather
from tests.certificate.feature_space import balls

KERNELS = [
    Kernel("linear"),
    Kernel("rbf", gamma=0.3),
    Kernel("rbf", gamma=1e-3),
    Kernel("laplacian", gamma=0.7),
    Kernel("poly", gamma=0.5, degree=3, coef0=1.0),
    Kernel("poly", gamma=0.1, degree=0, coef0=0.0),
    Kernel("poly", gamma=2.0, degree=7, coef0=-0.3),
    Kernel("sigmoid", gamma=0.1, coef0=-0.5),
]


def data(kind):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12, 9))
    if kind == "far":
        return X + 1e6
    if kind == "far and close":
        return 1e6 + X * 1e-3
    if kind == "integers":
        return rng.integers(0, 256, (12, 9)).astype(np.uint8)
    if kind == "float32":
        return X.astype(np.float32)
    if kind == "sparse":
        return sparse.csr_array(np.where(rng.random(X.shape) < 0.5, X, 0.0))
    if kind == "tiny and huge":
        # The squares of the first rows underflow, those of the others nearly overflow.
        return X * np.repeat([1e-170, 1e-160, 1e145, 1.0], 3)[:, None]
    if kind == "wide":
        return X * 10.0 ** rng.integers(-8, 8, X.shape)
    return X


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize(
    "kind",
    [
        "near",
        "far",
        "far and close",
        "integers",
        "float32",
        "sparse",
        "wide",
        "tiny and huge",
    ],
)
def test_errors_are_within_their_bounds(kernel, kind):
    X = data(kind)
    rows = np.arange(12)
    left, right = Points.of(gather(X, rows)), Points.of(gather(X, rows[3:8]))
    block = kernel_block(kernel, left, right)
    dense = X.toarray() if sparse.issparse(X) else X
    truth = balls.table(kernel, dense, dense[3:8])
    assert block.values.shape == (12, 5)
    for i, j in np.ndindex(12, 5):
        error = abs(arb(float(block.values[i, j])) - truth[i][j])
        assert error <= arb(float(block.error[i, j])), (i, j)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_compiled_blocks_are_those_of_numpy(kernel):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((600, 20))
    whole = kernel_block(kernel, Points.of(X), Points.of(X[:300]))
    few = kernel_block(kernel, Points.of(X[:100]), Points.of(X[:300]))
    bound = whole.error[:100] + few.error
    assert (np.abs(whole.values[:100] - few.values) <= bound).all()
    assert (bound <= 1e-9 * (1 + np.abs(few.values).max())).all()


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k.degree != 0], ids=str)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_has_no_bound(kernel, bad):
    X = np.ones((3, 2))
    X[1, 0] = bad
    block = kernel_block(kernel, Points.of(X), Points.of(np.ones((2, 2))))
    assert np.isinf(block.error[1]).all()
    assert np.isfinite(block.error[[0, 2]]).all()


def test_far_examples_are_close_where_their_distances_are_small():
    X = data("far and close")
    kernel = Kernel("rbf", gamma=1.0)
    block = kernel_block(kernel, Points.of(X), Points.of(X))
    assert (block.relative < 1e-12).all()


@pytest.mark.parametrize(
    "kernel", [Kernel("linear"), Kernel("poly", gamma=1.0, degree=2, coef0=0.0)]
)
def test_a_norm_whose_square_underflows(kernel):
    """The inner product of a tiny and a huge row is rounded, though one norm seems to be zero."""
    tiny, huge = 1e-170 * np.array([[1.0, 1.0, 1.0]]), 1e150 * np.array([[0.1, 0.7, 0.3]])
    block = kernel_block(kernel, Points.of(tiny), Points.of(huge))
    truth = balls.value(kernel, tiny[0], huge[0])
    error = abs(arb(float(block.values[0, 0])) - truth)
    assert 0 < error <= arb(float(block.error[0, 0]))


def test_squares_that_underflow_times_a_huge_gamma():
    kernel = Kernel("rbf", gamma=1e300)
    X = np.array([[0.0, 0.0], [3e-162, 1e-162]])
    block = kernel_block(kernel, Points.of(X), Points.of(X))
    truth = balls.table(kernel, X, X)
    for i, j in np.ndindex(2, 2):
        error = abs(arb(float(block.values[i, j])) - truth[i][j])
        assert error <= arb(float(block.error[i, j]))
