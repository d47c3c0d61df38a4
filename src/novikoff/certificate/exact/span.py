r"""Rows that span others, and combine to zero with positive weights: exact, over the rationals.

**Lemma (Stiemke).** Let ``B`` be a set of rows, ``T`` independent rows of ``B`` with
``span(T) = span(B)``, and ``C`` further rows of ``B`` with weights ``μ_i > 0`` such that the
weights ``λ`` on ``T`` with ``Σ_T λ_i z_i = -Σ_C μ_i z_i`` are all positive. Then every ``w`` with
``z_i·w >= 0`` on ``B`` has ``z_i·w = 0`` on ``B``.

*Proof.* ``Σ_T λ_i z_i·w + Σ_C μ_i z_i·w = 0`` is a sum of terms that are not negative, so each is
zero; as ``λ_i > 0``, ``w`` is orthogonal to ``T``, and to its span. ∎

The weights ``λ`` are solved for here, by a rigorous bound in floating point or over the rationals.
That ``T`` is independent is proved modulo a prime; that ``B`` is in its span by the vectors that
are orthogonal to ``T``, in integers.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from flint import fmpq, fmpz_mat

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.dyadic import Dyadic, nearest_float
from novikoff.certificate.exact.filter import UNDERFLOW, radius
from novikoff.certificate.exact.lifted import Lifted
from novikoff.certificate.exact.modular import PRIMES, independent_among
from novikoff.certificate.exact.peeling import solve
from novikoff.certificate.exact.slices import exact_product
from novikoff.certificate.examples.blocks import Floats, Indices

DEPENDENT = "the rows of the basis are not independent"
OUTSIDE = "is not in the span of the basis"
NOT_POSITIVE = "the weights that combine the rows to zero are not all positive"

_RATIONAL = 48
"""Up to so many rows the weights are solved for over the rationals at once, in some 5 ms."""

_INVERSE, _SUM = 2.5e-10, 1.5e-7
"""Seconds of an inverse, for the third power of its size, and of an exact sum, for each value."""

_SAFE = 1.0 + 2.0**-30
"""More than the roundings in a sum of so many numbers that are not negative."""


@dataclass(frozen=True, eq=False)
class Basis:
    """Independent rows, in integers: column ``j`` of the data times ``2**-exponents[j]``.

    ``before`` is called with the seconds that a step takes, about, if it may be long. A search
    that has less time left raises there.
    """

    lifted: Lifted
    rows: Indices
    before: Callable[[float], None] = lambda seconds: None

    @cached_property
    def _whole(self) -> tuple[list[list[int]], list[int]]:
        return whole_columns(self.lifted.table(self.rows))

    @cached_property
    def pivots(self) -> list[int]:
        """Columns in which the rows are independent, the first such.

        Raises
        ------
        CertificateError
            If they are in none.
        """
        matrix, rank = self._whole[0], self.rows.size
        if rank > self.lifted.width:
            raise CertificateError(DEPENDENT)
        for prime in PRIMES:
            pivots = (
                independent_among(matrix, self.lifted.width, prime, self.before) if rank else []
            )
            if len(pivots) == rank:
                return pivots
        raise CertificateError(DEPENDENT)

    @cached_property
    def orthogonal(self) -> list[list[int]]:
        """Integer vectors that span what is orthogonal to the rows: one for each other column.

        Each is zero in the other columns but its own, so it says how that column depends on the
        pivots.
        """
        matrix, exponents = self._whole
        pivots, width = self.pivots, self.lifted.width
        free = sorted(set(range(width)) - set(pivots))
        if not free:
            return []
        if not pivots:
            return [[int(j == f) for j in range(width)] for f in free]
        square = [[row[j] for j in pivots] for row in matrix]
        solved = solve(square, [[row[f] for f in free] for row in matrix], self.before)
        vectors = []
        for place, f in enumerate(free):
            column = {j: -solved[k][place] for k, j in enumerate(pivots)}
            column[f] = fmpq(1)
            vectors.append(_whole_vector(column, exponents, width))
        return vectors

    def check_spans(self, rows: Indices) -> None:
        """Refuse rows that are not in the span.

        Raises
        ------
        CertificateError
            With the number of the first.
        """
        others = np.setdiff1d(rows, self.rows)
        if others.size < self.lifted.width - len(self.pivots):
            self._check_combinations(others)
            return
        for vector in self.orthogonal:
            outside = np.flatnonzero(~self.lifted.vanishes(rows, vector))
            if outside.size:
                raise CertificateError(f"row {rows[outside[0]]} {OUTSIDE}")

    def _check_combinations(self, others: Indices) -> None:
        """Refuse rows that are not combinations, where there are fewer than columns."""
        if not others.size:
            return
        size, pivots = self.rows.size, self.pivots
        whole = whole_columns(self.lifted.table(np.concatenate([self.rows, others])))[0]
        basis, wanted = whole[:size], whole[size:]
        if not size:
            wrong = [k for k, row in enumerate(wanted) if any(row)]
        else:
            square = fmpz_mat([[row[j] for row in basis] for j in pivots])
            solved: Any = square.solve(fmpz_mat([[row[j] for row in wanted] for j in pivots]))
            combined: Any = solved.transpose() * fmpz_mat(basis)
            wrong = [
                k
                for k, row in enumerate(wanted)
                if any(combined[k, j] != a for j, a in enumerate(row))
            ]
        if wrong:
            raise CertificateError(f"row {others[wrong[0]]} {OUTSIDE}")

    def check_positive(self, support: Indices, weights: Sequence[int]) -> None:
        """Refuse weights on further rows of the span that no positive weights here cancel."""
        if not self.rows.size:
            if support.size:
                raise CertificateError("there are weights, but no basis")
            return
        if not support.size:
            raise CertificateError(NOT_POSITIVE)
        if self.rows.size > _RATIONAL and self._is_positive(support, weights):
            return
        if min(self.weights(support, weights)) <= 0:
            raise CertificateError(NOT_POSITIVE)

    def weights(self, support: Indices, weights: Sequence[int]) -> list[fmpq]:
        """The weights of the basis that cancel these weights on further rows of the span."""
        matrix, exponents = self._whole
        total = self._sum(support, weights)
        columns = self.pivots
        square = fmpz_mat([[row[j] for row in matrix] for j in columns])
        ratios = [_scaled(-total[j], -exponents[j]) for j in columns]
        common = math.lcm(*(int(a.q) for a in ratios))
        right = fmpz_mat([[int(a.p) * (common // int(a.q))] for a in ratios])
        solved: Any = square.solve(right)
        return [solved[k, 0] / common for k in range(self.rows.size)]

    def _sum(self, support: Indices, weights: Sequence[int]) -> list[fmpq]:
        table = self.lifted.table(support)
        factors = np.array([int(a) for a in weights], dtype=object)
        sums, exponent = exact_product(np.ascontiguousarray(table.T), factors)
        return [_scaled(fmpq(int(a)), exponent) for a in sums]

    def _is_positive(self, support: Indices, weights: Sequence[int]) -> bool:
        """Whether a bound in floating point proves that all weights of the basis are positive.

        Let ``A λ = b``, ``α >= ‖I - R A‖`` in the maximum norm, and ``q = R b``. If ``α < 1`` then
        ``λ - q = (I - R A) λ``, so ``‖λ‖ <= ‖q‖/(1 - α)`` and ``|λ_i - q_i| <= α_i ‖q‖/(1 - α)``
        with the sum ``α_i`` of the moduli in row ``i``.
        """
        size, columns = self.rows.size, self.pivots
        self.before(_INVERSE * size**3 + _SUM * support.size * self.lifted.width)
        table = self.lifted.table(self.rows, np.array(columns)).T
        peaks = np.abs(table).max(axis=1)
        if not (peaks > 0.0).all():
            return False
        with np.errstate(all="ignore"):
            exponents = np.frexp(peaks)[1]
            scale = np.ldexp(1.0, -exponents)
            matrix = table * scale[:, None]
            exact = np.array_equal(matrix / scale[:, None], table)
            total = self._sum(support, weights)
            right = np.array(
                [
                    nearest_float(_scaled(-total[j], -int(e)))
                    for j, e in zip(columns, exponents, strict=True)
                ]
            )
            if not (exact and np.isfinite(right).all()):
                return False
            try:
                inverse = scipy.linalg.inv(matrix, check_finite=False)
            except scipy.linalg.LinAlgError:
                return False
            estimate = inverse @ right
            moduli = np.abs(inverse) @ np.column_stack([np.abs(matrix).sum(axis=1), np.abs(right)])
            product = inverse @ matrix
            product[np.arange(size), np.arange(size)] -= 1.0
            defect = np.abs(product).sum(axis=1)
            alpha = (defect + size * radius(moduli[:, 0] / size, size)) * _SAFE
            # The right side is rounded once, which is within the doubled radius.
            error = 2.0 * radius(moduli[:, 1], size) + 4.0 * (size + 8) * UNDERFLOW
            most = float((np.abs(estimate) + error).max())
            worst = float(alpha.max())
            if not worst < 0.5:
                return False
            low = estimate - (error + alpha * (most / (1.0 - worst))) * _SAFE
        return bool((low > 0.0).all())


def whole_columns(table: Floats) -> tuple[list[list[int]], list[int]]:
    """A table in integers: entry ``(i, j)`` is the integer times ``2**exponents[j]``.

    Examples
    --------
    >>> whole_columns(np.array([[0.5, 4.0], [1.0, 0.0]]))
    ([[1, 1], [2, 0]], [-1, 2])
    """
    columns = [Dyadic.of(column) for column in table.T]
    rows = np.array([column.integers.astype(object) for column in columns], dtype=object).T
    return rows.tolist(), [column.exponent for column in columns]


def shortest(vector: Sequence[fmpq]) -> list[int]:
    """The integers without a common divisor that are a positive multiple of a vector."""
    common = math.lcm(*(int(a.q) for a in vector))
    whole = [int(a.p) * (common // int(a.q)) for a in vector]
    divisor = math.gcd(*whole) or 1
    return [a // divisor for a in whole]


def _whole_vector(column: dict[int, fmpq], exponents: list[int], width: int) -> list[int]:
    return shortest([_scaled(column.get(j, fmpq(0)), -exponents[j]) for j in range(width)])


def _scaled(value: fmpq, exponent: int) -> fmpq:
    """``value * 2**exponent``."""
    return value * (1 << exponent) if exponent >= 0 else value / (1 << -exponent)
