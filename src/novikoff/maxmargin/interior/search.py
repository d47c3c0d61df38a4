"""A primal-dual interior-point method for margins of sparse data with few entangled columns.

S. Mehrotra, "On the implementation of a primal-dual interior point method", SIAM Journal on
Optimization 2 (1992); M. C. Ferris & T. S. Munson, "Interior-point methods for massive support
vector machines", SIAM Journal on Optimization 13 (2002).

Indicators of the levels of a few factors make thousands of examples touch the margin, on which
sweeps go on forever and pivots go in circles. The iterations of an interior-point method hardly
depend on that: ten to twenty of them, each of which costs a factor of the normal matrix. Columns
that exclude one another, such as the levels of the factor with the most of them, are eliminated
beforehand at little cost.

The constraint of an example is ``y f(x) - room = 1`` with ``room >= 0``, and its weight times its
room goes to zero. With slack, ``y f(x) + Delta^2 weight - room = 1``.
"""

from math import inf

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.bounds import (
    dual_objective,
    dual_variables,
    normalized,
    place_hard,
    place_soft,
)
from novikoff.maxmargin.interior.normal import Exclusive, Normal
from novikoff.maxmargin.interior.settings import INTERIOR, InteriorSettings
from novikoff.maxmargin.passes import Vector
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.run.clock import Clock, Stopped


def interior_point(
    problem: Problem,
    *,
    tol: float,
    clock: Clock,
    exclusive: Exclusive,
    before: Solution,
    settings: InteriorSettings = INTERIOR,
) -> Solution:
    """Return the hard or soft margin, to within ``tol``; an iteration counts as one pass.

    Parameters
    ----------
    problem : Problem
        Without slack, where nothing separates the examples, more and more of them come to the wrong
        side, and the search ends with PRECISION.
    tol : float
        Stop when ``1 - lower / upper`` is no larger.
    clock : Clock
        Limits and history; each iteration is reported.
    exclusive : Exclusive
        The examples, in the order of the sample, and their columns to eliminate.
    before : Solution
        Where another solver has led: a separator or nearly one, and the weights of a soft margin.
    settings : InteriorSettings, optional
        Lengths of steps, and accuracies.
    """
    run = _Run(problem, tol, clock, Normal(exclusive, problem.sample.affine), settings)
    try:
        run.begin(before)
        status = run.iterate()
    except Stopped as stopped:
        status = stopped.status
    return run.solution(status)


class _Run:
    def __init__(
        self, problem: Problem, tol: float, clock: Clock, normal: Normal, settings: InteriorSettings
    ) -> None:
        self.sample = problem.sample
        self.tol = tol
        self.clock = clock
        self.normal = normal
        self.settings = settings
        self.signs = self.sample.signs[self.sample.order].astype(np.float64)
        self.slack2 = None if problem.slack2 is None else problem.slack2[self.sample.order]
        n = len(self.signs)
        self.w, self.offset = np.zeros(problem.n_features), 0.0
        self.room, self.weights = np.ones(n), np.ones(n)
        self.lower, self.upper = -inf if self.slack2 is None else 0.0, inf
        # The hyperplane and the weights of the best bounds.
        self.best = (self.w, self.offset)
        # The mistakes of the hyperplane that it starts from, and the fewest since.
        self.at_first = self.fewest = n
        self.proof: Vector = np.zeros(n)

    def begin(self, before: Solution) -> None:
        """Start inside: at a hyperplane that others have found, with room and weight for all."""
        order, centre = self.sample.order, self.sample.centre
        self.w, self.offset = before.w, before.offset - float(before.w @ centre)
        margins = self.signs * self.normal.products(self.w, self.offset)
        self.at_first = self.fewest = int(np.count_nonzero(margins <= 0.0))
        # The separator's length is that of the narrow margin it may have; the optimum is shorter.
        weights = before.weights[order]
        carrying = weights > 0.0
        scale = 1.0 / max(float(np.median(margins[carrying])), 1.0) if carrying.any() else 1.0
        self.w, self.offset = scale * self.w, scale * self.offset
        if self.slack2 is not None:
            self.best = self.w, self.offset
        self.room = np.maximum(scale * margins - 1.0, self.settings.room)
        mean = float(self.w @ self.w) / max(1, int(np.count_nonzero(carrying)))
        weights = weights * (mean / float(weights[carrying].mean())) if carrying.any() else weights
        self.weights = np.maximum(weights, mean * self.settings.room / self.room)

    def iterate(self) -> Status:
        """Step until the bounds are close enough; return why it ended."""
        for _ in range(self.settings.most_iterations):
            status = self.clock.stop()
            if status is not None:
                return status
            if not self._step():
                break
            self.clock.passes += 1.0
            self.clock.updates += 1
            mistakes = self._judge()
            self.clock.report(mistakes, self.lower, self.upper)
            if self._is_within():
                return Status.GAP_REACHED
            if self._is_hopeless(mistakes):
                break
        return Status.PRECISION

    def _is_hopeless(self, mistakes: int) -> bool:
        """Whether it moves away from separators, which it has not found before either.

        Or whether weights prove that there is none, but for rounding. One-hot 20,000 x 6,255,
        separable, goes from 406 mistakes to none in 11 steps, and once back from 285 to 303; with
        five wrong labels from 480 to 283, and to 624 in the sixth step.
        """
        if self.slack2 is not None:
            return False
        self.fewest = min(self.fewest, mistakes)
        refuted = self.upper <= self.settings.zero * self.sample.radius
        return self.lower <= 0.0 and (refuted or mistakes > max(self.at_first, 2 * self.fewest))

    def _is_within(self) -> bool:
        return 0.0 < self.lower >= (1.0 - self.tol) * self.upper

    def _judge(self) -> int:
        """Keep the better bounds; return the mistakes of the hyperplane."""
        products = self.normal.products(self.w, 0.0)
        if self.slack2 is not None:
            return self._judge_soft(products, self.slack2)
        offset, margin, mistakes = place_hard(products, self.signs, self.sample.affine)
        length = float(np.linalg.norm(self.w))
        if length > 0.0 and margin / length > self.lower:
            self.lower = margin / length
            factor = 1.0 / margin if margin > 0.0 else 1.0
            self.best = factor * self.w, factor * offset
        upper = self._bound(self.weights)
        if upper < self.upper:
            self.upper, self.proof = upper, self.weights
        return mistakes

    def _judge_soft(self, products: Vector, slack2: Vector) -> int:
        """Keep the better bounds on the objective; return the mistakes of the hyperplane."""
        signs, affine = self.signs, self.sample.affine
        offset, primal, mistakes = place_soft(self.w, products, signs, slack2, affine)
        separates = self.clock.wants_separator and not place_hard(products, signs, affine).mistakes
        if primal < self.upper or separates:
            self.upper, self.best = primal, (self.w, offset)
        sides = [np.where(signs == side, self.weights, 0.0) for side in (1.0, -1.0)]
        sums, totals = np.array([*map(self.normal.sums, sides)]), np.sum(sides, axis=1)
        dual = dual_objective(sums, totals, signs, self.weights, slack2, affine)
        if dual > self.lower:
            self.lower, self.proof = dual, self.weights
        return 0 if separates else mistakes

    def _bound(self, weights: Vector) -> float:
        """Return the upper bound on the margin that weights prove."""
        normal, total = normalized(weights, self.signs, self.sample.affine)
        if total == 0.0:
            return inf
        return float(np.linalg.norm(self.normal.sums(self.signs * normal))) / total

    def _step(self) -> bool:
        """Predict, correct, and step; False if rounding prevents it."""
        signs, weights, room, normal = self.signs, self.weights, self.room, self.normal
        slack2 = np.zeros(len(room)) if self.slack2 is None else self.slack2
        softened = room + slack2 * weights
        if not normal.prepare(weights / softened):
            return False
        off_w = normal.sums(signs * weights) - self.w
        off_total = float(signs @ weights) if self.sample.affine else 0.0
        off_room = signs * normal.products(self.w, self.offset) + slack2 * weights - room - 1.0
        mean = float(weights @ room) / len(room)

        def solve(aim: Vector) -> tuple[Vector, float, Vector, Vector]:
            """Return the Newton step that changes the products of weights and room by ``aim``."""
            towards = signs * ((aim - weights * off_room) / softened)
            w, offset = normal.solve(off_w + normal.sums(towards), off_total + towards.sum())
            moved = signs * normal.products(w, offset) + off_room
            change = (aim - weights * moved) / softened
            return w, offset, moved + slack2 * change, change

        _, _, rooms, change = solve(-weights * room)
        lengths = _reach(room, rooms), _reach(weights, change)
        after = float((room + lengths[0] * rooms) @ (weights + lengths[1] * change)) / len(room)
        target = mean * min(1.0, max(0.0, after / mean)) ** 3
        w, offset, rooms, change = solve(target - weights * room - rooms * change)
        # Primal and dual share the quadratic term, so they share the length.
        length = self.settings.boundary * min(_reach(room, rooms), _reach(weights, change))
        if not self.settings.shortest < length < inf:
            return False
        self.w, self.offset = self.w + length * w, self.offset + length * offset
        self.room, self.weights = room + length * rooms, weights + length * change
        return True

    def solution(self, status: Status) -> Solution:
        """Return the best hyperplane, and the weights of the best bound but for the smallest."""
        sample, (w, offset) = self.sample, self.best
        weights, upper = self.proof, self.upper
        if self.slack2 is None and self._is_within():
            weights, upper = self._few()
        every = np.zeros(sample.n_examples)
        every[sample.order], _ = normalized(weights, self.signs, sample.affine)
        if self.slack2 is not None:
            every = dual_variables(every, sample.signs, self.lower, sample.affine)
        return Solution(
            w=w,
            offset=offset + float(w @ sample.centre),
            weights=every,
            status=status,
            lower=self.lower,
            upper=upper,
            solver="interior",
        )

    def _few(self) -> tuple[Vector, float]:
        """Return the largest weights alone, and the bound they prove, if that is close enough."""
        mean = float(self.w @ self.w) / len(self.w)
        for share in self.settings.kept:
            weights = np.where(self.proof < share * mean * self.room, 0.0, self.proof)
            upper = self._bound(weights)
            if self.lower >= (1.0 - self.tol) * upper:
                return weights, upper
        return self.proof, self.upper


def _reach(values: Vector, steps: Vector) -> float:
    """Return the largest multiple of the steps, up to 1, that leaves positive values positive."""
    falling = steps < 0.0
    if not falling.any():
        return 1.0
    return min(1.0, float((values[falling] / -steps[falling]).min()))
