"""From the optimum margin in feature space to a model and its certificate."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import (
    Account,
    Inconclusive,
    NonSeparation,
    Refutation,
    Separation,
    Status,
    Weighted,
)
from novikoff.estimators.fitted import Fitted, Task, closed
from novikoff.estimators.joint import JointTask
from novikoff.estimators.kernel_training import KernelRows, certifier_of, sample_of
from novikoff.estimators.margin_search import (
    MarginSearch,
    NotSeparableError,
    allow_soft_margin,
    certified_instead,
)
from novikoff.maxmargin.smo import KernelProblem, KernelSolution, kernel_margin
from novikoff.sample.kernel import KernelMatrix

QUICK_TABLE = 1 << 17
"""Kernel values of a formula that are computed exactly on demand: a fit of 100 x 1, rbf, C = 1e6,
three classes takes 0.2 s without it and 0.6 s with it; of 80 x 2, a polynomial, six classes, 0.13
and 0.31 s, for which a quarter is too little."""

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]

MOST_SPECIAL = 12
"""The most examples, and the largest denominator, of a proof by small whole numbers."""

SOME = 1000
"""Examples from which the variance in feature space is estimated."""


@dataclass(frozen=True)
class KernelMarginFit(MarginSearch):
    """What is asked of MaxMargin with a kernel: the search of a :class:`Task`."""

    starts: dict[int, Vector] | None = None

    def __call__(self, task: Task) -> Fitted:
        """Solve, choose the model, certify it."""
        start = None if self.starts is None else self.starts.get(task.code)
        if start is not None and len(start) != len(task.hashes):
            start = None
        if self.C < np.inf:
            solution = self._solve(task, self.C, start)
            model = self._soft_model(task, solution, self.C)
            certificate = certifier_of(task).soft(self.account(task, solution.status), model)
            return self._fitted(task, certificate, solution)
        refutation = self._contradiction(task)
        if refutation is None:
            solution = self._solve(task, np.inf, start)
            certificate = self._hard(task, solution)
            asked = isinstance(certificate, Separation) and certificate.gap > self.tol
            if asked and solution.status is Status.GAP_REACHED:
                # Rounding pushed the certified gap over what was asked for.
                solution = self._solve(task, np.inf, solution.weights, share=0.5)
                certificate = self._hard(task, solution)
            over = solution.status in (Status.TIME_LIMIT, Status.INTERRUPTED)
            if isinstance(certificate, Separation) or over:
                return self._fitted(task, certificate, solution)
            if isinstance(certificate, NonSeparation):
                refutation = certifier_of(task).refute(certificate.support, certificate.weights)
            elif solution.status is Status.PRECISION:
                refutation = refute_by_small_numbers(task, solution.weights)
            proof, account = Weighted(*certificate.proof), certificate.account
            if self.nonseparable == "raise" and isinstance(certificate, Inconclusive):
                return self._fitted(task, certificate, solution)
        else:
            proof, account = Weighted(), self.account(task, Status.NOT_SEPARABLE)
        if refutation is not None and self.nonseparable == "raise":
            raise NotSeparableError(
                f"No {task.certifier.problem.hyperplanes} separates the examples. "
                "Give a finite C, or nonseparable='soft'."
            )
        return self._soft_instead(task, account, refutation, proof)

    def _hard(self, task: Task, solution: KernelSolution) -> Any:
        support, coef = _model(task, solution)
        return certifier_of(task).hard(
            self.account(task, solution.status),
            support=support,
            coef=coef,
            intercept=solution.offset,
            proof=_proof(solution),
            also=task.bound_before,
        )

    def _soft_instead(
        self, task: Task, hard: Account, refutation: Refutation | None, proof: Weighted
    ) -> Fitted:
        """Fit a soft margin where nothing separates the examples, or nothing did in time."""
        clock, certifier = task.clock, certifier_of(task)
        C = usual_kernel_cost(sample_of(task), task.costs)
        allow_soft_margin(clock)
        solution = self._solve(task, C, None)
        account = self.account(task, solution.status, C)
        model = self._soft_model(task, solution, C, account)
        certificate = certified_instead(certifier, hard, refutation, model, proof)
        return self._fitted(task, certificate, solution)

    def _soft_model(
        self,
        task: Task,
        solution: KernelSolution,
        C: float,
        account: Account | None = None,
    ) -> Any:
        support, coef = _model(task, solution)

        def certified(*, thorough: bool) -> Any:
            return certifier_of(task).soft_model(
                support,
                coef,
                solution.offset,
                C=C,
                proof=_proof(solution),
                account=account,
                thorough=thorough,
            )

        model = certified(thorough=False)
        if denied(task, solution.status, model, self.tol):
            model = certified(thorough=True)
        return model

    def _solve(
        self, task: Task, C: float, start: Vector | None, share: float = 1.0
    ) -> KernelSolution:
        """Return the solution, with weights for all examples."""
        rows: KernelRows = sample_of(task)
        some = rows.together(task, rows.signs, soft=np.inf > C)
        problem = KernelProblem(
            X=rows.values_of(some.first),
            signs=rows.signs[some.first].astype(np.float64),
            kernel=rows.training.function,
            affine=task.certifier.problem.affine,
            slack2=None if np.inf == C else 0.5 / C / some.costs,
            cache_bytes=rows.training.cache_bytes,
        )
        solution = kernel_margin(
            problem,
            tol=share * self.tol,
            clock=task.clock,
            start=None if start is None else some.gathered(start),
        )
        model = solution.model
        return replace(
            solution,
            weights=some.spread(solution.weights, rows.n_examples),
            model=None if model is None else some.spread(model, rows.n_examples),
        )

    def _contradiction(self, task: Task) -> Refutation | None:
        """Prove by two equal examples with opposite labels that nothing separates."""
        rows: KernelRows = sample_of(task)
        twins = rows.contradiction(rows.signs, task.hashes, task.costs)
        return None if twins is None else certifier_of(task).refute(*twins)

    def _fitted(self, task: Task, certificate: Any, solution: KernelSolution) -> Fitted:
        model = certificate.hyperplane
        return Fitted(
            certificate=certificate,
            support=model.support,
            dual_coef=model.coef,
            n_iter=int(np.ceil(task.clock.passes)),
            history=closed(task.clock.history, certificate),
            solver=solution.solver,
            last=solution.weights,
        )


def _model(task: Task, solution: KernelSolution) -> tuple[Ids, Vector]:
    """Return support and coefficients as a certifier takes them."""
    support = np.flatnonzero(solution.terms)
    return support, solution.terms[support] * task.sample.signs[support]


def _proof(solution: KernelSolution) -> Weighted:
    support = np.flatnonzero(solution.weights)
    return Weighted(support, solution.weights[support])


def denied(task: Task | JointTask, status: Status, model: Any, tol: float) -> bool:
    """Whether rounding denies a gap that the solver has reached, and exact arithmetic is quick.

    Of given values it is, so that it is used also where the solver came as close as it could.
    """
    problem = certifier_of(task).problem
    if problem.kernel.is_given:
        ended = status in (Status.GAP_REACHED, Status.PRECISION)
    else:
        n_values = problem.n_examples * len(model.support) * len(problem.classes)
        ended = status is Status.GAP_REACHED and n_values <= QUICK_TABLE
    return ended and model.soft.gap > tol


def usual_kernel_cost(rows: KernelRows, costs: Vector | None) -> float:
    """Return the C of a soft margin that was not asked for: 1 over the variance in feature space.

    For the linear kernel that is the C of :mod:`~novikoff.estimators.usual_cost` up to the shape
    of the columns. The variance is that of up to a thousand examples, spread over the data.
    """
    part = rows.taking_part(costs)
    some = part[:: max(1, len(part) // SOME)]
    matrix = KernelMatrix(rows.values_of(some), rows.training.function)
    everyone = np.arange(matrix.n)
    values = matrix.block(everyone, everyone)
    variance = float(matrix.diagonal.mean()) - float(values.mean())
    return 1.0 / variance if variance > 1e-12 * float(np.abs(values).max(initial=0.0)) else 1.0


def refute_by_small_numbers(task: Task, weights: Vector) -> Refutation | None:
    """Prove that nothing separates the examples, where the weights are multiples of each other.

    That is so where few examples of a small problem are in special position, such as the exclusive
    or; in general nothing is found.
    """
    support = np.flatnonzero(weights)
    if not 0 < len(support) <= MOST_SPECIAL:
        return None
    shares = weights[support] / weights[support].min()
    for factor in range(1, MOST_SPECIAL + 1):
        whole = np.rint(factor * shares)
        if np.abs(factor * shares - whole).max() < 1e-6 * factor:
            found: Refutation | None = certifier_of(task).refute(support, whole.astype(np.int64))
            return found
    return None
