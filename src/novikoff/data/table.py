"""The arguments and the result of a reader, and the error it raises."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from novikoff.certificate.escape import printable, quoted
from novikoff.data.encoding import MISSING, Encoding
from novikoff.data.memory import available_memory, size
from novikoff.data.numerals import PLAIN, Numerals

Column = str | int

LONGEST_LABEL = 1000
"""Maximum number of characters in a label. A longer text is hardly the name of a class, and an
array of labels takes the space of its longest label for every example."""

_LONGEST_PATH = 4096
_FIX = "correct or remove the row"


class DataError(ValueError):
    """Data that cannot be used; the message is one line with the cause and a remedy.

    ``options`` are options of the command line that would get around it, if there are some;
    ``surplus`` is by how many the file has too many columns, if that is the reason.
    """

    options: tuple[str, ...] = ()
    surplus: int = 0


@dataclass(frozen=True, eq=False)
class Table:
    """Examples read from a file.

    Attributes
    ----------
    X : ndarray or scipy.sparse.csr_matrix of shape (n, d)
        Finite numbers.
    y : ndarray of shape (n,) or None
        The labels with the type they have in the file: strings, integers, booleans or floats.
        None if no target was given and the format does not always contain labels.
    feature_names : tuple of str or None
        The names of the columns of `X`, if the file has column names.
    target_name : str or None
        The name of the column `y`, if the file has column names.
    weights : ndarray of float64 of shape (n,) or None
        The weights of the examples, finite and not negative, if a column of weights was given.
    left_out : tuple of str
        The names of the other columns of the file, if it has column names.
    encoding : Encoding or None
        How the columns of the file became those of `X`, unless all hold numbers as they are.
    dropped : ndarray of int64
        The rows that were left out because a value is missing, counted from 0.
    vanished : tuple
        The labels that only such rows have.
    missing : dict
        How many values are missing, by column.
    unseen : dict
        By column, how many rows have a word that the encoding does not know, and the first such
        word (None: the value is missing).
    counts : (str, str) or None
        The columns of successes and failures, if the examples were made from such counts.
    stripped : bool
        Whether blanks around labels were taken away.
    without_first : tuple of int
        Which columns of words have no feature for their first level.
    """

    X: Any
    y: NDArray[Any] | None
    feature_names: tuple[str, ...] | None = None
    target_name: str | None = None
    weights: NDArray[np.float64] | None = None
    left_out: tuple[str, ...] = ()
    encoding: Encoding | None = None
    dropped: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    vanished: tuple[Any, ...] = ()
    missing: dict[str, int] = field(default_factory=dict)
    unseen: dict[str, tuple[int, str | None]] = field(default_factory=dict)
    counts: tuple[str, str] | None = None
    stripped: bool = False
    without_first: tuple[int, ...] = ()


@dataclass(frozen=True)
class Request:
    """The arguments of `read`, passed to the reader of one format."""

    path: Path
    target: Column | None = None
    weights: Column | None = None
    drop: tuple[Column, ...] = ()
    features: tuple[str, ...] | None = None
    n_features: int | None = None
    labelled: bool = False
    header: bool | None = None
    missing: str = "error"
    words: tuple[Column, ...] = ()
    numerals: Numerals = PLAIN
    dates: str | None = None
    na: tuple[str, ...] = ()
    encoding: Encoding | None = None

    @property
    def missing_texts(self) -> frozenset[str]:
        """The texts that stand for a missing value."""
        return frozenset((*MISSING, *self.na))

    def error(self, message: str) -> DataError:
        """Make a `DataError` that starts with the name of the file."""
        return DataError(f"{printable(self.path.as_posix(), _LONGEST_PATH)}: {message}")

    @property
    def width(self) -> int | None:
        """The required number of features, if it is known."""
        if self.n_features is None and self.features is not None:
            return len(self.features)
        return self.n_features

    def check_width(self, width: int) -> None:
        """Refuse a file that does not have the required number of features."""
        if self.width is not None and width != self.width:
            error = self.error(f"it has {width} features where {self.width} are expected")
            error.surplus = max(0, width - self.width)
            raise error

    def check_memory(self, needed: int, what: str = "it") -> None:
        """Refuse in advance to read what needs more memory than is available."""
        free = available_memory()
        if free is not None and needed > free:
            raise self.error(
                f"{what} needs at least {size(needed)} of memory, and {size(free)} are available"
            )

    def check_finite(self, X: Any, descriptions: Sequence[str] | None = None) -> None:
        """Refuse NaN and infinity; `descriptions` of the columns are used in the message."""
        values = X.data if issparse(X) else X
        if values.dtype.kind != "f":
            return
        # In blocks, so that the mask is small compared with the data.
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
            where = descriptions[column] if descriptions else describe_column(None, column)
            raise self.error(f"{where}, row {row + 1}: {value} is not a finite number; {_FIX}")

    def check_labels(self, y: NDArray[Any], n_rows: int, name: str) -> NDArray[Any]:
        """Refuse labels that are missing, too many or too few, or neither strings nor numbers."""
        y = self._check_length(y, n_rows, name)
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
        """Refuse texts that are too long for a label; `start` is the index of the first row."""
        if lengths.size and lengths.max() > LONGEST_LABEL:
            row = int(np.argmax(lengths > LONGEST_LABEL))
            raise self.error(
                f"{name}, row {start + row + 1}: the label has {lengths[row]:,} characters, more "
                f"than {LONGEST_LABEL:,}; is this the column of the labels?"
            )

    def check_weights(
        self, weights: NDArray[Any], n_rows: int, name: str, start: int = 0
    ) -> NDArray[np.float64]:
        """Refuse weights that are not finite or negative; `start` is the index of the first row."""
        weights = self._check_length(weights, n_rows, name)
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

    def _check_length(self, values: NDArray[Any], n_rows: int, name: str) -> NDArray[Any]:
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
"""float64 represents every integer up to this magnitude, and not every larger one."""


def describe_column(names: Sequence[str] | None, column: int) -> str:
    """Describe a column in a message, by its name if there are names, else by its position."""
    return f"column {column}" if names is None else f"column {quoted(names[column])}"


def join_names(names: Sequence[str]) -> str:
    """List names in a message: all of them if they are few, else the first and the last ones."""
    few = names if len(names) <= 12 else [*names[:8], "…", *names[-2:]]
    return ", ".join(printable(name) or "''" for name in few)


def dtype_name(array: NDArray[Any]) -> str:
    """Return the dtype of an array for a message, escaped: a structured dtype has field names."""
    return printable(array.dtype)


def as_features(request: Request, X: NDArray[Any]) -> NDArray[Any]:
    """Refuse an array that is not a finite matrix of numbers, and convert it to a usable dtype."""
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
    """Convert half precision, booleans, extended precision and non-native byte orders."""
    dtype = values.dtype.newbyteorder("=")
    if dtype == np.bool_:
        dtype = np.dtype(np.uint8)
    elif dtype.kind == "f" and dtype.itemsize not in (4, 8):
        dtype = np.dtype(np.float32 if dtype.itemsize == 2 else np.float64)
    if dtype != values.dtype:
        request.check_memory(values.size * dtype.itemsize)
    with np.errstate(over="ignore", invalid="ignore"):  # refused by check_finite
        return values.astype(dtype, copy=False)
