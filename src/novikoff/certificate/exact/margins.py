"""The margin of a hyperplane, bounded from below.

The margin is ``min_i y_i (w·x_i + b) / ‖w‖``. The filter encloses every numerator; the rows
whose interval reaches below the smallest upper end are the only ones that can attain the minimum,
and these are decided exactly.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpq

from novikoff.certificate.exact import pairs
from novikoff.certificate.exact.dyadic import ceil_sqrt, floor_sqrt, of_float, rational
from novikoff.certificate.exact.filter import signed_values, squares_between
from novikoff.certificate.examples.blocks import Floats, Indices, count_values, take
from novikoff.certificate.examples.labels import Signs

EXACT_VALUES = 1 << 11
"""Up to this many values exact arithmetic is used without asking for need: it takes some 1 ms."""


NO_ROWS: Indices = np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Bound:
    """A float on the safe side of a number.

    ``exact``: it is the float nearest to the number on that side, so nothing better can be
    claimed. ``exact_rows`` are the examples that were decided in exact arithmetic.
    """

    value: float
    exact: bool
    exact_rows: Indices


def margin_below(
    X: Any,
    signs: Signs,
    coef: Floats,
    intercept: float,
    taking_part: npt.NDArray[np.bool_] | None = None,
    *,
    thorough: bool = False,
    values: tuple[Floats, Floats] | None = None,
) -> Bound:
    """A lower bound on the margin of the hyperplane; minus infinity for ``coef = 0``.

    ``taking_part`` marks the examples that count; by default, all.
    With ``thorough`` it is the largest float that is not above the margin; otherwise that is
    so unless features or the rows that compete for the minimum are many. ``values`` are the
    hyperplane's :func:`signed_values`, where they are known.
    """
    if not coef.any():
        return Bound(-math.inf, True, NO_ROWS)
    w, b, exponent = scaled(coef, intercept) if values is None else (coef, intercept, 0)
    values = signed_values(X, signs, w, b) if values is None else values

    def norm2(thorough: bool) -> tuple[fmpq, fmpq]:
        low, high = squares_between(coef, thorough=thorough)
        return low * rational(1, -2 * exponent), high * rational(1, -2 * exponent)

    return least_over_norm(
        values,
        norm2,
        lambda rows: exact_minimum(X, signs, rows, w, b),
        lambda rows: count_values(X, rows),
        taking_part,
        thorough=thorough,
    )


def close_margin(X: Any, signs: Signs, coef: Floats, intercept: float) -> float | None:
    """The value of :func:`margin_below` of all examples, where pairs of floats tell it.

    Where too many rows compete for exact arithmetic, a float as close. ``None`` where the pairs do
    not tell it, and where the margin is not positive.
    """
    rows = pairs.rows_of(X)
    if rows is None or not coef.any():
        return None
    return pairs.least_over_norm(rows, signs, coef, intercept, EXACT_VALUES // coef.size)


def least_over_norm(
    values: tuple[Floats, Floats],
    norm2: Callable[[bool], tuple[fmpq, fmpq]],
    exact_least: Callable[[Indices], fmpq],
    count: Callable[[Indices], int],
    taking_part: npt.NDArray[np.bool_] | None = None,
    *,
    thorough: bool = False,
) -> Bound:
    """A lower bound on the least of some numbers, one for each row, over a norm.

    Parameters
    ----------
    values : pair of arrays
        Floats on either side of each number.
    norm2 : callable
        Two rationals with the square of the norm between them: itself twice, if asked with true.
    exact_least : callable
        The least of the numbers of some rows, exactly.
    count : callable
        How many values exact arithmetic reads for some rows.
    taking_part : array of bool, optional
        The rows that count; by default, all.
    thorough : bool
        As for :func:`margin_below`.
    """
    rows, low, high = competitors(*values, taking_part)
    costly = count(rows) > EXACT_VALUES
    # The sign decides separability, and an infinite end is no bound: both are decided exactly.
    thorough = thorough or low <= 0.0 < high
    if costly and not thorough and math.isfinite(low):
        value = over_norm(of_float(low), norm2(False))
        if value != 0.0:
            return Bound(value, False, NO_ROWS)
    least = exact_least(rows)
    between = norm2(thorough)
    value = over_norm(least, between)
    if value == 0.0 and least > 0:
        between = norm2(True)
        value = over_norm(least, between)
    return Bound(value, between[0] == between[1], rows)


def over_norm(least: fmpq, norm2: tuple[fmpq, fmpq]) -> float:
    """A float that is not above ``least / sqrt(norm2)``, whose square is between two numbers.

    The largest such float where these are equal.
    """
    if least >= 0:
        return floor_sqrt(least * least / norm2[1])
    return -ceil_sqrt(least * least / norm2[0])


def exact_minimum(X: Any, signs: Signs, rows: Indices, w: Floats, b: float) -> fmpq:
    """Exact minimum of ``y_i (w·x_i + b)`` over some rows."""
    least: fmpq = min(
        rational(min(values), exponent)
        for values, exponent in _exact_integers(X, signs, rows, w, b)
    )
    return least


def exact_values(X: Any, signs: Signs, rows: Indices, w: Floats, b: float) -> Any:
    """Exact ``y_i (w·x_i + b)`` over some rows: a list for each block of them."""
    for values, exponent in _exact_integers(X, signs, rows, w, b):
        yield [rational(value, exponent) for value in values]


def _exact_integers(X: Any, signs: Signs, rows: Indices, w: Floats, b: float) -> Any:
    """The same as integers, and the power of two that those of a block are multiplied by."""
    constant, denominator = float(b).as_integer_ratio()
    place = 1 - denominator.bit_length()
    for block in take(X, rows):
        sums, exponent = block.exact_products(w)
        low = min(exponent, place)
        up, lifted = exponent - low, constant << (place - low)
        sides = signs[block.rows].tolist()
        yield [int(sign) * ((s << up) + lifted) for sign, s in zip(sides, sums, strict=True)], low


def competitors(
    lows: Floats, highs: Floats, taking_part: npt.NDArray[np.bool_] | None
) -> tuple[Indices, float, float]:
    """Rows that may attain the minimum, and a float on either side of it."""
    if taking_part is not None:
        lows, highs = (np.where(taking_part, ends, math.inf) for ends in (lows, highs))
    least_high = float(highs.min(initial=math.inf))
    competing = lows <= least_high
    if taking_part is not None:
        competing &= taking_part
    return np.flatnonzero(competing), float(lows.min(initial=math.inf)), least_high


def scaled(coef: Floats, intercept: float) -> tuple[Floats, float, int]:
    """The same hyperplane near the middle of the exponent range, if that loses no bit."""
    largest = max(float(np.abs(coef).max()), abs(intercept))
    exponent = math.frexp(largest)[1]
    with np.errstate(all="ignore"):
        w, b = np.ldexp(coef, -exponent), math.ldexp(intercept, -exponent)
        same = np.array_equal(np.ldexp(w, exponent), coef) and math.ldexp(b, exponent) == intercept
    if same:
        return w, b, exponent
    return coef, intercept, 0
