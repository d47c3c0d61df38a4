"""Whatever the bytes of a file are, `read` returns finite examples or raises one line."""

import io

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from novikoff.data import FORMATS, DataError, Table, read
from novikoff.data.formats.idx import to_idx

X = np.round(np.random.RandomState(0).standard_normal((6, 3)), 2)
Y = np.array([1, -1, 1, -1, 1, -1])


def written(save):
    buffer = io.BytesIO()
    save(buffer)
    return buffer.getvalue()


FRAME = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=Y)
WHOLE = {
    "csv": FRAME.to_csv(index=False).encode(),
    "parquet": written(lambda to: FRAME.to_parquet(to)),
    "libsvm": b"1 1:0.5 3:-2\n-1 2:1.5 # comment\n1 qid:2 1:1\n",
    "npy": written(lambda to: np.save(to, X)),
    "npz": written(lambda to: np.savez(to, X=X, y=Y)),
    "idx": to_idx(np.abs(X)),
}
SPARSE = written(lambda to: sp.save_npz(to, sp.csr_matrix(X)))


@st.composite
def spoilt(draw, content):
    """Cut a piece out of the content, and put other bytes in its place."""
    start = draw(st.integers(0, len(content)))
    stop = draw(st.integers(start, min(len(content), start + 20)))
    piece = draw(st.one_of(st.binary(max_size=8), st.text("0123456789.,;:-e\n nai", max_size=8)))
    return content[:start] + (piece.encode() if isinstance(piece, str) else piece) + content[stop:]


def read_or_refuse(folder, format, content):
    path = folder / "file"
    path.write_bytes(content)
    try:
        table = read(path, format=format)
    except DataError as error:
        assert str(error).startswith(f"{path}: ") and "\n" not in str(error)
        return
    assert isinstance(table, Table)
    values = table.X.data if sp.issparse(table.X) else table.X
    assert table.X.shape[0] > 0 and np.isfinite(values).all()
    assert table.y is None or len(table.y) == table.X.shape[0]


@pytest.mark.parametrize("format", FORMATS)
@given(data=st.data())
def test_spoilt_files(tmp_path_factory, format, data):
    folder = tmp_path_factory.mktemp("spoilt")
    read_or_refuse(folder, format, data.draw(spoilt(WHOLE[format])))


@given(content=spoilt(SPARSE))
def test_spoilt_sparse_matrix(tmp_path_factory, content):
    read_or_refuse(tmp_path_factory.mktemp("spoilt"), "npz", content)


@pytest.mark.parametrize("format", FORMATS)
@given(content=st.binary(max_size=60))
def test_arbitrary_bytes(tmp_path_factory, format, content):
    read_or_refuse(tmp_path_factory.mktemp("bytes"), format, content)
