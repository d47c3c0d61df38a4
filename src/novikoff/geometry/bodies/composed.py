"""Sums and affine images of bodies."""

from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import ArrayLike

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.dyadic import of_float
from novikoff.geometry.bodies.base import (
    LARGEST,
    Body,
    Exact,
    Extreme,
    Vector,
    as_matrix,
    as_vector,
)
from novikoff.geometry.exact import rational
from novikoff.geometry.rounding import dot_above, error_of, norm_above, up


class MinkowskiSum(Body):
    """The sum ``{x_1 + ... + x_k}`` of points of bodies; also written ``K + L``.

    Parameters
    ----------
    *bodies : Body
        Bodies of one dimension.

    Examples
    --------
    >>> from novikoff.geometry import Ball, Box
    >>> (Box([0.0, 0.0], [1.0, 1.0]) + Ball([0.0, 0.0], 0.5)).support([1.0, 0.0])
    array([1.5, 0. ])
    """

    def __init__(self, *bodies: Body) -> None:
        if not bodies:
            raise ValueError("MinkowskiSum needs at least one body.")
        for body in bodies:
            if not isinstance(body, Body):
                raise ValueError(f"MinkowskiSum: {type(body).__name__} is not a body.")
            check_dimensions(bodies[0], body)
        self.bodies: tuple[Body, ...] = tuple(
            part
            for body in bodies
            for part in (body.bodies if isinstance(body, MinkowskiSum) else (body,))
        )
        self.dimension = bodies[0].dimension
        self.tau = up(sum(body.tau for body in bodies)) if any(b.tau for b in bodies) else 0.0

    @property
    def is_exact(self) -> bool:  # type: ignore[override]
        """Whether all its bodies are."""
        return all(body.is_exact for body in self.bodies)

    @property
    def is_polyhedral(self) -> bool:  # type: ignore[override]
        """Whether all its bodies are."""
        return all(body.is_polyhedral for body in self.bodies)

    @property
    def oracles(self) -> int:
        """How many user oracles it is made of."""
        return sum(body.oracles for body in self.bodies)

    @cached_property
    def reach(self) -> float:
        """An upper bound on the norm of every point."""
        reaches = [body.reach for body in self.bodies]
        return up(sum(reaches) + error_of(sum(reaches), len(reaches)))

    def extreme(self, direction: Vector) -> Extreme:
        """Return the sum of the extreme points."""
        parts = [body.extreme(direction) for body in self.bodies]
        values = [part.value for part in parts]
        value = up(sum(values) + error_of(sum(map(abs, values)), len(values)))
        return Extreme(*self._sum([part[:2] for part in parts]), value, _labels(parts))

    def _sum(self, parts: list[tuple[Vector, float]]) -> tuple[Vector, float]:
        points = np.array([point for point, _ in parts])
        moduli = np.abs(points).sum(axis=0)
        errors = sum(error for _, error in parts) + norm_above(error_of(moduli, len(parts)))
        return points.sum(axis=0), up(errors + error_of(errors, len(parts)))

    def recall(self, label: Any) -> tuple[Vector, float] | None:
        """Return the sum of the points that the labels name."""
        found = [body.recall(each) for body, each in zip(self.bodies, label, strict=True)]
        known = [each for each in found if each is not None]
        return self._sum(known) if len(known) == len(found) else None

    def exact_point(self, label: Any) -> Exact:
        """Return the sum of the points that the labels name, in rationals."""
        if not isinstance(label, tuple) or len(label) != len(self.bodies):
            raise CertificateError(f"a point of a sum of {len(self.bodies)} bodies has other parts")
        points = [body.exact_point(each) for body, each in zip(self.bodies, label, strict=True)]
        return [sum(column, fmpq(0)) for column in zip(*points, strict=True)]

    def exact_value(self, direction: Exact, hint: Vector) -> Any:
        """Return the sum of the bodies' values."""
        return sum((body.exact_value(direction, hint) for body in self.bodies), fmpq(0))


def _labels(parts: list[Extreme]) -> tuple[Any, ...]:
    return tuple(part.label for part in parts)


class AffineImage(Body):
    """The image ``{matrix @ x + shift}`` of a body; also written ``A @ K``, ``c * K``, ``K + t``.

    Parameters
    ----------
    body : Body
        The body.
    matrix : float or array-like of shape (m, body.dimension), default=1.0
        A factor or a matrix.
    shift : array-like of shape (m,), optional
        What is added; by default zero.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.geometry import Simplex
    >>> rotation = np.array([[0.0, -1.0], [1.0, 0.0]])
    >>> (rotation @ Simplex(2) + [10.0, 0.0]).support([-1.0, 0.0])
    array([9., 0.])
    """

    def __init__(
        self, body: Body, matrix: float | ArrayLike = 1.0, shift: ArrayLike | None = None
    ) -> None:
        if not isinstance(body, Body):
            raise ValueError(f"AffineImage: {type(body).__name__} is not a body.")
        self.matrix: float | Vector
        if np.ndim(matrix) == 0:
            self.matrix = float(matrix)  # type: ignore[arg-type]
            if not abs(self.matrix) <= LARGEST:
                raise ValueError(f"a body cannot be multiplied by {matrix!r}.")
            self.dimension = body.dimension
        else:
            self.matrix = as_matrix(matrix, "a matrix applied to a body", body.dimension)
            self.dimension = len(self.matrix)
        self.shift = np.zeros(self.dimension)
        if shift is not None:
            self.shift = as_vector(shift, "a translation", self.dimension)
        self.body: Body = body
        # A translated translation is one body, so that a moving body does not become a chain.
        if isinstance(body, AffineImage) and isinstance(self.matrix, float) and self.matrix == 1.0:
            total = body.shift + self.shift
            if _is_exact_sum(body.shift, self.shift, total):
                self.matrix, self.shift, self.body = body.matrix, total, body.body
        if isinstance(self.matrix, float):
            self.tau = up(abs(self.matrix) * self.body.tau)
        else:
            self.tau = up(self._size * self.body.tau)
        if not self.body.tau:
            self.tau = 0.0

    @property
    def is_exact(self) -> bool:  # type: ignore[override]
        """Whether the body is."""
        return self.body.is_exact

    @property
    def is_polyhedral(self) -> bool:  # type: ignore[override]
        """Whether the body is."""
        return self.body.is_polyhedral

    @property
    def oracles(self) -> int:
        """How many user oracles it is made of."""
        return self.body.oracles

    @cached_property
    def _size(self) -> float:
        """An upper bound on the norm of the matrix."""
        if isinstance(self.matrix, float):
            return abs(self.matrix)
        return norm_above(self.matrix.ravel())

    @cached_property
    def reach(self) -> float:
        """An upper bound on the norm of every point."""
        return up(up(self._size * self.body.reach) + norm_above(self.shift))

    def extreme(self, direction: Vector) -> Extreme:
        """Return the image of the extreme point in the direction that the matrix pulls back."""
        if isinstance(self.matrix, float):
            pulled = self.matrix * direction
            exact = abs(self.matrix) == 1.0
            rounded = np.zeros_like(pulled) if exact else error_of(np.abs(pulled), 1)
        else:
            pulled = direction @ self.matrix
            moduli = np.abs(direction) @ np.abs(self.matrix)
            rounded = error_of(moduli, self.dimension)
        found = self.body.extreme(pulled)
        value = found.value + dot_above(self.shift, direction)
        if rounded.any():
            value = up(value) + up(norm_above(rounded) * self.body.reach)
        return Extreme(*self._image(found.point, found.error), up(value), found.label)

    def _image(self, point: Vector, error: float) -> tuple[Vector, float]:
        if isinstance(self.matrix, float):
            image = self.matrix * point
            moduli = np.abs(image)
        else:
            image = self.matrix @ point
            moduli = np.abs(self.matrix) @ np.abs(point)
        if not self.shift.any() and isinstance(self.matrix, float) and abs(self.matrix) == 1.0:
            return image, error
        moduli = moduli + np.abs(self.shift)
        rounding = norm_above(error_of(moduli, self.body.dimension + 1))
        return image + self.shift, up(up(self._size * error) + rounding)

    def recall(self, label: Any) -> tuple[Vector, float] | None:
        """Return the image of the point that the label names."""
        found = self.body.recall(label)
        return None if found is None else self._image(*found)

    def exact_point(self, label: Any) -> Exact:
        """Return the image of the point that the label names, in rationals."""
        point = self.body.exact_point(label)
        shift = rational.rational_vector(self.shift)
        if isinstance(self.matrix, float):
            factor = of_float(self.matrix)
            return [factor * x + t for x, t in zip(point, shift, strict=True)]
        rows = zip(self.matrix, shift, strict=True)
        return [rational.rational_dot(point, row) + t for row, t in rows]

    def exact_value(self, direction: Exact, hint: Vector) -> Any:
        """Return the body's value in the direction that the matrix pulls back."""
        along = rational.rational_dot(direction, self.shift)
        if isinstance(self.matrix, float):
            factor = of_float(self.matrix)
            pulled = [factor * x for x in direction]
            return along + self.body.exact_value(pulled, self.matrix * hint)
        columns = self.matrix.T
        pulled = [rational.rational_dot(direction, column) for column in columns]
        return along + self.body.exact_value(pulled, hint @ self.matrix)


def _is_exact_sum(x: Vector, y: Vector, total: Vector) -> bool:
    """Whether a sum was not rounded (by Knuth's error of a sum)."""
    virtual = total - x
    error = (x - (total - virtual)) + (y - virtual)
    return not error.any()


def check_dimensions(first: Body, second: Body) -> None:
    """Raise if two bodies are not in the same space."""
    if first.dimension != second.dimension:
        raise ValueError(f"the bodies have different dimensions: {first!r} and {second!r}.")
