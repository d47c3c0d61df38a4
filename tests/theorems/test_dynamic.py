"""The perceptron with a dynamic margin: update while ``z . w <= (1 - accuracy) |w|^2 / t``.

A run that ends has at least ``1 - accuracy`` of the optimum, since ``|w| / t`` bounds the optimum
from above. With k = 2 (1 - accuracy), ``|w_{t+1}|^2 <= (1 + k / t) |w_t|^2 + R^2``, so that
``|w_t|^2 <= R^2 N_t`` with N_1 = 1 and ``N_{t+1} = (1 + k / t) N_t + 1``. ``N_t / t^2`` never
increases: by induction ``N_t >= t^2 / ((2 - k) t + 1)``, which is what that takes. So
``t eps* <= |w_t|`` holds up to the last t with ``N_t / t^2 >= (eps* / R)^2``, and no longer.
"""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import rules
from novikoff.compiled.step import LONGEST2
from novikoff.rules.dynamic import growth
from tests.theorems.problems import SEEDS, problems
from tests.theorems.promises import assert_margin, assert_promises
from tests.theorems.runs import PICKS, choose, mostly_decided, settle_in_order

ACCURACIES = st.floats(0.15, 0.95)


@mostly_decided
@given(problem=problems(least=0.1), accuracy=ACCURACIES, seed=SEEDS)
def test_updates_margin_and_proof(problem, accuracy, seed):
    rule = rules.Dynamic(accuracy=accuracy)
    finished = settle_in_order(problem, rule, seed)
    if finished is None:
        return
    used = math.sqrt(finished.memory.state[LONGEST2])
    margin = assert_promises(rule, problem, finished.weights, R=used)
    upper = np.linalg.norm(finished.weights @ problem.Z) / finished.n_updates
    assert_margin(margin, (1 - accuracy) * upper, problem.R)


@mostly_decided
@given(problem=problems(least=0.3), accuracy=ACCURACIES, pick=st.sampled_from(list(PICKS)))
def test_the_norm_grows_as_bounded(problem, accuracy, pick):
    t, N, k = 0, 0.0, 2 * (1 - accuracy)

    def watch(memory, i):
        nonlocal t, N
        t, N = t + 1, (1 + k / t) * N + 1 if t else 1.0
        assert memory.w @ memory.w <= problem.R**2 * N * (1 + 1e-9)
        assert growth(t, k) == pytest.approx(N, rel=1e-6 if abs(k - 1) > 1e-3 else 0.02)

    choose(problem.sample(), rules.Dynamic(accuracy=accuracy), pick, watch=watch)


@given(k=st.one_of(st.floats(1e-3, 1.999), st.floats(0.998, 1.002)))
def test_growth_is_never_understated(k):
    """The closed form against the recurrence it solves, and ``N_t / t^2`` against its claim."""
    N = 1.0
    ratio = 1.0
    for t in range(1, 3000):
        assert growth(t, k) >= N
        assert growth(t, k) <= N * 1.02
        assert N >= t**2 / ((2 - k) * t + 1) * (1 - 1e-9)
        assert N / t**2 <= ratio * (1 + 1e-12)
        ratio = N / t**2
        N = (1 + k / t) * N + 1


@given(k=st.one_of(st.floats(0.01, 0.999), st.floats(1.001, 1.99)), t=st.floats(10.0, 1e60))
def test_growth_at_any_time(k, t):
    """Fifty digits more than a float: no cancellation however large t is."""
    with mpmath.workdps(130):
        exact = (mpmath.gammaprod([t + mpmath.mpf(k)], [t, k]) - t) / (mpmath.mpf(k) - 1)
        assert 1 <= growth(t, k) / exact <= 1 + 1e-6


@given(accuracy=st.floats(0.05, 0.99), share=st.floats(0.005, 1.0))
def test_update_bound_is_the_last_possible_time(accuracy, share):
    """Whatever its size: just below it the norm still allows the margin, at it no longer."""
    bound = rules.Dynamic(accuracy=accuracy).update_bound(2.0, 2.0 * share)
    if math.isinf(bound):
        return
    k = 2 * (1 - accuracy)
    k = 1.001 if abs(k - 1) < 1e-3 else k

    def still_possible(t):
        with mpmath.workdps(130):
            t = mpmath.mpf(t)
            N = (mpmath.gammaprod([t + mpmath.mpf(k)], [t, k]) - t) / (mpmath.mpf(k) - 1)
            return N / t**2 >= mpmath.mpf(share) ** 2

    assert not still_possible(bound * (1 + 1e-9) + 1)
    assert bound <= 2 or still_possible(bound * (1 - 1e-4 / accuracy) - 1)


def test_a_bound_beyond_the_reach_of_lgamma():
    """accuracy .1 at eps = R / 100: some 4e20 updates are not excluded."""
    assert rules.Dynamic(accuracy=0.1).update_bound(1.0, 0.01) == pytest.approx(4.35e20, rel=1e-2)
