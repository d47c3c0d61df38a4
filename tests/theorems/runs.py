"""Runs of a rule to its end, counted.

A theorem about a finished run says nothing of a run that was cut short. Such a run is *undecided*:
it neither passes nor fails, and a test of which fewer than 80 % of the runs were decided fails.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from novikoff import rules
from novikoff.certificate import Status
from novikoff.compiled.step import THRESHOLD, UPDATES
from novikoff.run import Clock, Limits, Run, run
from novikoff.sample import Memory, Sample
from tests.theorems.problems import Problem, orders

DECIDED = (Status.CONVERGED, Status.GAP_REACHED)
ENOUGH = 0.8


@dataclass
class Tally:
    """How many runs of a test ended by themselves, and how many did not."""

    decided: int = 0
    undecided: int = 0

    def count(self, decided: bool) -> bool:
        self.decided += decided
        self.undecided += not decided
        return decided

    def check(self) -> None:
        total = self.decided + self.undecided
        assert total > 0, "the test ran nothing"
        assert self.decided >= ENOUGH * total, f"only {self.decided} of {total} runs were decided"


_tallies: list[Tally] = []


def mostly_decided(test: Callable[..., None]) -> Callable[..., None]:
    """Fail a test of which fewer than 80 % of the runs were decided; goes above ``@given``."""

    @functools.wraps(test)
    def tallied(*args: Any, **kwargs: Any) -> None:
        _tallies.append(Tally())
        try:
            test(*args, **kwargs)
            _tallies[-1].check()
        finally:
            _tallies.pop()

    return tallied


def count(decided: bool) -> bool:
    """Count something other than a run; returns its argument."""
    return _tallies[-1].count(decided)


def settle(
    sample: Sample, rule: rules.Rule, *, max_updates: int = 200_000, compress: bool = False
) -> Run | None:
    """Run a rule to its end and count it; ``None`` for an undecided run."""
    limits = Limits(max_iter=max_updates, max_updates=max_updates)
    finished = run(sample, rule, clock=Clock(limits), compress=compress)
    return finished if count(finished.status in DECIDED) else None


def settle_in_order(problem: Problem, rule: rules.Rule, seed: int) -> Run | None:
    """Run a rule to its end in an order drawn by the seed; ``None`` for an undecided run."""
    return settle(problem.sample(order=orders(len(problem.y), seed)), rule)


def settled_weights(finished: Run) -> np.ndarray:
    """The weights of the iterate that a finished run is judged by."""
    if finished.status is Status.GAP_REACHED:
        assert finished.best is not None
        return finished.best
    return finished.weights


PICKS: dict[str, Callable[[np.ndarray, np.random.Generator], int]] = {
    "first": lambda margins, rng: 0,
    "last": lambda margins, rng: len(margins) - 1,
    "worst": lambda margins, rng: int(np.argmin(margins)),
    "least wrong": lambda margins, rng: int(np.argmax(margins)),
    "random": lambda margins, rng: int(rng.integers(len(margins))),
}


def choose(sample: Sample, rule: rules.Rule, pick: str, *, seed=0, watch=None, most=3000):
    """Update on a violated example of one's own choice until there is none; ``None`` if undecided.

    ``watch(memory, i)`` is called after each update.
    """
    rng = np.random.default_rng(seed)
    specification = rule.specification(sample.lifted_radius)
    memory: Memory = sample.memory(specification)
    for _ in range(most):
        margins = sample.margins(sample.order, memory)
        violated = np.flatnonzero(margins <= memory.state[THRESHOLD])
        if violated.size == 0:
            count(True)
            return memory
        position = violated[PICKS[pick](margins[violated], rng)]
        i = int(sample.order[position])
        updates = memory.state[UPDATES]
        sample.sweep(np.array([i]), specification, memory)
        assert memory.state[UPDATES] == updates + 1
        if watch is not None:
            watch(memory, i)
    count(False)
    return None
