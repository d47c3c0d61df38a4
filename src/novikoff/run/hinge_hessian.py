"""The Hessian of squared hinges: the Gram matrix of the examples that have weight, and a factor.

From step to step only few examples gain or lose weight, so that the matrix is brought up to date
by these. Where dense columns nearly depend on others, it has lost what tells them apart, and the
factor is taken from the rows.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from novikoff.certificate.exact.violations import Violations
from novikoff.compiled import heavy as compiled
from novikoff.compiled.rows import CSR

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]

RIDGES = (1e-14, 1e-11, 1e-8)
"""Added to the diagonal of the Hessian, scaled to 1, until it has a factor."""

ROUGH = 2.0**-15
"""With a smaller pivot of a Gram matrix of dense columns, the factor is taken from the rows."""

CHANGED = 0.25
"""Where a larger share of the examples come and go, a Gram matrix is computed again. Not varied:
from step to step it is some thousandths, and where examples are left out 0.1."""

FADED = 2.0**-20
"""So is it where so little of a column is left that much of it may be rounding."""

SINGULAR = 2.0**-50
"""A pivot that small, times the number of columns, may be a rounding error."""

_STRIPE = 1 << 22
"""Values of the examples that are converted at a time."""


@dataclass(frozen=True)
class Hessian:
    """The Hessian in some columns: its Cholesky factor, for columns scaled to length 1."""

    factor: Vector
    scale: Vector
    ridge: float

    @classmethod
    def of(
        cls, gram: Vector, before: "Hessian | None" = None, damping: float = 0.0
    ) -> "Hessian | None":
        """Factor the Gram matrix of the columns, in place; ``None`` where it is singular.

        With the ridge ``damping``; if that is 0, with none, or a small one that is no smaller than
        one ``before``.
        """
        with np.errstate(all="ignore"):
            # Columns that no example with weight has stay as they are.
            lengths = np.sqrt(np.diagonal(gram))
            scale = 1.0 / np.where(lengths == 0.0, 1.0, lengths)
            gram *= scale
            gram *= scale[:, None]
        if not np.isfinite(gram).all():
            return None
        least = 0.0 if before is None else min(before.ridge, RIDGES[-1])
        for ridge in [damping] if damping else [each for each in RIDGES if each >= least]:
            gram[np.diag_indices_from(gram)] = 1.0 + ridge
            # The lower half in rows is the upper half in columns, as LAPACK reads it.
            factor, info = linalg.lapack.dpotrf(gram.T, lower=False, clean=False)
            # Where columns depend on others, a pivot is the ridge, or its rounding error.
            regular = SINGULAR * len(gram)
            if not info and (ridge >= RIDGES[-1] or np.diagonal(factor).min() ** 2 > regular):
                return cls(factor, scale, ridge)
        return None

    @classmethod
    def of_rows(cls, violations: Violations, columns: Ids, costs: Vector) -> "Hessian | None":
        """From the dense rows themselves, by reflections; ``None`` where it is singular.

        This takes a few times as long; the Gram matrix has lost what is less than the root of a
        rounding error.
        """
        size = columns.size
        lengths = np.zeros(size)
        for table in _tables(violations, columns, costs):
            lengths = np.hypot(lengths, np.linalg.norm(table, axis=0))
        scale = 1.0 / np.where(lengths == 0.0, 1.0, lengths)
        # Columns that no example with weight has stay as they are.
        factor = np.eye(size)[lengths == 0.0]
        for table in _tables(violations, columns, costs):
            rows = np.vstack([factor, table * scale])
            (factor,) = linalg.qr(rows, mode="r", overwrite_a=True, check_finite=False)
            factor = factor[:size]
        if len(factor) < size or not np.abs(np.diagonal(factor)).min() > SINGULAR * size:
            return None
        return cls(factor, scale, 0.0)

    @property
    def is_rough(self) -> bool:
        """Whether a Gram matrix may have lost what tells columns apart."""
        return bool(np.diagonal(self.factor).min() < ROUGH)

    def solve(self, right: Vector) -> Vector:
        """Return the Newton step for a negative gradient."""
        step: Vector = linalg.cho_solve((self.factor, False), right * self.scale)
        return step * self.scale


class Products:
    """The Gram matrix of columns over examples: from step to step only few of these change."""

    def __init__(self) -> None:
        self._columns = self._rows = np.empty(0, dtype=np.int64)
        self._values = np.empty((0, 0))
        self._first = np.empty(0)

    def of(self, violations: Violations, columns: Ids, costs: Vector | None) -> Vector:
        """Return that of the examples that violate a margin: its lower half, a copy.

        Rows are multiplied by the roots of their costs.
        """
        rows = violations.rows
        with np.errstate(all="ignore"):
            come = np.setdiff1d(rows, self._rows, assume_unique=True)
            gone = np.setdiff1d(self._rows, rows, assume_unique=True)
            if come.size + gone.size > CHANGED * rows.size or not self._restrict(columns):
                return self._anew(violations, columns, costs)
            for some, sign in ((come, 1.0), (gone, -1.0)):
                if some.size:
                    self._values += sign * _gram(replace(violations, rows=some), columns, costs)
            self._rows = rows
            # What is left of a column that most of its examples have lost is rounded.
            if (np.diagonal(self._values) < FADED * self._first).any():
                return self._anew(violations, columns, costs)
        return self._values.copy()

    def _anew(self, violations: Violations, columns: Ids, costs: Vector | None) -> Vector:
        self._rows, self._columns = violations.rows, columns
        self._values = _gram(violations, columns, costs)
        self._first = np.diagonal(self._values).copy()
        return self._values.copy()

    def _restrict(self, columns: Ids) -> bool:
        """Leave out columns that are not asked for; whether all others are there."""
        if not np.array_equal(columns, self._columns):
            kept = np.isin(self._columns, columns)
            if not np.array_equal(self._columns[kept], columns):
                return False
            self._columns, self._first = columns, self._first[kept]
            self._values = self._values[np.ix_(kept, kept)]
        return True


def _gram(violations: Violations, columns: Ids, costs: Vector | None) -> Vector:
    """The Gram matrix of the columns, with rows times the roots of their costs: its lower half."""
    X, size = violations.X, columns.size
    costs = np.ones(violations.rows.size) if costs is None else costs[violations.rows]
    if sparse.issparse(X):
        return _sparse_gram(violations, columns, costs)
    gram = np.zeros((size, size))
    for table in _tables(violations, columns, costs):
        gram += table.T @ table
    return gram


def _tables(violations: Violations, columns: Ids, costs: Vector) -> Iterator[Vector]:
    """The columns of dense rows, times the roots of their costs."""
    step = max(1, _STRIPE // columns.size)
    for first in range(0, violations.rows.size, step):
        part = slice(first, min(first + step, violations.rows.size))
        table = violations.table(np.arange(part.start, part.stop), columns)
        table *= np.sqrt(costs[part])[:, None]
        yield table


def _sparse_gram(violations: Violations, columns: Ids, costs: Vector) -> Vector:
    """The same of sparse rows: columns of the matrix itself stay sparse, the others are dense."""
    X, size = violations.X, columns.size
    own = (columns < X.shape[1]) & ~np.isin(columns, violations.replaced.columns)
    matrix = sparse.csr_array(X[violations.rows])
    if not np.array_equal(columns[own], np.arange(X.shape[1])):
        matrix = matrix[:, columns[own]]
    matrix = matrix.astype(np.float64)
    matrix.sum_duplicates()
    half = np.zeros((matrix.shape[1] + 1,) * 2)
    rows = CSR(matrix.data, matrix.indices, matrix.indptr)
    compiled.gram(rows, np.arange(matrix.shape[0]), costs, half)
    if own[:-1].all() and columns[-1] == X.shape[1]:
        # The last column is that of the intercept.
        return half
    gram = np.zeros((size, size))
    others = violations.table(np.arange(violations.rows.size), columns[~own])
    weighted = others * costs[:, None]
    gram[np.ix_(own, own)] = half[:-1, :-1]
    gram[np.ix_(own, ~own)] = matrix.T @ weighted
    gram[np.ix_(~own, own)] = gram[np.ix_(own, ~own)].T
    gram[np.ix_(~own, ~own)] = others.T @ weighted
    return gram
