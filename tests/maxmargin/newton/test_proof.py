"""The weights that a full step leads to bound the optimum from below, and sooner than hinges do."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate import Status
from novikoff.maxmargin.newton.curvature import Curvature
from novikoff.maxmargin.newton.face_proof import proof_on_face
from novikoff.maxmargin.newton.objective import Objective
from novikoff.maxmargin.newton.search import newton
from novikoff.maxmargin.newton.settings import NEWTON
from novikoff.maxmargin.newton.steps import Steps
from novikoff.maxmargin.passes import Passes
from tests.maxmargin.problems import clock_of, planted, problem_of


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_the_dual_after_a_full_step_is_that_of_its_weights(store):
    X, y = planted(0, 300, 12)
    problem = problem_of(store(X), y, 100.0)
    best = newton(problem, tol=1e-9, clock=clock_of())
    passes = Passes(problem.sample, clock_of())
    whole = Objective.of_all(passes, problem.slack2, NEWTON)
    near = 1.01 * best.w
    point = whole.point(near, best.offset, whole.products(near))
    direction = Curvature(passes, NEWTON).solve(
        whole.ids[point.active], whole.stiffness[point.active], -point.gradient, forcing=1e-6
    )
    carried = point.carried(direction.images, NEWTON.rounding)
    proof = whole.proof_after(point, direction, carried)
    assert (proof.weights >= 0.0).all()
    weights, signs = proof.weights, whole.signs[proof.active]
    rows = X[whole.ids[proof.active]]
    means = [weights[s] @ rows[s] / weights[s].sum() for s in (signs > 0, signs < 0)]
    shares = weights / np.where(signs > 0, weights[signs > 0].sum(), weights[signs < 0].sum())
    square = float(
        np.sum((means[0] - means[1]) ** 2) + shares**2 @ (1 / whole.stiffness[proof.active])
    )
    assert proof.dual == pytest.approx(2.0 / square, rel=1e-9)
    assert point.dual < proof.dual <= best.upper * (1.0 + 1e-9)


@pytest.mark.parametrize("softness", [3.0, 1000.0])
def test_a_softer_problem_near_the_optimum_has_the_same_optimum(softness):
    """The proximal term makes up for the softness exactly: weights and hyperplane stay."""
    X, y = planted(0, 300, 12)
    problem = problem_of(X, y, 100.0)
    best = newton(problem, tol=1e-12, clock=clock_of(), exact=True)
    whole = Objective.of_all(Passes(problem.sample, clock_of()), problem.slack2, NEWTON)
    optimum = whole.point(best.w, best.offset, whole.products(best.w))
    softer = whole.softened(softness, near=optimum)
    point = softer.point(best.w, best.offset, optimum.products)
    np.testing.assert_array_equal(point.active, optimum.active)
    np.testing.assert_allclose(point.weights, optimum.weights, rtol=1e-6)
    assert np.linalg.norm(point.gradient) <= 1e-6 * np.linalg.norm(best.w)
    assert point.dual == pytest.approx(optimum.dual, rel=1e-9)
    # Without the term, the optimum of the softer problem is elsewhere.
    plain = whole.softened(softness).point(best.w, best.offset, optimum.products)
    assert np.linalg.norm(plain.gradient) > 0.1 * np.linalg.norm(best.w)


def test_the_best_length_is_that_of_the_least_primal():
    X, y = planted(1, 300, 12)
    problem = problem_of(X, y, 100.0)
    best = newton(problem, tol=1e-9, clock=clock_of())
    whole = Objective.of_all(Passes(problem.sample, clock_of()), problem.slack2, NEWTON)
    short = whole.point(0.5 * best.w, 0.5 * best.offset, whole.products(0.5 * best.w))
    found = whole.at_best_length(short)
    factor = np.linalg.norm(found.w) / np.linalg.norm(short.w)
    assert 1.0 < factor and found.primal < 0.5 * short.primal
    for other in (0.9 * factor, 1.1 * factor):
        hinges = np.maximum(0.0, 1.0 - other * whole.signs * (short.products + short.offset))
        primal = 0.5 * (other**2 * short.w @ short.w + whole.stiffness @ hinges**2)
        assert found.primal < primal


@pytest.mark.parametrize("C", [1.0, 100.0, 1e4])
def test_stiff_hinges_take_few_steps_with_multipliers(C):
    """As many support vectors as features: plain steps are short, and took hundreds of passes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 150))
    scores = X @ rng.normal(size=150)
    kept = np.abs(scores) > 0.1 * scores.std()
    X, y = X[kept], np.where(scores[kept] > 0.0, 1, -1)
    clock = clock_of()
    found = newton(problem_of(X, y, C), tol=1e-3, clock=clock)
    assert found.status is Status.GAP_REACHED and found.gap <= 1e-3
    assert clock.passes <= 120


def stiff_counts(n=6000, d=3500, length=6):
    """Counts of words of different frequency, with random labels."""
    rng = np.random.default_rng(0)
    shares = 1.0 / np.arange(1, d + 1)
    words = rng.choice(d, size=(n, length), p=shares / shares.sum())
    places = np.repeat(np.arange(n), length), words.ravel()
    X = sparse.csr_array((np.ones(words.size), places), (n, d))
    X.sum_duplicates()
    return X, np.where(rng.uniform(size=n) < 0.5, 1, -1)


def test_weights_on_their_face_prove_more_than_those_of_hinges():
    X, y = stiff_counts()
    problem = problem_of(X, y, 100.0)
    # With a factor the weights of the hinges would be nearly as good.
    settings = replace(NEWTON, most_factored=3000, sparse_value=50)
    best = newton(problem, tol=1e-3, clock=clock_of(), settings=settings)
    run = Steps(problem, 1e-3, clock_of(), False, True, False, 0.0, None, NEWTON)
    point = run.whole.point(best.w, best.offset, run.whole.products(best.w))
    proof = proof_on_face(run, point)
    assert (proof.weights >= 0.0).all()
    assert point.dual < 0.9 * best.upper
    assert 0.998 * best.upper < proof.dual < best.upper
    weights, signs = proof.weights, run.whole.signs[proof.active]
    rows = X[run.whole.ids[proof.active]]
    normal = weights / np.where(signs > 0, weights[signs > 0].sum(), weights[signs < 0].sum())
    vector = rows.T @ (signs * normal)
    assert proof.dual == pytest.approx(2.0 / (vector @ vector + normal @ normal / 200.0), rel=1e-9)
