"""Noisy data with default parameters: test error and time against scikit-learn."""

import warnings
from statistics import fmean
from typing import Any

from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Perceptron as Peer
from sklearn.svm import LinearSVC

from benchmarks import datasets
from benchmarks.figures import save
from benchmarks.generators import text_like
from benchmarks.measure import Report, Times, clock
from novikoff import Perceptron

SEEDS = range(5)
Split = tuple[Any, Any, Any, Any]


def digits() -> Split:
    """MNIST, even against odd, in [0, 1]: on raw pixels LinearSVC takes minutes."""
    d = datasets.mnist()
    return d.X_train / 255.0, d.y_train % 2, d.X_test / 255.0, d.y_test % 2


def documents(n: int, d: int, n_test: int = 20_000) -> Split:
    """Text-like rows, with 5 % of the labels flipped in training and test."""
    p = text_like(n + n_test, d, 80, noise=0.05, random_state=0)
    return p.X[:n], p.y[:n], p.X[n:], p.y[n:]


def measure(report: Report, case: str, split: Split) -> dict[str, tuple[float, float]]:
    """Measure the three models; return the median time and the mean test error in % of each."""
    X, y, X_test, y_test = split
    models = {"novikoff": Perceptron(), "perceptron": Peer(), "svc": LinearSVC(random_state=0)}
    wrong: dict[str, list[float]] = {name: [] for name in models}
    seconds: dict[str, list[float]] = {name: [] for name in models}
    Perceptron(max_iter=1).fit(X[:1000], y[:1000])
    for seed in SEEDS:
        for name, model in models.items():
            if name == "svc" and seed != SEEDS[0]:
                continue
            model.set_params(random_state=seed)
            seconds[name].append(clock(lambda m=model: m.fit(X, y)))
            wrong[name].append(100.0 * float((model.predict(X_test) != y_test).mean()))
    errors = {name: fmean(each) for name, each in wrong.items()}
    times = {name: Times(tuple(each)) for name, each in seconds.items()}
    ours = models["novikoff"]
    report.add(
        f"{case}, test error over LinearSVC's",
        errors["novikoff"] - errors["svc"],
        "% points",
        at_most=1.0,
        note=f"novikoff {errors['novikoff']:.2f} %, LinearSVC {errors['svc']:.2f} % in "
        f"{times['svc'].median:.2f} s, Perceptron {errors['perceptron']:.2f} %",
    )
    ratio = times["novikoff"].median / times["perceptron"].median
    report.add(
        f"{case}, time over Perceptron's",
        ratio,
        "times",
        from_minima=times["novikoff"].least / times["perceptron"].least,
        at_most=1.0,
        note=f"{times['novikoff'].median:.2f} s against {times['perceptron'].median:.2f} s; "
        f"{ours.n_iter_} passes, {ours.n_updates_} updates: {ours.status_.name}",
    )
    return {name: (times[name].median, errors[name]) for name in models}


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    report = Report("noisy", "Noisy data with default parameters")
    cases = {
        "MNIST even-v-odd": measure(report, "MNIST even-v-odd", digits()),
        "CSR 100,000 x 2,000": measure(
            report, "CSR 100,000 x 2,000, 5 % noise", documents(100_000, 2_000)
        ),
        "CSR 60,000 x 20,000": measure(
            report, "CSR 60,000 x 20,000, 5 % noise", documents(60_000, 20_000)
        ),
    }
    report.finish()
    with save("noisy") as axes:
        for (case, points), marker in zip(cases.items(), "os^", strict=True):
            for (name, (seconds, error)), colour in zip(points.items(), "bgr", strict=True):
                axes.plot(seconds, error, marker, color=colour, label=f"{case}: {name}")
        axes.set(xscale="log", xlabel="fit time, s", ylabel="test error, %")
        axes.legend(fontsize="small")


if __name__ == "__main__":
    main()
