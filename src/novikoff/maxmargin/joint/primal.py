"""What the searches for a margin in the model's own coordinates share: rows, bounds, clock."""

from math import inf, sqrt

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.joint.bounds import balance, flow_matrix, place_hard, place_soft, signed
from novikoff.maxmargin.joint.lifted import Lifted
from novikoff.maxmargin.joint.problem import JointProblem, JointSolution, Vector
from novikoff.run.clock import Clock, Stopped


class PrimalSearch:
    """The best model and weights so far, on rows that have a 1 for the intercept.

    A model has a column for each class: its vector, and its intercept at the mean of the rows,
    which makes intercepts nearly independent of vectors.
    """

    solver: str

    def __init__(self, problem: JointProblem, clock: Clock, examples: Lifted) -> None:
        sample = problem.sample
        self.hard = problem.slack2 is None
        self.problem = problem
        self.clock = clock
        self.codes = problem.codes[sample.order]
        self.slack2 = None if problem.slack2 is None else problem.slack2[sample.order]
        self.most = None if problem.most is None else problem.most[sample.order]
        self.examples, self.shift = examples, examples.shift
        n, d = problem.n_examples, problem.n_features
        self.penalty = np.append(np.full(d, 2.0), np.zeros(int(sample.affine)))
        self.model = np.zeros((len(self.penalty), problem.n_classes))
        self.lower, self.upper = -inf if self.hard else 0.0, inf
        self.mistakes = n
        self.gave_up = False
        self.best_model = self.model
        self.best_weights = np.zeros((n, problem.n_classes))

    def check(self) -> None:
        """Raise :class:`Stopped` after Ctrl-C, cancellation or at the deadline."""
        status = self.clock.interrupted()
        if status is not None:
            raise Stopped(status)

    def tick(self) -> None:
        """Count a pass, unless a limit is reached."""
        self.check()
        if not self.clock.fits(1.0):
            raise Stopped(Status.MAX_ITER)
        self.clock.passes += 1.0
        self.clock.updates += 1

    def is_within(self, tol: float) -> bool:
        """Whether the bounds are that close."""
        return self.lower > 0.0 and self.lower >= (1.0 - tol) * self.upper

    def judge_model(self, *, free: bool) -> None:
        """Keep the model at hand if it is the best; ``free``: its intercepts may be moved."""
        d, affine = self.problem.n_features, self.problem.sample.affine
        vectors = self.model[:d]
        if self.slack2 is None:
            self._judge_separator(vectors, self.examples.products(vectors))
            return
        offsets = self.model[-1] if affine else np.zeros(self.model.shape[1])
        placed = place_soft(
            float((vectors**2).sum()),
            self.examples.products(vectors),
            self.codes,
            self.slack2,
            offsets,
            free=free and affine,
            most=self.most,
        )
        if placed.value < self.upper:
            self.upper, self.mistakes = placed.value, placed.mistakes
            self.best_model = placed.factor * self.model
            if affine:
                self.best_model[-1] = placed.offsets

    def _judge_separator(self, vectors: Vector, products: Vector) -> None:
        """Keep the model at hand if its margin is the largest."""
        length, affine = sqrt(2.0 * float((vectors**2).sum())), self.problem.sample.affine
        placed = place_hard(products, self.codes, free=affine)
        if not length > 0.0:
            return
        if (-placed.mistakes, placed.value / length) > (-self.mistakes, self.lower):
            self.mistakes, self.lower = placed.mistakes, placed.value / length
            self.best_model = self.model.copy()
            if affine:
                self.best_model[-1] = placed.offsets
            if placed.value > 0.0:
                self.best_model /= placed.value

    def judge_weights(self, weights: Vector) -> bool:
        """Keep weights, made to balance, if their dual objective is the best; tell whether."""
        if self.problem.sample.affine:
            weights = weights * balance(flow_matrix(weights, self.codes))[self.codes]
        sums = self.examples.sums(signed(weights, self.codes))
        norm2 = 0.5 * float((sums**2).sum())
        if self.hard:
            return self._judge_bound(weights, sqrt(norm2))
        lower, multiple = self.problem.dual(weights, norm2)
        if not lower > self.lower:
            return False
        self.lower, self.best_weights = lower, multiple * weights
        return True

    def _judge_bound(self, weights: Vector, length: float) -> bool:
        """Keep balanced weights that make a vector of this length, if they bound margins best."""
        total = float(weights.sum())
        if not total > 0.0 or not length / total < self.upper:
            return False
        self.upper = length / total
        # The multiple that makes the vectors of the optimum.
        self.best_weights = weights / (total * self.upper**2) if length > 0.0 else weights
        return True

    def solution(self, status: Status) -> JointSolution:
        """Return the best model and the weights of the best bound."""
        sample, d = self.problem.sample, self.problem.n_features
        weights = np.zeros((sample.n_examples, self.problem.n_classes))
        weights[sample.order] = self.best_weights
        vectors = np.ascontiguousarray(self.best_model[:d].T)
        offsets = np.zeros(self.problem.n_classes)
        if sample.affine:
            offsets = self.best_model[-1] + vectors @ (sample.centre - self.shift)
            offsets -= offsets.mean()
        return JointSolution(
            vectors=vectors,
            offsets=offsets,
            weights=weights,
            status=status,
            lower=self.lower,
            upper=self.upper,
            solver=self.solver,
            mistakes=self.mistakes,
            gave_up=self.gave_up,
        )


def hold_constants(hessian: Vector) -> None:
    """Add curvature along equal changes of all intercepts, which change no difference of scores.

    ``hessian`` has the shape (classes, numbers, classes, numbers), the intercept's being the last.
    """
    offsets = hessian[:, -1, :, -1]
    offsets += float(np.trace(offsets)) / len(offsets)
