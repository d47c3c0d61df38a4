"""The first fit ever, with nothing compiled before, and warm commands; CPU time of new processes.

``python -m benchmarks.first_fit --before FOLDER`` measures the sources in another folder too, in
turn; then the bars of the hard margin and of the commands are half of their times.
"""

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.bytecode import environment
from benchmarks.measure import Report

CHILD = """
import time, warnings
import numpy as np
from scipy.sparse import csr_matrix
from novikoff import MaxMargin, Perceptron
warnings.simplefilter("ignore")
X = np.random.default_rng(0).standard_normal((1000, 20))
y = X[:, 0] > 0
X = {storage}
started = time.process_time()
{model}.fit(X, y)
print(time.process_time() - started)
"""
STORAGES = {"dense": "X", "CSR": "csr_matrix(np.where(X > -0.5, X, 0.0))"}
MODELS = {"MaxMargin()": None, "MaxMargin(C=1.0)": 4.0, "Perceptron(max_iter=20)": 4.0}
"""The most seconds of a first fit; None: only the time before is a bar."""

EXAMPLES = """
from sklearn.datasets import load_breast_cancer
X, y = load_breast_cancer(return_X_y=True)
print(",".join([*(f"x{j}" for j in range(30)), "kind"]))
for row, code in zip(X.tolist(), y):
    print(",".join(map(repr, row)), "benign" if code else "malignant", sep=",")
"""
COMMANDS = {
    "predict 569 rows": ("predict", "model.json", "cancer.csv", "--target", "kind"),
    "verify 569 rows": ("verify", "model.json", "cancer.csv"),
}
ROUNDS = 3
SHARE = 0.5


def run(source: str, folder: str, *arguments: str, cache: str | None = None) -> tuple[float, str]:
    """Run Python on the sources of a folder; return the CPU seconds and what it printed."""
    settings = {"PYTHONPATH": source} | ({} if cache is None else {"NUMBA_CACHE_DIR": cache})
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, *arguments],
        env=environment() | settings,
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, done.stdout


def first_fit(source: str, code: str) -> float:
    with tempfile.TemporaryDirectory() as cache:
        return float(run(source, cache, "-c", code, cache=cache)[1])


def add(report: Report, case: str, times: dict[str, list[float]], most: float | None) -> None:
    """Report the median; the bar is so many seconds, or a share of the time before."""
    now = times["now"]
    note = f"{median(times['before']):.2f} s before" if "before" in times else ""
    bar = SHARE * median(times["before"]) if most is None and "before" in times else most
    report.add(case, median(now), "s", from_minima=min(now), at_most=bar, note=note)


def main(arguments: list[str]) -> None:
    sources = {"now": str(Path(__file__).parents[1] / "src")}
    if arguments[:1] == ["--before"]:
        sources["before"] = str(Path(arguments[1]).resolve())
        if not (Path(arguments[1]) / "novikoff").is_dir():
            # The installed package would be measured instead.
            sys.exit(f"{arguments[1]} does not contain the package novikoff: name a folder src")
    report = Report("first_fit", "The first fit ever, and warm commands")
    for model, most in MODELS.items():
        for storage, values in STORAGES.items():
            code = CHILD.format(model=model, storage=values)
            turns = [
                {who: first_fit(where, code) for who, where in sources.items()}
                for _ in range(ROUNDS + 1)
            ]
            # The first round may compile bytecode.
            times = {who: [turn[who] for turn in turns[1:]] for who in sources}
            add(report, f"first {model}.fit, {storage}", times, most)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "cancer.csv").write_text(run(sources["now"], folder, "-c", EXAMPLES)[1])
        fit = ("-m", "novikoff", "fit", "cancer.csv", "--target", "kind", "--quiet")
        run(list(sources.values())[-1], folder, *fit)
        for case, command in COMMANDS.items():
            turns = [
                {
                    who: run(where, folder, "-m", "novikoff", *command)[0]
                    for who, where in sources.items()
                }
                for _ in range(ROUNDS + 1)
            ]
            # The first round may compile.
            times = {who: [turn[who] for turn in turns[1:]] for who in sources}
            add(report, case, times, None)
    report.finish()


if __name__ == "__main__":
    main(sys.argv[1:])
