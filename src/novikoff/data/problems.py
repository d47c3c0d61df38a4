"""Columns that cannot be used as they are: all of them in one line, with what would help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from novikoff.certificate.escape import printable, quoted
from novikoff.certificate.wording import counted
from novikoff.data.table import DataError, Request

_MOST_SHOWN = 5
_SHORT_NAME = 40
_MANY_LOST = 10
"""Per cent of the rows: where more would be left out, a column that marks them is suggested."""


@dataclass(frozen=True)
class Problem:
    """What is wrong with one column.

    Attributes
    ----------
    where : str
        The column, for a message.
    name : str
        Its name or position, for an option.
    text : str
        What is wrong, after the column.
    cure : str
        What to do, in words.
    options : tuple of str
        Options that would get around it.
    """

    where: str
    name: str
    text: str
    cure: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Gap:
    """A column with missing values: how many, and the first row (counted from 1).

    `what` is missing: a value, or the label, for which nothing can stand. `can_be_marked`: whether
    the features of the column can represent that a value is missing.
    """

    where: str
    count: int
    first: int
    what: str = "the value"
    can_be_marked: bool = True


def refusal(
    request: Request,
    problems: Sequence[Problem],
    gaps: Sequence[Gap] = (),
    *,
    n_rows: int = 0,
    n_lost: int = 0,
    can_drop: bool = True,
) -> DataError:
    """Make one error of all problems and of the columns with missing values, if there are any.

    `n_lost` of `n_rows` are the rows that would be left out with ``--missing drop``. `can_drop`:
    whether the others have two classes.
    """
    options = [option for problem in problems for option in problem.options]
    marked = "--na" in options and request.missing == "error"
    if gaps and not can_drop and not _can_be_marked(gaps):
        options = []  # No options get around it.
    elif gaps or marked:
        few = 100 * n_lost <= _MANY_LOST * n_rows or not _can_be_marked(gaps)
        few = few and can_drop
        options = ["--missing", "drop" if few else "indicator", *options]
    cure_for_gaps = _cure_for_gaps(gaps, n_rows, n_lost if can_drop else None)
    if len(problems) == 1 and not gaps:
        text = f"{problems[0].where}{problems[0].text}; {problems[0].cure}"
    elif len(gaps) == 1 and not problems:
        gap = gaps[0]
        text = f"{gap.where.removesuffix(' (the target)')}, row {gap.first}: {gap.what} is missing"
        if gap.count > 1:
            text += f", as in {counted(gap.count - 1, 'other row')}"
        text += f"; {cure_for_gaps}"
    else:
        parts = [f"{_short(problem.where)}{problem.text}" for problem in problems[:_MOST_SHOWN]]
        if len(problems) > _MOST_SHOWN:
            more = counted(len(problems) - _MOST_SHOWN, "more column")
            parts.append(f"{more} cannot be used either")
        if gaps:
            parts.append(f"{_listing(gaps)}: {cure_for_gaps}")
        text = "; ".join(parts)
    error = request.error(text)
    error.options = _without_repetition(options)
    return error


def _cure_for_gaps(gaps: Sequence[Gap], n_rows: int, n_lost: int | None) -> str:
    """Say what to do; `n_lost` is None where the other rows do not have two classes."""
    if n_lost is None:
        cure = "correct the file (the other rows do not have two classes)"
    else:
        lost = f" ({n_lost:,} of {n_rows:,})" if n_lost else ""
        cure = f"correct the file, or leave such rows out with --missing drop{lost}"
    if _can_be_marked(gaps):
        cure += ", or mark them by a column with --missing indicator"
    return cure


def _can_be_marked(gaps: Sequence[Gap]) -> bool:
    return all(gap.can_be_marked and gap.what != "the label" for gap in gaps)


def _listing(gaps: Sequence[Gap]) -> str:
    shown = [f"{_bare(gap.where)} ({gap.count:,})" for gap in gaps[:_MOST_SHOWN]]
    if len(gaps) > _MOST_SHOWN:
        shown.append(counted(len(gaps) - _MOST_SHOWN, "more column"))
    first = min(gap.first for gap in gaps)
    return f"values are missing in {', '.join(shown)}, the first in row {first}"


def _short(where: str) -> str:
    """Cut a description, which is escaped already."""
    return where if len(where) <= _SHORT_NAME else f"{where[: _SHORT_NAME - 1]}…"


def _bare(where: str) -> str:
    return _short(where.removeprefix("column "))


def _without_repetition(options: Sequence[str]) -> tuple[str, ...]:
    """Keep a pair of an option and its value once."""
    pairs = dict.fromkeys(zip(options[::2], options[1::2], strict=True))
    return tuple(word for pair in pairs for word in pair)


def rounded(where: str, name: str, row: int, integer: object) -> Problem:
    """Say that a column has an integer that float64 rounds."""
    text = f", row {row}: float64 cannot represent {printable(integer)} exactly"
    cure = f"leave the column out with --drop {printable(name, _SHORT_NAME)}, or rescale it"
    return Problem(where, name, text, cure, ("--drop", name))


def not_a_number(text: str) -> str:
    """Say that a text is none."""
    return f"{quoted(text, 40)} is not a number"
