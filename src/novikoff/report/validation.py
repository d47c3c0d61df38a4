"""How well a model predicts examples that it has not seen: cross-validation in words."""

from dataclasses import dataclass
from math import inf, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from novikoff.estimators.folds import fewer_folds
from novikoff.estimators.labels import classes_of
from novikoff.report.describe import Row

if TYPE_CHECKING:
    from novikoff.data import Table


@dataclass(frozen=True)
class CrossValidation:
    """The error in each fold of models that were fitted to the others."""

    errors: tuple[float, ...]

    @classmethod
    def of(cls, model: Any, table: "Table", n_folds: int) -> "CrossValidation":
        """Fit the model to all folds but one, and predict that one, for each in turn.

        Examples count as often as they weigh.
        """
        weights: Any = table.weights
        y: Any = np.asarray(table.y)
        rows = np.arange(len(y)) if weights is None else np.flatnonzero(weights > 0.0)
        classes, codes = classes_of(y[rows])
        n_folds = fewer_folds(n_folds, classes, codes)
        errors = []
        for train, test in StratifiedKFold(n_folds).split(codes, codes):
            train, test = rows[train], rows[test]
            how = {} if weights is None else {"sample_weight": weights[train]}
            fitted = clone(model).fit(table.X[train], y[train], **how)
            wrong = fitted.predict(table.X[test]) != y[test]
            errors.append(
                float(np.average(wrong, weights=None if weights is None else weights[test]))
            )
        return cls(tuple(errors))

    @property
    def mean(self) -> float:
        """The mean error."""
        return float(np.mean(self.errors))

    @property
    def standard_error(self) -> float:
        """The standard deviation of the errors over the root of the number of folds."""
        return float(np.std(self.errors, ddof=1)) / sqrt(len(self.errors))

    def row(self) -> Row:
        """Say how many examples that were held out are predicted wrongly."""
        return (
            "Predicts",
            f"{percent(self.mean)} errors on examples held out, standard error "
            f"{percent(self.standard_error)} ({len(self.errors)} folds)",
        )

    def document(self) -> dict[str, Any]:
        """The same for machines."""
        return {
            "errors": list(self.errors),
            "mean": self.mean,
            "standard_error": self.standard_error,
        }


def percent(share: float) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> percent(0.1094)
    '10.9 %'
    """
    return f"{100 * share:.1f} %"


def errors_by_C(model: Any) -> NDArray[np.float64]:
    """Return the mean error on examples held out for each C of a MaxMarginCV; nan if unknown."""
    mean: NDArray[np.float64] = 1.0 - model.scores_.mean(axis=0)
    return mean


def choice_row(model: Any) -> Row:
    """Say how C was chosen by MaxMarginCV, with the table of errors."""
    errors, n_folds = errors_by_C(model), len(model.scores_)
    lines = [f"{format_C(model.C_)}, chosen by cross-validation in {n_folds} folds:"]
    for C, error in zip(model.Cs_.tolist(), errors.tolist(), strict=True):
        said = "not scored" if np.isnan(error) else f"{percent(error)} errors on examples held out"
        lines.append(f"C = {format_C(C)}: {said}")
    return "C", "\n".join([*lines, *_of_hard_margin(model, errors), *_of_ends(model, errors)])


def _of_ends(model: Any, errors: NDArray[np.float64]) -> list[str]:
    """Say that a larger or a smaller C was not tried, where that of an end is the only best."""
    Cs, errors = model.Cs_[~np.isnan(errors)], errors[~np.isnan(errors)]
    if len(Cs) < 2 or model.C_ == inf:
        return []
    for end, other, most, more in ((-1, -2, "largest", "larger"), (0, 1, "smallest", "smaller")):
        if model.C_ == Cs[end] and errors[end] < errors[other]:
            return [
                f"This is the {most} C that has a score; a {more} one, given with --C, may be "
                "better."
            ]
    return []


def _of_hard_margin(model: Any, errors: NDArray[np.float64]) -> list[str]:
    """Say whether the hard margin predicts worse, or why it has no score."""
    if model.Cs_[-1] != inf:
        return []
    hard, best = float(errors[-1]), float(np.nanmin(errors, initial=inf))
    if np.isnan(hard):
        return ["The hard margin has no score: not every fold was separated within few passes."]
    if hard > best:
        return [
            f"The hard margin would have predicted worse: {percent(hard)} against {percent(best)}."
        ]
    if model.C_ != inf:
        return ["The hard margin would have predicted as well."]
    return []


def choice_document(model: Any) -> dict[str, Any]:
    """The same for machines; None where a C has no score."""
    errors = [None if np.isnan(error) else error for error in errors_by_C(model).tolist()]
    return {"Cs": model.Cs_.tolist(), "errors": errors, "n_folds": len(model.scores_)}


def format_C(C: float) -> str:
    """Return a C with three digits."""
    return "inf (the hard margin)" if C == inf else f"{C:.3g}"
