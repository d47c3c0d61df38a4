"""Columns that a user should know about: one that outweighs the others, constants, identifiers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.certificate.escape import quoted
from novikoff.data.encoding import DATES
from novikoff.report.describe import MOST_FEATURES, Row, command, first_of
from novikoff.sample.scale import column_ranges

if TYPE_CHECKING:
    from novikoff.data import Table

MOST_OF_IT = 0.9
"""A column with more than this share of the squared distance to the mean outweighs the others."""

FEWEST_ROWS = 10
"""Among fewer examples, whole numbers that are all different may well be measurements."""

ROOM = 1.5
"""Numbers of the rows of a file, some of which were left out, span at most this many times the rows
that remain."""

BLOCK_VALUES = 1 << 18


@dataclass(frozen=True)
class Columns:
    """What one pass over the data shows of its columns.

    ``heaviest`` is the column that carries most of the squared distance to the mean, and ``share``
    that share; ``None`` where no column does. ``scaled``: whether the columns were scaled before.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.data import Table
    >>> rng = np.random.default_rng(0)
    >>> X = np.column_stack([np.arange(20), rng.normal(4000, 800, 20), np.full(20, 7)])
    >>> columns = Columns.of(Table(X, rng.integers(0, 2, 20), ("id", "mass", "site")))
    >>> for _, text in columns.rows():
    ...     print(text)
    'mass' carries 99 % of the squared distance to the mean and outweighs the others: add --scale
    'site' is constant
    'id' looks like an identifier (whole numbers, all different): --drop id leaves it out
    """

    names: tuple[str, ...] | None
    heaviest: int | None
    share: float
    constant: list[int]
    identifiers: list[int]
    scaled: bool = False

    @classmethod
    def of(cls, table: "Table", exponents: Sequence[int] | None = None) -> "Columns":
        """Measure the columns of the examples that take part, in the units of the fit."""
        X = table.X
        if table.weights is not None and not table.weights.all():
            X = X[table.weights > 0.0]
        low, high, square = _measured(X)
        with np.errstate(all="ignore"):
            square = np.ldexp(square, -2 * np.array(0 if exponents is None else exponents))
            parts = square / square.sum()
        top = None
        if np.count_nonzero(low < high) > 1 and np.isfinite(parts).all():
            heaviest = int(np.argmax(parts))
            top = heaviest if parts[heaviest] > MOST_OF_IT else None
        span = X.shape[0] - 1
        width = high - low
        close = np.flatnonzero((span <= width) & (width < ROOM * span)).tolist()
        # One row a day: days are consecutive, and may matter.
        close = [j for j in close if j not in _dates(table)]
        return cls(
            names=table.feature_names,
            heaviest=top,
            share=0.0 if top is None else float(parts[top]),
            constant=np.flatnonzero(low == high).tolist(),
            identifiers=[j for j in close if span + 1 >= FEWEST_ROWS and _all_differ(X, j)],
            scaled=exponents is not None,
        )

    def rows(self) -> list[Row]:
        """Say it to people, with what can be done."""
        lines = []
        # One that is to be left out needs no scale.
        if self.heaviest is not None and self.heaviest not in self.identifiers:
            advice = "" if self.scaled else ": add --scale"
            lines.append(
                f"{self._name(self.heaviest)} carries {int(100 * self.share)} % of the squared "
                f"distance to the mean and outweighs the others{advice}"
            )
        if self.constant:
            verb = "is" if len(self.constant) == 1 else "are"
            lines.append(f"{self._listed(self.constant)} {verb} constant")
        if self.identifiers:
            verb = "looks like an identifier"
            if len(self.identifiers) > 1:
                verb = "look like identifiers"
            line = f"{self._listed(self.identifiers)} {verb} (whole numbers, all different)"
            if self.names is not None:
                name = self.names[self.identifiers[0]]
                line += f": {command('--drop', name)} leaves it out"
            lines.append(line)
        return [("Advice", "\n".join(lines))] if lines else []

    def document(self) -> dict[str, Any]:
        """Say it to machines: by name, or by position where there are no names."""

        def label(j: int) -> str | int:
            return j if self.names is None else self.names[j]

        return {
            "heaviest": None if self.heaviest is None else label(self.heaviest),
            "share": None if self.heaviest is None else self.share,
            "constant": [label(j) for j in self.constant],
            "identifiers": [label(j) for j in self.identifiers],
        }

    def _name(self, j: int) -> str:
        return f"feature {j}" if self.names is None else quoted(self.names[j])

    def _listed(self, columns: list[int]) -> str:
        return first_of([self._name(j) for j in columns[:MOST_FEATURES]], len(columns))


def _dates(table: "Table") -> set[int]:
    """Return the features that are days."""
    dates, first = set(), 0
    for column in () if table.encoding is None else table.encoding.columns:
        if column.kind in DATES:
            dates.add(first)
        first += column.width
    return dates


def _measured(X: Any) -> tuple[NDArray[np.float64], ...]:
    """Return the least and the largest value of each column, and its sum of squared distances."""
    n, d = X.shape
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    total, squares = np.zeros(d), np.zeros(d)
    with np.errstate(all="ignore"):
        if sparse.issparse(X):
            low, high = column_ranges(X)
            values = X.data.astype(np.float64, copy=False)
            total = np.bincount(X.indices, values, minlength=d)
            squares = np.bincount(X.indices, values * values, minlength=d)
        else:
            step = max(1, BLOCK_VALUES // max(d, 1))
            # Relative to one of the examples, little cancels.
            centre = X[0].astype(np.float64)
            for first in range(0, n, step):
                part = X[first : first + step]
                np.minimum(low, part.min(axis=0), out=low)
                np.maximum(high, part.max(axis=0), out=high)
                part = part - centre
                total += part.sum(axis=0)
                squares += np.einsum("ij,ij->j", part, part)
        return low, high, np.where(low == high, 0.0, np.maximum(squares - total**2 / n, 0.0))


def _all_differ(X: Any, j: int) -> bool:
    """Whether a column holds whole numbers, each once."""
    column = X[:, [j]]
    values = np.asarray(column.toarray() if sparse.issparse(column) else column).ravel()
    return bool((values == np.rint(values)).all()) and len(np.unique(values)) == len(values)
