"""The Hessian of the soft margin's primal, but for the identity, and how it changes.

It is ``sum D_i x_i x_i^T`` over active examples, relative to the centre; where there is an
intercept, it has the last coordinate, which is the radius of the sample in every example.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate.threads import in_order
from novikoff.compiled import blocks
from novikoff.compiled.rows import Rows
from novikoff.maxmargin.passes import Ids, Part, Passes, Vector
from novikoff.run.blas import NARROW

BAND = 128
"""Columns of a wide Hessian that a thread adds to at a time. Of 785 columns and 1,024 rows at once,
bands of this width take 9 % longer than one product and of twice the width 12 %; of 3,000 columns,
7 and 4 %."""

SAME = 1e-9
"""A change of ``D`` by no more than this share of it is rounding."""


FEW_COLUMNS = 32
"""With so few, to see what has changed takes as long as to sum anew. 100,000 x 2 takes 26 ms
without this, and 24 with it."""


class Accumulated:
    """``sum D_i x_i x_i^T`` of the last factor, from which that of the next is made.

    Most examples that are active at a step were active before, and a change of softness multiplies
    all ``D`` by one number. So only the rows of those that changed are read, and added or
    subtracted: of the 31,000 active of 60,000 x 784 pixels, few hundred. Rounding errors grow with
    each change; when as many rows were read since as there are in the sum, it is built anew.

    ``block`` rows are built in at once, between two looks at the clock.
    """

    def __init__(self, passes: Passes, block: int) -> None:
        self.passes = passes
        self.block = block
        self.few = passes.n_features <= FEW_COLUMNS
        self.masses = np.zeros(passes.sample.n_examples)
        self.sums: NDArray[Any] | None = None
        self.reread = 0

    def forget(self) -> None:
        """Build the sum anew when it is next needed."""
        self.sums = None

    def n_read(self, ids: Ids, stiffness: Vector) -> int:
        """Return how many rows are to be read."""
        if self.few:
            return len(ids)
        _, _, changed = self._changes(ids, stiffness)
        return len(ids) if changed is None else len(changed)

    def matrix(self, ids: Ids, stiffness: Vector, dtype: Any) -> NDArray[Any]:
        """Return a copy of the lower half of the sum over the given examples."""
        if self.few:
            return self._of(ids, stiffness, dtype)
        if self.sums is not None and self.sums.dtype != dtype:
            self.forget()
        unit, change, changed = self._changes(ids, stiffness)
        if self.sums is None or changed is None:
            sums, self.reread = self._of(ids, stiffness, dtype), 0
            change, unit = -self.masses, 1.0
            change[ids] += stiffness
        else:
            # What is stopped halfway is not gone on from.
            sums, self.sums = self.sums, None
            for sign in (1.0, -1.0):
                some = changed[sign * change[changed] > 0.0]
                if len(some):
                    sums += dtype(sign) * self._of(some, sign * change[some], dtype)
            self.reread += len(changed)
        self.masses += change
        self.sums = sums
        return np.asarray(dtype(unit) * sums)

    def _of(self, ids: Ids, stiffness: Vector, dtype: Any) -> NDArray[Any]:
        return outer_products(self.passes, ids, stiffness, dtype, self.block)

    def _changes(self, ids: Ids, stiffness: Vector) -> tuple[float, Vector, Ids | None]:
        """Return a unit, the changes of all ``D`` in this unit, and the examples that have some.

        ``None`` where it takes no longer to build the sum anew.
        """
        kept = self.masses[ids] > 0.0
        if self.sums is None or not kept.any():
            return 1.0, self.masses, None
        unit = float(np.median(stiffness[kept] / self.masses[ids][kept]))
        change = -self.masses
        change[ids] += stiffness / unit
        changed = np.flatnonzero(np.abs(change) > SAME * self.masses)
        return unit, change, None if len(changed) + self.reread >= len(ids) else changed


def outer_products(
    passes: Passes, ids: Ids, stiffness: Vector, dtype: Any, at_once: int
) -> NDArray[Any]:
    """Return the lower half of ``sum D_i x_i x_i^T`` over the given examples."""
    sample, d = passes.sample, passes.n_features
    width = d + int(sample.affine)
    upper = np.zeros((width, width), dtype=dtype)
    roots = np.sqrt(stiffness)

    # The diagonal shows what overflows in single precision.
    quietly = np.errstate(over="ignore", invalid="ignore")

    @quietly
    def fill(rows: Rows, here: Ids, mine: Vector, out: NDArray[Any]) -> None:
        blocks.scaled(rows, here, sample.centre, mine, out)
        # In units of the radius the intercept's coordinate is as large as the others.
        out[:, d:] = mine[:, None] * (sample.radius or 1.0)

    @quietly
    def add(part: Part) -> NDArray[Any]:
        rows, here, those = part
        block = np.empty((min(at_once, len(here)), width), dtype=dtype)
        total = np.zeros((width, width), dtype=dtype)
        for begin in range(0, len(here), at_once):
            mine = roots[those][begin : begin + at_once]
            piece = block[: len(mine)]
            fill(rows, here[begin : begin + at_once], mine, piece)
            total += piece.T @ piece
        return total

    @quietly
    def add_band(piece: NDArray[Any], first: int) -> None:
        # By numpy, whose products release the interpreter's lock; scipy's do not.
        band, after = slice(first, first + BAND), slice(first + BAND, None)
        columns = piece[:, band]
        upper[band, band] += columns.T @ columns
        upper[band, after] += columns.T @ piece[:, after]

    if width <= NARROW:
        for total in passes.each(add, ids):
            with np.errstate(over="ignore", invalid="ignore"):
                upper += total
    else:
        block = np.empty((min(at_once, len(ids)), width), dtype=dtype)
        for begin in range(0, len(ids), at_once):
            some = slice(begin, begin + at_once)
            piece = block[: len(ids[some])]

            def scale(part: Part, mine: Vector = roots[some], piece: NDArray[Any] = piece) -> None:
                rows, here, those = part
                fill(rows, here, mine[those], piece[those])

            for _ in passes.each(scale, ids[some]):
                pass
            for _ in in_order(partial(add_band, piece), range(0, width, BAND)):
                passes.check()
    return upper.T
