"""Compiled loops over the rows of large tables: are their indices in order, which are equal."""

from typing import Any

import numpy as np

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
def sort_rows(
    data: Any, indices: Any, ends: Any, bits: int, short: int, to_data: Any, to_indices: Any
) -> bool:
    """Copy rows in the order of their columns; return whether no column is repeated in a row.

    In short rows each value is counted to its place, which has no branches. Others are sorted by
    the digits of their columns, each of so many bits, the last digit first. Where a column is
    repeated, the copy is of no use. Columns and places in a row are below ``2**32``.
    """
    longest, highest = 0, 0
    for i in range(ends.size - 1):
        longest = max(longest, ends[i + 1] - ends[i])
    for column in indices:
        highest = max(highest, column)
    # The column in the upper half of a word, the place in its row in the lower half.
    words, sorted_words = np.empty(longest, np.uint64), np.empty(longest, np.uint64)
    counts = np.empty(1 << bits, np.int64)
    half, lower, digits = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(counts.size - 1)
    repeats = 0
    for i in range(ends.size - 1):
        begin = ends[i]
        columns = indices[begin : ends[i + 1]]
        if columns.size <= short:
            ranks = 0
            for k in range(columns.size):
                place = np.int32(0)
                for other in columns:
                    place = np.int32(place + np.int32(other < columns[k]))
                to_indices[begin + place] = columns[k]
                to_data[begin + place] = data[begin + k]
                ranks += int(place)
            # Equal columns are counted to the same place, which makes the sum smaller.
            repeats += 2 * ranks != columns.size * (columns.size - 1)
            continue
        for k in range(columns.size):
            words[k] = (np.uint64(columns[k]) << half) | np.uint64(k)
        shift = 0
        while highest >> shift:
            below = half + np.uint64(shift)
            counts[:] = 0
            for k in range(columns.size):
                counts[(words[k] >> below) & digits] += 1
            total = 0
            for digit in range(counts.size):
                count = counts[digit]
                counts[digit] = total
                total += count
            for k in range(columns.size):
                place = counts[(words[k] >> below) & digits]
                counts[(words[k] >> below) & digits] = place + 1
                sorted_words[place] = words[k]
            words, sorted_words = sorted_words, words
            shift += bits
        for k in range(columns.size):
            to_indices[begin + k] = words[k] >> half
            to_data[begin + k] = data[begin + (words[k] & lower)]
            repeats += k > 0 and words[k] >> half == words[k - 1] >> half
    return repeats == 0


@njit()
def first_with_hash(hashes: Any, table: Any, first: Any) -> None:
    """Write for each hash the first position that has the same.

    ``table`` holds -1, in more places than there are hashes, a power of two.
    """
    last = np.uint64(table.size - 1)
    for i in range(hashes.size):
        place = hashes[i] & last
        # Along occupied places, to one with the same hash or to a free one.
        while table[place] >= 0 and hashes[table[place]] != hashes[i]:
            place = (place + np.uint64(1)) & last
        if table[place] < 0:
            table[place] = i
        first[i] = table[place]


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
