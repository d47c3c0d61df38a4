"""Compiled loops over the rows of large tables: are their indices in order, which are equal."""

from typing import Any

from novikoff.certificate.examples.matrix import (
    BAD_COLUMNS,
    BAD_ENDS,
    CANONICAL,
    REPEATED,
    UNSORTED,
)
from novikoff.certificate.kernels import njit


@njit()
def state(indices: Any, ends: Any, n_columns: int) -> int:
    """What the indices of a CSR matrix are: the worst over its rows."""
    # Without branches on columns, which are unpredictable where rows are not sorted.
    low, high, falls, repeats = 0, 0, 0, 0
    for i in range(ends.size - 1):
        if ends[i + 1] < ends[i] or ends[i + 1] > indices.size:
            return BAD_ENDS
        before = -1
        for k in range(ends[i], ends[i + 1]):
            column = indices[k]
            low, high = min(low, column), max(high, column)
            falls += column < before
            repeats += column == before
            before = column
    if low < 0 or high >= n_columns:
        return BAD_COLUMNS
    return UNSORTED if falls else REPEATED if repeats else CANONICAL


@njit()
def compare_dense(values: Any, left: Any, right: Any, same: Any) -> None:
    """Compare rows of an array in pairs."""
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


@njit()
def compare_column(values: Any, left: Any, right: Any, same: Any) -> None:
    """Compare the values of one column in pairs; pairs that differ before stay different."""
    for pair in range(left.size):
        same[pair] &= values[left[pair]] == values[right[pair]]


@njit()
def compare_sparse(data: Any, indices: Any, ends: Any, left: Any, right: Any, same: Any) -> None:
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
