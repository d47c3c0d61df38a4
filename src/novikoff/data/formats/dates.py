"""Texts that are dates, with or without a time: how many days since 1970-01-01 they are."""

from __future__ import annotations

import re
from datetime import UTC, datetime

MICROSECONDS = 86_400_000_000
"""In a day."""

_TIME = r"(?:[T ](\d\d?:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?: ?([AaPp])[Mm])?(?: ?(Z|[+-]\d\d:?\d\d))?)?"
_YEAR_FIRST = re.compile(r"(\d{4})([-/])(\d\d)\2(\d\d)" + _TIME, re.ASCII)
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)" + _TIME, re.ASCII)
_DAY_AND_NAME = re.compile(r"(\d{1,2})[ -]([A-Za-z]{3,9})\.?[ -](\d{4})" + _TIME, re.ASCII)
_NAME_AND_DAY = re.compile(r"([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})" + _TIME, re.ASCII)
_CLOCK = re.compile(r"\d{1,3}:\d\d(:\d\d(\.\d+)?)?( ?[AaPp][Mm])?", re.ASCII)
_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july", "august", "september"),
    *("october", "november", "december"),
)


def parse_days(word: str) -> float | None:
    """Return the days since 1970-01-01 of a date that can be read in one way, else None.

    The year comes first, or the month has its English name.

    Examples
    --------
    >>> parse_days("1970-01-03"), parse_days("1970/01/01 12:00:00Z"), parse_days("3.1.1970")
    (2.0, 0.5, None)
    >>> parse_days("1970-01-01 14:00 +0200"), parse_days("3 Jan 1970"), parse_days("Jan 3, 1970")
    (0.5, 2.0, 2.0)
    """
    if parts := _YEAR_FIRST.fullmatch(word):
        return _days(parts[1], parts[3], parts[4], *parts.groups()[4:])
    if parts := _DAY_AND_NAME.fullmatch(word):
        return _days(parts[3], _month(parts[2]), parts[1], *parts.groups()[3:])
    if parts := _NAME_AND_DAY.fullmatch(word):
        return _days(parts[3], _month(parts[1]), parts[2], *parts.groups()[3:])
    return None


def parse_day_first(word: str) -> float | None:
    """Return the days since 1970-01-01 of a date with the day first and the year last, else None.

    Examples
    --------
    >>> (
    ...     parse_day_first("3/1/1970"),
    ...     parse_day_first("31.01.1970 12:00"),
    ...     parse_day_first("1/13/1970"),
    ... )
    (2.0, 30.5, None)
    """
    parts = _YEAR_LAST.fullmatch(word)
    return parts and _days(parts[4], parts[3], parts[1], *parts.groups()[4:])


def parse_month_first(word: str) -> float | None:
    """Return the days since 1970-01-01 of a date with the month first and the year last, else None.

    Examples
    --------
    >>> parse_month_first("1/3/1970"), parse_month_first("13/1/1970")
    (2.0, None)
    >>> parse_month_first("1/1/1970 6:00 PM"), parse_month_first("1/1/1970 12:00 am")
    (0.75, 0.0)
    """
    parts = _YEAR_LAST.fullmatch(word)
    return parts and _days(parts[4], parts[1], parts[3], *parts.groups()[4:])


def is_year_last(word: str) -> bool:
    """Whether a text looks like a date that ends with its year, of which countries differ in order.

    Examples
    --------
    >>> is_year_last("3/1/1970"), is_year_last("1970/01/03")
    (True, False)
    """
    return _YEAR_LAST.fullmatch(word) is not None


def has_short_year(word: str) -> bool:
    """Whether a text looks like a date whose year, at the end, has two digits.

    Examples
    --------
    >>> has_short_year("31/12/26"), has_short_year("31/12/2026 12:00")
    (True, False)
    """
    parts = _YEAR_LAST.fullmatch(word)
    return parts is not None and len(parts[4]) == 2


def has_dots(word: str) -> bool:
    """Whether a text that :func:`is_year_last` accepts has dots between its numbers."""
    parts = _YEAR_LAST.fullmatch(word)
    return parts is not None and parts[2] == "."


def has_day_and_month(word: str) -> bool:
    """Whether the first two numbers of such a text can be a day and a month, in some order.

    Examples
    --------
    >>> has_day_and_month("30.2.1970"), has_day_and_month("1.0.12"), has_day_and_month("13.14.15")
    (True, False, False)
    """
    parts = _YEAR_LAST.fullmatch(word)
    if parts is None:
        return False
    low, high = sorted((int(parts[1]), int(parts[3])))
    return 1 <= low <= 12 and high <= 31


def is_clock(word: str) -> bool:
    """Whether a text is a time of day or a duration, without a date.

    Examples
    --------
    >>> is_clock("9:30"), is_clock("12:56:04"), is_clock("9.30")
    (True, True, False)
    """
    return _CLOCK.fullmatch(word) is not None


def _month(name: str) -> str:
    found = [i for i, month in enumerate(_MONTHS, 1) if month.startswith(name.lower())]
    return str(found[0]) if found else "0"


def _days(
    year: str, month: str, day: str, clock: str | None, half: str | None, zone: str | None
) -> float | None:
    """Return the days since 1970-01-01; `half` of a day is A or P, as in AM and PM."""
    hour, _, rest = (clock or "00:00").partition(":")
    if half is not None:
        if not 1 <= int(hour) <= 12:
            return None
        hour = str(int(hour) % 12 + (12 if half in "pP" else 0))
    text = f"{year}-{month.zfill(2)}-{day.zfill(2)} {hour.zfill(2)}:{rest}{zone or ''}"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment
    try:
        since = moment - datetime(1970, 1, 1, tzinfo=UTC)
    except OverflowError:
        return None
    return since.days + (since.seconds * 10**6 + since.microseconds) / MICROSECONDS
