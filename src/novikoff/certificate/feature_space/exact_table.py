"""Sums of kernel values in exact arithmetic, or enclosed as closely as is asked for.

The kernels ``linear`` and ``poly`` of floats are rational, and the values of a function or a given
matrix are floats: their sums are computed with no rounding at all. The others are enclosed by ball
arithmetic (arb), of exact arguments and with more and more digits until the sign is known.

**Zero.** ``Σ_j c_j exp(-t_j)`` with rational ``c_j`` and different rational ``t_j`` is zero only if
every ``c_j`` is (Lindemann and Weierstrass). So terms of one argument are added first, and where
nothing is left the sum is exactly zero; otherwise enough digits show its sign.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import arb, ctx, fmpq, fmpz, fmpz_mat
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.dyadic import Dyadic, Integers, of_float, rational
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.feature_space.given_sums import given_sums
from novikoff.certificate.feature_space.kernel import Kernel
from novikoff.certificate.feature_space.table import KernelTable, gather

Interval = tuple[fmpq, fmpq]

PRECISION = 128
"""Bits to begin with."""

MOST_PRECISION = 1 << 14
"""Bits at which the sign of a sum of hyperbolic tangents is given up."""

NEGLIGIBLE = arb(2) ** -MOST_PRECISION
"""Below this the sign of a sum of hyperbolic tangents is given up too."""

UNDECIDED = (
    "the sign of a sum of kernel values could not be decided: use another kernel, or another gamma "
    "or coef0"
)

SATURATED = 1
"""From here on a hyperbolic tangent is 1 less a term that has digits of its own."""

HUGE = 1 << 20
"""Beyond this, ``exp(-t)`` is below ``2**-HUGE`` and enclosed by that: of ``exp(-1e10)`` as a
rational number two gigabytes would be digits. The sign of such a number alone is not decided."""

TINY, TINY_END = arb(2) ** -4096, rational(1, -4096)
"""Below this, sums whose sign does not matter are enclosed by it: ``exp(-1e9)`` as a rational
number has more than a billion bits."""


def exact_sums(
    table: KernelTable,
    rows: Indices,
    columns: Indices,
    coef: Floats,
    intercept: float = 0.0,
    *,
    decide: bool = True,
) -> list[Interval]:
    """``Σ_j coef_j k(x_i, x_columns[j]) + intercept`` for each row, as intervals.

    With ``decide`` none contains zero unless it is zero.
    """
    weights, offset = Dyadic.of(coef), of_float(intercept)
    integers = [int(a) for a in weights.integers]
    found: list[Interval] = []
    for part in table.row_parts(rows, columns.size):
        if table.kernel.is_given:
            unit = rational(1, weights.exponent)
            block = table.exact_block(part, columns)
            sums = given_sums(block, weights.integers, -offset / unit if decide else None)
            found += [(low * unit + offset, high * unit + offset) for low, high in sums]
            continue
        values, exponent = _arguments(table, part, columns)
        if table.kernel.is_rational:
            powers, exponent = _rational_values(table.kernel, values, exponent)
            scale = exponent + weights.exponent
            for row in powers:
                total = sum((a * int(k) for a, k in zip(integers, row, strict=True)), 0)
                value = rational(total, scale) + offset
                found.append((value, value))
        else:
            for row in values:
                terms = _Terms(table.kernel, exponent, weights.exponent)
                for a, argument in zip(integers, row, strict=True):
                    terms.add(int(argument), a)
                found.append(terms.enclosed(offset, decide=decide))
    return found


def exact_square(table: KernelTable, columns: Indices, integers: list[int]) -> Interval:
    """``Σ_ij a_i a_j k(x_i, x_j)`` for integers."""
    if table.kernel.is_given:
        return _given_square(table, columns, np.array(integers, dtype=object))
    terms, total, scale = None, 0, 0
    seen = 0
    for part in table.row_parts(columns, columns.size):
        values, exponent = _arguments(table, part, columns)
        mine = integers[seen : seen + part.size]
        seen += part.size
        if table.kernel.is_rational:
            powers, exponent = _rational_values(table.kernel, values, exponent)
            more = sum(
                a * sum(b * int(k) for b, k in zip(integers, row, strict=True))
                for a, row in zip(mine, powers, strict=True)
            )
            low = min(scale, exponent)
            total = (total << (scale - low)) + (more << (exponent - low))
            scale = low
        else:
            # All arguments over one power of two, which may differ from block to block.
            terms = _Terms(table.kernel, exponent, 0) if terms is None else terms.over(exponent)
            for a, row in zip(mine, values, strict=True):
                for b, argument in zip(integers, row, strict=True):
                    terms.add(int(argument) << (exponent - terms.exponent), a * b)
    if terms is None:
        value = rational(total, scale)
        return value, value
    return terms.enclosed(fmpq(0))


def _given_square(table: KernelTable, columns: Indices, factors: Integers) -> Interval:
    low = high = fmpq(0)
    seen = 0
    for part in table.square_parts(columns):
        sums = given_sums(table.exact_square_block(part, columns), factors)
        for a, ends in zip(factors[seen : seen + part.size], sums, strict=True):
            low += min(int(a) * end for end in ends)
            high += max(int(a) * end for end in ends)
        seen += part.size
    return low, high


class _Terms:
    """A sum of ``c_j φ(t_j)``, where ``φ`` is the function of the kernel; equal terms are one."""

    def __init__(self, kernel: Kernel, exponent: int, scale: int) -> None:
        self.kernel, self.exponent, self.scale = kernel, exponent, scale
        self.coefs: dict[int, int] = {}

    def over(self, exponent: int) -> "_Terms":
        """The same terms with arguments over a power of two that is not above this one."""
        low = min(self.exponent, exponent)
        if low < self.exponent:
            up = self.exponent - low
            self.coefs = {argument << up: c for argument, c in self.coefs.items()}
            self.exponent = low
        return self

    def add(self, argument: int, coef: int) -> None:
        self.coefs[argument] = self.coefs.get(argument, 0) + coef

    def enclosed(self, offset: fmpq, *, decide: bool = True) -> Interval:
        """The sum and a rational number, which does not contain zero unless it is zero."""
        terms, offset = self._distinct(offset)
        if not terms:
            return offset, offset
        precision = PRECISION
        while True:
            with _precision(precision):
                total = arb(offset)
                for argument, coef in terms:
                    total += self._function(argument) * coef
                if not decide and abs(total) < TINY:
                    return -TINY_END, TINY_END
                if self.kernel.name == "sigmoid" and abs(total) < NEGLIGIBLE:
                    raise CertificateError(UNDECIDED)
                low, high = _end(total.lower()), _end(total.upper())
            if not decide or not low <= 0 <= high:
                return low, high
            if precision >= MOST_PRECISION:
                raise CertificateError(UNDECIDED)
            precision *= 2

    def _distinct(self, offset: fmpq) -> tuple[list[tuple[fmpq, fmpq]], fmpq]:
        """The terms with different arguments that are not zero, and the rational part."""
        gamma = of_float(self.kernel.gamma or 0.0)
        coef0 = of_float(self.kernel.coef0 or 0.0)
        terms: dict[tuple[int, int], fmpq] = {}
        for argument, coef in self.coefs.items():
            if not coef:
                continue
            t, c = gamma * rational(argument, self.exponent), rational(coef, self.scale)
            if self.kernel.name == "sigmoid":
                t += coef0
                # tanh(0) = 0, and the function is odd.
                if t == 0:
                    continue
                t, c = (t, c) if t > 0 else (-t, -c)
                # tanh(t) = 1 - 2/(exp(2t) + 1): with the ones added exactly, what is left has
                # digits of its own, however close to 1 the values are.
                if t >= SATURATED:
                    offset += c
            elif t == 0:
                offset += c
                continue
            key = (int(t.p), int(t.q))
            old = terms.get(key)
            terms[key] = c if old is None else old + c
        distinct = [(fmpq(fmpz(p), fmpz(q)), c) for (p, q), c in terms.items() if c != 0]
        return distinct, offset

    def _function(self, t: fmpq) -> arb:
        if t > HUGE:
            # Less than 2**-HUGE, of either sign: its digits would fill the memory.
            return arb(0, arb(2) ** -HUGE)
        if self.kernel.name != "sigmoid":
            return (-arb(t)).exp()
        return arb(t).tanh() if t < SATURATED else -2 / ((2 * arb(t)).exp() + 1)


def _arguments(table: KernelTable, rows: Indices, columns: Indices) -> tuple[Any, int]:
    """What the kernel is a function of, exactly: integers, and the power of two they are over."""
    kernel = table.kernel
    left, right = gather(table.left, rows), gather(table.right, columns)
    if sparse.issparse(left) or sparse.issparse(right):
        left, right = _dense_together(left, right)
    both = Dyadic.of(np.concatenate([left.ravel(), right.ravel()]))
    integers = both.integers.astype(object)
    mine, other = integers[: left.size].reshape(left.shape), integers[left.size :]
    other = other.reshape(right.shape)
    if kernel.name == "laplacian":
        sums = np.array([np.abs(other - row).sum(axis=1) for row in mine], dtype=object)
        return sums.reshape(rows.size, columns.size), both.exponent
    products = _integer_products(mine, other)
    if kernel.name == "rbf":
        squares = (mine * mine).sum(axis=1)[:, None] + (other * other).sum(axis=1)
        products = squares - 2 * products
    return products, 2 * both.exponent


def _dense_together(left: Any, right: Any) -> tuple[Floats, Floats]:
    """Both as arrays of the columns that occur in either."""
    left, right = sparse.csr_array(left), sparse.csr_array(right)
    used = np.union1d(left.indices, right.indices)
    return left[:, used].toarray(), right[:, used].toarray()


def _integer_products(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Exact inner products of integers."""
    if not left.shape[1]:
        return np.zeros((len(left), len(right)), dtype=object)
    factors = [
        fmpz_mat(len(matrix), left.shape[1], [int(a) for a in matrix.ravel()])
        for matrix in (left, right)
    ]
    entries = (factors[0] * factors[1].transpose()).entries()
    products = np.empty(len(entries), dtype=object)
    products[:] = [int(a) for a in entries]
    return products.reshape(len(left), len(right))


def _rational_values(kernel: Kernel, values: Any, exponent: int) -> tuple[Any, int]:
    """The values of a kernel that is rational, as integers over a power of two."""
    if kernel.name != "poly":
        return values, exponent
    assert kernel.gamma is not None and kernel.coef0 is not None and kernel.degree is not None
    factor, offset = (Dyadic.of(np.array([a])) for a in (kernel.gamma, kernel.coef0))
    place = exponent + factor.exponent
    low = min(place, offset.exponent)
    up = int(factor.integers[0]) << (place - low)
    sums = values * up + (int(offset.integers[0]) << (offset.exponent - low))
    return sums**kernel.degree, low * kernel.degree


@contextmanager
def _precision(bits: int) -> Iterator[None]:
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def _end(exact: arb) -> fmpq:
    """The rational value of an exact ball."""
    mantissa, exponent = exact.man_exp()
    return rational(int(mantissa), int(exponent))
