"""Algorithms 3 and 4 combined, as Section 2 suggests: the threshold ``rho^2 b_t``.

At most ``(R_u / eps*)^(2 / (2 - alpha))`` updates and a margin of at least
``alpha eps* / 2 - (R_u / 2) (eps* / R_u)^(alpha / (2 - alpha))``, R_u the largest norm among the
updates; no assumption on the scale. This increases with R_u, so that R cannot stand for R_u.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import rules
from novikoff.certificate import Status
from novikoff.compiled.step import LONGEST2, SCALE, increment
from novikoff.run import run
from tests.theorems.optimum import margin_of
from tests.theorems.problems import SEEDS, Problem, problems
from tests.theorems.promises import (
    assert_at_most,
    assert_margin,
    assert_promises,
    assert_scale_changes_nothing,
)
from tests.theorems.runs import PICKS, choose, mostly_decided, settle, settle_in_order

ALPHAS = st.floats(1.01, 1.6)


@mostly_decided
@given(problem=problems(least=0.25), alpha=ALPHAS, seed=SEEDS)
def test_updates_margin_and_gap(problem, alpha, seed):
    rule = rules.ScaleFreeInfinity(alpha=alpha)
    finished = settle_in_order(problem, rule, seed)
    if finished is None:
        return
    eps, T, state = problem.eps, finished.n_updates, finished.memory.state
    assert state[SCALE] == state[LONGEST2]
    rho = math.sqrt(state[LONGEST2])
    # Before the run R is known, and R_u is not.
    margin = assert_promises(rule, problem, finished.weights)
    assert_at_most(T, (rho / eps) ** (2 / (2 - alpha)))
    assert_at_most(T, rule.update_bound(rho, eps))
    assert_margin(margin, rho * increment(float(T), alpha) / T ** (alpha / 2), problem.R)
    share = alpha / (2 - alpha)
    assert_margin(margin, alpha * eps / 2 - rho / 2 * (eps / rho) ** share, problem.R)
    assert_margin(margin, rule.margin_bound_at_exit(rho, eps), problem.R)
    # Without eps*: lower / upper >= alpha / 2 - T^(1 - alpha) / 2.
    upper = np.linalg.norm(finished.weights @ problem.Z) / T
    assert margin / upper >= (alpha - T ** (1 - alpha)) / 2 - 1e-9


def test_the_margin_bound_needs_the_norms_of_the_updates():
    """With R in the place of R_u it is false: one update on a short example ends this run."""
    X = np.array([[1.0, 0.0], [0.08, math.sqrt(1 - 0.08**2)], [7.0, 7.0]])
    problem = Problem(X, np.ones(3, dtype=int), "a long example that is never updated")
    rule = rules.ScaleFreeInfinity(alpha=1.1)
    finished = run(problem.sample(), rule)
    margin, rho = margin_of(X, finished.weights), math.sqrt(finished.memory.state[LONGEST2])
    assert finished.status is Status.CONVERGED and finished.weights[2] == 0 and rho == 1
    assert margin < rule.margin_bound_at_exit(problem.R, problem.eps)
    assert_margin(margin, rule.margin_bound_at_exit(rho, problem.eps), problem.R)
    assert_margin(margin, rule.margin_bound(problem.R, problem.eps), problem.R)


@given(alpha=st.floats(1.001, 1.999), eps=st.floats(0.01, 10), ratio=st.floats(1.0, 1e6))
def test_the_margin_bound_for_every_rho(alpha, eps, ratio):
    """No rho >= eps, with the best e <= eps, promises less; rho = eps promises just that."""
    rule, rho = rules.ScaleFreeInfinity(alpha=alpha), ratio * eps
    best = max(rule.margin_bound_at_exit(rho, e) for e in np.linspace(0.0005, 1, 2000) * eps)
    bound = rule.margin_bound(rho, eps)
    assert best >= bound * (1 - 1e-3)
    at_eps = max(rule.margin_bound_at_exit(eps, e) for e in np.linspace(0.0005, 1, 2000) * eps)
    assert at_eps == pytest.approx(bound, rel=1e-3)
    assert bound >= rule.margin_bound_at_exit(eps, eps) - 1e-9 * eps


@mostly_decided
@given(problem=problems(least=0.25), delta=st.floats(0.2, 0.49))
def test_margin_close_to_the_optimum(problem, delta):
    finished = settle(problem.sample(), rules.ScaleFreeInfinity(alpha=2 * (1 - delta)))
    if finished is not None:
        bound = (1 - 2 * delta - delta * math.log(1 / delta)) * problem.eps
        assert_margin(margin_of(problem.Z, finished.weights), bound, problem.R)


@mostly_decided
@given(problem=problems(least=0.3), alpha=ALPHAS, pick=st.sampled_from(list(PICKS)), seed=SEEDS)
def test_the_norm_grows_as_planned(problem, alpha, pick, seed):
    """``|w_t|^2 <= rho_t^2 t^alpha`` after every update."""
    norms = np.linalg.norm(problem.X, axis=1)
    used = []

    def watch(memory, i):
        used.append(norms[i])
        t = len(used)
        assert memory.state[SCALE] == pytest.approx(max(used) ** 2)
        assert memory.w @ memory.w <= max(used) ** 2 * t**alpha * (1 + 1e-9)

    choose(problem.sample(), rules.ScaleFreeInfinity(alpha=alpha), pick, seed=seed, watch=watch)


@mostly_decided
@given(problem=problems(least=0.25), alpha=ALPHAS, exponent=st.integers(-30, 30))
def test_scale_changes_nothing(problem, alpha, exponent):
    assert_scale_changes_nothing(problem, rules.ScaleFreeInfinity(alpha=alpha), exponent)


@mostly_decided
@given(
    columns=st.lists(st.integers(0, 5), min_size=1, max_size=20),
    signs=st.lists(st.sampled_from([-1, 1]), min_size=20, max_size=20),
    alpha=ALPHAS,
)
def test_on_the_sphere_it_is_algorithm_4(columns, signs, alpha):
    """Where every norm is 1, exactly, rho is 1 from the first update on."""
    y = np.array(signs[: len(columns)])
    problem = Problem(np.eye(6)[columns] * y[:, None], y, f"basis {columns}")
    four = settle(problem.sample(), rules.Infinity(alpha=alpha))
    combined = settle(problem.sample(), rules.ScaleFreeInfinity(alpha=alpha))
    if four is not None and combined is not None:
        np.testing.assert_array_equal(four.memory.stamps, combined.memory.stamps)
