"""Passes over the examples, counted, and the limits on them."""

import time
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.compiled import blocks
from novikoff.compiled.rows import Rows
from novikoff.run.record import Limits
from novikoff.sample import Sample

Ids = NDArray[np.int64]
Vector = NDArray[np.float64]


class Stopped(Exception):
    """A limit was met."""

    def __init__(self, status: Status) -> None:
        self.status = status


class Passes:
    """Counts passes over the examples, in shares of one, and heeds the limits in between."""

    def __init__(self, sample: Sample, limits: Limits) -> None:
        self.sample = sample
        self.limits = limits
        self.count = 0.0
        self.reserved = 0.0
        self.unlimited = False

    def over(self, ids: Ids) -> Iterator[tuple[Rows, Ids, slice]]:
        """Yield the :meth:`~novikoff.sample.Sample.parts` of a pass."""
        share = len(ids) / len(self.sample.order)
        if self.count + share + self.reserved > self.limits.max_iter and not self.unlimited:
            raise Stopped(Status.MAX_ITER)
        for part in self.sample.parts(ids):
            self.check()
            yield part
        self.count += share

    def products(self, ids: Ids, w: Vector, along: float) -> Vector:
        """Return ``x . w - along``."""
        products = np.empty(len(ids))
        for rows, here, those in self.over(ids):
            blocks.products(rows, here, w, along, products[those])
        return products

    def class_sums(self, ids: Ids, *weights: Vector) -> Vector:
        """Return the sums of the positive and of the negative examples, for each weighting."""
        sums = np.zeros((2, len(weights), self.sample.storage.shape[1]))
        positive = self.sample.signs[ids] > 0
        for side, out in zip((positive, ~positive), sums, strict=True):
            mine = np.array([each[side] for each in weights])
            for rows, here, those in self.over(ids[side]):
                blocks.combinations(rows, here, np.ascontiguousarray(mine[:, those]), out)
        return sums.swapaxes(0, 1)

    def check(self) -> None:
        """Raise :class:`Stopped` where a limit is met."""
        if self.unlimited:
            return
        if self.limits.cancelled():
            raise Stopped(Status.INTERRUPTED)
        if self.limits.deadline is not None and time.perf_counter() >= self.limits.deadline:
            raise Stopped(Status.TIME_LIMIT)
