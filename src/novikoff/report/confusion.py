"""Errors by class: how often each class was predicted, and as what its examples were."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate.escape import format_label, printable

WIDTH = 86
"""How many characters a line of the table may have, unless told."""
MOST_LISTED = 30
MOST_CONFUSIONS = 3
_SHORT = 16
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
            if len(table[0]) <= width:
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
        names = self._names
        worst = [k for k in np.argsort(-self.errors, kind="stable").tolist() if self.errors[k]]
        listed = worst[:MOST_LISTED]
        rows = [["class", "examples", "errors", "predicted"]]
        for k in listed:
            numbers = (self.sizes[k], self.errors[k], self.predicted[k])
            rows.append([names[k], *(f"{number:,}" for number in numbers)])
        lines = aligned(rows)
        room = width - len(lines[0]) - 2
        lasts = ["wrongly as", *(self._confusions(k, room) for k in listed)]
        lines = [f"{line}  {last}".rstrip() for line, last in zip(lines, lasts, strict=True)]
        more = len(worst) - len(listed)
        return [*lines, f"and {more:,} more with errors"] if more else lines

    def _confusions(self, k: int, room: int) -> str:
        """Return what the examples of a class were most often taken for, in so many characters."""
        wrong = self.counts[k].copy()
        wrong[k] = 0
        most = np.argsort(-wrong, kind="stable")[:MOST_CONFUSIONS].tolist()
        parts = [f"{self._names[other]} {wrong[other]:,}" for other in most if wrong[other]]
        while len(parts) > 1 and len(", ".join(parts)) > room:
            parts.pop()
        return ", ".join(parts)

    @cached_property
    def _names(self) -> list[str]:
        return [printable(format_label(label), _SHORT) for label in self.classes]

    def warnings(self, *, balanced: bool) -> list[str]:
        """Say which classes are hardly ever predicted, and what may help."""
        few = self.predicted * _HARDLY_EVER < self.sizes
        total = int(self.counts.sum())
        return [
            f"{format_label(self.classes[k])} is hardly ever predicted: {self.predicted[k]:,} "
            f"times, though {self.sizes[k]:,} of {total:,} examples belong to it"
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
    first, *others = (max(map(len, column)) for column in zip(*rows, strict=True))
    return [
        (" " * gap).join(
            [row[0].ljust(first), *(c.rjust(w) for c, w in zip(row[1:], others, strict=True))]
        )
        for row in rows
    ]
