"""Theorem 2.1 of the notes *Linear threshold functions and the perceptron algorithm* (Bartlett).

If some theta classifies all examples with margin delta > 0, then for any sequence of choices the
perceptron terminates after at most ``r^2 / delta^2`` updates. As printed, the theorem also claims
termination for delta = 0, which is false where sign(0) = +1 decides ties: see below. The library
calls an example violated while ``z . w <= 0``, ties included.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import rules
from novikoff.run import Clock, Limits, run
from novikoff.sample import Sample, storage_of
from tests.theorems.problems import SEEDS, problems
from tests.theorems.promises import assert_at_most
from tests.theorems.runs import PICKS, choose, mostly_decided


@mostly_decided
@given(
    problem=problems(least=0.1),
    pick=st.sampled_from(list(PICKS)),
    seed=SEEDS,
    tilt=st.floats(0.0, 0.05),
)
def test_updates_against_any_separator(problem, pick, seed, tilt):
    """delta may be the margin of any theta that separates, not only of the best one."""
    noise = np.random.default_rng(seed).standard_normal(problem.X.shape[1])
    theta = problem.optimum.direction + tilt * noise / np.linalg.norm(noise)
    delta = (problem.Z @ theta).min() / np.linalg.norm(theta)
    memory = choose(problem.sample(), rules.Classic(), pick, seed=seed)
    if memory is None:
        return
    assert delta > 0
    t = memory.weights.sum()
    assert_at_most(t, (problem.R / delta) ** 2)
    assert (problem.Z @ memory.w).min() > -1e-12 * problem.R**2
    # The note: theta_t = sum alpha_i x_i with sum |alpha_i| = t; at most t examples carry it.
    assert np.count_nonzero(memory.weights) <= t


def asymmetric(X, y, most):
    """The printed loop: update on the first example with ``y != sign(w . x)``, sign(0) = +1."""
    w = np.zeros(X.shape[1])
    for updates in range(most):
        wrong = np.flatnonzero(np.where(X @ w >= 0, 1, -1) != y)
        if wrong.size == 0:
            return updates, w
        w += y[wrong[0]] * X[wrong[0]]
    return most, w


TIED = np.array([[math.sqrt(2), 0.0], [-math.sqrt(3), 0.0], [1.0, 1.0]]), np.array([1, 1, -1])


def test_the_printed_loop_need_not_stop_when_delta_is_zero():
    """theta = (0, -1) classifies all three, since sign(0) = +1, yet with margin 0.

    The first coordinate of w is ``a sqrt(2) - b sqrt(3) - n`` with n >= 1, which is never 0, so
    that one of the first two examples is always wrong.
    """
    X, y = TIED
    assert (np.where(X @ [0.0, -1.0] >= 0, 1, -1) == y).all()
    updates, w = asymmetric(X, y, 20_000)
    assert updates == 20_000
    assert w[0] != 0.0


def test_margin_zero_is_not_separable_here():
    """With ties violated, the same data is what it is: a hull that holds the origin."""
    X, y = TIED
    sample = Sample.of(storage_of(X), y, affine=False)
    cut = run(sample, rules.Classic(), clock=Clock(Limits(max_updates=20_000, max_iter=20_000)))
    assert cut.status.at_limit
    assert cut.best is None
    assert cut.bounds.upper < 1e-3


@mostly_decided
@given(problem=problems(least=0.1))
def test_the_printed_loop_obeys_the_bound_when_delta_is_positive(problem):
    updates, _ = asymmetric(problem.X, problem.y, 2000)
    assert_at_most(updates, (problem.R / problem.eps) ** 2)
    memory = choose(problem.sample(), rules.Classic(), "first")
    assert memory is not None


def test_a_strict_test_would_return_zero():
    """``z . w < 0`` holds for no example at w = 0: the first update has to be made at a tie."""
    X = np.eye(2)
    finished = run(Sample.of(storage_of(X), np.array([1, -1]), affine=False), rules.Classic())
    assert finished.n_updates == 2
    assert finished.memory.w == pytest.approx([1.0, -1.0])
