"""The mean norm as the unit of the threshold: update while ``z . w <= c N / t``.

N is the sum of ``|z|^2`` over the t updates so far. An update adds at most ``2c N / t + |z|^2`` to
``|w|^2``. Every ``N / t`` is at most R^2, so that there are at most ``(2c + 1) (R / eps*)^2``
updates; and every N is at most the last, so that ``|w|^2 <= (2c H + 1) N`` with H the harmonic
number of T - 1, and the margin is at least ``c eps* / (2c H + 1)``.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import rules
from novikoff.certificate import Status
from novikoff.compiled.step import LONGEST2, SCALE, SUM2, UPDATES
from novikoff.run import run
from tests.theorems.optimum import margin_of
from tests.theorems.problems import SEEDS, Problem, problems
from tests.theorems.promises import (
    assert_at_most,
    assert_margin,
    assert_promises,
    assert_scale_changes_nothing,
)
from tests.theorems.runs import PICKS, choose, mostly_decided, settle_in_order

FACTORS = st.floats(0.0, 4.0)


def harmonic(n):
    return math.fsum(1.0 / k for k in range(1, n + 1))


@mostly_decided
@given(problem=problems(least=0.1), c=FACTORS, seed=SEEDS)
def test_updates_and_margin(problem, c, seed):
    rule = rules.MeanNorm(c=c)
    finished = settle_in_order(problem, rule, seed)
    if finished is None:
        return
    state, T = finished.memory.state, finished.n_updates
    assert state[SCALE] == state[SUM2] / state[UPDATES]
    used = math.sqrt(state[LONGEST2])
    margin = assert_promises(rule, problem, finished.weights, R=used)
    assert_at_most(T, (2 * c + 1) * (used / problem.eps) ** 2)
    assert_margin(margin, c * problem.eps / (2 * c * harmonic(T - 1) + 1), problem.R)
    # What the proof says of the unit itself: the mean of the squared norms, by the weights.
    mean = finished.weights @ np.einsum("ij,ij->i", problem.Z, problem.Z) / T
    assert state[SCALE] == pytest.approx(mean)


@mostly_decided
@given(problem=problems(least=0.3), c=FACTORS, pick=st.sampled_from(list(PICKS)))
def test_the_norm_grows_as_bounded(problem, c, pick):
    t, total, bound = 0, 0.0, 0.0

    def watch(memory, i):
        nonlocal t, total, bound
        norm2 = float(problem.Z[i] @ problem.Z[i])
        bound += (2 * c * total / t if t else 0.0) + norm2
        t, total = t + 1, total + norm2
        assert memory.w @ memory.w <= bound * (1 + 1e-9)
        assert bound <= (2 * c * harmonic(t - 1) + 1) * total * (1 + 1e-9)
        assert bound <= (2 * c + 1) * problem.R**2 * t * (1 + 1e-9)

    choose(problem.sample(), rules.MeanNorm(c=c), pick, watch=watch)


@mostly_decided
@given(problem=problems(least=0.5, scales=st.just(1.0)), c=FACTORS, seed=SEEDS)
def test_equal_norms_lose_no_logarithm(problem, c, seed):
    norms = np.linalg.norm(problem.X, axis=1, keepdims=True)
    spheric = Problem(problem.X / norms, problem.y, f"{problem.made} on the sphere")
    finished = settle_in_order(spheric, rules.MeanNorm(c=c), seed)
    if finished is not None:
        margin = margin_of(spheric.Z, finished.weights)
        assert_margin(margin, c / (2 * c + 1) * spheric.eps, 1.0)


@mostly_decided
@given(problem=problems(least=0.1), exponent=st.integers(-20, 20))
def test_scale_changes_nothing(problem, exponent):
    assert_scale_changes_nothing(problem, rules.MeanNorm(), exponent)


@pytest.mark.parametrize("T", [1, 2, 3, 10, 1000])
def test_the_harmonic_number_is_not_understated(T):
    """The margin that is promised is at most that of the proof, and close to it."""
    for c in (0.25, 1.0, 4.0):
        R = math.sqrt(T / (2 * c + 1)) * (1 + 1e-12)
        if R < 1.0:
            continue
        promised = rules.MeanNorm(c=c).margin_bound(R=R, eps=1.0)
        proved = c / (2 * c * harmonic(T - 1) + 1)
        assert 0.9 * proved <= promised <= proved


def test_one_long_example_does_not_set_the_unit():
    """A hundred short examples beside a long one: ScaleFree asks them for margins of its unit."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((101, 5))
    X[:, 0] += np.where(X[:, 0] > 0, 1.0, -1.0)
    y = np.where(X[:, 0] > 0, 1, -1)
    X[0] *= 100.0
    problem = Problem(X, y, "one long example")
    mean, largest = (run(problem.sample(), r) for r in (rules.MeanNorm(), rules.ScaleFree()))
    assert mean.status is largest.status is Status.CONVERGED
    assert 10 * mean.n_updates < largest.n_updates
