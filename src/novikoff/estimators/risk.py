"""A bound on the error on new data for a fitted model, or the reason why there is none."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from novikoff.certificate import Certificate
from novikoff.certificate.compression import NoCompression, carriers_of, check_problem
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.confidence import METHODS, is_proved
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.risk import Risk, share_of_doubt
from novikoff.certificate.verify import certificate_of
from novikoff.estimators.linear import LinearModel
from novikoff.estimators.maxmargin import MaxMargin
from novikoff.estimators.maxmargin_cv import MaxMarginCV
from novikoff.estimators.perceptron import Perceptron
from novikoff.estimators.rerun import NoRiskError, carriers_of_run, reason_against
from novikoff.estimators.stored import contradicted
from novikoff.theory.generalization import compression_bound, selection_bound, theorem_5_2

__all__ = ["NoRiskError", "optimum_risk", "risk_of", "run_risk"]

MOST_SETTINGS = 1 << 53
"""How many settings a float counts exactly."""


def risk_of(
    model: LinearModel,
    X: Any,
    y: ArrayLike,
    *,
    confidence: float = 0.95,
    method: str = "auto",
    chosen_from: int = 1,
) -> Risk:
    """Bound the error of a fitted model on new data.

    Parameters
    ----------
    model : MaxMargin, MaxMarginCV or Perceptron
        Fitted on the examples.
    X, y
        The examples.
    confidence : float
        The probability, over the draw of the examples, that the bound is true.
    method : str
        ``"compression"`` (which is what ``"auto"`` is), ``"binomial"`` or ``"theorem-5.2"``.
    chosen_from : int
        How many settings, fixed before the examples were seen, the model was chosen from.

    Raises
    ------
    NoRiskError
        In one line, why nothing is proved.
    """
    check_is_fitted(model)
    if not hasattr(model, "certificate_"):
        raise NoRiskError("No bound on new data: partial_fit keeps no support; use fit.")
    reason = _reason_against(model)
    if reason is not None:
        raise NoRiskError(f"No bound on new data: {reason}.")
    if isinstance(chosen_from, bool) or not isinstance(chosen_from, int | np.integer):
        raise ValueError(f"chosen_from={chosen_from!r} must be a whole number.")
    if not 1 <= chosen_from <= MOST_SETTINGS:
        raise ValueError(f"chosen_from={chosen_from!r} must be at least 1, at most 2**53.")
    asked: dict[str, Any] = dict(
        confidence=confidence, method=method, chosen_from=int(chosen_from) * model._chosen_from
    )
    if isinstance(model, Perceptron):
        # Before the examples are looked at, which would ask for their weights.
        reason = reason_against(model)
        if reason is not None:
            raise NoRiskError(f"No bound on new data: {reason}.")
        return run_risk(model, X, y, **asked)
    return optimum_risk(model.certificate_, X, y, **asked)


def _reason_against(model: LinearModel) -> str | None:
    """Return what was taken from all examples, of what a certificate does not say."""
    if isinstance(model.class_weight, str):
        return "class_weight='balanced' counts all examples; give a dict"
    if getattr(model, "budget", None) is not None:
        return "a run within a budget leaves out examples that it would have learnt from"
    kernel = model.certificate_.problem.kernel
    if kernel is not None and kernel.gamma is not None and getattr(model, "gamma", 0) == "scale":
        return "gamma='scale' is taken from all examples; give a number"
    if model._chosen_from == 0:
        return (
            "C was chosen by cross-validation from values that were placed by looking at the "
            "examples; give Cs as a list that is fixed beforehand, or MaxMargin a fixed C"
        )
    try:
        certificate_of(model)
    except CertificateError as error:
        return str(error)
    if isinstance(model, MaxMarginCV):
        model = model.final_model()
    if isinstance(model, MaxMargin):
        for name in contradicted(model):
            return f"{name} has changed since the fit; fit again"
    return None


def run_risk(
    model: Perceptron,
    X: Any,
    y: ArrayLike,
    *,
    confidence: float,
    method: str,
    chosen_from: int = 1,
) -> Risk:
    """Bound the error on new data of a perceptron, which is a function of few examples."""
    examples = Examples.of(model.certificate_.problem, X, y, None, check_fingerprint=True)
    found = carriers_of_run(model, y, examples)
    return _risk(
        len(examples.codes),
        found.rows,
        confidence=confidence,
        method=method,
        chosen_from=chosen_from,
        margin=found.margin,
        extra=0,
        scheme="rerun",
    )


def optimum_risk(
    certificate: Certificate,
    X: Any,
    y: ArrayLike,
    *,
    confidence: float,
    method: str,
    chosen_from: int = 1,
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
        chosen_from=chosen_from,
        margin=found.margin,
        extra=1,
        scheme="optimum",
    )


def _risk(
    m: int,
    rows: Any,
    *,
    confidence: float,
    method: str,
    extra: int,
    chosen_from: int,
    **rest: Any,
) -> Risk:
    if not isinstance(confidence, Real) or not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence={confidence!r} must be between 0 and 1, both excluded.")
    if method not in ("auto", *METHODS):
        raise ValueError(f"method={method!r} must be auto, {', '.join(METHODS)}.")
    # Chosen before looking: the best of several would have to pay for the choice.
    method = "compression" if method == "auto" else method
    k, delta = min(len(rows) + extra, m), share_of_doubt(confidence, chosen_from)
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
        chosen_from=chosen_from,
        **rest,
    )
