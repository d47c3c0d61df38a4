"""Import and a first small fit in a new process, with compiled code in the cache."""

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from benchmarks.bytecode import environment
from benchmarks.measure import Report, Times

CHILD = """
import time
started = time.perf_counter(), time.process_time()
import numpy as np
from scipy.sparse import csr_matrix
from {module} import {name}
imported = time.process_time() - started[1]
rng = np.random.default_rng(0)
{examples}
{name}({options}).fit(X, y)
print(time.perf_counter() - started[0], time.process_time() - started[1], imported)
"""
ROUNDS = 7

EXAMPLES = {
    "dense 1,000 x 20": """
X = rng.standard_normal((1000, 20))
y = X[:, 0] > 0
""",
    "CSR 1,000 x 20": """
X = rng.standard_normal((1000, 20))
X, y = csr_matrix(np.where(X > 0.5, X, 0.0)), X[:, 0] > 0
""",
    "CSR 1,000 x 2,000": """
parts = rng.random(20_000), rng.integers(0, 2000, 20_000), np.arange(0, 20_001, 20)
X, y = csr_matrix(parts, shape=(1000, 2000)), rng.random(1000) > 0.5
""",
}

SHARE = 1.3
"""A first fit may take so many times the time of LinearSVC's, imports included."""


@dataclass(frozen=True)
class Estimator:
    module: str
    name: str
    options: str = ""


@dataclass(frozen=True)
class Start:
    """Seconds of a new process: wall clock, CPU time, and CPU time of the import."""

    wall: float
    cpu: float
    imported: float


def start(estimator: Estimator, examples: str) -> Start:
    """Import the estimator and fit it once, in a new process."""
    code = CHILD.format(examples=examples, **vars(estimator))
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return Start(*map(float, done.stdout.split()))


def in_turn(estimators: Mapping[str, Estimator], examples: str) -> dict[str, list[Start]]:
    """Start a process for each estimator, round by round; the first round is not counted."""
    rounds = [
        {who: start(estimator, examples) for who, estimator in estimators.items()}
        for _ in range(ROUNDS + 1)
    ]
    return {who: [each[who] for each in rounds[1:]] for who in estimators}


def add(
    report: Report,
    case: str,
    ours: list[Start],
    theirs: list[Start],
    *,
    times: float,
    seconds: float = 0.0,
) -> None:
    """Report our CPU time; the bar is so many times the peer's, plus some seconds."""
    mine = Times(tuple(each.cpu for each in ours))
    peer = median(each.cpu for each in theirs)
    imports, walls = (
        tuple(median(getattr(each, what) for each in side) for side in (ours, theirs))
        for what in ("imported", "wall")
    )
    report.add(
        case,
        mine.median,
        "s",
        from_minima=mine.least,
        at_most=times * peer + seconds,
        note=f"scikit-learn {peer:.2f} s; import {imports[0]:.2f} s and {imports[1]:.2f} s; "
        f"wall clock {walls[0]:.2f} s and {walls[1]:.2f} s",
    )


def main() -> None:
    report = Report("startup", "Import and first fit in a new process")
    perceptrons = in_turn(
        {
            "ours": Estimator("novikoff", "Perceptron"),
            "theirs": Estimator("sklearn.linear_model", "Perceptron"),
        },
        EXAMPLES["dense 1,000 x 20"],
    )
    add(report, "second process", *perceptrons.values(), times=1.5, seconds=1.0)
    mine = {
        "MaxMargin(C=1)": Estimator("novikoff", "MaxMargin", "C=1.0"),
        "Perceptron": Estimator("novikoff", "Perceptron", "max_iter=20"),
    }
    for case, examples in EXAMPLES.items():
        starts = in_turn({**mine, "theirs": Estimator("sklearn.svm", "LinearSVC")}, examples)
        theirs = starts.pop("theirs")
        for name, ours in starts.items():
            title = f"{name} against LinearSVC, {case}"
            add(report, title, ours, theirs, times=SHARE)
    report.finish()


if __name__ == "__main__":
    main()
