"""Words, booleans, dates and missing values: what becomes of them, and that it is repeated."""

import bz2
import datetime
import gzip
import lzma

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.certificate import CertificateError
from novikoff.data import DataError, read
from novikoff.data.encoding import MISSING, ColumnEncoding, Encoding
from novikoff.data.formats.dates import parse_days
from tests.data.hostile import ESC, message

COLOURS = "x,colour,y\n1,red,u\n2,blue,v\n3,red,u\n4,blue,v\n"


def test_words_become_a_feature_for_each_level(file):
    table = read(file("a.csv", COLOURS), "y")
    assert table.feature_names == ("x", "colour=blue", "colour=red")
    assert table.X.tolist() == [[1, 0, 1], [2, 1, 0], [3, 0, 1], [4, 1, 0]]
    assert table.encoding == Encoding(
        (ColumnEncoding("x"), ColumnEncoding("colour", "words", ("blue", "red")))
    )


def test_words_alone_take_a_byte_each(file):
    table = read(file("a.csv", "a,b\nu, p\nv,q\nu,p \nv,q\n"))
    assert table.X.dtype == np.uint8
    assert table.feature_names == ("a=u", "a=v", "b=p", "b=q")


def test_numbers_only_have_no_encoding(file):
    assert read(file("a.csv", "x,y\n1,u\n2,v\n"), "y").encoding is None
    table = read(file("a.csv", "x,y\n1,u\n2,v\n"), "y", missing="drop")
    assert table.encoding == Encoding((ColumnEncoding("x"),), "drop")


def test_booleans_and_dates(file):
    text = "ok,day,at\ntrue,1970-01-03,1970-01-01T12:00:00\nFalse,1969-12-31,1969-12-31 18:00:00\n"
    table = read(file("a.csv", text))
    assert table.X.tolist() == [[1, 2, 0.5], [0, -1, -0.25]]
    assert [column.kind for column in table.encoding.columns] == ["boolean", "date", "date"]
    assert read(file("b.csv", "day\n1970/01/03\n1970/01/01\n")).X.tolist() == [[2], [0]]


def test_a_class_that_vanishes_with_its_rows(file):
    text = "x,c,y\n1,p,u\n2,q,v\n3,,w\n4,,u\n"
    table = read(file("a.csv", text), "y", missing="drop")
    assert (table.dropped.tolist(), table.vanished) == ([2, 3], ("w",))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_times_are_the_same_in_every_format(tmp_path, file, unit, zone):
    moments = ["2024-02-29T13:37:11", "1958-05-03T00:00:01", "1970-01-01T00:00:00"]
    values = [datetime.datetime.fromisoformat(f"{text}+00:00") for text in moments]
    pq.write_table(pa.table({"t": pa.array(values, pa.timestamp(unit, zone))}), tmp_path / "t.pq")
    suffix = "" if zone is None else "Z"
    text = file("t.csv", "\n".join(["t", *(moment + suffix for moment in moments)]) + "\n")
    days = [v.timestamp() / 86400 for v in values]
    tables = [read(tmp_path / "t.pq"), read(text)]
    tables.append(read(text, encoding=tables[0].encoding))
    for table in tables:
        np.testing.assert_allclose(table.X.ravel(), days, rtol=1e-15)
        assert np.array_equal(table.X, tables[0].X)


def test_a_copy_in_parquet_gives_the_same_numbers(tmp_path, file):
    text = "n,w,b,d\n1.5,red,true,2020-01-01\n,blue,,\n3,NA,false,2021-05-05\n-1,red,true,\n"
    table = read(file("a.csv", text), missing="indicator")
    columns = {
        "n": [1.5, None, 3.0, -1.0],
        "w": ["red", "blue", None, "red"],
        "b": [True, None, False, True],
        "d": [datetime.date(2020, 1, 1), None, datetime.date(2021, 5, 5), None],
    }
    for words in (pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())):
        columns["w"] = pa.array(["red", "blue", None, "red"]).cast(words)
        pq.write_table(pa.table(columns), tmp_path / "a.parquet")
        copy = read(tmp_path / "a.parquet", missing="indicator")
        assert copy.encoding == table.encoding
        assert np.array_equal(copy.X, table.X)
        again = read(tmp_path / "a.parquet", encoding=table.encoding)
        assert np.array_equal(again.X, table.X)
    assert table.missing == {f"column '{c}'": n for c, n in zip("nwbd", (1, 1, 1, 2), strict=True)}


@pytest.mark.parametrize("marker", MISSING)
def test_texts_that_stand_for_a_missing_value(file, marker):
    path = file("a.csv", f"n,w,y\n1,p,u\n{marker},p,u\n2,{marker},v\n3,q,v\n4, {marker} ,u\n")
    table = read(path, "y", missing="drop")
    assert table.X.tolist() == [[1, 1, 0], [3, 0, 1]]
    assert table.dropped.tolist() == [1, 2, 4]
    assert table.y.tolist() == ["u", "v"]
    table = read(path, "y", missing="indicator")
    assert table.X[:, [1, 4]].tolist() == [[0, 0], [1, 0], [0, 1], [0, 0], [0, 1]]


def test_rows_without_a_label_are_left_out(file, tmp_path):
    path = file("a.csv", "x,y,w\n1,u,1\n2,,2\n,v,3\n4,v,4\n5,NA,5\n6,u,6\n")
    table = read(path, "y", missing="drop", weights="w")
    assert (table.X.ravel().tolist(), table.y.tolist()) == ([1, 4, 6], ["u", "v", "u"])
    assert table.weights.tolist() == [1, 4, 6]
    assert table.dropped.tolist() == [1, 2, 4]
    assert table.missing == {"column 'x'": 1, "column 'y', the target": 2}
    for labels in ([1, None, 3], [True, None, False], [1.5, None, 2.5], ["u", None, "v"]):
        pq.write_table(pa.table({"x": [1.0, 2.0, 3.0], "y": labels}), tmp_path / "a.parquet")
        table = read(tmp_path / "a.parquet", "y", missing="drop")
        assert table.y.tolist() == [labels[0], labels[2]]
    text = message(path, "y", weights="w")
    assert "values are missing in 'x' (1), 'y' (the target) (1), the first in row 2" in text
    assert "indicator" not in text


def test_missing_is_an_error_unless_something_is_said(file):
    path = file("a.csv", "x,z\n1,2\n,3\nNA,4\n5,6\n")
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value).endswith(
        "column 'x', row 2: the value is missing, as in 1 other row; correct the file, or leave "
        "such rows out with --missing drop (2 of 4), or mark them by a column with --missing "
        "indicator"
    )
    assert caught.value.options == ("--missing", "indicator")
    assert "every row" in message(file("a.csv", "x,z\n1,\n,2\n"), missing="drop")


NA = ("--missing", "--na")
COMMAS = ("--decimal", "--thousands")


@pytest.mark.parametrize(
    ("column", "expected", "options"),
    [
        (["1", "2", "two", "3"], "row 3: 'two' is not a number, but 3 other values", NA),
        (["7", "x7", *map(str, range(30))], "row 2: 'x7' is not a number, but 31", NA),
        (["1", "2", "a", "b", "c", "d"], "row 3: 'a' is not a number, but 2 oth", ("--words",)),
        (["x", "y", "2000-01-01"], "row 1: 'x' is not a date; correct it", ("--words",)),
        (["2000-01-01", "-", "2000-01-02"], "row 2: '-' is not a date, but 2 other", NA),
        (
            ["1,5", "2,25", "-", "4"],
            "row 3, '-' is not a number",
            ("--missing", "--decimal", "--na"),
        ),
        (["5.492,84", "901"], "row 1: '5.492,84' looks like a number with t", COMMAS),
        (["1,051", "901"], "pass --thousands , to read 1051, or --decimal , to", ("--thousands",)),
        (["1,051.5", "2"], "pass --thousands , to read 1051.5", ("--thousands",)),
        (["1 051", "901"], "pass --thousands ' ' to read 1051", ("--thousands",)),
        (["$5,492.84", "$1"], "looks like a number with a currency sign, which", ("--drop",)),
        (["0", "1%", "2%"], "row 2: '1%' looks like a number with a percent sign", ("--drop",)),
        (["64.5 %", "-1%"], "looks like a number with a percent sign, which", ("--drop",)),
        (["2000-01-01", "2000-13-45"] * 2, "row 2: '2000-13-45' is not a date, but", ("--words",)),
        (["1,5", "2,25", "3", "4"], "row 1: '1,5' is not a number, unless commas", ("--decimal",)),
        ([f"id{i}" for i in range(4)], "4 different texts in 4 rows", ("--drop",)),
        ([f"id{i % 40}" for i in range(70)], "40 different texts in 70 rows", ("--drop",)),
        ([f"id{i % 1001}" for i in range(5000)], "more than 1,000 different texts", ("--drop",)),
        (["a", "b" * 1001, "a", "a"], "row 2: the text has 1,001 characters", ("--drop",)),
        (["", "NA", "?", ""], "row 1: the value is missing, as in all rows", ("--drop",)),
        (["1", "inf", "2", "3"], "row 2: inf is not a finite number", ("--drop",)),
        (["3/1/1970", "2/1/1970"] * 2, "row 1: '3/1/1970' could have the day or", ("--dates",)),
        (["3/1/1970", "31/1/1970", "1/31/1970"], "row 3: '1/31/1970' is not a date", ("--drop",)),
        (["30/2/1970", "1/1/1970"] * 2, "row 1: '30/2/1970' is not a date; correct", ("--drop",)),
        (["31/12/69", "30/12/70"] * 2, "row 1: the year of '31/12/69' has two di", ("--drop",)),
        (["31.12.69", "30.12.70"] * 2, "row 1: the year of '31.12.69' has two di", ("--words",)),
        (["12:30:00"] * 4, "contains times of day, not numbers: write them as numb", ("--drop",)),
        (["2:56:04", "28:07"], "contains times, not numbers: write them as", ("--words",)),
    ],
)
def test_columns_that_need_a_decision(file, column, expected, options):
    path = file("a.tsv", "\n".join(["x\tc", *(f"{i}\t{v}" for i, v in enumerate(column))]) + "\n")
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: column 'c'")
    assert expected in str(caught.value)
    assert caught.value.options[::2] == options
    names = [name.removeprefix("--") for name in options]
    chosen = dict(zip(names, caught.value.options[1::2], strict=True))
    table = read(path, **chosen)
    assert len(table.X) + len(table.dropped) == len(column)
    assert (chosen.get("missing") == "drop") == (len(table.dropped) > 0)


@pytest.mark.parametrize(
    ("texts", "days"),
    [
        (["1970-01-01 14:00:00 +0200", "1970-01-03 00:00:00 -1200"], [0.5, 2.5]),
        (["1 Jan 1970", "3 February 1970"], [0, 33]),
        (["2-Jan-1970", "28-dec-1970 06:00"], [1, 361.25]),
        (['"Jan 1, 1970"', '"Sept. 2, 1970 6:00 PM"'], [0, 244.75]),
        (["1/14/1970 6:00 AM", "1/1/1970 12:00 PM"], [13.25, 0.5]),
    ],
)
def test_dates_with_names_of_months_zones_and_halves_of_days(file, texts, days):
    path = file("a.csv", "\n".join(["when,x", *(f"{text},1" for text in texts)]) + "\n")
    table = read(path)
    assert table.X[:, 0].tolist() == days
    assert read(path, encoding=table.encoding).X[:, 0].tolist() == days


@pytest.mark.parametrize("word", ["31 Feb 1970", "1 Mai 1970", "1 Janu 70", "1970-01-01 13:00 PM"])
def test_texts_that_are_no_dates(word):
    assert parse_days(word) is None


def test_dates_with_the_year_last(file):
    """A day above 12 tells the order of the column; else it must be given, and is remembered."""
    text = "a,b,c\n3/1/1970,1-14-1970,2.1.1970 9:36\n13/1/1970,01-03-1970,3.1.1970 12:00\n"
    path = file("a.csv", text)
    assert "column 'c', row 1: '2.1.1970 9:36' could have the day or the month" in message(path)
    for order, last in (("day-first", [1.4, 2.5]), ("month-first", [31.4, 59.5])):
        table = read(path, dates=order)
        assert table.X.T.tolist() == [[2, 12], [13, 2], last]
        kinds = [column.kind for column in table.encoding.columns]
        assert kinds == ["day-first", "month-first", order]
        stored = Encoding.from_json(table.encoding.to_json())
        again = read(file("b.csv", "c,b,a\n1.2.1970,1-2-1970,5/1/1970\n"), encoding=stored)
        assert again.X.tolist() == [[4, 1, 31 if order == "day-first" else 1]]
    with pytest.raises(DataError, match="row 1: '1/13/1970' is not a date with the day first"):
        read(file("b.csv", "a,b,c\n1/13/1970,1-2-1970,1.2.1970\n"), encoding=stored)
    with pytest.raises(DataError, match="choose one of day-first, month-first"):
        read(path, dates="year-first")
    np.save(path.with_name("a.npy"), np.eye(2))
    with pytest.raises(DataError, match="the format npy has no dates"):
        read(path.with_name("a.npy"), dates="day-first")


def test_decimal_commas_between_commas(file):
    """Quoted, as spreadsheets write them; a name may contain a semicolon."""
    path = file("a.csv", 'x; kg,y\n"1,5",u\n"2,25",v\n')
    assert read(path, "y", decimal=",").X.tolist() == [[1.5], [2.25]]
    path = file("b.csv", "1,5\n2,25\n")
    assert read(path, header=False, decimal=",").X.tolist() == [[1.5], [2.25]]
    path = file("c.csv", '"1,5",3\n"2,25",4\n')
    assert read(path, header=False, decimal=",").X.tolist() == [[1.5, 3], [2.25, 4]]
    path = file("d.csv", "x, in kg;z\n1,5;3\n2,25;4\n")
    assert read(path, decimal=",").X.tolist() == [[1.5, 3], [2.25, 4]]


def test_a_marker_is_suggested_only_where_the_fit_made_one(file):
    """A column of numbers without missing values at the fit has no feature to mark them."""
    encoding = Encoding((ColumnEncoding("x"), ColumnEncoding("c", "words", ("u", "v"))))
    for text, expected in (("x,c\n1,\n2,u\n", True), ("x,c\n1,u\n,u\n", False)):
        with pytest.raises(DataError) as caught:
            read(file("a.csv", text), encoding=encoding)
        assert ("--missing indicator" in str(caught.value)) is expected
        assert caught.value.options == ("--missing", "indicator" if expected else "drop")


def test_several_columns_are_named_one_by_one(file):
    path = file("a.csv", "id,a b,x,y\n1,2,3,u\n2,3,3,v\n")
    said = "no column 'id, a b': give --drop once for each column: --drop id --drop 'a b'"
    assert message(path, "y", drop=["id, a b"]) == said
    said = "no column '0,-3': give --words once for each column: --words 0 --words -3"
    assert message(path, "y", words="0,-3") == said
    assert "once for each" not in message(path, "y", drop=["id,z"])
    assert "once for each" not in message(path, "id,y")
    comma = file("b.csv", '"id,x",x,y\n1,2,u\n3,4,v\n')
    assert read(comma, "y", drop=["id,x"]).feature_names == ("x",)


def test_words_can_be_asked_for(file):
    path = file("a.csv", "zip,y\n01,u\n1,v\n01,u\n")
    table = read(path, "y", words="zip")
    assert table.feature_names == ("zip=01", "zip=1")
    assert read(path, encoding=table.encoding).X.tolist() == table.X.tolist()
    assert message(path, "y", words="y") == "column 'y' is not a feature: leave out --words for it"
    assert message(path, "y", words="zap").startswith("no column 'zap'")
    unnamed = file("b.csv", "r,1\ns,2\nr,3\n")
    table = read(unnamed, header=False)
    assert table.feature_names is None and table.X.tolist() == [[1, 0, 1], [0, 1, 2], [1, 0, 3]]
    assert read(unnamed, header=False, encoding=table.encoding).X.tolist() == table.X.tolist()


def test_all_problems_in_one_line(file):
    rows = [f"k{i},{i % 7 or ''},{i},{'x' if i == 9 else i},u" for i in range(40)]
    text = message(file("a.csv", "id,hole,n,mixed,y\n" + "\n".join(rows) + "\n"), "y")
    for part in ("'id' has 40 different texts", "'hole' (6)", "'mixed', row 10: 'x' is not a num"):
        assert part in text
    many = file("b.csv", ",".join(f"c{i}" for i in range(50)) + "\n" + "1," * 49 + "1\n" + "," * 49)
    assert "45 more columns, the first in row 2" in message(many)


def test_the_same_columns_come_out_again(file):
    encoding = read(file("a.csv", COLOURS), "y").encoding
    table = read(file("b.csv", "colour,note,x\ngreen,p,7\nred,p,8\n"), encoding=encoding)
    assert table.X.tolist() == [[7, 0, 0], [8, 0, 1]]
    assert table.unseen == {"column 'colour'": (1, "green")}
    assert table.feature_names == ("x", "colour=blue", "colour=red")
    assert message(file("b.csv", "colour,x\nred,one\n"), encoding=encoding).startswith(
        "column 'x', row 1: 'one' is not a number"
    )
    assert message(file("b.csv", "colour,x\nred,\n"), encoding=encoding).startswith(
        "column 'x', row 1: the value is missing"
    )
    marked = encoding.with_missing("indicator")
    path = file("b.csv", "colour,x\nred,\n")
    assert "none was missing at the fit" in message(path, encoding=marked)
    table = read(file("b.csv", "colour,x\nNA,1\n"), encoding=marked)
    assert (table.X.tolist(), table.unseen) == ([[1, 0, 0]], {"column 'colour'": (1, None)})


def test_other_formats_have_the_features_themselves(tmp_path, file):
    encoding = read(file("a.csv", COLOURS), "y").encoding
    np.save(tmp_path / "a.npy", np.eye(3))
    assert read(tmp_path / "a.npy", encoding=encoding).X.shape == (3, 3)
    np.save(tmp_path / "a.npy", np.eye(2))
    assert "2 features where 3 are expected" in message(tmp_path / "a.npy", encoding=encoding)
    assert "leave out --missing" in message(tmp_path / "a.npy", missing="drop")
    assert "leave out --words" in message(tmp_path / "a.npy", words=0)


DAMAGED = [
    ([], "must be an object"),
    ({"missing": "drop"}, "has no 'columns'"),
    ({"missing": "ignore", "columns": []}, "missing must be one of"),
    ({"missing": "drop", "columns": []}, "has no columns"),
    ({"missing": "drop", "columns": [{"name": "a", "kind": "tree"}]}, "kind must be one of"),
    ({"missing": "drop", "columns": [{"name": 5, "kind": "number"}]}, "name must be a text"),
    ({"missing": "drop", "columns": [{"name": "a", "kind": "words"}]}, "has no 'levels'"),
    (
        {"missing": "drop", "columns": [{"name": "a", "kind": "words", "levels": ["u", "u"]}]},
        "a level twice",
    ),
    (
        {"missing": "drop", "columns": [{"name": n, "kind": "number"} for n in ("a", None)]},
        "with and without a name",
    ),
]


@pytest.mark.parametrize(("document", "reason"), DAMAGED)
def test_damaged_encodings(document, reason):
    with pytest.raises(CertificateError, match=reason):
        Encoding.from_json(document)


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", lambda content: pa.compress(content, "zstd", asbytes=True)),
    ],
)
def test_compressed_files(file, suffix, pack):
    content = pack(COLOURS.encode())
    assert read(file(f"a.csv{suffix}", content), "y").X.shape == (4, 3)
    assert read(file("misnamed.csv", content), "y").X.shape == (4, 3)
    assert read(file(f"a.svm{suffix}", pack(b"1 1:2\n-1 2:3\n"))).X.shape == (2, 2)
    assert "cannot be read" in message(file(f"a.csv{suffix}", content[:-9]), "y")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.zip", "it is an archive: unpack it"),
        ("a.xlsx", "it is a spreadsheet: save it as CSV"),
        ("a.xz", "it is compressed, and what is inside is not in its name"),
        ("a.arff", "it is of a format that is not read here: convert it to CSV or Parquet"),
        ("a.csv.lz4", "it is compressed in a way that is not read here"),
        ("a.json", "it is JSON: convert"),
    ],
)
def test_files_of_other_kinds_are_named(file, name, expected):
    assert message(file(name, "x")).startswith(expected)


CELLS = st.sampled_from(
    [
        *("1", "-2.5", "", "NA", "?", "red", "blue", "x" * 1200, "true", "2020-01-01", "1,5", ESC),
        *("2020-01-01T10:00:00Z", "2020-13-45", "1e999", "9007199254740993", "\0", "\xff", '"'),
    ]
)


@given(
    rows=st.lists(st.lists(CELLS, min_size=2, max_size=3), min_size=1, max_size=6),
    missing=st.sampled_from(["error", "drop", "indicator"]),
    decimal=st.sampled_from([".", ","]),
    words=st.sampled_from([(), ("a",)]),
)
def test_any_cells_are_read_or_refused_in_one_line(tmp_path_factory, rows, missing, decimal, words):
    path = tmp_path_factory.mktemp("cells") / "a.csv"
    lines = [";".join(cells) for cells in [["a", "b", "y"], *rows]]
    path.write_bytes("\n".join(lines).encode("latin-1" if "\xff" in str(rows) else "utf-8"))
    options = {"missing": missing, "decimal": decimal}
    try:
        table = read(path, "y", words=words, **options)
    except DataError as error:
        assert str(error).isprintable() and str(error).startswith(f"{path}: ")
        return
    assert np.isfinite(table.X).all()
    assert len(table.y) == len(table.X) == len(lines) - 1 - len(table.dropped)
    if table.encoding is not None:
        assert Encoding.from_json(table.encoding.to_json()) == table.encoding
        again = read(path, "y", decimal=decimal, encoding=table.encoding)
        assert np.array_equal(again.X, table.X) and np.array_equal(again.y, table.y)
