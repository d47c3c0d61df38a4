"""Labels and weights from Arrow's columns, and numbers of which none is missing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from novikoff.data.formats.encode import inexact
from novikoff.data.formats.values import (
    as_array,
    decoded,
    describe,
    is_exact,
    is_numeric,
    is_string,
    texts,
    value_type,
)
from novikoff.data.problems import not_a_number
from novikoff.data.table import LONGEST_LABEL, DataError, Request

_MANY_CHARACTERS = 1 << 24


def numbers_in(request: Request, column: Any, where: str, start: int) -> NDArray[Any]:
    """Return the numbers of a column; refuse missing ones, and integers that float64 rounds."""
    column = decoded(column)
    _refuse_missing(request, column, where, "the value", start)
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    values = as_array(column)
    if not is_exact(values):
        for row, value in enumerate(values.tolist()):
            if float(value) != value:
                raise inexact(request, where, start + row + 1, value)
    return values


def labels_in(
    request: Request, column: Any, where: str, start: int, *, strip: bool
) -> tuple[NDArray[Any], bool]:
    """Return the labels of a column, and whether blanks around them were taken away.

    Missing ones are refused, and texts that are not names.
    """
    _refuse_missing(request, column, where, "the label", start)
    if pa.types.is_dictionary(column.type) and is_string(column.type):
        # Decoding copies each text once for every row that has it.
        lengths = _lengths(column.dictionary)
        if lengths.size and lengths.max() > LONGEST_LABEL:
            indices = as_array(column.indices)
            request.check_label_lengths(lengths[indices], where, start)
    column = decoded(column)
    kind = column.type
    _refuse_missing(request, column, where, "the label", start)
    if is_string(kind):
        column.validate(full=True)
        # numpy drops such characters at the end, so that different labels would become the same.
        null = pc.match_substring(column, "\0")
        if pc.any(null).as_py():
            row = start + int(pc.index(null, True).as_py()) + 1
            raise request.error(f"{where}, row {row}: the label contains a null character")
        lengths = _lengths(column)
        request.check_label_lengths(lengths, where, start)
        if lengths.size * int(lengths.max(initial=0)) > _MANY_CHARACTERS:
            request.check_memory(4 * lengths.size * int(lengths.max()), where)
        found = column.to_pylist()
        labels = [label.strip() for label in found] if strip else found
        return np.asarray(labels, dtype=np.str_), labels != found
    return as_array(column), False


def with_known(column: Any, known: NDArray[np.bool_]) -> Any:
    """Put a known label where one is missing; these rows are left out afterwards."""
    if known.all():
        return column
    rows = np.where(known, np.arange(len(known)), np.argmax(known))
    buffers = [None, pa.py_buffer(np.ascontiguousarray(rows, dtype=np.int64))]
    return column.take(pa.Array.from_buffers(pa.int64(), len(rows), buffers))


def missing_label(request: Request, where: str, known: NDArray[np.bool_], start: int) -> DataError:
    """Make the error for the first label that is missing."""
    error = request.error(
        f"{where}, row {start + int(np.argmin(known)) + 1}: the label is missing; correct the "
        "file, or leave such rows out with --missing drop"
    )
    error.options = ("--missing", "drop")
    return error


def check_label_type(request: Request, kind: Any, where: str) -> None:
    """Refuse a column that cannot be one of labels."""
    plain = value_type(kind)
    if pa.types.is_binary(plain):
        raise request.error(f"{where} is not UTF-8 text; save it as UTF-8")
    if not (is_string(plain) or is_numeric(plain)) or pa.types.is_decimal(plain):
        raise request.error(
            f"{where} contains {describe(kind)}: labels are strings, numbers or booleans"
        )


def no_weights(request: Request, batches: Iterable[Any], j: int, where: str) -> Exception:
    """Find the first weight that is not a number in a column that is not one of numbers."""
    start = 0
    for batch in batches:
        column = batch.column(j)
        if not is_string(column.type):
            break
        found = texts(column, request.missing_texts)
        is_number = request.numerals.is_number
        wrong = np.array([not is_number(word) for word in found.words] + [True])[found.codes]
        if wrong.any():
            row = int(np.argmax(wrong))
            text = found.words[found.codes[row]] if found.codes[row] >= 0 else ""
            return request.error(
                f"{where}, row {start + row + 1}: {not_a_number(text)}; weights are numbers"
            )
        start += batch.num_rows
    if start and request.numerals.thousands is not None:
        return request.error(f"{where} has thousands separators: remove them from the weights")
    return request.error(f"{where} contains no numbers: weights are numbers")


def _refuse_missing(request: Request, column: Any, where: str, what: str, start: int) -> None:
    if column.null_count:
        row = start + int(pc.index(column.is_null(), True).as_py()) + 1
        raise request.error(f"{where}, row {row}: {what} is missing; correct or remove the row")


def _lengths(column: Any) -> NDArray[Any]:
    return as_array(pc.utf8_length(column))
