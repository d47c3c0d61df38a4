"""One class against the other: from the optimum margin to a model and its certificate."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import (
    Certificate,
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
from novikoff.maxmargin import SOME_MARGIN, Distinct, Problem, Solution, hard_margin, soft_margin
from novikoff.record import Callback, Limits, Progress
from novikoff.sample import Sample

Vector = NDArray[np.float64]


class NotSeparableError(ValueError):
    """No hyperplane separates the examples, and ``nonseparable="raise"`` asked to be told."""


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
class Optimum:
    """A hyperplane, the weighted examples it is made of, and what was proved."""

    coef: Vector
    intercept: float
    support: NDArray[np.int64]
    dual_coef: Vector
    margin: float
    margin_upper_bound: float
    certificate: Certificate
    soft_certificate: SoftOptimum | None
    C: float
    n_iter: int
    n_updates: int
    history: list[Progress]
    weights: Vector


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
            fingerprint=fingerprint_of_hashes(task.hashes, sample.signs, task.X.shape[1]),
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


def fit_optimum(
    task: Task,
    sample: Sample,
    positive: Label,
    negative: Label | None,
    start: Vector | None = None,
) -> Optimum:
    """Solve, choose the model, certify it."""
    claims = Claims(task, sample, positive, negative)
    if task.C < np.inf:
        return _soft(claims, task.C, None, start)
    solution, model, certificate = _hard(claims, start)
    if isinstance(certificate, Separation):
        return _optimum(claims, model, solution, certificate, certificate, None, np.inf)
    time_is_up = solution.status in (Status.TIME_LIMIT, Status.INTERRUPTED)
    passes_left = task.limits.max_iter - solution.n_passes
    if isinstance(certificate, Inconclusive) and (time_is_up or passes_left <= 0):
        return _optimum(claims, model, solution, certificate, certificate, None, np.inf)
    if task.nonseparable == "raise" and isinstance(certificate, Inconclusive):
        return _optimum(claims, model, solution, certificate, certificate, None, np.inf)
    if task.nonseparable == "raise":
        raise NotSeparableError(
            f"{str(certificate).splitlines()[0]} Give a finite C, or nonseparable='soft'."
        )
    if isinstance(certificate, Inconclusive):
        # The model will be another hyperplane than the one that was looked at.
        certificate = replace(certificate, coef=None, intercept=0.0, lower=-np.inf)
    cost = usual_cost(claims.distinct.sample, claims.distinct.costs)
    return _soft(claims, cost, certificate, None, solution)


def decide(
    task: Task, sample: Sample, positive: Label, negative: Label | None, k: int
) -> Certificate:
    """Return the proof that the class is separable or not."""
    return _hard(Claims(task, sample, positive, negative), None)[2]


def _hard(claims: Claims, start: Vector | None) -> tuple[Solution, Scaled, Certificate]:
    task, sample = claims.task, claims.sample
    refutations: list[NonSeparation] = []

    def confirm(support: NDArray[np.int64]) -> bool:
        refutation = claims.nothing_separates(support)
        refutations.extend([] if refutation is None else [refutation])
        return refutation is not None

    distinct = claims.distinct
    solution = hard_margin(
        Problem(distinct.sample),
        tol=task.tol,
        limits=task.limits,
        confirm=confirm,
        callbacks=task.callbacks,
        start=None if start is None else distinct.gathered(start),
    )
    model = Scaled.of(sample, solution, hard=True)
    if solution.status is Status.NOT_SEPARABLE:
        return solution, model, replace(refutations[0], n_updates=solution.n_steps)
    bounds = claims.margin(model, solution.status)
    if solution.status is Status.GAP_REACHED and not (
        isinstance(bounds, Separation) and (bounds.gap <= task.tol or task.tol >= SOME_MARGIN)
    ):
        # The solver's numbers are not the proof.
        solution = replace(solution, status=Status.PRECISION)
        bounds = replace(bounds, status=Status.PRECISION)
    return solution, model, bounds


def _soft(
    claims: Claims,
    C: float,
    certificate: Certificate | None,
    start: Vector | None,
    before: Solution | None = None,
) -> Optimum:
    task, sample = claims.task, claims.sample
    distinct = claims.distinct
    costs = np.ones(sample.n_examples) if distinct.costs is None else distinct.costs
    with np.errstate(divide="ignore"):
        slack2 = delta_of(C) ** 2 / costs
    limits = task.limits
    if before is not None:
        limits = replace(limits, max_iter=max(1, limits.max_iter - before.n_passes))
    solution = soft_margin(
        Problem(distinct.sample, slack2),
        tol=task.tol,
        limits=limits,
        callbacks=task.callbacks,
        start=None if start is None else distinct.gathered(start),
    )
    solution.weights = distinct.spread(solution.weights)
    if before is not None:
        solution = solution.after(before)
    model = Scaled.of(sample, solution, hard=False)
    soft, bounds = claims.soft(model, C, solution.status)
    # The solver's numbers are not the proof.
    if solution.status is Status.GAP_REACHED and soft.gap > task.tol:
        soft = replace(soft, status=Status.PRECISION)
    elif solution.status is Status.PRECISION and soft.gap <= task.tol:
        soft = replace(soft, status=Status.GAP_REACHED)
    proof = soft if certificate is None else certificate
    return _optimum(claims, model, solution, bounds, proof, soft, C)


def _optimum(
    claims: Claims,
    model: Scaled,
    solution: Solution,
    bounds: Separation | Inconclusive,
    certificate: Certificate,
    soft: SoftOptimum | None,
    C: float,
) -> Optimum:
    bound = bounds.upper
    if isinstance(certificate, Inconclusive):
        bound = min(bound, certificate.upper)
    return Optimum(
        coef=model.coef,
        intercept=model.intercept,
        support=model.support,
        dual_coef=model.weights * claims.sample.signs[model.support],
        margin=bounds.lower,
        margin_upper_bound=0.0 if isinstance(certificate, NonSeparation) else bound,
        certificate=certificate,
        soft_certificate=soft,
        C=C,
        n_iter=solution.n_passes,
        n_updates=solution.n_steps,
        history=solution.history,
        weights=solution.weights,
    )


def delta_of(C: float) -> float:
    """Return the slack lift's Delta, ``C = 1 / (2 Delta^2)``."""
    return float(np.sqrt(0.5 / C))


def usual_cost(sample: Sample, costs: Vector | None) -> float:
    """Return the C that is 1 after dividing the features by their root mean square distance.

    The distance is that to the mean of the examples, or to the origin where hyperplanes pass
    through it: a soft margin with this C is equivariant under scaling (and translation). Weights
    count as repetitions.
    """
    shares = np.zeros(sample.n_examples)
    shares[sample.order] = 1.0 if costs is None else costs[sample.order]
    shares /= shares.sum()
    square = float(shares @ sample.norms2)
    if sample.affine:
        mean, _ = sample.combine(shares * sample.signs)
        # The centre is one of the examples, so that this cancels only if they coincide.
        square = max(square - float(mean @ mean), np.finfo(float).eps * square)
    return 1.0 / (square or 1.0)
