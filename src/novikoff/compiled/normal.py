"""The normal matrix of sparse rows, with the columns eliminated that never meet in a row.

Of the indicators of a factor's levels exactly one is set in a row, so that the part of the normal
matrix that belongs to them is diagonal, and they are eliminated without filling anything in but the
columns that they meet.
"""

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.rows import CSR


@njit()
def exclusive(columns: CSR, candidates: np.ndarray, taken: np.ndarray) -> None:
    """Write into ``taken`` which column is a row's own, where it was -1 and a candidate fits.

    ``columns`` are those of the rows, as rows of the transposed matrix. A candidate becomes the own
    column of its rows unless one of these has one already.
    """
    _, rows, ends = columns
    for j in candidates:
        free = True
        for k in range(ends[j], ends[j + 1]):
            free = free and taken[rows[k]] < 0
        if free:
            for k in range(ends[j], ends[j + 1]):
                taken[rows[k]] = j


@njit(inner=True)
def _add_met(
    place: int, value: float, sums: np.ndarray, flags: np.ndarray, met: np.ndarray, n_met: int
) -> int:
    """Add to the sum at a place that an own column meets; return how many it has met."""
    if not flags[place]:
        flags[place] = True
        met[n_met] = place
        n_met += 1
    sums[place] += value
    return n_met


@njit()
def schur(
    rows: CSR,
    order: np.ndarray,
    own: np.ndarray,
    places: np.ndarray,
    stiffness: np.ndarray,
    affine: bool,
    own_curves: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write the normal matrix ``I + sum D_i x_i x_i^T`` without the rows' own columns.

    ``order`` lists the rows so that those with the same own column follow one another; ``own`` has
    that column of every row, or -1; ``places`` has where each column is in ``out``, whose lower
    half is written. With an intercept, its last place has the sums of ``D_i x_i``. ``own_curves``
    gets the diagonal of the own columns.
    """
    data, indices, indptr = rows
    width = out.shape[0]
    last = width - 1
    out[:, :] = 0.0
    for p in range(width - int(affine)):
        out[p, p] = 1.0
    sums, values = np.zeros(width), np.empty(width)
    met, at = np.empty(width, dtype=np.int64), np.empty(width, dtype=np.uint64)
    flags = np.zeros(width, dtype=np.bool_)
    n_met, curve = 0, 1.0
    for t in range(order.shape[0]):
        i = order[t]
        mine, weight, value_of_own, count = own[i], stiffness[i], 0.0, 0
        for k in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            if indices[k] == mine:
                value_of_own = data[k]
            else:
                at[count], values[count] = places[indices[k]], data[k]
                count += 1
        curve += weight * value_of_own * value_of_own
        for a in range(count):
            scaled, line = weight * values[a], out[at[a]]
            for b in range(a + 1):
                # Places rise with the column, so that this is the lower half.
                line[at[b]] += scaled * values[b]
            if affine:
                out[last, at[a]] += scaled
            if mine >= 0:
                n_met = _add_met(at[a], scaled * value_of_own, sums, flags, met, n_met)
        if affine:
            out[last, last] += weight
            if mine >= 0:
                n_met = _add_met(last, weight * value_of_own, sums, flags, met, n_met)
        if mine >= 0 and (t + 1 == order.shape[0] or own[order[t + 1]] != mine):
            own_curves[mine] = curve
            if 2 * n_met > width:
                # Steps over consecutive places take several at once.
                for p in range(width):
                    line, share = out[p], sums[p] / curve
                    for q in range(p + 1):
                        line[q] -= share * sums[q]
            else:
                met[:n_met].sort()
                for a in range(n_met):
                    values[a] = sums[met[a]]
                for a in range(n_met):
                    line, share = out[met[a]], values[a] / curve
                    for b in range(a + 1):
                        line[np.uint64(met[b])] -= share * values[b]
            for a in range(n_met):
                sums[met[a]] = 0.0
                flags[met[a]] = False
            n_met, curve = 0, 1.0
        elif mine < 0:
            curve = 1.0
