"""Polytopes of any size, anywhere, flat and thin; empty ones are refused, by however little."""

import numpy as np
import pytest

from novikoff.geometry import Points, Polytope, Verdict, separate

CUBE = np.vstack([np.eye(3), -np.eye(3)])


@pytest.mark.parametrize("size", [1e-150, 1e-30, 1e-9, 1e-3, 1e6, 1e30, 1e100])
def test_sizes(size):
    found = separate(Polytope(CUBE, np.full(6, size)), Points([[3.0 * size, 0.0, 0.0]]))
    assert found.status is Verdict.APART
    assert found.distance == pytest.approx(2.0 * size, rel=1e-9, abs=0)
    assert found.verify().upper <= found.distance_upper


@pytest.mark.parametrize("factor", [1e-100, 1e-9, 1e9, 1e100])
def test_factors_of_the_inequalities(factor):
    rows = np.where(np.arange(6) % 2, factor, 1.0)
    found = separate(Polytope(CUBE * rows[:, None], rows), Points([[3.0, 0.0, 0.0]]))
    assert found.distance == pytest.approx(2.0, rel=1e-9) and found.verify().lower > 0.0


@pytest.mark.parametrize("offset", [1e3, 1e6, 1e8])
def test_far_from_the_origin(offset):
    K = Polytope(CUBE, 1.0 + CUBE @ np.full(3, offset))
    found = separate(K, Points([[offset + 3.0, offset, offset]]))
    assert found.distance_lower <= 2.0 <= found.distance_upper
    assert found.distance == pytest.approx(2.0, abs=1e-12 * offset) and found.verify().lower > 0.0


def test_redundant_inequalities():
    A = np.vstack([CUBE, CUBE, np.ones((1, 3)), np.zeros((1, 3))])
    K = Polytope(A, np.r_[np.ones(6), np.full(6, 5.0), 100.0, 1.0])
    assert separate(K, Points([[3.0, 3.0, 3.0]])).distance == pytest.approx(np.sqrt(12.0))


@pytest.mark.parametrize("width", [0.0, 1e-12, 1e-9, 1e-6])
def test_thin_and_flat(width):
    K = Polytope([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]], [width, 0.0, 1.0, 1.0])
    found = separate(K, Points([[3.0, 0.25]]))
    assert found.distance_lower <= 3.0 - width <= found.distance_upper
    assert found.verify().upper <= found.distance_upper


@pytest.mark.parametrize("missing", [1e-14, 1e-12, 1e-9, 1e-7, 1e-3, 1.0])
def test_empty_by_little(missing):
    with pytest.raises(ValueError, match="Polytope is empty"):
        Polytope([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]], [0.0, -missing, 1.0, 1.0])


@pytest.mark.parametrize(
    ("A", "b", "message"),
    [
        ([[1.0], [-1.0], [0.0]], [1.0, 1.0, -1.0], "empty"),
        ([[1.0, 0.0], [-1.0, 0.0]], [1.0, 1.0], "unbounded"),
        ([[1.0, 1.0]], [1.0], "unbounded"),
        ([[1e-150], [-1e-150]], [1e150, 1e150], "rescale a row"),
    ],
)
def test_what_is_no_polytope(A, b, message):
    with pytest.raises(ValueError, match=message):
        Polytope(A, b)
