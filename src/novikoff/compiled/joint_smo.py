"""Steps on the examples of a block of kernel values, for all classes at once.

The weights of one example go to their best (:mod:`novikoff.compiled.joint_dual`), and all scores of
the block follow, by a column of its Gram matrix. With intercepts the moves of a block have to
balance between the classes. The method of multipliers makes them: what does not balance is
penalised, and shifts the intercepts after each sweep. What is left of it at the end is taken from
the weights.

With the scores ``f`` that weights make, without intercepts, let ``h_r`` be ``1 + f_r`` for a wrong
class and ``f_y + Delta^2 A`` for the own one. An example can *give* to class ``p`` if that is its
own, or if it has weight for it. At the optimum there are intercepts ``b`` with ``h_p + b_p >= h_q +
b_q`` for every class ``p`` that the example can give to and every other one, ``q``.
"""

from typing import NamedTuple

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.joint_dual import best_weights
from novikoff.compiled.mean_cycle import least_mean_cycle

LEAST_CURVE = 1e-12
"""The least second derivative along a weight, as in :mod:`novikoff.compiled.smo`."""

LAZY = 0.3
"""An example that is violated by less than this share of the tolerance stays as it is."""


SWEEPS = 4
"""There are at most so many sweeps for each that the number of steps allows for. Not varied."""


class Block(NamedTuple):
    """The examples of a block, which do not change."""

    gram: np.ndarray
    """Their kernel values; with intercepts relative to their mean."""
    codes: np.ndarray
    """The classes."""
    slack2: np.ndarray
    """The squared slack ``Delta_i^2``."""
    pull: float
    """The quadratic penalty on moves that do not balance; zero without intercepts."""
    unit: float
    """By how much a flow of 1 that does not balance counts as a violation."""


@njit()
def steps_on_block(
    block: Block,
    weights: np.ndarray,
    scores: np.ndarray,
    offsets: np.ndarray,
    tol: float,
    most: int,
) -> int:
    """Visit the examples in turn until none is violated by more than ``tol``.

    ``scores`` has a row for each class, ``weights`` one for each example; ``offsets`` are the
    estimates of the intercepts. After a sweep over all, those that could move are visited until
    they agree. With intercepts the moves balance in the end, of which the scores do not know.
    Returns how many steps were made, which may exceed ``most`` by a sweep. There are sweeps in
    which only the offsets move, of which there is an end, too.
    """
    gram, codes, slack2, pull, unit = block
    n_classes, q = scores.shape
    everyone, some = np.arange(q), np.empty(q, np.int64)
    best, new, moves = np.empty(n_classes), np.empty(n_classes), np.empty(n_classes)
    flow = np.zeros(n_classes)
    steps, sweeps, whole, kept = 0, 0, True, 0
    while True:
        sweeps += 1
        worst, visits = 0.0, q if whole else kept
        order = everyone if whole else some
        kept = 0
        for p in range(visits):
            i = order[p]
            own, mine = codes[i], weights[i]
            total, hinge = 0.0, -np.inf
            mark = 1.0 - scores[own, i] - offsets[own]
            for r in range(n_classes):
                if r != own:
                    total += mine[r]
                    best[r] = mark + scores[r, i] + offsets[r]
                    hinge = max(hinge, best[r])
            if total == 0.0 and hinge <= 0.0:
                continue
            some[kept] = i
            kept += 1
            level, violation = slack2[i] * total, 0.0
            for r in range(n_classes):
                if r != own:
                    slope = best[r] - level
                    violation = max(violation, abs(slope) if mine[r] > 0.0 else slope)
            worst = max(worst, violation)
            if violation <= LAZY * tol:
                continue
            curve = max(gram[i, i] + pull, LEAST_CURVE)
            for r in range(n_classes):
                best[r] += 0.5 * curve * (total + mine[r])
            best_weights(best, own, curve, slack2[i], np.inf, new)
            change = 0.0
            for r in range(n_classes):
                moves[r] = 0.0
                if r != own:
                    moves[r] = mine[r] - new[r]
                    change -= moves[r]
                    mine[r] = new[r]
            moves[own] = change
            for r in range(n_classes):
                if moves[r] != 0.0:
                    half = 0.5 * moves[r]
                    for j in range(q):
                        scores[r, j] += half * gram[i, j]
                    offsets[r] += pull * half
                    flow[r] += moves[r]
            steps += 1
        for r in range(n_classes):
            offsets[r] += 0.5 * pull * flow[r]
            worst = max(worst, unit * abs(flow[r]))
        if steps >= most or sweeps * q >= SWEEPS * most or (whole and worst <= tol):
            break
        whole = worst <= tol
    for r in range(n_classes):
        offsets[r] -= 0.5 * pull * flow[r]
    if pull > 0.0:
        _balance(codes, weights, flow)
    return steps


@njit(inner=True)
def _balance(codes: np.ndarray, weights: np.ndarray, flow: np.ndarray) -> None:
    """Change weights until the flow vanishes: between the classes with the most and the least.

    All weights between these two classes change by the same share, as far as that goes.
    """
    q, n_classes = weights.shape
    for _ in range(4 * n_classes):
        much, little = 0, 0
        for r in range(n_classes):
            if flow[r] > flow[much]:
                much = r
            if flow[r] < flow[little]:
                little = r
        amount = min(flow[much], -flow[little])
        if not amount > 0.0:
            return
        total = 0.0
        for i in range(q):
            if codes[i] == little:
                total += weights[i, much]
            elif codes[i] == much:
                total += weights[i, little]
        if total > amount:
            share = amount / total
            for i in range(q):
                if codes[i] == little:
                    weights[i, much] *= 1.0 + share
                elif codes[i] == much:
                    weights[i, little] *= 1.0 - share
        else:
            # One example alone: a weight that grows has no bound, one that falls ends at zero.
            one, largest = -1, 0.0
            for i in range(q):
                if codes[i] == little and (one < 0 or weights[i, much] > weights[one, much]):
                    one = i
            grows = one >= 0
            for i in range(q):
                if not grows and weights[i, little] > largest:
                    one, largest = i, weights[i, little]
            if one < 0:
                return
            if not grows:
                amount = min(amount, largest)
                weights[one, little] -= amount
            if codes[one] != much:
                weights[one, much] += amount
        flow[much] -= amount
        flow[little] += amount


@njit()
def steps_in_cycles(
    block: Block,
    weights: np.ndarray,
    scores: np.ndarray,
    offsets: np.ndarray,
    tol: float,
    most: int,
) -> int:
    """Let weight go around the worst cycle of classes until no cycle gains more than ``tol``.

    A step looks at the whole block, but the flow stays balanced and the dual grows. The offsets are
    those that go with it at the end. Returns how many steps were made.
    """
    gram, codes, slack2 = block.gram, block.codes, block.slack2
    n_classes, q = scores.shape
    cycle = np.empty(n_classes + 1, np.int64)
    for step in range(most):
        least, who = least_leads(scores, weights, codes, slack2)
        count, mean = least_mean_cycle(least, cycle, offsets)
        if not mean < -tol:
            return step
        slope, curve, longest = 0.0, 0.0, np.inf
        for k in range(count):
            p, r = cycle[k], cycle[(k + 1) % count]
            i = who[p, r]
            slope -= least[p, r]
            if p != codes[i]:
                longest = min(longest, weights[i, p])
            for m in range(count):
                p2, r2 = cycle[m], cycle[(m + 1) % count]
                j = who[p2, r2]
                shared = int(p == p2) + int(r == r2) - int(p == r2) - int(r == p2)
                curve += 0.5 * shared * gram[i, j]
                if i == j:
                    own = codes[i]
                    first, second = int(p == own) - int(r == own), int(p2 == own) - int(r2 == own)
                    curve += slack2[i] * first * second
        move = min(slope / max(curve, LEAST_CURVE), longest)
        for k in range(count):
            p, r = cycle[k], cycle[(k + 1) % count]
            i = who[p, r]
            if p != codes[i]:
                weights[i, p] = max(0.0, weights[i, p] - move)
            if r != codes[i]:
                weights[i, r] += move
            for j in range(q):
                scores[p, j] += 0.5 * move * gram[i, j]
                scores[r, j] -= 0.5 * move * gram[i, j]
    return most


@njit()
def least_leads(
    products: np.ndarray, weights: np.ndarray, codes: np.ndarray, slack2: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return, by class ``p`` and other class ``q``, the least ``h_p - h_q`` of who can give.

    Also who has it, or -1. Weights can grow along a cycle of classes whose leads have a negative
    sum: every example of the cycle gives to its first class from the other.
    """
    n_classes, n = products.shape
    least = np.full((n_classes, n_classes), np.inf)
    who = np.full((n_classes, n_classes), -1, dtype=np.int64)
    levels = np.empty(n_classes)
    for i in range(n):
        own, total = codes[i], 0.0
        for r in range(n_classes):
            total += weights[i, r]
            levels[r] = 1.0 + products[r, i]
        levels[own] += slack2[i] * total - 1.0
        for p in range(n_classes):
            if p == own or weights[i, p] > 0.0:
                for r in range(n_classes):
                    if r != p and levels[p] - levels[r] < least[p, r]:
                        least[p, r], who[p, r] = levels[p] - levels[r], i
    return least, who


@njit()
def violations(
    products: np.ndarray,
    weights: np.ndarray,
    codes: np.ndarray,
    slack2: np.ndarray,
    offsets: np.ndarray,
) -> np.ndarray:
    """Return by how much each example violates the conditions of the optimum, for offsets.

    Below zero: by how much an example without weight is away from it.
    """
    n_classes, n = products.shape
    out = np.empty(n)
    for i in range(n):
        own, total = codes[i], 0.0
        for r in range(n_classes):
            total += weights[i, r]
        mark = 1.0 - products[own, i] - offsets[own] - slack2[i] * total
        worst = -np.inf
        for r in range(n_classes):
            if r != own:
                slope = mark + products[r, i] + offsets[r]
                worst = max(worst, abs(slope) if weights[i, r] > 0.0 else slope)
        out[i] = worst
    return out
