"""Many classes in one linear model: test error and CPU time against scikit-learn.

``python -m benchmarks.multiclass [mnist] [tables]``. On MNIST, defaults or the C stated, median of
three seeds. On tables, 10 splits; peers choose C by cross-validation on the training set, on one
grid. To add a model, add a line to ``OURS_ON_MNIST`` or to ``OURS_ON_TABLES``.
"""

import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean, median, stdev
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks import datasets
from benchmarks.contest import publish
from benchmarks.generators.bundled import source_folders
from benchmarks.measure import Report, clock
from novikoff import Perceptron

SEEDS = range(3)
SPLITS, TEST_SHARE, FOLDS = 10, 0.3, 3
CS = np.logspace(-3, 2, 6)

Make = Callable[[int], Any]


@dataclass(frozen=True)
class OnMnist:
    """A model and its bars: test error in %, and how many times faster than a peer."""

    make: Make
    at_most: float | None = None
    faster: tuple[str, float] | None = None


OURS_ON_MNIST = {
    "Perceptron()": OnMnist(
        lambda seed: Perceptron(random_state=seed), at_most=7.3, faster=("SGDClassifier()", 8.0)
    ),
    'Perceptron(multi_class="ovr")': OnMnist(
        lambda seed: Perceptron(multi_class="ovr", random_state=seed)
    ),
}
PEERS_ON_MNIST = {
    "SGDClassifier()": OnMnist(lambda seed: SGDClassifier(random_state=seed)),
    "LogisticRegression()": OnMnist(lambda seed: LogisticRegression()),
}

# Each with the bar: at most so many points above the best peer.
OURS_ON_TABLES: dict[str, tuple[Make, float | None]] = {
    "Perceptron()": (lambda seed: Perceptron(random_state=seed), 2.0),
    'Perceptron(multi_class="ovr")': (
        lambda seed: Perceptron(multi_class="ovr", random_state=seed),
        None,
    ),
}


def _tuned(model: Any) -> Any:
    return GridSearchCV(model, {"C": CS}, cv=FOLDS)


PEERS_ON_TABLES: dict[str, Make] = {
    "LogisticRegression, tuned": lambda seed: _tuned(LogisticRegression(max_iter=1000)),
    "LinearSVC, tuned": lambda seed: _tuned(LinearSVC(random_state=seed)),
    "LinearSVC jointly, tuned": lambda seed: _tuned(
        LinearSVC(multi_class="crammer_singer", random_state=seed)
    ),
}
TABLES: dict[str, Callable[[], tuple[Any, Any]]] = {
    "iris": partial(load_iris, return_X_y=True),
    "wine": partial(load_wine, return_X_y=True),
    "digits": partial(load_digits, return_X_y=True),
    "breast cancer": partial(load_breast_cancer, return_X_y=True),
    "source files": source_folders,
}


def on_mnist(report: Report) -> list[dict[str, Any]]:
    """Fit every model to the 60,000 digits, pixels in [0, 1]."""
    digits = datasets.mnist()
    X, test = digits.X_train / 255.0, digits.X_test / 255.0
    rows: list[dict[str, Any]] = []
    errors: dict[str, float] = {}
    seconds: dict[str, float] = {}
    models = OURS_ON_MNIST | PEERS_ON_MNIST
    for name, model in models.items():
        # Compiles what the first fit of a process needs.
        model.make(0).fit(X[:1000], digits.y_train[:1000])
        each = []
        for seed in SEEDS:
            made = model.make(seed)
            spent = clock(partial(made.fit, X, digits.y_train))
            each.append((_error(made, test, digits.y_test), spent))
        errors[name] = median(error for error, _ in each)
        seconds[name] = median(spent for _, spent in each)
        rows.append(_row("MNIST", name, errors[name], 0.0, seconds[name]))
        print(rows[-1], flush=True)
    for name, model in models.items():
        if model.at_most is not None:
            report.add(f"MNIST: {name}, test error", errors[name], "%", at_most=model.at_most)
        if model.faster is not None:
            peer, times = model.faster
            report.add(
                f"MNIST: {name} against {peer}",
                seconds[peer] / seconds[name],
                "times faster",
                at_least=times,
                note=f"{seconds[name]:.2f} s against {seconds[peer]:.2f} s, "
                f"{errors[name]:.2f} % against {errors[peer]:.2f} %",
            )
    return rows


def on_tables(report: Report) -> list[dict[str, Any]]:
    """Fit every model on each split of every table; dense columns are standardised."""
    rows: list[dict[str, Any]] = []
    for table, load in TABLES.items():
        X, y = load()
        errors: dict[str, list[float]] = {}
        seconds: dict[str, list[float]] = {}
        makes = {name: make for name, (make, _) in OURS_ON_TABLES.items()} | PEERS_ON_TABLES
        for seed in range(SPLITS):
            split = train_test_split(X, y, test_size=TEST_SHARE, random_state=seed, stratify=y)
            train, test, labels, wanted = split
            if isinstance(train, np.ndarray):
                scaler = StandardScaler().fit(train)
                train, test = scaler.transform(train), scaler.transform(test)
            for name, make in makes.items():
                model = make(seed)
                seconds.setdefault(name, []).append(clock(partial(model.fit, train, labels)))
                errors.setdefault(name, []).append(_error(model, test, wanted))
        for name, each in errors.items():
            error = stdev(each) / SPLITS**0.5
            rows.append(_row(table, name, fmean(each), error, median(seconds[name])))
            print(rows[-1], flush=True)
        best = min(PEERS_ON_TABLES, key=lambda name: fmean(errors[name]))
        for name, (_, points) in OURS_ON_TABLES.items():
            pairs = zip(errors[name], errors[best], strict=True)
            differences = [a - b for a, b in pairs]
            error = stdev(differences) / SPLITS**0.5
            report.add(
                f"{table}: {name} over {best}",
                fmean(differences),
                "points",
                at_most=points,
                note=f"{fmean(errors[name]):.2f} % against {fmean(errors[best]):.2f} %, "
                f"standard error {error:.2f}",
            )
    return rows


def _row(case: str, name: str, error: float, spread: float, seconds: float) -> dict[str, Any]:
    return {
        "case": case,
        "method": name,
        "test error, %": round(error, 2),
        "standard error": round(spread, 2),
        "CPU, s": round(seconds, 3),
    }


def _error(model: Any, X: Any, y: Any) -> float:
    return 100.0 * float((model.predict(X) != y).mean())


def main(asked: Sequence[str]) -> None:
    warnings.simplefilter("ignore")
    parts = {"mnist": on_mnist, "tables": on_tables}
    report = Report("multiclass", "Many classes, jointly")
    rows = [row for name in asked or parts for row in parts[name](report)]
    publish("multiclass", report.title, rows)
    report.finish()


if __name__ == "__main__":
    main(sys.argv[1:])
