"""Choose schedules, learning rates and batches on a validation split of MNIST's training set.

The last 10,000 training examples are held out; the test set is not used.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from statistics import mean, pstdev

from benchmarks.contest import publish
from novikoff.neural import Constant, Errors, Power
from novikoff.reproduce.mnist import Examples, Row, load_examples, train_all


def powers() -> list[Row]:
    """Schedules and learning rates, with the hinge loss and cross-entropy for comparison."""
    base = Row("powers", None, epochs=40)
    return [
        replace(base, schedule=Power(0.1, 0.4)),
        replace(base, schedule=Power(0.03, 0.6)),
        replace(base, schedule=Power(0.3, 0.25)),
        replace(base, schedule=Power(0.003, 0.9), learning_rate=0.05),
        replace(base, schedule=Power(0.3, 0.25), learning_rate=0.2),
        replace(base, schedule=Power(0.1, 0.4), learning_rate=0.2),
        replace(base, schedule=Power(0.003, 0.9)),
        replace(base, schedule=Constant(1.0)),
        base,
    ]


def finalists() -> list[Row]:
    """The best rows of :func:`powers`, for more seeds."""
    chosen = [row for row in powers() if row.schedule in (Power(0.1, 0.4), Power(0.3, 0.25))]
    return [replace(row, name="finalists") for row in chosen if row.learning_rate == 0.1]


def errors() -> list[Row]:
    """The number of errors in a batch, and the learning rate.

    A batch of 32 examples at the rate 0.1 takes a step of 0.1/32 for each error in it;
    ``learning_rate = count/320`` takes the same step for each error. With a small count the
    parameters change after few errors, as with batches of examples late in training.
    """
    base = Row("errors", Constant(1.0), epochs=40)
    return [
        replace(base, batch=Errors(4), learning_rate=4 / 320),
        replace(base, batch=Errors(8), learning_rate=8 / 320),
        replace(base, batch=Errors(16), learning_rate=16 / 320),
        replace(base, batch=Errors(8), learning_rate=4 / 320),
    ]


def parts() -> list[Row]:
    """Dropout and averaged parameters with the best schedule."""
    base = Row("parts", Power(0.1, 0.4), epochs=60, average_from=30)
    return [
        replace(base, dropout=(0.2, 0.5), schedule=Constant(1.0)),
        replace(base, dropout=(0.2, 0.5)),
        replace(base, dropout=(0.2, 0.5), learning_rate=0.3),
        replace(base, dropout=(0.2, 0.2)),
        replace(base, dropout=(0.2, 0.2), learning_rate=0.05),
        replace(base, dropout=(0.4, 0.2)),
        replace(base, dropout=(0.2, 0.3)),
        replace(base, dropout=(0.1, 0.2)),
    ]


def split() -> tuple[Examples, Examples]:
    (inputs, targets), _ = load_examples()
    return (inputs[:50_000], targets[:50_000]), (inputs[50_000:], targets[50_000:])


def main() -> None:
    groups = {"powers": powers, "finalists": finalists, "errors": errors, "parts": parts}
    for name in sys.argv[1:] or groups:
        search(name, groups[name](), seeds=(1, 2, 3) if name == "finalists" else (0,))


def search(name: str, chosen: list[Row], seeds: Sequence[int]) -> None:
    """Train each row with every seed, and publish the rows sorted by mean validation error."""
    found: dict[Row, list[float]] = {}
    gradients: dict[Row, int] = {}
    for result in train_all(chosen, seeds, *split(), jobs=2):
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
            "validation error %": f"{mean(found[row]):.2f} ± {pstdev(found[row]):.2f}",
        }
        for row in sorted(found, key=lambda row: mean(found[row]))
    ]
    publish(f"neural_search_{name}", f"Validation split of MNIST: {name}", table)


if __name__ == "__main__":
    main()
