"""The relation of a basis, proved without its long fractions.

Let the columns of ``M`` be the signed examples of a basis of ``n``, extended by a 1 where there is
an intercept, the rows and columns multiplied by powers of two that bring them to one size: the
signs of the weights ``λ`` in a relation ``M λ = 0`` stay the same. Take ``n - 1`` rows of ``M``,
append a row of ones to get a square matrix ``B``, and let ``R`` be any matrix with
``‖I - R B‖ <= α < 1`` in the maximum norm. Then ``B`` is regular, so the relation between the
``n - 1`` rows is unique up to a factor, and for integers ``x`` it can be scaled to
``Σ λ_i = Σ x_i``. With the residual ``r``, which is those rows of ``M x`` extended by a zero,
``B (x - λ) = r``, and therefore

    max_i |x_i - λ_i| = ‖(R B)⁻¹ R r‖ <= ‖ |R| |r| ‖ / (1 - α).

``R`` comes from floating point, ``α`` is bounded by the lemma of the filter, and ``M x`` is exact.
Where ``|x_i|`` is above the bound, ``λ_i`` has its sign. If all are positive and ``M`` has no other
rows, the basis combines to zero with positive weights. If there are both signs, it combines to zero
with no others, whatever the other rows are.

In the same way ``n`` rows of ``M`` that make a regular matrix prove that the examples are
independent. Where nothing can be said in floating point, the rank modulo a prime tells the one
case from the others: if ``M`` has the rank ``n - 1``, and ``B`` has no more, then the weights of
the relation sum to zero, so there are both signs.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.filter import UNDERFLOW, radius
from novikoff.certificate.exact.hull import exact_sum
from novikoff.certificate.exact.modular import independent_columns
from novikoff.certificate.examples.blocks import DenseBlock, Floats, Indices, SparseBlock, take
from novikoff.certificate.examples.labels import Signs

INDEPENDENT = "the basis does not combine to zero: its examples are independent"
NOT_MINIMAL = "the basis combines to zero in more than one way: it is not minimal"
BOTH_SIGNS = "the basis combines to zero only with weights of both signs"

_MOST_EXAMPLES = 3000
_MOST_VALUES = 1 << 24
"""Up to here a dense inverse is affordable."""

_SAFE = 1.0 + 2.0**-30
"""More than the roundings in a sum of so many numbers that are not negative."""

_BITS = 60
_REFINEMENTS = 6
_VANISHING = 2.0**-80
"""A weight that is not known to be larger, beside the largest, is taken for zero."""

Mask = npt.NDArray[np.bool_]


def positive_part(X: Any, signs: Signs, support: Indices, *, affine: bool) -> Mask | None:
    """Mark those examples of a basis that combine to zero, all with positive weights.

    ``None``: this way nothing is decided.

    Raises
    ------
    CertificateError
        If the examples do not combine to zero, if they do in more than one way, or if it takes
        weights of both signs.
    """
    rows = sparse_rows(X, support)
    if not np.isfinite(rows.data).all():
        return None
    part, presumed = np.full(support.size, True), False
    while True:
        # An example with a feature that no other one has takes part in no relation.
        _drop_lonely(rows, part)
        found = _positive_weights(X, signs, support[part], rows[part], affine)
        if isinstance(found, str) and not presumed:
            raise CertificateError(found)
        if found is None or isinstance(found, str):
            return None
        if found.all():
            return part
        # The others are taken for zero. If they are not, the rest will not combine to zero, which
        # then proves nothing of the whole.
        part[part], presumed = found, True


def _positive_weights(
    X: Any, signs: Signs, basis: Indices, rows: Any, affine: bool
) -> Mask | str | None:
    """Mark the weights that are positive, all others being zero or nearly; or the refusal."""
    size = basis.size
    features, counts = np.unique(rows.indices[rows.data != 0.0], return_counts=True)
    if not size or features.size + affine < size - 1:
        return NOT_MINIMAL if size else INDEPENDENT
    if size > _MOST_EXAMPLES:
        return None
    # A refusal by the features that occur most often is one by all.
    used = np.sort(features[np.argsort(-counts, kind="stable")[: _MOST_VALUES // size]])
    scaled = _Scaled.of(rows[:, used].toarray(), signs[basis], affine)
    if scaled is None:
        return None
    n_rows = len(scaled.values)
    chosen = np.arange(n_rows)
    if n_rows >= size:
        # The rows that elimination with pivots takes first are as independent as any.
        chosen = np.argsort(scipy.linalg.lu(scaled.values, p_indices=True, check_finite=False)[0])
        if _Square.of(scaled.values[chosen[:size]]) is not None:
            return INDEPENDENT
    chosen = chosen[: size - 1]
    square = _Square.of(np.vstack([scaled.values[chosen], np.ones(size)]))
    if square is not None:
        found = _signs_of_weights(X, signs[basis], basis, used, scaled, square, chosen)
        if found is None or (found < 0).any():
            return BOTH_SIGNS if found is not None and (found > 0).any() else None
        if n_rows == size - 1 or not found.all():
            return found > 0
    return _by_rank(scaled.values, whole=used.size == features.size)


def _by_rank(values: Floats, *, whole: bool) -> str | None:
    """Refuse a basis by the rank of its matrix, or of some of its rows, if that can be done."""
    n_rows, size = values.shape
    columns = independent_columns(np.column_stack([values.T, np.ones(size)]))
    rank = sum(column < n_rows for column in columns)
    if rank == size:
        return INDEPENDENT
    if rank < size - 1:
        return NOT_MINIMAL if whole else None
    return BOTH_SIGNS if len(columns) == rank else None


@dataclass(frozen=True)
class _Scaled:
    """The matrix ``M``, and the powers of two by which its rows and columns are divided."""

    values: Floats
    row_exponents: npt.NDArray[Any]
    column_exponents: npt.NDArray[Any]

    @classmethod
    def of(cls, table: Floats, sides: Signs, affine: bool) -> "_Scaled | None":
        """From the examples, one to a row; ``None`` where scaling would lose a bit."""
        border = [sides[None].astype(np.float64)] if affine else []
        matrix = np.vstack([(table * sides[:, None]).T, *border])
        by_row = np.frexp(np.abs(matrix).max(axis=1, initial=0.0))[1]
        with np.errstate(all="ignore"):
            even = np.ldexp(matrix, -by_row[:, None])
            by_column = np.frexp(np.abs(even).max(axis=0, initial=0.0))[1]
            shift = by_row[:, None] + by_column
            values = np.ldexp(matrix, -shift)
            if not np.array_equal(np.ldexp(values, shift), matrix):
                return None
        return cls(values, by_row, by_column)


@dataclass(frozen=True)
class _Square:
    """``R`` and ``α`` of a square matrix."""

    inverse: Floats
    alpha: float

    @classmethod
    def of(cls, matrix: Floats) -> "_Square | None":
        """``None`` where it is not proved to be regular."""
        size = len(matrix)
        with np.errstate(all="ignore"):
            try:
                inverse = np.asarray(np.linalg.inv(matrix), dtype=np.float64)
            except np.linalg.LinAlgError:
                return None
            defect = np.abs(inverse @ matrix - np.eye(size)).sum(axis=1)
            # The rounding of a row of the product, as the sum of those of its entries.
            rounding = size * radius(np.abs(inverse) @ np.abs(matrix).sum(axis=1) / size, size)
            alpha = float((defect + rounding).max(initial=0.0)) * _SAFE
        return cls(inverse, alpha) if alpha < 0.5 else None


def _signs_of_weights(
    X: Any,
    sides: Signs,
    basis: Indices,
    features: Indices,
    scaled: _Scaled,
    square: _Square,
    chosen: Indices,
) -> npt.NDArray[np.int8] | None:
    """The signs of the weights, 0 where they cannot be told from zero; ``None``: no bounds.

    Once both signs are seen, there may be more zeros.
    """
    weights = square.inverse[:, -1] / np.abs(square.inverse[:, -1]).max()
    x, sizes = _integers(weights * 2.0**_BITS), np.abs(square.inverse)
    most = int(scaled.column_exponents.max())
    shifts = (most - scaled.column_exponents).astype(object)
    exponents = scaled.row_exponents + most
    for _ in range(_REFINEMENTS):
        # The weights of the examples themselves, times a power of two.
        signed = (x << shifts) * sides
        sums, exponent = exact_sum(X, basis, signed)
        residual = np.zeros(basis.size)
        for place, row in enumerate(chosen):
            in_border = row == features.size
            total, at = (signed.sum(), 0) if in_border else (sums[features[row]], exponent)
            residual[place] = _nearest(int(total), at - int(exponents[row]))
        with np.errstate(all="ignore"):
            bound = float((sizes @ np.abs(residual)).max()) * _SAFE / (1.0 - square.alpha)
        if not math.isfinite(bound):
            return None
        found = (x > bound).astype(np.int8) - (x < -bound).astype(np.int8)
        if found.all() or (-1 in found and 1 in found) or bound < _VANISHING * max(abs(x)):
            return found
        x = (x << _BITS // 2) - _integers(square.inverse @ residual * 2.0 ** (_BITS // 2))
    return None


def sparse_rows(X: Any, support: Indices) -> Any:
    """Some rows as a CSR matrix of float64."""
    parts: list[Any] = []
    for block in take(X, support):
        if isinstance(block, DenseBlock):
            parts.append(sparse.csr_array(block.values.astype(np.float64, copy=False)))
        elif isinstance(block, SparseBlock):
            entries = (block.data, block.indices, block.ends)
            parts.append(sparse.csr_array(entries, shape=(block.rows.size, X.shape[1])))
    return sparse.vstack(parts, format="csr")


def _drop_lonely(rows: Any, part: Mask) -> None:
    """Take examples out of the part as long as one has a feature that no other has."""
    stored = rows.data != 0.0
    owners = np.repeat(np.arange(part.size), np.diff(rows.indptr))[stored]
    _, columns = np.unique(rows.indices[stored], return_inverse=True)
    while True:
        left = part[owners]
        counts = np.bincount(columns[left], minlength=columns.size)
        lonely = owners[left & (counts[columns] == 1)]
        if not lonely.size:
            return
        part[lonely] = False


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
