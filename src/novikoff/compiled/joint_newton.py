"""Weights of all classes from scores, for Newton's method on the soft margin of several classes.

An example of class ``y`` with ``v_r = 1 + f_r - f_y`` has the hinge ``max(0, max_r v_r)``, whose
square has a kink where two wrong classes tie. Weights ``b`` near the optimal ones take it away:
with ``a >= 0``, ``A = sum a`` and a small ``rho``::

    max_a  a . v - A^2 / 2 - rho / 2 |a - b|^2

is smooth in the scores, and at ``b = a`` as large as half the squared hinge. All are in units of
the hinge: the dual variables of the soft margin are ``a / Delta^2``. For the hinge that is not
squared, ``A <= 1`` takes the place of ``A^2 / 2``, and the dual variables are ``C s_i a``.
"""

import numpy as np

from novikoff.certificate.kernels import njit

# A sum of weights so near 1 is 1, but for rounding.
FULL = 1.0 - 1e-12


@njit()
def weigh(
    scores: np.ndarray,
    speeds: np.ndarray,
    step: float,
    codes: np.ndarray,
    stiff: np.ndarray,
    near: np.ndarray,
    rho: float,
    squared: bool,
    weights: np.ndarray,
) -> tuple[float, float]:
    """Write the best weights at ``scores + step * speeds``; return the maximum, and its slope.

    ``a_r = max(0, u_r - level) / rho`` with ``u_r = v_r + rho b_r``. With ``m`` positive weights
    the level is the sum of their ``u_r`` over ``rho + m``, which is ``A``; or, not squared, what
    makes ``A`` at most 1. Classes that are not above it leave the sum until all are; it only grows.

    Parameters
    ----------
    scores, speeds : arrays of shape (n_examples, n_classes)
    step : float
    codes : array of shape (n_examples,)
        The classes.
    stiff : array of shape (n_examples,)
        ``1 / Delta^2``, the factor of each example; of the hinge, ``C s_i``.
    near : array of shape (n_examples, n_classes)
        The weights ``b``.
    rho : float
    squared : bool
    weights : array of shape (n_examples, n_classes)
        The result, zero for the own class.
    """
    n, k = scores.shape
    value, slope = 0.0, 0.0
    raised = np.empty(k)
    for i in range(n):
        y = codes[i]
        own = scores[i, y] + step * speeds[i, y]
        level, count, before = 0.0, 0, -1
        for r in range(k):
            raised[r] = 1.0 + scores[i, r] + step * speeds[i, r] - own + rho * near[i, r]
        # Each round but the last leaves out a class.
        for _ in range(k):
            before, count, every = count, 0, 0.0
            for r in range(k):
                if r != y and raised[r] > level:
                    every += raised[r]
                    count += 1
            if count == before:
                break
            level = every / (rho + count) if squared else max(0.0, (every - rho) / max(1, count))
        gain, moved, apart = 0.0, 0.0, 0.0
        for r in range(k):
            a = 0.0
            if r != y and raised[r] > level:
                a = (raised[r] - level) / rho
                gain += a * (raised[r] - rho * near[i, r])
                moved += a * (speeds[i, r] - speeds[i, y])
            weights[i, r] = a
            apart += (a - near[i, r]) ** 2
        if squared:
            gain -= 0.5 * level**2
        value += stiff[i] * (gain - 0.5 * rho * apart)
        slope += stiff[i] * moved
    return value, slope


@njit()
def curves_of_pairs(
    weights: np.ndarray,
    codes: np.ndarray,
    stiff: np.ndarray,
    rho: float,
    squared: bool,
    ends: np.ndarray,
    ids: np.ndarray,
    curves: np.ndarray,
) -> None:
    """Write the second derivatives of the maximum as squares of differences of two scores.

    With ``m`` positive weights it curves by ``1 / (rho + m)`` along ``f_y - f_r`` for each of them,
    and by ``1 / rho`` times that along the difference of any two. Not squared, it curves by
    ``1 / rho`` along ``f_y - f_r`` while ``A < 1``, and by ``1 / (rho m)`` between any two at 1.

    Parameters
    ----------
    weights, codes, stiff, rho, squared
        As of :func:`weigh`.
    ends : array of shape (n_classes, n_classes)
        Where the examples of the pair ``p < q`` begin; on return, where they end.
    ids, curves : arrays
        The examples of each pair, and their second derivatives. Empty: examples are only counted.
    """
    n, k = weights.shape
    counting = len(ids) == 0
    for i in range(n):
        y, m, total = codes[i], 0, 0.0
        for r in range(k):
            if weights[i, r] > 0.0:
                m += 1
                total += weights[i, r]
        full = total >= FULL
        if m == 0:
            continue
        # To the own class, and between two others.
        if squared:
            own, other = stiff[i] / (rho + m), stiff[i] / (rho * (rho + m))
        elif full:
            own, other = 0.0, stiff[i] / (rho * m)
        else:
            own, other = stiff[i] / rho, 0.0
        for p in range(k):
            if p != y and not weights[i, p] > 0.0:
                continue
            for q in range(p + 1, k):
                if q != y and not weights[i, q] > 0.0:
                    continue
                curve = own if y in (p, q) else other
                if curve == 0.0:
                    continue
                if not counting:
                    place = ends[p, q]
                    ids[place] = i
                    curves[place] = curve
                ends[p, q] += 1
