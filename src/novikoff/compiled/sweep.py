"""Passes over examples: sweeping with a rule, scanning for the worst, combining with weights."""

import math
from typing import NamedTuple

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.rows import Rows, add, distance2, dot
from novikoff.compiled.step import (
    ALONG,
    FINITE,
    LEAST,
    NORM2,
    OFFSET,
    RESCALED,
    SHRINK,
    SMALLEST_SHRINK,
    THRESHOLD,
    UPDATES,
    WEIGHT,
    Frame,
    Specification,
    advance,
    threshold_at,
)

# A margin above the threshold by less than this share of what it was summed from counts as
# violated: rounding may have lifted it. The dot product of d terms errs by at most d * 2^-53 of it,
# and in practice by a few units of 2^-53.
TIE = 2.0**-50
# Only margins within this share of the mean margin above the threshold are tested for a tie. It
# only has to exceed TIE by as much as |z| |w| can exceed the mean margin, and spares the others
# two square roots.
BRINK = 2.0**-20


class Examples(NamedTuple):
    """Rows with their labels, and how they are read: ``z = y (x - centre, lift, slack)``.

    ``norms2`` holds ``|x - centre|^2``; a negative entry stands for a norm not computed yet.
    ``at`` lists the columns in which the centre is not zero. ``shares`` holds the factor on the
    steps of each example, ``slacks2`` the square of its slack; empty, they stand for 1 and for that
    of the frame.
    """

    rows: Rows
    signs: np.ndarray
    norms2: np.ndarray
    centre: np.ndarray
    at: np.ndarray
    frame: Frame
    shares: np.ndarray
    slacks2: np.ndarray


class Memory(NamedTuple):
    """What a run remembers, in arrays that it changes in place.

    ``weights`` are those of the examples, ``stamps`` the sums over their steps of when each was
    taken times its length, ``w`` is the vector that the weights make, relative to the centre, and
    ``state`` the scalars of :mod:`novikoff.compiled.step`.
    """

    weights: np.ndarray
    stamps: np.ndarray
    w: np.ndarray
    state: np.ndarray


@njit()
def sweep(
    examples: Examples,
    order: np.ndarray,
    rule: Specification,
    memory: Memory,
    near: np.ndarray,
    nearness: float,
    most: float,
    passes: int,
) -> tuple[int, int, int]:
    """Visit the examples of ``order`` and update on each that the rule finds violated.

    Does so over and over until a pass makes no update, at most ``passes`` times. Returns how many
    passes were begun, and of the last one how many examples were visited (fewer than all once
    ``most`` updates are made) and how many entries of ``near`` were filled: the examples violated
    or within ``nearness`` of it. Ties within rounding are looked for where ``nearness`` is not 0:
    in full passes, which decide.
    """
    # Everything that a visit does is written out here: numba takes twice as long to compile a
    # function that inlines others, or that passes so many arrays on.
    rows, signs, norms2, centre, at, frame, shares, slacks2 = examples
    weights, stamps, w, state = memory
    closeness = nearness if nearness < BRINK else BRINK
    begun, found = 0, 0
    while begun < passes:
        begun += 1
        found = 0
        total = 0.0
        before = state[UPDATES]
        least = state[LEAST]
        reach = reach_of(state, nearness)
        brink = reach_of(state, closeness)
        for p in range(order.shape[0]):
            i = order[p]
            product = dot(rows, i, w)
            margin = signs[i] * (product - state[ALONG] + state[OFFSET])
            # Without slack the weights are not read: eight more bytes per row slow short rows down.
            if frame.slack2 != 0.0:
                slack2 = slacks2[i] if slacks2.shape[0] > 0 else frame.slack2
                margin += slack2 * weights[i]
            total += margin
            if margin < least:
                least = margin
            if margin > reach:
                continue
            near[found] = i
            found += 1
            if margin > brink:
                continue
            # A margin that rounding may have lifted over the threshold counts as violated. An
            # infinite one means bad data, which FINITE reports below: no update on it.
            tie = abs(product) + abs(state[ALONG]) + abs(state[OFFSET])
            if norms2[i] > 0.0 and state[NORM2] > 0.0:
                tie += math.sqrt(norms2[i]) * math.sqrt(state[NORM2])
            if -np.inf < margin <= state[THRESHOLD] + TIE * tie:
                if state[UPDATES] >= most:
                    state[FINITE] += 0.0 * total
                    return begun, p, found - 1
                y = float(signs[i])
                norm2 = norms2[i] if norms2[i] >= 0.0 else distance2(rows, i, centre, at)
                norm2 += frame.lift2 + (slacks2[i] if slacks2.shape[0] > 0 else frame.slack2)
                factor = frame.weight_positive if y > 0.0 else frame.weight_negative
                if shares.shape[0] > 0:
                    factor *= shares[i]
                begin = state[UPDATES]
                tau = advance(rule, state, margin, norm2, factor)
                state[THRESHOLD] = threshold_at(rule, state)
                stamps[i] += tau * begin
                weights[i] += tau
                state[ALONG] = add(rows, i, tau * y, w, centre, at)
                state[OFFSET] += tau * y * frame.lift2
                if state[SHRINK] <= SMALLEST_SHRINK:
                    for k in range(weights.shape[0]):
                        weights[k] *= SMALLEST_SHRINK
                        stamps[k] *= SMALLEST_SHRINK
                    for j in range(w.shape[0]):
                        w[j] *= SMALLEST_SHRINK
                    # The threshold of a rule that shrinks w is measured in units of |w|.
                    for k in (WEIGHT, OFFSET, ALONG, THRESHOLD):
                        state[k] *= SMALLEST_SHRINK
                    state[NORM2] *= SMALLEST_SHRINK * SMALLEST_SHRINK
                    state[SHRINK] /= SMALLEST_SHRINK
                    state[RESCALED] += 1.0
                reach = reach_of(state, nearness)
                brink = reach_of(state, closeness)
        # A NaN or an infinity in any row survives the sum and the product with zero.
        state[FINITE] += 0.0 * total
        state[LEAST] = least
        if state[UPDATES] == before:
            break
    return begun, order.shape[0], found


@njit(inner=True)
def reach_of(state: np.ndarray, nearness: float) -> float:
    """Return the margin up to which an example counts as near to being violated."""
    # sum a_i z_i.w / sum a_i = |w|^2 / sum a_i: the mean margin of the examples that carry w.
    # A function of the state alone, so that the support reproduces the run.
    mean = state[NORM2] / state[WEIGHT] if state[WEIGHT] > 0.0 else 0.0
    return float(state[THRESHOLD] + nearness * mean)


@njit()
def margins(
    rows: Rows,
    signs: np.ndarray,
    order: np.ndarray,
    w: np.ndarray,
    shift: tuple[float, float],
    out: np.ndarray,
) -> None:
    """Write the margins ``z . w`` of the examples of ``order`` into ``out``, without slack.

    ``shift`` has ``w . centre`` and the offset. (Not the tuples that :func:`sweep` takes: what is
    unpacked from them and not needed is compiled, too.)
    """
    along, offset = shift
    for p in range(order.shape[0]):
        i = order[p]
        out[p] = signs[i] * (dot(rows, i, w) - along + offset)


@njit()
def combine(
    rows: Rows,
    order: np.ndarray,
    coefficients: np.ndarray,
    centre: np.ndarray,
    at: np.ndarray,
    w: np.ndarray,
) -> None:
    """Add ``sum_p coefficients[p] * (x_order[p] - centre)`` to ``w``."""
    for p in range(order.shape[0]):
        add(rows, order[p], coefficients[p], w, centre, at)
