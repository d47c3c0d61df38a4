"""Cores of signed rows: columns are removed one by one, with the rows that are not zero in them.

The next column is one with the fewest rows of the rarer sign among those that are left, as in the
k-cores of a graph: S. B. Seidman, "Network structure and minimum degree", Social Networks 5, 1983.
It takes time in proportion to the number of values (V. Batagelj & M. Zaversnik, "An O(m) algorithm
for cores decomposition of networks", 2003): columns with equal counts are in a doubly linked list.
"""

import numpy as np

from novikoff.certificate.kernels import njit

NONE = -1


@njit()
def peel(
    indices: np.ndarray,
    indptr: np.ndarray,
    sides: np.ndarray,
    owners: np.ndarray,
    starts: np.ndarray,
    order: np.ndarray,
    left: np.ndarray,
    ends: np.ndarray,
) -> None:
    """Write the order in which columns go, the rows left after each, and when each row goes.

    ``indices`` and ``indptr`` are those of the rows, ``owners`` and ``starts`` those of the
    columns; ``sides`` is 1 where a signed value is positive, else 0. A row that never goes, because
    it has no values, ends with the last column.
    """
    n, d = indptr.shape[0] - 1, starts.shape[0] - 1
    counts = np.zeros((2, d), dtype=np.int64)
    for k in range(indices.shape[0]):
        counts[sides[k], indices[k]] += 1
    key = np.empty(d, dtype=np.int64)
    for j in range(d):
        key[j] = min(counts[0, j], counts[1, j])
    first = np.full(key.max() + 1, NONE)
    after, before = np.full(d, NONE), np.full(d, NONE)
    for j in range(d):
        _put(j, key[j], first, after, before)
    here, gone = np.full(n, True), np.full(d, False)
    rows, least = n, 0
    ends[:] = d - 1
    for step in range(d):
        while first[least] == NONE:
            least += 1
        column = first[least]
        _take(column, least, first, after, before)
        gone[column] = True
        order[step] = column
        for p in range(starts[column], starts[column + 1]):
            i = owners[p]
            if not here[i]:
                continue
            here[i] = False
            ends[i] = step
            rows -= 1
            for k in range(indptr[i], indptr[i + 1]):
                j = indices[k]
                counts[sides[k], j] -= 1
                fewer = min(counts[0, j], counts[1, j])
                if gone[j] or fewer == key[j]:
                    continue
                _take(j, key[j], first, after, before)
                key[j] = fewer
                _put(j, fewer, first, after, before)
                least = min(least, fewer)
        left[step] = rows


@njit()
def _put(column: int, key: int, first: np.ndarray, after: np.ndarray, before: np.ndarray) -> None:
    """Put a column into the list of its key."""
    before[column], after[column] = NONE, first[key]
    if first[key] != NONE:
        before[first[key]] = column
    first[key] = column


@njit()
def _take(column: int, key: int, first: np.ndarray, after: np.ndarray, before: np.ndarray) -> None:
    """Take a column out of the list of its key."""
    if before[column] == NONE:
        first[key] = after[column]
    else:
        after[before[column]] = after[column]
    if after[column] != NONE:
        before[after[column]] = before[column]
