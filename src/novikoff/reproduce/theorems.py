"""The theorems of Section 2 of *On the Perceptron's Compression*, measured."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from novikoff import rules
from novikoff.compiled.step import MISTAKES, increment
from novikoff.data import Planted, far_pair, planted, sharpness
from novikoff.reproduce.measurement import Row, margin_row, row, updates_row
from novikoff.run import Clock, Limits, Run, run
from novikoff.sample import Sample, storage_of, visit_order
from novikoff.theory.mistakes import (
    hinge_mistake_bound,
    lifted_mistake_bound,
    mistake_bound,
    squared_mistake_bound,
)

N_EXAMPLES, N_FEATURES = 500, 10
# Pairs of examples are repeated this often in one pass: the same order with fewer calls.
REPETITIONS = 1 << 14


class _Case(NamedTuple):
    """A data set whose best margin is known, with a description to print."""

    planted: Planted
    R: float
    description: str


def reproduce_theorems(
    random_state: int | np.random.RandomState | None = 0, *, max_updates: int = 5_000_000
) -> list[Row]:
    """Run every theorem of Section 2 on generated data and compare.

    Novikoff's theorem and its versions for sequences and for hyperplanes with an intercept,
    Theorems 2.1, 2.2 and 2.3 (with Appendix A and the example on which it is sharp), and the
    combination of Algorithms 3 and 4. The generated data have a known best margin, so that both
    sides of each inequality are numbers.

    Parameters
    ----------
    random_state : int, RandomState or None, default=0
        Draws the data and the order of visits.
    max_updates : int, default=5_000_000
        The limit on the updates of a run; if it is reached, the rows of that run are undecided.

    Returns
    -------
    list of Row

    Examples
    --------
    >>> from novikoff.reproduce import reproduce_theorems
    >>> rows = reproduce_theorems()
    >>> all(row.holds for row in rows)
    True
    >>> far = next(row for row in rows if "lift 1:" in row.data)
    >>> far.data, far.measured
    ('999 (+) and 1001 (-), lift 1: R = 1001, gamma = 1', 2000002.0)
    """
    rng = check_random_state(random_state)
    return [
        *_novikoff(rng, max_updates),
        *_sequences(rng),
        *_intercept(rng, max_updates),
        *_theorem_2_1(rng, max_updates),
        *_theorem_2_2(rng, max_updates),
        *_theorem_2_3(rng, max_updates),
        *_combination(rng, max_updates),
    ]


def _novikoff(rng: np.random.RandomState, max_updates: int) -> Iterator[Row]:
    case = _case(rng, margin=0.02)
    finished = _run(case, rules.Classic(), rng, max_updates)
    bound = rules.Classic().update_bound(case.R, case.planted.margin)
    yield updates_row(
        "Novikoff's theorem", "updates <= (R / eps)^2", case.description, finished, bound
    )


def _sequences(rng: np.random.RandomState) -> Iterator[Row]:
    case = _case(rng, margin=0.02)
    mistakes, _ = _one_pass(case.planted, rng)
    yield row(
        "Novikoff's theorem, any sequence",
        "mistakes <= (R / gamma)^2",
        f"{case.description}, one pass",
        mistake_bound(case.R, case.planted.margin),
        mistakes,
    )
    gamma = 0.2
    p = planted(N_EXAMPLES, N_FEATURES, gamma, noise=0.05, random_state=rng)
    R = float(np.linalg.norm(p.X, axis=1).max())
    description = (
        f"{N_EXAMPLES} x {N_FEATURES}, 5 % of the labels turned, gamma = {gamma:g}, one pass"
    )
    mistakes, rounds = _one_pass(p, rng)
    margins = p.y * (p.X @ p.coef)
    hinge = float(np.maximum(0.0, 1.0 - margins[rounds] / gamma).sum())
    yield row(
        "Any sequence, hinge loss L of any vector",
        "mistakes <= ((R/gamma + sqrt((R/gamma)^2 + 4 L)) / 2)^2",
        description,
        hinge_mistake_bound(R, gamma, hinge),
        mistakes,
    )
    deviation = float(np.linalg.norm(np.maximum(0.0, gamma - margins)))
    yield row(
        "Any sequence, deviation D of any vector",
        "mistakes <= ((R + D) / gamma)^2",
        description,
        squared_mistake_bound(R, gamma, deviation),
        mistakes,
    )


def _intercept(rng: np.random.RandomState, max_updates: int) -> Iterator[Row]:
    theorem, statement = "With an intercept", "updates <= (R^2 + c^2)^2 / (c gamma)^2"
    p = planted(N_EXAMPLES, N_FEATURES, 0.05, intercept=True, random_state=rng)
    R = float(np.linalg.norm(p.X, axis=1).max())
    sample = _sample(p, order=_order(p, rng), centre=np.zeros(N_FEATURES), lift=R)
    finished = run(sample, rules.Classic(), clock=_clock(max_updates))
    description = f"{N_EXAMPLES} x {N_FEATURES}, lift R: R = {R:.3g}, gamma = 0.05"
    bound = lifted_mistake_bound(R, p.margin, R)
    yield updates_row(theorem, statement, description, finished, bound)

    pair = far_pair()
    order = np.tile([0, 1], REPETITIONS)
    for c in (1.0, 1001.0):
        sample = _sample(pair, order=order, centre=np.zeros(1), lift=c)
        finished = run(sample, rules.Classic(), clock=_clock(max_updates))
        description = f"999 (+) and 1001 (-), lift {c:g}: R = 1001, gamma = 1"
        bound = lifted_mistake_bound(1001.0, 1.0, c)
        yield updates_row(f"{theorem} (footnote 1)", statement, description, finished, bound)
    finished = run(_sample(pair), rules.Classic(), clock=_clock(max_updates))
    description = "999 (+) and 1001 (-), centred: R = 2, lift 2, gamma = 1"
    bound = lifted_mistake_bound(2.0, 1.0, 2.0)
    yield updates_row(f"{theorem} (footnote 1)", statement, description, finished, bound)


def _theorem_2_1(rng: np.random.RandomState, max_updates: int) -> Iterator[Row]:
    yield from _both(
        "Theorem 2.1, Algorithm 2, beta = R^2",
        "updates <= (2 beta + R^2) / eps^2",
        "margin >= beta eps / (2 beta + R^2)",
        _case(rng, margin=0.02),
        rules.Margin(beta=1.0),
        rng,
        max_updates,
    )


def _theorem_2_2(rng: np.random.RandomState, max_updates: int) -> Iterator[Row]:
    case = _case(rng, margin=20.0, radius=1000.0)
    yield from _both(
        "Theorem 2.2, Algorithm 3 as printed",
        "updates <= 9 (R / eps)^2",
        "margin >= eps / 3",
        case,
        rules.ScaleFree(printed=True),
        rng,
        max_updates,
    )
    yield from _both(
        "Theorem 2.2, threshold c rho^2, c = 1",
        "updates <= (2c + 1) (R / eps)^2",
        "margin >= c eps / (2c + 1)",
        case,
        rules.ScaleFree(c=1.0),
        rng,
        max_updates,
    )


def _theorem_2_3(rng: np.random.RandomState, max_updates: int) -> Iterator[Row]:
    updates = "updates <= (1 / eps)^(2 / (2 - alpha))"
    for alpha, margin in ((1.5, 0.05), (1.8, 0.3)):
        yield from _both(
            f"Theorem 2.3, Algorithm 4, alpha = {alpha}",
            updates,
            "margin >= alpha eps / 2 - eps^(alpha / (2 - alpha)) / 2",
            _case(rng, margin=margin),
            rules.Infinity(alpha=alpha),
            rng,
            max_updates,
        )
    for alpha in (1.1, 1.5, 1.9):
        t = np.arange(1.0, 10_001.0)
        f = np.array([increment(s, alpha) for s in t]) / t ** (alpha / 2)
        yield row(
            "Theorem 2.3, Appendix A",
            "f(t + 1) / f(t) <= 1, f(t) = b_t / t^(alpha / 2)",
            f"alpha = {alpha}, t from 1 to 10,000; the largest ratio",
            1.0,
            float((f[1:] / f[:-1]).max()),
        )
    for alpha, eps in ((1.5, 0.3), (1.5, 0.1), (1.5, 0.05), (1.8, 0.3)):
        p = sharpness(eps)
        sample = _sample(p, order=np.tile([0, 1], REPETITIONS), affine=False)
        rule = rules.Infinity(alpha=alpha)
        finished = run(sample, rule, clock=_clock(max_updates))
        limit = (alpha / 2) ** (1 / (2 - alpha))
        bound = rule.update_bound(1.0, eps)
        yield updates_row(
            f"Theorem 2.3 is sharp, alpha = {alpha}",
            f"{updates}; the ratio tends to {limit:.4f}",
            f"(±sqrt(1 - eps^2), eps): R = 1, eps = {eps:g}",
            finished,
            bound,
        )


def _combination(rng: np.random.RandomState, max_updates: int) -> Iterator[Row]:
    for alpha, margin in ((1.5, 50.0), (1.8, 300.0)):
        yield from _both(
            f"Algorithms 3 and 4 combined, alpha = {alpha}",
            "updates <= (R / eps)^(2 / (2 - alpha))",
            "margin >= (alpha - 1) (2 - alpha)^((2 - alpha) / (2 alpha - 2)) eps",
            _case(rng, margin=margin, radius=1000.0),
            rules.ScaleFreeInfinity(alpha=alpha),
            rng,
            max_updates,
        )


def _case(rng: np.random.RandomState, *, margin: float, radius: float = 1.0) -> _Case:
    p = planted(N_EXAMPLES, N_FEATURES, margin, radius=radius, random_state=rng)
    R = float(np.linalg.norm(p.X, axis=1).max())
    return _Case(p, R, f"{N_EXAMPLES} x {N_FEATURES}: R = {R:.3g}, eps = {margin:g}")


def _sample(p: Planted, **how: Any) -> Sample:
    return Sample.of(storage_of(p.X), p.y.astype(np.int8), **how)


def _order(p: Planted, rng: np.random.RandomState) -> NDArray[np.int64]:
    return visit_order(len(p.y), p.X.nbytes, rng)


def _clock(max_updates: int) -> Clock:
    return Clock(Limits(max_iter=max_updates, max_updates=max_updates))


def _run(case: _Case, rule: rules.Rule, rng: np.random.RandomState, max_updates: int) -> Run:
    p = case.planted
    sample = _sample(p, order=_order(p, rng), affine=False)
    return run(sample, rule, clock=_clock(max_updates))


def _one_pass(p: Planted, rng: np.random.RandomState) -> tuple[int, NDArray[np.int64]]:
    """Visit each example once; return the number of mistakes, and the examples they are on."""
    sample = _sample(p, order=_order(p, rng), affine=False)
    rule = rules.Classic().specification(sample.lifted_radius)
    memory = sample.memory(rule)
    for chunk in sample.chunks(sample.order):
        sample.sweep(chunk, rule, memory)
    return int(memory.state[MISTAKES]), np.flatnonzero(memory.weights)


def _both(
    theorem: str,
    updates: str,
    margin: str,
    case: _Case,
    rule: rules.Rule,
    rng: np.random.RandomState,
    max_updates: int,
) -> Iterator[Row]:
    finished = _run(case, rule, rng, max_updates)
    eps = case.planted.margin
    yield updates_row(theorem, updates, case.description, finished, rule.update_bound(case.R, eps))
    yield margin_row(
        theorem, margin, case.description, finished, case.planted, rule.margin_bound(case.R, eps)
    )
