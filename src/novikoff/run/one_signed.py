"""Columns that are zero or of one sign in all signed examples: those that have them prove nothing.

If ``y_i x_ij >= 0`` for all examples, a combination of them with weights that are not negative is
zero in the column ``j`` only if it leaves out the examples in which that is not zero. Without them
other columns may be of one sign, and so on.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Ids = NDArray[np.int64]

FEW = 1024
"""Rows that show that most columns of dense data have both signs."""


def one_signed(X: Any, signs: NDArray[np.int8], rows: Ids) -> Ids:
    """Return the columns that no combination to zero of these signed examples can use.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.run.one_signed import one_signed
    >>> X = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 1.0], [0.0, 1.0, 1.0]])
    >>> one_signed(X, np.array([1, 1, -1]), np.arange(3))
    array([0])
    >>> one_signed(X[:2], np.array([1, 1]), np.arange(2))
    array([0, 1, 2])
    """
    columns, dense = np.arange(X.shape[1]), not sparse.issparse(X)
    if dense:
        few = X[rows[:FEW]].astype(np.float64) * signs[rows[:FEW], None]
        columns = columns[~((few > 0).any(axis=0) & (few < 0).any(axis=0))]
    table = rows_with(X, rows, columns)
    owners, sides = table.indices, np.sign(table.data) * signs[rows][table.indices]
    features = np.repeat(np.arange(columns.size), np.diff(table.indptr))
    found, gone = np.zeros(columns.size, dtype=np.bool_), np.zeros(rows.size, dtype=np.bool_)
    while True:
        either = [np.bincount(features[sides == side], minlength=columns.size) for side in (1, -1)]
        lonely = (either[0] > 0) != (either[1] > 0)
        if not lonely.any():
            break
        found |= lonely
        gone[owners[lonely[features]]] = True
        left = ~gone[owners]
        owners, sides, features = owners[left], sides[left], features[left]
    if dense and found.any():
        # Columns that had both signs in the first rows may have one without the rows that are gone.
        return np.union1d(columns[found], one_signed(X, signs, rows[~gone]))
    return columns[found]


def rows_with(X: Any, rows: Ids, columns: Ids) -> Any:
    """Return columns of some rows, in CSC without zeros: which of the rows have each column."""
    if sparse.issparse(X):
        part = X[rows]
        part = sparse.csc_array(part if columns.size == X.shape[1] else part[:, columns])
        part.sum_duplicates()
    else:
        # Few columns of dense data are asked for.
        part = sparse.csc_array(X[rows[:, None], columns].astype(np.float64))
    table = part.astype(np.float64)
    table.eliminate_zeros()
    table.sort_indices()
    return table
