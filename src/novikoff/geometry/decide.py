"""What rounding leaves open, decided in exact arithmetic: both bounds, or a common point."""

from typing import Any

import numpy as np

from novikoff.certificate.exact.dyadic import ceil_float, floor_float, nearest_float
from novikoff.geometry.aim import Parts, Proved
from novikoff.geometry.bodies.base import Body, Vector
from novikoff.geometry.bodies.ellipsoid import normalised
from novikoff.geometry.bodies.points import Points
from novikoff.geometry.exact import bounds, meeting
from novikoff.geometry.exact.hulls import refutation
from novikoff.geometry.exact.rational import rational_vector, square
from novikoff.geometry.result import Combination
from novikoff.run.clock import Clock, Limits

EXACT_DIMENSION = 40
"""The most coordinates for Wolfe's method in rational arithmetic."""
EXACT_STEPS = 300
"""Its most steps."""
EXACT_ROUNDS = 12
"""How often the bodies are asked for another point between them."""
CURVED_DIMENSION = 10
"""The most coordinates in which curved bodies are asked for an exact common point."""


def sharpen(proved: Proved, w: Vector, normal: Parts) -> None:
    """Compute both bounds exactly where their rounding errors keep them apart.

    The lower bound is tried along the best direction so far and along ``w``.
    """
    upper = _exact_upper(proved)
    if upper < proved.upper:
        proved.take_upper(upper, proved.best)
    for direction, parts in ((proved.w, proved.normal), (w, normal)):
        if direction is not None and direction.any():
            _try_direction(proved, direction, parts)


def _exact_upper(proved: Proved) -> float:
    first, second = proved.best
    labels = (first.labels, second.labels)
    weights = (first.proof_weights, second.proof_weights)
    p, q = bounds.nearest_points(proved.K, proved.L, labels, weights)
    return bounds.upper_bound(p, q, proved.radius)


def _try_direction(proved: Proved, w: Vector, normal: Parts | None) -> None:
    """Take the lower bound along ``w`` if it is better."""
    low, high = bounds.separation(proved.K, proved.L, w)
    lower = bounds.distance_below(low - high, square(rational_vector(w)), proved.radius)
    if lower > proved.lower:
        proved.take_lower(lower, w, (floor_float(low), ceil_float(high)), normal)


def have_common_point(proved: Proved, deadline: float | None) -> bool:
    """Look for an exact common point, or for a direction that separates the bodies."""
    if proved.radius > 0:
        return _exact_upper(proved) == 0.0
    dimension = proved.K.dimension
    sides = [list(part.labels) for part in proved.best]
    curved = not (proved.K.is_polyhedral and proved.L.is_polyhedral)
    few = len(sides[0]) + len(sides[1]) < dimension + 2
    if curved and few and dimension > CURVED_DIMENSION:
        # A common point of few points on curved surfaces would be a coincidence.
        return False
    if dimension > EXACT_DIMENSION and _is_refuted(proved):
        return True
    bodies = (proved.K, proved.L)
    points = [
        [body.exact_point(label) for label in labels]
        for body, labels in zip(bodies, sides, strict=True)
    ]
    found = meeting.common_weights(points[0], points[1])
    if found is None and dimension <= EXACT_DIMENSION:
        found = _decide_by_steps(proved, sides, points, Clock(Limits(deadline=deadline)))
    if found is None:
        return False
    first, second = (
        _exact_combination(body, labels, weights)
        for body, labels, weights in zip(bodies, sides, (found.first, found.second), strict=True)
    )
    proved.take_upper(0.0, (first, second))
    return True


def _is_refuted(proved: Proved) -> bool:
    """Whether the certificate of two sets of points proves that their hulls meet."""
    K, L = proved.K, proved.L
    if not (isinstance(K, Points) and isinstance(L, Points)):
        return False
    return refutation(K, L, proved.best) is not None


def _decide_by_steps(
    proved: Proved, sides: list[list[Any]], points: list[list[Any]], clock: Clock
) -> meeting.Meeting | None:
    """Go on in rational arithmetic, asking the bodies for more points."""
    weights = [list(map(float, part.weights)) for part in proved.best]
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
        _try_direction(proved, w, None)
        if proved.lower > 0.0:
            return None
        new = 0
        for side, (body, sign) in enumerate(((proved.K, -1.0), (proved.L, 1.0))):
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


def _exact_combination(body: Body, labels: list[Any], weights: dict[int, Any]) -> Combination:
    """Return a combination with rational weights."""
    places = sorted(weights)
    known = [body.recall(labels[i]) for i in places]
    exact = tuple(weights[i] for i in places)
    floats = np.array([nearest_float(a) for a in exact])
    points = np.array([each[0] for each in known if each is not None])
    return Combination(points, floats, tuple(labels[i] for i in places), exact)
