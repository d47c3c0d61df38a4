"""The margin in the feature space of a kernel, by two-example steps on blocks of columns.

T. Joachims, "Making large-scale SVM learning practical", 1999, for the blocks; Z. Wen, J. Shi,
Q. Li, B. He & J. Chen, "ThunderSVM: a fast SVM library on GPUs and CPUs", JMLR 19, 2018, for half a
block of the examples before beside half a block of the worst. The steps are those of
:mod:`novikoff.compiled.smo`.
"""

from math import inf

import numpy as np

from novikoff.compiled import smo as compiled
from novikoff.maxmargin.smo.problem import KernelProblem, KernelSolution, Vector, placed
from novikoff.maxmargin.smo.rounds import Rounds, largest
from novikoff.maxmargin.smo.settings import SMO, SmoSettings
from novikoff.run.clock import Clock
from novikoff.sample.columns import ColumnCache
from novikoff.sample.kernel import Ids, KernelMatrix

NAME = "smo"


class BlockSearch(Rounds[KernelSolution]):
    """Weights on the examples, and their residuals (:mod:`novikoff.compiled.smo`).

    Parameters
    ----------
    problem : KernelProblem
        What is solved.
    matrix : KernelMatrix
        The kernel values of its examples.
    clock : Clock
        Limits and history; a round, that is a block and a look at all residuals, is a pass.
    start : array of shape (n_examples,), optional
        Weights to begin with; with an intercept, of the same total in both classes.
    settings : SmoSettings, optional
        Sizes and tolerances.
    """

    def __init__(
        self,
        problem: KernelProblem,
        matrix: KernelMatrix,
        clock: Clock,
        start: Vector | None = None,
        settings: SmoSettings = SMO,
    ) -> None:
        self.problem, self.matrix, self.clock, self.settings = problem, matrix, clock, settings
        self.signs, self.hard = problem.signs, problem.slack2 is None
        self.slack2 = np.zeros(matrix.n) if problem.slack2 is None else problem.slack2
        self.block = settings.block_of(matrix.n)
        self.cache = ColumnCache(matrix, problem.cache_bytes, self.block)
        self.weights: Vector = np.zeros(matrix.n)
        self.residuals: Vector = self.signs.copy()
        self.length = float(np.sqrt(matrix.largest))
        self._last = np.empty(0, dtype=np.int64)
        if start is not None:
            self._begin(start)

    def working_set(self, count: int) -> Ids:
        """Return the examples with the largest weights, and beside them the worst of the others."""
        carriers = largest(np.where(self.weights > 0.0, self.weights, -inf), count)
        pull = self.signs * (self.residuals - (self.best.offset if self.best else 0.0))
        pull[carriers] = -inf
        return np.sort(np.concatenate([carriers, largest(pull, count - len(carriers))]))

    def move_to(self, weights: Vector) -> None:
        """Go on from other weights, of the same total in both classes."""
        self.residuals = self.signs.copy()
        self._begin(weights)

    def _bounds(self) -> KernelSolution:
        weights, signs = self.weights, self.signs
        products = signs * (1.0 - self.slack2 * weights) - self.residuals
        return placed(self.problem, self.matrix, weights, products, NAME)

    def _round(self, tol: float) -> int:
        signs, residuals, settings = self.signs, self.residuals, self.settings
        block, violation = self._choose()
        slots = self.cache.slots(block)
        gram = np.empty((len(slots), len(block)), dtype=self.cache.values.dtype)
        compiled.gather(self.cache.values, slots, block, gram)
        before = self.weights[block]
        weights, within = before.copy(), residuals[block]
        steps = compiled.steps_in_pairs if self.problem.affine else compiled.steps_alone
        made = steps(
            gram,
            self.matrix.diagonal[block],
            signs[block],
            self.slack2[block],
            weights,
            within,
            max(settings.inner * violation, 0.25 * tol),
            settings.steps_per_example * len(block),
        )
        moves = (weights - before) * signs[block]
        compiled.subtract(self.cache.values, slots, moves, residuals)
        residuals[block] -= self.slack2[block] * moves
        self.weights[block] = weights
        return int(made)

    def _choose(self) -> tuple[Ids, float]:
        """Return the worst examples with the worst of the block before, and the violation."""
        signs, residuals, weights = self.signs, self.residuals, self.weights
        kept = self._last
        taken = np.zeros(self.matrix.n, dtype=np.bool_)
        taken[kept] = True
        carries = weights > 0.0
        if self.problem.affine:
            high = np.where((signs > 0.0) | carries, residuals, -inf)
            low = np.where((signs < 0.0) | carries, -residuals, -inf)
            violation = float(high.max() + low.max())
            high[taken] = -inf
            count = (self.block - len(kept)) // 2
            top = largest(high, count)
            low[taken] = low[top] = -inf
            new = np.concatenate([top, largest(low, self.block - len(kept) - len(top))])
        else:
            pull = signs * residuals
            depth = np.where(carries, np.abs(pull), pull)
            violation = float(depth.max())
            depth[taken] = -inf
            new = largest(depth, self.block - len(kept))
        self._last = new[: self.block // 2] if len(kept) else new[::2][: self.block // 2]
        return np.concatenate([kept, new]), violation

    def _begin(self, start: Vector) -> None:
        """Compute the residuals of given weights."""
        self.weights = start.copy()
        carriers = np.flatnonzero(start)
        for begin in range(0, len(carriers), self.block):
            part = carriers[begin : begin + self.block]
            slots = self.cache.slots(part)
            compiled.subtract(
                self.cache.values, slots, start[part] * self.signs[part], self.residuals
            )
        self.residuals -= self.signs * self.slack2 * self.weights
