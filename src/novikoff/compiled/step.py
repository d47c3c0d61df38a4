"""The one step that every perceptron takes: its threshold, its length, its bookkeeping.

A rule reaches compiled code as a :class:`Specification`, a point in one family of rules::

    threshold   scale * (constant + growth * b_t(alpha)) + dynamic * |w|^2 / sum(a)
                + cooling / (shrink * sqrt(t + 1))
    scale       becomes |z|^2 when |z|^2 > patience * scale, or is the mean of |z|^2 over updates
    step        1, or min(cap, (1 - z.w) / (|z|^2 + ridge)), or push / (shrink * sqrt(t + 1))

with ``b_t(alpha) = ((t + 1)^alpha - t^alpha - 1) / 2`` as in Algorithm 4. The first term is the
threshold of the master theorem, which covers Algorithms 1 to 4.
"""

import math
from typing import NamedTuple

import numpy as np

from novikoff.certificate.kernels import njit


class Specification(NamedTuple):
    """A rule as the compiled loop sees it: the numbers in the formulas above."""

    scale: float = 0.0
    patience: float = 1.0
    constant: float = 0.0
    growth: float = 0.0
    alpha: float = 1.0
    dynamic: float = 0.0
    cooling: float = 0.0
    push: float = 0.0
    aggressive: bool = False
    cap: float = math.inf
    ridge: float = 0.0
    mean: bool = False


class Frame(NamedTuple):
    """How examples are read: ``z = y (x - centre, lift)``, and one coordinate of slack for each.

    ``lift2`` and ``slack2`` are the squares of these coordinates; the weights of the two classes
    multiply the steps.
    """

    lift2: float = 0.0
    slack2: float = 0.0
    weight_negative: float = 1.0
    weight_positive: float = 1.0


# The state of a run, one float64 array.
UPDATES = 0  # t
WEIGHT = 1  # the sum of the weights a_i, equal to t for unit steps
SCALE = 2  # the squared length that the threshold is measured in
NORM2 = 3  # |w|^2, with the coordinates of both lifts
OFFSET = 4  # lift^2 * sum of a_i y_i: what the lift adds to every y * margin
ALONG = 5  # w . centre
SHRINK = 6  # the factor that brings w into the unit ball (ALMA)
LONGEST2 = 7  # the largest |z|^2 among the updates
MISTAKES = 8  # updates made at z.w <= 0
THRESHOLD = 9
FINITE = 10  # stays 0.0 while every margin is a finite number
LEAST = 11  # the least margin met; that of w itself once a pass makes no update
RESCALED = 12  # how often weights and w were multiplied by SMALLEST_SHRINK
SUM2 = 13  # the sum of |z|^2 over the updates
STATE_SIZE = 14

LARGEST = float(np.finfo(np.float64).max)

# A rule that keeps w in the unit ball does so by a factor SHRINK beside growing weights. Once that
# factor has fallen to this value, weights and w are multiplied by it: a power of two, so that
# nothing is rounded, and |w|^2 = 2^400 leaves room in float64 for what one update adds.
SMALLEST_SHRINK = 2.0**-200


@njit(inline="always")
def increment(t: float, alpha: float) -> float:
    """Return ``b_t(alpha)`` of Algorithm 4 without cancellation."""
    if t == 0.0:
        return 0.0
    return 0.5 * (math.pow(t, alpha) * math.expm1(alpha * math.log1p(1.0 / t)) - 1.0)


def threshold(rule: Specification, state: np.ndarray) -> float:
    """Return the number that ``z . w`` must exceed at this state."""
    t = state[UPDATES]
    level = rule.constant
    if rule.growth != 0.0:
        level += rule.growth * increment(t, rule.alpha)
    # scale * level would be 0 * inf for a scale-free rule before its first update.
    beta = float(state[SCALE]) * level if state[SCALE] > 0.0 else 0.0
    if rule.dynamic != 0.0 and t > 0.0:
        beta += rule.dynamic * state[NORM2] / state[WEIGHT]
    if rule.cooling != 0.0:
        beta += rule.cooling / (state[SHRINK] * math.sqrt(t + 1.0))
    return float(beta)


threshold_at = njit(inner=True)(threshold)
"""The same for compiled code."""


@njit(inner=True)
def advance(
    rule: Specification, state: np.ndarray, margin: float, norm2: float, factor: float
) -> float:
    """Return the step of a violated example, and bring the state up to date but its threshold.

    The example has ``z . w = margin`` and ``|z|^2 = norm2``; ``factor`` multiplies its step. For
    compiled code. (One function without calls: to compile it in parts takes twice as long, and to
    inline them longer still.)
    """
    tau = factor
    if rule.aggressive:
        # No step brings an example at the origin to the other side; any will do.
        loss_per_step = norm2 + rule.ridge if norm2 + rule.ridge > 0.0 else 1.0
        push = (1.0 - margin) / loss_per_step
        tau *= push if push < rule.cap else rule.cap
    elif rule.push != 0.0:
        tau *= rule.push / (state[SHRINK] * math.sqrt(state[UPDATES] + 1.0))
    state[UPDATES] += 1.0
    state[WEIGHT] += tau
    state[NORM2] += tau * (2.0 * margin + tau * norm2)
    if margin <= 0.0:
        state[MISTAKES] += 1.0
    if norm2 > state[LONGEST2]:
        state[LONGEST2] = norm2
    state[SUM2] += norm2
    if rule.mean:
        state[SCALE] = state[SUM2] / state[UPDATES]
    elif norm2 > rule.patience * state[SCALE]:
        state[SCALE] = norm2
    if rule.cooling != 0.0 and state[NORM2] * state[SHRINK] * state[SHRINK] > 1.0:
        # An infinite length means bad data, which the caller reports; the factor must not become 0.
        shrink = 1.0 / math.sqrt(state[NORM2])
        state[SHRINK] = shrink if shrink > 1.0 / LARGEST else 1.0 / LARGEST
    return float(tau)


def start(rule: Specification) -> np.ndarray:
    """Return the state of a run that has not seen an example yet."""
    state = np.zeros(STATE_SIZE)
    state[SCALE] = rule.scale
    state[SHRINK] = 1.0
    state[LEAST] = math.inf
    # Its threshold: b_0 = 0, and nothing has weight yet. Not compiled for this alone.
    constant = rule.scale * rule.constant if rule.scale > 0.0 else 0.0
    state[THRESHOLD] = constant + rule.cooling
    return state
