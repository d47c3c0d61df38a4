"""Schedules, learning rates and batches, chosen on a validation split of MNIST's training set.

The last 10,000 training examples are held out; the test set is not looked at.
"""

import sys
from dataclasses import replace
from statistics import mean

from benchmarks.contest import publish
from novikoff.neural import Constant, Errors, Power
from novikoff.neural.mnist import Examples, Row, load_examples, train_all

EPOCHS = 30
SEEDS = (0,)

RATES = (0.05, 0.1, 0.2)
RATE = 0.1
"""What was best among the rates, with the hinge loss."""

POWERS = ((0.1, 0.4), (0.03, 0.6), (0.01, 0.75), (0.03, 0.75), (0.003, 0.9))


def rates() -> list[Row]:
    """The learning rate, by the hinge loss."""
    return [Row("rate", Constant(1.0), learning_rate=rate, epochs=EPOCHS) for rate in RATES[:2]]


def powers() -> list[Row]:
    """The schedule, and cross-entropy beside it."""
    schedules = [*(Power(*power) for power in POWERS), None]
    return [Row("schedule", each, learning_rate=RATE, epochs=EPOCHS) for each in schedules]


def slow_powers() -> list[Row]:
    """The same with smaller steps, and longer: a large beta makes all steps larger."""
    rate, epochs = RATES[0], 40
    return [
        Row("schedule", Power(*power), learning_rate=rate, epochs=epochs)
        for power in ((0.01, 0.75), (0.03, 0.75), (0.003, 0.9), (0.1, 0.4))
    ]


def fast_powers() -> list[Row]:
    """The same with larger steps."""
    schedules = (Constant(1.0), Power(0.3, 0.25), Power(0.1, 0.4), Power(0.03, 0.6))
    return [Row("schedule", each, learning_rate=RATES[2], epochs=EPOCHS) for each in schedules]


def errors() -> list[Row]:
    """How many errors a batch waits for, and how far it then steps.

    The mean over errors is longer than that over all examples, so that steps should be shorter.
    """
    base = Row("errors", Constant(1.0), epochs=80)
    return [
        replace(base, batch=Errors(32), learning_rate=0.02),
        replace(base, batch=Errors(8), learning_rate=0.02),
        replace(base, batch=Errors(32), learning_rate=0.05),
        replace(base, batch=Errors(8), learning_rate=0.005),
    ]


def parts() -> list[Row]:
    """Dropout, averages and batches of errors together."""
    base = Row("parts", Constant(1.0), learning_rate=RATE, epochs=60, average_from=30)
    return [
        replace(base, dropout=(0.2, 0.5)),
        replace(base, dropout=(0.2, 0.5), schedule=Power(0.1, 0.4)),
        replace(base, dropout=(0.2, 0.3)),
        replace(base, dropout=(0.2, 0.5), schedule=Power(0.1, 0.4), batch=Errors(32)),
    ]


def split() -> tuple[Examples, Examples]:
    (inputs, targets), _ = load_examples()
    return (inputs[:50_000], targets[:50_000]), (inputs[50_000:], targets[50_000:])


def main() -> None:
    groups = {
        "rates": rates(),
        "powers": powers(),
        "slow": slow_powers(),
        "fast": fast_powers(),
        "errors": errors(),
        "parts": parts(),
    }
    chosen = [row for name in sys.argv[1:] or groups for row in groups[name]]
    found: dict[Row, list[float]] = {}
    gradients: dict[Row, int] = {}
    for result in train_all(chosen, SEEDS, *split(), jobs=2):
        found.setdefault(result.row, []).append(result.error)
        gradients[result.row] = result.backpropagated
        print(f"{result.error:.2f} %  {result.seconds:.0f} s  {result.row}", flush=True)
    table = [
        {
            "case": row.name,
            "schedule": "cross-entropy" if row.schedule is None else str(row.schedule),
            "learning rate": row.learning_rate,
            "batch": str(row.batch),
            "dropout": str(row.dropout),
            "epochs": row.epochs,
            "gradients": f"{gradients[row]:,}",
            "validation error %": mean(found[row]),
        }
        for row in sorted(found, key=lambda row: mean(found[row]))
    ]
    publish("neural_search", "Networks on a validation split of MNIST", table)


if __name__ == "__main__":
    main()
