"""Online learning with ``partial_fit``: one row at a time, and in batches of a thousand."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from river.linear_model import Perceptron as River
from sklearn.linear_model import Perceptron as Peer

from benchmarks import datasets
from benchmarks.measure import Report, Times, in_turn
from novikoff import Perceptron

ROWS, BATCH = 500, 1_000


def one_row_at_a_time(model: Any, X: Any, y: Any) -> Callable[[], None]:
    """Learn ``ROWS`` rows, one ``partial_fit`` each; every call continues with the next rows."""
    model.partial_fit(X[:BATCH], y[:BATCH], classes=np.unique(y))
    starts = _starts(len(y), ROWS)

    def work() -> None:
        first = next(starts)
        for i in range(first, first + ROWS):
            model.partial_fit(X[i : i + 1], y[i : i + 1])

    return work


def one_dict_at_a_time(model: Any, X: Any, y: Any) -> Callable[[], None]:
    """The same for river, which reads dictionaries; building them is not timed."""
    rows = [(dict(enumerate(x.tolist())), bool(label)) for x, label in zip(X, y > 0, strict=True)]

    def work() -> None:
        for x, label in rows:
            model.learn_one(x, label)

    return work


def batches(X: Any, y: Any) -> Callable[[], None]:
    """The first pass of a new model, in batches."""

    def work() -> None:
        model = Perceptron()
        for first in range(0, len(y) - BATCH + 1, BATCH):
            part = slice(first, first + BATCH)
            model.partial_fit(X[part], y[part], classes=[0, 1] if first == 0 else None)

    return work


def passes(X: Any) -> Callable[[], None]:
    """The unit: the product of each batch with a vector."""
    w = np.ones(X.shape[1])

    def work() -> None:
        for first in range(0, len(X) - BATCH + 1, BATCH):
            X[first : first + BATCH] @ w

    return work


def measure(report: Report, case: str, X: Any, y: Any) -> None:
    y = (y > 0).astype(int)
    sides = {
        "ours": one_row_at_a_time(Perceptron(), X, y),
        "scikit-learn": one_row_at_a_time(Peer(), X, y),
        "river": one_dict_at_a_time(River(), X[:ROWS], y[:ROWS]),
    }
    times = {
        name: Times(tuple(t / ROWS for t in each.seconds))
        for name, each in in_turn(sides, rounds=9).items()
    }
    report.faster(f"one row, {case}, scikit-learn", times["ours"], times["scikit-learn"], 3.0)
    report.faster(f"one row, {case}, river", times["ours"], times["river"], None)
    both = in_turn({"ours": batches(X, y), "pass": passes(X)}, rounds=7)
    report.passes(f"batches of {BATCH}, {case}", both["ours"], both["pass"], 3.0, "all batches")


def _starts(n: int, step: int) -> Iterator[int]:
    while True:
        yield from range(BATCH, n - step, step)


def main() -> None:
    report = Report("online", "partial_fit, one row and a thousand rows at a time")
    measure(report, "MNIST even-v-odd, 784 features", *datasets.even_odd())
    measure(report, "100 features", *datasets.narrow())
    report.finish()


if __name__ == "__main__":
    main()
