"""Timing two implementations alternately, and reporting whether the required ratio was reached."""

import csv
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any, Literal

from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).parent / "results"

Work = Callable[[], object]


@dataclass(frozen=True)
class Times:
    """Seconds taken by repeated runs of the same work."""

    seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.seconds)

    @property
    def least(self) -> float:
        return min(self.seconds)


def clock(work: Work) -> float:
    """Seconds of CPU time of one run.

    Each side runs in one thread, so CPU time is what the wall clock would show on an idle machine,
    also when other programs are running.
    """
    started = time.process_time()
    work()
    return time.process_time() - started


def in_turn(sides: Mapping[str, Work], *, rounds: int = 5, warm: int = 1) -> dict[str, Times]:
    """Time the sides alternately, round by round, so that noise affects all of them."""
    for _ in range(warm):
        for work in sides.values():
            work()
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, work in sides.items():
            seconds[name].append(clock(work))
    return {name: Times(tuple(each)) for name, each in seconds.items()}


def reseeded(model: Any, X: Any, y: Any) -> Work:
    """Fit with the next seed at each call: the number of epochs depends on the seed."""
    seeds = count()

    def fit() -> object:
        return model.set_params(random_state=next(seeds)).fit(X, y)

    return fit


def slope(work: Callable[[int], object], few: int, many: int) -> Callable[[], float]:
    """The time per epoch: the difference of two fits divided by their difference in epochs."""

    def per_epoch() -> float:
        short = clock(lambda: work(few))
        return (clock(lambda: work(many)) - short) / (many - few)

    return per_epoch


def slopes_in_turn(sides: Mapping[str, Callable[[], float]], rounds: int = 5) -> dict[str, Times]:
    """Like :func:`in_turn`, for work that returns its own time."""
    for work in sides.values():
        work()
    taken = [{name: work() for name, work in sides.items()} for _ in range(rounds)]
    return {name: Times(tuple(each[name] for each in taken)) for name in sides}


@dataclass(frozen=True)
class Finding:
    """One row of a table: a measured value, and the bar it must meet.

    ``question`` is the name of the benchmark, ``sense`` how to compare with the bar.
    """

    question: str
    case: str
    measured: float
    from_minima: float | None
    sense: Literal["<=", ">=", ""]
    bar: float | None
    unit: str
    verdict: str
    note: str


class Report:
    """The findings of one benchmark, printed and written to a CSV file."""

    def __init__(self, name: str, title: str) -> None:
        self.name, self.title = name, title
        self.findings: list[Finding] = []

    def add(
        self,
        case: str,
        measured: float,
        unit: str,
        *,
        from_minima: float | None = None,
        at_most: float | None = None,
        at_least: float | None = None,
        note: str = "",
    ) -> None:
        """Add a row; without a bar it is for information."""
        verdict, sense, bar = "", "", None
        if at_most is not None:
            verdict, sense, bar = "PASS" if measured <= at_most else "MISS", "<=", at_most
        elif at_least is not None:
            verdict, sense, bar = "PASS" if measured >= at_least else "MISS", ">=", at_least
        row = Finding(self.name, case, measured, from_minima, sense, bar, unit, verdict, note)
        self.findings.append(row)

    def passes(
        self, case: str, ours: Times, one_pass: Times, at_most: float | None, note: str = ""
    ) -> None:
        """Add the ratio of our time to the time of one pass."""
        spent = f"{1e3 * ours.median:.3g} ms, pass {1e3 * one_pass.median:.3g} ms"
        self.add(
            case,
            ours.median / one_pass.median,
            "passes",
            from_minima=ours.least / one_pass.least,
            at_most=at_most,
            note=f"{spent}; {note}" if note else spent,
        )

    def faster(
        self, case: str, ours: Times, theirs: Times, at_least: float | None, note: str = ""
    ) -> None:
        """Add how many times longer the peer takes."""
        spent = f"{_seconds(ours.median)} against {_seconds(theirs.median)}"
        self.add(
            case,
            theirs.median / ours.median,
            "times faster",
            from_minima=theirs.least / ours.least,
            at_least=at_least,
            note=f"{spent}; {note}" if note else spent,
        )

    def finish(self) -> None:
        """Print the table and write it to a CSV file."""
        RESULTS.mkdir(exist_ok=True)
        write_rows(RESULTS / f"{self.name}.csv", [asdict(row) for row in self.findings])
        table = Table(title=self.title, title_justify="left")
        for heading in ("case", "measured", "of minima", "bar", "", "note"):
            table.add_column(heading, justify="left" if heading in ("case", "note") else "right")
        for row in self.findings:
            colour = {"PASS": "green", "MISS": "red"}.get(row.verdict, "")
            table.add_row(
                row.case,
                f"{row.measured:.3g} {row.unit}",
                "" if row.from_minima is None else f"{row.from_minima:.3g}",
                "" if row.bar is None else f"{row.sense} {row.bar:.3g}",
                f"[{colour}]{row.verdict}[/]" if colour else "",
                row.note,
            )
        Console(width=160).print(table)


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write dictionaries with the same keys to a CSV file."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def read_findings(path: Path) -> list[Finding]:
    """Read the findings that a report wrote."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [Finding(**{name: _value(name, text) for name, text in row.items()}) for row in rows]


def _value(name: str, text: str) -> Any:
    if name not in ("measured", "from_minima", "bar"):
        return text
    return float(text) if text else None


def _seconds(t: float) -> str:
    return f"{t:.3g} s" if t >= 0.1 else f"{1e3 * t:.3g} ms"
