"""Mistakes on any sequence of examples, separable or not.

Theorem 1.1 of *The Perceptron Algorithm* (Vempala): at most ``1 / gamma^2`` mistakes on any input
sequence of norm at most 1. Theorem 8.1 of *Perceptron Algorithm & The Hardness of Learning*
(Livni): the same for norms of at most R; what it bounds are mistakes, one pass need not converge.
The agnostic versions hold for any comparator.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from novikoff import rules
from novikoff.compiled.step import MISTAKES, THRESHOLD, UPDATES
from novikoff.sample import Sample, storage_of
from novikoff.theory import (
    comparator_bounds,
    hinge_mistake_bound,
    lifted_mistake_bound,
    mistake_bound,
    norms_mistake_bound,
    squared_mistake_bound,
)
from tests.theorems.optimum import optimum
from tests.theorems.problems import SEEDS, noisy_problems, problems
from tests.theorems.promises import assert_at_most

CLASSIC = rules.Classic().specification(1.0)


def play(sample, sequence):
    """Show examples one after another; return the memory and the rounds that were mistakes."""
    memory = sample.memory(CLASSIC)
    mistakes = []
    for position, i in enumerate(sequence):
        before = memory.state[MISTAKES]
        sample.sweep(np.array([i]), CLASSIC, memory)
        if memory.state[MISTAKES] > before:
            mistakes.append(position)
    return memory, np.array(mistakes, dtype=int)


def sequences(problem, seed, rounds=150):
    return np.random.default_rng(seed).integers(len(problem.y), size=rounds)


@given(problem=problems(least=0.03), seed=SEEDS)
def test_mistakes_on_a_separable_sequence(problem, seed):
    """With repetitions, and with gamma taken over the examples that were shown."""
    sequence = sequences(problem, seed, rounds=40)
    memory, mistakes = play(problem.sample(), sequence)
    gamma = (problem.Z[sequence] @ problem.optimum.direction).min()
    assert len(mistakes) == memory.state[UPDATES]
    assert_at_most(len(mistakes), mistake_bound(problem.R, gamma))


@given(problem=problems(least=0.03), seed=SEEDS)
def test_one_sweep_is_the_sequence_played_round_by_round(problem, seed):
    sequence = sequences(problem, seed)
    memory, _ = play(problem.sample(), sequence)
    at_once = problem.sample().memory(CLASSIC)
    problem.sample().sweep(sequence, CLASSIC, at_once)
    np.testing.assert_array_equal(memory.weights, at_once.weights)
    np.testing.assert_array_equal(memory.state, at_once.state)


@given(gamma=st.floats(0.1, 0.6), d=st.integers(3, 12), R=st.sampled_from([0.5, 1.0, 40.0]))
def test_mistakes_against_an_adversary(gamma, d, R):
    """Each example is made after seeing w, with margin exactly gamma, and just barely wrong.

    That makes w as long as it can get, and all but one of the mistakes that the bound allows.
    """
    rounds = 200
    gamma *= R
    u, across = np.eye(d)[0], np.eye(d)[1:]
    # The compiled code reads the rows in place, so that a row may be written before its visit.
    X = np.tile(R * u, (rounds, 1))
    sample = Sample.of(storage_of(X), np.ones(rounds), affine=False)
    memory = sample.memory(CLASSIC)
    for t in range(rounds):
        length = np.linalg.norm(memory.w[1:])
        back = memory.w[1:] / length if length > 0 else np.eye(d - 1)[0]
        side = np.eye(d - 1)[np.argmin(np.abs(back))]
        side -= (side @ back) * back
        wrong = (gamma * memory.w[0] + 1e-9 * R * R) / length if length > 0 else 0.0
        if wrong**2 > R**2 - gamma**2:
            break
        sideways = np.sqrt(R**2 - gamma**2 - wrong**2) / np.linalg.norm(side)
        X[t] = gamma * u + (sideways * side - wrong * back) @ across
        sample.sweep(np.array([t]), CLASSIC, memory)
        assert memory.state[MISTAKES] == t + 1
    assert_at_most(memory.state[MISTAKES], mistake_bound(R, gamma))
    assert memory.state[MISTAKES] >= mistake_bound(R, gamma) - 1 - 1e-6


@given(n=st.integers(1, 40))
def test_an_adversary_attains_the_bound(n):
    """R e_1, ..., R e_n: w is orthogonal to each new example, so that every round is a mistake."""
    sample = Sample.of(storage_of(3.0 * np.eye(n)), np.ones(n), affine=False)
    _, mistakes = play(sample, range(n))
    assert len(mistakes) == n == round(mistake_bound(3.0, 3.0 / np.sqrt(n)))


def test_a_pass_without_convergence():
    """Theorem 8.1 speaks of mistakes: after its single loop over the sample w may still err."""
    X, y = np.array([[1.0, 0.0], [0.5, 0.1], [1.0, -1.0]]), np.array([1, -1, 1])
    sample = Sample.of(storage_of(X), y, affine=False)
    memory, mistakes = play(sample, range(3))
    assert len(mistakes) == 2
    assert (sample.margins(np.arange(3), memory) <= memory.state[THRESHOLD]).any()
    assert optimum(X * y[:, None]).lower > 0


@given(problem=noisy_problems(), seed=SEEDS, gamma=st.floats(0.01, 5.0))
def test_mistakes_beside_an_imperfect_comparator(problem, seed, gamma):
    rng = np.random.default_rng(seed)
    sequence = sequences(problem, seed)
    _, mistakes = play(problem.sample(), sequence)
    best = problem.y @ problem.X
    for u in (rng.standard_normal(problem.X.shape[1]), best):
        u = u / np.linalg.norm(u)
        margins = problem.Z[sequence] @ u
        hinge = np.maximum(0.0, 1 - margins / gamma)
        deviation = np.linalg.norm(np.maximum(0.0, gamma - margins))
        assert_at_most(len(mistakes), hinge_mistake_bound(problem.R, gamma, hinge[mistakes].sum()))
        assert_at_most(len(mistakes), hinge_mistake_bound(problem.R, gamma, hinge.sum()))
        assert_at_most(len(mistakes), squared_mistake_bound(problem.R, gamma, deviation))


@given(n=st.integers(1, 30), k=st.integers(1, 5))
def test_the_agnostic_bounds_are_attained(n, k):
    """The same basis shown k times with labels that alternate: every round is a mistake or a tie.

    Against u = 0 in the limit (gamma large) both bounds grow with the number of rounds.
    """
    X = np.vstack([np.eye(n), np.eye(n)])
    y = np.r_[np.ones(n), -np.ones(n)]
    sample = Sample.of(storage_of(X), y, affine=False)
    _, mistakes = play(sample, list(range(2 * n)) * k)
    assert len(mistakes) == 2 * n * k
    u, gamma = np.ones(n) / np.sqrt(n), 1e6
    margins = np.tile(y * (X @ u), k)
    hinge = np.maximum(0, 1 - margins / gamma).sum()
    deviation = np.sqrt((np.maximum(0, gamma - margins) ** 2).sum())
    assert hinge_mistake_bound(1.0, gamma, hinge) == pytest.approx(len(mistakes), rel=1e-2)
    assert squared_mistake_bound(1.0, gamma, deviation) == pytest.approx(len(mistakes), rel=1e-2)


@given(R=st.floats(0.1, 100), gamma=st.floats(0.01, 10))
def test_without_loss_the_bounds_agree(R, gamma):
    assert hinge_mistake_bound(R, gamma, 0.0) == pytest.approx(mistake_bound(R, gamma))
    assert squared_mistake_bound(R, gamma, 0.0) == pytest.approx(mistake_bound(R, gamma))


@given(problem=problems(least=0.03), seed=SEEDS)
def test_mistakes_by_the_norms_of_their_examples(problem, seed):
    sequence = sequences(problem, seed, rounds=40)
    _, mistakes = play(problem.sample(), sequence)
    gamma = (problem.Z[sequence] @ problem.optimum.direction).min()
    squares = (problem.Z[sequence][mistakes] ** 2).sum(axis=1)
    bound = norms_mistake_bound(squares, gamma)
    assert_at_most(len(mistakes), bound)
    # Never worse than R, given as many mistakes.
    assert bound <= np.sqrt(len(mistakes)) * problem.R / gamma * (1 + 1e-9)


@given(problem=noisy_problems(), seed=SEEDS)
def test_the_bounds_of_any_comparator(problem, seed):
    rng = np.random.default_rng(seed)
    sequence = sequences(problem, seed)
    _, mistakes = play(problem.sample(), sequence)
    X, y = problem.X[sequence], problem.y[sequence]
    wrong = np.isin(np.arange(len(y)), mistakes)
    for u in (rng.standard_normal(X.shape[1]), problem.y @ problem.X):
        best = comparator_bounds(X, y, u, mistakes=wrong)
        assert_at_most(len(mistakes), best.best)
        # No gamma of a few gives much less, and the length of u does not matter.
        for gamma in (0.05, 0.3, 1.0, 4.0):
            found = comparator_bounds(X, y, 7.0 * u, gamma, mistakes=mistakes)
            assert_at_most(len(mistakes), found.by_hinge)
            assert_at_most(len(mistakes), found.by_deviation)
            assert best.best <= found.best * 1.02
            everything = comparator_bounds(sparse.csr_matrix(X), y, u, gamma)
            assert everything.by_hinge >= found.by_hinge * (1 - 1e-9)
            assert everything.by_deviation == pytest.approx(found.by_deviation)


@given(problem=problems(least=0.1))
def test_a_comparator_with_a_margin_gives_novikoffs_bound(problem):
    u, eps = problem.optimum.direction, (problem.Z @ problem.optimum.direction).min()
    found = comparator_bounds(problem.X, problem.y, u, eps)
    assert found.hinge < 1e-9 and found.deviation < 1e-9 * problem.R
    assert found.best == pytest.approx(mistake_bound(problem.R, eps), rel=1e-6)
    assert comparator_bounds(problem.X, problem.y, u).best <= found.best * (1 + 1e-9)


def test_a_comparator_by_hand():
    found = comparator_bounds([[3.0, 4.0], [1.0, 0.0]], [1, -1], [2.0, 0.0], 0.5)
    assert found.R == 5.0
    assert found.hinge == 3.0
    assert found.deviation == 1.5
    assert found.by_hinge == hinge_mistake_bound(5.0, 0.5, 3.0)
    assert found.by_deviation == 169.0
    only = comparator_bounds([[3.0, 4.0], [1.0, 0.0]], [1, -1], [2.0, 0.0], 0.5, mistakes=[0])
    assert only.hinge == 0.0 and only.deviation == 1.5
    assert only.best == 100.0
    assert comparator_bounds([[0.0]], [1], [1.0]).best == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: mistake_bound(1.0, 0.0), "gamma=0.0 must be a positive number"),
        (lambda: mistake_bound(-1.0, 1.0), "R=-1.0 must be a finite number"),
        (lambda: mistake_bound(float("nan"), 1.0), "R=nan"),
        (lambda: lifted_mistake_bound(1.0, 1.0, 0.0), "lift=0.0 must be a positive number"),
        (lambda: hinge_mistake_bound(1.0, 1.0, -1.0), "hinge=-1.0"),
        (lambda: squared_mistake_bound(1.0, 1.0, float("inf")), "deviation=inf"),
        (lambda: norms_mistake_bound([1.0, -1.0], 1.0), "squared_norms must be finite"),
        (lambda: norms_mistake_bound([1.0], 0.0), "gamma=0.0 must be a positive number"),
        (lambda: comparator_bounds([[1.0]], [1], [0.0]), "not all of them zero"),
        (lambda: comparator_bounds([[1.0]], [1], [1.0, 2.0]), "a coefficient for each feature"),
        (lambda: comparator_bounds([[1.0]], [1, 1], [1.0]), "label for each round"),
        (lambda: comparator_bounds([[1.0]], [0], [1.0]), "labels must be -1 and"),
        (lambda: comparator_bounds([[1.0]], [1], [1.0], 0.0), "gamma=0.0 must be a positive"),
        (lambda: comparator_bounds([[np.nan]], [1], [1.0], 1.0), "R=nan must be"),
    ],
)
def test_bounds_of_nothing_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
