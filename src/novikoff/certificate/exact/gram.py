r"""Slacks that combine to zero, by a lower bound on the eigenvalues of a Gram matrix.

This is a second lemma for what :mod:`novikoff.certificate.exact.vanishing` proves, with its
notation: weights ``λ_i > 0`` on rows ``P`` combine the signed examples to a small ``r``, and every
column outside ``J`` depends, on ``P``, on those in ``J``. Here ``S`` has more rows than ``J`` has
columns; the change is spread over all of them, and nothing is inverted.

**Lemma.** Let ``0 < ω_i <= λ_i`` on ``S``, let ``D`` be a diagonal matrix of powers of two,
``u_i = D z_i`` restricted to ``J``, and ``q = D r``. If every eigenvalue of
``G = Σ_S ω_i² u_i u_iᵀ`` is at least ``c > 0`` and ``‖q‖² < c``, with the Euclidean norm, then
positive weights on ``P`` combine the signed examples to zero.

*Proof.* Let ``δ_i = -ω_i² u_iᵀ G⁻¹ q`` on ``S``. Then ``D Σ_S δ_i z_i = -G G⁻¹ q = -D r`` in the
columns ``J``, so the weights ``λ + δ`` combine them to zero, and with them all columns. Since
``ω_i² u_i u_iᵀ <= G``, in the order of symmetric matrices, ``ω_i² u_iᵀ G⁻¹ u_i <= 1``. By the
inequality of Cauchy and Schwarz for ``G⁻¹``,

    |δ_i| = ω_i |(ω_i u_i)ᵀ G⁻¹ q| <= ω_i (qᵀ G⁻¹ q)^½ <= λ_i ‖q‖/√c < λ_i. ∎

The signs of the examples cancel in ``G``. Each ``ω_i`` is a power of two, so that the ``ω_i u_i``
are exact, and entry ``(k, l)`` of ``G`` is a sum of ``min(n_k, n_l)`` products at most, where
``n_k`` counts the rows that are not zero in column ``k``. The moduli of these products sum to at
most ``(G_kk G_ll)^½``. So by the lemma of :mod:`novikoff.certificate.exact.filter` entry ``(k, l)``
is known to within ``v_k v_l``, where ``v_k²`` is the bound for ``n_k`` products whose moduli sum to
``G_kk``: with ``f(n, m) = a n m + b n``, ``f(min(n, n'), (m m')^½)² <= f(n, m) f(n', m')``. A
matrix whose entries are bounded by ``v_k v_l`` has a norm of at most ``‖v‖²``.

For the eigenvalues, let ``T`` be any upper triangle, here the factor of Cholesky's method for
``G - cI``. Since ``TᵀT`` has no negative eigenvalue, those of ``G = cI + TᵀT + F`` are at least
``c - ‖F‖``, and the norm of ``F`` is at most that of its entries. In the product, entry ``(k, l)``
sums ``min(k, l) + 1`` terms, and its rounding is bounded in the same way. Nothing is assumed of how
``T`` was computed.
"""

import math
from typing import Any

import numpy as np
import scipy

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.filter import radius
from novikoff.certificate.exact.sums import read_only
from novikoff.certificate.exact.violations import Violations
from novikoff.certificate.examples.blocks import Floats, Indices

NOT_DEFINITE = "the weighted examples of the support are not proved to span all features"

_SAFE = 1.0 + 2.0**-30
"""More than the roundings in a sum of so many numbers that are not negative, or in a few steps."""

_TINY = 2.0**-1000
"""More than what can underflow in a sum of squares."""

_SPARE = 16.0
"""The bound on the eigenvalues that is tried, in units of what the proof needs: the change is then
half of the slacks at most, and near zero where ``r`` is."""

_STRIPE = 1 << 21
"""Values of a table, or of a product of matrices, that are held at a time."""

_DENSE = 20.0
"""A product of two values costs so many times more in a sparse matrix than in a dense one: 0.2 to
0.8 ns, and 0.02."""


def change_by_gram(
    violations: Violations, places: Indices, columns: Indices, gram: "Gram | None" = None
) -> float:
    """Bound on ``|δ_i|/λ_i``, for the rows at these places and the columns ``J``.

    ``gram`` is their Gram matrix, where it is known.

    Raises
    ------
    CertificateError
        If the eigenvalues of the Gram matrix are not proved to be large enough.
    """
    gram = Gram.of(violations, places, columns) if gram is None else gram
    total, error = violations.total[columns], violations.error[columns]
    with np.errstate(all="ignore"):
        sizes = np.ldexp((np.abs(total) + error) * _SAFE, -gram.exponents) + _TINY
        squared = float(sizes @ sizes) * _SAFE
        rounded = float(gram.error.sum()) * _SAFE
        needed = rounded + squared + _rounding(np.diagonal(gram.values))
        least = least_eigenvalue(gram.values, _SPARE * needed) - rounded
        # The rows are those of twice the ω.
        change = 2.0 * math.sqrt(squared / least) * _SAFE if least > 0.0 else np.inf
    if not change < np.inf:
        raise CertificateError(NOT_DEFINITE)
    return change


class Gram:
    """The Gram matrix of columns, whose rows have weights: its values, and their errors.

    Parameters
    ----------
    values : array
        ``Σ_S (2 ω_i)² u_i u_iᵀ``, with a diagonal between 1/4 and 1.
    error : array
        The ``v_k²``.
    exponents : array of int
        Each column is divided by two to the power of that.
    """

    def __init__(self, values: Floats, error: Floats, exponents: Indices) -> None:
        self.values = values
        self.error = error
        self.exponents = exponents

    @classmethod
    def of(cls, violations: Violations, places: Indices, columns: Indices) -> "Gram":
        """Compute it from rows at these places.

        Raises
        ------
        CertificateError
            If a row or a sum cannot be scaled by powers of two without rounding.
        """
        with np.errstate(all="ignore"):
            values, counts = _products(violations, places, columns)
            diagonal = np.diagonal(values).copy()
            # The entries of the diagonal are rounded themselves, by far less than half.
            error = radius(2.0 * diagonal, counts)
            exponents = np.frexp(np.sqrt(diagonal))[1]
            scale = np.ldexp(1.0, -exponents)
            values *= scale
            values *= scale[:, None]
            error *= scale**2
        # Powers of two so far from 1 that products with them could be rounded are not used.
        if not (np.isfinite(values).all() and (np.abs(exponents) < 200).all() and diagonal.all()):
            raise CertificateError(NOT_DEFINITE)
        return cls(values, error, violations.exponents[columns] + exponents)

    def part(self, kept: Indices) -> "Gram":
        """Return the matrix of some of the columns."""
        return Gram(self.values[np.ix_(kept, kept)], self.error[kept], self.exponents[kept])


def _products(violations: Violations, places: Indices, columns: Indices) -> tuple[Floats, Indices]:
    """The products of scaled columns, and the most terms that those of each column sum."""
    if violations.is_sparse:
        rows = violations.scaled_rows(places, columns)
        lengths = np.diff(rows.indptr).astype(np.float64)
        if _DENSE * float(lengths @ lengths) < places.size * float(columns.size) ** 2:
            return _sparse_products(rows), np.bincount(rows.indices, minlength=columns.size)
    product = np.zeros((columns.size, columns.size))
    step = max(1, _STRIPE // columns.size)
    for first in range(0, places.size, step):
        table = violations.scaled_table(places[first : first + step], columns)
        product += table.T @ table
    return product, np.full(columns.size, places.size)


def _sparse_products(rows: Any) -> Floats:
    """The products of the columns of a CSR matrix."""
    # Imported here: few checks need it.
    from novikoff.certificate.exact.compiled_gram import lower_gram

    rows.sort_indices()
    half = np.zeros((rows.shape[1],) * 2)
    lower_gram(*map(read_only, (rows.data, rows.indices, rows.indptr)), half)
    product: Floats = half + np.tril(half, -1).T
    return product


def least_eigenvalue(matrix: Floats, aim: float) -> float:
    """A lower bound on the eigenvalues of a symmetric matrix, a little below the one aimed at.

    Where entries that should be equal are not, either is in use, or their mean.

    Raises
    ------
    CertificateError
        If there is an eigenvalue below it, as far as Cholesky's method tells.

    Examples
    --------
    >>> least_eigenvalue(np.array([[2.0, 1.0], [1.0, 2.0]]), 0.5) > 0.4999
    True
    """
    size = len(matrix)
    shifted = matrix.copy()
    shifted[np.diag_indices(size)] -= aim
    # Rows in C order are columns as LAPACK reads them.
    factor, info = scipy.linalg.lapack.dpotrf(shifted.T, lower=False, clean=True, overwrite_a=True)
    if info:
        raise CertificateError(NOT_DEFINITE)
    norms, left = np.empty(size), 0.0
    step = max(1, _STRIPE // size)
    for first in range(0, size, step):
        last = min(first + step, size)
        above = factor[:last, first:last]
        norms[first:last] = np.einsum("ij,ij->j", above, above)
        part = matrix[first:last, first:] - above.T @ factor[:last, first:]
        part[np.arange(last - first), np.arange(last - first)] -= aim
        # Entries off the diagonal count twice, and are there twice in the square of the stripe.
        left += float(np.einsum("ij,ij->", part, part))
        beyond = part[:, last - first :]
        left += float(np.einsum("ij,ij->", beyond, beyond))
    rounded = _rounding(norms)
    # What is left on the diagonal is rounded in units of the aim.
    off = (math.sqrt(left + _TINY) + rounded + 2.0**-50 * aim) * _SAFE
    return aim - off


def _rounding(norms: Floats) -> float:
    """Bound on the rounding of ``TᵀT``, whose columns have these squared norms."""
    return float(radius(norms * _SAFE, np.arange(1, len(norms) + 1)).sum()) * _SAFE
