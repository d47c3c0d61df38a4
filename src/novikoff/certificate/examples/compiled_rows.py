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
    data: Any,
    indices: Any,
    ends: Any,
    bits: int,
    most_bits: int,
    group: int,
    to_data: Any,
    to_indices: Any,
) -> bool:
    """Copy rows in the order of their columns; return whether no column is repeated in a row.

    Rows with so many values together, a ``group``, are sorted by the digits of their columns, the
    last digit first; in the end by row and by the first digit, which is the shorter the fewer
    values a row has. Columns have so many ``bits``, and digits at most ``most_bits``; columns and
    places in a group are below ``2**32``. Where a column is repeated, the copy is of no use.
    """
    n_rows = ends.size - 1
    longest, first_bits = 0, 0
    for i in range(n_rows):
        longest = max(longest, ends[i + 1] - ends[i])
    while first_bits < bits and (ends[n_rows] - ends[0]) >> (first_bits + 2) >= n_rows:
        first_bits += 1
    rest = bits - first_bits
    n_digits = -(-rest // most_bits)
    digit_bits = -(-rest // max(1, n_digits))
    size = max(longest, group)
    # The column in the upper half of a word, the place in the group in the lower half.
    words, sorted_words = np.empty(size, np.uint64), np.empty(size, np.uint64)
    rows, counts = np.empty(size, np.uint32), np.empty(1 << digit_bits, np.int64)
    places = np.empty(0, np.int64)
    half, lower, digits = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(counts.size - 1)
    by_row, by_column = np.uint64(first_bits), np.uint64(rest)
    first = 0
    while first < n_rows:
        last, begin = first + 1, np.uint64(ends[first])
        while last < n_rows and ends[last + 1] - ends[first] <= size:
            last += 1
        if places.size < (last - first) << first_bits:
            places = np.empty((last - first) << first_bits, np.int64)
        places[:] = 0
        n_values = np.uint64(ends[last]) - begin
        for i in range(first, last):
            row = np.uint64(i - first)
            for k in range(np.uint64(ends[i]), np.uint64(ends[i + 1])):
                column = np.uint64(indices[k])
                words[k - begin] = (column << half) | (k - begin)
                rows[k - begin] = row
                places[(row << by_row) | (column >> by_column)] += 1
        before = ends[first]
        for place in range(places.size):
            count = places[place]
            places[place] = before
            before += count
        for number in range(n_digits):
            below = half + np.uint64(number * digit_bits)
            counts[:] = 0
            for k in range(n_values):
                counts[(words[k] >> below) & digits] += 1
            before = 0
            for digit in range(counts.size):
                count = counts[digit]
                counts[digit] = before
                before += count
            for k in range(n_values):
                digit = (words[k] >> below) & digits
                sorted_words[np.uint64(counts[digit])] = words[k]
                counts[digit] += 1
            words, sorted_words = sorted_words, words
        for k in range(n_values):
            column, here = words[k] >> half, words[k] & lower
            place = (np.uint64(rows[here]) << by_row) | (column >> by_column)
            to = np.uint64(places[place])
            places[place] += 1
            to_indices[to] = column
            to_data[to] = data[begin + here]
        first = last
    repeats = 0
    for i in range(n_rows):
        for k in range(np.uint64(ends[i] + 1), np.uint64(ends[i + 1])):
            repeats += to_indices[k] == to_indices[k - np.uint64(1)]
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
