"""Files made to harm: sizes that are lies, values of absurd length, names that act on terminals."""

import bz2
import gzip
import io
import os
import struct
import subprocess
import sys
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from novikoff.data import DataError, read
from novikoff.data.formats.idx import to_idx

ESC = "\x1b[2J"


def message(path, *args, **kwargs):
    with pytest.raises(DataError) as caught:
        read(path, *args, **kwargs)
    text = str(caught.value)
    assert text.startswith(f"{path}: ") and text.isprintable() and len(text) < 700
    return text[len(str(path)) + 2 :]


@pytest.fixture
def file(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def little_memory(monkeypatch):
    """Make believe that there is so much memory, and not more."""

    def limit(n_bytes):
        monkeypatch.setattr("novikoff.data.table.available_memory", lambda: n_bytes)

    return limit


def npy(descr, shape, data=b"", version=1):
    """An npy file with any header."""
    header = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + data


def npz(members, compression=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


# --- sizes


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


# --- texts


def test_integers_with_many_digits(file):
    zeros = "0" * 5000
    assert read(file("a.csv", f"a,b\n{zeros}1,-{zeros}3\n")).X.tolist() == [[1, -3]]
    path = file("a.csv", f"a,b\n1,2\n1,{zeros}9007199254740993\n")
    assert message(path).startswith(
        "column 'b', row 2: float64 cannot represent 9007199254740993 exactly"
    )
    path = file("a.csv", "a,b\n1,2\n1," + "9" * 5000 + "\n")
    assert message(path).startswith("column 'b', row 2: inf is not a finite number")
    path = file("a.csv", "a,b\n1,2\n1," + "7" * 300 + "\n")
    assert message(path).startswith("column 'b', row 2: float64 cannot represent 7777777777")
    assert message(file("a.svm", "1 " + "9" * 5000 + ":1\n")).startswith("row 1: '99999999")
    assert message(file("a.csv", "a,b\n1,2\n"), "9" * 5000).startswith("no column '99999")
    assert message(file("a.csv", "a,b\n1,2\n"), "--1").startswith("no column '--1'")


def test_long_names(file):
    path = file("a.csv", "a" * 131_073 + ",b\n1,2\n")
    assert message(path).startswith("its first line is not readable as CSV (field larger than")
    path = file("a.csv", "a" * 131_072 + ",b\n1,2\nx,2\n")
    text = message(path)
    assert text.startswith("column 'aaaaaaaaaaaaaaa") and "aaa…', row 2: 'x' is not a nu" in text
    assert len(message(path, "c")) < 200


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            "a,y\n1," + "7" * 4000 + "\n2,1\n",
            "column 'y', row 1: the label inf is infinite, or",
        ),
        ("a,y\n1,u\n2," + "x" * 4000 + "\n", "column 'y', row 2: the label has 4,000 characters"),
        ("a,y\n1,18446744073709551616\n2,1\n", "column 'y', row 1: the label 18446744073709551616"),
        ("a,y\n1,-9223372036854775809\n2,1\n", "column 'y', row 1: the label -922337203685477580"),
        ("a,y\n1,1.5\n2,9007199254740993\n", "column 'y', row 2: the label 9007199254740993 is"),
        ("a,y\n1,u\n2, \t\n", "column 'y', row 2: the label is missing"),
        ("a,y\n1,\n2,\n", "column 'y', row 1: the label is missing"),
    ],
)
def test_bad_labels_in_csv(file, content, expected):
    assert message(file("a.csv", content), "y").startswith(expected)


def test_labels_of_64_bits_and_of_mixed_kinds(file, tmp_path):
    labels = [2**63 - 1, -(2**63), 2**53 + 1]
    path = file("a.csv", "a,y\n" + "".join(f"1,{label}\n" for label in labels))
    assert read(path, "y").y.tolist() == labels
    np.savez(tmp_path / "a.npz", X=np.eye(2), y=np.array([2**64 - 1, 0], np.uint64))
    assert read(tmp_path / "a.npz").y.tolist() == [2**64 - 1, 0]
    path = file("a.csv", "a,y\n1,1\n2,true\n3,x\n")
    assert read(path, "y").y.tolist() == ["1", "true", "x"]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (np.array(["a", " "]), "array 'y', row 2: the label is missing"),
        (np.array([1.0, np.inf]), "array 'y', row 2: the label inf is infinite"),
        (np.array([1, 2], np.longdouble), "array 'y' is of type "),
        (np.array([b"a", b"\xff\xfe"]), "array 'y' is not UTF-8 text"),
        (np.array(["a" * 2000, "b"]), "the labels are of type <U2000: a label has at most 1,000"),
        (np.array([1, 2], "M8[s]"), "array 'y' is of type datetime64[s]"),
    ],
)
def test_bad_labels_in_npz(tmp_path, labels, expected):
    np.savez(tmp_path / "a.npz", X=np.eye(2), y=labels)
    assert message(tmp_path / "a.npz").startswith(expected)


def test_bad_labels_in_libsvm(file):
    assert message(file("a.svm", "9007199254740993 1:1\n1 1:2\n")).startswith("the label, row 1: 9")
    assert message(file("a.svm", "1 1:1\n1e400 1:2\n")).startswith(
        "the label, row 2: the label inf"
    )


def test_long_labels_in_parquet(tmp_path):
    path, n = tmp_path / "a.parquet", 50_000
    # Decoded, the dictionary takes 50 GB.
    codes = pa.DictionaryArray.from_arrays(np.zeros(n, np.int32), ["u" * 10**6])
    pq.write_table(pa.table({"a": np.zeros(n), "y": codes}), path)
    assert message(path, "y").startswith("column 'y', row 1: the label has 1,000,000 characters")
    # Without Arrow's schema the column is one of texts, which the file has once all the same.
    pq.write_table(pa.table({"a": np.zeros(n), "y": codes}), path, store_schema=False)
    assert pq.read_schema(path).field("y").type == pa.string()
    assert message(path, "y").startswith("column 'y', row 1: the label has 1,000,000 characters")
    assert message(path).startswith("column 'y', row 1: 'uuuuuuuu")
    pq.write_table(pa.table({"a": [1.0, 2.0], "y": ["v", "u" * 2000]}), path)
    assert message(path, "y").startswith("column 'y', row 2: the label has 2,000 characters")
    unused = pa.DictionaryArray.from_arrays(pa.array([1, 2]), ["u" * 10**4, "v", "w"])
    pq.write_table(pa.table({"a": [1.0, 2.0], "y": unused}), path)
    assert read(path, "y").y.tolist() == ["v", "w"]


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


def test_words_far_down_in_parquet(tmp_path):
    path, n = tmp_path / "a.parquet", 300_000
    texts = ["1.5"] * n
    pq.write_table(pa.table({"a": texts}), path)
    assert message(path).startswith("column 'a' contains numbers stored as text")
    pq.write_table(pa.table({"a": [*texts[:-1], "x"]}), path)
    assert message(path).startswith("column 'a', row 300000: 'x' is not a number")
    pq.write_table(pa.table({"a": [*texts[:-1], None]}), path)
    assert message(path).startswith("column 'a', row 300000: the value is missing")


def test_texts_that_are_not_utf_8(tmp_path):
    path = tmp_path / "a.parquet"
    texts = pa.array([b"ok", b"\xff\xfe"]).cast(pa.binary()).view(pa.string())
    pq.write_table(pa.table({"a": [1.0, 2.0], "y": texts}), path)
    assert message(path, "y").startswith("not a readable Parquet file (")
    assert message(path).startswith("not a readable Parquet file (")


@pytest.mark.parametrize(
    ("name", "content", "arguments"),
    [
        ("a.csv", f"a{ESC},b\u202e,y\n1,x{ESC},u\n", {"target": "y"}),
        ("a.csv", f"a{ESC},b\u202e,y\n1,2,u\n", {"target": "z"}),
        ("a.csv", f"a{ESC},a{ESC},y\n1,2,u\n", {"target": "y"}),
        ("a.csv", f"a,b\n1,2,{ESC}\n", {}),
        ("a.csv", f"a,b\n1,2,{ESC}\n", {"target": ESC}),
        ("a.csv", "a\0,b\n1,2\0\n", {}),
        ("a.csv", f"1{ESC}\n2,3\n", {"header": False}),
        ("a.csv", f'a,"b\n{ESC}",y\n1,2,u\n', {"target": "y"}),
        ("a.svm", f"{ESC} 1:1\n", {}),
        ("a.svm", f"1 1:{ESC}\n", {}),
        ("a.npz", npz({f"A{ESC}\n.npy": npy("<f8", (1, 1), b"\0" * 8)}), {}),
        ("a.npy", npy([(f"a{ESC}", "<f8")], (1, 1), b"\0" * 8), {}),
        ("a.idx", to_idx(np.eye(2)), {"target": ESC}),
        ("a\n\x1b.csv", "a,b\n1,x\n", {}),
        ("a\n\x1b.data", "a,b\n1,x\n", {}),
    ],
)
def test_names_and_values_are_shown_escaped(file, name, content, arguments):
    path = file(name, content)
    with pytest.raises(DataError) as caught:
        read(path, **arguments)
    assert str(caught.value).isprintable()


def test_names_in_parquet_are_shown_escaped(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({f"a{ESC}\n": ["x\u2028"], "y": [{f"{ESC}": 1}]}), path)
    assert message(path, "y").startswith(r"column 'a\x1b[2J\n', row 1: 'x\u2028' is not a number")
    assert message(path, "z").endswith(r"a\x1b[2J\n, y")
    assert message(path, drop=[0]).startswith(r"column 'y' is of type struct<\x1b[2J: int64>")


def test_byte_order_marks_and_null_bytes(file):
    path = file("a.csv", "\ufeff1,2\n3,4\n")
    assert read(path, header=False).X.tolist() == [[1, 2], [3, 4]]
    path = file("a.csv", b"a,y\n1,u\n2,u\0\n")
    assert message(path, "y") == "column 'y', row 2: the label contains a null character"
    assert message(file("a.csv", b"a,b\n1,2\0\n")).startswith(
        r"column 'b', row 1: '2\x00' is not a number"
    )


def test_a_row_much_longer_than_the_first(file):
    path = file("a.csv", "a,y\n1,u\n2," + "v" * (3 << 20) + "\n")
    assert message(path, "y").startswith("a row has more than 1,048,576 bytes")


def test_the_metadata_of_pandas(tmp_path):
    path = tmp_path / "a.parquet"
    table = pa.table({"a": [1.0]})
    for metadata in (b"{", b"[5]", b'{"index_columns": 5}', b"\xff"):
        pq.write_table(table.replace_schema_metadata({b"pandas": metadata}), path)
        assert message(path).startswith("the metadata that pandas wrote into it is damaged")
    pq.write_table(table.replace_schema_metadata({b"pandas": b"{}"}), path)
    assert read(path).X.tolist() == [[1.0]]


# --- files


@pytest.mark.skipif(sys.platform == "win32", reason="pipes and long names of POSIX")
def test_what_is_no_regular_file(tmp_path):
    os.mkfifo(tmp_path / "a.csv")
    assert message(tmp_path / "a.csv") == "it is not a regular file"
    (tmp_path / "loop.csv").symlink_to("loop.csv")
    assert message(tmp_path / "loop.csv").startswith("it cannot be read (Too many levels")
    with pytest.raises(DataError, match="File name too long"):
        read(tmp_path / ("a" * 300 + ".csv"))
    with pytest.raises(DataError, match="no such file"):
        read("a\0.csv")


def test_a_remembered_target_never_opens_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.idx").write_bytes(to_idx(np.eye(3)))
    (tmp_path / "labels.idx").write_bytes(to_idx(np.array([1, 2, 3])))
    assert read("a.idx", default_target="labels.idx").y is None
    assert read("a.idx", "labels.idx", default_target="no.idx").y.tolist() == [1, 2, 3]
    (tmp_path / "a.svm").write_text("1 1:1\n")
    assert read("a.svm", default_target="y").y.tolist() == [1]
    (tmp_path / "a.csv").write_text("a,y,z\n1,2,3\n")
    assert read("a.csv", default_target="y").target_name == "y"
    assert read("a.csv", "z", default_target="y").target_name == "z"
