"""Bounds on the error on new data from the training data alone, beside the measured test error.

All training examples, 95 % confidence, nothing held out. The errors on MNIST's test digits, which
no fit has seen, are measured beside the bounds, and so is the time of making one.
"""

import warnings
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from benchmarks import datasets
from benchmarks.measure import Report, clock
from novikoff import MaxMargin, Perceptron
from novikoff.estimators.risk import NoRiskError

BARS = {(0, 1): 0.010, (1, 7): 0.017, (0, 6): 0.029}
VACUOUS = 0.5


def certified(report: Report, case: str, model: Any, X: Any, y: Any, **row: Any) -> None:
    """Add the certified error of a fitted model, or say why there is none."""
    found: list[Any] = []
    try:
        seconds = clock(lambda: found.append(model.risk_certificate(X, y)))
    except NoRiskError as error:
        report.add(case, np.nan, "", note=str(error))
        return
    risk, note = found[0], row.pop("note", "")
    made = f"{risk.size:,} of {risk.n_examples:,} examples, made in {seconds:.2g} s"
    report.add(case, 100.0 * risk.bound, "% certified", note=f"{made}{note}", **row)


def mnist_pairs(report: Report) -> None:
    digits = datasets.mnist()
    for (a, b), bar in BARS.items():
        X, y = datasets.pair(a, b)
        chosen = (digits.y_test == a) | (digits.y_test == b)
        tested = digits.X_test[chosen].astype(np.float64), digits.y_test[chosen]
        compressed = Perceptron(
            rule="classic", schedule="compress", max_iter=10**5, random_state=0, min_margin=0.0
        )
        models = {"hard margin": MaxMargin(tol=1e-9), "classic perceptron, compress": compressed}
        for kind, model in models.items():
            wrong = 1.0 - model.fit(X, y).score(*tested)
            note = f"; measured on the test digits {100.0 * wrong:.2f} %"
            at_most = 100 * bar if kind == "hard margin" else None
            certified(report, f"MNIST {a}-v-{b}, {kind}", model, X, y, at_most=at_most, note=note)
    X, y = datasets.pair(4, 9)
    X = X / 255.0
    soft = MaxMargin(C=0.1, tol=1e-6).fit(X, y)
    certified(report, "MNIST 4-v-9, C = 0.1", soft, X, y, at_most=100 * VACUOUS)


def small(report: Report) -> None:
    X, y = load_digits(return_X_y=True)
    X = X / 16.0
    for a, b in ((0, 1), (3, 8), (4, 9)):
        part = (y == a) | (y == b)
        model = MaxMargin().fit(X[part], y[part])
        case = f"digits {a}-v-{b}, hard margin"
        certified(report, case, model, X[part], y[part], at_most=100 * VACUOUS)
    rbf = dict(kernel="rbf", gamma=0.1, multi_class="ovr")
    for case, parameters in (
        ("digits, ten classes together, hard margin", {}),
        ("digits, ten classes together, C = 1", dict(C=1.0)),
        ("digits, each class against the rest, C = 1", dict(C=1.0, multi_class="ovr")),
        ("digits, each against the rest, rbf kernel, gamma = 0.1, hard margin", rbf),
    ):
        certified(report, case, MaxMargin(tol=1e-9, **parameters).fit(X, y), X, y)
    cancer = datasets.breast_cancer(standardised=False)
    certified(report, "breast cancer, raw, hard margin", MaxMargin(tol=1e-9).fit(*cancer), *cancer)
    soft = MaxMargin(C=1.0, tol=1e-9).fit(*cancer)
    certified(report, "breast cancer, raw, C = 1", soft, *cancer, at_most=100 * VACUOUS)


def sphere(report: Report) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 20))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    y = X @ rng.standard_normal(20) > 0
    for schedule, bar in (("sweep", None), ("compress", 100 * VACUOUS)):
        model = Perceptron(
            rule="classic", schedule=schedule, min_margin=0.0, max_iter=10**5, random_state=0
        ).fit(X, y)
        case = f"sphere, 1,000 x 20, classic perceptron, {schedule}"
        certified(report, case, model, X, y, at_most=bar)


def main() -> None:
    report = Report("risk", "The error on new data, certified without a hold-out set")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        mnist_pairs(report)
        small(report)
        sphere(report)
    report.finish()


if __name__ == "__main__":
    main()
