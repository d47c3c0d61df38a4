"""Passes of a perceptron in dual form: an update adds a kernel column to the scores of examples.

The same loop as :func:`novikoff.compiled.sweep.sweep`, with the same steps
(:mod:`novikoff.compiled.step`); what differs is that the margins of the examples at hand are kept
and brought up to date, where the other loop keeps ``w``.
"""

import math
from typing import NamedTuple

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.step import (
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
from novikoff.compiled.sweep import BRINK, reach_of


class Part(NamedTuple):
    """Some examples: who they are, their scores, and the kernel columns that are at hand.

    Entry ``p`` of a column, of the scores and of ``ids`` is of the same example. ``slots`` has, for
    every example of the sample, the row of ``columns`` that is its column here, or -1.
    """

    ids: np.ndarray
    scores: np.ndarray
    columns: np.ndarray
    slots: np.ndarray


# Where a sweep is: the passes begun, the next position, how many near examples were found in this
# pass, the updates at its beginning (as a float), its sum of margins and least margin.
BEGUN, PLACE, FOUND, BEFORE, TOTAL, FEWEST = range(6)
CURSOR_SIZE = 6

# How a sweep ended: all passes are made; the updates are used up; an example is violated whose
# column is not at hand; the updates are made after which the sweep was to pause.
DONE, USED_UP, MISSING, PAUSED = 0, 1, 2, 3


class Quota(NamedTuple):
    """How many updates there may be in all, and after how many to pause.

    ``share`` is the part of the threshold up to which examples without weight count as violated:
    with less than 1, the worst of them come first.
    """

    most: float
    pause: float
    share: float


@njit()
def sweep(
    part: Part,
    visits: np.ndarray,
    signs: np.ndarray,
    norms2: np.ndarray,
    frame: Frame,
    shares: np.ndarray,
    slacks2: np.ndarray,
    rule: Specification,
    weights: np.ndarray,
    stamps: np.ndarray,
    state: np.ndarray,
    near: np.ndarray,
    nearness: float,
    quota: Quota,
    passes: int,
    tie_share: float,
    cursor: np.ndarray,
) -> int:
    """Visit the examples at the positions ``visits`` of a part, from where the cursor is.

    Goes over them again until a pass makes no update, at most ``passes`` times. ``shares`` and
    ``slacks2`` are as in :class:`.sweep.Examples`.
    """
    ids, scores, columns, slots = part
    reach = reach_of(state, nearness)
    brink = reach_of(state, min(nearness, BRINK))
    while True:
        if cursor[PLACE] == 0.0:
            if cursor[BEGUN] >= passes:
                return DONE
            cursor[BEGUN] += 1.0
            cursor[FOUND], cursor[TOTAL] = 0.0, 0.0
            cursor[BEFORE], cursor[FEWEST] = state[UPDATES], state[LEAST]
        for v in range(int(cursor[PLACE]), visits.shape[0]):
            p = visits[v]
            i = ids[p]
            y = float(signs[i])
            margin = y * (scores[p] + state[OFFSET])
            slack2 = slacks2[i] if slacks2.shape[0] > 0 else frame.slack2
            if slack2 != 0.0:
                margin += slack2 * weights[i]
            if margin <= reach:
                violated = False
                if margin <= brink:
                    tie = abs(scores[p]) + abs(state[OFFSET])
                    tie += math.sqrt(max(norms2[i], 0.0)) * math.sqrt(max(state[NORM2], 0.0))
                    limit = state[THRESHOLD] * (quota.share if weights[i] == 0.0 else 1.0)
                    violated = -np.inf < margin <= limit + tie_share * tie
                if violated:
                    if state[UPDATES] >= quota.most:
                        cursor[PLACE] = v
                        state[FINITE] += 0.0 * cursor[TOTAL]
                        return USED_UP
                    if slots[i] < 0:
                        cursor[PLACE] = v
                        # Position 0 would begin a new pass.
                        if v == 0:
                            cursor[BEGUN] -= 1.0
                        return MISSING
                near[int(cursor[FOUND])] = i
                cursor[FOUND] += 1.0
                if violated:
                    norm2 = norms2[i] + frame.lift2 + slack2
                    factor = frame.weight_positive if y > 0.0 else frame.weight_negative
                    if shares.shape[0] > 0:
                        factor *= shares[i]
                    begin = state[UPDATES]
                    tau = advance(rule, state, margin, norm2, factor)
                    state[THRESHOLD] = threshold_at(rule, state)
                    stamps[i] += tau * begin
                    weights[i] += tau
                    move = tau * y
                    column = columns[slots[i]]
                    for k in range(scores.shape[0]):
                        scores[k] += move * column[k]
                    state[OFFSET] += move * frame.lift2
                    if state[SHRINK] <= SMALLEST_SHRINK:
                        _rescale(weights, stamps, scores, state)
                    reach = reach_of(state, nearness)
                    brink = reach_of(state, min(nearness, BRINK))
            cursor[TOTAL] += margin
            cursor[FEWEST] = min(cursor[FEWEST], margin)
            if state[UPDATES] >= quota.pause:
                cursor[PLACE] = v + 1
                state[FINITE] += 0.0 * cursor[TOTAL]
                return PAUSED
        cursor[PLACE] = 0.0
        state[FINITE] += 0.0 * cursor[TOTAL]
        state[LEAST] = cursor[FEWEST]
        if state[UPDATES] == cursor[BEFORE]:
            return DONE


@njit(inner=True)
def _rescale(
    weights: np.ndarray, stamps: np.ndarray, scores: np.ndarray, state: np.ndarray
) -> None:
    for i in range(weights.shape[0]):
        weights[i] *= SMALLEST_SHRINK
        stamps[i] *= SMALLEST_SHRINK
    for j in range(scores.shape[0]):
        scores[j] *= SMALLEST_SHRINK
    for k in (WEIGHT, OFFSET, THRESHOLD):
        state[k] *= SMALLEST_SHRINK
    state[NORM2] *= SMALLEST_SHRINK**2
    state[SHRINK] /= SMALLEST_SHRINK
    state[RESCALED] += 1.0


@njit()
def upcoming(
    part: Part,
    visits: np.ndarray,
    begin: int,
    signs: np.ndarray,
    slack2: float,
    slacks2: np.ndarray,
    share: float,
    weights: np.ndarray,
    state: np.ndarray,
    found: np.ndarray,
) -> int:
    """Write the examples that are violated now and have no column, from position ``begin`` on.

    They are the ones that a sweep will most likely need next. Returns how many there are.
    """
    ids, scores, _, slots = part
    count = 0
    for v in range(begin, visits.shape[0]):
        if count == found.shape[0]:
            break
        i = ids[visits[v]]
        margin = signs[i] * (scores[visits[v]] + state[OFFSET])
        margin += (slacks2[i] if slacks2.shape[0] > 0 else slack2) * weights[i]
        limit = state[THRESHOLD] * (share if weights[i] == 0.0 else 1.0)
        if slots[i] < 0 and margin <= limit:
            found[count] = i
            count += 1
    return count
