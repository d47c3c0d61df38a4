"""Passes of a perceptron of many classes in dual form: kernel columns added to scores.

The loop of :func:`novikoff.compiled.kernel_sweep.sweep` with the virtual rows of
:mod:`novikoff.compiled.joint`: an example has a score for each class, and an update on it against
a wrong class adds its column to the scores of its own class and subtracts it from those of the
other.
"""

import math
from typing import NamedTuple

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.joint import JointState, number_of, rescale
from novikoff.compiled.kernel_sweep import (
    BEFORE,
    BEGUN,
    DONE,
    FEWEST,
    FOUND,
    MISSING,
    PAUSED,
    PLACE,
    TOTAL,
    USED_UP,
    Part,
    Quota,
)
from novikoff.compiled.step import (
    FINITE,
    LEAST,
    NORM2,
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
from novikoff.compiled.sweep import BRINK, TIE, reach_of


class JointKernelExamples(NamedTuple):
    """The classes of all examples, as numbers, ``|phi(x) - phi(centre)|^2``, lifts and steps.

    ``shares`` and ``slacks2`` are as in :class:`.sweep.Examples`.
    """

    codes: np.ndarray
    norms2: np.ndarray
    frame: Frame
    steps: np.ndarray
    shares: np.ndarray
    slacks2: np.ndarray


@njit(inner=True)
def slack2_of(examples: JointKernelExamples, i: int) -> float:
    """Return the square of the slack coordinate of an example."""
    slacks2 = examples.slacks2
    return float(slacks2[i] if slacks2.shape[0] > 0 else examples.frame.slack2)


@njit(inner=True)
def worst_class(scores: np.ndarray, p: int, offsets: np.ndarray, code: int) -> tuple[float, int]:
    """Return the least half difference of scores at ``p``, and its wrong class.

    Of several that rounding cannot tell apart, the first: at the centre, classes that were updated
    against equally often have the same score, but for how sums of lifts are rounded.
    """
    own = scores[code, p] + offsets[code]
    least, worst = np.inf, -1
    for k in range(scores.shape[0]):
        if k != code:
            other = scores[k, p] + offsets[k]
            margin = 0.5 * (own - other)
            # A NaN is passed on, so that the caller sees it.
            if worst < 0 or not margin >= least - TIE * (abs(own) + abs(other)):
                least, worst = margin, k
    return least, worst


@njit()
def take(
    part: Part,
    i: int,
    wrong: int,
    margin: float,
    examples: JointKernelExamples,
    rule: Specification,
    memory: JointState,
) -> None:
    """Update on a virtual row of example ``i``, whose column is at hand."""
    codes, norms2, frame, steps, shares, _ = examples
    scores, state = part.scores, memory.state
    y = codes[i]
    norm2 = norms2[i] + frame.lift2 + slack2_of(examples, i)
    factor = steps[y] * (shares[i] if shares.shape[0] > 0 else 1.0)
    begin = state[UPDATES]
    tau = advance(rule, state, margin, norm2, factor)
    state[THRESHOLD] = threshold_at(rule, state)
    p = number_of(memory, i, wrong)
    memory.stamps[p] += tau * begin
    memory.weights[p] += tau
    memory.totals[i] += tau
    column = part.columns[part.slots[i]]
    for k in range(scores.shape[1]):
        scores[y, k] += tau * column[k]
    for k in range(scores.shape[1]):
        scores[wrong, k] -= tau * column[k]
    memory.offsets[y] += tau * frame.lift2
    memory.offsets[wrong] -= tau * frame.lift2
    if state[SHRINK] <= SMALLEST_SHRINK:
        rescale(memory)
        for r in range(scores.shape[0]):
            for k in range(scores.shape[1]):
                scores[r, k] *= SMALLEST_SHRINK


@njit()
def sweep_joint_kernel(
    part: Part,
    visits: np.ndarray,
    examples: JointKernelExamples,
    rule: Specification,
    memory: JointState,
    near: np.ndarray,
    nearness: float,
    quota: Quota,
    passes: int,
    tie_share: float,
    cursor: np.ndarray,
) -> int:
    """Visit the examples at the positions ``visits`` of a part, from where the cursor is."""
    ids, scores, _, slots = part
    codes, norms2, frame = examples.codes, examples.norms2, examples.frame
    offsets, state = memory.offsets, memory.state
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
            y = codes[i]
            margin, r = worst_class(scores, p, offsets, y)
            if frame.slack2 != 0.0:
                margin += slack2_of(examples, i) * memory.totals[i]
            if margin <= reach:
                violated = False
                if margin <= brink:
                    tie = 0.5 * (abs(scores[y, p]) + abs(scores[r, p]))
                    tie += 0.5 * (abs(offsets[y]) + abs(offsets[r]))
                    tie += math.sqrt(max(norms2[i], 0.0)) * math.sqrt(max(state[NORM2], 0.0))
                    limit = state[THRESHOLD] * (quota.share if memory.totals[i] == 0.0 else 1.0)
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
                    take(part, i, r, margin, examples, rule, memory)
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


@njit()
def upcoming_joint(
    part: Part,
    visits: np.ndarray,
    begin: int,
    examples: JointKernelExamples,
    share: float,
    memory: JointState,
    found: np.ndarray,
) -> int:
    """Write the examples that are violated now and have no column, from position ``begin`` on."""
    count = 0
    for v in range(begin, visits.shape[0]):
        if count == found.shape[0]:
            break
        i = part.ids[visits[v]]
        margin, _ = worst_class(part.scores, visits[v], memory.offsets, examples.codes[i])
        margin += slack2_of(examples, i) * memory.totals[i]
        limit = memory.state[THRESHOLD] * (share if memory.totals[i] == 0.0 else 1.0)
        if part.slots[i] < 0 and margin <= limit:
            found[count] = i
            count += 1
    return count


@njit()
def step_joint_kernel(
    part: Part,
    wrong: np.ndarray,
    examples: JointKernelExamples,
    rule: Specification,
    memory: JointState,
) -> None:
    """Update on virtual rows of the examples of a part, in turn, as one step of the run."""
    offsets, state = memory.offsets, memory.state
    begun = state[UPDATES]
    for p in range(part.ids.shape[0]):
        i, r = part.ids[p], wrong[p]
        y = examples.codes[i]
        margin = 0.5 * (part.scores[y, p] + offsets[y] - (part.scores[r, p] + offsets[r]))
        margin += slack2_of(examples, i) * memory.totals[i]
        state[FINITE] += 0.0 * margin
        late, total = state[UPDATES] - begun, state[WEIGHT]
        take(part, i, r, margin, examples, rule, memory)
        # All of them count from where the step began.
        memory.stamps[number_of(memory, i, r)] -= late * (state[WEIGHT] - total)


@njit()
def least_of_classes(
    scores: np.ndarray,
    ids: np.ndarray,
    examples: JointKernelExamples,
    memory: JointState,
    least: np.ndarray,
    who: np.ndarray,
) -> None:
    """Lower ``least[y, r]`` to the least margin of an example of class y against class r."""
    offsets = memory.offsets
    for p in range(ids.shape[0]):
        i = ids[p]
        y = examples.codes[i]
        for k in range(scores.shape[0]):
            margin = 0.5 * (scores[y, p] + offsets[y] - (scores[k, p] + offsets[k]))
            margin += slack2_of(examples, i) * memory.totals[i]
            if k != y and margin < least[y, k]:
                least[y, k], who[y, k] = margin, i
