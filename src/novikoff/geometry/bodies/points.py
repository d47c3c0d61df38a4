"""The convex hull of finitely many points."""

from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.dyadic import of_float
from novikoff.compiled.extreme import least_row
from novikoff.geometry.bodies.base import Body, Exact, Extreme, Vector, as_matrix, check_finite
from novikoff.geometry.exact.rational import float_vector, rational_dot
from novikoff.geometry.rounding import error_of, norm_above, up


class Points(Body):
    """The convex hull of the rows of an array.

    Parameters
    ----------
    array : array-like or CSR matrix of shape (n, dimension)
        The points. They are copied as float64; sparse rows stay sparse.

    Examples
    --------
    >>> from novikoff.geometry import Points
    >>> Points([[0.0, 0.0], [2.0, 0.0], [0.0, 1.0]]).support([1.0, 1.0])
    array([2., 0.])
    """

    def __init__(self, array: Any) -> None:
        if sparse.issparse(array):
            rows = sparse.csr_array(array, dtype=np.float64, copy=True)
            rows.sum_duplicates()
            if 0 in rows.shape:
                raise ValueError(f"Points: the array is empty: its shape is {rows.shape}.")
            check_finite(rows.data, "Points: a stored value")
            self.array: Any = rows
        else:
            self.array = as_matrix(array, "Points")
        self.is_sparse = bool(sparse.issparse(self.array))
        self.dimension = int(self.array.shape[1])

    def __len__(self) -> int:
        return int(self.array.shape[0])

    def __repr__(self) -> str:
        return f"Points({len(self)} x {self.dimension})"

    @cached_property
    def column_reach(self) -> Vector:
        """The largest modulus in each column."""
        largest = abs(self.array).max(axis=0)
        return np.asarray(largest.toarray() if sparse.issparse(largest) else largest).ravel()

    @cached_property
    def reach(self) -> float:
        """An upper bound on the norm of every point."""
        return norm_above(self.column_reach)

    @cached_property
    def spread(self) -> float:
        """The largest difference of two points in a coordinate; of sparse rows, a bound on it."""
        if self.is_sparse:
            return 2.0 * float(self.column_reach.max())
        return float(np.ptp(self.array, axis=0).max())

    def row(self, i: int) -> Vector:
        """Return a row as a dense vector."""
        if self.is_sparse:
            return np.asarray(self.array[[i]].toarray()).ravel()
        row: Vector = self.array[i]
        return row

    def extreme(self, direction: Vector) -> Extreme:
        """Return the row with the largest product."""
        if self.is_sparse:
            products = self.array @ direction
            i = int(products.argmax())
            largest = float(products[i])
        else:
            i, least = least_row(self.array, -direction)
            largest = -least
        value = up(largest + self._error(direction))
        return Extreme(self.row(i), 0.0, value, i)

    def _error(self, direction: Vector) -> float:
        """Return a bound on the rounding error of a row's product."""
        return error_of(float(self.column_reach @ np.abs(direction)), self.dimension)

    def recall(self, label: Any) -> tuple[Vector, float] | None:
        """Return a row."""
        known = isinstance(label, int | np.integer) and 0 <= label < len(self)
        return (self.row(int(label)), 0.0) if known else None

    def exact_point(self, label: Any) -> Exact:
        """Return a row in rationals."""
        found = self.recall(label)
        if found is None:
            raise CertificateError(f"refers to row {label!r} of {len(self)} points")
        return [of_float(float(x)) for x in found[0]]

    def exact_value(self, direction: Exact, hint: Vector) -> Any:
        """Return the largest product with a row; rows that cannot attain it are not computed."""
        floats, deviation = float_vector(direction)
        products = self.array @ floats
        error = up(self._error(floats) + deviation * self.reach)
        contenders = np.flatnonzero(products >= products.max() - 2.5 * error)
        return max(rational_dot(direction, self.row(int(i))) for i in contenders)
