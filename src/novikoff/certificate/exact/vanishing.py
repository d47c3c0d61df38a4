r"""A combination of signed examples that is exactly zero, known to be close to given weights.

Let ``z_i = y_i (x_i, 1)`` be the signed examples, without the 1 where hyperplanes pass through the
origin, ``λ_i > 0`` floats on a set ``P`` of rows, and ``r = Σ_P λ_i z_i``. Where nothing separates
the examples, the least ``Σ max(0, 1 - z_i·w)²`` is attained, and there ``r = 0`` for the slacks
``λ_i = max(0, 1 - z_i·w)``; near there ``r`` is small. Then weights close to ``λ`` make it zero.

**Lemma.** Let ``J`` be columns such that every other column is, on all rows of ``P``, a rational
combination of those in ``J``. Let ``S`` be as many rows of ``P`` as ``J`` has columns, and ``M``
the matrix whose columns are the ``z_i`` of ``S``, restricted to ``J``. Let ``A = D M E`` with
diagonal matrices ``D``, ``E`` of powers of two, ``R`` any matrix, and ``α_i`` at least the sum of
the moduli in row ``i`` of ``I - R A``, with ``α = max α_i < 1``. Put ``q = R D r``, with ``r``
restricted to ``J``. If for every ``i`` of ``S``

    |q_i| + ‖q‖ α_i/(1 - α) < λ_i/E_ii,                                        (1)

with the maximum norm, then positive weights on ``P`` combine the signed examples to zero, and by
Gordan's theorem no hyperplane separates them.

*Proof.* ``G = I - R A`` has the norm ``α < 1``, so ``R A`` is regular, and ``A`` and ``M`` are.
Let ``δ = -M⁻¹ r``, and ``δ = E d``. Then ``A d = -D r``, so ``R A d = -q`` and
``d = -(I - G)⁻¹ q = -q - G (I - G)⁻¹ q``. The norm of ``(I - G)⁻¹ q`` is at most
``‖q‖/(1 - α)``, hence ``|d_i|`` is at most the left side of (1), and ``|δ_i| < λ_i``. So the
weights ``μ = λ + δ`` on ``S`` and ``μ = λ`` on the rest of ``P`` are positive, and
``Σ_P μ_i z_i = r + M δ = 0`` in the columns ``J``. In any other column ``k`` the entries on ``P``
are ``z_ik = Σ_J c_j z_ij``, so the sum over ``P`` of ``μ_i z_ik`` is the combination of the zeros
in ``J`` by the same ``c_j``: zero too. ∎

Here ``E`` brings every ``λ_i/E_ii`` between 1/2 and 1, and ``D`` the sums of different features to
one size. ``R`` is an inverse in floating point; the rounding of ``R A`` and of ``q`` is bounded by
the lemma of :mod:`novikoff.certificate.exact.filter`, and ``r`` is known up to an error that is
added to ``|q|``. Where columns nearly depend on others, ``|R|`` times the rounding error of a sum
is large while ``q`` is small; then ``r`` is computed in exact arithmetic and rounded once. That
columns depend on each other is verified in exact arithmetic alone: a third column that is the sum
of two others *rounded* is independent of them.

Such a column is replaced by its remainder, which leaves the span of all columns as it is
(:mod:`novikoff.certificate.exact.columns`), and with it the combinations that vanish. The
remainders are known up to a relative error ``ε`` of each value. So the matrix in use is some ``Â``
with ``|A - Â| <= ε |Â|`` in every entry, and row ``i`` of ``I - R A`` has moduli that sum to at
most those of ``I - R Â`` and ``ε`` times row ``i`` of ``|R| |Â|``; the error of ``r`` includes that
of its terms.
"""

from collections.abc import Sequence

import numpy as np
import scipy

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.columns import (
    REPLACED_ERROR,
    Relation,
    check_relations,
    check_solved,
)
from novikoff.certificate.exact.dyadic import Dyadic, nearest_float, rational
from novikoff.certificate.exact.filter import UNDERFLOW, radius
from novikoff.certificate.exact.gram import Gram, change_by_gram
from novikoff.certificate.exact.hull import exact_sum
from novikoff.certificate.exact.violations import Violations
from novikoff.certificate.examples.blocks import Floats, Indices

MOST_COLUMNS = 10_000
"""Up to here a dense inverse is affordable."""

_SAFE = 1.0 + 2.0**-30
"""More than the roundings in a sum of so many numbers that are not negative."""

_ROUNDED = 2.0**-52
"""Twice the relative error of a number that is rounded once."""

_STRIPE = 1 << 21
"""Values of a product of matrices that are held at a time."""

NOT_POSITIVE = "the slacks of the hyperplane are not proved to be close to weights that sum to zero"


def largest_change(
    violations: Violations,
    support: Indices,
    relations: Sequence[Relation] = (),
    inverse: Floats | None = None,
    gram: Gram | None = None,
) -> float:
    """Bound on ``|δ_i|/λ_i``: below 1, the violations are close to weights that sum to zero.

    Parameters
    ----------
    violations : Violations
        The weights ``λ`` on the rows ``P``.
    support : array of int
        The rows ``S``; where there are more than columns in ``J``, the lemma of
        :mod:`novikoff.certificate.exact.gram` applies.
    relations : sequence of Relation
        Between the columns, on ``P``; each excludes its first column from ``J``.
    inverse : array, optional
        The matrix ``R``, if there is one already; any will do that satisfies the lemma.
    gram : Gram, optional
        Of the rows ``S`` and the columns ``J``, where these are more rows and it is known.

    Raises
    ------
    CertificateError
        If the support and the columns make no square matrix that is proved to be regular, or
        a relation does not hold exactly.
    """
    columns = kept_columns(violations, relations)
    if not columns.size or support.size < columns.size:
        raise CertificateError(
            f"the slacks need a support of {columns.size} examples, one for each independent "
            f"feature, or more, not {support.size}"
        )
    if columns.size > MOST_COLUMNS:
        raise CertificateError(
            f"a proof by slacks is limited to {MOST_COLUMNS} features, not {columns.size}"
        )
    places = violations.places_of(support)
    if support.size > columns.size:
        if violations.replaced.remainders:
            raise CertificateError("replaced features need one example each, and no more")
        if np.unique(places).size < places.size:
            raise CertificateError("an example of the support is there twice")
        return change_by_gram(violations, places, columns, gram)
    matrix = violations.scaled_table(places, columns).T
    share, remainders = np.frexp(violations.weights[places])[0], violations.replaced.remainders
    with np.errstate(all="ignore"):
        if inverse is None:
            inverse = inverse_of(matrix)
        alpha = _defects(matrix, inverse, REPLACED_ERROR if remainders else 0.0)
        total, error = _scaled_sum(violations, columns)
        largest = _largest(inverse, alpha, total, error, share)
        if not largest < 1.0 and not remainders and (np.abs(inverse @ total) < share).all():
            total, error = _exact_sum(violations, columns)
            largest = _largest(inverse, alpha, total, error, share)
    return largest


def kept_columns(violations: Violations, relations: Sequence[Relation]) -> Indices:
    """The columns ``J``: those that occur, without those that exact relations make superfluous."""
    X, replaced = violations.X, violations.replaced
    check_solved(relations, replaced.remainders, X.shape[1], violations.affine)
    check_relations(X, violations.rows, relations)
    return np.setdiff1d(violations.columns, [int(each.columns[0]) for each in relations])


def inverse_of(matrix: Floats) -> Floats:
    """The inverse in floating point."""
    return inverse_from_factor(*scipy.linalg.lapack.dgetrf(matrix)[:2])


def inverse_from_factor(factor: Floats, pivots: Indices) -> Floats:
    """The inverse of a matrix from its factorisation by LAPACK's ``getrf``.

    Raises
    ------
    CertificateError
        If it is singular.
    """
    work = int(scipy.linalg.lapack.dgetri_lwork(len(factor))[0])
    inverse, info = scipy.linalg.lapack.dgetri(factor, pivots, lwork=work, overwrite_lu=True)
    if info:
        raise CertificateError(NOT_POSITIVE)
    return np.asarray(inverse, dtype=np.float64)


def _scaled_sum(violations: Violations, columns: Indices) -> tuple[Floats, Floats]:
    """``D r`` in the columns, and a bound on its error."""
    exponents = -violations.exponents[columns]
    total = np.ldexp(violations.total[columns], exponents)
    # The error is near 2**-30, which leaves room for what underflows in the total.
    return total, np.ldexp(violations.error[columns], exponents) * _SAFE


def _exact_sum(violations: Violations, columns: Indices) -> tuple[Floats, Floats]:
    """``D r`` in the columns, computed exactly and rounded once, and a bound on that error."""
    signs = violations.signs[violations.rows]
    weights = Dyadic.of(violations.weights)
    integers = weights.integers.astype(object) * signs.astype(object)
    sums, exponent = exact_sum(violations.X, violations.rows, integers)
    # The intercept is a column of ones, the last.
    sizes = [rational(each, exponent) for each in sums] + [rational(sum(integers))]
    scales = (weights.exponent - violations.exponents[columns]).tolist()
    pairs = zip((sizes[k] for k in columns), scales, strict=True)
    total = np.array([nearest_float(each * rational(1, scale)) for each, scale in pairs])
    return total, np.abs(total) * _ROUNDED + UNDERFLOW


def _defects(matrix: Floats, inverse: Floats, of_entries: float) -> Floats:
    """``α`` for a matrix whose entries have these relative errors."""
    size = len(matrix)
    sums, defect, moduli = np.abs(matrix).sum(axis=1), np.empty(size), np.empty(size)
    step = max(1, _STRIPE // size)
    for first in range(0, size, step):
        rows = slice(first, min(first + step, size))
        product = inverse[rows] @ matrix
        product[np.arange(len(product)), np.arange(rows.start, rows.stop)] -= 1.0
        defect[rows] = np.abs(product, out=product).sum(axis=1)
        # Of the moduli of the terms of each row of the product.
        moduli[rows] = np.abs(inverse[rows]) @ sums
    # The rounding of a row of the product, as the sum of those of its entries.
    alpha = (defect + size * radius(moduli / size, size) + of_entries * moduli) * _SAFE
    if not float(alpha.max()) < 0.5:
        raise CertificateError(NOT_POSITIVE)
    return alpha


def _largest(inverse: Floats, alpha: Floats, total: Floats, error: Floats, share: Floats) -> float:
    """The largest left side of (1) over its right side, for a total with this error."""
    size, estimate = len(alpha), inverse @ total
    moduli, reach = np.empty((size, 2)), np.abs(estimate)
    vectors = np.column_stack([np.abs(total), error])
    step = max(1, _STRIPE // size)
    for first in range(0, size, step):
        rows = slice(first, min(first + step, size))
        moduli[rows] = np.abs(inverse[rows]) @ vectors
    reach += radius(moduli[:, 0], size)
    reach = (reach + moduli[:, 1] + 4.0 * (size + 8) * UNDERFLOW) * _SAFE
    worst = float(alpha.max())
    change = (reach + (float(reach.max()) * _SAFE / (1.0 - worst)) * alpha) * _SAFE
    return float((change / share).max()) * _SAFE
