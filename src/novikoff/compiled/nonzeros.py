"""The values of dense rows that are not zero."""

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.rows import CSR


@njit()
def count_nonzeros(rows: np.ndarray, order: np.ndarray, counts: np.ndarray) -> None:
    """Write how many values of each row in ``order`` are not zero."""
    for i in order:
        count = 0
        for j in range(rows.shape[1]):
            count += rows[i, j] != 0
        counts[i] = count


@njit()
def take_nonzeros(rows: np.ndarray, out: CSR) -> None:
    """Write them into sparse rows, which have room for as many."""
    data, indices, ends = out
    for i in range(rows.shape[0]):
        k = np.uint64(ends[i])
        for j in range(rows.shape[1]):
            if rows[i, j] != 0:
                data[k], indices[k] = rows[i, j], j
                k += np.uint64(1)
