"""The soft-margin problem, bounded from both sides.

For ``C > 0`` and costs ``s_i >= 0`` the problem is to minimise
``P(w, b) = ‖w‖²/2 + C Σ s_i max(0, 1 - y_i(w·x_i + b))²``, the squared hinge of LinearSVC, here
with an intercept that is not penalised. Its dual is to maximise
``Σ a_i - ‖Σ a_i y_i x_i‖²/2 - Σ (a_i²/s_i)/(4C)`` over ``a >= 0``, zero where the cost is, with
``Σ a_i y_i = 0`` where there is an intercept. On the ray through given weights the maximum is
``1/(2q)``, or ``2/q`` with an intercept, where ``q = ‖v‖² + Σ (λ_i²/s_i)/(2C)`` and ``v`` is the
point of the hull the weights make. ``C`` counts as the exact rational value of its float.

With the loss ``"hinge"`` the hinges are not squared, and the dual is to maximise
``Σ a_i - ‖Σ a_i y_i x_i‖²/2`` over ``0 <= a_i <= C s_i``. Of the weights ``t λ`` the objective is
``t - t² ‖v‖²/2``, or ``2t - t² ‖v‖²/2`` with an intercept; it is largest where ``t`` is ``1/‖v‖²``,
or ``2/‖v‖²``, or, if that is less, where the first of the weights reaches ``C s_i``. For several
classes ``λ_i`` is what an example brings to its class.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from flint import fmpq

from novikoff.certificate.exact.dyadic import ceil_float, floor_float, of_float
from novikoff.certificate.exact.filter import enclose, radius, signed_values, squares_between
from novikoff.certificate.exact.hull import HullPoint
from novikoff.certificate.exact.margins import EXACT_VALUES, NO_ROWS, exact_values, scaled
from novikoff.certificate.examples.blocks import Floats, Indices, count_values
from novikoff.certificate.examples.labels import Signs
from novikoff.certificate.threads import in_order

SQUARED_HINGE, HINGE = "squared_hinge", "hinge"
LOSSES = (SQUARED_HINGE, HINGE)
"""The losses of LinearSVC."""

_RUN = 1 << 12
"""Rows in one sum: the fewer, the less it is rounded."""


@dataclass(frozen=True, eq=False)
class Primal:
    """Floats on either side of ``P(w, b)``; ``exact`` if nothing lies between them.

    ``exact_rows`` are the examples whose hinge was computed in exact arithmetic.
    """

    low: float
    high: float
    exact: bool
    exact_rows: Indices


def primal_value(
    X: Any,
    signs: Signs,
    coef: Floats,
    intercept: float,
    C: float,
    costs: Floats | None = None,
    *,
    loss: str = SQUARED_HINGE,
    thorough: bool = False,
    values: tuple[Floats, Floats] | None = None,
) -> Primal:
    """Enclose the soft-margin objective of a hyperplane.

    ``values`` are its :func:`signed_values`, where they are known.
    """
    thorough = thorough or count_values(X) <= EXACT_VALUES
    values = signed_values(X, signs, coef, intercept) if values is None else values
    least, most = squares_between(coef, thorough=thorough)

    def exact_hinges(run: Indices) -> Iterator[list[fmpq]]:
        found: Iterator[list[fmpq]] = exact_values(X, signs, run, coef, intercept)
        return found

    penalty = least / 2, most / 2
    return objective(penalty, values, C, costs, exact_hinges, loss=loss, thorough=thorough)


def objective(
    penalty_on_norm: tuple[fmpq, fmpq],
    values: tuple[Floats, Floats],
    C: float,
    costs: Floats | None,
    exact: Callable[[Indices], Iterator[list[fmpq]]],
    *,
    loss: str = SQUARED_HINGE,
    thorough: bool = False,
) -> Primal:
    """Enclose the sum of the penalty on the norm and of ``C Σ s_i max(0, 1 - v_i)²``.

    Parameters
    ----------
    penalty_on_norm : pair of rationals
        Two numbers with it between them.
    values : pair of arrays
        Floats on either side of each ``v_i``.
    C, costs
        The penalty on margin violations, and the costs ``s_i`` of the examples, by default 1.
    exact : callable
        The exact ``v_i`` of some rows: a list for each block of them.
    loss : str
        With ``"hinge"`` the hinges are not squared.
    thorough : bool
        Whether to use exact arithmetic alone.
    """
    penalty, (lows, highs) = of_float(C), values
    rows = np.flatnonzero(~(lows >= 1.0) & (True if costs is None else costs > 0.0))
    low, high = fmpq(0), fmpq(0)
    exact_rows = [NO_ROWS]

    power = 1 if loss == HINGE else 2

    def losses(run: Indices) -> tuple[fmpq, fmpq, Indices]:
        some = None if costs is None else costs[run]
        ends = None if thorough else hinge_sums(lows[run], highs[run], some, power)
        if ends is not None:
            return *ends, NO_ROWS
        value = _exact_sum(exact(run), some, power)
        return value, value, run

    runs = (rows[first : first + _RUN] for first in range(0, rows.size, _RUN))
    for least, most, decided in in_order(losses, runs):
        low, high = low + least, high + most
        exact_rows.append(decided)
    low, high = (end + penalty * sum for end, sum in zip(penalty_on_norm, (low, high), strict=True))
    return Primal(floor_float(low), ceil_float(high), low == high, np.concatenate(exact_rows))


def dual_below(point: HullPoint | None, C: float, loss: str = SQUARED_HINGE) -> float:
    """Lower bound on the optimum from a point of the hull; 0 where there is none."""
    if point is None:
        return 0.0
    if loss == HINGE:
        assert point.largest is not None
        total, multiple = 2 if point.affine else 1, of_float(C) / point.largest
        if multiple * point.square > total:
            multiple = total / point.square
        return floor_float(multiple * (total - multiple * point.square / 2))
    assert point.shares_square is not None
    q = point.square + point.shares_square / (2 * of_float(C))
    return floor_float(2 / q if point.affine else 1 / (2 * q))


def best_scale(
    X: Any,
    signs: Signs,
    coef: Floats,
    intercept: float,
    C: float,
    costs: Floats | None = None,
) -> float:
    """The scale ``s > 0`` that makes ``P(s·w, s·b)`` least; 1 where there is none.

    Only to floating-point accuracy, for nothing is claimed of the scale: the objective at that
    multiple of the hyperplane is bounded rigorously afterwards.
    """
    w, b, exponent = scaled(coef, intercept)
    with np.errstate(all="ignore"):
        low, high = signed_values(X, signs, w, b)
        penalties = 2.0 * C * (1.0 if costs is None else costs)
        scale = least_scale(0.5 * low + 0.5 * high, w @ w, np.broadcast_to(penalties, low.shape))
        scale = float(np.ldexp(scale, -exponent))
        usable = np.isfinite(scale * coef).all() and np.isfinite(scale * intercept)
    return scale if 0.0 < scale < np.inf and usable else 1.0


def least_scale(margins: Floats, quadratic: Any, penalties: Floats) -> float:
    """Where ``quadratic s²/2 + Σ penalty_i max(0, 1 - s m_i)²/2`` is least over ``s >= 0``."""
    low, high, scale = 0.0, np.inf, 1.0
    for _ in range(200):
        active = scale * margins < 1.0
        first = penalties[active] * margins[active]
        total, squares = first.sum(), first @ margins[active]
        slope = scale * quadratic - (total - scale * squares)
        low, high = (low, scale) if slope > 0.0 else (scale, high)
        # Newton's step is exact on a piece of the quadratic; bisection guards it, also from zero,
        # where no scale is the best one and each is better than all larger ones.
        step = float(total / (quadratic + squares))
        if not low <= step <= high or step == 0.0:
            step = 2.0 * scale if np.isinf(high) else 0.5 * (low + high)
        if not np.isfinite(step) or abs(step - scale) <= 2.0**-50 * scale:
            break
        scale = step
    return scale


def hinge_sums(
    low: Floats, high: Floats, costs: Floats | None, power: int = 2
) -> tuple[fmpq, fmpq] | None:
    """Two numbers with the weighted sum of a power of the hinges between them.

    ``None``: overflow.
    """
    with np.errstate(all="ignore"):
        most = np.maximum(np.nextafter(1.0 - low, np.inf), 0.0)
        least = np.maximum(np.nextafter(1.0 - high, -np.inf), 0.0)
        parts = np.array([least, most])
        if power == 2:
            parts *= parts
        if costs is not None:
            # A hinge that is not zero is at least 2**-54: its square does not underflow, and the
            # product with the cost is rounded once more, for which the radius has room.
            parts *= costs
        sums = parts.sum(axis=1)
        below, above = enclose(sums, radius(sums, low.size + 1))
    if not (np.isfinite(below[0]) and np.isfinite(above[1])):
        return None
    return of_float(max(float(below[0]), 0.0)), of_float(float(above[1]))


def _exact_sum(parts: Iterator[list[fmpq]], costs: Floats | None, power: int) -> fmpq:
    total, seen = fmpq(0), 0
    for values in parts:
        for value in values:
            if value < 1:
                part = (1 - value) ** power
                total += part if costs is None else part * of_float(float(costs[seen]))
            seen += 1
    return total
