"""The loops of :mod:`novikoff.certificate.feature_space.distances`.

The compiler may choose the order of a sum and fuse a product into it, as in
:mod:`novikoff.certificate.exact.compiled_sums`.
"""

from typing import Any

from novikoff.certificate.kernels import njit

ANY_ORDER = {"reassoc", "contract"}


@njit(fastmath=ANY_ORDER)
def dense(rows: Any, columns: Any, squared: Any, out: Any) -> None:
    """Distances between the rows of two arrays."""
    for i in range(rows.shape[0]):
        for j in range(columns.shape[0]):
            total = 0.0
            if squared:
                for k in range(rows.shape[1]):
                    difference = rows[i, k] - columns[j, k]
                    total += difference * difference
            else:
                for k in range(rows.shape[1]):
                    total += abs(rows[i, k] - columns[j, k])
            out[i, j] = total


@njit()
def sparse(
    data: Any,
    indices: Any,
    ends: Any,
    data_2: Any,
    indices_2: Any,
    ends_2: Any,
    squared: Any,
    out: Any,
) -> None:
    """Distances between the rows of two CSR matrices with sorted, distinct columns."""
    for i in range(ends.size - 1):
        for j in range(ends_2.size - 1):
            total = 0.0
            p, q = ends[i], ends_2[j]
            while p < ends[i + 1] or q < ends_2[j + 1]:
                difference = 0.0
                mine = indices[p] if p < ends[i + 1] else indices_2[q]
                other = indices_2[q] if q < ends_2[j + 1] else mine
                if p < ends[i + 1] and mine <= other:
                    difference += data[p]
                    p += 1
                if q < ends_2[j + 1] and other <= mine:
                    difference -= data_2[q]
                    q += 1
                total += difference * difference if squared else abs(difference)
            out[i, j] = total
