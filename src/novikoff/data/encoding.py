"""How the columns of a file become numbers: made at the fit, stored with the model, applied again.

A column of numbers is one feature. A column of words becomes one feature of 0 and 1 for *every*
level: leaving out the first would make a level that was never seen look like the first. (The
features of one column add up to 1; with a margin to maximise, unlike in least squares, nothing is
undetermined by that.) A column of booleans is 0 and 1, one of dates the days since 1970-01-01, in
UTC; dates that end with their year have the day first or the month. The features are dense: uint8
where no column holds other numbers, else float64.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.json import (
    check_keys,
    listed,
    optional,
    read_boolean,
    read_text,
    wrong,
)

MISSING = (
    *("", "NA", "N/A", "n/a", "#N/A", "#N/A N/A", "#NA", "<NA>", "NaN", "nan", "-NaN", "-nan"),
    *("NULL", "null", "None", "?", ".", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
)
"""Texts that stand for a missing value: those of pandas, the question mark of the UCI data sets
and the full stop of SAS and Stata."""

POLICIES = ("error", "drop", "indicator")
ORDERS = ("day-first", "month-first")
"""How dates that end with their year are read: 31/12/2026, or 12/31/2026."""
DATES = ("date", *ORDERS)
KINDS = ("number", "words", "boolean", *DATES)


@dataclass(frozen=True)
class ColumnEncoding:
    """How one column of a file becomes features.

    Attributes
    ----------
    name : str or None
        Its name, if the file has names.
    kind : {"number", "words", "boolean", "date", "day-first", "month-first"}
        What the column holds; the last three are dates: 2026-12-31, 31/12/2026 or 12/31/2026.
    levels : tuple of str
        The different words, sorted; each is a feature.
    marks_missing : bool
        Whether a last feature is 1 where the value is missing, and 0 elsewhere.
    """

    name: str | None
    kind: str = "number"
    levels: tuple[str, ...] = ()
    marks_missing: bool = False

    @property
    def width(self) -> int:
        """The number of features."""
        return (len(self.levels) if self.kind == "words" else 1) + self.marks_missing

    @property
    def feature_names(self) -> list[str]:
        """The names of the features, if the column has a name.

        Examples
        --------
        >>> ColumnEncoding("colour", "words", ("blue", "red"), marks_missing=True).feature_names
        ['colour=blue', 'colour=red', 'colour is missing']
        """
        of_words = [f"{self.name}={level}" for level in self.levels]
        names = of_words if self.kind == "words" else [str(self.name)]
        return [*names, *([f"{self.name} is missing"] if self.marks_missing else [])]


@dataclass(frozen=True)
class Encoding:
    """How all columns of a file become features, and what happens to missing values.

    Attributes
    ----------
    columns : tuple of ColumnEncoding
        In the order of the features.
    missing : {"error", "drop", "indicator"}
        Whether a missing value is an error, its row is left out, or it counts as 0 (and is marked
        by a feature, in columns where values were missing at the fit).
    """

    columns: tuple[ColumnEncoding, ...]
    missing: str = "error"

    @classmethod
    def plain(cls, names: Sequence[str] | None, width: int, missing: str = "error") -> Self:
        """Return the encoding of columns that all hold numbers."""
        each = [None] * width if names is None else names
        return cls(tuple(ColumnEncoding(name) for name in each), missing)

    @property
    def is_plain(self) -> bool:
        """Whether every column is a feature as it is, and no value may be missing."""
        plain = all(c.kind == "number" and not c.marks_missing for c in self.columns)
        return plain and self.missing == "error"

    @property
    def names(self) -> tuple[str, ...] | None:
        """The names of the columns in the file, if they have names."""
        names = tuple(column.name for column in self.columns if column.name is not None)
        return names if len(names) == len(self.columns) else None

    @property
    def width(self) -> int:
        """The number of features."""
        return sum(column.width for column in self.columns)

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """The names of the features, if the columns have names."""
        if self.names is None:
            return None
        return tuple(name for column in self.columns for name in column.feature_names)

    def with_missing(self, missing: str | None) -> Encoding:
        """Return the encoding with another treatment of missing values, if one is given."""
        return self if missing is None else replace(self, missing=missing)

    def to_json(self) -> dict[str, Any]:
        """Return the encoding as JSON values; what is not said of a column is the default."""
        return {"missing": self.missing, "columns": [_column_to_json(c) for c in self.columns]}

    @classmethod
    def from_json(cls, value: Any) -> Self:
        """Return the encoding that JSON values describe; strict.

        Raises
        ------
        CertificateError
            In one line, what is wrong.

        Examples
        --------
        >>> colour = ColumnEncoding("colour", "words", ("blue", "red"))
        >>> encoding = Encoding((ColumnEncoding("x"), colour), missing="drop")
        >>> Encoding.from_json(encoding.to_json()) == encoding
        True
        """
        name = "about.encoding"
        if not isinstance(value, dict):
            raise wrong(name, "an object with named fields", value)
        check_keys(value, ("missing", "columns"), "the encoding")
        missing = _one_of("missing", value["missing"], POLICIES)
        columns = listed(_column_from_json)(f"{name}.columns", value["columns"])
        if not columns:
            raise CertificateError("the encoding has no columns")
        names = [column.name for column in columns]
        if None in names and set(names) != {None}:
            raise CertificateError("the encoding has columns with and without a name")
        return cls(columns, missing)


def _column_to_json(column: ColumnEncoding) -> dict[str, Any]:
    document: dict[str, Any] = {"name": column.name, "kind": column.kind}
    if column.kind == "words":
        document["levels"] = list(column.levels)
    if column.marks_missing:
        document["marks_missing"] = True
    return document


def _column_from_json(name: str, value: Any) -> ColumnEncoding:
    if not isinstance(value, dict):
        raise wrong(name, "objects with named fields", value)
    kind = _one_of("kind", value.get("kind"), KINDS)
    marks = ("marks_missing",) if "marks_missing" in value else ()
    fields = ("name", "kind", *(("levels",) if kind == "words" else ()), *marks)
    check_keys(value, fields, "a column of the encoding")
    levels = listed(read_text)("levels", value.get("levels", []))
    if len(set(levels)) != len(levels):
        raise CertificateError("a column of the encoding has a level twice")
    marked = read_boolean("marks_missing", value.get("marks_missing", False))
    return ColumnEncoding(optional(read_text)("name", value["name"]), kind, levels, marked)


def _one_of(name: str, value: Any, choices: tuple[str, ...]) -> str:
    text = read_text(name, value)
    if text not in choices:
        raise wrong(name, f"one of {', '.join(choices)}", value)
    return text
