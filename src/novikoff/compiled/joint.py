"""Sweeps over the virtual rows of Kesler's construction, one for each wrong class of an example.

A virtual row is ``(e_y - e_r) (x) z / sqrt(2)``, so that ``|virtual row| = |z|`` and two classes
give the binary run. Its inner product with the vector that the weights make is half the difference
of two scores. Of the virtual rows of an example only the worst is looked at, and none is formed:
the state is one vector for each class, ``w[k]``.

A virtual row gets a number when it is first updated on. Those of one example are linked:
``first[i]`` is the newest one of example ``i``, ``after[p]`` the one before ``p``, -1 none.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from novikoff.certificate.kernels import njit, overload
from novikoff.compiled.rows import CSR, SUMS, Rows, add, distance2, dot, kernel_for
from novikoff.compiled.step import (
    FINITE,
    LEAST,
    NORM2,
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
from novikoff.compiled.sweep import BRINK, TIE, reach_of


class JointExamples(NamedTuple):
    """Rows with the codes of their classes, and how they are read: ``z = (x - centre, lift)``.

    ``norms2`` holds ``|x - centre|^2``; a negative entry stands for a norm not computed yet.
    ``at`` lists the columns in which the centre is not zero; ``steps`` holds the factor on the
    steps of each class, ``shares`` and ``slacks2`` are as in :class:`.sweep.Examples`.
    """

    rows: Rows
    codes: np.ndarray
    norms2: np.ndarray
    centre: np.ndarray
    at: np.ndarray
    frame: Frame
    steps: np.ndarray
    shares: np.ndarray
    slacks2: np.ndarray


class JointState(NamedTuple):
    """What a joint run remembers, in arrays that it changes in place.

    ``w`` has one row for each class, relative to the centre; ``offsets`` is what the lift adds to
    the scores and ``along`` is ``w . centre``. ``used`` counts the virtual rows; ``owner`` and
    ``wrong`` are the example and the wrong class of each, ``totals`` the sum of the weights of an
    example.
    """

    w: np.ndarray
    offsets: np.ndarray
    along: np.ndarray
    state: np.ndarray
    used: np.ndarray
    first: np.ndarray
    after: np.ndarray
    owner: np.ndarray
    wrong: np.ndarray
    weights: np.ndarray
    stamps: np.ndarray
    totals: np.ndarray


def _dense_scores(rows: np.ndarray, i: int, w: np.ndarray, out: np.ndarray) -> None:
    # Four classes at a time: a value that is read, and converted, serves all of them.
    fours = w.shape[0] - w.shape[0] % 4
    for k in range(0, fours, 4):
        ta = tb = tc = td = 0.0
        for j in range(rows.shape[1]):
            x = rows[i, j]
            ta += x * w[k, j]
            tb += x * w[k + 1, j]
            tc += x * w[k + 2, j]
            td += x * w[k + 3, j]
        out[k], out[k + 1], out[k + 2], out[k + 3] = ta, tb, tc, td
    for k in range(fours, w.shape[0]):
        out[k] = dot(rows, i, w[k])


def _csr_scores(rows: CSR, i: int, w: np.ndarray, out: np.ndarray) -> None:
    data, indices, indptr = rows
    for k in range(w.shape[0]):
        out[k] = 0.0
    for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        x, j = data[p], np.uint64(indices[p])
        for k in range(w.shape[0]):
            out[k] += x * w[k, j]


def scores(rows: Rows, i: int, w: np.ndarray, out: np.ndarray) -> None:
    """Write ``x_i . w[k]`` of every class into ``out``; for compiled code.

    For sparse rows ``w`` is in Fortran order, so that the values of one column are neighbours.
    """
    _scores(rows, i, w, out)(rows, i, w, out)


@overload(scores, jit_options={"fastmath": SUMS})
def _scores(rows: Any, i: Any, w: Any, out: Any) -> Callable[..., None]:
    return kernel_for(rows, _dense_scores, _csr_scores)


@njit(inner=True)
def _worst_class(
    out: np.ndarray, along: np.ndarray, offsets: np.ndarray, code: int
) -> tuple[float, int]:
    """Return the least half difference of scores, and its wrong class; the first of equal ones."""
    own = out[code] - along[code] + offsets[code]
    least, worst = np.inf, -1
    for k in range(out.shape[0]):
        if k != code:
            margin = 0.5 * (own - (out[k] - along[k] + offsets[k]))
            # A NaN is passed on, so that the caller sees it.
            if worst < 0 or not margin >= least:
                least, worst = margin, k
    return least, worst


@njit(inline="always")
def number_of(memory: JointState, i: int, wrong: int) -> int:
    """Return the number of a virtual row; a new one where it has none yet."""
    p = memory.first[i]
    while p >= 0 and memory.wrong[p] != wrong:
        p = memory.after[p]
    if p < 0:
        p = memory.used[0]
        memory.used[0] += 1
        memory.owner[p], memory.wrong[p] = i, wrong
        memory.after[p], memory.first[i] = memory.first[i], p
    return int(p)


@njit(inline="always")
def rescale(memory: JointState) -> None:
    """Multiply everything that is proportional to ``w`` by ``SMALLEST_SHRINK``."""
    w, state = memory.w, memory.state
    for p in range(memory.used[0]):
        memory.weights[p] *= SMALLEST_SHRINK
        memory.stamps[p] *= SMALLEST_SHRINK
    for i in range(memory.totals.shape[0]):
        memory.totals[i] *= SMALLEST_SHRINK
    for k in range(w.shape[0]):
        memory.offsets[k] *= SMALLEST_SHRINK
        memory.along[k] *= SMALLEST_SHRINK
        for j in range(w.shape[1]):
            w[k, j] *= SMALLEST_SHRINK
    state[WEIGHT] *= SMALLEST_SHRINK
    state[THRESHOLD] *= SMALLEST_SHRINK
    state[NORM2] *= SMALLEST_SHRINK * SMALLEST_SHRINK
    state[SHRINK] /= SMALLEST_SHRINK
    state[RESCALED] += 1.0


@njit(inline="always")
def take_joint(
    examples: JointExamples,
    row: int,
    i: int,
    wrong: int,
    margin: float,
    rule: Specification,
    memory: JointState,
) -> int:
    """Update on a virtual row of example ``i``, stored in ``row``, whose margin is ``margin``.

    Returns its number.
    """
    rows, codes, norms2, centre, at, frame, steps, shares, slacks2 = examples
    w, offsets, along, state = memory.w, memory.offsets, memory.along, memory.state
    y = codes[i]
    p = number_of(memory, i, wrong)
    norm2 = norms2[i] if norms2[i] >= 0.0 else distance2(rows, row, centre, at)
    norm2 += frame.lift2 + (slacks2[i] if slacks2.shape[0] > 0 else frame.slack2)
    factor = steps[y] * (shares[i] if shares.shape[0] > 0 else 1.0)
    begin = state[UPDATES]
    tau = advance(rule, state, margin, norm2, factor)
    state[THRESHOLD] = threshold_at(rule, state)
    memory.stamps[p] += tau * begin
    memory.weights[p] += tau
    memory.totals[i] += tau
    along[y] = add(rows, row, tau, w[y], centre, at)
    along[wrong] = add(rows, row, -tau, w[wrong], centre, at)
    offsets[y] += tau * frame.lift2
    offsets[wrong] -= tau * frame.lift2
    if state[SHRINK] <= SMALLEST_SHRINK:
        rescale(memory)
    return int(p)


@njit()
def sweep_joint(
    examples: JointExamples,
    here: np.ndarray,
    order: np.ndarray,
    rule: Specification,
    memory: JointState,
    near: np.ndarray,
    nearness: float,
    most: float,
    passes: int,
) -> tuple[int, int, int]:
    """Visit the examples of ``order``, stored in the rows ``here``, as :func:`.sweep.sweep` does.

    The worst virtual row of an example decides.
    """
    rows, codes, norms2, frame = examples.rows, examples.codes, examples.norms2, examples.frame
    slacks2 = examples.slacks2
    w, offsets, along, state = memory.w, memory.offsets, memory.along, memory.state
    out = np.empty(w.shape[0])
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
            i, y = order[p], codes[order[p]]
            scores(rows, here[p], w, out)
            margin, r = _worst_class(out, along, offsets, y)
            if frame.slack2 != 0.0:
                slack2 = slacks2[i] if slacks2.shape[0] > 0 else frame.slack2
                margin += slack2 * memory.totals[i]
            total += margin
            if margin < least:
                least = margin
            if margin > reach:
                continue
            near[found] = i
            found += 1
            if margin > brink:
                continue
            # As in the sweep of two classes, for the mean of the two scores.
            tie = 0.5 * (abs(out[y]) + abs(out[r]))
            tie += 0.5 * (abs(along[y]) + abs(along[r]))
            tie += 0.5 * (abs(offsets[y]) + abs(offsets[r]))
            if norms2[i] > 0.0 and state[NORM2] > 0.0:
                tie += math.sqrt(norms2[i]) * math.sqrt(state[NORM2])
            if -np.inf < margin <= state[THRESHOLD] + TIE * tie:
                if state[UPDATES] >= most:
                    state[FINITE] += 0.0 * total
                    return begun, p, found - 1
                take_joint(examples, here[p], i, r, margin, rule, memory)
                reach = reach_of(state, nearness)
                brink = reach_of(state, closeness)
        # A NaN or an infinity in any row survives the sum and the product with zero.
        state[FINITE] += 0.0 * total
        state[LEAST] = least
        if state[UPDATES] == before:
            break
    return begun, order.shape[0], found


@njit()
def margins_joint(
    rows: Rows,
    codes: np.ndarray,
    here: np.ndarray,
    order: np.ndarray,
    w: np.ndarray,
    along: np.ndarray,
    offsets: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write the least margin of each example of ``order`` over its wrong classes into ``out``.

    Without slack.
    """
    every = np.empty(w.shape[0])
    for p in range(order.shape[0]):
        i = order[p]
        scores(rows, here[p], w, every)
        out[p], _ = _worst_class(every, along, offsets, codes[i])


@njit()
def combine_joint(
    rows: Rows,
    here: np.ndarray,
    coefficients: np.ndarray,
    centre: np.ndarray,
    at: np.ndarray,
    w: np.ndarray,
) -> None:
    """Add ``coefficients[p, k] * (x_here[p] - centre)`` to every ``w[k]``."""
    for p in range(here.shape[0]):
        for k in range(w.shape[0]):
            if coefficients[p, k] != 0.0:
                add(rows, here[p], coefficients[p, k], w[k], centre, at)


@njit()
def least_joint(
    examples: JointExamples,
    here: np.ndarray,
    order: np.ndarray,
    memory: JointState,
    least: np.ndarray,
    who: np.ndarray,
) -> None:
    """Lower ``least[y, r]`` to the least margin of an example of class y against class r.

    ``who[y, r]`` becomes that example, the first in order of equal ones.
    """
    along, offsets, slacks2 = memory.along, memory.offsets, examples.slacks2
    every = np.empty(memory.w.shape[0])
    for p in range(order.shape[0]):
        i, y = order[p], examples.codes[order[p]]
        scores(examples.rows, here[p], memory.w, every)
        own = every[y] - along[y] + offsets[y]
        slack2 = slacks2[i] if slacks2.shape[0] > 0 else examples.frame.slack2
        for k in range(every.shape[0]):
            margin = 0.5 * (own - (every[k] - along[k] + offsets[k]))
            margin += slack2 * memory.totals[i]
            if k != y and margin < least[y, k]:
                least[y, k], who[y, k] = margin, i


@njit()
def step_joint(
    examples: JointExamples,
    here: np.ndarray,
    order: np.ndarray,
    wrong: np.ndarray,
    rule: Specification,
    memory: JointState,
) -> None:
    """Update on the given virtual rows, one after the other, as one step of the run."""
    along, offsets, state = memory.along, memory.offsets, memory.state
    slacks2 = examples.slacks2
    every = np.empty(memory.w.shape[0])
    begun = state[UPDATES]
    for p in range(order.shape[0]):
        i, y, r = order[p], examples.codes[order[p]], wrong[p]
        scores(examples.rows, here[p], memory.w, every)
        own = every[y] - along[y] + offsets[y]
        margin = 0.5 * (own - (every[r] - along[r] + offsets[r]))
        slack2 = slacks2[i] if slacks2.shape[0] > 0 else examples.frame.slack2
        margin += slack2 * memory.totals[i]
        state[FINITE] += 0.0 * margin
        late, total = state[UPDATES] - begun, state[WEIGHT]
        number = take_joint(examples, here[p], i, r, margin, rule, memory)
        # All of them count from where the step began.
        memory.stamps[number] -= late * (state[WEIGHT] - total)
