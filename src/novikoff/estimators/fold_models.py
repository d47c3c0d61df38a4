"""Models of every fold along a path of C, without certificates: only their scores are needed.

Soft margins are solved to a gap of ``ROUGH``, or until a step would gain no more than a tenth of
that, each from the same fold's optimum at the C before. On 60,000 digits in five folds, the scores
of ten values of C differ from those of certified fits by at most 0.00075 in any fold.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.certificate.examples.labels import signs_against
from novikoff.estimators.folds import Fold
from novikoff.estimators.margin_search import in_data_units
from novikoff.estimators.training import Training
from novikoff.maxmargin import Problem, Solution, hard_margin, soft_margin
from novikoff.maxmargin.batch import BATCH, Batch
from novikoff.maxmargin.joint import hinge_margin
from novikoff.run import Clock, Limits
from novikoff.run.clock import Stopped
from novikoff.run.nonseparable import contradiction
from novikoff.sample import Sample

Vector = NDArray[np.float64]

ROUGH = 1e-2
"""The relative gap of the models that are only scored, if ``tol`` is smaller."""

SINGLE = 1e-3
"""The least relative gap for which single precision is enough."""

MOST_CLOSELY = 1_000_000
"""Up to this many values, a solver of its own solves each fold to the optimum."""

FEW_PASSES = 100
"""The most passes for a C beyond the grid, and for the hard margin of a fold, ..."""

PASSES_GROWTH = 5
"""A soft margin of a fold may take so many times the passes that a smaller C took, or
``FEW_PASSES`` if that is more, and is scored as it is then. 10,000 x 173 columns of different
units, codes for missing values among them: 2.2 s without this limit, of which 1.8 for the largest C
alone, which ends above its gap after 755 passes; 0.9 with it. Smaller values of C take 10 to 20
passes there, so half of it would change nothing; twice it was not measured."""

HARD_SHARE = 0.5
"""... which may take this share of the passes that all soft margins of the fold took, if that is
more."""

STARTS_PER_FEATURE = 3
"""Where more examples for each feature carry a soft margin of dense data, the next C does not start
from it: Newton's method would make short steps from there, and give up. Columns with codes for
missing values, ten values of C: 2,000 x 15 0.3 to 1.9 s, and 2.3 to 13 with all starts; 6,000 x 15
0.6, and 76 s. The same at twice this value; at half of it breast cancer takes 0.23 s, not 0.16."""

OUT_OF_TIME = Status.TIME_LIMIT, Status.INTERRUPTED


class RoughModels:
    """The examples of every fold, and how closely their models are solved.

    Parameters
    ----------
    training : Training
        The examples.
    sample : Sample
        The same as the solvers see them, those of positive weight in its order.
    folds : sequence of Fold
        What is fitted and what is held out.
    tol : float
        The relative gap that the estimator is asked for.
    limits : Limits
        The limits of every search.
    squared : bool
        Whether the hinges are squared.

    Attributes
    ----------
    batched : bool
        Whether all folds are solved at once.
    """

    batched = False

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
        self.squared = squared
        self.sample = sample
        self.folds = folds
        self.tol = max(tol, ROUGH)
        self.limits = limits
        self.training = training
        self.passes, self.most_passes = np.zeros(len(folds)), np.zeros(len(folds))
        """The passes that the soft margins of each fold have taken, together and at most."""
        self.costs = np.ones(sample.n_examples) if training.costs is None else training.costs

    @property
    def is_large(self) -> bool:
        """Whether the data are too large for solving each fold to the optimum."""
        return self.sample.storage.n_values > MOST_CLOSELY

    @property
    def few_passes(self) -> Limits:
        """The limits of what need not have a score."""
        return replace(self.limits, max_iter=min(self.limits.max_iter, FEW_PASSES))

    def limits_of_soft(self, k: int, *, in_few_passes: bool) -> Limits:
        """Return the limits of the next soft margin of the ``k``-th model."""
        if in_few_passes:
            return self.few_passes
        if not self.passes[k]:
            return self.limits
        most = max(FEW_PASSES, int(PASSES_GROWTH * self.most_passes[k]))
        return replace(self.limits, max_iter=min(self.limits.max_iter, most))

    def count(self, k: int, clock: Clock) -> None:
        """Count the passes of a soft margin of the ``k``-th model."""
        self.passes[k] += clock.passes
        self.most_passes[k] = max(self.most_passes[k], clock.passes)

    def limits_of_hard(self, k: int) -> Limits:
        """Return the limits of the hard margin of the ``k``-th fold."""
        most = max(FEW_PASSES, int(HARD_SHARE * self.passes[k]))
        return replace(self.limits, max_iter=min(self.limits.max_iter, most))

    @property
    def is_contradicted(self) -> bool:
        """Whether some fold has equal examples of different classes, which nothing separates."""
        X, codes, hashes = self.training.X, self.training.codes, self.training.hashes
        return any(contradiction(X, codes, hashes, fold.train) is not None for fold in self.folds)

    def has_ended(self, status: Status, *, in_few_passes: bool) -> bool:
        """Whether a search ended before its time, or its few passes, were over."""
        return status not in OUT_OF_TIME and not (in_few_passes and status is Status.MAX_ITER)

    def fitted_part(self, fold: Fold) -> Sample:
        """Return the examples that the model of a fold is fitted to."""
        order = fold.train
        longest = int(order[np.argmax(self.sample.norms2[order])])
        return replace(self.sample, order=order, longest=longest)

    def penalty(self, C: float) -> float:
        """Return C in the units of the sample."""
        return in_data_units(C, -2 * self.sample.exponent)

    def penalties(self, C: float) -> Vector:
        """Return the penalties of all examples in the units of the sample."""
        return np.asarray(self.penalty(C) * self.costs)


class FoldModels(RoughModels):
    """The soft and hard margins of every class in every fold."""

    def __init__(
        self, training: Training, sample: Sample, folds: Sequence[Fold], **how: Any
    ) -> None:
        super().__init__(training, sample, folds, **how)
        signs = {code: signs_against(training.codes, code) for code in training.positives}
        self.signs = list(signs.values())
        self.fitted = [
            replace(self.fitted_part(fold), signs=signs) for signs in self.signs for fold in folds
        ]
        self.passes, self.most_passes = np.zeros(len(self.fitted)), np.zeros(len(self.fitted))
        self.starts: list[Vector | None] = [None] * len(self.fitted)
        self.batched = self.squared and suits_batch(sample, folds)
        self.batches: list[Batch] = []
        self.values = np.zeros((len(self.signs), len(folds), sample.n_examples))

    def _batch(self, signs: NDArray[np.int8]) -> Batch:
        order = self.sample.order
        fitted = np.zeros((len(self.folds), self.sample.n_examples), dtype=np.int8)
        for row, fold in zip(fitted, self.folds, strict=True):
            row[fold.train] = signs[fold.train]
        settings = replace(BATCH, single=self.tol >= SINGLE)
        return Batch(self.sample, fitted[:, order], self.costs[order], Clock(self.limits), settings)

    def soft(self, C: float, *, in_few_passes: bool = False) -> bool:
        """Solve the soft margins; return whether that was done within the limits."""
        if self.batched:
            try:
                self._solve_together(self.penalty(C))
            except Stopped:
                return False
            return True
        penalties = self.penalties(C)
        for k, sample in enumerate(self.fitted):
            clock = Clock(self.limits_of_soft(k, in_few_passes=in_few_passes))
            how: dict[str, Any] = dict(tol=self.tol, clock=clock, start=self.starts[k])
            if self.squared:
                with np.errstate(divide="ignore"):
                    solution = soft_margin(Problem(sample, 0.5 / penalties), **how)
            else:
                solution = hinge_margin(sample, penalties, **how)
            self.count(k, clock)
            if not self.has_ended(solution.status, in_few_passes=in_few_passes):
                return False
            self.starts[k] = self._start_from(solution.weights)
            self._keep(k, solution)
        return True

    def _start_from(self, weights: Vector) -> Vector | None:
        """Return weights that the next C may start from, or none."""
        few = STARTS_PER_FEATURE * self.sample.storage.width
        useful = weights.any() and (self.sample.is_sparse or np.count_nonzero(weights) <= few)
        return weights if useful else None

    def _solve_together(self, C: float) -> None:
        if not self.batches:
            self.batches = [self._batch(signs) for signs in self.signs]
        for values, batch in zip(self.values, self.batches, strict=True):
            batch.solve(C, self.tol)
            values[:, self.sample.order] = batch.values

    def hard(self) -> bool:
        """Find the hard margins; return whether all folds were separated within the limits.

        In large data they are not searched for where more examples are on the wrong side of the
        last soft margin than there are features.
        """
        if self.is_large and self.mistakes > self.sample.storage.width:
            return False
        if self.is_contradicted:
            return False
        for k, sample in enumerate(self.fitted):
            solution = hard_margin(
                Problem(sample),
                tol=self.tol,
                clock=Clock(self.limits_of_hard(k)),
                # No certificate is made: a combination that vanishes up to rounding is enough.
                confirm=None,
                costs=self.costs,
                start=self.starts[k],
            )
            if not solution.lower > 0.0 or solution.status is Status.NOT_SEPARABLE:
                return False
            self._keep(k, solution)
        return True

    def _keep(self, k: int, solution: Solution) -> None:
        values = self.sample.products(solution.w) + solution.offset
        row = self.values.reshape(len(self.fitted), -1)[k]
        row[self.sample.order] = values

    @property
    def mistakes(self) -> int:
        """The most examples that a model has on the wrong side of those that it is fitted to."""
        rows = self.values.reshape(len(self.fitted), -1)
        return max(
            int(np.count_nonzero(sample.signs[sample.order] * row[sample.order] <= 0.0))
            for sample, row in zip(self.fitted, rows, strict=True)
        )

    def held_out(self, k: int) -> Vector:
        """Return the decision values of the ``k``-th fold's model on what it has not seen."""
        values: Vector = self.values[:, k, self.folds[k].test].T
        return values.ravel() if values.shape[1] == 1 else np.ascontiguousarray(values)


def suits_batch(sample: Sample, folds: Sequence[Fold]) -> bool:
    """Whether data are dense and large, with many examples for each feature in every fold."""
    least = min(len(fold.train) for fold in folds)
    width = sample.storage.width
    return not sample.is_sparse and least >= 2 * width and least * width > MOST_CLOSELY
