"""Find out what one column of a table holds: numbers, words, truth values, dates, or a problem."""

from __future__ import annotations

import shlex

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from novikoff.certificate.escape import printable, quoted
from novikoff.data.encoding import ColumnEncoding
from novikoff.data.formats import values
from novikoff.data.formats.column_facts import MOST_LEVELS, ColumnFacts
from novikoff.data.formats.written_numbers import Strays
from novikoff.data.numerals import Numerals, without_sign
from novikoff.data.problems import Problem, not_a_number, rounded
from novikoff.data.table import LONGEST_LABEL

FEW_LEVELS = 20
"""With at most as many levels a column of words is never taken for an identifier, unless every
row has another word."""


class ColumnSurvey(ColumnFacts):
    """What one column becomes, after all its rows were looked at."""

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
            if not self.has_texts:
                return self._problem(f" contains {values.describe(kind)}, not words or integers")
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
        text = f" contains {values.describe(kind)}, not numbers: write them as numbers"
        return self._problem(text, f"or {self._drop}")

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
        if self.all_clocks:
            text = " contains times, not numbers: write them as numbers, such as minutes"
            cure = f"or {self._drop}, or {self._every_value}"
            return self._problem(text, cure, self._words_or_drop)
        if self.from_text and self.written.all_signed and self.written.signed is not None:
            return self._with_sign(*self.written.signed)
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
        cure = f"write all numbers alike, or {self._drop}"
        return self._problem(text, cure)

    def _misread(self, numerals: Numerals) -> Problem:
        """Say how numbers are written that cannot be read as the others of the file."""
        row, word = self.written.first or (0, "")
        by_hand = f"write it otherwise, or {self._drop}"
        if numerals not in self.written.ways:
            own = self.written.own
            point = f" where the decimal point is {own.decimal!r}"
            if own.thousands is not None:
                point += f" and {own.thousands!r} separates thousands"
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
            f"or {self._drop}",
        )

    def _dates(self, flag: bool) -> ColumnEncoding | Problem:
        """Read dates that end with their year, of which countries differ in order."""
        last = self.year_last
        by_hand = f"write dates as 2026-01-31, or {self._drop}"
        if last.never_date is not None:
            row, word = last.never_date
            text = f", row {row}: {quoted(word, 40)} is not a date"
            return self._problem(text, f"correct it, or {self._drop}")
        if last.short_year is not None:
            row, word = last.short_year
            text = f", row {row}: the year of {quoted(word, 40)} has two digits"
            if not last.dotted:
                return self._problem(text, by_hand)
            cure = f"{by_hand}, or, if these are no dates, {self._every_value}"
            return self._problem(text, cure, self._words_or_drop)
        if len(last.orders) == 1:
            return ColumnEncoding(self.name, last.orders[0], (), flag)
        if last.orders:
            if self.order_of_dates is not None:
                return ColumnEncoding(self.name, self.order_of_dates, (), flag)
            row, word = self.first_word or (0, "")
            return self._problem(
                f", row {row}: {quoted(word, 40)} could have the day or the month first, as all "
                "dates of the column",
                cure="pass --dates day-first or --dates month-first",
                options=("--dates", "day-first"),
            )
        row, word = last.not_day_first or (0, "")
        other, instead = last.not_month_first or (0, "")
        text = f", row {row}: {quoted(word, 40)} is not a date with the day first"
        text += f", and in row {other}, {quoted(instead, 40)} is not one with the month first"
        return self._problem(text, by_hand)

    def _mixed(self, row: int, text: str, strays: Strays) -> Problem:
        """Say that a value is not what others are."""
        others = f", but {strays.n_others:,} other values are" if strays.n_others > 1 else ""
        cure = f"{self._drop}, or {self._every_value}"
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
    def _drop(self) -> str:
        return f"leave the column out with --drop {self._shown}"

    @property
    def _shown(self) -> str:
        return printable(self.option, 40)

    def _problem(
        self, text: str, cure: str | None = None, options: tuple[str, ...] | None = None
    ) -> Problem:
        options = ("--drop", self.option) if options is None else options
        return Problem(self.where, self.option, text, cure or self._drop, options)
