"""The soft margin's objective, and the intercept that makes it least."""

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def hinges(scores: Vector, signs: NDArray[np.int8], offset: float) -> Vector:
    """Return ``max(0, 1 - y (score + offset))``."""
    return np.maximum(0.0, 1.0 - signs * (scores + offset))


def best_offset(scores: Vector, signs: NDArray[np.int8], slack2: Vector) -> float:
    """Return the offset that makes ``sum hinge^2 / slack2`` least.

    Its derivative is increasing and linear between the offsets at which an example's hinge
    opens, so the zero is found by sorting these.

    Examples
    --------
    >>> best_offset(np.array([3.0, 1.0]), np.array([1, -1], dtype=np.int8), np.ones(2))
    -2.0
    """
    opens = signs - scores
    order = np.argsort(opens)
    opens, cost = opens[order], 1.0 / slack2[order]
    positive = signs[order] > 0
    # At the p-th opening the positive examples after it and the negative ones before it take part.
    slope = np.cumsum(np.where(positive, -cost, cost)) + cost[positive].sum()
    moment = np.cumsum(np.where(positive, -cost, cost) * opens) + (cost * opens)[positive].sum()
    derivative = slope * opens - moment
    p = int(np.searchsorted(derivative, 0.0))
    if p == 0:
        slope_here, moment_here = cost[positive].sum(), (cost * opens)[positive].sum()
    else:
        slope_here, moment_here = slope[p - 1], moment[p - 1]
    if not slope_here > 0.0:
        # No hinge is open between two openings: any offset there will do.
        nearest = opens[min(p, len(opens) - 1)]
        return float((opens[p - 1] + nearest) / 2 if p else nearest)
    return float(moment_here / slope_here)


def soft_objective(w: Vector, hinge: Vector, slack2: Vector) -> float:
    """Return ``|w|^2 / 2 + sum hinge^2 / (2 slack2)``."""
    return float(w @ w / 2 + (hinge * hinge / slack2).sum() / 2)
