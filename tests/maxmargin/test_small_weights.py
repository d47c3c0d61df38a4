"""Combinations of examples with small weights."""

import numpy as np
import pytest

from novikoff.maxmargin.joint.bounds import signed
from novikoff.maxmargin.small_weights import MOST_EQUATIONS, small_weights


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_few_examples_make_the_vectors(n_classes, affine):
    rng = np.random.default_rng(n_classes)
    n, d = 100, 3
    # Coordinates of very different lengths, as a factor with pivots has them.
    points = rng.standard_normal((n, d)) * [1.0, 1e-2, 1e-4]
    points -= points.mean(axis=0)
    codes = rng.integers(0, n_classes, n)
    vectors = rng.standard_normal((n_classes, d))
    weights = 1e9 * rng.uniform(0.5, 1.0, (n, n_classes))
    weights[np.arange(n), codes] = 0.0
    found = small_weights(points, codes, weights, vectors, affine=affine)
    assert (found >= 0.0).all() and not found[np.arange(n), codes].any()
    assert np.count_nonzero(found) <= (n_classes - 1) * (d + affine)
    made = 0.5 * signed(found, codes)
    np.testing.assert_allclose(made.T @ points, vectors - vectors.mean(axis=0), atol=1e-9)
    if affine:
        np.testing.assert_allclose(made.sum(axis=0), 0.0, atol=1e-10 * found.max())


def test_only_pairs_with_weight_take_part():
    weights = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    points, codes = np.array([[1.0], [5.0], [-1.0]]), np.array([1, 1, 0])
    found = small_weights(points, codes, weights, np.array([[-2.0], [2.0]]), affine=True)
    np.testing.assert_allclose(found, 2.0 * weights)


def test_many_coordinates_are_left_alone():
    points = np.eye(MOST_EQUATIONS + 1)
    weights = np.zeros((len(points), 2))
    weights[:, 1] = 1.0
    codes = np.zeros(len(points), dtype=np.int64)
    assert small_weights(points, codes, weights, np.zeros((2, len(points))), affine=False) is None
