"""Two growing lists of points, and the nearest points of their convex hulls.

The differences ``p - q`` are never formed: a combination has weights on the points of each body,
which sum to 1 for each. Wolfe's method finds the combination of least norm on the vectors
themselves, which have twice the digits of their Gram matrix (:mod:`novikoff.compiled.wolfe`).
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.compiled import wolfe
from novikoff.compiled.factor import VectorCorral
from novikoff.geometry.bodies.base import Extreme
from novikoff.geometry.result import Combination
from novikoff.geometry.rounding import Vector, error_of, norm_above, up

BURST = 2000
"""Steps of Wolfe's method in one call."""
FIRST = 16
"""Points for which there is room at first."""


class Corral:
    """Points found so far on either body, and the nearest combination of them.

    Parameters
    ----------
    first, second : Extreme
        The first point of either body.
    """

    def __init__(self, first: Extreme, second: Extreme) -> None:
        self.dimension = d = first.point.size
        self.centre = first.point
        self.labels: list[Any] = []
        self.points = np.empty((FIRST, d))
        self.errors = np.empty(FIRST)
        self._vectors = np.empty((FIRST, d + 2))
        self._classes = np.empty(FIRST, dtype=np.int64)
        self.count = 0
        self.size = 0
        self.power = 0.0
        # The number of members is at most d + 2, and rounding may add one.
        room = min(d + 4, 1 << 14)
        self._arrays = (
            np.zeros(room, dtype=np.int64),
            np.zeros(room),
            np.zeros((room, room)),
            np.zeros((2, room)),
            np.zeros((room, d + 2)),
        )
        self._point = np.zeros(d)
        self.add(first, 0)
        self.add(second, 1)

    def add(self, found: Extreme, side: int) -> int:
        """Take a point in; return its place."""
        if self.count == len(self._classes):
            for name in ("points", "errors", "_vectors", "_classes"):
                setattr(self, name, _doubled(getattr(self, name)))
        relative = found.point - self.centre
        reach = float(np.abs(relative).max(initial=0.0))
        if reach * self.power > 4.0 or self.power == 0.0:
            self._rescale(reach)
        i = self.count
        self.points[i], self.errors[i], self._classes[i] = found.point, found.error, side
        self.labels.append(found.label)
        self._vectors[i] = 0.0
        self._vectors[i, :-2] = (relative if side == 0 else -relative) * self.power
        self._vectors[i, -2 + side] = 1.0
        self.count += 1
        return i

    def _rescale(self, reach: float) -> None:
        """Choose the power of two by which vectors are multiplied, so that lengths are near 1."""
        power = math.ldexp(1.0, min(1000, -math.frexp(reach)[1])) if 0.0 < reach < math.inf else 0.0
        if self.power > 0.0 and power > 0.0:
            self._vectors[: self.count, :-2] *= power / self.power
            self.restart()
        self.power = power

    def restart(self) -> None:
        """Begin with the members and their weights, whose factor is computed again."""
        members, weights = self.members.copy(), self.weights.copy()
        self.size = 0
        self._begin(members, weights)

    def _begin(self, members: NDArray[np.int64], weights: Vector) -> None:
        from novikoff.compiled import factor

        taken = np.zeros(len(members), dtype=np.bool_)
        self.size = factor.fill(self._corral(), 0, members, taken)
        kept = self._arrays[1][: self.size]
        kept[:] = weights[taken]
        for side in (0, 1):
            mine = self._classes[self.members] == side
            if mine.any() and not kept[mine].sum() > 0.0:
                kept[mine] = 1.0
            kept[mine] /= kept[mine].sum() if mine.any() else 1.0

    def begin(self, places: list[int], weights: Vector) -> None:
        """Start from some of the points with given weights."""
        self._begin(np.array(places, dtype=np.int64), np.asarray(weights, dtype=np.float64))

    def _corral(self) -> VectorCorral:
        members, weights, factor, halves, basis = self._arrays
        return VectorCorral(
            self._vectors[: self.count],
            self._classes[: self.count],
            1.0,
            members,
            weights,
            factor,
            halves,
            basis,
            self._point,
        )

    @property
    def members(self) -> NDArray[np.int64]:
        """The places of the points that carry weight."""
        members: NDArray[np.int64] = self._arrays[0][: self.size]
        return members

    @property
    def weights(self) -> Vector:
        """Their weights."""
        return self._arrays[1][: self.size]

    def solve(self, tol: float) -> bool:
        """Find the nearest combination; whether rounding left it known."""
        if self.size == 0:
            self.begin([0, 1], np.ones(2))
        if self.power == 0.0:
            # All points are equal.
            return False
        ended, self.size, _ = wolfe.descend(self._corral(), self.size, tol, 0.0, BURST)
        return bool(ended == wolfe.SATISFIED)

    def direction(self) -> Vector:
        """Return the difference of the nearest points, in scaled units."""
        return self._point.copy()

    def side(self, side: int) -> tuple[NDArray[np.int64], Vector]:
        """Return the places of one body's members and their weights, which sum to 1."""
        mine = (self._classes[self.members] == side) & (self.weights > 0.0)
        weights = self.weights[mine]
        return self.members[mine].copy(), weights / weights.sum()

    def upper(self) -> float:
        """Return a proved bound on the distance of the bodies."""
        parts, errors = [], 0.0
        for side in (0, 1):
            places, weights = self.side(side)
            parts.append((self.points[places], weights))
            errors += float(self.errors[places].max())
        return combined_distance(parts, errors, self.centre)

    def drop_idle(self, most: int) -> None:
        """Forget points without weight where there are more than ``most``."""
        if self.count <= most:
            return
        kept = np.sort(self.members)
        places = np.empty(self.count, dtype=np.int64)
        places[kept] = np.arange(kept.size)
        for array in (self.points, self.errors, self._vectors, self._classes):
            array[: kept.size] = array[kept]
        self.labels = [self.labels[i] for i in kept]
        self._arrays[0][: self.size] = places[self.members]
        self.count = kept.size


def mean_distance(parts: tuple[Combination, Combination], errors: float) -> float:
    """Return a proved bound on the distance of two combinations of points of the bodies.

    ``errors`` is the sum of the largest errors of the points of either.
    """
    return combined_distance(
        [(part.points, part.weights) for part in parts], errors, parts[0].points[0]
    )


def combined_distance(parts: list[tuple[Vector, Vector]], errors: float, centre: Vector) -> float:
    """Return a proved bound on the distance of two combinations, given as points and weights.

    The sums of the weights differ from 1 by rounding: of points relative to the centre it changes
    no more than what is allowed for.
    """
    total, moduli, terms = np.zeros(centre.size), np.zeros(centre.size), 16
    differ = np.zeros(centre.size, dtype=np.bool_)
    for sign, (points, weights) in zip((1.0, -1.0), parts, strict=True):
        relative = points - centre
        total += sign * (weights @ relative)
        moduli += weights @ np.abs(relative)
        differ |= relative.any(axis=0)
        terms += 3 * weights.size
    # Where all coordinates are equal, nothing is rounded.
    norm = norm_above(np.abs(total) + np.where(differ, error_of(moduli, terms), 0.0))
    return up(norm + up(errors * (1.0 + 2.0**-40))) if errors > 0.0 else norm


def _doubled(array: NDArray[Any]) -> NDArray[Any]:
    longer = np.empty((2 * len(array), *array.shape[1:]), dtype=array.dtype)
    longer[: len(array)] = array
    return longer
