"""Novikoff's theorem: Algorithm 1 makes at most (R / eps*)^2 updates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import rules
from novikoff.compiled.step import LONGEST2, MISTAKES, NORM2, UPDATES, WEIGHT
from novikoff.data import sharpness
from novikoff.run import Clock, Limits, run
from novikoff.sample import Sample, storage_of
from novikoff.theory import mistake_bound
from tests.theorems.optimum import margin_of
from tests.theorems.problems import SEEDS, Problem, noisy_problems, orders, problems
from tests.theorems.promises import assert_at_most, assert_scale_changes_nothing
from tests.theorems.runs import PICKS, choose, mostly_decided, settle


def test_a_margin_that_rounding_lifts_over_zero():
    """Two examples that are orthogonal but for rounding: the second is updated on all the same."""
    p = sharpness(0.7071067811865476)
    finished = run(Sample.of(storage_of(p.X), p.y, affine=False), rules.Classic())
    assert (finished.n_updates, finished.mistakes) == (2, 1)


@mostly_decided
@given(problem=problems(least=0.03), seed=SEEDS)
def test_updates(problem, seed):
    finished = settle(problem.sample(order=orders(len(problem.y), seed)), rules.Classic())
    if finished is None:
        return
    longest = np.linalg.norm(problem.X[finished.weights > 0], axis=1).max()
    assert np.sqrt(finished.memory.state[LONGEST2]) == pytest.approx(longest)
    assert_at_most(finished.n_updates, mistake_bound(longest, problem.eps))
    assert finished.n_updates == finished.weights.sum()
    # Sharp examples can be orthogonal to w; if rounding lifts such a margin over zero, the example
    # is updated on, and counts as no mistake.
    assert finished.mistakes <= finished.n_updates
    assert finished.mistakes == finished.n_updates or problem.made.startswith("sharpness")
    assert margin_of(problem.Z, finished.weights) > 0.0
    # Sharper: T^2 eps*^2 <= the sum of the squared norms of the updates.
    squares = finished.weights @ np.linalg.norm(problem.X, axis=1) ** 2
    assert_at_most(finished.n_updates, np.sqrt(squares) / problem.eps)


@mostly_decided
@given(problem=problems(least=0.1), pick=st.sampled_from(list(PICKS)), seed=SEEDS)
def test_updates_for_any_choice_of_violated_examples(problem, pick, seed):
    """The invariants of the proof hold after every update, whichever example is chosen."""
    squares = []

    def watch(memory, i):
        squares.append(np.linalg.norm(problem.X[i]) ** 2)
        t, w = len(squares), np.linalg.norm(memory.w)
        assert memory.state[UPDATES] == memory.state[WEIGHT] == memory.state[MISTAKES] == t
        assert memory.state[NORM2] == pytest.approx(w**2, abs=1e-12 * sum(squares))
        assert w**2 <= sum(squares) * (1 + 1e-9)
        assert problem.optimum.direction @ memory.w >= t * problem.eps * (1 - 1e-9)
        assert problem.eps <= w / t * (1 + 1e-9)

    memory = choose(problem.sample(), rules.Classic(), pick, seed=seed, watch=watch)
    if memory is not None:
        assert_at_most(len(squares), (problem.R / problem.eps) ** 2)


@given(problem=noisy_problems(), updates=st.integers(1, 300))
def test_the_norm_grows_slowly_whether_separable_or_not(problem, updates):
    """Part II of the proof assumes nothing; w / t in the hull then bounds eps* by R / sqrt t."""
    cut = run(problem.sample(), rules.Classic(), clock=Clock(Limits(max_updates=updates)))
    t = cut.n_updates
    assert 0 < t <= updates
    w = np.linalg.norm(cut.memory.w)
    assert w**2 <= t * problem.R**2 * (1 + 1e-9)
    assert problem.optimum.upper <= w / t * (1 + 1e-9) + 1e-12 * problem.R
    np.testing.assert_allclose(cut.memory.w, cut.weights @ problem.Z, atol=1e-12 * t * problem.R)


@mostly_decided
@given(problem=problems(least=0.03), exponent=st.integers(-20, 20))
def test_scale_changes_nothing(problem, exponent):
    """x -> s x with s a power of two: the same updates at the same times."""
    assert_scale_changes_nothing(problem, rules.Classic(), exponent)


@mostly_decided
@given(n=st.integers(1, 60), length=st.integers(1, 9))
def test_the_bound_is_attained(n, length):
    """Orthogonal examples of equal norm: eps* = R / sqrt(n), and each of the n is an update."""
    problem = Problem(length * np.eye(n), np.ones(n, dtype=int), f"{length} * eye({n})")
    finished = settle(problem.sample(), rules.Classic())
    assert finished is not None and finished.n_updates == n
    assert mistake_bound(problem.R, problem.eps) == pytest.approx(n)
