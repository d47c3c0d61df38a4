"""Small hulls of integer points, whose distance is known exactly from rational arithmetic.

They are degenerate more often than not: touching, flat, with points that coincide.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff.geometry import Points, Verdict, separate


def optimum(P, Q, S, T):
    """The squared distance, if the rows S of P and T of Q carry the optimum; else None."""
    k, n = len(S), len(S) + len(T)
    V = [list(map(int, P[i])) for i in S] + [[-int(x) for x in Q[i]] for i in T]
    sides = [[int(i < k), int(i >= k)] for i in range(n)]
    rows = [
        [*(sum(map(int.__mul__, u, v)) for v in V), *(-s for s in sides[i])]
        for i, u in enumerate(V)
    ]
    rows += [[*(s[c] for s in sides), 0, 0] for c in (0, 1)]
    right = fmpq_mat([[fmpq(int(i >= n))] for i in range(n + 2)])
    try:
        found = fmpq_mat([[fmpq(x) for x in row] for row in rows]).solve(right)
    except ZeroDivisionError:
        return None
    weights = [found[i, 0] for i in range(n)]
    if min(weights) < 0:
        return None
    columns = zip(*V, strict=True)
    w = [sum((a * v for a, v in zip(weights, each, strict=True)), fmpq(0)) for each in columns]
    square = sum((x * x for x in w), fmpq(0))
    low, high = (
        pick(sum((x * int(v) for x, v in zip(w, row, strict=True)), fmpq(0)) for row in rows)
        for pick, rows in ((min, P), (max, Q))
    )
    return square if low - high >= square else None


def squared_distance(P, Q, guess):
    """Solve for the rows of the guess; where they are not optimal, for all small sets of rows."""
    P, Q = np.unique(P, axis=0), np.unique(Q, axis=0)
    sides = [
        [i for i, x in enumerate(X) if (x == part.points).all(axis=1).any()]
        for X, part in zip((P, Q), guess, strict=True)
    ]
    found = optimum(P, Q, *sides)
    for size in range(2, P.shape[1] + 3):
        for k in range(1, size):
            for S in combinations(range(len(P)), k):
                for T in combinations(range(len(Q)), size - k):
                    found = optimum(P, Q, S, T) if found is None else found
    return Fraction(int(found.p), int(found.q))


def check(P, Q, found):
    truth = squared_distance(P, Q, (found.first, found.second))
    assert Fraction(found.distance_lower) ** 2 <= truth <= Fraction(found.distance_upper) ** 2
    assert found.status is (Verdict.APART if truth else Verdict.MEET)
    proved = found.verify()
    assert found.distance_lower <= proved.lower <= proved.upper <= found.distance_upper


@settings(max_examples=200)
@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([1, 2, 3, 10]))
def test_the_status_and_the_bounds_are_right(seed, d, span):
    rng = np.random.default_rng(seed)
    P, Q = (rng.integers(-span, span + 1, (rng.integers(1, 7), d)).astype(float) for _ in range(2))
    Q += rng.integers(0, 2 * span + 1, d) * rng.integers(0, 2)
    P[:, 0] *= rng.integers(0, 5) > 0
    check(P, Q, separate(P, Q))
    check(P, Q, separate(np.eye(d) @ Points(P), Q, rtol=1e-9))


@pytest.mark.parametrize(
    ("P", "Q"),
    [
        # Rounding left the first of these with weights of -1e-16.
        ([[-1, 1, 0]], [[-1, 0, -1], [-1, 0, -1], [-1, 0, 0], [0, 1, 0], [-1, 0, 0]]),
        (
            [[-1, -1, 0], [1, 1, 1], [-1, 1, 0], [1, -1, -1], [-1, 0, 0], [0, 0, 1]],
            [[2, 2, -1], [1, 2, 1]],
        ),
    ],
)
def test_weights_are_positive(P, Q):
    found = separate(np.array(P, dtype=float), np.array(Q, dtype=float), rtol=1e-9)
    check(np.array(P), np.array(Q), found)
    assert min(found.first.weights.min(), found.second.weights.min()) > 0.0


@pytest.mark.parametrize("shift", [(5, 0, 0), (5, 5, 0), (5, 5, 5), (6, 2, 1), (7, 7, 7)])
def test_lattices_with_degenerate_faces(shift):
    lattice = np.array([[i, j, k] for i in range(6) for j in range(6) for k in range(6)], float)
    found = separate(lattice, lattice + np.array(shift))
    truth = np.linalg.norm(np.maximum(np.array(shift) - 5, 0))
    assert found.status is (Verdict.APART if truth else Verdict.MEET)
    assert found.distance_lower <= truth * (1 + 1e-15) and truth <= found.distance_upper
    found.verify()
