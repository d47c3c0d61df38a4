"""From Arrow's columns, which CSV and Parquet share, to rows of numbers, labels and weights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from novikoff.data.columns import Choice
from novikoff.data.encoding import DATES, Encoding
from novikoff.data.formats.encode import Encoder
from novikoff.data.formats.target import (
    check_label_type,
    labels_in,
    missing_label,
    no_weights,
    numbers_in,
    with_known,
)
from novikoff.data.formats.values import is_exact, is_numeric, known_labels, value_type
from novikoff.data.table import Request, Table, describe_column

_TYPES = {
    pa.bool_(): np.uint8,
    pa.uint8(): np.uint8,
    pa.int8(): np.int8,
    pa.uint16(): np.uint16,
    pa.int16(): np.int16,
    pa.float16(): np.float32,
    pa.float32(): np.float32,
}


class Irregular(Exception):
    """A column is not one of numbers only: an encoding must be found."""


def assemble(
    request: Request,
    batches: Iterable[Any],
    types: Sequence[Any],
    choice: Choice,
    names: Sequence[str] | None,
    n_rows: int = 0,
    encoding: Encoding | None = None,
    *,
    from_text: bool = False,
) -> Table:
    """Fill the rows batch by batch, so that only one copy of the data and one batch are in memory.

    The batches hold the columns in the order of `choice.positions`; `types` are their types,
    `names` those of all the file's columns; `n_rows` is the number of rows, if it is known.
    `from_text`: blanks around labels come from how the file is written, as in CSV.

    Raises
    ------
    Irregular
        If there is no `encoding`, and a feature is not a finite number, or a value is missing.
    """
    d = len(choice.features)
    descriptions = [describe_column(names, i) for i in choice.positions]
    label_at = None if choice.target is None else d
    weight_at = None if choice.weights is None else len(descriptions) - 1
    if label_at is not None:
        check_label_type(request, types[label_at], descriptions[label_at])
    if weight_at is not None and not is_numeric(types[weight_at]):
        raise no_weights(request, batches, weight_at, descriptions[weight_at])
    if encoding is None and not all(is_numeric(kind) for kind in types[:d]):
        raise Irregular

    uniform = len(set(types[:d])) == 1 and _is_plain(types[0])
    encoder = None if encoding is None else Encoder(request, encoding, choice, names)
    width = d if encoding is None else encoding.width
    X = _Rows(request, width, _common_type(types[:d], encoding), n_rows)
    labels: list[NDArray[Any]] = []
    weights: list[NDArray[np.float64]] = []
    dropped: list[NDArray[np.int64]] = []
    lost: set[Any] = set()
    known: NDArray[np.bool_] = np.empty(0, dtype=bool)
    start = unlabelled = 0
    stripped = False
    for batch in batches:
        into = X.next(batch.num_rows)
        complete = None
        if encoder is not None:
            complete = encoder.fill(batch, into)
        else:
            _fill_plain(batch, into, descriptions, start, uniform=uniform, request=request)
        if label_at is not None:
            where, column = descriptions[label_at], batch.column(label_at)
            known = known_labels(column, request)
            if complete is not None:
                complete &= known
                unlabelled += int((~known).sum())
                column = with_known(column, known)
            elif not known.all():
                raise Irregular if encoding is None else missing_label(request, where, known, start)
            if known.any():
                found, had_blanks = labels_in(request, column, where, start, strip=from_text)
                labels.append(found)
                stripped |= had_blanks
        if weight_at is not None:
            where = descriptions[weight_at]
            column = numbers_in(request, batch.column(weight_at), where, start)
            weights.append(request.check_weights(column, batch.num_rows, where, start))
        if complete is not None and not complete.all():
            X.keep(into, complete)
            dropped.append(start + np.flatnonzero(~complete))
            if labels and known.any():
                lost.update(labels[-1][known & ~complete].tolist())
                labels[-1] = labels[-1][complete]
            if weights:
                weights[-1] = weights[-1][complete]
        start += batch.num_rows
    if start == 0:
        raise request.error(
            "it has a header and no rows" if names is not None else "it has no rows"
        )
    if encoder is not None:
        encoder.finish()
    n = X.filled
    if n == 0:
        raise request.error("a value or the label is missing in every row")
    values = X.array()
    if encoding is None:
        if values.dtype.kind == "f" and not _all_finite(values):
            raise Irregular
        feature_names = None if names is None else tuple(names[i] for i in choice.features)
    else:
        feature_names = encoding.feature_names if names is not None else None
        shown = [describe_column(feature_names, j) for j in range(width)]
        request.check_finite(values, shown)
    y = None
    if label_at is not None:
        request.check_memory(n * max(part.itemsize for part in labels), descriptions[label_at])
        y = request.check_labels(np.concatenate(labels), n, descriptions[label_at])
    missing = {} if encoder is None else encoder.missing
    if label_at is not None and unlabelled:
        missing[f"{descriptions[label_at]}, the target"] = unlabelled
    return Table(
        values,
        y,
        feature_names,
        None if names is None or choice.target is None else names[choice.target],
        np.concatenate(weights) if weights else None,
        choice.left_out(names),
        None if encoding is None or encoding.is_plain else encoding,
        np.concatenate(dropped) if dropped else np.empty(0, np.int64),
        () if y is None else tuple(sorted(lost.difference(y.tolist()))),
        missing,
        {} if encoder is None else encoder.unseen,
        stripped=stripped,
    )


def _all_finite(values: NDArray[Any]) -> bool:
    # In blocks, so that the mask is small compared with the data.
    step = max(1, (1 << 20) // max(1, values.shape[1]))
    blocks = (values[start : start + step] for start in range(0, len(values), step))
    return all(np.isfinite(block).all() for block in blocks)


def with_policy(table: Table, request: Request, width: int) -> Table:
    """Remember how missing values are to be treated, although none was missing."""
    if table.encoding is not None or request.encoding is not None or request.missing == "error":
        return table
    return replace(table, encoding=Encoding.plain(table.feature_names, width, request.missing))


def _fill_plain(
    batch: Any,
    into: NDArray[Any],
    descriptions: Sequence[str],
    start: int,
    *,
    uniform: bool,
    request: Request,
) -> None:
    """Copy columns of numbers, none of which is missing."""
    d = into.shape[1]
    block = _uniform_block(batch, d) if uniform else None
    with np.errstate(invalid="ignore"):  # a signalling NaN; refused later
        if block is not None:
            into[:] = block
            return
        for j in range(d):
            if batch.column(j).null_count:
                raise Irregular
            into[:, j] = numbers_in(request, batch.column(j), descriptions[j], start)


class _Rows:
    """A matrix that grows by rows, as far as there is memory for it."""

    def __init__(self, request: Request, width: int, dtype: np.dtype[Any], n_rows: int) -> None:
        self.request = request
        self.width = width
        self.filled = 0
        request.check_memory(n_rows * width * dtype.itemsize)
        self._X = np.empty((max(0, n_rows), width), dtype=dtype)

    def next(self, count: int) -> NDArray[Any]:
        """Return the next rows, to be filled."""
        start, stop = self.filled, self.filled + count
        if stop > len(self._X):
            longer = stop if start == 0 else stop + stop // 4
            added = longer - len(self._X)
            self.request.check_memory(added * self.width * self._X.itemsize)
            self._X.resize((longer, self.width), refcheck=False)
        self.filled = stop
        return self._X[start:stop]

    def keep(self, last: NDArray[Any], some: NDArray[np.bool_]) -> None:
        """Leave out rows of those that `next` returned last."""
        kept = int(some.sum())
        last[:kept] = last[some]
        self.filled -= len(last) - kept

    def array(self) -> NDArray[Any]:
        """Return the rows that were filled."""
        if self.filled < len(self._X):
            self._X.resize((self.filled, self.width), refcheck=False)
        return self._X


def _common_type(types: Sequence[Any], encoding: Encoding | None) -> np.dtype[Any]:
    """Find the smallest of uint8, float32 and float64 that holds the features without loss."""
    kinds = ["number"] * len(types) if encoding is None else [c.kind for c in encoding.columns]
    found: set[np.dtype[Any]] = set() if encoding is None else {np.dtype(np.uint8)}
    for kind, column in zip(types, kinds, strict=False):
        if column == "number":
            found.add(np.dtype(_TYPES.get(value_type(kind), np.float64)))
        elif column in DATES:
            found.add(np.dtype(np.float64))
    common = np.result_type(*found)
    return common if common in (np.uint8, np.float32) else np.dtype(np.float64)


def _is_plain(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or kind in (pa.float32(), pa.float64()))


def _uniform_block(batch: Any, d: int) -> NDArray[Any] | None:
    """Transpose columns of one type at once; None where values must be checked one by one."""
    try:
        block: NDArray[Any] = batch.select(range(d)).to_tensor().to_numpy()
    except pa.ArrowTypeError:  # missing values
        return None
    return block if is_exact(block) else None
