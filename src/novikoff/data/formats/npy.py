"""numpy's own files: one array in npy, several or a sparse matrix in npz."""

from __future__ import annotations

import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse

from novikoff.certificate.escape import printable, quoted
from novikoff.data.columns import choose
from novikoff.data.formats.sparse import read_sparse
from novikoff.data.table import (
    LONGEST_LABEL,
    Column,
    DataError,
    Request,
    Table,
    as_features,
    as_native,
    describe_column,
    dtype_name,
    join_names,
)

Check = Callable[[Request, np.dtype[Any]], None]

_SPARSE = {"format", "shape", "data"}
_HEADERS: dict[tuple[int, int], Callable[[IO[bytes]], Any]] = {
    (1, 0): npy_format.read_array_header_1_0,
    (2, 0): npy_format.read_array_header_2_0,
}
_LONGEST_HEADER = 10_000
"""Bytes: numpy's own limit, which it checks only when it has read the header."""

# A file with a few bytes changed makes numpy, scipy and zipfile raise any of these: they parse
# the header as Python and trust the sizes in it.
_DAMAGED = (
    ArithmeticError,
    EOFError,
    LookupError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)


def read_npy(request: Request) -> Table:
    """Read one array of rows; target and weights are columns of it, by position."""
    n_bytes = request.path.stat().st_size
    array = _array(request, lambda: request.path.open("rb"), n_bytes, _refuse_other_than_numbers)
    return _split(request, array)


def read_npz(request: Request) -> Table:
    """Read the arrays `X` and `y`, or a matrix that scipy.sparse.save_npz wrote.

    Target and weights are names of arrays (the target ``"y"`` where there is one) or positions
    of columns of the matrix.
    """
    try:
        archive = zipfile.ZipFile(request.path)
    except _DAMAGED:
        raise _unreadable(request) from None
    with archive:
        arrays = _Arrays(request, archive)
        label = arrays.name(request.target)
        if request.target is None and "y" in arrays.members:
            label = "y"
        weight = arrays.name(request.weights)
        y = None if label is None else arrays.read(label, _refuse_long_labels)
        weights = None if weight is None else arrays.read(weight)
        if arrays.members.keys() >= _SPARSE:
            X: Any = _sparse(request, arrays)
        elif "X" in arrays.members:
            X = arrays.read("X", _refuse_other_than_numbers)
        else:
            there = join_names(list(arrays.members)) or "nothing"
            raise request.error(f"it contains {there}: name the rows X")
    columns = replace(
        request,
        target=None if y is not None else request.target,
        weights=None if weights is not None else request.weights,
        labelled=request.labelled and y is None,
    )
    table = _split(columns, X)
    n = table.X.shape[0]
    if y is not None:
        table = replace(table, y=request.check_labels(y, n, f"array {quoted(label)}"))
    if weights is not None:
        weights = request.check_weights(weights, n, f"array {quoted(weight)}")
        table = replace(table, weights=weights)
    return table


class _Arrays:
    """The arrays of an npz file, by name."""

    def __init__(self, request: Request, archive: zipfile.ZipFile) -> None:
        self.request = request
        self.archive = archive
        self.members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}

    def name(self, column: Column | None) -> str | None:
        """Tell the name of an array from the position of a column."""
        if column is None or isinstance(column, int):
            return None
        if column in self.members:
            return column
        if not column.removeprefix("-").isdecimal():
            there = join_names(list(self.members))
            raise self.request.error(f"no array {quoted(column)}: it contains {there}")
        return None

    def read(self, name: str, check: Check | None = None) -> NDArray[Any]:
        """Read an array, refusing one that is larger than its header says or than the memory."""
        info = self.members[name]
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise self.request.error(
                f"array {quoted(name)} uses a compression method that numpy does not write"
            )
        return _array(self.request, lambda: self.archive.open(info), info.file_size, check)


def _refuse_other_than_numbers(request: Request, dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "biuf":
        raise request.error(f"the array is of type {printable(dtype)}: expected numbers")


def _refuse_long_labels(request: Request, dtype: np.dtype[Any]) -> None:
    if dtype.kind in "SU" and dtype.itemsize > 4 * LONGEST_LABEL:
        raise request.error(
            f"the labels are of type {printable(dtype)}: a label has at most "
            f"{LONGEST_LABEL:,} characters"
        )


def _array(
    request: Request, begin: Callable[[], IO[bytes]], n_bytes: int, check: Check | None = None
) -> NDArray[Any]:
    """Read an array from a stream of `n_bytes` bytes, which `begin` opens.

    `check` refuses types before the array is read.
    """
    try:
        with warnings.catch_warnings():
            # numpy's, on a header as Python 2 wrote it.
            warnings.filterwarnings("ignore", "Reading `.npy`", UserWarning)
            with begin() as stream:
                shape, dtype, start = _header(request, stream)
            if check is not None:
                check(request, dtype)
            promised = math.prod(shape) * dtype.itemsize
            if min(shape, default=0) < 0 or promised != n_bytes - start:
                raise ValueError("the size in the header is not that of the file")
            request.check_memory(promised)
            with begin() as stream:
                array: NDArray[Any] = npy_format.read_array(stream, allow_pickle=False)
            return array
    except DataError:
        raise
    except _DAMAGED:
        raise _unreadable(request) from None


def _header(request: Request, stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any], int]:
    """Read what the array is, and where in the stream it begins."""
    version = npy_format.read_magic(stream)
    length = int.from_bytes(stream.read(2 if version == (1, 0) else 4), "little")
    if length > _LONGEST_HEADER or version not in _HEADERS:
        raise ValueError("not the header of an array of numbers or strings")
    stream.seek(npy_format.MAGIC_LEN)
    shape, _, dtype = _HEADERS[version](stream)
    if dtype.hasobject:
        raise request.error("it contains Python objects, not numbers; save arrays of numbers")
    return shape, dtype, stream.tell()


def _unreadable(request: Request) -> Exception:
    return request.error("not a readable numpy file, or cut short; save it again")


def _sparse(request: Request, arrays: _Arrays) -> Any:
    try:
        return read_sparse(request, arrays.read)
    except DataError:
        raise
    except _DAMAGED:
        raise request.error("not a readable sparse matrix; save it again") from None


def _split(request: Request, X: Any) -> Table:
    """Take the target and the weights out of the columns."""
    if issparse(X):
        X = csr_matrix(X)
        if X.data.dtype.kind not in "biuf":
            raise request.error(f"the matrix is of type {dtype_name(X.data)}: expected numbers")
        if not X.shape[0]:
            raise request.error("it has no rows")
        request.check_memory(8 * X.shape[1], "one row as an array")
        X = csr_matrix((as_native(request, X.data), X.indices, X.indptr), shape=X.shape)
        X.sum_duplicates()
        request.check_finite(X)
    else:
        X = as_features(request, X)
    n, d = X.shape
    choice = choose(request, None, d)
    y: NDArray[Any] | None = None
    weights: NDArray[np.float64] | None = None
    if choice.target is not None:
        y = request.check_labels(_column(X, choice.target), n, describe_column(None, choice.target))
    if choice.weights is not None:
        values = _column(X, choice.weights)
        weights = request.check_weights(values, n, describe_column(None, choice.weights))
    if len(choice.features) < d:
        X = X[:, list(choice.features)]
        X = X if issparse(X) else np.ascontiguousarray(X)
    return Table(X, y, weights=weights)


def _column(X: Any, j: int) -> NDArray[Any]:
    column = X[:, [j]]
    return np.ravel(column.toarray() if issparse(column) else column)
