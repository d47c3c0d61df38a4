"""Reading the examples block by block, whatever they are stored in.

A block is a few rows: a view of the data where it is float64, float32 or uint8 in C order, and
otherwise an exact copy in float64. The data as a whole is never copied.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.dyadic import Dyadic, Integers
from novikoff.certificate.exact.slices import exact_product
from novikoff.certificate.exact.sums import (
    dense_combine,
    dense_sums,
    sparse_combine,
    sparse_sums,
)

Floats: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.int64]

BLOCK_VALUES = 1 << 18
"""Values in a block: two megabytes of float64."""

NATIVE = (np.float64, np.float32, np.uint8)
"""Types that are read without a copy."""

LARGEST_EXACT = 1 << 53
"""Up to here every integer is a float64."""


class Block(Protocol):
    """A few rows: the sums a check takes over them, in floating point and exactly."""

    rows: Indices

    @property
    def n_terms(self) -> int:
        """The most terms that an inner product with a row can have."""

    def products(self, w: Floats) -> tuple[Floats, Floats]:
        """Inner product of each row with ``w`` and the same sum over absolute values.

        Both in floating point, summed in any order.
        """

    def combine(self, weights: Floats, n_columns: int) -> tuple[Floats, Floats]:
        """The weighted sum of the rows, and of their moduli with those of the weights."""

    def exact_products(self, w: Floats) -> tuple[list[int], int]:
        """Inner product of each row with ``w``, as integers and their common exponent."""

    def exact_combination(self, weights: Integers, bits: int) -> tuple[Indices, Integers, int]:
        """Sum of the rows times integers of so many bits.

        As the columns that occur, one integer for each, and their common exponent.
        """

    def exact_entries(self) -> tuple[Indices, Indices, Dyadic]:
        """The values that are not zero, exactly, and the position in the block of each."""


@dataclass
class DenseBlock:
    """Rows of an array in C order: those ``at`` these places of it, by default all."""

    rows: Indices
    array: npt.NDArray[Any]
    at: Indices | None = None

    @cached_property
    def values(self) -> npt.NDArray[Any]:
        """The rows, one after the other."""
        return self.array if self.at is None else self.array[self.at]

    @property
    def n_terms(self) -> int:
        """See :class:`Block`."""
        return int(self.array.shape[1])

    def products(self, w: Floats) -> tuple[Floats, Floats]:
        """See :class:`Block`."""
        return dense_sums(self.values, w)

    def combine(self, weights: Floats, n_columns: int) -> tuple[Floats, Floats]:
        """See :class:`Block`."""
        return dense_combine(self.array, self.at, weights)

    def exact_products(self, w: Floats) -> tuple[list[int], int]:
        """See :class:`Block`."""
        self._check_finite()
        sums, exponent = exact_product(self.values, w)
        return sums.tolist(), exponent

    def exact_combination(self, weights: Integers, bits: int) -> tuple[Indices, Integers, int]:
        """See :class:`Block`."""
        self._check_finite()
        return np.arange(self.values.shape[1]), *exact_product(self.values.T, weights)

    def exact_entries(self) -> tuple[Indices, Indices, Dyadic]:
        """See :class:`Block`."""
        self._check_finite()
        positions, columns = np.nonzero(self.values)
        return positions, columns, Dyadic.of(self.values[positions, columns])

    def _check_finite(self) -> None:
        finite = np.isfinite(self.values)
        if not finite.all():
            raise _not_finite(self.rows[np.argmin(finite.all(axis=1))])


@dataclass
class SparseBlock:
    """Rows of a CSR matrix, each column at most once in a row."""

    rows: Indices
    data: Floats
    indices: npt.NDArray[Any]
    ends: npt.NDArray[Any]

    @property
    def n_terms(self) -> int:
        """See :class:`Block`."""
        return int(np.diff(self.ends).max(initial=0))

    def products(self, w: Floats) -> tuple[Floats, Floats]:
        """See :class:`Block`."""
        return sparse_sums(self.data, self.indices, self.ends, w)

    def combine(self, weights: Floats, n_columns: int) -> tuple[Floats, Floats]:
        """See :class:`Block`."""
        at = np.arange(self.rows.size)
        return sparse_combine(self.data, self.indices, self.ends, at, weights, n_columns)

    def exact_products(self, w: Floats) -> tuple[list[int], int]:
        """See :class:`Block`."""
        # Few rows have few columns, and w may be long.
        values, exact = self._exact(), Dyadic.of(w[self.indices])
        bits = values.bits + exact.bits + self.n_terms.bit_length()
        terms = values.to(bits) * exact.to(bits)
        sums = [int(terms[first:last].sum()) for first, last in pairwise(self.ends)]
        return sums, values.exponent + exact.exponent

    def exact_combination(self, weights: Integers, bits: int) -> tuple[Indices, Integers, int]:
        """See :class:`Block`."""
        values = self._exact()
        if not values.integers.size:
            return np.empty(0, dtype=np.int64), np.empty(0, dtype=object), 0
        bits += values.bits + self.rows.size.bit_length()
        integers = values.to(bits)
        terms = integers * weights.astype(integers.dtype)[self._positions()]
        order = np.argsort(self.indices, kind="stable")
        columns, starts = np.unique(self.indices[order], return_index=True)
        sums = np.add.reduceat(terms[order], starts)
        return columns.astype(np.int64), sums.astype(object), values.exponent

    def exact_entries(self) -> tuple[Indices, Indices, Dyadic]:
        """See :class:`Block`."""
        values = self._exact()
        stored = np.flatnonzero(self.data)
        columns = self.indices[stored].astype(np.int64)
        return self._positions()[stored], columns, values[stored]

    def _positions(self) -> Indices:
        return np.repeat(np.arange(self.rows.size), np.diff(self.ends))

    def _exact(self) -> Dyadic:
        wrong = np.flatnonzero(~np.isfinite(self.data))
        if wrong.size:
            raise _not_finite(self.rows[self._positions()[wrong[0]]])
        return Dyadic.of(self.data)


class TakenBlock(SparseBlock):
    """Rows of a canonical CSR matrix of float64, copied only for sums that need it."""

    def __init__(self, whole: Any, rows: Indices) -> None:
        self.whole = whole
        self.rows = rows

    def __getattr__(self, name: str) -> Any:
        if name not in ("data", "indices", "ends"):
            raise AttributeError(name)
        # For few rows this takes a tenth of the time that scipy takes to index a matrix.
        whole, starts = self.whole, self.whole.indptr[self.rows].astype(np.int64)
        counts = whole.indptr[self.rows + 1] - starts
        self.ends = np.concatenate([[0], np.cumsum(counts)])
        at = np.repeat(starts - self.ends[:-1], counts) + np.arange(self.ends[-1])
        self.data, self.indices = whole.data[at], whole.indices[at]
        return getattr(self, name)

    def combine(self, weights: Floats, n_columns: int) -> tuple[Floats, Floats]:
        """See :class:`Block`."""
        whole = self.whole
        arrays = whole.data, whole.indices, whole.indptr
        return sparse_combine(*arrays, self.rows, weights, n_columns)


def blocks(X: Any) -> Iterator[Block]:
    """All rows of a checked matrix, in blocks."""
    n_rows, n_columns = X.shape
    if sparse.issparse(X):
        yield from _sparse_blocks(X)
        return
    step = max(1, BLOCK_VALUES // max(n_columns, 1))
    if not X.flags.c_contiguous:
        # A block of an F-order array is gathered in runs of `step` values.
        step = max(step, 256)
    elif X.dtype in NATIVE:
        # A view costs no memory.
        step *= 8
    for first in range(0, n_rows, step):
        rows = np.arange(first, min(first + step, n_rows))
        yield DenseBlock(rows, _readable(X, X[first : first + step]))


def is_in_one_block(X: npt.NDArray[Any]) -> bool:
    """Whether :func:`blocks` would yield a small array as it is."""
    return 0 < X.size <= BLOCK_VALUES and _is_native(X)


def take(X: Any, rows: Indices) -> Iterator[Block]:
    """The given rows of a checked matrix, in that order, in blocks."""
    per_row = max(1, count_values(X, rows) // max(rows.size, 1))
    step = max(1, BLOCK_VALUES // per_row)
    parts = (rows[first : first + step] for first in range(0, rows.size, step))
    if not sparse.issparse(X):
        yield from _dense_blocks(X, parts)
        return
    in_place = X.has_canonical_format and X.dtype == np.float64
    for chosen in parts:
        if in_place:
            yield TakenBlock(X, chosen)
            continue
        part = X[chosen]
        yield _sparse_block(X, chosen, part.data, part.indices, part.indptr)


def count_values(X: Any, rows: Indices | None = None) -> int:
    """How many values the given rows store; by default, all."""
    if not sparse.issparse(X):
        return int(X.shape[1]) * (int(X.shape[0]) if rows is None else rows.size)
    return int(X.nnz if rows is None else (X.indptr[rows + 1] - X.indptr[rows]).sum())


def _dense_blocks(X: Any, parts: Iterator[Indices]) -> Iterator[Block]:
    for rows in parts:
        consecutive = rows[-1] - rows[0] == rows.size - 1 and bool((np.diff(rows) == 1).all())
        if consecutive:
            yield DenseBlock(rows, _readable(X, X[rows[0] : rows[-1] + 1]))
        elif _is_native(X):
            yield DenseBlock(rows, X, rows)
        else:
            yield DenseBlock(rows, as_float64(X[rows]))


def _is_native(X: Any) -> bool:
    return X.dtype in NATIVE and bool(X.flags.c_contiguous)


def _readable(X: Any, part: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Rows of ``X`` for compiled code: as they are, or a copy."""
    return part if _is_native(X) else as_float64(part)


def _sparse_blocks(X: Any) -> Iterator[Block]:
    ends = X.indptr
    first = 0
    while first < X.shape[0]:
        reach = int(np.searchsorted(ends, ends[first] + BLOCK_VALUES, side="right")) - 1
        # Empty rows cost nothing, so they are bounded apart from the values.
        last = min(max(first + 1, reach), first + BLOCK_VALUES, X.shape[0])
        low, high = int(ends[first]), int(ends[last])
        yield _sparse_block(
            X,
            np.arange(first, last),
            X.data[low:high],
            X.indices[low:high],
            ends[first : last + 1] - low,
        )
        first = last


def _sparse_block(whole: Any, rows: Indices, data: Any, indices: Any, ends: Any) -> SparseBlock:
    if not whole.has_canonical_format:
        # 64-bit integers are summed as such, since their sum may be beyond 2**53; the sums of all
        # others are what X @ w takes them to be.
        data = data if data.dtype.kind in "ui" and data.dtype.itemsize == 8 else as_float64(data)
        shape = (rows.size, whole.shape[1])
        part = sparse.csr_array((data, indices, ends), shape=shape, copy=True)
        part.sum_duplicates()
        data, indices, ends = part.data, part.indices, part.indptr
    return SparseBlock(
        rows, as_float64(data), np.ascontiguousarray(indices), np.ascontiguousarray(ends)
    )


def as_float64(values: npt.NDArray[Any]) -> Floats:
    """The values as float64 in C order; refuses integers that float64 does not have."""
    if values.dtype.kind in "ui" and values.dtype.itemsize == 8 and values.size:
        largest = max(int(values.max()), -int(values.min()))
        if largest > LARGEST_EXACT:
            raise CertificateError(
                f"the integer {largest} is beyond 2**53, where float64 skips integers: scale it"
            )
    return np.ascontiguousarray(values, dtype=np.float64)


def _not_finite(row: Any) -> CertificateError:
    return CertificateError(f"row {int(row)} holds a NaN or an infinity")
