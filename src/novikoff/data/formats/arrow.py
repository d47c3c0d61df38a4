"""From Arrow's columns, which CSV and Parquet share, to rows of numbers and an array of labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from novikoff.data.columns import Choice
from novikoff.data.table import Request, Table, place

# Integers up to here are float64 numbers; beyond, not all are.
_EXACT = 2**53

_TYPES = {
    pa.bool_(): np.uint8,
    pa.uint8(): np.uint8,
    pa.int8(): np.int8,
    pa.uint16(): np.uint16,
    pa.int16(): np.int16,
    pa.float16(): np.float32,
    pa.float32(): np.float32,
}


def assemble(
    request: Request,
    batches: Iterable[Any],
    types: Sequence[Any],
    choice: Choice,
    names: Sequence[str] | None,
    n_rows: int | None = None,
) -> Table:
    """Fill the rows batch by batch, so that beside a batch there is one copy of the data.

    The batches hold the features in the order of `choice`, then the target if there is one;
    `types` are their types, `names` those of all the file's columns. `n_rows` spares growing.
    """
    d = len(choice.features)
    places = [place(names, i) for i in choice.features]
    for j, kind in enumerate(types[:d]):
        if not _is_numeric(kind):
            raise _first_word(request, batches, j, places[j])

    uniform = len(set(types[:d])) == 1 and _is_plain(types[0])
    X = np.empty((n_rows or 0, d), dtype=_common_type(types[:d]))
    labels: list[NDArray[Any]] = []
    start = 0
    for batch in batches:
        stop = start + batch.num_rows
        if stop > len(X):
            X.resize((stop if start == 0 else stop + stop // 4, d), refcheck=False)
        block = _uniform_block(batch, d) if uniform else None
        if block is not None:
            X[start:stop] = block
        else:
            for j, where in enumerate(places):
                X[start:stop, j] = _numbers(request, batch.column(j), where, start)
        if choice.target is not None:
            where = place(names, choice.target)
            labels.append(_labels(request, batch.column(d), where, start))
        start = stop
    if start == 0:
        raise request.error("it has names and no rows" if names is not None else "it has no rows")
    if start < len(X):
        X.resize((start, d), refcheck=False)
    request.check_finite(X, places)
    feature_names = None if names is None else tuple(names[i] for i in choice.features)
    if choice.target is None:
        return Table(X, None, feature_names, None)
    y = request.check_labels(np.concatenate(labels), start, place(names, choice.target))
    return Table(X, y, feature_names, None if names is None else names[choice.target])


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


def _is_string(kind: Any) -> bool:
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def _uniform_block(batch: Any, d: int) -> NDArray[Any] | None:
    """Transpose columns of one type at once; None where a value needs a look of its own."""
    try:
        block: NDArray[Any] = batch.select(range(d)).to_tensor().to_numpy()
    except pa.ArrowTypeError:  # missing values
        return None
    return block if _is_exact(block) else None


def _is_exact(values: NDArray[Any]) -> bool:
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return True
    return int(values.max()) <= _EXACT and int(values.min()) >= -_EXACT


def _numbers(request: Request, column: Any, where: str, start: int) -> NDArray[Any]:
    column = _decoded(column)
    if column.null_count:
        raise request.error(
            f"{where}, row {start + _first_null(column) + 1}: the value is missing; "
            "mend or leave out the row"
        )
    if pa.types.is_decimal(column.type):
        column = column.cast(pa.float64())
    values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
    if not _is_exact(values):
        for row, value in enumerate(values.tolist()):
            if float(value) != value:
                raise request.error(
                    f"{where}, row {start + row + 1}: {value} has too many digits for float64; "
                    "leave the column out with --drop, or rescale it"
                )
    return values


def _labels(request: Request, column: Any, where: str, start: int) -> NDArray[Any]:
    column = _decoded(column)
    kind = column.type
    if column.null_count:
        raise request.error(
            f"{where}, row {start + _first_null(column) + 1}: the label is missing; "
            "mend or leave out the row"
        )
    if _is_string(kind):
        return np.asarray(column.to_pylist(), dtype=np.str_)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        values: NDArray[Any] = column.to_numpy(zero_copy_only=False)
        return values
    raise request.error(f"{where} is of type {kind}: labels are strings, numbers or booleans")


def _decoded(column: Any) -> Any:
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _first_null(column: Any) -> int:
    return int(pc.index(column.is_null(), True).as_py())


def _first_word(request: Request, batches: Iterable[Any], j: int, where: str) -> Exception:
    """Find the first value that is no number, in a column that Arrow did not take for one."""
    cure = "encode the column, leave it out with --drop, or name it as the --target"
    row = 0
    for batch in batches:
        for value in batch.column(j).to_pylist():
            row += 1
            try:
                float(value)
            except (TypeError, ValueError):
                text = value if isinstance(value, str) else str(value)
                text = text if len(text) <= 40 else text[:40] + "…"
                return request.error(f"{where}, row {row}: {text!r} is not a number; {cure}")
    return request.error(f"{where} holds its numbers as text: write them as numbers")
