"""Example 6.2: of the n unit vectors, every k against the others are separated by 1/(2 sqrt k).

It is a statement about hyperplanes with an intercept: through the origin, every labeling has the
margin 1/sqrt n, whatever k.
"""

from itertools import combinations
from math import comb, sqrt

import numpy as np
import pytest

from novikoff.theory import count_partitions_bound
from tests.theorems.optimum import affine_optimum, optimum

CASES = [(n, k) for n in (2, 3, 5, 8) for k in range(1, n)]


def against_the_others(n, chosen):
    y = -np.ones(n)
    y[list(chosen)] = 1.0
    return y


@pytest.mark.parametrize(("n", "k"), CASES)
def test_the_margin_of_every_subset(n, k):
    X = np.eye(n)
    affine = 0.5 * sqrt(1 / k + 1 / (n - k))
    lifted = np.column_stack([X, np.ones(n)])
    for chosen in list(combinations(range(n), k))[:10]:
        y = against_the_others(n, chosen)
        assert affine_optimum(X, y) == pytest.approx(affine, rel=1e-12)
        assert optimum(X * y[:, None]).upper == pytest.approx(1 / sqrt(n), rel=1e-12)
        assert optimum(lifted * y[:, None]).lower >= 0.5 / sqrt(k + 0.25) * (1 - 1e-12)
    assert affine > 0.5 / sqrt(k)


@pytest.mark.parametrize(("n", "k"), CASES)
def test_the_exponent_of_theorem_6_1_is_needed(n, k):
    """C(n, k) labelings of lifted points, whose norm is sqrt 2, have this margin or more."""
    eps = 0.5 / sqrt(k + 0.25) / sqrt(2) * (1 - 1e-12)
    assert comb(n, k) <= count_partitions_bound(n, eps)


def test_no_smaller_power_of_the_margin_will_do():
    """With an exponent of 1/eps the bound of Theorem 6.1 would be false."""
    n, k = 10**6, 40
    eps = 0.5 / sqrt(k + 0.25) / sqrt(2)
    assert (2 * (n + 1)) ** (1 / eps) < comb(n, k) <= count_partitions_bound(n, eps)
