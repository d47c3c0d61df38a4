"""Theorem 2.3: for R <= 1, Algorithm 4 makes at most ``(1 / eps*)^(2 / (2 - alpha))`` updates, and
its margin is at least ``alpha eps* / 2 - eps*^(alpha / (2 - alpha)) / 2``."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import rules
from novikoff.certificate import Status
from novikoff.compiled.step import increment
from novikoff.data import sharpness
from novikoff.run import Clock, Limits, run
from novikoff.sample import Sample, storage_of
from tests.theorems.optimum import margin_of, optimum
from tests.theorems.problems import SEEDS, Problem, orders, problems
from tests.theorems.promises import assert_at_most, assert_margin
from tests.theorems.runs import PICKS, choose, mostly_decided, settle

IN_THE_BALL = problems(least=0.3, scales=st.just(1.0))
ALPHAS = st.floats(1.01, 1.7)


def f(t, alpha):
    """The margin at exit after t updates is at least f(t)."""
    return increment(float(t), alpha) / t ** (alpha / 2)


@mostly_decided
@given(problem=IN_THE_BALL, alpha=ALPHAS, seed=SEEDS)
def test_updates_and_margin(problem, alpha, seed):
    rule = rules.Infinity(alpha=alpha)
    finished = settle(problem.sample(order=orders(len(problem.y), seed)), rule)
    if finished is None:
        return
    eps, T = problem.eps, finished.n_updates
    margin = margin_of(problem.Z, finished.weights)
    assert_at_most(T, (1 / eps) ** (2 / (2 - alpha)))
    assert_at_most(T, rule.update_bound(problem.R, eps))
    assert_margin(margin, f(T, alpha), 1.0)
    assert_margin(margin, alpha * eps / 2 - eps ** (alpha / (2 - alpha)) / 2, 1.0)
    assert_margin(margin, rule.margin_bound(problem.R, eps), 1.0)


@mostly_decided
@given(problem=IN_THE_BALL, alpha=ALPHAS, share=st.floats(0.01, 1.0))
def test_margin_with_any_smaller_eps(problem, alpha, share):
    """A hyperplane with less than the best margin is as good a comparator."""
    finished = settle(problem.sample(), rules.Infinity(alpha=alpha))
    if finished is not None:
        bound = rules.Infinity(alpha=alpha).margin_bound(1.0, share * problem.eps)
        assert_margin(margin_of(problem.Z, finished.weights), bound, 1.0)


@mostly_decided
@given(problem=IN_THE_BALL, delta=st.floats(0.15, 0.49))
def test_margin_close_to_the_optimum(problem, delta):
    """alpha = 2 (1 - delta): margin at least ``(1 - 2 delta - delta ln(1 / delta)) eps*``."""
    finished = settle(problem.sample(), rules.Infinity(alpha=2 * (1 - delta)))
    if finished is None:
        return
    assert_at_most(finished.n_updates, (1 / problem.eps) ** (1 / delta))
    bound = (1 - 2 * delta - delta * math.log(1 / delta)) * problem.eps
    assert_margin(margin_of(problem.Z, finished.weights), bound, 1.0)


@mostly_decided
@given(problem=IN_THE_BALL, alpha=ALPHAS, pick=st.sampled_from(list(PICKS)), seed=SEEDS)
def test_the_norm_grows_as_planned(problem, alpha, pick, seed):
    """``|w_t|^2 <= t^alpha`` from the first update on, whichever example is chosen."""
    count = 0

    def watch(memory, i):
        nonlocal count
        count += 1
        assert memory.w @ memory.w <= count**alpha * (1 + 1e-9)

    choose(problem.sample(), rules.Infinity(alpha=alpha), pick, seed=seed, watch=watch)


@pytest.mark.parametrize(
    ("alpha", "eps", "updates"),
    [(1.5, 0.3, 60), (1.5, 0.1, 5526), (1.5, 0.05, 89602), (1.8, 0.3, 99976)],
)
def test_sharpness(alpha, eps, updates):
    """On two almost opposite unit vectors, (alpha/2)^(1/(2-alpha)) of the bound, in the limit."""
    p = sharpness(eps)
    sample = Sample.of(storage_of(p.X), p.y, order=np.tile([0, 1], 1024), affine=False)
    rule = rules.Infinity(alpha=alpha)
    finished = run(sample, rule, clock=Clock(Limits(max_iter=1000)))
    assert finished.status is Status.CONVERGED
    assert finished.n_updates == updates
    ratio = updates / rule.update_bound(1.0, eps)
    # The run ends when t eps^2 passes b_t, about (alpha t^(alpha-1) - 1) / 2: first the limit,
    # then what the -1 takes from it.
    limit = (alpha / 2) ** (1 / (2 - alpha))
    correction = updates ** (1 - alpha) / (alpha * (2 - alpha))
    assert limit * (1 - 1.01 * correction) < ratio < limit
    classic = run(sample, rules.Classic())
    assert classic.n_updates == 2


def test_the_subtracted_term_is_needed():
    """Two unit vectors at inner product .08: one update, margin .08, less than alpha eps* / 4."""
    inner, alpha = 0.08, 1.1
    X = np.array([[1.0, 0.0], [inner, math.sqrt(1 - inner**2)]])
    problem = Problem(X, np.array([1, 1]), "two unit vectors")
    rule = rules.Infinity(alpha=alpha)
    finished = run(problem.sample(), rule)
    assert finished.status is Status.CONVERGED and finished.n_updates == 1
    margin, eps = margin_of(problem.Z, finished.weights), optimum(X).upper
    assert margin == pytest.approx(inner) and eps == pytest.approx(0.735, abs=5e-4)
    assert margin < alpha * eps / 4 < alpha * eps / 2
    assert_margin(margin, rule.margin_bound(1.0, eps), 1.0)


def test_long_examples_are_refused():
    """R <= 1 is essential: at ten times the scale, eps* > 1 would bound the updates by 0."""
    problem = Problem(10 * np.eye(2), np.array([1, 1]), "10 * eye(2)")
    rule = rules.Infinity()
    assert (1 / problem.eps) ** (2 / (2 - 1.5)) < 1
    assert rule.update_bound(problem.R, problem.eps) is None
    assert rule.margin_bound(problem.R, problem.eps) is None
    with pytest.raises(ValueError, match=r"norm at most 1.*ScaleFreeInfinity"):
        run(problem.sample(), rule)


@given(alpha=st.floats(1.0001, 1.9999))
def test_f_never_increases(alpha):
    """Appendix A, for t >= 1; below 1 the statement would be false."""
    t = np.arange(1, 3000)
    assert np.diff([f(s, alpha) for s in t]).max() <= 1e-12
    far = np.geomspace(1.0, 1e12, 2000)
    assert np.diff([f(s, alpha) for s in far]).max() <= 1e-12
    assert f(0.001, alpha) < f(1.0, alpha)


@given(alpha=st.floats(1.0001, 1.9999), t=st.integers(0, 10**12))
def test_thresholds_do_not_cancel(alpha, t):
    """b_t against fifty digits, and the telescoping sum of 2 b_t + 1 that makes T^alpha."""
    with mpmath.workdps(50):
        a = mpmath.mpf(alpha)
        exact = ((mpmath.mpf(t) + 1) ** a - mpmath.mpf(t) ** a - 1) / 2
        assert abs(increment(float(t), alpha) - exact) <= 1e-12 * (exact + 1)
    T = t % 500
    total = math.fsum(2 * increment(float(s), alpha) + 1 for s in range(T))
    assert total == pytest.approx(T**alpha, rel=1e-12)
