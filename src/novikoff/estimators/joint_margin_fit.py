"""From the optimum margin of all classes together to a model and its certificate."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import (
    Account,
    Joint,
    JointRefutation,
    JointWeighted,
    Status,
)
from novikoff.certificate.examples.scaling import in_raw_columns
from novikoff.estimators.fitted import Fitted, closed
from novikoff.estimators.joint import JointTask
from novikoff.estimators.margin_search import (
    MarginSearch,
    NotSeparableError,
    allow_soft_margin,
    certified_instead,
    in_data_units,
)
from novikoff.estimators.pairs import (
    MOST_PAIRS,
    by_weight,
    confused_pairs,
    equal_rows,
    refute_by_pairs,
)
from novikoff.estimators.usual_cost import usual_cost
from novikoff.maxmargin import SOME_MARGIN
from novikoff.maxmargin.distinct import Distinct
from novikoff.maxmargin.joint import (
    JointProblem,
    JointSolution,
    joint_hard_margin,
    joint_soft_margin,
)
from novikoff.maxmargin.joint.bounds import signed
from novikoff.maxmargin.joint.choose import SMALL_ROWS
from novikoff.maxmargin.joint.kesler import kesler_separator
from novikoff.sample import Sample

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]

ROUGH = 0.1
"""The relative gap of the soft margin that tells which classes are hard to separate."""


@dataclass(frozen=True)
class JointMarginFit(MarginSearch):
    """What is asked of MaxMargin: the search of a :class:`JointTask`."""

    start: Vector | None = None
    """Weights to start from, a row for each example."""

    def __call__(self, task: JointTask) -> Fitted:
        """Solve, choose the model, certify it."""
        search = _Search.of(self, task)
        if self.C < np.inf:
            start = usable(self.start, task.sample)
            solution = search.soft(self.C, self.tol, start, squared=self.squared)
            scaled = Scaled.of(task, solution)
            model = task.certifier.soft_model(
                scaled.coef,
                scaled.intercept,
                C=self.C,
                proof=scaled.proof,
                tol=self.tol,
                loss=self.loss,
            )
            certificate = task.certifier.soft(self.account(task, solution.status), model)
            return scaled.fitted(task, certificate)
        solution, refutation = search.separator(usable(self.start, task.sample))
        account = self.account(task, solution.status)
        scaled = Scaled.of(task, solution)
        proof = scaled.proof
        if refutation is None:
            bounds = self._bounds(task, account, scaled)
            over = solution.status in (Status.TIME_LIMIT, Status.INTERRUPTED)
            if bounds.lower > 0.0 or over or self.nonseparable == "raise":
                return scaled.fitted(task, bounds)
        elif self.nonseparable == "raise":
            raise NotSeparableError(
                "No linear model separates the classes. Give a finite C, or nonseparable='soft'."
            )
        return self._soft_instead(search, account, refutation, proof, solution)

    def _bounds(self, task: JointTask, account: Account, scaled: "Scaled") -> Joint:
        """Return the bounds on the margin; with an earlier model, if it separates better."""

        def bounds(coef: Vector, intercept: Vector) -> Joint:
            return task.certifier.hard(
                account,
                coef=coef,
                intercept=intercept,
                proof=scaled.proof,
                also=task.bound_before,
            )

        found, before = bounds(scaled.coef, scaled.intercept), task.before
        if before is not None and before.model is not None and before.lower > 0.0:
            again = bounds(before.model.coef, before.model.intercept)
            if again.lower > max(found.lower, 0.0):
                return again
        return found

    def _soft_instead(
        self,
        search: "_Search",
        hard: Account,
        refutation: JointRefutation | None,
        proof: JointWeighted,
        before: JointSolution,
    ) -> Fitted:
        """Fit a soft margin where nothing separates the examples, or nothing did in time."""
        task = search.task
        clock, certifier = task.clock, task.certifier
        allow_soft_margin(clock)
        C, rough = search.usual, search.rough
        start = None if rough is None else rough.weights
        solution = search.soft(C, self.tol, start, rough, squared=self.squared)
        scaled = Scaled.of(task, solution.following(before))
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
        return scaled.fitted(task, certificate)


def decide_jointly(task: JointTask) -> Fitted:
    """Decide whether one linear model separates all classes; no model is fitted."""
    search = _Search.of(JointMarginFit(np.inf, SOME_MARGIN, "raise"), task)
    solution, refutation = search.separator(None)
    certifier, updates = task.certifier, task.clock.updates
    scaled = Scaled.of(task, solution)
    if refutation is not None:
        certificate = certifier.refuted(refutation, asked="is_separable", n_updates=updates)
    else:
        certificate = certifier.hard(
            Account(status=solution.status, asked="is_separable", n_updates=updates),
            coef=scaled.coef,
            intercept=scaled.intercept,
            proof=scaled.proof,
            with_model=False,
        )
    return scaled.fitted(task, certificate)


@dataclass
class _Search:
    """The searches of one fit, on distinct examples."""

    asked: JointMarginFit
    task: JointTask
    distinct: Distinct
    codes: NDArray[np.int64]
    n_classes: int
    rough: JointSolution | None = None
    """A soft margin with the usual C, solved roughly; of the task's examples."""

    @classmethod
    def of(cls, asked: JointMarginFit, task: JointTask) -> "_Search":
        codes = np.ascontiguousarray(task.certifier.examples.codes, dtype=np.int64)
        distinct = Distinct.of(task.sample, task.hashes, task.costs, codes)
        return cls(asked, task, distinct, codes, len(task.certifier.problem.classes))

    @property
    def usual(self) -> float:
        """The C that the columns suggest, in the units of the data."""
        own = usual_cost(self.distinct.sample, self.distinct.costs, self.n_classes)
        return in_data_units(own, 2 * self.task.sample.exponent)

    def problem(self, C: float = np.inf, *, squared: bool = True) -> JointProblem:
        """Return the problem on distinct examples."""
        given = self.distinct.sample, self.codes, self.n_classes
        if not C < np.inf:
            return JointProblem(*given)
        costs = self.distinct.costs
        every = np.ones(len(self.codes)) if costs is None else costs
        own = in_data_units(C, -2 * self.task.sample.exponent)
        return JointProblem.soft(*given, own * every, squared=squared)

    def soft(
        self,
        C: float,
        tol: float,
        start: Vector | None,
        rough: JointSolution | None = None,
        *,
        squared: bool = True,
    ) -> JointSolution:
        """Return the soft margin of the task's examples."""
        clock = self.task.clock
        # In the units of the sample, the vectors are shorter by as much as the examples are longer.
        clock.unit = C / in_data_units(C, -2 * self.task.sample.exponent)
        solution = joint_soft_margin(
            self.problem(C, squared=squared),
            tol=tol,
            clock=clock,
            start=None if start is None else self.distinct.gathered(start),
            offsets=None if rough is None else rough.offsets,
        )
        return replace(solution, weights=self.distinct.spread(solution.weights))

    def separator(self, start: Vector | None) -> tuple[JointSolution, JointRefutation | None]:
        """Search for the model of largest margin, and for a proof that none separates."""
        task, clock = self.task, self.task.clock
        clock.unit = 2.0**-task.sample.exponent
        before = None if task.before is None else task.before.refutation
        known = None if before is None else task.certifier.refute_again(before)
        if known is not None:
            return self._refuted("warm-start"), known
        if self.distinct.first is not None:
            known = equal_rows(task)
            if known is not None:
                return self._refuted("equal-rows"), known
        problem = self.problem()
        tried: list[tuple[int, int]] = []
        if problem.n_rows > SMALL_ROWS and clock.stop() is None:
            with clock.until_separated():
                self.rough = self.soft(self.usual, ROUGH, start)
            clock.unit = 2.0**-task.sample.exponent
            start = self.rough.weights
            if self.rough.mistakes and clock.stop() is None:
                tried = confused_pairs(task, self.rough)[:MOST_PAIRS]
                known = refute_by_pairs(task, tried)
                if known is not None:
                    return self._refuted(f"{self.rough.solver}+pairs"), known
        gathered = None if start is None else self.distinct.gathered(start)
        solution = joint_hard_margin(problem, tol=self.asked.tol, clock=clock, start=gathered)
        solution = replace(solution, weights=self.distinct.spread(solution.weights))
        if self.rough is not None:
            solution = solution.following(self.rough)
            if not solution.lower > 0.0 and self.rough.mistakes < solution.mistakes:
                # Stopped before it had a better model.
                solution = replace(
                    solution,
                    vectors=self.rough.vectors,
                    offsets=self.rough.offsets,
                    mistakes=self.rough.mistakes,
                )
        if solution.lower > 0.0 or clock.interrupted() is not None:
            return solution, None
        return self._otherwise(solution, tried)

    def _otherwise(
        self, solution: JointSolution, tried: list[tuple[int, int]]
    ) -> tuple[JointSolution, JointRefutation | None]:
        """Prove that nothing separates the classes, by two of them or by all."""
        task = self.task
        vanishes = solution.status is Status.NOT_SEPARABLE
        if vanishes:
            pairs = by_weight(solution.weights, self.codes)
        else:
            pairs = confused_pairs(task, solution if self.rough is None else self.rough)
        known = refute_by_pairs(task, [pair for pair in pairs if pair not in tried])
        if known is None and vanishes:
            known = task.certifier.refute_basis(*np.nonzero(solution.weights))
        if known is None and task.clock.stop() is None:
            known, solution = self._written_out(solution)
        if known is not None:
            return replace(solution, status=Status.NOT_SEPARABLE), known
        if solution.status is Status.NOT_SEPARABLE:
            solution = replace(solution, status=Status.PRECISION, lower=-np.inf)
        return solution, None

    def _written_out(self, solution: JointSolution) -> tuple[JointRefutation | None, JointSolution]:
        """Decide by virtual rows that are written out, if these are few."""
        refutations: list[JointRefutation] = []

        def confirm(examples: Ids, wrong: Ids) -> bool:
            found = self.task.certifier.refute_basis(examples, wrong)
            refutations.extend([] if found is None else [found])
            return found is not None

        # Its bounds are on another problem than those of the history.
        with self.task.clock.of_part(1.0) as clock:
            found = kesler_separator(self.problem(), clock, confirm)
        if refutations:
            return refutations[0], solution
        if found is None:
            return None, solution
        vectors, offsets, lower = found
        within = lower >= (1.0 - self.asked.tol) * solution.upper
        return None, replace(
            solution,
            vectors=vectors,
            offsets=offsets,
            lower=lower,
            mistakes=0,
            status=Status.GAP_REACHED if within else Status.PRECISION,
        )

    def _refuted(self, solver: str) -> JointSolution:
        width = self.task.sample.storage.width
        return JointSolution(
            vectors=np.zeros((self.n_classes, width)),
            offsets=np.zeros(self.n_classes),
            weights=np.zeros((len(self.codes), self.n_classes)),
            status=Status.NOT_SEPARABLE,
            lower=-np.inf,
            upper=0.0,
            solver=solver,
        )


@dataclass(frozen=True)
class Scaled:
    """A solution in the units of the data: ``f_y - f_r = 1`` at the margin."""

    coef: Vector
    intercept: Vector
    proof: JointWeighted
    solution: JointSolution

    @classmethod
    def of(cls, task: JointTask, solution: JointSolution) -> "Scaled":
        """Return the support in order, and the weights that make the vectors themselves."""
        sample = task.sample
        support = np.sort(sample.order[solution.weights[sample.order].any(axis=1)])
        weights = solution.weights[support]
        vectors = solution.vectors
        intercept = solution.offsets - vectors @ sample.centre
        if sample.exponent:
            # Any multiple of the weights proves the same bound on the margin.
            with np.errstate(over="ignore", under="ignore"):
                scaled = np.ldexp(weights, 2 * sample.exponent)
            least = np.finfo(float).tiny
            fits = np.isfinite(scaled).all() and (scaled[weights > 0.0] > least).all()
            vectors = np.ldexp(vectors, sample.exponent)
            weights = scaled if fits else weights
        exponents = task.certifier.examples.exponents
        coef = np.array([in_raw_columns(vector, exponents) for vector in vectors])
        if not sample.affine:
            intercept = np.zeros_like(intercept)
        return cls(coef, intercept, JointWeighted(support, weights), solution)

    def fitted(self, task: JointTask, certificate: Joint) -> Fitted:
        """Return what the search gives back."""
        support, weights = np.asarray(self.proof.support), np.asarray(self.proof.weights)
        codes = np.asarray(task.certifier.examples.codes)[support]
        return Fitted(
            certificate=certificate,
            support=support,
            # Without negative zeros.
            dual_coef=0.5 * np.ascontiguousarray(signed(weights, codes).T) + 0.0,
            n_iter=int(np.ceil(task.clock.passes)),
            history=closed(task.clock.history, certificate),
            solver=self.solution.solver,
            last=self.solution.weights,
        )


def usable(last: Vector | None, sample: Sample) -> Vector | None:
    """Return the weights of an earlier fit, where they can start this one."""
    if last is None or last.ndim != 2 or len(last) != sample.n_examples:
        return None
    weights = np.zeros_like(last)
    weights[sample.order] = last[sample.order]
    return weights if weights.any() else None
