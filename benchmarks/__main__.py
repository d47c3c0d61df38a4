"""Run the benchmarks, each in a process of its own: ``python -m benchmarks [name ...]``."""

import os
import platform
import subprocess
import sys
from importlib.metadata import version
from math import inf
from pathlib import Path

from benchmarks.contest import read_rows, shown
from benchmarks.figures import save
from benchmarks.measure import RESULTS, Finding, read_findings

SCRIPTS = {
    "sweeps": "One sweep once few examples are violated",
    "epochs": "One default epoch, and a whole fit on bytes",
    "zero_errors": "Time to zero training errors",
    "noisy": "Noisy data with the defaults",
    "online": "Online learning",
    "startup": "A second process",
    "memory": "Extra memory of a fit",
    "hard_margin": "The hard margin and the verdict",
    "growth": "The hard margin while the data grows",
    "soft_margin": "The soft margin",
    "neural_800": "Networks of 800 hidden neurons on MNIST",
    "neural_300": "Networks of 300 hidden neurons on MNIST",
    "neural_errors": "Networks on MNIST by batches of errors",
    "neural_parts": "A network on MNIST with dropout and averages",
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
        # The package's __init__ has set one thread for each library; children inherit it.
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode:
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


def _findings(name: str) -> list[Finding]:
    path = RESULTS / f"{name}.csv"
    return read_findings(path) if path.exists() else []


def summary(findings: list[Finding]) -> str:
    """The summary table in Markdown."""
    packages = ("numpy", "scipy", "scikit-learn", "numba", "river")
    lines = [
        "# Benchmarks",
        "",
        "Written by `python -m benchmarks`. Both sides of a ratio are timed in turn in one run, in "
        "one thread, in processor time; *measured* is the ratio of the medians (of three runs, or "
        "of fifteen on either side where one takes less than 0.1 s), *of minima* that of the "
        "shortest times. One *pass* is `X @ w` on the same array (for bytes: on its float32 copy). "
        "Rows without a bar are for information.",
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
            lines += _everybody(name)
    return "\n".join(lines) + "\n"


def _everybody(name: str) -> list[str]:
    """What each solver did, where a benchmark has more to tell than its bars."""
    rows = read_rows(name)
    if not rows:
        return []
    head = [f"| {' | '.join(rows[0])} |", "|" + "---|" * len(rows[0])]
    body = [f"| {' | '.join(map(_cell, row.values()))} |" for row in rows]
    return ["", "Every solver:", "", *head, *body]


def _cell(text: str) -> str:
    try:
        return text if text.isdecimal() else shown(float(text))
    except ValueError:
        return text


def _line(row: Finding) -> str:
    minima = "" if row.from_minima is None else f"{row.from_minima:.3g}"
    bar = "" if row.bar is None else f"{row.sense} {row.bar:.3g}"
    cells = (row.case, f"{row.measured:.3g} {row.unit}", minima, bar, row.verdict, row.note)
    return f"| {' | '.join(cells)} |"


def draw(findings: list[Finding]) -> None:
    """Each finding in units of its bar, turned so that less than one is better."""
    if not findings:
        return
    labels = [f"{row.question}: {row.case}" for row in findings]
    # A negative share, such as an error below the peer's, has no place on a logarithmic axis,
    # nor has the infinite one of a run without an answer.
    share = [min(max(_share(row), 0.05), 100.0) for row in findings]
    colours = ["tab:green" if row.verdict == "PASS" else "tab:red" for row in findings]
    with save("bars", height=1.0 + 0.25 * len(findings)) as axes:
        axes.barh(labels, share, color=colours)
        axes.axvline(1.0, color="black", linewidth=1.0)
        axes.set(xscale="log", xlabel="measured in units of the bar; left of 1 is met")
        axes.tick_params(axis="y", labelsize="x-small")
        axes.invert_yaxis()


def _share(row: Finding) -> float:
    if row.sense == "<=":
        return row.measured / row.bar
    return row.bar / row.measured if row.measured else inf


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
