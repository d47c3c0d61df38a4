"""What a reader returns, what it is asked for, and the one error it raises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

Column = str | int


class DataError(ValueError):
    """Data that cannot be used: one line that names the cause and the cure."""


@dataclass(frozen=True, eq=False)
class Table:
    """Examples read from a file.

    Attributes
    ----------
    X : ndarray or scipy.sparse.csr_matrix of shape (n, d)
        Finite numbers.
    y : ndarray of shape (n,) or None
        The labels with the type they have in the file: strings, integers, booleans or floats.
        None where no target was named and the format has no place for one.
    feature_names : tuple of str or None
        The columns of `X`, where the file names them.
    target_name : str or None
        The column `y` came from, where the file names it.
    """

    X: Any
    y: NDArray[Any] | None
    feature_names: tuple[str, ...] | None = None
    target_name: str | None = None


@dataclass(frozen=True)
class Request:
    """The arguments of `read`, handed to the reader of one format."""

    path: Path
    target: Column | None = None
    drop: tuple[Column, ...] = ()
    features: tuple[str, ...] | None = None
    n_features: int | None = None
    labelled: bool = False
    header: bool | None = None

    def error(self, message: str) -> DataError:
        """Make a `DataError` that starts with the name of the file."""
        return DataError(f"{self.path}: {message}")

    @property
    def width(self) -> int | None:
        """The number of features there must be, if that is known."""
        if self.n_features is None and self.features is not None:
            return len(self.features)
        return self.n_features

    def check_width(self, width: int) -> None:
        """Refuse a file whose number of features is not the one asked for."""
        if self.width is not None and width != self.width:
            raise self.error(f"it has {width} features where {self.width} are expected")

    def check_finite(self, X: Any, places: Sequence[str] | None = None) -> None:
        """Refuse NaN and infinity; `places` names the columns in the message."""
        values = X.data if issparse(X) else X
        if values.dtype.kind != "f":
            return
        # Blocks keep the mask small beside the data.
        step = max(1, (1 << 20) // max(1, values[:1].size))
        for start in range(0, len(values), step):
            bad = np.argwhere(~np.isfinite(values[start : start + step]))
            if not bad.size:
                continue
            at = start + int(bad[0, 0])
            if issparse(X):
                row = int(np.searchsorted(X.indptr, at, side="right")) - 1
                column, value = int(X.indices[at]), values[at]
            else:
                row, column = at, int(bad[0, 1])
                value = values[row, column]
            raise self.error(
                f"{places[column] if places else place(None, column)}, row {row + 1}: "
                f"{value} is not a finite number; mend or leave out the row"
            )

    def check_labels(self, y: NDArray[Any], n_rows: int, name: str) -> NDArray[Any]:
        """Refuse labels that are missing, of the wrong number or of an unusable type."""
        if y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if y.shape != (n_rows,):
            raise self.error(f"{name} has shape {y.shape} where ({n_rows},) is expected")
        if y.dtype.kind == "S":
            y = np.char.decode(y, "utf-8")
        if y.dtype.kind not in "biufU":
            raise self.error(f"{name} is of type {y.dtype}: labels are strings or numbers")
        missing = ~np.isfinite(y) if y.dtype.kind == "f" else y == "" if y.dtype.kind == "U" else []
        if np.any(missing):
            row = int(np.argmax(missing)) + 1
            raise self.error(f"{name}, row {row}: the label is missing; mend or leave out the row")
        return y


def place(names: Sequence[str] | None, column: int) -> str:
    """Name a column in a message."""
    return f"column {column}" if names is None else f"column {names[column]!r}"


def as_features(request: Request, X: NDArray[Any]) -> NDArray[Any]:
    """Make an array two-dimensional, of one of the native number types the library computes with.

    Only half precision, booleans, extended precision and foreign byte orders are converted.
    """
    if X.ndim != 2:
        raise request.error(f"the array has shape {X.shape}: expected rows and columns")
    if X.dtype.kind not in "biuf":
        raise request.error(f"the array is of type {X.dtype}: expected numbers")
    if not len(X):
        raise request.error("it has no rows")
    dtype = X.dtype.newbyteorder("=")
    if dtype == np.bool_:
        dtype = np.dtype(np.uint8)
    elif dtype.kind == "f" and dtype.itemsize not in (4, 8):
        dtype = np.dtype(np.float32 if dtype.itemsize == 2 else np.float64)
    X = X.astype(dtype, copy=False)
    request.check_finite(X)
    return X
