"""Passes over many examples at once: products, distances, combinations, curvature.

Rows are read in place. Dense rows are read four at a time, one from each quarter of ``order``,
because a single stream of reads does not use the full memory bandwidth; a quarter that is one row
short reads the last row again, with weight 0 in sums. The summation order of a row depends on its
length only.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from novikoff.certificate.kernels import njit, overload
from novikoff.compiled.rows import CSR, SUMS, Rows, distance2, dot, kernel_for


def products(rows: Rows, order: np.ndarray, w: np.ndarray, along: float, out: np.ndarray) -> None:
    """Write ``x_i . w - along`` for the examples in ``order`` into ``out``."""
    kernel = kernel_for(rows, _dense_products, _csr_products)
    kernel(rows, order, w, along, out)


def distances2(
    rows: Rows, order: np.ndarray, centre: np.ndarray, at: np.ndarray, out: np.ndarray
) -> None:
    """Write ``|x_i - centre|^2`` for the examples in ``order`` into ``out``.

    ``at`` lists the columns in which the centre is not zero; only sparse rows need it.
    """
    kernel = kernel_for(rows, _dense_distances2, _csr_distances2)
    kernel(rows, order, centre, at, out)


def combinations(rows: Rows, order: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
    """Add ``sum_p weights[k, p] x_order[p]`` to ``out[k]``, for every ``k``."""
    kernel = kernel_for(rows, _dense_combinations, _csr_combinations)
    kernel(rows, order, weights, out)


def curvature(
    rows: Rows,
    order: np.ndarray,
    stiffness: np.ndarray,
    v: np.ndarray,
    shift: float,
    speeds: np.ndarray,
    out: np.ndarray,
) -> float:
    """Write ``x . v + shift`` into ``speeds`` and add ``sum t x`` to ``out``, in one pass.

    Here ``t`` is ``stiffness * speeds``; returns its sum.
    """
    kernel = kernel_for(rows, _dense_curvature, _csr_curvature)
    return float(kernel(rows, order, stiffness, v, shift, speeds, out))


def scaled(
    rows: Rows, order: np.ndarray, centre: np.ndarray, factors: np.ndarray, out: np.ndarray
) -> None:
    """Write ``factors[p] * (x_order[p] - centre)`` into the first columns of ``out[p]``."""
    kernel = kernel_for(rows, _dense_scaled, _csr_scaled)
    kernel(rows, order, centre, factors, out)


@njit()
def reaches(rows: np.ndarray, order: np.ndarray, centre: np.ndarray, out: np.ndarray) -> None:
    """Increase ``out`` to the largest ``|x_ij - centre_j|`` in each column j of dense rows."""
    for p in range(order.shape[0]):
        for j in range(rows.shape[1]):
            out[j] = max(out[j], abs(rows[order[p], j] - centre[j]))


def gather(rows: Rows, i: int, step: float, out: np.ndarray) -> None:
    """Add ``step * x_i`` to ``out``; for compiled code."""
    _gather(rows, i, step, out)(rows, i, step, out)


def _dense_gather(rows: np.ndarray, i: int, step: float, out: np.ndarray) -> None:
    for j in range(rows.shape[1]):
        out[j] += step * rows[i, j]


def _csr_gather(rows: CSR, i: int, step: float, out: np.ndarray) -> None:
    data, indices, indptr = rows
    for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        out[np.uint64(indices[k])] += step * data[k]


@overload(gather, jit_options={"fastmath": SUMS})
def _gather(rows: Any, i: Any, step: Any, out: Any) -> Callable[..., None]:
    return kernel_for(rows, _dense_gather, _csr_gather)


@njit(inner=True)
def places(p: int, quarter: int, last: int) -> tuple[int, int, int, int]:
    """Return the positions of the four rows that are read together."""
    # Comparisons and products instead of min and squares, which take numba longer to compile.
    q, r, s = p + quarter, p + 2 * quarter, p + 3 * quarter
    return p, q if q < last else last, r if r < last else last, s if s < last else last


@njit(inner=True)
def weight_or_zero(weights: np.ndarray, p: int) -> float:
    """Return the weight of row ``p``; 0 past the end, where the last row is read again."""
    return float(weights[p]) if p < weights.shape[0] else 0.0


@njit(inner=True, fastmath=SUMS)
def _dots4(
    rows: np.ndarray, four: tuple[int, int, int, int], w: np.ndarray
) -> tuple[float, float, float, float]:
    a, b, c, d = four
    ta = tb = tc = td = 0.0
    for j in range(rows.shape[1]):
        ta += rows[a, j] * w[j]
        tb += rows[b, j] * w[j]
        tc += rows[c, j] * w[j]
        td += rows[d, j] * w[j]
    return ta, tb, tc, td


@njit(inner=True, fastmath=SUMS)
def _distances4(
    rows: np.ndarray, four: tuple[int, int, int, int], centre: np.ndarray
) -> tuple[float, float, float, float]:
    a, b, c, d = four
    ta = tb = tc = td = 0.0
    for j in range(rows.shape[1]):
        o = centre[j]
        xa, xb, xc, xd = rows[a, j] - o, rows[b, j] - o, rows[c, j] - o, rows[d, j] - o
        ta += xa * xa
        tb += xb * xb
        tc += xc * xc
        td += xd * xd
    return ta, tb, tc, td


@njit(inner=True, fastmath=SUMS)
def _add4(
    rows: np.ndarray,
    four: tuple[int, int, int, int],
    weights: tuple[float, float, float, float],
    out: np.ndarray,
) -> None:
    a, b, c, d = four
    ta, tb, tc, td = weights
    for j in range(rows.shape[1]):
        out[j] += ta * rows[a, j] + tb * rows[b, j] + tc * rows[c, j] + td * rows[d, j]


@njit()
def _dense_products(
    rows: np.ndarray, order: np.ndarray, w: np.ndarray, along: float, out: np.ndarray
) -> None:
    last = order.shape[0] - 1
    quarter = last // 4 + 1
    for p in range(quarter):
        p, q, r, s = places(p, quarter, last)
        a, b, c, d = _dots4(rows, (order[p], order[q], order[r], order[s]), w)
        out[p], out[q], out[r], out[s] = a - along, b - along, c - along, d - along


@njit()
def _csr_products(
    rows: CSR, order: np.ndarray, w: np.ndarray, along: float, out: np.ndarray
) -> None:
    for p in range(order.shape[0]):
        out[p] = dot(rows, order[p], w) - along


@njit()
def _dense_distances2(
    rows: np.ndarray, order: np.ndarray, centre: np.ndarray, at: np.ndarray, out: np.ndarray
) -> None:
    last = order.shape[0] - 1
    quarter = last // 4 + 1
    for p in range(quarter):
        p, q, r, s = places(p, quarter, last)
        four = order[p], order[q], order[r], order[s]
        out[p], out[q], out[r], out[s] = _distances4(rows, four, centre)


@njit()
def _csr_distances2(
    rows: CSR, order: np.ndarray, centre: np.ndarray, at: np.ndarray, out: np.ndarray
) -> None:
    for p in range(order.shape[0]):
        out[p] = distance2(rows, order[p], centre, at)


@njit()
def _dense_combinations(
    rows: np.ndarray, order: np.ndarray, weights: np.ndarray, out: np.ndarray
) -> None:
    last = order.shape[0] - 1
    quarter = last // 4 + 1
    for first in range(quarter):
        p, q, r, s = places(first, quarter, last)
        four = order[p], order[q], order[r], order[s]
        for k in range(weights.shape[0]):
            mine = weights[k]
            a, b = mine[first], weight_or_zero(mine, first + quarter)
            c, d = (
                weight_or_zero(mine, first + 2 * quarter),
                weight_or_zero(mine, first + 3 * quarter),
            )
            _add4(rows, four, (a, b, c, d), out[k])


@njit()
def _csr_combinations(rows: CSR, order: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
    for p in range(order.shape[0]):
        for k in range(weights.shape[0]):
            gather(rows, order[p], weights[k, p], out[k])


@njit()
def _dense_curvature(
    rows: np.ndarray,
    order: np.ndarray,
    stiffness: np.ndarray,
    v: np.ndarray,
    shift: float,
    speeds: np.ndarray,
    out: np.ndarray,
) -> float:
    last = order.shape[0] - 1
    quarter = last // 4 + 1
    total = 0.0
    for first in range(quarter):
        p, q, r, s = places(first, quarter, last)
        four = order[p], order[q], order[r], order[s]
        a, b, c, d = _dots4(rows, four, v)
        a, b, c, d = a + shift, b + shift, c + shift, d + shift
        speeds[p], speeds[q], speeds[r], speeds[s] = a, b, c, d
        a, b = a * stiffness[first], b * weight_or_zero(stiffness, first + quarter)
        c *= weight_or_zero(stiffness, first + 2 * quarter)
        d *= weight_or_zero(stiffness, first + 3 * quarter)
        total += a + b + c + d
        _add4(rows, four, (a, b, c, d), out)
    return total


@njit()
def _csr_curvature(
    rows: CSR,
    order: np.ndarray,
    stiffness: np.ndarray,
    v: np.ndarray,
    shift: float,
    speeds: np.ndarray,
    out: np.ndarray,
) -> float:
    total = 0.0
    for p in range(order.shape[0]):
        speeds[p] = dot(rows, order[p], v) + shift
        t = stiffness[p] * speeds[p]
        gather(rows, order[p], t, out)
        total += t
    return total


@njit()
def _dense_scaled(
    rows: np.ndarray, order: np.ndarray, centre: np.ndarray, factors: np.ndarray, out: np.ndarray
) -> None:
    for p in range(order.shape[0]):
        for j in range(rows.shape[1]):
            out[p, j] = factors[p] * (rows[order[p], j] - centre[j])


@njit()
def _csr_scaled(
    rows: CSR, order: np.ndarray, centre: np.ndarray, factors: np.ndarray, out: np.ndarray
) -> None:
    data, indices, indptr = rows
    for p in range(order.shape[0]):
        for j in range(centre.shape[0]):
            out[p, j] = -factors[p] * centre[j]
        for k in range(indptr[order[p]], indptr[order[p] + 1]):
            j = indices[k]
            out[p, j] = factors[p] * (data[k] - centre[j])
