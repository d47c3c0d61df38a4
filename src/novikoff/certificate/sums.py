"""Compiled sums over rows, each with the same sum over absolute values.

They are compiled without licence to reorder: every operation rounds as IEEE arithmetic says, which
is all that the error bound of :mod:`novikoff.certificate.filter` asks for.
"""

from typing import Any

from numba import njit


@njit(cache=True, nogil=True)
def dense_sums(values: Any, w: Any, sums: Any, magnitudes: Any) -> None:
    """Sums over the rows of an array, in four lanes."""
    n_columns = values.shape[1]
    whole = n_columns - n_columns % 4
    for i in range(values.shape[0]):
        s0 = s1 = s2 = s3 = 0.0
        m0 = m1 = m2 = m3 = 0.0
        for j in range(0, whole, 4):
            t0 = values[i, j] * w[j]
            t1 = values[i, j + 1] * w[j + 1]
            t2 = values[i, j + 2] * w[j + 2]
            t3 = values[i, j + 3] * w[j + 3]
            s0 += t0
            s1 += t1
            s2 += t2
            s3 += t3
            m0 += abs(t0)
            m1 += abs(t1)
            m2 += abs(t2)
            m3 += abs(t3)
        for j in range(whole, n_columns):
            t0 = values[i, j] * w[j]
            s0 += t0
            m0 += abs(t0)
        sums[i] = (s0 + s1) + (s2 + s3)
        magnitudes[i] = (m0 + m1) + (m2 + m3)


@njit(cache=True, nogil=True)
def sparse_sums(data: Any, indices: Any, ends: Any, w: Any, sums: Any, magnitudes: Any) -> None:
    """Sums over the rows of a CSR block."""
    for i in range(ends.size - 1):
        total = 0.0
        magnitude = 0.0
        for k in range(ends[i], ends[i + 1]):
            term = data[k] * w[indices[k]]
            total += term
            magnitude += abs(term)
        sums[i] = total
        magnitudes[i] = magnitude


@njit(cache=True, nogil=True)
def dense_combine(values: Any, weights: Any, totals: Any, magnitudes: Any) -> None:
    """Add the weighted rows of an array to the totals."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            term = weights[i] * values[i, j]
            totals[j] += term
            magnitudes[j] += abs(term)


@njit(cache=True, nogil=True)
def sparse_combine(
    data: Any, indices: Any, ends: Any, weights: Any, totals: Any, magnitudes: Any
) -> None:
    """Add the weighted rows of a CSR block to the totals."""
    for i in range(ends.size - 1):
        for k in range(ends[i], ends[i + 1]):
            term = weights[i] * data[k]
            totals[indices[k]] += term
            magnitudes[indices[k]] += abs(term)
