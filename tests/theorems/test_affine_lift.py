"""With an intercept: Algorithm 1 on ``(x, c)``.

The theorem of the notes *Perceptrons: Geometry and Convergence* (CS 536), mended: for norms of at
most 1 and both classes present, the perceptron on ``(x, 1)`` makes at most ``4 / gamma^2``
updates. In general ``(R^2 + c^2) (1 + b^2 / c^2) / gamma^2 <= (R^2 + c^2)^2 / (c gamma)^2``,
which is least for c = R. The first footnote of *On the Perceptron's Compression* gives the
example on which c = 1 is taxed.
"""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import rules
from novikoff.certificate import Status
from novikoff.data import far_pair
from novikoff.run import Clock, Limits, run
from novikoff.sample import Sample, storage_of
from novikoff.theory import lifted_mistake_bound
from tests.sample.lift import lifted_examples
from tests.theorems.optimum import affine_optimum, differences, optimum
from tests.theorems.problems import Problem, affine_problems, integer_problems
from tests.theorems.promises import assert_at_most
from tests.theorems.runs import mostly_decided, settle


def best_hyperplane(problem):
    """The affine optimum ``(u, b, gamma)``, u a unit vector."""
    X, y = problem.X, problem.y
    u = optimum(differences(problem.Z, y)).direction
    near, far = (X[y > 0] @ u).min(), (X[y < 0] @ u).max()
    return u, -(near + far) / 2, (near - far) / 2


@mostly_decided
@given(problem=affine_problems(least=0.1), share=st.floats(0.3, 3.0))
def test_updates_with_any_lift(problem, share):
    c = share * problem.R
    centre = np.zeros(problem.X.shape[1])
    sample = Sample.of(storage_of(problem.X), problem.y, centre=centre, lift=c)
    finished = settle(sample, rules.Classic())
    if finished is None:
        return
    _, b, gamma = best_hyperplane(problem)
    assert abs(b) <= problem.R * (1 + 1e-9)
    sharper = (problem.R**2 + c**2) * (1 + b**2 / c**2) / gamma**2
    assert_at_most(finished.n_updates, sharper)
    assert sharper <= lifted_mistake_bound(problem.R, gamma, c) * (1 + 1e-9)
    coef, intercept = sample.model(finished.weights)
    assert (problem.y * (problem.X @ coef + intercept)).min() > 0.0


@mostly_decided
@given(problem=affine_problems(least=0.1))
def test_updates_in_the_unit_ball_with_lift_one(problem):
    inside = problem.scaled((1 - 1e-12) / problem.R)
    centre = np.zeros(inside.X.shape[1])
    finished = settle(
        Sample.of(storage_of(inside.X), inside.y, centre=centre, lift=1.0), rules.Classic()
    )
    if finished is not None:
        assert_at_most(finished.n_updates, 4 / best_hyperplane(inside)[2] ** 2)


@mostly_decided
@given(problem=affine_problems(least=0.1))
def test_updates_from_a_centre(problem):
    """The default: read relative to the first example, lifted by the distance to another class.

    A separator crosses the segment between the two, so that |b| <= c.
    """
    sample = Sample.of(storage_of(problem.X), problem.y)
    finished = settle(sample, rules.Classic())
    if finished is None:
        return
    gamma = affine_optimum(problem.X, problem.y)
    R = np.linalg.norm(problem.X - problem.X[0], axis=1).max()
    other = int(np.argmax(problem.y != problem.y[0]))
    c = np.linalg.norm(problem.X[other] - problem.X[0])
    assert sample.radius == pytest.approx(R)
    assert math.sqrt(sample.frame.lift2) == pytest.approx(c)
    assert_at_most(finished.n_updates, 2 * (R**2 + c**2) / gamma**2)
    lifted = optimum(lifted_examples(sample, problem.X))
    assert lifted.upper >= gamma / math.sqrt(2) - 1e-9 * R
    assert finished.weights[0] > 0


@given(problem=affine_problems(least=0.02), share=st.floats(0.01, 100.0))
def test_the_lift_costs_margin_but_not_much(problem, share):
    """gamma / sqrt(1 + R^2 / c^2) <= eps_c <= gamma."""
    c = share * problem.R
    sample = Sample.of(
        storage_of(problem.X), problem.y, centre=np.zeros(problem.X.shape[1]), lift=c
    )
    lifted = optimum(lifted_examples(sample, problem.X))
    gamma = affine_optimum(problem.X, problem.y)
    slack = 1e-9 * problem.R
    assert lifted.upper <= gamma + slack
    assert lifted.upper >= gamma / math.sqrt(1 + 1 / share**2) - slack


@mostly_decided
@given(problem=affine_problems(least=0.1))
def test_differences_need_no_lift(problem):
    """Algorithm 1 on all p - q: at most ``D^2 / (2 gamma)^2 <= (R / gamma)^2`` updates."""
    X, y = problem.X, problem.y
    rows = differences(problem.Z, y)
    as_examples = Problem(rows, np.ones(len(rows), dtype=int), "differences")
    finished = settle(as_examples.sample(), rules.Classic())
    if finished is not None:
        bound = as_examples.R**2 / (2 * affine_optimum(X, y)) ** 2
        assert_at_most(finished.n_updates, bound)
        assert bound <= (problem.R / affine_optimum(X, y)) ** 2 * (1 + 1e-9)


def test_both_classes_are_needed():
    """One class: a far hyperplane has gamma = 101, so 4 / gamma^2 < 1, and yet w = 0 must move."""
    e1, y = np.eye(3)[0], -1
    finished = run(
        Sample.of(storage_of(e1[None]), np.array([y]), centre=np.zeros(3), lift=1.0),
        rules.Classic(),
    )
    gamma = y * (-e1 @ e1 - 100.0)
    assert gamma == 101.0
    assert finished.n_updates == 1 > lifted_mistake_bound(1.0, gamma, 1.0)


# Showing the pair 2^15 times in a pass is plain cyclic order, at one call for 65,536 visits.
CYCLES = np.tile([0, 1], 1 << 15)


@pytest.mark.parametrize(("lift", "updates"), [(1.0, 2_000_002), (1001.0, 2003)])
def test_a_small_lift_takes_more_updates(lift, updates):
    """999 (+) and 1001 (-), gamma = 1: a thousand times the updates for c = 1 that c = R needs."""
    pair = far_pair()
    sample = Sample.of(storage_of(pair.X), pair.y, order=CYCLES, centre=np.zeros(1), lift=lift)
    finished = run(sample, rules.Classic(), clock=Clock(Limits(max_iter=100)))
    assert finished.status is Status.CONVERGED
    assert finished.n_updates == updates
    assert updates <= lifted_mistake_bound(1001.0, 1.0, lift)
    # The distance of the origin to the line through (999, c) and -(1001, c).
    eps = 2 * lift / np.hypot(2000.0, 2 * lift)
    assert optimum(lifted_examples(sample, pair.X)).upper == pytest.approx(eps, rel=1e-9)
    assert updates <= rules.Classic().update_bound(sample.lifted_radius, eps)


def test_interleaved_passes_count_the_same():
    """With two examples the loop has no cheap passes to make: plain order, one pass at a time."""
    pair = far_pair()
    sample = Sample.of(storage_of(pair.X), pair.y, centre=np.zeros(1), lift=1001.0)
    assert run(sample, rules.Classic(), clock=Clock(Limits(max_iter=2000))).n_updates == 2003


def test_the_default_centre_takes_few_updates():
    pair = far_pair()
    finished = run(Sample.of(storage_of(pair.X), pair.y), rules.Classic())
    assert finished.status is Status.CONVERGED
    assert finished.n_updates <= 50


@mostly_decided
@given(
    problem=integer_problems(intercept=True),
    shift=st.sampled_from([1, -3, 1000, 10**6]),
    rule=st.sampled_from([rules.Classic(), rules.ScaleFree(), rules.Dynamic(accuracy=0.5)]),
)
def test_translation_changes_nothing(problem, shift, rule):
    """Integers, so that the translated numbers are the same numbers: every update is the same."""
    here = settle(Sample.of(storage_of(problem.X), problem.y), rule)
    there = settle(Sample.of(storage_of(problem.X + shift), problem.y), rule)
    if here is None or there is None:
        return
    np.testing.assert_array_equal(here.weights, there.weights)
    np.testing.assert_array_equal(here.memory.stamps, there.memory.stamps)
    np.testing.assert_array_equal(here.memory.w, there.memory.w)
