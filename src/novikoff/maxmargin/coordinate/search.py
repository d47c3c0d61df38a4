"""Dual coordinate descent with shrinking: hard and soft margins of large sparse data.

A round sweeps the examples that may carry weight, over and over, then scans all examples: the
scan gives the bounds and the examples of the next round.
"""

import time
from collections.abc import Sequence
from math import ceil, inf

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.compiled.hinge import best_step
from novikoff.maxmargin.coordinate.dual import Dual
from novikoff.maxmargin.newton.parts import dual_objective, dual_variables, shares
from novikoff.maxmargin.passes import Ids, Passes, Stopped
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.run.record import Callback, Limits, Progress

Vector = NDArray[np.float64]

# A round ends when the largest violation has fallen to a tenth, or after ten sweeps. Then, if the
# support has nearly settled, conjugate gradients on its face do what more sweeps would do slowly.
MOST_SWEEPS = 10
FALLEN = 0.1
SETTLED = 0.03
# Examples further than twice the largest violation from being violated are left out.
REACH = 2.0
# So many rounds without a better bound are the end, once violations are down to rounding.
ROUNDS_IN_VAIN = 10
ROUNDED = 1e-11


def coordinate_descent(
    problem: Problem,
    *,
    tol: float,
    limits: Limits,
    start: Vector | None = None,
    callbacks: Sequence[Callback] = (),
) -> Solution:
    """Maximise the dual until the relative gap between the bounds is at most ``tol``.

    Parameters
    ----------
    problem : Problem
        With slack, or without it separable.
    tol : float
        Stop when ``1 - lower / upper`` is no larger.
    limits : Limits
        Where to give up; ``max_iter`` is in passes over the examples.
    start : array of shape (n_examples,), optional
        Weights to start from.
    callbacks : sequence of callables
        Called with a :class:`Progress` after each round.

    Returns
    -------
    Solution
        Its hyperplane is that of the best primal bound seen, its weights those of the best dual.
    """
    run = _Run(problem, tol, limits, callbacks)
    try:
        status = run.rounds(*run.begin(start))
    except Stopped as stopped:
        status = stopped.status
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return run.solution(status)


class _Run:
    def __init__(
        self, problem: Problem, tol: float, limits: Limits, callbacks: Sequence[Callback]
    ) -> None:
        self.sample = problem.sample
        self.hard = problem.slack2 is None
        self.tol = tol
        self.callbacks = callbacks
        self.passes = Passes(problem.sample, limits)
        # One to measure the examples, and two for the bounds at the end.
        self.passes.unlimited = True
        self.dual = Dual(problem, self.passes)
        self.passes.unlimited = False
        self.passes.reserved = 2.0
        self.signs = self.sample.signs[self.sample.order].astype(np.float64)
        self.lower, self.upper = -inf, inf
        self.w, self.offset = np.zeros(self.sample.storage.shape[1]), 0.0
        self.weights = np.zeros(self.sample.n_examples)
        self.history: list[Progress] = []
        self.draw = np.random.default_rng(0)
        self.started = time.perf_counter()

    def begin(self, start: Vector | None) -> tuple[Ids, float]:
        """Go to the weights that were given, at the length that serves the dual best.

        Returns the examples of the first round, and the bound on their slopes.
        """
        order = self.sample.order
        if start is None:
            return order, inf
        weights = np.zeros(self.sample.n_examples)
        weights[order] = start[order]
        weights, total = shares(weights, self.sample.signs, self.sample.affine)
        sums, _ = self.dual.place(weights)
        w = sums[0] - sums[1]
        norm2 = float(w @ w + weights[order] ** 2 @ self.dual.slack2[order])
        if norm2 == 0.0:
            self.dual.place(np.zeros_like(weights))
            return order, inf
        self.dual.weights = weights * (total / norm2)
        return self.scan()

    def rounds(self, ids: Ids, bound: float) -> Status:
        """Go on until the bounds are close enough, or rounding ends it."""
        in_vain = 0
        while self.lower < (1.0 - self.tol) * self.upper:
            before = self.lower, self.upper
            self.round(ids, bound)
            ids, bound = self.scan()
            in_vain = in_vain + 1 if before == (self.lower, self.upper) else 0
            if in_vain >= ROUNDS_IN_VAIN and bound <= REACH * ROUNDED:
                return Status.PRECISION
        return Status.GAP_REACHED

    def round(self, ids: Ids, bound: float) -> None:
        """Sweep examples until their violations have fallen, or sweeps do little."""
        dual, first = self.dual, inf
        fallen = self._enough()
        for sweep in range(MOST_SWEEPS):
            ids = self.draw.permutation(ids)
            carrying = dual.weights > 0.0
            ids, worst = dual.sweep(ids, bound)
            bound = REACH * worst
            if sweep == 0:
                first = worst
            elif worst <= fallen * first:
                return
        support = ids[dual.weights[ids] > 0.0]
        changed = np.count_nonzero(carrying != (dual.weights > 0.0))
        independent = not self.hard or len(support) <= self.sample.storage.shape[1]
        if independent and changed <= SETTLED * len(support):
            dual.descend_on_face(support)

    def _enough(self) -> float:
        """To what share violations should fall: the less, the closer the bounds are already."""
        gap = 1.0 - self.lower / self.upper if 0.0 < self.lower < self.upper < inf else inf
        return max(FALLEN, self.tol / gap)

    def scan(self) -> tuple[Ids, float]:
        """Judge the weights on all examples.

        Returns the examples that the next round sweeps, and the bound on their slopes.
        """
        dual, order = self.dual, self.sample.order
        sums, totals = dual.refresh()
        w = sums[0] - sums[1]
        products = dual.products(order, w)
        if self.hard:
            offset = self._judge_hard(w, products, sums, totals)
        else:
            offset = self._judge_soft(w, products, sums, totals)
        dual.estimate_offset(offset)
        self._report(int(np.count_nonzero(self.signs * (products + offset) <= 0.0)))
        weights = dual.weights[order]
        slopes = self.signs * (products + offset) + dual.slack2[order] * weights - 1.0
        carrying = weights > 0.0
        violation = float(np.where(carrying, np.abs(slopes), -slopes).max())
        return order[carrying | (slopes <= REACH * violation)], REACH * violation

    def _judge_hard(self, w: Vector, products: Vector, sums: Vector, totals: Vector) -> float:
        length = float(np.linalg.norm(w))
        if self.sample.affine:
            least = float(products[self.signs > 0.0].min())
            most = float(products[self.signs < 0.0].max())
            margin, offset = (least - most) / 2.0, -(least + most) / 2.0
            between = sums[0] / totals[0] - sums[1] / totals[1] if totals.all() else None
            upper = inf if between is None else float(np.linalg.norm(between)) / 2.0
        else:
            margin, offset = float((self.signs * products).min()), 0.0
            upper = length / float(totals.sum()) if totals.any() else inf
        if length > 0.0 and margin / length > self.lower:
            self.lower = margin / length
            # Where it separates, the hyperplane is scaled to y f(x) >= 1.
            factor = 1.0 / margin if margin > 0.0 else 1.0
            self._take_hyperplane(factor * w, factor * offset)
        if upper < self.upper:
            self.upper, self.weights = upper, self.dual.weights.copy()
        return offset

    def _judge_soft(self, w: Vector, products: Vector, sums: Vector, totals: Vector) -> float:
        order, slack2 = self.sample.order, self.dual.slack2[self.sample.order]
        offset = 0.0
        if self.sample.affine:
            hinges = 1.0 - self.signs * products
            offset = best_step(hinges, self.signs, 1.0 / slack2, 0.0, 0.0, 0.0)
        hinges = np.maximum(0.0, 1.0 - self.signs * (products + offset))
        primal = 0.5 * float(w @ w + (hinges**2 / slack2).sum())
        if primal < self.upper:
            self.upper = primal
            self._take_hyperplane(w, offset)
        weights = self.dual.weights[order]
        dual = dual_objective(sums, totals, self.signs, weights, slack2, self.sample.affine)
        if dual > self.lower:
            self.lower, self.weights = dual, self.dual.weights.copy()
        return offset

    def _take_hyperplane(self, w: Vector, offset: float) -> None:
        """Remember a hyperplane, its offset taken from this centre to the sample's."""
        if self.sample.affine:
            offset += float(w @ (self.sample.centre - self.dual.centre))
        self.w, self.offset = w, offset

    def _report(self, mistakes: int) -> None:
        line = Progress(
            iteration=ceil(self.passes.count),
            updates=self.dual.steps,
            mistakes=mistakes,
            lower=self.lower,
            upper=self.upper,
            seconds=time.perf_counter() - self.started,
        )
        self.history.append(line)
        for callback in self.callbacks:
            callback(line)

    def solution(self, status: Status) -> Solution:
        """Return the best hyperplane and the weights of the best bound."""
        if not self.history or status is Status.MAX_ITER:
            self.passes.unlimited = True
            self.scan()
        if status.at_limit and 0.0 < self.lower >= (1.0 - self.tol) * self.upper:
            status = Status.GAP_REACHED
        signs, affine = self.sample.signs, self.sample.affine
        if self.hard:
            weights, _ = shares(self.weights, signs, affine)
        else:
            weights = dual_variables(self.weights, signs, self.lower, affine)
        return Solution(
            w=self.w,
            offset=self.offset,
            weights=weights,
            status=status,
            lower=self.lower,
            upper=self.upper,
            n_passes=ceil(self.passes.count),
            n_steps=self.dual.steps,
            history=self.history,
        )
