"""What a reader returns, what it is asked for, and the one error it raises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from novikoff.certificate.escape import printable, quoted
from novikoff.data.memory import available_memory, size

Column = str | int

LONGEST_LABEL = 1000
"""Characters in a label. A label names a class; a longer text is some other column, and an array
of labels takes the space of the longest one for each example."""

_LONGEST_PATH = 4096
_FIX = "correct or remove the row"


class DataError(ValueError):
    """Data that cannot be used: one line that names the cause and what to do about it."""


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
    weights : ndarray of float64 of shape (n,) or None
        The weights of the examples, finite and not negative, where a column of weights was named.
    """

    X: Any
    y: NDArray[Any] | None
    feature_names: tuple[str, ...] | None = None
    target_name: str | None = None
    weights: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class Request:
    """The arguments of `read`, handed to the reader of one format."""

    path: Path
    target: Column | None = None
    weights: Column | None = None
    drop: tuple[Column, ...] = ()
    features: tuple[str, ...] | None = None
    n_features: int | None = None
    labelled: bool = False
    header: bool | None = None

    def error(self, message: str) -> DataError:
        """Make a `DataError` that starts with the name of the file."""
        return DataError(f"{printable(self.path.as_posix(), _LONGEST_PATH)}: {message}")

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

    def check_memory(self, needed: int, what: str = "it") -> None:
        """Refuse to read what needs more memory than there is, before that is tried."""
        free = available_memory()
        if free is not None and needed > free:
            raise self.error(
                f"{what} needs at least {size(needed)} of memory, and {size(free)} are available"
            )

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
            where = places[column] if places else place(None, column)
            raise self.error(f"{where}, row {row + 1}: {value} is not a finite number; {_FIX}")

    def check_labels(self, y: NDArray[Any], n_rows: int, name: str) -> NDArray[Any]:
        """Refuse labels that are missing, of the wrong number or of a type that is no label's."""
        y = self._one_for_each_row(y, n_rows, name)
        if y.dtype.kind == "S":
            self.check_memory(4 * y.nbytes, name)
            try:
                y = np.char.decode(y, "utf-8")
            except UnicodeDecodeError:
                raise self.error(f"{name} is not UTF-8 text; save it as UTF-8") from None
        kind = y.dtype.kind
        if kind not in "biufU" or (kind == "f" and y.dtype.itemsize > 8):
            raise self.error(f"{name} is of type {dtype_name(y)}: labels are strings or numbers")
        if kind == "U":
            self._refuse_first(y, (y == "") | np.char.isspace(y), name, "the label is missing")
        elif kind == "f":
            self._refuse_first(y, np.isnan(y), name, "the label is missing")
            self._refuse_first(
                y, np.isinf(y), name, "the label {} is infinite, or too large for float64"
            )
        return y

    def check_label_lengths(self, lengths: NDArray[Any], name: str, start: int = 0) -> None:
        """Refuse texts that are too long for a label; `start` counts the rows before these."""
        if lengths.size and lengths.max() > LONGEST_LABEL:
            row = int(np.argmax(lengths > LONGEST_LABEL))
            raise self.error(
                f"{name}, row {start + row + 1}: the label has {lengths[row]:,} characters, more "
                f"than {LONGEST_LABEL:,}; is this the column of the labels?"
            )

    def check_weights(
        self, weights: NDArray[Any], n_rows: int, name: str, start: int = 0
    ) -> NDArray[np.float64]:
        """Refuse weights that are not finite, or negative; `start` counts the rows before these."""
        weights = self._one_for_each_row(weights, n_rows, name)
        if weights.dtype.kind not in "biuf":
            raise self.error(f"{name} is of type {dtype_name(weights)}: weights are numbers")
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            numbers = weights.astype(np.float64)
        wrong = "the weight {} is not a finite number"
        self._refuse_first(weights, ~np.isfinite(numbers), name, wrong, start)
        self._refuse_first(weights, numbers < 0.0, name, "the weight {} is negative", start)
        if weights.dtype.kind in "iu" and numbers.size and numbers.max() >= EXACT:
            inexact = np.array([float(value) != value for value in weights.tolist()])
            wrong = "float64 cannot represent the weight {} exactly"
            self._refuse_first(weights, inexact, name, wrong, start)
        return numbers

    def _one_for_each_row(self, values: NDArray[Any], n_rows: int, name: str) -> NDArray[Any]:
        if values.ndim == 2 and values.shape[1] == 1:
            values = values[:, 0]
        if values.shape != (n_rows,):
            raise self.error(f"{name} has shape {values.shape} where ({n_rows},) is expected")
        return values

    def _refuse_first(
        self, values: NDArray[Any], bad: NDArray[Any], name: str, message: str, start: int = 0
    ) -> None:
        if bad.any():
            row = int(np.argmax(bad))
            wrong = message.format(values[row])
            raise self.error(f"{name}, row {start + row + 1}: {wrong}; {_FIX}")


EXACT = 2**53
"""Integers up to here are float64 numbers; beyond, not all are."""


def place(names: Sequence[str] | None, column: int) -> str:
    """Name a column in a message."""
    return f"column {column}" if names is None else f"column {quoted(names[column])}"


def listed(names: Sequence[str]) -> str:
    """Show names in a message: all of them if they are few, else the first and the last ones."""
    few = names if len(names) <= 12 else [*names[:8], "…", *names[-2:]]
    return ", ".join(map(printable, few))


def dtype_name(array: NDArray[Any]) -> str:
    """Name the type of an array in a message; the fields of a record have names of their own."""
    return printable(array.dtype)


def as_features(request: Request, X: NDArray[Any]) -> NDArray[Any]:
    """Refuse an array that is not one of rows of numbers, and give it a type to compute with."""
    if X.ndim != 2:
        raise request.error(f"the array has shape {X.shape}: expected rows and columns")
    if X.dtype.kind not in "biuf":
        raise request.error(f"the array is of type {dtype_name(X)}: expected numbers")
    if not X.size:
        raise request.error("it has no columns" if len(X) else "it has no rows")
    X = as_native(request, X)
    request.check_finite(X)
    return X


def as_native(request: Request, values: NDArray[Any]) -> NDArray[Any]:
    """Convert half precision, booleans, extended precision and foreign byte orders."""
    dtype = values.dtype.newbyteorder("=")
    if dtype == np.bool_:
        dtype = np.dtype(np.uint8)
    elif dtype.kind == "f" and dtype.itemsize not in (4, 8):
        dtype = np.dtype(np.float32 if dtype.itemsize == 2 else np.float64)
    if dtype != values.dtype:
        request.check_memory(values.size * dtype.itemsize)
    with np.errstate(over="ignore", invalid="ignore"):  # refused by check_finite
        return values.astype(dtype, copy=False)
