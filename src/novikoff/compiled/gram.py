"""The Gram matrix of sparse rows."""

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.rows import CSR


@njit()
def products(
    rows: CSR, columns: CSR, along: np.ndarray, centre2: float, first: int, out: np.ndarray
) -> None:
    """Write the products of rows relative to a centre, those from ``first`` on with all before.

    ``columns`` is the transposed matrix; ``along`` has the rows' products with the centre. The
    values of a row meet those of others in the same column alone. Sums are in double precision.
    """
    data, indices, indptr = rows
    values, places, ends = columns
    line = np.empty(out.shape[0])
    for i in range(first, out.shape[0]):
        for p in range(i + 1):
            line[p] = centre2 - along[i] - along[p]
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            value, j = data[k], np.uint64(indices[k])
            for m in range(np.uint64(ends[j]), np.uint64(ends[j + np.uint64(1)])):
                p = places[m]
                if p > i:
                    break
                line[np.uint64(p)] += value * values[m]
        for p in range(i + 1):
            out[i, p] = out[p, i] = line[p]
