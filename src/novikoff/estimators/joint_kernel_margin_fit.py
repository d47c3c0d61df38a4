"""From the optimum margin of all classes in feature space to a model and its certificate."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import (
    Account,
    Joint,
    JointKernelModel,
    JointWeighted,
    Refutation,
    Status,
)
from novikoff.estimators.fitted import Fitted, closed
from novikoff.estimators.joint import JointTask
from novikoff.estimators.kernel_margin_fit import denied, usual_kernel_cost
from novikoff.estimators.kernel_training import KernelRows, certifier_of, sample_of
from novikoff.estimators.margin_search import (
    MarginSearch,
    NotSeparableError,
    allow_soft_margin,
    certified_instead,
)
from novikoff.maxmargin.joint.kernel_choose import joint_kernel_margin
from novikoff.maxmargin.joint.kernel_problem import JointKernelProblem, JointKernelSolution

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class JointKernelMarginFit(MarginSearch):
    """What is asked of MaxMargin with a kernel, of all classes: the search of a JointTask."""

    start: Vector | None = None

    def __call__(self, task: JointTask) -> Fitted:
        """Solve, choose the model, certify it."""
        certifier = certifier_of(task)
        if self.C < np.inf:
            solution = self._solve(task, self.C, self.start)
            model = self._soft_model(task, solution, self.C)
            certificate = certifier.soft(self.account(task, solution.status), model)
            return self._fitted(task, certificate, solution)
        refutation, proof = self._contradiction(task), JointWeighted()
        account = self.account(task, Status.NOT_SEPARABLE)
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
            self.account(task, solution.status),
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
        allow_soft_margin(clock)
        solution = self._solve(task, C, None)
        model = self._soft_model(task, solution, C, self.account(task, solution.status, C))
        certificate = certified_instead(certifier, hard, refutation, model, proof)
        return self._fitted(task, certificate, solution)

    def _soft_model(
        self, task: JointTask, solution: JointKernelSolution, C: float, own: Account | None = None
    ) -> JointKernelModel:
        """Certify a soft margin, in exact arithmetic where rounding denies the gap it reached."""

        def certified(*, thorough: bool) -> JointKernelModel:
            made: JointKernelModel = certifier_of(task).soft_model(
                *self._model(task, solution),
                C=C,
                account=own,
                thorough=thorough,
                **_proof(solution),
            )
            return made

        model = certified(thorough=False)
        if denied(task, solution.status, model, self.tol):
            model = certified(thorough=True)
        return model

    def _model(
        self, task: JointTask, solution: JointKernelSolution
    ) -> tuple[Ids, Vector, Vector | None]:
        """Return support, coefficients and intercepts as a certifier takes them."""
        support = np.flatnonzero(solution.terms.any(axis=1))
        codes = np.asarray(certifier_of(task).examples.codes)
        affine = certifier_of(task).problem.affine
        return support, solution.coef(support, codes), solution.offsets if affine else None

    def _solve(
        self, task: JointTask, C: float, start: Vector | None, share: float = 1.0
    ) -> JointKernelSolution:
        """Return the solution, with weights for all examples."""
        rows: KernelRows = sample_of(task)
        n, n_classes = rows.n_examples, len(certifier_of(task).problem.classes)
        codes = np.asarray(certifier_of(task).examples.codes, dtype=np.int64)
        some = rows.together(task, codes, soft=np.inf > C)
        problem = JointKernelProblem(
            X=rows.values_of(some.first),
            codes=codes[some.first],
            n_classes=n_classes,
            kernel=rows.training.function,
            affine=certifier_of(task).problem.affine,
            slack2=None if np.inf == C else 0.5 / C / some.costs,
            cache_bytes=rows.training.cache_bytes,
        )
        if start is not None and start.shape != (n, n_classes):
            start = None
        solution = joint_kernel_margin(
            problem,
            tol=share * self.tol,
            clock=task.clock,
            start=None if start is None else some.gathered(start),
        )
        model = solution.model
        return replace(
            solution,
            weights=some.spread(solution.weights, n),
            model=None if model is None else some.spread(model, n),
        )

    def _contradiction(self, task: JointTask) -> Any:
        """Prove by two equal examples of different classes that nothing separates."""
        rows: KernelRows = sample_of(task)
        certifier = certifier_of(task)
        codes = np.asarray(certifier.examples.codes)
        twins = rows.contradiction(codes, task.hashes, task.costs)
        if twins is None:
            return None
        first, second = sorted(codes[twins[0]].tolist())
        return certifier.refute_pair(first, second, Refutation(*twins))

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


def _proof(solution: JointKernelSolution) -> dict[str, JointWeighted]:
    support = np.flatnonzero(solution.weights.any(axis=1))
    return {"proof": JointWeighted(support, solution.weights[support])}
