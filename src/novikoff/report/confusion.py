"""Errors by class: how often each class was predicted, and as what its examples were."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self
from unicodedata import combining, east_asian_width

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate.escape import format_label
from novikoff.certificate.wording import counted

WIDTH = 86
"""How many characters a line of the table may have, unless told."""
MOST_LISTED = 30
MOST_CONFUSIONS = 3
_SHORT = 14
_HARDLY_EVER = 4
"""A class is hardly ever predicted if that is less than a quarter as often as it occurs: 6 times
for 333 examples, say. Half would warn of noise, a tenth be silent at 30 of 333."""


@dataclass(frozen=True)
class Confusion:
    """How many examples of each class (rows) were predicted as each class (columns)."""

    classes: tuple[Any, ...]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, classes: NDArray[Any], y: NDArray[Any], predicted: NDArray[Any]) -> Self:
        """Count labels that are all among the classes, which are sorted.

        Examples
        --------
        >>> y, predicted = np.array(["a", "b", "b"]), np.array(["a", "a", "b"])
        >>> Confusion.of(np.array(["a", "b"]), y, predicted).counts.tolist()
        [[1, 0], [1, 1]]
        """
        k = len(classes)
        codes = np.searchsorted(classes, y) * k + np.searchsorted(classes, predicted)
        counts = np.bincount(codes, minlength=k * k).reshape(k, k)
        return cls(tuple(classes.tolist()), counts)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of examples of each class."""
        sizes: NDArray[np.int64] = self.counts.sum(axis=1)
        return sizes

    @property
    def errors(self) -> NDArray[np.int64]:
        """The number of errors of each class."""
        errors: NDArray[np.int64] = self.sizes - np.diag(self.counts)
        return errors

    @property
    def predicted(self) -> NDArray[np.int64]:
        """How often each class was predicted."""
        predicted: NDArray[np.int64] = self.counts.sum(axis=0)
        return predicted

    def lines(self, width: int = WIDTH) -> list[str]:
        """Return a table of all counts, or of the errors of each class where that is too wide."""
        if not self.errors.any():
            return []
        for mark, gap in ((",", 2), ("", 1)):
            table = self._table(mark, gap)
            if columns_of(table[0]) <= width:
                return table
        return self._by_class(width)

    def _table(self, mark: str, gap: int) -> list[str]:
        """Return all counts, with this mark between thousands and so many spaces in between."""
        names = self._names
        cells = [[f"{count:{mark}}" for count in row] for row in self.counts.tolist()]
        rows = [[name, *row] for name, row in zip(names, cells, strict=True)]
        return aligned([["predicted as", *names], *rows], gap=gap)

    def _by_class(self, width: int) -> list[str]:
        """Return how often each class was predicted wrongly and as what, the worst first."""
        worst = [k for k in np.argsort(-self.errors, kind="stable").tolist() if self.errors[k]]
        listed = worst[:MOST_LISTED]
        counts = {"examples": self.sizes, "errors": self.errors, "predicted": self.predicted}
        lines = self._counted(listed, counts)
        room = width - columns_of(lines[0]) - 2
        if room < self._least_room(listed):
            lines = self._counted(listed, {"errors": self.errors})
            room = width - columns_of(lines[0]) - 2
        if room >= self._least_room(listed):
            lasts = ["wrongly as", *(self._confusions(k, room) for k in listed)]
            lines = [f"{line}  {last}".rstrip() for line, last in zip(lines, lasts, strict=True)]
        more = len(worst) - len(listed)
        return [*lines, f"and {more:,} more with errors"] if more else lines

    def _counted(self, listed: list[int], counts: dict[str, NDArray[np.int64]]) -> list[str]:
        """Return a table of some numbers of some classes."""
        numbers = ((f"{count[k]:,}" for count in counts.values()) for k in listed)
        rows = [[self._names[k], *row] for k, row in zip(listed, numbers, strict=True)]
        return aligned([["class", *counts], *rows])

    def _least_room(self, listed: list[int]) -> int:
        """Return how many columns it takes to say what each of these was most often taken for."""
        return max(map(columns_of, ["wrongly as", *(self._confusions(k, 0) for k in listed)]))

    def _confusions(self, k: int, room: int) -> str:
        """Return what the examples of a class were most often taken for, in so many characters."""
        wrong = self.counts[k].copy()
        wrong[k] = 0
        most = np.argsort(-wrong, kind="stable")[:MOST_CONFUSIONS].tolist()
        parts = [f"{self._names[other]} {wrong[other]:,}" for other in most if wrong[other]]
        while len(parts) > 1 and columns_of(", ".join(parts)) > room:
            parts.pop()
        return ", ".join(parts)

    @cached_property
    def _names(self) -> list[str]:
        return [format_label(label, _SHORT) for label in self.classes]

    def warnings(self, *, balanced: bool) -> list[str]:
        """Say which classes are hardly ever predicted, and what may help."""
        few = self.predicted * _HARDLY_EVER < self.sizes
        total = int(self.counts.sum())
        return [
            f"{format_label(self.classes[k])} is hardly ever predicted: "
            f"{counted(int(self.predicted[k]), 'time')}, though {self.sizes[k]:,} of {total:,} "
            "examples belong to it"
            + (
                ""
                if balanced
                else "; try --class-weight balanced, which finds more of them and errs "
                "more often on the others"
            )
            for k in np.flatnonzero(few).tolist()
        ]

    def document(self) -> list[dict[str, Any]]:
        """Return the counts of each class for machines."""
        return [
            {
                "class": label,
                "examples": int(self.sizes[k]),
                "errors": int(self.errors[k]),
                "predicted": int(self.predicted[k]),
                "predicted_as": self.counts[k].tolist(),
            }
            for k, label in enumerate(self.classes)
        ]


def aligned(rows: Sequence[Sequence[str]], gap: int = 2) -> list[str]:
    """Return lines of a table: the first column to the left, numbers to the right.

    Examples
    --------
    >>> for line in aligned([["as", "a"], ["b", "12"]]):
    ...     print(line)
    as   a
    b   12
    """
    widths = [max(map(columns_of, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        blanks = [" " * (w - columns_of(cell)) for cell, w in zip(row, widths, strict=True)]
        numbers = [blank + cell for blank, cell in zip(blanks[1:], row[1:], strict=True)]
        lines.append((" " * gap).join([row[0] + blanks[0], *numbers]))
    return lines


def columns_of(text: str) -> int:
    """Return how many columns of a terminal a text takes, where Chinese characters take two.

    Examples
    --------
    >>> columns_of("ab"), columns_of("\u65e5\u672c"), columns_of("e\u0301")
    (2, 4, 1)
    """
    return sum(
        0 if combining(character) else 2 if east_asian_width(character) in "FW" else 1
        for character in text
    )
