"""What the theorem tests measure against: the exact optimum margin, data, and decided runs.

A theorem about a finished run says nothing of a run that was cut short. Such a run is *undecided*:
it neither passes nor fails, and a test of which fewer than 80 % of the runs were decided fails.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import nnls

from novikoff import rules
from novikoff.certificate import Certifier, Status
from novikoff.compiled.step import THRESHOLD, UPDATES
from novikoff.data import planted, sharpness
from novikoff.run import Clock, Limits, Run, run
from novikoff.sample import Memory, Sample, storage_of
from tests.data.integers import integers

DECIDED = (Status.CONVERGED, Status.GAP_REACHED)
ENOUGH = 0.8


# The exact optimum -----------------------------------------------------------------------------


class Optimum(NamedTuple):
    """``eps* = dist(0, conv Z)`` with its proof: ``lower <= eps* <= upper`` within rounding."""

    lower: float
    upper: float
    direction: np.ndarray
    weights: np.ndarray


def optimum(Z):
    """The optimum margin of signed examples by non-negative least squares.

    The minimiser of ``|Z^T l|^2 + (1.l - 1)^2`` over ``l >= 0`` is a multiple of the convex
    weights of the point of ``conv Z`` nearest to the origin. That point bounds the optimum from
    both sides. The solver now and then misses it on data with many symmetries, which depends on
    the order of the examples: it gets some orders to try, and the bounds have to meet.
    """
    Z = np.asarray(Z, dtype=np.float64)
    R = np.linalg.norm(Z, axis=1).max() or 1.0
    n, d = Z.shape
    target = np.append(np.zeros(d), 1.0)
    rng = np.random.default_rng(0)
    for _ in range(20):
        order = rng.permutation(n)
        lengths = np.empty(n)
        lengths[order], _ = nnls(np.vstack([Z[order].T / R, np.ones(n)]), target, maxiter=99 * n)
        weights = lengths / lengths.sum()
        nearest = weights @ Z
        upper = float(np.linalg.norm(nearest))
        if upper <= 1e-9 * R:
            return Optimum(0.0, upper, nearest, weights)
        lower = float((Z @ nearest).min()) / upper
        if upper - lower <= 1e-9 * R:
            return Optimum(lower, upper, nearest / upper, weights)
    raise AssertionError(f"the reference solver failed: {lower} < {upper}")


def affine_optimum(X, y):
    """Half the distance of the two hulls: the optimum margin of the differences, halved."""
    return optimum(differences(X * y[:, None], y)).upper / 2


def seen_by_rules(sample: Sample, X):
    """The signed examples as the rules see them, every lift written out."""
    parts = [np.asarray(X, dtype=np.float64) - sample.centre]
    if sample.affine:
        parts.append(np.full((len(X), 1), math.sqrt(sample.frame.lift2)))
    Z = np.hstack(parts) * sample.signs[:, None]
    return np.hstack([Z, math.sqrt(sample.frame.slack2) * np.eye(len(X))])


def differences(Z, signs):
    """All ``x_p - x_q`` of signed examples, p positive and q negative; a lift cancels."""
    return (Z[signs > 0][:, None] + Z[signs < 0][None]).reshape(-1, Z.shape[1])


def margin_of(Z, weights):
    """The margin of ``w = sum weights_i z_i``."""
    return margin_along(Z, weights @ Z)


def margin_along(Z, w):
    """The margin of ``w``."""
    return float((Z @ w).min() / np.linalg.norm(w))


# Data with a controlled margin -----------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Problem:
    """Labelled examples, separable through the origin; ``made`` says how to make them again."""

    X: np.ndarray = field(repr=False)
    y: np.ndarray = field(repr=False)
    made: str

    @functools.cached_property
    def Z(self):
        return self.X * self.y[:, None]

    @functools.cached_property
    def R(self):
        return float(np.linalg.norm(self.X, axis=1).max())

    @functools.cached_property
    def optimum(self):
        return optimum(self.Z)

    @property
    def eps(self):
        return self.optimum.upper

    def scaled(self, factor):
        return Problem(self.X * factor, self.y, f"{self.made}.scaled({factor})")

    def sample(self, **how):
        return Sample.of(storage_of(self.X), self.y, affine=False, **how)


SEEDS = st.integers(0, 2**32 - 1)
SCALES = st.sampled_from([1.0, 1.0, 1e-3, 7.0, 1024.0])


@st.composite
def problems(draw, *, least=0.1, scales=SCALES):
    """Separable problems with ``eps* >= least * R``, some of them with norms of many sizes."""
    share = draw(st.floats(least, 0.9))
    scale = draw(scales)
    if draw(st.integers(0, 9)) == 0:
        p = sharpness(share)
        return Problem(p.X * scale, p.y, f"sharpness({share}) * {scale}")
    n, d, seed = draw(st.integers(2, 30)), draw(st.integers(1, 6)), draw(SEEDS)
    p = planted(n, d, share, random_state=seed)
    # A longer example has a larger margin, so the share of R is all that a stretch can cost.
    stretch = draw(st.floats(1.0, min(8.0, share / least)))
    factors = stretch ** np.random.default_rng(seed).uniform(0.0, 1.0, size=n)
    X = p.X * factors[:, None] / stretch * scale
    return Problem(X, p.y, f"planted({n}, {d}, {share}, {seed}) stretched {stretch} * {scale}")


@st.composite
def integer_problems(draw, *, intercept=False):
    """Small integers, on which every sum of a unit-step run is exact in floating point."""
    n, d, seed = draw(st.integers(2, 30)), draw(st.integers(1, 4)), draw(SEEDS)
    p = integers(n, d, bound=3, intercept=intercept, random_state=seed)
    return Problem(p.X, p.y, f"integers({n}, {d}, intercept={intercept}, seed={seed})")


@st.composite
def affine_problems(draw, *, least=0.1):
    """Both classes present, affine margin at least ``least`` times R, origin anywhere."""
    n, d, seed = draw(st.integers(2, 20)), draw(st.integers(1, 5)), draw(SEEDS)
    share, scale, shift = draw(st.floats(least, 0.9)), draw(SCALES), draw(st.floats(-1.0, 1.0))
    p = planted(n, d, share, intercept=True, random_state=seed)
    X = (p.X + shift) * scale
    return Problem(X, p.y, f"(planted({n}, {d}, {share}, {seed}) + {shift}) * {scale}")


@st.composite
def noisy_problems(draw):
    """Labels drawn without regard to the examples; hardly any of these is separable."""
    n, d, seed = draw(st.integers(2, 20)), draw(st.integers(1, 4)), draw(SEEDS)
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((n, d)), rng.choice([-1, 1], size=n)
    y[:2] = (1, -1)
    return Problem(X, y, f"noise({n}, {d}, {seed})")


def orders(n, seed):
    """An order of visits."""
    return np.random.default_rng(seed).permutation(n)


# Rules -----------------------------------------------------------------------------------------

# The least share eps*/R of the data that a rule is tested on keeps its bound on the updates, and
# with it the longest run, below some ten thousand.
UNIT_STEP_RULES = {
    "classic": rules.Classic(),
    "margin": rules.Margin(beta=0.7),
    "margin-absolute": rules.Margin(beta=0.3, unit="absolute"),
    "scale-free": rules.ScaleFree(),
    "scale-free-4": rules.ScaleFree(c=4.0),
    "scale-free-printed": rules.ScaleFree(printed=True),
    "infinity": rules.Infinity(alpha=1.4),
    "scale-free-infinity": rules.ScaleFreeInfinity(alpha=1.4),
    "dynamic": rules.Dynamic(accuracy=0.4),
    "min-over": rules.MinOver(accuracy=0.3),
}
OTHER_RULES = {
    "passive-aggressive": rules.PassiveAggressive(tolerance=0.3),
    "pa-1": rules.PassiveAggressive(C=2.0, tolerance=0.3),
    "pa-2": rules.PassiveAggressive(C=2.0, variant=2, tolerance=0.3),
    "alma": rules.Alma(a=0.4),
}
ALL_RULES = UNIT_STEP_RULES | OTHER_RULES

# An absolute number in a rule means something only beside the scale of the data.
WITH_A_SCALE = ("margin-absolute", "infinity", "pa-1", "pa-2")


def scaled_for(name, problem, **how):
    """The problem and how to read it, in the unit ball for rules with a scale of their own."""
    if name not in WITH_A_SCALE:
        return problem, how
    factor = (1 - 1e-12) / Sample.of(storage_of(problem.X), problem.y, **how).lifted_radius
    return problem.scaled(factor), how | {"slack2": how.get("slack2", 0.0) * factor**2}


# Decided runs ----------------------------------------------------------------------------------


@dataclass
class Tally:
    """How many runs of a test ended by themselves, and how many did not."""

    decided: int = 0
    undecided: int = 0

    def count(self, decided: bool) -> bool:
        self.decided += decided
        self.undecided += not decided
        return decided

    def check(self) -> None:
        total = self.decided + self.undecided
        assert total > 0, "the test ran nothing"
        assert self.decided >= ENOUGH * total, f"only {self.decided} of {total} runs were decided"


_tallies: list[Tally] = []


def mostly_decided(test: Callable[..., None]) -> Callable[..., None]:
    """Fail a test of which fewer than 80 % of the runs were decided; goes above ``@given``."""

    @functools.wraps(test)
    def tallied(*args: Any, **kwargs: Any) -> None:
        _tallies.append(Tally())
        try:
            test(*args, **kwargs)
            _tallies[-1].check()
        finally:
            _tallies.pop()

    return tallied


def count(decided: bool) -> bool:
    """Count something other than a run; returns its argument."""
    return _tallies[-1].count(decided)


def settle(sample: Sample, rule: rules.Rule, *, max_updates: int = 200_000) -> Run | None:
    """Run a rule to its end and count it; ``None`` for an undecided run."""
    limits = Limits(max_iter=max_updates, max_updates=max_updates)
    finished = run(sample, rule, clock=Clock(limits))
    return finished if count(finished.status in DECIDED) else None


def settled_weights(finished: Run) -> np.ndarray:
    """The weights of the iterate that a finished run is judged by."""
    if finished.status is Status.GAP_REACHED:
        assert finished.best is not None
        return finished.best
    return finished.weights


PICKS: dict[str, Callable[[np.ndarray, np.random.Generator], int]] = {
    "first": lambda margins, rng: 0,
    "last": lambda margins, rng: len(margins) - 1,
    "worst": lambda margins, rng: int(np.argmin(margins)),
    "least wrong": lambda margins, rng: int(np.argmax(margins)),
    "random": lambda margins, rng: int(rng.integers(len(margins))),
}


def choose(sample: Sample, rule: rules.Rule, pick: str, *, seed=0, watch=None, most=3000):
    """Update on a violated example of one's own choice until there is none; ``None`` if undecided.

    ``watch(memory, i)`` is called after each update.
    """
    rng = np.random.default_rng(seed)
    specification = rule.specification(sample.lifted_radius)
    memory: Memory = sample.memory(specification)
    for _ in range(most):
        margins = sample.margins(sample.order, memory)
        violated = np.flatnonzero(margins <= memory.state[THRESHOLD])
        if violated.size == 0:
            count(True)
            return memory
        position = violated[PICKS[pick](margins[violated], rng)]
        i = int(sample.order[position])
        updates = memory.state[UPDATES]
        sample.sweep(np.array([i]), specification, memory)
        assert memory.state[UPDATES] == updates + 1
        if watch is not None:
            watch(memory, i)
    count(False)
    return None


# Inequalities ----------------------------------------------------------------------------------


def assert_at_most(count, bound):
    """A count of updates against a bound on it."""
    assert count <= math.floor(bound * (1 + 1e-9) + 1e-9), f"{count} updates, bound {bound}"


def assert_margin(margin, bound, R):
    """A margin against a lower bound on it."""
    assert margin >= bound * (1 - 1e-9) - 1e-12 * R, f"margin {margin}, bound {bound}"


def certifier_of(X, y, affine):
    """Makes certificates of signed examples; ``None`` where a class is missing that cannot be made.

    Without an intercept, an example and its label may both be turned round.
    """
    X, y = np.array(X, dtype=float), np.array(y)
    if abs(y.sum()) == len(y):
        if affine or len(y) == 1:
            return None
        X[0], y[0] = -X[0], -y[0]
    return Certifier.of(X, y, positive=1, affine=affine)
