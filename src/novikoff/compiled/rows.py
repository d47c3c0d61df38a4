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


@njit(cache=True, nogil=True, fastmath=SUMS)
def _dense_dot(matrix: Rows, i: int, w: np.ndarray) -> float:
    total = 0.0
    for j in range(matrix.shape[1]):
        total += matrix[i, j] * w[j]
    return total


@njit(cache=True, nogil=True, fastmath=SUMS)
def _csr_dot(rows: Rows, i: int, w: np.ndarray) -> float:
    data, indices, indptr = rows
    total = 0.0
    for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        total += data[k] * w[np.uint64(indices[k])]
    return total


@njit(cache=True, nogil=True, fastmath=SUMS)
def _dense_add(
    matrix: Rows, i: int, step: float, w: np.ndarray, centre: np.ndarray, at: np.ndarray
) -> float:
    along = 0.0
    for j in range(matrix.shape[1]):
        w[j] += step * (matrix[i, j] - centre[j])
        along += w[j] * centre[j]
    return along


@njit(cache=True, nogil=True, fastmath=SUMS)
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


@njit(cache=True, nogil=True, fastmath=SUMS)
def _dense_distance2(matrix: Rows, i: int, centre: np.ndarray, at: np.ndarray) -> float:
    total = 0.0
    for j in range(matrix.shape[1]):
        difference = matrix[i, j] - centre[j]
        total += difference * difference
    return total


@njit(cache=True, nogil=True)
def _csr_distance2(rows: Rows, i: int, centre: np.ndarray, at: np.ndarray) -> float:
    # Merging the two sorted index lists takes the differences before the squares: the textbook
    # |x|^2 - 2 x.o + |o|^2 loses every digit when the data lie far from the origin.
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
    """Return ``x_i . w``."""
    return _dense_dot(rows, i, w) if isinstance(rows, np.ndarray) else _csr_dot(rows, i, w)


@overload(dot, strict=False)
def _dot(rows: Any, i: Any, w: Any) -> Callable[..., float]:
    if isinstance(rows, types.Array):
        return lambda rows, i, w: _dense_dot(rows, i, w)
    return lambda rows, i, w: _csr_dot(rows, i, w)


def add(
    rows: Rows, i: int, step: float, w: np.ndarray, centre: np.ndarray, at: np.ndarray
) -> float:
    """Add ``step * (x_i - centre)`` to ``w`` and return the new ``w . centre``.

    ``at`` lists the columns in which the centre is not zero; only sparse rows need it.
    """
    kind = _dense_add if isinstance(rows, np.ndarray) else _csr_add
    return kind(rows, i, step, w, centre, at)


@overload(add, strict=False)
def _add(rows: Any, i: Any, step: Any, w: Any, centre: Any, at: Any) -> Callable[..., float]:
    if isinstance(rows, types.Array):
        return lambda rows, i, step, w, centre, at: _dense_add(rows, i, step, w, centre, at)
    return lambda rows, i, step, w, centre, at: _csr_add(rows, i, step, w, centre, at)


def distance2(rows: Rows, i: int, centre: np.ndarray, at: np.ndarray) -> float:
    """Return ``|x_i - centre|^2``, taken from the differences."""
    kind = _dense_distance2 if isinstance(rows, np.ndarray) else _csr_distance2
    return kind(rows, i, centre, at)


@overload(distance2, strict=False)
def _distance2(rows: Any, i: Any, centre: Any, at: Any) -> Callable[..., float]:
    if isinstance(rows, types.Array):
        return lambda rows, i, centre, at: _dense_distance2(rows, i, centre, at)
    return lambda rows, i, centre, at: _csr_distance2(rows, i, centre, at)
