"""Two-example steps on a block of kernel values, with second-order selection.

R.-E. Fan, P.-H. Chen & C.-J. Lin, "Working set selection using second order information for
training support vector machines", JMLR 6, 2005. Without upper bounds on the weights: the hard
margin, or the soft one of the squared hinge, whose slack is added to the diagonal.

The *residual* of an example is ``e_i = y_i (1 - Delta_i^2 a_i) - sum_j a_j y_j k_ij``. At the
optimum it is the intercept for every example with weight, at most that for other positive ones,
and at least that for other negative ones.
"""

import numpy as np

from novikoff.certificate.kernels import njit


@njit()
def steps_in_pairs(
    gram: np.ndarray,
    diagonal: np.ndarray,
    signs: np.ndarray,
    slack2: np.ndarray,
    weights: np.ndarray,
    residuals: np.ndarray,
    tol: float,
    most: int,
) -> int:
    """Move weight between two examples at a time until residuals agree to ``tol``.

    The signed sum of the weights does not change. Returns how many steps were made.
    """
    q = weights.shape[0]
    for step in range(most):
        first, highest, lowest = -1, -np.inf, np.inf
        for k in range(q):
            if (signs[k] > 0 or weights[k] > 0.0) and residuals[k] > highest:
                first, highest = k, residuals[k]
            if signs[k] < 0 or weights[k] > 0.0:
                lowest = min(lowest, residuals[k])
        if not highest - lowest > tol:
            return step
        second, best = -1, 0.0
        for k in range(q):
            if (signs[k] < 0 or weights[k] > 0.0) and residuals[k] < highest:
                gain = highest - residuals[k]
                curve = diagonal[first] + diagonal[k] - 2.0 * gram[first, k]
                curve += slack2[first] + slack2[k]
                gain = gain * gain / max(curve, 1e-12)
                if gain > best:
                    second, best = k, gain
        if second < 0:
            return step
        curve = diagonal[first] + diagonal[second] - 2.0 * gram[first, second]
        curve += slack2[first] + slack2[second]
        move = (highest - residuals[second]) / max(curve, 1e-12)
        if signs[first] < 0:
            move = min(move, weights[first])
        if signs[second] > 0:
            move = min(move, weights[second])
        weights[first] = max(0.0, weights[first] + signs[first] * move)
        weights[second] = max(0.0, weights[second] - signs[second] * move)
        for k in range(q):
            residuals[k] -= move * (gram[first, k] - gram[second, k])
        residuals[first] -= slack2[first] * move
        residuals[second] += slack2[second] * move
    return most


@njit()
def steps_alone(
    gram: np.ndarray,
    diagonal: np.ndarray,
    signs: np.ndarray,
    slack2: np.ndarray,
    weights: np.ndarray,
    residuals: np.ndarray,
    tol: float,
    most: int,
) -> int:
    """Move the weight of one example at a time, for hyperplanes through the origin."""
    q = weights.shape[0]
    for step in range(most):
        first, best, worst = -1, 0.0, 0.0
        for k in range(q):
            pull = signs[k] * residuals[k]
            if pull > 0.0 or weights[k] > 0.0:
                worst = max(worst, abs(pull))
                gain = pull * pull / max(diagonal[k] + slack2[k], 1e-12)
                if gain > best:
                    first, best = k, gain
        if not worst > tol or first < 0:
            return step
        y = signs[first]
        move = y * residuals[first] / max(diagonal[first] + slack2[first], 1e-12)
        move = max(move, -weights[first])
        weights[first] += move
        for k in range(q):
            residuals[k] -= y * move * gram[first, k]
        residuals[first] -= y * move * slack2[first]
    return most


@njit()
def subtract(columns: np.ndarray, slots: np.ndarray, moves: np.ndarray, out: np.ndarray) -> None:
    """Subtract ``sum_k moves[k] * columns[slots[k]]`` from ``out``, in float64."""
    for k in range(slots.shape[0]):
        if moves[k] != 0.0:
            for i in range(out.shape[0]):
                out[i] -= moves[k] * columns[slots[k], i]


@njit()
def gather(columns: np.ndarray, slots: np.ndarray, ids: np.ndarray, out: np.ndarray) -> None:
    """Write the entries ``ids`` of the columns ``slots`` into ``out``."""
    for k in range(slots.shape[0]):
        column = columns[slots[k]]
        for i in range(ids.shape[0]):
            out[k, i] = column[ids[i]]
