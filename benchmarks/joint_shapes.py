"""Soft margins of several classes on dense tables of many shapes, beside LinearSVC's.

Labels are those of random directions, a tenth of them changed; times are CPU seconds of the second
fit, to a certified gap of 1e-3 on this side and to the default tolerance on the others.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from benchmarks.measure import Report, clock
from novikoff import MaxMargin

SHAPES = (
    (600, 5, 3),
    (2_000, 20, 10),
    (20_000, 2, 3),
    (20_000, 10, 3),
    (5_000, 50, 20),
    (3_000, 10, 100),
    (100_000, 30, 5),
)
"""Examples, features and classes."""

CS = (0.01, 1.0, 100.0)
ROUNDS = 3


def table(n: int, d: int, k: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return Gaussian examples and noisy labels."""
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, d))
    y = (X @ draw.normal(size=(d, k))).argmax(axis=1)
    wrong = draw.random(n) < 0.1
    y[wrong] = draw.integers(0, k, wrong.sum())
    return X, y


def seconds(model: Any, X: Any, y: Any) -> float:
    model.fit(X, y)
    return min(clock(lambda: model.fit(X, y)) for _ in range(ROUNDS))


def main() -> None:
    report = Report("joint_shapes", "Soft margins of several classes, tables of many shapes")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for n, d, k in SHAPES:
            X, y = table(n, d, k)
            for C in CS:
                ours = {loss: MaxMargin(C=C, loss=loss) for loss in ("squared_hinge", "hinge")}
                taken = {loss: seconds(model, X, y) for loss, model in ours.items()}
                peer = seconds(LinearSVC(C=C), X, y)
                joint = seconds(LinearSVC(C=C / 2, multi_class="crammer_singer"), X, y)
                case = f"{n:,} x {d}, {k} classes, C = {C:g}"
                note = f"LinearSVC {1e3 * peer:.0f} ms, crammer_singer {1e3 * joint:.0f} ms"
                for loss, model in ours.items():
                    how = f"{note}; {model.solver_}, gap {model.certificate_.soft.gap:.1e}"
                    report.add(f"{case}, {loss}", 1e3 * taken[loss], "ms", note=how)
    report.finish()


if __name__ == "__main__":
    main()
