"""The power of two of each column: the same however the numbers are stored, ordered or repeated."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from novikoff.sample.scale import column_exponents

columns = st.lists(st.floats(-1e6, 1e6, width=32), min_size=2, max_size=8)


def exponent(column):
    (found,) = column_exponents(np.array(column, dtype=np.float64)[:, None])
    return found


@given(columns)
def test_nearest_to_half_of_the_range(column):
    half = max(column) / 2 - min(column) / 2
    if half == 0.0:
        assert exponent(column) == 0
        return
    assert 2.0**-0.5 * (1 - 1e-15) <= half / 2.0 ** exponent(column) <= 2.0**0.5 * (1 + 1e-15)


@given(columns, st.randoms(), st.integers(-40, 40))
def test_stored_ordered_and_repeated_otherwise(column, random, power):
    X = np.array([column, column[::-1]]).T
    wanted = column_exponents(X)
    for other in (
        X.astype(np.float32),
        np.asfortranarray(X),
        sparse.csr_array(X),
        sparse.csr_array(X.astype(np.float32)),
        X[random.sample(range(len(X)), len(X))],
        np.repeat(X, 3, axis=0),
        X + 0.0 * X,
    ):
        np.testing.assert_array_equal(column_exponents(other), wanted)
    if np.ptp(X) > 0.0:
        np.testing.assert_array_equal(column_exponents(X * 2.0**power), wanted + power)


def test_zeros_that_are_not_stored_count():
    X = np.array([[5.0, -3.0, 0.0, 7.0], [0.0, 0.0, 0.0, 7.0], [0.0, -1.0, 0.0, 7.0]])
    np.testing.assert_array_equal(column_exponents(X), [1, 1, 0, 0])
    np.testing.assert_array_equal(column_exponents(sparse.csr_matrix(X)), [1, 1, 0, 0])


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.bool_, np.float16])
def test_other_types(kind):
    X = np.array([[0, 1], [1, 1]], dtype=kind)
    np.testing.assert_array_equal(column_exponents(X), [-1, 0])
    if kind is not np.float16:
        np.testing.assert_array_equal(column_exponents(sparse.csr_array(X)), [-1, 0])


def test_examples_that_take_no_part():
    X = np.array([[1.0], [1e9], [3.0]])
    part = np.array([True, False, True])
    for kind in (np.array, sparse.csr_array):
        np.testing.assert_array_equal(column_exponents(kind(X), part), [0])


def test_what_has_no_range():
    X = np.array([[np.nan, np.inf, 1e308, 5e-324], [1.0, 1.0, -1e308, 0.0]])
    np.testing.assert_array_equal(column_exponents(X), [0, 0, 900, 0])
