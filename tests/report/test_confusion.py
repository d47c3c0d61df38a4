"""Errors by class: a table for few classes, the worst of many, and a warning."""

import numpy as np

from novikoff.report.confusion import Confusion


def test_a_table_of_counts():
    y = np.array(["a"] * 1200 + ["b, c"] * 3)
    predicted = np.array(["a"] * 1199 + ["b, c"] * 3 + ["a"])
    confusion = Confusion.of(np.array(["a", "b, c"]), y, predicted)
    assert confusion.lines() == [
        "predicted as    'a'  'b, c'",
        "'a'           1,199       1",
        "'b, c'            1       2",
    ]
    assert confusion.document() == [
        {"class": "a", "examples": 1200, "errors": 1, "predicted": 1200, "predicted_as": [1199, 1]},
        {"class": "b, c", "examples": 3, "errors": 1, "predicted": 3, "predicted_as": [1, 2]},
    ]
    assert Confusion.of(np.array(["a", "b, c"]), y, y).lines() == []


def ten_classes(n):
    """Every class has ``n`` examples; the ``k``-th is taken for the next one ``k`` times."""
    y = np.repeat(np.arange(10), n)
    predicted = np.where(np.arange(10 * n) % n < y, (y + 1) % 10, y)
    return Confusion.of(np.arange(10), y, predicted)


def test_a_table_of_ten_classes_fits_80_columns():
    lines = ten_classes(200).lines(width=66)
    assert len(lines) == 11
    assert {len(line) for line in lines} == {len("predicted as") + 10 * 5}
    assert lines[1].split() == ["0", "200", *["0"] * 9]
    assert lines[10].split() == ["9", "9", *["0"] * 8, "191"]


def test_thousands_are_not_marked_where_the_table_would_be_too_wide():
    wide, narrow = (ten_classes(5000).lines(width) for width in (82, 81))
    assert [line.replace(",", "").split() for line in wide] == [line.split() for line in narrow]
    assert [len(wide[0]), len(narrow[0])] == [82, 62]


def test_the_errors_of_each_of_many_classes():
    assert ten_classes(5000).lines(width=61)[:3] == [
        "class  examples  errors  predicted  wrongly as",
        "9         5,000       9      4,999  0 9",
        "8         5,000       8      4,999  9 8",
    ]
    assert len(ten_classes(5000).lines(width=61)) == 10


def test_only_the_worst_of_very_many_classes():
    y = np.repeat(np.arange(40), 40)
    predicted = np.where(np.arange(1600) % 40 < y, 0, y)
    lines = Confusion.of(np.arange(40), y, predicted).lines()
    assert lines[1] == "39           40      39          1  0 39"
    assert lines[-1] == "and 9 more with errors"
    assert len(lines) == 32


def test_as_many_confusions_as_there_is_room_for():
    names = np.array([f"kind {k:02}" for k in range(30)])
    y = np.repeat(names[0], 12)
    confusion = Confusion.of(names, y, names[[1] * 5 + [2] * 4 + [3] * 2 + [4]])
    for width, said in (
        (80, "'kind 01' 5, 'kind 02' 4, 'kind 03' 2"),
        (65, "'kind 01' 5, 'kind 02' 4"),
        (51, "'kind 01' 5"),
    ):
        assert confusion.lines(width)[1].split(maxsplit=5)[-1] == said


def test_fewer_columns_on_a_narrow_terminal():
    names = np.array([f"kind {k:02}" for k in range(30)])
    confusion = Confusion.of(names, np.repeat(names[0], 12), names[[1] * 7 + [2] * 5])
    assert confusion.lines(40) == [
        "class      errors  wrongly as",
        "'kind 00'      12  'kind 01' 7",
    ]
    assert confusion.lines(29) == ["class      errors", "'kind 00'      12"]


def test_a_class_that_is_hardly_ever_predicted():
    y = np.arange(10_000) < 333
    confusion = Confusion.of(np.array([False, True]), y, np.arange(10_000) < 6)
    assert confusion.warnings(balanced=False) == [
        "True is hardly ever predicted: 6 times, though 333 of 10,000 examples belong to it; "
        "try --class-weight balanced, which finds more of them and errs more often on the others"
    ]
    assert "balanced" not in confusion.warnings(balanced=True)[0]
    once = Confusion.of(np.array([False, True]), y, np.arange(10_000) < 1)
    assert "ever predicted: 1 time, though" in once.warnings(balanced=False)[0]
    assert (
        Confusion.of(np.array([False, True]), y, np.arange(10_000) < 84).warnings(balanced=False)
        == []
    )


def test_labels_are_escaped_and_cut():
    y = np.array(["x\x1b[2J", "y" * 100])
    lines = Confusion.of(np.sort(y), y, y[::-1]).lines()
    assert all(line.isprintable() and len(line) < 60 for line in lines)


def test_labels_are_escaped_once_and_aligned():
    y = np.array(["one\ntwo", "\u65e5\u672c"])
    assert Confusion.of(np.sort(y), y, y[::-1]).lines() == [
        "predicted as  'one\\ntwo'  '\u65e5\u672c'",
        "'one\\ntwo'             0       1",
        "'\u65e5\u672c'                 1       0",
    ]
