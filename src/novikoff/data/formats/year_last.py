"""Columns of dates that end with their year: whether the day or the month comes first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from novikoff.data.formats import dates

Place: TypeAlias = tuple[int, str]
"""A row, counted from 1, and the text in it."""


@dataclass
class YearLast:
    """What the texts of a column show, if all of them look like dates with the year last.

    Countries differ in the order of such dates, so one that has 13 or more in some place decides
    for its column. Three numbers with dots may also be a version, such as 1.0.12; with a year of
    four digits they are taken for a date, though perhaps a wrong one.
    """

    holds: bool = True
    dotted: bool = True
    short_year: Place | None = None
    long_year: Place | None = None
    never_date: Place | None = None
    no_day_and_month: Place | None = None
    not_day_first: Place | None = None
    not_month_first: Place | None = None

    def add(self, row: int, word: str) -> None:
        """Look at a text, and remember the first that cannot be read in some way."""
        here = row, word
        short = dates.has_short_year(word)
        day_first = dates.parse_day_first(word) is not None
        month_first = dates.parse_month_first(word) is not None
        self.dotted = self.dotted and dates.has_dots(word)
        if short:
            self.short_year = self.short_year or here
        else:
            self.long_year = self.long_year or here
        if not dates.has_day_and_month(word):
            self.no_day_and_month = self.no_day_and_month or here
        if not (short or day_first or month_first):
            self.never_date = self.never_date or here
        if not day_first:
            self.not_day_first = self.not_day_first or here
        if not month_first:
            self.not_month_first = self.not_month_first or here

    @property
    def are_versions(self) -> bool:
        """Whether these are three numbers with dots that no order makes dates of."""
        return self.dotted and self.no_day_and_month is not None and self.long_year is None

    @property
    def orders(self) -> tuple[str, ...]:
        """The orders in which all texts are dates."""
        return tuple(
            order
            for order, misread in (
                ("day-first", self.not_day_first),
                ("month-first", self.not_month_first),
            )
            if misread is None
        )
