"""One proof for Algorithms 1 to 4 and their combination.

While some ``z . w <= rho^2 b_t``: w += z, rho the largest norm among the updates, ``b_t >= 0`` any
sequence. With ``B_T = sum_{t < T} (2 b_t + 1)``, where b_0 counts as 0 because rho is 0 then:

M1  ``|w_T|^2 <= rho_T^2 B_T``                   M2  ``T eps* <= |w_T|``
M3  ``T^2 / B_T <= (rho_T / eps*)^2``            M4  at exit, margin > ``rho_T^2 b_T / |w_T|``
M5  at exit, ``lower / upper >= b_T T / B_T``, with lower = margin and upper = ``|w_T| / T``
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import rules
from novikoff.compiled.step import LONGEST2, Specification, increment
from tests.theorems.optimum import margin_of
from tests.theorems.problems import SEEDS, Problem, orders, problems
from tests.theorems.promises import assert_margin
from tests.theorems.runs import PICKS, choose, mostly_decided, settle

ROUNDING = 1 + 1e-9


class Scheduled(rules.Rule):
    """``b_t = constant + growth * ((t + 1)^alpha - t^alpha - 1) / 2``: no rule of the paper."""

    def __init__(self, *, constant=0.0, growth=0.0, alpha=1.5):
        self.constant = constant
        self.growth = growth
        self.alpha = alpha

    def threshold(self, state):
        growth = ((state.t + 1) ** self.alpha - state.t**self.alpha - 1) / 2
        return state.rho2 * (self.constant + self.growth * growth)

    def specification(self, radius):
        return Specification(constant=self.constant, growth=self.growth, alpha=self.alpha)


def schedule(rule):
    """``b_t`` of a rule whose threshold is ``rho^2 b_t``."""
    spec = rule.specification(1.0)
    return lambda t: spec.constant + spec.growth * increment(float(t), spec.alpha) if t else 0.0


def thresholds():
    fixed = [rules.Classic(), rules.ScaleFree(), rules.ScaleFree(c=4.0)]
    growing = [rules.ScaleFreeInfinity(alpha=1.2), rules.ScaleFreeInfinity(alpha=1.5)]
    free = st.builds(
        Scheduled,
        constant=st.floats(0.0, 3.0),
        growth=st.floats(0.0, 1.5),
        alpha=st.floats(1.05, 1.5),
    )
    return st.one_of(st.sampled_from(fixed + growing), free)


@mostly_decided
@given(problem=problems(least=0.2), rule=thresholds(), seed=SEEDS)
def test_at_exit(problem, rule, seed):
    finished = settle(problem.sample(order=orders(len(problem.y), seed)), rule)
    if finished is None:
        return
    b, T, eps = schedule(rule), finished.n_updates, problem.eps
    B = math.fsum(2 * b(t) + 1 for t in range(T))
    rho2 = finished.memory.state[LONGEST2]
    assert rho2 == pytest.approx(
        (np.linalg.norm(problem.X, axis=1)[finished.weights > 0] ** 2).max()
    )
    length = np.linalg.norm(finished.weights @ problem.Z)
    margin = margin_of(problem.Z, finished.weights)
    assert length**2 <= rho2 * B * ROUNDING  # M1
    assert T * eps <= length * ROUNDING  # M2
    assert T**2 / B <= rho2 / eps**2 * ROUNDING  # M3
    assert_margin(margin, rho2 * b(T) / length, problem.R)  # M4
    assert_margin(margin, math.sqrt(rho2 / B) * b(T), problem.R)
    assert margin / (length / T) >= b(T) * T / B / ROUNDING - 1e-12  # M5


@mostly_decided
@given(
    problem=problems(least=0.25), rule=thresholds(), pick=st.sampled_from(list(PICKS)), seed=SEEDS
)
def test_after_every_update(problem, rule, pick, seed):
    """M1 and M2 are invariants, whichever violated example is chosen."""
    b, norms = schedule(rule), np.linalg.norm(problem.X, axis=1)
    B, rho, t = 0.0, 0.0, 0

    def watch(memory, i):
        nonlocal B, rho, t
        B, rho, t = B + 2 * b(t) + 1, max(rho, norms[i]), t + 1
        length = np.linalg.norm(memory.w)
        assert length**2 <= rho**2 * B * ROUNDING
        assert t * problem.eps <= length * ROUNDING
        assert problem.optimum.direction @ memory.w >= t * problem.eps / ROUNDING

    memory = choose(problem.sample(), rule, pick, seed=seed, watch=watch)
    if memory is not None:
        assert_margin(
            margin_of(problem.Z, memory.weights),
            rho**2 * b(t) / np.linalg.norm(memory.w),
            problem.R,
        )


@mostly_decided
@given(problem=problems(least=0.1), share=st.floats(0.0, 4.0), seed=SEEDS)
def test_fixed_threshold(problem, share, seed):
    """Algorithm 2: beta in place of rho^2 b_t, so ``|w_T|^2 <= sum of 2 beta + |z|^2``."""
    beta = share * problem.R**2
    finished = settle(
        problem.sample(order=orders(len(problem.y), seed)), rules.Margin(beta=beta, unit="absolute")
    )
    if finished is None:
        return
    T = finished.n_updates
    length = np.linalg.norm(finished.weights @ problem.Z)
    squares = finished.weights @ np.linalg.norm(problem.X, axis=1) ** 2
    margin = margin_of(problem.Z, finished.weights)
    assert length**2 <= (2 * beta * (T - 1) + squares) * ROUNDING
    assert T * problem.eps <= length * ROUNDING
    assert_margin(margin, beta / length, problem.R)
    ratio = beta / (2 * beta + finished.memory.state[LONGEST2])
    assert margin / (length / T) >= ratio / ROUNDING - 1e-12


@mostly_decided
@given(problem=problems(least=0.15), rule=thresholds(), seed=SEEDS)
def test_examples_never_updated_do_not_matter(problem, rule, seed):
    """All bounds hold with R_u: a far longer example, never violated, costs nothing."""
    order = orders(len(problem.y), seed)
    finished = settle(problem.sample(order=order), rule)
    if finished is None:
        return
    far = 1000 * problem.R * problem.optimum.direction
    longer = Problem(
        np.vstack([problem.X, far]), np.append(problem.y, 1), f"{problem.made} and a long one"
    )
    again = settle(longer.sample(order=np.append(order, len(order))), rule)
    if again is not None:
        assert again.weights[-1] == 0
        np.testing.assert_array_equal(again.memory.stamps[:-1], finished.memory.stamps)
        assert again.memory.state[LONGEST2] == finished.memory.state[LONGEST2]
