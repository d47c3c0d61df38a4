"""Bounds on the distance of two bodies, in exact arithmetic.

For any direction ``w`` the distance is at least ``-(h_K(-w) + h_L(w)) / |w|``, where ``h`` are the
support functions; and it is at most ``|p - q|`` for points of the two bodies. Balls that were taken
off (:mod:`novikoff.geometry.core`) are subtracted from both.
"""

from typing import Any

import numpy as np
from flint import fmpq

from novikoff.certificate.exact.dyadic import ceil_sqrt, floor_float, floor_sqrt, of_float
from novikoff.geometry.bodies.base import Body, Exact
from novikoff.geometry.exact.rational import combine, rational_vector, square
from novikoff.geometry.rounding import Vector


def separation(K: Body, L: Body, w: Vector) -> tuple[Any, Any]:
    """Return ``min_K w.x`` and ``max_L w.x``, bounded towards each other, as rationals."""
    exact = rational_vector(w)
    low = -K.exact_value([-a for a in exact], -w)
    high = L.exact_value(exact, w)
    return low, high


def lower_bound(K: Body, L: Body, w: Vector, radius: Any) -> float:
    """Return a float that the distance is not below; minus infinity for ``w = 0``."""
    if not w.any():
        return -np.inf
    low, high = separation(K, L, w)
    return distance_below(low - high, square(rational_vector(w)), radius)


def distance_below(gap: Any, norm2: Any, radius: Any) -> float:
    """Return a float not above ``gap / sqrt(norm2) - radius``."""
    ratio = gap * gap / norm2
    quotient = floor_sqrt(ratio) if gap >= 0 else -ceil_sqrt(ratio)
    return floor_float(of_float(quotient) - radius)


def nearest_points(
    K: Body, L: Body, labels: tuple[Any, Any], weights: tuple[Any, Any]
) -> tuple[Exact, Exact]:
    """Return the two combinations that labels and weights name, in rationals."""
    found = []
    for body, names, values in zip((K, L), labels, weights, strict=True):
        exact = [a if isinstance(a, fmpq) else of_float(float(a)) for a in values]
        found.append(combine(exact, [body.exact_point(name) for name in names]))
    return found[0], found[1]


def upper_bound(p: Exact, q: Exact, radius: Any) -> float:
    """Return a float that the distance of the bodies is not above."""
    norm2 = square(a - b for a, b in zip(p, q, strict=True))
    if norm2 <= radius * radius:
        return 0.0
    # Rounded up once: to the float above the norm, then above the difference.
    above = of_float(ceil_sqrt(norm2)) - radius
    return -floor_float(-above)
