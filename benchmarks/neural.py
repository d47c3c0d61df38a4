"""Section 3 on MNIST, compared with the paper: test error after the last epoch, five seeds.

Schedules, learning rates, batches of errors and dropout were chosen by `neural_search.py`, on a
validation split of the training set.
"""

from dataclasses import replace
from math import hypot

from benchmarks.contest import publish
from benchmarks.measure import RESULTS, Report
from novikoff.neural import Errors, Power
from novikoff.reproduce.mnist import Result, Row, load_examples, rows, train_all
from novikoff.reproduce.mnist_report import Line, draw, summarised, write

SEEDS = range(5)
MINUTES = 15.0
CHOSEN = "beta ~ t^0.4"
"""The power of t with the smallest validation error; the other power is for information."""
ERRORS, ERRORS_LEARNING_RATE = Errors(4), 4 / 320
"""The batch of errors with the smallest validation error, and its learning rate."""
DROPOUT = Row(
    "beta ~ t^0.4, dropout, averages",
    Power(0.1, 0.4),
    epochs=60,
    dropout=(0.1, 0.2),
    average_from=30,
)
"""The dropout, with averaged parameters, that had the smallest validation error."""


def run(name: str, chosen: list[Row]) -> list[Line]:
    """Train the rows with every seed; write the table, the curves and all epochs."""
    seen, held_out = load_examples()
    results: list[Result] = []
    for result in train_all(chosen, SEEDS, seen, held_out, jobs=2):
        results.append(result)
        done = f"{len(results)}/{len(chosen) * len(SEEDS)}"
        outcome = f"seed {result.seed}: {result.error:.2f} %, {result.seconds:.0f} s"
        print(f"{done} {result.row.name}, {outcome}", flush=True)
    results.sort(key=lambda result: (chosen.index(result.row), result.seed))
    write(results, RESULTS / name)
    draw(results, RESULTS / name)
    lines = summarised(results)
    publish(
        name,
        f"MNIST, {len(SEEDS)} seeds",
        [
            {
                "case": f"{line.row.hidden} hidden",
                "method": line.row.name,
                "test error %": f"{line.error:.3f} ± {line.spread:.3f}",
                "best and worst seed": f"{line.best_seed:.2f}, {line.worst_seed:.2f}",
                "paper %": line.row.paper,
                "gradients": f"{line.backpropagated:,.0f}",
                "seconds a run": line.seconds,
            }
            for line in lines
        ],
    )
    return lines


def figure_1() -> None:
    report, lines = Report("neural_800", "MNIST, 800 hidden neurons"), run("neural_800", rows(800))
    named = {line.row.name: line for line in lines}
    grown, cross = named[CHOSEN], named["cross-entropy"]
    report.add("beta = 1, test error", named["beta = 1"].error, "%", at_most=1.50)
    report.add(f"{CHOSEN}, test error", grown.error, "%", at_most=1.35)
    report.add("cross-entropy, test error", cross.error, "%")
    gain, spread = cross.error - grown.error, hypot(grown.spread, cross.spread)
    report.add("beta loss better than cross-entropy by", gain, "%", at_least=spread)
    _add_longest_run(report, lines)
    report.finish()


def figure_2() -> None:
    report, lines = Report("neural_300", "MNIST, 300 hidden neurons"), run("neural_300", rows(300))
    (grown,) = (line for line in lines if line.row.name == CHOSEN)
    report.add(f"{CHOSEN}, test error", grown.error, "%", at_most=1.49)
    _add_longest_run(report, lines)
    report.finish()


def errors() -> None:
    """Batches of errors against batches of examples, with the hinge loss."""
    report = Report("neural_errors", "MNIST, batches of errors")
    hinge = next(row for row in rows(800) if row.name == "beta = 1")
    by_errors = replace(
        hinge,
        name="beta = 1, batches of errors",
        paper=None,
        batch=ERRORS,
        learning_rate=ERRORS_LEARNING_RATE,
    )
    of_examples, of_errors = run("neural_errors", [hinge, by_errors])
    share = of_errors.backpropagated / of_examples.backpropagated
    report.add("gradients with batches of errors, as a share", share, "", at_most=1 / 3)
    worse = of_errors.error - of_examples.error
    report.add("test error with batches of errors, above", worse, "%", at_most=of_examples.spread)
    _add_longest_run(report, [of_examples, of_errors])
    report.finish()


def parts() -> None:
    """Dropout and averaged parameters, for the same 784-800-10 network."""
    report = Report("neural_parts", "MNIST, dropout and averaged parameters")
    lines = run("neural_parts", [DROPOUT])
    report.add(f"{DROPOUT.name}, test error", lines[0].error, "%", at_most=1.20)
    _add_longest_run(report, lines)
    report.finish()


def _add_longest_run(report: Report, lines: list[Line]) -> None:
    report.add("longest run", max(line.longest for line in lines) / 60.0, "min", at_most=MINUTES)
