"""Wolfe's minimum-norm point over one or two simplices, with an updated Cholesky factor.

Among candidates ``v_i``, each in a class, find weights ``a >= 0`` that sum to 1 in each class and
make ``|sum a_i v_i|`` least. A *corral* is a set of candidates, affinely independent in their
classes, whose affine minimiser has positive weights. Its factor is that of
``K = G + unit * [same class]`` with the Gram matrix ``G``, positive definite on a corral whatever
``unit > 0``; the affine minimiser is ``K^-1 (alpha e_0 + beta e_1)`` with alpha and beta such that
both sums are 1. Beside the factor ``L`` its solutions ``halves[c] = L^-1 e_c`` are kept, so that
the minimiser costs two dot products and one back substitution.

The factor comes from the Gram matrix, which is fast but knows lengths only down to 1e-8 of the
largest, or, where a ``basis`` is given, from the vectors themselves by orthogonalisation, which
knows them down to 1e-15. The vectors then have ``sqrt(unit)`` at one of two last coordinates,
according to their class.
"""

import math

import numpy as np
from numba import njit

from novikoff.compiled.factor import affine_minimiser, append, dot, remove, solve_halves, subtract
from novikoff.compiled.rows import SUMS

# Weights below this share of their class are zero.
NEGLIGIBLE = 1e-14

NOISE = 1e-15
# Products in a class are equal up to this share of the tolerance, which is then no more than the
# share itself, or after so many corrections.
EQUAL = 0.01
CORRECTIONS = 3
MOST_IDLE = 50

SATISFIED, EXHAUSTED, STALLED, FULL = 0, 1, 2, 3


@njit(cache=True, nogil=True)
def _levels(
    gram: np.ndarray,
    classes: np.ndarray,
    members: np.ndarray,
    weights: np.ndarray,
    k: int,
    levels: np.ndarray,
) -> None:
    """Write the product of each class's heaviest member with ``sum a v``; the others' are equal."""
    heaviest = np.full(2, -1)
    for p in range(k):
        c = classes[members[p]]
        if heaviest[c] < 0 or weights[p] > weights[heaviest[c]]:
            heaviest[c] = p
    levels[:] = 0.0
    for c in range(2):
        if heaviest[c] >= 0:
            row = gram[members[heaviest[c]]]
            for p in range(k):
                levels[c] += weights[p] * row[members[p]]


@njit(cache=True, nogil=True)
def _measure(
    vectors: np.ndarray,
    classes: np.ndarray,
    members: np.ndarray,
    weights: np.ndarray,
    k: int,
    point: np.ndarray,
    products: np.ndarray,
    levels: np.ndarray,
) -> float:
    """Write the members' products and the levels of the classes; return how unequal they are."""
    levels[:] = 0.0
    for p in range(k):
        product = dot(vectors[members[p]], point, point.shape[0])
        products[members[p]] = product
        levels[classes[members[p]]] += weights[p] * product
    unequal = 0.0
    for p in range(k):
        unequal = max(unequal, abs(products[members[p]] - levels[classes[members[p]]]))
    return unequal


@njit(cache=True, nogil=True)
def _correct(
    classes: np.ndarray,
    members: np.ndarray,
    factor: np.ndarray,
    halves: np.ndarray,
    basis: np.ndarray,
    k: int,
    products: np.ndarray,
    levels: np.ndarray,
    point: np.ndarray,
) -> None:
    """Move the point within the span of the corral, so that its products in a class are equal.

    Rounding the weights moves ``sum a v`` by an ulp of the largest vector, which its products
    feel times that length. The point itself can be known better.
    """
    excess = np.empty(k)
    for p in range(k):
        excess[p] = products[members[p]] - levels[classes[members[p]]]
        excess[p] = (excess[p] - dot(factor[p], excess, p)) / factor[p, p]
    # Without a share in the axes of the classes: the levels are free.
    pp = dot(halves[0], halves[0], k)
    s = dot(halves[0], excess, k)
    alpha, beta = s / pp, 0.0
    if halves.shape[0] > 1:
        pq = dot(halves[0], halves[1], k)
        qq = dot(halves[1], halves[1], k)
        t = dot(halves[1], excess, k)
        det = pp * qq - pq * pq
        alpha, beta = (qq * s - pq * t) / det, (pp * t - pq * s) / det
    for p in range(k):
        share = alpha * halves[0, p] - excess[p]
        if halves.shape[0] > 1:
            share += beta * halves[1, p]
        subtract(point, -share, basis[p, : point.shape[0]])


@njit(cache=True, nogil=True)
def _settle(
    classes: np.ndarray,
    unit: float,
    members: np.ndarray,
    weights: np.ndarray,
    factor: np.ndarray,
    halves: np.ndarray,
    basis: np.ndarray,
    k: int,
    new: np.ndarray,
) -> int:
    """Move to the affine minimiser, dropping members whose weight vanishes on the way."""
    while True:
        affine_minimiser(factor, halves, k, new)
        theta = 1.0
        for j in range(k):
            if new[j] <= NEGLIGIBLE:
                fall = weights[j] - new[j]
                theta = min(theta, weights[j] / fall if fall > 0.0 else 0.0)
        if theta == 1.0:
            weights[:k] = new[:k]
            return k
        lowest = 0
        for j in range(k):
            weights[j] += theta * (new[j] - weights[j])
            if new[j] < new[lowest]:
                lowest = j
        first = k
        before = k
        for j in range(k - 1, -1, -1):
            if new[j] <= NEGLIGIBLE and weights[j] <= NEGLIGIBLE:
                remove(factor, basis, members, weights, k, j)
                k -= 1
                first = j
        if k == before:
            remove(factor, basis, members, weights, k, lowest)
            k -= 1
            first = lowest
        solve_halves(classes, unit, members, factor, halves, basis, first, k)
        sums = np.zeros(halves.shape[0])
        for j in range(k):
            sums[classes[members[j]]] += weights[j]
        for j in range(k):
            weights[j] /= sums[classes[members[j]]]


@njit(cache=True, nogil=True, fastmath=SUMS)
def _products(
    gram: np.ndarray,
    vectors: np.ndarray,
    members: np.ndarray,
    weights: np.ndarray,
    k: int,
    among: np.ndarray,
    point: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write ``v_i . sum a v`` of the candidates in ``among`` into ``out``.

    On vectors the sum is given as ``point``.
    """
    if vectors.shape[0] > 0:
        width = point.shape[0]
        for q in range(among.shape[0]):
            out[among[q]] = dot(vectors[among[q]], point, width)
        return
    for q in range(among.shape[0]):
        row = gram[among[q]]
        total = 0.0
        for p in range(k):
            total += weights[p] * row[members[p]]
        out[among[q]] = total


@njit(cache=True, nogil=True)
def descend(
    gram: np.ndarray,
    vectors: np.ndarray,
    classes: np.ndarray,
    unit: float,
    members: np.ndarray,
    weights: np.ndarray,
    factor: np.ndarray,
    halves: np.ndarray,
    basis: np.ndarray,
    k: int,
    tol: float,
    zero: float,
    most: int,
    point: np.ndarray,
) -> tuple[int, int, int]:
    """Find the minimum-norm point among the candidates, from a corral of ``k``.

    Ends when no candidate is deeper than ``tol |w|^2``, or ``|w|`` is at most ``zero``. Returns
    how it ended, the size of the corral, and the steps taken; on vectors ``point`` holds the
    minimum-norm point then. While some candidates of the last look at all of them are still too
    deep, only those are looked at.
    """
    count = classes.shape[0]
    everyone = np.arange(count)
    products = np.zeros(count)
    new = np.zeros(members.shape[0])
    barred = np.zeros(count, np.bool_)
    pool = everyone[:0]
    levels = np.zeros(2)
    best = np.inf
    idle = 0
    for step in range(most):
        k = _settle(classes, unit, members, weights, factor, halves, basis, k, new)
        if basis.shape[0] > 0:
            point[:] = 0.0
            for p in range(k):
                subtract(point, -weights[p], vectors[members[p], : point.shape[0]])
            unequal = _measure(vectors, classes, members, weights, k, point, products, levels)
            for _ in range(CORRECTIONS):
                if unequal <= EQUAL * min(tol, EQUAL) * (levels[0] + levels[1]):
                    break
                _correct(classes, members, factor, halves, basis, k, products, levels, point)
                unequal = _measure(vectors, classes, members, weights, k, point, products, levels)
        else:
            _levels(gram, classes, members, weights, k, levels)
        square = levels[0] + levels[1]
        if square <= zero * zero:
            return SATISFIED, k, step
        if square < best * (1.0 - 1e-14):
            best = square
            idle = 0
            barred[:] = False
        else:
            # Wolfe's method makes |w| smaller in every step, until rounding has the last word.
            # What has just been tried in vain is not tried again before something else helped.
            idle += 1
            if idle > MOST_IDLE:
                return STALLED, k, step
        # Below this, a depth is rounding: of the Gram matrix, or of a product with the point.
        noise = NOISE * (math.sqrt(unit * square) if basis.shape[0] > 0 else unit)
        shallow = max(tol * square, noise)
        barred[members[:k]] = True
        entered = False
        while not entered:
            _products(gram, vectors, members, weights, k, pool, point, products)
            deepest, worst = _deepest(pool, products, levels, classes, barred)
            if deepest <= shallow:
                pool = everyone
                _products(gram, vectors, members, weights, k, pool, point, products)
                deepest, worst = _deepest(pool, products, levels, classes, barred)
                if deepest <= shallow:
                    return (SATISFIED if idle == 0 else STALLED), k, step
                pool = _deeper_than(shallow, products, levels, classes)
            if k == members.shape[0]:
                return FULL, k, step
            barred[worst] = True
            entered = append(gram, vectors, classes, unit, members, factor, halves, basis, k, worst)
        weights[k] = 0.0
        k += 1
    return EXHAUSTED, k, most


@njit(cache=True, nogil=True)
def _deepest(
    among: np.ndarray,
    products: np.ndarray,
    levels: np.ndarray,
    classes: np.ndarray,
    barred: np.ndarray,
) -> tuple[float, int]:
    deepest, worst = 0.0, -1
    for i in among:
        depth = levels[classes[i]] - products[i]
        if depth > deepest and not barred[i]:
            deepest, worst = depth, i
    return deepest, worst


@njit(cache=True, nogil=True)
def _deeper_than(
    depth: float, products: np.ndarray, levels: np.ndarray, classes: np.ndarray
) -> np.ndarray:
    found = np.empty(products.shape[0], np.int64)
    count = 0
    for i in range(products.shape[0]):
        if levels[classes[i]] - products[i] > depth:
            found[count] = i
            count += 1
    return found[:count]
