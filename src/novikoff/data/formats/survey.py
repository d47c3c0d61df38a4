"""Find out what each column of a table holds, and everything that stands in the way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from novikoff.certificate.escape import printable, quoted
from novikoff.data.columns import Choice
from novikoff.data.encoding import ColumnEncoding, Encoding
from novikoff.data.formats import values
from novikoff.data.problems import Gap, Problem, not_a_number, refusal, rounded
from novikoff.data.table import LONGEST_LABEL, Request, describe_column

MOST_LEVELS = 1000
"""Maximum number of levels of a column of words. More are hardly categories: a thousand features
of 0 and 1 in 100,000 rows take 800 MB as float64."""

FEW_LEVELS = 20
"""With at most as many levels a column of words is never taken for an identifier, unless every
row has another word."""


@dataclass
class _Column:
    """What is known of one column so far."""

    where: str
    name: str | None
    option: str
    forced: bool
    from_text: bool
    order_of_dates: str | None
    kind: Any
    gaps: list[NDArray[np.int64]] = field(default_factory=list)
    n_rows: int = 0
    levels: dict[str, None] = field(default_factory=dict)
    n_numbers: int = 0
    n_words: int = 0
    all_dates: bool = True
    all_booleans: bool = True
    all_commas: bool = True
    all_year_last: bool = True
    not_day_first: tuple[int, str] | None = None
    not_month_first: tuple[int, str] | None = None
    short_year: tuple[int, str] | None = None
    n_dates: int = 0
    first_word: tuple[int, str] | None = None
    first_not_date: tuple[int, str] | None = None
    longest: tuple[int, int] = (0, 0)
    infinite: tuple[int, float] | None = None
    inexact: tuple[int, int] | None = None
    with_null: tuple[int, str] | None = None

    @property
    def n_missing(self) -> int:
        return sum(map(len, self.gaps))

    def add(self, column: Any) -> None:
        """Look at the next rows."""
        start, self.n_rows = self.n_rows, self.n_rows + len(column)
        if values.is_string(column.type) or (self.forced and self._has_texts):
            found = values.texts(column)
            self._mark(found.codes < 0, start)
            self._add_words(found, start)
        elif values.is_numeric(column.type):
            numbers, valid = values.numbers(column)
            self._mark(~valid, start)
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
        are_words = np.zeros(len(found.words), dtype=bool)
        for code, (word, count) in enumerate(zip(found.words, counts.tolist(), strict=True)):
            number, comma = values.is_number(word), values.has_decimal_comma(word)
            are_words[code] = not number
            self.n_numbers += count if number else 0
            self.n_words += 0 if number else count
            self.all_commas &= number or comma
            self.all_year_last = self.all_year_last and values.is_year_last(word)
            self.all_booleans = self.all_booleans and values.parse_boolean(word) is not None
            if count and self.all_year_last:
                self._look_at_order(found, code, start)
            is_date = values.parse_days(word) is not None
            self.all_dates = self.all_dates and is_date
            self.n_dates += count if is_date else 0
            if count and not is_date and self.first_not_date is None:
                self.first_not_date = start + int(np.argmax(found.codes == code)) + 1, word
            if len(word) > self.longest[1]:
                row = start + int(np.argmax(found.codes == code)) + 1
                self.longest = row, len(word)
            if "\0" in word and self.with_null is None:
                self.with_null = start + int(np.argmax(found.codes == code)) + 1, word
            if self.forced or len(self.levels) <= MOST_LEVELS:
                self.levels[word] = None
        if self.first_word is None and are_words.any():
            rows = np.flatnonzero(are_words[found.codes] & (found.codes >= 0))
            if rows.size:
                at = int(rows[0])
                self.first_word = start + at + 1, found.words[found.codes[at]]

    def result(self, *, indicator: bool) -> ColumnEncoding | Problem:
        """Return the encoding of the column, or why it has none."""
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
            return self._of_texts(flag)
        if values.is_date(kind):
            return ColumnEncoding(self.name, "date", (), flag)
        if pa.types.is_boolean(kind):
            return ColumnEncoding(self.name, "boolean", (), flag)
        if values.is_numeric(kind):
            return ColumnEncoding(self.name, "number", (), flag)
        if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            return self._problem(" is not UTF-8 text", cure="save it as UTF-8")
        return self._problem(f" is of type {printable(kind)}, not a number")

    def _of_texts(self, flag: bool) -> ColumnEncoding | Problem:
        if not self.n_words and not self.from_text:
            return self._problem(
                " contains numbers stored as text",
                cure=f"store them as numbers, or pass --words {self._shown} if they are names",
            )
        if not self.n_words:
            return ColumnEncoding(self.name, "number", (), flag)
        if self.all_booleans:
            return ColumnEncoding(self.name, "boolean", (), flag)
        if self.all_dates:
            return ColumnEncoding(self.name, "date", (), flag)
        row, word = self.first_word or (0, "")
        if self.all_commas and self.from_text:
            text = f", row {row}: {not_a_number(word)}, unless commas are decimal points"
            return self._problem(text, "pass --decimal ,", ("--decimal", ","))
        if self.all_year_last:
            return self._year_last(flag)
        if self.n_numbers:
            return self._mixed(row, not_a_number(word), self.n_numbers)
        if self.n_dates:
            row, word = self.first_not_date or (0, "")
            return self._mixed(row, f"{quoted(word, 40)} is not a date", self.n_dates)
        return self._too_long() or self._identifier() or self._words(flag)

    def _look_at_order(self, found: values.Texts, code: int, start: int) -> None:
        """Note the first of the dates that end with their year that cannot be read in some way."""
        word = found.words[code]
        for name, misread in (
            ("short_year", values.has_short_year(word)),
            ("not_day_first", values.parse_day_first(word) is None),
            ("not_month_first", values.parse_month_first(word) is None),
        ):
            if misread and getattr(self, name) is None:
                setattr(self, name, (start + int(np.argmax(found.codes == code)) + 1, word))

    def _year_last(self, flag: bool) -> ColumnEncoding | Problem:
        """Read dates that end with their year, of which countries differ in order."""
        by_hand = f"write dates as 2026-01-31, or leave them out with --drop {self._shown}"
        if self.short_year is not None:
            row, word = self.short_year
            return self._problem(
                f", row {row}: the year of {quoted(word, 40)} has two digits", by_hand
            )
        if self.not_day_first is None and self.not_month_first is None:
            if self.order_of_dates is not None:
                return ColumnEncoding(self.name, self.order_of_dates, (), flag)
            row, word = self.first_word or (0, "")
            return self._problem(
                f", row {row}: {quoted(word, 40)} could have the day or the month first, as all "
                "dates of the column",
                cure="pass --dates day-first or --dates month-first",
                options=("--dates", "day-first"),
            )
        if self.not_day_first is None:
            return ColumnEncoding(self.name, "day-first", (), flag)
        if self.not_month_first is None:
            return ColumnEncoding(self.name, "month-first", (), flag)
        row, word = self.not_day_first
        other, instead = self.not_month_first
        text = f", row {row}: {quoted(word, 40)} is not a date with the day first"
        text += f", and in row {other}, {quoted(instead, 40)} is not one with the month first"
        return self._problem(text, by_hand)

    def _mixed(self, row: int, text: str, n_others: int) -> Problem:
        """Say that a value is not what others are."""
        others = f", but {n_others:,} other values are" if n_others > 1 else ""
        cure = (
            f"correct it, or leave the column out with --drop {self._shown}, or make a "
            f"feature of every value with --words {self._shown}"
        )
        option = "--words" if len(self.levels) <= FEW_LEVELS else "--drop"
        return self._problem(f", row {row}: {text}{others}", cure, (option, self.option))

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


def survey(
    request: Request,
    batches: Iterable[Any],
    types: Sequence[Any],
    choice: Choice,
    names: Sequence[str] | None,
    *,
    from_text: bool,
) -> Encoding:
    """Find the encoding of the features, or refuse with all that stands in the way of it.

    `from_text`: the values were texts in the file, as in CSV: texts that are numbers are numbers.
    """
    columns = [
        _Column(
            describe_column(names, i),
            None if names is None else names[i],
            str(i) if names is None else names[i],
            i in choice.words,
            from_text,
            request.dates,
            kind,
        )
        for i, kind in zip(choice.features, types, strict=False)
    ]
    unlabelled: list[NDArray[np.int64]] = []
    n = 0
    for batch in batches:
        for j, column in enumerate(columns):
            column.add(batch.column(j))
        if choice.target is not None:
            known = values.known_labels(
                batch.column(len(columns)), markers=request.missing == "drop"
            )
            unlabelled.append(n + np.flatnonzero(~known))
        n += batch.num_rows
    if n == 0:
        raise request.error("it has no rows" if names is None else "it has a header and no rows")
    results = [column.result(indicator=request.missing == "indicator") for column in columns]
    problems = [_without_name(i) for i in choice.unnamed]
    problems += [result for result in results if isinstance(result, Problem)]
    gaps: list[Gap] = []
    lost: NDArray[np.int64] = np.empty(0, np.int64)
    if request.missing != "indicator":
        kept = [c for c, r in zip(columns, results, strict=True) if not _is_dropped(r) and c.gaps]
        rows = [*unlabelled, *(gap for column in kept for gap in column.gaps)]
        lost = np.unique(np.concatenate(rows)) if rows else lost
        if request.missing == "error":
            gaps = [Gap(c.where, c.n_missing, int(c.gaps[0][0]) + 1) for c in kept]
    without = np.concatenate(unlabelled) if unlabelled else lost[:0]
    if without.size and request.missing != "drop":
        where = f"{describe_column(names, choice.target or 0)} (the target)"
        gaps.append(Gap(where, len(without), int(without[0]) + 1, "the label"))
    if problems or gaps:
        error = refusal(request, problems, gaps, n_rows=n, n_lost=len(lost))
        marked = "indicator" in error.options
        if all(map(_is_dropped, results)) or (len(lost) == n and not marked):
            error.options = ()  # Nothing would be left.
        raise error
    if len(lost) == n:
        raise request.error("a value or the label is missing in every row: no row is left")
    return Encoding(
        tuple(result for result in results if isinstance(result, ColumnEncoding)), request.missing
    )


def _without_name(column: int) -> Problem:
    text = " has no name (the row numbers of a data frame?)"
    cure = f"name it, or leave it out with --drop {column}"
    return Problem(f"column {column}", str(column), text, cure, ("--drop", str(column)))


def _is_dropped(result: ColumnEncoding | Problem) -> bool:
    """Whether the column would be left out with the options that are suggested."""
    return isinstance(result, Problem) and "--drop" in result.options
