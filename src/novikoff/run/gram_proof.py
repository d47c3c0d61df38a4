"""Proofs from slacks that are changed on all examples that have weight, by a Gram matrix.

Where the slacks of a hyperplane combine the signed examples to nearly zero, the least change that
makes the combination vanish is one of least squares:
:mod:`novikoff.certificate.exact.gram` has the mathematics. It takes a few factors of a Gram
matrix, each a sixth of the work of an inverse, where :mod:`novikoff.run.elimination` takes factors
of larger matrices and an inverse; but the condition of a Gram matrix is the square of that of the
examples, so that columns that others determine up to rounding are left to elimination.

Columns that depend on others exactly, such as the number of a letter and of the pairs that begin
with it, show in a factor of the Gram matrix with a small ridge. Its solution tells the coefficients
to a few digits: enough if they are short fractions. All relations are verified at once. Where a
relation does not hold exactly, as between columns of tf-idf that were rounded, the rarest of its
columns is named: without the examples that have it, there is nothing to relate.
"""

from dataclasses import dataclass

import numpy as np
from flint import fmpq
from numpy.typing import NDArray
from scipy import linalg
from scipy.sparse import issparse

from novikoff.certificate import Certifier, Refutation, Slacks
from novikoff.certificate.exact.columns import Relation, not_exact
from novikoff.certificate.exact.gram import Gram
from novikoff.certificate.exact.vanishing import MOST_COLUMNS
from novikoff.certificate.exact.violations import Violations
from novikoff.run.remainders import (
    DENOMINATORS,
    FEW_ROWS,
    Columns,
    in_floats,
    rational,
    short_weights,
)

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]

RIDGE = 1e-12
"""Added to the diagonal, which is about 1: more than what rounding leaves of a column that depends
on others, and less than what is left of others."""

DEPENDENT = (1e-11, 1e-4)
"""Squared pivots between which there is a gap: below are those of columns that depend on others.
They are up to 5e-9 on groups of letters, 3,460 x 1,730, and those of other columns from 2e-5 on."""

MOST_LEFT_OUT = 0.5
"""Where a larger share of the examples have a column of a relation, to leave out those that have
the rarest one leaves a relation of the others. Sparse rows that sum to 1, 5,000 x 250, were tried
in vain eight times. Not varied."""

NEGLIGIBLE = 1e-4
"""Terms that small beside the largest of a relation are taken for rounding errors."""


def refute_by_gram(
    certifier: Certifier, slacks: Slacks, violations: Violations, most: float
) -> tuple[Refutation | None, Ids]:
    """Prove that nothing separates the examples, with slacks that change by ``most`` of themselves.

    ``None`` where that is not proved. Returned with it are rare columns that others determine, but
    not exactly.

    Raises
    ------
    CertificateError
        If powers of two cannot scale the examples without rounding.
    """
    columns: Ids = np.roll(violations.columns, int(violations.affine))
    none = np.empty(0, dtype=np.int64)
    if not 0 < columns.size <= MOST_COLUMNS:
        return None, none
    places = np.arange(violations.rows.size)
    gram = Gram.of(violations, places, columns)
    found = _Dependent.of(gram, columns)
    if found is None or found.kept.sum() >= places.size:
        return None, none
    relations, unproved = found.relations(violations)
    if unproved:
        counts = _counts(violations)
        if max(counts[each].max() for each in unproved) > MOST_LEFT_OUT * places.size:
            return None, none
        return None, np.unique([each[np.argmin(counts[each])] for each in unproved])
    kept = np.flatnonzero(found.kept)
    kept = kept[np.argsort(columns[kept])]
    proof = certifier.refute_by_slacks(
        Columns(relations={int(each.columns[0]): each for each in relations}).put(slacks),
        violations.rows,
        violations=violations,
        gram=gram.part(kept),
        most=most,
    )
    return proof, none


@dataclass(frozen=True)
class _Dependent:
    """Which columns depend on those before them, and with what weights."""

    columns: Ids
    kept: NDArray[np.bool_]
    weights: Vector
    """Of those that are kept in each of the others, in units of the Gram matrix."""

    exponents: Ids

    @classmethod
    def of(cls, gram: Gram, columns: Ids) -> "_Dependent | None":
        """``None`` where there is no telling."""
        factor = _factor(gram.values, RIDGE)
        if factor is None:
            return None
        pivots = np.diagonal(factor) ** 2
        kept = pivots > _widest_gap(pivots)
        weights = np.empty((int(kept.sum()), 0))
        if not kept.all():
            factor = _factor(gram.values[np.ix_(kept, kept)], 0.0)
            if factor is None:
                return None
            right = gram.values[np.ix_(kept, ~kept)]
            weights = linalg.cho_solve((factor, False), right, check_finite=False)
        return cls(columns, kept, weights, gram.exponents)

    def relations(self, violations: Violations) -> tuple[list[Relation], list[Ids]]:
        """Return the relations that hold exactly, and the columns of each that does not."""
        own, others = self.columns[~self.kept], self.columns[self.kept]
        exponents = self.exponents[~self.kept] - self.exponents[self.kept, None]
        sizes = np.abs(self.weights)
        used = sizes > NEGLIGIBLE * sizes.max(axis=0, initial=0.0)
        weights = np.ldexp(self.weights, exponents)
        found, terms = [], dict[int, Ids]()
        for k, column in enumerate(own.tolist()):
            terms[column] = others[used[:, k]]
            short = short_weights(weights[used[:, k], k], DENOMINATORS[0])
            if short is None:
                continue
            exact = (rational(-a) for a in short)
            combination = dict(zip(terms[column].tolist(), exact, strict=True))
            relation = in_floats(column, {column: fmpq(1), **combination})
            if relation is not None:
                found.append(relation)
        for rows in (violations.rows[:FEW_ROWS], violations.rows):
            wrong = not_exact(violations.X, rows, found)
            found = [relation for relation in found if relation not in wrong]
        unproved = terms.keys() - {int(each.columns[0]) for each in found}
        return found, [np.append(terms[column], column) for column in sorted(unproved)]


def _counts(violations: Violations) -> Ids:
    """How many of the examples have each column, and the intercept."""
    counts = np.full(violations.X.shape[1] + 1, violations.rows.size)
    rows = violations.X[violations.rows]
    counts[:-1] = rows.count_nonzero(axis=0) if issparse(rows) else np.count_nonzero(rows, axis=0)
    return counts


def _widest_gap(pivots: Vector) -> float:
    """The middle of the widest gap between squared pivots that are small."""
    low, high = DEPENDENT
    ends = np.r_[low, np.sort(pivots[(pivots > low) & (pivots < high)]), high]
    widest = int(np.argmax(ends[1:] / ends[:-1]))
    return float(np.sqrt(ends[widest] * ends[widest + 1]))


def _factor(gram: Vector, ridge: float) -> Vector | None:
    """The Cholesky factor of a Gram matrix with a ridge, if it has one."""
    matrix = gram.copy()
    matrix[np.diag_indices(len(matrix))] += ridge
    factor, info = linalg.lapack.dpotrf(matrix.T, lower=False, clean=False, overwrite_a=True)
    return None if info else factor
