"""``separate``: are two convex bodies apart, by how much, and which few points prove it."""

import math
import time
from typing import Any

import numpy as np

from novikoff.certificate.exact.arithmetic import check_arithmetic
from novikoff.certificate.exact.dyadic import ceil_float
from novikoff.geometry.aim import Aim, Begin, Found
from novikoff.geometry.bodies.base import Body
from novikoff.geometry.bodies.oracle import as_pair
from novikoff.geometry.core import NONE, core_of
from novikoff.geometry.lemma import Perceptron
from novikoff.geometry.pair import FEW_DIMENSIONS, Shifted, few_dimensions, shifted
from novikoff.geometry.result import SeparationResult
from novikoff.geometry.rounding import down, norm_of
from novikoff.geometry.search import Search
from novikoff.geometry.wide import many_dimensions

MAX_STEPS = 10_000
"""The default limit on the steps of a search for the distance."""
NO_BALLS = (NONE, NONE)
"""Radii where no balls were taken off."""


def separate(
    K: Any,
    L: Any,
    *,
    epsilon: float | None = None,
    rtol: float = 1e-6,
    atol: float | None = None,
    max_steps: int | None = None,
    time_limit: float | None = None,
    start: SeparationResult | None = None,
) -> SeparationResult:
    """Bound the distance of two convex bodies from both sides, or find a common point.

    Without ``epsilon``, the bounds are brought together until they differ by at most ``rtol``
    times the distance. With it, the perceptron of Lemma 4.2 runs on the differences of points of
    the two bodies, and ends in one of two ways after at most ``3 rho^2 / epsilon^2`` steps, where
    ``rho`` is the largest difference it has met: with two points that are closer than ``epsilon``,
    or with a hyperplane from which either body is at least ``epsilon / 6`` away, whose normal is
    the sum of so many differences.

    Parameters
    ----------
    K, L : Body, array, or object with a method ``support(direction)``
        The bodies; an array stands for the hull of its rows.
    epsilon : float, optional
        Only tell whether the bodies are apart or closer than this.
    rtol : float, default=1e-6
        The relative gap between the bounds at which to stop.
    atol : float, optional
        The distance below which no relative accuracy is asked for; by default 1e-12 times the
        largest distance between two points that were found.
    max_steps : int, optional
        A limit on the number of times both bodies are asked for a point; by default 10,000, and
        with ``epsilon`` the number that is proved to suffice.
    time_limit : float, optional
        A limit in seconds.
    start : SeparationResult, optional
        The result for the same bodies before they were moved: its points are tried first.

    Returns
    -------
    SeparationResult
        Bounds, hyperplane, nearest points and the points that prove them; ``verify()`` checks it
        in exact arithmetic.

    Examples
    --------
    >>> import novikoff
    >>> from novikoff.geometry import Ball, Box
    >>> result = novikoff.separate(Box([0.0, 0.0], [1.0, 1.0]), Ball([4.0, 0.5], 1.0))
    >>> result.status.name, round(result.distance, 9)
    ('APART', 2.0)
    >>> print(result.verify())
    Verified: the distance of the bodies is at least 2 and at most 2...

    Gordan's theorem is the case of the origin against the hull of vectors: either some ``w`` has
    positive products with all of them, or a convex combination of them is zero.

    >>> Z = [[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]]
    >>> novikoff.separate(Z, [[0.0, 0.0]]).first.weights
    array([0.5 , 0.25, 0.25])
    """
    first, second = as_pair(K, L)
    check_arithmetic()
    deadline = None
    if time_limit is not None:
        deadline = time.perf_counter() + _number(time_limit, "time_limit")
    aim = Aim(
        rtol=_number(rtol, "rtol"),
        atol=None if atol is None else _number(atol, "atol"),
        max_steps=MAX_STEPS if max_steps is None else _steps(max_steps),
        deadline=deadline,
    )
    if epsilon is not None:
        if not _number(epsilon, "epsilon") > 0.0:
            raise ValueError("epsilon must be positive.")
        limit = math.inf if max_steps is None else aim.max_steps
        found = Perceptron(first, second, float(epsilon), limit, aim).run()
        return result_of(first, second, found, NO_BALLS, float(epsilon))
    begin = None if start is None else Begin((start.first, start.second))
    sets = shifted(first), shifted(second)
    if sets[0] is not None and sets[1] is not None and not aim.out_of_time():
        decided, begin = two_sets((first, second), (sets[0], sets[1]), aim, begin)
        if decided is not None:
            return result_of(first, second, decided, NO_BALLS)
    cores = core_of(first), core_of(second)
    radius = cores[0].radius + cores[1].radius
    found = Search(cores[0].body, cores[1].body, radius, aim, begin).run()
    return result_of(first, second, found, tuple(core.radius for core in cores))


def two_sets(
    bodies: tuple[Body, Body], sets: tuple[Shifted, Shifted], aim: Aim, begin: Begin | None
) -> tuple[Found | None, Begin | None]:
    """Search for the distance of two hulls in the way that suits them."""
    dense = not (sets[0].points.is_sparse or sets[1].points.is_sparse)
    if not dense or bodies[0].dimension > FEW_DIMENSIONS:
        return many_dimensions(bodies, sets, aim, begin)
    return few_dimensions(*sets, aim, begin)


def result_of(
    K: Body, L: Body, found: Found, radii: tuple[Any, ...], epsilon: float | None = None
) -> SeparationResult:
    """Return the result for the bodies themselves, with the balls that were taken off."""
    p, q, w, b, margin = found.first.point, found.second.point, None, None, 0.0
    if found.w is not None:
        # Midway between the two bodies, of which K is on the positive side.
        low, high = found.edges
        if any(radii):
            low, high = low - ceil_float(radii[0]), high + ceil_float(radii[1])
        w, b = found.w, -0.5 * (low + high)
        # Rounding has moved it by less than this; w has length 1 but for rounding.
        moved = 2.0**-50 * (abs(low) + abs(high) + abs(found.edges[0]) + abs(found.edges[1]))
        margin = max(0.0, down(0.5 * found.lower - moved))
    if any(radii):
        p, q = _moved(p, q, found, radii)
    return SeparationResult(
        status=found.verdict,
        ending=found.ending,
        distance_lower=found.lower,
        distance_upper=found.upper,
        w=w,
        b=b,
        margin=margin,
        p=p,
        q=q,
        first=found.first,
        second=found.second,
        normal=found.normal,
        steps=found.steps,
        rho=found.rho,
        epsilon=epsilon,
        bodies=(K, L),
    )


def _moved(p: Any, q: Any, found: Found, radii: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return the nearest points of the bodies, given those of their cores."""
    first, second = (ceil_float(radius) for radius in radii)
    length = norm_of(p - q)
    if length == 0.0:
        return p, q
    u = (p - q) / length
    if first + second < length:
        return p - first * u, q + second * u
    # The balls overlap: one point of the segment is in both.
    share = min(first, length) if second >= length - first else length - second
    common = p - share * u
    return common, common


def _number(value: Any, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, not {value!r}.") from None
    if not 0.0 <= number < math.inf:
        raise ValueError(f"{name}={number!r} must be at least 0 and finite.")
    return number


def _steps(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"max_steps={value!r} must be a positive integer.")
    return int(value)
