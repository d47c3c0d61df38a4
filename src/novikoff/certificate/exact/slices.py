"""Exact inner products at the speed of floating point.

Numbers are cut into slices of 16 bits: integers, each slice with a power of two of its own. A
product of two slices has 32 bits and the sum of up to ``2**21`` of them has 53, so a matrix product
of slices in float64 is exact, in whatever order it is summed. What is left to integers of any
length is to add up the few products of slices that make one inner product.

**Rounded products.** The sums of products of slices are the digits of the inner product in the base
``2**16``, before the carries. With these passed on, all but the leading one lie in ``[0, 2**16)``.
Then ``t <- 2**16 t + digit``, from the leading one on, is exact while ``|t| < 2**53``, and from
there on each step rounds once: with ``t = T (1 + θ)`` the next value has a relative error of at
most ``(|θ| + u) (1 + 2**-52)``, since the digit is below ``2**-53`` of ``2**16 T``. Floats have at
most 16 slices, so there are at most 31 digits, and the leading one is rounded once: the result has
a relative error below ``2**-48``, whatever has cancelled.

**Several at once.** A combination of columns of a matrix, in which a column may occur more than
once, is the product of the matrix of these columns and a vector ``v``. Its slices are integers
``s_kj`` with ``|s_kj| < 2**16``, cut from ``v`` alone, for terms ``j`` that belong to columns
``c(j)``. With ``m_ic`` a slice of the matrix, ``Σ_j m_i,c(j) s_kj = Σ_c m_ic S_kc`` where ``S_kc``
is the sum of ``s_kj`` over the terms of column ``c``. Of up to ``2**21`` terms every partial sum on
either side is an integer of at most ``2**21 2**32 = 2**53``, so both are exact in float64, and
the same digits. So one product with the columns ``S_k`` of all combinations has the digits of each.
Columns that a combination lacks add zeros, and all have the slices of the matrix in common.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpq
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.dyadic import Dyadic, Integers, integers_of, rational
from novikoff.certificate.threads import by_slices

_WIDTH = 16
MOST_TERMS = 1 << 21
"""Sums of so many products of two slices are exact in float64."""

_MOST_SLICES = 16
"""Beyond, the numbers differ so much in size that integers of any length are as good."""

_FEW_VALUES = 256
"""Up to so many values of a matrix, integers of any length are faster than slices: 44 and 57
microseconds for 110 values, 64 and 63 for 360."""

_VERY_FEW = 64
"""Up to so many values, Python's integers are faster than arrays of them: 20 and 40 microseconds
for 30 values, 49 and 44 for 110."""

_PIECE = 1 << 16
"""How many values of a matrix are cut at a time, so that their slices stay in the cache. Checks of
proofs with 1, 10 and 35 columns replaced take 6, 28 and 65 ms at half, 6, 24 and 55 at the value,
13, 26 and 54 at twice."""

_SPARSE = 0.125
"""Several combinations with no larger a share of the columns are multiplied as a sparse matrix:
100 of four columns each, of 150, take a sixth of the time. Not varied."""

_LARGEST_EXPONENT = 900
"""Up to here numbers are scaled by a product with a power of two."""

ROUNDED = 2.0**-48
"""The relative error of :func:`rounded_product`."""


@dataclass(frozen=True)
class Slices:
    """The exact numbers ``(parts[0] 2**(16 m) + … + parts[m]) 2**exponent``."""

    parts: list[npt.NDArray[np.float64]]
    exponent: int

    @classmethod
    def of(cls, values: npt.NDArray[Any]) -> "Slices | None":
        """Cut an array of finite floats or of bytes; ``None`` where that takes too many slices.

        Examples
        --------
        >>> Slices.of(np.array([3.0, -(2.0**-16)]))
        Slices(parts=[array([49152.,    -0.]), array([     0., -16384.])], exponent=-30)
        """
        floats = np.asarray(values, dtype=np.float64)
        top = math.frexp(np.abs(floats).max(initial=0.0))[1]
        if abs(top) > _LARGEST_EXPONENT:
            return None
        rest = floats * 2.0 ** (_WIDTH - top)
        if (rest * 2.0 ** (top - _WIDTH) != floats).any():
            return None
        parts: list[npt.NDArray[np.float64]] = []
        while len(parts) < _MOST_SLICES:
            parts.append(np.trunc(rest))
            rest -= parts[-1]
            if not rest.any():
                return cls(parts, top - _WIDTH * len(parts))
            rest *= 2.0**_WIDTH
        return None

    @classmethod
    def of_integers(cls, integers: Integers) -> "Slices":
        """Cut a vector of integers.

        Examples
        --------
        >>> Slices.of_integers(np.array([1, -1, 1 << 17])).parts
        [array([ 0., -1.,  2.]), array([1.0000e+00, 6.5535e+04, 0.0000e+00])]
        """
        numbers = integers.tolist()
        n_bytes = 2 * (max(map(int.bit_length, numbers), default=0) // _WIDTH + 1)
        text = b"".join(a.to_bytes(n_bytes, "big", signed=True) for a in numbers)
        # Two's complement: the leading slice has the sign, the others have none.
        table = np.frombuffer(text, dtype=">i2").reshape(len(numbers), n_bytes // 2).T
        return cls([table[0].astype(float), *table[1:].view(">u2").astype(float)], 0)


def exact_product(matrix: npt.NDArray[Any], vector: npt.NDArray[Any]) -> tuple[Integers, int]:
    """Exact product of a matrix and a vector of floats or integers.

    Returns
    -------
    integers, exponent
        Python integers, and the power of two they are multiplied by.

    Examples
    --------
    >>> exact_product(np.array([[0.5, 1.0], [3.0, 0.0]]), np.array([1, 1 << 20]))
    (array([2097153, 6], dtype=object), -1)
    """
    if matrix.size <= _VERY_FEW:
        return _few_products(matrix, vector)
    digits = _digits(matrix, vector) if matrix.size > _FEW_VALUES else None
    if digits is None:
        return _long_product(matrix, vector)
    places, exponent = digits
    total = places[0].astype(object)
    for place in places[1:]:
        total = (total << _WIDTH) + place
    return total, exponent


def as_short_integers(values: npt.NDArray[Any]) -> npt.NDArray[np.float64] | None:
    """Floats times a power of two, if that makes them a single slice: integers of 16 bits.

    Examples
    --------
    >>> as_short_integers(np.array([1.0, -0.25]))
    array([32768., -8192.])
    >>> as_short_integers(np.array([1.0, 0.1])) is None
    True
    """
    slices = Slices.of(values)
    return slices.parts[0] if slices is not None and len(slices.parts) == 1 else None


def is_zero_product(matrix: npt.NDArray[Any], vector: npt.NDArray[Any]) -> bool:
    """Whether the exact product of a matrix and a vector of floats or integers is zero.

    Examples
    --------
    >>> is_zero_product(np.array([[1.0, 0.5], [2.0, 1.0]]), np.array([1.0, -2.0]))
    True
    >>> is_zero_product(np.array([[1.0, 0.5], [2.0, 1.5]]), np.array([1.0, -2.0]))
    False
    """
    digits = _digits(matrix, vector)
    if digits is None:
        return not any(_long_product(matrix, vector)[0])
    # Where all digits are zero, so is the product; else, digits may cancel when carried.
    places = digits[0]
    some = places[:, places.any(axis=0)]
    total = np.zeros(some.shape[1], dtype=object)
    for place in some:
        total = (total << _WIDTH) + place
    return not any(total)


def rounded_product(matrix: npt.NDArray[Any], vector: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Product of a matrix and a vector of floats, each entry within ``2**-48`` of itself.

    Raises
    ------
    CertificateError
        If an entry is so small or so large that floats near it are not exact.

    Examples
    --------
    >>> rounded_product(np.array([[1.0, 1.0, -1.0]]), np.array([2.0**60, 0.5, 2.0**60]))
    array([0.5])
    """
    digits = _digits(matrix, vector)
    if digits is not None:
        return _rounded(*digits)
    return _in_range(*_leading_bits(*_long_product(matrix, vector)))


def rounded_products(
    matrix: npt.NDArray[Any], combinations: Sequence[tuple[npt.NDArray[np.int64], Any]]
) -> npt.NDArray[np.float64]:
    """Several combinations of columns of a matrix, each entry within ``2**-48`` of itself.

    A combination consists of the places of columns, which may be there more than once, and their
    coefficients. The matrix is cut into slices once for all of them, a few rows at a time.

    Raises
    ------
    CertificateError
        If an entry is so small or so large that floats near it are not exact.

    Examples
    --------
    >>> rounded_products(np.array([[1.0, 2.0]]), [(np.array([1, 0, 1]), np.array([1.0, 2.0, 0.5]))])
    array([[5.]])
    """
    out = np.empty((len(matrix), len(combinations)))
    cut = [Slices.of(coefs) for _, coefs in combinations]
    rights = [each for each in cut if each is not None]
    short = len(rights) == len(cut) and all(len(v) <= MOST_TERMS for _, v in combinations)
    widths = np.array([len(each.parts) for each in rights], dtype=np.int64)
    exponents = np.array([each.exponent for each in rights], dtype=np.int64)
    starts = np.cumsum(widths) - widths
    together = np.zeros((matrix.shape[1], int(widths.sum())))
    parts = (part for each in rights for part in each.parts)
    owners = (
        places
        for (places, _), each in zip(combinations, cut, strict=True)
        if each
        for _ in each.parts
    )
    for column, places, part in zip(together.T, owners, parts, strict=True):
        np.add.at(column, places, part)
    right: Any = together.T
    if np.count_nonzero(together) <= _SPARSE * together.size:
        right = sparse.csr_array(right)
    step = max(1, _PIECE // max(1, matrix.shape[1]))
    for begin in range(0, len(matrix), step):
        rows = matrix[begin : begin + step]
        left = Slices.of(rows) if short else None
        if left is None:
            for k, (places, coefs) in enumerate(combinations):
                out[begin : begin + step, k] = rounded_product(rows[:, places], coefs)
            continue
        sums = [(right @ part.T).astype(np.int64) for part in left.parts]
        # Combinations with as many slices have as many digits: they are rounded at once.
        for width in np.unique(widths).tolist():
            members = np.flatnonzero(widths == width)
            own = starts[members] + np.arange(width)[:, None]
            digits = np.zeros((len(sums) + width - 1, members.size, len(rows)), dtype=np.int64)
            for first, each in enumerate(sums):
                digits[first : first + width] += each[own]
            values = _rounded(digits, left.exponent + exponents[members, None])
            out[begin : begin + step, members] = values.T
    return out


def _rounded(places: Integers, exponent: int | npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The numbers with these digits before the carries, rounded as the module's docstring says."""
    for k in range(len(places) - 1, 0, -1):
        carry = places[k] >> _WIDTH
        places[k] -= carry << _WIDTH
        places[k - 1] += carry
    total = places[0].astype(np.float64)
    for place in places[1:]:
        total = 2.0**_WIDTH * total + place
    return _in_range(total, np.array(exponent))


def _in_range(total: npt.NDArray[Any], exponent: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Multiply by powers of two; refuse what is so small or large that floats are not exact."""
    with np.errstate(all="ignore"):
        product: npt.NDArray[np.float64] = np.ldexp(total, exponent)
    sizes = np.abs(product[total != 0.0])
    least, most = 2.0**-_LARGEST_EXPONENT, 2.0**_LARGEST_EXPONENT
    if sizes.size and not (sizes.min() >= least and sizes.max() <= most):
        raise CertificateError("a combination of columns is too large or too small for a float")
    return product


def _leading_bits(integers: Integers, exponent: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """The leading 64 bits of integers, as floats and the powers of two they are multiplied by."""
    shifts = [max(0, a.bit_length() - 64) for a in integers.tolist()]
    total = [float(a >> shift) for a, shift in zip(integers.tolist(), shifts, strict=True)]
    return np.array(total), np.array(shifts, dtype=np.int64) + exponent


def _digits(matrix: npt.NDArray[Any], vector: npt.NDArray[Any]) -> tuple[Integers, int] | None:
    """Digits of the product before the carries, the leading ones first, and an exponent."""
    left = Slices.of(matrix)
    right = Slices.of(vector) if vector.dtype.kind == "f" else Slices.of_integers(vector)
    if left is None or right is None or vector.size > MOST_TERMS:
        return None
    columns = np.column_stack(right.parts)
    n_columns = columns.shape[1]
    # Fewer than 2**9 exact sums of 53 bits meet at one place.
    places = np.zeros((len(left.parts) + n_columns - 1, matrix.shape[0]), dtype=np.int64)
    for first, part in enumerate(left.parts):
        places[first : first + n_columns] += (part @ columns).T.astype(np.int64)
    return places, left.exponent + right.exponent


def _total_of(places: list[int], exponent: int) -> fmpq:
    """Add up exact sums, each a slice further to the right than the one before."""
    total = 0
    for place in places:
        total = (total << _WIDTH) + place
    return rational(total, exponent)


def exact_total(values: npt.NDArray[Any]) -> fmpq:
    """Exact sum of finite floats or of integers.

    Examples
    --------
    >>> exact_total(np.array([0.5, 3.0]))
    7/2
    """
    if values.dtype.kind != "f":
        return fmpq(int(values.astype(object).sum()))

    def total(part: slice) -> fmpq:
        cut = Slices.of(values[part])
        if cut is None:
            (total,), exponent = _long_product(values[None, part], np.ones(values[part].size))
            return rational(int(total), exponent)
        return _total_of([int(part.sum()) for part in cut.parts], cut.exponent)

    # A slice has fewer than MOST_TERMS terms.
    return sum(by_slices(total, values.size), fmpq(0))


def sum_of_squares(values: npt.NDArray[np.float64]) -> fmpq:
    """Exact sum of the squares of finite floats.

    Examples
    --------
    >>> sum_of_squares(np.array([0.5, 3.0]))
    37/4
    """
    if values.size <= _VERY_FEW:
        integers, exponent = integers_of(values.tolist())
        return rational(sum(map(mul, integers, integers)), 2 * exponent)
    cut = Slices.of(values)
    if cut is None or values.size > MOST_TERMS:
        (total,), exponent = _long_product(values[None], values)
        return rational(int(total), exponent)
    table = np.array(cut.parts)
    products = table @ table.T
    places = [0] * (2 * len(table) - 1)
    for j, row in enumerate(products.tolist()):
        for k, product in enumerate(row):
            places[j + k] += int(product)
    return _total_of(places, 2 * cut.exponent)


def _few_products(matrix: npt.NDArray[Any], vector: npt.NDArray[Any]) -> tuple[Integers, int]:
    """The same for few values, one at a time."""
    integers, exponent = integers_of(matrix.ravel().tolist())
    factors, shift = integers_of(vector.tolist())
    width = len(factors)
    rows = (integers[place * width : (place + 1) * width] for place in range(len(matrix)))
    sums = [sum(map(mul, row, factors)) for row in rows]
    return np.array(sums, dtype=object), exponent + shift


def _long_product(matrix: npt.NDArray[Any], vector: npt.NDArray[Any]) -> tuple[Integers, int]:
    """The same in Python's integers."""
    left = Dyadic.of(matrix)
    right = Dyadic(vector, 0, 0) if vector.dtype.kind == "O" else Dyadic.of(vector)
    product = left.integers.astype(object) @ right.integers.astype(object)
    return product, left.exponent + right.exponent
