"""The results of training the rows: a table, a CSV file, curves, and the configuration."""

import csv
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date
from importlib.metadata import version
from math import nan
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

from novikoff.neural.training import Epoch
from novikoff.reproduce.mnist import Result, Row


class Line(NamedTuple):
    """A row over its seeds: the mean of the last errors in percent, and their spread.

    One seed has no spread: it is NaN.
    """

    row: Row
    error: float
    spread: float
    best_seed: float
    worst_seed: float
    backpropagated: float
    seconds: float
    longest: float


def summarised(results: Sequence[Result]) -> list[Line]:
    """Return a line for every row, in the order in which they first occur."""
    lines = []
    for row in dict.fromkeys(result.row for result in results):
        mine = [result for result in results if result.row == row]
        errors = [result.error for result in mine]
        lines.append(
            Line(
                row,
                mean(errors),
                stdev(errors) if len(errors) > 1 else nan,
                min(errors),
                max(errors),
                mean(result.backpropagated for result in mine),
                mean(result.seconds for result in mine),
                max(result.seconds for result in mine),
            )
        )
    return lines


def write(results: Sequence[Result], where: Path, **about: Any) -> list[Path]:
    """Write every epoch of every run as CSV, and the configuration as JSON; return the files.

    ``about`` are further fields of the configuration.
    """
    where.mkdir(parents=True, exist_ok=True)
    epochs, configuration = where / "epochs.csv", where / "configuration.json"
    with _whole(epochs) as path, path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["row", "hidden", "seed", *Epoch._fields])
        for result in results:
            for line in result.history:
                writer.writerow([result.row.name, result.row.hidden, result.seed, *line])
    rows = [_plain(row) for row in dict.fromkeys(result.row for result in results)]
    seeds = sorted({result.seed for result in results})
    document = {
        "date": date.today().isoformat(),
        "versions": {name: version(name) for name in ("novikoff", "torch", "numpy")},
        **about,
        "seeds": seeds,
        "rows": rows,
    }
    with _whole(configuration) as path:
        path.write_text(json.dumps(document, indent=2) + "\n")
    return [epochs, configuration]


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """Write to a temporary name and rename, so that the file is never half written."""
    temporary = path.with_name(f".{path.name}")
    try:
        yield temporary
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def draw(results: Sequence[Result], where: Path) -> Path:
    """Draw the mean error over the seeds after every epoch; needs matplotlib."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    axes = figure.subplots()
    for row in dict.fromkeys(result.row for result in results):
        runs = [result.history for result in results if result.row == row]
        length = min(map(len, runs))
        errors = [
            mean(100.0 * (run[k].held_out_error or 0.0) for run in runs) for k in range(length)
        ]
        axes.plot(range(1, length + 1), errors, label=row.name)
    axes.set(xlabel="epoch", ylabel="error, %", yscale="log")
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("{x:g}")
    figure.legend(loc="outside lower center", ncols=3)
    path = where / "curves.png"
    with _whole(path) as temporary:
        figure.savefig(temporary, dpi=120, format="png")
    return path


def _plain(row: Row) -> dict[str, Any]:
    return {
        name: value if isinstance(value, str | int | float | None) else str(value)
        for name, value in (asdict(row) | _schedules(row)).items()
    }


def _schedules(row: Row) -> dict[str, str]:
    loss = "cross-entropy" if row.schedule is None else str(row.schedule)
    return {"schedule": loss, "clocks": str(row.clocks), "batch": str(row.batch)}
