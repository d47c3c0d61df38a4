"""From the optimum margin of all classes in feature space to a model and its certificate."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Account, Joint, JointWeighted, Refutation, Status
from novikoff.estimators.fitted import Fitted, closed
from novikoff.estimators.joint import JointTask
from novikoff.estimators.kernel_margin_fit import usual_kernel_cost
from novikoff.estimators.kernel_training import KernelRows, certifier_of, sample_of
from novikoff.estimators.margin_fit import FEW_PASSES, NotSeparableError
from novikoff.maxmargin.joint.feature_space import (
    JointKernelProblem,
    JointKernelSolution,
    joint_kernel_margin,
)
from novikoff.run.nonseparable import contradiction

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class JointKernelMarginFit:
    """What is asked of MaxMargin with a kernel, of all classes: the search of a JointTask."""

    C: float
    tol: float
    nonseparable: Literal["soft", "raise"]
    start: Vector | None = None

    def __call__(self, task: JointTask) -> Fitted:
        """Solve, choose the model, certify it."""
        certifier = certifier_of(task)
        if self.C < np.inf:
            solution = self._solve(task, self.C, self.start)
            model = certifier.soft_model(*self._model(task, solution), C=self.C, **_proof(solution))
            certificate = certifier.soft(self._account(task, solution), model)
            return self._fitted(task, certificate, solution)
        refutation, proof = self._contradiction(task), JointWeighted()
        account = self._account(task, None)
        if refutation is None:
            solution = self._solve(task, np.inf, self.start)
            certificate = self._hard(task, solution)
            if solution.status is Status.GAP_REACHED and certificate.gap > self.tol:
                # Rounding pushed the certified gap over what was asked for.
                solution = self._solve(task, np.inf, solution.weights, share=0.5)
                certificate = self._hard(task, solution)
            over = solution.status in (Status.TIME_LIMIT, Status.INTERRUPTED)
            if certificate.lower > 0.0 or over or self.nonseparable == "raise":
                return self._fitted(task, certificate, solution)
            account, proof = certificate.account, _proof(solution)["proof"]
        elif self.nonseparable == "raise":
            raise NotSeparableError(
                "No linear model of the feature space separates the classes. Give a finite C, or "
                "nonseparable='soft'."
            )
        return self._soft_instead(task, account, refutation, proof)

    def _hard(self, task: JointTask, solution: JointKernelSolution) -> Joint:
        support, coef, intercept = self._model(task, solution)
        found: Joint = certifier_of(task).hard(
            self._account(task, solution),
            support=support,
            coef=coef,
            intercept=intercept,
            also=task.bound_before,
            **_proof(solution),
        )
        return found

    def _soft_instead(
        self, task: JointTask, hard: Account, refutation: Any, proof: JointWeighted
    ) -> Fitted:
        """Fit a soft margin where nothing separates the examples, or nothing did in time."""
        clock, certifier = task.clock, certifier_of(task)
        C = usual_kernel_cost(sample_of(task), task.costs)
        passes = int(np.ceil(clock.passes)) + max(clock.limits.max_iter, FEW_PASSES)
        clock.limits = replace(clock.limits, max_iter=passes)
        solution = self._solve(task, C, None)
        model = certifier.soft_model(
            *self._model(task, solution),
            C=C,
            account=self._account(task, solution, C),
            **_proof(solution),
        )
        if refutation is not None:
            certificate = certifier.refuted(
                refutation, model, asked=hard.asked, tol=hard.tol, n_updates=hard.n_updates
            )
        else:
            certificate = certifier.undecided(hard, model, proof=proof)
        return self._fitted(task, certificate, solution)

    def _model(
        self, task: JointTask, solution: JointKernelSolution
    ) -> tuple[Ids, Vector, Vector | None]:
        """Return support, coefficients and intercepts as a certifier takes them."""
        support, codes = _support(solution), np.asarray(certifier_of(task).examples.codes)
        affine = certifier_of(task).problem.affine
        return support, solution.coef(support, codes), solution.offsets if affine else None

    def _solve(
        self, task: JointTask, C: float, start: Vector | None, share: float = 1.0
    ) -> JointKernelSolution:
        """Return the solution, with weights for all examples."""
        rows: KernelRows = sample_of(task)
        X, costs = rows.training.training.X, task.costs
        n, n_classes = X.shape[0], len(certifier_of(task).problem.classes)
        part = np.arange(n) if costs is None else np.flatnonzero(costs > 0.0)
        some = slice(None) if len(part) == n else part
        own = np.ones(len(part)) if costs is None else costs[part]
        precomputed = rows.training.kernel.name == "precomputed" and len(part) < n
        problem = JointKernelProblem(
            X=X[np.ix_(part, part)] if precomputed else X[some],
            codes=np.asarray(certifier_of(task).examples.codes, dtype=np.int64)[part],
            n_classes=n_classes,
            kernel=rows.training.function,
            affine=certifier_of(task).problem.affine,
            slack2=None if np.inf == C else 0.5 / C / own,
            cache_bytes=rows.training.cache_bytes,
        )
        usable = start is not None and start.shape == (n, n_classes)
        solution = joint_kernel_margin(
            problem,
            tol=share * self.tol,
            clock=task.clock,
            start=start[part] if start is not None and usable else None,
        )
        weights = np.zeros((n, n_classes))
        weights[part] = solution.weights
        return replace(solution, weights=weights)

    def _contradiction(self, task: JointTask) -> Any:
        """Prove by two equal examples of different classes that nothing separates."""
        rows: KernelRows = sample_of(task)
        if rows.training.kernel.name in ("precomputed", "callable"):
            return None
        certifier = certifier_of(task)
        codes = np.asarray(certifier.examples.codes)
        among = None if task.costs is None else np.flatnonzero(task.costs > 0.0)
        twins = contradiction(rows.training.training.X, codes, task.hashes, among)
        if twins is None:
            return None
        first, second = sorted(codes[twins[0]].tolist())
        return certifier.refute_pair(first, second, Refutation(*twins))

    def _account(
        self, task: JointTask, solution: JointKernelSolution | None, C: float | None = None
    ) -> Account:
        return Account(
            status=Status.NOT_SEPARABLE if solution is None else solution.status,
            asked=f"MaxMargin(C={self.C if C is None else C!r}, tol={self.tol!r})",
            tol=self.tol,
            n_updates=task.clock.updates,
        )

    def _fitted(self, task: JointTask, certificate: Joint, solution: JointKernelSolution) -> Fitted:
        support, coef, _ = self._model(task, solution)
        return Fitted(
            certificate=certificate,
            support=support,
            dual_coef=np.ascontiguousarray(coef.T),
            n_iter=int(np.ceil(task.clock.passes)),
            history=closed(task.clock.history, certificate),
            solver=solution.solver,
            last=solution.weights,
        )


def _support(solution: JointKernelSolution) -> Ids:
    return np.flatnonzero(solution.weights.any(axis=1))


def _proof(solution: JointKernelSolution) -> dict[str, JointWeighted]:
    support = _support(solution)
    return {"proof": JointWeighted(support, solution.weights[support])}
