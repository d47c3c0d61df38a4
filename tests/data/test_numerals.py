"""Decimal points and thousands separators: a number is never read otherwise than it is meant."""

import numpy as np
import pytest

from novikoff.data import DataError, read
from novikoff.data.numerals import SEPARATORS, Numerals

MIXED = "preis;gewicht\n901;0,1\n1.051;0,1\n902;0,2\n1.052;0,2\n"


def message(path, *arguments, **options):
    with pytest.raises(DataError) as caught:
        read(path, *arguments, **options)
    return str(caught.value)


def test_a_point_is_no_decimal_point_where_the_comma_is(file):
    path = file("a.csv", MIXED)
    assert (
        "column 'preis', row 2: '1.051' looks like a number with thousands separators; pass "
        in (message(path, decimal=","))
    )
    table = read(path, decimal=",", thousands=".")
    assert table.X.tolist() == [[901, 0.1], [1051, 0.1], [902, 0.2], [1052, 0.2]]
    path = file("a.csv", "a;b\n0.5;1,5\n1.5;2,5\n0.5;3\n")
    assert "column 'a', row 1: '0.5' is not a number where the decimal point is ','" in (
        message(path, decimal=",")
    )
    assert "column 'a' has decimal points, and other columns have decimal commas" in message(path)


def test_other_columns_tell_commas_from_thousands(file):
    ambiguous = "1,051\t{}\n2,500\t{}\n"
    for others, options in (
        (("0,5", "1"), ("--decimal", ",")),
        (("0.5", "1"), ("--thousands", ",")),
        (("1", "2"), ("--thousands", ",")),
        (("1.500,5", "2"), ("--decimal", ",", "--thousands", ".")),
    ):
        with pytest.raises(DataError) as caught:
            read(file("a.tsv", "a\tb\n" + ambiguous.format(*others)))
        assert caught.value.options == options


def test_a_number_is_not_taken_for_a_missing_value(file):
    path = file("a.csv", 'a,b\n"1,051",1\n"1,05",2\n3,3\n4,4\n')
    text = message(path, thousands=",")
    assert "row 2: '1,05' is not a number where the decimal point is '.' and ',' separates" in text
    assert "--na" not in text
    encoding = read(file("b.csv", "a,b\n1,2\n"), missing="drop").encoding
    text = message(path, encoding=encoding)
    assert "pass --decimal and --thousands as the file is written" in text and "--na" not in text


def test_numbers_that_look_like_groups_are_read_both_ways_only_when_asked(file):
    path = file("a.csv", 'a,b\n"1,051",0.5\n901,1.5\n')
    assert read(path, thousands=",").X.tolist() == [[1051, 0.5], [901, 1.5]]
    assert "to read 1051, or --decimal , to read 1.051" in message(path)


@pytest.mark.parametrize("separator", SEPARATORS)
def test_numbers_survive_being_grouped(separator):
    decimal = "," if separator == "." else "."
    numerals = Numerals(decimal, separator)
    rng = np.random.default_rng(0)
    for value in [0.25, 1e3, 123456.0, -1234567.5, *(rng.standard_normal(200) * 1e6).round(2)]:
        text = f"{value:_}".replace(".", decimal).replace("_", separator)
        assert numerals.parse(text) == value
    for word in ("1234.5678.9", "12_34", "1__234", "0_123", "1_2345", "_123", "1_234_", "", "x"):
        assert numerals.parse(word.replace("_", separator).replace(".", "x")) is None


def test_no_integer_is_rounded(file):
    path = file("a.tsv", "a\tb\n9,007,199,254,740,993\t1\n1\t1\n")
    assert "float64 cannot represent 9007199254740993" in message(path, thousands=",")


def test_separators_that_there_are_not(file):
    path = file("a.csv", "a\n1\n")
    assert "choose one of" in message(path, thousands="x")
    assert "choose one of" in message(path, decimal=",", thousands=",")


def test_texts_for_missing_values(file):
    path = file("a.csv", "a,b,y\n1,x,u\nn.a.,z,v\n3,-,v\n4,x,u\n-999,x,-\n")
    table = read(path, "y", na=["n.a.", "-", "-999"], missing="drop")
    assert table.X.tolist() == [[1, 1, 0], [4, 1, 0]]
    assert table.dropped.tolist() == [1, 2, 4]
    # Whoever names a text does not mean it to be a class.
    with pytest.raises(DataError, match=r"'y' .the target. .1."):
        read(path, "y", na=["n.a.", "-", "-999"])
    assert read(file("b.csv", "a,y\n1,NA\n2,u\n"), "y").y.tolist() == ["NA", "u"]


def test_texts_for_missing_values_are_only_for_csv(file, tmp_path):
    np.save(tmp_path / "a.npy", np.eye(2))
    assert "--na is only for CSV files" in message(tmp_path / "a.npy", na="x")


def test_weights_have_no_separators(file):
    path = file("a.tsv", "a\tw\n1\t1,051\n2\t1,052\n")
    assert "column 'w', row 1: '1,051' is not a number" in message(path, weights="w")
    text = message(path, weights="w", thousands=",")
    assert "column 'w' has thousands separators: remove them from the weights" in text
