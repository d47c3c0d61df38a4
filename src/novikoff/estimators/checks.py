"""What is asked of a fit: options, labels, types, and the warning when it is not reached."""

import math
import numbers
import sys
import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from novikoff.certificate import (
    Certificate,
    Inconclusive,
    NonSeparation,
    PerClass,
    Separation,
    SoftOptimum,
)

SMALLEST_C = 1e-100
COSTS = 1e-30, 1e30
READ_IN_PLACE = [np.float64, np.float32, np.uint8]


def check_options(estimator: Any) -> None:
    """Raise what is wrong with the parameters of an estimator."""
    _number(estimator, "soft_margin", 0.0)
    _number(estimator, "min_margin", 0.0)
    if estimator.min_margin > 1.0:
        raise ValueError(f"min_margin={estimator.min_margin!r} is in units of R: at most 1.")
    if estimator.max_updates is not None:
        _number(estimator, "max_updates", 1, whole=True)
    averages(estimator)
    _check_common(estimator, ("fit_intercept", "shuffle", "warm_start"))


def check_max_margin_options(estimator: Any) -> None:
    """Raise what is wrong with the parameters of MaxMargin."""
    C = estimator.C
    right_kind = isinstance(C, numbers.Real) and not isinstance(C, bool)
    if not (right_kind and (SMALLEST_C <= C <= 1.0 / SMALLEST_C or C == math.inf)):
        raise ValueError(f"C={C!r} must be between {SMALLEST_C} and {1 / SMALLEST_C}, or inf.")
    _number(estimator, "tol", 0.0)
    if not 0.0 < estimator.tol < 1.0:
        raise ValueError(f"tol={estimator.tol!r} is a relative gap: between 0 and 1.")
    if estimator.nonseparable not in ("soft", "raise"):
        raise ValueError(f"nonseparable={estimator.nonseparable!r} must be 'soft' or 'raise'.")
    _check_common(estimator, ("fit_intercept", "warm_start"))


def costs_of(
    sample_weight: Any, class_weight: Any, classes: NDArray[Any], codes: NDArray[np.int64]
) -> NDArray[np.float64] | None:
    """Return what the slack of each example costs; ``None``: the same for all.

    ``"balanced"`` counts an example as often as it weighs, so that a weight equals repetition.
    """
    weights = checked_weights(sample_weight, len(codes))
    if class_weight is None:
        return weights if weights is None else _within_range(weights)
    if isinstance(class_weight, str) and class_weight == "balanced":
        counts = np.bincount(codes, weights, minlength=len(classes))
        # A class without weight is another's complaint.
        of_class = counts.sum() / (len(classes) * np.where(counts > 0.0, counts, 1.0))
    else:
        of_class = compute_class_weight(class_weight, classes=classes, y=classes[codes])
    if not ((of_class >= 0.0) & (of_class < math.inf)).all():
        raise ValueError("class_weight must be finite and not negative for every class.")
    each = np.asarray(of_class, dtype=np.float64)[codes]
    with np.errstate(over="ignore"):
        return _within_range(each if weights is None else each * weights)


def _within_range(costs: NDArray[np.float64]) -> NDArray[np.float64]:
    some, (least, most) = costs[costs > 0.0], COSTS
    if not ((least <= some) & (some <= most)).all():
        raise ValueError(
            f"sample_weight times class_weight must be 0, or between {least} and {most}; "
            "divide the weights by their mean."
        )
    return costs


def checked_weights(sample_weight: Any, n_examples: int) -> NDArray[np.float64] | None:
    """Return the weights of the examples as float64, or raise what is wrong with them."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight)
    if weights.dtype.kind == "c":
        raise ValueError("sample_weight must be real numbers, not complex ones.")
    weights = weights.astype(np.float64)
    if weights.ndim == 0:
        weights = np.full(n_examples, float(weights))
    if weights.shape != (n_examples,):
        raise ValueError(
            f"sample_weight has shape {weights.shape}; {n_examples} examples need as many weights."
        )
    if not (np.isfinite(weights) & (weights >= 0.0)).all():
        raise ValueError("sample_weight must be finite and not negative.")
    if not weights.any():
        raise ValueError("sample_weight is zero for every example.")
    return weights


def _check_common(estimator: Any, switches: tuple[str, ...]) -> None:
    _number(estimator, "max_iter", 1, whole=True)
    if estimator.time_limit is not None:
        _number(estimator, "time_limit", 0.0)
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


def averages(estimator: Any) -> bool | Literal["auto"]:
    """Return what ``average`` asks for; numpy's booleans are taken for Python's."""
    value = estimator.average
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, str) and value == "auto":
        return "auto"
    raise ValueError(f"average={value!r} must be True, False or 'auto'.")


def _number(estimator: Any, name: str, least: float, whole: bool = False) -> None:
    value = getattr(estimator, name)
    kind = numbers.Integral if whole else numbers.Real
    right_kind = isinstance(value, kind) and not isinstance(value, bool)
    if right_kind and isinstance(value, int) and value > sys.float_info.max:
        value = math.inf
    if not (right_kind and least <= float(value) < math.inf):
        what = "a whole number" if whole else "a finite number"
        raise ValueError(f"{name}={getattr(estimator, name)!r} must be {what}, at least {least}.")


def readable_type(X: Any) -> Any:
    """Return the ``dtype`` argument under which validation leaves readable data as they are.

    Integers and half floats are converted later, block by block.
    """
    array = isinstance(X, np.ndarray) or sparse.issparse(X)
    if array and X.dtype.kind in "biuf" and X.dtype.itemsize <= 8:
        return None
    return READ_IN_PLACE


def check_exact(given: Any, converted: Any) -> None:
    """Refuse data that are not the same numbers after validation has converted them."""
    if converted is given:
        return
    if sparse.issparse(given):
        # Conversion to CSR keeps the stored values, though perhaps in another order.
        given, converted = given.tocsr().data, converted.data
    original = np.asarray(given)
    kind = original.dtype.kind
    if kind not in "biufO":
        raise ValueError(f"X must be numbers, not {original.dtype}; convert or encode it first.")
    if original.dtype == converted.dtype or kind == "b" or (kind == "f" and original.itemsize <= 8):
        return
    # numpy compares integers with floats as floats, so those are judged by their size.
    if kind in "iu":
        exact = max(int(original.max()), -int(original.min())) <= 1 << 53
    else:
        finite = np.isfinite(converted)
        exact = bool((original[finite] == converted[finite]).all())
    if not exact:
        raise ValueError("X holds numbers that float64 does not have; scale or round them first.")


def classes_of(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the sorted labels and, for each example, the position of its own."""
    try:
        # Whole numbers are classes; of other labels scikit-learn knows which are.
        if y.dtype.kind not in "iu" or y.ndim != 1:
            check_classification_targets(y)
        # Faster than the inverse that unique gives, and in less memory.
        classes = np.unique(y)
        codes = np.searchsorted(classes, y)
    except TypeError:
        raise ValueError("y has labels that cannot be compared; make them all strings.") from None
    if len(classes) < 2:
        label = classes.tolist()[0]
        raise ValueError(
            f"The data has only one class, {label!r}; a classifier needs examples of two."
        )
    return classes, codes


def signs_against_rest(codes: NDArray[np.int64], positive: int) -> NDArray[np.int8]:
    """Return +1 for the examples of a class and -1 for all others."""
    return np.where(codes == positive, np.int8(1), np.int8(-1))


def step_weights(
    class_weight: Any, classes: NDArray[Any], codes: NDArray[np.int64]
) -> dict[int, tuple[float, float]]:
    """Return, for each class, the steps of the rest and of the class itself."""
    if class_weight is None:
        return {k: (1.0, 1.0) for k in range(len(classes))}
    if len(classes) == 2:
        rest, own = compute_class_weight(class_weight, classes=classes, y=classes[codes])
        weights = {1: (float(rest), float(own))}
    elif isinstance(class_weight, str):
        weights = {}
        for k in range(len(classes)):
            mine = (codes == k).astype(int)
            rest, own = compute_class_weight(class_weight, classes=np.array([0, 1]), y=mine)
            weights[k] = (float(rest), float(own))
    else:
        each = compute_class_weight(class_weight, classes=classes, y=classes[codes])
        weights = {k: (1.0, float(weight)) for k, weight in enumerate(each)}
    if not all(1e-100 < weight < 1e100 for pair in weights.values() for weight in pair):
        raise ValueError("class_weight must be between 1e-100 and 1e100 for every class.")
    return weights


def warn_if_cut_short(estimator: Any, others: tuple[Certificate | None, ...] = ()) -> None:
    """Warn once if a limit ended a run before it had decided anything.

    ``others`` are further certificates of the model, by class.
    """
    certificate: Certificate = estimator.certificate_
    parts = certificate.certificates if isinstance(certificate, PerClass) else (certificate,)
    told = [*parts, *(other for other in others if other is not None)]
    open_ones = [c for c in told if c.status.at_limit and not isinstance(c, NonSeparation)]
    if not open_ones:
        return
    count = min(len(open_ones), len(parts))
    where = f" for {count} of {len(parts)} classes" if len(parts) > 1 else ""
    warnings.warn(
        f"{open_ones[0].status.value[:-1]}{where}: asked for {open_ones[0].asked}, "
        f"reached {_reached(open_ones[0])}. {estimator._remedy}",
        ConvergenceWarning,
        stacklevel=3,
    )


def _reached(certificate: Certificate) -> str:
    if isinstance(certificate, SoftOptimum):
        return f"an objective of {certificate.primal:.6g} with optimum >= {certificate.dual:.6g}"
    if isinstance(certificate, Separation):
        return f"margin {certificate.lower:.6g} with optimum <= {certificate.upper:.6g}"
    if isinstance(certificate, Inconclusive):
        return f"no separating hyperplane, optimum margin <= {certificate.upper:.6g}"
    raise TypeError(f"a run does not end with {certificate!r}")
