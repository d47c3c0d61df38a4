"""Passes and memory of a hard-margin fit as the number of examples grows a hundredfold."""

import json
import subprocess
import sys
import tempfile
import time
from math import inf
from pathlib import Path

import novikoff
from benchmarks import datasets
from benchmarks.figures import save
from benchmarks.measure import Report
from benchmarks.memory import MEGABYTE, load_arrays, peak, save_arrays

SIZES = (10_000, 100_000, 1_000_000)
FEATURES = 50
PASSES = 60
TOL = 1e-6


def child(folder: Path) -> None:
    """Fit once and print time, passes and memory, where memory is the increase of the peak."""
    X, y = load_arrays(folder)
    novikoff.MaxMargin(tol=TOL).fit(*datasets.slab(200, FEATURES))
    before, started = peak(), time.process_time()
    model = novikoff.MaxMargin(tol=TOL).fit(X, y)
    taken = {
        "seconds": time.process_time() - started,
        "extra": (peak() - before) / MEGABYTE,
        "passes": int(model.n_iter_),
        "gap": model.certificate_.gap,
        "support": len(model.support_),
    }
    print(json.dumps(taken))


def measure(report: Report, n: int) -> dict[str, float] | None:
    with tempfile.TemporaryDirectory() as name:
        size = save_arrays(Path(name), *datasets.slab(n, FEATURES)) / MEGABYTE
        command = [sys.executable, "-m", "benchmarks.growth", name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    case = f"{n:,} x {FEATURES}"
    if done.returncode:
        message = done.stderr.strip().splitlines()[-1]
        report.add(f"{case}, passes", inf, "passes", at_most=PASSES, note=message)
        return None
    taken = json.loads(done.stdout)
    report.add(
        f"{case}, passes",
        taken["passes"],
        "passes",
        at_most=PASSES,
        note=f"gap {taken['gap']:.1e}, {taken['seconds']:.3g} s, support {taken['support']}",
    )
    report.add(
        f"{case}, memory beyond the data",
        taken["extra"],
        "MB",
        at_most=0.1 * size + 50.0,
        note=f"data {size:.0f} MB",
    )
    return {"n": n, "data": size, **taken}


def draw(seen: list[dict[str, float]]) -> None:
    n = [each["n"] for each in seen]
    with save("growth") as axes:
        axes.plot(n, [each["passes"] for each in seen], "o-", label="passes")
        axes.axhline(PASSES, color="grey", linestyle=":", label="bar for the passes")
        axes.set(xscale="log", ylim=(0, None), xlabel="examples", ylabel="passes over the data")
        memory = axes.twinx()
        memory.plot(n, [each["data"] for each in seen], "k--", label="data")
        memory.plot(n, [each["extra"] for each in seen], "s-", color="tab:red", label="the fit")
        memory.set(yscale="log", ylabel="MB")
        axes.figure.legend(loc="outside upper center", ncols=4)


def main() -> None:
    report = Report("growth", "Hard margin, planted margin 0.01, growing number of examples")
    seen = [each for n in SIZES if (each := measure(report, n)) is not None]
    report.finish()
    if seen:
        draw(seen)


if __name__ == "__main__":
    if len(sys.argv) == 2:
        child(Path(sys.argv[1]))
    else:
        main()
