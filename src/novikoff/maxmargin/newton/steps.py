"""A run of Newton's method: where it is, its best bounds, and one step."""

from collections.abc import Callable

import numpy as np

from novikoff.compiled import hinge as compiled
from novikoff.maxmargin.newton.curvature import Curvature
from novikoff.maxmargin.newton.objective import Carried, Objective, Point, Proof
from novikoff.maxmargin.newton.settings import NewtonSettings
from novikoff.maxmargin.passes import Passes, Vector
from novikoff.maxmargin.problem import Problem
from novikoff.maxmargin.vectors import filled
from novikoff.run.clock import Clock


class Steps:
    """What a run shares between all its stages; the parameters are those of ``newton``."""

    def __init__(
        self,
        problem: Problem,
        tol: float,
        clock: Clock,
        exact: bool,
        patient: bool,
        detour: bool,
        leave_at: float,
        leaves: Callable[[int, float], bool] | None,
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
        self.leave_at = leave_at
        self.leaves = leaves
        self.settings = settings
        self.gave_up = False
        # The weights that another solver goes on from.
        self.left: Proof | None = None
        # The passes after which weights may be looked for on their face.
        self.next_proof = 0.0
        self.passes = Passes(problem.sample, clock)
        self.curvature = Curvature(self.passes, settings)
        self.whole = Objective.of_all(self.passes, problem.slack2, settings)
        # Where a subsample has led; then the best point on the whole so far, and the best proof.
        self.w, self.offset = np.zeros(problem.n_features), 0.0
        self.best: Point | None = None
        self.proof: Proof | None = None

    def step(
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
                self.prove(some.proof_after(point, direction, whole_step))
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

    def gives_up(self, point: Point, detoured: bool = False) -> bool:
        """Whether to leave few stiff hinges to another solver, after a detour or without one."""
        settings, d = self.settings, len(point.w)
        few = len(point.active) <= max(settings.few_hinges, settings.few_per_feature * d)
        self.gave_up = few and (detoured or not self.detour) and not self.patient
        return self.gave_up

    def leaves_with(self, some: Objective, point: Point) -> bool:
        """Whether to leave a point of a softer problem on all examples to another solver."""
        if self.leaves is None or some.ids is not self.whole.ids:
            return False
        self.gave_up = self.leaves(len(point.active), self.curvature.spent)
        self.left = point.proof if self.gave_up else None
        return self.gave_up

    def posed(self, some: Objective, point: Point) -> Point:
        """Return the hyperplane of a softer problem as a point of the one that was posed."""
        self.curvature.forget()
        return some.point(point.w, point.offset, point.products)

    def record(self, point: Point) -> None:
        """Remember the points of the best bounds, and report them."""
        if self.best is None or point.primal <= self.best.primal:
            self.best = point
        self.prove(point.proof)
        assert self.proof is not None
        # A hinge of 1 or more is an example on the wrong side.
        hinges = self.best.weights / self.whole.stiffness[self.best.active]
        mistakes = int(np.count_nonzero(hinges >= 1.0))
        self.clock.report(mistakes, self.proof.dual, self.best.primal)

    def prove(self, proof: Proof) -> None:
        """Remember the weights of the best bound."""
        if self.proof is None or proof.dual >= self.proof.dual:
            self.proof = proof

    def reached(self) -> bool:
        """Whether the best bounds are as close as was asked for."""
        assert self.best is not None and self.proof is not None
        return self.proof.dual >= (1.0 - self.tol) * self.best.primal
