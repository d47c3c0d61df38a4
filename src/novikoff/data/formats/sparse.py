"""Sparse matrices from the arrays that scipy.sparse.save_npz writes, with every index checked.

scipy's compiled code trusts these arrays, and `check_format` does not look at the indices when the
last entry of `indptr` is 0: a damaged file could make it write outside of its memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import bsr_matrix, coo_matrix, csc_matrix, csr_matrix

from novikoff.data.table import Request

PARTS = {
    "csr": ("indices", "indptr"),
    "csc": ("indices", "indptr"),
    "bsr": ("indices", "indptr"),
    "coo": ("row", "col"),
    "dia": ("offsets",),
}
"""The arrays of each format, in addition to `data`, `shape` and `format`."""

Read = Callable[[str], NDArray[Any]]


def read_sparse(request: Request, read: Read) -> Any:
    """Make a CSR matrix of the arrays that `read` returns by name.

    Raises
    ------
    ValueError, TypeError, LookupError
        If they do not make a matrix.
    """
    word = read("format").item()
    format = word.decode("ascii") if isinstance(word, bytes) else word
    n, d = map(int, _integers(read("shape")))
    parts = [_integers(read(name)) for name in PARTS[format]]
    data = read("data")
    if n < 0 or d < 0:
        raise ValueError("a dimension is negative")
    # The starts of the rows; the values and their columns, once more while they are sorted.
    request.check_memory(8 * (n + 1) + 2 * (data.itemsize + 8) * data.size)
    if format == "coo":
        return _from_coordinates(data, parts[0], parts[1], n, d).tocsr()
    if format == "dia":
        return _from_diagonals(data, parts[0], n, d).tocsr()
    indices, indptr = parts
    if format == "bsr":
        _, height, width = data.shape
        if not height or not width or n % height or d % width:
            raise ValueError("the blocks do not fit into the matrix")
        indices = _checked(indices, indptr, len(data), n // height, d // width)
        return bsr_matrix((data[: len(indices)], indices, indptr), shape=(n, d)).tocsr()
    rows, columns = (n, d) if format == "csr" else (d, n)
    indices = _checked(indices, indptr, len(data), rows, columns)
    make = csr_matrix if format == "csr" else csc_matrix
    return make((data[: len(indices)], indices, indptr), shape=(n, d)).tocsr()


def _integers(array: NDArray[Any]) -> NDArray[np.int64]:
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise ValueError("an array of indices is not one of integers")
    if array.dtype == np.uint64 and array.size and array.max() > np.iinfo(np.int64).max:
        raise ValueError("an index is beyond 64 bits")
    return array.astype(np.int64, copy=False)


def _checked(
    indices: NDArray[np.int64], indptr: NDArray[np.int64], n_values: int, rows: int, columns: int
) -> NDArray[np.int64]:
    """Check the arrays of a CSR matrix, and return the indices that `indptr` refers to."""
    if len(indptr) != rows + 1 or indptr[0] != 0 or (np.diff(indptr) < 0).any():
        raise ValueError("indptr does not ascend from 0")
    used = int(indptr[-1])
    if len(indices) != n_values or used > n_values:
        raise ValueError("there are more or fewer indices than values")
    _check_range(indices[:used], columns)
    return indices[:used]


def _check_range(indices: NDArray[np.int64], length: int) -> None:
    if indices.size and (indices.min() < 0 or indices.max() >= length):
        raise ValueError("an index is outside of the matrix")


def _from_coordinates(
    data: NDArray[Any], row: NDArray[np.int64], col: NDArray[np.int64], n: int, d: int
) -> Any:
    if data.shape != row.shape or data.shape != col.shape:
        raise ValueError("there are more or fewer indices than values")
    _check_range(row, n)
    _check_range(col, d)
    return coo_matrix((data, (row, col)), shape=(n, d))


def _from_diagonals(data: NDArray[Any], offsets: NDArray[np.int64], n: int, d: int) -> Any:
    """Entry j of diagonal k is in column j and row j - k."""
    if data.ndim != 2 or len(data) != len(offsets) or len(np.unique(offsets)) != len(offsets):
        raise ValueError("there is not one offset for each diagonal")
    if not len(offsets):
        return coo_matrix((n, d), dtype=data.dtype)
    rows, columns, values = [], [], []
    for diagonal, offset in zip(data, offsets.tolist(), strict=True):
        start, stop = max(0, offset), min(len(diagonal), d, n + offset)
        column = np.arange(start, max(start, stop))
        rows.append(column - offset if column.size else column)
        columns.append(column)
        values.append(diagonal[start : max(start, stop)])
    return coo_matrix(
        (np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))), shape=(n, d)
    )
