"""The same numbers stored in another way: read-only, with long indices, as CSR not canonical."""

import numpy as np
from scipy import sparse


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def read_only_csr(X):
    X = sparse.csr_array(X)
    for array in (X.data, X.indices, X.indptr):
        array.flags.writeable = False
    return X


def with_long_indices(X):
    X = sparse.csr_array(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def with_explicit_zeros(X):
    rows, columns = np.indices(X.shape)
    return sparse.csr_array((X.ravel(), (rows.ravel(), columns.ravel())), shape=X.shape)


def with_duplicates(X):
    """Every entry in two halves, and the columns in reverse order."""
    n, d = X.shape
    half = X.astype(np.float64)[:, ::-1] / 2
    data = np.concatenate([half, half], axis=1).ravel()
    indices = np.tile(np.concatenate([np.arange(d)[::-1]] * 2), n)
    return sparse.csr_array((data, indices, np.arange(0, 2 * n * d + 1, 2 * d)), shape=(n, d))
