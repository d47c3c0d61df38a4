"""The name of a data set: a hash that tells you when you brought the wrong file.

It is fast and not cryptographic. It proves nothing: what proves is the arithmetic of the check.

Neither the fingerprint nor the SHA-256 covers what the classes are called, only which examples are
of the first class, the second and so on. A check compares the labels themselves with the classes of
the certificate; labels that are equal in Python, such as ``1``, ``1.0`` and ``True``, are the same.
"""

import hashlib
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.sums import read_only
from novikoff.certificate.examples.blocks import (
    Block,
    DenseBlock,
    Floats,
    SparseBlock,
    as_float64,
    blocks,
    is_in_one_block,
)
from novikoff.certificate.examples.hashing import (
    column_keys,
    dense_words,
    hash_dense,
    hash_sparse,
    hash_table,
    sparse_words,
)
from novikoff.certificate.examples.matrix import as_array, check_matrix
from novikoff.certificate.threads import in_order

Hashes: TypeAlias = npt.NDArray[np.uint64]

_SCHEME = "nk1"
_NO_WEIGHTS: Floats = np.ones(0)
_TITLE = b"novikoff examples, version 1\n"


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
    return hash_rows(check_matrix(X))


def hash_rows(matrix: Any) -> Hashes:
    """The same for a matrix that :func:`check_matrix` returned."""
    n_columns = matrix.shape[1]
    keys = None if sparse.issparse(matrix) else column_keys(n_columns)
    hashes = np.empty(matrix.shape[0], dtype=np.uint64)
    if keys is not None and type(matrix) is np.ndarray and is_in_one_block(matrix):
        hash_dense(read_only(matrix), keys, hashes)
        return hashes

    def fill(block: Block) -> None:
        out = hashes[block.rows[0] : block.rows[-1] + 1]
        if isinstance(block, SparseBlock):
            data, indices, ends = map(read_only, (block.data, block.indices, block.ends))
            hash_sparse(data, indices, ends, n_columns, out)
        elif isinstance(block, DenseBlock) and keys is not None:
            hash_dense(read_only(block.values), keys, out)

    for _ in in_order(fill, blocks(matrix)):
        pass
    return hashes


def fingerprint(
    X: Any, codes: npt.ArrayLike, n_classes: int = 2, sample_weight: npt.ArrayLike | None = None
) -> str:
    """Fingerprint of the examples in their order, with their classes and weights.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_examples, n_features)
    codes : array of int
        The class of each example, a number from 0 on and below ``n_classes``. Of two classes, 1 is
        the positive one.
    n_classes : int
        The number of classes.
    sample_weight : array of float, optional
        The weights of the examples; all ones are the same as none.

    Examples
    --------
    >>> from scipy import sparse
    >>> X = np.array([[1.0, 0.0], [0.0, 3.0]])
    >>> fingerprint(X, [1, 0]) == fingerprint(sparse.csr_array(X), [1, 0], sample_weight=[1, 1])
    True
    >>> fingerprint(X, [1, 0]) == fingerprint(X, [1, 1])
    False
    """
    hashes = row_hashes(X)
    return fingerprint_of_hashes(hashes, codes, n_classes, np.shape(X)[1], sample_weight)


def fingerprint_of_hashes(
    hashes: Hashes,
    codes: npt.ArrayLike,
    n_classes: int,
    n_features: int,
    sample_weight: npt.ArrayLike | None = None,
) -> str:
    """The fingerprint, from the hashes of the rows, without reading the examples.

    Examples
    --------
    >>> X, codes = np.eye(3), [1, 0, 2]
    >>> fingerprint_of_hashes(row_hashes(X), codes, 3, 3) == fingerprint(X, codes, 3)
    True
    """
    classes, weights = _check_problem(codes, n_classes, sample_weight, hashes.size)
    return _fingerprint_of(hashes, classes, weights, n_classes, n_features)


def fingerprint_without_weights(
    hashes: Hashes, codes: npt.NDArray[np.int64], n_classes: int, n_features: int
) -> str:
    """The same for codes that are known to be those of the classes."""
    return _fingerprint_of(hashes, codes, _NO_WEIGHTS, n_classes, n_features)


def _fingerprint_of(
    hashes: Hashes, codes: npt.NDArray[np.int64], weights: Floats, n_classes: int, n_features: int
) -> str:
    rows, places, factors = map(read_only, (hashes, codes, weights))
    return f"{_SCHEME}:{hash_table(rows, places, factors, n_classes, n_features):016x}"


def sha256_of(
    X: Any, codes: npt.ArrayLike, n_classes: int = 2, sample_weight: npt.ArrayLike | None = None
) -> str:
    """Cryptographic identity of the examples, their classes and weights: 64 hexadecimal digits.

    It is SHA-256 over a title and 64-bit little-endian words: the numbers of examples, features and
    classes; for each row the number of its values that are not zero, then column and float64 bits
    of each, in the order of the columns; the codes; the bits of the weights, unless all are 1. So
    copies of the same numbers agree, whatever they are stored in. The parameters are those of
    :func:`fingerprint`.

    Examples
    --------
    >>> X = np.array([[1, 0], [0, 3]], dtype=np.uint8)
    >>> sha256_of(X, [1, 0])[:16], sha256_of(X.astype(float), [1, 0])[:16]
    ('2d41bc7d5d986676', '2d41bc7d5d986676')
    """
    matrix = check_matrix(X)
    classes, weights = _check_problem(codes, n_classes, sample_weight, matrix.shape[0])
    total = hashlib.sha256(_TITLE)
    total.update(np.array([*matrix.shape, n_classes], dtype="<u8").data)
    for block in blocks(matrix):
        total.update(row_words(block).astype("<u8", copy=False).data)
    total.update(classes.astype("<i8", copy=False).data)
    total.update((weights + 0.0).astype("<f8", copy=False).data)
    return total.hexdigest()


def row_words(block: Block) -> npt.NDArray[np.uint64]:
    """The rows of a block as words, the same whatever they are stored in.

    For each row the number of its values that are not zero, then column and bits of each.
    """
    if isinstance(block, SparseBlock):
        return sparse_words(block.data, block.indices, block.ends)
    assert isinstance(block, DenseBlock)
    return dense_words(block.values)


def _check_problem(
    codes: npt.ArrayLike, n_classes: int, sample_weight: npt.ArrayLike | None, n_examples: int
) -> tuple[npt.NDArray[np.int64], Floats]:
    """The codes, and the weights unless all are 1."""
    classes = as_array("the codes", codes)
    if classes.shape != (n_examples,) or classes.dtype.kind not in "bui":
        raise CertificateError(f"{n_examples} examples need as many codes, not {classes.shape}")
    if classes.size and not 0 <= int(classes.min()) <= int(classes.max()) < n_classes:
        raise CertificateError(f"the code of a class must be at least 0 and below {n_classes}")
    classes = classes.astype(np.int64, copy=False)
    if sample_weight is None:
        return classes, np.ones(0)
    weights = as_array("the weights", sample_weight)
    if weights.shape != (n_examples,):
        raise CertificateError(f"{n_examples} examples need as many weights, not {weights.shape}")
    if weights.dtype.kind not in "buif":
        raise CertificateError(f"the weights must be numbers, not {weights.dtype}")
    weights = as_float64(weights)
    if not (np.isfinite(weights) & (weights >= 0.0)).all():
        raise CertificateError("the weights must be finite and not negative")
    return classes, weights if (weights != 1.0).any() else np.ones(0)
