"""The updated Cholesky factor of a corral: members join, leave, and the minimiser is read off.

See :mod:`novikoff.compiled.wolfe` for what is factored.
"""

import math

import numpy as np
from numba import njit

from novikoff.compiled.rows import SUMS

# A candidate depends on the corral if less than this share of it (squared, with the Gram matrix)
# sticks out.
DEPENDENT = 1e-12
DEPENDENT_PRECISE = 1e-13


@njit(cache=True, nogil=True, fastmath=SUMS)
def dot(x: np.ndarray, y: np.ndarray, k: int) -> float:
    """Return the product of the first ``k`` numbers."""
    total = 0.0
    for j in range(k):
        total += x[j] * y[j]
    return total


@njit(cache=True, nogil=True, fastmath=SUMS)
def subtract(x: np.ndarray, factor: float, y: np.ndarray) -> None:
    """Subtract a multiple of ``y`` from ``x``."""
    for j in range(x.shape[0]):
        x[j] -= factor * y[j]


@njit(cache=True, nogil=True)
def fill(
    gram: np.ndarray,
    vectors: np.ndarray,
    classes: np.ndarray,
    unit: float,
    members: np.ndarray,
    factor: np.ndarray,
    halves: np.ndarray,
    basis: np.ndarray,
    candidates: np.ndarray,
    taken: np.ndarray,
) -> int:
    """Make a corral of the candidates that do not depend on those before them; return its size."""
    size = 0
    for p in range(candidates.shape[0]):
        taken[p] = append(
            gram, vectors, classes, unit, members, factor, halves, basis, size, candidates[p]
        )
        size += taken[p]
    return size


@njit(cache=True, nogil=True)
def append(
    gram: np.ndarray,
    vectors: np.ndarray,
    classes: np.ndarray,
    unit: float,
    members: np.ndarray,
    factor: np.ndarray,
    halves: np.ndarray,
    basis: np.ndarray,
    k: int,
    i: int,
) -> bool:
    """Extend a corral of ``k`` by candidate ``i``; False if it depends on the others."""
    row = factor[k]
    if basis.shape[0] > 0:
        rest = basis[k]
        rest[:] = vectors[i]
        size = math.sqrt(dot(rest, rest, rest.shape[0]))
        row[:k] = 0.0
        # Twice is enough: the second round takes away what rounding left of the first.
        for _ in range(2):
            for p in range(k):
                along = dot(basis[p], rest, rest.shape[0])
                row[p] += along
                subtract(rest, along, basis[p])
        row[k] = math.sqrt(dot(rest, rest, rest.shape[0]))
        if row[k] <= DEPENDENT_PRECISE * size:
            return False
        rest /= row[k]
    else:
        diagonal = gram[i, i] + unit
        for p in range(k):
            m = members[p]
            value = gram[i, m] + (unit if classes[i] == classes[m] else 0.0)
            row[p] = (value - dot(factor[p], row, p)) / factor[p, p]
        sticks_out = diagonal - dot(row, row, k)
        if sticks_out <= DEPENDENT * diagonal:
            return False
        row[k] = math.sqrt(sticks_out)
    members[k] = i
    solve_halves(classes, unit, members, factor, halves, basis, k, k + 1)
    return True


@njit(cache=True, nogil=True)
def solve_halves(
    classes: np.ndarray,
    unit: float,
    members: np.ndarray,
    factor: np.ndarray,
    halves: np.ndarray,
    basis: np.ndarray,
    start: int,
    k: int,
) -> None:
    """Bring ``halves`` up to date from position ``start`` on."""
    for p in range(start, k):
        for c in range(halves.shape[0]):
            if basis.shape[0] > 0:
                # The vector of the span whose product with a member is [its class is c] is the
                # projection of the axis of class c; solving for it would lose digits.
                halves[c, p] = basis[p, basis.shape[1] - 2 + c] / math.sqrt(unit)
                continue
            e = 1.0 if classes[members[p]] == c else 0.0
            halves[c, p] = (e - dot(factor[p], halves[c], p)) / factor[p, p]


@njit(cache=True, nogil=True, fastmath=SUMS)
def remove(
    factor: np.ndarray,
    basis: np.ndarray,
    members: np.ndarray,
    weights: np.ndarray,
    k: int,
    p: int,
) -> None:
    """Take the member at position ``p`` out of a corral of ``k``, by Givens rotations."""
    for i in range(p + 1, k):
        members[i - 1] = members[i]
        weights[i - 1] = weights[i]
        for j in range(i + 1):
            factor[i - 1, j] = factor[i, j]
    for i in range(p, k - 1):
        a, b = factor[i, i], factor[i, i + 1]
        length = math.hypot(a, b)
        c, s = a / length, b / length
        factor[i, i] = length
        for m in range(i + 1, k - 1):
            x, y = factor[m, i], factor[m, i + 1]
            factor[m, i] = c * x + s * y
            factor[m, i + 1] = c * y - s * x
        if basis.shape[0] > 0:
            first, second = basis[i], basis[i + 1]
            for j in range(first.shape[0]):
                x, y = first[j], second[j]
                first[j] = c * x + s * y
                second[j] = c * y - s * x


@njit(cache=True, nogil=True, fastmath=SUMS)
def affine_minimiser(factor: np.ndarray, halves: np.ndarray, k: int, out: np.ndarray) -> None:
    """Write the weights of the point of the affine hulls nearest to the origin into ``out``."""
    pp = dot(halves[0], halves[0], k)
    if halves.shape[0] == 1:
        for j in range(k):
            out[j] = halves[0, j] / pp
    else:
        pq = dot(halves[0], halves[1], k)
        qq = dot(halves[1], halves[1], k)
        det = pp * qq - pq * pq
        alpha, beta = (qq - pq) / det, (pp - pq) / det
        for j in range(k):
            out[j] = alpha * halves[0, j] + beta * halves[1, j]
    back_substitute(factor, k, out)


@njit(cache=True, nogil=True, fastmath=SUMS)
def back_substitute(factor: np.ndarray, k: int, out: np.ndarray) -> None:
    """Solve with the transposed factor, in place."""
    for i in range(k - 1, -1, -1):
        out[i] /= factor[i, i]
        x = out[i]
        for j in range(i):
            out[j] -= factor[i, j] * x
