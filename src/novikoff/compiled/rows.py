"""Reading one example in place: a row of a C-ordered matrix, or of a CSR triple.

``rows`` is either a two-dimensional array (float64, float32 or uint8) or the tuple
``(data, indices, indptr)``. Sums run in float64 for every type of element. The summation
order of a row depends on its length only, so a row gives the same number wherever it stands.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import overload

Rows = Any
"""A C-ordered matrix, or ``(data, indices, indptr)``."""

# Reassociation lets the sums run in vector registers. Every claim made from them is checked again
# with a proven error bound by the certificate, so their order need not be the textbook one.
SUMS = {"reassoc", "contract", "nsz"}
SAFE_SHARE = 1e-3


def _dense_dot(rows: Rows, i: int, w: np.ndarray) -> float:
    total = 0.0
    for j in range(rows.shape[1]):
        total += rows[i, j] * w[j]
    return total


def _csr_dot(rows: Rows, i: int, w: np.ndarray) -> float:
    data, indices, indptr = rows
    total = 0.0
    for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        total += data[k] * w[np.uint64(indices[k])]
    return total


def _dense_add(
    rows: Rows, i: int, step: float, w: np.ndarray, centre: np.ndarray, at: np.ndarray
) -> float:
    along = 0.0
    for j in range(rows.shape[1]):
        w[j] += step * (rows[i, j] - centre[j])
        along += w[j] * centre[j]
    return along


def _csr_add(
    rows: Rows, i: int, step: float, w: np.ndarray, centre: np.ndarray, at: np.ndarray
) -> float:
    data, indices, indptr = rows
    for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        w[np.uint64(indices[k])] += step * data[k]
    along = 0.0
    for k in range(at.shape[0]):
        j = at[k]
        w[j] -= step * centre[j]
        along += w[j] * centre[j]
    return along


def _dense_distance2(rows: Rows, i: int, centre: np.ndarray, at: np.ndarray) -> float:
    total = 0.0
    for j in range(rows.shape[1]):
        difference = rows[i, j] - centre[j]
        total += difference * difference
    return total


def _csr_distance2(rows: Rows, i: int, centre: np.ndarray, at: np.ndarray) -> float:
    data, indices, indptr = rows
    total = 0.0
    missed = 0.0
    for p in range(at.shape[0]):
        missed += centre[at[p]] * centre[at[p]]
    whole = missed
    for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        o = centre[np.uint64(indices[k])]
        total += (data[k] - o) * (data[k] - o)
        missed -= o * o
    total += missed
    return total if total > SAFE_SHARE * whole else _csr_merged_distance2(rows, i, centre, at)


@njit(cache=True, nogil=True)
def _csr_merged_distance2(rows: Rows, i: int, centre: np.ndarray, at: np.ndarray) -> float:
    # Where what is missed of the centre nearly cancels, its squares are added one by one: the
    # data lie far from the origin, and the difference would lose every digit.
    data, indices, indptr = rows
    total = 0.0
    p = 0
    for k in range(indptr[i], indptr[i + 1]):
        j = indices[k]
        while p < at.shape[0] and at[p] < j:
            total += centre[at[p]] * centre[at[p]]
            p += 1
        if p < at.shape[0] and at[p] == j:
            p += 1
        difference = data[k] - centre[j]
        total += difference * difference
    while p < at.shape[0]:
        total += centre[at[p]] * centre[at[p]]
        p += 1
    return total


def dot(rows: Rows, i: int, w: np.ndarray) -> float:
    """Return ``x_i . w``; for compiled code."""
    raise NotImplementedError


@overload(dot, strict=False, jit_options={"fastmath": SUMS})
def _dot(rows: Any, i: Any, w: Any) -> Callable[..., float]:
    return _dense_dot if isinstance(rows, types.Array) else _csr_dot


def add(
    rows: Rows, i: int, step: float, w: np.ndarray, centre: np.ndarray, at: np.ndarray
) -> float:
    """Add ``step * (x_i - centre)`` to ``w`` and return the new ``w . centre``; for compiled code.

    ``at`` lists the columns in which the centre is not zero; only sparse rows need it.
    """
    raise NotImplementedError


@overload(add, strict=False, jit_options={"fastmath": SUMS})
def _add(rows: Any, i: Any, step: Any, w: Any, centre: Any, at: Any) -> Callable[..., float]:
    return _dense_add if isinstance(rows, types.Array) else _csr_add


def distance2(rows: Rows, i: int, centre: np.ndarray, at: np.ndarray) -> float:
    """Return ``|x_i - centre|^2``, taken from the differences; for compiled code."""
    raise NotImplementedError


@overload(distance2, strict=False, jit_options={"fastmath": SUMS})
def _distance2(rows: Any, i: Any, centre: Any, at: Any) -> Callable[..., float]:
    return _dense_distance2 if isinstance(rows, types.Array) else _csr_distance2
