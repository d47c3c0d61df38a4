"""What a convex body is: one question, "which of your points is extreme in this direction?"."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from flint import fmpq
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]
Rational = fmpq
Exact = Sequence[Any]
"""A vector of rationals."""


class Extreme(NamedTuple):
    """An answer of a body, with what floating-point arithmetic proves about it.

    Attributes
    ----------
    point : array
        A point in float64.
    error : float
        A bound on the distance between ``point`` and the point of the body that ``label`` names.
    value : float
        An upper bound on the support function: no point of the body has a larger product with
        the direction.
    label : object
        Names the point, so that it can be computed again exactly: a row, a corner, a basis.
    """

    point: Vector
    error: float
    value: float
    label: Any


class Body(ABC):
    """A bounded, closed, convex set, known by its extreme points.

    Every body answers :meth:`support`. Bodies are combined by operators: ``K + L`` is the Minkowski
    sum, ``K - L`` the Minkowski difference ``{k - l}``, ``K + t`` and ``K - t`` are translations,
    ``A @ K`` is the image under a matrix, ``c * K`` a scaled copy, ``-K`` the reflection in the
    origin.
    """

    dimension: int
    """The number of coordinates of its points."""

    tau: float = 0.0
    """How far, for a unit direction, the answer may be from the extreme value."""

    is_exact: ClassVar[bool] = True
    """Whether its points and support values can be computed exactly."""

    is_polyhedral: bool = True
    """Whether it has finitely many extreme points."""

    # numpy's operators leave `array + body` and `matrix @ body` to the body.
    __array_ufunc__ = None

    def support(self, direction: ArrayLike) -> Vector:
        """Return a point of the body whose product with the direction is largest.

        Parameters
        ----------
        direction : array of shape (dimension,)
            Any vector; of the zero vector, every point is a right answer.
        """
        return self.extreme(as_vector(direction, "direction", self.dimension)).point

    @abstractmethod
    def extreme(self, direction: Vector) -> Extreme:
        """Return the extreme point with proved bounds; the direction is not checked."""

    @abstractmethod
    def recall(self, label: Any) -> tuple[Vector, float] | None:
        """Return the point that a label names, and its error; ``None`` for an unknown label."""

    @abstractmethod
    def exact_point(self, label: Any) -> Exact:
        """Return the point of the body that a label names, in rationals.

        Raises
        ------
        CertificateError
            If the label names no point of this body.
        """

    @abstractmethod
    def exact_value(self, direction: Exact, hint: Vector) -> Any:
        """Return a rational that is not below any product of the direction with a point.

        ``hint`` is the direction in float64, by which the extreme point may be found; the result
        holds whatever it is.
        """

    @property
    @abstractmethod
    def reach(self) -> float:
        """An upper bound on the norm of every point."""

    @property
    def oracles(self) -> int:
        """How many user oracles it is made of: what is proved is proved if they are right."""
        return 0

    def __add__(self, other: Any) -> "Body":
        from novikoff.geometry.bodies.composed import AffineImage, MinkowskiSum

        if isinstance(other, Body):
            return MinkowskiSum(self, other)
        return AffineImage(self, shift=other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Body":
        from novikoff.geometry.bodies.composed import AffineImage

        if isinstance(other, Body):
            return self + (-other)
        shift = as_vector(other, "a translation", self.dimension)
        return AffineImage(self, shift=-shift)

    def __rsub__(self, other: Any) -> "Body":
        return (-self).__add__(other)

    def __neg__(self) -> "Body":
        from novikoff.geometry.bodies.composed import AffineImage

        return AffineImage(self, -1.0)

    def __mul__(self, factor: Any) -> "Body":
        from novikoff.geometry.bodies.composed import AffineImage

        if np.ndim(factor) != 0 or isinstance(factor, Body):
            raise TypeError("a body can be multiplied by a number; a matrix is applied with @")
        return AffineImage(self, float(factor))

    __rmul__ = __mul__

    def __rmatmul__(self, matrix: Any) -> "Body":
        from novikoff.geometry.bodies.composed import AffineImage

        return AffineImage(self, as_matrix(matrix, "a matrix applied to a body"))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(dimension={self.dimension})"


def as_vector(values: ArrayLike, name: str, length: int | None = None) -> Vector:
    """Return a float64 copy of a vector of finite numbers, or raise naming what is wrong."""
    vector = _as_floats(values, name)
    if vector.ndim != 1 or vector.size == 0:
        raise ValueError(f"{name} must be a vector, not an array of shape {vector.shape}.")
    if length is not None and vector.size != length:
        raise ValueError(f"{name} has {vector.size} coordinates; {length} are expected.")
    return vector


def as_matrix(values: ArrayLike, name: str, width: int | None = None) -> Vector:
    """Return a float64 copy of a matrix of finite numbers in C order, or raise."""
    matrix = _as_floats(values, name)
    if matrix.ndim != 2:
        raise ValueError(f"{name} must be a matrix, not an array of shape {matrix.shape}.")
    if matrix.shape[0] == 0 or matrix.shape[1] == 0:
        raise ValueError(f"{name} is empty: its shape is {matrix.shape}.")
    if width is not None and matrix.shape[1] != width:
        raise ValueError(f"{name} has {matrix.shape[1]} columns; {width} are expected.")
    return matrix


def is_finite_vector(label: Any, length: int) -> bool:
    """Whether a label is a vector of finite floats, as some bodies name their points."""
    is_vector = isinstance(label, np.ndarray) and label.shape == (length,)
    return is_vector and label.dtype == np.float64 and bool(np.isfinite(label).all())


LARGEST = 1e150
"""Larger numbers have squares that float64 cannot represent."""


def _as_floats(values: ArrayLike, name: str) -> Vector:
    try:
        if np.iscomplexobj(values):
            raise TypeError("they are complex")
        floats = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be an array of numbers: {error}.") from None
    check_finite(floats, name)
    floats.flags.writeable = False
    return floats


def check_finite(values: Vector, name: str) -> None:
    """Raise if a value is NaN, infinite, or too large to be squared."""
    if not values.size:
        return
    low, high = float(values.min()), float(values.max())
    if not (np.isfinite(low) and np.isfinite(high)):
        where = tuple(map(int, np.argwhere(~np.isfinite(values))[0]))
        found = values[where]
        raise ValueError(f"{name} must be finite; the value at {_place(where)} is {found}.")
    if max(-low, high) > LARGEST:
        raise ValueError(f"{name} contains a value beyond {LARGEST:g}: its square would overflow.")


def _place(where: tuple[int, ...]) -> str:
    return f"position {where[0]}" if len(where) == 1 else f"row {where[0]}, column {where[1]}"


def positive(value: Any, name: str, *, zero: bool = False) -> float:
    """Return a finite float that is positive (or zero), or raise."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be a number, not {value!r}.") from None
    if not (0.0 <= number <= LARGEST and (zero or number > 0.0)):
        bound = "at least 0" if zero else "positive"
        raise ValueError(f"{name}={number!r} must be {bound} and finite.")
    return number
