"""The columns of sparse rows that have most of their weight, apart from the others."""

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.rows import CSR


@njit()
def select(
    rows: CSR, places: np.ndarray, ends: np.ndarray, data: np.ndarray, indices: np.ndarray
) -> None:
    """Copy the values in columns whose place is not negative; their places are the new columns.

    ``ends`` becomes where the values of each row begin and end.
    """
    q = 0
    for i in range(rows.indptr.shape[0] - 1):
        ends[i] = q
        for k in range(rows.indptr[i], rows.indptr[i + 1]):
            place = places[rows.indices[k]]
            if place >= 0:
                data[q], indices[q] = rows.data[k], place
                q += 1
    ends[rows.indptr.shape[0] - 1] = q


@njit()
def gram(rows: CSR, places: np.ndarray, factors: np.ndarray, out: np.ndarray) -> None:
    """Add ``sum_i factor_i (x_i, 1) (x_i, 1)^T`` to the lower half of a matrix.

    The columns of each row are sorted.
    """
    data, indices, indptr = rows
    last = out.shape[0] - 1
    for p in range(places.shape[0]):
        i, factor = places[p], factors[p]
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            value, column = factor * data[k], np.uint64(indices[k])
            out[last, column] += value
            for q in range(np.uint64(indptr[i]), k + np.uint64(1)):
                out[column, np.uint64(indices[q])] += value * data[q]
        out[last, last] += factor


@njit()
def centred(gram: np.ndarray, centre: np.ndarray, root: float, out: np.ndarray) -> None:
    """Write ``I`` plus the same sum of ``(x_i - centre, root)``, its lower half."""
    k = centre.shape[0]
    total = gram[k, k]
    for i in range(k):
        # sum f (x_i - c_i) (x_j - c_j)
        first = gram[k, i]
        for j in range(i + 1):
            out[i, j] = (
                gram[i, j] - centre[i] * gram[k, j] - (first - total * centre[i]) * centre[j]
            )
        out[i, i] += 1.0
        out[k, i] = root * (first - total * centre[i])
    out[k, k] = 1.0 + root * root * total
