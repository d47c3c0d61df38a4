"""Time of one sweep when few examples are violated, in units of ``X @ w`` on the same array."""

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np

from benchmarks import datasets
from benchmarks.measure import Report, in_turn
from novikoff import Perceptron
from novikoff.rules import Classic, Rule, ScaleFree
from novikoff.run import Clock, Limits, run
from novikoff.run.search import NEARNESS
from novikoff.sample import Memory, Sample, storage_of, visit_order


def sample_of(X: Any, y: Any) -> Sample:
    """The signed examples in the default order."""
    storage = storage_of(X)
    order = visit_order(X.shape[0], storage.nbytes, np.random.RandomState(0))
    return Sample.of(storage, np.where(y > 0, 1, -1).astype(np.int8), order=order)


def late(sample: Sample, rule: Rule) -> tuple[Memory, int]:
    """The memory of a run after 60 epochs, and the number of updates in one more pass."""
    finished = run(sample, rule, clock=Clock(Limits(max_iter=60)))
    memory = deepcopy(finished.memory)
    before = finished.n_updates
    sweeping(sample, rule, memory)()
    return finished.memory, int(memory.state[0]) - before


def sweeping(sample: Sample, rule: Rule, memory: Memory) -> Callable[[], object]:
    """One full pass over the examples, as in the training loop but without its other work."""
    specification = rule.specification(sample.lifted_radius)

    def work() -> None:
        for chunk in sample.chunks(sample.order):
            sample.sweep(chunk, specification, memory, nearness=NEARNESS)

    return work


def measure(report: Report, case: str, X: Any, y: Any, bar: float, rule: Rule, unit: Any) -> None:
    sample = sample_of(X, y)
    memory, updates = late(sample, rule)
    w = memory.w.astype(unit.dtype)
    # The timed sweeps continue the run, so the number of violated examples stays small.
    sides = {"sweep": sweeping(sample, rule, memory), "pass": lambda: unit @ w}
    times = in_turn(sides, rounds=15, warm=3)
    share = f"{updates} of {X.shape[0]} violated in the first sweep"
    report.passes(case, times["sweep"], times["pass"], bar, share)


def main() -> None:
    report = Report("sweeps", "One sweep, few violated examples; unit: X @ w on the same array")
    X, y = datasets.narrow()
    for dtype, bar in (("float64", 1.2), ("float32", 1.4)):
        part = X.astype(dtype)
        measure(report, f"100,000 x 100 {dtype}", part, y, bar, ScaleFree(), part)
    # After rounding to uint8, the same hyperplane nearly separates the examples.
    grid = np.rint((X + 1.0) * 127.5).astype(np.uint8)
    single = grid.astype(np.float32)
    measure(report, "100,000 x 100 uint8 / float32 pass", grid, y, 1.0, Classic(), single)
    digits = datasets.even_odd("uint8")
    # Even against odd is not separable: many examples stay violated. The labels that a fitted
    # hyperplane predicts are separable.
    guide = Perceptron(max_iter=5, min_margin=0.0, time_limit=60.0, random_state=0)
    y = guide.fit(*digits).predict(digits.X)
    single = digits.X.astype(np.float32)
    measure(report, "MNIST uint8 / float32 pass", digits.X, y, 1.0, Classic(), single)
    measure(report, "MNIST float32", single, y, 1.4, Classic(), single)
    double = datasets.even_odd().X
    measure(report, "MNIST float64", double, y, 1.2, Classic(), double)
    X, y = datasets.text()
    measure(report, "CSR 50,000 x 20,000, 80 in a row", X, y, 1.0, ScaleFree(), X)
    report.finish()


if __name__ == "__main__":
    main()
