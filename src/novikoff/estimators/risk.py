"""A bound on the error on new data for a fitted model, or the reason why there is none."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from novikoff.certificate import Certificate, Status
from novikoff.certificate.compression import NoCompression, carriers_of, check_problem
from novikoff.certificate.exact.confidence import METHODS, is_proved
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.risk import Risk
from novikoff.compiled.step import LONGEST2, THRESHOLD
from novikoff.estimators.kernel_options import is_linear
from novikoff.estimators.linear import LinearModel
from novikoff.estimators.maxmargin import MaxMargin
from novikoff.estimators.online import Online
from novikoff.estimators.perceptron import Perceptron
from novikoff.rules import named
from novikoff.theory.generalization import compression_bound, selection_bound, theorem_5_2


class NoRiskError(ValueError):
    """Why nothing is proved about new data."""


def risk_of(
    model: LinearModel, X: Any, y: ArrayLike, *, confidence: float = 0.95, method: str = "auto"
) -> Risk:
    """Bound the error of a fitted model on new data.

    Parameters
    ----------
    model : MaxMargin or Perceptron
        Fitted on the examples.
    X, y
        The examples.
    confidence : float
        The probability, over the draw of the examples, that the bound is true.
    method : str
        ``"compression"`` (which is what ``"auto"`` is), ``"binomial"`` or ``"theorem-5.2"``.

    Raises
    ------
    NoRiskError
        In one line, why nothing is proved.
    """
    check_is_fitted(model)
    if model.class_weight == "balanced":
        raise NoRiskError(
            "No bound on new data: class_weight='balanced' counts all examples; give a dict."
        )
    if not hasattr(model, "certificate_"):
        raise NoRiskError("No bound on new data: partial_fit keeps no support; use fit.")
    if isinstance(model, MaxMargin):
        return optimum_risk(model.certificate_, X, y, confidence=confidence, method=method)
    if isinstance(model, Perceptron):
        return run_risk(model, X, y, confidence=confidence, method=method)
    raise NoRiskError(
        f"No bound on new data: {type(model).__name__} chose C by looking at the examples; fit "
        "MaxMargin with a C that is fixed beforehand."
    )


def run_risk(model: Perceptron, X: Any, y: ArrayLike, *, confidence: float, method: str) -> Risk:
    """Bound the error on new data of a perceptron, which is a function of its support.

    The support is that of the run, with the examples that the model gets wrong. Without any of the
    others the run is the same: they were never updated on, and no threshold depends on them.
    """
    reason = _reason_against(model)
    if reason is not None:
        raise NoRiskError(f"No bound on new data: {reason}.")
    Examples.of(model.certificate_.problem, X, y, None, check_fingerprint=True)
    support: Any = model._visits
    y = np.asarray(y)
    again = clone(model).set_params(shuffle=False, warm_start=False, verbose=0)
    again.fit(X[support], y[support])
    if not np.array_equal(again.coef_, model.coef_):
        raise NoRiskError(
            "No bound on new data: a run on the support alone gives another model; use a rule "
            "with unit steps."
        )
    wrong = np.flatnonzero(model.predict(X) != y)
    return _risk(
        len(y),
        np.union1d(support, wrong),
        confidence=confidence,
        method=method,
        margin=_margin_held(model),
        extra=0,
        scheme="rerun",
    )


def _margin_held(model: Perceptron) -> float | None:
    """Return a margin that examples outside the support have: that of the rule's last threshold.

    ``None`` where the model is not the iterate that satisfied the rule, or the margin is less than
    what rounding in the run may have added to it.
    """
    if model.status_ is not Status.CONVERGED or model.average is True or len(model.coef_) != 1:
        return None
    online = model._online
    assert isinstance(online, Online)
    w, frame = model.coef_[0], online.frames[0]
    size = float(np.linalg.norm(w))
    # What a margin is summed from: |x - centre| <= lift (if there is an intercept), the offset, and
    # w . centre; each product passes through fewer roundings than there are features, and updates.
    reach = float(np.sqrt(online.states[0][LONGEST2])) + abs(float(model.intercept_[0])) / size
    reach += float(np.linalg.norm(online.centre)) + float(np.sqrt(frame.lift2))
    rounding = (len(w) + model.n_updates_ + 64) * 2.0**-50 * reach
    margin = float(online.states[0][THRESHOLD]) / size - rounding
    return margin if margin > 0.0 else None


def _reason_against(model: Perceptron) -> str | None:
    """Return why the model is not a function of few examples."""
    status, rule = model.status_, named(model.rule)
    if model.scale:
        return "scale=True: the powers of two were taken from all examples"
    if model.warm_start:
        return "warm_start: the run may have begun with another one"
    if model._visits is None:
        return "the order of visits is not known: the model was loaded, or trained by partial_fit"
    if not is_linear(model):
        return "kernel: only linear models have one yet"
    if not rule.unit_steps:
        return f"the steps of {type(rule).__name__} are rounded; use a rule with unit steps"
    if status is Status.CONVERGED and model.average is not True:
        return None
    if status in (Status.TIME_LIMIT, Status.INTERRUPTED):
        return "the run was ended by the time it took"
    if model.average == "auto" or model.min_margin > 0.0:
        return (
            "the run did not satisfy its rule, and its end depends on all examples; fix its end "
            "with min_margin=0, max_iter and average=True"
        )
    return None


def optimum_risk(
    certificate: Certificate, X: Any, y: ArrayLike, *, confidence: float, method: str
) -> Risk:
    """Bound the error on new data of a model that is close to the optimum of its problem."""
    try:
        check_problem(certificate)
        examples = Examples.of(certificate.problem, X, y, None, check_fingerprint=True)
        found = carriers_of(certificate, examples)
    except NoCompression as error:
        raise NoRiskError(f"No bound on new data: {error}.") from None
    return _risk(
        len(examples.codes),
        found.rows,
        confidence=confidence,
        method=method,
        margin=found.margin,
        extra=1,
        scheme="optimum",
    )


def _risk(m: int, rows: Any, *, confidence: float, method: str, extra: int, **rest: Any) -> Risk:
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence={confidence!r} must be between 0 and 1, both excluded.")
    if method not in ("auto", *METHODS):
        raise ValueError(f"method={method!r} must be auto, {', '.join(METHODS)}.")
    # Chosen before looking: the best of several would have to pay for the choice.
    method = "compression" if method == "auto" else method
    k, delta = min(len(rows) + extra, m), float(np.nextafter(1.0 - confidence, 0.0))
    if method == "compression":
        bound = float(compression_bound(m, k, delta))
    elif method == "binomial":
        bound = float(selection_bound(m, k, 0, delta))
    else:
        bound = float(theorem_5_2(m, k, 0.0, delta))
    # Rounded up until ball arithmetic proves it.
    step = 2.0**-50
    while not is_proved(method, m, k, delta, bound):
        bound, step = min(1.0, bound * (1.0 + step)), 4.0 * step
    return Risk(
        n_examples=m,
        support=rows,
        confidence=confidence,
        method=method,
        bound=bound,
        extra=extra,
        **rest,
    )
