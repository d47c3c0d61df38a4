"""Theorem 2.1: Algorithm 2 makes at most ``(2 beta + R^2) / eps*^2`` updates, and its margin is
at least ``beta eps* / (2 beta + R^2)``."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from novikoff import rules
from novikoff.compiled.step import LONGEST2
from tests.theorems.problems import SEEDS, problems
from tests.theorems.promises import assert_at_most, assert_margin, assert_promises
from tests.theorems.runs import PICKS, choose, mostly_decided, settle, settle_in_order

BETAS = st.floats(0.0, 6.0)


@mostly_decided
@given(problem=problems(least=0.07), share=BETAS, seed=SEEDS)
def test_updates_and_margin(problem, share, seed):
    """beta in units of R^2; the bounds hold with the largest norm among the updates."""
    rule = rules.Margin(beta=share)
    finished = settle_in_order(problem, rule, seed)
    if finished is None:
        return
    beta = share * problem.R**2
    used2 = finished.memory.state[LONGEST2]
    margin = assert_promises(rule, problem, finished.weights)
    assert_at_most(finished.n_updates, (2 * beta + used2) / problem.eps**2)
    assert_margin(margin, beta * problem.eps / (2 * beta + used2), problem.R)
    exit_margin = (problem.Z @ finished.memory.w).min()
    assert exit_margin > beta * (1 - 1e-9) - 1e-12 * problem.R**2


@mostly_decided
@given(problem=problems(least=0.07), beta=BETAS)
def test_absolute_threshold(problem, beta):
    """The unit is the caller's: the same run as with beta / R^2, and the same bounds."""
    beta *= problem.R**2
    absolute = rules.Margin(beta=beta, unit="absolute")
    finished = settle(problem.sample(), absolute)
    if finished is None:
        return
    bound = (2 * beta + problem.R**2) / problem.eps**2
    assert math.isclose(absolute.update_bound(problem.R, problem.eps), bound)
    assert_promises(absolute, problem, finished.weights)


@mostly_decided
@given(
    problem=problems(least=0.15),
    beta=st.floats(0.0, 2.0),
    pick=st.sampled_from(list(PICKS)),
    seed=SEEDS,
)
def test_any_choice_of_violated_examples(problem, beta, pick, seed):
    rule = rules.Margin(beta=beta)
    memory = choose(problem.sample(), rule, pick, seed=seed)
    if memory is not None:
        assert_promises(rule, problem, memory.weights)


@mostly_decided
@given(problem=problems(least=0.1))
def test_beta_zero_is_algorithm_1(problem):
    zero = settle(problem.sample(), rules.Margin(beta=0.0))
    classic = settle(problem.sample(), rules.Classic())
    if zero is not None and classic is not None:
        np.testing.assert_array_equal(zero.memory.stamps, classic.memory.stamps)
        np.testing.assert_array_equal(zero.memory.w, classic.memory.w)


@given(beta=st.floats(1e-3, 1e9), R=st.floats(1e-3, 1e3), share=st.floats(1e-3, 1.0))
def test_no_beta_proves_more_than_half(beta, R, share):
    assert rules.Margin(beta=beta).margin_bound(R, share * R) <= share * R / 2
