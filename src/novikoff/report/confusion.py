"""Errors by class: how often each class was predicted, and as what its examples were."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate.escape import format_label, printable
from novikoff.certificate.wording import counted

MOST_IN_A_TABLE = 6
MOST_LISTED = 10
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

    def lines(self) -> list[str]:
        """Return a table of all counts for few classes, else the classes with most errors."""
        if not self.errors.any():
            return []
        if len(self.classes) <= MOST_IN_A_TABLE:
            return self._table()
        worst = np.argsort(-self.errors, kind="stable")[:MOST_LISTED]
        lines = [
            f"{format_label(self.classes[k])}: {self.errors[k]:,} of "
            f"{counted(int(self.sizes[k]), 'example')}, predicted {self.predicted[k]:,} times"
            for k in worst.tolist()
            if self.errors[k]
        ]
        more = int((self.errors > 0).sum()) - len(lines)
        if more:
            lines.append(f"and {more:,} more with errors")
        return lines

    def _table(self) -> list[str]:
        names = [printable(format_label(label), _SHORT) for label in self.classes]
        cells = [[f"{count:,}" for count in row] for row in self.counts.tolist()]
        widths = [max(len(name), *(len(row[k]) for row in cells)) for k, name in enumerate(names)]
        first = max(map(len, [*names, "predicted as"]))
        lines = [(names[k], cells[k]) for k in range(len(names))]
        return [
            "  ".join([name.ljust(first), *(c.rjust(w) for c, w in zip(row, widths, strict=True))])
            for name, row in [("predicted as", names), *lines]
        ]

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
