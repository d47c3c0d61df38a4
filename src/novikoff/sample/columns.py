"""Kernel columns that were asked for lately, in a cache bounded in bytes."""

import numpy as np
from numpy.typing import NDArray

from novikoff.sample.kernel import Ids, KernelMatrix, Values


class ColumnCache:
    """Columns of a kernel matrix, of which the least recently used give way.

    Parameters
    ----------
    matrix : KernelMatrix
        Computes the columns, several in one product.
    nbytes : float
        What the columns may take; at least ``fewest`` of them are kept.
    fewest : int
        How many columns are asked for at once, at most.

    Attributes
    ----------
    values : array of shape (n_slots, n)
        Column ``i`` is ``values[slots[i]]``.
    """

    def __init__(self, matrix: KernelMatrix, nbytes: float, fewest: int) -> None:
        self.matrix = matrix
        n = matrix.n
        affordable = int(nbytes // max(1, n * matrix.dtype.itemsize))
        self.n_slots = min(n, max(affordable, fewest))
        self.values: Values = np.empty((self.n_slots, n), dtype=matrix.dtype)
        self._slot_of = np.full(n, -1, dtype=np.int64)
        self._owner = np.full(self.n_slots, -1, dtype=np.int64)
        self._used = np.zeros(self.n_slots, dtype=np.int64)
        self._time = 0
        self.computed = 0

    def slots(self, ids: Ids) -> NDArray[np.int64]:
        """Return where the columns are, computing those that are not there yet."""
        self._time += 1
        here = self._slot_of[ids]
        self._used[here[here >= 0]] = self._time
        missing = ids[here < 0]
        if len(missing):
            # Slots never used come first, in sequence, so that a block is filled in place.
            free = np.argsort(self._used, kind="stable")[: len(missing)]
            free.sort()
            former = self._owner[free]
            self._slot_of[former[former >= 0]] = -1
            self._owner[free], self._slot_of[missing] = missing, free
            self._used[free] = self._time
            first = int(free[0])
            if int(free[-1]) - first == len(free) - 1:
                self.matrix.against_all(missing, self.values[first : first + len(free)])
            else:
                self.values[free] = self.matrix.against_all(missing)
            self.computed += len(missing)
        return np.asarray(self._slot_of[ids])

    def holds(self, ids: Ids) -> NDArray[np.bool_]:
        """Whether each column is in the cache."""
        return np.asarray(self._slot_of[ids] >= 0)
