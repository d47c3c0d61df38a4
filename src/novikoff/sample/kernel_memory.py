"""What a run on a kernel sample remembers: weights, and the columns and scores that they make."""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.sample.kernel import Ids

Vector = NDArray[np.float64]


class Columns:
    """Kernel columns of some examples, relative to the centre, in the sequence they were computed.

    ``slots`` has for every example of the sample the row of ``values`` that is its column, or -1.
    Where there is no room left, all give way.
    """

    def __init__(self, room: int, length: int, n: int, dtype: Any) -> None:
        self.values = np.empty((room, length), dtype=dtype)
        self.slots = np.full(n, -1, dtype=np.int64)
        self.used = 0
        self._lock = Lock()

    def add(self, ids: Ids, block: Callable[[Ids], NDArray[Any]]) -> None:
        """Compute columns and keep them."""
        with self._lock:
            # Threads that fit other classes share the columns.
            ids = ids[self.slots[ids] < 0]
            if self.used + len(ids) > len(self.values):
                self.slots[:] = -1
                self.used = 0
                ids = ids[-len(self.values) :]
            slots = np.arange(self.used, self.used + len(ids))
            self.values[self.used : self.used + len(ids)] = block(ids)
            self.slots[ids] = slots
            self.used += len(ids)


@dataclass
class Scores:
    """Scores of some examples, and the signed weights that they are the scores of.

    ``columns`` is ``None`` for a part of a full pass, whose columns are used once.
    """

    ids: Ids
    values: Vector
    scored: Vector
    rescaled: float
    columns: Columns | None = None


class KernelMemory(NamedTuple):
    """What a run on a kernel sample remembers: that of :class:`~novikoff.sample.Memory`.

    ``w`` holds one number, its length without lifts. ``known`` are the scores of parts of the
    sample, each at the weights it was last looked at with.
    """

    weights: Vector
    stamps: Vector
    w: Vector
    state: Vector
    known: dict[Any, Scores]


class KernelStorage(NamedTuple):
    """What the loop asks of a storage."""

    shape: tuple[int, int]
    width: int
    chunk: int
