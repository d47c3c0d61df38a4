"""The soft margin by lifting: ``z_i -> (z_i, Delta e_i)``.

Every sample is separable after the lift, with ``eps~*^2 >= Delta^2 / n``, and every theorem holds
with ``R~^2 = R^2 + Delta^2``. The lift is never stored: its part of w is Delta times the weights.
The optimum is that of the support vector machine with squared hinge loss and C = 1 / (2 Delta^2).
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import rules
from novikoff.certificate import Status, Weighted
from novikoff.compiled.step import LONGEST2, NORM2
from novikoff.run import Clock, Limits, run
from novikoff.sample import Sample, storage_of
from tests.sample.lift import lifted_examples
from tests.theorems.optimum import optimum
from tests.theorems.problems import (
    SEEDS,
    Problem,
    certifier_of,
    integer_problems,
    noisy_problems,
    orders,
)
from tests.theorems.promises import assert_at_most
from tests.theorems.rule_sets import UNIT_STEP_RULES
from tests.theorems.runs import mostly_decided, settle, settled_weights


@st.composite
def any_labels(draw):
    """Small integers with labels that mostly do not separate."""
    problem = draw(integer_problems())
    flips = np.random.default_rng(draw(SEEDS)).random(len(problem.y)) < 0.3
    return Problem(problem.X, np.where(flips, -problem.y, problem.y), f"{problem.made} with flips")


@pytest.mark.parametrize("name", [name for name in UNIT_STEP_RULES if name != "infinity"])
@mostly_decided
@given(problem=any_labels(), delta=st.sampled_from([1.0, 2.0, 4.0]), affine=st.booleans())
def test_the_implicit_lift_makes_the_run_of_the_lifted_matrix(name, problem, delta, affine):
    """On integers, update for update the run on the lifted matrix."""
    how = {"affine": affine, "centre": problem.X[0], "lift": 4.0} if affine else {"affine": False}
    sample = Sample.of(storage_of(problem.X), problem.y, slack2=delta**2, **how)
    Z = lifted_examples(sample, problem.X)
    rule = UNIT_STEP_RULES[name]
    if name == "min-over" and affine:
        # Its pairs need both classes, so that only the slack is written out.
        rows, how["centre"] = (
            np.hstack([problem.X, np.diag(delta * problem.y)]),
            np.append(problem.X[0], np.zeros(len(Z))),
        )
        explicit = Sample.of(storage_of(rows), problem.y, **how)
    else:
        explicit = Problem(Z, np.ones(len(Z), dtype=int), f"{problem.made}, lifted").sample()
    # Few of the runs need more updates, and these take minutes.
    lifted, stored = (settle(each, rule, max_updates=20_000) for each in (sample, explicit))
    if lifted is None or stored is None:
        return
    assert lifted.status is stored.status
    np.testing.assert_array_equal(lifted.memory.stamps, stored.memory.stamps)
    np.testing.assert_array_equal(lifted.weights, stored.weights)
    assert lifted.memory.state[NORM2] == stored.memory.state[NORM2]
    assert lifted.memory.state[LONGEST2] == stored.memory.state[LONGEST2]
    np.testing.assert_array_equal(delta * lifted.weights, stored.memory.w[-len(Z) :])
    np.testing.assert_array_equal(
        problem.y @ (lifted.weights[:, None] * (problem.X - sample.centre)), lifted.memory.w
    )


@given(problem=noisy_problems(), share=st.floats(0.05, 5.0))
def test_everything_is_separable(problem, share):
    delta = share * problem.R
    sample = problem.sample(slack2=delta**2)
    lifted = optimum(lifted_examples(sample, problem.X))
    assert lifted.lower**2 >= (delta**2 / len(problem.y)) * (1 - 1e-9)
    assert sample.lifted_radius == pytest.approx(math.hypot(problem.R, delta))
    hard = problem.optimum.upper
    assert lifted.upper**2 >= hard**2 * (1 - 1e-9) - 1e-15 * problem.R**2


@mostly_decided
@given(problem=noisy_problems(), share=st.floats(0.2, 3.0), seed=SEEDS, gamma=st.floats(0.05, 3.0))
def test_updates_beside_an_imperfect_comparator(problem, share, seed, gamma):
    """``(R^2 + Delta^2) (1 + D^2 / Delta^2) / gamma^2`` for every unit vector u."""
    delta = share * problem.R
    sample = problem.sample(slack2=delta**2, order=orders(len(problem.y), seed))
    finished = settle(sample, rules.Classic())
    if finished is None:
        return
    gamma *= problem.R
    for u in (
        np.random.default_rng(seed).standard_normal(problem.X.shape[1]),
        problem.y @ problem.X,
    ):
        u = u / np.linalg.norm(u)
        short = np.maximum(0.0, gamma - problem.Z @ u)
        bound = (problem.R**2 + delta**2) * (1 + short @ short / delta**2) / gamma**2
        assert_at_most(finished.n_updates, bound)


def primal(problem, delta, w):
    losses = np.maximum(0.0, 1 - problem.Z @ w)
    return w @ w / 2 + losses @ losses / (2 * delta**2)


@given(problem=noisy_problems(), share=st.floats(0.1, 3.0))
def test_the_optimum_is_the_support_vector_machine(problem, share):
    """``P* = 1 / (2 eps~*^2)``, attained by ``sum lambda_i z_i / eps~*^2``."""
    delta = share * problem.R
    lifted = optimum(lifted_examples(problem.sample(slack2=delta**2), problem.X))
    w = lifted.weights @ problem.Z / lifted.upper**2
    least = 1 / (2 * lifted.upper**2)
    assert primal(problem, delta, w) == pytest.approx(least, rel=1e-7)
    slacks = np.maximum(0.0, 1 - problem.Z @ w)
    np.testing.assert_allclose(slacks, delta**2 * lifted.weights / lifted.upper**2, atol=1e-6)
    rng = np.random.default_rng(0)
    for _ in range(5):
        other = w + 0.1 * np.linalg.norm(w) * rng.standard_normal(len(w))
        assert primal(problem, delta, other) >= least * (1 - 1e-9)


@mostly_decided
@given(
    problem=noisy_problems(),
    share=st.floats(0.5, 2.0),
    rule=st.sampled_from([rules.ScaleFree(), rules.Dynamic(accuracy=0.2), rules.MinOver()]),
)
def test_dual_and_primal_of_a_run(problem, share, rule):
    """``t^2 / (2 |w~|^2) <= P* <= P(w)``, and the certificate says no more."""
    delta = share * problem.R
    sample = problem.sample(slack2=delta**2)
    finished = settle(sample, rule)
    if finished is None:
        return
    Z = lifted_examples(sample, problem.X)
    least = 1 / (2 * optimum(Z).upper ** 2)
    weights = settled_weights(finished)
    length = np.linalg.norm(weights @ Z)
    dual = weights.sum() ** 2 / (2 * length**2)
    assert dual <= least * (1 + 1e-9)
    margin = (Z @ (weights @ Z)).min() / length
    w, _ = sample.model(weights)
    # Scaled to functional margin 1 on the lift, w costs at most 1 / (2 lower^2).
    assert least * (1 - 1e-9) <= primal(problem, delta, w / (margin * length))
    assert primal(problem, delta, w / (margin * length)) <= (1 + 1e-9) / (2 * margin**2)
    support = np.flatnonzero(weights)
    certifier = certifier_of(problem.X, problem.y, False)
    if certifier is None:
        return
    proof = Weighted(support, weights[support])
    certificate = certifier.soft_model(w, C=0.5 / delta**2, proof=proof, rescale=True).soft
    assert certificate.dual == pytest.approx(dual, rel=1e-9)
    assert certificate.dual <= least * (1 + 1e-9)
    assert least * (1 - 1e-9) <= certificate.primal <= (1 + 1e-9) / (2 * margin**2)


def test_a_bound_on_the_lift_is_no_verdict_on_the_data():
    """min_margin asks about the data, and the lift separates everything: it must not end runs."""
    X, y = np.array([[1.0], [1.0]]), np.array([1, -1])
    sample = Sample.of(storage_of(X), y, affine=False, slack2=0.01)
    finished = run(sample, rules.Classic(), clock=Clock(Limits(max_iter=10_000)), min_margin=0.5)
    assert finished.status is Status.CONVERGED
