"""Passes over many examples at once: products, distances, combinations, curvature.

Rows are read as they stand. Dense ones are read four at a time, one from each quarter of ``order``:
one stream does not use all of the memory's speed. Where the last quarter is short, the last row is
read again, without weight. The summation order of a row depends on its length only.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import overload

from novikoff.compiled.rows import SUMS, Rows, distance2, dot


def gather(rows: Rows, i: int, step: float, out: np.ndarray) -> None:
    """Add ``step * x_i`` to ``out``; for compiled code."""
    raise NotImplementedError


def _dense_gather(rows: Rows, i: int, step: float, out: np.ndarray) -> None:
    for j in range(rows.shape[1]):
        out[j] += step * rows[i, j]


def _csr_gather(rows: Rows, i: int, step: float, out: np.ndarray) -> None:
    data, indices, indptr = rows
    for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        out[np.uint64(indices[k])] += step * data[k]


@overload(gather, strict=False, jit_options={"fastmath": SUMS})
def _gather(rows: Any, i: Any, step: Any, out: Any) -> Callable[..., None]:
    return _dense_gather if isinstance(rows, types.Array) else _csr_gather


def dots(rows: Rows, order: np.ndarray, w: np.ndarray, out: np.ndarray) -> None:
    """Write ``x_order[p] . w`` into ``out[p]``; for compiled code."""
    raise NotImplementedError


def _dense_dots(rows: Rows, order: np.ndarray, w: np.ndarray, out: np.ndarray) -> None:
    last = order.shape[0] - 1
    quarter = last // 4 + 1
    for p in range(quarter):
        q, r, s = min(p + quarter, last), min(p + 2 * quarter, last), min(p + 3 * quarter, last)
        a, b, c, d = order[p], order[q], order[r], order[s]
        ta = tb = tc = td = 0.0
        for j in range(rows.shape[1]):
            ta += rows[a, j] * w[j]
            tb += rows[b, j] * w[j]
            tc += rows[c, j] * w[j]
            td += rows[d, j] * w[j]
        out[p], out[q], out[r], out[s] = ta, tb, tc, td


def _csr_dots(rows: Rows, order: np.ndarray, w: np.ndarray, out: np.ndarray) -> None:
    for p in range(order.shape[0]):
        out[p] = dot(rows, order[p], w)


@overload(dots, strict=False, jit_options={"fastmath": SUMS})
def _dots(rows: Any, order: Any, w: Any, out: Any) -> Callable[..., None]:
    return _dense_dots if isinstance(rows, types.Array) else _csr_dots


def distances(
    rows: Rows, order: np.ndarray, centre: np.ndarray, at: np.ndarray, out: np.ndarray
) -> None:
    """Write ``|x_order[p] - centre|^2`` into ``out[p]``; for compiled code."""
    raise NotImplementedError


def _dense_distances(
    rows: Rows, order: np.ndarray, centre: np.ndarray, at: np.ndarray, out: np.ndarray
) -> None:
    last = order.shape[0] - 1
    quarter = last // 4 + 1
    for p in range(quarter):
        q, r, s = min(p + quarter, last), min(p + 2 * quarter, last), min(p + 3 * quarter, last)
        a, b, c, d = order[p], order[q], order[r], order[s]
        ta = tb = tc = td = 0.0
        for j in range(rows.shape[1]):
            ta += (rows[a, j] - centre[j]) ** 2
            tb += (rows[b, j] - centre[j]) ** 2
            tc += (rows[c, j] - centre[j]) ** 2
            td += (rows[d, j] - centre[j]) ** 2
        out[p], out[q], out[r], out[s] = ta, tb, tc, td


def _csr_distances(
    rows: Rows, order: np.ndarray, centre: np.ndarray, at: np.ndarray, out: np.ndarray
) -> None:
    for p in range(order.shape[0]):
        out[p] = distance2(rows, order[p], centre, at)


@overload(distances, strict=False, jit_options={"fastmath": SUMS})
def _distances(rows: Any, order: Any, centre: Any, at: Any, out: Any) -> Callable[..., None]:
    return _dense_distances if isinstance(rows, types.Array) else _csr_distances


def combine(rows: Rows, order: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
    """Add ``sum_p weights[k, p] x_order[p]`` to ``out[k]``; for compiled code."""
    raise NotImplementedError


def _dense_combine(rows: Rows, order: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
    last = order.shape[0] - 1
    quarter = last // 4 + 1
    for p in range(quarter):
        q, r, s = p + quarter, p + 2 * quarter, p + 3 * quarter
        a, b, c, d = order[p], order[min(q, last)], order[min(r, last)], order[min(s, last)]
        for k in range(weights.shape[0]):
            sums = out[k]
            ta, tb = weights[k, p], weights[k, q] if q <= last else 0.0
            tc, td = weights[k, r] if r <= last else 0.0, weights[k, s] if s <= last else 0.0
            for j in range(rows.shape[1]):
                sums[j] += ta * rows[a, j] + tb * rows[b, j] + tc * rows[c, j] + td * rows[d, j]


def _csr_combine(rows: Rows, order: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
    for p in range(order.shape[0]):
        for k in range(weights.shape[0]):
            gather(rows, order[p], weights[k, p], out[k])


@overload(combine, strict=False, jit_options={"fastmath": SUMS})
def _combine(rows: Any, order: Any, weights: Any, out: Any) -> Callable[..., None]:
    return _dense_combine if isinstance(rows, types.Array) else _csr_combine


def bend(
    rows: Rows,
    order: np.ndarray,
    stiffness: np.ndarray,
    v: np.ndarray,
    shift: float,
    products: np.ndarray,
    out: np.ndarray,
) -> float:
    """See :func:`curvature`; for compiled code."""
    raise NotImplementedError


def _dense_bend(
    rows: Rows,
    order: np.ndarray,
    stiffness: np.ndarray,
    v: np.ndarray,
    shift: float,
    products: np.ndarray,
    out: np.ndarray,
) -> float:
    last = order.shape[0] - 1
    quarter = last // 4 + 1
    total = 0.0
    for p in range(quarter):
        q, r, s = p + quarter, p + 2 * quarter, p + 3 * quarter
        a, b, c, d = order[p], order[min(q, last)], order[min(r, last)], order[min(s, last)]
        ta = tb = tc = td = 0.0
        for j in range(rows.shape[1]):
            ta += rows[a, j] * v[j]
            tb += rows[b, j] * v[j]
            tc += rows[c, j] * v[j]
            td += rows[d, j] * v[j]
        products[p], products[min(q, last)] = ta + shift, tb + shift
        products[min(r, last)], products[min(s, last)] = tc + shift, td + shift
        ta = stiffness[p] * (ta + shift)
        tb = stiffness[q] * (tb + shift) if q <= last else 0.0
        tc = stiffness[r] * (tc + shift) if r <= last else 0.0
        td = stiffness[s] * (td + shift) if s <= last else 0.0
        total += ta + tb + tc + td
        for j in range(rows.shape[1]):
            out[j] += ta * rows[a, j] + tb * rows[b, j] + tc * rows[c, j] + td * rows[d, j]
    return total


def _csr_bend(
    rows: Rows,
    order: np.ndarray,
    stiffness: np.ndarray,
    v: np.ndarray,
    shift: float,
    products: np.ndarray,
    out: np.ndarray,
) -> float:
    total = 0.0
    for p in range(order.shape[0]):
        products[p] = dot(rows, order[p], v) + shift
        t = stiffness[p] * products[p]
        gather(rows, order[p], t, out)
        total += t
    return total


@overload(bend, strict=False, jit_options={"fastmath": SUMS})
def _bend(
    rows: Any, order: Any, stiffness: Any, v: Any, shift: Any, products: Any, out: Any
) -> Callable[..., float]:
    return _dense_bend if isinstance(rows, types.Array) else _csr_bend


def scale(rows: Rows, i: int, centre: np.ndarray, factor: float, out: np.ndarray) -> None:
    """Write ``factor * (x_i - centre)`` into the first entries of ``out``; for compiled code."""
    raise NotImplementedError


def _dense_scale(rows: Rows, i: int, centre: np.ndarray, factor: float, out: np.ndarray) -> None:
    for j in range(rows.shape[1]):
        out[j] = factor * (rows[i, j] - centre[j])


def _csr_scale(rows: Rows, i: int, centre: np.ndarray, factor: float, out: np.ndarray) -> None:
    data, indices, indptr = rows
    for j in range(centre.shape[0]):
        out[j] = -factor * centre[j]
    for k in range(indptr[i], indptr[i + 1]):
        out[indices[k]] = factor * (data[k] - centre[indices[k]])


@overload(scale, strict=False)
def _scale(rows: Any, i: Any, centre: Any, factor: Any, out: Any) -> Callable[..., None]:
    return _dense_scale if isinstance(rows, types.Array) else _csr_scale


@njit(cache=True, nogil=True)
def products(rows: Rows, order: np.ndarray, w: np.ndarray, along: float, out: np.ndarray) -> None:
    """Write ``x_i . w - along`` of the examples of ``order`` into ``out``."""
    dots(rows, order, w, out)
    for p in range(order.shape[0]):
        out[p] -= along


@njit(cache=True, nogil=True)
def distances2(
    rows: Rows, order: np.ndarray, centre: np.ndarray, at: np.ndarray, out: np.ndarray
) -> None:
    """Write ``|x_i - centre|^2`` of the examples of ``order`` into ``out``."""
    distances(rows, order, centre, at, out)


@njit(cache=True, nogil=True)
def combinations(rows: Rows, order: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
    """Add ``sum_p weights[k, p] x_order[p]`` to ``out[k]``, for every ``k``."""
    combine(rows, order, weights, out)


@njit(cache=True, nogil=True)
def curvature(
    rows: Rows,
    order: np.ndarray,
    stiffness: np.ndarray,
    v: np.ndarray,
    shift: float,
    products: np.ndarray,
    out: np.ndarray,
) -> float:
    """Write ``x . v + shift`` into ``products`` and add ``sum t x`` to ``out``.

    Here ``t`` is ``stiffness * products``; returns its sum. A row is used twice while it is in the
    cache.
    """
    return bend(rows, order, stiffness, v, shift, products, out)


@njit(cache=True, nogil=True)
def scaled(
    rows: Rows, order: np.ndarray, centre: np.ndarray, factors: np.ndarray, out: np.ndarray
) -> None:
    """Write ``factors[p] * (x_order[p] - centre)`` into the first columns of ``out[p]``."""
    for p in range(order.shape[0]):
        scale(rows, order[p], centre, factors[p], out[p])


@njit(cache=True, nogil=True)
def reaches(rows: np.ndarray, order: np.ndarray, centre: np.ndarray, out: np.ndarray) -> None:
    """Raise ``out`` to the largest distance to the centre in each column of dense rows."""
    for p in range(order.shape[0]):
        for j in range(rows.shape[1]):
            out[j] = max(out[j], abs(rows[order[p], j] - centre[j]))
