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

    ``slots`` has for every example of the sample the row of ``values`` that is its column, or -1,
    and ``owners`` the example of each row. Columns have ``length`` entries, of the examples that
    they are columns over, and may have room for more. Where there is no room left for another
    column, all give way.
    """

    def __init__(self, room: int, length: int, n: int, dtype: Any, width: int = 0) -> None:
        # What is not used is not taken from the system.
        self.values = np.empty((room, max(length, width)), dtype=dtype)
        self.slots = np.full(n, -1, dtype=np.int64)
        self.owners = np.empty(room, dtype=np.int64)
        self.length = length
        self.used = 0
        self._lock = Lock()

    def add(self, ids: Ids, block: Callable[[Ids], NDArray[Any]]) -> None:
        """Compute columns and keep them."""
        with self._lock:
            # Threads that fit other classes share the columns.
            ids = ids[self.slots[ids] < 0]
            if self.used + len(ids) > len(self.values):
                self.start_over(self.length)
                ids = ids[-len(self.values) :]
            slots = slice(self.used, self.used + len(ids))
            self.values[slots, : self.length] = block(ids)
            self.owners[slots] = ids
            self.slots[ids] = np.arange(slots.start, slots.stop)
            self.used += len(ids)

    def has_room(self, count: int) -> bool:
        """Whether so many more columns fit."""
        return self.used + count <= len(self.values)

    def start_over(self, length: int) -> None:
        """Forget all columns; new ones have so many entries."""
        self.slots[:] = -1
        self.used, self.length = 0, length

    def lengthen(self, ids: Ids, block: Callable[[Ids, Ids], NDArray[Any]]) -> None:
        """Let columns be over some more examples, too."""
        end = self.length + len(ids)
        if self.used and len(ids):
            self.values[: self.used, self.length : end] = block(self.owners[: self.used], ids)
        self.length = end


@dataclass
class Scores:
    """Scores of some examples, and the signed weights that they are the scores of.

    ``columns`` are at hand for them; of a part of a full pass, while it is visited. ``places`` has,
    for every example of the sample, where it is among these, or -1; ``None`` where nobody asks.
    """

    ids: Ids
    values: Vector
    scored: Vector
    rescaled: float
    columns: Columns | None = None
    places: Ids | None = None


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
