"""Models of all classes together, of every fold along a path of C, without certificates.

As :mod:`novikoff.estimators.fold_models`: solved roughly, each from the weights of the same fold at
the C before.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.estimators.fold_models import ROUGH, RoughModels
from novikoff.estimators.folds import Fold
from novikoff.estimators.training import Training
from novikoff.maxmargin.joint import (
    JointProblem,
    JointSolution,
    joint_hard_margin,
    joint_soft_margin,
)
from novikoff.maxmargin.joint.passes import products
from novikoff.maxmargin.passes import Passes
from novikoff.run import Clock, Limits
from novikoff.sample import Sample

Vector = NDArray[np.float64]

CLOSE = 1e-3
"""The relative gap of models that are only scored, where the data are small. Where classes overlap
much, scores at a gap of 1e-2 differ from those at the optimum by up to 5 points."""

CLOSELY, FEW_EXAMPLES = 1e-6, 500
"""The gap of models that few examples decide, and how many are few: a single one counts there."""

NEWTON_RATIO = 1.5
"""The least number of examples for each number of the model with which these begin with Newton's
method. On 35 tables of 120 to 500 examples, three to ten classes, generated or of scikit-learn,
raw or not, it took, of the time of coordinate descent and Wolfe's method, 0.40 to 1.09 (0.72 in the
mean) with 1.5 to 3.4 examples for each number, 0.80 to 1.07 with one, 0.99 to 1.64 with fewer."""

NEWTON = "joint-newton"
"""The solver that a fold begins with if it solved the C before: others had given up there, as they
do on columns of different units. 1,000 x 127 such columns, four classes: 5.6 to 6.1 s without, 3.9
to 4.5 with it."""


class JointFoldModels(RoughModels):
    """The soft and hard margins of all classes together in every fold."""

    def __init__(
        self,
        training: Training,
        sample: Sample,
        folds: Sequence[Fold],
        *,
        tol: float,
        limits: Limits,
        squared: bool = True,
    ) -> None:
        super().__init__(training, sample, folds, tol=tol, limits=limits, squared=squared)
        self.tol = max(tol, ROUGH if self.is_large else CLOSE)
        self.codes = np.ascontiguousarray(training.codes, dtype=np.int64)
        self.n_classes = len(training.classes)
        self.solutions: list[JointSolution | None] = [None] * len(folds)
        self.values: list[Vector] = [np.empty((0, self.n_classes)) for _ in folds]

    def soft(self, C: float, *, in_few_passes: bool = False) -> bool:
        """Solve the soft margins; return whether that was done within the limits."""
        penalties = self.penalties(C)
        for k, fold in enumerate(self.folds):
            before = self.solutions[k]
            clock = Clock(self.limits_of_soft(k, in_few_passes=in_few_passes))
            solution = joint_soft_margin(
                JointProblem.soft(
                    self.fitted_part(fold),
                    self.codes,
                    self.n_classes,
                    penalties,
                    squared=self.squared,
                ),
                tol=min(self.tol, CLOSELY) if fold.train.size <= FEW_EXAMPLES else self.tol,
                clock=clock,
                start=None if before is None else before.weights,
                offsets=None if before is None else before.offsets,
                polish=False,
                newton_first=self._suits_newton(fold)
                or (before is not None and before.solver.endswith(NEWTON)),
            )
            self.count(k, clock)
            if not self.has_ended(solution.status, in_few_passes=in_few_passes):
                return False
            self._keep(k, solution)
        return True

    def _suits_newton(self, fold: Fold) -> bool:
        """Whether Newton's method reaches the optimum of few examples soonest."""
        numbers = self.n_classes * (self.sample.storage.width + int(self.sample.affine))
        return NEWTON_RATIO * numbers <= fold.train.size <= FEW_EXAMPLES

    def hard(self) -> bool:
        """Find the hard margins; return whether all folds were separated within the limits.

        In large data they are not searched for where more examples are on the wrong side of the
        last soft margin than there are features.
        """
        if self.is_large and self.mistakes > self.sample.storage.width:
            return False
        if self.is_contradicted:
            return False
        for k, fold in enumerate(self.folds):
            before = self.solutions[k]
            solution = joint_hard_margin(
                JointProblem(self.fitted_part(fold), self.codes, self.n_classes),
                tol=self.tol,
                clock=Clock(self.limits_of_hard(k)),
                start=None if before is None else before.weights,
                by_sweeps=True,
            )
            if not solution.lower > 0.0 or solution.status is Status.NOT_SEPARABLE:
                return False
            self._keep(k, solution)
        return True

    @property
    def mistakes(self) -> int:
        """The most examples that a model has on the wrong side of those that it is fitted to."""
        return max(0 if each is None else each.mistakes for each in self.solutions)

    def _keep(self, k: int, solution: JointSolution) -> None:
        self.solutions[k] = solution
        passes = Passes(self.sample, Clock())
        along = solution.vectors @ self.sample.centre
        found = products(passes, self.folds[k].test, solution.vectors, along)
        self.values[k] = found + solution.offsets

    def held_out(self, k: int) -> Vector:
        """Return the scores of the ``k``-th fold's model on what it has not seen."""
        return self.values[k]
