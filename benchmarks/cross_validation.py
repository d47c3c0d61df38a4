"""Cross-validation of C: MaxMarginCV beside as many single fits, and beside the peers.

MNIST's even against odd digits, 60,000 x 784 raw pixels, ten values of C and five folds. The single
fits have the same values and folds; the hard margin, which MaxMarginCV does not search for where
its soft margins err on more examples than there are features, is left out of both, and so all ten
values are finite. LinearSVC and LogisticRegression are timed on one fold and a few values of the
same grid, since all of them would take hours; their times for 50 fits are extrapolated.
"""

import time
import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from benchmarks import datasets
from benchmarks.measure import Report, clock
from novikoff import MaxMargin, MaxMarginCV

CS = 2.5e-5 * np.logspace(-4, 2, 10)
FOLDS = 5
BAR = 0.25
PEER_VALUES = (2, 5)
PEER_ITERATIONS = 100


def errors_of(model: Any, X: Any, y: Any, train: Any, test: Any) -> float:
    return float((model.fit(X[train], y[train]).predict(X[test]) != y[test]).mean())


def single_fits(X: Any, y: Any, folds: list[Any]) -> tuple[float, Any]:
    """Return the CPU time of all single fits, and their scores."""
    seconds, scores = 0.0, np.zeros((len(folds), len(CS)))
    for row, (train, test) in enumerate(folds):
        part, labels = X[train], y[train]
        for column, C in enumerate(CS):
            model = MaxMargin(C=C)
            started = time.process_time()
            model.fit(part, labels)
            seconds += time.process_time() - started
            scores[row, column] = model.score(X[test], y[test])
    return seconds, scores


def peer(model: Any, X: Any, y: Any, folds: list[Any]) -> tuple[float, float]:
    """Return the CPU time of 50 fits, as far as a few tell, and the best score of those."""
    (train, test), scores = folds[0], []
    part, labels = X[train], y[train]

    def fits() -> None:
        for value in PEER_VALUES:
            fitted = clone(model).set_params(C=CS[value]).fit(part, labels)
            scores.append(fitted.score(X[test], y[test]))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        seconds = clock(fits)
    return seconds * len(CS) * FOLDS / len(PEER_VALUES), max(scores)


def main() -> None:
    report = Report("cross_validation", "Ten values of C in five folds, MNIST even against odd")
    X, y = datasets.even_odd()
    folds = list(StratifiedKFold(FOLDS).split(X, y))
    MaxMarginCV(Cs=[1e-6], cv=2).fit(X[:4000, :200], y[:4000])
    model = MaxMarginCV(Cs=CS)
    ours = clock(lambda: model.fit(X, y))
    singles, scores = single_fits(X, y, folds)
    far = float(np.abs(scores - model.scores_).max())
    best = float(model.scores_.mean(axis=0).max())
    report.add(
        "MaxMarginCV, share of 50 single fits",
        ours / singles,
        "of the time",
        at_most=BAR,
        note=f"{ours:.3g} s against {singles:.3g} s, with the final fit",
    )
    report.add("largest difference of a fold's score", far, "", at_most=0.005)
    report.add(
        "error of the C chosen, beside the best of single fits",
        100 * (scores.mean(axis=0).max() - scores.mean(axis=0)[CS.tolist().index(model.C_)]),
        "points",
        at_most=0.1,
        note=f"C = {model.C_:.3g}: {100 * (1 - best):.2f} %",
    )
    peers = {
        "LinearSVC": LinearSVC(dual=False, max_iter=PEER_ITERATIONS),
        "LogisticRegression": LogisticRegression(max_iter=PEER_ITERATIONS),
    }
    for name, other in peers.items():
        seconds, score = peer(other, X, y, folds)
        report.add(
            f"{name}, 50 fits",
            seconds / ours,
            "times our time",
            note=f"{seconds:.3g} s from {len(PEER_VALUES)} fits, at most {PEER_ITERATIONS} "
            f"iterations each; error {100 * (1 - score):.2f} %",
        )
    report.finish()


if __name__ == "__main__":
    main()
