"""What was done to the columns of a file: rows of a summary."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from novikoff.certificate.escape import format_label, printable, quoted
from novikoff.certificate.wording import counted
from novikoff.report.describe import Row, first_of

if TYPE_CHECKING:
    from novikoff.data import Table
    from novikoff.data.encoding import ColumnEncoding

MOST_COLUMNS = 6
MOST_WORDS = 20
MOST_LEVELS = 4
_SHORT = 30
_MEANINGS = {
    "boolean": "0 and 1",
    "date": "days since 1970-01-01",
    "day-first": "days since 1970-01-01, read as day/month/year",
    "month-first": "days since 1970-01-01, read as month/day/year",
}


def feature_rows(table: "Table") -> list[Row]:
    """Say how columns became features, which rows were left out, and what was never seen.

    Nothing is said of a table of numbers in which no value is missing.
    """
    rows: list[Row] = []
    if table.encoding is not None:
        columns = table.encoding.columns
        parts = []
        numbers = [name for name, column in _named(columns) if column.kind == "number"]
        if numbers:
            parts.append(f"{counted(len(numbers), 'column')} of numbers")
        parts += _words(columns, table.without_first)
        for kind, meaning in _MEANINGS.items():
            names = [name for name, column in _named(columns) if column.kind == kind]
            if names:
                parts.append(f"{first_of(names[:MOST_COLUMNS], len(names))}: {meaning}")
        rows.append(("Columns", "\n".join(parts)))
    if table.missing or len(table.dropped):
        rows.append(("Missing", "\n".join(_missing(table))))
    if table.unseen:
        rows.append(("Unseen", "\n".join(unseen(table))))
    return rows


def unseen(table: "Table", but: Collection[str] = ()) -> list[str]:
    """Say in which columns, but for some, there are words that the encoding does not know."""
    lines = []
    for where, (count, word) in table.unseen.items():
        if where in but:
            continue
        what = (
            "a missing value" if word is None else f"a word the fit did not see, as {quoted(word)}"
        )
        rows = counted(count, "row")
        lines.append(f"{where}: {what}, in {rows}; all its indicator columns are 0")
    return lines


def unseen_everywhere(table: "Table") -> dict[str, str]:
    """Say of which columns no row has a word that the encoding knows, by column."""
    lines: dict[str, str] = {}
    if table.encoding is None:
        return lines
    n = table.X.shape[0] + len(table.dropped)
    levels = {f"column {quoted(str(c.name))}": c.levels for c in table.encoding.columns}
    for where, (count, word) in table.unseen.items():
        # With indicators, missing values count as unseen.
        missing = 0 if table.encoding.missing == "indicator" else table.missing.get(where, 0)
        if word is not None and count + missing == n:
            known = levels.get(where, ())
            some = first_of([quoted(level, _SHORT) for level in known[:MOST_LEVELS]], len(known))
            lines[where] = (
                f"{where}: no row has a word that the fit saw{f' ({some})' if known else ''}; the "
                f"first is {quoted(word)}, and all its indicator columns are 0: write the values "
                "as at the fit"
            )
    return lines


def _named(columns: "Sequence[ColumnEncoding]") -> "list[tuple[str, ColumnEncoding]]":
    return [
        (f"column {i}" if column.name is None else quoted(column.name, _SHORT), column)
        for i, column in enumerate(columns)
    ]


def _words(columns: "Sequence[ColumnEncoding]", without_first: Sequence[int]) -> list[str]:
    """List every column of words: the first in detail, the others by name in one line."""
    words = [
        (name, column, i in without_first)
        for i, (name, column) in enumerate(_named(columns))
        if column.kind == "words"
    ]
    lines = [_levels(name, column, without_first=left) for name, column, left in words[:MOST_WORDS]]
    if others := words[MOST_WORDS:]:
        n = sum(len(column.levels) - left for _, column, left in others)
        names = ", ".join(name for name, _, _ in others)
        lines.append(f"{names}: words, {counted(n, 'feature')} of 0 and 1")
    return lines


def _levels(name: str, column: "ColumnEncoding", *, without_first: bool) -> str:
    features = column.levels[1:] if without_first else column.levels
    # In an enumeration, a comma within a word would make two of it.
    levels = [
        quoted(level, _SHORT) if "," in level else printable(level, _SHORT)
        for level in features[:MOST_LEVELS]
    ]
    shown = f" ({first_of(levels, len(features))})" if features else ""
    left_out = f", without the first, {quoted(column.levels[0], _SHORT)}" if without_first else ""
    return f"{name}: words, {counted(len(features), 'feature')} of 0 and 1{shown}{left_out}"


def _missing(table: "Table") -> list[str]:
    n, lost = table.X.shape[0] + len(table.dropped), len(table.dropped)
    each = [
        f"{where.removeprefix('column ')} ({count:,})"
        for where, count in list(table.missing.items())[:MOST_COLUMNS]
    ]
    where = f": {first_of(each, len(table.missing))}" if each else ""
    if lost:
        lines = [f"{lost:,} of {counted(n, 'row')} left out, because a value is missing{where}"]
        if table.vanished:
            gone = first_of([format_label(label) for label in table.vanished], len(table.vanished))
            lines.append(f"no example is left of {gone}: --missing indicator keeps them")
        return lines
    marked = table.encoding is not None and table.encoding.missing == "indicator"
    what = "read as 0, and marked by a feature of 0 and 1" if marked else "missing"
    return [f"{counted(sum(table.missing.values()), 'value')} {what}{where}"]
