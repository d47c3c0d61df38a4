"""One class against the other: from a run to a model and its certificate."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import (
    Certificate,
    Label,
    Status,
    certify_margin,
    certify_nonseparable,
    certify_soft,
    fingerprint_of_hashes,
)
from novikoff.rules import Rule
from novikoff.run.loop import Callback, Limits, Progress, Run, run
from novikoff.run.nonseparable import from_zero_bound, zero_combination
from novikoff.sample import Memory, Sample

LARGEST_INTEGER = 2.0**53
PASSES_FOR_A_MODEL = 30


@dataclass(frozen=True)
class Task:
    """What is asked of a fit, the same for every class."""

    X: Any
    hashes: NDArray[np.uint64]
    rule: Rule
    soft_margin: float
    average: bool | Literal["auto"]
    min_margin: float
    limits: Limits
    callbacks: tuple[Callback, ...] = ()


@dataclass(frozen=True)
class Fitted:
    """A hyperplane, the weighted examples it is made of, and what was proved."""

    coef: NDArray[np.float64]
    intercept: float
    support: NDArray[np.int64]
    dual_coef: NDArray[Any]
    margin: float
    margin_upper_bound: float
    certificate: Certificate
    n_iter: int
    n_updates: int
    history: list[Progress]
    memory: Memory


def fit_binary(
    task: Task,
    sample: Sample,
    positive: Label,
    negative: Label | None,
    memory: Memory | None = None,
) -> Fitted:
    """Run the rule, choose the model, certify it.

    Where it is proved beforehand that nothing separates the examples, the run is only there to
    make a model, and its passes are few.
    """
    refuted = None
    limits = task.limits
    if task.soft_margin == 0.0:
        refuted = zero_combination(task.X, sample.signs, task.hashes, affine=sample.affine)
    if refuted is not None:
        limits = replace(limits, max_iter=min(limits.max_iter, PASSES_FOR_A_MODEL))
    finished = run(
        sample,
        task.rule,
        limits=limits,
        min_margin=task.min_margin * sample.radius,
        callbacks=task.callbacks,
        memory=memory,
    )
    weights = model_weights(finished, task.average)
    coef, intercept, placing = finished.hyperplane(weights)
    claim: dict[str, Any] = dict(
        affine=sample.affine,
        asked=spelled_out(task.rule),
        n_updates=finished.n_updates,
        positive=positive,
        negative=negative,
        fingerprint=fingerprint_of_hashes(task.hashes, sample.signs > 0, 2, task.X.shape[1]),
    )
    upper = finished.weights if finished.upper is None else finished.upper
    upper_support, upper_weights = _weighted(sample, upper)
    bounds = certify_margin(
        task.X,
        sample.signs,
        coef=coef if coef.any() else None,
        intercept=intercept if coef.any() else 0.0,
        support=upper_support,
        weights=upper_weights,
        excluded_margin=(
            task.min_margin * sample.radius if finished.status is Status.NO_SUCH_MARGIN else None
        ),
        status=finished.status,
        **claim,
    )
    if refuted is None and bounds.upper == 0.0:
        refuted = from_zero_bound(upper_support, upper_weights, sample.signs, affine=sample.affine)
    certificate: Certificate = bounds
    margin, margin_upper_bound = bounds.lower, bounds.upper
    if task.soft_margin > 0.0:
        support, values = _weighted(sample, finished.weights)
        if finished.status is Status.GAP_REACHED:
            # The bound that the run has met need not be that of its end.
            support, values = upper_support, upper_weights
        certificate = certify_soft(
            task.X,
            sample.signs,
            coef=coef,
            intercept=intercept,
            delta=task.soft_margin,
            support=support,
            weights=values,
            status=finished.status,
            **claim,
        )
    elif refuted is not None:
        support, values = refuted
        margin_upper_bound = 0.0
        certificate = certify_nonseparable(
            task.X, sample.signs, support=support, weights=values, **claim
        )
    carriers, values = _weighted(sample, weights, _shaping(finished, placing))
    if not (task.rule.unit_steps and finished.sample.unweighted):
        # Steps of other lengths may be whole numbers by chance; the type must not depend on it.
        values = values.astype(np.float64)
    return Fitted(
        coef=coef,
        intercept=intercept,
        support=carriers,
        dual_coef=values * sample.signs[carriers],
        margin=margin,
        margin_upper_bound=margin_upper_bound,
        certificate=certificate,
        n_iter=finished.n_iter,
        n_updates=finished.n_updates,
        history=finished.history,
        memory=finished.memory,
    )


def spelled_out(rule: Rule) -> str:
    """Return the rule with all of its parameters, defaults included."""
    parameters = ", ".join(f"{name}={value!r}" for name, value in rule.get_params().items())
    return f"{type(rule).__name__}({parameters})"


def model_weights(finished: Run, average: bool | Literal["auto"]) -> NDArray[np.float64]:
    """Choose the iterate that becomes the model.

    Where the rule was satisfied it is the last one, or the best that MinOver saw; otherwise one
    without a training error; otherwise the mean over updates, unless ``average=False``.
    """
    if average is True:
        return finished.averaged
    if finished.status is Status.CONVERGED:
        return finished.weights
    if finished.best is not None:
        return finished.best
    return finished.weights if average is False else finished.averaged


def _shaping(finished: Run, placing: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark the examples without which a rerun would not be the same run.

    Besides those updated on (the model may be an iterate before the last update) and the two that
    place the intercept of a pairwise run, these are those that ended the run, the longest where
    its norm enters, and where one class alone was updated on, an example of the other: without it
    there is nothing to fit.
    """
    sample = finished.sample
    shaping = finished.weights > 0.0
    shaping[placing] = True
    shaping[list(finished.deciding)] = True
    if sample.affine or finished.rule.uses_radius:
        shaping[sample.longest] = True
    for sign in (1, -1):
        of_class = sample.signs == sign
        if not (shaping & of_class).any():
            shaping[sample.order[np.argmax(of_class[sample.order])]] = True
    return shaping


def _weighted(
    sample: Sample, weights: NDArray[np.float64], also: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the examples with weight (and some others) in the order of visits, and weights."""
    carries = weights > 0.0 if also is None else also | (weights > 0.0)
    support = sample.order[carries[sample.order]]
    values = weights[support]
    if (values == np.rint(values)).all() and values.max(initial=0.0) <= LARGEST_INTEGER:
        return support, values.astype(np.int64)
    return support, values
