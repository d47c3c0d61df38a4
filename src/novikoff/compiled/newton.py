"""What Newton's method asks of examples: gradients, curvature, and the best step on a line.

Rows are read as they stand; the centre is subtracted from the sums, by the caller.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import overload

from novikoff.compiled.rows import SUMS, Rows, dot

MOST_TRIALS = 200
SETTLED = 2.0**-50


def _dense_gather(rows: Rows, i: int, step: float, out: np.ndarray) -> None:
    for j in range(rows.shape[1]):
        out[j] += step * rows[i, j]


def _csr_gather(rows: Rows, i: int, step: float, out: np.ndarray) -> None:
    data, indices, indptr = rows
    for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        out[np.uint64(indices[k])] += step * data[k]


def gather(rows: Rows, i: int, step: float, out: np.ndarray) -> None:
    """Add ``step * x_i`` to ``out``; for compiled code."""
    raise NotImplementedError


def _dense_gather2(rows: Rows, i: int, step: float, out: np.ndarray, squares: np.ndarray) -> None:
    for j in range(rows.shape[1]):
        value = float(rows[i, j])
        out[j] += step * value
        squares[j] += step * value * value


def _csr_gather2(rows: Rows, i: int, step: float, out: np.ndarray, squares: np.ndarray) -> None:
    data, indices, indptr = rows
    for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        j = np.uint64(indices[k])
        value = float(data[k])
        out[j] += step * value
        squares[j] += step * value * value


def gather2(rows: Rows, i: int, step: float, out: np.ndarray, squares: np.ndarray) -> None:
    """Add ``step * x_i`` to ``out`` and ``step * x_i^2`` to ``squares``; for compiled code."""
    raise NotImplementedError


@overload(gather2, strict=False, jit_options={"fastmath": SUMS})
def _gather2(rows: Any, i: Any, step: Any, out: Any, squares: Any) -> Callable[..., None]:
    return _dense_gather2 if isinstance(rows, types.Array) else _csr_gather2


@overload(gather, strict=False, jit_options={"fastmath": SUMS})
def _gather(rows: Any, i: Any, step: Any, out: Any) -> Callable[..., None]:
    return _dense_gather if isinstance(rows, types.Array) else _csr_gather


@njit(cache=True, nogil=True)
def class_sums(
    rows: Rows, order: np.ndarray, weights: np.ndarray, signs: np.ndarray, out: np.ndarray
) -> None:
    """Add the weighted sum of the positive examples to ``out[0]``, of the others to ``out[1]``."""
    for p in range(order.shape[0]):
        gather(rows, order[p], weights[p], out[0 if signs[p] > 0.0 else 1])


@njit(cache=True, nogil=True)
def curvature(
    rows: Rows,
    order: np.ndarray,
    stiffness: np.ndarray,
    v: np.ndarray,
    shift: float,
    out: np.ndarray,
) -> float:
    """Add ``sum_p t_p x_order[p]`` to ``out``, with ``t = stiffness * (x . v + shift)``.

    Returns the sum of ``t``. A row is used twice while it is in the cache.
    """
    total = 0.0
    for p in range(order.shape[0]):
        i = order[p]
        t = stiffness[p] * (dot(rows, i, v) + shift)
        gather(rows, i, t, out)
        total += t
    return total


@njit(cache=True, nogil=True)
def moments(
    rows: Rows, order: np.ndarray, stiffness: np.ndarray, first: np.ndarray, second: np.ndarray
) -> None:
    """Add the weighted sums of the rows, and of their squares, column by column."""
    for p in range(order.shape[0]):
        gather2(rows, order[p], stiffness[p], first, second)


@njit(cache=True, nogil=True)
def best_step(
    hinges: np.ndarray,
    speeds: np.ndarray,
    stiffness: np.ndarray,
    linear: float,
    quadratic: float,
    t: float,
) -> float:
    """Minimise ``linear t + quadratic t^2/2 + sum stiffness max(0, hinges - t speeds)^2 / 2``.

    Newton's method from ``t``, kept between points where the slope has either sign. The pieces
    are quadratic, so it ends at the minimiser, up to rounding.
    """
    low, high = -np.inf, np.inf
    for _ in range(MOST_TRIALS):
        slope, gross = linear + quadratic * t, abs(linear) + abs(quadratic * t)
        curve = quadratic
        for p in range(hinges.shape[0]):
            hinge = hinges[p] - t * speeds[p]
            if hinge > 0.0:
                pull = stiffness[p] * speeds[p]
                slope -= pull * hinge
                gross += abs(pull) * hinge
                curve += pull * speeds[p]
        if abs(slope) <= SETTLED * gross or curve == 0.0:
            break
        if slope > 0.0:
            high = t
        else:
            low = t
        following = t - slope / curve
        if not low < following < high:
            following = 0.5 * (low + high)
            if not low < following < high:
                break
        t = following
    return t
