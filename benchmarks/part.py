"""What the parts of the benchmark ``shapes`` share: their cells, their races, their tables."""

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from benchmarks.cells import Cell, select
from benchmarks.contest import (
    BRIEF,
    LIMIT,
    ROUNDS,
    Contestant,
    Outcome,
    Run,
    Solver,
    format_value,
    outcome,
    rows_file,
)
from benchmarks.measure import RESULTS, Report, Times, write_rows
from novikoff import MaxMargin, is_separable

OURS = "novikoff"
METHODS = {"primal": False, "dual": True}

LONG = 5.0
"""A run that takes more seconds is not repeated."""

MOST = 20.0
"""A peer is stopped when it has taken so many times our time: that is enough to know."""

CLOSE = 1.5
"""A peer runs again if its first run took at most so many times the fastest one's."""

BRIEF_ROUNDS = 7
"""Runs of a solver that takes less than 0.1 s."""


@dataclass(frozen=True)
class Selection:
    """Which cells to measure, with which data."""

    substring: str = ""
    quick: bool = False
    seed: int = 0

    @property
    def is_all(self) -> bool:
        return self == Selection()


class Part:
    """One part of the benchmark: it collects a row for each race, and prints it at once."""

    def __init__(self, name: str, title: str, selection: Selection) -> None:
        # A selection does not overwrite the results of all cells.
        self.name = f"shapes_{name}" + ("" if selection.is_all else "_selection")
        self.title, self.selection = title, selection
        self.report = Report(self.name, title)
        self.rows: list[dict[str, Any]] = []

    def cells(self, grid: Iterable[Cell]) -> Iterator[tuple[Cell, Any, Any]]:
        """Generate the data of each selected cell, once what is compiled for it is in the cache."""
        chosen = self.selection
        for cell in select(grid, chosen.substring, chosen.quick):
            X, y = cell.data(chosen.seed)
            compile_for(X)
            yield cell, X, y

    def add(self, row: dict[str, Any]) -> None:
        """Print a row, and write all rows so far to the CSV file."""
        if not self.rows:
            print(self.title)
            print("  ".join(name if name == "case" else f"{name:>12}" for name in row))
        self.rows.append(row)
        case, *values = map(format_value, row.values())
        print(case)
        print("    ", "  ".join(f"{value:>12}" for value in values), flush=True)
        RESULTS.mkdir(exist_ok=True)
        write_rows(rows_file(self.name), self.rows)

    def finish(self) -> None:
        if not self.rows:
            print(f"{self.title}: no such cell")
            return
        self.report.finish()


def race(
    X: Any, y: Any, ours: Solver, peers: Mapping[str, Solver], *, limit: float = LIMIT
) -> dict[str, Outcome]:
    """Time our solver and the faster of its peers alternately, after a first run of each.

    A peer is stopped when it takes much longer than ours or than the fastest peer before it, and
    only those that may be the fastest run again. Each has three runs, and more if they are brief.
    """
    solvers = {OURS: ours, **peers}
    contestants = {who: Contestant(solver, X, y, limit) for who, solver in solvers.items()}
    try:
        runs = {OURS: [contestants[OURS].run()]}
        fastest, longest = inf, 2.0 + MOST * runs[OURS][0].seconds
        for who in peers:
            contestants[who].limit = min(limit, longest, 1.0 + 2.0 * fastest)
            runs[who] = [contestants[who].run()]
            fastest = min(fastest, runs[who][0].seconds)
        for _ in range(BRIEF_ROUNDS):
            for who, done in runs.items():
                if (who == OURS or done[0].seconds <= CLOSE * fastest) and _wanting(done):
                    done.append(contestants[who].run())
    finally:
        for contestant in contestants.values():
            contestant.close()
    return {who: outcome(done, contestants[who].limit) for who, done in runs.items()}


def _wanting(done: Sequence[Run]) -> bool:
    """Whether a solver should run again, having done these runs, of which the first is cold."""
    last = done[-1].seconds
    return last < LONG and (len(done) <= ROUNDS or last < BRIEF)


def seconds_of(solver: Solver, X: Any, y: Any, limit: float = LIMIT) -> float:
    """The median CPU time of one solver."""
    return race(X, y, solver, {}, limit=limit)[OURS].times.median


def better(outcomes: Mapping[str, Outcome], names: Iterable[str]) -> tuple[str, Times]:
    """The fastest of the named peers, and its times; infinite if none ended."""
    ended = {name: outcomes[name].at_least for name in names if name in outcomes}
    if not ended:
        return "", Times((inf,))
    fastest = min(ended, key=lambda name: ended[name].median)
    return fastest, ended[fastest]


_compiled: set[tuple[str, bool]] = set()


def compile_for(X: Any) -> None:
    """Run every solver on a few examples of this type, once for each type.

    The processes that are timed inherit the compiled code, so that even their first run, the only
    one of long runs, includes neither compiling nor loading it.
    """
    dtype, sparse = str(X.dtype), sp.issparse(X)
    if (dtype, sparse) in _compiled:
        return
    _compiled.add((dtype, sparse))
    rng = np.random.default_rng(0)
    # Many examples, few, and sparse ones with many features go to different solvers.
    for n, d in ((600, 5), (60, 30), *(((3100, 3100),) if sparse else ())):
        X = rng.integers(0, 9, (n, d)) * (rng.random((n, d)) < min(1.0, 30 / d))
        examples = sp.csr_matrix(X, dtype=dtype) if sparse else X.astype(dtype)
        for noise in (0.2,) if d > 1000 else (0.0, 0.2):
            y = np.where(X[:, 0] > 2, 1, -1) * np.where(rng.random(n) < noise, -1, 1)
            with warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
                MaxMargin(C=1.0, max_iter=5).fit(examples, y)
                MaxMargin(max_iter=5).fit(examples, y)
            is_separable(examples, y, max_iter=5).verify(examples, y)
