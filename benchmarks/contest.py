"""Solvers side by side, each in a process of its own, so that one may fail or never return."""

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
"""Seconds of the processor after which a run is ended."""

LONG = 30.0
"""A run that takes longer is not repeated."""

BRIEF = 0.1
"""Where a solver takes less, all run more often: so short a time varies more."""

ROUNDS, BRIEF_ROUNDS = 3, 15

# A child shares the data with its parent, and solvers need not be picklable.
_FORK = get_context("fork")


@dataclass(frozen=True)
class Answer:
    """What a solver returned; without ``coef`` there is no model, and ``said`` tells why."""

    coef: Any = None
    support: int | None = None
    passes: int | None = None
    certificate: Any = None
    said: str = ""


Solver = Callable[[Any, Any], Answer]


@dataclass(frozen=True)
class Run:
    """One run of a solver; ``seconds`` is infinite where it gave no answer."""

    seconds: float
    answer: Answer


@dataclass(frozen=True)
class Outcome:
    """All runs of a solver: the first one, in a cold process, and the times of the later ones.

    A run that took long is not repeated; then the first one's time counts.
    """

    cold: float
    times: Times
    answer: Answer
    limit: float

    @property
    def at_least(self) -> Times:
        """The times, with the limit in the place of a run that was ended there."""
        if self.answer.said == no_answer(self.limit):
            return Times((self.limit,))
        return self.times


class Contestant:
    """A solver in a process of its own, which is ended if a run takes too long."""

    def __init__(self, solver: Solver, X: Any, y: Any, limit: float) -> None:
        self.limit = limit
        self.link, far = _FORK.Pipe()
        self.process = _FORK.Process(target=_serve, args=(far, solver, X, y), daemon=True)
        self.process.start()
        far.close()
        self.watched = psutil.Process(self.process.pid)

    def run(self) -> Run:
        self.link.send("run")
        # The kernel could keep the limit itself, but under one its clock is as coarse as a tick.
        last = self._spent() + self.limit
        while not self.link.poll(0.2):
            if self._spent() > last:
                self.process.kill()
                return Run(inf, Answer(said=no_answer(self.limit)))
        try:
            run: Run = self.link.recv()
        except EOFError:
            self.process.join()
            return Run(inf, Answer(said=f"ended with exit code {self.process.exitcode}"))
        return run

    def _spent(self) -> float:
        spent = self.watched.cpu_times()
        return float(spent.user + spent.system)

    def close(self) -> None:
        self.process.kill()
        self.process.join()
        self.link.close()


def _serve(link: Connection, solver: Solver, X: Any, y: Any) -> None:
    """Run the solver whenever asked, as long as there is somebody to ask."""
    parent = os.getppid()
    while True:
        # The end of the pipe does not tell: the other contestants hold it open.
        while not link.poll(1.0):
            if os.getppid() != parent:
                return
        link.recv()
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            started = time.process_time()
            try:
                run = Run(0.0, solver(X, y))
            except ImportError as error:
                run = Run(inf, Answer(said=f"not installed: {error.name}"))
            except Exception as error:
                run = Run(inf, Answer(said=f"{type(error).__name__}: {error}".splitlines()[0]))
            run = replace(run, seconds=run.seconds + time.process_time() - started)
        if heard and not run.answer.said:
            run = replace(run, answer=replace(run.answer, said=heard[-1].category.__name__))
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
    """Time the solvers in turn, round by round, after a first run of each."""
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
    return {
        who: Outcome(
            done[0].seconds,
            Times(tuple(run.seconds for run in done[1:] or done)),
            done[-1].answer,
            limit,
        )
        for who, done in runs.items()
    }


def _is_brief(runs: Iterable[Sequence[Run]]) -> bool:
    return min(median(run.seconds for run in done[1:] or done) for done in runs) < BRIEF


def margin(X: Any, y: Any, w: Any) -> float:
    """The margin of a direction with the intercept that is best for it; negative where it errs."""
    score = X @ w
    return float(score[y > 0].min() - score[y < 0].max()) / (2.0 * float(np.linalg.norm(w)))


def publish(name: str, title: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Print what every solver did, case by case, and write it beside the findings."""
    RESULTS.mkdir(exist_ok=True)
    write_rows(rows_file(name), rows)
    table = Table(title=title, title_justify="left")
    for heading in rows[0]:
        words = heading in ("case", "who", "note")
        table.add_column(heading, justify="left" if words else "right")
    last = rows[0]["case"]
    for row in rows:
        if row["case"] != last:
            table.add_section()
        last = row["case"]
        table.add_row(*map(shown, row.values()))
    Console(width=180).print(table)


def rows_file(name: str) -> Any:
    return RESULTS / f"{name}_rows.csv"


def read_rows(name: str) -> list[dict[str, str]]:
    """Read back what was published, if anything was."""
    if not rows_file(name).exists():
        return []
    with rows_file(name).open(newline="") as file:
        return list(csv.DictReader(file))


def shown(value: Any) -> str:
    """A number with the digits that mean something; nothing for nothing."""
    if value is None or value == "":
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
