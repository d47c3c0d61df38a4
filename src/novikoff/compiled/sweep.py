"""Passes over examples: sweeping with a rule, scanning for the worst, combining with weights."""

import math

import numpy as np
from numba import njit

from novikoff.compiled.rows import Rows, add, distance2, dot
from novikoff.compiled.step import (
    ALONG,
    FINITE,
    LEAST,
    NORM2,
    OFFSET,
    THRESHOLD,
    UPDATES,
    WEIGHT,
    Frame,
    Specification,
    advance,
    length,
)

TIE = 2.0**-50
BRINK = 2.0**-20


@njit(cache=True, nogil=True)
def take(
    rows: Rows,
    i: int,
    margin: float,
    signs: np.ndarray,
    norms2: np.ndarray,
    centre: np.ndarray,
    at: np.ndarray,
    frame: Frame,
    rule: Specification,
    weights: np.ndarray,
    stamps: np.ndarray,
    w: np.ndarray,
    state: np.ndarray,
) -> None:
    """Update on example ``i``, whose margin is ``margin``."""
    y = float(signs[i])
    # A negative entry is a norm that nobody has measured yet (online runs).
    norm2 = norms2[i] if norms2[i] >= 0.0 else distance2(rows, i, centre, at)
    norm2 += frame.lift2 + frame.slack2
    tau = length(rule, state, margin, norm2)
    tau *= frame.weight_positive if y > 0.0 else frame.weight_negative
    stamps[i] += tau * state[UPDATES]
    weights[i] += tau
    state[ALONG] = add(rows, i, tau * y, w, centre, at)
    state[OFFSET] += tau * y * frame.lift2
    advance(rule, state, margin, norm2, tau)


@njit(cache=True, nogil=True)
def sweep(
    rows: Rows,
    order: np.ndarray,
    signs: np.ndarray,
    norms2: np.ndarray,
    centre: np.ndarray,
    at: np.ndarray,
    frame: Frame,
    rule: Specification,
    nearness: float,
    most: float,
    weights: np.ndarray,
    stamps: np.ndarray,
    w: np.ndarray,
    state: np.ndarray,
    near: np.ndarray,
) -> tuple[int, int]:
    """Visit the examples of ``order`` once and update on each that the rule finds violated.

    Returns how many were visited (fewer than all once ``most`` updates are made) and how many
    entries of ``near`` were filled: the examples violated or within ``nearness`` of it.
    """
    found = 0
    total = 0.0
    least = state[LEAST]
    reach = _reach(state, nearness)
    brink = _reach(state, min(nearness, BRINK))
    for p in range(order.shape[0]):
        i = order[p]
        product = dot(rows, i, w)
        margin = signs[i] * (product - state[ALONG] + state[OFFSET])
        # Without slack the weights stay unread: eight bytes more a row are felt on short rows.
        if frame.slack2 != 0.0:
            margin += frame.slack2 * weights[i]
        total += margin
        least = min(least, margin)
        if margin > reach:
            continue
        near[found] = i
        found += 1
        if margin > brink:
            continue
        # A margin that rounding may have lifted over the threshold counts as violated. An infinite
        # one is bad data, told by FINITE below; w must not take it in.
        tie = abs(product) + abs(state[ALONG]) + abs(state[OFFSET])
        tie += math.sqrt(max(norms2[i], 0.0)) * math.sqrt(max(state[NORM2], 0.0))
        if -np.inf < margin <= state[THRESHOLD] + TIE * tie:
            if state[UPDATES] >= most:
                state[FINITE] += 0.0 * total
                return p, found - 1
            take(rows, i, margin, signs, norms2, centre, at, frame, rule, weights, stamps, w, state)
            reach = _reach(state, nearness)
            brink = _reach(state, min(nearness, BRINK))
    # A NaN or an infinity in any row survives the sum and the product with zero.
    state[FINITE] += 0.0 * total
    state[LEAST] = least
    return order.shape[0], found


@njit(cache=True, nogil=True)
def _reach(state: np.ndarray, nearness: float) -> float:
    # sum a_i z_i.w / sum a_i = |w|^2 / sum a_i: the mean margin of the examples that carry w.
    # A function of the state alone, so that the support reproduces the run.
    mean = state[NORM2] / state[WEIGHT] if state[WEIGHT] > 0.0 else 0.0
    return float(state[THRESHOLD] + nearness * mean)


@njit(cache=True, nogil=True)
def margins(
    rows: Rows,
    order: np.ndarray,
    signs: np.ndarray,
    frame: Frame,
    weights: np.ndarray,
    w: np.ndarray,
    state: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write the margins ``z . w`` of the examples of ``order`` into ``out``."""
    for p in range(order.shape[0]):
        i = order[p]
        out[p] = signs[i] * (dot(rows, i, w) - state[ALONG] + state[OFFSET])
        out[p] += frame.slack2 * weights[i]


@njit(cache=True, nogil=True)
def combine(
    rows: Rows,
    order: np.ndarray,
    coefficients: np.ndarray,
    centre: np.ndarray,
    at: np.ndarray,
    w: np.ndarray,
) -> float:
    """Add ``sum_p coefficients[p] * (x_order[p] - centre)`` to ``w``; return ``w . centre``."""
    along = 0.0
    for p in range(order.shape[0]):
        along = add(rows, order[p], coefficients[p], w, centre, at)
    return along
