"""Newton's method on the Gram matrix of a working set: many features, and few examples that matter.

The method of :mod:`~novikoff.maxmargin.joint.multipliers`, with a model as the coefficients of the
examples that its vectors are sums of. A step solves for one number for each positive weight, so it
minds neither the number of features nor rows that are nearly equal, on which coordinate descent
takes passes by the thousand. Of two classes: O. Chapelle, "Training a support vector machine in the
primal", Neural Computation 19 (2007).

All this happens among members; a scan of all examples gives the bounds, and adds those whose hinge
is open to the members.
"""

from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from novikoff.certificate import Status
from novikoff.compiled import joint_newton as compiled
from novikoff.compiled.joint_newton import Loss
from novikoff.maxmargin.joint.bounds import (
    balance,
    fair_offsets,
    flow_matrix,
    place_hard,
    place_soft,
    signed,
    worst_wrong,
)
from novikoff.maxmargin.joint.multipliers import Multipliers, Space
from novikoff.maxmargin.joint.passes import products, weighted_sums
from novikoff.maxmargin.joint.problem import Ids, JointProblem, JointSolution, Vector
from novikoff.maxmargin.joint.settings import GRAM, NEWTON, GramSettings, NewtonSettings
from novikoff.maxmargin.passes import Passes
from novikoff.maxmargin.pivoting.gram import Gram
from novikoff.run.clock import Clock, Stopped

GRAM_SPEED = 41.0
"""The cube of the number of unknowns of a step, over the multiplications of matrices that take as
long: 3,445 unknowns take 0.5 s, in which there are 1e9."""


def gram_work(unknowns: int) -> float:
    """Return how many multiplications of matrices take as long as a step, about."""
    return float(unknowns) ** 3 / GRAM_SPEED


def joint_gram_newton(
    problem: JointProblem,
    *,
    tol: float,
    clock: Clock,
    before: JointSolution,
    settings: GramSettings = GRAM,
    newton: NewtonSettings = NEWTON,
) -> JointSolution:
    """Return the margin, soft or hard, to a relative gap of ``tol``; a step counts as one pass.

    Parameters
    ----------
    problem : JointProblem
        With slack, or without it separable.
    tol : float
        Stop when ``1 - lower / upper`` is no larger.
    clock : Clock
        Limits and history.
    before : JointSolution
        Where another solver has led.
    settings : GramSettings, optional
        Sizes.
    newton : NewtonSettings, optional
        Smoothing and accuracies.
    """
    run = _Run(problem, tol, clock, before, settings, newton)
    try:
        run.begin()
        status = run.rounds()
    except Stopped as stopped:
        status = stopped.status
    except _TooLarge:
        status, run.gave_up = Status.PRECISION, True
    return run.solution(status)


class _TooLarge(Exception):
    """More weights are positive than a step has room for."""


class _Gradient(NamedTuple):
    """The coefficients of the gradient, its scores, and the derivatives by the intercepts."""

    coefs: Vector
    scores: Vector
    offsets: Vector


class _Members(Space):
    """Members and their Gram matrix; models are the coefficients of the members."""

    def __init__(
        self, gram: Vector, codes: Ids, stiff: Vector, affine: bool, most_unknowns: int
    ) -> None:
        self.gram, self.codes, self.stiff, self.affine = gram, codes, stiff, affine
        self.most_unknowns = most_unknowns
        self.unit2 = float(gram.diagonal().mean())

    def scores(self, model: Vector) -> Vector:
        n = len(self.codes)
        scores = self.gram @ model[:n]
        return np.asarray(scores + model[n] if self.affine else scores)

    def gradient(self, model: Vector, scores: Vector, shares: Vector) -> _Gradient:
        n = len(self.codes)
        own = scores - model[n] if self.affine else scores
        return _Gradient(
            2.0 * model[:n] - shares, 2.0 * own - self.gram @ shares, -shares.sum(axis=0)
        )

    def shortfall(self, gradient: _Gradient) -> float:
        length2 = float((gradient.coefs * gradient.scores).sum())
        if self.affine:
            length2 += self.unit2 * float((gradient.offsets**2).sum())
        return 0.25 * length2

    def slope(self, gradient: _Gradient, direction: Vector, speeds: Vector) -> float:
        slope = self.product(gradient.coefs, direction, speeds)
        return slope + float(gradient.offsets @ direction[-1]) if self.affine else slope

    def product(self, first: Vector, second: Vector, scores: Vector) -> float:
        n = len(self.codes)
        own = scores - second[n] if self.affine else scores
        return float((first[:n] * own).sum())

    def direction(
        self, gradient: _Gradient, weights: Vector, rho: float, loss: Loss, enough: float
    ) -> Vector | None:
        n, k = weights.shape
        room = int(np.count_nonzero(weights > 0.0))
        if room > self.most_unknowns:
            raise _TooLarge
        ids, plus, minus = (np.empty(room, dtype=np.int64) for _ in range(3))
        full = np.empty(room, dtype=np.bool_)
        m = compiled.active_differences(weights, self.codes, loss, ids, plus, minus, full)
        ids, plus, minus, full = ids[:m], plus[:m], minus[:m], full[:m]
        slack2 = 1.0 / self.stiff[ids]
        own = rho * slack2
        shared = slack2 if loss.squared else np.where(full, own, 0.0)
        system = np.empty((m, m))
        compiled.dual_system(self.gram, ids, plus, minus, own, shared, system)
        system[np.diag_indices(m)] *= 1.0 + 1e-14
        right = np.zeros((m, 1 + k))
        right[:, 0] = -0.5 * (gradient.scores[ids, plus] - gradient.scores[ids, minus])
        ends = right[:, 1:]
        ends[np.arange(m), plus], ends[np.arange(m), minus] = 1.0, -1.0
        try:
            factor = cho_factor(system.T, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return None
        solved = cho_solve(factor, right if self.affine else right[:, :1], check_finite=False)
        change = solved[:, 0]
        direction = np.zeros((n + int(self.affine), k))
        if self.affine:
            hold = ends.T @ solved[:, 1:]
            if not loss.squared:
                # Where no hinge is near its corner, none has curvature to hold the intercepts.
                hold[np.diag_indices(k)] += 1e-4 * float(self.stiff.sum()) / k
            offsets = np.linalg.lstsq(hold, -gradient.offsets - ends.T @ change, rcond=None)[0]
            direction[n] = offsets - offsets.mean()
            change = change + solved[:, 1:] @ direction[n]
        np.add.at(direction, (ids, plus), change)
        np.subtract.at(direction, (ids, minus), change)
        direction[:n] += gradient.coefs
        direction[:n] *= -0.5
        return direction


class _Run:
    def __init__(
        self,
        problem: JointProblem,
        tol: float,
        clock: Clock,
        before: JointSolution,
        settings: GramSettings,
        newton: NewtonSettings,
    ) -> None:
        self.problem, self.sample, self.clock = problem, problem.sample, clock
        self.tol, self.settings, self.newton = tol, settings, newton
        self.order = self.sample.order
        self.codes = problem.codes[self.order]
        loss, self.stiff = problem.scaled_loss(before.weights)
        self.passes = Passes(self.sample, clock)
        self.gram = Gram(self.passes, precise=True, block_values=settings.block_values)
        self.method = Multipliers(loss, self._tick, newton, most_steps=newton.most_patient_steps)
        self.stiff_start = problem.slack2 is not None and before.is_stiff(
            newton.stiff_gap, newton.stiff_share
        )
        self.lower, self.upper = before.lower, before.upper
        self.vectors, self.offsets = before.vectors, before.offsets
        self.weights, self.mistakes = before.weights, before.mistakes
        self.gave_up = False

    def _tick(self) -> None:
        """Count a step as a pass, unless a limit is reached."""
        self.passes.check()
        if not self.clock.fits(1.0):
            raise Stopped(Status.MAX_ITER)
        self.clock.passes += 1.0
        self.clock.updates += 1

    def begin(self) -> None:
        """Choose the first members: examples with weight, or an open hinge."""
        found = products(self.passes, self.order, self.vectors, self.vectors @ self.sample.centre)
        _, leads = worst_wrong(found + self.offsets, self.codes)
        some = np.asarray(self.weights[self.order].any(axis=1)) | (leads < 1.0)
        if len(self.order) <= self.settings.take_all:
            some = np.ones_like(some)
        # Coefficients and vectors are about the mean of these.
        self.first = self.order[some]
        shares = np.full((len(self.first), 1), 1.0 / max(1, len(self.first)))
        (self.centre,) = weighted_sums(self.passes, self.first, shares)
        if not self.sample.affine:
            self.centre = np.zeros_like(self.centre)
        self._extend(self.first)
        members, k = self.gram.members, self.problem.n_classes
        weights = self.weights[members]
        self.near = weights / self.stiff[members][:, None]
        stiffness = self.space.unit2 * float(self.stiff[members].mean())
        self.method.limit(stiffness, at_once=self.stiff_start)
        self.model = np.zeros((len(members) + int(self.sample.affine), k))
        self.model[: len(members)] = 0.5 * signed(weights, self.problem.codes[members])
        if self.sample.affine and self.problem.slack2 is None:
            # The weights make other vectors than those of the best model.
            self.model[-1] = fair_offsets(self.space.scores(self.model), self.space.codes)
        elif self.sample.affine:
            self.model[-1] = self.offsets + self.vectors @ (self.centre - self.sample.centre)

    def _extend(self, new: Ids) -> None:
        if len(self.gram.members) + len(new) > self.settings.most_members:
            raise _TooLarge
        self.gram.extend(new)
        members, matrix = self.gram.members, self.gram.matrix
        if self.sample.affine:
            to_mean = matrix[:, : len(self.first)].mean(axis=1)
            matrix = matrix - to_mean
            matrix -= (to_mean - to_mean[: len(self.first)].mean())[:, None]
        self.space = _Members(
            matrix,
            self.problem.codes[members],
            self.stiff[members],
            self.sample.affine,
            self.settings.most_unknowns,
        )

    def rounds(self) -> Status:
        """Correct the weights of members, scan all, take in more, until the gap is small."""
        method, in_vain = self.method, 0
        while not method.is_over and in_vain < self.newton.rounds_in_vain:
            before, bounds = method.steps, (self.lower, self.upper)
            gap = self.problem.gap_left(self.lower, self.upper)
            self.model, self.near = method.minimum(self.space, self.model, self.near, self.tol, gap)
            new = self._scan()
            if self.lower > 0.0 and self.lower >= (1.0 - self.tol) * self.upper:
                return Status.GAP_REACHED
            in_vain = in_vain + 1 if bounds == (self.lower, self.upper) and not len(new) else 0
            if len(new):
                self._take(new)
            method.sharpen(before)
        return Status.PRECISION

    def _take(self, new: Ids) -> None:
        """Add members, without weight at first."""
        n, k = len(self.gram.members), self.problem.n_classes
        self._extend(new)
        more = np.zeros((len(new), k))
        self.near = np.concatenate([self.near, more])
        self.model = np.concatenate([self.model[:n], more, self.model[n:]])

    def _scan(self) -> Ids:
        """Judge model and weights on all examples; return those that join the members."""
        members, n = self.gram.members, len(self.gram.members)
        coefs = self.model[:n]
        sums = weighted_sums(self.passes, members, coefs)
        vectors = sums - np.outer(coefs.sum(axis=0), self.centre)
        offsets = self.model[n] if self.sample.affine else np.zeros(len(vectors))
        found = products(self.passes, self.order, vectors, vectors @ self.centre)
        self._judge_model(vectors, offsets, found)
        self._judge_weights()
        self.clock.report(self.mistakes, self.lower, self.upper)
        _, leads = worst_wrong(found + offsets, self.codes)
        outside = np.ones(self.sample.n_examples, dtype=np.bool_)
        outside[members] = False
        return self.order[outside[self.order] & (leads < 1.0)]

    def _judge_model(self, vectors: Vector, offsets: Vector, found: Vector) -> None:
        """Keep the model, with the best offsets, if it is the best."""
        problem, order, affine = self.problem, self.order, self.sample.affine
        norm2, factor = float((vectors**2).sum()), 1.0
        if problem.slack2 is None:
            placed = place_hard(found, self.codes, free=affine)
            margin = placed.value / sqrt(2.0 * norm2) if norm2 > 0.0 else -inf
            if not (-placed.mistakes, margin) > (-self.mistakes, self.lower):
                return
            self.lower, factor = margin, 1.0 / placed.value if margin > 0.0 else 1.0
            placed = placed._replace(offsets=factor * placed.offsets)
        else:
            placed = place_soft(
                norm2,
                found,
                self.codes,
                problem.slack2[order],
                offsets,
                free=affine,
                most=None if problem.most is None else problem.most[order],
            )
            if not placed.value < self.upper:
                return
            self.upper, factor = placed.value, placed.factor
        self.mistakes, self.vectors = placed.mistakes, factor * vectors
        self.offsets = placed.offsets + self.vectors @ (self.sample.centre - self.centre)

    def _judge_weights(self) -> None:
        """Keep the weights, made to balance, if their dual objective is the best."""
        members = self.gram.members
        codes = self.problem.codes[members]
        weights = self.near * self.stiff[members][:, None]
        if self.sample.affine:
            weights = weights * balance(flow_matrix(weights, codes))[codes]
        shares = signed(weights, codes)
        norm2 = 0.5 * float((shares * (self.space.gram @ shares)).sum())
        table = np.zeros((self.sample.n_examples, weights.shape[1]))
        table[members] = weights
        if self.problem.slack2 is None:
            total, length = float(table.sum()), sqrt(max(0.0, norm2))
            if total > 0.0 and length / total < self.upper:
                self.upper = length / total
                # The multiple that makes the vectors of the optimum.
                self.weights = table * (total / norm2) if norm2 > 0.0 else table
            return
        lower, multiple = self.problem.dual(table[self.order], norm2)
        if lower > self.lower:
            self.lower, self.weights = lower, multiple * table

    def solution(self, status: Status) -> JointSolution:
        """Return the best model and the weights of the best bound."""
        return JointSolution(
            vectors=self.vectors,
            offsets=self.offsets,
            weights=self.weights,
            status=status,
            lower=self.lower,
            upper=self.upper,
            solver="joint-gram-newton",
            mistakes=self.mistakes,
            gave_up=self.gave_up,
        )
