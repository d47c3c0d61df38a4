"""Floats as exact integers, and rationals back to floats with a chosen direction.

A finite float is an integer times a power of two, so a sum of products of floats is one too:
here it is computed with no rounding at all. Rounding happens once, at the end, and outward:
:func:`floor_float` and its siblings return the *nearest float on the safe side*, so for a float
``c`` the test ``c <= floor_float(q)`` is the same as ``c <= q``.
"""

import math
import sys
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpz

from novikoff.certificate.errors import CertificateError

Integers: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True)
class Dyadic:
    """An array of exact numbers ``integers * 2**exponent``.

    ``integers`` has dtype int64, or object (Python integers) where they need more than 62 bits;
    ``bits`` bounds the length of every one of them.
    """

    integers: Integers
    exponent: int
    bits: int

    @classmethod
    def of(cls, values: npt.NDArray[Any]) -> "Dyadic":
        """Exact copy of an array of finite floats or of integers.

        Examples
        --------
        >>> Dyadic.of(np.array([0.75, -3.0]))
        Dyadic(integers=array([  3, -12]), exponent=-2, bits=4)
        """
        if values.dtype.kind in "bui":
            return cls._of_integers(values)
        if not np.isfinite(values).all():
            raise CertificateError(_NOT_A_NUMBER)
        mantissa, exponent = np.frexp(np.asarray(values, dtype=np.float64))
        integers = np.ldexp(mantissa, 53).astype(np.int64)
        nonzero = integers != 0
        if not nonzero.any():
            return cls(integers, 0, 0)
        # The lowest bit set in any value fixes the common power of two.
        lowest = np.frexp((integers & -integers).astype(np.float64))[1] - 1
        trailing = np.where(nonzero, lowest, 0)
        odd = integers >> trailing
        place = exponent.astype(np.int64) - 53 + trailing
        common = int(place[nonzero].min())
        bits = int(exponent[nonzero].max()) - common
        shift = np.where(nonzero, place - common, 0)
        if bits <= 62:
            return cls(odd << shift, common, bits)
        return cls(odd.astype(object) << shift.astype(object), common, bits)

    @classmethod
    def _of_integers(cls, values: npt.NDArray[Any]) -> "Dyadic":
        largest = max(abs(int(values.max())), abs(int(values.min()))) if values.size else 0
        bits = largest.bit_length()
        return cls(values.astype(np.int64 if bits <= 62 else object), 0, bits)

    def to(self, bits: int) -> Integers:
        """The integers in a dtype in which results of up to ``bits`` bits are exact."""
        return self.integers.astype(np.int64 if bits <= 62 else object, copy=False)

    def __getitem__(self, index: Any) -> "Dyadic":
        return Dyadic(self.integers[index], self.exponent, self.bits)


def integers_of(values: list[float]) -> tuple[list[int], int]:
    """Exact integers of finite floats or integers, and the power of two they are multiplied by.

    The same as :meth:`Dyadic.of`, which is faster for more than some hundred values.

    Examples
    --------
    >>> integers_of([0.75, -3.0])
    ([3, -12], -2)
    """
    try:
        ratios = [value.as_integer_ratio() for value in values]
    except (OverflowError, ValueError):
        raise CertificateError(_NOT_A_NUMBER) from None
    # All denominators are powers of two.
    common = max((low for _, low in ratios), default=1)
    return [high * (common // low) for high, low in ratios], 1 - common.bit_length()


def as_integers(values: npt.NDArray[Any]) -> Integers:
    """Python integers that are the same power of two times each of the numbers.

    Examples
    --------
    >>> as_integers(np.array([0.75, 3.0]))
    array([3, 12], dtype=object)
    """
    if values.size <= _FEW:
        return np.array(integers_of(values.tolist())[0], dtype=object)
    return Dyadic.of(values).integers.astype(object)


_NOT_A_NUMBER = "a value is NaN or infinite: exact arithmetic needs numbers"

_FEW = 64
"""Up to this many different denominators, the common one is short enough to compute with. Up to
this many floats, Python makes integers of them as fast as numpy: 7 and 17 microseconds for 20, 19
and 18 for 60."""


def squares_over(
    integers: Integers, divisors: npt.NDArray[np.float64] | None, *, thorough: bool = False
) -> tuple[fmpq, bool]:
    """``Σ a_i²/s_i`` for integers and positive floats (by default 1), and whether it is exact.

    Where the floats are many and different, the common denominator has as many digits as all of
    them together: then, unless ``thorough``, each quotient is rounded up, by less than ``2**-120``
    of the largest.

    Examples
    --------
    >>> squares_over(np.array([1, 2], dtype=object), np.array([0.5, 3.0]))
    (10/3, True)
    """
    squares = integers * integers
    if divisors is None:
        return fmpq(int(squares.sum())), True
    distinct, which = np.unique(divisors, return_inverse=True)
    sums = np.zeros(distinct.size, dtype=object)
    np.add.at(sums, which, squares)
    # a / (p/q), in integers
    parts = [(int(a), *s.as_integer_ratio()) for a, s in zip(sums, distinct.tolist(), strict=True)]
    if thorough or distinct.size <= _FEW:
        return _pairwise([fmpq(fmpz(a) * q, fmpz(p)) for a, p, q in parts]), True
    bits = max(a.bit_length() + q.bit_length() - p.bit_length() for a, p, q in parts)
    shift = max(0, 128 - bits)
    return rational(sum(-((-a * q << shift) // p) for a, p, q in parts), -shift), False


def _pairwise(terms: list[fmpq]) -> fmpq:
    """The sum, taken so that long fractions meet others as long."""
    while len(terms) > 1:
        terms = [sum(terms[i : i + 2], fmpq(0)) for i in range(0, len(terms), 2)]
    return terms[0]


def rational(integer: int, exponent: int = 0) -> fmpq:
    """The number ``integer * 2**exponent``."""
    if exponent >= 0:
        return fmpq(fmpz(integer) << exponent, 1)
    return fmpq(fmpz(integer), fmpz(1) << -exponent)


def of_float(value: float) -> fmpq:
    """The exact rational value of a finite float."""
    numerator, denominator = value.as_integer_ratio()
    return fmpq(fmpz(numerator), fmpz(denominator))


def nearest_float(value: fmpq) -> float:
    """The float nearest to ``value``, infinite if that is beyond the largest."""
    try:
        return int(value.p) / int(value.q)
    except OverflowError:
        return math.copysign(math.inf, 1 if value > 0 else -1)


def floor_float(value: fmpq) -> float:
    """Largest float that is not above ``value``.

    Examples
    --------
    >>> floor_float(fmpq(1, 10)) < 0.1 == ceil_float(fmpq(1, 10))
    True
    """
    nearest = nearest_float(value)
    if math.isinf(nearest):
        return sys.float_info.max if value > 0 else -math.inf
    return nearest if of_float(nearest) <= value else math.nextafter(nearest, -math.inf)


def ceil_float(value: fmpq) -> float:
    """Smallest float that is not below ``value`` (infinity if there is none)."""
    return 0.0 - floor_float(-value)


@lru_cache(maxsize=64)
def relative_gap(low: float, high: float) -> float:
    """Smallest float that is not below ``1 - low/high``, for ``high > 0``.

    Examples
    --------
    >>> relative_gap(0.75, 1.0), relative_gap(1.0, 1.0)
    (0.25, 0.0)
    """
    return ceil_float(1 - of_float(low) / of_float(high)) if high < math.inf else math.inf


def floor_sqrt(value: fmpq) -> float:
    """Largest float that is not above the square root of ``value``.

    Examples
    --------
    >>> floor_sqrt(fmpq(9, 4)), floor_sqrt(fmpq(2)), ceil_sqrt(fmpq(2))
    (1.5, 1.414213562373095, 1.4142135623730951)
    """
    return floor_float(_sqrt_below(value)[0])


def ceil_sqrt(value: fmpq) -> float:
    """Smallest float that is not below the square root of ``value``."""
    root, step = _sqrt_below(value)
    return ceil_float(root if root * root == value else root + step)


def _sqrt_below(value: fmpq) -> tuple[fmpq, fmpq]:
    """The square root cut off at a multiple of ``step``, at least 64 bits below its head.

    Every float near the root is a multiple of ``step``, so cutting off first and then rounding
    to a float in the same direction rounds the root itself.
    """
    numerator, denominator = int(value.p), int(value.q)
    if numerator == 0:
        return fmpq(0), fmpq(0)
    shift = 66 - (numerator.bit_length() - denominator.bit_length()) // 2
    if shift >= 0:
        quotient = (numerator << 2 * shift) // denominator
    else:
        quotient = numerator // (denominator << -2 * shift)
    return rational(math.isqrt(quotient), -shift), rational(1, -shift)
