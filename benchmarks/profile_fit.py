"""CPU time of each stage of a fit with default parameters.

Functions inside the package are replaced by timed ones, so ``STAGES`` must follow its structure.
"""

import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
from matplotlib import colormaps
from rich.console import Console
from rich.table import Table
from sklearn.exceptions import ConvergenceWarning

from benchmarks import datasets
from benchmarks.figures import save
from benchmarks.measure import RESULTS, in_turn, write_rows
from novikoff import Perceptron
from novikoff.certificate import certify
from novikoff.estimators import linear_perceptron, online, refutations, training
from novikoff.run import bounds, search
from novikoff.sample import Sample, sample

# The functions that are timed: module or class, name, and title in the table.
STAGES: list[tuple[Any, str, str]] = [
    (training, "read_examples", "validate"),
    (training, "hash_rows", "row hashes"),
    (training, "classes_of", "classes"),
    (training, "fingerprint_without_weights", "fingerprint"),
    (linear_perceptron, "content_order", "order"),
    (sample, "distances2_of", "norms"),
    (Sample, "margins", "check for a separator"),
    (search.Search, "sweep_all", "full passes"),
    (search.Search, "sweep_near", "cheap passes"),
    (bounds.Bounds, "tighten", "bounds"),
    (Sample, "model", "recompute w"),
    (certify, "close_margin", "certificate, lower"),
    (certify, "margin_below", "certificate, lower"),
    (certify, "hull_point", "certificate, upper"),
    (certify, "count_errors", "certificate, errors"),
    (certify.Certifier, "hard", "certificate, rest"),
    (refutations, "zero_combination", "proof of non-separability"),
    (online.Online, "from_fit", "online state"),
]


class Clock:
    """Seconds spent in each stage, excluding the stages that it calls."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.calls: dict[str, int] = defaultdict(int)
        self.inner = [0.0]

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self.inner.append(0.0)
        started = time.process_time()
        try:
            yield
        finally:
            spent = time.process_time() - started
            self.seconds[name] += spent - self.inner.pop()
            self.calls[name] += 1
            self.inner[-1] += spent

    def timed(self, function: Callable[..., Any], name: str) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            with self.stage(name):
                return function(*args, **kwargs)

        return call


def profile(fit: Callable[[], Any]) -> Clock:
    """Run a fit with every stage timed."""
    clock = Clock()

    with ExitStack() as stack:
        for owner, name, title in STAGES:
            function = clock.timed(getattr(owner, name), title)
            stack.enter_context(patch.object(owner, name, function))
        with clock.stage("rest"):
            fit()
    return clock


def warmed(X: Any, y: Any) -> Perceptron:
    """A fitted model, so that the compiled code for this type of data is loaded."""
    few = np.r_[np.unique(y, return_index=True)[1], :200]
    return Perceptron(random_state=0).fit(X[few], y[few])


def rows_of(case: str, clock: Clock, model: Perceptron, one_pass: float) -> list[dict[str, Any]]:
    """One row for each stage, the longest first."""
    total = sum(clock.seconds.values())
    found = f"{model.status_.name}, {model.n_iter_} passes, {model.n_updates_} updates"
    return [
        {
            "case": case,
            "outcome": found,
            "stage": name,
            "milliseconds": round(1e3 * seconds, 2),
            "percent": round(100.0 * seconds / total, 1),
            "calls": clock.calls[name],
            "passes": round(seconds / one_pass, 2),
        }
        for name, seconds in sorted(clock.seconds.items(), key=lambda item: -item[1])
    ]


def draw(rows: list[dict[str, Any]]) -> None:
    """Draw stacked bars of the stages that take at least 5 % of some fit."""
    cases = list(dict.fromkeys(row["case"] for row in rows))
    shares = {(row["case"], row["stage"]): row["percent"] for row in rows}
    stages = list(dict.fromkeys(row["stage"] for row in rows if row["percent"] >= 5.0))
    with save("profile_fit", height=5.0) as axes:
        left = np.zeros(len(cases))
        for stage, colour in zip(stages, colormaps["tab20"].colors, strict=False):
            width = np.array([shares.get((case, stage), 0.0) for case in cases])
            axes.barh(cases, width, left=left, label=stage, color=colour)
            left += width
        axes.barh(cases, 100.0 - left, left=left, label="all others", color="lightgrey")
        axes.set(title="CPU time of a fit with default parameters", xlabel="% of the fit")
        axes.invert_yaxis()
        axes.figure.legend(loc="outside lower center", ncols=5, fontsize="x-small")


def main() -> None:
    warnings.simplefilter("ignore", ConvergenceWarning)
    cases = {
        "MNIST even-v-odd float64": datasets.even_odd,
        "MNIST even-v-odd uint8": lambda: datasets.even_odd("uint8"),
        "MNIST 0-v-6 float64": lambda: datasets.pair(0, 6),
        "MNIST 0-v-1 float64": lambda: datasets.pair(0, 1),
        "100,000 x 100, separable": datasets.narrow,
        "100,000 x 100, 5 % noise": lambda: datasets.narrow(noise=0.05),
        "CSR 50,000 x 20,000, separable": datasets.text,
    }
    rows: list[dict[str, Any]] = []
    for case, data in cases.items():
        X, y = data()
        model = warmed(X, y)
        w = np.ones(X.shape[1], np.float64 if X.dtype == np.float64 else np.float32)
        unit = X.astype(w.dtype, copy=False)
        one_pass = in_turn({"pass": lambda unit=unit, w=w: unit @ w}, rounds=9)["pass"].median
        clocks = [profile(lambda m=model, X=X, y=y: m.fit(X, y)) for _ in range(3)]
        middle = sorted(clocks, key=lambda clock: sum(clock.seconds.values()))[1]
        rows += rows_of(case, middle, model, one_pass)
    RESULTS.mkdir(exist_ok=True)
    write_rows(RESULTS / "profile_fit.csv", rows)
    draw(rows)
    title = "CPU time of a fit with default parameters"
    table = Table("stage", "ms", "%", "calls", "passes X @ w", title=title)
    last = ""
    for row in (row for row in rows if row["percent"] >= 1.0):
        if row["case"] != last:
            table.add_section()
            table.add_row(f"[bold]{row['case']}[/]: {row['outcome']}")
        last = row["case"]
        cells = (row[k] for k in ("stage", "milliseconds", "percent", "calls", "passes"))
        table.add_row(*map(str, cells))
    Console(width=160).print(table)


if __name__ == "__main__":
    main()
