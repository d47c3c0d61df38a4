"""Products with the dual's matrix among positive weights, for conjugate gradients on them.

The positive weights are numbered example by example: those of example ``i`` are
``starts[i]`` to ``starts[i + 1]``, and ``wrong`` holds their wrong classes.
"""

from typing import NamedTuple

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.rows import CSR, SUMS


class Positive(NamedTuple):
    """Which weights are positive."""

    codes: np.ndarray
    """The class of each example."""
    starts: np.ndarray
    wrong: np.ndarray


@njit(fastmath=SUMS)
def add_shares(
    rows: CSR, positive: Positive, weights: np.ndarray, sums: np.ndarray, flow: np.ndarray
) -> None:
    """Add ``sum a (e_y - e_r) x`` to ``sums``, a row for each column, and ``sum a (e_y - e_r)``."""
    data, indices, indptr = rows
    codes, starts, wrong = positive
    for i in range(codes.shape[0]):
        own, begin, end = codes[i], starts[i], starts[i + 1]
        total = 0.0
        for p in range(begin, end):
            total += weights[p]
            flow[wrong[p]] -= weights[p]
        flow[own] += total
        for q in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            out, value = sums[np.uint64(indices[q])], data[q]
            out[own] += total * value
            for p in range(begin, end):
                out[wrong[p]] -= weights[p] * value


@njit(fastmath=SUMS)
def differences(
    rows: CSR,
    positive: Positive,
    vectors: np.ndarray,
    shift: np.ndarray,
    flow: np.ndarray,
    along: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write ``f_y - f_r`` with ``f = x . vectors + shift - flow * along``."""
    data, indices, indptr = rows
    codes, starts, wrong = positive
    scores = np.empty(shift.shape[0])
    for i in range(codes.shape[0]):
        own, begin, end = codes[i], starts[i], starts[i + 1]
        scores[own] = shift[own] - flow[own] * along[i]
        for p in range(begin, end):
            scores[wrong[p]] = shift[wrong[p]] - flow[wrong[p]] * along[i]
        for q in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            vector, value = vectors[np.uint64(indices[q])], data[q]
            scores[own] += value * vector[own]
            for p in range(begin, end):
                scores[wrong[p]] += value * vector[wrong[p]]
        for p in range(begin, end):
            out[p] = scores[own] - scores[wrong[p]]


@njit()
def solve_blocks(
    positive: Positive, halves: np.ndarray, slack2: np.ndarray, right: np.ndarray, out: np.ndarray
) -> None:
    """Solve ``(half (I + 1 1^T) + Delta^2 1 1^T) a = right`` for the weights of each example."""
    starts = positive.starts
    for i in range(halves.shape[0]):
        begin, end = starts[i], starts[i + 1]
        both = halves[i] + slack2[i]
        total = 0.0
        for p in range(begin, end):
            total += right[p]
        shared = total * both / (halves[i] + both * (end - begin))
        for p in range(begin, end):
            out[p] = (right[p] - shared) / halves[i]


@njit()
def add_moments(
    rows: CSR, positive: Positive, halves: np.ndarray, slack2: np.ndarray, out: np.ndarray
) -> None:
    """Add ``sum_i (x_i, 1) (x_i, 1)^T (x) V_i D_i^-1 V_i^T / 2``, at least below the diagonal.

    ``D_i`` is the matrix of :func:`solve_blocks` and ``V_i`` has a column ``e_y - e_r`` for each
    weight. ``out`` has the shape (columns + 1, classes, columns + 1, classes).
    """
    data, indices, indptr = rows
    codes, starts, wrong = positive
    last, n_classes = out.shape[0] - 1, out.shape[1]
    those, curve = np.empty(n_classes, np.int64), np.empty((n_classes, n_classes))
    for i in range(codes.shape[0]):
        m = starts[i + 1] - starts[i]
        both = halves[i] + slack2[i]
        shared = both / (halves[i] + both * m)
        those[0] = codes[i]
        curve[0, 0] = 0.5 * m * (1.0 - shared * m) / halves[i]
        for j in range(1, m + 1):
            those[j] = wrong[starts[i] + j - 1]
            curve[0, j] = curve[j, 0] = 0.5 * (shared * m - 1.0) / halves[i]
            for k in range(1, m + 1):
                curve[j, k] = -0.5 * shared / halves[i]
            curve[j, j] += 0.5 / halves[i]
        for q in range(indptr[i], indptr[i + 1] + 1):
            here, value = last, 1.0
            if q < indptr[i + 1]:
                here, value = indices[q], data[q]
            for s in range(indptr[i], q + 1):
                there, product = last, value
                if s < indptr[i + 1]:
                    there, product = indices[s], value * data[s]
                if s != q and there == here:
                    # A column that a row has twice.
                    product *= 2.0
                for j in range(m + 1):
                    target = out[max(here, there), those[j], min(here, there)]
                    for k in range(m + 1):
                        target[those[k]] += product * curve[j, k]
