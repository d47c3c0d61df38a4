"""Newton's method on the primal: soft margins of many examples and few features and classes.

The squared hinge of several classes has a kink where two wrong classes tie, and the hinge another
where it begins, so the method of multipliers goes around them: weights near those of the optimum
make it smooth (:mod:`novikoff.compiled.joint_newton`), Newton's method finds the minimum, and the
weights found there are the next ones. R. T. Rockafellar, "Augmented Lagrangians and applications of
the proximal point algorithm in convex programming", Mathematics of Operations Research 1 (1976).

Most examples with a hinge have one wrong class that is worst. Their second derivative is a square
of the difference of two scores, so the Hessian takes one product of the rows for each pair of
classes, of the examples that are between these two.
"""

from math import inf
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from novikoff.certificate import Status
from novikoff.compiled import joint_newton as compiled
from novikoff.maxmargin.joint.bounds import signed
from novikoff.maxmargin.joint.primal import PrimalSearch, hold_constants
from novikoff.maxmargin.joint.problem import Ids, JointProblem, JointSolution, Vector
from novikoff.maxmargin.joint.settings import NEWTON, NewtonSettings
from novikoff.run.clock import Clock, Stopped


def newton_work(problem: JointProblem) -> float:
    """Return how many multiplications a step takes, about."""
    width, k, n = problem.n_features + 1, problem.n_classes, problem.n_examples
    return float(n) * width * (width + 4.0 * k) + float(k * width) ** 3 / 3.0


def joint_newton(
    problem: JointProblem,
    *,
    tol: float,
    clock: Clock,
    aim: float | None = None,
    start: Vector | None = None,
    offsets: Vector | None = None,
    patient: bool = True,
    settings: NewtonSettings = NEWTON,
) -> JointSolution:
    """Return the soft margin to a relative gap of ``tol``; a step counts as one pass.

    Parameters
    ----------
    problem : JointProblem
        With slack.
    tol : float
        Stop when ``1 - lower / upper`` is no larger.
    clock : Clock
        Limits and history.
    aim : float, optional
        A smaller gap to try for; missing it is no failure.
    start : array of shape (n_examples, n_classes), optional
        Weights to start from.
    offsets : array of shape (n_classes,), optional
        Intercepts at the sample's centre to start from, with ``start``.
    patient : bool
        Whether to go on where steps are short; else the solution says that it ``gave_up``. Where
        few examples carry all the weight, other solvers are better.
    settings : NewtonSettings, optional
        Smoothing, accuracies, the subsample.
    """
    run = _Run(problem, clock, patient, settings)
    if start is not None:
        run.begin(start, offsets)
    try:
        status = run.minimise(tol if aim is None else min(tol, aim))
    except Stopped as stopped:
        status = stopped.status
        run.judge(run.weights_at_hand())
    return run.solution(Status.GAP_REACHED if run.is_within(tol) else status)


class _Examples(NamedTuple):
    """Lifted rows, their classes, and the factors of their hinges: ``1 / Delta^2``, or ``C s``."""

    rows: Vector
    codes: Ids
    stiff: Vector

    def some(self, ids: Ids) -> "_Examples":
        return _Examples(self.rows[ids], self.codes[ids], self.stiff[ids])


class _Run(PrimalSearch):
    solver = "joint-newton"

    def __init__(
        self, problem: JointProblem, clock: Clock, patient: bool, settings: NewtonSettings
    ) -> None:
        super().__init__(problem, clock)
        self.patient = patient
        self.short_steps = 0
        self.settings = settings
        self.squared = self.most is None
        self.rho = settings.rho if self.squared else settings.hinge_rho
        stiff = 1.0 / self.slack2 if self.most is None else self.most
        self.every = _Examples(self.rows, self.codes, stiff)
        d = problem.n_features
        self.units2 = np.ones(len(self.penalty))
        self.units2[d:] = float((self.rows[:, :d] ** 2).sum()) / len(self.rows)
        self.steps = 0

    def begin(self, start: Vector, offsets: Vector | None) -> None:
        """Go to the model that these weights make."""
        sample, d = self.problem.sample, self.problem.n_features
        shares = signed(start[sample.order], self.codes)
        self.model[:d] = 0.5 * self.rows[:, :d].T @ shares
        if offsets is not None and sample.affine:
            self.model[-1] = offsets - (sample.centre - self.shift) @ self.model[:d]

    def minimise(self, tol: float) -> Status:
        """Begin on a subsample, then correct the weights until the bounds are close enough."""
        settings, n = self.settings, len(self.rows)
        few = max(settings.least_subsample, settings.subsample * self.model.size)
        if n >= settings.growth * few and not self.model.any():
            some = self.every.some(np.linspace(0, n - 1, few).astype(np.int64))
            some.stiff[:] *= n / few
            self._smooth_minimum(some, np.zeros((few, self.model.shape[1])), self.rho, 1e-2)
        rho, near = self.rho, np.zeros_like(self.best_weights)
        in_vain = 0
        while not self._is_over() and in_vain < settings.rounds_in_vain:
            before, bounds = self.steps, (self.lower, self.upper)
            near = self._smooth_minimum(self.every, near, rho, tol)
            self.judge(near)
            self.clock.report(self.mistakes, self.lower, self.upper)
            if self.is_within(tol):
                return Status.GAP_REACHED
            in_vain = in_vain + 1 if bounds == (self.lower, self.upper) else 0
            if self.steps == before:
                # The model stays, and only the weights are corrected: that, too, has an end.
                self.tick()
                self.steps += 1
            if self.steps - before <= settings.few_steps:
                rho = max(settings.least_rho, settings.sharpen * rho)
        return Status.PRECISION

    def _is_over(self) -> bool:
        return self.gave_up or self.steps >= self.settings.most_steps

    def judge(self, weights: Vector) -> None:
        """Keep the better bounds on the objective; weights are in units of hinges."""
        self.judge_model(free=False)
        self.judge_weights(weights * self.every.stiff[:, None])

    def weights_at_hand(self) -> Vector:
        """Return weights for the model, wherever the search was."""
        near = np.zeros_like(self.best_weights)
        return self._weigh(self.every, self.rows @ self.model, near, self.rho)[1]

    def _weigh(
        self, examples: _Examples, scores: Vector, near: Vector, rho: float
    ) -> tuple[float, Vector]:
        """Return the smooth sum of hinges, and its weights."""
        _, codes, stiff = examples
        weights = np.empty_like(near)
        value, _ = compiled.weigh(
            scores, scores, 0.0, codes, stiff, near, rho, self.squared, weights
        )
        return value, weights

    def _smooth_minimum(self, examples: _Examples, near: Vector, rho: float, tol: float) -> Vector:
        """Go to the minimum with the hinges smoothed; return its weights, in units of hinges."""
        settings = self.settings
        rows, codes, stiff = examples
        n_features, scores = self.problem.n_features, rows @ self.model
        value, weights = self._weigh(examples, scores, near, rho)
        while True:
            gradient = self.penalty[:, None] * self.model
            gradient -= rows.T @ signed(weights * stiff[:, None], codes)
            vectors = self.model[:n_features]
            objective = float((vectors**2).sum()) + value
            # The dual falls short by the squared length of the gradient, not by what a step gains.
            short = 0.25 * float((gradient**2).sum(axis=1) @ self.units2)
            at_hand = min(objective, self.upper - self.lower)
            if short <= settings.enough * max(tol * objective, 0.01 * at_hand):
                return weights
            self.tick()
            direction = self._direction(examples, weights, rho, gradient)
            slope0 = -inf if direction is None else float((gradient * direction).sum())
            if direction is None or not -inf < slope0 < 0.0:
                return weights
            self.steps += 1
            speeds, moves = rows @ direction, direction[:n_features]
            along, curve = 2.0 * float((vectors * moves).sum()), 2.0 * float((moves**2).sum())
            low, high, length = (0.0, slope0), (inf, 0.0), 1.0
            for _ in range(settings.line_steps):
                value, slope = compiled.weigh(
                    scores, speeds, length, codes, stiff, near, rho, self.squared, weights
                )
                slope += along + length * curve
                if abs(slope) <= settings.slope * -slope0:
                    break
                if slope > 0.0:
                    high = length, slope
                else:
                    low = length, slope
                length = _between(low, high)
            else:
                length = low[0]
                value, weights = self._weigh(examples, scores + length * speeds, near, rho)
            self.model = self.model + length * direction
            scores += length * speeds
            self.short_steps += length < settings.short_step
            self.gave_up = not self.patient and self.short_steps >= settings.patience
            if self._is_over():
                return weights

    def _direction(
        self, examples: _Examples, weights: Vector, rho: float, gradient: Vector
    ) -> Vector | None:
        """Return Newton's direction."""
        rows, codes, stiff = examples
        width, k = gradient.shape
        numbers = np.zeros((k, k), dtype=np.int64)
        none: Ids = np.empty(0, dtype=np.int64)
        compiled.curves_of_pairs(
            weights, codes, stiff, rho, self.squared, numbers, none, np.empty(0)
        )
        ends = np.cumsum(numbers).reshape(k, k) - numbers
        ids, curves = np.empty(numbers.sum(), dtype=np.int64), np.empty(numbers.sum())
        compiled.curves_of_pairs(weights, codes, stiff, rho, self.squared, ends, ids, curves)
        hessian = np.zeros((k, width, k, width))
        for p, q in np.argwhere(numbers):
            those = slice(ends[p, q] - numbers[p, q], ends[p, q])
            scaled = rows[ids[those]] * np.sqrt(curves[those])[:, None]
            block = scaled.T @ scaled
            hessian[p, :, p] += block
            hessian[q, :, q] += block
            hessian[p, :, q] -= block
            hessian[q, :, p] -= block
        if self.problem.sample.affine:
            if not self.squared:
                # Where no hinge is near its corner, none has curvature to hold the intercepts.
                hessian[range(k), -1, range(k), -1] += 1e-4 * float(stiff.sum()) / k
            hold_constants(hessian)
        system = hessian.reshape(k * width, k * width)
        diagonal = np.diag_indices(k * width)
        system[diagonal] += np.tile(self.penalty, k)
        system[diagonal] *= 1.0 + 1e-13
        try:
            factor = cho_factor(system, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return None
        return np.asarray(-cho_solve(factor, gradient.T.ravel()).reshape(k, width).T)


def _between(low: tuple[float, float], high: tuple[float, float]) -> float:
    """Return a length between two with slopes of either sign: where a straight slope is zero."""
    if high[0] == inf:
        return 2.0 * low[0]
    share = low[1] / (low[1] - high[1])
    return low[0] + min(max(share, 0.05), 0.95) * (high[0] - low[0])
