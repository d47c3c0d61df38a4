"""A separator by the perceptron, where its mistakes fade fast enough.

F. Rosenblatt, "The perceptron", Psychological Review 65 (1958). A pass costs as much as a scan, and
on examples with a wide margin mistakes end after few. On others the number of mistakes in a pass
falls slowly or not at all, and the perceptron gives up after four to sixteen passes.
"""

from dataclasses import dataclass
from math import inf

import numpy as np

from novikoff.certificate import Status
from novikoff.compiled.step import FINITE, UPDATES, Specification
from novikoff.maxmargin.bounds import place_hard
from novikoff.maxmargin.passes import Passes
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.run.clock import Clock


@dataclass(frozen=True)
class PerceptronSettings:
    """When the perceptron is tried, and when it gives up."""

    least_values: int = 50_000
    """With fewer values other solvers take few milliseconds; not varied."""

    most_passes: int = 32
    """How many passes it makes at most; not varied."""

    mistakes: float = 0.8
    """It gives up after ``p`` passes, a power of two, if the last one made more mistakes than this
    share of the examples over ``p``: 10 % after 8 passes. One-hot 10,000 x 3,000 and 4,000 x 1,000
    with 20 normal values in a row have 9 and 8 %, and are separated after 17 to 32; the verdict on
    the latter takes 7 ms, and 19 at half the value. With 10 % noise there are 25 % after 4 passes;
    at twice the value there would be 8 passes in vain."""

    fast: int = 8
    """After more passes than this the bound falls with the square of their number: to 2.5 % after
    16. Not varied."""

    zero: float = 1e-14
    """A margin no larger than this, in units of the radius, is taken for rounding."""


PERCEPTRON = PerceptronSettings()


def by_mistakes(
    problem: Problem, clock: Clock, settings: PerceptronSettings = PERCEPTRON
) -> Solution | None:
    """Return a separator of the examples, or ``None`` if it is not found soon.

    Examples are visited in a random order, the same in every pass and for every call: where those
    of one class come first, mistakes would fade slowly.
    """
    sample, rule = problem.sample, Specification()
    if sample.storage.n_values < settings.least_values:
        return None
    memory, made = sample.memory(rule), 0
    order = np.random.default_rng(0).permutation(sample.order)
    while made < settings.most_passes:
        burst = max(1, made)
        # One more pass will show that the hyperplane separates the examples.
        if clock.interrupted() is not None or not clock.fits(burst + 1.0):
            return None
        mistakes = 0
        for _ in range(burst):
            before = float(memory.state[UPDATES])
            for chunk in sample.chunks(order):
                sample.sweep(chunk, rule, memory)
            mistakes = int(memory.state[UPDATES] - before)
            made, clock.passes, clock.updates = made + 1, clock.passes + 1, clock.updates + mistakes
            if not mistakes:
                break
        clock.report(mistakes, -inf, inf)
        if not mistakes:
            return _placed(problem, memory.w, memory.weights, clock, settings)
        most = settings.mistakes / made * min(1.0, settings.fast / made) * problem.n_examples
        if mistakes > most or memory.state[FINITE] != 0.0:
            return None
    return None


def _placed(
    problem: Problem,
    w: np.ndarray,
    weights: np.ndarray,
    clock: Clock,
    settings: PerceptronSettings,
) -> Solution | None:
    """Return the hyperplane with its best offset, if it separates the examples."""
    sample = problem.sample
    products = Passes(sample, clock).products(sample.order, w, float(w @ sample.centre))
    placed = place_hard(products, sample.signs[sample.order], sample.affine)
    length = float(np.linalg.norm(w))
    if not placed.value > settings.zero * length * sample.radius:
        return None
    return Solution(
        w=w / placed.value,
        offset=placed.offset / placed.value,
        weights=weights,
        status=Status.SEPARATED,
        lower=placed.value / length,
        upper=inf,
        solver="perceptron",
    )
