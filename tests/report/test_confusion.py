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


def test_the_worst_of_many_classes():
    y = np.repeat(np.arange(20), 10)
    predicted = np.where(np.arange(200) % 10 < y // 2, 0, y)
    lines = Confusion.of(np.arange(20), y, predicted).lines()
    assert lines[0] == "18: 9 of 10 examples, predicted 1 times"
    assert len(lines) == 11
    assert lines[-1] == "and 8 more with errors"


def test_a_class_that_is_hardly_ever_predicted():
    y = np.arange(10_000) < 333
    confusion = Confusion.of(np.array([False, True]), y, np.arange(10_000) < 6)
    assert confusion.warnings(balanced=False) == [
        "True is hardly ever predicted: 6 times, though 333 of 10,000 examples belong to it; "
        "try --class-weight balanced, which finds more of them and errs more often on the others"
    ]
    assert "balanced" not in confusion.warnings(balanced=True)[0]
    assert (
        Confusion.of(np.array([False, True]), y, np.arange(10_000) < 84).warnings(balanced=False)
        == []
    )


def test_labels_are_escaped_and_cut():
    y = np.array(["x\x1b[2J", "y" * 100])
    lines = Confusion.of(np.sort(y), y, y[::-1]).lines()
    assert all(line.isprintable() and len(line) < 60 for line in lines)
