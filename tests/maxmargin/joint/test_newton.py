"""Newton's method on the soft margin of several classes: its smooth hinges, and its ends."""

import numpy as np
import pytest
from scipy.optimize import minimize

from novikoff.certificate import Status
from novikoff.compiled import joint_newton as compiled
from novikoff.compiled.joint_newton import HINGE, NO_SLACK, SQUARED_HINGE
from novikoff.maxmargin.joint.choose import joint_soft_margin
from novikoff.maxmargin.joint.newton import joint_newton
from novikoff.run.clock import Clock, Limits
from tests.maxmargin.joint.problems import problem

RHO = 0.1
LOSSES = [SQUARED_HINGE, HINGE, NO_SLACK]


def noisy(n, d, n_classes, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, d))
    codes = (X @ draw.normal(size=(d, n_classes))).argmax(axis=1)
    wrong = draw.random(n) < 0.1
    codes[wrong] = draw.integers(0, n_classes, wrong.sum())
    return X, codes


@pytest.fixture
def hinges():
    draw = np.random.default_rng(3)
    scores = draw.normal(size=(40, 4))
    # Ties between wrong classes, and examples without a hinge.
    scores[:10, 1] = scores[:10, 2]
    codes = draw.integers(0, 4, 40)
    scores[np.arange(30, 40), codes[30:]] += 6.0
    near = np.abs(draw.normal(size=(40, 4))) * (draw.random((40, 4)) < 0.3)
    near[np.arange(40), codes] = 0.0
    return scores, draw.normal(size=(40, 4)), codes, draw.uniform(0.5, 2.0, 40), near


def weighed(scores, speeds, step, codes, stiff, near, loss=SQUARED_HINGE):
    weights = np.empty_like(scores)
    return compiled.weigh(scores, speeds, step, codes, stiff, near, RHO, loss, weights), weights


@pytest.mark.parametrize("kind", LOSSES)
def test_weights_are_those_of_the_maximum(hinges, kind):
    scores, speeds, codes, _, near = hinges
    for i in range(len(codes)):
        others = np.arange(4) != codes[i]
        leads = (1.0 + scores[i] - scores[i, codes[i]])[others]
        old = near[i][others]

        def loss(a, leads=leads, old=old):
            square = a.sum() ** 2 / 2 if kind.squared else 0.0
            return -a @ leads + square + RHO / 2 * ((a - old) ** 2).sum()

        most = [{"type": "ineq", "fun": lambda a: 1.0 - a.sum()}] if kind is HINGE else []
        best = minimize(
            loss,
            np.full(3, 0.2),
            bounds=[(0, None)] * 3,
            constraints=most,
            method="SLSQP",
            options={"ftol": 1e-15},
        )
        one = slice(i, i + 1)
        (value, _), weights = weighed(
            scores[one], speeds[one], 0.0, codes[one], np.ones(1), near[one], kind
        )
        assert value == pytest.approx(-best.fun, abs=1e-6)
        assert weights[0][others] == pytest.approx(best.x, abs=1e-3)
        assert weights[0, codes[i]] == 0.0


@pytest.mark.parametrize("loss", [SQUARED_HINGE, HINGE])
def test_near_the_optimal_weights_it_is_the_hinge(hinges, loss):
    scores, speeds, codes, stiff, _ = hinges
    near = np.zeros_like(scores)
    for _ in range(200):
        (value, _), near = weighed(scores, speeds, 0.0, codes, stiff, near, loss)
    own = scores[np.arange(len(codes)), codes]
    others = np.where(np.arange(4) == codes[:, None], -np.inf, scores)
    hinge = np.maximum(0.0, 1.0 + others.max(axis=1) - own)
    assert value == pytest.approx(stiff @ (hinge**2 / 2 if loss.squared else hinge), rel=1e-9)


@pytest.mark.parametrize("kind", LOSSES)
def test_slope_and_curves_are_the_derivatives(hinges, kind):
    scores, speeds, codes, stiff, near = hinges
    step = 1e-6
    (before, first), _ = weighed(scores, speeds, -step, codes, stiff, near, kind)
    (_, slope), weights = weighed(scores, speeds, 0.0, codes, stiff, near, kind)
    (after, last), _ = weighed(scores, speeds, step, codes, stiff, near, kind)
    assert slope == pytest.approx((after - before) / (2 * step), rel=1e-6)
    numbers = np.zeros((4, 4), dtype=np.int64)
    compiled.curves_of_pairs(weights, codes, stiff, RHO, kind, numbers, numbers[:0, 0], np.empty(0))
    ends = np.cumsum(numbers).reshape(4, 4) - numbers
    ids, curves = np.empty(numbers.sum(), dtype=np.int64), np.empty(numbers.sum())
    compiled.curves_of_pairs(weights, codes, stiff, RHO, kind, ends, ids, curves)
    pairs = np.repeat(np.arange(16), numbers.ravel())
    apart = speeds[ids, pairs // 4] - speeds[ids, pairs % 4]
    assert curves @ apart**2 == pytest.approx((last - first) / (2 * step), rel=1e-5)


@pytest.mark.parametrize("C", [0.01, 1.0, 1e4])
@pytest.mark.parametrize("shape", [(300, 4, 5), (9000, 3, 3)])
def test_bounds_from_a_subsample_and_from_all_agree(shape, C):
    posed = problem(*noisy(*shape), C)
    found = joint_newton(posed, tol=1e-9, clock=Clock())
    assert found.status is Status.GAP_REACHED
    rough = joint_newton(posed, tol=1e-3, clock=Clock())
    assert rough.status is Status.GAP_REACHED
    assert rough.lower <= found.upper
    assert found.lower <= rough.upper


def test_from_the_optimum_it_takes_few_steps():
    posed = problem(*noisy(2000, 5, 4), 1.0)
    cold, warm = Clock(), Clock()
    found = joint_newton(posed, tol=1e-3, clock=cold)
    again = joint_newton(posed, tol=1e-3, clock=warm, start=found.weights, offsets=found.offsets)
    assert again.status is Status.GAP_REACHED
    assert warm.updates < cold.updates


def test_at_a_limit_the_bounds_are_those_of_what_was_reached():
    posed = problem(*noisy(3000, 5, 3), 1.0)
    best = joint_newton(posed, tol=1e-9, clock=Clock())
    for most in (1, 2, 3):
        cut = joint_newton(posed, tol=1e-9, clock=Clock(Limits(max_iter=most)))
        assert cut.status is Status.MAX_ITER
        assert 0.0 < cut.lower <= best.upper
        assert best.lower <= cut.upper < np.inf


def test_where_few_examples_carry_the_weight_it_gives_up():
    draw = np.random.default_rng(0)
    codes = np.arange(10_000) % 6
    X = draw.uniform(-10, 10, size=(6, 8))[codes] + 3.0 * draw.normal(size=(10_000, 8))
    posed = problem(X, codes, 100.0)
    assert joint_newton(posed, tol=1e-3, clock=Clock(), patient=False).gave_up
    found = joint_soft_margin(posed, tol=1e-3, clock=Clock())
    assert found.status is Status.GAP_REACHED
    assert found.solver == "joint-newton+joint-coordinate+joint-wolfe"
