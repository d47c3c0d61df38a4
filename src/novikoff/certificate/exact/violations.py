"""Margin violations as weights of the signed examples, and their weighted sum enclosed.

Of a hyperplane ``(w, b)`` the slack of an example is ``1 - y_i (w·x_i + b)``, here computed in
floating point; times the cost of the example it is its weight ``λ_i``, and where that is not above
a threshold it is set to zero. What is proved with these weights needs them to be numbers and
nothing else, so they are computed once and rounded as they come.

Columns may be replaced by remainders (:mod:`novikoff.certificate.exact.columns`). Then ``w`` has
the coefficients of the columns as they are replaced, and so has the weighted sum its entries.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.columns import REPLACED_ERROR, Replaced, dense_columns
from novikoff.certificate.exact.filter import combination, radius
from novikoff.certificate.examples.blocks import (
    DenseBlock,
    Floats,
    Indices,
    SparseBlock,
    blocks,
    take,
)
from novikoff.certificate.examples.labels import Signs

Mask = npt.NDArray[np.bool_]

_SEEN = 2.0**-900
"""A sum whose error is below this may be one of zeros: its column is looked at."""

_RANGE = (2.0**-900, 2.0**900)
"""Products with a power of two that stay in here are exact."""

_ROWS = 256
"""Rows of a table that are scaled at a time."""

_HEADROOM = 30
"""Sums are scaled to an error near ``2**-30``; single terms of a few thousand are then near 1."""


def slacks_of(
    X: Any,
    signs: Signs,
    costs: Floats | None,
    coef: Floats,
    intercept: float,
    replaced: Replaced | None = None,
) -> Floats:
    """The slacks of all examples times their costs, as they are rounded; negative beyond 1.

    Raises
    ------
    CertificateError
        If one is not finite.
    """
    slacks = np.empty(X.shape[0])
    replaced = Replaced.of(X, ()) if replaced is None else replaced
    others = replaced.coefs_of_others(coef)
    with np.errstate(all="ignore"):
        for block in blocks(X):
            rows = slice(block.rows[0], block.rows[-1] + 1)
            products = block.products(others)[0] + replaced.products(rows, coef)
            slacks[rows] = 1.0 - (products + intercept) * signs[rows]
        if costs is not None:
            slacks *= costs
    wrong = np.flatnonzero(~np.isfinite(slacks))
    if wrong.size:
        raise CertificateError(f"the slack of example {wrong[0]} is not a finite number")
    return slacks


@dataclass(frozen=True, eq=False)
class Violations:
    """The rows with a positive weight, and the weighted sum of their signed examples.

    ``total`` has an entry for each feature, and one for the intercept if there is any; ``error``
    bounds what rounding has changed in it. ``columns`` are those that are not zero in all the rows.
    Where columns are replaced, all this is about the new ones.
    """

    X: Any
    signs: Signs
    affine: bool
    rows: Indices
    weights: Floats
    total: Floats
    error: Floats
    columns: Indices
    replaced: Replaced

    @classmethod
    def of(
        cls,
        X: Any,
        signs: Signs,
        slacks: Floats,
        *,
        threshold: float,
        without: Indices,
        affine: bool,
        replaced: Replaced | None = None,
    ) -> "Violations":
        """Take the rows whose slack is above the threshold and that are zero ``without``.

        These are columns of ``X`` itself.

        Raises
        ------
        CertificateError
            If the sum overflows.
        """
        rows = np.flatnonzero(slacks > threshold)
        if without.size:
            rows = rows[~touching(X, rows, without)]
        weights = slacks[rows]
        signed = weights * signs[rows]
        total, error = combination(take(X, rows), signed, X.shape[1])
        if affine:
            size = float(weights.sum())
            total = np.append(total, signed.sum())
            error = np.append(error, radius(np.array(size), rows.size))
        replaced = Replaced.of(X, ()) if replaced is None else replaced
        values = replaced.values[rows]
        with np.errstate(all="ignore"):
            total[replaced.columns] = signed @ values
            sizes = np.abs(signed) @ np.abs(values)
            error[replaced.columns] = radius(sizes, rows.size) + REPLACED_ERROR * sizes
        if not np.isfinite(error).all():
            raise CertificateError("the weighted sum of the signed examples overflows")
        occurs = error > _SEEN
        doubtful = np.flatnonzero(~occurs)
        occurs[doubtful] = _occurring(X, rows, doubtful)
        occurs[replaced.columns] = values.any(axis=0)
        columns = np.flatnonzero(occurs)
        return cls(X, signs, affine, rows, weights, total, error, columns, replaced)

    @property
    def exponents(self) -> npt.NDArray[Any]:
        """The power of two that brings each entry of the sum to an error near ``2**-30``."""
        exponents: npt.NDArray[Any] = np.frexp(self.error)[1] + _HEADROOM
        return exponents

    def places_of(self, support: Indices) -> Indices:
        """The places of some examples among the rows.

        Raises
        ------
        CertificateError
            If one has no weight.
        """
        places = np.searchsorted(self.rows, support)
        inside = places < self.rows.size
        inside[inside] = self.rows[places[inside]] == support[inside]
        if not inside.all():
            idle = int(support[~inside][0])
            raise CertificateError(
                f"example {idle} of the support has no slack above the threshold"
            )
        return places

    def table(self, places: Indices, columns: Indices) -> Floats:
        """Some columns of some rows, without their signs, as a dense array."""
        table = np.empty((places.size, columns.size))
        inner = columns < self.X.shape[1]
        features, seen = columns[inner], 0
        for block in take(self.X, self.rows[places]):
            part = table[seen : seen + block.rows.size]
            part[:, inner] = dense_columns(block, features, self.X.shape[1])
            part[:, ~inner] = 1.0
            seen += block.rows.size
        self.replaced.put_into(table, self.rows[places], columns)
        return table

    def scaled_table(self, places: Indices, columns: Indices) -> Floats:
        """The signed examples times powers of two: of their weights, and of the sums' errors.

        Raises
        ------
        CertificateError
            If a product with a power of two would be rounded.
        """
        table = self.table(places, columns)
        by_row, by_column = self._scales(places, columns)
        for first in range(0, places.size, _ROWS):
            part = table[first : first + _ROWS]
            _multiply(part, by_row[first : first + _ROWS, None])
            _multiply(part, by_column)
        return table

    def scaled_rows(self, places: Indices, columns: Indices) -> Any:
        """The same of sparse examples without replaced columns, as a CSR matrix."""
        n_features = self.X.shape[1]
        by_row, by_column = self._scales(places, columns)
        place_of = np.full(n_features + 1, -1)
        place_of[columns] = np.arange(columns.size)
        data, indices, counts = [np.empty(0)], [np.empty(0, dtype=np.int64)], []
        for block in take(self.X, self.rows[places]):
            assert isinstance(block, SparseBlock)
            data.append(block.data)
            indices.append(block.indices)
            counts.append(np.diff(block.ends))
        owners = np.repeat(np.arange(places.size), np.concatenate(counts))
        values, where = np.concatenate(data), place_of[np.concatenate(indices)]
        inside = where >= 0
        owners, values, where = owners[inside], values[inside], where[inside]
        if place_of[n_features] >= 0:
            owners = np.concatenate([owners, np.arange(places.size)])
            values = np.concatenate([values, np.ones(places.size)])
            where = np.concatenate([where, np.full(places.size, place_of[n_features])])
        _multiply(values, by_row[owners])
        _multiply(values, by_column[where])
        shape = places.size, columns.size
        return sparse.csr_array(sparse.coo_array((values, (owners, where)), shape=shape))

    @property
    def is_sparse(self) -> bool:
        """Whether the examples are stored as a sparse matrix."""
        return bool(sparse.issparse(self.X))

    def _scales(self, places: Indices, columns: Indices) -> tuple[Floats, Floats]:
        """The powers of two that rows, with their signs, and columns are multiplied by."""
        with np.errstate(all="ignore"):
            by_row = np.ldexp(1.0, np.frexp(self.weights[places])[1])
            by_column = np.ldexp(1.0, -self.exponents[columns])
        return by_row * self.signs[self.rows[places]], by_column


def _multiply(table: Floats, factors: Floats) -> None:
    """Multiply the table by powers of two in place.

    Raises
    ------
    CertificateError
        If that is not exact.
    """
    count = np.count_nonzero(table)
    with np.errstate(all="ignore"):
        table *= factors
    sizes = np.abs(table)
    least, most = _RANGE
    exact = np.count_nonzero((sizes >= least) & (sizes <= most)) == count
    if not (exact and np.isfinite(sizes).all()):
        raise CertificateError("the examples are too large or too small to be scaled")


def touching(X: Any, rows: Indices, columns: Indices) -> Mask:
    """Mark the rows that are not zero in all of the columns."""
    marks = [np.zeros(0, dtype=np.bool_)]
    chosen = np.zeros(X.shape[1], dtype=np.bool_)
    chosen[columns] = True
    for block in take(X, rows):
        if isinstance(block, SparseBlock):
            owners = np.repeat(np.arange(block.rows.size), np.diff(block.ends))
            hit = np.zeros(block.rows.size, dtype=np.bool_)
            hit[owners[chosen[block.indices] & (block.data != 0.0)]] = True
            marks.append(hit)
        elif isinstance(block, DenseBlock):
            marks.append((block.values[:, columns] != 0).any(axis=1))
    return np.concatenate(marks)


def _occurring(X: Any, rows: Indices, columns: Indices) -> Mask:
    """Mark the columns that are not zero in all of the rows."""
    if not columns.size:
        return np.zeros(0, dtype=np.bool_)
    n_columns = X.shape[1]
    found = np.zeros(n_columns + 1, dtype=np.bool_)
    # The intercept is a column of ones.
    found[n_columns] = rows.size > 0
    inner = columns[columns < n_columns]
    for block in take(X, rows):
        if isinstance(block, SparseBlock):
            found[block.indices[block.data != 0.0]] = True
        elif isinstance(block, DenseBlock):
            found[inner] |= (block.values[:, inner] != 0).any(axis=0)
    return found[columns]
