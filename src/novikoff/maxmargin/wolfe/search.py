"""The outer loop: solve among few examples, scan all, take in the worst."""

import time
from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.compiled.hinge import best_step
from novikoff.maxmargin.problem import Solution
from novikoff.maxmargin.wolfe.working_set import WorkingSet
from novikoff.run.record import Callback, Limits, Progress

Vector = NDArray[np.float64]

# How many examples of each class a scan adds to the candidates, and how few are taken at once;
# of how many the first direction is made; how much more exact the corral is than the gap asked for.
PER_CLASS = 60
FEW = 250
FOR_A_START = 500
SHARE_OF_TOL = 0.01
# Beyond so many candidates their Gram matrix is no longer small, nor the factor of a corral.
MOST_CANDIDATES = 5000
MOST_MEMBERS = 1500


class Search:
    """A working set, the scans of all examples, and the best bounds they gave.

    For the hard margin ``lower`` and ``upper`` bound the margin, for the soft one the objective.
    """

    def __init__(
        self, candidates: WorkingSet, limits: Limits, callbacks: Sequence[Callback] = ()
    ) -> None:
        self.candidates = candidates
        self.limits = limits
        self.callbacks = callbacks
        self.n_passes = 0
        self.history: list[Progress] = []
        self.started = time.perf_counter()
        self.sample = candidates.problem.sample
        self.slack2 = candidates.problem.slack2
        order = self.sample.order
        self.signs = self.sample.signs[order]
        self.w: Vector = np.zeros(self.sample.storage.shape[1])
        self.offset = 0.0
        self.mistakes = len(order) + 1
        # What makes the weights of a soft margin's point its dual variables.
        self.factor = 1.0
        self.outgrown = False
        self.lower, self.upper = -inf, inf

    def run(self, tol: float, zero: float, aim: float | None = None) -> Status:
        """Go on until the bounds are within ``tol``, or the least norm is at most ``zero``.

        Where that is cheap, the bounds may be brought closer: to ``aim``, as far as it goes.
        """
        try:
            status = self._rounds(tol if aim is None else min(tol, aim), zero)
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        return Status.GAP_REACHED if status.at_limit and self._within(tol) else status

    def _rounds(self, aim: float, zero: float) -> Status:
        candidates = self.candidates
        if not len(candidates.support):
            self._start()
        while True:
            settled = candidates.solve(SHARE_OF_TOL * aim, zero, self.is_over)
            stop = self.limit()
            if stop is not None and self.w.any():
                return stop
            w, length = candidates.point()
            if self.slack2 is None and length <= zero:
                return Status.NOT_SEPARABLE
            depths = self._scan(w, length)
            if self._within(aim):
                return Status.GAP_REACHED
            stop = self.limit()
            if stop is not None:
                return stop
            if len(candidates.ids) > MOST_CANDIDATES or len(candidates.support) > MOST_MEMBERS:
                self.outgrown = True
                return Status.PRECISION
            norm2 = length**2 + self._slack_norm2()
            new = candidates.add(self._deepest(depths, SHARE_OF_TOL * aim * norm2))
            if not (settled and new):
                return Status.PRECISION

    def _within(self, tol: float) -> bool:
        return self.lower > 0.0 and self.lower >= (1.0 - tol) * self.upper

    def solution(self, status: Status) -> Solution:
        """Return the best hyperplane, and the weights of the last point."""
        weights = np.zeros(self.sample.n_examples)
        weights[self.candidates.support] = self.factor * self.candidates.weights
        return Solution(
            w=self.w,
            offset=self.offset,
            weights=weights,
            status=status,
            lower=self.lower,
            upper=self.upper,
            n_passes=self.n_passes,
            n_steps=self.candidates.steps,
            history=self.history,
        )

    def widen(self, most: int) -> None:
        """Take in the examples nearest to the boundary, so many of each class."""
        w, _ = self.candidates.point()
        self.candidates.add(self._deepest(-self.signs * self._products(w), -inf, most))

    def _start(self) -> None:
        """Look along the difference of the class means, taken over a few examples."""
        few = np.zeros(self.sample.n_examples)
        for sign in (1, -1):
            side = self.sample.order[self.signs == sign]
            chosen = side[:: len(side) // FOR_A_START + 1]
            few[chosen] = 1.0 / max(len(chosen), 1)
        w, _ = self.sample.combine(few)
        products = self._products(w)
        if self.slack2 is None and w.any():
            self._keep(w, products, float(np.linalg.norm(w)))
        most = FEW if len(self.signs) <= FEW else PER_CLASS
        worst = self._deepest(-self.signs * products, -inf, most)
        if len(worst) == len(self.signs) <= self.sample.storage.shape[1]:
            # So few examples in so many dimensions tend to carry the optimum nearly all.
            self.candidates.begin(worst, np.ones(len(worst)))
            return
        self.candidates.add(worst)
        first = worst[:1]
        if self.sample.affine:
            signs = self.sample.signs[worst]
            first = np.array([worst[signs > 0][0], worst[signs < 0][0]])
        self.candidates.begin(first, np.ones(len(first)))

    def _products(self, w: Vector) -> Vector:
        self.n_passes += 1
        return self.sample.products(w)

    def _scan(self, w: Vector, length: float) -> Vector:
        """Bring the bounds up to date; return how far each example lies below its class's level."""
        products = self._products(w)
        if self.slack2 is None:
            # In scaled columns, w and the norm are those of the scaled problem.
            self.upper = min(self.upper, length / 2.0 if self.sample.affine else length)
            self._keep(w, products, length)
        else:
            self._soft_bounds(w, products, length, self.slack2)
        seconds = time.perf_counter() - self.started
        line = Progress(
            self.n_passes, self.candidates.steps, self.mistakes, self.lower, self.upper, seconds
        )
        self.history.append(line)
        for callback in self.callbacks:
            callback(line)
        positive, negative = self._levels(products)
        depths: Vector = np.where(self.signs > 0, positive, negative)
        depths -= self.signs * products
        if self.slack2 is not None:
            eased = np.zeros(self.sample.n_examples)
            support = self.candidates.support
            eased[support] = self.slack2[support] * self.candidates.weights
            depths -= eased[self.sample.order]
        return depths

    def _keep(self, w: Vector, products: Vector, length: float) -> None:
        """Keep the hyperplane that separates best or, while none does, errs least often."""
        if self.sample.affine:
            positive = self.signs > 0
            low, high = float(products[positive].min()), float(products[~positive].max())
            least, offset = (low - high) / 2.0, -(low + high) / 2.0
        else:
            least, offset = float((self.signs * products).min()), 0.0
        mistakes = int(np.count_nonzero(self.signs * (products + offset) <= 0.0))
        if (-mistakes, least / length) <= (-self.mistakes, self.lower):
            return
        # Where it separates, the hyperplane is scaled to y f(x) >= 1.
        factor = 1.0 / least if least > 0.0 else 1.0
        self.w, self.offset = factor * w, factor * offset
        self.mistakes, self.lower = mistakes, least / length

    def _soft_bounds(self, w: Vector, products: Vector, length: float, slack2: Vector) -> None:
        norm2 = length**2 + self._slack_norm2()
        self.factor = factor = (2.0 if self.sample.affine else 1.0) / norm2
        dual = factor if self.sample.affine else factor / 2.0
        self.lower = max(self.lower, dual)
        mine = slack2[self.sample.order]
        scores = factor * products
        offset = 0.0
        if self.sample.affine:
            signs = self.signs.astype(np.float64)
            offset = best_step(1.0 - signs * scores, signs, 1.0 / mine, 0.0, 0.0, 0.0)
        hinges = np.maximum(0.0, 1.0 - self.signs * (scores + offset))
        primal = 0.5 * float((factor * w) @ (factor * w) + (hinges**2 / mine).sum())
        if primal < self.upper:
            self.w, self.offset, self.upper = factor * w, offset, primal
            self.mistakes = int(np.count_nonzero(self.signs * (scores + offset) <= 0.0))

    def _slack_norm2(self) -> float:
        """The slack lift's part of the squared norm of the point."""
        if self.slack2 is None:
            return 0.0
        return float(self.slack2[self.candidates.support] @ self.candidates.weights**2)

    def _levels(self, products: Vector) -> tuple[float, float]:
        """The margins at which examples of either class would join the corral."""
        support, weights = self.candidates.support, self.candidates.weights
        everywhere = np.zeros(self.sample.n_examples)
        everywhere[self.sample.order] = products
        margins = self.sample.signs[support] * everywhere[support]
        if self.slack2 is not None:
            margins += self.slack2[support] * weights
        parts = weights * margins
        if not self.sample.affine:
            return float(parts.sum()), float(parts.sum())
        positive = self.sample.signs[support] > 0
        return float(parts[positive].sum()), float(parts[~positive].sum())

    def _deepest(self, depths: Vector, least: float, most: int = PER_CLASS) -> NDArray[np.int64]:
        """Return the deepest examples of each class, deepest first."""
        found = []
        for sign in (1, -1):
            eligible = np.flatnonzero((self.signs == sign) & (depths > least))
            if len(eligible) > most:
                top = np.argpartition(depths[eligible], -most)[-most:]
                eligible = eligible[top]
            found.append(eligible)
        chosen = np.concatenate(found)
        return self.sample.order[chosen[np.argsort(-depths[chosen], kind="stable")]]

    def is_over(self) -> bool:
        """Whether a limit was met."""
        return self.limit() is not None

    def limit(self) -> Status | None:
        """Return the limit that was met, if any."""
        if self.limits.cancelled():
            return Status.INTERRUPTED
        if self.limits.deadline is not None and time.perf_counter() >= self.limits.deadline:
            return Status.TIME_LIMIT
        return Status.MAX_ITER if self.n_passes >= self.limits.max_iter else None
