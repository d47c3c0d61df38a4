"""From the optimum margin to a model and its certificate."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import (
    Account,
    Certificate,
    Inconclusive,
    NonSeparation,
    Refutation,
    Separation,
    Status,
    Weighted,
)
from novikoff.certificate.examples.scaling import in_raw_columns
from novikoff.estimators.fitted import Fitted, Task, closed
from novikoff.estimators.margin_search import (
    MarginSearch,
    NotSeparableError,
    allow_soft_margin,
    certified_instead,
    in_data_units,
)
from novikoff.estimators.usual_cost import usual_cost
from novikoff.maxmargin import SOME_MARGIN, Distinct, Problem, Solution, hard_margin, soft_margin
from novikoff.run.blas import blas_for_one
from novikoff.run.nonseparable import contradiction, zero_row
from novikoff.sample import Sample

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class MarginFit(MarginSearch):
    """What is asked of MaxMargin: the search of a :class:`Task`."""

    starts: dict[int, Vector] | None = None

    def __call__(self, task: Task) -> Fitted:
        """Solve, choose the model, certify it."""
        start = usable(self.starts, task.code, task.sample)
        distinct = Distinct.of(task.sample, task.hashes, task.costs)
        if self.C < np.inf:
            solution = self._solve_soft(task, distinct, self.C, start)
            scaled = Scaled.of(task, solution, hard=False)
            model = task.certifier.soft_model(
                scaled.coef,
                scaled.intercept,
                C=self.C,
                proof=scaled.proof,
                tol=self.tol,
                loss=self.loss,
            )
            certificate = task.certifier.soft(self.account(task, solution.status), model)
            return scaled.fitted(task, certificate, solution)
        solution, refutation = find_separator(task, distinct, self.tol, start)
        account = self.account(task, solution.status)
        scaled = Scaled.of(task, solution, hard=True)
        proof = scaled.proof
        if refutation is None:
            bounds = self._bounds(task, account, scaled)
            over = solution.status in (Status.TIME_LIMIT, Status.INTERRUPTED)
            if isinstance(bounds, Separation) or over or self.nonseparable == "raise":
                return scaled.fitted(task, bounds, solution)
            proof = Weighted(*bounds.proof)
        elif self.nonseparable == "raise":
            raise NotSeparableError(
                f"No {task.certifier.problem.hyperplanes} separates the examples. "
                "Give a finite C, or nonseparable='soft'."
            )
        return self._soft_instead(task, distinct, account, refutation, proof, solution)

    def _bounds(
        self, task: Task, account: Account, scaled: "Scaled"
    ) -> Separation | Inconclusive | NonSeparation:
        """Return the bounds on the margin; with an earlier hyperplane, if it separates better."""

        def bounds(coef: Vector, intercept: float) -> Separation | Inconclusive | NonSeparation:
            return task.certifier.hard(
                account,
                coef=coef,
                intercept=intercept,
                proof=scaled.proof,
                also=task.bound_before,
            )

        found, before = bounds(scaled.coef, scaled.intercept), task.before
        if isinstance(before, Separation):
            again = bounds(before.model.coef, before.model.intercept)
            worse = not isinstance(found, Separation)
            if isinstance(again, Separation) and (worse or again.lower > found.lower):
                return again
        return found

    def _soft_instead(
        self,
        task: Task,
        distinct: Distinct,
        hard: Account,
        refutation: Refutation | None,
        proof: Weighted,
        before: Solution,
    ) -> Fitted:
        """Fit a soft margin where nothing separates the examples, or nothing did in time."""
        clock, certifier = task.clock, task.certifier
        C = in_data_units(usual_cost(distinct.sample, distinct.costs), 2 * task.sample.exponent)
        allow_soft_margin(clock)
        solution = self._solve_soft(task, distinct, C, None)
        scaled = Scaled.of(task, solution, hard=False)
        model = certifier.soft_model(
            scaled.coef,
            scaled.intercept,
            C=C,
            proof=scaled.proof,
            account=self.account(task, solution.status, C),
            tol=self.tol,
            loss=self.loss,
        )
        certificate = certified_instead(certifier, hard, refutation, model, proof)
        return scaled.fitted(task, certificate, solution.following(before))

    def _solve_soft(
        self, task: Task, distinct: Distinct, C: float, start: Vector | None
    ) -> Solution:
        costs = np.ones(task.sample.n_examples) if distinct.costs is None else distinct.costs
        # In the units of the sample, w is shorter by as much as the examples are longer.
        own = in_data_units(C, -2 * task.sample.exponent)
        task.clock.unit = C / own
        begin = None if start is None else distinct.gathered(start)
        how: dict[str, Any] = dict(tol=self.tol, clock=task.clock, start=begin)
        if self.squared:
            with np.errstate(divide="ignore"):
                slack2 = 0.5 / own / costs
            solution = soft_margin(Problem(distinct.sample, slack2), **how)
        else:
            # Imported here, with the solvers of several classes, as few fits need them.
            from novikoff.maxmargin.joint import hinge_margin

            solution = hinge_margin(distinct.sample, own * costs, **how)
        return replace(solution, weights=distinct.spread(solution.weights))


def decide(task: Task) -> Fitted:
    """Decide whether a hyperplane separates the class from the others; no model is fitted."""
    distinct = Distinct.of(task.sample, task.hashes, task.costs)
    solution, refutation = find_separator(task, distinct, SOME_MARGIN, None)
    certifier, clock = task.certifier, task.clock
    scaled = Scaled.of(task, solution, hard=True)
    certificate: Certificate
    if refutation is not None:
        certificate = certifier.refuted(refutation, asked="is_separable", n_updates=clock.updates)
    else:
        account = Account(status=solution.status, asked="is_separable", n_updates=clock.updates)
        certificate = certifier.hard(
            account,
            coef=scaled.coef,
            intercept=scaled.intercept,
            proof=scaled.proof,
            with_model=False,
        )
    return scaled.fitted(task, certificate, solution)


def find_separator(
    task: Task, distinct: Distinct, tol: float, start: Vector | None
) -> tuple[Solution, Refutation | None]:
    """Search for the separator of largest margin, and for a proof that there is none."""
    sample, refutations = task.sample, []
    task.clock.unit = 2.0**-sample.exponent

    def confirm(support: Ids) -> bool:
        found = task.certifier.refute(support)
        refutations.extend([] if found is None else [found])
        return found is not None

    def by_slacks(w: Vector, intercept: float, **how: Any) -> bool:
        from novikoff.run.slack_proof import refute_by_slacks

        coef, how["seconds"] = np.ldexp(w, sample.exponent), task.clock.seconds_left
        how["stopped"] = lambda: task.clock.interrupted() is not None
        with blas_for_one(len(coef)):
            found = refute_by_slacks(task.certifier, coef, intercept, **how)
        refutations.extend([] if found is None else [found])
        return found is not None

    if isinstance(task.before, NonSeparation):
        known = task.certifier.refute_again(task.before)
        if known is not None:
            return Solution.refuted(sample, known.support, "warm-start"), known
    if not sample.affine:
        row = zero_row(sample.storage.matrix, task.hashes, sample.order)
        if row is not None and confirm(np.array([row])):
            return Solution.refuted(sample, np.array([row]), "zero-row"), refutations[0]
    if distinct.first is not None:
        twins = contradiction(sample.storage.matrix, sample.signs, task.hashes, sample.order)
        if twins is not None and confirm(twins[0]):
            return Solution.refuted(sample, twins[0], "equal-rows"), refutations[0]
    solution = hard_margin(
        Problem(distinct.sample),
        tol=tol,
        clock=task.clock,
        confirm=confirm,
        by_slacks=by_slacks,
        costs=distinct.costs,
        start=None if start is None else distinct.gathered(start),
        separated=isinstance(task.before, Separation),
    )
    found = refutations[0] if solution.status is Status.NOT_SEPARABLE else None
    return solution, found


@dataclass(frozen=True)
class Scaled:
    """A solution in the units of the data: ``y (coef . x + intercept) = 1`` at the margin."""

    coef: Vector
    intercept: float
    proof: Weighted

    @classmethod
    def of(cls, task: Task, solution: Solution, *, hard: bool) -> "Scaled":
        """Return the support in order, and the weights that make the hyperplane itself."""
        sample = task.sample
        support = sample.order[solution.weights[sample.order] > 0.0]
        weights = solution.weights[support]
        if hard and 0.0 < solution.upper < np.inf:
            weights = weights / ((2.0 if sample.affine else 1.0) * solution.upper**2)
        w, offset = solution.w, solution.offset
        intercept = offset - float(w @ sample.centre)
        if sample.exponent:
            # Any multiple of the weights proves the same bound on the margin.
            with np.errstate(over="ignore", under="ignore"):
                scaled = np.ldexp(weights, 2 * sample.exponent)
            fits = np.isfinite(scaled).all() and (scaled > np.finfo(float).tiny).all()
            w, weights = np.ldexp(w, sample.exponent), scaled if fits else weights
        coef = in_raw_columns(w, task.certifier.examples.exponents)
        return cls(coef, intercept, Weighted(support, weights))

    def fitted(self, task: Task, certificate: Certificate, solution: Solution) -> Fitted:
        """Return what the search gives back."""
        support, weights = certificate.proof
        if weights is None:
            support, weights = support[:0], np.empty(0)
        return Fitted(
            certificate=certificate,
            support=support,
            dual_coef=weights * task.sample.signs[support],
            n_iter=int(np.ceil(task.clock.passes)),
            history=closed(task.clock.history, certificate),
            solver=solution.solver,
            last=solution.weights,
        )


def usable(last: dict[int, Vector] | None, k: int, sample: Sample) -> Vector | None:
    """Return the weights of an earlier fit, where they can start this one."""
    weights = None if last is None else last.get(k)
    if weights is None or len(weights) != sample.n_examples:
        return None
    weights = np.where(np.isin(np.arange(len(weights)), sample.order), weights, 0.0)
    signs = (1, -1) if sample.affine else (0,)
    if all((weights[sample.signs != -sign] > 0.0).any() for sign in signs):
        return weights
    return None
