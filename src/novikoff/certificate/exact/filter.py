r"""A floating-point filter: fast sums with a proven absolute error.

**Lemma.** Let ``u = 2**-53`` and let ``s`` be the float64 result of summing ``k`` products of
floats, rounded to nearest, in any order, with or without fused multiply-add, where nothing has
overflowed and no product passes through more than ``h`` roundings, its own included (``h <= k``
whatever the order). Then

    |s - sum a_j b_j| <= gamma_h sum |a_j b_j| + 2 k eta (1 + gamma_h),   gamma_h = h u/(1 - h u),

where ``eta = 2**-1022`` bounds what a result loses when it underflows, gradually or flushed to
zero. *Proof.* A product carries one rounding ``1 + d``, ``|d| <= u``, and at most ``eta`` (neither,
if fused); then it passes through at most ``h - 1`` additions, which round by ``1 + d`` too. So the
factor of a term lies in ``(1 ± u)**h``, which is within ``1 ± gamma_h`` (Higham, *Accuracy and
Stability of Numerical Algorithms*, Lemma 3.1). Additions are exact when they underflow, unless
flushed; there are fewer than ``k`` of them, each then loses at most ``eta``. (Zeros added besides,
as where rows are read four at a time, change nothing.) ∎

:func:`radius` evaluates a bound twice as large, which leaves room for the rounding of the bound
itself: let ``m`` be the float64 sum of the ``|a_j b_j|`` and ``M`` the exact one, so that
``m >= (1 - gamma_h) M - 2 k eta (1 + gamma_h)``. For ``H = h + 8``, ``K = k + 8 <= 2**50`` we
have ``gamma_h <= (8/7) h u <= 1/7``, hence
``2 H u m (1 - u)**2 + 4 K eta >= 1.7 H u M + 3 K eta``, and that exceeds the lemma's bound, even
with ``h + 4`` and ``k + 4`` in place of ``h`` and ``k``, by more than ``eta``.

What has overflowed is infinite or NaN; its radius is infinite, and it is left to exact arithmetic.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from flint import fmpq

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.dyadic import of_float
from novikoff.certificate.exact.slices import sum_of_squares
from novikoff.certificate.examples.blocks import Block, Floats, Indices, blocks
from novikoff.certificate.examples.labels import Signs
from novikoff.certificate.threads import in_order

EXACT_SQUARES = 1 << 12
"""Up to this many squares are summed in exact arithmetic, in less than 1 ms."""

_RUN = 256
"""Squares in one sum, before the sums are summed: the fewer roundings in a row, the less error."""

UNIT = 2.0**-53
UNDERFLOW = 2.0**-1022


def radius(magnitude: Floats, n_terms: int | Indices, n_roundings: int | None = None) -> Floats:
    """Bound on the error of sums of ``n_terms`` products, given the sums of their moduli.

    ``n_roundings`` is the largest number of roundings that a product passes through; by default
    as many as there are terms, which is right for every order of summation.
    """
    terms = n_terms + 8
    roundings = terms if n_roundings is None else np.minimum(terms, n_roundings + 8)
    if np.max(terms) > 1 << 50:
        raise CertificateError(f"{n_terms} terms in one sum are more than the filter can bound")
    bound = 2.0 * roundings * UNIT * magnitude + 4.0 * terms * UNDERFLOW
    return np.where(bound < np.inf, bound, np.inf)


def enclose(value: Floats, error: Floats) -> tuple[Floats, Floats]:
    """Floats on either side of every number within ``error`` of ``value``."""
    known = np.isfinite(value) & np.isfinite(error)
    low = np.where(known, np.nextafter(value - error, -np.inf), -np.inf)
    high = np.where(known, np.nextafter(value + error, np.inf), np.inf)
    return low, high


def signed_values(X: Any, signs: Signs, w: Floats, b: float) -> tuple[Floats, Floats]:
    """Floats on either side of ``y_i (w·x_i + b)``, for all rows."""
    low, high = np.empty(X.shape[0]), np.empty(X.shape[0])

    def fill(block: Block) -> None:
        rows = slice(block.rows[0], block.rows[-1] + 1)
        with np.errstate(all="ignore"):
            products, magnitudes = block.products(w)
            error = radius(magnitudes + abs(b), block.n_terms + 1)
            low[rows], high[rows] = enclose((products + b) * signs[rows], error)

    for _ in in_order(fill, blocks(X)):
        pass
    return low, high


def squares_between(values: Floats, *, thorough: bool = False) -> tuple[fmpq, fmpq]:
    """Two numbers with ``Σ a_i²`` between them: itself where values are few, or ``thorough``.

    Examples
    --------
    >>> squares_between(np.array([0.5, 3.0]))
    (37/4, 37/4)
    """
    between = None if thorough else filtered_squares(values)
    if between is None:
        total = sum_of_squares(values)
        return total, total
    return between


def filtered_squares(values: Floats, divisors: Floats | None = None) -> tuple[fmpq, fmpq] | None:
    """Two numbers with ``Σ a_i²/s_i`` between them, for positive ``s_i`` (by default 1).

    ``None``: exact arithmetic is as fast, or floating point does not tell the sum from zero or
    infinity.
    """
    size = values.size
    if size <= EXACT_SQUARES:
        return None
    values = np.asarray(values, dtype=np.float64)
    with np.errstate(all="ignore"):
        terms = np.zeros(-(-size // _RUN) * _RUN)
        # An a_i that is no float is rounded once, the quotient once: the radius has room for both.
        # What the quotient loses in an underflow is multiplied by |a_i| < 4, since it is that of a
        # number below 2**-1022 times 2**1024.
        np.multiply(values, values if divisors is None else values / divisors, out=terms[:size])
        total = terms.reshape(-1, _RUN).sum(axis=1).sum(keepdims=True)
        (low,), (high,) = enclose(total, radius(total, 4 * size, _RUN + size // _RUN + 1))
    if not 0.0 < low <= high < np.inf:
        return None
    return of_float(float(low)), of_float(float(high))


def combination(parts: Iterator[Block], weights: Floats, n_columns: int) -> tuple[Floats, Floats]:
    """The weighted sum of rows, and a bound on the error of each component.

    ``weights`` belong to the rows in the order in which they come. Three roundings of each weight
    are within the bound, because it has room for eight more than are counted.
    """
    total, magnitude = np.zeros(n_columns), np.zeros(n_columns)
    n_blocks = largest = 0

    def weighted() -> Iterator[tuple[Block, Floats]]:
        seen = 0
        for block in parts:
            yield block, weights[seen : seen + block.rows.size]
            seen += block.rows.size

    def combine(part: tuple[Block, Floats]) -> tuple[int, Floats, Floats]:
        block, mine = part
        with np.errstate(all="ignore"):
            return block.rows.size, *block.combine(mine, n_columns)

    for count, *sums in in_order(combine, weighted()):
        if not n_blocks:
            total, magnitude = sums
        else:
            with np.errstate(all="ignore"):
                total += sums[0]
                magnitude += sums[1]
        n_blocks, largest = n_blocks + 1, max(largest, count)
    with np.errstate(all="ignore"):
        # A product is rounded within its block, then once for each block that follows.
        error = radius(magnitude, weights.size + 2, largest + n_blocks + 2)
    return total, np.where(np.isfinite(total), error, np.inf)
