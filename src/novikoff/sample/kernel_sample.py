"""The sample of a kernel: signed examples in feature space, known by their products alone.

It has the protocol of :class:`~novikoff.sample.Sample`, so that the same loop runs on it. An
example is read relative to a centre and lifted, both in feature space:
``z_i = y_i (phi(x_i) - phi(centre), c)`` with ``c`` of :mod:`novikoff.sample.lift`.
"""

from dataclasses import dataclass, field, replace
from functools import partial
from math import inf, sqrt
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from novikoff.compiled import kernel_sweep as compiled
from novikoff.compiled.kernel_sweep import Part, Quota
from novikoff.compiled.step import (
    LEAST,
    NORM2,
    OFFSET,
    RESCALED,
    STATE_SIZE,
    UPDATES,
    WEIGHT,
    Frame,
    Specification,
    start,
)
from novikoff.compiled.sweep import TIE
from novikoff.sample.kernel import Ids, KernelMatrix
from novikoff.sample.kernel_checks import check_norm, rounding_of_run
from novikoff.sample.kernel_memory import Columns, KernelMemory, KernelStorage, Scores
from novikoff.sample.kernel_scores import BLOCK, CHEAP_BLOCK, KernelScores, Vector, fits_whole
from novikoff.sample.sample import slacks_of
from novikoff.sample.signed import NOTHING

# Visits of cheap passes between two looks at the clock: one costs nanoseconds, an update on it
# microseconds. With 2,048 of them, of 20,000 digits, a quarter of the time went to the looks.
VISITS = 1 << 18
# As TIE, for kernel values in float32.
TIE_SINGLE = 2.0**-22


@dataclass(frozen=True)
class KernelSample(KernelScores):
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
    lifting: tuple[int, ...] | None = ()
    eager: bool = True
    """Whether cheap passes begin after the first full one, because a full one costs so much."""
    shares: Vector = field(default_factory=lambda: NOTHING)
    slacks2: Vector = field(default_factory=lambda: NOTHING)
    budget: float = inf
    """How many examples may have weight; beyond, those without weight are not updated on."""

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
        shares: Vector = NOTHING,
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
        shared = None
        if fits_whole(matrix, cache_bytes):
            shared = Columns(matrix.n, matrix.n, matrix.n, matrix.dtype)
        sample = cls(
            matrix=matrix,
            signs=np.asarray(signs, dtype=np.int8),
            order=order,
            towards=towards,
            norms2=norms2,
            frame=Frame(0.0, slack2),
            affine=affine,
            longest=longest,
            cache_bytes=cache_bytes,
            eager=eager,
            shared=shared,
            shares=shares,
            slacks2=slacks_of(slack2, shares),
        )
        return sample.lifted_by(sample.signs)

    def relabelled(
        self, signs: NDArray[np.int8], class_weights: tuple[float, float]
    ) -> "KernelSample":
        """Return the same examples with other labels."""
        negative, positive = class_weights
        frame = self.frame._replace(weight_negative=negative, weight_positive=positive)
        signs = np.asarray(signs, dtype=np.int8)
        return replace(self, signs=signs, frame=frame).lifted_by(signs)

    def with_lift(self, lift2: float, lifting: tuple[int, ...]) -> Self:
        """Return the same examples with a lift, and those that it depends on."""
        return replace(self, frame=self.frame._replace(lift2=lift2), lifting=lifting)

    def with_shares(self, shares: Vector, slacks2: Vector) -> Self:
        """Return the same examples with other factors on their steps, and other slacks."""
        return replace(self, shares=shares, slacks2=slacks2)

    @property
    def storage(self) -> KernelStorage:
        """The shape, and how many examples are swept at a time."""
        n = self.n_examples
        return KernelStorage((n, n), n, max(n, VISITS))

    def memory(self, rule: Specification) -> KernelMemory:
        """Return the memory of a run that starts at ``w = 0``."""
        n = self.n_examples
        return KernelMemory(np.zeros(n), np.zeros(n), np.zeros(1), start(rule), {})

    def nearest(self, near: Ids, memory: Any, *, beside: bool = False) -> Ids:
        """Return the examples that cheap passes go over: if there are too many, the nearest.

        ``beside`` leaves out those that have weight, and leaves room for them.
        """
        weighty = self.by_example(memory.weights) > 0.0
        room = self.most_near
        if beside:
            room = max(1, room // 8, room - int(np.count_nonzero(weighty)))
            near = near[~weighty[near]]
        if len(near) <= room:
            return near
        margins = np.empty(self.n_examples)
        for key, part in memory.known.items():
            # What cheap passes left is older than what the full pass has just seen.
            if key != "near":
                margins[part.ids] = self._margins(part.ids, part.values, memory)
        closest = np.argpartition(margins[near], room)[:room]
        return np.asarray(near[np.sort(closest)])

    def with_weight(self, memory: Any) -> Ids:
        """Return the examples that have weight, in order; if too many, some that are at hand."""
        found = self.order[self.by_example(memory.weights)[self.order] > 0.0]
        room = self.most_near
        if len(found) <= room:
            return found
        working = memory.known.get("near")
        if working is not None:
            found = found[working.places[found] >= 0]
        return np.asarray(found[: max(1, room - room // 8)])

    def sweep(
        self,
        ids: Ids,
        rule: Specification,
        memory: Any,
        *,
        nearness: float = 0.0,
        most: float = np.inf,
        passes: int = 1,
        begin: int = 0,
        pause: float = np.inf,
        share: float = 1.0,
    ) -> tuple[int, int, Ids]:
        """Visit a chunk, updating on violated examples, as :meth:`Sample.sweep` does.

        It may begin in the middle, and pauses once the run has made ``pause`` updates. Examples
        without weight count as violated only up to a ``share`` of the threshold.
        """
        known, visits = self._known(ids, memory, full=nearness > 0.0)
        self._bring_up_to_date(known, memory)
        columns = known.columns
        assert columns is not None
        ready: Any = known.ids
        part = Part(known.ids, known.values, columns.values, columns.slots)
        near = np.empty(len(ids), dtype=np.int64)
        cursor = np.zeros(compiled.CURSOR_SIZE)
        if begin:
            cursor[compiled.BEGUN], cursor[compiled.PLACE] = 1.0, begin
            cursor[compiled.BEFORE] = memory.state[UPDATES]
            cursor[compiled.FEWEST] = memory.state[LEAST]
        tie = TIE if self.matrix.dtype == np.float64 else TIE_SINGLE
        try:
            while True:
                quota = self._within_budget(Quota(most, pause, share), memory)
                how = (near, nearness, quota, passes, tie, cursor)
                ended = self._sweep_part(part, visits, rule, memory, how)
                if ended == compiled.USED_UP and memory.state[UPDATES] < most:
                    # Position 0 would begin a new pass.
                    cursor[compiled.BEGUN] -= float(cursor[compiled.PLACE] == 0.0)
                    continue
                if ended != compiled.MISSING:
                    break
                share = quota.share
                place = int(cursor[compiled.PLACE])
                guess = BLOCK if nearness > 0.0 or self.eager else CHEAP_BLOCK
                guess = int(max(1.0, min(guess, pause - memory.state[UPDATES])))
                wanted = np.empty(guess, dtype=np.int64)
                wanted[0] = known.ids[visits[place]]
                count = self._upcoming(part, visits, place + 1, share, memory, wanted[1:])
                if ready is known.ids and self.shared is None:
                    ready = self.matrix.prepare(known.ids)
                columns.add(wanted[: 1 + count], partial(self._block, columns=ready))
        finally:
            self._note(known, memory)
        begun, found = int(cursor[compiled.BEGUN]), int(cursor[compiled.FOUND])
        midway = ended in (compiled.USED_UP, compiled.PAUSED)
        visited = int(cursor[compiled.PLACE]) if midway else len(visits)
        return begun, visited, near[:found]

    def is_full(self, memory: Any) -> bool:
        """Whether no other example may have weight."""
        return self._room(memory) <= 0.0

    def _room(self, memory: Any) -> float:
        if self.budget == inf:
            return inf
        return self.budget - int(np.count_nonzero(self.by_example(memory.weights)))

    def _within_budget(self, quota: Quota, memory: Any) -> Quota:
        """Return a quota that keeps the budget: an update gives weight to one example at most."""
        room = self._room(memory)
        if room <= 0.0:
            # No margin is below this share of a threshold.
            return quota._replace(share=-inf)
        return quota._replace(most=min(quota.most, float(memory.state[UPDATES]) + room))

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
        # In the order of visits, so that rounding does not depend on that of the rows.
        intercept = offset - float(coef[self.order] @ self.towards[self.order])
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

    def _note(self, known: Scores, memory: Any) -> None:
        """Remember what a sweep did: its scores are those of the weights now."""
        known.scored = memory.weights.copy()
        known.rescaled = float(memory.state[RESCALED])
        state = memory.state
        norm2 = state[NORM2] - self._lifted(memory)
        allowed = rounding_of_run(
            self.matrix, float(state[WEIGHT]), self.lifted_radius**2, float(state[UPDATES])
        )
        check_norm(self.matrix, norm2, allowed)
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
        return np.asarray(margins + self.slack_on(ids, memory.weights))

    def _lifted(self, memory: Any) -> float:
        """Return what lifts and slack add to the squared length of ``w``."""
        frame, added = self.frame, 0.0
        if frame.lift2 > 0.0:
            added = float(memory.state[OFFSET]) ** 2 / frame.lift2
        return added + self.slack_length2(memory.weights)

    def _sweep_part(
        self, part: Part, visits: Ids, rule: Specification, memory: Any, how: tuple[Any, ...]
    ) -> int:
        run = (memory.weights, memory.stamps, memory.state)
        examples = (self.signs, self.norms2, self.frame, self.shares, self.slacks2)
        return int(compiled.sweep(part, visits, *examples, rule, *run, *how))

    def _upcoming(
        self, part: Part, visits: Ids, begin: int, share: float, memory: Any, found: Ids
    ) -> int:
        slack2, slacks2 = self.frame.slack2, self.slacks2
        how = (self.signs, slack2, slacks2, share, memory.weights, memory.state)
        return int(compiled.upcoming(part, visits, begin, *how, found))
