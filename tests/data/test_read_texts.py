"""Values of absurd length, bad labels, names that act on terminals, and files that are none."""

import os
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from novikoff.data import DataError, read
from novikoff.data.formats.idx import to_idx
from tests.data.hostile import ESC, message, npy, npz


def test_a_signalling_nan(tmp_path):
    """Its conversion to another precision makes numpy warn."""
    nan = np.array([1, 0x7F800001], np.uint32).view(np.float32)
    pq.write_table(pa.table({"a": nan, "b": [1.0, 2.0]}), tmp_path / "a.parquet")
    expected = "column 'a', row 2: the value is missing"
    assert message(tmp_path / "a.parquet").startswith(expected)
    expected = "column 'a', row 2: the weight nan is not a finite number"
    assert message(tmp_path / "a.parquet", weights="a").startswith(expected)
    np.save(tmp_path / "a.npy", np.array([[1], [0x7C01]], np.uint16).view(np.float16))
    assert message(tmp_path / "a.npy").startswith("column 0, row 2: nan is not a finite number")


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
    assert message(path).startswith("column 'y', row 1: the text has 1,000,000 characters")
    pq.write_table(pa.table({"a": [1.0, 2.0], "y": ["v", "u" * 2000]}), path)
    assert message(path, "y").startswith("column 'y', row 2: the label has 2,000 characters")
    unused = pa.DictionaryArray.from_arrays(pa.array([1, 2]), ["u" * 10**4, "v", "w"])
    pq.write_table(pa.table({"a": [1.0, 2.0], "y": unused}), path)
    assert read(path, "y").y.tolist() == ["v", "w"]


def test_words_far_down_in_parquet(tmp_path):
    path, n = tmp_path / "a.parquet", 300_000
    texts = ["1.5"] * n
    pq.write_table(pa.table({"a": texts}), path)
    assert message(path).startswith("column 'a' contains numbers stored as text")
    pq.write_table(pa.table({"a": [*texts[:-1], "x"]}), path)
    assert message(path).startswith("column 'a', row 300000: 'x' is not a number")
    pq.write_table(pa.table({"a": [1.5] * (n - 1) + [None]}), path)
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
        ("a.csv", f"a{ESC},b\u202e,y\n1,x{ESC},u\n2,3,v\n", {"target": "y"}),
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
        ("a\n\x1b.csv", "a,b\n1,x\n2,3\n", {}),
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
    pq.write_table(pa.table({f"a{ESC}\n": ["1", "x\u2028y"], "y": [{f"{ESC}": 1}] * 2}), path)
    assert r"column 'a\x1b[2J\n', row 2: 'x\u2028y' is not a number" in message(path, drop="y")
    assert message(path, "z").endswith(r"a\x1b[2J\n, y")
    assert message(path, drop=[0]).startswith(
        r"column 'y' contains values of type struct<\x1b[2J: int64>"
    )


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
