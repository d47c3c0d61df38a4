"""How far the score of each example's own class leads that of every other, in a feature space.

As :mod:`novikoff.certificate.exact.leads`, for scores ``f_r(x) = Σ_j c_jr k(x_j, x) + b_r``. The
norm that the least lead is divided by is ``√2 ‖W‖``, and the objective penalises ``‖W‖²``: both
are those of :mod:`novikoff.certificate.feature_space.enclosed` with ``2 ‖W‖²`` for the square of
the norm, so that its bounds on margins and objectives are used as they are.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpz

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.dyadic import Dyadic, of_float, rational
from novikoff.certificate.exact.filter import enclose, radius
from novikoff.certificate.exact.flow import Flow
from novikoff.certificate.exact.hull import HullPoint, squares_of_weights
from novikoff.certificate.exact.leads import lead_bounds
from novikoff.certificate.exact.margins import NO_ROWS
from novikoff.certificate.exact.prediction import Errors, undecided
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.feature_space.enclosed import (
    OVERFLOW,
    Enclosed,
    called_square,
    is_loose,
    is_small_table,
    semidefinite,
    table_of,
    weighted,
)
from novikoff.certificate.feature_space.exact_table import Interval, exact_square, exact_sums
from novikoff.certificate.feature_space.scores import rounded
from novikoff.certificate.feature_space.table import KernelTable


@dataclass(frozen=True, eq=False)
class KernelLeads(Enclosed):
    """Floats on either side of the lead of every example, ``2 ‖W‖²``, and the training errors.

    ``coef`` has a row for each example of the support and a column for each class; ``offsets`` are
    the intercepts.
    """

    codes: Indices
    offsets: Floats
    errors: Errors

    @classmethod
    def of_classes(
        cls,
        examples: Examples,
        support: Indices,
        coef: Floats,
        intercepts: Floats,
        *,
        room: float = 1.0,
    ) -> "KernelLeads":
        """In one pass over the examples."""
        table, codes = table_of(examples), examples.codes
        table.check_symmetric(support)
        values, error = table.sums(support, coef)
        with np.errstate(all="ignore"):
            columns = [
                weighted(c, v, e, room)
                for c, v, e in zip(coef.T, values[support].T, room * error[support].T, strict=True)
            ]
            error = error + radius(np.abs(values) + np.abs(intercepts), 1)
            values = values + intercepts
            low, high = lead_bounds(values, room * error, codes)
        norm2 = 2 * sum((a for a, _ in columns), fmpq(0)), 2 * sum((b for _, b in columns), fmpq(0))
        if table.kernel.name == "callable":
            low2, high2 = called_square(table, support, coef, room)
            norm2 = 2 * low2, 2 * high2
        fixed = np.logical_not(coef.any(axis=0))
        rows = undecided(values, error, fixed, signs=False)
        part = examples.taking_part
        rows = rows if part is None else rows[part[rows]]
        for column in range(coef.shape[1]) if rows.size else ():
            found = exact_sums(
                table,
                rows,
                support,
                np.ascontiguousarray(coef[:, column]),
                float(intercepts[column]),
            )
            values[rows, column] = [rounded(*ends) for ends in found]
        wrong = values.argmax(axis=1) != codes
        if part is not None:
            wrong &= part
        errors = Errors(int(np.count_nonzero(wrong)), rows)
        made = (table, examples.signs, support, coef, 0.0, low, high)
        leads = cls(*made, norm2, codes, intercepts, errors)
        if leads.is_small(support.size, thorough=is_loose(norm2, support.size**2)):
            leads = cls(*made, leads.exact_norm2(), codes, intercepts, errors)
        return replace(leads, norm2=leads.semidefinite(leads.norm2))

    def semidefinite(self, square: Interval) -> Interval:
        """``2 ‖W‖²``, given an interval for it."""
        return semidefinite(square, self.table, self.support, self.coef, times=2)

    def is_small(self, n_rows: int, *, thorough: bool = False) -> bool:
        """Whether exact arithmetic is cheap for so many rows and all classes."""
        n_values = n_rows * self.coef.shape[1]
        return is_small_table(self.table, n_values, self.support.size, thorough=thorough)

    def exact_norm2(self) -> Interval:
        """``2 ‖W‖²`` in exact arithmetic."""
        exact = Dyadic.of(self.coef.ravel())
        integers = exact.integers.astype(object).reshape(self.coef.shape)
        square = squares(self.table, self.support, integers, 2 * rational(1, 2 * exact.exponent))
        return self.semidefinite(square)

    def exact_values(self, rows: Indices, *, decide: bool = True) -> list[Interval]:
        """Intervals for the leads of some rows."""
        scores = [
            exact_sums(
                self.table,
                rows,
                self.support,
                np.ascontiguousarray(c),
                float(b),
                decide=False,
            )
            for c, b in zip(self.coef.T, self.offsets, strict=True)
        ]
        found = []
        for place, own in enumerate(self.codes[rows]):
            low, high = scores[own][place]
            others = [score[place] for r, score in enumerate(scores) if r != own]
            found.append((low - max(b for _, b in others), high - max(a for a, _ in others)))
        return found


def squares(
    table: KernelTable, support: Indices, integers: npt.NDArray[np.object_], scale: fmpq
) -> Interval:
    """The sum over the columns of the squares of weighted sums of examples, times a number."""
    ends = [exact_square(table, support, [int(a) for a in column]) for column in integers.T]
    low, high = sum((a for a, _ in ends), fmpq(0)), sum((b for _, b in ends), fmpq(0))
    return low * scale, high * scale


def flow_point(
    table: KernelTable,
    support: Indices,
    flow: Flow,
    *,
    costs: Floats | None = None,
    room: float = 1.0,
    thorough: bool = False,
) -> HullPoint:
    """The point that a flow makes in the feature space; see :mod:`novikoff.certificate.exact.flow`.

    Raises
    ------
    CertificateError
        If the square of its norm is negative.
    """
    table.check_symmetric(support)
    brought = flow.max(axis=1)
    total = int(brought.sum())
    part = None if costs is None else costs[support]
    shares, exact_shares = squares_of_weights(brought, part, thorough=thorough)
    n_rows = support.size * flow.shape[1]
    square: Interval | None = None
    if not is_small_table(table, n_rows, support.size, thorough=thorough):
        value, error = table.square(support, flow / float(total))
        (low,), (high,) = enclose(np.array([value]), np.array([room * error]))
        if math.isfinite(low) and math.isfinite(high):
            square = of_float(float(low)), of_float(float(high))
            if is_loose(square, n_rows * support.size) and is_small_table(
                table, n_rows, support.size, thorough=True
            ):
                square = None
        elif not is_small_table(table, n_rows, support.size, thorough=True):
            raise CertificateError(OVERFLOW)
    exact = square is None
    if square is None:
        square = squares(table, support, flow.astype(object), fmpq(1, fmpz(total) ** 2))
    square = semidefinite(square, table, support, flow / float(total))
    above, whole = max(square[1], fmpq(0)), fmpz(total) ** 2
    exact_rows = support if exact else NO_ROWS
    return HullPoint(above / 2, shares / whole, False, exact and exact_shares, exact_rows)
