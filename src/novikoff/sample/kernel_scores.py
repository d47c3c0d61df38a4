"""The scores of a run in feature space, and the kernel columns that they are made of.

Scores are kept for the examples that are visited, together with the weights that they were made
of, and brought up to date by the columns of the examples whose weights have changed. Columns take
at most about ``cache_bytes``: where those of all examples do not fit, a full pass goes over chunks,
and cheap passes over a working set.
"""

from abc import abstractmethod
from collections.abc import Iterator
from functools import partial
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.compiled.step import RESCALED, SMALLEST_SHRINK
from novikoff.sample.kernel import Ids, KernelMatrix, Prepared
from novikoff.sample.kernel_memory import Columns, Scores
from novikoff.sample.signed import SignedSample
from novikoff.sample.virtual_rows import minus

Vector = NDArray[np.float64]

# Examples that one full pass reads at a time where not all columns fit in the cache.
CHUNK = 2048
# Columns computed in one product: of a full pass, in which weights change so fast that more would
# be wrong guesses, and of cheap ones.
BLOCK, CHEAP_BLOCK = 64, 512
# Rows of a block that are converted to float64 at a time.
ROWS = 128
# The share of the cache for columns over the part of the sample that a full pass is at.
CHUNK_SHARE = 1 / 8


class KernelScores(SignedSample):
    """Examples in feature space whose scores are cached; the attributes are of ``KernelSample``."""

    matrix: KernelMatrix
    towards: Vector
    cache_bytes: float
    shared: Columns | None

    @property
    def n_examples(self) -> int:
        """How many examples there are."""
        return self.matrix.n

    @property
    def whole(self) -> bool:
        """Whether the columns of all examples fit in the cache."""
        return self.shared is not None

    @property
    def most_near(self) -> int:
        """How many examples cheap passes go over, at most."""
        if self.whole:
            return self.n_examples
        # With room for the columns of all of them, none gives way to another.
        cells = (1.0 - CHUNK_SHARE) * self.cache_bytes / self.matrix.dtype.itemsize
        return max(1, min(self.n_examples, int(sqrt(cells))))

    def chunks(self, ids: Ids) -> Iterator[Ids]:
        """Yield consecutive parts of ``ids``; near-violated examples come in one part."""
        size = CHUNK if len(ids) > self.most_near else max(1, len(ids))
        for begin in range(0, len(ids), size):
            yield ids[begin : begin + size]

    def _parts(self, ids: Ids, memory: Any) -> Iterator[tuple[Ids, Vector]]:
        """Yield consecutive parts of the given examples and their scores."""
        for chunk in self.chunks(ids):
            if self.whole or len(ids) == len(self.order):
                known, visits = self._known(chunk, memory, full=True)
                self._bring_up_to_date(known, memory)
                yield chunk, known.values[..., visits]
            else:
                yield chunk, self._scores(chunk, *self._signed(memory.weights))

    def _scores(self, ids: Ids, carriers: Ids, signed: Vector) -> Vector:
        """Return the scores that signed weights of some examples make, without a cache.

        Of many classes, ``signed`` has a column for each, and the scores a row.
        """
        out = np.zeros((*signed.shape[1:], len(ids)))
        for first in range(0, len(ids), CHUNK):
            some = slice(first, first + CHUNK)
            ready = self.matrix.prepare(ids[some])
            for begin in range(0, len(carriers), CHUNK):
                block = self._block(carriers[begin : begin + CHUNK], ready)
                # In float64, because sums of many values of either sign cancel; few rows at a time,
                # whose copy stays in the processor's cache.
                for row in range(0, len(block), ROWS):
                    part = signed[begin + row : begin + min(row + ROWS, CHUNK)]
                    out[..., some] += part.T @ block[row : row + ROWS]
        return out

    def _block(self, rows: Ids, columns: Any) -> NDArray[Any]:
        """Return products of examples relative to the centre."""
        values = self.matrix.block(rows, columns)
        if self.affine:
            columns = columns.ids if isinstance(columns, Prepared) else columns
            values -= self.towards[columns].astype(values.dtype)
            values -= self.towards[rows].astype(values.dtype)[:, None]
            # The centre is at zero whatever rounding says, so that equal counts are equal scores.
            first = self.order[0]
            values[rows == first] = 0.0
            values[:, columns == first] = 0.0
        return values

    def _known(self, ids: Ids, memory: Any, *, full: bool) -> tuple[Scores, Ids]:
        """Return the scores that hold those of some examples, and where these are there."""
        if self.shared is not None:
            if "all" not in memory.known:
                everyone = np.arange(self.n_examples)
                memory.known["all"] = self._fresh(everyone, memory, self.shared)
            return memory.known["all"], ids
        if not full:
            working = self._working(ids, memory)
            assert working.places is not None
            return working, working.places[ids]
        found = memory.known.get(int(ids[0]))
        if found is None or not np.array_equal(found.ids, ids):
            found = memory.known[int(ids[0])] = self._fresh(ids, memory, None)
        if found.columns is None:
            found.columns = self._columns_over(ids, memory)
        return found, np.arange(len(ids))

    def _columns_over(self, chunk: Ids, memory: Any) -> Columns:
        """Return room for columns over a chunk: that of the chunk visited before, if there is."""
        for key, part in memory.known.items():
            if key != "near" and part.columns is not None:
                columns: Columns = part.columns
                part.columns = None
                if len(chunk) <= columns.values.shape[1]:
                    columns.start_over(len(chunk))
                    return columns
        size = CHUNK_SHARE * self.cache_bytes / (len(chunk) * self.matrix.dtype.itemsize)
        return self._columns(min(self.n_examples, max(len(chunk), int(size))), len(chunk))

    def _working(self, ids: Ids, memory: Any) -> Scores:
        """Return the scores of a working set that some examples belong to, with columns over it."""
        working: Scores | None = memory.known.get("near")
        if working is not None:
            assert working.places is not None and working.columns is not None
            new = ids[working.places[ids] < 0]
            if not len(new):
                return working
            columns = working.columns
            if columns.length + len(new) <= columns.values.shape[1]:
                self._bring_up_to_date(working, memory)
                working.places[new] = columns.length + np.arange(len(new))
                columns.lengthen(new, self._block)
                more = self._fresh(new, memory, None)
                self._bring_up_to_date(more, memory)
                working.ids = np.concatenate([working.ids, new])
                working.values = np.concatenate([working.values, more.values], axis=-1)
                return working
            # The columns of others make room first.
            del memory.known["near"], working, columns
        size = self.most_near
        affordable = self.cache_bytes / (len(ids) * self.matrix.dtype.itemsize)
        room = size if len(ids) <= size else min(len(ids), max(CHEAP_BLOCK, int(affordable)))
        found = self._fresh(ids, memory, self._columns(room, len(ids), size))
        found.places = np.full(self.n_examples, -1, dtype=np.int64)
        found.places[ids] = np.arange(len(ids))
        memory.known["near"] = found
        return found

    def _columns(self, room: int, length: int, width: int = 0) -> Columns:
        return Columns(room, length, self.n_examples, self.matrix.dtype, width)

    def _fresh(self, ids: Ids, memory: Any, columns: Columns | None) -> Scores:
        rescaled = float(memory.state[RESCALED])
        return Scores(ids, self._zeros(len(ids)), np.zeros(0), rescaled, columns)

    def _bring_up_to_date(self, known: Scores, memory: Any) -> None:
        """Let scores be those of the weights that the run has now."""
        ahead = float(memory.state[RESCALED]) - known.rescaled
        if ahead:
            known.values *= SMALLEST_SHRINK**ahead
            known.scored *= SMALLEST_SHRINK**ahead
            known.rescaled += ahead
        weights = memory.weights
        changed, moves = self._signed(minus(weights, known.scored))
        if len(changed) > np.count_nonzero(self.by_example(weights)):
            # Fewer columns make the scores anew.
            known.values[:] = 0.0
            changed, moves = self._signed(weights)
        columns = known.columns
        if columns is not None:
            missing = changed[columns.slots[changed] < 0]
            kept = self.shared is None and self.eager and columns.has_room(len(missing))
            if kept and len(missing):
                # Whoever has weight is visited often.
                ready = self.matrix.prepare(known.ids)
                for begin in range(0, len(missing), CHUNK):
                    some = missing[begin : begin + CHUNK]
                    columns.add(some, partial(self._block, columns=ready))
            slots = columns.slots[changed]
            here = slots >= 0
            dense = np.zeros((columns.used, *moves.shape[1:]))
            dense[slots[here]] = moves[here]
            values = columns.values[:, : columns.length]
            for row in range(0, columns.used, ROWS):
                some_moves = dense[row : row + ROWS]
                if some_moves.any():
                    known.values += some_moves.T @ values[row : row + len(some_moves)]
            changed, moves = changed[~here], moves[~here]
        if len(changed):
            known.values += self._scores(known.ids, changed, moves)
        known.scored = weights.copy()

    @abstractmethod
    def _zeros(self, count: int) -> Vector:
        """Return the scores of so many examples at ``w = 0``."""

    @abstractmethod
    def _signed(self, weights: Vector) -> tuple[Ids, Vector]:
        """Return the examples whose weights are not zero, and their signed weights."""


def fits_whole(matrix: KernelMatrix, cache_bytes: float) -> bool:
    """Whether all columns fit in the cache."""
    return bool(matrix.n**2 * matrix.dtype.itemsize <= cache_bytes)
