"""Wolfe's minimum-norm point over one or two simplices, with an updated Cholesky factor.

P. Wolfe, "Finding the nearest point in a polytope", Mathematical Programming 11 (1976).

Among candidates ``v_i``, each in a class, find weights ``a >= 0`` that sum to 1 in each class and
make ``|sum a_i v_i|`` least. A *corral* is a set of candidates, affinely independent in their
classes, whose affine minimiser has positive weights. Its factor is that of
``K = G + unit * [same class]`` with the Gram matrix ``G``, positive definite on a corral whatever
``unit > 0``; the affine minimiser is ``K^-1 (alpha e_0 + beta e_1)`` with alpha and beta such that
both sums are 1. Beside the factor ``L`` its solutions ``halves[c] = L^-1 e_c`` are kept, so that
the minimiser costs two dot products and one back substitution.

The *depth* of a candidate is how far its product with the point lies below that of its class's
members; the point is of least norm when no candidate has a positive depth.
"""

import math
from typing import Any

import numpy as np

from novikoff.certificate.kernels import njit, overload
from novikoff.compiled.factor import (
    Corral,
    GramCorral,
    VectorCorral,
    affine_minimiser,
    append,
    dot,
    form_of,
    remove,
    solve_halves,
    subtract,
)
from novikoff.compiled.rows import SUMS, Kernel

# Weights below this share of their class are zero.
NEGLIGIBLE = 1e-14
# The rounding error of a product, in units of the largest possible.
NOISE = 1e-15
# On vectors, the products of members of a class are equal up to this share of the tolerance, which
# is itself taken for no more than this share; or after so many corrections.
EQUAL = 0.01
CORRECTIONS = 3
# Steps in a row that do not make the point shorter, and by how much one must to count.
MOST_IDLE = 50
SHORTER = 1.0 - 1e-14

# How a descent ended: no candidate is deep; its steps are used up; rounding prevents any progress;
# the corral's arrays are full.
SATISFIED, EXHAUSTED, STALLED, FULL = 0, 1, 2, 3


def descend(corral: Corral, k: int, tol: float, zero: float, most: int) -> tuple[int, int, int]:
    """Find the minimum-norm point among the candidates, from a corral of ``k``.

    Ends when no candidate is deeper than ``tol |w|^2``, or ``|w|`` is at most ``zero``, or after
    ``most`` steps. Returns how it ended, the size of the corral, and the steps taken; on vectors
    ``corral.point`` holds the minimum-norm point then.
    """
    count, length = len(corral.classes), len(corral.members)
    places, numbers = np.empty((3, count), dtype=np.int64), np.empty(count + 3 * length + 2)
    ended: tuple[int, int, int] = descend_in(corral, k, tol, zero, most, places, numbers)
    return ended


@njit()
def descend_in(
    corral: Corral,
    k: int,
    tol: float,
    zero: float,
    most: int,
    places: np.ndarray,
    numbers: np.ndarray,
) -> tuple[int, int, int]:
    """The same in scratch space, which takes numba long to compile an allocation of.

    For ``n`` candidates and ``m`` places in the corral, it has the shape (3, n), and n + 3 m + 2;
    or more. While some candidates of the last look at all of them are still too deep, only those
    are looked at.
    """
    members, weights = corral.members, corral.weights
    count, length = corral.classes.shape[0], members.shape[0]
    everyone, found, barred = places[0][:count], places[1], places[2]
    for i in range(count):
        everyone[i], barred[i] = i, 0
    products, levels = numbers[:count], numbers[-2:]
    new = numbers[count : count + length]
    cosines, sines = numbers[count + length : count + 2 * length], numbers[count + 2 * length : -2]
    pool = everyone[:0]
    best = np.inf
    idle = 0
    for step in range(most):
        k, known = _settle(corral, k, new, cosines, sines)
        if not known:
            return STALLED, k, step
        reach = place(corral, k, tol, products, levels)
        square = levels[0] + levels[1]
        if square <= zero * zero:
            return SATISFIED, k, step
        if square < best * SHORTER:
            best = square
            idle = 0
            for i in range(count):
                barred[i] = 0
        else:
            # Wolfe's method makes |w| smaller in every step, until rounding prevents it. What has
            # just been tried in vain is not tried again before something else helped.
            idle += 1
            if idle > MOST_IDLE:
                return STALLED, k, step
        # Below this, a depth is rounding: of the Gram matrix, or of a product with the point.
        noise = NOISE * reach
        shallow = tol * square if tol * square > noise else noise
        for p in range(k):
            barred[members[p]] = 1
        entered = False
        while not entered:
            write_products(corral, k, pool, products)
            deepest, worst = _deepest(corral.classes, pool, products, levels, barred)
            if deepest <= shallow:
                pool = everyone
                write_products(corral, k, pool, products)
                deepest, worst = _deepest(corral.classes, pool, products, levels, barred)
                if deepest <= shallow:
                    return (SATISFIED if idle == 0 else STALLED), k, step
                pool = _deeper_than(corral.classes, shallow, products, levels, found)
            if k == members.shape[0]:
                return FULL, k, step
            barred[worst] = 1
            entered = append(corral, k, worst)
        weights[k] = 0.0
        k += 1
    return EXHAUSTED, k, most


@njit(inline="always")
def _settle(
    corral: Corral, k: int, new: np.ndarray, cosines: np.ndarray, sines: np.ndarray
) -> tuple[int, bool]:
    """Move to the affine minimiser, dropping members whose weight vanishes on the way.

    Returns how many members there are, and whether the minimiser is known.
    """
    classes, members, weights = corral.classes, corral.members, corral.weights
    while True:
        if not affine_minimiser(corral, k, new):
            return k, False
        theta = 1.0
        for j in range(k):
            if new[j] <= NEGLIGIBLE:
                fall = weights[j] - new[j]
                share = weights[j] / fall if fall > 0.0 else 0.0
                theta = share if share < theta else theta
        if theta == 1.0:
            for j in range(k):
                weights[j] = new[j]
            return k, True
        # The first of the lowest. From the end, because a literal 0 is another type to numba, for
        # which it would compile what is called with it once more.
        lowest = k - 1
        for j in range(k - 1, -1, -1):
            weights[j] += theta * (new[j] - weights[j])
            if new[j] <= new[lowest]:
                lowest = j
        before, first = k, k
        for j in range(k - 1, -1, -1):
            if new[j] <= NEGLIGIBLE and weights[j] <= NEGLIGIBLE:
                remove(corral, k, j, cosines, sines)
                k -= 1
                first = j
        if k == before:
            remove(corral, k, lowest, cosines, sines)
            k -= 1
            first = lowest
        solve_halves(corral, first, k)
        total0, total1 = 0.0, 0.0
        for j in range(k):
            if classes[members[j]] == 0:
                total0 += weights[j]
            else:
                total1 += weights[j]
        for j in range(k):
            total = total0 if classes[members[j]] == 0 else total1
            if not total > 0.0:
                # Rounding has left a class whose members have no weight.
                return k, False
            weights[j] /= total


def place(corral: Corral, k: int, tol: float, products: np.ndarray, levels: np.ndarray) -> float:
    """Write the levels of the classes: the products of their members with the point.

    Returns the largest product that there can be, of which rounding takes a share. For compiled
    code.
    """
    return float(_place(corral, k, tol, products, levels)(corral, k, tol, products, levels))


@overload(place)
def _place(corral: Any, k: Any, tol: Any, products: Any, levels: Any) -> Kernel:
    return form_of(corral, _place_by_gram, _place_by_vectors)


def _place_by_gram(
    corral: GramCorral, k: int, tol: float, products: np.ndarray, levels: np.ndarray
) -> float:
    """Write the product of each class's heaviest member with ``sum a v``; the others' are equal."""
    classes, members, weights = corral.classes, corral.members, corral.weights
    for c in range(2):
        heaviest = -1
        for p in range(k):
            if classes[members[p]] == c and (heaviest < 0 or weights[p] > weights[heaviest]):
                heaviest = p
        levels[c] = 0.0
        if heaviest >= 0:
            row = corral.gram[members[heaviest]]
            for p in range(k):
                levels[c] += weights[p] * row[members[p]]
    return corral.unit


def _place_by_vectors(
    corral: VectorCorral, k: int, tol: float, products: np.ndarray, levels: np.ndarray
) -> float:
    """Write the point, its products with the members and the levels of the classes."""
    point, members, weights = corral.point, corral.members, corral.weights
    for j in range(point.shape[0]):
        point[j] = 0.0
    for p in range(k):
        subtract(point, -weights[p], corral.vectors[members[p]])
    unequal = _measure(corral, k, products, levels)
    for _ in range(CORRECTIONS):
        if unequal <= EQUAL * min(tol, EQUAL) * (levels[0] + levels[1]):
            break
        _correct(corral, k, products, levels)
        unequal = _measure(corral, k, products, levels)
    return math.sqrt(corral.unit * (levels[0] + levels[1]))


@njit(inner=True)
def _measure(corral: VectorCorral, k: int, products: np.ndarray, levels: np.ndarray) -> float:
    """Write the members' products and the levels of the classes; return how unequal they are."""
    classes, members, weights = corral.classes, corral.members, corral.weights
    point = corral.point
    levels[0], levels[1] = 0.0, 0.0
    for p in range(k):
        product = dot(corral.vectors[members[p]], point, point.shape[0])
        products[members[p]] = product
        levels[classes[members[p]]] += weights[p] * product
    unequal = 0.0
    for p in range(k):
        unequal = max(unequal, abs(products[members[p]] - levels[classes[members[p]]]))
    return unequal


@njit(inner=True)
def _correct(corral: VectorCorral, k: int, products: np.ndarray, levels: np.ndarray) -> None:
    """Move the point within the span of the corral, so that its products in a class are equal.

    Rounding the weights moves ``sum a v`` by an ulp of the largest vector, which changes its
    products by that times the length of the vectors. The point itself can be known better.
    """
    classes, members, factor = corral.classes, corral.members, corral.factor
    halves, basis = corral.halves, corral.basis
    excess = np.empty(k)
    for p in range(k):
        excess[p] = products[members[p]] - levels[classes[members[p]]]
        excess[p] = (excess[p] - dot(factor[p], excess, p)) / factor[p, p]
    # Without a share in the axes of the classes: the levels are free.
    pp = dot(halves[0], halves[0], k)
    s = dot(halves[0], excess, k)
    if not pp > 0.0:
        return
    alpha, beta = s / pp, 0.0
    if halves.shape[0] > 1:
        pq = dot(halves[0], halves[1], k)
        qq = dot(halves[1], halves[1], k)
        t = dot(halves[1], excess, k)
        det = pp * qq - pq * pq
        if not det > 0.0:
            return
        alpha, beta = (qq * s - pq * t) / det, (pp * t - pq * s) / det
    for p in range(k):
        share = alpha * halves[0, p] - excess[p]
        if halves.shape[0] > 1:
            share += beta * halves[1, p]
        subtract(corral.point, -share, basis[p])


def write_products(corral: Corral, k: int, among: np.ndarray, out: np.ndarray) -> None:
    """Write ``v_i . sum a v`` of the candidates in ``among`` into ``out``; for compiled code."""
    _write_products(corral, k, among, out)(corral, k, among, out)


@overload(write_products, jit_options={"fastmath": SUMS})
def _write_products(corral: Any, k: Any, among: Any, out: Any) -> Kernel:
    return form_of(corral, _gram_products, _vector_products)


def _gram_products(corral: GramCorral, k: int, among: np.ndarray, out: np.ndarray) -> None:
    members, weights = corral.members, corral.weights
    for q in range(among.shape[0]):
        row = corral.gram[among[q]]
        total = 0.0
        for p in range(k):
            total += weights[p] * row[members[p]]
        out[among[q]] = total


def _vector_products(corral: VectorCorral, k: int, among: np.ndarray, out: np.ndarray) -> None:
    point = corral.point
    for q in range(among.shape[0]):
        out[among[q]] = dot(corral.vectors[among[q]], point, point.shape[0])


@njit(inner=True)
def _deepest(
    classes: np.ndarray,
    among: np.ndarray,
    products: np.ndarray,
    levels: np.ndarray,
    barred: np.ndarray,
) -> tuple[float, int]:
    """Return the largest depth among candidates that are not barred, and whose it is."""
    deepest, worst = 0.0, -1
    for q in range(among.shape[0]):
        i = among[q]
        depth = levels[classes[i]] - products[i]
        if depth > deepest and barred[i] == 0:
            deepest, worst = depth, i
    return deepest, worst


@njit(inline="always")
def _deeper_than(
    classes: np.ndarray,
    depth: float,
    products: np.ndarray,
    levels: np.ndarray,
    found: np.ndarray,
) -> np.ndarray:
    """Write the candidates that are deeper than ``depth`` into ``found``; return that part."""
    count = 0
    for i in range(products.shape[0]):
        if levels[classes[i]] - products[i] > depth:
            found[count] = i
            count += 1
    return found[:count]
