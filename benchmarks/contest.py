"""Timing solvers against each other, each in its own process, so that one may fail or hang."""

import csv
import os
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from multiprocessing import get_context
from multiprocessing.connection import Connection
from statistics import median
from typing import Any

import numpy as np
import psutil
from rich.console import Console
from rich.table import Table

from benchmarks.measure import RESULTS, Times, write_rows

LIMIT = 60.0
"""Seconds of CPU time after which a run is killed."""

LONG = 30.0
"""A run that takes more seconds is not repeated."""

BRIEF = 0.1
"""If the fastest solver takes fewer seconds, all solvers run more often: short times vary more."""

ROUNDS, BRIEF_ROUNDS = 3, 15

# With fork, a child shares the data with its parent, and solvers need not be picklable.
_FORK = get_context("fork")


@dataclass(frozen=True)
class Answer:
    """What a solver returned.

    ``coef`` is None if it found no model. ``message`` is the reason, or the name of a warning.
    ``status`` and ``method`` are how our run ended, and which of our solvers it used.
    """

    coef: Any = None
    support: int | None = None
    passes: int | None = None
    certificate: Any = None
    message: str = ""
    status: str = ""
    method: str = ""


Solver = Callable[[Any, Any], Answer]


@dataclass(frozen=True)
class Run:
    """One run of a solver; ``seconds`` is infinite if it gave no answer."""

    seconds: float
    answer: Answer


@dataclass(frozen=True)
class Outcome:
    """All runs of a solver: ``cold`` is the first one in its process, ``times`` the later ones.

    If the first run took more than ``LONG`` seconds it is not repeated, and ``times`` is its time.
    """

    cold: float
    times: Times
    answer: Answer
    limit: float

    @property
    def at_least(self) -> Times:
        """Lower bounds on the times: the limit if the run was killed there, else the times."""
        if self.answer.message == no_answer(self.limit):
            return Times((self.limit,))
        return self.times


class Contestant:
    """A solver in its own process, which is killed if a run takes too long."""

    def __init__(self, solver: Solver, X: Any, y: Any, limit: float) -> None:
        self.limit = limit
        self.link, child_link = _FORK.Pipe()
        self.process = _FORK.Process(target=_serve, args=(child_link, solver, X, y), daemon=True)
        self.process.start()
        child_link.close()
        self.usage = psutil.Process(self.process.pid)

    def run(self) -> Run:
        self.link.send("run")
        # Not by RLIMIT_CPU: with such a limit the process's CPU clock advances in whole ticks.
        end = self._cpu_seconds() + self.limit
        while not self.link.poll(0.2):
            if self._cpu_seconds() > end:
                self.process.kill()
                return Run(inf, Answer(message=no_answer(self.limit)))
        try:
            run: Run = self.link.recv()
        except EOFError:
            self.process.join()
            return Run(inf, Answer(message=f"ended with exit code {self.process.exitcode}"))
        return run

    def _cpu_seconds(self) -> float:
        times = self.usage.cpu_times()
        return float(times.user + times.system)

    def close(self) -> None:
        self.process.kill()
        self.process.join()
        self.link.close()


def _serve(link: Connection, solver: Solver, X: Any, y: Any) -> None:
    """Run the solver once for each request, until the parent process ends."""
    parent = os.getppid()
    while True:
        # The pipe stays open after the parent has ended: the other children inherited its end.
        while not link.poll(1.0):
            if os.getppid() != parent:
                return
        link.recv()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            started = time.process_time()
            try:
                run = Run(0.0, solver(X, y))
            except ImportError as error:
                run = Run(inf, Answer(message=f"not installed: {error.name}"))
            except Exception as error:
                run = Run(inf, Answer(message=f"{type(error).__name__}: {error}".splitlines()[0]))
            run = replace(run, seconds=run.seconds + time.process_time() - started)
        if caught and not run.answer.message:
            run = replace(run, answer=replace(run.answer, message=caught[-1].category.__name__))
        link.send(run)


def no_answer(limit: float) -> str:
    return f"no answer in {limit:.0f} s"


def once(solver: Solver, X: Any, y: Any, limit: float = LIMIT) -> Run:
    """Run a solver once."""
    contestant = Contestant(solver, X, y, limit)
    try:
        return contestant.run()
    finally:
        contestant.close()


def compete(
    X: Any, y: Any, solvers: Mapping[str, Solver], *, limit: float = LIMIT
) -> dict[str, Outcome]:
    """Time the solvers alternately, round by round, after a first run of each."""
    contestants = {who: Contestant(solver, X, y, limit) for who, solver in solvers.items()}
    try:
        runs = {who: [contestant.run()] for who, contestant in contestants.items()}
        for k in range(BRIEF_ROUNDS):
            if k == ROUNDS and not _is_brief(runs.values()):
                break
            for who, contestant in contestants.items():
                if runs[who][-1].seconds < LONG:
                    runs[who].append(contestant.run())
    finally:
        for contestant in contestants.values():
            contestant.close()
    return {who: outcome(done, limit) for who, done in runs.items()}


def outcome(runs: Sequence[Run], limit: float) -> Outcome:
    """All runs of a solver, of which the first one counts only if it is the only one."""
    times = Times(tuple(run.seconds for run in runs[1:] or runs))
    return Outcome(runs[0].seconds, times, runs[-1].answer, limit)


def _is_brief(runs: Iterable[Sequence[Run]]) -> bool:
    return min(median(run.seconds for run in done[1:] or done) for done in runs) < BRIEF


def margin(X: Any, y: Any, w: Any) -> float:
    """The margin of the direction ``w`` with its best intercept; negative if it makes errors."""
    score = X @ w
    return float(score[y > 0].min() - score[y < 0].max()) / (2.0 * float(np.linalg.norm(w)))


def publish(name: str, title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the rows of every solver, grouped by case, and write them to a CSV file."""
    RESULTS.mkdir(exist_ok=True)
    write_rows(rows_file(name), rows)
    table = Table(title=title, title_justify="left")
    for heading in rows[0]:
        is_text = heading in ("case", "solver", "method", "note")
        table.add_column(heading, justify="left" if is_text else "right")
    last = rows[0]["case"]
    for row in rows:
        if row["case"] != last:
            table.add_section()
        last = row["case"]
        table.add_row(*map(format_value, row.values()))
    Console(width=180).print(table)


def rows_file(name: str) -> Any:
    return RESULTS / f"{name}_rows.csv"


def read_rows(name: str) -> list[dict[str, str]]:
    """Read the published rows; an empty list if there are none."""
    if not rows_file(name).exists():
        return []
    with rows_file(name).open(newline="") as file:
        return list(csv.DictReader(file))


def format_value(value: Any) -> str:
    """Format a cell: a float with four significant digits, None as the empty string."""
    if value is None or value == "":
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
