"""Boxes, simplices and zonotopes: bodies whose extreme points are read off the signs."""

from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import ArrayLike

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.dyadic import of_float
from novikoff.geometry.bodies.base import (
    Body,
    Exact,
    Extreme,
    Vector,
    as_matrix,
    as_vector,
    positive,
)
from novikoff.geometry.exact import rational
from novikoff.geometry.rounding import dot_above, error_of, norm_above, up


class Box(Body):
    """The points between two corners, ``lower <= x <= upper`` in every coordinate.

    Parameters
    ----------
    lower, upper : array-like of shape (dimension,)
        The two corners.

    Examples
    --------
    >>> from novikoff.geometry import Box
    >>> Box([0.0, 0.0], [2.0, 1.0]).support([1.0, -1.0])
    array([2., 0.])
    """

    def __init__(self, lower: ArrayLike, upper: ArrayLike) -> None:
        self.lower = as_vector(lower, "Box: lower")
        self.upper = as_vector(upper, "Box: upper", self.lower.size)
        self.dimension = self.lower.size
        wrong = np.flatnonzero(self.lower > self.upper)
        if wrong.size:
            j = int(wrong[0])
            raise ValueError(
                f"Box is empty: lower[{j}]={self.lower[j]} exceeds upper[{j}]={self.upper[j]}."
            )

    @cached_property
    def reach(self) -> float:
        """An upper bound on the norm of every point."""
        return norm_above(np.maximum(np.abs(self.lower), np.abs(self.upper)))

    def extreme(self, direction: Vector) -> Extreme:
        """Return the corner on the side of the direction."""
        corner = direction > 0.0
        point = np.where(corner, self.upper, self.lower)
        return Extreme(point, 0.0, dot_above(point, direction), corner)

    def recall(self, label: Any) -> tuple[Vector, float]:
        """Return a corner."""
        return np.where(label, self.upper, self.lower), 0.0

    def exact_point(self, label: Any) -> Exact:
        """Return a corner in rationals."""
        corner = np.asarray(label)
        if corner.shape != (self.dimension,) or corner.dtype != np.bool_:
            raise CertificateError("a corner of a box is named by something else than its sides")
        return rational.rational_vector(self.recall(corner)[0])

    def exact_value(self, direction: Exact, hint: Vector) -> Any:
        """Return the product with the corner on the side of the direction."""
        sides = zip(direction, self.lower, self.upper, strict=True)
        return sum((a * of_float(high if a > 0 else low) for a, low, high in sides), fmpq(0))


class Simplex(Body):
    """The nonnegative vectors whose coordinates have a given sum.

    Parameters
    ----------
    dimension : int
        The number of coordinates.
    total : float, default=1.0
        Their sum; with 1, the points are the probability vectors.

    Examples
    --------
    >>> from novikoff.geometry import Simplex
    >>> Simplex(3).support([0.0, 2.0, 1.0])
    array([0., 1., 0.])
    """

    def __init__(self, dimension: int, total: float = 1.0) -> None:
        if isinstance(dimension, bool) or not isinstance(dimension, int | np.integer):
            raise ValueError(f"Simplex: dimension={dimension!r} must be an integer.")
        if dimension < 1:
            raise ValueError(f"Simplex: dimension={dimension!r} must be at least 1.")
        self.dimension = int(dimension)
        self.total = positive(total, "Simplex: total")

    @property
    def reach(self) -> float:
        """An upper bound on the norm of every point."""
        return self.total

    def extreme(self, direction: Vector) -> Extreme:
        """Return the vertex of the largest coordinate."""
        j = int(direction.argmax())
        value = up(self.total * float(direction[j]) + error_of(0.0, 1))
        return Extreme(self._vertex(j), 0.0, value, j)

    def _vertex(self, j: int) -> Vector:
        vertex = np.zeros(self.dimension)
        vertex[j] = self.total
        return vertex

    def recall(self, label: Any) -> tuple[Vector, float] | None:
        """Return a vertex."""
        known = isinstance(label, int | np.integer) and 0 <= label < self.dimension
        return (self._vertex(int(label)), 0.0) if known else None

    def exact_point(self, label: Any) -> Exact:
        """Return a vertex in rationals."""
        found = self.recall(label)
        if found is None:
            raise CertificateError(f"refers to vertex {label!r} of a simplex of {self.dimension}")
        return rational.rational_vector(found[0])

    def exact_value(self, direction: Exact, hint: Vector) -> Any:
        """Return the largest coordinate times the total."""
        return max(direction) * of_float(self.total)


class Zonotope(Body):
    """The sum of line segments, ``{center + s @ generators : -1 <= s <= 1}``.

    Parameters
    ----------
    center : array-like of shape (dimension,)
        Its centre.
    generators : array-like of shape (k, dimension)
        Half of each segment, as rows.

    Examples
    --------
    >>> from novikoff.geometry import Zonotope
    >>> Zonotope([0.0, 0.0], [[1.0, 0.0], [1.0, 1.0]]).support([1.0, -2.0])
    array([ 0., -1.])
    """

    def __init__(self, center: ArrayLike, generators: ArrayLike) -> None:
        self.center = as_vector(center, "Zonotope: center")
        self.dimension = self.center.size
        self.generators = as_matrix(generators, "Zonotope: generators", self.dimension)

    @cached_property
    def reach(self) -> float:
        """An upper bound on the norm of every point."""
        return norm_above(self._moduli + error_of(self._moduli, len(self.generators)))

    @cached_property
    def _moduli(self) -> Vector:
        moduli: Vector = np.abs(self.center) + np.abs(self.generators).sum(axis=0)
        return moduli

    def extreme(self, direction: Vector) -> Extreme:
        """Return the centre plus every generator with the sign of its product."""
        products = self.generators @ direction
        signs = products >= 0.0
        # A product of the wrong sign, by rounding, is off by no more than its error.
        moduli = float(self._moduli @ np.abs(direction))
        height = float(np.abs(products).sum()) + float(self.center @ direction)
        value = up(height + error_of(moduli, self.dimension + len(products) + 1))
        point, error = self.recall(signs)
        return Extreme(point, error, value, signs)

    def recall(self, label: Any) -> tuple[Vector, float]:
        """Return the vertex with these signs."""
        point = self.center + np.where(label, 1.0, -1.0) @ self.generators
        return point, norm_above(error_of(self._moduli, len(self.generators) + 1))

    def exact_point(self, label: Any) -> Exact:
        """Return the vertex with these signs, in rationals."""
        signs = np.asarray(label)
        if signs.shape != (len(self.generators),) or signs.dtype != np.bool_:
            raise CertificateError("a vertex of a zonotope is named by something else than signs")
        point = rational.rational_vector(self.center)
        for sign, generator in zip(signs, self.generators, strict=True):
            signed = rational.rational_vector(generator if sign else -generator)
            point = [a + b for a, b in zip(point, signed, strict=True)]
        return point

    def exact_value(self, direction: Exact, hint: Vector) -> Any:
        """Return the product with the centre plus the moduli of those with the generators."""
        products = (rational.rational_dot(direction, row) for row in self.generators)
        along = rational.rational_dot(direction, self.center)
        return along + sum((abs(p) for p in products), fmpq(0))
