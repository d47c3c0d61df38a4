"""From a run of the perceptron to a model and its certificate."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Account, Certificate, Status, Weighted
from novikoff.certificate.examples.scaling import in_raw_columns
from novikoff.estimators.copies import Copies
from novikoff.estimators.fitted import Fitted, Task, closed
from novikoff.estimators.joint import JointTask
from novikoff.estimators.labels import Codes
from novikoff.estimators.refutations import (
    refute_by_least_slack,
    refute_by_zero,
    refute_jointly_by_least_slack,
    refute_jointly_by_zero,
)
from novikoff.estimators.training import Training
from novikoff.rules import Rule
from novikoff.run import Run, run
from novikoff.run.compression import carriers, whole_where_possible
from novikoff.run.nonseparable import LITTLE_WORK, MOST_WORK
from novikoff.sample import JointSample
from novikoff.sample.joint_signed import JointSigned

if TYPE_CHECKING:
    from novikoff.certificate import JointWeighted

PASSES_FOR_A_MODEL = 30
"""Passes of a run on many examples that are known not to be separable: it only makes a model."""

SMALL = 1 << 20
"""So many values are little data: a proof of non-separability is worth a dense copy of them."""

JOINT = -1
"""The key of a run on all classes together, where others have the code of a class."""


@dataclass(frozen=True)
class RuleFit:
    """What is asked of a perceptron: the search of a :class:`Task`."""

    rule: Rule
    C: float
    average: bool | Literal["auto"]
    min_margin: float
    memories: dict[int, Any] | None = None
    compress: bool = False

    def __call__(self, task: Task | JointTask) -> Fitted:
        """Run the rule, choose the model, certify it."""
        sample, clock = task.sample, task.clock
        # The two kinds of certifiers have the same methods, for proofs of their kind.
        certifier: Any = task.certifier
        lasting = self._may_prove_later(task)
        refutation: Any = None
        if self.C == np.inf:
            refutation = _refuted_by_zero(task, LITTLE_WORK if lasting else MOST_WORK)
        if refutation is not None and not lasting:
            passes = min(clock.limits.max_iter, PASSES_FOR_A_MODEL)
            clock.limits = replace(clock.limits, max_iter=passes)

        def refute() -> bool:
            nonlocal refutation
            refutation = (
                refutation
                or _refuted_by_least_slack(task, memory)
                or _refuted_by_zero(task, MOST_WORK)
            )
            return refutation is not None

        specification = self.rule.specification(sample.lifted_radius)
        memory = self._memory(task) or sample.memory(specification)
        finished = run(
            sample,
            self.rule,
            clock=clock,
            min_margin=self.min_margin * sample.radius,
            memory=memory,
            refute=refute if lasting else None,
            cheap=refutation is None or not isinstance(task, JointTask),
            compress=self.compress,
        )
        weights = model_weights(finished, self.average)
        w, intercept, placing = finished.hyperplane(weights)
        coef = _in_raw_columns(w, certifier.examples.exponents)
        account = self._account(finished)
        certificate: Certificate
        if self.C < np.inf:
            proof = finished.weights
            if finished.status is Status.GAP_REACHED and finished.upper is not None:
                # The bound that closed the gap need not be that of the last iterate.
                proof = finished.upper
            model = certifier.soft_model(
                coef,
                intercept,
                C=self.C,
                proof=weighted_by(sample, proof, task.copies),
                rescale=True,
            )
            certificate = certifier.soft(account, model)
        elif refutation is not None:
            model = replace(certifier.model(coef, intercept), account=_settled(account))
            certificate = certifier.refuted(
                refutation, model, asked=account.asked, n_updates=account.n_updates
            )
        else:
            upper = finished.weights if finished.upper is None else finished.upper
            certificate = certifier.hard(
                account,
                coef=coef,
                intercept=intercept,
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

    def _memory(self, task: Task | JointTask) -> Any:
        """Return where an earlier run stopped, if this one continues it."""
        if self.memories is None:
            return None
        return self.memories[JOINT if isinstance(task, JointTask) else task.code]

    def _may_prove_later(self, task: Task | JointTask) -> bool:
        """Whether a run that lasts looks for a proof that nothing separates the examples."""
        small = task.sample.n_examples * task.sample.storage.width <= SMALL
        endless = self.min_margin == 0.0 or self.rule.pick == "worst"
        return small and self.C == np.inf and not endless

    def _account(self, finished: Run) -> Account:
        accuracy = getattr(self.rule, "accuracy", None)
        if accuracy is not None and self.C < np.inf:
            # The objective is inversely proportional to the square of the lifted margin.
            accuracy = accuracy * (2.0 - accuracy)
        least, status = self.min_margin * finished.sample.radius, finished.status
        if self.average is True:
            # The gap was closed at another iterate; no accuracy was asked of the mean.
            accuracy = None
            status = Status.CONVERGED if status is Status.GAP_REACHED else status
        return Account(
            status=status,
            asked=spelled_out(self.rule),
            tol=accuracy,
            min_margin=least if least > 0.0 and self.C == np.inf else None,
            n_updates=finished.n_updates,
        )


@dataclass(frozen=True)
class LastRun:
    """What a warm start needs of the fit before."""

    asked: tuple[Any, ...]
    hashes: NDArray[np.uint64]
    codes: Codes
    weights: NDArray[np.float64] | None
    order: NDArray[np.int64]
    memories: dict[int, Any]

    def continues(self, asked: tuple[Any, ...], training: Training) -> bool:
        """Whether the new fit asks the same of the same data."""
        now, then = training.costs, self.weights
        same_weights = now is then if now is None or then is None else np.array_equal(now, then)
        same_data = np.array_equal(self.hashes, training.hashes)
        same_data = same_data and np.array_equal(self.codes, training.codes)
        return same_data and same_weights and self.asked == asked


def _refuted_by_zero(task: Task | JointTask, work: int) -> Any:
    if isinstance(task, JointTask):
        return refute_jointly_by_zero(task, work)
    return refute_by_zero(task, work)


def _refuted_by_least_slack(task: Task | JointTask, memory: Any) -> Any:
    if isinstance(task, JointTask):
        assert isinstance(task.sample, JointSample)
        return refute_jointly_by_least_slack(task, task.sample.between(memory.weights))
    return refute_by_least_slack(task)


def weighted_by(
    sample: Any, weights: NDArray[np.float64], copies: Copies
) -> "Weighted | JointWeighted":
    """Return weights on copies as a certifier of their kind takes those of examples."""
    if isinstance(sample, JointSigned):
        from novikoff.certificate import JointWeighted

        support, table = copies.folded(*sample.table(weights))
        return JointWeighted(support, whole_where_possible(table))
    return Weighted(*copies.folded(*carriers(sample.order, weights)))


def carried_by(
    finished: Run, weights: NDArray[np.float64], placing: NDArray[np.int64], copies: Copies
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the examples that a model is a function of, and their weights with their signs."""
    found = finished.compression(weights, placing)
    signed = finished.sample.signed_weights(found.support, found.weights)
    support, folded = copies.folded(found.support, signed.T)
    return support, folded.T


def _in_raw_columns(w: NDArray[np.float64], exponents: Any) -> NDArray[np.float64]:
    if w.ndim == 1 or exponents is None:
        return in_raw_columns(w, exponents)
    return np.array([in_raw_columns(each, exponents) for each in w])


def _settled(account: Account) -> Account:
    return account.settled(gap=np.inf, upper=0.0, separates=False)


def spelled_out(rule: Rule) -> str:
    """Return the rule with all of its parameters, defaults included."""
    parameters = ", ".join(f"{name}={value!r}" for name, value in rule.get_params().items())
    return f"{type(rule).__name__}({parameters})"


def model_weights(finished: Run, average: bool | Literal["auto"]) -> NDArray[np.float64]:
    """Choose the iterate that becomes the model.

    Where the rule was satisfied it is the last one, or the best that MinOver saw; otherwise one
    without a training error; otherwise the mean over updates, unless ``average=False``: over those
    of the tail, where it is known that nothing separates the examples.
    """
    if average is True:
        return finished.averaged
    if finished.status is Status.CONVERGED:
        return finished.weights
    if finished.best is not None:
        return finished.best
    return finished.weights if average is False else finished.averaged_tail
