"""Dual coordinate descent: one example's weight at a time goes to its best value.

C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi & S. Sundararajan, "A dual coordinate descent
method for large-scale linear SVM", ICML 2008.

The vector is kept as ``sum a y x`` of the rows as they stand, so that a step on a sparse row costs
its non-zeros; what the centre subtracts from it and from a row's product are scalars.
"""

from typing import NamedTuple

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.blocks import gather
from novikoff.compiled.rows import CSR, Rows, dot

# The entries of a state: the signed total of the weights, the intercept's estimate plus the pull
# times the total, w . centre, the largest violation seen, the number of steps, the soft margin's
# duality gap as the examples showed it when they were visited, the sum of their weights, and how
# many of them were on the wrong side.
TOTAL, OFFSET, ALONG, WORST, STEPS, GAP, MASS, MISTAKES = range(8)
SIZE = 8


class Terms(NamedTuple):
    """The dual's terms: of each row, and those that all rows share."""

    signs: np.ndarray
    """The labels, 1 or -1."""
    along: np.ndarray
    """``(x - centre) . centre``."""
    slack2: np.ndarray
    """The squared slack ``Delta_i^2``."""
    curves: np.ndarray
    """The second derivatives along each weight."""
    centre2: float
    """``|centre|^2``."""
    pull: float
    """The quadratic penalty on the signed total."""


@njit()
def measure(
    rows: CSR, order: np.ndarray, centre: np.ndarray, norms2: np.ndarray, products: np.ndarray
) -> None:
    """Write ``|x|^2`` and ``x . centre`` of sparse rows."""
    data, indices, indptr = rows
    for p in range(order.shape[0]):
        norm2, product = 0.0, 0.0
        for k in range(np.uint64(indptr[order[p]]), np.uint64(indptr[order[p] + 1])):
            value = np.float64(data[k])
            norm2 += value * value
            product += value * centre[np.uint64(indices[k])]
        norms2[p], products[p] = norm2, product


@njit()
def sweep(
    rows: Rows,
    order: np.ndarray,
    terms: Terms,
    bound: float,
    weights: np.ndarray,
    w: np.ndarray,
    state: np.ndarray,
) -> int:
    """Visit the examples of ``order`` once; return how many of them remain in it.

    The dual is ``|sum a z|^2/2 + sum slack2 a^2/2 - sum a + b T + pull T^2/2`` with the signed
    total ``T = sum a y``. An example without weight whose slope exceeds ``bound`` is left out of
    ``order``, whose front is filled with the others.
    """
    signs, along, slack2, curves, centre2, pull = terms
    total, offset, at_centre = state[TOTAL], state[OFFSET], state[ALONG]
    worst, steps, kept, gap, mass, mistakes = 0.0, 0, 0, 0.0, 0.0, 0
    for p in range(order.shape[0]):
        i = order[p]
        y = float(signs[i])
        product = dot(rows, i, w) - at_centre - total * along[i]
        signed = y * (product + offset)
        mistakes += int(signed <= 0.0)
        slope = signed + slack2[i] * weights[i] - 1.0
        if weights[i] == 0.0:
            if slope > bound:
                continue
            if slope >= 0.0:
                order[kept] = i
                kept += 1
                continue
        order[kept] = i
        kept += 1
        worst = max(worst, abs(slope))
        # For w = sum a z the gap is the sum of (hinge - slack2 a)^2 / (2 slack2) + a (hinge - h),
        # where h = slack2 a - slope is the hinge before it is cut off at zero.
        hinge = slack2[i] * weights[i] - slope
        off = max(0.0, hinge) - slack2[i] * weights[i]
        gap += 0.5 * off * off / max(slack2[i], 1e-300) + weights[i] * max(0.0, -hinge)
        weight = max(0.0, weights[i] - slope / curves[i])
        mass += weight
        step = y * (weight - weights[i])
        if step == 0.0:
            continue
        weights[i] = weight
        gather(rows, i, step, w)
        total += step
        offset += pull * step
        at_centre += step * (along[i] + centre2)
        steps += 1
    state[TOTAL], state[OFFSET], state[ALONG] = total, offset, at_centre
    state[WORST] = max(state[WORST], worst)
    state[STEPS] += steps
    state[GAP] += gap
    state[MASS] += mass
    state[MISTAKES] += mistakes
    return kept
