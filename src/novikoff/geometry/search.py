"""The distance of two convex bodies by the fully corrective method.

The nearest points of the hulls of all extreme points found so far are computed by Wolfe's method
(Mathematical Programming 11, 1976); the bodies are asked for their extreme points in the direction
between them; these join, and so on. This is Frank and Wolfe's method with full corrections
(Holloway, 1974), and Gilbert's, Johnson's and Keerthi's in three dimensions. Each step has proved
bounds on both sides, so that it does not matter for what is claimed how they were found.
"""

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff.certificate.exact.dyadic import ceil_float, floor_float, nearest_float
from novikoff.geometry.bodies.base import Body, Extreme, Vector
from novikoff.geometry.bodies.ellipsoid import normalised
from novikoff.geometry.bodies.points import Points
from novikoff.geometry.corral import Corral
from novikoff.geometry.exact import bounds, meeting
from novikoff.geometry.exact.hulls import refutation
from novikoff.geometry.exact.rational import rational_vector, square
from novikoff.geometry.result import Combination, Ending, Verdict
from novikoff.geometry.rounding import down, gap_below, norm_above, up
from novikoff.run.clock import Clock, Limits

IDLE = 3
"""So many steps in a row without a better bound end the search."""
MOST_IDLE_POINTS = 3000
"""Points without weight are forgotten beyond this number."""
EXACT_DIMENSION = 40
"""The most coordinates for Wolfe's method in rational arithmetic."""
EXACT_STEPS = 300
"""Its most steps."""
EXACT_ROUNDS = 12
"""How often the bodies are asked for another point between them."""
CURVED_DIMENSION = 10
"""The most coordinates in which curved bodies are asked for an exact common point."""
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


@dataclass(frozen=True)
class Aim:
    """What a search is to reach, and where it gives up; ``deadline`` is of ``perf_counter``."""

    rtol: float
    atol: float | None
    max_steps: int
    deadline: float | None = None

    def absolute(self, rho: float) -> float:
        """Return the distance below which relative accuracy is not asked for."""
        return 1e-12 * rho if self.atol is None else self.atol

    def is_reached(self, lower: float, upper: float, rho: float) -> bool:
        """Whether bounds on the distance are close enough."""
        if upper <= self.absolute(rho):
            return True
        return lower > 0.0 and upper - lower <= max(self.rtol * upper, self.absolute(rho))

    def out_of_time(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and time.perf_counter() >= self.deadline


@dataclass(frozen=True)
class Begin:
    """Points to begin with, of an earlier search or of these bodies before they were moved."""

    parts: tuple[Combination, Combination]
    steps: int = 0


@dataclass
class Found:
    """The best bounds of a search, and what proves them; ``w`` has length 1 but for rounding."""

    lower: float
    upper: float
    w: Vector | None
    edges: tuple[float, float]
    first: Combination
    second: Combination
    normal: tuple[Combination, Combination] | None
    verdict: Verdict
    ending: Ending
    steps: int
    rho: float


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
        self.K, self.L, self.radius, self.aim = K, L, radius, aim
        self.radius_above, self.radius_below = radii_of(radius)
        self.rho = 0.0
        self.steps = 0 if begin is None else begin.steps
        self.lower, self.upper = -math.inf, math.inf
        self.w: Vector | None = None
        self.edges = (0.0, 0.0)
        self.best: tuple[Combination, Combination]
        self.normal: tuple[Combination, Combination] | None = None
        if begin is None or not self._resume(begin.parts):
            direction = np.ones(K.dimension)
            first, second = K.extreme(-direction), L.extreme(direction)
            self.corral = Corral(first, second)
            self._measure(first, second)

    def _resume(self, start: tuple[Combination, Combination]) -> bool:
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
            before = (self.lower, self.upper)
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
        shorter = self.upper < upper * (1.0 - 1e-13) if upper < math.inf else True
        return shorter or self.lower > lower + 1e-13 * abs(lower)

    def _join(self, found: Extreme, side: int) -> int:
        """Take a point in unless it is already there; how many are new."""
        places, _ = self.corral.side(side)
        if any(np.array_equal(self.corral.points[i], found.point) for i in places):
            return 0
        self.corral.drop_idle(MOST_IDLE_POINTS)
        self.corral.add(found, side)
        return 1

    def _combination(self, side: int) -> Combination:
        places, weights = self.corral.side(side)
        labels = tuple(self.corral.labels[i] for i in places)
        return Combination(self.corral.points[places].copy(), weights, labels)

    def _better_upper(self) -> None:
        upper = max(0.0, up(self.corral.upper() - self.radius_below))
        if upper < self.upper:
            self.upper = upper
            self.best = (self._combination(0), self._combination(1))

    def _better_lower(self, w: Vector, first: float, second: float) -> None:
        """Take the bound of a direction, from the two support values."""
        lower = down(gap_below(w, first, second) - self.radius_above)
        if lower > self.lower:
            self.lower, self.w, self.edges = lower, w, (-first, second)
            self.normal = (self._combination(0), self._combination(1))

    def _is_done(self) -> bool:
        return self.aim.is_reached(self.lower, self.upper, self.rho)

    def _finish(self, ending: Ending) -> Found:
        """Decide what was found; where rounding left it open, in exact arithmetic."""
        atol = self.aim.absolute(self.rho)
        meets = False
        within_reach = self.K.is_exact and self.L.is_exact
        if self.upper > 0.0 and within_reach and ending is not Ending.TIME_LIMIT:
            if self.lower <= 0.0 and self.upper <= max(atol, NEAR * self.rho, SMALLEST):
                meets = self._decide_exactly()
            if not meets and not (self._is_done() and self.lower > 0.0):
                self._sharpen()
                meets = self.upper == 0.0
        elif self.upper == 0.0:
            # Rounded up: the distance of the cores is less than the radii of their balls.
            meets = True
        if ending is Ending.PRECISION and self._is_done():
            ending = Ending.GAP_REACHED
        if meets:
            self.lower, self.upper = 0.0, 0.0
            verdict, ending = Verdict.MEET, Ending.COMMON_POINT
        elif self.lower > 0.0:
            verdict = Verdict.APART
        elif self.upper <= atol:
            verdict = Verdict.MEET_WITHIN
        else:
            verdict = Verdict.CLOSE
            ending = Ending.PRECISION if ending is Ending.GAP_REACHED else ending
        apart = verdict is Verdict.APART
        return Found(
            lower=max(0.0, self.lower),
            upper=self.upper,
            w=self.w if apart else None,
            edges=self.edges,
            first=self.best[0],
            second=self.best[1],
            normal=self.normal if apart else None,
            verdict=verdict,
            ending=ending,
            steps=self.steps,
            rho=self.rho,
        )

    def _exact_points(self) -> tuple[Any, Any]:
        first, second = self.best
        labels = (first.labels, second.labels)
        weights = (first.proof_weights, second.proof_weights)
        return bounds.nearest_points(self.K, self.L, labels, weights)

    def _sharpen(self) -> None:
        """Compute both bounds exactly where their rounding errors keep them apart."""
        p, q = self._exact_points()
        self.upper = min(self.upper, bounds.upper_bound(p, q, self.radius))
        for w in (self.w, normalised(self.corral.direction())):
            if w is None or not w.any():
                continue
            low, high = bounds.separation(self.K, self.L, w)
            norm2 = square(rational_vector(w))
            lower = bounds.distance_below(low - high, norm2, self.radius)
            if lower > self.lower:
                self.lower, self.w = lower, w
                self.edges = (floor_float(low), ceil_float(high))
                self.normal = self.best

    def _decide_exactly(self) -> bool:
        """Look for an exact common point, or for a direction that separates the bodies."""
        if self.radius > 0:
            p, q = self._exact_points()
            return bounds.upper_bound(p, q, self.radius) == 0.0
        sides = [list(part.labels) for part in self.best]
        curved = not (self.K.is_polyhedral and self.L.is_polyhedral)
        few = len(sides[0]) + len(sides[1]) < self.K.dimension + 2
        if curved and few and self.K.dimension > CURVED_DIMENSION:
            # A common point of few points on curved surfaces would be a coincidence.
            return False
        if self.K.dimension > EXACT_DIMENSION and self._is_refuted():
            return True
        points = [
            [body.exact_point(label) for label in labels]
            for body, labels in zip((self.K, self.L), sides, strict=True)
        ]
        found = meeting.common_weights(points[0], points[1])
        if found is None and self.K.dimension <= EXACT_DIMENSION:
            found = self._decide_by_steps(sides, points)
        if found is None:
            return False
        self.best = tuple(  # type: ignore[assignment]
            _exact_combination(body, labels, weights)
            for body, labels, weights in zip(
                (self.K, self.L), sides, (found.first, found.second), strict=True
            )
        )
        return True

    def _is_refuted(self) -> bool:
        """Whether the certificate of two sets of points proves that their hulls meet."""
        if not (isinstance(self.K, Points) and isinstance(self.L, Points)):
            return False
        return refutation(self.K, self.L, self.best) is not None

    def _decide_by_steps(
        self, sides: list[list[Any]], points: list[list[Any]]
    ) -> meeting.Meeting | None:
        """Go on in rational arithmetic, asking the bodies for more points."""
        clock = Clock(Limits(deadline=self.aim.deadline))
        weights = [list(map(float, part.weights)) for part in self.best]
        for _ in range(EXACT_ROUNDS):
            found = meeting.decide(
                points[0], points[1], (weights[0], weights[1]), steps=EXACT_STEPS, clock=clock
            )
            if found is None or isinstance(found, meeting.Meeting):
                return found
            largest = max(abs(x) for x in found)
            w = normalised(np.array([nearest_float(x / largest) for x in found]))
            if not w.any():
                return None
            low, high = bounds.separation(self.K, self.L, w)
            norm2 = square(rational_vector(w))
            lower = bounds.distance_below(low - high, norm2, self.radius)
            if lower > max(self.lower, 0.0):
                self.lower, self.w = lower, w
                self.edges = (floor_float(low), ceil_float(high))
                self.normal = self.best
                return None
            new = 0
            for side, (body, sign) in enumerate(((self.K, -1.0), (self.L, 1.0))):
                extreme = body.extreme(sign * w)
                exact = body.exact_point(extreme.label)
                if exact not in points[side]:
                    sides[side].append(extreme.label)
                    points[side].append(exact)
                    weights[side].append(0.0)
                    new += 1
            if not new:
                return None
        return None


def radii_of(radius: Any) -> tuple[float, float]:
    """Return the floats above and below a radius."""
    return (ceil_float(radius), floor_float(radius)) if radius else (0.0, 0.0)


def _exact_combination(body: Body, labels: list[Any], weights: dict[int, Any]) -> Combination:
    """Return a combination with rational weights."""
    places = sorted(weights)
    known = [body.recall(labels[i]) for i in places]
    exact = tuple(weights[i] for i in places)
    floats = np.array([float(int(a.p) / int(a.q)) for a in exact])
    points = np.array([each[0] for each in known if each is not None])
    return Combination(points, floats, tuple(labels[i] for i in places), exact)
