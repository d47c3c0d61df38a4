"""Two sets of points: the whole search in one compiled call.

A step of the search takes microseconds, so that it pays to make all of them in one call
(:mod:`novikoff.compiled.hulls`). What it leaves undecided is handed over with its points.
"""

import numpy as np
from numpy.typing import NDArray

from novikoff.compiled import hulls
from novikoff.geometry.bodies.base import Body, Vector
from novikoff.geometry.bodies.composed import AffineImage
from novikoff.geometry.bodies.points import Points
from novikoff.geometry.result import Combination, Ending, Verdict
from novikoff.geometry.rounding import norm_above
from novikoff.geometry.search import LEAST_GAP, SHARE, Aim, Found

FEW_DIMENSIONS = 500
"""Up to here all steps are made in one call, which no clock can stop."""


FIRST_ROWS, SIDES, ONES = np.zeros(2, dtype=np.int64), np.arange(2), np.ones(2)


class Shifted:
    """A dense set of points and the vector that is added to them."""

    def __init__(self, points: Points, shift: Vector | None) -> None:
        self.points, self.array, self.shift = points, points.array, shift


def shifted(body: Body) -> Shifted | None:
    """Return a body as points that are translated, ``None`` if it is something else."""
    shift = None
    if isinstance(body, AffineImage) and isinstance(body.matrix, float) and body.matrix == 1.0:
        shift, body = body.shift, body.body
    if isinstance(body, Points) and not body.is_sparse:
        return Shifted(body, shift)
    return None


def few_dimensions(
    K: Shifted, L: Shifted, aim: Aim, start: tuple[Combination, Combination] | None
) -> tuple[Found | None, tuple[Combination, Combination]]:
    """Search in one compiled call; return what it decided, and the points it ended with."""
    P, Q = K.array, L.array
    d = P.shape[1]
    shift = np.zeros(d) if K.shift is None else K.shift
    slack = 0.0
    if L.shift is not None:
        # The difference of two translations may be rounded.
        shift = shift - L.shift
        slack = norm_above(shift * 2.0**-52)
    begin, sides, weights = _start(P, Q, start)
    room = d + 4
    rows, classes = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    shares, w, numbers = np.empty(room), np.zeros(d), np.zeros(5)
    ended, size, steps = hulls.nearest(
        P,
        Q,
        shift,
        slack,
        (K.points.column_reach, L.points.column_reach),
        K.points.spread + L.points.spread,
        begin,
        sides,
        weights,
        aim.rtol,
        -1e-12 if aim.atol is None else aim.atol,
        max(SHARE * aim.rtol, LEAST_GAP),
        aim.max_steps,
        rows,
        classes,
        shares,
        w,
        numbers,
    )
    lower, upper, low, high, rho = numbers.tolist()
    rows, classes, shares = rows[:size], classes[:size], shares[:size]
    mine = classes == 0
    best = (
        _combination(K, rows[mine], shares[mine]),
        _combination(L, rows[~mine], shares[~mine]),
    )
    if ended != hulls.DONE:
        return None, best
    if L.shift is not None:
        along = float(L.shift @ w)
        low, high = low + along, high + along
    found = Found(
        lower=lower,
        upper=upper,
        w=w,
        edges=(low, high),
        first=best[0],
        second=best[1],
        normal=best,
        verdict=Verdict.APART,
        ending=Ending.GAP_REACHED,
        steps=steps,
        rho=rho,
    )
    return found, best


def _start(
    P: Vector, Q: Vector, start: tuple[Combination, Combination] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], Vector]:
    """Return the rows to begin with: those of an earlier search, if these sets have them."""
    if start is not None:
        labels = [part.labels for part in start]
        known = all(
            isinstance(i, int | np.integer) and 0 <= i < n
            for part, n in zip(labels, (len(P), len(Q)), strict=True)
            for i in part
        )
        if known and 0 < len(labels[0]) + len(labels[1]) <= P.shape[1] + 4:
            rows = np.array([*labels[0], *labels[1]], dtype=np.int64)
            sides = np.repeat([0, 1], [len(labels[0]), len(labels[1])])
            return rows, sides, np.concatenate([part.weights for part in start])
    return FIRST_ROWS, SIDES, ONES


def _combination(body: Shifted, rows: NDArray[np.int64], weights: Vector) -> Combination:
    points = body.array[rows]
    if body.shift is not None:
        points = points + body.shift
    return Combination(points, weights, tuple(rows.tolist()))
