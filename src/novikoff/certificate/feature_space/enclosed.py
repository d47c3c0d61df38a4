"""A kernel classifier on the examples: its values and its norm, between proven bounds.

``f(x) = Σ_j c_j k(x_j, x) + b`` is the hyperplane with the normal ``w = Σ_j c_j φ(x_j)`` of the
feature space, and ``‖w‖² = Σ_i c_i (f(x_i) - b)`` over the support: the values on the examples are
all that is needed. ``room`` widens the bounds on rounding errors. Who makes a claim leaves room for
the rounding of another processor, so that the check finds it true there too.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from flint import fmpq

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.dyadic import Dyadic, ceil_float, floor_float, of_float, rational
from novikoff.certificate.exact.filter import enclose, radius
from novikoff.certificate.exact.margins import NO_ROWS, Bound, competitors, over_norm
from novikoff.certificate.exact.prediction import Errors
from novikoff.certificate.exact.slack import Primal, hinge_sums, least_scale
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.examples.labels import Signs
from novikoff.certificate.feature_space.exact_table import Interval, exact_square, exact_sums
from novikoff.certificate.feature_space.kernel import Kernel
from novikoff.certificate.feature_space.table import KernelTable

SMALL_TABLE = 1 << 10
"""Up to this many kernel values exact arithmetic is used without asking for need: some 5 ms."""

SMALL_REAL_TABLE = 1 << 6
"""The same where kernel values are not rational: exact arithmetic then encloses them, as rounding
does, only closer. With 1,024 of them it was a third of the time that 500 half moons took."""

LARGEST_TABLE = 1 << 18
"""Kernel values to which exact arithmetic is extended where bounds do not prove a claim: 2 s."""

LARGEST_GIVEN = 1 << 25
"""The same for values that are given as floats, if asked for: 1.4 s."""

QUICK_TABLE = 1 << 14
"""Kernel values that take exact arithmetic up to 0.2 s."""

ROUNDED = 2.0**-20
"""The relative width from which on the bounds on a margin are made closer, if that is cheap."""

_LOOSE, _VERY_LOOSE = fmpq(1, 1 << 20), fmpq(1, 1 << 13)
"""The relative width of an interval from which on exact arithmetic is used, if quick; and if only
affordable: rounding is then an eighth of the gap of 1e-3 that is asked for by default."""

MAKER_ROOM = 4.0
"""``v - 4 e <= v' - e`` for two results ``v``, ``v'`` within ``e`` of the same number, with some to
spare."""

ROUNDED_VALUES = 19
"""Bits of the values of a given kernel that are taken for right, in sums of many of them: who gives
them may have computed in float32, which has 24."""

OVERFLOW = (
    "sums of kernel values overflow: rescale the features, or use another kernel, or another gamma "
    "or coef0"
)
"""The weights of a kernel that is not positive semidefinite grow without bound."""

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Enclosed:
    """Floats on either side of ``y_i f(x_i)`` for all examples, and an interval for ``‖w‖²``."""

    table: KernelTable
    signs: Signs
    support: Indices
    coef: Floats
    intercept: float
    low: Floats
    high: Floats
    norm2: Interval

    @classmethod
    def of(
        cls,
        examples: Examples,
        support: Indices,
        coef: Floats,
        intercept: float,
        *,
        room: float = 1.0,
    ) -> "Enclosed":
        """Compute the values by rigorous floating-point arithmetic.

        Raises
        ------
        CertificateError
            If ``‖w‖²`` is negative, which no kernel that is positive semidefinite allows.
        """
        table = table_of(examples)
        table.check_symmetric(support)
        values, error = (part[:, 0] for part in table.sums(support, coef[:, None]))
        with np.errstate(all="ignore"):
            error = error * room
            norm2 = weighted(coef, values[support], error[support], room)
            if table.kernel.name == "callable":
                norm2 = called_square(table, support, coef, room)
            wide = error + radius(np.abs(values) + abs(intercept), 1)
            low, high = enclose((values + intercept) * examples.signs, wide)
        found = cls(table, examples.signs, support, coef, intercept, low, high, norm2)
        if found.is_small(support.size, thorough=is_loose(norm2, support.size**2)):
            norm2 = found.exact_norm2()
            found = cls(table, examples.signs, support, coef, intercept, low, high, norm2)
        return replace(found, norm2=found.semidefinite(found.norm2))

    def semidefinite(self, square: Interval) -> Interval:
        """``‖w‖²``, given an interval for it; see :func:`semidefinite`."""
        return semidefinite(square, self.table, self.support, self.coef)

    def is_small(self, n_rows: int, *, thorough: bool = False) -> bool:
        """Whether exact arithmetic is cheap for so many rows; with ``thorough``, affordable."""
        return is_small_table(self.table, n_rows, self.support.size, thorough=thorough)

    def is_cheap(self, n_rows: int) -> bool:
        """Whether exact arithmetic for so many rows takes no longer than rounded sums.

        Not of a function, which may round differently in other blocks.
        """
        if self.table.kernel.name == "precomputed":
            return self.is_small(n_rows, thorough=True)
        return n_rows * self.support.size <= SMALL_TABLE

    def exact_norm2(self) -> Interval:
        """``‖w‖²`` in exact arithmetic."""
        exact = Dyadic.of(self.coef)
        integers = [int(a) for a in exact.integers]
        low, high = exact_square(self.table, self.support, integers)
        scale = rational(1, 2 * exact.exponent)
        return self.semidefinite((low * scale, high * scale))

    def exact_values(self, rows: Indices, *, decide: bool = True) -> list[Interval]:
        """Intervals for ``y_i f(x_i)`` of some rows; with ``decide``, of known sign."""
        found = exact_sums(self.table, rows, self.support, self.coef, self.intercept, decide=decide)
        return [
            (low, high) if sign > 0 else (-high, -low)
            for (low, high), sign in zip(found, self.signs[rows], strict=True)
        ]


def table_of(examples: Examples) -> KernelTable:
    """The table of kernel values between the examples."""
    assert examples.kernel is not None
    return KernelTable.of(examples.kernel, examples.X, function=examples.function)


def is_small_table(
    table: KernelTable, n_rows: int, n_columns: int, *, thorough: bool = False
) -> bool:
    """Whether exact arithmetic is cheap for so many kernel values; with ``thorough``, affordable.

    The values of a function are not taken for exact where bounds will do: it may round
    differently the next time.
    """
    if table.kernel.name == "callable" and not thorough:
        return False
    if thorough and table.kernel.is_given:
        return n_rows * n_columns <= LARGEST_GIVEN
    small = SMALL_TABLE if table.kernel.is_rational else SMALL_REAL_TABLE
    most = LARGEST_TABLE if thorough else small
    # A kernel value costs as much as some hundred products of features.
    return n_rows * n_columns * (1 + table.n_features // 128) <= most


def is_loose(square: Interval, n_values: int) -> bool:
    """Whether rounding errors are much of a square of so many terms, since terms nearly cancel.

    Not of more terms than exact arithmetic is used for without being asked: the square may be next
    to nothing beside the slack.

    Examples
    --------
    >>> square = fmpq(1), fmpq(1) + fmpq(1, 10**5)
    >>> is_loose(square, 100), is_loose(square, 200_000)
    (True, False)
    """
    if n_values > LARGEST_TABLE:
        return False
    limit = _LOOSE if n_values <= QUICK_TABLE else _VERY_LOOSE
    return bool(square[1] - square[0] > limit * square[0])


def semidefinite(
    square: Interval, table: KernelTable, support: Indices, coefs: Floats, times: int = 1
) -> Interval:
    """The squared norm of a combination of examples, or ``times`` that of all columns of ``coefs``.

    The values that are given for a kernel are rounded, so that a squared norm that is next to
    nothing may be a little below zero. The kernel is then taken to be the given one with a larger
    diagonal: larger by twice what makes the square at least zero. Where the coefficients have the
    signs of their classes, as those of a dual solution, that only increases margins. What is
    returned for an interval contains what is returned for any part of it, so that a claim made with
    wider bounds is found true with closer ones.

    Raises
    ------
    CertificateError
        If it is negative by more than rounding.
    """
    low, high = square
    given = table.kernel.is_given
    if high < 0 and not (given and -high <= _rounding(table, support, coefs, times)):
        raise CertificateError(
            "the kernel is not positive semidefinite: a combination of examples has the squared "
            f"norm {ceil_float(high) or 'just below 0'}. Use another kernel, or another gamma or "
            "coef0."
        )
    return (fmpq(0), high - 2 * low) if given and low < 0 else square


def agreeing_dual(dual: float, primal: float, kernel: Kernel) -> float:
    """A lower bound on the objective beside an upper one, which rounded values may put below it.

    A function rounds differently in other blocks. As with a squared norm that is negative, bounds
    that rounding has made contradictory are as uncertain as it shows; others stay as they are.

    Examples
    --------
    >>> agreeing_dual(1.0 + 2.0**-30, 1.0, Kernel("callable")) == 1.0 - 2.0**-30
    True
    >>> agreeing_dual(1.0 + 2.0**-30, 1.0, Kernel("linear")) > 1.0
    True
    """
    excess = dual - primal
    if not kernel.is_given or not 0.0 < excess <= primal * 2.0**-ROUNDED_VALUES:
        return dual
    return primal - math.nextafter(excess, math.inf)


def agreeing_margin(margin: float | None, errors: int) -> float | None:
    """A lower bound on the margin that is not positive where errors were counted.

    Both are bounds on the same values, but those of a function may round differently in other
    blocks.
    """
    return min(margin, 0.0) if errors and margin is not None else margin


def _rounding(table: KernelTable, support: Indices, coefs: Floats, times: int) -> fmpq:
    """What rounding of given values may change in a squared norm."""
    lengths = np.sqrt([abs(table.exact_square_block(i, i)[0, 0]) for i in support[:, np.newaxis]])
    with np.errstate(over="ignore"):
        most = times * float(((lengths @ np.abs(coefs)) ** 2).sum())
    if not 0.0 < most < math.inf:
        return fmpq(0)
    # A power of two is the same however the sum was rounded.
    return rational(1, math.frexp(most)[1] - ROUNDED_VALUES)


def margin_below(
    found: Enclosed, taking_part: Mask | None = None, *, thorough: bool = False
) -> Bound:
    """A lower bound on ``min_i y_i f(x_i)/‖w‖``; minus infinity where ``w`` may be zero."""
    if not found.coef.any():
        return Bound(-math.inf, True, NO_ROWS)
    rows, low, high = competitors(found.low, found.high, taking_part)
    undecided = not math.isfinite(low) or low <= 0.0 < high
    loose = high - low > ROUNDED * abs(low) and rows.size * found.support.size <= SMALL_TABLE
    exact = found.is_small(rows.size, thorough=thorough or undecided or loose)
    if exact:
        least = min(low for low, _ in found.exact_values(rows))
    elif not math.isfinite(low):
        return Bound(-math.inf, False, NO_ROWS)
    else:
        least = of_float(low)
    norm2 = found.norm2
    if thorough and found.is_small(found.support.size, thorough=True):
        norm2 = found.exact_norm2()
    exact = exact and found.is_small(found.support.size, thorough=thorough)
    value = -math.inf
    if (least >= 0 and norm2[1] > 0) or (least < 0 and norm2[0] > 0):
        value = over_norm(least, norm2)
    return Bound(value, exact, rows if exact else NO_ROWS)


def count_errors(found: Enclosed, taking_part: Mask | None = None) -> Errors:
    """The number of examples that ``sign(f(x))`` gets wrong, where ``sign(0) = +1``."""
    right, wrong = found.low > 0.0, found.high < 0.0
    if not found.coef.any():
        right = (found.signs > 0) == (found.intercept >= 0.0)
        wrong = ~right
    if taking_part is not None:
        right, wrong = right | ~taking_part, wrong & taking_part
    rows = np.flatnonzero(~(right | wrong))
    count = int(np.count_nonzero(wrong))
    for (low, high), sign in zip(found.exact_values(rows), found.signs[rows], strict=True):
        count += bool(high < 0 or (low == 0 == high and sign < 0))
    return Errors(count, rows)


def primal_value(
    found: Enclosed,
    C: float,
    costs: Floats | None = None,
    *,
    scale: float = 1.0,
    thorough: bool = False,
) -> Primal:
    """Enclose the soft-margin objective of ``scale`` times the classifier."""
    factor = of_float(scale)
    with np.errstate(all="ignore"):
        lows, highs = found.low, found.high
        if scale != 1.0:
            lows = np.nextafter(lows * scale, -np.inf)
            highs = np.nextafter(highs * scale, np.inf)
    rows = np.flatnonzero(~(lows >= 1.0) & (True if costs is None else costs > 0.0))
    some = None if costs is None else costs[rows]
    between = None
    exact = found.is_small(rows.size, thorough=thorough)
    if not exact:
        between = hinge_sums(lows[rows], highs[rows], some)
        n_values = rows.size * found.support.size
        if between is not None and is_loose(between, n_values) and found.is_cheap(rows.size):
            between = None
    exact = between is None
    if between is None:
        between = _exact_hinges(found, rows, some, factor)
    norm2 = found.norm2
    if thorough and found.is_small(found.support.size, thorough=True):
        norm2 = found.exact_norm2()
    exact = exact and found.is_small(found.support.size, thorough=thorough)
    penalty, square = of_float(C), factor * factor / 2
    low = square * max(norm2[0], fmpq(0)) + penalty * between[0]
    high = square * norm2[1] + penalty * between[1]
    return Primal(floor_float(low), ceil_float(high), exact, rows if exact else NO_ROWS)


def best_scale(found: Enclosed, C: float, costs: Floats | None = None) -> float:
    """The scale that makes the objective least, to floating-point accuracy; 1 if there is none."""
    penalties = 2.0 * C * (1.0 if costs is None else costs)
    middle = floor_float((found.norm2[0] + found.norm2[1]) / 2)
    with np.errstate(all="ignore"):
        margins = 0.5 * found.low + 0.5 * found.high
        scale = float(least_scale(margins, middle, np.broadcast_to(penalties, margins.shape)))
    return scale if 0.0 < scale < math.inf else 1.0


def _exact_hinges(found: Enclosed, rows: Indices, costs: Floats | None, factor: fmpq) -> Interval:
    low, high = fmpq(0), fmpq(0)
    for place, (least, most) in enumerate(found.exact_values(rows, decide=False)):
        cost = 1 if costs is None else of_float(float(costs[place]))
        low += cost * max(1 - factor * most, fmpq(0)) ** 2
        high += cost * max(1 - factor * least, fmpq(0)) ** 2
    return low, high


def called_square(table: KernelTable, support: Indices, coefs: Floats, room: float) -> Interval:
    """An interval for ``Σ_ij c_i·c_j k(x_i, x_j)``, of the values that exact arithmetic has too."""
    total, error = table.square(support, coefs)
    (low,), (high,) = enclose(np.array([total]), np.array([room * error]))
    if not math.isfinite(low) or not math.isfinite(high):
        raise CertificateError(OVERFLOW)
    return of_float(float(low)), of_float(float(high))


def weighted(coef: Floats, values: Floats, error: Floats, room: float) -> Interval:
    """An interval for ``Σ_i coef_i v_i``, where ``v_i`` is within an error of its value."""
    total = float(coef @ values)
    magnitude, spread = float(np.abs(coef) @ np.abs(values)), float(np.abs(coef) @ error)
    wide = room * float(radius(np.array(magnitude), coef.size)) + spread * (1.0 + 2.0**-20)
    (low,), (high,) = enclose(np.array([total]), np.array([wide]))
    if not math.isfinite(low) or not math.isfinite(high):
        raise CertificateError(OVERFLOW)
    return of_float(float(low)), of_float(float(high))
