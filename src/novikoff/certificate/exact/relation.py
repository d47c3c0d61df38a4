"""Zero as a combination of signed examples: exact, over the rationals.

By Gordan's theorem no hyperplane through the origin has all signed examples strictly on one side
iff some weights ``λ >= 0``, not all zero, make ``Σ λ_i y_i x_i = 0``; with an intercept
each example is extended by a 1. Here such weights are checked, found on a basis, or reduced to one.
"""

import math
import operator
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpz_mat

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.dyadic import Dyadic
from novikoff.certificate.exact.enclosure import (
    BOTH_SIGNS,
    INDEPENDENT,
    NOT_MINIMAL,
    positive_part,
)
from novikoff.certificate.exact.hull import exact_sum
from novikoff.certificate.exact.modular import PRIMES, independent_among
from novikoff.certificate.examples.blocks import Indices, take
from novikoff.certificate.examples.labels import Signs

_SMALL = 32
"""A basis of at most this many examples is solved without looking for a quicker proof."""


def is_zero_combination(
    X: Any, signs: Signs, support: Indices, weights: npt.NDArray[Any], *, affine: bool
) -> bool:
    """Whether ``Σ weights_i y_i (x_i, 1)`` is exactly zero (without the 1 if not affine)."""
    integers = Dyadic.of(weights).integers.astype(object) * signs[support].astype(object)
    if affine and sum(integers) != 0:
        return False
    total, _ = exact_sum(X, support, integers)
    return not any(total)


def integer_weights(
    signs: Signs, weights: npt.NDArray[Any], *, affine: bool
) -> npt.NDArray[np.int64] | None:
    """Whole numbers with which signed examples combine to zero, if the hull point of weights is 0.

    With an intercept it is the two class means that coincide, so each class is weighted by the
    total of the other. ``None``: a number has more than 63 bits.

    Examples
    --------
    >>> integer_weights(np.array([1, 1, -1], dtype=np.int8), np.array([0.5, 0.5, 3.0]), affine=True)
    array([1, 1, 2])
    """
    integers = Dyadic.of(weights).integers.astype(object)
    if affine:
        positive = signs > 0
        totals = [integers[~positive].sum(), integers[positive].sum()]
        integers[positive] *= totals[0]
        integers[~positive] *= totals[1]
    integers //= math.gcd(*integers)
    return None if max(integers) >= 1 << 63 else integers.astype(np.int64)


def carriers(X: Any, signs: Signs, support: Indices, *, affine: bool) -> npt.NDArray[np.bool_]:
    """Mark the examples of a basis that combine to zero with positive weights.

    The others have weight zero. All examples of the basis are decided exactly, but the weights
    themselves are computed only where it takes little time, or where nothing less decides: where
    the basis is so ill-conditioned that float64 cannot tell its relation, or where features depend
    on each other. Then acceptance and refusal alike take the time of an exact solution: for 200
    examples some 0.4 s, where a well-conditioned basis takes 0.02 s.

    Raises
    ------
    CertificateError
        As :func:`null_weights`; at once if there are more examples than a basis can have.
    """
    most = X.shape[1] + 1 + affine
    if support.size > most:
        raise CertificateError(
            f"a basis has at most {most} examples for {X.shape[1]} features, not {support.size}"
        )
    if support.size > _SMALL:
        part = positive_part(X, signs, support, affine=affine)
        if part is not None:
            return part
    return np.array([a > 0 for a in null_weights(X, signs, support, affine=affine)])


def null_weights(X: Any, signs: Signs, support: Indices, *, affine: bool) -> list[int]:
    """The nonnegative integers, without a common divisor, that combine the basis to zero.

    Raises
    ------
    CertificateError
        If the only such combination is zero, if there is more than one, or if it needs weights
        of both signs.
    """
    matrix = _signed_columns(X, signs, support, affine)
    weights = _null_vector(matrix, support.size)
    if min(weights) < 0 < max(weights):
        raise CertificateError(BOTH_SIGNS)
    return [abs(a) for a in weights]


def reduce_support(
    X: Any, signs: Signs, support: npt.ArrayLike, weights: npt.ArrayLike, *, affine: bool
) -> tuple[Indices, list[int]]:
    """Reduce an exact zero combination to a minimal one (Carathéodory).

    Parameters
    ----------
    X, signs
        The examples and their signs.
    support, weights
        An exact zero combination of signed examples.
    affine : bool
        Whether the weights of the two classes are equal too (hyperplanes with an intercept).

    Returns
    -------
    support, weights
        At most ``n_features + 1`` of the examples (one more if affine), whose only combination
        to zero, up to a factor, is the one with these positive integers.

    Notes
    -----
    Take examples that are independent and one more that depends on them. If their relation has
    one sign, it is a zero combination and the answer. Otherwise move along it until a weight
    becomes zero, drop that example, and take again. The weights grow into long fractions on the
    way: meant for hundreds of examples.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> signs = np.array([1, -1, -1, 1], dtype=np.int8)
    >>> reduce_support(X, signs, [0, 1, 2, 3], [1, 1, 1, 1], affine=True)
    (array([0, 1, 3]), [2, 3, 1])
    """
    rows = np.asarray(support, dtype=np.int64)
    values = np.asarray(weights)
    rows, values = rows[values > 0], values[values > 0]
    if not rows.size or not is_zero_combination(X, signs, rows, values, affine=affine):
        raise CertificateError("the weighted sum of the signed examples is not exactly zero")
    current = dict(enumerate(fmpq(int(a)) for a in Dyadic.of(values).integers))
    matrix = _signed_columns(X, signs, rows, affine)
    while True:
        relation = _first_relation(matrix, list(current))
        if min(relation.values()) > 0 or max(relation.values()) < 0:
            break
        step = min(current[i] / r for i, r in relation.items() if r > 0)
        for i, r in relation.items():
            current[i] -= step * r
            if current[i] == 0:
                del current[i]
    kept = sorted(relation)
    return rows[kept], [abs(relation[i]) for i in kept]


def _signed_columns(X: Any, signs: Signs, support: Indices, affine: bool) -> list[list[int]]:
    """The matrix whose columns are the signed examples, in integers.

    Each of its rows (a feature) may be multiplied by a number of its own: relations between the
    columns stay the same. Features that are zero in all examples are left out.
    """
    entries, exponents = [], []
    seen = 0
    for block in take(X, support):
        positions, columns, values = block.exact_entries()
        entries.append((positions + seen, columns, values.integers.astype(object)))
        exponents.append(values.exponent)
        seen += block.rows.size
    lowest = min(exponents)
    features, which = np.unique(np.concatenate([e[1] for e in entries]), return_inverse=True)
    table = np.zeros((features.size, support.size), dtype=object)
    table[which, np.concatenate([e[0] for e in entries])] = np.concatenate(
        [e[2] << (exponent - lowest) for e, exponent in zip(entries, exponents, strict=True)]
    )
    matrix = []
    for row in (table * signs[support].astype(object)).tolist():
        divisor = math.gcd(*row)
        matrix.append([a // divisor for a in row])
    if affine:
        matrix.append(signs[support].tolist())
    return matrix


def _null_vector(matrix: list[list[int]], n_columns: int) -> list[int]:
    """The one relation between the columns, as integers without a common divisor."""
    for prime in PRIMES:
        pivots = independent_among(matrix, n_columns, prime)
        # As many rows as these decide that there are more relations, whatever the prime.
        if len(pivots) >= n_columns - 1 or len(matrix) < n_columns - 1:
            break
    if len(pivots) == n_columns:
        raise CertificateError(INDEPENDENT)
    if len(pivots) < n_columns - 1:
        raise CertificateError(NOT_MINIMAL)
    (free,) = set(range(n_columns)) - set(pivots)
    if not pivots:
        return [1]
    # A square system on the pivots; the other features are checked afterwards.
    transposed = [[row[column] for row in matrix] for column in pivots]
    chosen = set(independent_among(transposed, len(matrix), prime))
    system = [matrix[i] for i in sorted(chosen)]
    others = [row for i, row in enumerate(matrix) if i not in chosen]
    size = len(pivots)
    solution: Any = fmpz_mat(
        size, size, [row[column] for row in system for column in pivots]
    ).solve(fmpz_mat(size, 1, [-row[free] for row in system]))
    numerators, denominator = solution.numer_denom()
    weights = [0] * n_columns
    weights[free] = int(denominator)
    for position, column in enumerate(pivots):
        weights[column] = int(numerators[position, 0])
    if any(sum(map(operator.mul, row, weights)) for row in others):
        raise CertificateError(INDEPENDENT)
    divisor = math.gcd(*weights)
    return [a // divisor for a in weights]


def _first_relation(matrix: list[list[int]], columns: list[int]) -> dict[int, int]:
    """The relation of the first column that depends on those before it, without its zeros."""
    tried = columns[: len(matrix) + 1]
    pivots = independent_among([[row[i] for i in tried] for row in matrix], len(tried), PRIMES[0])
    free = next((k for k in range(len(tried)) if k >= len(pivots) or pivots[k] != k), 0)
    chosen = tried[: free + 1]
    weights = _null_vector([[row[i] for i in chosen] for row in matrix], len(chosen))
    return {i: a for i, a in zip(chosen, weights, strict=True) if a}
