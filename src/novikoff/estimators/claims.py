"""Certificates of one problem: what is asked of a fit, and what can be claimed of its solution."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import (
    CertificateError,
    Inconclusive,
    Label,
    NonSeparation,
    Separation,
    SoftOptimum,
    Status,
    certify_both,
    certify_margin,
    certify_nonseparable,
    fingerprint_of_hashes,
)
from novikoff.maxmargin import Distinct, Solution
from novikoff.run.nonseparable import contradiction
from novikoff.run.record import Callback, Limits
from novikoff.sample import Sample

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Task:
    """What is asked of a fit, the same for every class."""

    X: Any
    hashes: NDArray[np.uint64]
    C: float
    tol: float
    nonseparable: Literal["soft", "raise"]
    limits: Limits
    asked: str
    costs: Vector | None = None
    callbacks: tuple[Callback, ...] = ()


@dataclass(frozen=True)
class Claims:
    """Makes certificates of one problem."""

    task: Task
    sample: Sample
    positive: Label
    negative: Label | None

    @cached_property
    def distinct(self) -> Distinct:
        """The examples that are solved for."""
        return Distinct.of(self.sample, self.task.hashes, self.task.costs)

    def _common(self, n_updates: int) -> dict[str, Any]:
        task, sample = self.task, self.sample
        return dict(
            affine=sample.affine,
            asked=task.asked,
            n_updates=n_updates,
            positive=self.positive,
            negative=self.negative,
            fingerprint=fingerprint_of_hashes(task.hashes, sample.signs > 0, 2, task.X.shape[1]),
            costs=task.costs,
        )

    def margin(self, model: "Scaled", status: Status) -> Separation | Inconclusive:
        """Certify the margin of a hyperplane and the bound of its weights."""
        return certify_margin(
            self.task.X,
            self.sample.signs,
            coef=model.coef if model.coef.any() else None,
            intercept=model.intercept if model.coef.any() else 0.0,
            support=model.support,
            weights=model.weights,
            status=status,
            **self._common(model.n_updates),
        )

    def soft(
        self, model: "Scaled", C: float, status: Status
    ) -> tuple[SoftOptimum, Separation | Inconclusive]:
        """Certify the objective of a hyperplane, the bound of its weights, and its margin."""
        return certify_both(
            self.task.X,
            self.sample.signs,
            coef=model.coef,
            intercept=model.intercept,
            delta=delta_of(C),
            support=model.support,
            weights=model.weights,
            status=status,
            **self._common(model.n_updates),
        )

    def twins(self) -> NDArray[np.int64] | None:
        """Return two equal examples with opposite labels, if there are any."""
        if self.distinct.first is None:
            return None
        sample, task = self.sample, self.task
        found = contradiction(task.X, sample.signs, task.hashes, sample.order)
        return None if found is None else found[0]

    def nothing_separates(self, support: NDArray[np.int64]) -> NonSeparation | None:
        """Prove that a combination is exactly zero; None where exact arithmetic denies it."""
        try:
            return certify_nonseparable(
                self.task.X, self.sample.signs, support=support, **self._common(0)
            )
        except CertificateError:
            return None


@dataclass(frozen=True)
class Scaled:
    """A solution as the user reads it: ``y (coef . x + intercept) = 1`` at the margin."""

    coef: Vector
    intercept: float
    support: NDArray[np.int64]
    weights: Vector
    n_updates: int

    @classmethod
    def of(cls, sample: Sample, solution: Solution, *, hard: bool) -> "Scaled":
        """Return the support in order, and the weights that make the hyperplane itself."""
        support = sample.order[solution.weights[sample.order] > 0.0]
        weights = solution.weights[support]
        if hard and 0.0 < solution.upper < np.inf:
            weights = weights / ((2.0 if sample.affine else 1.0) * solution.upper**2)
        w, offset = solution.w, solution.offset
        return cls(w, offset - float(w @ sample.centre), support, weights, solution.n_steps)


def delta_of(C: float) -> float:
    """Return the slack lift's Delta, ``C = 1 / (2 Delta^2)``."""
    return float(np.sqrt(0.5 / C))
