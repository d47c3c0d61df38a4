"""Weights of all classes from scores, for Newton's method on the soft margin of several classes.

An example of class ``y`` with ``v_r = 1 + f_r - f_y`` has the hinge ``max(0, max_r v_r)``, whose
square has a kink where two wrong classes tie. Weights ``b`` near the optimal ones take it away:
with ``a >= 0``, ``A = sum a`` and a small ``rho``::

    max_a  a . v - A^2 / 2 - rho / 2 |a - b|^2

is smooth in the scores, and at ``b = a`` as large as half the squared hinge. All are in units of
the hinge: the dual variables of the soft margin are ``a / Delta^2``. For the hinge that is not
squared, ``A <= 1`` takes the place of ``A^2 / 2``, and the dual variables are ``C s_i a``. Without
slack neither is there, and the dual variables are multiples of ``a``.
"""

from typing import NamedTuple

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.rows import SUMS

# A sum of weights so near the most that it may be is that, but for rounding.
FULL = 1.0 - 1e-12


class Loss(NamedTuple):
    """What a violated margin costs."""

    squared: bool
    """Whether ``A^2 / 2`` is subtracted."""
    most: float
    """What ``A`` is at most."""


SQUARED_HINGE = Loss(True, np.inf)
HINGE = Loss(False, 1.0)
NO_SLACK = Loss(False, np.inf)


@njit()
def weigh(
    scores: np.ndarray,
    speeds: np.ndarray,
    step: float,
    codes: np.ndarray,
    stiff: np.ndarray,
    near: np.ndarray,
    rho: float,
    loss: Loss,
    weights: np.ndarray,
) -> tuple[float, float]:
    """Write the best weights at ``scores + step * speeds``; return the maximum, and its slope.

    ``a_r = max(0, u_r - level) / rho`` with ``u_r = v_r + rho b_r``. With ``m`` positive weights
    the level is the sum of their ``u_r`` over ``rho + m``, which is ``A``; or, not squared, what
    makes ``A`` as small as it must be. Classes that are not above it leave the sum until all are;
    it only grows.

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
    loss : Loss
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
            if loss.squared:
                level = every / (rho + count)
            else:
                level = max(0.0, (every - rho * loss.most) / max(1, count))
        gain, moved, apart = 0.0, 0.0, 0.0
        for r in range(k):
            a = 0.0
            if r != y and raised[r] > level:
                a = (raised[r] - level) / rho
                gain += a * (raised[r] - rho * near[i, r])
                moved += a * (speeds[i, r] - speeds[i, y])
            weights[i, r] = a
            apart += (a - near[i, r]) ** 2
        if loss.squared:
            gain -= 0.5 * level**2
        value += stiff[i] * (gain - 0.5 * rho * apart)
        slope += stiff[i] * moved
    return value, slope


@njit(inner=True)
def active_classes(
    weights: np.ndarray, own: int, stiff: float, rho: float, loss: Loss, found: np.ndarray
) -> tuple[int, float, float]:
    """Write the own class and those with positive weight, in order; return their number and curves.

    With ``m`` positive weights the maximum curves by ``1 / (rho + m)`` along ``f_y - f_r`` for each
    of them, and by ``1 / rho`` times that along the difference of any two. Not squared, it curves
    by ``1 / rho`` along ``f_y - f_r`` while ``A`` is less than it may be, and else by
    ``1 / (rho m)`` between any two.
    The first curve returned is that to the own class, the second that between two others.
    """
    count, total = 0, 0.0
    for r in range(weights.shape[0]):
        if r == own or weights[r] > 0.0:
            found[count] = r
            count += 1
            total += weights[r]
    m = count - 1
    if m == 0:
        return 0, 0.0, 0.0
    if loss.squared:
        return count, stiff / (rho + m), stiff / (rho * (rho + m))
    if total >= FULL * loss.most:
        return count, 0.0, stiff / (rho * m)
    return count, stiff / rho, 0.0


@njit()
def curves_of_pairs(
    weights: np.ndarray,
    codes: np.ndarray,
    stiff: np.ndarray,
    rho: float,
    loss: Loss,
    ends: np.ndarray,
    ids: np.ndarray,
    curves: np.ndarray,
) -> None:
    """Write the second derivatives of the maximum as squares of differences of two scores.

    Parameters
    ----------
    weights, codes, stiff, rho, loss
        As of :func:`weigh`.
    ends : array of shape (n_classes, n_classes)
        Where the examples of the pair ``p < q`` begin; on return, where they end.
    ids, curves : arrays
        The examples of each pair, and their second derivatives. Empty: examples are only counted.
    """
    n, k = weights.shape
    counting = len(ids) == 0
    found = np.empty(k, np.int64)
    for i in range(n):
        y = codes[i]
        m, own, other = active_classes(weights[i], y, stiff[i], rho, loss, found)
        for j in range(m):
            p = found[j]
            for q in found[j + 1 : m]:
                curve = own if y in (p, q) else other
                if curve == 0.0:
                    continue
                if not counting:
                    place = ends[p, q]
                    ids[place] = i
                    curves[place] = curve
                ends[p, q] += 1


@njit(fastmath=SUMS)
def add_curvature(
    rows: np.ndarray,
    weights: np.ndarray,
    codes: np.ndarray,
    stiff: np.ndarray,
    rho: float,
    loss: Loss,
    hessian: np.ndarray,
) -> None:
    """Add the second derivatives by the models, example by example.

    ``hessian`` has the shape (classes, numbers, classes, numbers); what is below its diagonal is
    not written. For many pairs of classes, each of few examples.
    """
    n, k = weights.shape
    width = rows.shape[1]
    found = np.empty(k, np.int64)
    for i in range(n):
        y, row = codes[i], rows[i]
        m, own, other = active_classes(weights[i], y, stiff[i], rho, loss, found)
        for j in range(m):
            p = found[j]
            # Each class has a curve to every other one.
            whole = (m - 1) * own if p == y else own + (m - 2) * other
            for second in range(j, m):
                q = found[second]
                curve = whole if second == j else -(own if y in (p, q) else other)
                if curve == 0.0:
                    continue
                for a in range(width):
                    scaled = curve * row[a]
                    out = hessian[p, a, q]
                    for b in range(width):
                        out[b] += scaled * row[b]


@njit()
def active_differences(
    weights: np.ndarray,
    codes: np.ndarray,
    loss: Loss,
    ids: np.ndarray,
    plus: np.ndarray,
    minus: np.ndarray,
    full: np.ndarray,
) -> int:
    """Write differences of scores along which the maximum curves; return how many there are.

    They are ``f_r - f_y`` for each positive weight; with ``A`` as large as it may be, where ``f_y``
    does not matter, the differences to the first class with weight. The arrays have room for each
    positive weight: the example, the two classes, and whether ``A`` is so large.
    """
    n, k = weights.shape
    count = 0
    for i in range(n):
        base, capped, total = codes[i], False, 0.0
        if loss.most < np.inf:
            for r in range(k):
                total += weights[i, r]
            capped = total >= FULL * loss.most
        first = True
        for r in range(k):
            if not weights[i, r] > 0.0:
                continue
            if capped and first:
                base, first = r, False
                continue
            ids[count], plus[count], minus[count], full[count] = i, r, base, capped
            count += 1
    return count


@njit()
def dual_system(
    gram: np.ndarray,
    ids: np.ndarray,
    plus: np.ndarray,
    minus: np.ndarray,
    own: np.ndarray,
    shared: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write half the inner products of ``(e_p - e_q) (x) x``, and the inverse of their curvature.

    That is ``own`` on the diagonal, and ``shared`` between the differences of one example. Only
    what is on and below the diagonal is written.
    """
    for j in range(ids.shape[0]):
        i, p, q = ids[j], plus[j], minus[j]
        for m in range(j + 1):
            between = 0.0
            if p == plus[m]:
                between += 0.5
            if q == minus[m]:
                between += 0.5
            if p == minus[m]:
                between -= 0.5
            if q == plus[m]:
                between -= 0.5
            value = 0.0
            if between != 0.0:
                value = between * gram[i, ids[m]]
            if i == ids[m]:
                value += shared[j]
            out[j, m] = value
        out[j, j] += own[j]
