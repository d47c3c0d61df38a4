"""Lemma 4.2: bodies are closer than epsilon, or the sum of few differences separates them.

One of two exits within ``3 rho^2 / epsilon^2`` steps, rho the largest difference that was met: two
points closer than epsilon, or a hyperplane from which either body is epsilon / 6 away.
"""

from dataclasses import replace
from math import floor, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from novikoff.certificate import CertificateError
from novikoff.geometry import Ball, Ending, Oracle, Points, Verdict, separate
from tests.geometry.some_bodies import MAKERS, apart, some_body

SEEDS = st.integers(0, 10**6)


def check_promises(found, K, L, epsilon):
    assert found.ending is Ending.EPSILON
    # The bound is on t before the last test, so one more step than its floor is possible.
    assert found.steps <= floor(3 * (found.rho / epsilon) ** 2 * (1 + 1e-9) + 1e-9) + 1
    assert len(found.first) <= found.steps and len(found.second) <= found.steps
    closer = found.distance_upper < epsilon
    separated = found.margin >= epsilon / 6 * (1 - 1e-9)
    assert closer or separated
    if not closer:
        assert found.status is Verdict.APART
        assert found.steps <= floor(3 * (found.rho / epsilon) ** 2 * (1 + 1e-9) + 1e-9)
        low, high = K.support(-found.w) @ found.w, L.support(found.w) @ found.w
        assert min(low + found.b, -high - found.b) >= epsilon / 6 * (1 - 1e-9) - 1e-12 * found.rho
        # The normal is the sum of as many differences as there were steps.
        total = found.steps * (found.normal[0].point - found.normal[1].point) / found.rho
        assert total / np.linalg.norm(total) == pytest.approx(found.w, abs=1e-9)
        counts = [found.steps * part.weights for part in found.normal]
        assert all(np.allclose(each, np.rint(each), atol=1e-6) for each in counts)
        assert np.linalg.norm(total) <= sqrt(3 * found.steps) * (1 + 1e-9)


@pytest.mark.parametrize("kind", sorted(MAKERS))
@settings(max_examples=max(10, settings().max_examples // 5))
@given(st.sampled_from(sorted(MAKERS)), SEEDS, st.integers(1, 4), st.floats(0.2, 3.0))
def test_either_exit_keeps_its_promise(kind, other, seed, d, epsilon):
    K = some_body(kind, seed, d)
    L = apart(K, some_body(other, seed + 1, d), 0.5)
    found = separate(K, L, epsilon=epsilon)
    check_promises(found, K, L, epsilon)
    truth = separate(K, L)
    assert found.distance_lower <= truth.distance_upper
    assert truth.distance_lower <= found.distance_upper
    if epsilon <= truth.distance_lower:
        assert found.status is Verdict.APART and found.margin >= epsilon / 6 * (1 - 1e-9)
    proved = found.verify()
    assert found.distance_lower <= proved.lower <= proved.upper <= found.distance_upper


@pytest.mark.parametrize("kind", sorted(MAKERS))
def test_bodies_that_meet_are_found_to_be_close(kind):
    K = some_body(kind, 7, 3)
    reach = separate(K, K + 1e-3 * np.ones(3)).rho
    found = separate(K, K, epsilon=max(0.3 * reach, 0.1))
    check_promises(found, K, K, max(0.3 * reach, 0.1))
    assert found.status is (Verdict.CLOSE if found.distance_upper else Verdict.MEET)
    assert found.distance_upper < max(0.3 * reach, 0.1)
    assert found.verify().upper < max(0.3 * reach, 0.1)


@given(SEEDS, st.floats(0.05, 1.0))
def test_many_points(seed, epsilon):
    rng = np.random.default_rng(seed)
    P = rng.standard_normal((100, 3))
    Q = rng.standard_normal((100, 3)) + np.array([rng.uniform(3.0, 8.0), 0.0, 0.0])
    found = separate(P, Q, epsilon=epsilon)
    check_promises(found, Points(P), Points(Q), epsilon)


@pytest.mark.parametrize("scale", [2.0**-600, 2.0**-200, 2.0**200, 2.0**480])
def test_any_scale(scale):
    rng = np.random.default_rng(1)
    P, Q = rng.standard_normal((50, 4)), rng.standard_normal((50, 4)) + 2.5
    for wrap in (Points, lambda X: Points(X) + np.zeros(4)):
        one = separate(wrap(P), wrap(Q), epsilon=0.3)
        found = separate(wrap(scale * P), wrap(scale * Q), epsilon=0.3 * scale)
        check_promises(found, wrap(scale * P), wrap(scale * Q), 0.3 * scale)
        assert found.steps == one.steps and found.status is one.status
        found.verify()


def test_the_compiled_run_is_that_of_the_oracles():
    rng = np.random.default_rng(1)
    P, Q = rng.standard_normal((50, 4)), rng.standard_normal((50, 4)) + 2.5
    compiled = separate(P, Q, epsilon=0.3)
    one, two = (Oracle(Points(X).support, 4) for X in (P, Q))
    plain = separate(one, two, epsilon=0.3)
    assert compiled.steps == plain.steps > 3
    assert compiled.w == pytest.approx(plain.w) and compiled.rho == pytest.approx(plain.rho)


def test_approximate_oracles_lose_half_of_their_error():
    tau = 0.02

    def disk(center):
        return Oracle(lambda u: center + (1 - tau) * u / np.linalg.norm(u), 2, tau=tau)

    found = separate(disk(np.zeros(2)), disk(np.array([3.0, 0.0])), epsilon=0.5)
    assert found.status is Verdict.APART
    assert found.margin >= 0.5 / 6 - tau
    assert found.distance_lower <= 1.0
    assert found.verify().conditional
    with pytest.raises(CertificateError, match="neither exit"):
        replace(found, epsilon=5.0 * found.distance_lower, distance_upper=99.0).verify()


def test_limits_are_said():
    K, L = Ball([0.0, 0.0], 1.0), Ball([2.01, 0.1], 1.0)
    found = separate(K, L, epsilon=1e-3, max_steps=5)
    assert found.ending is Ending.MAX_STEPS and found.steps == 5
    assert separate(K, L, epsilon=1e-3, time_limit=0.0).ending is Ending.TIME_LIMIT
    many = Points(np.random.default_rng(0).standard_normal((50, 2)))
    found = separate(many, many + np.array([0.5, 0.3]), epsilon=1e-3, max_steps=7)
    assert found.ending is Ending.MAX_STEPS and found.steps == 7
    found = separate(many, Points(many.array * 0.9), epsilon=1e-4, max_steps=7)
    assert found.ending is Ending.MAX_STEPS and found.steps == 7


def test_the_step_bound_grows_with_the_inverse_square():
    P = np.array([[1.0, 1e-2], [-1.0, 1e-2]])
    origin = np.zeros((1, 2))
    found = separate(P, origin, epsilon=1e-2)
    check_promises(found, Points(P), Points(origin), 1e-2)
    # The two vectors nearly cancel: about rho^2 / distance^2 steps are needed.
    assert found.steps >= found.rho**2 / (3 * 1e-2**2)
