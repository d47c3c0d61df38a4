"""Dual coordinate descent for all classes at once: the weights of one example go to their best.

S. S. Keerthi, S. Sundararajan, K.-W. Chang, C.-J. Hsieh & C.-J. Lin, "A sequential dual method for
large scale multi-class linear SVMs", KDD 2008; K. Crammer & Y. Singer, "On the algorithmic
implementation of multiclass kernel-based vector machines", JMLR 2 (2001).

Example ``i`` of class ``y`` has a weight ``a_r >= 0`` for each wrong class ``r``, and ``A`` is
their sum. With the scores ``f``, ``v_r = 1 + f_r - f_y`` and the squared slack ``Delta^2``, which
its weights share, the weights are at their best if ``v_r = Delta^2 A`` where ``a_r > 0`` and
``v_r <= Delta^2 A`` elsewhere. With the hinge in place of its square, ``Delta`` is 0 and ``A`` at
most ``C s``; where it is that, the largest hinge takes the place of ``Delta^2 A``.

The vectors are kept as ``sum u x`` of the rows as they stand, where ``u`` is ``A`` for the own
class and ``-a_r`` for the others, so that a step on a sparse row costs its non-zeros; what the
centre subtracts are scalars. The scores are half of their products.
"""

from typing import NamedTuple

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.joint_rows import add_multiples, add_products, nonzeros
from novikoff.compiled.rows import Rows

# The entries of a state: the largest violation seen, the number of steps, the soft margin's
# duality gap as the examples showed it when they were visited, and the sum of their weights.
WORST, STEPS, GAP, MASS = range(4)
SIZE = 4

FULL = 1.0 - 1e-12
"""Weights that add up to this share of the most that they may are as many as they may be."""


class Terms(NamedTuple):
    """The dual's terms: of each row, and those that all rows share."""

    codes: np.ndarray
    """The classes."""
    along: np.ndarray
    """``(x - centre) . centre``."""
    slack2: np.ndarray
    """The squared slack ``Delta_i^2``."""
    most: np.ndarray
    """What the weights of a row may add up to: its ``C s``; infinite where the hinge is squared."""
    curves: np.ndarray
    """``|x - centre|^2 + pull``, the second derivatives along a class's share."""
    centre2: float
    """``|centre|^2``."""
    pull: float
    """The quadratic penalty on the flow between classes."""


class Vectors(NamedTuple):
    """What a weighting makes: one entry or column for each class."""

    sums: np.ndarray
    """``sum u x``, a row for each feature."""
    flow: np.ndarray
    """``sum u``: zero where the weights balance."""
    offsets: np.ndarray
    """The intercepts' estimates plus half of ``pull`` times the flow."""
    at_centre: np.ndarray
    """``sum u x . centre``."""


@njit(inner=True)
def best_weights(
    best: np.ndarray, own: int, curve: float, slack2: float, most: float, weights: np.ndarray
) -> None:
    """Write the best weights of an example, given ``v + curve / 2 (A + a)`` in ``best``.

    They are ``max(0, best_r - theta) * 2 / curve``, where ``theta`` is ``(curve / 2 + Delta^2) A``:
    with ``k`` positive weights, the sum of their ``best_r`` over ``k + curve / (curve + 2
    Delta^2)``; or larger, so that they add up to ``most``. Weights that are not above theta leave
    the sum until all are; theta only grows.
    """
    share = curve / (curve + 2.0 * slack2)
    theta = 0.0
    before = -1
    count = 0
    while count != before:
        before, count, total = count, 0, 0.0
        for r in range(best.shape[0]):
            if r != own and best[r] > theta:
                total += best[r]
                count += 1
        if count == 0:
            break
        # Also where rounding would let it fall, so that the loop ends.
        theta = max(theta, total / (count + share), (total - 0.5 * curve * most) / count)
    for r in range(best.shape[0]):
        weights[r] = 0.0
        if r != own and best[r] > theta:
            weights[r] = 2.0 / curve * (best[r] - theta)


@njit()
def sweep(
    rows: Rows,
    order: np.ndarray,
    terms: Terms,
    bound: float,
    weights: np.ndarray,
    vectors: Vectors,
    state: np.ndarray,
) -> int:
    """Visit the examples of ``order`` once; return how many of them remain in it.

    An example without weight all of whose ``v`` are below ``-bound`` is left out of ``order``,
    whose front is filled with the others.
    """
    codes, along, slack2, most, curves, centre2, pull = terms
    sums, flow, offsets, at_centre = vectors
    n_classes = flow.shape[0]
    scores, best, new = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    moved, steps = np.empty(n_classes, np.int64), np.empty(n_classes)
    values, places = np.empty(sums.shape[0] + 1), np.empty(sums.shape[0] + 1, np.int64)
    worst, taken, kept, gap, mass = 0.0, 0, 0, 0.0, 0.0
    for p in range(order.shape[0]):
        i = order[p]
        own, mine = codes[i], weights[i]
        for r in range(n_classes):
            scores[r] = 0.0
        filled = nonzeros(rows, i, values, places)
        add_products(values, places, filled, sums, scores)
        for r in range(n_classes):
            scores[r] = 0.5 * (scores[r] - at_centre[r] - flow[r] * along[i]) + offsets[r]
        total, hinge = 0.0, -np.inf
        for r in range(n_classes):
            if r != own:
                total += mine[r]
                hinge = max(hinge, 1.0 + scores[r] - scores[own])
        if total == 0.0:
            if hinge < -bound:
                continue
            if hinge <= 0.0:
                order[kept] = i
                kept += 1
                continue
        order[kept] = i
        kept += 1
        # For vectors that the weights make, the gap is the sum of (hinge - Delta^2 A)^2 /
        # (2 Delta^2) + sum_r a_r (hinge - v_r), where the hinge is cut off at zero; without the
        # square, (C s - A) hinge takes the place of the first term.
        cut = max(0.0, hinge)
        level = slack2[i] * total
        if most[i] == np.inf:
            gap += 0.5 * (cut - level) ** 2 / max(slack2[i], 1e-300)
        else:
            gap += max(0.0, most[i] - total) * cut
            if total >= FULL * most[i]:
                level = cut
        half = 0.5 * curves[i]
        for r in range(n_classes):
            if r == own:
                continue
            v = 1.0 + scores[r] - scores[own]
            slope = v - level
            if mine[r] > 0.0:
                gap += mine[r] * (cut - v)
                worst = max(worst, abs(slope))
            else:
                worst = max(worst, slope)
            best[r] = v + half * (total + mine[r])
        best_weights(best, own, curves[i], slack2[i], most[i], new)
        count = 0
        change = 0.0
        for r in range(n_classes):
            if r == own:
                continue
            step = mine[r] - new[r]
            if step != 0.0:
                moved[count], steps[count] = r, step
                count += 1
                change -= step
                mine[r] = new[r]
        mass += total + change
        if count == 0:
            continue
        moved[count], steps[count] = own, change
        count += 1
        add_multiples(values, places, filled, moved[:count], steps[:count], sums)
        at = along[i] + centre2
        for k in range(count):
            r = moved[k]
            flow[r] += steps[k]
            offsets[r] += 0.5 * pull * steps[k]
            at_centre[r] += at * steps[k]
        taken += 1
    state[WORST] = max(state[WORST], worst)
    state[STEPS] += taken
    state[GAP] += gap
    state[MASS] += mass
    return kept
