"""Dual coordinate descent: sweeps over the examples, then a scan for the bounds, until they meet.

The method of :mod:`novikoff.compiled.joint_dual`, in rounds as those of
:mod:`novikoff.maxmargin.coordinate.search`.
"""

from math import inf, log, sqrt

import numpy as np

from novikoff.certificate import Status
from novikoff.compiled.joint_dual import FULL
from novikoff.maxmargin.joint.bounds import place_hard, place_soft
from novikoff.maxmargin.joint.dual import JointDual
from novikoff.maxmargin.joint.face import descend
from novikoff.maxmargin.joint.problem import Ids, JointProblem, JointSolution, Vector
from novikoff.maxmargin.joint.settings import DESCENT, DescentSettings
from novikoff.maxmargin.passes import Passes
from novikoff.run.clock import Clock, Stopped

LEAST_PASSES = 3.0
"""The passes without which there are no bounds: for the centre, the lengths and the scores."""


def joint_descent(
    problem: JointProblem,
    *,
    tol: float,
    clock: Clock,
    start: Vector | None = None,
    offsets: Vector | None = None,
    few: int = 0,
    patient: bool = True,
    sweeps: float = inf,
    by_gram: bool = False,
    settings: DescentSettings = DESCENT,
) -> JointSolution:
    """Maximise the dual until the relative gap between the bounds is at most ``tol``.

    Parameters
    ----------
    problem : JointProblem
        With slack, or without it separable.
    tol : float
        Stop when ``1 - lower / upper`` is no larger.
    clock : Clock
        Limits and history.
    start : array of shape (n_examples, n_classes), optional
        Weights to start from.
    offsets : array of shape (n_classes,), optional
        The intercepts at the sample's centre to start from, with ``start``.
    few : int
        Give up after some sweeps if no more weights than these are positive: another solver suits
        the problem better then.
    patient : bool
        Whether to go on after some sweeps if more weights are; else the solution says that it
        ``gave_up``.
    sweeps : float
        Give up after so many sweeps; after some of them where the gap has hardly begun to fall.
    by_gram : bool
        Whether the other solver is Newton's method on a Gram matrix. It takes the cube of the
        number of positive weights, for which there may be more sweeps.
    settings : DescentSettings, optional
        Lengths of rounds, and accuracies.
    """
    if problem.most is not None and not clock.fits(LEAST_PASSES):
        return _without_passes(problem)
    run = _Run(problem, tol, clock, few if patient else problem.n_rows, sweeps, settings)
    run.by_gram = by_gram
    try:
        status = run.rounds(*run.begin(start, offsets))
    except Stopped as stopped:
        status = stopped.status
    return run.solution(status)


def has_faces(problem: JointProblem, settings: DescentSettings = DESCENT) -> bool:
    """Whether conjugate gradients minimise over the positive weights where sweeps are slow."""
    large = problem.n_classes * problem.n_features > settings.small_model
    return problem.sample.is_sparse and problem.most is None and large


def _without_passes(problem: JointProblem) -> JointSolution:
    """Return the model of zeros, whose hinges are all 1."""
    assert problem.most is not None
    n_classes, order = problem.n_classes, problem.sample.order
    return JointSolution(
        vectors=np.zeros((n_classes, problem.n_features)),
        offsets=np.zeros(n_classes),
        weights=np.zeros((problem.sample.n_examples, n_classes)),
        status=Status.MAX_ITER,
        lower=0.0,
        upper=float(problem.most[order].sum()),
        solver="joint-coordinate",
        mistakes=problem.n_examples,
    )


class _Run:
    def __init__(
        self,
        problem: JointProblem,
        tol: float,
        clock: Clock,
        few: int,
        most_sweeps: float,
        settings: DescentSettings,
    ) -> None:
        self.problem = problem
        self.sample = problem.sample
        self.hard = problem.slack2 is None
        self.tol = tol
        self.clock = clock
        self.few, self.most_sweeps = few, most_sweeps
        self.gave_up = self.by_gram = False
        self.settings = settings
        self.has_faces = has_faces(problem, settings)
        self.gaps_scanned = [inf]
        """The gaps at the scans so far."""
        self.restless = 0
        """The slow rounds since the last minimum over the positive weights."""
        self.passes = Passes(problem.sample, clock)
        with self.passes.without_limits():
            self.dual = JointDual(problem, self.passes, settings)
        self.passes.reserved = settings.reserved_passes
        self.codes = problem.codes[self.sample.order]
        self.judged = False
        self.lower, self.upper = -inf if self.hard else 0.0, inf
        self.vectors = np.zeros((problem.n_classes, problem.n_features))
        self.offsets = np.zeros(problem.n_classes)
        self.weights = self.dual.weights
        self.mistakes = problem.n_examples
        self.sweeps = 0
        self.draw = np.random.default_rng(0)

    def begin(self, start: Vector | None, offsets: Vector | None) -> tuple[Ids, float]:
        """Go to the weights that were given, at the length with the largest dual.

        Returns the examples of the first round, and the bound on their hinges.
        """
        order = self.sample.order
        if start is None:
            return order, inf
        dual = self.dual
        dual.weights[order] = start[order]
        vectors = dual.refresh()
        if offsets is not None and self.sample.affine:
            own = offsets + vectors @ (dual.centre - self.sample.centre)
            dual.estimate_offsets(own - own.mean())
        norm2, total = self._lengths(vectors)
        if not norm2 > 0.0:
            dual.weights[:] = 0.0
            dual.refresh()
            return order, inf
        dual.weights *= total / norm2
        sums = dual.weights[order].sum(axis=1)
        over = sums > dual.most[order]
        dual.weights[order[over]] *= (dual.most[order[over]] / sums[over])[:, None]
        return self.scan()

    def _lengths(self, vectors: Vector) -> tuple[float, float]:
        """Return ``|sum a z|^2 + sum Delta^2 A^2`` and the sum of the weights."""
        order = self.sample.order
        sums = self.dual.weights[order].sum(axis=1)
        norm2 = 2.0 * float((vectors**2).sum()) + float(sums**2 @ self.dual.slack2[order])
        return norm2, float(sums.sum())

    def rounds(self, ids: Ids, bound: float) -> Status:
        """Go on until the bounds are close enough, or rounding ends it."""
        settings, in_vain = self.settings, 0
        while not self._is_within():
            before = self.lower, self.upper
            worst = self.round(ids, bound)
            ids, bound = self.scan()
            in_vain = in_vain + 1 if before == (self.lower, self.upper) else 0
            settled = worst <= settings.rounding or not len(ids)
            if in_vain >= settings.rounds_in_vain and settled:
                return Status.PRECISION
            if self.sweeps >= settings.patience and not self._is_within():
                self.gave_up = self._is_for_others()
                if self.gave_up:
                    return Status.PRECISION
        return Status.GAP_REACHED

    def _is_for_others(self) -> bool:
        """Whether another solver is better: few weights are positive, or the gap falls slowly."""
        settings, positive = self.settings, int(np.count_nonzero(self.dual.weights))
        slow = self.sweeps >= self.most_sweeps
        if self.by_gram:
            each = settings.sparse_value if self.sample.is_sparse else 1.0
            values = each * self.sample.storage.n_values * self.problem.n_classes
            worth = settings.gram_steps * positive**3 / (settings.gram_speed * values)
            slow &= self.clock.passes >= min(worth, 0.5 * self.clock.limits.max_iter)
        if self.most_sweeps < inf:
            slow |= self._gap() > settings.hardly_begun
        # Over weights that are fewer than the numbers of a model, conjugate gradients are better,
        # unless they do not end.
        numbers = self.problem.n_classes * self.problem.n_features
        if self.has_faces and positive <= numbers:
            lasting = self.clock.passes >= settings.lasting * self.clock.limits.max_iter
            slow = self.most_sweeps < inf and lasting
        return 0 < positive <= (np.inf if slow else self.few)

    def _is_within(self) -> bool:
        return self.lower > 0.0 and self.lower >= (1.0 - self.tol) * self.upper

    def _gap(self) -> float:
        known = 0.0 < self.lower < self.upper < inf
        return 1.0 - self.lower / self.upper if known else inf

    def round(self, ids: Ids, bound: float) -> float:
        """Sweep examples until their violations or the gap have fallen; return the last worst."""
        settings, dual = self.settings, self.dual
        worst_at_first, before = 0.0, min(1.0, self._gap())
        share = max(settings.fallen, self.tol / self._gap())
        left, seen_gaps = ids, [before]
        worst = 0.0
        for number in range(settings.face_sweeps if self.has_faces else settings.most_sweeps):
            full = number % (1 + settings.support_sweeps) == 0
            positive = dual.weights > 0.0
            if full:
                left, worst = dual.sweep(self.draw.permutation(left), bound)
                bound = settings.reach * worst
            else:
                carrying = left[dual.weights[left].any(axis=1)]
                _, worst = dual.sweep(self.draw.permutation(carrying), inf)
            self.sweeps += 1
            if self.hard:
                if full and worst_at_first and worst <= share * worst_at_first:
                    return worst
                worst_at_first = worst_at_first or worst
                continue
            seen = dual.gap_seen
            # This sweep is expected to have reduced the gap by the same factor as the one before.
            if seen * seen <= settings.foreseen * self.tol * before:
                return worst
            before = seen
            seen_gaps.append(seen)
        if self.has_faces and dual.weights.any() and self._is_slow(seen_gaps):
            changed = np.count_nonzero(positive != (dual.weights > 0.0))
            self.restless += 1
            settled = changed <= settings.settled * np.count_nonzero(positive)
            if settled or self.restless > settings.restless_rounds:
                self.restless = 0
                descend(dual)
                # Weights that are zero may be better positive now.
                _, worst = dual.sweep(self.draw.permutation(ids), inf)
        return worst

    def _is_slow(self, gaps: list[float]) -> bool:
        """Whether many sweeps are to come at the rate at which the gap fell of late."""
        if self.hard:
            # Sweeps do not show the gap of a hard margin: what is known is that of the last scans.
            (before, after), late = ([inf, *self.gaps_scanned])[-2:], self.settings.face_sweeps
            if after == inf:
                return before == inf and len(self.gaps_scanned) > 2
        else:
            late = len(gaps) // 2
            before, after = gaps[-1 - late], gaps[-1]
        if not 0.0 < after:
            return False
        return log(after / self.tol) * late > log(before / after) * self.settings.slow_sweeps

    def scan(self) -> tuple[Ids, float]:
        """Judge the weights on all examples.

        Returns the examples that the next round sweeps, and the bound on their hinges.
        """
        dual, order, reach = self.dual, self.sample.order, self.settings.reach
        vectors = dual.refresh()
        products = dual.products(order, vectors)
        norm2, total = self._lengths(vectors)
        if self.hard:
            self._judge_hard(vectors, products, norm2, total)
        else:
            self._judge_soft(vectors, products)
        self.judged = True
        self.gaps_scanned.append(self._gap())
        self.clock.report(self.mistakes, self.lower, self.upper)
        weights = dual.weights[order]
        scores = products + dual.offsets
        own = scores[np.arange(len(order)), self.codes]
        slopes = 1.0 + scores - own[:, None]
        slopes[np.arange(len(order)), self.codes] = -inf
        sums = weights.sum(axis=1)
        full = sums >= FULL * dual.most[order]
        levels = np.where(full, np.maximum(0.0, slopes.max(axis=1)), dual.slack2[order] * sums)
        slopes -= levels[:, None]
        violation = float(np.where(weights > 0.0, np.abs(slopes), slopes).max())
        near = weights.any(axis=1) | (slopes.max(axis=1) >= -reach * violation)
        return order[near], reach * violation

    def _judge_hard(self, vectors: Vector, products: Vector, norm2: float, total: float) -> None:
        """Keep the better bounds on the margin."""
        length = sqrt(norm2)
        if not length > 0.0:
            return
        offsets, margin, mistakes, _ = place_hard(products, self.codes, free=self.sample.affine)
        if (-mistakes, margin / length) > (-self.mistakes, self.lower):
            self.mistakes, self.lower = mistakes, margin / length
            # Where it separates, the model is scaled to f_y - f_r >= 1.
            factor = 1.0 / margin if margin > 0.0 else 1.0
            self._take_model(factor * vectors, factor * offsets)
        if length / total < self.upper:
            self.upper, self.weights = length / total, self.dual.weights.copy()

    def _judge_soft(self, vectors: Vector, products: Vector) -> None:
        """Keep the better bounds on the objective."""
        order, most = self.sample.order, self.problem.most
        norm2 = float((vectors**2).sum())
        placed = place_soft(
            norm2,
            products,
            self.codes,
            self.dual.slack2[order],
            self.dual.offsets,
            free=self.sample.affine,
            most=None if most is None else most[order],
        )
        if placed.value < self.upper:
            self.upper, self.mistakes = placed.value, placed.mistakes
            self._take_model(placed.factor * vectors, placed.offsets)
        lower, multiple = self.problem.dual(self.dual.weights[order], 2.0 * norm2)
        if lower > self.lower:
            self.lower, self.weights = lower, self.dual.weights * multiple

    def _take_model(self, vectors: Vector, offsets: Vector) -> None:
        """Remember a model, its offsets taken from this centre to the sample's."""
        if self.sample.affine:
            offsets = offsets + vectors @ (self.sample.centre - self.dual.centre)
        self.vectors, self.offsets = vectors, offsets

    def solution(self, status: Status) -> JointSolution:
        """Return the best model and the weights of the best bound."""
        if not self.dual.is_finite:
            self.dual.clear()
        if not self.gave_up and (not self.judged or status is Status.MAX_ITER):
            with self.passes.without_limits():
                self.scan()
        if status.at_limit and self._is_within():
            status = Status.GAP_REACHED
        weights = self.weights
        if self.hard and 0.0 < self.upper < inf and weights.any():
            # The multiple that makes the vectors of the optimum.
            weights = weights / (float(weights.sum()) * self.upper**2)
        return JointSolution(
            vectors=self.vectors,
            offsets=self.offsets,
            weights=weights,
            status=status,
            lower=self.lower,
            upper=self.upper,
            solver="joint-coordinate",
            mistakes=self.mistakes,
            gave_up=self.gave_up,
        )
