"""Soft and hard margins and separability over a grid of shapes, against scikit-learn.

``python -m benchmarks.shapes [part ...] [--quick] [--cell SUBSTRING] [--seed K]``. The parts:

===========  ====================================================================================
soft         soft margins to a certified gap of 1e-3, against the better method of LinearSVC
hard         hard margins of separable data, against SVC(C=1e8) and LinearSVC(C=1e6)
separable    ``is_separable`` on separable data, against Perceptron and LinearSVC
inseparable  ``is_separable`` on noisy data: a proof, in a multiple of LinearSVC's time
threads      one problem in one, two and three threads
startup      import and first fit in a new process
old          cases that were fast before this grid was
===========  ====================================================================================

``--seed`` changes all generated data, so that what was tuned on some can be judged on others. Data
of a cell are generated once. Times are CPU seconds in one thread, the median of three runs or more
after a first one; a run of more than 5 s is not repeated.
"""

import argparse
from collections.abc import Callable
from math import exp, inf, log
from typing import Any

from benchmarks import peers, startup, threads, verdicts
from benchmarks.cells import GRID
from benchmarks.contest import LIMIT, once
from benchmarks.hard_margin import proof
from benchmarks.part import METHODS, OURS, Part, Selection, better, race, seconds_of
from benchmarks.soft_margin import value

GAP = 1e-3
PENALTIES = (0.01, 1.0, 100.0)

SHARE, BRIEF = 0.8, 0.015
"""A soft fit may take LinearSVC's time divided by the share, or this number of seconds."""

NOTED = 0.01
"""The mean speed-up is over the cells in which LinearSVC takes so many seconds."""

MEAN_SPEEDUP = 2.0
LINEAR_SHARE = 5.0
"""A hard fit may take so many times the time of LinearSVC(C=1e6)."""


def soft(selection: Selection) -> None:
    part = Part("soft", "Soft margin against the better LinearSVC", selection)
    gaps, limits, speedups = [0.0], 0, []
    for cell, X, y in part.cells(cell for cell in GRID if cell.soft):
        for C in PENALTIES:
            linear = {name: peers.linear_svc(C=C, dual=dual) for name, dual in METHODS.items()}
            outcomes = race(X, y, peers.max_margin(C=C, tol=GAP), linear)
            ours, (name, theirs) = outcomes[OURS], better(outcomes, METHODS)
            answer, seconds = ours.answer, ours.times.median
            proved, note = proof(answer, "SoftOptimum", X, y)
            gap = answer.certificate.gap if proved else inf
            bar = max(theirs.median / SHARE, BRIEF)
            speedup = theirs.median / ours.at_least.median
            above = value(X, y, outcomes[name], C) / value(X, y, ours, C) - 1.0
            part.add(
                {
                    "case": cell.name,
                    "C": C,
                    "seconds": seconds,
                    "LinearSVC": theirs.median,
                    "which": name,
                    "times faster": speedup,
                    "": "" if seconds <= bar and gap <= GAP else "MISS",
                    "gap": gap,
                    "status": answer.status,
                    "method": answer.method,
                    "passes": answer.passes,
                    "LinearSVC above": above,
                    "note": answer.message or ("" if proved else note),
                }
            )
            case = f"{cell.name}, C={C:g}"
            what = f"{answer.method}; LinearSVC ({name}) {theirs.median:.3g} s, {speedup:.3g} times"
            part.report.add(
                case, seconds, "s", from_minima=ours.times.least, at_most=bar, note=what
            )
            gaps.append(gap)
            limits += answer.status != "GAP_REACHED"
            if theirs.median >= NOTED:
                speedups.append(speedup)
    part.report.add("largest gap", max(gaps), "", at_most=GAP)
    part.report.add("fits that end at a limit", float(limits), "", at_most=0.0)
    if speedups:
        mean = exp(sum(map(log, speedups)) / len(speedups))
        note = f"LinearSVC takes 10 ms or more in {len(speedups)} fits"
        part.report.add("geometric mean", mean, "times faster", at_least=MEAN_SPEEDUP, note=note)
    part.finish()


def hard(selection: Selection) -> None:
    part = Part("hard", "Hard margin against SVC(C=1e8) and LinearSVC(C=1e6)", selection)
    linear = {name: peers.linear_svc(C=1e6, dual=dual) for name, dual in METHODS.items()}
    mine = peers.max_margin(tol=GAP)
    for cell, X, y in part.cells(cell for cell in GRID if cell.kind == "separable"):
        # The peers are stopped once they have taken longer than ours: that decides.
        first = once(mine, X, y).seconds
        limit = min(LIMIT, 2.0 + 2.0 * first)
        outcomes = race(X, y, mine, linear, limit=limit)
        answer, times = outcomes[OURS].answer, outcomes[OURS].times
        proved, note = proof(answer, "Separation", X, y)
        gap = answer.certificate.gap if proved else inf
        svc = min(limit, seconds_of(peers.svc, X, y, limit))
        name, theirs = better(outcomes, METHODS)
        bar = min(svc, LINEAR_SHARE * theirs.median)
        part.add(
            {
                "case": cell.name,
                "seconds": times.median,
                "SVC": svc,
                "LinearSVC": theirs.median,
                "which": name,
                "of the bar": times.median / bar,
                "": "" if times.median <= bar and gap <= GAP else "MISS",
                "gap": gap,
                "status": answer.status,
                "method": answer.method,
                "passes": answer.passes,
                "note": answer.message or ("" if proved else note),
            }
        )
        what = f"{answer.method}; SVC {svc:.3g} s, LinearSVC ({name}) {theirs.median:.3g} s"
        part.report.add(
            f"{cell.name}, time",
            times.median,
            "s",
            from_minima=times.least,
            at_most=bar,
            note=f"{what}; stopped after {limit:.3g} s",
        )
        part.report.add(f"{cell.name}, gap", gap, "", at_most=GAP)
    part.finish()


PARTS: dict[str, Callable[[Selection], Any]] = {
    "soft": soft,
    "hard": hard,
    "separable": verdicts.separable,
    "inseparable": verdicts.inseparable,
    "threads": threads.measure,
    "startup": lambda selection: startup.main(),
    "old": verdicts.old,
}


def main() -> None:
    parser = argparse.ArgumentParser("benchmarks.shapes", description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="part", help=f"among {', '.join(PARTS)}")
    parser.add_argument("--quick", action="store_true", help="a selection of small cells")
    parser.add_argument("--cell", default="", help="only the cells whose name contains this")
    parser.add_argument(
        "--seed", type=int, default=0, help="0, 1, ...: other data of the same kind"
    )
    options = parser.parse_args()
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}; choose among {', '.join(PARTS)}")
    for name in options.parts or PARTS:
        PARTS[name](Selection(options.cell, options.quick, options.seed))


if __name__ == "__main__":
    main()
