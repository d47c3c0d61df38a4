"""From Arrow's columns, which CSV and Parquet share, to rows of numbers, labels and weights."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from novikoff.certificate.escape import printable, quoted
from novikoff.data.columns import Choice
from novikoff.data.table import EXACT, LONGEST_LABEL, Request, Table, describe_column

_TYPES = {
    pa.bool_(): np.uint8,
    pa.uint8(): np.uint8,
    pa.int8(): np.int8,
    pa.uint16(): np.uint16,
    pa.int16(): np.int16,
    pa.float16(): np.float32,
    pa.float32(): np.float32,
}

_MANY_CHARACTERS = 1 << 24


def assemble(
    request: Request,
    batches: Iterable[Any],
    types: Sequence[Any],
    choice: Choice,
    names: Sequence[str] | None,
    n_rows: int = 0,
) -> Table:
    """Fill the rows batch by batch, so that only one copy of the data and one batch are in memory.

    The batches hold the columns in the order of `choice.positions`; `types` are their types,
    `names` those of all the file's columns; `n_rows` is the number of rows, if it is known.
    """
    d = len(choice.features)
    descriptions = [describe_column(names, i) for i in choice.positions]
    label_at = None if choice.target is None else d
    weight_at = None if choice.weights is None else len(descriptions) - 1
    for j, kind in enumerate(types):
        if j == label_at:
            _check_label_type(request, kind, descriptions[j])
        elif not _is_numeric(kind):
            raise _first_non_number(
                request, batches, j, descriptions[j], kind, weights=j == weight_at
            )

    uniform = len(set(types[:d])) == 1 and _is_plain(types[0])
    X = _Rows(request, d, _common_type(types[:d]), n_rows)
    labels: list[NDArray[Any]] = []
    weights: list[NDArray[np.float64]] = []
    for batch in batches:
        start = X.filled
        block = _uniform_block(batch, d) if uniform else None
        into = X.next(batch.num_rows)
        with np.errstate(invalid="ignore"):  # a signalling NaN; refused below
            if block is not None:
                into[:] = block
            else:
                for j in range(d):
                    into[:, j] = _numbers(request, batch.column(j), descriptions[j], start)
        if label_at is not None:
            labels.append(_labels(request, batch.column(label_at), descriptions[label_at], start))
        if weight_at is not None:
            where = descriptions[weight_at]
            column = _numbers(request, batch.column(weight_at), where, start)
            weights.append(request.check_weights(column, batch.num_rows, where, start))
    n = X.filled
    if n == 0:
        raise request.error(
            "it has a header and no rows" if names is not None else "it has no rows"
        )
    values = X.array()
    request.check_finite(values, descriptions)
    y = None
    if label_at is not None:
        request.check_memory(n * max(part.itemsize for part in labels), descriptions[label_at])
        y = request.check_labels(np.concatenate(labels), n, descriptions[label_at])
    return Table(
        values,
        y,
        None if names is None else tuple(names[i] for i in choice.features),
        None if names is None or choice.target is None else names[choice.target],
        np.concatenate(weights) if weights else None,
        choice.left_out(names),
    )


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

    def array(self) -> NDArray[Any]:
        """Return the rows that were filled."""
        if self.filled < len(self._X):
            self._X.resize((self.filled, self.width), refcheck=False)
        return self._X


def _common_type(types: Sequence[Any]) -> np.dtype[Any]:
    """Find the smallest of uint8, float32 and float64 that holds the columns without loss."""
    plain = (t.value_type if pa.types.is_dictionary(t) else t for t in types)
    common = np.result_type(*{np.dtype(_TYPES.get(t, np.float64)) for t in plain})
    return common if common in (np.uint8, np.float32) else np.dtype(np.float64)


def _is_plain(kind: Any) -> bool:
    return bool(pa.types.is_integer(kind) or kind in (pa.float32(), pa.float64()))


def _is_numeric(kind: Any) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_null(kind)
    )


def is_string(kind: Any) -> bool:
    """Whether a column of this type contains texts."""
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _uniform_block(batch: Any, d: int) -> NDArray[Any] | None:
    """Transpose columns of one type at once; None where values must be checked one by one."""
    try:
        block: NDArray[Any] = batch.select(range(d)).to_tensor().to_numpy()
    except pa.ArrowTypeError:  # missing values
        return None
    return block if _is_exact(block) else None


def _is_exact(values: NDArray[Any]) -> bool:
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return True
    return int(values.max()) <= EXACT and int(values.min()) >= -EXACT


def inexact(request: Request, where: str, row: int, value: object) -> Exception:
    """Make the error for an integer that float64 rounds."""
    return request.error(
        f"{where}, row {row}: float64 cannot represent {printable(value)} exactly; "
        "leave the column out with --drop, or rescale it"
    )


def _numbers(request: Request, column: Any, where: str, start: int) -> NDArray[Any]:
    column = _decoded(column)
    _refuse_missing(request, column, where, "the value", start)
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    values = as_array(column)
    if not _is_exact(values):
        for row, value in enumerate(values.tolist()):
            if float(value) != value:
                raise inexact(request, where, start + row + 1, value)
    return values


def _labels(request: Request, column: Any, where: str, start: int) -> NDArray[Any]:
    _refuse_missing(request, column, where, "the label", start)
    if pa.types.is_dictionary(column.type) and is_string(column.type.value_type):
        # Decoding copies each text once for every row that has it.
        lengths = _lengths(column.dictionary)
        if lengths.size and lengths.max() > LONGEST_LABEL:
            indices = as_array(column.indices)
            request.check_label_lengths(lengths[indices], where, start)
    column = _decoded(column)
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
        return np.asarray(column.to_pylist(), dtype=np.str_)
    return as_array(column)


def _check_label_type(request: Request, kind: Any, where: str) -> None:
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_binary(plain):
        raise request.error(f"{where} is not UTF-8 text; save it as UTF-8")
    if not (is_string(plain) or _is_numeric(plain)) or pa.types.is_decimal(plain):
        raise request.error(
            f"{where} is of type {printable(kind)}: labels are strings, numbers or booleans"
        )


def _refuse_missing(request: Request, column: Any, where: str, what: str, start: int) -> None:
    if column.null_count:
        row = start + int(pc.index(column.is_null(), True).as_py()) + 1
        raise request.error(f"{where}, row {row}: {what} is missing; correct or remove the row")


def _lengths(column: Any) -> NDArray[Any]:
    # A missing text has length 0.
    lengths: NDArray[Any] = np.nan_to_num(as_array(pc.utf8_length(column)))
    return lengths.astype(np.int64)


def as_array(column: Any) -> NDArray[Any]:
    """Copy a column of numbers or booleans into an array; a missing number becomes NaN.

    Arrow's `to_numpy` imports pandas, where it is installed, which takes half a second.
    """
    if pa.types.is_boolean(column.type):
        return as_array(column.cast(pa.uint8())).astype(np.bool_)
    batch = pa.record_batch([column], names=["column"])
    values: NDArray[Any] = batch.to_tensor(null_to_nan=bool(column.null_count)).to_numpy()[:, 0]
    return values


def _decoded(column: Any) -> Any:
    """Replace the indices of a dictionary by its values."""
    if not pa.types.is_dictionary(column.type):
        return column
    # Arrow does not check that the indices in a file are inside the dictionary.
    column.validate(full=True)
    return column.dictionary_decode()


def _first_non_number(
    request: Request, batches: Iterable[Any], j: int, where: str, kind: Any, *, weights: bool
) -> Exception:
    """Find the first value that is not a number in a column that Arrow did not parse as numbers."""
    cure = "encode the column, leave it out with --drop, or name it as the --target"
    if weights:
        cure = "weights are numbers"
    plain = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (is_string(plain) or pa.types.is_temporal(plain)):
        return request.error(f"{where} is of type {printable(kind)}, not a number; {cure}")
    start = 0
    for batch in batches:
        column = batch.column(j)
        _refuse_missing(request, column, where, "the value", start)
        if not pa.types.is_dictionary(column.type):
            column = column.cast(pa.string()).dictionary_encode()
        column.validate(full=True)
        words = [not _is_number(text) for text in column.dictionary.to_pylist()]
        bad = np.array(words, dtype=bool)[as_array(column.indices)]
        if bad.any():
            row = int(np.argmax(bad))
            text = quoted(column[row].as_py(), 40)
            return request.error(f"{where}, row {start + row + 1}: {text} is not a number; {cure}")
        start += batch.num_rows
    return request.error(f"{where} contains numbers stored as text: store them as numbers")


def _is_number(text: str | None) -> bool:
    try:
        float(text or "")
    except ValueError:
        return False
    return True
