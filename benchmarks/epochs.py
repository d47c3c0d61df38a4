"""Time of one epoch, and of a whole fit on uint8, against scikit-learn's Perceptron."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as Peer

from benchmarks import datasets
from benchmarks.measure import Report, clock, in_turn, reseeded, slope, slopes_in_turn
from benchmarks.sweeps import sample_of, sweeping
from novikoff import Perceptron
from novikoff.rules import ScaleFree
from novikoff.run import Clock, Limits, run

FEW, MANY = 2, 10


def ours(X: Any, y: Any) -> Callable[[int], object]:
    """Run the default rule for a number of epochs; an error if the run ends earlier."""
    sample = sample_of(X, y)

    def epochs(number: int) -> None:
        finished = run(sample, ScaleFree(), clock=Clock(Limits(max_iter=number)))
        if finished.n_iter != number:
            raise RuntimeError(f"the run ended after {finished.n_iter} of {number} epochs")

    return epochs


def theirs(X: Any, y: Any) -> Callable[[int], object]:
    return lambda number: Peer(max_iter=number, tol=None, random_state=0).fit(X, y)


def passes_alone(X: Any, y: Any) -> Callable[[], float]:
    """Seconds of one full pass of a new run: the mean over its passes FEW + 1 to MANY."""
    sample, rule = sample_of(X, y), ScaleFree()

    def per_pass() -> float:
        sweep = sweeping(sample, rule, sample.memory(rule.specification(sample.lifted_radius)))
        for _ in range(FEW):
            sweep()
        return sum(clock(sweep) for _ in range(MANY - FEW)) / (MANY - FEW)

    return per_pass


def measure(report: Report, case: str, X: Any, y: Any, bar: float) -> None:
    w = np.ones(X.shape[1])
    sides = {
        "epoch": slope(ours(X, y), FEW, MANY),
        "pass": passes_alone(X, y),
        "peer": slope(theirs(X, y), FEW, MANY),
        "unit": lambda: clock(lambda: X @ w),
    }
    times = slopes_in_turn(sides, rounds=7)
    in_passes = times["peer"].median / times["unit"].median
    report.faster(
        case, times["epoch"], times["peer"], bar, f"the peer's epoch is {in_passes:.2g} passes"
    )
    report.faster(f"{case}, sweep alone", times["pass"], times["peer"], None)
    report.passes(f"{case}, epoch", times["epoch"], times["unit"], None)


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    title = f"One epoch with default parameters, from fits of {FEW} and {MANY} epochs"
    report = Report("epochs", title)
    measure(report, "MNIST even-v-odd float64", *datasets.even_odd(), 2.0)
    measure(report, "100,000 x 100 float64, 5 % noise", *datasets.narrow(noise=0.05), 4.0)
    measure(report, "CSR 50,000 x 20,000, 5 % noise", *datasets.text(noise=0.05), 2.0)
    X, y = datasets.even_odd("uint8")
    models = {"ours": Perceptron(), "theirs": Peer()}
    times = in_turn({side: reseeded(model, X, y) for side, model in models.items()}, rounds=7)
    epochs = f"{models['ours'].n_iter_} passes against {models['theirs'].n_iter_} epochs"
    report.faster("whole fit, MNIST even-v-odd uint8", times["ours"], times["theirs"], 5.0, epochs)
    report.finish()


if __name__ == "__main__":
    main()
