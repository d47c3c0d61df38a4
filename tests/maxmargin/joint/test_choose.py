"""Which solver is chosen for the margin of several classes, and which takes over from it."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from novikoff import MaxMargin
from novikoff.certificate import Status
from novikoff.maxmargin.joint import JointProblem, joint_hard_margin, joint_soft_margin
from novikoff.maxmargin.joint.bounds import balance, place_soft, worst_wrong
from novikoff.maxmargin.joint.choose import SMALL_ROWS
from novikoff.maxmargin.joint.corral import joint_corral
from novikoff.maxmargin.joint.dual import JointDual
from novikoff.maxmargin.joint.settings import CORRAL, DESCENT
from novikoff.maxmargin.passes import Passes
from novikoff.run.clock import Clock, Stopped
from tests.maxmargin.joint.problems import optimum, problem


def overlapping(n=900, d=4, n_classes=4):
    draw = np.random.default_rng(0)
    codes = np.arange(n) % n_classes
    return 0.5 * draw.normal(size=(n_classes, d))[codes] + draw.normal(size=(n, d)), codes


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_overlapping_classes_take_few_passes_at_any_C(C):
    X, codes = overlapping()
    clock = Clock()
    found = joint_soft_margin(problem(X, codes, C), tol=1e-4, clock=clock)
    assert found.status is Status.GAP_REACHED
    assert clock.passes < 150
    assert found.solver == "joint-newton"


def test_columns_of_different_units_do_not_end_at_a_limit():
    X, codes = overlapping(300, 6, 3)
    X *= 10.0 ** np.arange(6)
    clock = Clock()
    found = joint_soft_margin(problem(X, codes, 10.0), tol=1e-3, clock=clock)
    assert found.status is Status.GAP_REACHED
    assert found.solver == "joint-wolfe+joint-newton"
    assert clock.passes < 100
    # The bounds are computed again, with proved errors, by what shares no code with the search.
    fitted = MaxMargin(C=10.0).fit(X, codes)
    proved = fitted.certificate_.verify(X, codes)
    assert proved.dual >= (1.0 - 1e-3) * proved.primal
    assert proved.primal == pytest.approx(found.upper, rel=1e-3)


def test_few_weights_are_left_to_the_exact_solver():
    draw = np.random.default_rng(1)
    codes = np.arange(900) % 3
    X = 5.0 * np.eye(3, 60)[codes] + draw.normal(size=(900, 60))
    found = joint_soft_margin(problem(X, codes, 100.0), tol=1e-6, clock=Clock())
    assert found.status is Status.GAP_REACHED
    assert found.solver == "joint-coordinate+joint-wolfe"


def noisy():
    """Nine classes that overlap: more than a thousand weights are positive."""
    draw = np.random.default_rng(3)
    X = draw.normal(size=(784, 27))
    scores = X @ draw.normal(size=(27, 9)) + draw.gumbel(size=(784, 9))
    return X, scores.argmax(axis=1)


def test_many_weights_are_left_to_newtons_method():
    X, codes = noisy()
    found = joint_soft_margin(problem(X, codes, 10.0), tol=1e-3, clock=Clock())
    assert found.status is Status.GAP_REACHED
    assert 500 < np.count_nonzero(found.weights) < CORRAL.most_members
    assert found.solver == "joint-coordinate+joint-newton"


def test_newtons_method_goes_first_if_it_is_known_to_do():
    X, codes = noisy()
    how = dict(tol=1e-3, clock=Clock(), newton_first=True)
    found = joint_soft_margin(problem(X, codes, 10.0), **how)
    plain = joint_soft_margin(problem(X, codes, 10.0), tol=1e-3, clock=Clock())
    assert found.solver == "joint-newton"
    assert found.upper == pytest.approx(plain.upper, rel=1e-3)


def test_a_small_problem_is_solved_to_the_optimum_whatever_the_order():
    X, codes = overlapping(60)
    found = joint_soft_margin(problem(X, codes, 1.0), tol=1e-2, clock=Clock())
    turned = joint_soft_margin(problem(X[::-1].copy(), codes[::-1], 1.0), tol=1e-2, clock=Clock())
    assert found.upper == pytest.approx(optimum(X, codes, 1.0), rel=1e-6)
    assert np.allclose(found.vectors, turned.vectors, rtol=1e-6, atol=1e-9)


def test_the_hard_margin_of_sparse_data_is_found_by_sweeps():
    draw = np.random.default_rng(0)
    codes = np.arange(800) % 4
    X = draw.random((800, 3000)) * (draw.random((800, 3000)) < 0.01)
    found = joint_hard_margin(problem(sparse.csr_matrix(X), codes), tol=1e-2, clock=Clock())
    assert found.status is Status.GAP_REACHED
    assert found.solver == "joint-coordinate"
    dense = joint_hard_margin(problem(X, codes), tol=1e-3, clock=Clock())
    assert found.lower <= dense.upper * (1.0 + 1e-9)
    assert found.upper >= dense.lower * (1.0 - 1e-9)


def clusters(n, d, n_classes, apart):
    draw = np.random.default_rng(1)
    codes = np.arange(n) % n_classes
    return apart * draw.normal(size=(n_classes, d))[codes] + draw.normal(size=(n, d)), codes


@pytest.mark.parametrize(
    ("shape", "solver"),
    [
        # Sweeps alone; sweeps, then Newton's method on rows; few examples that carry the margin.
        ((400, 120, 10, 0.5), "joint-coordinate"),
        ((1200, 30, 15, 0.75), "joint-coordinate+joint-newton"),
        ((600, 10, 5, 4.0), "joint-coordinate+joint-wolfe"),
    ],
)
def test_the_hard_margin_of_many_rows_takes_few_passes(shape, solver):
    X, codes = clusters(*shape)
    clock = Clock()
    found = joint_hard_margin(problem(X, codes), tol=1e-3, clock=clock)
    assert found.status is Status.GAP_REACHED
    assert found.solver == solver
    assert clock.passes < 250
    fitted = MaxMargin().fit(X, codes)
    proved = fitted.certificate_.verify(X, codes)
    assert proved.lower >= (1.0 - 1e-3) * proved.upper
    assert proved.upper == pytest.approx(found.upper, rel=1e-3)


def test_sweeps_lead_a_small_problem_to_the_same_optimum():
    X, codes = clusters(300, 60, 5, 0.6)
    assert CORRAL.take_all < problem(X, codes).n_rows <= SMALL_ROWS
    for C in (np.inf, 1.0):
        posed = problem(X, codes, C)
        solve = joint_hard_margin if C == np.inf else joint_soft_margin
        found = solve(posed, tol=1e-3, clock=Clock())
        alone = joint_corral(posed, tol=1e-10, clock=Clock())
        assert found.solver == "joint-coordinate+joint-wolfe"
        assert found.upper == pytest.approx(alone.upper, rel=1e-9)
        assert found.lower == pytest.approx(alone.lower, rel=1e-9)


@pytest.mark.parametrize("squared", [True, False])
def test_a_penalty_that_bounds_no_weight_gives_the_hard_margin(squared):
    X, codes = clusters(400, 120, 10, 0.5)
    hard = joint_hard_margin(problem(X, codes), tol=1e-3, clock=Clock())
    penalties = np.full(400, 1e6)
    posed = JointProblem.soft(problem(X, codes).sample, codes, 10, penalties, squared=squared)
    clock = Clock()
    soft = joint_soft_margin(posed, tol=1e-3, clock=clock)
    assert soft.status is Status.GAP_REACHED
    assert clock.passes < 300
    assert soft.upper == pytest.approx(0.5 / hard.upper**2, rel=3e-3)


@pytest.mark.parametrize("most", [None, np.full(400, 2.0)])
def test_no_other_multiple_of_a_model_is_better(most):
    X, codes = clusters(400, 4, 4, 2.0)
    means = np.array([X[codes == k].mean(axis=0) for k in range(4)])
    products, slack2 = 0.1 * X @ means.T, np.full(400, 0.5)
    norm2 = float((0.01 * means**2).sum())
    placed = place_soft(norm2, products, codes, slack2, np.zeros(4), free=False, most=most)
    assert placed.factor > 1.1

    def value(factor):
        _, lead = worst_wrong(factor * products, codes)
        hinges = np.maximum(0.0, 1.0 - lead)
        loss = 0.5 * (hinges**2 / slack2).sum() if most is None else most @ hinges
        return factor**2 * norm2 + loss

    assert placed.value == pytest.approx(value(placed.factor))
    others = min(value(factor) for factor in np.linspace(0.05, 40.0, 4000))
    assert placed.value <= others * (1.0 + 1e-6)


def test_factors_balance_what_flows_in_circles_and_drop_the_rest():
    draw = np.random.default_rng(0)
    flow = draw.random((6, 6)) * (draw.random((6, 6)) < 0.5)
    np.fill_diagonal(flow, 0.0)
    flow[5] = 0.0
    balanced = flow * balance(flow)
    assert (balanced >= 0.0).all()
    assert balanced.sum() > 0.0
    assert not balanced[:, 5].any()
    assert np.allclose(balanced.sum(axis=0), balanced.sum(axis=1), rtol=0.0, atol=1e-14)


def test_offsets_are_better_than_those_given():
    X, codes = overlapping(400)
    products = X @ np.random.default_rng(2).normal(size=(4, 4))
    slack2 = np.ones(400)
    given = 1.0, products, codes, slack2, np.zeros(4)
    before = place_soft(*given, free=False, multiples=False)
    after = place_soft(*given, free=True, multiples=False)
    assert after.value < before.value
    _, lead = worst_wrong(products + after.offsets, codes)
    assert after.value == pytest.approx(1.0 + 0.5 * (np.maximum(0.0, 1.0 - lead) ** 2).sum())


@pytest.mark.parametrize("C", [10.0, 1e31])
def test_examples_that_differ_by_rounding_end_the_search(C):
    draw = np.random.default_rng(0)
    X = 1.0 + draw.integers(0, 5, (11, 2)) * np.spacing(1.0)
    clock = Clock()
    found = joint_soft_margin(problem(X, np.arange(11) % 3, C), tol=1e-3, clock=clock)
    assert np.isfinite(found.vectors).all()
    assert clock.passes < 1000
    if C == 10.0:
        # Next to no model has a margin: every example violates it by 1.
        assert found.lower == pytest.approx(110.0, rel=1e-6)


def test_sweeps_over_nothing():
    X, codes = overlapping(30)
    posed = problem(X, codes, 1.0)
    dual = JointDual(posed, Passes(posed.sample, Clock()), DESCENT)
    left, worst = dual.sweep(np.empty(0, dtype=np.int64))
    assert len(left) == 0
    assert worst == 0.0
    dual.vectors.offsets[0] = np.nan
    with pytest.raises(Stopped):
        dual.sweep(posed.sample.order.copy())


def test_a_small_problem_need_not_be_solved_to_the_optimum():
    X, codes = overlapping(n=90, n_classes=3)
    small = problem(X, codes, 1e-4)
    rough = joint_soft_margin(small, tol=1e-3, clock=Clock(), polish=False)
    assert rough.status is Status.GAP_REACHED
    assert 1e-12 < rough.gap <= 1e-3
    exact = joint_soft_margin(small, tol=1e-3, clock=Clock())
    assert exact.gap <= 1e-9
    assert rough.lower <= exact.upper
    assert exact.lower <= rough.upper


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
@pytest.mark.parametrize("unit", [1e50, 1e100, 1e150])
def test_a_penalty_beyond_all_digits_is_no_error(unit, loss):
    X, codes = overlapping(60)
    model = MaxMargin(C=1.0, loss=loss)
    with pytest.warns(ConvergenceWarning, match="as close as floating-point"):
        model.fit(unit * X, codes)
    assert model.status_ is Status.PRECISION
    model.certificate_.verify(unit * X, codes)


def test_a_limit_below_the_passes_of_such_a_penalty_is_stated():
    X, codes = overlapping(60)
    model = MaxMargin(C=1.0, loss="hinge", max_iter=5)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model.fit(1e100 * X, codes)
    assert model.status_ is Status.MAX_ITER
