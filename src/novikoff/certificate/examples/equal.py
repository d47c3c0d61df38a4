"""Which rows are equal: found by their hashes, and then compared.

The hash of a row is no proof. Its keys are public, so two rows that differ can be made to have the
same one.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit
from scipy import sparse

from novikoff.certificate.examples.blocks import BLOCK_VALUES, NATIVE, Indices, read_only, take
from novikoff.certificate.examples.fingerprint import Hashes, row_words
from novikoff.certificate.examples.matrix import with_true_flags


def first_equal(X: Any, hashes: Hashes, rows: Indices | None = None) -> Indices:
    """For each of some rows the first of them, in the order given, that is equal to it.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_examples, n_features)
    hashes : array of uint64
        A hash for each row of ``X``, equal for equal rows.
    rows : array of int64, optional
        The rows; by default all, in their order.

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
    keys = hashes[rows]
    ordered = np.sort(keys)
    # Most data have no equal rows, and this is faster than to sort positions.
    if not (ordered[1:] == ordered[:-1]).any():
        return rows
    # Positions by hash, and by order among those of one hash.
    by_hash = np.argsort(keys, kind="stable")
    again = np.zeros(rows.size, dtype=np.bool_)
    again[1:] = ordered[1:] == ordered[:-1]
    heads = by_hash[np.maximum.accumulate(np.where(again, 0, np.arange(rows.size)))]
    members, heads = by_hash[again], heads[again]
    X = with_true_flags(X) if sparse.issparse(X) else X
    same = _are_equal(X, rows[members], rows[heads])
    first = np.arange(rows.size)
    first[members[same]] = heads[same]
    if not same.all():
        left = np.union1d(members[~same], heads[~same])
        first[left] = left[_first_among(X, rows[left])]
    return rows[first]


def is_zero_row(X: Any, row: Any) -> bool:
    """Whether all values of a row are zero."""
    X = with_true_flags(X) if sparse.issparse(X) else X
    (block,) = take(X, np.array([row]))
    return int(row_words(block)[0]) == 0


def _are_equal(X: Any, left: Indices, right: Indices) -> npt.NDArray[np.bool_]:
    """Compare rows in pairs. What is not compared here counts as different."""
    same = np.zeros(left.size, dtype=np.bool_)
    left, right = read_only(left), read_only(right)
    if sparse.issparse(X):
        if X.has_canonical_format:
            arrays = map(np.ascontiguousarray, (X.data, X.indices, X.indptr))
            data, indices, ends = map(read_only, arrays)
            _compare_sparse(data, indices, ends, left, right, same)
    elif X.dtype in NATIVE and X.flags.c_contiguous:
        _compare_dense(read_only(X), left, right, same)
    elif X.dtype in NATIVE and X.flags.f_contiguous:
        same[:] = True
        for column in read_only(X.T):
            _compare_column(column, left, right, same)
    else:
        step = max(1, BLOCK_VALUES // max(X.shape[1], 1))
        for part in (slice(first, first + step) for first in range(0, left.size, step)):
            same[part] = (X[left[part]] == X[right[part]]).all(axis=1)
    return same


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


@njit(cache=True, nogil=True)
def _compare_dense(values: Any, left: Any, right: Any, same: Any) -> None:
    for pair in range(left.size):
        first, second = values[left[pair]], values[right[pair]]
        differ = 0
        # In steps without a branch, which are fast, and few where rows differ.
        for start in range(0, first.size, 64):
            for j in range(start, min(start + 64, first.size)):
                differ += first[j] != second[j]
            if differ:
                break
        same[pair] = differ == 0


@njit(cache=True, nogil=True)
def _compare_column(values: Any, left: Any, right: Any, same: Any) -> None:
    for pair in range(left.size):
        same[pair] &= values[left[pair]] == values[right[pair]]


@njit(cache=True, nogil=True)
def _compare_sparse(data: Any, indices: Any, ends: Any, left: Any, right: Any, same: Any) -> None:
    """Compare rows whose columns are sorted and distinct; zeros that are stored do not count."""
    for pair in range(left.size):
        i, i_end = ends[left[pair]], ends[left[pair] + 1]
        k, k_end = ends[right[pair]], ends[right[pair] + 1]
        equal = True
        while equal:
            while i < i_end and data[i] == 0:
                i += 1
            while k < k_end and data[k] == 0:
                k += 1
            if i == i_end or k == k_end:
                equal = i == i_end and k == k_end
                break
            equal = indices[i] == indices[k] and data[i] == data[k]
            i += 1
            k += 1
        same[pair] = equal
