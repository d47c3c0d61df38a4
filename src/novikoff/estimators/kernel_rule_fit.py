"""From a run of the perceptron in feature space to a model and its certificate."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import (
    Certificate,
    Refutation,
    Status,
)
from novikoff.estimators.fitted import Fitted, Task, closed
from novikoff.estimators.joint import JointTask
from novikoff.estimators.kernel_training import certifier_of, sample_of
from novikoff.estimators.rule_fit import RuleFit, carried_by, model_weights, weighted_by
from novikoff.run import run
from novikoff.run.nonseparable import contradiction

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class KernelRuleFit(RuleFit):
    """What is asked of a perceptron with a kernel: the search of a :class:`Task`."""

    def __call__(self, task: Any) -> Fitted:
        """Run the rule, choose the model, certify it."""
        sample, certifier, clock = sample_of(task), certifier_of(task), task.clock
        refutation = self._contradiction(task) if self.C == np.inf else None
        finished = run(
            sample,
            self.rule,
            clock=clock,
            min_margin=self.min_margin * sample.radius,
            memory=self._memory(task),
        )
        weights = model_weights(finished, self.average)
        coef, intercept, placing = self._model(finished, weights)
        coef = task.copies.all_folded(coef, certifier.problem.n_examples)
        carrying = np.flatnonzero(coef.reshape(len(coef), -1).any(axis=1))
        model: dict[str, Any] = dict(support=carrying, coef=coef[carrying], intercept=intercept)
        account = self._account(finished)
        # Columns and scores can be computed again; what is stored for a warm start is small.
        memory: Any = finished.memory
        memory.known.clear()
        certificate: Certificate
        if self.C < np.inf:
            proof = finished.weights
            if finished.status is Status.GAP_REACHED and finished.upper is not None:
                proof = finished.upper
            certificate = certifier.soft(
                account,
                certifier.soft_model(
                    **model,
                    C=self.C,
                    proof=weighted_by(sample, proof, task.copies),
                    rescale=True,
                ),
            )
        elif refutation is not None:
            settled = account.settled(gap=np.inf, upper=0.0, separates=False)
            certificate = certifier.refuted(
                refutation,
                replace(certifier.model(**model), account=settled),
                asked=account.asked,
                n_updates=account.n_updates,
            )
        else:
            upper = finished.weights if finished.upper is None else finished.upper
            certificate = certifier.hard(
                account,
                **model,
                proof=weighted_by(sample, upper, task.copies),
                also=task.bound_before,
            )
        support, dual_coef = carried_by(finished, weights, placing, task.copies)
        return Fitted(
            certificate=certificate,
            support=support,
            dual_coef=dual_coef,
            n_iter=int(clock.passes),
            history=closed(clock.history, certificate),
            solver=type(self.rule).__name__,
            last=finished.memory,
        )

    def _model(self, finished: Any, weights: Vector) -> tuple[Vector, Any, Ids]:
        """Return the coefficients of all examples, the intercept, and who places it.

        Of many classes, coefficients have a column for each, and there is an intercept for each.
        """
        sample = finished.sample
        coef, intercept = sample.model(weights)
        if not finished.balanced:
            return coef, intercept, np.empty(0, dtype=np.int64)
        # In pairs the hyperplane lies midway between the two worst examples, and has no lift.
        _, offset, placing = finished.hyperplane(weights)
        return coef, intercept - sample.combine(weights)[1] + offset, placing

    def _contradiction(self, task: Task | JointTask) -> Any:
        """Prove by two equal examples with different labels that nothing separates."""
        sample, certifier = sample_of(task), certifier_of(task)
        labels = sample.labels
        twins = contradiction(task.copies.training.X, labels, task.copies.training.hashes)
        if twins is None:
            return None
        rows = task.copies.rows_of(twins[0]), twins[1]
        if not isinstance(task, JointTask):
            return certifier.refute(*rows)
        first, second = sorted(labels[twins[0]].tolist())
        return certifier.refute_pair(first, second, Refutation(*rows))
