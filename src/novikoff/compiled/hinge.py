"""What Newton's method computes besides products: moments of rows, and the best step on a line."""

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.blocks import places, weight_or_zero
from novikoff.compiled.rows import CSR, SUMS, Rows, kernel_for

# The most Newton or bisection steps of a line search, which ends before when the slope is no more
# than this share of the sum of its terms' magnitudes: that is rounding.
MOST_TRIALS = 200
SETTLED = 2.0**-50


def moments(
    rows: Rows,
    order: np.ndarray,
    stiffness: np.ndarray,
    origin: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
) -> None:
    """Add the weighted sums of the rows, dense ones minus the origin, and of their squares."""
    kernel = kernel_for(rows, _dense_moments, _csr_moments)
    kernel(rows, order, stiffness, origin, first, second)


@njit(inner=True, fastmath=SUMS)
def _add_moments4(
    rows: np.ndarray,
    four: tuple[int, int, int, int],
    weights: tuple[float, float, float, float],
    origin: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
) -> None:
    a, b, c, d = four
    ta, tb, tc, td = weights
    for j in range(rows.shape[1]):
        xa, xb = rows[a, j] - origin[j], rows[b, j] - origin[j]
        xc, xd = rows[c, j] - origin[j], rows[d, j] - origin[j]
        first[j] += ta * xa + tb * xb + tc * xc + td * xd
        second[j] += ta * xa * xa + tb * xb * xb + tc * xc * xc + td * xd * xd


@njit()
def _dense_moments(
    rows: np.ndarray,
    order: np.ndarray,
    stiffness: np.ndarray,
    origin: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
) -> None:
    last = order.shape[0] - 1
    quarter = last // 4 + 1
    for begin in range(quarter):
        p, q, r, s = places(begin, quarter, last)
        a, b = stiffness[begin], weight_or_zero(stiffness, begin + quarter)
        c = weight_or_zero(stiffness, begin + 2 * quarter)
        d = weight_or_zero(stiffness, begin + 3 * quarter)
        four = order[p], order[q], order[r], order[s]
        _add_moments4(rows, four, (a, b, c, d), origin, first, second)


@njit()
def _csr_moments(
    rows: CSR,
    order: np.ndarray,
    stiffness: np.ndarray,
    origin: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
) -> None:
    data, indices, indptr = rows
    for p in range(order.shape[0]):
        i, step = order[p], stiffness[p]
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j = np.uint64(indices[k])
            value = float(data[k])
            first[j] += step * value
            second[j] += step * value * value


@njit(fastmath=SUMS)
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
