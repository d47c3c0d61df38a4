"""The updated Cholesky factor of a corral: members join, leave, and the minimiser is read off.

The factor ``L`` is that of ``K = G + unit * [same class]`` with the Gram matrix ``G`` of the
corral's members (see :mod:`novikoff.compiled.wolfe`). A member joins by one more row, computed by
forward substitution, and leaves by Givens rotations, as in Gill, Golub, Murray & Saunders,
"Methods for modifying matrix factorizations", Mathematics of Computation 28 (1974).

There are two forms. With a :class:`GramCorral` the factor comes from the Gram matrix, which is fast
but knows lengths only down to 1e-8 of the largest. With a :class:`VectorCorral` it comes from the
vectors themselves by Gram-Schmidt orthogonalisation, done twice, which knows them down to 1e-15.
Each is compiled when it is first used; few problems need the second.
"""

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from novikoff.certificate.kernels import njit, overload
from novikoff.compiled.rows import SUMS, Kernel

# A candidate depends on the corral if its part orthogonal to it is no larger than this share of
# it: of its squared length with the Gram matrix, of its length with the vectors.
DEPENDENT = 1e-12
DEPENDENT_PRECISE = 1e-13


class GramCorral(NamedTuple):
    """Candidates, and the arrays of a corral among them; its size ``k`` is passed beside it."""

    gram: np.ndarray
    """Products of all candidates, (n, n) or larger."""
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


class VectorCorral(NamedTuple):
    """The same for candidates that are given by their vectors."""

    vectors: np.ndarray
    """The candidates as rows, ``sqrt(unit)`` at one of two last coordinates."""
    classes: np.ndarray
    unit: float
    members: np.ndarray
    weights: np.ndarray
    factor: np.ndarray
    halves: np.ndarray
    basis: np.ndarray
    """The orthonormal rows that ``L`` turns into the members' vectors."""
    point: np.ndarray
    """The point of least norm, without its two last coordinates."""


Corral: TypeAlias = GramCorral | VectorCorral


def form_of(corral: Any, gram: Kernel, vectors: Kernel) -> Kernel:
    """Return the kernel for the form of a corral, which may also be a numba type."""
    form = getattr(corral, "instance_class", type(corral))
    return gram if form is GramCorral else vectors


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


@njit(inner=True)
def append(corral: Corral, k: int, i: int) -> bool:
    """Extend a corral of ``k`` by candidate ``i``; False if it depends on the others."""
    independent: bool = extend(corral, k, i)
    if independent:
        corral.members[k] = i
        solve_halves(corral, k, k + 1)
    return independent


def extend(corral: Corral, k: int, i: int) -> bool:
    """Write row ``k`` for candidate ``i``; False if it depends on the others. For compiled code."""
    return bool(_extend(corral, k, i)(corral, k, i))


@overload(extend)
def _extend(corral: Any, k: Any, i: Any) -> Kernel:
    return form_of(corral, _substitute, _orthogonalise)


def _substitute(corral: GramCorral, k: int, i: int) -> bool:
    """Write the factor's row, from the Gram matrix."""
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


def _orthogonalise(corral: VectorCorral, k: int, i: int) -> bool:
    """Write the factor's and the basis's row, from the vectors."""
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


@njit(inner=True)
def solve_halves(corral: Corral, start: int, k: int) -> None:
    """Bring ``halves`` up to date from position ``start`` on."""
    halves = corral.halves
    for p in range(start, k):
        for c in range(halves.shape[0]):
            halves[c, p] = half(corral, p, c)


def half(corral: Corral, p: int, c: int) -> float:
    """Return ``halves[c, p]``, given those before it; for compiled code."""
    return float(_half(corral, p, c)(corral, p, c))


@overload(half)
def _half(corral: Any, p: Any, c: Any) -> Kernel:
    return form_of(corral, _gram_half, _vector_half)


def _gram_half(corral: GramCorral, p: int, c: int) -> float:
    factor = corral.factor
    e = 1.0 if corral.classes[corral.members[p]] == c else 0.0
    return float((e - dot(factor[p], corral.halves[c], p)) / factor[p, p])


def _vector_half(corral: VectorCorral, p: int, c: int) -> float:
    # The vector of the span whose product with a member is [its class is c] is the projection of
    # the axis of class c; solving for it would lose digits.
    basis = corral.basis
    return float(basis[p, basis.shape[1] - 2 + c] / math.sqrt(corral.unit))


@njit(inner=True, fastmath=SUMS)
def remove(corral: Corral, k: int, p: int, cosines: np.ndarray, sines: np.ndarray) -> None:
    """Take the member at position ``p`` out of a corral of ``k``, by Givens rotations.

    ``halves`` are out of date from position ``p`` on. The rotations need scratch space for ``k``
    numbers each. Four rows are turned at once, each from left to right: along columns, memory is
    read in steps of a power of two, which few lines of a cache share.
    """
    members, weights, factor = corral.members, corral.weights, corral.factor
    for i in range(p + 1, k):
        members[i - 1] = members[i]
        weights[i - 1] = weights[i]
    for i in range(p + 1, k):
        for j in range(p):
            factor[i - 1, j] = factor[i, j]
    m = p + 1
    while m < k:
        w = factor[m, p]
        if m + 4 <= k:
            x, y, z = factor[m + 1, p], factor[m + 2, p], factor[m + 3, p]
            for i in range(p, m - 1):
                c, s = cosines[i], sines[i]
                # What is written was read one column before.
                e, f = factor[m, i + 1], factor[m + 1, i + 1]
                g, h = factor[m + 2, i + 1], factor[m + 3, i + 1]
                factor[m - 1, i], factor[m, i] = c * w + s * e, c * x + s * f
                factor[m + 1, i], factor[m + 2, i] = c * y + s * g, c * z + s * h
                w, x = c * e - s * w, c * f - s * x
                y, z = c * g - s * y, c * h - s * z
            _turn(corral, m, m - 1, w, cosines, sines)
            _turn(corral, m + 1, m - 1, x, cosines, sines)
            _turn(corral, m + 2, m - 1, y, cosines, sines)
            _turn(corral, m + 3, m - 1, z, cosines, sines)
            m += 4
        else:
            _turn(corral, m, p, w, cosines, sines)
            m += 1


@njit(inner=True, fastmath=SUMS)
def _turn(
    corral: Corral, m: int, first: int, carry: float, cosines: np.ndarray, sines: np.ndarray
) -> None:
    """Apply the rotations from ``first`` on to row ``m``, as row ``m - 1``, and add its own.

    ``carry`` is the number in column ``first`` after the rotations before.
    """
    factor, i = corral.factor, m - 1
    for j in range(first, i):
        c, s = cosines[j], sines[j]
        x = factor[m, j + 1]
        factor[i, j] = c * carry + s * x
        carry = c * x - s * carry
    b = factor[m, m]
    length = math.hypot(carry, b)
    c, s = (carry / length, b / length) if length > 0.0 else (1.0, 0.0)
    factor[i, i], cosines[i], sines[i] = length, c, s
    rotate(corral, i, c, s)


def rotate(corral: Corral, i: int, c: float, s: float) -> None:
    """Rotate two rows of the basis, if there is one; for compiled code."""
    _rotate(corral, i, c, s)(corral, i, c, s)


@overload(rotate, jit_options={"fastmath": SUMS})
def _rotate(corral: Any, i: Any, c: Any, s: Any) -> Kernel:
    return form_of(corral, _rotate_nothing, _rotate_basis)


def _rotate_nothing(corral: GramCorral, i: int, c: float, s: float) -> None:
    pass


def _rotate_basis(corral: VectorCorral, i: int, c: float, s: float) -> None:
    first, second = corral.basis[i], corral.basis[i + 1]
    for j in range(first.shape[0]):
        x, y = first[j], second[j]
        first[j] = c * x + s * y
        second[j] = c * y - s * x


@njit(inner=True, fastmath=SUMS)
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
