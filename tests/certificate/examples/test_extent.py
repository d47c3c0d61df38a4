"""Lengths rounded up, of every storage and size."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate.examples.extent import extent, norm_above, norm_below


def square(values):
    return sum(Fraction(float(v)) ** 2 for v in values)


@pytest.mark.parametrize("factor", [1.0, 1e-200, 1e150, 5e-324])
def test_norms(factor):
    rng = np.random.default_rng(0)
    for size in (1, 3, 500):
        values = rng.standard_normal(size) * factor
        assert Fraction(norm_below(values)) ** 2 <= square(values)
        assert Fraction(norm_above(values)) ** 2 >= square(values)
        if factor > 1e-300:
            assert norm_above(values) < 1.001 * norm_below(values)
    assert norm_above([0.0, 0.0]) == 0.0
    assert norm_above([np.inf]) == np.inf


@pytest.mark.parametrize("from_first", [True, False])
@pytest.mark.parametrize("factor", [1.0, 1e-190, 1e150])
def test_extents(factor, from_first):
    rng = np.random.default_rng(1)
    X = np.where(rng.random((40, 6)) < 0.5, rng.standard_normal((40, 6)), 0.0) * factor
    origin = X[0] if from_first else np.zeros(6)
    exact = max(
        sum(
            (Fraction(float(a)) - Fraction(float(b))) ** 2 for a, b in zip(row, origin, strict=True)
        )
        for row in X
    )
    for stored in (X, np.asfortranarray(X), sparse.csr_array(X)):
        found = Fraction(extent(stored, from_first=from_first))
        assert found**2 >= exact
        assert found**2 <= 5 * exact


@pytest.mark.parametrize("from_first", [True, False])
def test_squares_of_small_integers_do_not_wrap(from_first):
    X = np.array([[0, 0], [16, 0], [200, 255]], dtype=np.uint8)
    for stored in (X, sparse.csr_array(X)):
        assert extent(stored, from_first=from_first) == pytest.approx(np.hypot(200, 255))


def test_repeated_columns_are_summed():
    X = sparse.csr_array(([3.0, 1.0, 1.0], [0, 1, 1], [0, 0, 3]), shape=(2, 2))
    assert extent(X, from_first=False) == pytest.approx(np.hypot(3, 2))


def test_overflow_is_infinite():
    assert extent(np.array([[-1.7e308], [1.7e308]]), from_first=True) == np.inf
