"""Compiled sums over rows, each with the same sum over absolute values.

The compiler may choose the order of a sum and fuse a product into it, which the error bound of
:mod:`novikoff.certificate.exact.filter` allows. (What its licence to reassociate allows beyond
that, such as to factor out a common term, needs operands in common, and these sums have none.)
"""

from typing import Any

import numpy as np

from novikoff.certificate.kernels import njit

ANY_ORDER = {"reassoc", "contract"}


@njit(fastmath=ANY_ORDER)
def dense_sums(values: Any, w: Any, sums: Any, magnitudes: Any) -> None:
    """Sums over the rows of an array.

    Two rows are read at a time, far apart: one stream does not use all of the memory's speed.
    """
    half = (values.shape[0] + 1) // 2
    for i in range(half):
        k = min(i + half, values.shape[0] - 1)
        total_i = magnitude_i = total_k = magnitude_k = 0.0
        for j in range(values.shape[1]):
            term = values[i, j] * w[j]
            total_i += term
            magnitude_i += abs(term)
            term = values[k, j] * w[j]
            total_k += term
            magnitude_k += abs(term)
        sums[i], sums[k] = total_i, total_k
        magnitudes[i], magnitudes[k] = magnitude_i, magnitude_k


@njit(fastmath=ANY_ORDER)
def sparse_sums(data: Any, indices: Any, ends: Any, w: Any, sums: Any, magnitudes: Any) -> None:
    """Sums over the rows of a CSR block."""
    for i in range(ends.size - 1):
        total = 0.0
        magnitude = 0.0
        for k in range(np.uint64(ends[i]), np.uint64(ends[i + 1])):
            term = data[k] * w[np.uint64(indices[k])]
            total += term
            magnitude += abs(term)
        sums[i] = total
        magnitudes[i] = magnitude


@njit()
def dense_combine(values: Any, at: Any, weights: Any, totals: Any, magnitudes: Any) -> None:
    """Add the weighted rows of an array to the totals.

    Four rows are read at a time, far apart, the last ones again with weight zero.
    """
    last = at.size - 1
    quarter = last // 4 + 1
    for p in range(quarter):
        q, r, s = p + quarter, p + 2 * quarter, p + 3 * quarter
        a, b, c, d = at[p], at[min(q, last)], at[min(r, last)], at[min(s, last)]
        wa, wb = weights[p], weights[q] if q <= last else 0.0
        wc, wd = weights[r] if r <= last else 0.0, weights[s] if s <= last else 0.0
        for j in range(values.shape[1]):
            ta, tb, tc, td = (
                wa * values[a, j],
                wb * values[b, j],
                wc * values[c, j],
                wd * values[d, j],
            )
            totals[j] += (ta + tb) + (tc + td)
            magnitudes[j] += (abs(ta) + abs(tb)) + (abs(tc) + abs(td))


@njit()
def sparse_combine(
    data: Any, indices: Any, ends: Any, at: Any, weights: Any, totals: Any, magnitudes: Any
) -> None:
    """Add weighted rows of CSR arrays, those at these places, to the totals."""
    for p in range(at.size):
        for k in range(np.uint64(ends[at[p]]), np.uint64(ends[at[p] + 1])):
            term = weights[p] * data[k]
            j = np.uint64(indices[k])
            totals[j] += term
            magnitudes[j] += abs(term)
