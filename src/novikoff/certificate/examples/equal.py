"""Which rows are equal: found by their hashes, and then compared.

The hash of a row is no proof. Its keys are public, so two rows that differ can be made to have the
same one.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.certificate.exact.sums import read_only, suits_numpy
from novikoff.certificate.examples.blocks import (
    BLOCK_VALUES,
    NATIVE,
    Indices,
    count_values,
    take,
)
from novikoff.certificate.examples.fingerprint import Hashes, row_words
from novikoff.certificate.examples.hashing import SMALL
from novikoff.certificate.examples.matrix import with_true_flags

FEW_SPARSE = 1 << 10
"""Up to this many values of sparse rows are compared by scipy where compiled loops are used
already: 3,000 in 300 rows take it 1.0 ms, and compiled loops 0.02."""

FEW_HASHES = 1 << 12
"""Up to this many hashes are sorted where numba is imported already: these take 0.2 ms, and in a
compiled table 0.01; 54,000 take 4.5 and 0.5."""


def first_equal(
    X: Any, hashes: Hashes, rows: Indices | None = None, *, checked: bool = False
) -> Indices:
    """For each of some rows the first of them, in the order given, that is equal to it.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_examples, n_features)
    hashes : array of uint64
        A hash for each row of ``X``, equal for equal rows.
    rows : array of int64, optional
        The rows; by default all, in their order.
    checked : bool
        Whether the indices and flags of a sparse matrix have been checked.

    Examples
    --------
    >>> from novikoff.certificate import row_hashes
    >>> X = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])
    >>> first_equal(X, row_hashes(X))
    array([0, 1, 0])
    >>> first_equal(X, np.zeros(3, dtype=np.uint64), np.array([2, 1, 0]))
    array([2, 1, 2])
    """
    rows = np.arange(X.shape[0]) if rows is None else rows
    # Where the first row with the same hash is.
    first = _first_with_hash(hashes[rows])
    if first is None:
        return rows
    (members,) = np.nonzero(first != np.arange(rows.size))
    if not members.size:
        return rows
    heads = first[members]
    X = with_true_flags(X) if sparse.issparse(X) and not checked else X
    same = _are_equal(X, rows[members], rows[heads])
    if not same.all():
        first[members[~same]] = members[~same]
        left = np.union1d(members[~same], heads[~same])
        first[left] = left[_first_among(X, rows[left])]
    return rows[first]


def _first_with_hash(hashes: Hashes) -> Indices | None:
    """For each hash the first position that has the same; ``None`` may tell that all differ."""
    if not suits_numpy(hashes.size, SMALL, FEW_HASHES):
        from novikoff.certificate.examples import compiled_rows

        table = np.full(2 << hashes.size.bit_length(), -1, dtype=np.int64)
        first = np.empty(hashes.size, dtype=np.int64)
        compiled_rows.first_with_hash(read_only(hashes), table, first)
        return first
    ordered = np.sort(hashes)
    same = ordered[1:] == ordered[:-1]
    if not same.any():
        return None
    order = np.argsort(hashes, kind="stable")
    again = np.zeros(hashes.size, dtype=np.bool_)
    again[1:] = same
    first = np.empty(hashes.size, dtype=np.int64)
    first[order] = order[np.maximum.accumulate(np.where(again, 0, np.arange(hashes.size)))]
    return first


def is_zero_row(X: Any, row: Any) -> bool:
    """Whether all values of a row are zero."""
    X = with_true_flags(X) if sparse.issparse(X) else X
    (block,) = take(X, np.array([row]))
    return int(row_words(block)[0]) == 0


def _are_equal(X: Any, left: Indices, right: Indices) -> npt.NDArray[np.bool_]:
    """Compare rows in pairs. What is not compared here counts as different."""
    same = np.zeros(left.size, dtype=np.bool_)
    if sparse.issparse(X) and not X.has_canonical_format:
        return same
    few = FEW_SPARSE if sparse.issparse(X) else SMALL
    numpy = suits_numpy(count_values(X, left), SMALL, few)
    if not numpy and _compare_compiled(X, left, right, same):
        return same
    if sparse.issparse(X):
        X = sparse.csr_array(X)
        return np.asarray((X[left] != X[right]).sum(axis=1) == 0)
    step = max(1, BLOCK_VALUES // max(X.shape[1], 1))
    for part in (slice(first, first + step) for first in range(0, left.size, step)):
        same[part] = (X[left[part]] == X[right[part]]).all(axis=1)
    return same


def _compare_compiled(X: Any, left: Indices, right: Indices, same: npt.NDArray[np.bool_]) -> bool:
    """Compare rows where they lie; False if the storage is not one that compiled code reads."""
    from novikoff.certificate.examples import compiled_rows

    left, right = read_only(left), read_only(right)
    if sparse.issparse(X):
        arrays = map(np.ascontiguousarray, (X.data, X.indices, X.indptr))
        data, indices, ends = map(read_only, arrays)
        compiled_rows.compare_sparse(data, indices, ends, left, right, same)
    elif X.dtype in NATIVE and X.flags.c_contiguous:
        compiled_rows.compare_dense(read_only(X), left, right, same)
    elif X.dtype in NATIVE and X.flags.f_contiguous:
        same[:] = True
        for column in read_only(X.T):
            compiled_rows.compare_column(column, left, right, same)
    else:
        return False
    return True


def _first_among(X: Any, rows: Indices) -> Indices:
    """For each of the rows the position of the first that is equal: by a table of all values."""
    table: dict[bytes, int] = {}
    found: list[int] = []
    for block in take(X, rows):
        words = row_words(block)
        start = 0
        for _ in range(block.rows.size):
            end = start + 1 + 2 * int(words[start])
            found.append(table.setdefault(words[start:end].tobytes(), len(found)))
            start = end
    return np.array(found, dtype=np.int64)
