"""Passes over the examples: products and sums, counted and stopped by the clock."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.compiled import blocks
from novikoff.compiled.rows import Rows
from novikoff.run.clock import Clock, Stopped
from novikoff.sample import Sample

Ids = NDArray[np.int64]
Vector = NDArray[np.float64]


class Passes:
    """Reads the examples block by block, and asks the clock between blocks.

    A pass over some of the examples counts as the share of them. ``reserved`` is the number of
    passes that must be left to the clock after each.
    """

    def __init__(self, sample: Sample, clock: Clock) -> None:
        self.sample = sample
        self.clock = clock
        self.reserved = 0.0
        self._limited = True

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self.sample.storage.width

    @contextmanager
    def without_limits(self) -> Iterator[None]:
        """Let the passes within the block count, whatever the clock says.

        For the few passes without which there would be no hyperplane to return.
        """
        before, self._limited = self._limited, False
        try:
            yield
        finally:
            self._limited = before

    def check(self) -> None:
        """Raise :class:`Stopped` after Ctrl-C, cancellation or at the deadline."""
        status = self.clock.interrupted() if self._limited else None
        if status is not None:
            raise Stopped(status)

    def over(self, ids: Ids) -> Iterator[tuple[Rows, Ids, slice]]:
        """Yield the :meth:`~novikoff.sample.Sample.parts` of a pass."""
        share = len(ids) / len(self.sample.order)
        if self._limited and not self.clock.fits(share + self.reserved):
            raise Stopped(Status.MAX_ITER)
        for part in self.sample.parts(ids):
            self.check()
            yield part
        self.clock.passes += share

    def products(self, ids: Ids, w: Vector, along: float) -> Vector:
        """Return ``x . w - along``."""
        products = np.empty(len(ids))
        for rows, here, those in self.over(ids):
            blocks.products(rows, here, w, along, products[those])
        return products

    def class_sums(self, ids: Ids, *weights: Vector) -> Vector:
        """Return the sums of the positive and of the negative examples, for each weighting."""
        sums = np.zeros((2, len(weights), self.n_features))
        positive = self.sample.signs[ids] > 0
        for side, out in zip((positive, ~positive), sums, strict=True):
            mine = np.array([each[side] for each in weights])
            for rows, here, those in self.over(ids[side]):
                blocks.combinations(rows, here, np.ascontiguousarray(mine[:, those]), out)
        return sums.swapaxes(0, 1)
