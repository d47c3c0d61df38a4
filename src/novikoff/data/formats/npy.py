"""numpy's own files: one array in npy, several or a sparse matrix in npz."""

from __future__ import annotations

import struct
import tokenize
import zipfile
import zlib
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, issparse, load_npz

from novikoff.data.columns import choose
from novikoff.data.table import Column, Request, Table, as_features

_SPARSE = {"format", "shape", "data"}

# A file with a few bytes changed makes numpy, scipy and zipfile raise any of these: they parse
# the header as Python and trust the sizes in it.
_SPOILT = (
    ArithmeticError,
    EOFError,
    LookupError,
    MemoryError,
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
    """Read one array of rows; the target is one of its columns, by position."""
    with request.path.open("rb") as stream:
        array = _load(request, stream)
    return _split(request, array)


def read_npz(request: Request) -> Table:
    """Read the arrays `X` and `y`, or a matrix that scipy.sparse.save_npz wrote.

    `target` is the name of an array (``"y"`` where there is one) or the position of a column
    of the matrix.
    """
    with request.path.open("rb") as stream, _load(request, stream) as arrays:
        keys = list(arrays.keys())
        target = request.target
        if target is None:
            label = "y" if "y" in keys else None
        else:
            label = _array_name(request, target, keys)
        y = None if label is None else _member(request, arrays, label)
        if set(keys) >= _SPARSE:
            X: Any = _sparse(request)
        elif "X" in keys:
            X = _member(request, arrays, "X")
        else:
            raise request.error(f"it holds {', '.join(keys) or 'nothing'}: name the rows X")
    if y is None:
        return _split(request, X)
    without = Request(request.path, None, request.drop, request.features, request.n_features)
    table = _split(without, X)
    return Table(table.X, request.check_labels(y, table.X.shape[0], f"array {label!r}"))


def _array_name(request: Request, target: Column, keys: list[str]) -> str | None:
    """Tell the name of an array from the position of a column."""
    if isinstance(target, int):
        return None
    if target not in keys and not target.lstrip("-").isdecimal():
        raise request.error(f"no array {target!r}: it holds {', '.join(keys)}")
    return target if target in keys else None


def _load(request: Request, stream: IO[bytes]) -> Any:
    # The stream is ours: numpy leaves a file it opened itself open when that is no zip.
    try:
        return np.load(stream, allow_pickle=False)
    except _SPOILT as error:
        raise _unreadable(request, error) from None


def _member(request: Request, arrays: Any, name: str) -> NDArray[Any]:
    try:
        return np.asarray(arrays[name])
    except _SPOILT as error:
        raise _unreadable(request, error) from None


def _unreadable(request: Request, error: Exception) -> Exception:
    if "allow_pickle" in str(error) and "Object arrays" in str(error):
        return request.error("it holds Python objects, not numbers; save arrays of numbers")
    return request.error("not a readable numpy file, or cut short; save it again")


def _sparse(request: Request) -> Any:
    try:
        matrix = load_npz(request.path)
        if hasattr(matrix, "check_format"):
            # Compiled code does not ask again whether an index is inside the matrix.
            matrix.check_format(full_check=True)
        return matrix.tocsr()
    except _SPOILT:
        raise request.error("not a readable sparse matrix; save it again") from None


def _split(request: Request, X: Any) -> Table:
    """Take the target out of the columns."""
    if issparse(X):
        X = csr_matrix(X)
        if X.data.dtype.kind not in "biuf":
            raise request.error(f"the matrix is of type {X.data.dtype}: expected numbers")
        if not X.shape[0]:
            raise request.error("it has no rows")
        X.sum_duplicates()
        request.check_finite(X)
    else:
        X = as_features(request, X)
    choice = choose(request, None, X.shape[1])
    y: NDArray[Any] | None = None
    if choice.target is not None:
        column = X[:, [choice.target]]
        y = np.ravel(column.toarray() if issparse(column) else column)
    if len(choice.features) < X.shape[1]:
        X = X[:, list(choice.features)]
        X = X if issparse(X) else np.ascontiguousarray(X)
    return Table(X, y)
