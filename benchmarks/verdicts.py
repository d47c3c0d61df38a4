"""The parts of the benchmark ``shapes`` that time ``is_separable``."""

from functools import cache
from math import inf
from typing import Any

import numpy as np

from benchmarks import datasets, peers
from benchmarks.cells import GRID
from benchmarks.contest import LIMIT, Answer, Run, Solver, once
from benchmarks.hard_margin import proof
from benchmarks.part import METHODS, OURS, Part, Selection, better, race, seconds_of
from novikoff.certificate import Certificate

TIMES = 3.0
"""A verdict may take so many times the time of a peer."""

BRIEF = 0.02
"""On separable data a verdict may take so many seconds in any case."""

PENALTIES = (0.1, 1.0, 10.0, 100.0)
PERCEPTRON = "Perceptron"

BEFORE = {
    "MNIST 4-v-9, verdict": 1.48,
    "MNIST 3-v-5, verdict": 0.963,
    "XOR, 4 points, verdict": 0.00405,
    "two clouds, 2,000 x 2, verdict": 0.00844,
    "breast cancer raw, hard margin": 0.0126,
}
"""Seconds in RESULTS.md before the grid was made, on an idle machine: for information."""


def kind_of(answer: Answer) -> str:
    return type(answer.certificate).__name__ if answer.certificate is not None else answer.message


def separable(selection: Selection) -> None:
    part = Part("separable", "is_separable on separable data", selection)
    for cell, X, y in part.cells(cell for cell in GRID if cell.kind == "separable"):
        # The peers are stopped once they have taken longer than ours: that decides.
        limit = min(LIMIT, 2.0 + 2.0 * once(peers.separable, X, y).seconds)
        rivals = {**_perceptron(X, y, limit), **_linear_svc(X, y, limit)}
        outcomes = race(X, y, peers.separable, rivals, limit=limit)
        times, answer = outcomes[OURS].times, outcomes[OURS].answer
        proved, note = proof(answer, "Separation", X, y)
        name, theirs = better(outcomes, rivals)
        bar = max(TIMES * theirs.median, BRIEF) if name else inf
        seconds = times.median if proved else inf
        part.add(
            {
                "case": cell.name,
                "seconds": times.median,
                **{who: _seconds(outcomes, who) for who in (PERCEPTRON, "LinearSVC")},
                "which": name,
                "of the bar": times.median / bar,
                "": "" if seconds <= bar else "MISS",
                "verdict": kind_of(answer),
                "note": "" if proved else note,
            }
        )
        what = f"{name} {theirs.median:.3g} s" if name else f"no peer separates in {limit:.3g} s"
        part.report.add(cell.name, seconds, "s", from_minima=times.least, at_most=bar, note=what)
    part.finish()


def _seconds(outcomes: Any, who: str) -> float | None:
    """The time of the peer whose name starts so; None if it did not separate the examples."""
    return next(
        (each.times.median for name, each in outcomes.items() if name.startswith(who)), None
    )


def _perceptron(X: Any, y: Any, limit: float) -> dict[str, Solver]:
    """The perceptron with the least power of two of epochs that leaves no mistake."""
    epochs, spent = 1, 0.0
    while spent < limit:
        run = once(peers.perceptron(epochs), X, y, limit)
        if run.answer.coef is not None:
            return {f"{PERCEPTRON}, {epochs} epochs": peers.perceptron(epochs)}
        spent += run.seconds
        epochs *= 2
    return {}


def _linear_svc(X: Any, y: Any, limit: float) -> dict[str, Solver]:
    """LinearSVC with the least C that separates the examples, by the faster method."""
    for C in PENALTIES:
        runs: dict[str, Run] = {
            name: once(peers.separating_svc(C=C, dual=dual), X, y, limit)
            for name, dual in METHODS.items()
        }
        right = {name: run for name, run in runs.items() if run.answer.coef is not None}
        if right:
            name = min(right, key=lambda name: right[name].seconds)
            solver = peers.separating_svc(C=C, dual=METHODS[name])
            return {f"LinearSVC, {name}, C={C:g}": solver}
    return {}


def inseparable(selection: Selection) -> None:
    part = Part("inseparable", "is_separable on noisy data: a proof", selection)
    linear = {name: peers.linear_svc(C=1.0, dual=dual) for name, dual in METHODS.items()}
    for cell, X, y in part.cells(cell for cell in GRID if cell.kind == "noisy"):
        outcomes = race(X, y, peers.separable, linear)
        times, answer = outcomes[OURS].times, outcomes[OURS].answer
        name, theirs = better(outcomes, METHODS)
        inverse = inverse_seconds(X.shape[1])
        bar = TIMES * (theirs.median + inverse)
        check = _verification(answer.certificate, X, y)
        proved = kind_of(answer) == "NonSeparation" and check < inf
        seconds = times.median if proved else inf
        part.add(
            {
                "case": cell.name,
                "seconds": times.median,
                "LinearSVC": theirs.median,
                "which": name,
                "inverse": inverse,
                "of the bar": times.median / bar,
                "": "" if seconds <= bar and check <= times.median else "MISS",
                "verify": check,
                "verdict": kind_of(answer),
            }
        )
        what = f"LinearSVC ({name}) {theirs.median:.3g} s, inverse {inverse:.3g} s"
        if not proved:
            what += f"; {kind_of(answer)} after {times.median:.3g} s"
        part.report.add(
            f"{cell.name}, proof", seconds, "s", from_minima=times.least, at_most=bar, note=what
        )
        if proved:
            part.report.add(f"{cell.name}, check", check, "s", at_most=times.median)
    part.finish()


@cache
def inverse_seconds(d: int) -> float:
    """The time of inverting a random matrix of ``d`` rows."""
    matrix = np.random.default_rng(0).standard_normal((d, d))

    def invert(X: Any, y: Any) -> Answer:
        np.linalg.inv(X)
        return Answer()

    return seconds_of(invert, matrix, None)


def _verification(certificate: Certificate | None, X: Any, y: Any) -> float:
    """Seconds of the check; infinite if there is nothing to check, or it fails."""
    if certificate is None:
        return inf

    def verify(X: Any, y: Any) -> Answer:
        return Answer(message=certificate.verify(X, y).sentence)

    return seconds_of(verify, X, y)


def old(selection: Selection) -> None:
    """The cases that were fast before: their times, for information."""
    part = Part("old", "Cases that were fast before", selection)
    hard = peers.max_margin(tol=1e-6)
    cases: dict[str, tuple[datasets.Labelled, Solver]] = {
        "MNIST 4-v-9, verdict": (datasets.pixels(4, 9), peers.separable),
        "MNIST 3-v-5, verdict": (datasets.pixels(3, 5), peers.separable),
        "XOR, 4 points, verdict": (datasets.xor(), peers.separable),
        "two clouds, 2,000 x 2, verdict": (datasets.clouds(), peers.separable),
        "breast cancer raw, hard margin": (datasets.breast_cancer(standardised=False), hard),
    }
    for case, ((X, y), solver) in cases.items():
        if selection.substring.lower() not in case.lower():
            continue
        outcome = race(X, y, solver, {})[OURS]
        times, verdict = outcome.times, kind_of(outcome.answer)
        part.add({"case": case, "seconds": times.median, "before": BEFORE[case], "note": verdict})
        note = f"{verdict}; {BEFORE[case]:.3g} s before"
        part.report.add(case, times.median, "s", from_minima=times.least, note=note)
    part.finish()
