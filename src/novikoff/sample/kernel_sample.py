"""The sample of a kernel: signed examples in feature space, known by their products alone.

It has the protocol of :class:`~novikoff.sample.Sample`, so that the same loop runs on it. An
example is read relative to a centre and lifted, both in feature space:
``z_i = y_i (phi(x_i) - phi(centre), c)`` with ``c = max_i |phi(x_i) - phi(centre)|``.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from math import sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from novikoff.compiled import kernel_sweep as compiled
from novikoff.compiled.kernel_sweep import Part
from novikoff.compiled.smo import subtract
from novikoff.compiled.step import (
    NORM2,
    OFFSET,
    RESCALED,
    SMALLEST_SHRINK,
    STATE_SIZE,
    UPDATES,
    WEIGHT,
    Frame,
    Specification,
    start,
)
from novikoff.compiled.sweep import TIE
from novikoff.sample.kernel import Ids, KernelMatrix, Prepared, check_square
from novikoff.sample.kernel_memory import Columns, KernelMemory, KernelStorage, Scores
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
# Visits of cheap passes between two looks at the clock: one costs nanoseconds, an update on it
# microseconds. With 2,048 of them, of 20,000 digits, a quarter of the time went to the looks.
VISITS = 1 << 18
# As TIE, for kernel values in float32.
TIE_SINGLE = 2.0**-22


@dataclass(frozen=True)
class KernelSample(SignedSample):
    """Signed examples in feature space, in the order of visits. Build one with :meth:`of`.

    The attributes are those of :class:`~novikoff.sample.Sample`; ``matrix`` computes kernel values
    and ``towards`` has those of all examples and the centre. ``norms2`` are ``|phi(x) -
    phi(centre)|^2``. Columns take at most about ``cache_bytes``.
    """

    matrix: KernelMatrix
    signs: NDArray[np.int8]
    order: Ids
    towards: Vector
    norms2: Vector
    frame: Frame
    affine: bool
    longest: int
    cache_bytes: float
    shared: Columns | None = None
    """The columns of all examples, where they fit in the cache."""
    centre: Vector = field(default_factory=lambda: np.zeros(1))
    eager: bool = True
    """Whether cheap passes begin after the first full one, because a full one costs so much."""

    subtractable: ClassVar[bool] = False

    @classmethod
    def of(
        cls,
        matrix: KernelMatrix,
        signs: NDArray[np.int8],
        *,
        order: Ids | None = None,
        affine: bool = True,
        slack2: float = 0.0,
        cache_bytes: float = 200e6,
        eager: bool = True,
    ) -> "KernelSample":
        """Measure the examples and return the sample; the parameters are those of ``Sample.of``.

        With ``eager=False`` the loop makes cheap passes when it would make them in linear form.
        """
        order = np.arange(matrix.n, dtype=np.int64) if order is None else order
        towards, norms2 = np.zeros(matrix.n), matrix.diagonal.copy()
        if affine:
            first = int(order[0])
            towards = matrix.against_all([first])[0].astype(np.float64)
            middle = float(matrix.diagonal[first])
            towards[first] = middle
            # Rounding, or a kernel that is not positive semidefinite, may make these negative.
            norms2 = np.maximum(norms2 - 2.0 * towards + middle, 0.0)
            towards = towards - 0.5 * middle
        longest = int(order[np.argmax(norms2[order])])
        lift2 = (float(norms2[longest]) or 1.0) if affine else 0.0
        shared = None
        if fits_whole(matrix, cache_bytes):
            shared = Columns(matrix.n, matrix.n, matrix.n, matrix.dtype)
        return cls(
            matrix=matrix,
            signs=np.asarray(signs, dtype=np.int8),
            order=order,
            towards=towards,
            norms2=norms2,
            frame=Frame(lift2, slack2),
            affine=affine,
            longest=longest,
            cache_bytes=cache_bytes,
            eager=eager,
            shared=shared,
        )

    def relabelled(
        self, signs: NDArray[np.int8], class_weights: tuple[float, float]
    ) -> "KernelSample":
        """Return the same examples with other labels."""
        negative, positive = class_weights
        frame = self.frame._replace(weight_negative=negative, weight_positive=positive)
        return replace(self, signs=np.asarray(signs, dtype=np.int8), frame=frame)

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
        """How many near-violated examples cheap passes go over, at most."""
        if self.whole:
            return self.n_examples
        # With room for the columns of all of them, none gives way to another.
        return int(sqrt(self.cache_bytes / self.matrix.dtype.itemsize))

    @property
    def storage(self) -> KernelStorage:
        """The shape, and how many examples are swept at a time."""
        n = self.n_examples
        return KernelStorage((n, n), n, max(n, VISITS))

    def memory(self, rule: Specification) -> KernelMemory:
        """Return the memory of a run that starts at ``w = 0``."""
        n = self.n_examples
        return KernelMemory(np.zeros(n), np.zeros(n), np.zeros(1), start(rule), {})

    def chunks(self, ids: Ids) -> Iterator[Ids]:
        """Yield consecutive parts of ``ids``; near-violated examples come in one part."""
        size = CHUNK if len(ids) > self.most_near else max(1, len(ids))
        for begin in range(0, len(ids), size):
            yield ids[begin : begin + size]

    def nearest(self, near: Ids, memory: Any) -> Ids:
        """Return the examples that cheap passes go over: if there are too many, the nearest."""
        if len(near) <= self.most_near:
            return near
        margins = np.empty(self.n_examples)
        for key, part in memory.known.items():
            # What cheap passes left is older than what the full pass has just seen.
            if key != "near":
                margins[part.ids] = self._margins(part.ids, part.values, memory)
        closest = np.argpartition(margins[near], self.most_near)[: self.most_near]
        return np.asarray(near[np.sort(closest)])

    def sweep(
        self,
        ids: Ids,
        rule: Specification,
        memory: Any,
        *,
        nearness: float = 0.0,
        most: float = np.inf,
        passes: int = 1,
    ) -> tuple[int, int, Ids]:
        """Visit a chunk, updating on violated examples, as :meth:`Sample.sweep` does."""
        known, visits = self._known(ids, memory, full=nearness > 0.0)
        self._bring_up_to_date(known, memory)
        columns = known.columns or self._columns(len(ids), len(ids))
        ready: Any = known.ids
        part = Part(known.ids, known.values, columns.values, columns.slots)
        near = np.empty(len(ids), dtype=np.int64)
        cursor = np.zeros(compiled.CURSOR_SIZE)
        tie = TIE if self.matrix.dtype == np.float64 else TIE_SINGLE
        how = (near, nearness, most, passes, tie, cursor)
        try:
            while True:
                ended = self._sweep_part(part, visits, rule, memory, how)
                if ended != compiled.MISSING:
                    break
                place = int(cursor[compiled.PLACE])
                wanted = np.empty(BLOCK if nearness > 0.0 else CHEAP_BLOCK, dtype=np.int64)
                wanted[0] = known.ids[visits[place]]
                count = self._upcoming(part, visits, place + 1, memory, wanted[1:])
                if ready is known.ids and self.shared is None:
                    ready = self.matrix.prepare(known.ids)
                columns.add(wanted[: 1 + count], partial(self._block, columns=ready))
        finally:
            self._note(known, memory)
        begun, found = int(cursor[compiled.BEGUN]), int(cursor[compiled.FOUND])
        visited = int(cursor[compiled.PLACE]) if ended == compiled.USED_UP else len(visits)
        return begun, visited, near[:found]

    def margins(self, ids: Ids, memory: Any) -> Vector:
        """Return ``z . w`` of the given examples, lifts included."""
        return np.concatenate(
            [self._margins(chunk, scores, memory) for chunk, scores in self._parts(ids, memory)]
        )

    def combine(self, weights: Vector) -> tuple[Vector, float]:
        """Return the length of ``sum_i weights_i y_i (phi(x_i) - phi(centre))``, and its offset."""
        carriers = self.order[weights[self.order] != 0.0]
        signed = weights * self.signs
        norm2 = float(signed[carriers] @ self._scores(carriers, carriers, signed[carriers]))
        offset = self.frame.lift2 * sum(signed[carriers].tolist())
        return np.array([sqrt(max(norm2, 0.0))]), float(offset)

    def model(self, weights: Vector) -> tuple[Vector, float]:
        """Return ``coef`` and ``intercept`` of ``f(x) = sum_i coef_i k(x_i, x) + intercept``."""
        coef = weights * self.signs
        total = sum(coef[self.order].tolist())
        offset = self.frame.lift2 * total
        if not self.affine:
            return coef, 0.0
        intercept = offset - float(coef @ self.towards)
        first = int(self.order[0])
        # phi(centre) is subtracted from every example: from x, and from those with weight.
        intercept += total * 0.5 * float(self.matrix.diagonal[first])
        coef[first] -= total
        return coef, intercept

    def placed(self, weights: Vector) -> tuple[Vector, float, Ids]:
        """Return the length of the normal, the offset midway between the two worst examples, them.

        The offset is that of the scores relative to the centre, without a lift.
        """
        length, _ = self.combine(weights)
        memory = KernelMemory(weights, weights, length, np.zeros(STATE_SIZE), {})
        margins = self.margins(self.order, memory)
        pair = np.array([side[np.argmin(margins[side])] for side in self.sides])
        positive, negative = margins[pair].tolist()
        return length, (negative - positive) / 2, self.order[pair]

    def hull_distance(self, weights: Vector, w: Vector) -> float:
        """Return the distance of the two weighted class means."""
        positive = self.signs > 0
        totals = weights[positive].sum(), weights[~positive].sum()
        mean, _ = self.combine(weights / np.where(positive, *totals))
        return float(mean[0])

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
        key = int(ids[0]) if full else "near"
        found = memory.known.get(key)
        if found is None or not np.array_equal(found.ids, ids):
            # The columns of other near examples make room first.
            memory.known.pop(key, None)
            found = None
            columns = None
            if not full:
                affordable = self.cache_bytes / (len(ids) * self.matrix.dtype.itemsize)
                columns = self._columns(min(len(ids), max(CHEAP_BLOCK, int(affordable))), len(ids))
            found = memory.known[key] = self._fresh(ids, memory, columns)
        return found, np.arange(len(ids))

    def _columns(self, room: int, length: int) -> Columns:
        return Columns(room, length, self.n_examples, self.matrix.dtype)

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
        if known.columns is not None:
            slots = known.columns.slots[changed]
            here = slots >= 0
            rows, columns = np.atleast_2d(known.values), known.columns.values
            for row, each in zip(rows, np.atleast_2d(-moves[here].T), strict=True):
                subtract(columns, slots[here], each, row)
            changed, moves = changed[~here], moves[~here]
        if len(changed):
            known.values += self._scores(known.ids, changed, moves)
        known.scored = weights.copy()

    def _note(self, known: Scores, memory: Any) -> None:
        """Remember what a sweep did: its scores are those of the weights now."""
        known.scored = memory.weights.copy()
        known.rescaled = float(memory.state[RESCALED])
        state = memory.state
        norm2 = state[NORM2] - self._lifted(memory)
        most = self.lifted_radius**2 * float(state[WEIGHT]) ** 2
        # Each update has added to the length, and lifts were subtracted from it.
        check_square(norm2, most, self.matrix.dtype, 64.0 + float(state[UPDATES]))
        memory.w[0] = sqrt(max(norm2, 0.0))

    # What follows is for two classes; JointKernelSample has its own.

    def _zeros(self, count: int) -> Vector:
        """Return the scores of so many examples at ``w = 0``."""
        return np.zeros(count)

    def _signed(self, weights: Vector) -> tuple[Ids, Vector]:
        """Return the examples whose weights are not zero, and their signed weights."""
        changed = np.flatnonzero(weights)
        return changed, weights[changed] * self.signs[changed]

    def _margins(self, ids: Ids, scores: Vector, memory: Any) -> Vector:
        """Return the margins of examples whose scores are given."""
        margins = self.signs[ids] * (scores + memory.state[OFFSET])
        return np.asarray(margins + self.frame.slack2 * memory.weights[ids])

    def _lifted(self, memory: Any) -> float:
        """Return what lifts and slack add to the squared length of ``w``."""
        frame, added = self.frame, 0.0
        if frame.lift2 > 0.0:
            added = float(memory.state[OFFSET]) ** 2 / frame.lift2
        return added + frame.slack2 * float(memory.weights @ memory.weights)

    def _sweep_part(
        self, part: Part, visits: Ids, rule: Specification, memory: Any, how: tuple[Any, ...]
    ) -> int:
        run = (memory.weights, memory.stamps, memory.state)
        signs, norms2 = self.signs, self.norms2
        return int(compiled.sweep(part, visits, signs, norms2, self.frame, rule, *run, *how))

    def _upcoming(self, part: Part, visits: Ids, begin: int, memory: Any, found: Ids) -> int:
        slack2, weights, state = self.frame.slack2, memory.weights, memory.state
        where = (part, visits, begin)
        return int(compiled.upcoming(*where, self.signs, slack2, weights, state, found))


def fits_whole(matrix: KernelMatrix, cache_bytes: float) -> bool:
    """Whether all columns fit in the cache."""
    return bool(matrix.n**2 * matrix.dtype.itemsize <= cache_bytes)
