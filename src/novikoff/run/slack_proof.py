"""Proofs of non-separability from the slacks of a soft margin.

At the optimum of a squared hinge without penalty the slacks combine the signed examples to zero; at
that of a soft margin with a large ``C``, nearly. Here the examples are chosen on which the slacks
are to be changed so that they do exactly: the rows that elimination with partial pivoting takes
from those with the largest slacks. What is found is checked by the certificate, and
:mod:`novikoff.certificate.exact.vanishing` has the mathematics.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.linalg import lapack

from novikoff.certificate import CertificateError, Certifier, Refutation, Slacks
from novikoff.certificate.exact.vanishing import MOST_COLUMNS, Relation, inverse_from_factor
from novikoff.certificate.exact.violations import Violations, slacks_of
from novikoff.run.one_signed import one_signed, rows_with

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]

CANDIDATES = 1.25
"""Rows to choose from, for each column: 1.2 and 4 give the same change of the slacks, to within a
third, on dense 5,000 x 200 and on sparse 8,000 x 1,500; each row more costs elimination time."""

MORE_CANDIDATES = 16.0
"""The same, for a second attempt: columns that differ in few rows may be equal in the first ones,
as two columns of indicators often are."""

COVER = 8
"""Rows to choose from in which a column is not zero, if there are as many."""

SINGULAR = 2.0**-30
"""A pivot that small, beside the largest value of its column, is taken for a rounding error."""

MOST_CHANGE = 0.99
"""The largest change of a slack, as a share of it: below 1, so that on another machine, where
sums are rounded in another order, the proof is still one."""

ELIMINATION = 2e-10
"""The seconds that a proof takes for d columns, in units of d^3: 3,000 columns take 3 to 6."""

LARGEST_DENOMINATOR = 64
"""Of the coefficients of a relation between columns."""


def refute_by_slacks(
    certifier: Certifier, coef: Vector, intercept: float = 0.0, *, seconds: float = math.inf
) -> Refutation | None:
    """Prove that nothing separates the examples, from a soft margin.

    Parameters
    ----------
    certifier : Certifier
        Of the problem.
    coef, intercept
        A hyperplane near the least ``Σ s_i max(0, 1 - y_i (coef·x_i + intercept))²``, where
        ``s_i`` are the costs of the examples: a soft margin with a large ``C``. The smaller the
        penalty, the smaller the change of the slacks that is needed.
    seconds : float
        How long elimination, which cannot be interrupted, may take.

    Returns
    -------
    Refutation or None
        ``None`` where there is no proof: the examples are separable, ``C`` is too small, fewer
        examples violate the margin than there are features, columns depend on each other up to
        rounding or by long fractions, or there is no time.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.certificate import Certifier
    >>> from novikoff.run.slack_proof import refute_by_slacks
    >>> corners, labels = np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), [0, 0, 1, 1]
    >>> certifier = Certifier.of(corners, labels, positive=1, affine=True)
    >>> print(certifier.refuted(refute_by_slacks(certifier, np.zeros(2), 0.0)).headline())
    not separable, the slacks of a hyperplane prove it
    """
    examples, affine = certifier.examples, certifier.problem.affine
    try:
        slacks = slacks_of(examples.X, examples.signs, examples.costs, coef, intercept)
        threshold = _threshold(slacks)
        rows = np.flatnonzero(slacks > threshold)
        without = one_signed(examples.X, examples.signs, rows)
        proof = Slacks(coef=coef, intercept=intercept, threshold=threshold, without=without)
        violations = proof.violations(examples, affine=affine, slacks=slacks)
        if seconds < ELIMINATION * float(violations.columns.size) ** 3:
            return None
        for candidates in (CANDIDATES, MORE_CANDIDATES):
            chosen = _choose(violations, candidates)
            if chosen is None:
                return None
            found = certifier.refute_by_slacks(
                replace(proof, relations=chosen.relations),
                chosen.support,
                violations=violations,
                inverse=chosen.inverse,
                most=MOST_CHANGE,
            )
            if found is not None or not chosen.relations:
                return found
    except CertificateError:
        # A slack, a sum or a product with a power of two overflows.
        return None
    return None


def _threshold(slacks: Vector) -> float:
    """The middle of the widest gap between small slacks: few rows depend on rounding there."""
    largest = float(slacks.max(initial=0.0))
    if largest <= 0.0:
        return 0.0
    low, high = 2.0**-40 * largest, 2.0**-20 * largest
    ends = np.r_[low, np.sort(slacks[(slacks > low) & (slacks < high)]), high]
    widest = int(np.argmax(ends[1:] / ends[:-1]))
    return math.sqrt(ends[widest]) * math.sqrt(ends[widest + 1])


@dataclass(frozen=True)
class _Chosen:
    """Rows on which the slacks are changed, the inverse of their matrix, relations of columns."""

    support: Ids
    inverse: Vector
    relations: tuple[Relation, ...]


def _choose(violations: Violations, candidates: float) -> _Chosen | None:
    """Choose the rows by elimination; ``None`` where the slacks would become negative."""
    # The intercept first: what depends on it is then a column that is left out, not the intercept.
    columns = np.roll(violations.columns, int(violations.affine))
    if not 0 < columns.size <= min(violations.rows.size, MOST_COLUMNS):
        return None
    places, table = _candidates(violations, columns, candidates)
    kept = np.full(columns.size, True)
    factor = None
    while factor is None:
        factor = _Factor.of(table[:, kept])
        if factor is None:
            return None
        if factor.dependent.any():
            kept[np.flatnonzero(kept)[factor.dependent]] = False
            factor = None
    scale = np.ldexp(1.0, -violations.exponents[columns])
    relations = []
    if not kept.all():
        for column in np.flatnonzero(~kept):
            weights = factor.solve(table[factor.rows, column])
            found = _relation(violations, columns, kept, int(column), weights)
            if found is None:
                return None
            relations.append(found)
    chosen = places[factor.rows]
    change = factor.solve(violations.total[columns[kept]] * scale[kept], transposed=True)
    if not (np.abs(change) < np.frexp(violations.weights[chosen])[0]).all():
        return None
    # The certificate has its columns in order.
    inverse = factor.inverse()[np.argsort(columns[kept])].T
    return _Chosen(violations.rows[chosen], inverse, tuple(relations))


def _candidates(violations: Violations, columns: Ids, candidates: float) -> tuple[Ids, Vector]:
    """Places of the rows with the largest slacks, and these rows, scaled.

    Equal rows have equal slacks and are of no use beside each other, so that different slacks are
    counted. For columns that are not zero in few of the rows there are more.
    """
    order = _few_of_each(violations.weights, np.argsort(-violations.weights, kind="stable"))
    values = np.r_[1, 1 + np.cumsum(np.diff(violations.weights[order]) != 0.0)]
    enough = int(np.searchsorted(values, candidates * columns.size, side="right"))
    places = order[:enough]
    table = violations.scaled_table(places, columns)
    rare = columns[np.count_nonzero(table, axis=0) < COVER]
    rare = rare[rare < violations.X.shape[1]]
    if not rare.size or order.size <= enough:
        return places, table
    # In order of decreasing slack, so that the first of each column are those to take.
    having = rows_with(violations.X, violations.rows[order], rare)
    first = having.indptr[:-1, None] + np.arange(COVER)
    chosen = np.unique(having.indices[first[first < having.indptr[1:, None]]])
    more = order[chosen[chosen >= enough]]
    return np.r_[places, more], np.vstack([table, violations.scaled_table(more, columns)])


def _few_of_each(weights: Vector, order: Ids) -> Ids:
    """Leave ``COVER`` places of each weight in an order by weight."""
    values = weights[order]
    far = values[COVER:] != values[:-COVER]
    return order[np.r_[np.full(min(COVER, order.size), True), far]]


@dataclass(frozen=True)
class _Factor:
    """Elimination of a table with partial pivoting: which rows it takes, which columns depend."""

    factor: Vector
    rows: Ids
    dependent: NDArray[np.bool_]

    @classmethod
    def of(cls, table: Vector) -> "_Factor | None":
        """``None`` where there are fewer rows than columns."""
        n_rows, n_columns = table.shape
        if n_rows < n_columns or not n_columns:
            return None
        sizes = np.abs(table).max(axis=0)
        factor, swaps, _ = lapack.dgetrf(np.asfortranarray(table), overwrite_a=True)
        rows = np.arange(n_rows)
        for place, other in enumerate(swaps):
            rows[[place, other]] = rows[[other, place]]
        pivots = np.abs(np.diagonal(factor))
        dependent = ~(pivots > SINGULAR * sizes)
        return cls(np.asfortranarray(factor[:n_columns]), rows[:n_columns], dependent)

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


def _relation(
    violations: Violations, columns: Ids, kept: NDArray[np.bool_], column: int, weights: Vector
) -> Relation | None:
    """Guess the exact relation of a column from its approximate weights on those kept."""
    used = np.flatnonzero(np.abs(weights) > SINGULAR * np.abs(weights).max())
    others = columns[kept][used]
    chosen = np.r_[columns[column], others]
    if others.size == 1:
        # One is a multiple of the other, which a single row tells exactly.
        table = violations.table(np.arange(min(1000, violations.rows.size)), chosen)
        row = int(np.argmax(np.abs(table[:, 1])))
        return Relation(chosen, np.array([table[row, 1], -table[row, 0]]))
    exponents = violations.exponents
    sizes = np.ldexp(weights[used], exponents[columns[column]] - exponents[others])
    if not np.isfinite(sizes).all():
        return None
    fractions = [Fraction(a).limit_denominator(LARGEST_DENOMINATOR) for a in sizes.tolist()]
    denominator = math.lcm(*(a.denominator for a in fractions))
    if denominator > 1 << 20:
        return None
    coefs = np.array([-denominator, *(int(a * denominator) for a in fractions)], dtype=np.float64)
    return Relation(chosen[coefs != 0.0], coefs[coefs != 0.0])
