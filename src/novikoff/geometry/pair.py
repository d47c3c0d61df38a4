"""Two sets of points in few dimensions: the whole search in one compiled call.

A step of the search takes microseconds, so that it pays to make all of them in one call
(:mod:`novikoff.compiled.hulls`). What it leaves undecided is handed over with its points.
"""

import numpy as np
from numpy.typing import NDArray

from novikoff.compiled import hulls
from novikoff.geometry.aim import Aim, Begin, Found
from novikoff.geometry.bodies.base import Body, Vector
from novikoff.geometry.bodies.composed import AffineImage
from novikoff.geometry.bodies.points import Points
from novikoff.geometry.result import Combination, Ending, Verdict
from novikoff.geometry.rounding import dot_above, down, norm_above, up
from novikoff.geometry.search import LEAST_GAP, SHARE

FEW_DIMENSIONS = 100
"""Up to here all steps are made in one call. Clouds of 1,000 normal points take, in ms, 0.8 so and
1.9 with a working set in 50 dimensions, 2.3 and 2.2 in 100, 8.7 and 3.8 in 200."""
MOST_WORK = 1 << 29
"""Multiplications in one call, which no clock can stop: a fraction of a second."""

FIRST_ROWS, SIDES, ONES = np.zeros(2, dtype=np.int64), np.arange(2), np.ones(2)


class Shifted:
    """A set of points and the vector that is added to them."""

    def __init__(self, points: Points, shift: Vector | None) -> None:
        self.points, self.array, self.shift = points, points.array, shift


def shifted(body: Body) -> Shifted | None:
    """Return a body as points that are translated, ``None`` if it is something else."""
    shift = None
    if isinstance(body, AffineImage) and isinstance(body.matrix, float) and body.matrix == 1.0:
        shift, body = body.shift, body.body
    if isinstance(body, Points) and not (body.is_sparse and shift is not None):
        return Shifted(body, shift)
    return None


def few_dimensions(
    K: Shifted, L: Shifted, aim: Aim, begin: Begin | None
) -> tuple[Found | None, Begin]:
    """Search in one compiled call; return what it decided, and the points it ended with."""
    P, Q = K.array, L.array
    d = P.shape[1]
    shift = np.zeros(d) if K.shift is None else K.shift
    slack = 0.0
    if L.shift is not None:
        # The difference of two translations may be rounded.
        shift = shift - L.shift
        slack = norm_above(shift * 2.0**-52)
    start, sides, weights = _start(P, Q, begin)
    most = min(aim.max_steps, max(1, MOST_WORK // (d * (len(P) + len(Q)))))
    rows, classes = np.empty((2, d + 4), dtype=np.int64), np.empty((2, d + 4), dtype=np.int64)
    shares, w, numbers = np.empty((2, d + 4)), np.zeros(d), np.zeros(6)
    ended, kept, parallel, steps = hulls.nearest(
        P,
        Q,
        shift,
        slack,
        (K.points.column_reach, L.points.column_reach),
        K.points.spread + L.points.spread,
        start,
        sides,
        weights,
        aim.rtol,
        -1e-12 if aim.atol is None else aim.atol,
        max(SHARE * aim.rtol, LEAST_GAP),
        most,
        rows,
        classes,
        shares,
        w,
        numbers,
    )
    lower, upper, low, high, rho, same = numbers.tolist()
    best = normal = _combinations((K, L), rows[0, :kept], classes[0, :kept], shares[0, :kept])
    if ended != hulls.DONE:
        return None, Begin(best, steps)
    if not same:
        normal = _combinations(
            (K, L), rows[1, :parallel], classes[1, :parallel], shares[1, :parallel]
        )
    if L.shift is not None:
        low = down(low - dot_above(-L.shift, w))
        high = up(high + dot_above(L.shift, w))
    found = Found(
        lower=lower,
        upper=upper,
        w=w,
        edges=(low, high),
        first=best[0],
        second=best[1],
        normal=normal,
        verdict=Verdict.APART,
        ending=Ending.GAP_REACHED,
        steps=steps,
        rho=rho,
    )
    return found, Begin(best, steps)


def _start(
    P: Vector, Q: Vector, begin: Begin | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], Vector]:
    """Return the rows to begin with: those of an earlier search, if these sets have them."""
    labels = rows_of(begin, len(P), len(Q))
    if begin is None or labels is None or sum(map(len, labels)) > P.shape[1] + 4:
        return FIRST_ROWS, SIDES, ONES
    sides = np.repeat([0, 1], [len(labels[0]), len(labels[1])])
    weights = np.concatenate([part.weights for part in begin.parts])
    return np.concatenate(labels), sides, weights


def rows_of(begin: Begin | None, n: int, m: int) -> list[NDArray[np.int64]] | None:
    """Return the rows of an earlier search in either set, ``None`` if these sets have others."""
    if begin is None:
        return None
    known = all(
        isinstance(i, int | np.integer) and 0 <= i < size
        for part, size in zip(begin.parts, (n, m), strict=True)
        for i in part.labels
    )
    return [np.array(part.labels, dtype=np.int64) for part in begin.parts] if known else None


def _combinations(
    sets: tuple[Shifted, Shifted],
    rows: NDArray[np.int64],
    sides: NDArray[np.int64],
    weights: Vector,
) -> tuple[Combination, Combination]:
    # In order of sides, so that slices do.
    order = sides.argsort(kind="stable")
    rows, weights = rows[order], weights[order]
    split = len(sides) - int(sides.sum())
    parts = []
    for body, part in zip(sets, (slice(None, split), slice(split, None)), strict=True):
        points = body.array[rows[part]]
        if body.shift is not None:
            points = points + body.shift
        parts.append(Combination(points, weights[part], tuple(rows[part].tolist())))
    return parts[0], parts[1]
