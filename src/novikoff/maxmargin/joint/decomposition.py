"""The margin of all classes in feature space, by steps on blocks of kernel columns.

The blocks are those of :mod:`novikoff.maxmargin.smo.search`, the steps those of
:mod:`novikoff.compiled.joint_smo`. What is kept of an example are its scores, one for each class,
its weights, and its kernel column while there is room for it.

With intercepts every block holds the *worst cycle*: examples that can give weight from class to
class in a circle, so that the flow stays balanced, with the largest mean gain (S. S. Keerthi & E.
G. Gilbert, "Convergence of a generalized SMO algorithm for SVM classifier design", Machine
Learning 46, 2002, for the pair that is the cycle of two classes). There is none at the optimum.
"""

from math import inf

import numpy as np

from novikoff.certificate import Status
from novikoff.compiled import joint_smo as compiled
from novikoff.compiled.smo import gather
from novikoff.maxmargin.joint.block_settings import BLOCKS, BlockSettings
from novikoff.maxmargin.joint.bounds import balance, flow_matrix, signed
from novikoff.maxmargin.joint.kernel_problem import (
    Ids,
    JointKernelProblem,
    JointKernelSolution,
    Vector,
    placed,
)
from novikoff.maxmargin.smo.rounds import Rounds, largest
from novikoff.run.clock import Clock
from novikoff.sample.columns import ColumnCache
from novikoff.sample.joint_signed import cycle_of
from novikoff.sample.kernel import KernelMatrix

NAME = "kernel-joint-smo"


class JointBlockSearch(Rounds[JointKernelSolution]):
    """Weights on the examples, and the scores that they make.

    Parameters
    ----------
    problem : JointKernelProblem
        What is solved.
    matrix : KernelMatrix
        The kernel values of its examples.
    cache_bytes : float
        What kernel columns and the table of scores may take.
    clock : Clock
        Limits and history; a round with a full block is a pass.
    start : array of shape (n_examples, n_classes), optional
        Weights to begin with.
    settings : BlockSettings, optional
        Sizes and tolerances.
    """

    def __init__(
        self,
        problem: JointKernelProblem,
        matrix: KernelMatrix,
        cache_bytes: float,
        clock: Clock,
        start: Vector | None = None,
        settings: BlockSettings = BLOCKS,
    ) -> None:
        self.problem, self.matrix, self.clock, self.settings = problem, matrix, clock, settings
        self.codes, self.hard = problem.codes, problem.slack2 is None
        n, k = matrix.n, problem.n_classes
        self.slack2 = np.zeros(n) if problem.slack2 is None else problem.slack2
        self.full = settings.block_of(n)
        column = n * matrix.dtype.itemsize
        room = (cache_bytes - settings.tables * 8.0 * n * k) / column
        # A block, and half of one that is new, before its columns find their places.
        self.block = min(self.full, max(int(room / 1.5), settings.least_block, 2 * k))
        self.cache = ColumnCache(matrix, (room - 0.5 * self.block) * column, self.block)
        self.weights: Vector = np.zeros((n, k))
        self.products: Vector = np.zeros((k, n))
        """The scores without offsets, a row for each class."""
        self.offsets: Vector = np.zeros(k)
        """The estimates of the intercepts."""
        self.length = float(np.sqrt(matrix.largest))
        self._last = np.empty(0, dtype=np.int64)
        self._size, self._in_vain = 0, 0
        self._at_end = False
        if start is not None:
            self._begin(start)

    @property
    def _share(self) -> float:
        return max(self._size / self.full, 1.0 / 64.0)

    def _bounds(self) -> JointKernelSolution:
        products = np.ascontiguousarray(self.products.T)
        return placed(
            self.problem,
            self.matrix,
            self.weights,
            products,
            self.offsets,
            NAME,
            improve=self._at_end,
        )

    def _ended(self, status: Status) -> JointKernelSolution:
        # The offsets that go with the steps are as good as any where the gap is reached.
        self._at_end = status is not Status.GAP_REACHED
        return super()._ended(status)

    def _round(self, tol: float) -> int:
        settings = self.settings
        block, violation = self._choose()
        slots = self.cache.slots(block)
        examples, means = self._examples(block, slots)
        before, scores = self.weights[block], self.products[:, block]
        weights, offsets = before.copy(), self.offsets.copy()
        enough = max(settings.inner * violation, 0.25 * tol)
        made = compiled.steps_on_block(
            examples,
            weights,
            np.ascontiguousarray(scores),
            offsets,
            enough,
            settings.steps_per_example * len(block),
        )
        gain = _gain(examples, before, weights, scores)
        if self.problem.affine and not gain > 0.0:
            # What was done to balance the moves cost more than they gained.
            weights = before.copy()
            made = compiled.steps_in_cycles(
                examples, weights, np.ascontiguousarray(scores), offsets, 0.25 * tol, len(block)
            )
            gain = _gain(examples, before, weights, scores)
        self._in_vain = 0 if gain > 0.0 else self._in_vain + 1
        moves = signed(weights - before, examples.codes)
        self._add(slots, moves)
        self.weights[block] = weights
        if self.problem.affine:
            self.offsets = offsets - 0.5 * (means @ moves)
            self.offsets -= self.offsets.mean()
        self._size = len(block)
        return int(made) if self._in_vain < settings.rounds_in_vain else 0

    def _examples(self, block: Ids, slots: Ids) -> tuple[compiled.Block, Vector]:
        """Return the kernel values of a block, and what was subtracted from its columns."""
        settings, columns = self.settings, self.cache.values
        values = np.empty((len(block), len(block)), dtype=columns.dtype)
        gather(columns, slots, block, values)
        gram, means, scale = values.astype(np.float64), np.zeros(len(block)), 0.0
        if self.problem.affine:
            # Relative to the mean in feature space, as one example alone moves at a time. The moves
            # balance in the end, so that only the offsets change.
            means = gram.mean(axis=0) - 0.5 * gram.mean()
            gram -= means
            gram -= means[:, None]
            scale = float(np.diagonal(gram).mean())
            scale = scale if scale > 0.0 else 1.0
        pull, unit = settings.pull_of(len(block)) * scale, settings.unit * scale
        return compiled.Block(gram, self.codes[block], self.slack2[block], pull, unit), means

    def _choose(self) -> tuple[Ids, float]:
        """Return the worst examples with some of the block before, and the violation."""
        how = self.products, self.weights, self.codes, self.slack2
        kept = self._last
        if self.problem.affine:
            least, who = compiled.least_leads(*how)
            cycle, mean, _ = cycle_of(least)
            if mean < 0.0:
                kept = np.concatenate([kept, who[cycle, np.roll(cycle, -1)]])
        kept = np.unique(kept)
        if len(kept) > self.block:
            kept = kept[-self.block :]
        depth = compiled.violations(*how, self.offsets)
        violation = float(depth.max())
        depth[kept] = -inf
        depth[depth <= 0.0] = -inf
        if not self.weights.any():
            # All are violated alike: as many of each class, from all over.
            new = self._spread(self.block - len(kept), depth > -inf)
        else:
            new = largest(depth, self.block - len(kept))
        self._last = new[: self.block // 2] if len(self._last) else new[::2][: self.block // 2]
        return np.concatenate([kept, new]), violation

    def _spread(self, count: int, free: np.ndarray) -> Ids:
        ranks = np.full(self.matrix.n, inf)
        for k in range(self.problem.n_classes):
            rows = np.flatnonzero(free & (self.codes == k))
            # The bits of a counter in reverse order are spread evenly, however many are taken.
            ranks[rows] = np.argsort(np.argsort(_reversed_bits(len(rows)), kind="stable"))
        chosen = np.argsort(ranks, kind="stable")[:count]
        return np.asarray(chosen[ranks[chosen] < inf])

    def _add(self, slots: Ids, moves: Vector) -> None:
        """Let the scores of all examples follow the moves of some."""
        moved = np.flatnonzero(moves.any(axis=1))
        values, step = self.cache.values, self.settings.at_once
        for begin in range(0, len(moved), step):
            part = moved[begin : begin + step]
            factors = (0.5 * moves[part].T).astype(values.dtype)
            self.products += factors @ values[slots[part]]

    def _begin(self, start: Vector) -> None:
        """Compute the scores of given weights, made to balance."""
        weights, codes = np.maximum(start, 0.0), self.codes
        weights[np.arange(len(codes)), codes] = 0.0
        if self.problem.affine:
            weights *= balance(flow_matrix(weights, codes))[codes]
        carriers = np.flatnonzero(weights.any(axis=1))
        if not len(carriers):
            return
        self.weights = weights
        moves = signed(weights[carriers], codes[carriers])
        for begin in range(0, len(carriers), self.block):
            part = slice(begin, begin + self.block)
            self._add(self.cache.slots(carriers[part]), moves[part])
        if self.problem.affine:
            least, _ = compiled.least_leads(self.products, weights, codes, self.slack2)
            self.offsets = cycle_of(least)[2]


def _gain(block: compiled.Block, before: Vector, after: Vector, scores: Vector) -> float:
    """Return by how much weights of a block raise the dual; ``scores`` are those before."""
    moves = signed(after - before, block.codes)
    sums, former = after.sum(axis=1), before.sum(axis=1)
    gain = float((sums - former).sum() - 0.5 * (sums**2 - former**2) @ block.slack2)
    return gain - float((moves * (scores.T + 0.25 * (block.gram @ moves))).sum())


def _reversed_bits(count: int) -> Ids:
    """Return the numbers below ``count`` with their bits in reverse order."""
    numbers, out = np.arange(count), np.zeros(count, dtype=np.int64)
    for _ in range(max(1, int(count)).bit_length()):
        out, numbers = 2 * out + numbers % 2, numbers // 2
    return out
