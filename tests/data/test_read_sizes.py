"""Files whose sizes are lies, or more than there is memory for."""

import bz2
import gzip
import io
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from novikoff.data import DataError, read
from tests.data.hostile import ESC, message, npy, npz


@pytest.mark.parametrize(
    "content",
    [
        npy("<f8", (2**40, 2), b"\0" * 64),
        npy("<f8", (2**63, 2**63)),
        npy("<f8", (-1, 2), b"\0" * 64),
        npy("<f8", (2**70, 0)),
        npy("<f8", (3, 2), b"\0" * 40),
        npy("<f8", (3, 2), b"\0" * 56),
        npy("<f8", (1,) * 70, b"\0" * 8),
        npy("<f8", (1, 1), b"\0" * 8, version=3),
        b"\x93NUMPY\x02\0" + struct.pack("<I", 2**32 - 1) + b" " * 100,
        b"\x93NUMPY\x01\0" + struct.pack("<H", 9000) + b"(" * 9000,
    ],
)
def test_an_array_that_is_not_what_its_header_says(file, content):
    expected = "not a readable numpy file, or cut short"
    assert message(file("a.npy", content)).startswith(expected)
    assert message(file("a.npz", npz({"X.npy": content}))).startswith(expected)


def test_types_are_checked_before_anything_is_read(file):
    wide = npy("<U100000000", (2, 1))
    assert message(file("a.npy", wide)) == "the array is of type <U100000000: expected numbers"
    rows = npy("<f8", (2, 1), b"\0" * 16)
    path = file("a.npz", npz({"X.npy": rows, "y.npy": npy("<U100000000", (2,))}))
    assert message(path) == (
        "the labels are of type <U100000000: a label has at most 1,000 characters"
    )
    path = file("a.npz", npz({"X.npy": wide}))
    assert message(path) == "the array is of type <U100000000: expected numbers"


def test_an_npz_bomb(file, little_memory):
    content = npy("<f8", (10**6, 2), b"\0" * 16 * 10**6)
    path = file("a.npz", npz({"X.npy": content}))
    assert path.stat().st_size < 100_000
    little_memory(10**7)
    assert message(path) == "it needs at least 16.0 MB of memory, and 10.0 MB are available"
    little_memory(10**8)
    assert read(path).X.shape == (10**6, 2)
    little_memory(None)
    assert read(path).X.shape == (10**6, 2)


@pytest.mark.parametrize("how", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_npz_with_a_compression_that_numpy_does_not_write(file, how):
    content = npy("<f8", (1, 1), b"\0" * 8)
    path = file("a.npz", npz({"X.npy": content}, how))
    assert message(path) == "array 'X' uses a compression method that numpy does not write"


def sparse(format, shape, **parts):
    buffer = io.BytesIO()
    np.savez(buffer, format=np.array(format.encode()), shape=np.array(shape), **parts)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        sparse("csc", (2**40, 1), data=np.ones(1), indices=np.array([5]), indptr=np.array([0, 1])),
        sparse("coo", (2**40, 9), data=np.ones(1), row=np.array([5]), col=np.array([7])),
        sparse("dia", (2**40, 2**40), data=np.ones((1, 3)), offsets=np.array([0])),
    ],
    ids=["csc", "coo", "dia"],
)
def test_a_sparse_matrix_of_absurd_height(file, content):
    assert message(file("a.npz", content)).startswith("it needs at least 8.8 TB of memory")


@pytest.mark.parametrize(
    "content",
    [
        sparse("csr", (1, 3), data=np.ones(1), indices=np.array([-1]), indptr=np.array([0, 1])),
        sparse("csr", (1, 3), data=np.ones(1), indices=np.array([1]), indptr=np.array([0, 2**40])),
        sparse("csr", (2, 3), data=np.ones(1), indices=np.array([1]), indptr=np.array([0, 1])),
        sparse("coo", (4, 4), data=np.ones(1), row=np.array([-5]), col=np.array([1])),
        sparse("coo", (4,), data=np.ones(1), row=np.array([1]), col=np.array([1])),
        sparse("bsr", (4, 4), data=np.ones((1, 2, 2)), indices=[9], indptr=[0, 1, 1]),
        # Starts of rows that end at 0, which scipy's own check takes for an empty matrix.
        sparse("csr", (2, 3), data=np.ones(4), indices=[0, 1, 2, 0], indptr=[0, 2**30, 0]),
        sparse("csc", (3, 2), data=np.ones(4), indices=[0, 1, 2, 0], indptr=[0, -5, 0]),
        sparse("bsr", (4, 2), data=np.ones((2, 2, 2)), indices=[0, 0], indptr=[0, 2, 0]),
        sparse("bsr", (5, 2), data=np.ones((2, 2, 2)), indices=[0, 0], indptr=[0, 1, 2]),
        sparse("csr", (1, 3), data=np.ones(1), indices=[1.0], indptr=[0, 1]),
        sparse("csr", (1, 3), data=np.ones(2), indices=[1], indptr=[0, 1]),
        sparse("csr", (-1, 3), data=np.ones(1), indices=[1], indptr=[0]),
        sparse("coo", (2, 2), data=np.ones(2), row=np.array([1]), col=np.array([1])),
        sparse("coo", (2, 2), data=np.ones(1), row=np.array([2**63], np.uint64), col=[1]),
        sparse("dia", (2, 2), data=np.ones((2, 2)), offsets=[0, 0]),
        sparse("dia", (2, 2), data=np.ones((2, 2)), offsets=[0]),
        sparse("lil", (1, 3), data=np.ones(1), rows=np.array([1])),
        sparse(ESC, (1, 3), data=np.ones(1)),
    ],
)
def test_a_sparse_matrix_that_is_none(file, content):
    assert message(file("a.npz", content)) == "not a readable sparse matrix; save it again"


@pytest.mark.parametrize("offset", [2**31, 2**62, -(2**31), -(2**63), 2, -3])
def test_a_diagonal_outside_of_the_matrix(file, offset):
    data = np.array([[1.0, 2.0], [7.0, 8.0]])
    content = sparse("dia", (3, 2), data=data, offsets=np.array([-1, offset]))
    assert read(file("a.npz", content)).X.toarray().tolist() == [[0, 0], [1, 0], [0, 2]]


def test_as_many_columns_as_a_row_has_room_for(file, little_memory):
    content = sparse("csr", (1, 10**9), data=np.ones(1), indices=[5], indptr=[0, 1])
    little_memory(10**9)
    expected = "one row as an array needs at least 8.0 GB of memory, and 1.0 GB are available"
    assert message(file("a.npz", content)) == expected
    assert message(file("a.svm", "1 1000000000:1\n")) == expected
    assert message(file("a.svm", f"1 {2**40}:1\n")).startswith(f"row 1: the index of '{2**40}:1'")


@pytest.mark.parametrize(
    ("name", "pack"), [("a.csv.gz", gzip.compress), ("a.csv.bz2", bz2.compress)]
)
def test_a_csv_bomb(file, little_memory, name, pack):
    rows = 2 * 10**5
    path = file(name, pack(b"a,b,y\n" + b"0,0,7\n" * rows))
    little_memory(2 * 10**5)
    expected = r"it needs at least .* of memory, and 200.0 kB are available"
    with pytest.raises(DataError, match=expected):
        read(path, "y")
    # What is no number sends the file to the reader that has all of it in memory.
    path = file(name, pack(b"a,b,y\nx,0,7\n" + b"0,0,7\n" * rows))
    with pytest.raises(DataError, match=expected):
        read(path, "y")
    little_memory(10**9)
    assert message(path, "y").startswith("column 'a', row 1: 'x' is not a number")


@pytest.mark.parametrize("content", [b"\n", b"a", b"a,"])
def test_a_csv_file_without_lines(file, content, monkeypatch):
    monkeypatch.setattr("novikoff.data.formats.csv._LONGEST_HEAD", 3 << 20)
    path = file("a.csv.gz", gzip.compress(content * (4 << 20)))
    assert message(path) == "its first two lines are too long for a CSV file"


def test_blank_lines_before_the_header(file):
    path = file("a.csv", b"\n" * (3 << 20) + b"\r\n \t\na,b\n1,2\n")
    assert read(path).X.tolist() == [[1, 2]]
    assert read(file("a.csv", b"\r\ra,b\r1,2\r3,4\r")).X.tolist() == [[1, 2], [3, 4]]


def test_a_csv_file_of_too_many_columns(file, little_memory):
    little_memory(10**9)
    assert message(file("a.csv", "," * 10**6 + "\n")).startswith("it needs at least 9.0 GB")


def test_a_libsvm_bomb(file, little_memory):
    little_memory(10**7)
    for content in (b"1 1:1\n" * 10**6, b"1 " + b"1" * 10**7, b"\n" * 10**6):
        path = file("a.svm.gz", gzip.compress(content))
        assert " of memory, and 10.0 MB are available" in message(path)
    little_memory(10**9)
    assert read(file("a.svm.gz", gzip.compress(b"1 1:1\n" * 10**5))).X.shape == (10**5, 1)


def idx(shape, data, dtype=8):
    return bytes([0, 0, dtype, len(shape)]) + struct.pack(f">{len(shape)}I", *shape) + data


def packed(shape, n_bytes):
    """An idx file of zeros, compressed; without the time, so that tests have the same names."""
    return gzip.compress(idx(shape, b"\0" * n_bytes), mtime=0)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (idx((2**31, 2**20), b"\0" * 100), "it has 112 bytes where 2.3 PB are expected: cut"),
        (idx((2**32 - 1,) * 200, b"\0"), "it has 805 bytes where more than a million PB are"),
        (
            packed((2**31, 2**20), 100),
            "it needs at least 2.3 PB of memory",
        ),
        (
            packed((2, 2), 5),
            "it has more than the 16 bytes that its header",
        ),
        (packed((2, 2), 3), "it has 15 bytes where 16 are expected"),
        (idx((0, 2**32 - 1, 2**32 - 1), b""), "it has no rows"),
        (idx((5, 0, 2**32 - 1), b""), "it has no columns"),
        (idx((), b"\1"), "not an idx file"),
    ],
)
def test_an_idx_file_that_lies(file, content, expected):
    assert message(file("a.idx", content)).startswith(expected)


def test_an_idx_file_of_many_dimensions(file):
    table = read(file("a.idx", idx((2, 3) + (1,) * 200, bytes(range(6)))))
    assert table.X.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_an_idx_bomb(file, little_memory):
    path = file("a.idx", gzip.compress(idx((10**4, 10**3), b"\0" * 10**7)))
    little_memory(10**6)
    assert message(path) == "it needs at least 10.0 MB of memory, and 1.0 MB are available"


def test_more_rows_of_parquet_than_memory(tmp_path, little_memory):
    """A column of one value takes no space in the file."""
    path, n = tmp_path / "a.parquet", 10**6
    pq.write_table(pa.table({"a": np.zeros(n), "b": np.zeros(n)}), path)
    assert path.stat().st_size < 10_000
    little_memory(10**7)
    assert message(path) == "it needs at least 16.0 MB of memory, and 10.0 MB are available"


def test_a_parquet_file_with_an_absurd_number_of_rows(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": np.zeros(300)}), path)
    content = path.read_bytes()
    # Thrift writes 300 as a zigzag varint: twice in the footer, of the file and of the row group.
    many = bytes([0x80] * 5 + [0x40])  # 2**40
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer = content[start:-8].replace(b"\xd8\x04", many)
    path.write_bytes(content[:start] + footer + struct.pack("<I", len(footer)) + b"PAR1")
    assert pq.ParquetFile(path).metadata.num_rows == 2**40
    assert message(path).startswith("it needs at least 8.8 TB of memory")


@pytest.mark.skipif(sys.platform != "linux", reason="a limit that macOS ignores")
def test_memory_that_runs_out_all_the_same(tmp_path):
    """The system refuses, whatever it said before."""
    np.save(tmp_path / "a.npy", np.zeros((20_000_000, 2), np.float32))
    code = """
import resource, sys
import novikoff.data.table
from novikoff.data import DataError, read
novikoff.data.table.available_memory = lambda: None
used = 4096 * int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (used + 10**8, used + 10**8))
try:
    read(sys.argv[1])
except DataError as error:
    print(error)
"""
    path = tmp_path / "a.npy"
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{path}: it needs more memory than is available\n"


def test_texts_in_parquet_that_need_more_than_the_memory(tmp_path, little_memory):
    path = tmp_path / "a.parquet"
    texts = [letter * 10**6 for letter in "abc"]
    table = pa.table({"a": [1.0, 2.0, 3.0], "y": texts})
    pq.write_table(table, path, use_dictionary=False, compression="zstd")
    assert path.stat().st_size < 10**4
    little_memory(10**6)
    assert message(path, "y").startswith("it needs at least 3.0 MB of memory")


def test_parquet_with_damaged_metadata_of_a_column(tmp_path):
    """On some of these pyarrow ends the process when it is asked for the size of a column."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": [1.0, 2.0], "y": ["u", "v"]}), path)
    content = path.read_bytes()
    start = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    for i in range(start, start + 40):  # the kinds of the columns: required or not
        for byte in (0x00, 0x26):
            path.write_bytes(content[:i] + bytes([byte]) + content[i + 1 :])
            try:
                assert read(path, "y").X.shape[1] == 1
            except DataError as error:
                assert str(error).isprintable()
