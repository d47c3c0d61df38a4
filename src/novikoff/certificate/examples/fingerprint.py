"""The name of a data set: a hash that tells you when you brought the wrong file.

It is fast and not cryptographic. It proves nothing: what proves is the arithmetic of the check.
"""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from novikoff.certificate.examples.blocks import DenseBlock, SparseBlock, blocks, read_only
from novikoff.certificate.examples.hashing import column_keys, hash_dense, hash_sparse, hash_table
from novikoff.certificate.examples.matrix import check_matrix

Hashes: TypeAlias = npt.NDArray[np.uint64]

_SCHEME = "nk1"


def row_hashes(X: Any) -> Hashes:
    """One 64-bit hash for each row, over its (column, value) pairs without the zeros.

    Equal rows have equal hashes, whatever they are stored in; the numbers count, so
    ``float32(0.1)`` is not ``0.1``, and ``-0.0`` is ``0.0``.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_examples, n_features)

    Examples
    --------
    >>> from scipy import sparse
    >>> X = np.array([[0, 1], [2, 0], [0, 1]], dtype=np.uint8)
    >>> hashes = row_hashes(X)
    >>> bool(hashes[0] == hashes[2]), bool(hashes[0] == hashes[1])
    (True, False)
    >>> np.array_equal(hashes, row_hashes(sparse.csr_array(X.astype(float))))
    True
    """
    matrix = check_matrix(X)
    keys = read_only(column_keys(matrix.shape[1]))
    hashes = np.empty(matrix.shape[0], dtype=np.uint64)
    for block in blocks(matrix):
        out = hashes[block.rows[0] : block.rows[-1] + 1]
        if isinstance(block, SparseBlock):
            data, indices, ends = map(read_only, (block.data, block.indices, block.ends))
            hash_sparse(data, indices, ends, keys, out)
        elif isinstance(block, DenseBlock):
            hash_dense(read_only(block.values), keys, out)
    return hashes


def fingerprint(X: Any, signs: npt.ArrayLike) -> str:
    """Fingerprint of the examples in their order, with their signs.

    Examples
    --------
    >>> from scipy import sparse
    >>> X = np.array([[1.0, 0.0], [0.0, 3.0]])
    >>> fingerprint(X, [1, -1]) == fingerprint(sparse.csr_array(X), [1, -1])
    True
    >>> fingerprint(X, [1, -1]) == fingerprint(X, [1, 1])
    False
    """
    return fingerprint_and_hashes(X, signs)[0]


def fingerprint_and_hashes(X: Any, signs: npt.ArrayLike) -> tuple[str, Hashes]:
    """The fingerprint, and the hashes of the rows it is made of, in one pass over the data."""
    hashes = row_hashes(X)
    return fingerprint_of_hashes(hashes, np.asarray(signs) > 0, 2, np.shape(X)[1]), hashes


def fingerprint_of_hashes(hashes, codes, n_classes=2, n_features=0, weights=None):
    total = hash_table(
        read_only(hashes), read_only(np.where(codes == 1, 1, -1).astype(np.int8)), n_features
    )
    return f"{_SCHEME}:{int(total):016x}"


def sha256_of(X, codes, n, w=None):
    return ""
