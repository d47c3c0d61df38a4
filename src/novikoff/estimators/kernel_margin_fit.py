"""From the optimum margin in feature space to a model and its certificate."""

from dataclasses import dataclass, replace
from typing import Any, Literal

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
from novikoff.estimators.fitted import Fitted, Task, closed
from novikoff.estimators.kernel_training import KernelRows, certifier_of, sample_of
from novikoff.estimators.margin_fit import FEW_PASSES, NotSeparableError
from novikoff.maxmargin.smo import KernelProblem, KernelSolution, kernel_margin
from novikoff.run.nonseparable import contradiction
from novikoff.sample.kernel import KernelMatrix

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]

MOST_SPECIAL = 12
"""The most examples, and the largest denominator, of a proof by small whole numbers."""

SOME = 1000
"""Examples from which the variance in feature space is estimated."""


@dataclass(frozen=True)
class KernelMarginFit:
    """What is asked of MaxMargin with a kernel: the search of a :class:`Task`."""

    C: float
    tol: float
    nonseparable: Literal["soft", "raise"]
    starts: dict[int, Vector] | None = None

    def __call__(self, task: Task) -> Fitted:
        """Solve, choose the model, certify it."""
        start = None if self.starts is None else self.starts.get(task.code)
        if start is not None and len(start) != len(task.hashes):
            start = None
        if self.C < np.inf:
            solution, support = self._solve(task, self.C, start)
            model = self._soft_model(task, solution, support, self.C)
            certificate = certifier_of(task).soft(self._account(task, solution), model)
            return self._fitted(task, certificate, solution)
        refutation = self._contradiction(task)
        if refutation is None:
            solution, support = self._solve(task, np.inf, start)
            certificate = self._hard(task, solution, support)
            asked = isinstance(certificate, Separation) and certificate.gap > self.tol
            if asked and solution.status is Status.GAP_REACHED:
                # Rounding pushed the certified gap over what was asked for.
                solution, support = self._solve(task, np.inf, solution.weights, share=0.5)
                certificate = self._hard(task, solution, support)
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
            proof, account = Weighted(), self._account(task, None)
        if refutation is not None and self.nonseparable == "raise":
            raise NotSeparableError(
                f"No {task.certifier.problem.hyperplanes} separates the examples. "
                "Give a finite C, or nonseparable='soft'."
            )
        return self._soft_instead(task, account, refutation, proof)

    def _hard(self, task: Task, solution: KernelSolution, support: Ids) -> Any:
        return certifier_of(task).hard(
            self._account(task, solution),
            support=support,
            coef=solution.weights[support] * task.sample.signs[support],
            intercept=solution.offset,
            proof=Weighted(support, solution.weights[support]),
            also=task.bound_before,
        )

    def _soft_instead(
        self, task: Task, hard: Account, refutation: Refutation | None, proof: Weighted
    ) -> Fitted:
        """Fit a soft margin where nothing separates the examples, or nothing did in time."""
        clock, certifier = task.clock, certifier_of(task)
        C = usual_kernel_cost(sample_of(task), task.costs)
        passes = int(np.ceil(clock.passes)) + max(clock.limits.max_iter, FEW_PASSES)
        clock.limits = replace(clock.limits, max_iter=passes)
        solution, support = self._solve(task, C, None)
        account = self._account(task, solution, C)
        model = self._soft_model(task, solution, support, C, account)
        certificate: Certificate
        if refutation is not None:
            certificate = certifier.refuted(
                refutation, model, asked=hard.asked, tol=hard.tol, n_updates=hard.n_updates
            )
        else:
            certificate = certifier.undecided(hard, model, proof=proof)
        return self._fitted(task, certificate, solution)

    def _soft_model(
        self,
        task: Task,
        solution: KernelSolution,
        support: Ids,
        C: float,
        account: Account | None = None,
    ) -> Any:
        weights = solution.weights[support]
        return certifier_of(task).soft_model(
            support,
            weights * task.sample.signs[support],
            solution.offset,
            C=C,
            proof=Weighted(support, weights),
            account=account,
        )

    def _solve(
        self, task: Task, C: float, start: Vector | None, share: float = 1.0
    ) -> tuple[KernelSolution, Ids]:
        """Return the solution, with weights for all examples, and its support."""
        rows: KernelRows = sample_of(task)
        X, costs = rows.training.training.X, task.costs
        n = X.shape[0]
        part = np.arange(n) if costs is None else np.flatnonzero(costs > 0.0)
        some = slice(None) if len(part) == n else part
        own = np.ones(len(part)) if costs is None else costs[part]
        precomputed = rows.training.kernel.name == "precomputed" and len(part) < n
        problem = KernelProblem(
            X=X[np.ix_(part, part)] if precomputed else X[some],
            signs=rows.signs[part].astype(np.float64),
            kernel=rows.training.function,
            affine=task.certifier.problem.affine,
            slack2=None if np.inf == C else 0.5 / C / own,
            cache_bytes=rows.training.cache_bytes,
        )
        solution = kernel_margin(
            problem,
            tol=share * self.tol,
            clock=task.clock,
            start=None if start is None else start[part],
        )
        weights = np.zeros(n)
        weights[part] = solution.weights
        return replace(solution, weights=weights), np.flatnonzero(weights)

    def _contradiction(self, task: Task) -> Refutation | None:
        """Prove by two equal examples with opposite labels that nothing separates."""
        rows: KernelRows = sample_of(task)
        training = rows.training.training
        if rows.training.kernel.name in ("precomputed", "callable"):
            return None
        among = None if task.costs is None else np.flatnonzero(task.costs > 0.0)
        twins = contradiction(training.X, rows.signs, task.hashes, among)
        return None if twins is None else certifier_of(task).refute(*twins)

    def _account(
        self, task: Task, solution: KernelSolution | None, C: float | None = None
    ) -> Account:
        return Account(
            status=Status.NOT_SEPARABLE if solution is None else solution.status,
            asked=f"MaxMargin(C={self.C if C is None else C!r}, tol={self.tol!r})",
            tol=self.tol,
            n_updates=task.clock.updates,
        )

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


def usual_kernel_cost(rows: KernelRows, costs: Vector | None) -> float:
    """Return the C of a soft margin that was not asked for: 1 over the variance in feature space.

    For the linear kernel that is the C of :mod:`~novikoff.estimators.usual_cost` up to the shape
    of the columns. The variance is that of up to a thousand examples, spread over the data.
    """
    X = rows.training.training.X
    n = X.shape[0]
    part = np.arange(n) if costs is None else np.flatnonzero(costs > 0.0)
    some = part[:: max(1, len(part) // SOME)]
    precomputed = rows.training.kernel.name == "precomputed"
    matrix = KernelMatrix(X[np.ix_(some, some)] if precomputed else X[some], rows.training.function)
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
