"""``min_i z_i . w / |w| <= eps* <= |sum_i lambda_i z_i|`` for every w and all convex weights.

Affine: ``(min_P u . x - max_Q u . x) / 2 <= gamma* <= |P - Q| / 2`` for every unit vector u and any
points P, Q of the two hulls. A run gives both sides for free, whatever its rule.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff.certificate import Account, Separation, Status, Weighted
from novikoff.run import Clock, Limits, run
from novikoff.sample import Sample, storage_of
from tests.theorems.optimum import affine_optimum
from tests.theorems.problems import (
    SEEDS,
    affine_problems,
    certifier_of,
    noisy_problems,
    orders,
    problems,
)
from tests.theorems.rule_sets import ALL_RULES, WITH_A_SCALE
from tests.theorems.runs import mostly_decided, settle, settled_weights

RULES = st.sampled_from([ALL_RULES[name] for name in ALL_RULES if name not in WITH_A_SCALE])


def certified_hyperplane(problem, affine, coef, intercept, weights):
    certifier = certifier_of(problem.X, problem.y, affine)
    if certifier is None:
        return None
    return certifier.hard(
        Account(status=Status.MAX_ITER),
        coef=coef,
        intercept=intercept,
        proof=Weighted(np.flatnonzero(weights), weights[weights > 0]),
    )


@given(problem=st.one_of(problems(least=0.02), noisy_problems()), seed=SEEDS)
def test_any_vector_and_any_weights(problem, seed):
    rng = np.random.default_rng(seed)
    n, d = problem.X.shape
    weights = rng.integers(0, 5, size=n)
    weights[rng.integers(n)] += 1
    certificate = certified_hyperplane(problem, False, rng.standard_normal(d), 0.0, weights)
    if certificate is None:
        return
    tiny = 1e-9 * problem.R
    assert certificate.lower <= problem.eps + tiny
    assert certificate.upper >= problem.eps - tiny
    assert certificate.upper == pytest.approx(
        np.linalg.norm(weights @ problem.Z) / weights.sum(), abs=tiny
    )


@given(problem=st.one_of(affine_problems(least=0.02), noisy_problems()), seed=SEEDS)
def test_any_hyperplane_and_any_hull_points(problem, seed):
    rng = np.random.default_rng(seed)
    n, d = problem.X.shape
    weights = rng.integers(0, 5, size=n)
    weights[[np.argmax(problem.y), np.argmin(problem.y)]] += 1
    coef, intercept = rng.standard_normal(d), problem.R * rng.standard_normal()
    certificate = certified_hyperplane(problem, True, coef, intercept, weights)
    gamma, tiny = affine_optimum(problem.X, problem.y), 1e-9 * problem.R
    assert certificate.lower <= gamma + tiny
    assert certificate.upper >= gamma - tiny


def certified(finished, problem):
    coef, intercept, _ = finished.hyperplane(settled_weights(finished))
    affine, weights = finished.sample.affine, finished.upper
    return certified_hyperplane(problem, affine, coef, intercept if affine else 0.0, weights)


def assert_separated(certificate, rule, best, tiny):
    assert certificate.lower <= best + tiny
    if rule.margin_bound(1.0, 0.5) is None:
        # No room for rounding: a tie that rounding breaks ends the run, and may be an error.
        assert certificate.lower >= -tiny
    else:
        assert isinstance(certificate, Separation)


@mostly_decided
@given(problem=problems(least=0.2), rule=RULES, seed=SEEDS)
def test_finished_runs(problem, rule, seed):
    """The optimum lies between the bounds of the run, of its history and of its certificate."""
    sample = problem.sample(order=orders(len(problem.y), seed))
    finished = settle(sample, rule)
    if finished is None:
        return
    eps, tiny = problem.eps, 1e-9 * problem.R
    certificate = certified(finished, problem)
    if certificate is None:
        return
    assert_separated(certificate, rule, eps, tiny)
    assert eps - tiny <= certificate.upper <= finished.bounds.upper + tiny
    assert_history_is_sound(finished, eps, tiny)


@mostly_decided
@given(problem=affine_problems(least=0.3), rule=RULES, seed=SEEDS)
def test_finished_runs_with_an_intercept(problem, rule, seed):
    """Not the lifted ``|w| / t``, which may lie below gamma*: half the distance of hull points."""
    sample = Sample.of(storage_of(problem.X), problem.y, order=orders(len(problem.y), seed))
    finished = settle(sample, rule)
    if finished is None:
        return
    gamma, tiny = affine_optimum(problem.X, problem.y), 1e-9 * problem.R
    assert finished.upper is not None, "a separating run has weights in both classes"
    certificate = certified(finished, problem)
    assert_separated(certificate, rule, gamma, tiny)
    assert gamma - tiny <= certificate.upper <= finished.bounds.upper + tiny
    means = sample.hull_distance(finished.upper, sample.combine(finished.upper)[0])
    assert certificate.upper == pytest.approx(means / 2, abs=tiny)
    assert_history_is_sound(finished, gamma, tiny)


@given(
    problem=st.one_of(problems(least=0.02), noisy_problems()),
    rule=RULES,
    affine=st.booleans(),
    passes=st.integers(1, 20),
)
def test_runs_cut_short(problem, rule, affine, passes):
    """The bounds hold at any time, separable or not."""
    if affine and abs(problem.y.sum()) == len(problem.y):
        return
    sample = Sample.of(storage_of(problem.X), problem.y, affine=affine)
    cut = run(sample, rule, clock=Clock(Limits(max_iter=passes)))
    best = affine_optimum(problem.X, problem.y) if affine else problem.eps
    assert_history_is_sound(cut, best, 1e-9 * problem.R)


def assert_history_is_sound(finished, best, tiny):
    lower = [line.lower for line in finished.history]
    upper = [line.upper for line in finished.history]
    assert lower == sorted(lower) and upper == sorted(upper, reverse=True)
    assert lower[-1] <= best + tiny
    assert upper[-1] >= best - tiny
    if finished.best is not None:
        sample = finished.sample
        coef, intercept, _ = finished.hyperplane(finished.best)
        X = np.array([sample.storage.dense_row(i) for i in range(sample.n_examples)])
        margins = sample.signs * (X @ coef + (intercept if sample.affine else 0.0))
        assert margins.min() / np.linalg.norm(coef) >= finished.bounds.lower - tiny
