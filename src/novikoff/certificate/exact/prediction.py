"""Scores and training errors, decided exactly.

A linear model with one hyperplane predicts the class ``sign(w·x + b)``, where ``sign(0) = +1``; a
model with one hyperplane for each class predicts the class of the largest score ``w_c·x + b_c``,
rounded to the nearest float, and the first of them where several are largest. Rounding in the sums
changes neither here: what floating point cannot decide is decided in exact arithmetic.

Three stages, each for the rows that the one before has left undecided:

1. One matrix product, with one bound on the error of all scores of a class in a block of rows. By
   the lemma of :mod:`novikoff.certificate.exact.filter` it needs a bound on ``Σ_j |x_j w_j|``,
   and ``max_j |x_j| · Σ_j |w_j|`` is one (for sparse rows ``Σ_j |x_j| · max_j |w_j|``). As a sum of
   nonnegative numbers followed by a product it is computed to within ``1 - gamma_h``, which is what
   the lemma asks of it, apart from an underflow, for which the lemma has room.
2. The filter itself, with a bound for each row.
3. Exact arithmetic, rounded once.

**A row is decided** by scores ``v_c`` within ``e_c`` of the exact ``s_c`` if each ``|v_c| > e_c``,
which gives the signs, and if the largest, ``v_t``, has ``v_t - v_c > 2 (e_t + e_c)`` for every
other ``c``. *Proof.* Then ``s_t - s_c > e_t + e_c``. By the lemma ``e_c >= 8 u |s_c| + 2**-1017``,
where ``u = 2**-53``, and two numbers with the same nearest float are at most ``4 u`` times the
larger modulus plus ``2**-1074`` apart; the rule that only zero is rounded to zero adds no more
than ``2**-1074``. (The bound of one of the two is enough: if its modulus is less than half the
other, they are far apart.) Nor are both beyond the largest float, since ``s_c < v_t`` and
``s_t > v_c``, which are floats. So the first largest of the rounded scores is ``t``. ∎

The scores of ``w_c = 0`` are ``b_c`` itself, with ``e_c = 0``; two of those are compared as they
are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.certificate.exact.dyadic import nearest_float
from novikoff.certificate.exact.filter import radius, signed_values
from novikoff.certificate.exact.margins import NO_ROWS, exact_values, scaled
from novikoff.certificate.examples.blocks import (
    Floats,
    Indices,
    as_float64,
    blocks,
    take,
)
from novikoff.certificate.examples.labels import Signs

_BLOCK = 1 << 19
"""Values of dense rows in one matrix product: four megabytes, which a cache still holds for the
pass that bounds them. For 50,000 x 784 values and 2 to 10 classes this takes 1.2 times as long as
the plain product; a quarter or four times as many values in a block take 1.3 to 1.4 times."""

_SMALLEST = 5e-324

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Errors:
    """How many examples a model gets wrong, and the rows decided in exact arithmetic."""

    count: int
    exact_rows: Indices


def count_errors(
    X: Any,
    signs: Signs,
    coef: Floats,
    intercept: float,
    values: tuple[Floats, Floats] | None = None,
    taking_part: Mask | None = None,
) -> Errors:
    """The number of examples that ``sign(w·x + b)`` gets wrong, where ``sign(0) = +1``.

    Parameters
    ----------
    X, signs
        The examples, as checked by ``check_matrix``, and their signs.
    coef, intercept
        The hyperplane.
    values : pair of arrays, optional
        The hyperplane's :func:`~novikoff.certificate.exact.filter.signed_values`, if they are
        known.
    taking_part : array of bool, optional
        The examples that count; by default, all.

    Examples
    --------
    >>> X, signs = np.array([[2.0], [1.0], [1.0]]), np.array([1, -1, 1], dtype=np.int8)
    >>> count_errors(X, signs, np.array([1.0]), -1.0).count
    1
    """
    if values is None:
        coef, intercept, _ = scaled(coef, intercept) if coef.any() else (coef, intercept, 0)
        values = signed_values(X, signs, coef, intercept)
    low, high = values
    if low.min(initial=1.0) > 0.0:
        return Errors(0, NO_ROWS)
    if not coef.any():
        # Every score is the intercept; a row that is not finite stays unknown.
        known, score = np.isfinite(low) & np.isfinite(high), np.full(low.shape, intercept)
        right, wrong = known & _is_right(score, signs), known & ~_is_right(score, signs)
    else:
        right, wrong = low > 0.0, high < 0.0
    if taking_part is not None:
        right, wrong = right | ~taking_part, wrong & taking_part
    rows = np.flatnonzero(~(right | wrong))
    count = int(np.count_nonzero(wrong))
    if not rows.size:
        return Errors(count, rows)
    # Signed values: on the hyperplane, an example is right if its sign is +1.
    signed = (v for part in exact_values(X, signs, rows, coef, intercept) for v in part)
    count += sum(
        bool(v < 0 or (v == 0 and s < 0)) for v, s in zip(signed, signs[rows], strict=True)
    )
    return Errors(count, rows)


def joint_errors(
    X: Any,
    codes: Indices,
    coef: Floats,
    intercept: Floats,
    taking_part: Mask | None = None,
) -> Errors:
    """The number of examples for which a model of ``k`` hyperplanes does not predict the code.

    For ``k = 1`` the model predicts 1 if ``w·x + b >= 0``, and otherwise 0; for more, the first
    largest of the correctly rounded scores.

    Examples
    --------
    >>> joint_errors(np.eye(3), np.array([0, 1, 1]), np.eye(3), np.zeros(3)).count
    1
    """
    values, exact_rows = _decided_scores(X, coef, intercept)
    chosen = (values[:, 0] >= 0.0).astype(np.int64) if len(coef) == 1 else values.argmax(axis=1)
    wrong = chosen != codes
    if taking_part is not None:
        wrong &= taking_part
        exact_rows = exact_rows[taking_part[exact_rows]]
    return Errors(int(np.count_nonzero(wrong)), exact_rows)


def scores(X: Any, coef: Floats, intercept: Floats) -> Floats:
    """The scores ``X @ coef.T + intercept``, with signs and largest ones that are exact.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_examples, n_features)
        The examples, as checked by ``check_matrix``.
    coef, intercept
        Hyperplanes: arrays of shape (k, n_features) and (k,).

    Returns
    -------
    array of shape (n_examples, k)
        Each score has the sign of the exact one, and is zero only if that is. The first largest
        of each row is the first largest of the correctly rounded exact scores (where one that is
        not zero is not rounded to zero).

    Examples
    --------
    >>> X = np.array([[1.0, 1e-20, -1.0], [3.0, 0.0, -3.0]])
    >>> X @ np.ones(3), scores(X, np.ones((1, 3)), np.zeros(1)).ravel()
    (array([0., 0.]), array([1.e-20, 0.e+00]))
    """
    return _decided_scores(X, coef, intercept)[0]


def _decided_scores(X: Any, coef: Floats, intercept: Floats) -> tuple[Floats, Indices]:
    """The scores, and the rows that exact arithmetic decided."""
    found = np.empty((X.shape[0], len(coef)))
    fixed: Mask = np.logical_not(coef.any(axis=1))
    left = [NO_ROWS]
    with np.errstate(all="ignore"):
        for first, values, errors in score_blocks(X, coef, intercept):
            found[first : first + len(values)] = values
            left.append(first + undecided(values, errors, fixed))
        rows = np.concatenate(left)
        if len(coef) > 1 and rows.size:
            found[rows], errors = filtered_scores(X, rows, coef, intercept)
            rows = rows[undecided(found[rows], errors, fixed)]
    for column in range(len(coef)):
        found[rows, column] = rounded_scores(X, rows, coef[column], float(intercept[column]))
    return found, rows


def score_blocks(X: Any, coef: Floats, intercept: Floats) -> Iterator[tuple[int, Floats, Floats]]:
    """Scores in floating point from some row on, with bounds on their errors.

    A bound for each score, or one row of them where those of a column share one.
    """
    offset, columns = np.abs(intercept), np.ascontiguousarray(coef.T)
    n_rows, n_columns = X.shape
    totals = np.abs(columns).sum(axis=0)
    if not sparse.issparse(X) and X.dtype == np.float64 and X.flags.f_contiguous:
        # BLAS reads columns as well as rows.
        error = radius(_largest(X.T) * totals + offset, n_columns + 1)
        yield 0, X @ columns + intercept, error[None]
    elif len(coef) == 1:
        # One pass over the rows takes no longer with the bound of the filter than without.
        for block in blocks(X):
            products, magnitudes = block.products(columns[:, 0])
            error = radius(magnitudes[:, None] + offset, block.n_terms + 1)
            yield int(block.rows[0]), products[:, None] + intercept, error
    elif sparse.issparse(X):
        largest = np.abs(columns).max(axis=0, initial=0.0)
        for block in blocks(X):
            products, sizes = _sparse_products(block, columns)
            error = radius(sizes[:, None] * largest + offset, block.n_terms + 1)
            yield int(block.rows[0]), products + intercept, error
    else:
        step = max(1, _BLOCK // max(n_columns, 1))
        for first in range(0, n_rows, step):
            part = as_float64(X[first : first + step])
            error = radius(_largest(part) * totals + offset, n_columns + 1)
            yield first, part @ columns + intercept, error[None]


def _largest(values: Floats) -> float:
    """The largest modulus, or a NaN if there is one."""
    return float(np.maximum(values.max(initial=0.0), -values.min(initial=0.0)))


def _sparse_products(block: Any, columns: Floats) -> tuple[Floats, Floats]:
    """The products of the rows of a CSR block, and the rows' sums of moduli."""
    entries, shape = (block.data, block.indices, block.ends), (block.rows.size, len(columns))
    rows = sparse.csr_array(entries, shape=shape)
    return rows @ columns, abs(rows) @ np.ones(len(columns))


def filtered_scores(
    X: Any, rows: Indices, coef: Floats, intercept: Floats
) -> tuple[Floats, Floats]:
    """Scores of some rows in floating point, with a bound for each."""
    values, errors = np.empty((rows.size, len(coef))), np.empty((rows.size, len(coef)))
    seen = 0
    for block in take(X, rows):
        part = slice(seen, seen + block.rows.size)
        seen = part.stop
        for column, (w, b) in enumerate(zip(coef, intercept, strict=True)):
            products, magnitudes = block.products(np.ascontiguousarray(w))
            values[part, column] = products + b
            errors[part, column] = radius(magnitudes + abs(b), block.n_terms + 1)
    return values, errors


def undecided(values: Floats, errors: Floats, fixed: Mask, *, signs: bool = True) -> Indices:
    """The rows in which a sign or the first largest score may not be that of the exact scores.

    ``fixed`` marks the classes with ``w = 0``. Without ``signs``, only the largest score matters.
    """
    bounds = np.where(fixed, 0.0, errors)
    # What is not finite compares as not decided.
    sizes = np.abs(values)
    known = sizes < np.inf
    if signs:
        known &= (sizes > bounds) | (bounds == 0.0)
    marked = ~known.all(axis=1)
    if values.shape[1] > 1:
        top = values.argmax(axis=1)[:, None]
        largest = np.take_along_axis(values, top, axis=1)
        wide = np.broadcast_to(bounds, values.shape)
        reach = np.take_along_axis(wide, top, axis=1) + bounds
        apart = (largest - values > 2.0 * reach) | (reach == 0.0)
        np.put_along_axis(apart, top, True, axis=1)
        marked |= ~apart.all(axis=1)
    return np.flatnonzero(marked)


def rounded_scores(X: Any, rows: Indices, w: Floats, b: float) -> list[float]:
    """The correctly rounded scores of some rows; what is not zero is not rounded to zero."""
    ones = np.ones(X.shape[0], dtype=np.int8)
    values = (v for part in exact_values(X, ones, rows, w, b) for v in part)
    return [nearest_float(v) or (_SMALLEST * ((v > 0) - (v < 0))) for v in values]


def _is_right(score: Floats, signs: Signs) -> Mask:
    right: Mask = (score >= 0.0) == (signs > 0)
    return right
