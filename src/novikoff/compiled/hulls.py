"""The distance of the hulls of two small or low-dimensional sets of points, in one call.

Wolfe's method (:mod:`novikoff.compiled.wolfe`) on the rows found so far and scans of all rows take
turns, as in :mod:`novikoff.geometry.search`. Both bounds are rigorous: ``error`` is that of
:mod:`novikoff.certificate.exact.filter` for sums of products in any order.
"""

import math

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.extreme import least_product
from novikoff.compiled.factor import VectorCorral, fill
from novikoff.compiled.wolfe import descend_in

# How a search ended: the bounds are close enough, or not and nothing is left to gain, or its steps
# are used up.
DONE, STALLED, EXHAUSTED = 0, 1, 2
# Steps of Wolfe's method in one descent, and scans in a row that improve neither bound.
BURST = 1000
IDLE = 4
UNIT, UNDERFLOW = 2.0**-53, 2.0**-1022
# The places in ``numbers``; ``SAME`` is whether one combination gave both bounds.
LOWER, UPPER, LOW_EDGE, HIGH_EDGE, RHO, SAME = 0, 1, 2, 3, 4, 5


@njit(inner=True)
def _error(magnitude: float, terms: int) -> float:
    return 2.0 * (terms + 8) * UNIT * magnitude + 4.0 * (terms + 8) * UNDERFLOW


@njit(inner=True)
def _up(x: float) -> float:
    """Return a float above: the increment is at least the distance to the next one."""
    return x + (abs(x) * 2.0**-52 + UNDERFLOW)


@njit(inner=True)
def _down(x: float) -> float:
    return x - (abs(x) * 2.0**-52 + UNDERFLOW)


@njit(inner=True)
def _write(
    vectors: np.ndarray,
    at: int,
    row: np.ndarray,
    centre: np.ndarray,
    side: int,
    scale: float,
) -> None:
    """Write a candidate: a row relative to its centre, signed, and the axis of its class."""
    d = row.shape[0]
    for j in range(d):
        difference = (row[j] - centre[j]) if side == 0 else (centre[j] - row[j])
        vectors[at, j] = difference * scale
    vectors[at, d], vectors[at, d + 1] = 1.0 - side, 1.0 * side


@njit()
def nearest(
    P: np.ndarray,
    Q: np.ndarray,
    shift: np.ndarray,
    slack: float,
    reaches: tuple[np.ndarray, np.ndarray],
    spread: float,
    start: np.ndarray,
    sides: np.ndarray,
    start_weights: np.ndarray,
    rtol: float,
    atol: float,
    tol: float,
    most: int,
    rows: np.ndarray,
    sides_out: np.ndarray,
    weights: np.ndarray,
    w: np.ndarray,
    numbers: np.ndarray,
) -> tuple[int, int, int, int]:
    """Search for the nearest points of the hulls of ``P + shift`` and ``Q``.

    Parameters
    ----------
    P, Q : array
        The points as rows.
    shift, slack
        What is added to the rows of P, and a bound on its own error.
    reaches : tuple of two arrays
        The largest moduli in the columns of P and of Q.
    spread : float
        The sum of the largest differences within P and within Q in a coordinate.
    start, sides, start_weights : array
        Rows of P (side 0) and of Q (side 1) to begin with, at least one of each.
    rtol, atol : float
        The relative gap, and the distance below which none is asked for; a negative ``atol`` is in
        units of the largest difference met.
    tol : float
        The gap to which combinations are solved.
    most : int
        The most scans.
    rows, sides_out, weights : array of shape (2, d + 4)
        Filled with the rows that carry weight, their sides and weights: those of the best upper
        bound, and those whose difference is the normal of the best lower bound.
    w, numbers : array
        Filled with the unit vector of the best lower bound, and the numbers that the constants of
        this module name.

    Returns
    -------
    tuple of int
        How it ended, how many rows carry weight in either combination, and how many scans were
        made.
    """
    d = P.shape[1]
    room, capacity = d + 4, 8 * (d + 4) + start.shape[0]
    vectors = np.zeros((capacity, d + 2))
    classes, ids = np.zeros(capacity, np.int64), np.zeros(capacity, np.int64)
    members, shares = np.zeros(room, np.int64), np.zeros(room)
    factor, halves = np.zeros((room, room)), np.zeros((2, room))
    places, scratch = np.zeros((3, capacity), np.int64), np.zeros(capacity + 3 * room + 2)
    basis, point = np.zeros((room, d + 2)), np.zeros(d)
    total, moduli, other, unit = np.zeros(d), np.zeros(d), np.zeros(d), np.zeros(d)
    centre, reach = P[start[0]].copy(), np.zeros(d)
    extent = 0.0
    for j in range(d):
        other[j] = centre[j] + shift[j]
        reach[j] = reaches[0][j] + reaches[1][j] + abs(shift[j])
        extent = max(extent, abs(other[j] - Q[0, j]))
    # A power of two brings differences to lengths near 1.
    extent += spread
    scale = 2.0 ** min(1000, -math.ceil(math.log2(extent))) if extent > 0.0 else 1.0
    count = start.shape[0]
    for i in range(count):
        classes[i], ids[i] = sides[i], start[i]
        if sides[i] == 0:
            _write(vectors, i, P[start[i]], centre, 0, scale)
        else:
            _write(vectors, i, Q[start[i]], other, 1, scale)
    numbers[LOWER], numbers[UPPER], numbers[RHO] = -np.inf, np.inf, 0.0
    kept, parallel, latest = 0, 0, 0
    k = 0
    idle = 0
    for step in range(most + 1):
        corral = VectorCorral(
            vectors[:count], classes[:count], 1.0, members, shares, factor, halves, basis, point
        )
        if step == 0:
            k = _begin(corral, start_weights)
        _, k, _ = descend_in(corral, k, tol, 0.0, BURST, places, scratch)
        # The upper bound: the norm of the combination, with its error. The weights' sums differ
        # from 1 by less than is allowed for. Rounding may leave a weight below zero, which no
        # convex combination has.
        for j in range(d):
            total[j], moduli[j] = 0.0, 0.0
        sums = np.zeros(2)
        for p in range(k):
            sums[classes[members[p]]] += max(shares[p], 0.0)
        for p in range(k):
            i = members[p]
            share = max(shares[p], 0.0) / sums[classes[i]]
            for j in range(d):
                if classes[i] == 0:
                    difference = P[ids[i], j] - centre[j]
                else:
                    difference = other[j] - Q[ids[i], j]
                total[j] += share * difference
                moduli[j] += share * abs(difference)
        square = 0.0
        for j in range(d):
            # The shared centre is rounded once when it is shifted.
            size = abs(total[j]) + _error(moduli[j], 3 * k + 16) + abs(other[j]) * 2.0**-52
            # Scaled, so that squares do not underflow.
            square += (size * scale) * (size * scale)
        upper = _up(_up(math.sqrt(square)) * (1.0 + 2.0 * (d + 8) * UNIT) / scale) + slack
        improved = upper < numbers[UPPER] * (1.0 - 1e-13)
        if upper < numbers[UPPER]:
            numbers[UPPER], numbers[SAME] = upper, 0.0
            latest = step
            kept = _keep(corral, k, ids, sums, rows[0], sides_out[0], weights[0])
        if step == most:
            return EXHAUSTED, kept, parallel, step
        largest = 0.0
        for j in range(d):
            largest = max(largest, abs(point[j]))
        if not largest > 0.0:
            return STALLED, kept, parallel, step
        norm2 = 0.0
        for j in range(d):
            unit[j] = point[j] / largest
            norm2 += unit[j] * unit[j]
        length, norm2, magnitude = math.sqrt(norm2), 0.0, 0.0
        for j in range(d):
            unit[j] /= length
            norm2 += unit[j] * unit[j]
            magnitude += reach[j] * abs(unit[j])
        # The lower bound, from the extreme rows along the point.
        first, low = least_product(P, unit)
        for j in range(d):
            total[j] = -unit[j]
        second, high = least_product(Q, total)
        high = -high
        along, largest = 0.0, 0.0
        for j in range(d):
            along += shift[j] * unit[j]
            largest = max(largest, abs(P[first, j] + shift[j] - Q[second, j]))
        far = 0.0
        for j in range(d):
            far += (
                ((P[first, j] + shift[j] - Q[second, j]) / largest) ** 2 if largest > 0.0 else 0.0
            )
        numbers[RHO] = max(numbers[RHO], largest * math.sqrt(far) * (1.0 + 1e-12))
        error = _error(magnitude, d + 4)
        gap = _down(((low + along) - high) - 2.0 * error)
        length = math.sqrt(norm2)
        length *= 1.0 + (2.0 if gap > 0.0 else -2.0) * (d + 8) * UNIT
        lower = _down(_down(gap / length) - slack)
        if lower > numbers[LOWER]:
            improved = improved or lower > numbers[LOWER] + 1e-13 * abs(lower)
            numbers[LOWER] = lower
            numbers[LOW_EDGE], numbers[HIGH_EDGE] = (low + along) - 2.0 * error, high + 2.0 * error
            for j in range(d):
                w[j] = unit[j]
            numbers[SAME] = 1.0 if latest == step else 0.0
            parallel = _keep(corral, k, ids, sums, rows[1], sides_out[1], weights[1])
        absolute = atol if atol >= 0.0 else -atol * numbers[RHO]
        wanted = max(rtol * numbers[UPPER], absolute)
        if numbers[LOWER] > 0.0 and numbers[UPPER] - numbers[LOWER] <= wanted:
            return DONE, kept, parallel, step + 1
        if numbers[UPPER] <= absolute:
            return STALLED, kept, parallel, step + 1
        idle = 0 if improved else idle + 1
        if idle > IDLE:
            return STALLED, kept, parallel, step + 1
        # Candidates without weight make room.
        if count + 2 > capacity:
            count = _compress(vectors, classes, ids, members, k)
        new = 0
        for side in range(2):
            row = first if side == 0 else second
            known = False
            for p in range(k):
                known = known or (classes[members[p]] == side and ids[members[p]] == row)
            if not known:
                if side == 0:
                    _write(vectors, count, P[row], centre, 0, scale)
                else:
                    _write(vectors, count, Q[row], other, 1, scale)
                classes[count], ids[count] = side, row
                count += 1
                new += 1
        if new == 0:
            return STALLED, kept, parallel, step + 1
    return EXHAUSTED, kept, parallel, most


@njit(inner=True)
def _begin(corral: VectorCorral, weights: np.ndarray) -> int:
    """Make the candidates the corral, as far as they are independent; return its size."""
    count = weights.shape[0]
    everyone, taken = np.empty(count, np.int64), np.empty(count, np.bool_)
    for i in range(count):
        everyone[i], taken[i] = i, False
    most = min(count, corral.members.shape[0])
    k: int = fill(corral, 0, everyone[:most], taken[:most])
    sums = np.zeros(2)
    at = 0
    for i in range(most):
        if taken[i]:
            corral.weights[at] = weights[i]
            sums[corral.classes[i]] += weights[i]
            at += 1
    for p in range(k):
        corral.weights[p] /= sums[corral.classes[corral.members[p]]]
    return k


@njit(inner=True)
def _keep(
    corral: VectorCorral,
    k: int,
    ids: np.ndarray,
    sums: np.ndarray,
    rows: np.ndarray,
    sides: np.ndarray,
    weights: np.ndarray,
) -> int:
    """Write the rows that carry weight, their sides and weights; return how many."""
    kept = 0
    for p in range(k):
        i = corral.members[p]
        if corral.weights[p] > 0.0:
            rows[kept], sides[kept] = ids[i], corral.classes[i]
            weights[kept] = corral.weights[p] / sums[corral.classes[i]]
            kept += 1
    return kept


@njit(inner=True)
def _compress(
    vectors: np.ndarray, classes: np.ndarray, ids: np.ndarray, members: np.ndarray, k: int
) -> int:
    """Keep the candidates that carry weight, in front; return how many."""
    old_vectors, old_classes, old_ids = vectors.copy(), classes.copy(), ids.copy()
    for p in range(k):
        vectors[p] = old_vectors[members[p]]
        classes[p], ids[p] = old_classes[members[p]], old_ids[members[p]]
    for p in range(k):
        members[p] = p
    return k
