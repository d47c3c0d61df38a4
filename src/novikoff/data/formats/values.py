"""The values of one Arrow column: its texts, its numbers, and where values are missing."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from novikoff.certificate.escape import printable
from novikoff.data.encoding import MISSING
from novikoff.data.formats.dates import MICROSECONDS
from novikoff.data.table import EXACT, Request

_MISSING = frozenset(MISSING)
_BLANK = frozenset([""])
_BOOLEANS = {"true": 1, "false": 0, "1": 1, "0": 0}


class Texts(NamedTuple):
    """The texts of a column: the different ones, and which of them each row has (-1: none)."""

    words: list[str]
    codes: NDArray[np.int64]


def is_string(kind: Any) -> bool:
    """Whether a column of this type contains texts."""
    kind = value_type(kind)
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def is_numeric(kind: Any) -> bool:
    """Whether a column of this type contains numbers or booleans, or nothing at all."""
    kind = value_type(kind)
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_null(kind)
    )


def is_date(kind: Any) -> bool:
    """Whether a column of this type contains dates or times of dates."""
    kind = value_type(kind)
    return bool(pa.types.is_date(kind) or pa.types.is_timestamp(kind))


def value_type(kind: Any) -> Any:
    """Return the type of the values of a column, encoded by a dictionary or not."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def decoded(column: Any) -> Any:
    """Replace the indices of a dictionary by its values."""
    if not pa.types.is_dictionary(column.type):
        return column
    # Arrow does not check that the indices in a file are inside the dictionary.
    column.validate(full=True)
    return column.dictionary_decode()


def texts(column: Any, missing: frozenset[str] = _MISSING) -> Texts:
    """Return the texts without the blanks around them; integers and booleans as written."""
    if not pa.types.is_dictionary(column.type):
        if not is_string(column.type):
            column = column.cast(pa.string())
        column.validate(full=True)
        column = column.dictionary_encode()
    column.validate(full=True)
    found: dict[str, int] = {}
    raw = column.dictionary.to_pylist()
    # The last entry is for rows without an index.
    code_of = np.full(len(raw) + 1, -1, dtype=np.int64)
    for i, text in enumerate(raw):
        word = "" if text is None else str(text).strip()
        if word not in missing:
            code_of[i] = found.setdefault(word, len(found))
    valid, rows = is_valid(column.indices), as_array(column.indices).astype(np.int64)
    return Texts(list(found), code_of[np.where(valid, rows, -1)])


def is_valid(column: Any) -> NDArray[np.bool_]:
    """Return which values of a column are there."""
    if not column.null_count:
        return np.ones(len(column), dtype=bool)
    if column.null_count == len(column):
        return np.zeros(len(column), dtype=bool)
    return _bits(column, column.buffers()[0])


def as_array(column: Any) -> NDArray[Any]:
    """Return a column of numbers or booleans as an array; what is missing is 0.

    Arrow's `to_numpy` imports pandas, if it is installed, which takes half a second.
    """
    kind, data = column.type, column.buffers()[-1]
    if data is None:
        return np.zeros(len(column), dtype=np.float64 if pa.types.is_null(kind) else np.int64)
    if pa.types.is_boolean(kind):
        values: NDArray[Any] = _bits(column, data)
    else:
        letter = "u" if pa.types.is_unsigned_integer(kind) else "i"
        letter = "f" if pa.types.is_floating(kind) else letter
        dtype = np.dtype(f"{letter}{kind.bit_width // 8}")
        values = np.frombuffer(data, dtype)[column.offset : column.offset + len(column)]
    return np.where(is_valid(column), values, values.dtype.type(0)) if column.null_count else values


def _bits(column: Any, buffer: Any) -> NDArray[np.bool_]:
    bits = np.frombuffer(buffer, np.uint8)
    bits = bits[column.offset // 8 : (column.offset + len(column) + 7) // 8]
    start = column.offset % 8
    return np.unpackbits(bits, bitorder="little")[start : start + len(column)].astype(bool)


def known_labels(column: Any, request: Request) -> NDArray[np.bool_]:
    """Return which labels are there.

    A text is a label unless it is blank, one of the request's own texts for missing values, or,
    where rows with missing values are left out, any such text: else NA is the name of a class.
    """
    known = is_valid(column)
    kind, drops = value_type(column.type), request.missing == "drop"
    if is_string(kind):
        found = texts(column, (_MISSING if drops else _BLANK).union(request.na))
        return found.codes >= 0
    if pa.types.is_floating(kind):
        return numbers(column)[1] if drops else known
    return known


def numbers(column: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the values of a column of numbers, and which are there; NaN is a missing value."""
    column = decoded(column)
    valid = is_valid(column)
    if pa.types.is_null(column.type):
        return np.zeros(len(column)), valid
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    values = as_array(column)
    if values.dtype.kind == "f":
        here = ~np.isnan(values)
        if not here.all():
            valid, values = valid & here, np.where(here, values, 0)
    return values, valid


def days(column: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the dates of a column as days since 1970-01-01 in UTC, and which are there.

    Times are taken to the microsecond, in every format, so that copies of a table agree.
    """
    column = decoded(column)
    valid = is_valid(column)
    if pa.types.is_date(column.type):
        column = column.cast(pa.date32()).view(pa.int32())
        return as_array(column).astype(np.float64), valid
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[column.type.unit]
    ticks = as_array(column.view(pa.int64()))
    day, rest = np.divmod(ticks, 86_400 * per_second)
    microseconds = rest // 1000 if per_second == 10**9 else rest * (10**6 // per_second)
    return day + microseconds / MICROSECONDS, valid


def parse_boolean(word: str) -> float | None:
    """Return 0 or 1 for a truth value, else None.

    Examples
    --------
    >>> parse_boolean("True"), parse_boolean("0"), parse_boolean("yes")
    (1, 0, None)
    """
    return _BOOLEANS.get(word.lower())


def describe(kind: Any) -> str:
    """Say what a column of some other type contains.

    Examples
    --------
    >>> describe(pa.time32("s")), describe(pa.date32()), describe(pa.float16())
    ('times of day', 'dates', 'values of type halffloat')
    """
    plain = value_type(kind)
    if is_date(plain):
        return "dates"
    if pa.types.is_time(plain):
        return "times of day"
    if pa.types.is_duration(plain):
        return "durations"
    return f"values of type {printable(kind)}"


def is_exact(values: NDArray[Any]) -> bool:
    """Whether float64 certainly represents all values."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return True
    return int(values.max()) <= EXACT and int(values.min()) >= -EXACT
