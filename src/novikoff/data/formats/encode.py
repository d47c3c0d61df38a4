"""From Arrow's columns to features, as an encoding says."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate.escape import printable, quoted
from novikoff.data.columns import Choice
from novikoff.data.encoding import DATES, ColumnEncoding, Encoding
from novikoff.data.formats import dates, values
from novikoff.data.numerals import has_only_digits
from novikoff.data.problems import Gap, Problem, not_a_number, refusal
from novikoff.data.table import Request, describe_column

_PARSERS: dict[str, Callable[[str], float | None]] = {
    "boolean": values.parse_boolean,
    "date": dates.parse_days,
    "day-first": dates.parse_day_first,
    "month-first": dates.parse_month_first,
}
_WANTED = {
    "number": "numbers",
    "words": "words",
    "boolean": "true and false",
    "date": "dates such as 2026-01-31",
    "day-first": "dates such as 31/01/2026",
    "month-first": "dates such as 01/31/2026",
}


_IS_NOT: dict[str, Callable[[str], str]] = {
    "number": not_a_number,
    "boolean": lambda word: f"{quoted(word, 40)} is neither true nor false",
    "date": lambda word: f"{quoted(word, 40)} is not a date",
    "day-first": lambda word: f"{quoted(word, 40)} is not a date with the day first",
    "month-first": lambda word: f"{quoted(word, 40)} is not a date with the month first",
}


class Encoder:
    """Makes the features of one batch of rows after another, and remembers what was wrong."""

    def __init__(
        self, request: Request, encoding: Encoding, choice: Choice, names: Sequence[str] | None
    ) -> None:
        self.request = request
        self.encoding = encoding
        self.missing: dict[str, int] = {}
        self.unseen: dict[str, tuple[int, str | None]] = {}
        self._wheres = [describe_column(names, i) for i in choice.features]
        self._options = [str(i) if names is None else names[i] for i in choice.features]
        self._problems: dict[int, Problem] = {}
        self._first_gaps: dict[str, int] = {}
        self._codes = [
            {level: code for code, level in enumerate(column.levels)} for column in encoding.columns
        ]
        self._n_rows = 0
        self._n_lost = 0

    def fill(self, batch: Any, into: NDArray[Any]) -> NDArray[np.bool_] | None:
        """Write the features of the next rows; return which are complete, if rows are dropped."""
        into[:] = 0
        start, self._n_rows = self._n_rows, self._n_rows + len(into)
        complete = np.ones(len(into), dtype=bool)
        at = 0
        for j, column in enumerate(self.encoding.columns):
            part = into[:, at : at + column.width]
            try:
                valid = self._fill(j, column, batch.column(j), part, start)
            except _Unreadable as error:
                self._problems.setdefault(j, self._unreadable(j, error))
                valid = np.ones(len(into), dtype=bool)
            if not valid.all():
                complete &= self._note_missing(j, column, valid, part, start)
            at += column.width
        self._n_lost += len(into) - int(complete.sum())
        return complete if self.encoding.missing == "drop" else None

    def finish(self) -> None:
        """Refuse with everything that was wrong, if anything was."""
        marked = {
            where: column.marks_missing or column.kind == "words"
            for where, column in zip(self._wheres, self.encoding.columns, strict=True)
        }
        gaps = [
            Gap(where, self.missing[where], first, can_be_marked=marked[where])
            for where, first in self._first_gaps.items()
        ]
        if self._problems or gaps:
            problems = [self._problems[j] for j in sorted(self._problems)]
            raise refusal(self.request, problems, gaps, n_rows=self._n_rows, n_lost=self._n_lost)

    def _fill(
        self, j: int, column: ColumnEncoding, source: Any, part: NDArray[Any], start: int
    ) -> NDArray[np.bool_]:
        """Write the features of one column, and return where values are present."""
        kind = source.type
        if column.kind == "words":
            return self._fill_words(j, source, part)
        if values.is_string(kind):
            return self._parse(column, source, part[:, 0], start)
        if column.kind in DATES and values.is_date(kind):
            part[:, 0], valid = values.days(source)
            return valid
        if column.kind not in DATES and values.is_numeric(kind):
            found, valid = values.numbers(source)
            if not values.is_exact(found):
                _check_exact(self.request, found, self._wheres[j], start)
            if column.kind == "boolean" and not np.isin(found[valid], (0, 1)).all():
                raise _Unreadable(" holds other values than 0 and 1, true and false")
            with np.errstate(invalid="ignore"):  # a signalling NaN
                part[:, 0] = found
            return valid
        if values.is_numeric(kind) and not values.is_valid(source).any():
            return values.is_valid(source)
        raise _Unreadable(f" contains {values.describe(kind)}")

    def _fill_words(self, j: int, source: Any, part: NDArray[Any]) -> NDArray[np.bool_]:
        found = values.texts(source, self.request.missing_texts)
        known = self._codes[j]
        code_of = np.array([known.get(word, -1) for word in found.words] + [-1], dtype=np.int64)
        codes = code_of[found.codes]
        rows = np.flatnonzero(codes >= 0)
        part[rows, codes[rows]] = 1
        unseen = (codes < 0) & (found.codes >= 0)
        if unseen.any():
            first = found.words[found.codes[np.argmax(unseen)]]
            self._note_unseen(j, int(unseen.sum()), first)
        present: NDArray[np.bool_] = found.codes >= 0
        return present

    def _parse(
        self, column: ColumnEncoding, source: Any, part: NDArray[Any], start: int
    ) -> NDArray[np.bool_]:
        found = values.texts(source, self.request.missing_texts)
        parse = _PARSERS.get(column.kind, self.request.numerals.parse)
        parsed = [parse(word) for word in found.words]
        wrong = np.array([value is None for value in parsed] + [False])[found.codes]
        if wrong.any():
            row = int(np.argmax(wrong))
            word = found.words[found.codes[row]]
            raise _Unreadable(f", row {start + row + 1}: {_IS_NOT[column.kind](word)}", word)
        part[:] = np.array([*parsed, 0.0], dtype=np.float64)[found.codes]
        present: NDArray[np.bool_] = found.codes >= 0
        return present

    def _note_missing(
        self,
        j: int,
        column: ColumnEncoding,
        valid: NDArray[np.bool_],
        part: NDArray[Any],
        start: int,
    ) -> NDArray[np.bool_]:
        """Count what is missing, mark it if a feature does, and return which rows are kept."""
        where, count = self._wheres[j], int((~valid).sum())
        self.missing[where] = self.missing.get(where, 0) + count
        part[~valid] = 0
        if self.encoding.missing == "indicator":
            if column.marks_missing:
                part[:, -1] = ~valid
            elif column.kind == "words":
                self._note_unseen(j, count, None)
            else:
                row = start + int(np.argmin(valid)) + 1
                text = f", row {row}: the value is missing, and none was missing at the fit"
                cure = "correct the file, or pass --missing drop to leave out rows with a gap"
                self._problems.setdefault(j, self._problem(j, text, cure))
        elif self.encoding.missing == "error":
            self._first_gaps.setdefault(where, start + int(np.argmin(valid)) + 1)
        return valid

    def _note_unseen(self, j: int, count: int, first: str | None) -> None:
        before, word = self.unseen.get(self._wheres[j], (0, first))
        self.unseen[self._wheres[j]] = before + count, word

    def _unreadable(self, j: int, error: _Unreadable) -> Problem:
        wanted = _WANTED[self.encoding.columns[j].kind]
        text, cure = error.args[0], f"at the fit, the column held {wanted}"
        if len(error.args) > 1 and has_only_digits(error.args[1]):
            cure += "; correct it, or pass --decimal and --thousands as the file is written"
        elif len(error.args) > 1:
            na = printable(shlex.join(["--na", error.args[1]]), 200)
            cure += f"; correct it, or read it as a missing value with {na} (and --missing drop)"
        return self._problem(j, text, cure)

    def _problem(self, j: int, text: str, cure: str) -> Problem:
        return Problem(self._wheres[j], self._options[j], text, cure)


class _Unreadable(Exception):
    """A column does not hold what it held at the fit: why, and the first such text, if any."""


def _check_exact(request: Request, found: NDArray[Any], where: str, start: int) -> None:
    for row, value in enumerate(found.tolist()):
        if float(value) != value:
            raise inexact(request, where, start + row + 1, value)


def inexact(request: Request, where: str, row: int, value: object) -> Exception:
    """Make the error for an integer that float64 rounds."""
    return request.error(
        f"{where}, row {row}: float64 cannot represent {printable(value)} exactly; "
        "leave the column out with --drop, or rescale it"
    )
