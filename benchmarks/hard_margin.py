"""Hard-margin fits and proofs of non-separability, against quadratic and linear solvers.

Every solver runs in its own process and is killed after ``LIMIT`` seconds of CPU time. Its first
run is not counted, unless it took more than ``LONG`` seconds; our times are thus those of a process
that has made a fit before. Where the time of the first fit matters, the note states it.
"""

import time
from collections.abc import Mapping
from math import inf, nan
from typing import Any

import numpy as np

from benchmarks import datasets, peers
from benchmarks.contest import LIMIT, Answer, Outcome, Solver, compete, margin, once, publish
from benchmarks.figures import save
from benchmarks.measure import Report
from novikoff.certificate import CertificateError

OURS = "novikoff"
GAP = 1e-6
LINEAR = "LinearSVC(hinge, C=1e6)"
PEERS: dict[str, Solver] = {
    "SVC": peers.svc,
    "DAQP": peers.quadratic("daqp"),
    LINEAR: peers.linear_svc(loss="hinge", C=1e6),
}
SMALL = {**PEERS, "Clarabel": peers.quadratic("clarabel"), "quadprog": peers.quadratic("quadprog")}
VERDICTS: dict[str, Solver] = {"SVC": peers.svc, "HiGHS LP": peers.highs}

Rows = list[dict[str, Any]]


def contest(
    rows: Rows, case: str, X: Any, y: Any, solvers: Mapping[str, Solver]
) -> dict[str, Outcome]:
    """Time the solvers and append a row for each, with the margin it reached."""
    outcomes = compete(X, y, solvers)
    reached = {
        who: margin(X, y, each.answer.coef)
        for who, each in outcomes.items()
        if np.any(each.answer.coef)  # a missing or zero model has no margin
    }
    best = max(reached.values(), default=0.0)
    for who, each in outcomes.items():
        answer, value = each.answer, reached.get(who)
        share = 100.0 * value / best if value is not None and value > 0.0 else None
        rows.append(
            {
                "case": case,
                "solver": who,
                "seconds": each.times.median,
                "passes": answer.passes,
                "margin": value,
                "% of the best": share,
                "certified gap": getattr(answer.certificate, "gap", None),
                "support": answer.support,
                "note": "; ".join(filter(None, (_kind(answer), answer.message))),
            }
        )
    return outcomes


def _kind(answer: Answer) -> str:
    return "" if answer.certificate is None else type(answer.certificate).__name__


def proof(answer: Answer, kind: str, X: Any, y: Any) -> tuple[bool, str]:
    """Whether the certificate is of this kind and verifies, and a note about it."""
    if _kind(answer) != kind:
        return False, _kind(answer) or answer.message
    started = time.process_time()
    try:
        sentence = answer.certificate.verify(X, y).sentence
    except CertificateError as error:
        return False, f"does not verify: {error}"
    return True, f"{sentence} The check took {time.process_time() - started:.2g} s."


def gap(report: Report, case: str, answer: Answer, at_most: float, X: Any, y: Any) -> None:
    """Report the certified gap of a verified separation."""
    proved, note = proof(answer, "Separation", X, y)
    report.add(
        f"{case}, gap", answer.certificate.gap if proved else inf, "", at_most=at_most, note=note
    )


def race(
    report: Report,
    case: str,
    outcomes: Mapping[str, Outcome],
    who: tuple[str, ...],
    bar: float | None,
) -> None:
    """Report how many times faster we are than the fastest of the peers ``who``."""
    answers = {name: outcomes[name] for name in who if outcomes[name].at_least.median < inf}
    notes = "; ".join(filter(None, (f"{name} {_message_or_time(outcomes[name])}" for name in who)))
    if not answers:
        report.add(case, nan, "times faster", note=notes)
        return
    fastest = min(answers, key=lambda name: answers[name].at_least.median)
    report.faster(case, outcomes[OURS].times, answers[fastest].at_least, bar, notes)


def _message_or_time(outcome: Outcome) -> str:
    return outcome.answer.message or f"{outcome.times.median:.3g} s"


def separable_cases(report: Report, rows: Rows) -> None:
    ours = {OURS: peers.max_margin(tol=GAP)}
    for a, b in ((0, 1), (1, 7), (0, 6)):
        case, (X, y) = f"MNIST {a}-v-{b}", datasets.pixels(a, b)
        outcomes = contest(rows, case, X, y, {**ours, **PEERS})
        gap(report, case, outcomes[OURS].answer, GAP, X, y)
        race(report, f"{case}, against SVC", outcomes, ("SVC",), 10.0)
        race(report, f"{case}, against DAQP", outcomes, ("DAQP",), 5.0)
    for case, (X, y), bar in (
        ("100,000 x 100, margin 0.01", datasets.narrow(margin=0.01), 10.0),
        ("100,000 x 100, without the two nearest", datasets.slab(100_000, 100), None),
    ):
        outcomes = contest(rows, case, X, y, {**ours, **PEERS})
        gap(report, case, outcomes[OURS].answer, GAP, X, y)
        race(report, f"{case}, against the better peer", outcomes, ("DAQP", "SVC"), bar)
    case, (X, y) = "200 x 2,000", datasets.profiles()
    outcomes = contest(rows, case, X, y, {**ours, **PEERS})
    gap(report, case, outcomes[OURS].answer, GAP, X, y)
    race(report, f"{case}, against SVC", outcomes, ("SVC",), 2.0)
    for standardised, bar in ((False, 0.2), (True, None)):
        case = f"breast cancer, {'standardised' if standardised else 'raw'}"
        X, y = datasets.breast_cancer(standardised=standardised)
        outcome = contest(rows, case, X, y, {**ours, **SMALL})[OURS]
        gap(report, case, outcome.answer, GAP, X, y)
        seconds(report, case, outcome, bar)


def seconds(report: Report, case: str, outcome: Outcome, bar: float | None, note: str = "") -> None:
    """Report the time in seconds."""
    times = outcome.times
    note = f"after a first fit in the process, which took {outcome.cold:.2g} s. {note}".rstrip()
    least = times.least
    report.add(f"{case}, time", times.median, "s", from_minima=least, at_most=bar, note=note)


def inseparable_cases(report: Report, rows: Rows) -> None:
    solvers = {OURS: peers.separable, **VERDICTS}
    cases = {
        "MNIST 4-v-9": (datasets.pixels(4, 9), 5.0),
        "MNIST 3-v-5": (datasets.pixels(3, 5), 5.0),
        "XOR, 4 points": (datasets.xor(), 0.1),
        "two clouds, 2,000 x 2": (datasets.clouds(), 0.1),
    }
    for case, ((X, y), bar) in cases.items():
        outcome = contest(rows, case, X, y, solvers)[OURS]
        proved, note = proof(outcome.answer, "NonSeparation", X, y)
        if not proved:
            report.add(f"{case}, proved not separable", inf, "s", at_most=bar, note=note)
            continue
        seconds(report, f"{case}, proved not separable", outcome, bar, note)


def sparse_cases(report: Report, rows: Rows) -> None:
    bars = {1e-2: 1.0, 1e-4: 10.0}
    solvers = {f"{OURS} to {tol:g}": peers.max_margin(tol=tol) for tol in bars}
    cases = {
        "CSR 50,000 x 100,000, like text": datasets.text(words=100_000),
        "CSR 50,000 x 100,000, scattered": datasets.scattered(),
    }
    for case, (X, y) in cases.items():
        outcomes = contest(
            rows, case, X, y, {**solvers, LINEAR: PEERS[LINEAR], "SVC": PEERS["SVC"]}
        )
        theirs = outcomes[LINEAR].times
        for tol, bar in bars.items():
            outcome = outcomes[f"{OURS} to {tol:g}"]
            gap(report, f"{case}, to {tol:g}", outcome.answer, tol, X, y)
            report.add(
                f"{case}, to {tol:g}, time over LinearSVC's",
                outcome.times.median / theirs.median,
                "times",
                from_minima=outcome.times.least / theirs.least,
                at_most=bar,
                note=f"{outcome.times.median:.3g} s against {theirs.median:.3g} s",
            )


def draw(rows: Rows) -> None:
    """Draw every solver's time in every case; hollow if it gave no answer or a wrong one."""

    def answered(row: dict[str, Any]) -> bool:
        right = row["% of the best"] is not None or "Separation" in row["note"]
        return right or row["note"] == peers.INFEASIBLE

    cases = list(dict.fromkeys(row["case"] for row in rows))
    solvers = list(dict.fromkeys(row["solver"] for row in rows))
    with save("hard_margin", height=1.0 + 0.45 * len(cases)) as axes:
        for k, name in enumerate(solvers):
            own_rows = [row for row in rows if row["solver"] == name]
            colour = f"C{k}"
            for done, face in ((True, colour), (False, "none")):
                shown = [row for row in own_rows if answered(row) == done]
                axes.scatter(
                    [min(row["seconds"], LIMIT) for row in shown],
                    [cases.index(row["case"]) for row in shown],
                    marker="D" if name.startswith(OURS) else "o",
                    edgecolors=colour,
                    facecolors=face,
                    label=name if done else None,
                )
        axes.set(xscale="log", xlabel=f"seconds; hollow: no correct answer (limit {LIMIT:.0f} s)")
        axes.set_yticks(range(len(cases)), cases)
        axes.invert_yaxis()
        axes.figure.legend(loc="outside upper center", ncols=4, fontsize="small")


def compile_kernels() -> None:
    """Compile what is not yet cached, so that no first run includes compilation."""
    sets = (
        datasets.breast_cancer(standardised=False),
        datasets.xor(),
        datasets.clouds(),
        datasets.text(200, words=1000),
    )
    for X, y in sets:
        for solver in (peers.max_margin(tol=GAP), peers.separable):
            once(solver, X, y, limit=600.0)


def main() -> None:
    report, rows = Report("hard_margin", "Hard margin and separability"), []
    compile_kernels()
    separable_cases(report, rows)
    inseparable_cases(report, rows)
    sparse_cases(report, rows)
    publish("hard_margin", "Hard margin: results of every solver", rows)
    report.finish()
    draw(rows)


if __name__ == "__main__":
    main()
