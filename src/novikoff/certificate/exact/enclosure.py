"""The relation of a basis, proved without its long fractions.

Let the columns of ``M`` be the signed examples of a basis of ``n``, extended by a 1 where there is
an intercept, and let ``M`` have ``n - 1`` rows besides zeros. So there is a relation: ``M λ = 0``
with ``λ != 0``. Append a row of ones to get a square matrix ``B``, and let ``R`` be any matrix with
``‖I - R B‖ <= α < 1`` in the maximum norm. Then ``B`` is regular, so the relation is unique up to
a factor, and for integers ``x`` it can be scaled to ``Σ λ_i = Σ x_i``. With the residual ``r``,
which is ``M x`` extended by a zero, ``B (x - λ) = r``, and therefore

    max_i |x_i - λ_i| = ‖(R B)⁻¹ R r‖ <= ‖ |R| |r| ‖ / (1 - α).

``R`` comes from floating point, ``α`` is bounded by the lemma of the filter, and ``M x`` is exact.
Where every ``x_i`` is above the bound, every ``λ_i`` is positive.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.filter import UNDERFLOW, radius
from novikoff.certificate.exact.hull import exact_sum
from novikoff.certificate.examples.blocks import DenseBlock, Floats, Indices, SparseBlock, take
from novikoff.certificate.examples.labels import Signs

_MOST_EXAMPLES = 3000
_MOST_VALUES = 1 << 24
"""Up to here a dense inverse is affordable."""

_VANISHING = 2.0**-40
"""A weight that is smaller, beside the largest, is taken for zero at first."""

_SAFE = 1.0 + 2.0**-30
"""More than the roundings in a sum of so many numbers that are not negative."""

_BITS = 60
_REFINEMENTS = 6


@dataclass(frozen=True)
class _Square:
    """The features in ``B``, the power of two each is divided by, ``R`` and ``α``."""

    features: Indices
    exponents: npt.NDArray[Any]
    inverse: Floats
    alpha: float


def positive_part(
    X: Any, signs: Signs, support: Indices, *, affine: bool
) -> npt.NDArray[np.bool_] | None:
    """Mark those examples of a basis that combine to zero, all with positive weights.

    ``None``: this way nothing is decided.

    Raises
    ------
    CertificateError
        If the only combination to zero needs weights of both signs.
    """
    signed = _signed_rows(X, signs, support)
    if signed is None:
        return None
    table, columns = signed
    part = np.full(support.size, True)
    while part.any():
        # An example with a feature that no other one has takes part in no relation.
        alone = np.count_nonzero(table[part], axis=0) == 1
        idle = part & table[:, alone].any(axis=1)
        if not idle.any():
            square = _square(table[part], columns, signs[support[part]], affine)
            if square is None:
                return None
            weights = np.abs(square.inverse[:, -1])
            idle[part] = weights <= _VANISHING * weights.max()
            if not idle.any():
                return part if _is_positive(X, signs, support[part], square, affine) else None
        part &= ~idle
    return None


def _signed_rows(X: Any, signs: Signs, support: Indices) -> tuple[Floats, Indices] | None:
    """The signed examples, one to a row, and the columns of theirs that are not all zero.

    ``None`` where that is too large.
    """
    if support.size > _MOST_EXAMPLES:
        return None
    parts: list[Any] = []
    for block in take(X, support):
        if isinstance(block, DenseBlock):
            parts.append(block.values)
        elif isinstance(block, SparseBlock):
            entries = (block.data, block.indices, block.ends)
            parts.append(sparse.csr_array(entries, shape=(block.rows.size, X.shape[1])))
    whole: Any = sparse.vstack(parts, format="csc") if sparse.issparse(X) else np.concatenate(parts)
    columns = np.unique(whole.nonzero()[1])
    if support.size * columns.size > _MOST_VALUES:
        return None
    table = whole[:, columns]
    table = table.toarray() if sparse.issparse(X) else table.astype(np.float64)
    return table * signs[support, None], columns


def _square(table: Floats, columns: Indices, sides: Signs, affine: bool) -> _Square | None:
    """The square matrix of a basis, if it is one and numerically regular."""
    size = len(table)
    occurs = table.any(axis=0)
    if np.count_nonzero(occurs) + affine + 1 != size:
        return None
    values = table[:, occurs].T
    exponents = np.frexp(np.abs(values).max(axis=1, initial=0.0))[1]
    with np.errstate(all="ignore"):
        scaled = np.ldexp(values, -exponents[:, None])
        if not np.array_equal(np.ldexp(scaled, exponents[:, None]), values):
            return None
        border = [sides.astype(np.float64)] if affine else []
        matrix = np.vstack([scaled, *border, np.ones(size)])
        try:
            inverse = np.linalg.inv(matrix)
        except np.linalg.LinAlgError:
            return None
        defect = np.abs(inverse @ matrix - np.eye(size)).sum(axis=1)
        # The rounding of a row of the product, as the sum of those of its entries.
        rounding = size * radius(np.abs(inverse) @ np.abs(matrix).sum(axis=1) / size, size)
        alpha = float((defect + rounding).max()) * _SAFE
    if not alpha < 0.5:
        return None
    return _Square(columns[occurs], exponents, inverse, alpha)


def _is_positive(X: Any, signs: Signs, basis: Indices, square: _Square, affine: bool) -> bool:
    """Whether the weights of the relation are proved to be positive."""
    sides = signs[basis].astype(object)
    weights = square.inverse[:, -1] / np.abs(square.inverse[:, -1]).max()
    x = _integers(weights * 2.0**_BITS)
    sizes = np.abs(square.inverse)
    for _ in range(_REFINEMENTS):
        sums, exponent = exact_sum(X, basis, x * sides)
        residual = np.zeros(len(x))
        residual[: square.features.size] = [
            _nearest(int(a), exponent - int(e))
            for a, e in zip(sums[square.features], square.exponents, strict=True)
        ]
        if affine:
            residual[-2] = _nearest(int((x * sides).sum()), 0)
        if not np.isfinite(residual).all():
            return False
        bound = float((sizes @ np.abs(residual)).max()) * _SAFE / (1.0 - square.alpha)
        if min(x) > bound:
            return True
        if min(x) < -bound and max(x) > bound:
            raise CertificateError("the basis combines to zero only with weights of both signs")
        x = (x << _BITS // 2) - _integers(square.inverse @ residual * 2.0 ** (_BITS // 2))
    return False


def _integers(values: Floats) -> npt.NDArray[Any]:
    return np.array([int(a) for a in np.rint(values)], dtype=object)


def _nearest(integer: int, exponent: int) -> float:
    """``integer * 2**exponent`` to within ``2**-52`` of itself, if it is not subnormal.

    Where it is, something larger of the same sign; infinity where it is too large.
    """
    shift = max(0, integer.bit_length() - 64)
    try:
        value = math.ldexp(float(integer >> shift), exponent + shift)
    except OverflowError:
        return math.inf
    if not integer:
        return 0.0
    # copysign would turn the integer into a float, which may be too long for one.
    size = max(abs(value), UNDERFLOW)
    return size if integer > 0 else -size
