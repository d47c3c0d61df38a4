"""Distances between rows and columns, summed over the features one by one.

``Σ_k |x_k - x'_k|``, or the same of the squares: a term is rounded at most three times before it is
added, so the sum has a relative error of ``gamma_{d+3}`` in whatever order it is taken.
"""

from typing import Any

import numpy as np
from scipy import sparse

from novikoff.certificate.exact.sums import SMALL, Floats, read_only


def distances(rows: Any, columns: Any, *, power: int) -> Floats:
    """The sums of ``|x - x'|**power`` over the features, for each row and column; power 1 or 2.

    Examples
    --------
    >>> distances(np.array([[1.0, 5.0]]), np.array([[0.0, 2.0]]), power=2)
    array([[10.]])
    """
    if sparse.issparse(rows) or sparse.issparse(columns):
        return _sparse_distances(sparse.csr_array(rows), sparse.csr_array(columns), power)
    if len(rows) * columns.size <= SMALL:
        found = np.abs(rows[:, None, :] - columns[None, :, :])
        return np.asarray((found if power == 1 else found * found).sum(axis=2))
    from novikoff.certificate.feature_space import compiled_distances

    out = np.empty((len(rows), len(columns)))
    compiled_distances.dense(read_only(rows), read_only(columns), power == 2, out)
    return out


def _sparse_distances(rows: Any, columns: Any, power: int) -> Floats:
    """As above, for CSR matrices with sorted, distinct columns in each row."""
    from novikoff.certificate.feature_space import compiled_distances

    out = np.empty((rows.shape[0], columns.shape[0]))
    arrays = [
        read_only(np.ascontiguousarray(array, dtype=dtype))
        for matrix in (rows, columns)
        for array, dtype in (
            (matrix.data, np.float64),
            (matrix.indices, np.int64),
            (matrix.indptr, np.int64),
        )
    ]
    compiled_distances.sparse(*arrays, power == 2, out)
    return out
