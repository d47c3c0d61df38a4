"""Theorem 2.2: Algorithm 3 needs no scale. At most ``9 (R / eps*)^2`` updates (10 in print), and a
margin of at least ``eps* / 3``; with the threshold ``c rho^2``, rho the largest norm updated so
far, at most ``(2c + 1) (R / eps*)^2`` and at least ``c eps* / (2c + 1)``."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import rules
from novikoff.compiled.step import LONGEST2, SCALE, THRESHOLD
from tests.theorems.optimum import margin_of
from tests.theorems.problems import SEEDS, Problem, problems
from tests.theorems.promises import (
    assert_at_most,
    assert_margin,
    assert_promises,
    assert_scale_changes_nothing,
)
from tests.theorems.runs import PICKS, choose, mostly_decided, settle_in_order

PRINTED = rules.ScaleFree(printed=True)


@mostly_decided
@given(problem=problems(least=0.07), seed=SEEDS)
def test_printed_form(problem, seed):
    finished = settle_in_order(problem, PRINTED, seed)
    if finished is None:
        return
    eps, state = problem.eps, finished.memory.state
    used = math.sqrt(state[LONGEST2])
    margin = assert_promises(PRINTED, problem, finished.weights, R=used)
    # Sharper, with r the norm that set the last threshold 4 r^2 and m = min(2 r, R_u).
    r = math.sqrt(state[SCALE])
    m = min(2 * r, used)
    assert_at_most(finished.n_updates, (8 * r**2 + m**2) / eps**2)
    assert_margin(margin, 4 * r**2 * eps / (8 * r**2 + m**2), problem.R)


@mostly_decided
@given(problem=problems(least=0.1), pick=st.sampled_from(list(PICKS)), seed=SEEDS)
def test_printed_form_step_by_step(problem, pick, seed):
    """beta = 4 |x|^2 when beta < |x|^2, and never otherwise: at most 1 + log2(R_u / r) changes."""
    norms2 = np.einsum("ij,ij->i", problem.X, problem.X)
    betas, used = [0.0], []

    def watch(memory, i):
        used.append(norms2[i])
        expected = 4 * norms2[i] if betas[-1] < norms2[i] * (1 - 1e-12) else betas[-1]
        assert memory.state[THRESHOLD] == pytest.approx(expected)
        betas.append(memory.state[THRESHOLD])

    memory = choose(problem.sample(), PRINTED, pick, seed=seed, watch=watch)
    if memory is None:
        return
    changes = np.count_nonzero(np.diff(betas))
    assert changes <= 1 + math.floor(math.log2(math.sqrt(max(used) / used[0])) + 1e-9)
    assert_at_most(len(used), 9 * max(used) / problem.eps**2)
    assert_margin(margin_of(problem.Z, memory.weights), problem.eps / 3, problem.R)


@mostly_decided
@given(problem=problems(least=0.5, scales=st.just(1.0)), seed=SEEDS)
def test_equal_norms_give_four_ninths(problem, seed):
    norms = np.linalg.norm(problem.X, axis=1, keepdims=True)
    spheric = Problem(problem.X / norms, problem.y, f"{problem.made} on the sphere")
    finished = settle_in_order(spheric, PRINTED, seed)
    if finished is not None:
        assert_margin(margin_of(spheric.Z, finished.weights), 4 * spheric.eps / 9, 1.0)


@mostly_decided
@given(problem=problems(least=0.07), c=st.floats(0.0, 6.0), seed=SEEDS)
def test_running_maximum_form(problem, c, seed):
    rule = rules.ScaleFree(c=c)
    finished = settle_in_order(problem, rule, seed)
    if finished is None:
        return
    state = finished.memory.state
    assert state[SCALE] == state[LONGEST2]
    used = math.sqrt(state[LONGEST2])
    margin = assert_promises(rule, problem, finished.weights, R=used)
    assert_at_most(finished.n_updates, (2 * c + 1) * (used / problem.eps) ** 2)
    assert_margin(margin, c / (2 * c + 1) * problem.eps, problem.R)


@mostly_decided
@given(
    problem=problems(least=0.1),
    exponent=st.integers(-20, 20),
    rule=st.sampled_from([PRINTED, rules.ScaleFree(), rules.ScaleFree(c=4.0)]),
)
def test_scale_changes_nothing(problem, exponent, rule):
    """R-independent to the bit: scaling by a power of two gives the same updates."""
    assert_scale_changes_nothing(problem, rule, exponent)


def test_c_of_one_needs_a_third_of_the_updates():
    """c = 1 dominates the printed form: the same margin in 3 (R / eps)^2 updates."""
    assert rules.ScaleFree(c=1.0).margin_bound(1.0, 0.3) == pytest.approx(
        PRINTED.margin_bound(1.0, 0.3)
    )
    assert rules.ScaleFree(c=1.0).update_bound(1.0, 0.3) == pytest.approx(
        PRINTED.update_bound(1.0, 0.3) / 3
    )
    assert rules.ScaleFree(c=4.0).update_bound(1.0, 0.3) == pytest.approx(
        PRINTED.update_bound(1.0, 0.3)
    )
