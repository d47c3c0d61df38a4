"""Section 3 on MNIST beside the paper: five seeds, the test error of the last epoch.

What was chosen (schedules, learning rates, dropout) was chosen by `neural_search.py`, on a part of
the training set.
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
"""The power of t with the least error on the validation split; the other is for information."""
WAITS, WAITED = Errors(4), 4 / 320
"""The batch of errors with the least error there, and its learning rate."""
TOGETHER = Row(
    "beta ~ t^0.4, dropout, averages",
    Power(0.1, 0.4),
    epochs=60,
    dropout=(0.1, 0.2),
    average_from=30,
)
"""The dropout and the mean of parameters that had the least error there."""


def run(name: str, chosen: list[Row]) -> list[Line]:
    """Train the rows with every seed; the table, the curves and all epochs are written."""
    seen, held_out = load_examples()
    results: list[Result] = []
    for result in train_all(chosen, SEEDS, seen, held_out, jobs=2):
        results.append(result)
        told = f"{result.row.name}, seed {result.seed}: {result.error:.2f} %"
        print(
            f"{len(results)}/{len(chosen) * len(SEEDS)} {told}, {result.seconds:.0f} s", flush=True
        )
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
                "who": line.row.name,
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
    _in_time(report, lines)
    report.finish()


def figure_2() -> None:
    report, lines = Report("neural_300", "MNIST, 300 hidden neurons"), run("neural_300", rows(300))
    (grown,) = (line for line in lines if line.row.name == CHOSEN)
    report.add(f"{CHOSEN}, test error", grown.error, "%", at_most=1.49)
    _in_time(report, lines)
    report.finish()


def errors() -> None:
    """Batches of errors beside batches of examples, with the hinge loss."""
    report = Report("neural_errors", "MNIST, batches of errors")
    hinge = next(row for row in rows(800) if row.name == "beta = 1")
    waiting = replace(
        hinge, name="beta = 1, batches of errors", paper=None, batch=WAITS, learning_rate=WAITED
    )
    of_examples, of_errors = run("neural_errors", [hinge, waiting])
    share = of_errors.backpropagated / of_examples.backpropagated
    report.add("gradients with batches of errors, as a share", share, "", at_most=1 / 3)
    worse = of_errors.error - of_examples.error
    report.add("test error with batches of errors, above", worse, "%", at_most=of_examples.spread)
    _in_time(report, [of_examples, of_errors])
    report.finish()


def parts() -> None:
    """Dropout and the mean of parameters, still 784-800-10."""
    report = Report("neural_parts", "MNIST, dropout and averages")
    lines = run("neural_parts", [TOGETHER])
    report.add(f"{TOGETHER.name}, test error", lines[0].error, "%", at_most=1.20)
    _in_time(report, lines)
    report.finish()


def _in_time(report: Report, lines: list[Line]) -> None:
    report.add("longest run", max(line.longest for line in lines) / 60.0, "min", at_most=MINUTES)
