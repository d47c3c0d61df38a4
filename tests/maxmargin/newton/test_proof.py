"""The weights that a full step leads to bound the optimum from below, and sooner than hinges do."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.maxmargin.newton.curvature import Curvature
from novikoff.maxmargin.newton.objective import Objective
from novikoff.maxmargin.newton.search import newton
from novikoff.maxmargin.newton.settings import NEWTON
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
