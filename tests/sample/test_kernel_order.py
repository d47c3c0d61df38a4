"""Examples are hashed by their distances in feature space, whoever computed the kernel."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import laplacian_kernel, polynomial_kernel, rbf_kernel

from novikoff.sample.kernel import KernelFunction, KernelMatrix
from novikoff.sample.kernel_order import distance_hashes

GIVEN = KernelFunction("precomputed")
X = np.random.default_rng(0).normal(size=(150, 4))


def hashes_of(values, affine=True):
    return distance_hashes(KernelMatrix(np.asarray(values), GIVEN), affine=affine)


@pytest.mark.parametrize("affine", [True, False])
def test_neither_sequence_nor_repetition_matters(affine):
    values = (X @ X.T + 1.0) ** 2
    hashes = hashes_of(values, affine)
    assert len(set(hashes.tolist())) == len(X)
    rng = np.random.default_rng(1)
    for rows in (rng.permutation(150), np.r_[rng.permutation(150), rng.integers(0, 150, 200)]):
        np.testing.assert_array_equal(hashes_of(values[np.ix_(rows, rows)], affine), hashes[rows])


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("exponent", [-900, -3, 1, 900])
def test_units_that_are_powers_of_two_do_not_matter(affine, exponent):
    values = rbf_kernel(X)
    scaled = np.ldexp(values, exponent)
    np.testing.assert_array_equal(hashes_of(scaled, affine), hashes_of(values, affine))


def test_with_an_intercept_the_origin_does_not_matter():
    values = rbf_kernel(X)
    np.testing.assert_array_equal(hashes_of(values - 3.0), hashes_of(values))
    assert (hashes_of(values - 0.5, False) != hashes_of(values, False)).all()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("kernel", "compute"),
    [
        (KernelFunction("rbf", gamma=0.3), lambda A: rbf_kernel(A, gamma=0.3)),
        (KernelFunction("laplacian", gamma=0.3), lambda A: laplacian_kernel(A, gamma=0.3)),
        (
            KernelFunction("poly", gamma=0.3, degree=3, coef0=1.0),
            lambda A: polynomial_kernel(A, gamma=0.3, degree=3, coef0=1.0),
        ),
    ],
)
def test_rounding_does_not_matter(kernel, compute, seed):
    rows = np.random.default_rng(seed).normal(size=(400, 6))
    named = distance_hashes(KernelMatrix(rows, kernel), affine=True)
    np.testing.assert_array_equal(hashes_of(compute(rows)), named)
    noise = 1.0 + 2.0**-52 * np.random.default_rng(seed).integers(-2, 3, (400, 400))
    np.testing.assert_array_equal(hashes_of(compute(rows) * np.sqrt(noise * noise.T)), named)


def test_many_distances_are_equal_between_whole_numbers():
    """Distances alone do not tell these apart, but who is at them does."""
    rows = np.unique(np.random.default_rng(0).integers(0, 2, (200, 10)), axis=0).astype(float)
    for affine in (True, False):
        assert len(np.unique(hashes_of(rbf_kernel(rows, gamma=0.3), affine))) == len(rows)


def test_symmetric_examples_have_the_same_hash():
    square = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    assert len(set(hashes_of(rbf_kernel(square)).tolist())) == 1
    # Of 0, 1 and 3, two pairs have squared distances that differ by a power of two.
    line = np.array([[0.0], [1.0], [3.0]])
    assert len(set(hashes_of(line @ line.T).tolist())) == 3


@pytest.mark.parametrize("value", [0.0, 1.0, -1.0, 1e300])
def test_a_constant_kernel_has_equal_examples(value):
    assert len(set(hashes_of(np.full((70, 70), value)).tolist())) == 1
    assert len(set(hashes_of(np.full((70, 70), value), False).tolist())) == 1


def test_a_negative_zero_is_zero():
    values = np.diag([1.0, 2.0, 0.0])
    negative = np.where(values == 0.0, -0.0, values)
    for affine in (True, False):
        np.testing.assert_array_equal(hashes_of(negative, affine), hashes_of(values, affine))
