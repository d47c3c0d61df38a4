"""The columns of sparse rows with the largest sums of squares: the frequent words of texts."""

from math import sqrt

import numpy as np

from novikoff.maxmargin.passes import Ids, Vector


def heaviest_columns(squares: Vector, values: float, most: int, each: int = 1) -> Ids:
    """Return the heaviest columns, ascending, for a preconditioner that is exact in them.

    Its matrix has ``each`` rows for a column: at most the root of ``values``, so that making it
    takes no longer than so many values, and at most ``most``. Columns of zeros are left out.

    Parameters
    ----------
    squares : array of shape (n_columns,)
        The sum of squares of each column.
    values : float
        The most entries of the matrix.
    most : int
        The most rows of the matrix.
    each : int
        The rows for each column.

    Examples
    --------
    >>> heaviest_columns(np.array([1.0, 0.0, 9.0, 4.0]), 4.0, 10)
    array([2, 3])
    """
    room = int(min(sqrt(values), most) / each)
    some = min(room, int(np.count_nonzero(squares)))
    if not some:
        return np.empty(0, dtype=np.int64)
    return np.sort(np.argpartition(-squares, some - 1)[:some])
