"""One class against the other: from the optimum margin to a model and its certificate."""

from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import (
    Certificate,
    Inconclusive,
    Label,
    NonSeparation,
    Separation,
    SoftOptimum,
    Status,
)
from novikoff.estimators.claims import Claims, Scaled, Task, delta_of
from novikoff.maxmargin import SOME_MARGIN, Problem, Solution, hard_margin, soft_margin
from novikoff.run.clock import Clock, Progress
from novikoff.sample import Sample

Vector = NDArray[np.float64]

FEW_PASSES = 10


class NotSeparableError(ValueError):
    """No hyperplane separates the examples, and ``nonseparable="raise"`` asked to be told."""


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

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the search, for the hard or for the soft margin."""
        told = (self.certificate, self.soft_certificate)
        return any(c is not None and c.status is Status.INTERRUPTED for c in told)


def fit_optimum(
    task: Task,
    sample: Sample,
    positive: Label,
    negative: Label | None,
    start: Vector | None = None,
) -> Optimum:
    """Solve, choose the model, certify it."""
    claims = Claims(task, sample, positive, negative)
    clock = Clock(task.limits, task.callbacks)
    if task.C < np.inf:
        return _soft(claims, clock, task.C, None, start)
    solution, model, certificate = _hard(claims, clock, start)
    if isinstance(certificate, Separation):
        return _optimum(claims, clock, model, solution, certificate, certificate, None, np.inf)
    time_is_up = solution.status in (Status.TIME_LIMIT, Status.INTERRUPTED)
    may_be_soft = task.nonseparable == "soft" and not time_is_up
    if isinstance(certificate, Inconclusive) and not may_be_soft:
        return _optimum(claims, clock, model, solution, certificate, certificate, None, np.inf)
    if task.nonseparable == "raise":
        raise NotSeparableError(
            f"{str(certificate).splitlines()[0]} Give a finite C, or nonseparable='soft'."
        )
    if isinstance(certificate, Inconclusive):
        # The model will be another hyperplane than the one that was looked at.
        certificate = replace(certificate, coef=None, intercept=0.0, lower=-np.inf)
    cost = usual_cost(claims.distinct.sample, claims.distinct.costs)
    # What replaces the hard margin has as many passes again, and should be more than a beginning.
    passes = ceil(clock.passes) + max(clock.limits.max_iter, FEW_PASSES)
    clock.limits = replace(clock.limits, max_iter=passes)
    return _soft(claims, clock, cost, certificate, None)


def decide(
    task: Task, sample: Sample, positive: Label, negative: Label | None, k: int
) -> Certificate:
    """Return the proof that the class is separable or not."""
    clock = Clock(task.limits, task.callbacks)
    return _hard(Claims(task, sample, positive, negative), clock, None)[2]


def _hard(
    claims: Claims, clock: Clock, start: Vector | None
) -> tuple[Solution, Scaled, Certificate]:
    task, sample = claims.task, claims.sample
    refutations: list[NonSeparation] = []

    def confirm(support: NDArray[np.int64]) -> bool:
        refutation = claims.nothing_separates(support)
        refutations.extend([] if refutation is None else [refutation])
        return refutation is not None

    distinct = claims.distinct
    twins = claims.twins()
    if twins is not None and confirm(twins):
        none = Solution.of_equal_rows(sample, twins)
        return none, Scaled.of(sample, none, hard=True, n_updates=0), refutations[0]
    solution = hard_margin(
        Problem(distinct.sample),
        tol=task.tol,
        clock=clock,
        confirm=confirm,
        start=None if start is None else distinct.gathered(start),
    )
    model = Scaled.of(sample, solution, hard=True, n_updates=clock.updates)
    if solution.status is Status.NOT_SEPARABLE:
        return solution, model, replace(refutations[0], n_updates=clock.updates)
    bounds = claims.margin(model, solution.status)
    enough = isinstance(bounds, Separation) and (bounds.gap <= task.tol or task.tol >= SOME_MARGIN)
    status = proved(solution.status, enough)
    return replace(solution, status=status), model, replace(bounds, status=status)


def proved(status: Status, enough: bool) -> Status:
    """Return how a run ended that aimed at a gap: the solver's numbers are not the proof."""
    if enough and status is Status.PRECISION:
        return Status.GAP_REACHED
    return Status.PRECISION if status is Status.GAP_REACHED and not enough else status


def _soft(
    claims: Claims,
    clock: Clock,
    C: float,
    certificate: Certificate | None,
    start: Vector | None,
) -> Optimum:
    task, sample = claims.task, claims.sample
    distinct = claims.distinct
    costs = np.ones(sample.n_examples) if distinct.costs is None else distinct.costs
    with np.errstate(divide="ignore"):
        slack2 = delta_of(C) ** 2 / costs
    solution = soft_margin(
        Problem(distinct.sample, slack2),
        tol=task.tol,
        clock=clock,
        start=None if start is None else distinct.gathered(start),
    )
    solution = replace(solution, weights=distinct.spread(solution.weights))
    model = Scaled.of(sample, solution, hard=False, n_updates=clock.updates)
    soft, bounds = claims.soft(model, C, solution.status)
    soft = replace(soft, status=proved(solution.status, soft.gap <= task.tol))
    if isinstance(certificate, Inconclusive):
        if isinstance(bounds, Separation):
            # What the search for the widest did not find in time, the soft margin did.
            found = replace(bounds, status=certificate.status)
            return _optimum(claims, clock, model, solution, found, found, None, np.inf)
        certificate = tighter(certificate, bounds)
    proof = soft if certificate is None else certificate
    return _optimum(claims, clock, model, solution, bounds, proof, soft, C)


def tighter(certificate: Inconclusive, bounds: Inconclusive) -> Inconclusive:
    """Return the certificate with the smaller of the two upper bounds."""
    if certificate.upper <= bounds.upper:
        return certificate
    return replace(
        certificate,
        upper=bounds.upper,
        support=bounds.support,
        weights=bounds.weights,
        spread=bounds.spread,
    )


def _optimum(
    claims: Claims,
    clock: Clock,
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
        n_iter=ceil(clock.passes),
        n_updates=clock.updates,
        history=clock.history,
        weights=solution.weights,
    )


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
