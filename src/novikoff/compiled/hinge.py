"""What Newton's method computes besides products: moments of rows, and the best step on a line."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import overload

from novikoff.compiled.rows import SUMS, Rows

# The most Newton or bisection steps of a line search, which ends before when the slope is no more
# than this share of the sum of its terms' magnitudes: that is rounding.
MOST_TRIALS = 200
SETTLED = 2.0**-50


def _dense_gather2(
    rows: Rows, i: int, step: float, origin: np.ndarray, out: np.ndarray, squares: np.ndarray
) -> None:
    for j in range(rows.shape[1]):
        value = rows[i, j] - origin[j]
        out[j] += step * value
        squares[j] += step * value * value


def _csr_gather2(
    rows: Rows, i: int, step: float, origin: np.ndarray, out: np.ndarray, squares: np.ndarray
) -> None:
    data, indices, indptr = rows
    for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        j = np.uint64(indices[k])
        value = float(data[k])
        out[j] += step * value
        squares[j] += step * value * value


def gather2(
    rows: Rows, i: int, step: float, origin: np.ndarray, out: np.ndarray, squares: np.ndarray
) -> None:
    """Add ``step * z`` to ``out`` and ``step * z^2`` to ``squares``; for compiled code.

    ``z`` is a dense row minus the origin, or a sparse row as it stands.
    """
    raise NotImplementedError


@overload(gather2, strict=False, jit_options={"fastmath": SUMS})
def _gather2(
    rows: Any, i: Any, step: Any, origin: Any, out: Any, squares: Any
) -> Callable[..., None]:
    return _dense_gather2 if isinstance(rows, types.Array) else _csr_gather2


@njit(cache=True, nogil=True)
def moments(
    rows: Rows,
    order: np.ndarray,
    stiffness: np.ndarray,
    origin: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
) -> None:
    """Add the weighted sums of the rows, dense ones minus the origin, and of their squares."""
    for p in range(order.shape[0]):
        gather2(rows, order[p], stiffness[p], origin, first, second)


@njit(cache=True, nogil=True, fastmath=SUMS)
def best_step(
    hinges: np.ndarray,
    speeds: np.ndarray,
    stiffness: np.ndarray,
    linear: float,
    quadratic: float,
    t: float,
) -> float:
    """Minimise ``linear t + quadratic t^2/2 + sum stiffness max(0, hinges - t speeds)^2 / 2``.

    Newton's method from ``t``, with bisection where it would leave the interval between points
    with slopes of either sign. The pieces are quadratic, so it ends at the minimiser, up to
    rounding.
    """
    low, high = -np.inf, np.inf
    for _ in range(MOST_TRIALS):
        slope, gross = linear + quadratic * t, abs(linear) + abs(quadratic * t)
        curve = quadratic
        for p in range(hinges.shape[0]):
            # Without a branch: processors predict badly which hinges are open.
            hinge = max(hinges[p] - t * speeds[p], 0.0)
            pull = stiffness[p] * speeds[p] if hinge > 0.0 else 0.0
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
