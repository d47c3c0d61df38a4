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
def gram(rows: CSR, factors: np.ndarray, out: np.ndarray) -> None:
    """Add ``sum_i factor_i (x_i, 1) (x_i, 1)^T`` to the lower half of a matrix."""
    data, indices, indptr = rows
    last = out.shape[0] - 1
    for i in range(factors.shape[0]):
        factor = factors[i]
        for k in range(indptr[i], indptr[i + 1]):
            value, column = factor * data[k], indices[k]
            out[last, column] += value
            for q in range(indptr[i], indptr[i + 1]):
                if indices[q] <= column:
                    out[column, indices[q]] += value * data[q]
        out[last, last] += factor
