"""The folds of a cross-validation, and the score of a model on what it has not seen."""

import inspect
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv

from novikoff.certificate.predictor import labels_of
from novikoff.estimators.training import Training

Ids = NDArray[np.int64]
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Fold:
    """The rows that a model is fitted to, and those that it is scored on."""

    train: Ids
    test: Ids


def split(cv: Any, training: Training, weights: Vector | None) -> list[Fold]:
    """Return the folds, without the examples of weight 0.

    A number of folds is reduced, with a warning, to the number of examples of the smallest class.
    A row that a splitter lists twice counts once.
    """
    n = len(training.codes)
    rows = np.arange(n) if weights is None else np.flatnonzero(weights > 0.0)
    codes = training.codes[rows]
    if cv is None or isinstance(cv, int | np.integer):
        cv = fewer_folds(5 if cv is None else int(cv), training.classes, codes)
        splitter = check_cv(cv, codes, classifier=True)
        parts = [(rows[train], rows[test]) for train, test in splitter.split(codes, codes)]
    else:
        splitter = check_cv(cv, training.codes, classifier=True)
        labels = training.classes[training.codes]
        parts = [
            (np.intersect1d(train, rows), np.intersect1d(test, rows))
            for train, test in _as_rows(splitter.split(training.X, labels), n)
        ]
    if not parts:
        raise ValueError("cv makes no folds.")
    for number, (train, test) in enumerate(parts, 1):
        missing = np.setdiff1d(np.arange(len(training.classes)), training.codes[train])
        if len(missing):
            label = training.classes.tolist()[int(missing[0])]
            raise ValueError(f"Fold {number} of cv has no example of the class {label!r} to fit.")
        if not len(test):
            raise ValueError(f"Fold {number} of cv has no example to score.")
    return [Fold(train, test) for train, test in parts]


def _as_rows(parts: Iterable[tuple[Any, Any]], n: int) -> Iterable[tuple[Ids, Ids]]:
    """Take masks for the rows that they choose."""
    for pair in parts:
        train, test = (np.arange(n)[np.asarray(part, None if len(part) else int)] for part in pair)
        yield train, test


def fewer_folds(cv: int, classes: NDArray[Any], codes: Ids) -> int:
    """Return the number of folds, or that of the examples of the smallest class if it is less."""
    if cv < 2:
        raise ValueError(f"cv={cv} must be at least 2 folds.")
    counts = np.bincount(codes, minlength=len(classes))
    least, label = int(counts.min()), classes.tolist()[int(counts.argmin())]
    if least < 2:
        raise ValueError(
            f"The class {label!r} has only one example; cross-validation needs two of each class."
        )
    if least < cv:
        warnings.warn(
            f"The class {label!r} has only {least} examples: {least} folds instead of {cv}.",
            UserWarning,
            stacklevel=6,
        )
    return min(cv, least)


class HeldOut(ClassifierMixin, BaseEstimator):
    """A classifier whose decision values on the examples held out are known."""

    def __init__(self, classes: NDArray[Any], values: Vector) -> None:
        self.classes_ = classes
        self.values = values

    def __sklearn_is_fitted__(self) -> bool:
        """It never was anything else."""
        return True

    def decision_function(self, X: Any) -> Vector:
        """Return the decision values."""
        if X.shape[0] != len(self.values):
            raise ValueError("A fold's model is scored on all examples held out, and no others.")
        return self.values

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the labels."""
        return labels_of(self.decision_function(X), self.classes_)


Score = Callable[[Fold, Vector], float]


def scoring_of(estimator: Any, scoring: Any, training: Training, weights: Vector | None) -> Score:
    """Return the function that scores decision values on the examples held out of a fold.

    Examples count as often as they weigh, if the scorer takes weights.
    """
    if scoring is not None and not isinstance(scoring, str) and not callable(scoring):
        raise ValueError(f"scoring={scoring!r} must be the name of a score, a callable or None.")
    scorer = check_scoring(estimator, scoring=scoring)
    parameters = inspect.signature(scorer).parameters
    takes_weights = "sample_weight" in parameters or any(
        each.kind is each.VAR_KEYWORD for each in parameters.values()
    )

    def score(fold: Fold, values: Vector) -> float:
        more = {}
        if weights is not None and takes_weights:
            more["sample_weight"] = weights[fold.test]
        X, y = training.X[fold.test], training.classes[training.codes[fold.test]]
        try:
            value = float(scorer(HeldOut(training.classes, values), X, y, **more))
        except AttributeError as error:
            raise ValueError(
                f"scoring={scoring!r} asks for more than labels and decision values, such as "
                "probabilities, which MaxMarginCV has not; choose another."
            ) from error
        if not np.isfinite(value):
            raise ValueError(f"scoring={scoring!r} is {value} on a fold; choose another.")
        return value

    return score
