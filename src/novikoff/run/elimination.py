"""Elimination on the examples that violate a margin: which of them are independent, and columns."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.linalg import lapack

from novikoff.certificate.exact.vanishing import MOST_COLUMNS, inverse_from_factor
from novikoff.certificate.exact.violations import Violations
from novikoff.run.blas import one_blas_thread
from novikoff.run.one_signed import rows_with

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]
Mask = NDArray[np.bool_]

CANDIDATES = 1.25
"""Rows to choose from, for each column: 1.2 and 4 give the same change of the slacks, to within a
third, on dense 5,000 x 200 and on sparse 8,000 x 1,500; each row more costs elimination time."""

COVER = 8
"""Rows to choose from in which a column is not zero, if there are as many."""

ROUNDS = 4
"""How often rows are added in which columns differ."""

STRIPE = 1 << 22
"""Values of dense rows that are converted at a time."""

SINGULAR = 2.0**-30
"""A pivot that small, beside the largest value of its column, is taken for a rounding error."""

DIFFERENT = 2.0**-20
"""A pivot that small, among what columns have left over in a few rows, is a rounding error."""

NEAR = 2.0**-16
"""A pivot that small, beside the largest distance of its column to a mean, is one of a column that
others determine up to rounding: to float32, if it is above ``2**-25``. Not varied."""


STEEP, FAINT = 2.0**-8, 2.0**-44
"""Where no pivot above ``FAINT`` is followed by one that is smaller by ``STEEP``, columns depend on
others to every degree, as random Fourier features of two numbers and high powers do. Remainders
then depend on others in turn, round after round: 4,000 x 1,000 take 30 s without this stop, 1,500 x
300 and 4,000 x 60 15 to 20 s, and nothing is proved. Where columns are sums, there is such a step
between the pivots of the others and the rounding errors. Other values were not tried."""

FEW_REMAINDERS = 8
"""For so few it is not looked at."""


@dataclass(frozen=True)
class Elimination:
    """Elimination with partial pivoting on the rows with the largest slacks.

    ``table`` has these rows of the ``columns``, scaled; ``kept`` are the columns that do not
    depend on those before them, and ``nearly`` tells whether one of these nearly does.
    """

    violations: Violations
    columns: Ids
    places: Ids
    table: Vector
    kept: Mask
    factor: "Factor"
    nearly: bool

    @classmethod
    def of(
        cls,
        violations: Violations,
        *,
        solved: Ids | None = None,
        strict: bool = False,
    ) -> "Elimination | None":
        """Eliminate all columns but those that relations are solved for.

        ``strict``: columns are not kept that others determine up to rounding to float32, either.
        ``None`` where there are more columns than rows, or too many.
        """
        columns = _in_order(violations, solved)
        if not 0 < columns.size <= min(violations.rows.size, MOST_COLUMNS):
            return None
        kept = np.full(columns.size, True)
        return cls._of_rows(violations, columns, *_candidates(violations, columns), kept, strict)

    @classmethod
    def _of_rows(
        cls,
        violations: Violations,
        columns: Ids,
        places: Ids,
        table: Vector,
        kept: Mask,
        strict: bool = False,
    ) -> "Elimination | None":
        least = SINGULAR * np.abs(table).max(axis=0)
        near = NEAR * _reach(table, violations.affine)
        chosen = np.arange(len(places))
        while True:
            factor = Factor.of(table[np.ix_(chosen, kept)], chosen)
            if factor is None:
                return None
            # These rows span the columns that are kept, so that no others are needed.
            chosen = factor.rows
            dependent, nearly = ~(factor.pivots > least[kept]), ~(factor.pivots > near[kept])
            if strict:
                dependent |= nearly
            if not dependent.any():
                return cls(violations, columns, places, table, kept, factor, bool(nearly.any()))
            kept[np.flatnonzero(kept)[dependent]] = False

    def on_all_rows(self) -> "Elimination | None":
        """Eliminate again, with rows in which columns that depended on others do not.

        Two columns that differ in few rows, as indicators often do, may be equal in the rows to
        choose from.
        """
        found: Elimination | None = self
        for _ in range(ROUNDS):
            if found is None or found.kept.all():
                break
            more = _unexplained(found)
            if not more.size:
                break
            found = found._with_rows(more)
        return found

    def _with_rows(self, more: Ids) -> "Elimination | None":
        """Eliminate again with more rows, and keep the columns that these show to be needed."""
        table = self.violations.scaled_table(more, self.columns)
        left = table[:, ~self.kept] - table[:, self.kept] @ self.weights()
        kept = self.kept.copy()
        kept[np.flatnonzero(~kept)[_independent(left)]] = True
        places = np.concatenate([self.places[self.factor.rows], more])
        table = np.vstack([self.table[self.factor.rows], table])
        return Elimination._of_rows(self.violations, self.columns, places, table, kept)

    @property
    def is_graded(self) -> bool:
        """Whether columns depend on others to every degree, so that remainders do, too."""
        if np.count_nonzero(~self.kept) <= FEW_REMAINDERS:
            return False
        _, table = _candidates(self.violations, self.columns)
        with one_blas_thread():
            (factor,) = linalg.qr(table, mode="r", pivoting=True, check_finite=False)[:1]
        pivots = np.abs(np.diagonal(factor))
        seen = pivots[: 1 + np.count_nonzero(pivots > FAINT * pivots[0])]
        return bool((seen[1:] > STEEP * seen[:-1]).all())

    @property
    def rows(self) -> Ids:
        """The examples that the factor takes, as many as there are columns kept."""
        rows: Ids = self.violations.rows[self.places[self.factor.rows]]
        return rows

    def weights(self) -> Vector:
        """Return the weights of the columns kept in those that depend on them, for scaled ones."""
        return self.factor.solve(self.table[np.ix_(self.factor.rows, ~self.kept)])

    def change(self) -> Vector:
        """Return how the slacks change on the rows taken, as shares of powers of two."""
        violations, columns = self.violations, self.columns[self.kept]
        scale = np.ldexp(1.0, -violations.exponents[columns])
        return self.factor.solve(violations.total[columns] * scale, transposed=True)

    def inverse(self) -> Vector:
        """Return the inverse with its columns in the order of the certificate; ends the factor."""
        return self.factor.inverse()[np.argsort(self.columns[self.kept])].T


def _in_order(violations: Violations, solved: Ids | None) -> Ids:
    """The columns, such that one that depends on others comes after them.

    The intercept comes first: what depends on it is then a column that is left out, not the
    intercept. Remainders come last.
    """
    columns: Ids = np.roll(violations.columns, int(violations.affine))
    if solved is not None:
        columns = columns[~np.isin(columns, solved)]
    late = np.isin(columns, violations.replaced.columns)
    return np.concatenate([columns[~late], columns[late]])


def _reach(table: Vector, affine: bool) -> Vector:
    """The largest value in each column, after the first one is subtracted: that of the intercept.

    A mean that is large beside the differences of examples is no relation between columns.
    """
    if affine:
        first = table[:, 0]
        share = first @ table / (first @ first)
        # Of the first column itself all would be subtracted.
        share[0] = 0.0
        table = table - np.outer(first, share)
    reach: Vector = np.abs(table).max(axis=0)
    return reach


def _independent(table: Vector) -> Ids:
    """Columns of a small table that span the others, by a factorisation with pivoting."""
    sizes = np.abs(table).max(axis=1)
    # A row in which nothing is left tells nothing.
    table = table[sizes > 0.0] / sizes[sizes > 0.0, None]
    factor, order = linalg.qr(table, mode="r", pivoting=True, check_finite=False)
    pivots = np.abs(np.diagonal(factor))
    rank = int((pivots > DIFFERENT * pivots.max(initial=0.0)).sum())
    independent: Ids = order[:rank]
    return independent


def _unexplained(found: Elimination) -> Ids:
    """Places of rows in which columns are not what those that are kept make them elsewhere."""
    violations, columns = found.violations, found.columns
    n_features = violations.X.shape[1]
    scale = violations.exponents[columns]
    weights = np.zeros((n_features + 1, int((~found.kept).sum())))
    with np.errstate(all="ignore"):
        for part, values in ((found.kept, -found.weights()), (~found.kept, np.eye(len(weights.T)))):
            weights[columns[part]] = np.ldexp(values, scale[~found.kept] - scale[part, None])
        left, most = _left_over(violations.X, violations.rows, weights)
        left *= violations.weights[:, None]
        doubtful = np.abs(left) > SINGULAR * most * violations.weights[:, None]
    if not np.isfinite(weights).all():
        return np.empty(0, dtype=np.int64)
    left = np.where(doubtful, -np.abs(left), 0.0)
    size = min(COVER, len(left))
    first = np.argpartition(left, size - 1, axis=0)[:size]
    return np.unique(first[np.take_along_axis(left, first, axis=0) < 0.0])


def _left_over(X: Any, rows: Ids, weights: Vector) -> tuple[Vector, Vector]:
    """Combinations of the columns, the last of ones, in some rows; and how large the terms are."""
    step = rows.size if sparse.issparse(X) else max(1, STRIPE // X.shape[1])
    found, sizes = [], np.zeros(X.shape[1])
    for first in range(0, rows.size, step):
        part = X[rows[first : first + step]].astype(np.float64)
        found.append(part @ weights[:-1] + weights[-1])
        part = abs(part).max(axis=0)
        sizes = np.maximum(sizes, part.toarray().ravel() if sparse.issparse(part) else part)
    return np.vstack(found), np.append(sizes, 1.0) @ np.abs(weights)


def _candidates(violations: Violations, columns: Ids) -> tuple[Ids, Vector]:
    """Places of the rows with the largest slacks, and these rows, scaled.

    Equal rows have equal slacks and are of no use beside each other, so that different slacks are
    counted. For columns that are not zero in few of the rows there are more.
    """
    order = _few_of_each(violations.weights, np.argsort(-violations.weights, kind="stable"))
    values = np.r_[1, 1 + np.cumsum(np.diff(violations.weights[order]) != 0.0)]
    enough = int(np.searchsorted(values, CANDIDATES * columns.size, side="right"))
    places = order[:enough]
    table = violations.scaled_table(places, columns)
    rare = columns[np.count_nonzero(table, axis=0) < COVER]
    chosen = _having(violations, order, rare[rare < violations.X.shape[1]])
    more = order[chosen[chosen >= enough]]
    if not more.size:
        return places, table
    return np.r_[places, more], np.vstack([table, violations.scaled_table(more, columns)])


def _having(violations: Violations, order: Ids, rare: Ids) -> Ids:
    """Where in the order the first rows come in which each of these columns is not zero."""
    replaced, found = violations.replaced, [np.empty(0, dtype=np.int64)]
    new = np.isin(rare, replaced.columns)
    for k in np.flatnonzero(np.isin(replaced.columns, rare)):
        values = replaced.values[violations.rows[order], k]
        found.append(np.flatnonzero(values)[:COVER])
    if not new.all():
        having = rows_with(violations.X, violations.rows[order], rare[~new])
        first = having.indptr[:-1, None] + np.arange(COVER)
        found.append(having.indices[first[first < having.indptr[1:, None]]])
    return np.unique(np.concatenate(found))


def _few_of_each(weights: Vector, order: Ids) -> Ids:
    """Leave ``COVER`` places of each weight in an order by weight."""
    values = weights[order]
    far = values[COVER:] != values[:-COVER]
    return order[np.r_[np.full(min(COVER, order.size), True), far]]


@dataclass(frozen=True)
class Factor:
    """Elimination of a table: which rows it takes, and how large the pivots are."""

    factor: Vector
    rows: Ids
    pivots: Vector

    @classmethod
    def of(cls, table: Vector, names: Ids) -> "Factor | None":
        """Factor a table whose rows have these names; ``None`` with fewer rows than columns."""
        n_rows, n_columns = table.shape
        if n_rows < n_columns or not n_columns:
            return None
        factor, swaps, _ = lapack.dgetrf(np.asfortranarray(table), overwrite_a=True)
        rows = names.copy()
        for place, other in enumerate(swaps):
            rows[[place, other]] = rows[[other, place]]
        pivots = np.abs(np.diagonal(factor)).copy()
        return cls(np.asfortranarray(factor[:n_columns]), rows[:n_columns], pivots)

    def solve(self, right: Vector, *, transposed: bool = False) -> Vector:
        """Solve for the rows taken, in their order."""
        for lower in (False, True) if transposed else (True, False):
            right = linalg.solve_triangular(
                self.factor,
                right,
                lower=lower,
                unit_diagonal=lower,
                trans=int(transposed),
                check_finite=False,
            )
        return right

    def inverse(self) -> Vector:
        """The inverse of the matrix of the rows taken; it takes the place of the factor."""
        return inverse_from_factor(self.factor, np.arange(len(self.rows)))
