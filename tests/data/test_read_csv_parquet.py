"""CSV and Parquet: what was written is read back, and what cannot be used is named."""

import datetime
import decimal
import gzip
import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from novikoff.data import Table, read
from tests.data.hostile import message


@pytest.fixture
def csv(tmp_path):
    def write(text, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


@pytest.fixture
def parquet(tmp_path):
    def write(columns):
        path = tmp_path / "data.parquet"
        pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), path)
        return path

    return write


FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(X=hnp.arrays(np.float64, st.tuples(st.integers(1, 30), st.integers(1, 6)), elements=FINITE))
def test_csv_and_parquet_read_back_every_bit(tmp_path_factory, X):
    folder = tmp_path_factory.mktemp("round")
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    frame["label"] = np.where(np.arange(len(X)) % 2, "odd", "even")
    frame.to_csv(folder / "a.csv", index=False)
    frame.to_parquet(folder / "a.parquet")
    for name in ("a.csv", "a.parquet"):
        table = read(folder / name, "label")
        np.testing.assert_array_equal(table.X.view(np.uint64), X.view(np.uint64))
        assert table.X.flags.c_contiguous and table.X.flags.owndata
        assert table.y.tolist() == frame["label"].tolist()
        assert table.feature_names == tuple(frame.columns[:-1])
        assert table.target_name == "label"


@pytest.mark.parametrize("target", ["b", 1, -2, "1", "-2"])
def test_target_by_name_or_position(csv, target):
    table = read(csv("a,b,c\n1,x,2\n3,y,4\n"), target)
    assert table.X.tolist() == [[1, 2], [3, 4]]
    assert table.y.tolist() == ["x", "y"]
    assert (table.feature_names, table.target_name) == (("a", "c"), "b")


def test_a_name_of_digits_is_a_name_before_it_is_a_position(csv):
    assert read(csv("0,1,2\n7,8,9\n"), "2", header=True).target_name == "2"
    assert read(csv("2,1,0\n7,8,9\n"), "2", header=True).y.tolist() == [7]


def test_without_target_there_are_no_labels(csv):
    table = read(csv("a,b\n1,2\n"))
    assert isinstance(table, Table)
    assert table.y is None and table.target_name is None
    assert table.X.tolist() == [[1, 2]]


def test_features_are_chosen_and_ordered_by_name(csv):
    path = csv("id,b,a,label\nr1,1,2,u\nr2,3,4,v\n")
    table = read(path, features=["a", "b"])
    assert table.X.tolist() == [[2, 1], [4, 3]]
    assert table.feature_names == ("a", "b") and table.y is None
    assert read(path, "label", features=["a", "b"]).y.tolist() == ["u", "v"]
    assert message(path, features=["a", "bb"]) == "no column 'bb': did you mean 'b'?"
    assert "the target and a feature" in message(path, "a", features=["a", "b"])


@pytest.mark.parametrize("drop", [["id"], "id", 0, [0], [-4]])
def test_dropped_columns_are_not_looked_at(csv, drop):
    table = read(csv("id,a,b,label\nr1,1,2,u\n"), "label", drop=drop)
    assert table.feature_names == ("a", "b")


@pytest.mark.parametrize(
    ("text", "dtype", "labels"),
    [
        ("x,y\n1,0\n2,1\n", np.int64, [0, 1]),
        ("x,y\n1,true\n2,false\n", np.bool_, [True, False]),
        ("x,y\n1,-1.5\n2,1.5\n", np.float64, [-1.5, 1.5]),
        ("x,y\n1,NA\n2,DE\n", np.dtype("<U2"), ["NA", "DE"]),
        ("x,y\n1,1\n2,b\n", np.dtype("<U1"), ["1", "b"]),
        ('x,y\n1,"a, b"\n2,"c"\n', np.dtype("<U4"), ["a, b", "c"]),
    ],
)
def test_csv_labels_keep_their_type(csv, text, dtype, labels):
    y = read(csv(text), "y").y
    assert y.dtype == dtype
    assert y.tolist() == labels


def test_a_label_unlike_the_first_million_bytes_of_them_is_read(csv):
    rows = 300_000
    y = read(csv("x,y\n" + "1,7\n" * rows + "2,seven\n"), "y").y
    assert y.shape == (rows + 1,) and set(y) == {"7", "seven"}


def test_a_word_after_the_first_million_bytes_is_found(csv):
    text = "x,y\n" + "1.25,7\n" * 300_000 + "oops,7\n"
    assert message(csv(text), "y").startswith("column 'x', row 300001: 'oops' is not a number")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "a;b\n1.5;2\n"),
        ("a.tsv", "a\tb\n1.5\t2\n"),
        ("a.csv", "\ufeffa,b\n1.5,2\n"),
        ("a.csv", "\n\na,b\n1.5,2\n\n"),
        ("a.csv", "a,b\r\n1.5,2\r\n"),
        ("a.csv", "a, b\n 1.5, 2"),
        ("a.csv.gz", gzip.compress(b"a,b\n1.5,2\n", mtime=0)),
    ],
    ids=["semicolon", "tab", "bom", "blank lines", "crlf", "spaces", "gzip"],
)
def test_dialects(csv, name, text):
    table = read(csv(text, name))
    assert table.X.tolist() == [[1.5, 2.0]]
    assert table.feature_names == ("a", "b")


def test_booleans_among_the_features(csv):
    assert read(csv("a,b\n1.5,true\n2,false\n")).X.tolist() == [[1.5, 1], [2, 0]]


def test_a_wide_row_is_longer_than_a_block(csv):
    X = np.arange(2 * 50_000).reshape(2, -1) / 4
    text = io.StringIO()
    np.savetxt(text, X, delimiter=",")
    table = read(csv(text.getvalue()), -1, header=False)
    np.testing.assert_array_equal(table.X, X[:, :-1])


def test_number_in_the_first_line_needs_a_word_from_the_user(csv):
    path = csv("5.1,3.5,setosa\n4.9,3.0,virginica\n")
    assert "'5.1'" in (text := message(path, -1)) and "--no-header" in text
    table = read(path, -1, header=False)
    assert table.X.shape == (2, 2) and table.y.tolist() == ["setosa", "virginica"]
    assert table.feature_names is None and table.target_name is None
    assert read(path, -1, header=True, drop=[]).feature_names == ("5.1", "3.5")
    assert "no names" in message(path, "species", header=False)


@pytest.mark.parametrize(
    ("types", "dtype"),
    [
        ([pa.float64()], np.float64),
        ([pa.float32()], np.float32),
        ([pa.float32(), pa.uint8(), pa.bool_(), pa.int16()], np.float32),
        ([pa.float32(), pa.int32()], np.float64),
        ([pa.float16()], np.float32),
        ([pa.uint8()], np.uint8),
        ([pa.uint8(), pa.bool_()], np.uint8),
        ([pa.int8()], np.float64),
        ([pa.int64()], np.float64),
        ([pa.uint64(), pa.int8()], np.float64),
        ([pa.decimal128(5, 2)], np.float64),
        ([pa.dictionary(pa.int8(), pa.int64())], np.float64),
    ],
    ids=str,
)
def test_parquet_types(parquet, types, dtype):
    columns = {}
    for i, kind in enumerate(types):
        ones = [decimal.Decimal(1), decimal.Decimal(0)] if pa.types.is_decimal(kind) else [1, 0]
        if kind == pa.float16():
            ones = np.array(ones, dtype=np.float16)
        columns[f"c{i}"] = pa.array(ones).cast(kind) if kind == pa.bool_() else pa.array(ones, kind)
    table = read(parquet(columns))
    assert table.X.dtype == dtype
    assert table.X.tolist() == [[1] * len(types), [0] * len(types)]


@pytest.mark.parametrize(
    "labels",
    [["a", "b"], [1, 2], [True, False], [0.5, 1.5], pd.Categorical(["a", "b"])],
    ids=["str", "int", "bool", "float", "category"],
)
def test_parquet_labels_keep_their_type(tmp_path, labels):
    frame = pd.DataFrame({"x": [1.0, 2.0], "y": labels}, index=["r1", "r2"])
    frame.to_parquet(tmp_path / "p.parquet")
    table = read(tmp_path / "p.parquet", "y")
    assert table.y.tolist() == list(labels)
    assert table.y.dtype.kind == np.asarray(list(labels)).dtype.kind
    assert table.feature_names == ("x",)


def test_polars_parquet(tmp_path):
    pl.DataFrame({"x": [1, 2], "y": ["a", "b"]}).write_parquet(tmp_path / "p.parquet")
    assert read(tmp_path / "p.parquet", "y").y.tolist() == ["a", "b"]


def test_parquet_of_many_batches_and_row_groups(tmp_path):
    X = np.arange(3 * 20_000, dtype=np.float32).reshape(-1, 3)
    table = pa.table({"a": X[:, 0], "b.c": X[:, 1], "": X[:, 2], "y": np.arange(20_000) % 7})
    pq.write_table(table, tmp_path / "p.parquet", row_group_size=3_333)
    read_back = read(tmp_path / "p.parquet", "y", drop=[2])
    np.testing.assert_array_equal(read_back.X, X[:, :2])
    np.testing.assert_array_equal(read_back.y, np.arange(20_000) % 7)


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("a,b\n1,2\n3,red\n", None, "column 'b', row 2: 'red' is not a number"),
        ("a,b\n1,2\n3,\n", None, "column 'b', row 2: the value is missing"),
        ("a,b\n1,2\n3,NA\n", None, "column 'b', row 2: the value is missing"),
        ("a,b\n1,NaN\n", None, "column 'b', row 1: the value is missing"),
        ("a,b\n1,2\n-inf,3\n", None, "column 'a', row 2: -inf is not a finite number"),
        ("a,b\n1,12:30:00\n", None, "column 'b' contains times of day, not numbers"),
        ("a,b\n1,2\n3,4,5\n", None, "row 2 has 3 fields where the first line has 2"),
        ("a,b\n1,2\n3\n", "b", "row 2 has 1 field where the first line has 2"),
        ("a,b\n", None, "it has a header and no rows"),
        ("a,b", None, "it has a header and no rows"),
        ("\n \n", None, "it contains nothing but blank lines"),
        ("", None, "it is empty"),
        ("a,b\n1,2\n", "c", "no column 'c': the 2 columns are a, b"),
        ("a,Label\n1,2\n", "label", "no column 'label': did you mean 'Label'?"),
        ("a,b\n1,2\n", 2, "no column 2: the 2 columns are a, b"),
        ("a,b\n1,2\n", -3, "no column -3: the 2 columns are a, b"),
        ("a,b,a\n1,2,3\n", "b", "two columns are called 'a' (positions 0 and 2)"),
        (",a,b\n0,1,2\n", "b", "column 0 has no name (the row numbers of a data frame?)"),
        ("a\n1\n", "a", "no feature is left"),
        ("a,b\n1,\n", "b", "column 'b', row 1: the label is missing"),
        ("a,b\n1,u\n2,\n", "b", "column 'b', row 2: the label is missing"),
        ("a,b\n1,2020-01-01\n", "b", "column 'b' contains dates: labels are strings"),
        (b"\xff\xfe,b\n1,2\n", None, "it is not UTF-8 text"),
        (b"a,b\n1,\xff\n", "b", "column 'b' is not UTF-8 text"),
        (
            "a,b\n1,2\n3,9007199254740993\n",
            None,
            "column 'b', row 2: float64 cannot represent 9007199254740993 ",
        ),
        (
            "a,b\n-9007199254740993,u\n1,v\n",
            "b",
            "column 'a', row 1: float64 cannot represent -9007199254740993 ",
        ),
        (
            "a,b\n2,u\n123456789012345678901234,3\n",
            "b",
            "column 'a', row 2: float64 cannot represent 123456789012345678",
        ),
        (
            "a,b\n1.5,2\n 9007199254740993,3\n",
            None,
            "column 'a', row 2: float64 cannot represent 9007199254740993 ",
        ),
    ],
)
def test_bad_csv(csv, text, target, expected):
    assert message(csv(text), target).startswith(expected)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"a": [1.0, None]}, "column 'a', row 2: the value is missing"),
        ({"a": [1, None], "b": [1.5, 2.5]}, "column 'a', row 2: the value is missing"),
        ({"a": [1.0, float("nan")]}, "column 'a', row 2: the value is missing"),
        ({"a": ["1", "2"]}, "column 'a' contains numbers stored as text"),
        ({"a": [1, 2], "b": ["1", "two"]}, "column 'b', row 2: 'two' is not a number"),
        ({"a": [datetime.time(12, 30)]}, "column 'a' contains times of day, not numbers"),
        ({"a": [{"b": 1}]}, "column 'a' contains values of type struct<b: int64>, n"),
        ({"a": [1, 2**53 + 1]}, "column 'a', row 2: float64 cannot represent 9007199254740993 "),
        ({"a": pa.array([], pa.float64())}, "it has a header and no rows"),
        ({"a": pa.nulls(1)}, "column 'a', row 1: the value is missing"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_parquet(parquet, columns, expected):
    assert message(parquet(columns)).startswith(expected)


def test_large_integers_that_are_floats_are_read(parquet):
    assert read(parquet({"a": [2**60, -(2**55)]})).X.ravel().tolist() == [2.0**60, -(2.0**55)]


def test_large_numbers_that_are_floats_are_read_from_csv(csv):
    """Integers that float64 has, and decimals, which are rounded as decimals always are."""
    texts = ["9007199254740992", "-9007199254740994", str(2**80), "9007199254740993.0", "1e300"]
    table = read(csv("a,b,y\n" + "".join(f"0.1,{text},u\n" for text in texts)), "y")
    assert table.X[:, 1].tolist() == [float(text) for text in texts]


def test_an_integer_with_too_many_digits_far_down(csv):
    """Many blocks into the file; a label may have as many digits as it likes."""
    rows = [f"{2**60},{i},{2**53 + 1}" for i in range(200_000)]
    path = csv("a,b,y\n" + "\n".join(rows) + "\n")
    assert read(path, "y").X.shape == (200_000, 2)
    rows[-2] = f"{2**60 + 1},7,{2**53 + 1}"
    path = csv("a,b,y\n" + "\n".join(rows) + "\n")
    found = message(path, "y")
    assert found.startswith(f"column 'a', row 199999: float64 cannot represent {2**60 + 1} ")
    assert found.endswith("leave the column out with --drop a, or rescale it")
    assert read(path, "y", drop=["a"]).X.shape == (200_000, 1)


def test_parquet_two_columns_of_one_name(parquet):
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    assert message(parquet(table)).startswith("two columns are called 'a'")


@pytest.mark.parametrize("content", [b"junk", b"PAR1" + b"x" * 50 + b"PAR1"])
def test_not_parquet(tmp_path, content):
    path = tmp_path / "p.parquet"
    path.write_bytes(content)
    assert message(path).startswith("not a readable Parquet file")


def test_labels_are_asked_for_before_the_data_is_read(csv, parquet):
    wide = "".join(f"c{i}," for i in range(30)) + "kind"
    text = message(csv(f"{wide}\n" + "1," * 30 + "apple\n"), labelled=True)
    assert text.startswith("no target is named: pass --target; the 31 columns are c0, c1,")
    assert text.endswith("…, c29, kind")
    path = parquet({"a": ["words"], "b": [1]})
    assert message(path, labelled=True).endswith("the 2 columns are a, b")


def test_the_number_of_features_can_be_required(csv):
    path = csv("a,b,c\n1,2,3\n")
    assert read(path, "c", n_features=2).X.shape == (1, 2)
    assert message(path, n_features=2) == "it has 3 features where 2 are expected"
    path = csv("1,2,3\n")
    assert "3 features where 2" in message(path, header=False, features=["a", "b"])
