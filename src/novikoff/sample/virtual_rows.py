"""The virtual rows that a joint run has updated on, and what it remembers of them."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.compiled.joint import JointState

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]


class VirtualRows:
    """The virtual rows that a run has updated on, in the order in which it first did.

    Examples
    --------
    >>> from novikoff.sample.virtual_rows import VirtualRows
    >>> rows = VirtualRows(n_examples=3)
    >>> len(rows), rows.owner, rows.wrong
    (0, array([], dtype=int64), array([], dtype=int32))
    """

    def __init__(self, n_examples: int) -> None:
        self.used = np.zeros(1, dtype=np.int64)
        self.first = np.full(n_examples, -1, dtype=np.int64)
        self.after = np.empty(0, dtype=np.int64)
        self.owners = np.empty(0, dtype=np.int64)
        self.wrongs = np.empty(0, dtype=np.int32)

    def __len__(self) -> int:
        return int(self.used[0])

    @property
    def owner(self) -> Indices:
        """The example of each."""
        return self.owners[: len(self)]

    @property
    def wrong(self) -> NDArray[np.int32]:
        """The wrong class of each."""
        return self.wrongs[: len(self)]

    def make_room(self, capacity: int) -> None:
        """Let there be so many."""
        for name in ("after", "owners", "wrongs"):
            setattr(self, name, with_room(getattr(self, name), capacity))


def with_room(array: NDArray[Any], capacity: int) -> NDArray[Any]:
    """Return the array, or one at least twice as long that begins with it and goes on with zeros.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.sample.virtual_rows import with_room
    >>> with_room(np.array([7.0, 5.0]), 3)
    array([7., 5., 0., 0.])
    """
    if capacity <= len(array):
        return array
    longer = np.zeros(max(capacity, 2 * len(array)), dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def minus(weights: NDArray[np.float64], before: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what was added to weights since an earlier moment, when there may have been fewer.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.sample.virtual_rows import minus
    >>> minus(np.array([3.0, 1.0, 1.0]), np.array([2.0, 1.0]))
    array([1., 0., 1.])
    """
    difference = weights.copy()
    difference[: len(before)] -= before
    return difference


@dataclass
class JointMemory:
    """The memory of a joint run: as :class:`~novikoff.compiled.sweep.Memory`, by virtual row.

    ``w`` has one row for each class, ``offsets`` and ``along`` one value.
    """

    rows: VirtualRows
    w: Floats
    offsets: Floats
    along: Floats
    state: Floats
    totals: Floats
    all_weights: Floats = field(default_factory=lambda: np.zeros(0))
    all_stamps: Floats = field(default_factory=lambda: np.zeros(0))

    @property
    def weights(self) -> Floats:
        """The weights of the virtual rows, a view."""
        return self.all_weights[: len(self.rows)]

    @property
    def stamps(self) -> Floats:
        """The sums over their steps of when each was taken times its length, a view."""
        return self.all_stamps[: len(self.rows)]

    def make_room(self, n_more: int) -> None:
        """Let there be so many more virtual rows."""
        capacity = len(self.rows) + n_more
        self.rows.make_room(capacity)
        self.all_weights = with_room(self.all_weights, capacity)
        self.all_stamps = with_room(self.all_stamps, capacity)

    def arrays(self) -> JointState:
        """Return the arrays that compiled code changes in place."""
        rows = self.rows
        return JointState(
            self.w,
            self.offsets,
            self.along,
            self.state,
            rows.used,
            rows.first,
            rows.after,
            rows.owners,
            rows.wrongs,
            self.all_weights,
            self.all_stamps,
            self.totals,
        )
