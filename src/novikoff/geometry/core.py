"""Balls are taken off a body before the search: their distance is known in closed form.

For convex bodies ``dist(K + r B, L + s B) = max(0, dist(K, L) - r - s)`` with the unit ball B. So a
ball against a polytope is a point against a polytope, which ends after finitely many steps, and no
step is spent on approximating a sphere by its points.
"""

from typing import Any, NamedTuple

from flint import fmpq

from novikoff.certificate.exact.dyadic import of_float
from novikoff.geometry.bodies.base import Body
from novikoff.geometry.bodies.composed import AffineImage, MinkowskiSum
from novikoff.geometry.bodies.ellipsoid import Ball
from novikoff.geometry.bodies.points import Points


class Core(NamedTuple):
    """A body as the sum of a core and a ball around the origin, whose radius is a rational."""

    body: Body
    radius: Any


NONE = fmpq(0)


def core_of(body: Body) -> Core:
    """Take the balls off a body.

    Examples
    --------
    >>> from novikoff.geometry import Ball, Box
    >>> core_of(2.0 * (Box([0.0], [1.0]) + Ball([5.0], 0.25))).radius
    1/2
    """
    if isinstance(body, Points):
        return Core(body, NONE)
    if isinstance(body, Ball):
        return Core(Points([body.center]), of_float(body.radius))
    if isinstance(body, MinkowskiSum):
        cores = [core_of(part) for part in body.bodies]
        total = sum((core.radius for core in cores), fmpq(0))
        if total:
            return Core(MinkowskiSum(*(core.body for core in cores)), total)
    if isinstance(body, AffineImage) and isinstance(body.matrix, float):
        core = core_of(body.body)
        if core.radius:
            image = AffineImage(core.body, body.matrix, body.shift)
            return Core(image, abs(of_float(body.matrix)) * core.radius)
    return Core(body, NONE)
