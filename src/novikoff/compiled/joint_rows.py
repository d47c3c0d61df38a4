"""Reading one example for all classes at once: its products with every vector, and its share.

The vectors of the classes are the columns of a matrix with one row for each feature, so that what
belongs to a value that is read lies together in memory. The values of a row that are not zero are
first written beside each other, from dense rows too: an image is mostly zeros.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from novikoff.certificate.kernels import njit, overload
from novikoff.compiled.rows import CSR, SUMS, Rows, kernel_for


def nonzeros(rows: Rows, i: int, values: np.ndarray, places: np.ndarray) -> int:
    """Write the values of row ``i`` that are not zero, and their columns; return how many.

    For compiled code.
    """
    return _nonzeros(rows, i, values, places)(rows, i, values, places)


def _dense_nonzeros(rows: np.ndarray, i: int, values: np.ndarray, places: np.ndarray) -> int:
    count = 0
    for j in range(rows.shape[1]):
        # Without a branch: it would be mispredicted at every edge of an image.
        values[count], places[count] = rows[i, j], j
        count += rows[i, j] != 0
    return count


def _csr_nonzeros(rows: CSR, i: int, values: np.ndarray, places: np.ndarray) -> int:
    data, indices, indptr = rows
    begin, count = np.uint64(indptr[i]), int(indptr[i + 1] - indptr[i])
    for k in range(np.uint64(count)):
        values[k], places[k] = data[begin + k], indices[begin + k]
    return count


@overload(nonzeros)
def _nonzeros(rows: Any, i: Any, values: Any, places: Any) -> Callable[..., int]:
    return kernel_for(rows, _dense_nonzeros, _csr_nonzeros)


@njit(inner=True, fastmath=SUMS)
def add_products(
    values: np.ndarray, places: np.ndarray, count: int, vectors: np.ndarray, out: np.ndarray
) -> None:
    """Add ``x . vectors`` to ``out``, one number for each class."""
    fours = count - count % 4
    for k in range(0, fours, 4):
        a, b, c, d = values[k], values[k + 1], values[k + 2], values[k + 3]
        va, vb = vectors[places[k]], vectors[places[k + 1]]
        vc, vd = vectors[places[k + 2]], vectors[places[k + 3]]
        for r in range(out.shape[0]):
            out[r] += a * va[r] + b * vb[r] + c * vc[r] + d * vd[r]
    for k in range(fours, count):
        a, va = values[k], vectors[places[k]]
        for r in range(out.shape[0]):
            out[r] += a * va[r]


@njit(inner=True, fastmath=SUMS)
def add_multiples(
    values: np.ndarray,
    places: np.ndarray,
    count: int,
    classes: np.ndarray,
    steps: np.ndarray,
    vectors: np.ndarray,
) -> None:
    """Add ``steps[k] x`` to the vector of each of some ``classes[k]``."""
    for p in range(count):
        value, vector = values[p], vectors[places[p]]
        for k in range(classes.shape[0]):
            vector[classes[k]] += steps[k] * value
