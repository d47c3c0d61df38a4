"""The soft-margin problem, bounded from both sides.

With ``C = 1/(2 Δ²)`` the problem is to minimise
``P(w, b) = ‖w‖²/2 + C Σ max(0, 1 - y_i(w·x_i + b))²``.
Its dual is to maximise ``Σ a_i - ‖Σ a_i y_i x_i‖²/2 - Δ²‖a‖²/2`` over ``a >= 0``, with
``Σ a_i y_i = 0`` where there is an intercept. On the ray through given weights the maximum is
``1/(2q)``, or ``2/q`` with an intercept, where ``q = ‖v‖² + Δ² Σ λ_i²`` and ``v`` is the
point of the hull the weights make.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from .dyadic import Dyadic, ceil_float, floor_float, of_float
from .filter import Interval, enclose, radius, signed_values
from .hull import HullPoint
from .labels import Signs
from .margins import EXACT_VALUES, exact_values, scaled
from .rows import Floats, count_values


@dataclass(frozen=True)
class Primal:
    """Floats on either side of ``P(w, b)``; ``exact`` if nothing lies between them."""

    low: float
    high: float
    exact: bool
    n_exact: int


def primal_value(
    X: Any, signs: Signs, coef: Floats, intercept: float, delta: float, *, thorough: bool = False
) -> Primal:
    """Enclose the soft-margin objective of a hyperplane."""
    penalty = 1 / (2 * of_float(delta) ** 2)
    thorough = thorough or count_values(X) <= EXACT_VALUES >> 2
    low, high, n_exact = fmpq(0), fmpq(0), 0
    for interval in signed_values(X, signs, coef, intercept):
        ends = None if thorough else _filtered_squares(interval)
        if ends is None:
            value, count = _exact_squares(X, signs, coef, intercept, interval)
            ends, n_exact = (value, value), n_exact + count
        low, high = low + ends[0], high + ends[1]
    quadratic = Dyadic.of(coef).sum_of_squares() / 2
    low, high = quadratic + penalty * low, quadratic + penalty * high
    return Primal(floor_float(low), ceil_float(high), low == high, n_exact)


def dual_below(point: HullPoint | None, delta: float) -> float:
    """Lower bound on the optimum from a point of the hull; 0 where there is none."""
    if point is None:
        return 0.0
    q = point.square + of_float(delta) ** 2 * point.shares_square
    return floor_float(2 / q if point.affine else 1 / (2 * q))


def rescaled(
    X: Any, signs: Signs, coef: Floats, intercept: float, delta: float
) -> tuple[Floats, float]:
    """The hyperplane times the scale ``s >= 0`` that makes ``P(s·w, s·b)`` least.

    Only to floating-point accuracy, for nothing is claimed of the scale: the objective of the
    hyperplane returned is bounded rigorously afterwards.
    """
    w, b, _ = scaled(coef, intercept)
    margins = np.empty(X.shape[0])
    with np.errstate(all="ignore"):
        for interval in signed_values(X, signs, w, b):
            margins[interval.block.rows] = 0.5 * interval.low + 0.5 * interval.high
        scale = _least(margins, w @ w, 1.0 / np.float64(delta) ** 2)
        best, offset = scale * w, float(scale * b)
    if np.isfinite(best).all() and np.isfinite(offset):
        return best, offset
    return coef, intercept


def _least(margins: Floats, quadratic: Any, penalty: Any) -> float:
    """Where ``quadratic s²/2 + penalty Σ max(0, 1 - s m_i)²/2`` is least over ``s >= 0``."""
    low, high, scale = 0.0, np.inf, 1.0
    for _ in range(200):
        active = margins[scale * margins < 1.0]
        total, squares = active.sum(), np.square(active).sum()
        slope = scale * quadratic - penalty * (total - scale * squares)
        low, high = (low, scale) if slope > 0.0 else (scale, high)
        # Newton's step is exact on a piece of the quadratic; bisection guards it.
        step = float(penalty * total / (quadratic + penalty * squares))
        if not low <= step <= high:
            step = 2.0 * scale if np.isinf(high) else 0.5 * (low + high)
        if not np.isfinite(step) or abs(step - scale) <= 2.0**-50 * scale:
            break
        scale = step
    return scale


def _filtered_squares(interval: Interval) -> tuple[fmpq, fmpq] | None:
    """Two numbers with the sum of squared hinges of a block between them; ``None``: overflow."""
    with np.errstate(all="ignore"):
        most = np.maximum(np.nextafter(1.0 - interval.low, np.inf), 0.0)
        least = np.maximum(np.nextafter(1.0 - interval.high, -np.inf), 0.0)
        most = np.where(interval.low >= 1.0, 0.0, most)
        if not most.any():
            return fmpq(0), fmpq(0)
        squares = np.array([np.square(least).sum(), np.square(most).sum()])
        low, high = enclose(squares, radius(squares, most.size))
    if not (np.isfinite(low[0]) and np.isfinite(high[1])):
        return None
    return of_float(max(float(low[0]), 0.0)), of_float(float(high[1]))


def _exact_squares(
    X: Any, signs: Signs, coef: Floats, intercept: float, interval: Interval
) -> tuple[fmpq, int]:
    rows = interval.block.rows[~(interval.low >= 1.0)]
    total = fmpq(0)
    for values in exact_values(X, signs, rows, coef, intercept):
        total += sum(((1 - value) ** 2 for value in values if value < 1), fmpq(0))
    return total, rows.size
