"""Bounds on the optimum that a hyperplane and weights prove, the same for every solver.

A hyperplane bounds the hard margin from below and the soft objective from above; weights bound the
hard margin from above and the soft objective from below. All in floating point: the certificate
computes the rigorous bounds.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate.threads import by_slices
from novikoff.compiled.hinge import best_step
from novikoff.maxmargin.vectors import by_class, filled

Vector = NDArray[np.float64]


class Placed(NamedTuple):
    """A hyperplane with its best offset: the value it reaches, and the errors it makes.

    ``value`` is the least ``y f(x)`` (hard margin), or the primal objective (soft margin).
    """

    offset: float
    value: float
    mistakes: int


def place_hard(products: Vector, signs: NDArray[Any], affine: bool) -> Placed:
    """Return the offset at which the least ``y (product + offset)`` is largest."""
    if affine:
        low, high = _nearest(products, signs)
        least, offset = (low - high) / 2.0, -(low + high) / 2.0
        if low + offset > 0.0 > high + offset:
            # Sums are rounded monotonically, so that all others are on their sides, too.
            return Placed(offset, least, 0)
    else:
        least, offset = float((signs * products).min()), 0.0
    return Placed(offset, least, _mistakes(products, signs, offset))


def place_soft(
    w: Vector, products: Vector, signs: NDArray[Any], slack2: Vector, affine: bool
) -> Placed:
    """Return the offset at which the primal objective of ``w`` is least."""
    offset = 0.0
    if affine:
        hinges = filled(lambda part: 1.0 - signs[part] * products[part], len(products))
        offset = best_step(hinges, signs.astype(np.float64), 1.0 / slack2, 0.0, 0.0, 0.0)

    def squares(part: slice) -> float:
        hinges = np.maximum(0.0, 1.0 - signs[part] * (products[part] + offset))
        return float((hinges**2 / slack2[part]).sum())

    primal = 0.5 * (float(w @ w) + sum(by_slices(squares, len(products))))
    return Placed(offset, primal, _mistakes(products, signs, offset))


def _nearest(products: Vector, signs: NDArray[Any]) -> tuple[float, float]:
    """Return the least product of a positive example, and the largest of a negative one."""

    def ends(part: slice) -> tuple[float, float]:
        # Six times as fast as to pick those of a class by np.where.
        mine, others = products[part], signs[part] * -np.inf
        low = np.maximum(mine, others).min(initial=np.inf)
        return float(low), float(np.minimum(mine, others).max(initial=-np.inf))

    lows, highs = zip(*by_slices(ends, len(products)), strict=True)
    return min(lows), max(highs)


def _mistakes(products: Vector, signs: NDArray[Any], offset: float) -> int:
    def count(part: slice) -> int:
        return int(np.count_nonzero(signs[part] * (products[part] + offset) <= 0.0))

    return sum(by_slices(count, len(products)))


def normalized(weights: Vector, signs: NDArray[Any], affine: bool) -> tuple[Vector, float]:
    """Return weights that sum to 1 in each class, or in all without intercept, and their sum.

    Where a class has no weight, all weights are zero.
    """
    positive = (signs > 0) | (not affine)
    # As products: to pick the weights of a class takes twenty times as long.
    totals = [float(weights @ side.astype(np.float64)) for side in (positive, ~positive)]
    if not totals[0] > 0.0 or (affine and not totals[1] > 0.0):
        return np.zeros_like(weights), 0.0
    return weights / np.where(positive, *totals), 2.0 if affine else 1.0


def class_totals(weights: Vector, signs: NDArray[Any]) -> Vector:
    """Return the sums of the weights of the positive and of the negative examples."""

    def totals(part: slice) -> Vector:
        return np.array([mine.sum() for mine in by_class(weights[part], signs[part])])

    return np.asarray(sum(by_slices(totals, len(weights))))


def dual_variables(weights: Vector, signs: NDArray[Any], dual: float, affine: bool) -> Vector:
    """Return the multiple of the weights at which the dual objective is ``dual``, its largest."""
    normal, _ = normalized(weights, signs, affine)
    return normal * (dual if affine else 2.0 * dual)


def dual_objective(
    sums: Vector, totals: Vector, signs: Vector, weights: Vector, slack2: Vector, affine: bool
) -> float:
    """Return the dual objective at the best multiple of the weights.

    ``sums`` are the weighted sums of the positive and of the negative examples, relative to the
    centre, and ``totals`` those of the weights. Where there is an intercept, the weights of each
    class are first scaled to the same total.
    """
    scales = totals if affine else np.full(2, totals.sum())
    if not scales.all():
        return 0.0

    def square(part: slice) -> float:
        normal = weights[part] / scales[(signs[part] < 0.0).view(np.int8)]
        return float(normal**2 @ slack2[part])

    w = sums[0] / scales[0] - sums[1] / scales[1]
    return (2.0 if affine else 0.5) / (float(w @ w) + sum(by_slices(square, len(weights))))
