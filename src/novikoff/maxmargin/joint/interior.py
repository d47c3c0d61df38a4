"""A primal-dual interior-point method: soft margins of many examples and few features and classes.

S. Mehrotra, "On the implementation of a primal-dual interior point method", SIAM Journal on
Optimization 2 (1992). The linear system of an iteration has as many unknowns as the model, once the
slacks and weights of each example are eliminated; how many iterations there are hardly depends on C
or on how many examples carry weight, which is what makes coordinate descent slow.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from novikoff.certificate import Status
from novikoff.maxmargin.joint.bounds import balance, flow_matrix, place_soft, signed
from novikoff.maxmargin.joint.problem import JointProblem, JointSolution, Vector
from novikoff.run.clock import Clock

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
    """
    run = _Run(problem)
    status = run.iterate(tol if aim is None else min(tol, aim), clock)
    return run.solution(Status.GAP_REACHED if run.is_within(tol) else status)


class _Steps(NamedTuple):
    model: Vector
    slacks: Vector
    room: Vector
    weights: Vector


class _Run:
    def __init__(self, problem: JointProblem) -> None:
        assert problem.slack2 is not None
        sample = problem.sample
        self.problem = problem
        self.codes = problem.codes[sample.order]
        self.slack2 = problem.slack2[sample.order]
        rows = sample.matrix(sample.order)
        rows = np.asarray(rows.toarray() if sample.is_sparse else rows) - sample.centre
        n, d, k = len(rows), problem.n_features, problem.n_classes
        self.rows = np.hstack([rows, np.ones((n, 1))]) if sample.affine else rows
        self.penalty = np.append(np.full(d, 2.0), np.zeros(self.rows.shape[1] - d))
        self.own = np.zeros((n, k), dtype=np.bool_)
        self.own[np.arange(n), self.codes] = True
        self.model = np.zeros((self.rows.shape[1], k))
        # In the middle of what a model of zeros allows.
        self.slacks = np.full(n, 2.0)
        self.room = np.ones((n, k))
        self.weights = np.where(self.own, 0.0, (2.0 / self.slack2 / (k - 1))[:, None])
        self.lower, self.upper = 0.0, np.inf
        self.mistakes = n
        self.best_model, self.best_weights = self.model, self.weights

    def iterate(self, tol: float, clock: Clock) -> Status:
        """Step until the bounds are close enough; return why it ended."""
        for _ in range(MOST_ITERATIONS):
            status = clock.interrupted()
            if status is None and not clock.fits(1.0):
                status = Status.MAX_ITER
            if status is not None:
                self._judge()
                return status
            clock.passes += 1.0
            clock.updates += 1
            if not self._step():
                break
            self._judge()
            clock.report(self.mistakes, self.lower, self.upper)
            if self.is_within(tol):
                return Status.GAP_REACHED
        return Status.PRECISION

    def is_within(self, tol: float) -> bool:
        """Whether the bounds are that close."""
        return self.lower > 0.0 and self.lower >= (1.0 - tol) * self.upper

    def _leads(self, model: Vector) -> Vector:
        """Return by how much the own score of every example exceeds each other."""
        scores = self.rows @ model
        return np.asarray(scores[np.arange(len(scores)), self.codes][:, None] - scores)

    def _step(self) -> bool:
        """Predict, correct, and step; False if rounding prevents it."""
        n, k = self.room.shape
        weights, room = self.weights, self.room
        stiff = np.where(self.own, 0.0, weights / room)
        total = 1.0 / self.slack2 + stiff.sum(axis=1)
        try:
            factor = cho_factor(self._system(stiff, total))
        except LinAlgError:
            return False
        off_model = self.penalty[:, None] * self.model - self.rows.T @ signed(weights, self.codes)
        off_slacks = self.slacks / self.slack2 - weights.sum(axis=1)
        off_room = np.where(
            self.own, 0.0, room - (self._leads(self.model) + self.slacks[:, None] - 1.0)
        )
        mean = float((weights * room).sum()) / (n * (k - 1))

        def solve(products: Vector) -> _Steps:
            """Return the Newton step towards these products of weights and room."""
            towards = np.where(self.own, 0.0, (weights * off_room - products) / room)
            rest = towards.sum(axis=1) - off_slacks
            right = -off_model + self.rows.T @ signed(
                towards - stiff * (rest / total)[:, None], self.codes
            )
            model = cho_solve(factor, right.T.ravel()).reshape(right.T.shape).T
            leads = self._leads(model)
            slacks = (rest - (stiff * leads).sum(axis=1)) / total
            change = np.where(self.own, 0.0, leads + slacks[:, None])
            return _Steps(model, slacks, change - off_room, towards - stiff * change)

        step = solve(weights * room)
        lengths = _reach(room, step.room), _reach(weights, step.weights)
        after = (weights + lengths[1] * step.weights) * (room + lengths[0] * step.room)
        after_mean = float(np.where(self.own, 0.0, after).sum()) / (n * (k - 1))
        target = mean * min(1.0, max(0.0, after_mean / mean)) ** 3
        step = solve(weights * room + step.weights * step.room - target)
        # Primal and dual share the quadratic term, so they share the length.
        length = BOUNDARY * min(_reach(room, step.room), _reach(weights, step.weights))
        if not np.isfinite(length) or length < 1e-10:
            return False
        self.model = self.model + length * step.model
        self.slacks = self.slacks + length * step.slacks
        self.room = np.where(self.own, 1.0, room + length * step.room)
        self.weights = np.where(self.own, 0.0, weights + length * step.weights)
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
            # Intercepts are determined up to a constant.
            offsets = matrix[:, -1, :, -1]
            offsets += float(np.trace(offsets)) / k
        size = k * width
        system = matrix.reshape(size, size)
        system[np.diag_indices(size)] *= 1.0 + 1e-14
        return system

    def _judge(self) -> None:
        """Keep the better bounds on the objective."""
        d, affine = self.problem.n_features, self.problem.sample.affine
        vectors = self.model[:d]
        placed = place_soft(
            float((vectors**2).sum()),
            self.rows[:, :d] @ vectors,
            self.codes,
            self.slack2,
            self.model[-1] if affine else np.zeros(self.model.shape[1]),
            free=affine,
        )
        if placed.value < self.upper:
            self.upper, self.mistakes = placed.value, placed.mistakes
            self.best_model = self.model.copy()
            if affine:
                self.best_model[-1] = placed.offsets
        small = self.weights < SMALL_SHARE * self.weights.mean() * self.room
        for weights in (np.where(small, 0.0, self.weights), self.weights):
            lower, multiple = self._dual(weights)
            if lower > self.lower:
                self.lower, self.best_weights = lower, multiple
                break

    def _dual(self, weights: Vector) -> tuple[float, Vector]:
        """Return the dual objective of weights made to balance, and their best multiple."""
        if self.problem.sample.affine:
            weights = weights * balance(flow_matrix(weights, self.codes))[self.codes]
        sums = self.rows[:, : self.problem.n_features].T @ signed(weights, self.codes)
        each = weights.sum(axis=1)
        norm2 = 0.5 * float((sums**2).sum()) + float(each**2 @ self.slack2)
        total = float(each.sum())
        if not norm2 > 0.0:
            return 0.0, weights
        return 0.5 * total**2 / norm2, weights * (total / norm2)

    def solution(self, status: Status) -> JointSolution:
        """Return the best model and the weights of the best bound."""
        sample, d = self.problem.sample, self.problem.n_features
        weights = np.zeros((sample.n_examples, self.problem.n_classes))
        weights[sample.order] = self.best_weights
        offsets = np.zeros(self.problem.n_classes)
        if sample.affine:
            offsets = self.best_model[-1] - self.best_model[-1].mean()
        return JointSolution(
            vectors=np.ascontiguousarray(self.best_model[:d].T),
            offsets=offsets,
            weights=weights,
            status=status,
            lower=self.lower,
            upper=self.upper,
            solver="joint-interior",
            mistakes=self.mistakes,
        )


def _reach(values: Vector, steps: Vector) -> float:
    """Return the largest multiple of the steps, up to 1, that leaves positive values positive."""
    falling = steps < 0.0
    if not falling.any():
        return 1.0
    return min(1.0, float((values[falling] / -steps[falling]).min()))
