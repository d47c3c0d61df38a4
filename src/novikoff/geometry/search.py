"""The distance of two convex bodies by the fully corrective method.

The nearest points of the hulls of all extreme points found so far are computed by Wolfe's method
(Mathematical Programming 11, 1976); the bodies are asked for their extreme points in the direction
between them; these join, and so on. This is Frank and Wolfe's method with full corrections
(Holloway, 1974), and Gilbert's, Johnson's and Keerthi's in three dimensions. Each step has proved
bounds on both sides, so that it does not matter for what is claimed how they were found.
"""

import math
from typing import Any

import numpy as np

from novikoff.certificate.exact.dyadic import ceil_float, floor_float
from novikoff.geometry.aim import Aim, Begin, Found, Parts, Proved
from novikoff.geometry.bodies.base import Body, Extreme, Vector
from novikoff.geometry.bodies.ellipsoid import normalised
from novikoff.geometry.corral import Corral
from novikoff.geometry.decide import have_common_point, sharpen
from novikoff.geometry.result import Combination, Ending, Verdict
from novikoff.geometry.rounding import down, gap_below, norm_above, up

IDLE = 3
"""So many steps in a row without a better bound end the search."""
MOST_IDLE_POINTS = 3000
"""Points without weight are forgotten beyond this number."""
NEAR = 1e-9
"""Bodies that are closer, in units of the largest difference met, may meet exactly."""
SMALLEST = 2.0**-900
"""No smaller distance is told from zero without exact arithmetic."""
FARTHEST = 1e153
"""No points farther apart are compared: the square of their distance would overflow."""
SHARE = 0.01
"""Combinations are solved to this share of the gap that is asked for."""
LEAST_GAP = 1e-13
"""No smaller gap is asked of floating-point numbers."""


class Search:
    """A search for the distance of two bodies whose balls were taken off.

    Parameters
    ----------
    K, L : Body
        The bodies.
    radius : fmpq
        The sum of the radii of the balls.
    aim : Aim
        When to stop.
    begin : Begin, optional
        Points to begin with.
    """

    def __init__(
        self,
        K: Body,
        L: Body,
        radius: Any,
        aim: Aim,
        begin: Begin | None = None,
    ) -> None:
        self.K, self.L, self.aim = K, L, aim
        self.proved = Proved(K, L, radius)
        self.radius_above, self.radius_below = radii_of(radius)
        self.rho = 0.0
        self.steps = 0 if begin is None else begin.steps
        if begin is None or not self._resume(begin.parts):
            direction = np.ones(K.dimension)
            first, second = K.extreme(-direction), L.extreme(direction)
            self.corral = Corral(first, second)
            self._measure(first, second)

    def _resume(self, start: Parts) -> bool:
        """Begin with the points that another search ended with; whether these bodies have them."""
        sides: list[list[Extreme]] = [[], []]
        for body, part, found in zip((self.K, self.L), start, sides, strict=True):
            for label in part.labels:
                known = body.recall(label)
                if known is None or known[0].size != body.dimension:
                    return False
                found.append(Extreme(*known, math.inf, label))
        self.corral = Corral(sides[0][0], sides[1][0])
        places = [[0], [1]]
        for side in (0, 1):
            places[side] += [self.corral.add(each, side) for each in sides[side][1:]]
        self.corral.begin(
            [*places[0], *places[1]], np.concatenate([part.weights for part in start])
        )
        self._measure(sides[0][0], sides[1][0])
        return True

    def _measure(self, first: Extreme, second: Extreme) -> None:
        self.rho = max(self.rho, norm_above(first.point - second.point))
        if not self.rho <= FARTHEST:
            raise ValueError("the bodies are too large: squares of their coordinates overflow.")

    def run(self) -> Found:
        """Search until the bounds are close enough or a limit is met."""
        tol = max(SHARE * self.aim.rtol, LEAST_GAP)
        idle = 0
        while True:
            before = (self.proved.lower, self.proved.upper)
            known = self.corral.solve(tol)
            self._better_upper()
            if self._is_done():
                return self._finish(Ending.GAP_REACHED)
            direction = normalised(self.corral.direction())
            if not direction.any():
                return self._finish(Ending.PRECISION)
            self.steps += 1
            first, second = self.K.extreme(-direction), self.L.extreme(direction)
            self._measure(first, second)
            self._better_lower(direction, first.value, second.value)
            if self._is_done():
                return self._finish(Ending.GAP_REACHED)
            new = self._join(first, 0) + self._join(second, 1)
            idle = 0 if self._improved(before) else idle + 1
            if not new and (known or idle >= IDLE):
                return self._finish(Ending.PRECISION)
            if idle >= IDLE + self.K.dimension:
                return self._finish(Ending.PRECISION)
            if self.steps >= self.aim.max_steps:
                return self._finish(Ending.MAX_STEPS)
            if self.aim.out_of_time():
                return self._finish(Ending.TIME_LIMIT)

    def _improved(self, before: tuple[float, float]) -> bool:
        lower, upper = before
        shorter = self.proved.upper < upper * (1.0 - 1e-13) if upper < math.inf else True
        return shorter or self.proved.lower > lower + 1e-13 * abs(lower)

    def _join(self, found: Extreme, side: int) -> int:
        """Take a point in unless it is already there; how many are new."""
        places, _ = self.corral.side(side)
        if any(np.array_equal(self.corral.points[i], found.point) for i in places):
            return 0
        self.corral.drop_idle(MOST_IDLE_POINTS)
        self.corral.add(found, side)
        return 1

    def _combinations(self) -> Parts:
        parts = []
        for side in (0, 1):
            places, weights = self.corral.side(side)
            labels = tuple(self.corral.labels[i] for i in places)
            parts.append(Combination(self.corral.points[places].copy(), weights, labels))
        return parts[0], parts[1]

    def _better_upper(self) -> None:
        upper = self.corral.upper()
        if self.radius_below > 0.0:
            upper = max(0.0, up(upper - self.radius_below))
        if upper < self.proved.upper:
            self.proved.take_upper(upper, self._combinations())

    def _better_lower(self, w: Vector, first: float, second: float) -> None:
        """Take the bound of a direction, from the two support values."""
        lower = down(gap_below(w, first, second) - self.radius_above)
        if lower > self.proved.lower:
            self.proved.take_lower(lower, w, (-first, second), self._combinations())

    def _is_done(self) -> bool:
        return self.aim.is_reached(self.proved.lower, self.proved.upper, self.rho)

    def _finish(self, ending: Ending) -> Found:
        """Decide what was found; where rounding left it open, in exact arithmetic."""
        proved, atol = self.proved, self.aim.absolute(self.rho)
        is_exact = self.K.is_exact and self.L.is_exact
        # Of bodies that are not exact: rounded up, so that the balls of the cores overlap.
        meets = proved.upper == 0.0
        if not meets and is_exact and ending is not Ending.TIME_LIMIT:
            if proved.lower <= 0.0 and proved.upper <= max(atol, NEAR * self.rho, SMALLEST):
                meets = have_common_point(proved, self.aim.deadline)
            if not meets and not (self._is_done() and proved.lower > 0.0):
                sharpen(proved, normalised(self.corral.direction()), self._combinations())
                meets = proved.upper == 0.0
        if ending is Ending.PRECISION and self._is_done():
            ending = Ending.GAP_REACHED
        if meets:
            proved.lower = proved.upper = 0.0
            verdict, ending = Verdict.MEET, Ending.COMMON_POINT
        elif proved.lower > 0.0:
            verdict = Verdict.APART
        elif proved.upper <= atol:
            verdict = Verdict.MEET_WITHIN
        else:
            verdict = Verdict.CLOSE
            ending = Ending.PRECISION if ending is Ending.GAP_REACHED else ending
        apart = verdict is Verdict.APART
        return Found(
            lower=max(0.0, proved.lower),
            upper=proved.upper,
            w=proved.w if apart else None,
            edges=proved.edges,
            first=proved.best[0],
            second=proved.best[1],
            normal=proved.normal if apart else None,
            verdict=verdict,
            ending=ending,
            steps=self.steps,
            rho=self.rho,
        )


def radii_of(radius: Any) -> tuple[float, float]:
    """Return the floats above and below a radius."""
    return (ceil_float(radius), floor_float(radius)) if radius else (0.0, 0.0)
