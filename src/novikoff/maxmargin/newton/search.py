"""Finite Newton in the primal: the soft margin where features are not too many.

O. L. Mangasarian, "A finite Newton method for classification", Optimization Methods and Software 17
(2002); S. S. Keerthi & D. DeCoste, "A modified finite Newton method for fast solution of large
scale linear SVMs", Journal of Machine Learning Research 6 (2005).

The squared hinge makes the primal piecewise quadratic, and a Newton step is exact once it knows
which hinges are open. A first, crude step is made on a few thousand examples; then come subsamples
of growing size, and last all examples.
"""

from collections.abc import Callable
from itertools import islice
from math import inf

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.bounds import dual_variables, normalized
from novikoff.maxmargin.newton.detours import detour as take_detour
from novikoff.maxmargin.newton.face_proof import proof_on_face
from novikoff.maxmargin.newton.objective import Point
from novikoff.maxmargin.newton.settings import NEWTON, NewtonSettings
from novikoff.maxmargin.newton.steps import Steps
from novikoff.maxmargin.passes import Vector
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.run.clock import Clock, Stopped


def newton(
    problem: Problem,
    *,
    tol: float,
    clock: Clock,
    start: Vector | None = None,
    exact: bool = False,
    patient: bool = True,
    detour: bool = False,
    leave_at: float = 0.0,
    leaves: Callable[[int, float], bool] | None = None,
    settings: NewtonSettings = NEWTON,
) -> Solution:
    """Minimise the soft margin's primal until the relative gap is at most ``tol``.

    Parameters
    ----------
    problem : Problem
        With slack.
    tol : float
        Stop when ``(primal - dual) / primal`` is no larger.
    clock : Clock
        Limits and history. Limits are in passes over the examples; each step on all examples is
        reported.
    start : array of shape (n_examples,), optional
        Weights to start from.
    exact : bool
        Go on to the last digits, whatever ``tol``, and solve Newton's equation to rounding.
    patient : bool
        Whether to go on where few hinges are open and so stiff that steps are short; else
        the solution says that it ``gave_up``.
    detour : bool
        Whether to give up only near the optimum of a softer problem, which another solver can start
        from.
    leave_at : float
        Give up after the first step on all examples if it leaves less than this share of the
        hinges open.
    leaves : function, optional
        Give up on a detour with multipliers where this says, of the number of examples that carry
        weight and the multiplications that all products took, that another solver is faster. The
        weights are then those of the detour, which are nearer to the optimum than their bound.
    settings : NewtonSettings, optional
        Sizes and accuracies.

    Returns
    -------
    Solution
        ``weights`` are hinges over ``Delta^2``, which at the optimum solve the dual.
    """
    run = _Run(problem, tol, clock, exact, patient, detour, leave_at, leaves, settings)
    try:
        run.begin(start)
        status = run.finish()
    except Stopped as stopped:
        status = stopped.status
    return run.solution(status)


class _Run(Steps):
    def begin(self, start: Vector | None) -> None:
        """Go down on growing subsamples, or to where the given weights lead."""
        # What is found here is judged on the whole, in two passes.
        self.passes.reserved = 2.0
        if start is not None:
            self._begin_at(start)
        elif not self.exact and not self._is_quick():
            self._begin_on_subsamples()
        self.passes.reserved = 0.0
        self.gave_up = False

    def _is_quick(self) -> bool:
        """Whether a pass over all examples is so quick that subsamples are not worth their steps.

        That is so of sparse data that one thread reads.
        """
        return self.sample.is_sparse and len(self.whole.ids) <= self.sample.storage.chunk

    def _begin_on_subsamples(self) -> None:
        settings, subsamples = self.settings, self.whole.subsamples()
        forcing = settings.forcing_on_subsamples
        for some in islice(subsamples, 1):
            # Closer to the optimum of so few examples is no closer to that of all.
            point = some.point(self.w, self.offset, some.products(self.w))
            point, _ = self.step(some, point, forcing=forcing, crudely=True)
            self.w, self.offset = point.w, point.offset
        for some in subsamples:
            self.curvature.forget()
            point, before = some.point(self.w, self.offset, some.products(self.w)), inf
            least = settings.leave_subsample * len(self.w) / len(some.ids)
            while (
                before - point.primal > least * point.primal
                and self.curvature.gain(point.gradient) > least * point.primal
            ):
                before = point.primal
                point, length = self.step(some, point, forcing=forcing)
                if length < settings.short_step and not self.gives_up(point):
                    point = take_detour(self, some, point)
                self.w, self.offset = point.w, point.offset
                if self.gave_up:
                    # All examples decide whether to give up.
                    return

    def finish(self) -> Status:
        """Go down on all examples, until the gap is small or rounding ends it."""
        settings, point = self.settings, self._judge()
        stalls, detoured, first = 0, False, True
        rounding, vanishing = settings.exact_gradient, settings.vanishing_norm
        least = rounding if self.exact else max(rounding, settings.stall * self.tol)
        while stalls <= settings.most_stalls and (self.exact or not self.reached()):
            steepness, primal = point.steepness(vanishing), point.primal
            if steepness <= rounding or (
                point.gap <= settings.exact_gap and point.is_stationary(settings.rounding)
            ):
                break
            point, length = self.step(self.whole, point, forcing=settings.forcing)
            self.record(point)
            if self._lacks_proof(point, primal):
                self._prove_on_face(point)
            if first and len(point.active) < self.leave_at * len(self.whole.ids):
                self.gave_up = True
                break
            # The next steps will be short.
            too_far = len(point.active) < settings.too_far * len(point.w)
            too_far = too_far and first and not self.patient
            short, first = too_far or length < settings.short_step, False
            short = short and point.gap > settings.detour_gap and self._is_stiff(point)
            if short and self.gives_up(point, detoured):
                break
            if short and not detoured:
                point, detoured = take_detour(self, self.whole, point), True
                self.record(point)
                if self.gave_up:
                    break
            elif point.steepness(vanishing) > 0.5 * steepness and point.primal >= primal * (
                1.0 - least
            ):
                stalls += 1
                self.curvature.enrich()
        return Status.GAP_REACHED if self.reached() else Status.PRECISION

    def _is_stiff(self, point: Point) -> bool:
        """Whether most hinges of sparse data are nearly closed, so that softer problems help.

        Where labels are noise steps are short, too, and get longer by themselves.
        """
        if not self.sample.is_sparse or not self.patient:
            return True
        return point.primal <= self.settings.stiff_share * self.whole.primal_at_zero

    def _lacks_proof(self, point: Point, before: float) -> bool:
        """Whether the primal objective of sparse data is near its optimum, and the dual is not.

        ``before`` is the primal objective a step ago.
        """
        if not self.sample.is_sparse or self.exact or self.reached():
            return False
        if self.curvature.preconditioner is not None:
            # Steps with a factor lead to good weights by themselves, and sooner.
            return False
        settled = before - point.primal <= self.settings.settled * self.tol * point.primal
        return settled and self.clock.passes >= self.next_proof

    def _prove_on_face(self, point: Point) -> None:
        """Look for better weights, and not again before twice as many passes were made."""
        before = self.clock.passes
        self.prove(proof_on_face(self, point))
        self.next_proof = self.clock.passes + 2.0 * (self.clock.passes - before)

    def _begin_at(self, weights: Vector) -> None:
        """Start from the vector that weights make, at the length with the largest dual."""
        ids = self.whole.ids
        weights, total = normalized(weights[ids], self.whole.signs, self.sample.affine)
        if total > 0.0:
            some = np.flatnonzero(weights)
            # The centre cancels: where there is one, the classes have the same weight.
            ((positive, negative),) = self.passes.class_sums(ids[some], weights[some])
            w = positive - negative
            self.w = w * (total / float(w @ w + weights**2 @ self.slack2[ids]))

    def _judge(self) -> Point:
        point = self.whole.point(self.w, self.offset, self.whole.products(self.w))
        self.record(point)
        return point

    def solution(self, status: Status) -> Solution:
        """Return the best hyperplane and the weights that prove the best bound."""
        if self.best is None:
            with self.passes.without_limits():
                self._judge()
        best, proof = self.best, self.left or self.proof
        assert best is not None and proof is not None
        if status.at_limit and self.reached():
            status = Status.GAP_REACHED
        weights = np.zeros(self.sample.n_examples)
        weights[self.whole.ids[proof.active]] = dual_variables(
            proof.weights, self.whole.signs[proof.active], proof.dual, self.sample.affine
        )
        return Solution(
            w=best.w,
            offset=best.offset,
            weights=weights,
            status=status,
            lower=proof.dual,
            upper=best.primal,
            solver="newton",
            gave_up=self.gave_up,
        )
