"""MinOver: always update on what is worst, stop when the two bounds meet.

With ``m_t <= eps*`` the margin of w_t and H_T the harmonic number,
``|w_T| / T <= eps* + (R^2 - eps*^2) H_T / (2 eps* T)`` and
``max_{t < T} m_t >= (T eps* - R - R^2 H_{T-1} / (2 eps*)) / (T - 1)``. With an intercept it is
MinOver on the differences of the two classes: all holds with ``(D, 2 gamma*)`` for ``(R, eps*)``.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import rules
from novikoff.certificate import Status
from novikoff.run import Clock, Limits, run
from novikoff.sample import Sample, storage_of
from tests.theorems.optimum import differences, margin_of, optimum
from tests.theorems.problems import (
    SEEDS,
    Problem,
    affine_problems,
    integer_problems,
    orders,
    problems,
)
from tests.theorems.promises import assert_at_most, assert_margin
from tests.theorems.runs import mostly_decided, settle


@mostly_decided
@given(problem=problems(least=0.15), accuracy=st.floats(0.05, 0.9))
def test_updates_margin_and_proof(problem, accuracy):
    rule = rules.MinOver(accuracy=accuracy)
    finished = settle(problem.sample(), rule, max_updates=20_000)
    if finished is None:
        return
    assert finished.status is Status.GAP_REACHED
    assert_at_most(finished.n_updates, rule.update_bound(problem.R, problem.eps))
    margin = margin_of(problem.Z, finished.best)
    assert margin == pytest.approx(finished.bounds.lower, rel=1e-9)
    assert_margin(margin, rule.margin_bound(problem.R, problem.eps), problem.R)
    assert finished.bounds.lower >= (1 - accuracy) * finished.bounds.upper * (1 - 1e-9)
    assert finished.bounds.upper >= problem.eps * (1 - 1e-9)


@given(problem=problems(least=0.1), T=st.integers(2, 300))
def test_both_bounds_at_any_time(problem, T):
    """The formulas hold for every T, so that the runs are cut there on purpose."""
    nearly_never = rules.MinOver(accuracy=1e-15)
    cut = run(problem.sample(), nearly_never, clock=Clock(Limits(max_iter=T + 1, max_updates=T)))
    T = cut.n_updates
    if cut.status is Status.GAP_REACHED or T < 2:
        # The bounds met to the last digit: the optimum itself was found.
        assert cut.bounds.upper == pytest.approx(problem.eps)
        return
    R, eps = problem.R, problem.eps
    harmonic = np.cumsum(1 / np.arange(1, T + 1))
    upper = np.linalg.norm(cut.weights @ problem.Z) / T
    assert upper <= (eps + (R**2 - eps**2) * harmonic[-1] / (2 * eps * T)) * (1 + 1e-9)
    least = (T * eps - R - R**2 * harmonic[-2] / (2 * eps)) / (T - 1)
    assert_margin(max(cut.bounds.lower, margin_of(problem.Z, cut.weights)), least, R)


@given(problem=problems(least=0.1), T=st.integers(1, 60))
def test_the_worst_example_is_chosen_each_time(problem, T):
    """The loop against five lines of numpy; ties may be broken by rounding, sums may not."""
    cut = run(problem.sample(), rules.MinOver(accuracy=1e-15), clock=Clock(Limits(max_updates=T)))
    w = np.zeros(problem.X.shape[1])
    for _ in range(cut.n_updates):
        w += problem.Z[np.argmin(problem.Z @ w)]
    assert cut.weights.sum() == cut.n_updates
    worst = (problem.Z @ w).min()
    assert (problem.Z @ cut.memory.w).min() == pytest.approx(worst, abs=1e-9 * problem.R**2)


# With an intercept -----------------------------------------------------------------------------


@mostly_decided
@given(problem=affine_problems(least=0.2), accuracy=st.floats(0.05, 0.9), seed=SEEDS)
def test_with_an_intercept(problem, accuracy, seed):
    rule, order = rules.MinOver(accuracy=accuracy), orders(len(problem.y), seed)
    finished = settle(Sample.of(storage_of(problem.X), problem.y, order=order), rule)
    if finished is None:
        return
    assert finished.status is Status.GAP_REACHED
    rows = differences(problem.Z, problem.y)
    D, twice = np.linalg.norm(rows, axis=1).max(), optimum(rows).upper
    assert_at_most(finished.n_updates, 2 * rule.update_bound(D, twice))
    coef, intercept, pair = finished.hyperplane(finished.best)
    distances = problem.y * (problem.X @ coef + intercept) / np.linalg.norm(coef)
    tiny = 1e-9 * problem.R
    assert distances.min() == pytest.approx(finished.bounds.lower, abs=tiny)
    assert distances[pair] == pytest.approx([distances.min()] * 2, abs=tiny)
    assert problem.y[pair].tolist() == [1, -1]
    assert_margin(distances.min(), rule.margin_bound(D, twice) / 2, problem.R)
    assert finished.bounds.lower >= (1 - accuracy) * finished.bounds.upper
    assert finished.bounds.upper >= twice / 2 * (1 - 1e-9)
    proof = finished.upper * problem.y
    assert proof.sum() == 0
    upper = np.linalg.norm(proof @ problem.X) / np.abs(proof).sum()
    assert upper == pytest.approx(finished.bounds.upper, abs=tiny)


@mostly_decided
@given(problem=integer_problems(intercept=True), accuracy=st.floats(0.1, 0.9))
def test_it_is_the_run_on_the_differences(problem, accuracy):
    """On integers, pair for pair; whatever the centre and the lift are."""
    rows = differences(problem.Z, problem.y)
    rule = rules.MinOver(accuracy=accuracy)
    written_out = Problem(rows, np.ones(len(rows), dtype=int), "differences").sample()
    plain = settle(written_out, rule)
    if plain is None:
        return
    for how in ({}, {"centre": np.zeros(problem.X.shape[1])}, {"lift": 3.0}):
        pairs = settle(Sample.of(storage_of(problem.X), problem.y, **how), rule)
        assert pairs is not None
        assert pairs.n_updates == 2 * plain.n_updates
        assert pairs.mistakes == 2 * plain.mistakes
        assert pairs.n_iter == plain.n_iter
        np.testing.assert_array_equal(pairs.memory.w, plain.memory.w)
        assert pairs.bounds.lower == pytest.approx(plain.bounds.lower / 2)
        assert pairs.bounds.upper == pytest.approx(plain.bounds.upper / 2)
        np.testing.assert_allclose(
            pairs.sample.combine(pairs.averaged)[0], plain.averaged @ rows, atol=1e-9 * problem.R
        )
