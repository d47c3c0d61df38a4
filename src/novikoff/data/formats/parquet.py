"""Parquet files, read row group by row group."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from novikoff.data.columns import choose
from novikoff.data.formats.arrow import assemble
from novikoff.data.table import Request, Table

_BATCH_BYTES = 1 << 22
_BATCH_ROWS = 1024  # at least: each batch costs some microseconds a column


def read_parquet(request: Request) -> Table:
    """Read the chosen columns of a Parquet file; the index of a data frame is no feature."""
    try:
        with pq.ParquetFile(request.path, memory_map=True) as file:
            schema = file.schema_arrow
            index = (schema.pandas_metadata or {}).get("index_columns", [])
            names = [name for name in schema.names if name not in index]
            choice = choose(request, names, len(names))
            positions = [*choice.features, *(() if choice.target is None else (choice.target,))]
            chosen = [names[i] for i in positions]
            types = [schema.field(name).type for name in chosen]
            rows = max(_BATCH_ROWS, _BATCH_BYTES // (8 * len(chosen)))
            # `columns` selects but does not order: the batches are put in order here.
            batches = (
                batch.select(chosen) for batch in file.iter_batches(batch_size=rows, columns=chosen)
            )
            return assemble(request, batches, types, choice, names, file.metadata.num_rows)
    except pa.ArrowException as error:
        reason = " ".join(str(error).split())
        raise request.error(f"not a readable Parquet file ({reason}); write it again") from error
