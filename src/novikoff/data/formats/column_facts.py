"""What is known of one column of a table, gathered batch by batch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from novikoff.data.formats import dates, values
from novikoff.data.formats.written_numbers import Strays, WrittenNumbers
from novikoff.data.formats.year_last import YearLast

MOST_LEVELS = 1000
"""Maximum number of levels of a column of words. More are hardly categories: a thousand features
of 0 and 1 in 100,000 rows take 800 MB as float64."""


@dataclass
class ColumnFacts:
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
    all_clocks: bool = True
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
        if values.is_string(column.type) or (self.forced and self.has_texts):
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
    def has_texts(self) -> bool:
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
            self.year_last.holds = self.year_last.holds and dates.is_year_last(word)
            if self.year_last.holds:
                self.year_last.add(row, word)
            is_date = dates.parse_days(word) is not None
            self.all_dates = self.all_dates and is_date
            self.all_clocks = self.all_clocks and dates.is_clock(word)
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
