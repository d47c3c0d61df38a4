"""Find out what one column of a table holds: numbers, words, truth values, dates, or a problem."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from novikoff.certificate.escape import printable, quoted
from novikoff.data.encoding import ColumnEncoding
from novikoff.data.formats import values
from novikoff.data.formats.written_numbers import Strays, WrittenNumbers
from novikoff.data.formats.year_last import YearLast
from novikoff.data.numerals import Numerals, without_sign
from novikoff.data.problems import Problem, not_a_number, rounded
from novikoff.data.table import LONGEST_LABEL

MOST_LEVELS = 1000
"""Maximum number of levels of a column of words. More are hardly categories: a thousand features
of 0 and 1 in 100,000 rows take 800 MB as float64."""

FEW_LEVELS = 20
"""With at most as many levels a column of words is never taken for an identifier, unless every
row has another word."""


@dataclass
class ColumnSurvey:
    """What is known of one column so far."""

    where: str
    name: str | None
    option: str
    forced: bool
    from_text: bool
    order_of_dates: str | None
    missing: frozenset[str]
    written: WrittenNumbers
    kind: Any
    gaps: list[NDArray[np.int64]] = field(default_factory=list)
    n_rows: int = 0
    levels: dict[str, None] = field(default_factory=dict)
    n_words: int = 0
    among_numbers: Strays = field(default_factory=Strays)
    among_dates: Strays = field(default_factory=Strays)
    all_dates: bool = True
    all_booleans: bool = True
    year_last: YearLast = field(default_factory=YearLast)
    first_word: tuple[int, str] | None = None
    first_not_date: tuple[int, str] | None = None
    longest: tuple[int, int] = (0, 0)
    infinite: tuple[int, float] | None = None
    inexact: tuple[int, int] | None = None
    with_null: tuple[int, str] | None = None

    @property
    def n_missing(self) -> int:
        """How many values are missing."""
        return sum(map(len, self.gaps))

    def add(self, column: Any) -> None:
        """Look at the next rows."""
        start, self.n_rows = self.n_rows, self.n_rows + len(column)
        if values.is_string(column.type) or (self.forced and self._has_texts):
            found = values.texts(column, self.missing)
            self._mark(found.codes < 0, start)
            self._add_words(found, start)
        elif values.is_numeric(column.type):
            numbers, valid = values.numbers(column)
            self._mark(~valid, start)
            if self.from_text and pa.types.is_floating(column.type):
                self.written.add_floats(numbers[valid])
            if self.infinite is None and numbers.dtype.kind == "f":
                bad = np.flatnonzero(np.isinf(numbers))
                if bad.size:
                    self.infinite = start + int(bad[0]) + 1, float(numbers[bad[0]])
            if self.inexact is None and not values.is_exact(numbers):
                large = [i for i, value in enumerate(numbers.tolist()) if float(value) != value]
                if large:
                    self.inexact = start + large[0] + 1, int(numbers[large[0]])
        else:
            self._mark(~values.is_valid(column), start)

    @property
    def _has_texts(self) -> bool:
        """Whether the values have one natural way to be written."""
        kind = values.value_type(self.kind)
        return bool(
            values.is_string(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)
        )

    def _mark(self, missing: NDArray[np.bool_], start: int) -> None:
        if missing.any():
            self.gaps.append(start + np.flatnonzero(missing))

    def _add_words(self, found: values.Texts, start: int) -> None:
        counts = np.bincount(found.codes[found.codes >= 0], minlength=len(found.words))
        first = np.zeros(len(found.words) + 1, dtype=np.int64)
        first[found.codes[::-1]] = np.arange(len(found.codes))[::-1]
        are_words = np.zeros(len(found.words) + 1, dtype=bool)
        for code, (word, count) in enumerate(zip(found.words, counts.tolist(), strict=True)):
            if self.forced or len(self.levels) <= MOST_LEVELS:
                self.levels[word] = None
            if not count:
                continue  # Only in the dictionary.
            row = start + int(first[code]) + 1
            number = self.written.add(row, word)
            are_words[code] = not number
            self.n_words += 0 if number else count
            self.all_booleans = self.all_booleans and values.parse_boolean(word) is not None
            self.year_last.holds = self.year_last.holds and values.is_year_last(word)
            if self.year_last.holds:
                self.year_last.add(row, word)
            is_date = values.parse_days(word) is not None
            self.all_dates = self.all_dates and is_date
            if not is_date and self.first_not_date is None:
                self.first_not_date = row, word
            for strays, usual in ((self.among_numbers, number), (self.among_dates, is_date)):
                if usual:
                    strays.n_others += count
                else:
                    strays.add(word, start, found.codes, code)
            if len(word) > self.longest[1]:
                self.longest = row, len(word)
            if "\0" in word and self.with_null is None:
                self.with_null = row, word
        if self.first_word is None and are_words.any():
            rows = np.flatnonzero(are_words[found.codes])
            at = int(rows[0])
            self.first_word = start + at + 1, found.words[found.codes[at]]

    def result(self, *, indicator: bool, numerals: Numerals) -> ColumnEncoding | Problem:
        """Return the encoding of the column, or why it has none.

        `numerals` is how the numbers of the file seem to be written.
        """
        kind = values.value_type(self.kind)
        if self.n_missing == self.n_rows:
            # In the words of a single missing value, which it may be.
            text = ", row 1: the value is missing"
            return self._problem(text + (", as in all rows" if self.n_rows > 1 else ""))
        flag = indicator and self.n_missing > 0
        if self.with_null is not None:
            row, word = self.with_null
            text = f", row {row}: {not_a_number(word)}, and has a null character in it"
            return self._problem(text, cure="correct or remove the row")
        if self.infinite is not None:
            row, value = self.infinite
            text = f", row {row}: {value} is not a finite number"
            return self._problem(text, cure="correct or remove the row")
        if self.inexact is not None:
            return rounded(self.where, self.option, *self.inexact)
        if self.forced:
            if not self._has_texts:
                return self._problem(f" is of type {printable(kind)}, not of words or integers")
            return self._too_long() or self._words(flag)
        if values.is_string(kind):
            return self._of_texts(flag, numerals)
        if values.is_date(kind):
            return ColumnEncoding(self.name, "date", (), flag)
        if pa.types.is_boolean(kind):
            return ColumnEncoding(self.name, "boolean", (), flag)
        if values.is_numeric(kind):
            return self._numbers(flag, numerals)
        if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            return self._problem(" is not UTF-8 text", cure="save it as UTF-8")
        return self._problem(f" is of type {printable(kind)}, not a number")

    def _of_texts(self, flag: bool, numerals: Numerals) -> ColumnEncoding | Problem:
        if not self.n_words and not self.from_text:
            return self._problem(
                " contains numbers stored as text",
                cure=f"store them as numbers, or pass --words {self._shown} if they are names",
            )
        if not self.n_words and self.written.own_reads:
            return self._numbers(flag, numerals)
        if self.all_booleans:
            return ColumnEncoding(self.name, "boolean", (), flag)
        if self.all_dates:
            return ColumnEncoding(self.name, "date", (), flag)
        if self.year_last.holds and not self.year_last.are_versions:
            return self._dates(flag)
        strays, row, word = self.among_numbers, *(self.first_word or (0, ""))
        if not self.written.own_reads and (not self.n_words or strays.may_be_missing):
            return self._misread(numerals)
        if strays.n_others and not self._agrees(numerals):
            return self._other_decimals()
        if strays.n_others:
            return self._mixed(row, not_a_number(word), strays)
        if self.among_dates.n_others:
            row, word = self.first_not_date or (0, "")
            return self._mixed(row, f"{quoted(word, 40)} is not a date", self.among_dates)
        if self.written.all_signed and self.written.signed is not None:
            return self._with_sign(*self.written.signed)
        return self._too_long() or self._identifier() or self._words(flag)

    def _numbers(self, flag: bool, numerals: Numerals) -> ColumnEncoding | Problem:
        """Accept numbers, unless they are no longer numbers as the rest of the file is written."""
        if self._agrees(numerals):
            return ColumnEncoding(self.name, "number", (), flag)
        return self._other_decimals()

    def _agrees(self, numerals: Numerals) -> bool:
        return numerals == self.written.own or numerals in self.written.ways

    def _other_decimals(self) -> Problem:
        text = " has decimal points, and other columns have decimal commas"
        cure = f"write all numbers alike, or leave the column out with --drop {self._shown}"
        return self._problem(text, cure)

    def _misread(self, numerals: Numerals) -> Problem:
        """Say how numbers are written that cannot be read as the others of the file."""
        row, word = self.written.first or (0, "")
        by_hand = f"write it otherwise, or leave the column out with --drop {self._shown}"
        if numerals not in self.written.ways:
            decimal = self.written.own.decimal
            point = f" where the decimal point is {decimal!r}" if decimal == "," else ""
            return self._problem(f", row {row}: {not_a_number(word)}{point}", by_hand)
        options = numerals.options_from(self.written.own)
        cure = f"pass {shlex.join(options)} to read {numerals.plain(word)}"
        comma = Numerals(",")
        text = f", row {row}: {quoted(word, 40)} looks like a number with thousands separators"
        if numerals.decimal != self.written.own.decimal and comma in self.written.ways:
            text = f", row {row}: {not_a_number(word)}, unless commas are decimal points"
        elif comma in self.written.ways:
            cure += f", or --decimal , to read {comma.plain(word)}"
        if self.n_words:
            row, word = self.first_word or (0, "")
            text += f", and in row {row}, {not_a_number(word)}"
            cure += f", and {self._as_missing(self.among_numbers)}"
            options = (*options, *self._na(self.among_numbers))
        return self._problem(text, cure, options)

    def _with_sign(self, row: int, word: str) -> Problem:
        _, sign = without_sign(word) or ("", "")
        kind = "percent" if sign == "%" else "currency"
        return self._problem(
            f", row {row}: {quoted(word, 40)} looks like a number with a {kind} sign, which is not "
            "read: remove the sign from the file",
            f"or leave the column out with --drop {self._shown}",
        )

    def _dates(self, flag: bool) -> ColumnEncoding | Problem:
        """Read dates that end with their year, of which countries differ in order."""
        dates, leave_out = self.year_last, f"leave the column out with --drop {self._shown}"
        by_hand = f"write dates as 2026-01-31, or {leave_out}"
        if dates.never_date is not None:
            row, word = dates.never_date
            text = f", row {row}: {quoted(word, 40)} is not a date"
            return self._problem(text, f"correct it, or {leave_out}")
        if dates.short_year is not None:
            row, word = dates.short_year
            text = f", row {row}: the year of {quoted(word, 40)} has two digits"
            if not dates.dotted:
                return self._problem(text, by_hand)
            cure = f"{by_hand}, or, if these are no dates, {self._every_value}"
            return self._problem(text, cure, self._words_or_drop)
        if len(dates.orders) == 1:
            return ColumnEncoding(self.name, dates.orders[0], (), flag)
        if dates.orders:
            if self.order_of_dates is not None:
                return ColumnEncoding(self.name, self.order_of_dates, (), flag)
            row, word = self.first_word or (0, "")
            return self._problem(
                f", row {row}: {quoted(word, 40)} could have the day or the month first, as all "
                "dates of the column",
                cure="pass --dates day-first or --dates month-first",
                options=("--dates", "day-first"),
            )
        row, word = dates.not_day_first or (0, "")
        other, instead = dates.not_month_first or (0, "")
        text = f", row {row}: {quoted(word, 40)} is not a date with the day first"
        text += f", and in row {other}, {quoted(instead, 40)} is not one with the month first"
        return self._problem(text, by_hand)

    def _mixed(self, row: int, text: str, strays: Strays) -> Problem:
        """Say that a value is not what others are."""
        others = f", but {strays.n_others:,} other values are" if strays.n_others > 1 else ""
        cure = f"leave the column out with --drop {self._shown}, or {self._every_value}"
        options: tuple[str, ...] = self._words_or_drop
        if self.from_text and strays.may_be_missing:
            cure, options = f"{self._as_missing(strays)}, or {cure}", self._na(strays)
        return self._problem(f", row {row}: {text}{others}", f"correct it, or {cure}", options)

    def _as_missing(self, strays: Strays) -> str:
        tokens = printable(shlex.join(self._na(strays)), 200)
        return f"read it as a missing value with {tokens} (and --missing drop)"

    def strays(self, result: ColumnEncoding | Problem) -> list[NDArray[np.int64]]:
        """Return the rows of values that are read as missing with the options of a problem."""
        if not isinstance(result, Problem) or "--na" not in result.options:
            return []
        numbers = self.among_numbers
        return (numbers if numbers.n_others else self.among_dates).all_rows

    @staticmethod
    def _na(strays: Strays) -> tuple[str, ...]:
        return tuple(word for stray in strays.rows for word in ("--na", stray))

    @property
    def _every_value(self) -> str:
        return f"make a feature of every value with --words {self._shown}"

    @property
    def _words_or_drop(self) -> tuple[str, str]:
        return ("--words" if len(self.levels) <= FEW_LEVELS else "--drop"), self.option

    def _too_long(self) -> Problem | None:
        row, length = self.longest
        if length <= LONGEST_LABEL:
            return None
        return self._problem(f", row {row}: the text has {length:,} characters: no category")

    def _identifier(self) -> Problem | None:
        n, rows = len(self.levels), self.n_rows - self.n_missing
        if n > MOST_LEVELS:
            return self._problem(f" has more than {MOST_LEVELS:,} different texts")
        if (n == rows and rows > 2) or (n > FEW_LEVELS and 2 * n > rows):
            return self._problem(f" has {n:,} different texts in {rows:,} rows, as identifiers do")
        return None

    def _words(self, flag: bool) -> ColumnEncoding:
        return ColumnEncoding(self.name, "words", tuple(sorted(self.levels)), flag)

    @property
    def _shown(self) -> str:
        return printable(self.option, 40)

    def _problem(
        self, text: str, cure: str | None = None, options: tuple[str, ...] | None = None
    ) -> Problem:
        leave_out = f"leave the column out with --drop {self._shown}"
        options = ("--drop", self.option) if options is None else options
        return Problem(self.where, self.option, text, cure or leave_out, options)
