"""What was done to columns, in few lines however many there are."""

import numpy as np

from novikoff.data import Table
from novikoff.data.encoding import ColumnEncoding, Encoding
from novikoff.report.features import feature_rows


def table(columns, policy="error", **more):
    encoding = Encoding(tuple(columns), policy)
    return Table(np.zeros((9, encoding.width)), None, encoding=encoding, **more)


def test_nothing_is_said_of_numbers():
    assert feature_rows(Table(np.zeros((3, 2)), None)) == []


def test_many_columns_take_few_lines():
    words = [ColumnEncoding(f"w{i}", "words", tuple("abcdefg")) for i in range(100)]
    dates = [ColumnEncoding(f"d{i}", "date") for i in range(8)]
    numbers = [ColumnEncoding(f"n{i}") for i in range(1000)]
    [(name, text)] = feature_rows(table([*numbers, *words, *dates, ColumnEncoding("b", "boolean")]))
    assert name == "Columns"
    assert text.splitlines() == [
        "1,000 columns of numbers",
        *(f"'w{i}': words, 7 features of 0 and 1 (a, b, c, d and 3 more)" for i in range(20)),
        f"{', '.join(repr(f'w{i}') for i in range(20, 100))}: words, 560 features of 0 and 1",
        "'b': 0 and 1",
        "'d0', 'd1', 'd2', 'd3', 'd4', 'd5' and 2 more: days since 1970-01-01",
    ]


def test_words_with_commas_are_quoted():
    hair = ColumnEncoding("hair", "words", ("auburn", "auburn, grey", "it's, so"))
    [(_, text)] = feature_rows(table([hair]))
    assert text == "'hair': words, 3 features of 0 and 1 (auburn, 'auburn, grey' and \"it's, so\")"


def test_columns_without_names_have_positions():
    [(_, text)] = feature_rows(table([ColumnEncoding(None), ColumnEncoding(None, "boolean")]))
    assert text.splitlines() == ["1 column of numbers", "column 1: 0 and 1"]


def test_rows_left_out_and_words_never_seen():
    rows = dict(
        feature_rows(
            table(
                [ColumnEncoding("x")],
                "drop",
                dropped=np.array([3]),
                vanished=("late",),
                missing={"column 'x'": 1},
                unseen={"column 'w'": (2, "p\x1b"), "column 'v'": (1, None)},
            )
        )
    )
    assert rows["Missing"].splitlines() == [
        "1 of 10 rows left out, because a value is missing: 'x' (1)",
        "no example is left of 'late': --missing indicator keeps them",
    ]
    assert rows["Unseen"].splitlines() == [
        r"column 'w': a word the fit did not see, as 'p\x1b', in 2 rows; "
        "all its indicator columns are 0",
        "column 'v': a missing value, in 1 row; all its indicator columns are 0",
    ]
