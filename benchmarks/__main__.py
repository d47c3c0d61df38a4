"""Run the benchmarks, each in its own process: ``python -m benchmarks [name ...]``."""

import os
import platform
import subprocess
import sys
from importlib.metadata import version
from math import inf
from pathlib import Path

from benchmarks.contest import format_value, read_rows
from benchmarks.figures import save
from benchmarks.measure import RESULTS, Finding, read_findings

SCRIPTS = {
    "sweeps": "One pass when few examples are violated",
    "epochs": "One epoch with default parameters, and a whole fit on uint8",
    "zero_errors": "Time to zero training errors",
    "noisy": "Noisy data with default parameters",
    "defaults": "Default fits on real tables",
    "multiclass": "Many classes, jointly",
    "online": "Online learning",
    "startup": "Import and first fit in a new process",
    "first_fit": "The first fit ever, and warm commands",
    "memory": "Memory of a fit beyond the data",
    "hard_margin": "Hard margin and separability",
    "separation_verdict": "Complete separation, quasi-complete separation, or overlap",
    "growth": "Hard margin as the number of examples grows",
    "soft_margin": "Soft margin",
    "cross_validation": "Cross-validation of C",
    "kernel": "Kernels on MNIST against SVC",
    "joint_margins": "Margins of all classes together",
    "joint_shapes": "Soft margins of several classes, tables of many shapes",
    "risk": "Bounds on the error on new data",
    "projection": "Random projection with a measured certificate",
    "separation": "The distance of convex bodies",
    "shapes_soft": "Soft margin over a grid of shapes",
    "shapes_hard": "Hard margin over a grid of shapes",
    "shapes_separable": "Verdicts on separable data over a grid of shapes",
    "shapes_inseparable": "Proofs of non-separability over a grid of shapes",
    "shapes_old": "Hard margins and verdicts that were fast before the grid",
    "shapes_threads": "One problem in two threads",
    "neural_800": "Networks of 800 hidden neurons on MNIST",
    "neural_300": "Networks of 300 hidden neurons on MNIST",
    "neural_errors": "Networks on MNIST with batches of errors",
    "neural_parts": "A network on MNIST with dropout and averaged parameters",
}
WITHOUT_BARS = ("profile_fit", "neural_search")
SUMMARY = Path(__file__).parent / "RESULTS.md"


def main(names: list[str]) -> int:
    unknown = set(names) - {*SCRIPTS, *WITHOUT_BARS}
    if unknown:
        choices = ", ".join((*SCRIPTS, *WITHOUT_BARS))
        print(f"no benchmark {', '.join(sorted(unknown))}; choose among {choices}", file=sys.stderr)
        return 2
    failed = []
    for name in names or (*SCRIPTS, *WITHOUT_BARS):
        # The package's __init__ limits each library to one thread; child processes inherit it.
        if subprocess.run([sys.executable, "-m", *_module(name)], check=False).returncode:
            failed.append(name)
    findings = [row for name in SCRIPTS for row in _findings(name)]
    SUMMARY.write_text(summary(findings))
    draw([row for row in findings if row.bar])
    missed = [row for row in findings if row.verdict == "MISS"]
    judged = sum(bool(row.verdict) for row in findings)
    print(f"{judged - len(missed)} of {judged} bars met; see {SUMMARY}")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def _module(name: str) -> list[str]:
    """The module of a benchmark, and its argument if it is one part of several."""
    module, _, part = name.partition("_") if name.startswith("shapes_") else (name, "", "")
    return list(filter(None, (f"benchmarks.{module}", part)))


def _findings(name: str) -> list[Finding]:
    path = RESULTS / f"{name}.csv"
    return read_findings(path) if path.exists() else []


def summary(findings: list[Finding]) -> str:
    """The summary table in Markdown."""
    packages = ("numpy", "scipy", "scikit-learn", "numba", "river")
    lines = [
        "# Benchmarks",
        "",
        "Written by `python -m benchmarks`. Both sides of a ratio are timed alternately in one "
        "run, in one thread, in CPU time; *measured* is the ratio of the medians (of three runs, "
        "or of fifteen on either side where one takes less than 0.1 s), *of minima* that of the "
        "shortest times. One *pass* is `X @ w` on the same array (for uint8: on its float32 copy). "
        "The *bar* is the required value; rows without one are for information.",
        "",
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        + ", ".join(f"{package} {version(package)}" for package in packages)
        + ".",
    ]
    for name, title in SCRIPTS.items():
        rows = [row for row in findings if row.question == name]
        if rows:
            lines += ["", f"## {title} (`{name}`)", ""]
            lines += ["| case | measured | of minima | bar | | note |", "|---|---|---|---|---|---|"]
            lines += [_line(row) for row in rows]
            lines += _solver_table(name)
    return "\n".join(lines) + "\n"


def _solver_table(name: str) -> list[str]:
    """The published rows of every solver; nothing if the benchmark published none."""
    rows = read_rows(name)
    if not rows:
        return []
    head = [f"| {' | '.join(rows[0])} |", "|" + "---|" * len(rows[0])]
    body = [f"| {' | '.join(map(_cell, row.values()))} |" for row in rows]
    return ["", "Every solver:", "", *head, *body]


def _cell(text: str) -> str:
    try:
        return text if text.isdecimal() else format_value(float(text))
    except ValueError:
        return text


def _line(row: Finding) -> str:
    minima = "" if row.from_minima is None else f"{row.from_minima:.3g}"
    bar = "" if row.bar is None else f"{row.sense} {row.bar:.3g}"
    cells = (row.case, f"{row.measured:.3g} {row.unit}", minima, bar, row.verdict, row.note)
    return f"| {' | '.join(cells)} |"


def draw(findings: list[Finding]) -> None:
    """Draw each finding relative to its bar, inverted where more is better: below 1 is met."""
    if not findings:
        return
    labels = [f"{row.question}: {row.case}" for row in findings]
    # A logarithmic axis cannot show a negative value, such as an error below the peer's, nor the
    # infinite value of a run without an answer.
    share = [min(max(_relative_to_bar(row), 0.05), 100.0) for row in findings]
    colours = ["tab:green" if row.verdict == "PASS" else "tab:red" for row in findings]
    with save("bars", height=1.0 + 0.25 * len(findings)) as axes:
        axes.barh(labels, share, color=colours)
        axes.axvline(1.0, color="black", linewidth=1.0)
        axes.set(xscale="log", xlabel="measured relative to the bar; below 1 is met")
        axes.tick_params(axis="y", labelsize="x-small")
        axes.invert_yaxis()


def _relative_to_bar(row: Finding) -> float:
    if row.sense == "<=":
        return row.measured / row.bar
    return row.bar / row.measured if row.measured else inf


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
