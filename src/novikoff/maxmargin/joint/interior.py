"""A primal-dual interior-point method: soft margins with the hinge that few examples carry.

S. Mehrotra, "On the implementation of a primal-dual interior point method", SIAM Journal on
Optimization 2 (1992). The linear system of an iteration has as many unknowns as the model, once the
slacks and weights of each example are eliminated; how many iterations there are hardly depends on C
or on how many examples carry weight.

The constraints of an example are ``f_y - f_r + slack >= 1`` for each wrong class, and ``slack >=
0``. The last one takes the place of the own class, whose lead over itself is zero; its weight is
what the others lack to ``C s``.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from novikoff.certificate import Status
from novikoff.maxmargin.joint.bounds import signed
from novikoff.maxmargin.joint.lifted import DenseRows
from novikoff.maxmargin.joint.primal import PrimalSearch, hold_constants
from novikoff.maxmargin.joint.problem import JointProblem, JointSolution, Vector
from novikoff.run.clock import Clock, Stopped

MOST_ITERATIONS = 60
"""Ten to thirty are usual; where rounding prevents progress, it ends here."""

BOUNDARY = 0.99
"""The share of the way to the boundary that a step goes at most."""

SMALL_SHARE = 1e-6
"""Weights below this share of the mean, whose rows have room to spare, are set to zero."""


def interior_work(problem: JointProblem) -> float:
    """Return how many multiplications an iteration takes, about."""
    unknowns = problem.n_classes * (problem.n_features + 1)
    return float(unknowns) ** 2 * (0.5 * problem.n_examples + unknowns / 6.0)


def joint_interior(
    problem: JointProblem, *, tol: float, clock: Clock, aim: float | None = None
) -> JointSolution:
    """Return the soft margin to a relative gap of ``tol``; an iteration counts as one pass.

    ``problem`` has the hinge that is not squared; otherwise as
    :func:`~novikoff.maxmargin.joint.newton.joint_newton`.
    """
    run = _Run(problem, clock)
    try:
        status = run.iterate(tol if aim is None else min(tol, aim))
    except Stopped as stopped:
        status = stopped.status
        run.judge()
    return run.solution(Status.GAP_REACHED if run.is_within(tol) else status)


class _Steps(NamedTuple):
    model: Vector
    slacks: Vector
    room: Vector
    weights: Vector


class _Run(PrimalSearch):
    solver = "joint-interior"

    def __init__(self, problem: JointProblem, clock: Clock) -> None:
        examples = DenseRows.of(problem.sample)
        super().__init__(problem, clock, examples)
        assert problem.most is not None
        self.rows = examples.rows
        n, k = self.best_weights.shape
        self.total = problem.most[problem.sample.order]
        self.own = np.zeros((n, k), dtype=np.bool_)
        self.own[np.arange(n), self.codes] = True
        # In the middle of what a model of zeros allows.
        self.slacks = np.full(n, 2.0)
        self.room = np.where(self.own, 2.0, 1.0)
        self.weights = np.tile((self.total / k)[:, None], k)

    def iterate(self, tol: float) -> Status:
        """Step until the bounds are close enough; return why it ended."""
        for _ in range(MOST_ITERATIONS):
            self.tick()
            if not self._step():
                break
            self.judge()
            self.clock.report(self.mistakes, self.lower, self.upper)
            if self.is_within(tol):
                return Status.GAP_REACHED
        return Status.PRECISION

    def judge(self) -> None:
        """Keep the better bounds on the objective."""
        self.judge_model(free=True)
        small = self.weights < SMALL_SHARE * self.weights.mean() * self.room
        if not self.judge_weights(np.where(small | self.own, 0.0, self.weights)):
            self.judge_weights(np.where(self.own, 0.0, self.weights))

    def _shares(self, weights: Vector) -> Vector:
        """Return the share of each example in the vector of each class."""
        return signed(np.where(self.own, 0.0, weights), self.codes)

    def _leads(self, model: Vector) -> Vector:
        """Return by how much the own score of every example exceeds each other."""
        scores = self.rows @ model
        return np.asarray(scores[np.arange(len(scores)), self.codes][:, None] - scores)

    def _step(self) -> bool:
        """Predict, correct, and step; False if rounding prevents it."""
        weights, room = self.weights, self.room
        stiff = weights / room
        total = stiff.sum(axis=1)
        try:
            factor = cho_factor(self._system(np.where(self.own, 0.0, stiff), total))
        except LinAlgError:
            return False
        off_model = self.penalty[:, None] * self.model - self.rows.T @ self._shares(weights)
        off_slacks = self.total - weights.sum(axis=1)
        least = np.where(self.own, 0.0, 1.0)
        off_room = room - (self._leads(self.model) + self.slacks[:, None] - least)
        mean = float((weights * room).mean())
        if mean == 0.0:  # The products underflow.
            return False

        def solve(products: Vector) -> _Steps:
            """Return the Newton step towards these products of weights and room."""
            towards = (weights * off_room - products) / room
            rest = towards.sum(axis=1) - off_slacks
            right = -off_model + self.rows.T @ self._shares(
                towards - stiff * (rest / total)[:, None]
            )
            model = cho_solve(factor, right.T.ravel()).reshape(right.T.shape).T
            leads = self._leads(model)
            slacks = (rest - (stiff * leads).sum(axis=1)) / total
            change = leads + slacks[:, None]
            return _Steps(model, slacks, change - off_room, towards - stiff * change)

        step = solve(weights * room)
        lengths = _reach(room, step.room), _reach(weights, step.weights)
        after = (weights + lengths[1] * step.weights) * (room + lengths[0] * step.room)
        target = mean * min(1.0, max(0.0, float(after.mean()) / mean)) ** 3
        step = solve(weights * room + step.weights * step.room - target)
        # Primal and dual share the quadratic term, so they share the length.
        length = BOUNDARY * min(_reach(room, step.room), _reach(weights, step.weights))
        if not np.isfinite(length) or length < 1e-10:
            return False
        self.model = self.model + length * step.model
        self.slacks = self.slacks + length * step.slacks
        self.room = room + length * step.room
        self.weights = weights + length * step.weights
        return True

    def _system(self, stiff: Vector, total: Vector) -> Vector:
        """Return the matrix of the step's linear system, class by class."""
        k = stiff.shape[1]
        width = self.rows.shape[1]
        # T = D - D D' / total for each example, then E' T E with E the leads of the scores.
        sums = stiff.sum(axis=1)
        reduced = stiff * (1.0 - sums / total)[:, None]
        whole = reduced.sum(axis=1)
        matrix = np.empty((k, width, k, width))
        for r in range(k):
            for s in range(r, k):
                part = -stiff[:, r] * stiff[:, s] / total
                if r == s:
                    part = part + stiff[:, r]
                part = part - np.where(self.own[:, r], reduced[:, s], 0.0)
                part -= np.where(self.own[:, s], reduced[:, r], 0.0)
                if r == s:
                    part += np.where(self.own[:, r], whole, 0.0)
                block = (self.rows * part[:, None]).T @ self.rows
                if r == s:
                    block[np.diag_indices(width)] += self.penalty
                matrix[r, :, s], matrix[s, :, r] = block, block.T
        if self.problem.sample.affine:
            hold_constants(matrix)
        size = k * width
        system = matrix.reshape(size, size)
        system[np.diag_indices(size)] *= 1.0 + 1e-14
        return system


def _reach(values: Vector, steps: Vector) -> float:
    """Return the largest multiple of the steps, up to 1, that leaves positive values positive."""
    falling = steps < 0.0
    if not falling.any():
        return 1.0
    return min(1.0, float((values[falling] / -steps[falling]).min()))
