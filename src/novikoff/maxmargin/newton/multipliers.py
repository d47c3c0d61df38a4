"""Hard margins by the method of multipliers, with Newton's method on shifted hinges.

M. R. Hestenes, "Multiplier and gradient methods", Journal of Optimization Theory and Applications 4
(1969); R. T. Rockafellar, "Augmented Lagrange multiplier functions and duality in nonconvex
programming", SIAM Journal on Control 12 (1974).

The weights of the examples are the multipliers of ``y f(x) >= 1``. Each shifts the squared hinge of
its example, and the minimum of the shifted hinges gives the next weights. The hinges need not
become stiffer for that, so that conjugate gradients take few products, where soft margins of
growing C would take more and more.
"""

from dataclasses import dataclass, replace
from math import inf, sqrt

import numpy as np

from novikoff.certificate import Status
from novikoff.compiled.hinge import best_step
from novikoff.maxmargin.bounds import normalized, place_hard
from novikoff.maxmargin.newton.curvature import Curvature
from novikoff.maxmargin.newton.objective import Objective, Point
from novikoff.maxmargin.newton.settings import NewtonSettings
from novikoff.maxmargin.passes import Passes, Vector
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.run.clock import Clock, Stopped


@dataclass(frozen=True)
class MultiplierSettings:
    """How stiff hinges are, and how closely their minima are approached.

    Figures are passes at half the value, at the value and at twice the value, of separable data to
    a gap of 1e-3: *one-hot* 10,000 x 1,000, *binary* 10,000 x 2,000 and *counts* 20,000 x 3,000.
    """

    stiffness: float = 15.0
    """In units of the mean weight of an example that carries the margin. With ``forcing`` 0.1,
    one-hot, passes 131, 120, 117; binary 146, 133, 207; counts 112, 117, 141."""

    forcing: float = 0.2
    """How far the residual of Newton's equation must fall, in units of what it was. One-hot, passes
    129 at a quarter, 120 at half, 92 at the value; binary 194, 133, 101; counts 138, 117, 117."""

    near_optimum: float = 0.05
    """Weights are taken for shifts where the gradient is this short, in units of ``w``. With
    ``forcing`` 0.1, one-hot, passes 128, 120, 115; binary 147, 133, 175; counts 110, 117, 140; at
    four times the value and twice the stiffness 574, 858 and 680."""

    most_products: int = 200
    """The most products of conjugate gradients in a step. The same at half and at twice."""

    most_steps: int = 25
    """Give up where the minimum of shifted hinges takes more steps, as where the margin is small
    beside the extent of the examples: the first minimum takes 11 on one-hot data of margin 0.03,
    and 46 of margin 0.003 (10,000 x 600)."""


MULTIPLIERS = MultiplierSettings()


def multipliers(
    problem: Problem,
    *,
    tol: float,
    clock: Clock,
    before: Solution,
    settings: MultiplierSettings = MULTIPLIERS,
) -> Solution:
    """Return the separator of largest margin, to within ``tol``.

    Parameters
    ----------
    problem : Problem
        Without slack, of sparse examples.
    tol : float
        Stop when ``1 - lower / upper`` is no larger.
    clock : Clock
        Limits and history; each choice of weights is reported.
    before : Solution
        A separator, and weights such as those of a soft margin.
    settings : MultiplierSettings, optional
        Stiffness and accuracies.

    Returns
    -------
    Solution
        It ``gave_up`` where another solver suits the problem better.
    """
    run = _Run(problem, tol, clock, settings)
    try:
        status = run.iterate(before)
    except Stopped as stopped:
        status = stopped.status
    return run.solution(status)


class _Run:
    def __init__(
        self, problem: Problem, tol: float, clock: Clock, settings: MultiplierSettings
    ) -> None:
        self.sample = problem.sample
        self.tol = tol
        self.clock = clock
        self.settings = settings
        newton = NewtonSettings(most_products=settings.most_products)
        passes = Passes(problem.sample, clock)
        self.curvature = Curvature(passes, newton)
        order = self.sample.order
        signs, none = self.sample.signs[order].astype(np.float64), np.zeros(len(order))
        # Of the problem that is posed, without slack, hinges are infinitely stiff.
        self.hinges = Objective(passes, newton, order, signs, none, softness=inf, shifts=none)
        self.lower, self.upper = -inf, inf
        # The hyperplane and the weights of the best bounds.
        self.best, self.proof = (np.zeros(problem.n_features), 0.0), none
        self.gave_up = False

    def iterate(self, before: Solution) -> Status:
        """Choose weights until the bounds are close enough; return why it ended."""
        point = self._begin(before)
        while True:
            self._judge(point)
            if 0.0 < self.lower >= (1.0 - self.tol) * self.upper:
                return Status.GAP_REACHED
            found = self._minimum(self._shifted(point))
            if found is None:
                self.gave_up = True
                return Status.PRECISION
            point = found

    def _begin(self, before: Solution) -> Point:
        """Return the hyperplane at the length at which examples that carry it are at distance 1."""
        hinges, order = self.hinges, self.sample.order
        weights, products = before.weights[order], hinges.products(before.w)
        carrying = np.flatnonzero(weights)
        margins = hinges.signs[carrying] * (products[carrying] + before.offset)
        scale = 1.0 / max(float(np.median(margins)), 1.0) if len(carrying) else 1.0
        norm2 = scale**2 * float(before.w @ before.w)
        mean = norm2 / max(1, min(len(carrying), len(before.w)))
        self.hinges = replace(hinges, stiffness=np.full(len(order), self.settings.stiffness * mean))
        point = self.hinges.point(scale * before.w, scale * before.offset, scale * products)
        weights *= norm2 / float(weights.sum())
        return replace(point, active=carrying, weights=weights[carrying], dual=0.0)

    def _shifted(self, point: Point) -> Point:
        """Return a point for the hinges that the weights of this one shift."""
        self.hinges = replace(self.hinges, shifts=self._weights(point) / self.hinges.stiffness)
        return self.hinges.point(point.w, point.offset, point.products)

    def _minimum(self, point: Point) -> Point | None:
        """Return a point near the minimum of the shifted hinges; None if that takes too long."""
        settings = self.settings
        for _ in range(settings.most_steps):
            point = self._step(point)
            slope, length = np.linalg.norm(point.gradient), np.linalg.norm(point.w)
            if slope <= settings.near_optimum * length:
                return point
        return None

    def _step(self, point: Point) -> Point:
        """Return the best point on the line through a point along Newton's direction."""
        hinges = self.hinges
        direction = self.curvature.solve(
            hinges.ids[point.active],
            hinges.stiffness[point.active],
            -point.gradient,
            forcing=self.settings.forcing,
        )
        products = hinges.products_along(direction, point.active)
        length = best_step(
            hinges.hinges(point.products, point.offset),
            hinges.signs * (products + direction.offset),
            hinges.stiffness,
            float(point.w @ direction.w),
            float(direction.w @ direction.w),
            1.0,
        )
        self.clock.updates += 1
        return hinges.point(
            point.w + length * direction.w,
            point.offset + length * direction.offset,
            point.products + length * products,
        )

    def _judge(self, point: Point) -> None:
        """Keep the better bounds on the margin, and report them."""
        placed = place_hard(point.products, self.hinges.signs, self.sample.affine)
        margin = placed.value / float(np.linalg.norm(point.w))
        if margin > self.lower:
            self.lower = margin
            factor = 1.0 / placed.value if placed.value > 0.0 else 1.0
            self.best = factor * point.w, factor * placed.offset
        upper = 1.0 / sqrt(2.0 * point.dual) if point.dual > 0.0 else inf
        if upper < self.upper:
            self.upper, self.proof = upper, self._weights(point)
        self.clock.report(placed.mistakes, self.lower, self.upper)

    def _weights(self, point: Point) -> Vector:
        weights = np.zeros(len(self.hinges.ids))
        weights[point.active] = point.weights
        return weights

    def solution(self, status: Status) -> Solution:
        """Return the best hyperplane, and the weights of the best bound."""
        (w, offset), weights = self.best, np.zeros(self.sample.n_examples)
        proof, _ = normalized(self.proof, self.hinges.signs, self.sample.affine)
        weights[self.sample.order] = proof
        return Solution(
            w=w,
            offset=offset,
            weights=weights,
            status=status,
            lower=self.lower,
            upper=self.upper,
            solver="multipliers",
            gave_up=self.gave_up,
        )
