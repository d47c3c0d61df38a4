"""Centred and scaled rows of dense data, for products with many vectors at once."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.maxmargin.batch.settings import BatchSettings
from novikoff.run.clock import Clock, Stopped
from novikoff.sample import Sample

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]


class ScaledRows:
    """The examples with centred columns, divided by their standard deviations.

    Without an intercept they are not centred, and divided by their root mean square.
    """

    def __init__(self, sample: Sample, clock: Clock, settings: BatchSettings) -> None:
        self.sample = sample
        self.clock = clock
        self.settings = settings
        self.dtype = np.float32 if settings.single else np.float64
        self.n, self.width = len(sample.order), sample.storage.width
        self.size = max(1, settings.block_values // max(1, self.width))
        self.mean, self.deviations = np.zeros(self.width), np.ones(self.width)
        self.all: NDArray[Any] | None = None
        everything = np.arange(self.n)
        if sample.affine:
            self.mean = sum(block.sum(axis=0) for block in self._raw(everything)) / self.n
        squares = sum(((block - self.mean) ** 2).sum(axis=0) for block in self._raw(everything))
        deviations = np.sqrt(squares / self.n)
        self.deviations = np.where(deviations > 0.0, deviations, 1.0)
        if self.n * self.width <= settings.copied_values:
            copy = np.empty((self.n, self.width), dtype=self.dtype)
            for part, block in self.blocks(everything):
                copy[part] = block
            self.all = copy

    def _raw(self, places: Ids) -> Iterator[Vector]:
        matrix, ids = self.sample.storage.matrix, self.sample.order[places]
        for begin in range(0, len(ids), self.size):
            self._check()
            yield np.asarray(matrix[_as_slice(ids[begin : begin + self.size])], dtype=np.float64)

    def _check(self) -> None:
        status = self.clock.interrupted()
        if status is not None:
            raise Stopped(status)

    def blocks(self, places: Ids) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield the rows at some places of the order, block by block."""
        begin = 0
        if self.all is not None:
            for begin in range(0, len(places), self.size):
                self._check()
                part = slice(begin, begin + self.size)
                yield part, self.all[_as_slice(places[part])]
            return
        for block in self._raw(places):
            part = slice(begin, begin + len(block))
            begin += len(block)
            yield part, ((block - self.mean) / self.deviations).astype(self.dtype)

    def copied(self, places: Ids) -> "Chosen":
        """Return some of the rows, side by side if they are in memory."""
        if self.all is None:
            return Chosen(self, places, None)
        copy = self.all if len(places) == self.n else self.all[places]
        return Chosen(self, places, copy)

    def products(self, places: Ids, vectors: Vector) -> Vector:
        """Return the products of rows with every vector."""
        products, vectors = np.empty((vectors.shape[1], len(places))), vectors.astype(self.dtype)
        for part, block in self.blocks(places):
            products[:, part] = (block @ vectors).T
        return products

    def sums(self, places: Ids, weights: Vector) -> Vector:
        """Return the sum of rows for every row of weights."""
        total, weights = np.zeros((self.width, len(weights))), weights.astype(self.dtype)
        for part, block in self.blocks(places):
            total += (weights[:, part] @ block).T
        return total

    def grams(self, places: Ids, weights: Vector, kinds: Ids, n_kinds: int, most: int) -> Vector:
        """Return ``sum_i weights_i z_i z_i^T``, ``z = (x, 1)``, over at most so many, by kind."""
        chosen = np.arange(len(places))
        if len(places) > most:
            chosen = np.linspace(0, len(places) - 1, most).astype(np.int64)
        scale = weights.sum() / max(float(weights[chosen].sum()), 1e-300)
        roots = np.sqrt(scale * weights[chosen])
        grams = np.zeros((n_kinds, self.width + 1, self.width + 1))
        for kind, gram in enumerate(grams):
            mine = np.flatnonzero(kinds[places[chosen]] == kind)
            for part, block in self.blocks(places[chosen[mine]]):
                z = np.empty((len(block), self.width + 1), dtype=self.dtype)
                z[:, :-1], z[:, -1] = block, 1.0
                z *= roots[mine[part]].astype(self.dtype)[:, None]
                gram += z.T @ z
        return grams


@dataclass(frozen=True)
class Chosen:
    """Some of the rows: those that Newton's equation reads."""

    rows: ScaledRows
    places: Ids
    copy: NDArray[Any] | None

    def curved(self, curvature: Vector, vectors: Vector, shifts: Vector) -> tuple[Vector, Vector]:
        """Return ``sum_i D_i (x_i . v + b) (x_i, 1)`` for every problem, in one pass."""
        rows = self.rows
        single, total = vectors.astype(rows.dtype), np.zeros(len(shifts))
        image = np.zeros(vectors.shape)
        for part, block in self._blocks():
            speeds = (block @ single + shifts) * curvature[:, part].T
            total += speeds.sum(axis=0)
            image += (speeds.T.astype(rows.dtype) @ block).T
        return image, total

    def _blocks(self) -> Iterator[tuple[slice, NDArray[Any]]]:
        if self.copy is None:
            yield from self.rows.blocks(self.places)
            return
        for begin in range(0, len(self.copy), self.rows.size):
            part = slice(begin, begin + self.rows.size)
            yield part, self.copy[part]


def _as_slice(ids: Ids) -> Any:
    """Return consecutive rows as a slice, which is read without a copy."""
    if len(ids) and (np.diff(ids) == 1).all():
        return slice(int(ids[0]), int(ids[-1]) + 1)
    return ids
