"""The parameters of the estimators, checked once at the start of a fit."""

import math
import numbers
import sys
from typing import Any, Literal

import numpy as np

from novikoff.certificate.exact.slack import LOSSES, SQUARED_HINGE
from novikoff.estimators.kernel_options import check_kernel_options, is_linear

C_RANGE = 1e-100, 1e100
"""Beyond, squares of ``C`` and of what it is multiplied by leave the range of float64."""


def check_perceptron_options(estimator: Any) -> None:
    """Raise what is wrong with the parameters of a Perceptron, or with those of its rule."""
    # Imported here: other estimators have no rule.
    from novikoff.rules import named

    # Examples of this norm are within the limits of every rule.
    named(estimator.rule).specification(0.5)
    _check_C(estimator)
    _check_number(estimator, "min_margin", 0.0)
    if estimator.min_margin > 1.0:
        raise ValueError(f"min_margin={estimator.min_margin!r} is in units of R: at most 1.")
    if estimator.max_updates is not None:
        _check_number(estimator, "max_updates", 1, whole=True)
    average_of(estimator)
    if estimator.schedule not in ("sweep", "compress"):
        raise ValueError(f"schedule={estimator.schedule!r} must be 'sweep' or 'compress'.")
    check_multi_class(estimator)
    check_kernel_options(estimator)
    if estimator.budget is not None:
        _check_number(estimator, "budget", 2, whole=True)
        if is_linear(estimator):
            raise ValueError("budget is for kernels: a linear model has one vector in any case.")
        if named(estimator.rule).pick == "worst":
            raise ValueError("budget is for rules that visit examples in turn, not min-over.")
    _check_common(estimator, ("fit_intercept", "shuffle", "warm_start", "scale"))


def check_max_margin_options(estimator: Any) -> None:
    """Raise what is wrong with the parameters of MaxMargin."""
    _check_C(estimator)
    _check_number(estimator, "tol", 0.0)
    if not 0.0 < estimator.tol < 1.0:
        raise ValueError(f"tol={estimator.tol!r} is a relative gap: between 0 and 1.")
    check_multi_class(estimator)
    if estimator.nonseparable not in ("soft", "raise"):
        raise ValueError(f"nonseparable={estimator.nonseparable!r} must be 'soft' or 'raise'.")
    check_kernel_options(estimator)
    if not isinstance(estimator.loss, str) or estimator.loss not in LOSSES:
        raise ValueError(f"loss={estimator.loss!r} must be 'squared_hinge' or 'hinge'.")
    if estimator.loss != SQUARED_HINGE and not is_linear(estimator):
        raise ValueError(
            f"loss={estimator.loss!r} is for the linear kernel; use loss={SQUARED_HINGE!r}, or a "
            "kernel approximation such as Nystroem before this estimator."
        )
    _check_common(estimator, ("fit_intercept", "warm_start", "scale"))


def average_of(estimator: Any) -> bool | Literal["auto"]:
    """Return what ``average`` asks for."""
    return _switch("average", estimator.average)


def scale_of(scale: Any) -> bool | Literal["auto"]:
    """Return whether a verdict is to scale the columns."""
    return _switch("scale", scale)


def _switch(name: str, value: Any) -> bool | Literal["auto"]:
    """Return True, False or "auto"; numpy's booleans are taken for Python's."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, str) and value == "auto":
        return "auto"
    raise ValueError(f"{name}={value!r} must be True, False or 'auto'.")


def check_multi_class(estimator: Any) -> None:
    """Raise what is wrong with how many classes are fitted."""
    if estimator.multi_class not in ("joint", "ovr"):
        raise ValueError(f"multi_class={estimator.multi_class!r} must be 'joint' or 'ovr'.")


def _check_C(estimator: Any) -> None:
    C, (least, most) = estimator.C, C_RANGE
    right_kind = isinstance(C, numbers.Real) and not isinstance(C, bool)
    if not (right_kind and (least <= C <= most or C == math.inf)):
        raise ValueError(f"C={C!r} must be between {least} and {most}, or inf.")


def _check_common(estimator: Any, switches: tuple[str, ...]) -> None:
    _check_number(estimator, "max_iter", 1, whole=True)
    if estimator.time_limit is not None:
        _check_number(estimator, "time_limit", 0.0)
    for name in switches:
        value = getattr(estimator, name)
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name}={value!r} must be True or False.")
    if estimator.n_jobs is not None:
        value = estimator.n_jobs
        if not isinstance(value, numbers.Integral) or value == 0:
            raise ValueError(f"n_jobs={value!r} must be None or a whole number that is not 0.")
    if not isinstance(estimator.verbose, numbers.Integral | np.bool_):
        raise ValueError(f"verbose={estimator.verbose!r} must be a whole number.")


def _check_number(estimator: Any, name: str, least: float, whole: bool = False) -> None:
    value = getattr(estimator, name)
    kind = numbers.Integral if whole else numbers.Real
    right_kind = isinstance(value, kind) and not isinstance(value, bool)
    if right_kind and isinstance(value, int) and value > sys.float_info.max:
        value = math.inf
    if not (right_kind and least <= float(value) < math.inf):
        what = "a whole number" if whole else "a finite number"
        raise ValueError(f"{name}={getattr(estimator, name)!r} must be {what}, at least {least}.")
