"""Labels of a fit: the classes, their codes, their weights."""

import math
from collections.abc import Mapping
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets

from novikoff.certificate.examples.matrix import check_sample_weight

Codes = NDArray[np.int64]

WHOLE = 2.0**53
"""Below, floats without a fraction are whole numbers as given, and not rounded to them."""

COSTS = 1e-30, 1e30
"""Beyond, the slack lift of an example leaves the range in which sums keep their digits."""


def refuse_masked(name: str, values: Any) -> None:
    """Refuse a masked array: its hidden values would be read as data."""
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{name} is a masked array; fill in its missing values first.")


def classes_of(y: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """Return the sorted labels and, for each example, the position of its label."""
    try:
        plain = y.ndim == 1 and y.dtype.kind in "biufU"
        if not plain:
            _check_objects(y)
            check_classification_targets(y)
        found = _two_classes(y) if plain and y.size else None
        # Faster than the inverse that unique gives, and in less memory.
        classes = np.unique(y) if found is None else found[0]
        if plain and y.dtype.kind == "f" and not _are_few_whole(classes, len(y)):
            check_classification_targets(y)
        codes = np.searchsorted(classes, y) if found is None else found[1]
    except TypeError:
        raise ValueError("y has labels that cannot be compared; make them all strings.") from None
    if len(classes) < 2:
        label = classes.tolist()[0]
        raise ValueError(
            f"The data has only one class, {label!r}; a classifier needs examples of two."
        )
    return classes, codes


def _two_classes(y: NDArray[Any]) -> tuple[NDArray[Any], Codes] | None:
    """Return the same of numbers that are one of two, in a third of the time; else ``None``."""
    if y.dtype.kind not in "biuf":
        return None
    low, high = y.min(), y.max()
    upper = y == high
    if low == high or not (upper | (y == low)).all():
        return None
    return np.array([low, high], dtype=y.dtype), upper.astype(np.intp)


def _are_few_whole(classes: NDArray[Any], n_examples: int) -> bool:
    """Whether these are classes without doubt: of others scikit-learn knows what to say.

    To ask it takes a quarter of a millisecond, as long as half of the fit of a small table.
    """
    classes = classes.astype(np.float64)
    whole = (classes == np.floor(classes)) & (np.abs(classes) < WHOLE)
    return 2 * len(classes) <= n_examples and bool(whole.all())


def _check_objects(y: NDArray[Any]) -> None:
    """Refuse Python objects that cannot be labels, and say what they are."""
    if y.dtype.kind != "O":
        return
    labels = y.ravel().tolist()
    for row, label in enumerate(labels):
        if label is None:
            raise ValueError(f"y has a missing label in row {row}; fill it in or drop the row.")
        if isinstance(label, int) and label.bit_length() > 64:
            raise ValueError(
                f"y has an integer of {label.bit_length()} bits in row {row}; "
                "labels that are integers have at most 64 bits."
            )
    if labels and not isinstance(labels[0], str):
        kind = type(labels[0]).__name__
        raise ValueError(
            f"Unknown label type: y is an array of Python objects of type {kind}; "
            "convert it to numbers or to strings."
        )


def codes_among(classes: NDArray[Any], y: NDArray[Any]) -> Codes:
    """Return the position of each label among known classes."""
    try:
        codes = np.searchsorted(classes, y)
    except TypeError:
        raise ValueError(
            f"y has labels of another type than the classes {classes.tolist()!r}."
        ) from None
    codes[codes == len(classes)] = 0
    unknown = np.flatnonzero(classes[codes] != y)
    if unknown.size:
        label = y[unknown].tolist()[0]
        raise ValueError(f"y has the label {label!r}, which is not among the classes.")
    return codes


def positives_of(classes: NDArray[Any]) -> list[int]:
    """Return which classes are fitted against the rest: of two, the second alone."""
    return [1] if len(classes) == 2 else list(range(len(classes)))


def checked_weights(sample_weight: Any, n_examples: int) -> NDArray[np.float64] | None:
    """Return the weights of the examples as float64; ``None`` where each is 1."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, Number):
        sample_weight = np.full(n_examples, sample_weight)
    return check_sample_weight(sample_weight, n_examples)


def check_class_weight(class_weight: Any) -> None:
    """Refuse what is neither weights of classes nor a way to choose them."""
    balanced = isinstance(class_weight, str) and class_weight == "balanced"
    if class_weight is not None and not balanced and not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight={class_weight!r} must be 'balanced', None, or a dictionary from labels "
            "to weights."
        )


def class_weights_of(
    class_weight: Any,
    classes: NDArray[Any],
    codes: Codes,
    sample_weight: NDArray[np.float64] | None,
) -> tuple[float, ...] | None:
    """Return the factor on the weights of each class; ``None`` stands for 1.

    ``"balanced"`` counts an example as often as it weighs, so that a weight equals repetition.
    """
    counts = np.bincount(codes, sample_weight, minlength=len(classes))
    if not counts.all():
        label = classes.tolist()[int(counts.argmin())]
        raise ValueError(f"No example of the class {label!r} has a positive weight.")
    if class_weight is None:
        return None
    of_class = _factors(class_weight, classes, codes, sample_weight)
    if not ((of_class > 0.0) & (of_class < math.inf)).all():
        raise ValueError("class_weight must be positive and finite for every class.")
    return tuple(map(float, of_class))


def _factors(
    class_weight: Any,
    classes: NDArray[Any],
    codes: Codes,
    sample_weight: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Return the factor of each class."""
    check_class_weight(class_weight)
    if isinstance(class_weight, str):
        counts = np.bincount(codes, sample_weight, minlength=len(classes))
        return np.asarray(counts.sum() / (len(classes) * counts))
    factors = compute_class_weight(class_weight, classes=classes, y=classes[codes])
    return np.asarray(factors, dtype=np.float64)


def check_costs(costs: NDArray[np.float64] | None) -> None:
    """Refuse products of weights outside of the range that the solvers can handle."""
    if costs is None:
        return
    some, (least, most) = costs[costs > 0.0], COSTS
    if not ((least <= some) & (some <= most)).all():
        raise ValueError(
            f"sample_weight times class_weight must be 0, or between {least} and {most}; "
            "divide the weights by their mean."
        )


def joint_step_weights(
    class_weight: Any,
    classes: NDArray[Any],
    codes: Codes,
    sample_weight: NDArray[np.float64] | None = None,
) -> Any:
    """Return the step lengths on the examples of each class, all classes together."""
    return _in_range(_factors(class_weight, classes, codes, sample_weight))


def step_weights(
    class_weight: Any,
    classes: NDArray[Any],
    codes: Codes,
    sample_weight: NDArray[np.float64] | None = None,
) -> dict[int, tuple[float, float]]:
    """Return, for each class, the step lengths on examples of the rest and of the class."""
    if class_weight is None:
        return {k: (1.0, 1.0) for k in range(len(classes))}
    each = _factors(class_weight, classes, codes, sample_weight).tolist()
    if len(classes) == 2:
        weights = {1: (each[0], each[1])}
    elif isinstance(class_weight, str):
        weights = {}
        for k in range(len(classes)):
            mine = (codes == k).astype(np.int64)
            rest, own = _factors(class_weight, np.array([0, 1]), mine, sample_weight).tolist()
            weights[k] = (rest, own)
    else:
        weights = {k: (1.0, weight) for k, weight in enumerate(each)}
    _in_range([weight for pair in weights.values() for weight in pair])
    return weights


def _in_range(weights: Any) -> Any:
    if not all(1e-100 < weight < 1e100 for weight in weights):
        raise ValueError("class_weight must be between 1e-100 and 1e100 for every class.")
    return weights
