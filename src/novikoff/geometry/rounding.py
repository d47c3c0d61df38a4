"""Scalars on the safe side: floating-point sums with the error bounds of the certificate's filter.

The lemma of :mod:`novikoff.certificate.exact.filter` bounds the error of a sum of ``k`` products,
summed in any order, by ``2 (k + 8) u m + 4 (k + 8) eta``, where ``m`` is the computed sum of their
moduli, ``u = 2**-53`` and ``eta = 2**-1022``. The functions here evaluate it for single numbers.
"""

import math
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate.exact.filter import UNDERFLOW, UNIT

Vector = NDArray[np.float64]
Magnitude = TypeVar("Magnitude", float, Vector)


def error_of(magnitude: Magnitude, terms: int) -> Magnitude:
    """Return a bound on the error of sums of ``terms`` products with these sums of moduli."""
    return 2.0 * (terms + 8) * UNIT * magnitude + 4.0 * (terms + 8) * UNDERFLOW


def up(value: float) -> float:
    """Return the next float above: an upper bound on a sum or product that was rounded once."""
    return math.nextafter(value, math.inf)


def down(value: float) -> float:
    """Return the next float below."""
    return math.nextafter(value, -math.inf)


def dot_above(x: Vector, y: Vector) -> float:
    """Return an upper bound on the inner product.

    Examples
    --------
    >>> x = np.array([1.0, 1.0, -1.0])
    >>> dot_above(x, np.array([1e16, 1.0, 1e16])) >= 1.0
    True
    """
    return up(float(x @ y) + error_of(float(np.abs(x) @ np.abs(y)), x.size))


def norm_above(x: Vector) -> float:
    """Return an upper bound on the Euclidean norm.

    Examples
    --------
    >>> 5.0 <= norm_above(np.array([3.0, 4.0])) < 5.0 + 1e-13
    True
    >>> norm_above(np.array([3e200, 4e200])) < 5.1e200
    True
    """
    norm = norm_of(x)
    return up(norm * (1.0 + 2.0 * (x.size + 8) * UNIT)) if norm > 0.0 else norm


def norm_below(x: Vector) -> float:
    """Return a lower bound on the Euclidean norm; at least 0."""
    return max(0.0, down(norm_of(x) * (1.0 - 2.0 * (x.size + 8) * UNIT)))


def gap_below(w: Vector, first: float, second: float) -> float:
    """Return a bound on the distance of K and L along ``w``, from ``h_K(-w)`` and ``h_L(w)``.

    Examples
    --------
    >>> 2.0 >= gap_below(np.array([0.0, 1.0]), -5.0, 3.0) > 2.0 - 1e-13
    True
    """
    gap = down(-first - second)
    length = norm_above(w) if gap > 0.0 else norm_below(w)
    return down(gap / length) if length > 0.0 else -math.inf


def norm_of(x: Vector) -> float:
    """Return the norm, rounded; a power of two keeps the squares from overflow and underflow.

    What a component loses when it is scaled is far below the rounding that is allowed for, because
    the largest is at least 1/2.
    """
    largest = float(np.abs(x).max(initial=0.0))
    if largest == 0.0 or not math.isfinite(largest):
        return largest
    power = math.ldexp(1.0, min(max(math.frexp(largest)[1], -1000), 1000))
    scaled = x / power
    return power * math.sqrt(float(scaled @ scaled))
