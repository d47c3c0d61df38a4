"""Reading the examples block by block, whatever they are stored in.

A block is a few rows in float64, converted exactly, small enough to stay in the cache while
several sums over it are taken. The data as a whole is never copied.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from .dyadic import Dyadic
from .errors import CertificateError

Floats: TypeAlias = npt.NDArray[np.float64]
Indices: TypeAlias = npt.NDArray[np.int64]

BLOCK_VALUES = 1 << 17
"""Values in a block: one megabyte of float64."""

_LARGEST_EXACT = 1 << 53
"""Up to here every integer is a float64."""


class Block(Protocol):
    """A few rows: the sums a check takes over them, in floating point and exactly."""

    rows: Indices

    def products(self, w: Floats) -> Floats:
        """Inner product of each row with ``w``, summed in any order."""

    def magnitudes(self, w: Floats) -> Floats:
        """The same sums over absolute values, ``w`` being nonnegative."""

    def combine(self, weights: Floats, total: Floats, magnitude: Floats) -> None:
        """Add the weighted sum of the rows to ``total`` and of their moduli to ``magnitude``."""

    def exact_products(self, w: Dyadic) -> tuple[list[int], int]:
        """Inner product of each row with ``w``, as integers and their common exponent."""

    def exact_columns(self) -> tuple[Indices, Dyadic]:
        """The columns that hold a value, and the rows restricted to them, exactly."""


@dataclass
class DenseBlock:
    """Rows of an array."""

    rows: Indices
    values: Floats

    def products(self, w: Floats) -> Floats:
        """See :class:`Block`."""
        return self.values @ w

    def magnitudes(self, w: Floats) -> Floats:
        """See :class:`Block`."""
        return np.abs(self.values) @ w

    def combine(self, weights: Floats, total: Floats, magnitude: Floats) -> None:
        """See :class:`Block`."""
        total += weights @ self.values
        magnitude += np.abs(weights) @ np.abs(self.values)

    def exact_products(self, w: Dyadic) -> tuple[list[int], int]:
        """See :class:`Block`."""
        values = Dyadic.of(self.values)
        bits = values.bits + w.bits + self.values.shape[1].bit_length()
        sums = values.to(bits) @ w.to(bits)
        return [int(s) for s in sums], values.exponent + w.exponent

    def exact_columns(self) -> tuple[Indices, Dyadic]:
        """See :class:`Block`."""
        columns = np.flatnonzero((self.values != 0).any(axis=0))
        return columns, Dyadic.of(self.values[:, columns])


@dataclass
class SparseBlock:
    """Rows of a CSR matrix, each column at most once in a row."""

    rows: Indices
    values: Any

    def products(self, w: Floats) -> Floats:
        """See :class:`Block`."""
        return np.asarray(self.values @ w)

    def magnitudes(self, w: Floats) -> Floats:
        """See :class:`Block`."""
        return np.asarray(abs(self.values) @ w)

    def combine(self, weights: Floats, total: Floats, magnitude: Floats) -> None:
        """See :class:`Block`."""
        terms = self.values.data * np.repeat(weights, np.diff(self.values.indptr))
        np.add.at(total, self.values.indices, terms)
        np.add.at(magnitude, self.values.indices, np.abs(terms))

    def exact_products(self, w: Dyadic) -> tuple[list[int], int]:
        """See :class:`Block`."""
        values = Dyadic.of(self.values.data)
        bits = values.bits + w.bits + self.values.nnz.bit_length()
        terms = values.to(bits) * w.to(bits)[self.values.indices]
        ends = self.values.indptr
        sums = [int(terms[first:last].sum()) for first, last in pairwise(ends)]
        return sums, values.exponent + w.exponent

    def exact_columns(self) -> tuple[Indices, Dyadic]:
        """See :class:`Block`."""
        columns = np.unique(self.values.indices).astype(np.int64)
        return columns, Dyadic.of(self.values[:, columns].toarray())


def check_matrix(X: Any) -> Any:
    """``X`` as an ndarray or CSR matrix of a type whose values are float64 numbers."""
    matrix: Any = X if sparse.issparse(X) else np.asarray(X)
    if matrix.ndim != 2:
        raise CertificateError(f"the examples must be a table of rows, not an array of {X.shape}")
    if matrix.dtype.kind not in "bui" and matrix.dtype not in (
        np.float64,
        np.float32,
        np.float16,
    ):
        raise CertificateError(f"the examples must be numbers of at most 64 bits: {matrix.dtype}")
    if sparse.issparse(matrix) and matrix.format != "csr":
        raise CertificateError(
            f"sparse examples must be in CSR format (X.tocsr()): {matrix.format}"
        )
    return matrix


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
    for first in range(0, n_rows, step):
        last = min(first + step, n_rows)
        yield DenseBlock(np.arange(first, last), _as_float64(X[first:last]))


def take(X: Any, rows: Indices) -> Iterator[Block]:
    """The given rows of a checked matrix, in that order, in blocks."""
    if sparse.issparse(X):
        per_row = max(1, X.nnz // max(X.shape[0], 1))
        step = max(1, BLOCK_VALUES // per_row)
    else:
        step = max(1, BLOCK_VALUES // max(X.shape[1], 1))
    for first in range(0, rows.size, step):
        chosen = rows[first : first + step]
        if sparse.issparse(X):
            yield SparseBlock(chosen, _canonical(X[chosen], X))
        else:
            yield DenseBlock(chosen, _as_float64(X[chosen]))


def count_values(X: Any, rows: Indices | None = None) -> int:
    """How many values the given rows store; by default, all."""
    if not sparse.issparse(X):
        return int(X.shape[1]) * (int(X.shape[0]) if rows is None else rows.size)
    return int(X.nnz if rows is None else (X.indptr[rows + 1] - X.indptr[rows]).sum())


def _sparse_blocks(X: Any) -> Iterator[Block]:
    ends = X.indptr
    first = 0
    while first < X.shape[0]:
        reach = int(np.searchsorted(ends, ends[first] + BLOCK_VALUES, side="right")) - 1
        # Empty rows cost nothing, so they are bounded apart from the values.
        last = min(max(first + 1, reach), first + BLOCK_VALUES, X.shape[0])
        low, high = int(ends[first]), int(ends[last])
        part = sparse.csr_array(
            (X.data[low:high], X.indices[low:high], ends[first : last + 1] - low),
            shape=(last - first, X.shape[1]),
        )
        yield SparseBlock(np.arange(first, last), _canonical(part, X))
        first = last


def _canonical(part: Any, whole: Any) -> Any:
    data = _as_float64(part.data)
    exact = sparse.csr_array((data, part.indices, part.indptr), shape=part.shape)
    if not whole.has_canonical_format:
        exact = exact.copy()
        exact.sum_duplicates()
    return exact


def _as_float64(values: npt.NDArray[Any]) -> Floats:
    if values.dtype.kind in "ui" and values.dtype.itemsize == 8 and values.size:
        largest = max(abs(int(values.max())), abs(int(values.min())))
        if largest > _LARGEST_EXACT:
            raise CertificateError(
                f"the integer {largest} is beyond 2**53, where float64 skips integers: scale it"
            )
    return np.ascontiguousarray(values, dtype=np.float64)
