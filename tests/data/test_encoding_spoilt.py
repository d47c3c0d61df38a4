"""Tables of words, dates and holes with damaged bytes: read, or refused in one line."""

import datetime
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.data import DataError, read
from tests.data.test_read_spoilt import spoilt

TABLE = pa.table(
    {
        "n": pa.array([1, None, 3, 4, 5, 6], pa.int16()),
        "f": [1.5, 2.5, None, 0.0, -1.0, 7.0],
        "w": ["red", "blue", "red", None, "blue", "red"],
        "c": pa.array(["u", "v", "u", "v", None, "u"]).dictionary_encode(),
        "b": [True, False, None, True, True, False],
        "d": [datetime.date(2020, 1, i) for i in range(1, 7)],
        "t": pa.array([10**9 * i for i in range(6)], pa.timestamp("us", "UTC")),
        "y": ["p", "q", "p", "q", "p", None],
    }
)


def as_parquet(**options):
    buffer = io.BytesIO()
    pq.write_table(TABLE, buffer, **options)
    return buffer.getvalue()


def as_csv():
    rows = zip(*(column.to_pylist() for column in TABLE.columns), strict=True)
    lines = [",".join("" if v is None else str(v) for v in row) for row in rows]
    return "\n".join([",".join(TABLE.column_names), *lines, ""]).encode()


WHOLE = {
    "csv": as_csv(),
    "parquet": as_parquet(),
    "plain.parquet": as_parquet(use_dictionary=False, compression="none", row_group_size=4),
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole_files_are_read(tmp_path, name):
    path = tmp_path / f"a.{name}"
    path.write_bytes(WHOLE[name])
    table = read(path, "y", missing="drop")
    assert table.X.tolist()[0][:3] == [1.0, 1.5, 0.0]
    assert table.dropped.tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("name", WHOLE)
@given(data=st.data(), missing=st.sampled_from(["error", "drop", "indicator"]))
def test_spoilt_files(tmp_path_factory, name, data, missing):
    path = tmp_path_factory.mktemp("spoilt") / f"a.{name}"
    path.write_bytes(data.draw(spoilt(WHOLE[name])))
    try:
        table = read(path, "y", missing=missing, words=["n"])
    except DataError as error:
        assert str(error).startswith(f"{path}: ") and "\n" not in str(error)
        return
    assert table.X.shape[0] == len(table.y) and np.isfinite(table.X).all()
    assert table.encoding is None or table.encoding.width == table.X.shape[1]
