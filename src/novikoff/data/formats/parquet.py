"""Parquet files, read row group by row group."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from novikoff.certificate.escape import printable
from novikoff.data.columns import Choice, choose
from novikoff.data.formats.arrow import Irregular, assemble, with_policy
from novikoff.data.formats.survey import survey
from novikoff.data.formats.values import is_string
from novikoff.data.table import Request, Table

_BATCH_BYTES = 1 << 22
_COMPRESSION = 100
"""The largest compression ratio of the pages, after their encoding, in ordinary files."""
_BATCH_ROWS = 1024  # at least: each batch costs some microseconds a column


def read_parquet(request: Request) -> Table:
    """Read the chosen columns of a Parquet file; the index of a data frame is not a feature."""
    try:
        with pq.ParquetFile(request.path, memory_map=True) as file:
            schema = file.schema_arrow
            index = _index_columns(request, schema)
            names = [name for name in schema.names if name not in index]
            choice = choose(request, names, len(names))
            texts = [names[i] for i in choice.positions if is_string(schema.field(names[i]).type)]
            if texts:
                _check_texts(request, file.metadata)
        # A text that occurs in many rows is in the file, and then in memory, only once.
        with pq.ParquetFile(request.path, memory_map=True, read_dictionary=texts) as file:
            return _rows(request, file, choice, names)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        if isinstance(error, MemoryError):
            raise
        reason = printable(" ".join(str(error).split()), 200)
        raise request.error(f"not a readable Parquet file ({reason}); write it again") from error


def _rows(request: Request, file: Any, choice: Choice, names: list[str]) -> Table:
    chosen = [names[i] for i in choice.positions]
    types = [file.schema_arrow.field(name).type for name in chosen]
    rows = max(_BATCH_ROWS, _BATCH_BYTES // (8 * len(chosen)))
    n, encoding = file.metadata.num_rows, request.encoding

    def batches() -> Iterator[Any]:
        # `columns` selects but does not order: the batches are put in order here.
        for batch in file.iter_batches(batch_size=rows, columns=chosen):
            yield batch.select(chosen)

    plain = encoding.is_plain if encoding is not None else not choice.words
    if choice.unnamed:
        plain = False
    if plain and not any(map(pa.types.is_boolean, types[: len(choice.features)])):
        try:
            table = assemble(request, batches(), types, choice, names, n)
            return with_policy(table, request, len(choice.features))
        except Irregular:
            pass
    if encoding is None:
        encoding = survey(request, batches(), types, choice, names, from_text=False)
    return assemble(request, batches(), types, choice, names, n, encoding)


def _check_texts(request: Request, metadata: Any) -> None:
    """Refuse row groups of texts that do not fit into the memory when they are decompressed.

    The metadata of a single column would tell more, but pyarrow ends the process when that is
    damaged.
    """
    most = _COMPRESSION * request.path.stat().st_size
    for i in range(metadata.num_row_groups):
        size = metadata.row_group(i).total_byte_size
        if size > most:
            request.check_memory(size)


def _index_columns(request: Request, schema: Any) -> list[Any]:
    """The columns that pandas wrote for the index of a data frame."""
    try:
        index = (schema.pandas_metadata or {}).get("index_columns", [])
    except (ValueError, AttributeError):
        index = None
    if not isinstance(index, list):
        raise request.error("the metadata that pandas wrote into it is damaged; write it again")
    return index
