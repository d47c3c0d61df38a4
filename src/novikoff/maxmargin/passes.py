"""Passes over the examples: products and sums, counted and stopped by the clock."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.certificate.threads import in_order
from novikoff.compiled import blocks
from novikoff.compiled.conjugate import gather_rows
from novikoff.compiled.rows import CSR, Rows
from novikoff.run.clock import Clock, Stopped
from novikoff.sample import Sample

Ids = NDArray[np.int64]
Vector = NDArray[np.float64]
Result = TypeVar("Result")
Part = tuple[Rows, Ids, slice]


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

    def over(self, ids: Ids) -> Iterator[Part]:
        """Yield the :meth:`~novikoff.sample.Sample.parts` of a pass, for work in sequence."""
        return self._counted(self.sample.parts(ids), ids)

    def each(self, work: Callable[[Part], Result], ids: Ids) -> Iterator[Result]:
        """Yield what ``work`` returns for each part of a pass, in threads if there are some."""
        return self._counted(in_order(work, self.sample.parts(ids)), ids)

    def _counted(self, steps: Iterator[Result], ids: Ids) -> Iterator[Result]:
        self._fit(ids)
        for step in steps:
            self.check()
            yield step
        self.count(1, ids)

    def _fit(self, ids: Ids) -> None:
        share = len(ids) / len(self.sample.order)
        if self._limited and not self.clock.fits(share + self.reserved):
            raise Stopped(Status.MAX_ITER)

    def begin(self, ids: Ids) -> None:
        """Raise :class:`Stopped` where a pass over a copy of ``ids`` may not be made.

        :meth:`count` counts it.
        """
        self._fit(ids)
        self.check()

    def allowed(self, wanted: int, ids: Ids) -> int:
        """Return how many passes over ``ids`` compiled code may make by itself, of those wanted.

        :meth:`count` counts them. Raises :class:`Stopped` where there is not one.
        """
        self.check()
        if not self._limited:
            return wanted
        share = len(ids) / len(self.sample.order)
        left = self.clock.limits.max_iter - self.clock.passes - self.reserved
        if left < share:
            raise Stopped(Status.MAX_ITER)
        return min(wanted, int(left / share))

    def count(self, passes: int, ids: Ids) -> None:
        """Count passes over ``ids`` that were made elsewhere."""
        self.clock.passes += passes * len(ids) / len(self.sample.order)

    def products(self, ids: Ids, w: Vector, along: float) -> Vector:
        """Return ``x . w - along``."""
        products = np.empty(len(ids))
        if len(ids) <= self.sample.storage.chunk:
            # Few examples, for which the rest would take longer than the products.
            self._fit(ids)
            for part in self.sample.parts(ids):
                blocks.products(*part[:2], w, along, products)
            self.check()
            self.count(1, ids)
            return products

        def fill(part: Part) -> None:
            rows, here, those = part
            blocks.products(rows, here, w, along, products[those])

        for _ in self.each(fill, ids):
            pass
        return products

    def class_sums(self, ids: Ids, *weights: Vector) -> Vector:
        """Return the sums of the positive and of the negative examples, for each weighting."""
        sums = np.zeros((2, len(weights), self.n_features))
        positive = self.sample.signs[ids] > 0
        for side, out in zip((positive, ~positive), sums, strict=True):
            mine = np.flatnonzero(side)

            def add(part: Part, mine: Ids = mine, out: Vector = out) -> Vector:
                rows, here, those = part
                total = np.zeros_like(out) if those.start else out
                chosen = np.array([each[mine[those]] for each in weights])
                blocks.combinations(rows, here, chosen, total)
                return total

            for total in self.each(add, ids[mine]):
                if total is not out:
                    out += total
        return sums.swapaxes(0, 1)

    def gathered(self, ids: Ids, weights: Vector) -> tuple[CSR, Vector]:
        """Return a copy of sparse examples, and their weighted sum and that of their squares."""
        counts = [
            rows.indptr[here + 1] - rows.indptr[here] for rows, here, _ in self.sample.parts(ids)
        ]
        ends = np.cumsum(np.concatenate([[0], *counts])).astype(np.int64)
        data, indices = np.empty(ends[-1]), np.empty(ends[-1], dtype=np.int32)
        moments = np.zeros((2, self.n_features))
        for rows, here, those in self.over(ids):
            gather_rows(rows, here, weights[those], ends[those], data, indices, moments)
        return CSR(data, indices, ends), moments
