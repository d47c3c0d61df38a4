"""Bodies that a user's function answers for."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from novikoff.certificate.errors import CertificateError
from novikoff.geometry.bodies.base import (
    LARGEST,
    Body,
    Exact,
    Extreme,
    Vector,
    is_finite_vector,
    positive,
)
from novikoff.geometry.bodies.composed import check_dimensions
from novikoff.geometry.bodies.points import Points
from novikoff.geometry.exact import rational
from novikoff.geometry.rounding import dot_above, error_of, norm_above, up

MEMORY = 1000
"""How many of its last answers an oracle is compared with."""


class OracleError(ValueError):
    """An oracle returned something that is no point, or contradicted itself."""


class Oracle(Body):
    """A body known only by a function that returns its extreme points.

    Parameters
    ----------
    support : callable
        ``support(direction) -> point``: a point of the body whose product with the direction is
        largest, up to ``tau * |direction|``.
    dimension : int
        The number of coordinates.
    tau : float, default=0.0
        How far, for a unit direction, the value of the answer may be from the largest.

    Notes
    -----
    What :func:`novikoff.separate` proves with an oracle holds if the oracle is right. An answer in
    a new direction must not be worse than an earlier one by more than ``tau`` and rounding;
    otherwise :class:`OracleError` is raised.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.geometry import Oracle
    >>> disk = Oracle(lambda u: u / np.linalg.norm(u), dimension=2)
    >>> disk.support([2.0, 0.0])
    array([1., 0.])
    """

    is_exact = False

    def __init__(
        self, support: Callable[[Vector], ArrayLike], dimension: int, tau: float = 0.0
    ) -> None:
        if not callable(support):
            raise ValueError("Oracle: support must be a function of a direction.")
        if isinstance(dimension, bool) or not isinstance(dimension, int | np.integer):
            raise ValueError(f"Oracle: dimension={dimension!r} must be an integer.")
        if dimension < 1:
            raise ValueError(f"Oracle: dimension={dimension!r} must be at least 1.")
        self.function = support
        self.dimension = int(dimension)
        self.tau = positive(tau, "Oracle: tau", zero=True)
        self._seen = np.empty((0, self.dimension))

    @property
    def oracles(self) -> int:
        """One."""
        return 1

    @cached_property
    def reach(self) -> float:
        """An upper bound on the norm of every point, from two answers for each coordinate."""
        axes = np.eye(self.dimension)
        sides = np.array([[self.extreme(axis).value, self.extreme(-axis).value] for axis in axes])
        return norm_above(np.abs(sides).max(axis=1))

    def extreme(self, direction: Vector) -> Extreme:
        """Ask the function, and compare its answer with earlier ones."""
        asked = direction.copy()
        if not asked.any():
            asked[0] = 1.0
        try:
            # A copy, because the function may keep what it gets and write to what it returned.
            answer = self.function(asked.copy())
            if np.iscomplexobj(answer):
                raise TypeError("it returned complex numbers")
            point = np.array(answer, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise OracleError(f"the oracle failed: {error}") from error
        if point.shape != (self.dimension,):
            raise OracleError(
                f"the oracle returned an array of shape {point.shape} for a direction of "
                f"{self.dimension} coordinates"
            )
        if not np.isfinite(point).all():
            raise OracleError("the oracle returned a point with a NaN or infinite coordinate")
        if np.abs(point).max() > LARGEST:
            raise OracleError(f"the oracle returned a coordinate beyond {LARGEST:g}")
        value = self._value(point, direction)
        self._check(value, direction)
        self._seen = np.vstack([self._seen[-MEMORY:], point])
        return Extreme(point, 0.0, value, asked)

    def _value(self, point: Vector, direction: Vector) -> float:
        """Return an upper bound on the support function, if the oracle is right.

        An oracle computes in floating point too: twice the rounding of a product is allowed for.
        """
        value = dot_above(point, direction)
        rounding = error_of(float(np.abs(point) @ np.abs(direction)), self.dimension)
        return up(value + rounding + up(self.tau * norm_above(direction)))

    def _check(self, value: float, direction: Vector) -> None:
        if not len(self._seen):
            return
        products = self._seen @ direction
        i = int(products.argmax())
        seen = self._seen[i]
        rounding = error_of(float(np.abs(seen) @ np.abs(direction)), self.dimension)
        excess = float(products[i]) - value - 2.0 * rounding
        if excess > 0.0:
            length = norm_above(direction)
            raise OracleError(
                f"the oracle contradicts itself: an earlier answer is better in this direction by "
                f"{excess / length:.3g} per unit length, which is more than tau={self.tau:g} and "
                "rounding"
            )

    def recall(self, label: Any) -> tuple[Vector, float] | None:
        """Ask again in the direction in which a point was found."""
        if not is_finite_vector(label, self.dimension):
            return None
        return self.extreme(label).point, 0.0

    def exact_point(self, label: Any) -> Exact:
        """Ask again; the answer is a point of the body if the oracle is right."""
        found = self.recall(label)
        if found is None:
            raise CertificateError("an oracle's point is named by something else than a direction")
        return rational.rational_vector(found[0])

    def exact_value(self, direction: Exact, hint: Vector) -> Any:
        """Ask again; the value holds if the oracle is right."""
        found = self.extreme(hint)
        floats, deviation = rational.float_vector(direction)
        largest = rational.rational_dot(direction, found.point)
        # The answer is for the float direction: the exact one may differ by its rounding.
        spare = up(found.value - float(found.point @ hint))
        far = deviation + norm_above(floats - hint)
        extra = up(max(spare, 0.0) + (2.0 * far * self.reach if far > 0.0 else 0.0))
        return largest + rational.rational_vector([extra])[0]


def as_body(thing: Any, dimension: int | None = None) -> Body:
    """Return a body: itself, the hull of an array's rows, or an object's ``support`` method."""
    if isinstance(thing, Body):
        return thing
    support = getattr(thing, "support", None)
    if callable(support):
        own = getattr(thing, "dimension", dimension)
        if own is None:
            raise ValueError(
                f"the dimension of {type(thing).__name__} is not known: give it an attribute "
                "`dimension`, or use novikoff.geometry.Oracle(support, dimension)."
            )
        return Oracle(support, int(own), float(getattr(thing, "tau", 0.0)))
    if hasattr(thing, "__array__") or isinstance(thing, list | tuple) or hasattr(thing, "tocsr"):
        return Points(thing)
    raise ValueError(
        f"{type(thing).__name__} is not a convex body: it has no method support(direction)."
    )


def as_pair(K: Any, L: Any) -> tuple[Body, Body]:
    """Return two bodies of one dimension."""
    if isinstance(K, Body) and isinstance(L, Body):
        check_dimensions(K, L)
        return K, L
    # An object with nothing but `support` has the dimension of the other body.
    bodies = [as_body(body) if not hasattr(body, "support") else body for body in (K, L)]
    dimension = next((d for d in (getattr(b, "dimension", None) for b in bodies) if d), None)
    first, second = (as_body(body, dimension) for body in bodies)
    check_dimensions(first, second)
    return first, second
