"""Theorem 6.1: few labelings have a large margin. Beside it, Cover's count of all linear ones.

The bound is far above what any few points have, so that counting alone tests little: the proof is
tested too, that different ε-partitions are different short sums of signed points.
"""

from math import comb, isqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.theory import count_partitions_bound, cover_count
from tests.theorems.labelings import labelings, margins


def perceptron(Z, most):
    """How often each signed point is added to w; at most so many times in all."""
    counts = np.zeros(len(Z), dtype=int)
    while counts.sum() <= most:
        violated = np.flatnonzero(Z @ (counts @ Z) <= 0)
        if not violated.size:
            return counts
        counts[violated[0]] += 1
    raise AssertionError(f"more than {most} updates")


def points(n, d, seed):
    """Points whose largest norm is 1."""
    X = np.random.default_rng(seed).standard_normal((n, d))
    return X / np.linalg.norm(X, axis=1).max()


@pytest.mark.parametrize(("n", "d"), [(4, 2), (7, 2), (8, 3), (6, 6), (9, 3)])
def test_partitions_of_a_few_points(n, d):
    X, signs = points(n, d, seed=n + d), labelings(n)
    found = margins(X, signs)
    realised = np.sort(found[found > 1e-6])
    for eps in (realised[0], realised[len(realised) // 2], realised[-1]):
        eps = min(1.0, eps * (1 - 1e-9))
        partitions = signs[found >= eps]
        assert len(partitions) <= count_partitions_bound(n, eps)
        # The proof: at most 1/eps^2 updates, and different partitions have different counts.
        most = int(1 / eps**2)
        if most > 10_000:
            continue
        multisets = {tuple(y * perceptron(X * y[:, None], most)) for y in partitions}
        assert len(multisets) == len(partitions)


def test_multisets_are_counted_exactly():
    """All vectors of integers whose moduli sum to at most s."""
    for n in range(1, 5):
        for s in range(1, 6):
            grid = np.stack(np.meshgrid(*[np.arange(-s, s + 1)] * n)).reshape(n, -1)
            counted = int((np.abs(grid).sum(axis=0) <= s).sum())
            # The largest float whose inverse square is at least s.
            eps = np.sqrt(1 / s) * (1 - 1e-12)
            assert count_partitions_bound(n, eps) == min(2**n, counted)


@given(n=st.integers(1, 60), s=st.integers(1, 40))
def test_the_chain_of_bounds(n, s):
    eps = (1 / s) ** 0.5 * (1 - 1e-12)
    bound = count_partitions_bound(n, eps)
    assert bound <= comb(2 * n + s, s) <= (2 * (n + 1)) ** s
    assert bound <= 2**n
    assert bound == 2**n or s < n


def test_the_exponent_is_rounded_down_exactly():
    # 0.1 is a float above 1/10, so a partition of that margin needs at most 99 updates.
    assert count_partitions_bound(1000, 0.1) == count_partitions_bound(1000, 99.5**-0.5)
    assert count_partitions_bound(1000, 0.5) == count_partitions_bound(1000, 4.5**-0.5)
    assert count_partitions_bound(1000, 0.5) < count_partitions_bound(1000, 5.5**-0.5)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (4, 1), (5, 2), (8, 2), (7, 3), (8, 4), (5, 5)])
def test_cover(n, d):
    """Gaussian points are in general position: exactly so many labelings are realised."""
    undecided = 0
    for seed in range(10):
        found = margins(points(n, d, seed), labelings(n))
        # The reference solver cannot tell so small a margin from zero.
        if ((found > 0.0) & (found < 1e-7)).any():
            undecided += 1
        else:
            assert (found > 0.0).sum() == cover_count(n, d)
    assert undecided <= 2


def test_cover_with_an_intercept():
    for n in range(1, 9):
        for d in range(1, 6):
            assert cover_count(n, d, affine=True) == cover_count(n, d + 1)
            # Cover's recursion: a new point splits the labelings that can be turned onto it.
            if n > 1 and d > 1:
                assert cover_count(n, d) == cover_count(n - 1, d) + cover_count(n - 1, d - 1)
    # Half of all labelings of 2d points, and all of d.
    assert cover_count(200, 100) == 2**199
    assert cover_count(100, 100) == 2**100 > cover_count(101, 100) - 2**100


def test_large_numbers_are_exact():
    assert cover_count(10**5, 2) == 2 * 10**5
    assert count_partitions_bound(10**6, 1.0) == 2 * 10**6 + 1
    assert isqrt(count_partitions_bound(10**4, 0.05)) > 10**300


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: count_partitions_bound(0, 0.5), "n=0 must be a positive integer"),
        (lambda: count_partitions_bound(2.5, 0.5), "n=2.5 must be a positive integer"),
        (lambda: count_partitions_bound(True, 0.5), "n=True must be a positive integer"),
        (lambda: count_partitions_bound(3, 0.0), "eps=0.0 must be positive"),
        (lambda: count_partitions_bound(3, -0.5), "eps=-0.5 must be positive"),
        (lambda: count_partitions_bound(3, 1.5), "eps=1.5 must be positive, and at most 1"),
        (lambda: count_partitions_bound(3, float("nan")), "eps=nan must be positive"),
        (lambda: cover_count(-1, 2), "n=-1 must be a positive integer"),
        (lambda: cover_count(3, 0), "d=0 must be a positive integer"),
    ],
)
def test_impossible_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()
