"""The updated Cholesky factor of a corral: members join, leave, and the minimiser is read off.

The factor ``L`` is that of ``K = G + unit * [same class]`` with the Gram matrix ``G`` of the
corral's members (see :mod:`novikoff.compiled.wolfe`). A member joins by one more row, computed by
forward substitution, and leaves by Givens rotations, as in Gill, Golub, Murray & Saunders,
"Methods for modifying matrix factorizations", Mathematics of Computation 28 (1974).

There are two forms. With ``gram`` the factor comes from the Gram matrix, which is fast but knows
lengths only down to 1e-8 of the largest. With ``vectors`` it comes from the vectors themselves by
Gram-Schmidt orthogonalisation, done twice, which knows them down to 1e-15; ``basis`` holds the
orthonormal vectors. The arrays of the other form are empty.
"""

import math
from typing import NamedTuple

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.rows import SUMS

# A candidate depends on the corral if its part orthogonal to it is no larger than this share of
# it: of its squared length with the Gram matrix, of its length with the vectors.
DEPENDENT = 1e-12
DEPENDENT_PRECISE = 1e-13


class Corral(NamedTuple):
    """Candidates, and the arrays of a corral among them; its size ``k`` is passed beside it."""

    gram: np.ndarray
    """Products of all candidates, (n, n) or larger; or empty."""
    vectors: np.ndarray
    """The candidates as rows, ``sqrt(unit)`` at one of two last coordinates; or empty."""
    classes: np.ndarray
    """The class of each candidate, 0 or 1."""
    unit: float
    """What is added to the products of two candidates of the same class."""
    members: np.ndarray
    """The positions of the corral's members among the candidates; the first ``k`` are valid."""
    weights: np.ndarray
    """Their weights."""
    factor: np.ndarray
    """The lower triangular ``L`` with ``L L^T = K``."""
    halves: np.ndarray
    """``L^-1 e_c`` for each class ``c``, with ``e_c`` the indicator of its members."""
    basis: np.ndarray
    """The orthonormal rows that ``L`` turns into the members' vectors; or empty."""
    point: np.ndarray
    """With vectors: the point of least norm, without its two last coordinates."""


@njit(fastmath=SUMS)
def dot(x: np.ndarray, y: np.ndarray, k: int) -> float:
    """Return the product of the first ``k`` numbers."""
    total = 0.0
    for j in range(k):
        total += x[j] * y[j]
    return total


@njit(fastmath=SUMS)
def subtract(x: np.ndarray, factor: float, y: np.ndarray) -> None:
    """Subtract a multiple of ``y`` from ``x``, as far as ``x`` reaches."""
    for j in range(x.shape[0]):
        x[j] -= factor * y[j]


@njit()
def fill(corral: Corral, k: int, candidates: np.ndarray, taken: np.ndarray) -> int:
    """Append the candidates that do not depend on those before them; return the new size.

    ``taken`` is set to whether each was appended.
    """
    for p in range(candidates.shape[0]):
        taken[p] = append(corral, k, candidates[p])
        if taken[p]:
            k += 1
    return k


@njit()
def append(corral: Corral, k: int, i: int) -> bool:
    """Extend a corral of ``k`` by candidate ``i``; False if it depends on the others."""
    independent: bool = (
        _orthogonalise(corral, k, i) if corral.basis.shape[0] > 0 else _substitute(corral, k, i)
    )
    if independent:
        corral.members[k] = i
        solve_halves(corral, k, k + 1)
    return independent


@njit()
def _substitute(corral: Corral, k: int, i: int) -> bool:
    """Write the factor's row ``k`` for candidate ``i``, from the Gram matrix."""
    classes, members, unit, factor = corral.classes, corral.members, corral.unit, corral.factor
    products, row = corral.gram[i], factor[k]
    for p in range(k):
        m = members[p]
        value = products[m] + (unit if classes[i] == classes[m] else 0.0)
        row[p] = (value - dot(factor[p], row, p)) / factor[p, p]
    diagonal = products[i] + unit
    orthogonal = diagonal - dot(row, row, k)
    if orthogonal <= DEPENDENT * diagonal:
        return False
    row[k] = math.sqrt(orthogonal)
    return True


@njit()
def _orthogonalise(corral: Corral, k: int, i: int) -> bool:
    """Write the factor's and the basis's row ``k`` for candidate ``i``, from the vectors."""
    vector, basis, row = corral.vectors[i], corral.basis, corral.factor[k]
    rest, width = basis[k], basis.shape[1]
    for j in range(width):
        rest[j] = vector[j]
    size = math.sqrt(dot(rest, rest, width))
    for p in range(k):
        row[p] = 0.0
    # Twice is enough: the second round takes away what rounding left of the first.
    for _ in range(2):
        for p in range(k):
            along = dot(basis[p], rest, width)
            row[p] += along
            subtract(rest, along, basis[p])
    row[k] = math.sqrt(dot(rest, rest, width))
    if row[k] <= DEPENDENT_PRECISE * size:
        return False
    for j in range(width):
        rest[j] /= row[k]
    return True


@njit()
def solve_halves(corral: Corral, start: int, k: int) -> None:
    """Bring ``halves`` up to date from position ``start`` on."""
    classes, members, factor = corral.classes, corral.members, corral.factor
    halves, basis = corral.halves, corral.basis
    for p in range(start, k):
        for c in range(halves.shape[0]):
            if basis.shape[0] > 0:
                # The vector of the span whose product with a member is [its class is c] is the
                # projection of the axis of class c; solving for it would lose digits.
                halves[c, p] = basis[p, basis.shape[1] - 2 + c] / math.sqrt(corral.unit)
                continue
            e = 1.0 if classes[members[p]] == c else 0.0
            halves[c, p] = (e - dot(factor[p], halves[c], p)) / factor[p, p]


@njit(fastmath=SUMS)
def remove(corral: Corral, k: int, p: int) -> None:
    """Take the member at position ``p`` out of a corral of ``k``, by Givens rotations.

    ``halves`` are out of date from position ``p`` on.
    """
    members, weights = corral.members, corral.weights
    factor, basis = corral.factor, corral.basis
    for i in range(p + 1, k):
        members[i - 1] = members[i]
        weights[i - 1] = weights[i]
        for j in range(i + 1):
            factor[i - 1, j] = factor[i, j]
    for i in range(p, k - 1):
        a, b = factor[i, i], factor[i, i + 1]
        length = math.hypot(a, b)
        c, s = (a / length, b / length) if length > 0.0 else (1.0, 0.0)
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


@njit(fastmath=SUMS)
def affine_minimiser(corral: Corral, k: int, out: np.ndarray) -> bool:
    """Write the weights of the point of the affine hulls nearest to the origin into ``out``.

    Returns whether there are digits enough to know it.
    """
    factor, halves = corral.factor, corral.halves
    pp = dot(halves[0], halves[0], k)
    if not pp > 0.0:
        return False
    if halves.shape[0] == 1:
        for j in range(k):
            out[j] = halves[0, j] / pp
    else:
        pq = dot(halves[0], halves[1], k)
        qq = dot(halves[1], halves[1], k)
        det = pp * qq - pq * pq
        if not det > 0.0:
            return False
        alpha, beta = (qq - pq) / det, (pp - pq) / det
        for j in range(k):
            out[j] = alpha * halves[0, j] + beta * halves[1, j]
    # Back substitution with the transposed factor.
    for i in range(k - 1, -1, -1):
        out[i] /= factor[i, i]
        x = out[i]
        for j in range(i):
            out[j] -= factor[i, j] * x
    return True
