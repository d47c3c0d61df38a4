"""Newton's method on the primal: margins of many examples and few features and classes.

The method of :mod:`~novikoff.maxmargin.joint.multipliers`, with the model in its own coordinates.

Most examples with a hinge have one wrong class that is worst. Their second derivative is a square
of the difference of two scores, so the Hessian takes one product of the rows for each pair of
classes, of the examples that are between these two.
"""

from dataclasses import dataclass
from math import inf

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from novikoff.certificate import Status
from novikoff.compiled import joint_newton as compiled
from novikoff.compiled.joint_newton import Loss
from novikoff.maxmargin.joint.bounds import fair_offsets, signed
from novikoff.maxmargin.joint.conjugate import SparseSpace
from novikoff.maxmargin.joint.lifted import DenseRows, SparseRows
from novikoff.maxmargin.joint.multipliers import Multipliers, Space
from novikoff.maxmargin.joint.primal import PrimalSearch, hold_constants
from novikoff.maxmargin.joint.problem import Ids, JointProblem, JointSolution, Vector
from novikoff.maxmargin.joint.settings import NEWTON, NewtonSettings
from novikoff.run.clock import Clock, Stopped

PAIR_WORK = 1e5
"""Multiplications for each pair of classes, below which their examples are added one by one: a
product of matrices for each pair takes as long to call."""


def newton_work(problem: JointProblem) -> float:
    """Return how many multiplications a step takes, about; ten of a factorisation count as one."""
    width, k, n = problem.n_features + 1, problem.n_classes, problem.n_examples
    return float(n) * width * (width + 4.0 * k) + float(k * width) ** 3 / 30.0


VALUE_WORK = 1000.0
"""What a step by conjugate gradients takes for each value of sparse data, in multiplications of
matrices. An estimate, not varied: 10,000 x 800 numbers, 4e5 of them not zero, five classes, take
0.08 to 0.15 s a step."""


def conjugate_work(problem: JointProblem) -> float:
    """Return how many multiplications a step by conjugate gradients takes, about."""
    storage = problem.sample.storage
    share = problem.n_examples / len(problem.sample.signs)
    return VALUE_WORK * float(storage.n_values) * share if problem.sample.is_sparse else inf


def takes_conjugates(problem: JointProblem) -> bool:
    """Whether steps are found by conjugate gradients."""
    return conjugate_work(problem) < newton_work(problem)


def step_work(problem: JointProblem) -> float:
    """Return how many multiplications a step takes, about, in the way that is used."""
    return min(newton_work(problem), conjugate_work(problem))


def joint_newton(
    problem: JointProblem,
    *,
    tol: float,
    clock: Clock,
    aim: float | None = None,
    start: Vector | None = None,
    offsets: Vector | None = None,
    patient: bool = True,
    before: JointSolution | None = None,
    by_conjugates: bool | None = None,
    settings: NewtonSettings = NEWTON,
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
    aim : float, optional
        A smaller gap to try for; missing it is no failure.
    start : array of shape (n_examples, n_classes), optional
        Weights to start from.
    offsets : array of shape (n_classes,), optional
        Intercepts at the sample's centre to start from, with ``start``.
    patient : bool
        Whether to go on where steps are short; else the solution says that it ``gave_up``. Where
        few examples carry all the weight, other solvers are better.
    before : JointSolution, optional
        Where another solver gave up; its model is not used.
    by_conjugates : bool, optional
        Whether steps are found by conjugate gradients, for sparse data
        (:mod:`~novikoff.maxmargin.joint.conjugate`); by default, where they take less work.
    settings : NewtonSettings, optional
        Smoothing, accuracies, the subsample.
    """
    stiff_start = before is not None and before.is_stiff(settings.stiff_gap, settings.stiff_share)
    # A smaller gap than was asked for is not worth as many steps.
    ends = patient and aim is None
    most_steps = settings.most_patient_steps if ends else settings.most_steps
    if by_conjugates is None:
        by_conjugates = takes_conjugates(problem)
    run = _Run(problem, clock, start, patient, most_steps, stiff_start, by_conjugates, settings)
    if start is not None:
        run.begin(start, offsets)
    try:
        status = run.minimise(tol if aim is None else min(tol, aim))
    except Stopped as stopped:
        status = stopped.status
        run.model = run.method.model
        run.judge(run.weights_at_hand())
    return run.solution(Status.GAP_REACHED if run.is_within(tol) else status)


@dataclass(frozen=True)
class _Rows(Space):
    """Lifted rows, whose features come first; models are their own numbers."""

    rows: Vector
    codes: Ids
    stiff: Vector
    penalty: Vector
    units2: Vector
    """What the square of each entry of a gradient counts."""
    affine: bool

    def some(self, ids: Ids) -> "_Rows":
        """Return some of the examples, with the weight of all."""
        more = len(self.codes) / len(ids)
        rows, codes, stiff = self.rows[ids], self.codes[ids], self.stiff[ids] * more
        return _Rows(rows, codes, stiff, self.penalty, self.units2, self.affine)

    def scores(self, model: Vector) -> Vector:
        return np.asarray(self.rows @ model)

    def gradient(self, model: Vector, scores: Vector, shares: Vector) -> Vector:
        return np.asarray(self.penalty[:, None] * model - self.rows.T @ shares)

    def shortfall(self, gradient: Vector) -> float:
        return 0.25 * float((gradient**2).sum(axis=1) @ self.units2)

    def slope(self, gradient: Vector, direction: Vector, speeds: Vector) -> float:
        return float((gradient * direction).sum())

    def product(self, first: Vector, second: Vector, scores: Vector) -> float:
        d = len(first) - int(self.affine)
        return float((first[:d] * second[:d]).sum())

    def direction(
        self, gradient: Vector, weights: Vector, rho: float, loss: Loss, enough: float
    ) -> Vector | None:
        width, k = gradient.shape
        hessian = self._hessian(weights, rho, loss)
        if self.affine:
            if not loss.squared:
                # Where no hinge is near its corner, none has curvature to hold the intercepts.
                hessian[range(k), -1, range(k), -1] += 1e-4 * float(self.stiff.sum()) / k
            hold_constants(hessian)
        system = hessian.reshape(k * width, k * width)
        diagonal = np.diag_indices(k * width)
        system[diagonal] += np.tile(self.penalty, k)
        system[diagonal] *= 1.0 + 1e-13
        try:
            factor = cho_factor(system.T, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return None
        return np.asarray(-cho_solve(factor, gradient.T.ravel()).reshape(k, width).T)

    def _hessian(self, weights: Vector, rho: float, loss: Loss) -> Vector:
        """Return the second derivatives of the hinges, on and above the diagonal."""
        rows, codes, stiff = self.rows, self.codes, self.stiff
        width, k = rows.shape[1], weights.shape[1]
        hessian = np.zeros((k, width, k, width))
        numbers = np.zeros((k, k), dtype=np.int64)
        none: Ids = np.empty(0, dtype=np.int64)
        compiled.curves_of_pairs(weights, codes, stiff, rho, loss, numbers, none, np.empty(0))
        if numbers.sum() * width**2 < PAIR_WORK * np.count_nonzero(numbers):
            compiled.add_curvature(rows, weights, codes, stiff, rho, loss, hessian)
            return hessian
        ends = np.cumsum(numbers).reshape(k, k) - numbers
        ids, curves = np.empty(numbers.sum(), dtype=np.int64), np.empty(numbers.sum())
        compiled.curves_of_pairs(weights, codes, stiff, rho, loss, ends, ids, curves)
        for p, q in np.argwhere(numbers):
            those = slice(ends[p, q] - numbers[p, q], ends[p, q])
            scaled = rows[ids[those]] * np.sqrt(curves[those])[:, None]
            block = scaled.T @ scaled
            hessian[p, :, p] += block
            hessian[q, :, q] += block
            hessian[p, :, q] -= block
        return hessian


class _Run(PrimalSearch):
    def __init__(
        self,
        problem: JointProblem,
        clock: Clock,
        start: Vector | None,
        patient: bool,
        most_steps: int,
        stiff_start: bool,
        by_conjugates: bool,
        settings: NewtonSettings,
    ) -> None:
        examples: DenseRows | SparseRows
        if by_conjugates:
            examples, self.solver = SparseRows.of(problem.sample), "joint-conjugate"
        else:
            examples, self.solver = DenseRows.of(problem.sample), "joint-newton"
        super().__init__(problem, clock, examples)
        self.settings = settings
        loss, stiff = problem.scaled_loss(start)
        stiff = stiff[problem.sample.order]
        self.method = Multipliers(loss, self.tick, settings, most_steps=most_steps, patient=patient)
        d = problem.n_features
        length2 = examples.mean_length2()
        units2 = np.append(np.ones(d), np.full(len(self.penalty) - d, length2))
        affine = problem.sample.affine
        self.method.limit(float(length2 * stiff.mean()), at_once=stiff_start)
        self.near = np.zeros_like(self.best_weights)
        rest = self.codes, stiff, self.penalty, units2, affine
        self.every: _Rows | SparseSpace
        if isinstance(examples, SparseRows):
            self.every = SparseSpace(examples, *rest, self.check)
        else:
            self.every = _Rows(examples.rows, *rest)

    def begin(self, start: Vector, offsets: Vector | None) -> None:
        """Go to the model that these weights make."""
        sample, d = self.problem.sample, self.problem.n_features
        shares = signed(start[sample.order], self.codes)
        self.model[:d] = 0.5 * self.examples.sums(shares)
        self.near = start[sample.order] / self.every.stiff[:, None]
        if self.hard and sample.affine:
            # The weights make other vectors than those of the best model.
            self.model[-1] = fair_offsets(self.every.scores(self.model), self.codes)
        elif offsets is not None and sample.affine:
            self.model[-1] = offsets - (sample.centre - self.shift) @ self.model[:d]

    def minimise(self, tol: float) -> Status:
        """Begin on a subsample, then correct the weights until the bounds are close enough."""
        settings, method, n = self.settings, self.method, len(self.codes)
        few = max(settings.least_subsample, settings.subsample * self.model.size)
        near = self.near
        if not self.hard and n >= settings.growth * few and not self.model.any():
            some = self.every.some(np.linspace(0, n - 1, few).astype(np.int64))
            self.model, _ = method.minimum(some, self.model, near[:few], 1e-2, inf)
        in_vain = 0
        while not method.is_over and in_vain < settings.rounds_in_vain:
            before, bounds = method.steps, (self.lower, self.upper)
            gap = self.problem.gap_left(self.lower, self.upper)
            self.model, near = method.minimum(self.every, self.model, near, tol, gap)
            self.judge(near)
            self.clock.report(self.mistakes, self.lower, self.upper)
            if self.is_within(tol):
                return Status.GAP_REACHED
            in_vain = in_vain + 1 if bounds == (self.lower, self.upper) else 0
            method.sharpen(before)
        self.gave_up = method.gave_up
        return Status.PRECISION

    def judge(self, weights: Vector) -> None:
        """Keep the better bounds on the objective; weights are in units of hinges."""
        self.judge_model(free=False)
        self.judge_weights(weights * self.every.stiff[:, None])

    def weights_at_hand(self) -> Vector:
        """Return weights for the model, wherever the search was."""
        near = np.zeros_like(self.best_weights)
        return self.method.weigh(self.every, self.every.scores(self.model), near)[1]
