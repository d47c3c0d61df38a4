"""Finite Newton in the primal: the soft margin where features are not too many.

O. L. Mangasarian, "A finite Newton method for classification", Optimization Methods and Software 17
(2002); S. S. Keerthi & D. DeCoste, "A modified finite Newton method for fast solution of large
scale linear SVMs", Journal of Machine Learning Research 6 (2005). For stiff hinges the method of
multipliers: Y. Yan & Q. Li, "An efficient augmented Lagrangian method for support vector machine",
Optimization Methods and Software 35 (2020).

The squared hinge makes the primal piecewise quadratic, and a Newton step is exact once it knows
which hinges are open. A first, crude step is made on a few thousand examples; then come subsamples
of growing size, and last all examples.
"""

from itertools import islice
from math import inf

import numpy as np

from novikoff.certificate import Status
from novikoff.compiled import hinge as compiled
from novikoff.maxmargin.bounds import dual_variables, normalized
from novikoff.maxmargin.newton.curvature import Curvature
from novikoff.maxmargin.newton.objective import Carried, Objective, Point, Proof
from novikoff.maxmargin.newton.settings import NEWTON, NewtonSettings
from novikoff.maxmargin.passes import Passes, Vector
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.maxmargin.vectors import filled
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
    settings : NewtonSettings, optional
        Sizes and accuracies.

    Returns
    -------
    Solution
        ``weights`` are hinges over ``Delta^2``, which at the optimum solve the dual.
    """
    run = _Run(problem, tol, clock, exact, patient, detour, settings)
    try:
        run.begin(start)
        status = run.finish()
    except Stopped as stopped:
        status = stopped.status
    return run.solution(status)


class _Run:
    def __init__(
        self,
        problem: Problem,
        tol: float,
        clock: Clock,
        exact: bool,
        patient: bool,
        detour: bool,
        settings: NewtonSettings,
    ) -> None:
        if problem.slack2 is None:
            raise ValueError("Newton's method is for the soft margin; the problem has no slack.")
        self.sample = problem.sample
        self.slack2 = problem.slack2
        self.tol = tol
        self.clock = clock
        self.exact = exact
        self.patient = patient
        self.detour = detour
        self.settings = settings
        self.gave_up = False
        self.passes = Passes(problem.sample, clock)
        self.curvature = Curvature(self.passes, settings)
        self.whole = Objective.of_all(self.passes, problem.slack2, settings)
        # Where a subsample has led; then the best point on the whole so far, and the best proof.
        self.w, self.offset = np.zeros(problem.n_features), 0.0
        self.best: Point | None = None
        self.proof: Proof | None = None

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
            point, _ = self._step(some, point, forcing=forcing, crudely=True)
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
                point, length = self._step(some, point, forcing=forcing)
                if length < settings.short_step and not self._gives_up(point):
                    point = self._detour(some, point)
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
        while stalls <= settings.most_stalls and (self.exact or not self._reached()):
            steepness, primal = point.steepness(vanishing), point.primal
            if steepness <= rounding or (
                point.gap <= settings.exact_gap and point.is_stationary(settings.rounding)
            ):
                break
            point, length = self._step(self.whole, point, forcing=settings.forcing)
            self._record(point)
            # The next steps will be short.
            too_far = len(point.active) < settings.too_far * len(point.w)
            too_far = too_far and first and not self.patient
            short, first = too_far or length < settings.short_step, False
            short = short and point.gap > settings.detour_gap
            if short and self._gives_up(point, detoured):
                break
            if short and not detoured:
                point, detoured = self._detour(self.whole, point), True
                self._record(point)
                if self.gave_up:
                    break
            elif point.steepness(vanishing) > 0.5 * steepness and point.primal >= primal * (
                1.0 - least
            ):
                stalls += 1
                self.curvature.enrich()
        return Status.GAP_REACHED if self._reached() else Status.PRECISION

    def _reached(self) -> bool:
        """Whether the best bounds are as close as was asked for."""
        assert self.best is not None and self.proof is not None
        return self.proof.dual >= (1.0 - self.tol) * self.best.primal

    def _step(
        self, some: Objective, point: Point, *, forcing: float, crudely: bool = False
    ) -> tuple[Point, float]:
        """Return the best point on the line through a point along Newton's direction.

        Also the length of the step, in units of the full one.
        """
        direction = self.curvature.solve(
            some.ids[point.active],
            some.stiffness[point.active],
            -point.gradient,
            enough2=self.tol * point.primal if some is self.whole and not self.exact else 0.0,
            forcing=forcing,
            exactly=self.exact,
            crudely=crudely,
        )
        products = some.products_along(direction, point.active)
        length = compiled.best_step(
            some.hinges(point.products, point.offset),
            filled(
                lambda part: some.signs[part] * (products[part] + direction.offset), len(products)
            ),
            some.stiffness,
            float(point.w @ direction.w),
            float(direction.w @ direction.w),
            1.0,
        )
        self.clock.updates += 1
        # A softer problem with multipliers leads to the same weights.
        same = some is self.whole or (some.ids is self.whole.ids and some.shifts is not None)
        if same and not self.exact and length < self.settings.long_step:
            whole_step = point.carried(direction.images, self.settings.rounding)
            if self._is_trusted(whole_step, point.w + direction.w, point.primal):
                self._prove(some.proof_after(point, direction, whole_step))
        place = (
            point.w + length * direction.w,
            point.offset + length * direction.offset,
            filled(lambda part: point.products[part] + length * products[part], len(products)),
        )
        carried = point.carried(length * direction.images, self.settings.rounding)
        if self.exact or not self._is_trusted(carried, place[0], point.primal):
            return some.point(*place), length
        return some.point(*place, carried), length

    def _is_trusted(self, carried: Carried, w: Vector, primal: float) -> bool:
        """Whether rounding errors of carried sums matter little for the gap asked for."""
        doubt = carried.rounding * float(np.linalg.norm(w))
        return doubt <= self.settings.doubtful * self.tol * primal

    def _gives_up(self, point: Point, detoured: bool = False) -> bool:
        """Whether to leave few stiff hinges to another solver, after a detour or without one."""
        settings, d = self.settings, len(point.w)
        few = len(point.active) <= max(settings.few_hinges, settings.few_per_feature * d)
        self.gave_up = few and (detoured or not self.detour) and not self.patient
        return self.gave_up

    def _detour(self, some: Objective, point: Point) -> Point:
        """Approach the optimum through softer problems.

        Where hinges are stiff, a step opens others at once and is short. The optimum of a softer
        problem has nearly the same open hinges. With ``patient=False`` it ends, and so does the
        search, on the way back: where about as many hinges are open as there are features, or few
        and a step is short. Wolfe's method goes on from there.
        """
        if self.patient and not self.sample.is_sparse:
            return self._detour_with_multipliers(some, point)
        settings = self.settings
        softness, hardening = settings.softer, False
        while softness > 1.0 and not self.gave_up:
            softer, length = some.softened(softness), 0.0
            self.curvature.forget()
            point = softer.point(point.w, point.offset, point.products)
            for _ in range(settings.detour_steps):
                point, length = self._step(softer, point, forcing=settings.forcing_on_detours)
                short = length < settings.short_step
                if length >= settings.long_step or (short and not hardening):
                    break
                if short and self._gives_up(point, detoured=True):
                    break
            else:
                # Rounding, not stiffness, keeps the steps short.
                break
            hardening = hardening or length >= settings.long_step
            near = len(point.active) <= settings.near_corral * len(point.w)
            self.gave_up = self.gave_up or (near and hardening and not self.patient)
            softness *= 1.0 / settings.harder if hardening else settings.softer
        return self._posed(some, point)

    def _detour_with_multipliers(self, some: Objective, point: Point) -> Point:
        """Approach the optimum through softer problems that have the same optimum.

        On the way back a proximal term in the dual, the method of multipliers, makes up for the
        softness: the gap of the problem that was posed is often reached while hinges are still
        soft. On sparse data, whose steps are cheap, this takes 5 to 10 % more passes than without.
        """
        settings = self.settings
        point, softness = self._soften(some, point)
        while softness > 1.0:
            softness = max(1.0, softness / settings.harder_with_multipliers)
            softer = some.softened(softness, near=point)
            self.curvature.forget()
            point = softer.point(point.w, point.offset, point.products)
            for _ in range(settings.detour_steps):
                point, _ = self._step(softer, point, forcing=settings.forcing_on_detours)
                ended = point.steepness(settings.vanishing_norm) <= settings.near_optimum
                if self._settles(some, point, ended):
                    return self._posed(some, point)
                if ended:
                    break
            else:
                # Rounding, not stiffness, keeps the steps short.
                break
        return self._posed(some, point)

    def _soften(self, some: Objective, point: Point) -> tuple[Point, float]:
        """Make hinges softer until steps are long; return a point near the optimum there.

        Also how soft they are, or 1 where rounding keeps the steps short.
        """
        settings, softness, long = self.settings, 1.0, False
        while not long:
            softness *= settings.softer
            softer = some.softened(softness)
            self.curvature.forget()
            point = softer.point(point.w, point.offset, point.products)
            for _ in range(settings.detour_steps):
                point, length = self._step(softer, point, forcing=settings.forcing_on_detours)
                long = length >= settings.long_step
                near = point.steepness(settings.vanishing_norm) <= settings.near_optimum
                if length < settings.short_step or (long and near):
                    break
            else:
                return point, 1.0
        return point, softness

    def _settles(self, some: Objective, point: Point, ended: bool) -> bool:
        """Whether a detour on all examples has led to the gap that was asked for.

        Weights are judged after each step; the hyperplane, which takes longer, where the softer
        problem has ``ended`` or the gap is small.
        """
        if self.exact or some is not self.whole:
            return False
        assert self.best is not None and self.proof is not None
        self._prove(point.proof)
        enough = 1.0 - self.settings.nearly * self.tol
        if ended or self.proof.dual >= enough * self.best.primal:
            self._record(some.at_best_length(point))
        return self._reached()

    def _posed(self, some: Objective, point: Point) -> Point:
        """Return the hyperplane of a softer problem as a point of the one that was posed."""
        self.curvature.forget()
        return some.point(point.w, point.offset, point.products)

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
        self._record(point)
        return point

    def _record(self, point: Point) -> None:
        """Remember the points of the best bounds, and report them."""
        if self.best is None or point.primal <= self.best.primal:
            self.best = point
        self._prove(point.proof)
        assert self.proof is not None
        # A hinge of 1 or more is an example on the wrong side.
        hinges = self.best.weights / self.whole.stiffness[self.best.active]
        mistakes = int(np.count_nonzero(hinges >= 1.0))
        self.clock.report(mistakes, self.proof.dual, self.best.primal)

    def _prove(self, proof: Proof) -> None:
        """Remember the weights of the best bound."""
        if self.proof is None or proof.dual >= self.proof.dual:
            self.proof = proof

    def solution(self, status: Status) -> Solution:
        """Return the best hyperplane and the weights that prove the best bound."""
        if self.best is None:
            with self.passes.without_limits():
                self._judge()
        best, proof = self.best, self.proof
        assert best is not None and proof is not None
        if status.at_limit and self._reached():
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
