"""Finite Newton in the primal: the soft margin where features are not too many.

The squared hinge makes the primal piecewise quadratic, and a Newton step is exact once it knows
which hinges are open. A first, crude step is made on a few thousand examples; most of the way is
gone on four times as many, and so on, until they are all.
"""

import time
from collections.abc import Sequence
from itertools import islice
from math import ceil, inf

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.compiled import hinge as compiled
from novikoff.maxmargin.newton.curvature import Curvature
from novikoff.maxmargin.newton.parts import Part, Point, dual_variables, shares
from novikoff.maxmargin.passes import Passes, Stopped
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.run.record import Callback, Limits, Progress

Vector = NDArray[np.float64]

# A part of n examples is left when a step gains, or promises to gain, less than a tenth of d / n:
# its own optimum is further than that from the optimum of the whole.
LEFT_AT = 0.1
EXACT = 2.0**-51
# A step stalls that gains so little in the primal, in units of the gap asked for, and does not
# halve the gradient.
NOTHING = 1e-6
STALLS = 2
ROUNDED = 1e-9
# What rounding may have done to carried sums, as a share of the gap asked for.
DOUBTFUL = 0.01
# How far the residual of Newton's equation must fall: on a part, which is left anyway, on the
# whole, and on a detour, where hinges are stiff.
ON_PARTS = 0.1
ON_THE_WHOLE = 0.05
ON_DETOURS = 0.03
# A detour begins at a step shorter than 1/10 and makes the hinges softer by hundreds until the
# step is no shorter, then harder by fives, each time after a step of nearly the full length.
SHORT = 0.1
LONG = 0.9
SOFTER = 100.0
# The impatient leave so few hinges to others.
FEW_OPEN = 1000
HARDER = 5.0
MOST_STEPS = 50


def newton(
    problem: Problem,
    *,
    tol: float,
    limits: Limits,
    start: Vector | None = None,
    callbacks: Sequence[Callback] = (),
    patient: bool = True,
) -> Solution:
    """Minimise the soft margin's primal until the relative gap is at most ``tol``.

    Parameters
    ----------
    problem : Problem
        With slack.
    tol : float
        Stop when ``(primal - dual) / primal`` is no larger. Small problems (a million values)
        are solved to the last digits in any case.
    limits : Limits
        Where to give up; ``max_iter`` is in passes over the examples.
    start : array of shape (n_examples,), optional
        Weights to start from.
    callbacks : sequence of callables
        Called with a :class:`Progress` after each step on all examples.
    patient : bool
        Whether to go on where few hinges are open and so stiff that steps are short; else
        the solution says that it ``gave_up``.

    Returns
    -------
    Solution
        ``weights`` are hinges over ``Delta^2``, which at the optimum solve the dual.
    """
    run = _Run(problem, tol, limits, callbacks, patient)
    try:
        run.begin(start)
        status = run.finish()
    except Stopped as stopped:
        status = stopped.status
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    return run.solution(status)


class _Run:
    def __init__(
        self,
        problem: Problem,
        tol: float,
        limits: Limits,
        callbacks: Sequence[Callback],
        patient: bool,
    ) -> None:
        if problem.slack2 is None:
            raise ValueError("Newton's method is for the soft margin; the problem has no slack.")
        self.sample = problem.sample
        self.slack2 = problem.slack2
        self.tol = tol
        self.callbacks = callbacks
        self.patient = patient
        self.gave_up = False
        self.passes = Passes(problem.sample, limits)
        self.curvature = Curvature(self.passes)
        self.whole = Part.whole(self.passes, problem.slack2)
        self.small = problem.is_small
        # Where a part has led; then the points on the whole with the best bounds so far.
        self.w, self.offset = np.zeros(self.sample.storage.shape[1]), 0.0
        self.best: Point | None = None
        self.proof: Point | None = None
        self.steps = 0
        self.history: list[Progress] = []
        self.started = time.perf_counter()

    def begin(self, start: Vector | None) -> None:
        """Go down on growing parts, or to where the weights are that were given."""
        # What is found here is judged on the whole, in two passes.
        self.passes.reserved = 2.0
        if start is not None:
            self._begin_at(start)
        elif not self.small:
            self._begin_on_parts()
        self.passes.reserved = 0.0

    def _begin_on_parts(self) -> None:
        growing = self.whole.growing()
        for part in islice(growing, 1):
            # Closer to the optimum of so few examples is no closer to that of all.
            point = part.point(self.w, self.offset, part.products(self.w))
            point, _ = self._step(part, point, forcing=ON_PARTS, crudely=True)
            self.w, self.offset = point.w, point.offset
        for part in growing:
            self.curvature.forget()
            point, before = part.point(self.w, self.offset, part.products(self.w)), inf
            least = LEFT_AT * len(self.w) / len(part.ids)
            while (
                before - point.primal > least * point.primal
                and self.curvature.gain(point.gradient) > least * point.primal
            ):
                before = point.primal
                point, length = self._step(part, point, forcing=ON_PARTS)
                if length < SHORT:
                    if self._gives_up(point):
                        break
                    point = self._detour(part, point)
                self.w, self.offset = point.w, point.offset

    def finish(self) -> Status:
        """Go down on all examples, until the gap is small or rounding ends it."""
        point = self._judge()
        stalls, detoured = 0, False
        least = EXACT if self.small else max(EXACT, NOTHING * self.tol)
        while stalls <= STALLS and (self.small or point.gap > self.tol):
            steepness, primal = point.steepness, point.primal
            if steepness <= EXACT:
                break
            point, length = self._step(self.whole, point, forcing=ON_THE_WHOLE)
            self._keep(point)
            if length < SHORT and point.gap > ROUNDED and not detoured:
                if self._gives_up(point):
                    break
                point, detoured = self._detour(self.whole, point), True
                self._keep(point)
            elif point.steepness > 0.5 * steepness and point.primal >= primal * (1.0 - least):
                stalls += 1
                self.curvature.enrich()
        assert self.best is not None and self.proof is not None
        reached = self.proof.dual >= (1.0 - self.tol) * self.best.primal
        return Status.GAP_REACHED if reached else Status.PRECISION

    def _step(
        self, part: Part, point: Point, *, forcing: float, crudely: bool = False
    ) -> tuple[Point, float]:
        """Return the best point on the line through a point along Newton's direction."""
        direction = self.curvature.solve(
            part.ids[point.active],
            part.stiffness[point.active],
            -point.gradient,
            enough2=self.tol * point.primal if part is self.whole and not self.small else 0.0,
            forcing=forcing,
            exactly=self.small,
            crudely=crudely,
        )
        products = part.products_along(direction, point.active)
        length = compiled.best_step(
            part.hinges(point.products, point.offset),
            part.signs * (products + direction.offset),
            part.stiffness,
            float(point.w @ direction.w),
            float(direction.w @ direction.w),
            1.0,
        )
        self.steps += 1
        place = (
            point.w + length * direction.w,
            point.offset + length * direction.offset,
            point.products + length * products,
        )
        carried = point.carried(length * direction.images)
        doubt = carried.rounding * float(np.linalg.norm(place[0]))
        if self.small or not doubt <= DOUBTFUL * self.tol * point.primal:
            return part.point(*place), length
        return part.point(*place, carried), length

    def _gives_up(self, point: Point) -> bool:
        self.gave_up = not self.patient and len(point.active) <= FEW_OPEN
        return self.gave_up

    def _detour(self, part: Part, point: Point) -> Point:
        """Approach the optimum through softer problems.

        Where hinges are stiff, a step opens others at once and is short. The optimum of a softer
        problem has nearly the same open hinges.
        """
        softness, hardening = SOFTER, False
        while softness > 1.0:
            softer, length = part.softened(softness), 0.0
            self.curvature.forget()
            point = softer.point(point.w, point.offset, point.products)
            for _ in range(MOST_STEPS):
                point, length = self._step(softer, point, forcing=ON_DETOURS)
                if length >= LONG or (length < SHORT and not hardening):
                    break
            else:
                # Rounding, not stiffness, keeps the steps short.
                break
            hardening = hardening or length >= LONG
            softness *= 1.0 / HARDER if hardening else SOFTER
        self.curvature.forget()
        return part.point(point.w, point.offset, point.products)

    def _begin_at(self, weights: Vector) -> None:
        """Start from the vector that weights make, at the length that serves the dual best."""
        ids = self.whole.ids
        weights, total = shares(weights[ids], self.whole.signs, self.sample.affine)
        if total > 0.0:
            some = np.flatnonzero(weights)
            # The centre cancels: where there is one, the classes have the same weight.
            ((positive, negative),) = self.passes.class_sums(ids[some], weights[some])
            w = positive - negative
            self.w = w * (total / float(w @ w + weights**2 @ self.slack2[ids]))

    def _judge(self) -> Point:
        point = self.whole.point(self.w, self.offset, self.whole.products(self.w))
        self._keep(point)
        return point

    def _keep(self, point: Point) -> None:
        """Remember the points of the best bounds, and write a line of history."""
        if self.best is None or point.primal <= self.best.primal:
            self.best = point
        if self.proof is None or point.dual >= self.proof.dual:
            self.proof = point
        # A hinge of 1 or more is an example on the wrong side.
        hinges = self.best.weights / self.whole.stiffness[self.best.active]
        line = Progress(
            iteration=ceil(self.passes.count),
            updates=self.steps,
            mistakes=int(np.count_nonzero(hinges >= 1.0)),
            lower=self.proof.dual,
            upper=self.best.primal,
            seconds=time.perf_counter() - self.started,
        )
        self.history.append(line)
        for callback in self.callbacks:
            callback(line)

    def solution(self, status: Status) -> Solution:
        """Return the best hyperplane and the weights that prove the best bound."""
        if self.best is None:
            self.passes.unlimited = True
            self._judge()
        best, proof = self.best, self.proof
        assert best is not None and proof is not None
        if status.at_limit and proof.dual >= (1.0 - self.tol) * best.primal:
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
            n_passes=ceil(self.passes.count),
            n_steps=self.steps,
            history=self.history,
            gave_up=self.gave_up,
        )
