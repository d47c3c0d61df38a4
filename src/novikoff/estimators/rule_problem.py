"""What a perceptron's fit works on: the examples as they are visited, and how steps are taken."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from novikoff.certificate import Certificate
from novikoff.estimators.copies import Copies
from novikoff.estimators.fitted import Fitted
from novikoff.estimators.joint import fit_jointly, is_joint
from novikoff.estimators.labels import joint_step_weights, step_weights
from novikoff.estimators.one_vs_rest import deadline_in, fit_classes
from novikoff.estimators.options import average_of
from novikoff.estimators.rule_fit import JOINT, LastRun
from novikoff.estimators.training import Training
from novikoff.rules import Rule, named
from novikoff.run import Callback

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Outcome:
    """What the searches of a fit found, for each class or jointly, on a sample in some order."""

    results: dict[int, Fitted]
    certificate: Certificate
    interrupted: bool
    sample: Any
    order: Ids

    @property
    def fitted(self) -> list[Fitted]:
        """What was found for each class."""
        return list(self.results.values())

    @property
    def memories(self) -> dict[int, Any]:
        """Where each run stopped."""
        return {k: result.last for k, result in self.results.items()}


@dataclass(frozen=True)
class RuleProblem:
    """The rule, the examples, and the run that a warm start continues."""

    rule: Rule
    C: float
    average: bool | Literal["auto"]
    training: Training
    copies: Copies
    joint: bool
    steps: Any
    """The factors on the steps of each class."""
    asked: tuple[Any, ...]
    last: LastRun | None
    draws: np.random.RandomState | None
    """What the order of visits is drawn by; ``None`` keeps that of the rows."""
    limits: dict[str, Any]

    @classmethod
    def of(
        cls, estimator: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> "RuleProblem":
        """Read the examples and the options of an estimator."""
        deadline = deadline_in(estimator.time_limit)
        rule, C, affine = named(estimator.rule), float(estimator.C), bool(estimator.fit_intercept)
        training = Training.of(
            estimator,
            X,
            y,
            affine=affine,
            sample_weight=sample_weight,
            class_weight=None if C == np.inf else estimator.class_weight,
            scale=bool(estimator.scale),
        )
        joint = is_joint(estimator.multi_class, training.classes)
        # Where there is slack, they belong to the problem, and to the weights of the examples.
        steps = _step_weights(estimator.class_weight if C == np.inf else None, training, joint)
        each = tuple(steps) if joint else tuple(steps[k] for k in training.positives)
        kernel = (estimator.kernel, estimator.gamma, estimator.degree, estimator.coef0)
        how = (estimator.schedule, *kernel, estimator.budget)
        asked = (repr(rule), affine, C, training.problem.exponents, joint, each, *how)
        last = estimator._last if estimator.warm_start else None
        if last is not None and not last.continues(asked, training):
            last = None
        draws = None
        if last is None and estimator.shuffle:
            draws = check_random_state(estimator.random_state)
        return cls(
            rule=rule,
            C=C,
            average=average_of(estimator),
            training=training,
            copies=Copies.of(training, pairwise=estimator.kernel == "precomputed"),
            joint=joint,
            steps=steps,
            asked=asked,
            last=last,
            draws=draws,
            limits=dict(
                before=estimator._before,
                max_iter=estimator.max_iter,
                max_updates=estimator.max_updates,
                deadline=deadline,
            ),
        )

    @property
    def memories(self) -> dict[int, Any] | None:
        """Where the run stopped that this one continues."""
        return None if self.last is None else self.last.memories

    def step_weights(self, class_weight: Any) -> Any:
        """Return the factors on the steps of each class that class weights stand for."""
        return _step_weights(class_weight, self.training, self.joint)

    def search(
        self,
        sample: Any,
        search: Any,
        *,
        order: Ids,
        jointly: Callable[..., Any],
        copies: Copies,
        training: Training,
        callbacks: Sequence[Callback],
        n_jobs: int | None,
        joint_certifier: Any = None,
        **how: Any,
    ) -> Outcome:
        """Search for one model of all classes, or for each against the rest.

        ``jointly`` makes a sample of all classes of one for two; ``how`` are further arguments of
        :func:`~.one_vs_rest.fit_classes`.
        """
        limits = dict(**self.limits, callbacks=callbacks, copies=copies)
        if not self.joint:
            found = fit_classes(
                training, sample, search, steps=self.steps, n_jobs=n_jobs, **how, **limits
            )
            return Outcome(*found, sample, order)
        rows = None if self.memories is None else self.memories[JOINT].rows
        sample = jointly(
            sample,
            copies.training.codes,
            n_classes=len(training.classes),
            steps=self.steps,
            rows=rows,
        )
        fitted, interrupted = fit_jointly(
            training, sample, search, certifier=joint_certifier, **limits
        )
        return Outcome({JOINT: fitted}, fitted.certificate, interrupted, sample, order)

    def last_run(self, outcome: Outcome) -> LastRun:
        """Return what a warm start needs of this run."""
        training = self.training
        data = (training.hashes, training.codes, training.costs)
        return LastRun(self.asked, *data, outcome.order, outcome.memories)


def _step_weights(class_weight: Any, training: Training, joint: bool) -> Any:
    weights_of: Any = joint_step_weights if joint else step_weights
    return weights_of(class_weight, training.classes, training.codes, training.weights)
