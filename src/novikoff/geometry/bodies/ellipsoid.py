"""Balls and ellipsoids."""

import math
from functools import cached_property
from typing import Any

import numpy as np
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
    is_finite_vector,
    positive,
)
from novikoff.geometry.exact import rational
from novikoff.geometry.rounding import dot_above, error_of, norm_above, up


class Ball(Body):
    """A Euclidean ball.

    Parameters
    ----------
    center : array-like of shape (dimension,)
        Its centre.
    radius : float
        Its radius; 0 makes it a point.

    Examples
    --------
    >>> from novikoff.geometry import Ball
    >>> Ball([1.0, 0.0], 2.0).support([1.0, 0.0])
    array([3., 0.])
    """

    is_polyhedral = False

    def __init__(self, center: ArrayLike, radius: float) -> None:
        self.center = as_vector(center, "Ball: center")
        self.radius = positive(radius, "Ball: radius", zero=True)
        self.dimension = self.center.size

    @cached_property
    def reach(self) -> float:
        """An upper bound on the norm of every point."""
        return up(norm_above(self.center) + self.radius)

    def extreme(self, direction: Vector) -> Extreme:
        """Return ``center + radius * direction / |direction|``."""
        u = normalised(direction)
        value = up(dot_above(self.center, direction) + up(self.radius * norm_above(direction)))
        point, error = self.recall(u)
        return Extreme(point, error, value, u)

    def recall(self, label: Any) -> tuple[Vector, float]:
        """Return the point in a unit direction."""
        point = self.center + self.radius * label
        slack = error_of(1.0, self.dimension)
        error = norm_above(error_of(np.abs(self.center) + self.radius * np.abs(label), 1))
        return point, up(up(self.radius * slack) + error)

    def exact_point(self, label: Any) -> Exact:
        """Return the point in a direction of length at most 1, in rationals."""
        u = inner_direction(label, self.dimension)
        r = of_float(self.radius)
        center = rational.rational_vector(self.center)
        return [c + r * x for c, x in zip(center, u, strict=True)]

    def exact_value(self, direction: Exact, hint: Vector) -> Any:
        """Return the product with the centre plus the radius times the norm, rounded up."""
        along = rational.rational_dot(direction, self.center)
        return along + of_float(self.radius) * rational.norm_above(direction)


class Ellipsoid(Body):
    """The image of the unit ball, ``{center + axes @ u : |u| <= 1}``.

    Parameters
    ----------
    center : array-like of shape (dimension,)
        Its centre.
    axes : array-like of shape (dimension,) or (dimension, k)
        The semi-axes as columns of a matrix, or the lengths of semi-axes along the coordinates.
        For the ellipsoid ``(x - center)' M^-1 (x - center) <= 1`` they are the columns of a
        Cholesky factor of M.

    Examples
    --------
    >>> from novikoff.geometry import Ellipsoid
    >>> Ellipsoid([0.0, 0.0], [3.0, 1.0]).support([1.0, 0.0])
    array([3., 0.])
    """

    is_polyhedral = False

    def __init__(self, center: ArrayLike, axes: ArrayLike) -> None:
        self.center = as_vector(center, "Ellipsoid: center")
        self.dimension = self.center.size
        if np.ndim(axes) == 1:
            axes = np.diag(as_vector(axes, "Ellipsoid: axes", self.dimension))
        self.axes = as_matrix(axes, "Ellipsoid: axes")
        if self.axes.shape[0] != self.dimension:
            raise ValueError(
                f"Ellipsoid: axes has {self.axes.shape[0]} rows; {self.dimension} are expected."
            )

    @cached_property
    def size(self) -> float:
        """An upper bound on the distance of its points from the centre."""
        return norm_above(self.axes.ravel())

    @cached_property
    def reach(self) -> float:
        """An upper bound on the norm of every point."""
        return up(norm_above(self.center) + self.size)

    def extreme(self, direction: Vector) -> Extreme:
        """Return ``center + axes @ g / |g|`` with ``g = axes' direction``."""
        g = direction @ self.axes
        moduli = np.abs(direction) @ np.abs(self.axes)
        height = norm_above(np.abs(g) + error_of(moduli, self.dimension))
        value = up(dot_above(self.center, direction) + height)
        u = normalised(g)
        point, error = self.recall(u)
        return Extreme(point, error, value, u)

    def recall(self, label: Any) -> tuple[Vector, float]:
        """Return the point in a unit direction of the ball."""
        point = self.center + self.axes @ label
        moduli = np.abs(self.center) + np.abs(self.axes) @ np.abs(label)
        terms = self.axes.shape[1]
        error = norm_above(error_of(moduli, terms + 1))
        return point, up(error + up(self.size * error_of(1.0, terms)))

    def exact_point(self, label: Any) -> Exact:
        """Return the image of a direction of length at most 1, in rationals."""
        u = inner_direction(label, self.axes.shape[1])
        center = rational.rational_vector(self.center)
        return [c + rational.rational_dot(u, row) for c, row in zip(center, self.axes, strict=True)]

    def exact_value(self, direction: Exact, hint: Vector) -> Any:
        """Return the product with the centre plus the norm of ``axes' direction``, rounded up."""
        g = [rational.rational_dot(direction, column) for column in self.axes.T]
        return rational.rational_dot(direction, self.center) + rational.norm_above(g)


def normalised(direction: Vector) -> Vector:
    """Return the unit vector, and zero for zero."""
    largest = float(np.abs(direction).max(initial=0.0))
    if largest == 0.0:
        return np.zeros_like(direction)
    scaled = direction / largest
    return scaled / math.sqrt(float(scaled @ scaled))


def inner_direction(label: Any, length: int) -> Exact:
    """Return a direction in rationals, shortened where it is longer than 1."""
    if not is_finite_vector(label, length):
        raise CertificateError("a point of a ball is named by something else than a direction")
    exact = rational.rational_vector(label)
    longest = rational.square(exact)
    if longest <= 1:
        return exact
    norm = rational.norm_above(exact)
    return [x / norm for x in exact]
