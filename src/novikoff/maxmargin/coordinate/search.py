"""Dual coordinate descent with shrinking: hard and soft margins, mostly of sparse data.

C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi & S. Sundararajan, "A dual coordinate descent
method for large-scale linear SVM", ICML 2008.

A round sweeps the examples that may carry weight, over and over, then scans all examples: the
scan gives the bounds and the examples of the next round.
"""

from collections.abc import Callable
from math import inf, log

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.bounds import (
    dual_objective,
    dual_variables,
    normalized,
    place_hard,
    place_soft,
)
from novikoff.maxmargin.coordinate.dual import Dual
from novikoff.maxmargin.coordinate.face import Face
from novikoff.maxmargin.coordinate.settings import COORDINATE, CoordinateSettings
from novikoff.maxmargin.passes import Ids, Passes, Vector
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.run.clock import Clock, Stopped


def coordinate_descent(
    problem: Problem,
    *,
    tol: float,
    clock: Clock,
    start: Vector | None = None,
    patient: bool = True,
    leaves: Callable[[int, float], bool] | None = None,
    allowance: float = inf,
    settings: CoordinateSettings = COORDINATE,
) -> Solution:
    """Maximise the dual until the relative gap between the bounds is at most ``tol``.

    Parameters
    ----------
    problem : Problem
        With slack, or without it separable.
    tol : float
        Stop when ``1 - lower / upper`` is no larger.
    clock : Clock
        Limits and history. Limits are in passes over the examples; each round is reported.
    start : array of shape (n_examples,), optional
        Weights to start from.
    patient : bool
        Whether to go on if there are far more support vectors than features; else the solution
        says that it ``gave_up``. Without slack they would be linearly dependent, and sweeps over
        them converge slowly. With too many for their face, and sweeps that get no faster, it ends
        as at a limit of passes.
    leaves : function, optional
        With slack, end as at a limit of passes where sweeps are slow and this says, of the number
        of examples that carry weight and the passes so far, that another solver is faster.
    allowance : float, optional
        The passes after which another solver is to go on. With slack, end as at a limit of passes
        after a quarter of them if, at the rate at which the gap falls, many times as many are to
        come.
    settings : CoordinateSettings, optional
        Lengths of rounds, and accuracies.

    Returns
    -------
    Solution
        Its hyperplane is that of the best primal bound seen, its weights those of the best dual.
    """
    run = _Run(problem, tol, clock, patient, leaves, allowance, settings)
    try:
        status = run.rounds(*run.begin(start))
    except Stopped as stopped:
        status = stopped.status
    return run.solution(status)


class _Run:
    def __init__(
        self,
        problem: Problem,
        tol: float,
        clock: Clock,
        patient: bool,
        leaves: Callable[[int, float], bool] | None,
        allowance: float,
        settings: CoordinateSettings,
    ) -> None:
        self.problem = problem
        self.sample = problem.sample
        self.hard = problem.slack2 is None
        self.tol = tol
        self.clock = clock
        self.patient = patient
        self.leaves = leaves
        self.allowance = allowance
        self.passes_before = clock.passes
        self.gave_up = self.left = False
        # The sweeps of a round after which a separator is looked for, once a sweep sees no mistake.
        self.hopeful = 1
        self.settings = settings
        self.passes = Passes(problem.sample, clock)
        # One pass to measure the examples.
        with self.passes.without_limits():
            self.dual = Dual(problem, self.passes, settings)
        self.passes.reserved = settings.reserved_passes
        self.signs = self.sample.signs[self.sample.order].astype(np.float64)
        self.judged = False
        # How precisely the next face is left for its minimum.
        self.effort = 1.0
        # The most support vectors whose sparse face is left for its minimum, by its columns.
        self.most_on_face = 0.0
        if self.sample.is_sparse and not self.hard:
            self.most_on_face = settings.independent * problem.n_features
        self.lower, self.upper = -inf if self.hard else 0.0, inf
        self.w, self.offset = np.zeros(problem.n_features), 0.0
        self.weights = np.zeros(self.sample.n_examples)
        self.draw = np.random.default_rng(0)

    def begin(self, start: Vector | None) -> tuple[Ids, float]:
        """Go to the weights that were given, at the length with the largest dual.

        Returns the examples of the first round, and the bound on their slopes.
        """
        order = self.sample.order
        if start is None:
            return order, inf
        weights = np.zeros(self.sample.n_examples)
        weights[order] = start[order]
        weights, total = normalized(weights, self.sample.signs, self.sample.affine)
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
        settings, in_vain = self.settings, 0
        while not (self.lower > 0.0 and self.lower >= (1.0 - self.tol) * self.upper):
            before = self.lower, self.upper
            self.round(ids, bound)
            if self.gave_up:
                return Status.PRECISION
            if self.left:
                return Status.MAX_ITER
            ids, bound = self.scan()
            in_vain = in_vain + 1 if before == (self.lower, self.upper) else 0
            rounded = bound <= settings.reach * settings.rounding
            if in_vain >= settings.rounds_in_vain and rounded:
                return Status.PRECISION
        return Status.GAP_REACHED

    def round(self, ids: Ids, bound: float) -> None:
        """Sweep examples until their violations or the gap have fallen, or sweeps do little."""
        settings, dual = self.settings, self.dual
        worst_at_first, before = 0.0, min(1.0, self._gap())
        supports, gaps = [], []
        # Where any separator will do, scans look for one.
        brief = self.hard or self.clock.wants_separator
        for swept in range(1, 1 + (settings.most_sweeps if brief else settings.most_soft_sweeps)):
            ids = self._shuffled(ids)
            carrying = dual.weights > 0.0
            ids, worst = dual.sweep(ids, bound)
            bound = settings.reach * worst
            if self.clock.wants_separator and not dual.mistakes_seen and swept >= self.hopeful:
                self.hopeful += 1
                return
            if self.hard:
                if worst <= self._fallen() * worst_at_first:
                    return
                worst_at_first = worst_at_first or worst
                continue
            seen = dual.gap_seen
            # This sweep is expected to have reduced the gap by the same factor as the one before.
            if seen * seen <= settings.foreseen * self.tol * before:
                return
            supports.append(int(np.count_nonzero(dual.weights)))
            gaps.append(seen)
            if swept >= max(settings.steady_sweeps, self.allowance / 4.0):
                self.left = self._to_come(gaps, swept) > settings.hopeless * self.allowance
                if self.left:
                    return
            if len(supports) == settings.trial_sweeps and not self.patient:
                expected = supports[-1] * (supports[-1] / supports[0]) ** settings.fading
                dependent = expected > settings.dependent * self.problem.n_features
                self.gave_up = dependent and not self._is_falling(seen, before)
                if self.gave_up:
                    return
            if swept >= settings.few_soft_sweeps and not self._is_falling(seen, before):
                on_face = supports[-1] <= self.most_on_face
                self.left = self._is_left_with(supports[-1])
                if not (on_face or self.patient or self.judged):
                    self.left |= swept == settings.steady_sweeps and self._is_steady(gaps)
                if self.left:
                    return
                if on_face:
                    break
            before = seen
        support = ids[dual.weights[ids] > 0.0]
        changed = np.count_nonzero(carrying != (dual.weights > 0.0))
        independent = not self.hard or len(support) <= self.problem.n_features
        by_columns = len(support) <= self.most_on_face
        if by_columns or (independent and changed <= settings.settled * len(support)):
            Face(dual, support, by_columns=by_columns, effort=self.effort).descend()
            self.effort = min(settings.more_effort * self.effort, settings.most_effort)

    def _shuffled(self, ids: Ids) -> Ids:
        """Return the examples in another random order; of sparse data in runs of neighbours."""
        if not self.sample.is_sparse:
            return self.draw.permutation(ids)
        run = self.settings.run
        starts = run * self.draw.permutation(-(-len(ids) // run))
        places = np.add.outer(starts, np.arange(run)).ravel()
        return np.sort(ids)[places[places < len(ids)]]

    def _is_falling(self, seen: float, before: float) -> bool:
        """Whether few more sweeps suffice, at the rate at which the gap falls."""
        return seen * (seen / before) ** self.settings.few_sweeps <= self.tol

    def _is_steady(self, gaps: list[float]) -> bool:
        """Whether sweeps get no faster: about as many are to come as were half-way."""
        half_way = self._to_come(gaps, len(gaps) // 2)
        return self._to_come(gaps, len(gaps)) >= self.settings.steady * half_way

    def _to_come(self, gaps: list[float], swept: int) -> float:
        """The sweeps that were to come after some, at the rate at which the gap fell before.

        That is the rate of a quarter of all sweeps so far.
        """
        quarter = len(gaps) // 4
        rate = gaps[swept - 1] / gaps[swept - 1 - quarter]
        return quarter * log(self.tol / gaps[swept - 1]) / log(rate) if rate < 1.0 else inf

    def _is_left_with(self, n_support: int) -> bool:
        """Whether another solver is faster with so many support vectors."""
        if self.leaves is None:
            return False
        return self.leaves(n_support, self.clock.passes - self.passes_before)

    def _fallen(self) -> float:
        """To what share violations should fall: the less, the closer the bounds are already."""
        return max(self.settings.fallen, self.tol / self._gap())

    def _gap(self) -> float:
        """The relative gap between the bounds, infinite before there are any."""
        known = 0.0 < self.lower < self.upper < inf
        return 1.0 - self.lower / self.upper if known else inf

    def scan(self) -> tuple[Ids, float]:
        """Judge the weights on all examples.

        Returns the examples that the next round sweeps, and the bound on their slopes.
        """
        dual, order, reach = self.dual, self.sample.order, self.settings.reach
        sums, totals = dual.refresh()
        w = sums[0] - sums[1]
        products = dual.products(order, w)
        judge = self._judge_hard if self.hard else self._judge_soft
        offset, mistakes = judge(w, products, sums, totals)
        dual.estimate_offset(offset)
        self.judged = True
        self.clock.report(mistakes, self.lower, self.upper)
        weights = dual.weights[order]
        slopes = self.signs * (products + offset) + dual.slack2[order] * weights - 1.0
        carrying = weights > 0.0
        violation = float(np.where(carrying, np.abs(slopes), -slopes).max())
        return order[carrying | (slopes <= reach * violation)], reach * violation

    def _judge_hard(
        self, w: Vector, products: Vector, sums: Vector, totals: Vector
    ) -> tuple[float, int]:
        """Keep the better bounds on the margin; return the offset, and the mistakes with it."""
        length = float(np.linalg.norm(w))
        offset, margin, mistakes = place_hard(products, self.signs, self.sample.affine)
        if self.sample.affine:
            between = sums[0] / totals[0] - sums[1] / totals[1] if totals.all() else None
            upper = inf if between is None else float(np.linalg.norm(between)) / 2.0
        else:
            upper = length / float(totals.sum()) if totals.any() else inf
        if length > 0.0 and margin / length > self.lower:
            self.lower = margin / length
            # Where it separates, the hyperplane is scaled to y f(x) >= 1.
            factor = 1.0 / margin if margin > 0.0 else 1.0
            self._take_hyperplane(factor * w, factor * offset)
        if upper < self.upper:
            self.upper, self.weights = upper, self.dual.weights.copy()
        return offset, mistakes

    def _judge_soft(
        self, w: Vector, products: Vector, sums: Vector, totals: Vector
    ) -> tuple[float, int]:
        """Keep the better bounds on the objective; return the offset, and the mistakes with it."""
        order, affine = self.sample.order, self.sample.affine
        slack2, weights = self.dual.slack2[order], self.dual.weights[order]
        offset, primal, mistakes = place_soft(w, products, self.signs, slack2, affine)
        separates = False
        if self.clock.wants_separator and mistakes:
            # Another offset may separate the examples.
            separates = place_hard(products, self.signs, affine).mistakes == 0
            mistakes = 0 if separates else mistakes
        if primal < self.upper or separates:
            self.upper = primal
            self._take_hyperplane(w, offset)
        dual = dual_objective(sums, totals, self.signs, weights, slack2, affine)
        if dual > self.lower:
            self.lower, self.weights = dual, self.dual.weights.copy()
        return offset, mistakes

    def _take_hyperplane(self, w: Vector, offset: float) -> None:
        """Remember a hyperplane, its offset taken from this centre to the sample's."""
        if self.sample.affine:
            offset += float(w @ (self.sample.centre - self.dual.centre))
        self.w, self.offset = w, offset

    def solution(self, status: Status) -> Solution:
        """Return the best hyperplane and the weights of the best bound."""
        if not self.gave_up and (not self.judged or status is Status.MAX_ITER):
            with self.passes.without_limits():
                self.scan()
        if status.at_limit and 0.0 < self.lower >= (1.0 - self.tol) * self.upper:
            status = Status.GAP_REACHED
        signs, affine = self.sample.signs, self.sample.affine
        if self.hard:
            weights, _ = normalized(self.weights, signs, affine)
        else:
            weights = dual_variables(self.weights, signs, self.lower, affine)
        return Solution(
            w=self.w,
            offset=self.offset,
            weights=weights,
            status=status,
            lower=self.lower,
            upper=self.upper,
            solver="coordinate",
            gave_up=self.gave_up,
        )
