"""Coordinate descent on the dual: hard and soft margins, and how it ends."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC

from novikoff.certificate import Status
from novikoff.compiled.dual import OFFSET
from novikoff.maxmargin.bounds import place_hard
from novikoff.maxmargin.coordinate.dual import Dual
from novikoff.maxmargin.coordinate.face import Face
from novikoff.maxmargin.coordinate.search import coordinate_descent
from novikoff.maxmargin.coordinate.settings import CoordinateSettings
from novikoff.maxmargin.newton.search import newton
from novikoff.maxmargin.passes import Passes
from novikoff.sample.storage import Converted
from tests.maxmargin.problems import (
    clock_of,
    planted,
    problem_of,
    qp_margin,
    simplex_margin,
    text_like,
)


def solved(X, y, C=None, *, tol=1e-8, clock=None, start=None, settings=None, **options):
    problem = problem_of(X, y, C, **options)
    clock = clock or clock_of(100_000)
    settings = settings or CoordinateSettings()
    return problem.sample, coordinate_descent(
        problem, tol=tol, clock=clock, start=start, settings=settings
    )


def check_margin(X, y, sample, solution):
    """The bounds are those of the hyperplane and of the weights, whatever found them."""
    w, b = solution.w, solution.offset - solution.w @ sample.centre
    assert (y * (X @ w + b)).min() / np.linalg.norm(w) == pytest.approx(solution.lower, rel=1e-9)
    assert (y * (X @ w + b)).min() == pytest.approx(1.0)
    assert (solution.weights >= 0).all()
    if sample.affine:
        assert solution.weights[y > 0].sum() == pytest.approx(1.0)
        assert solution.weights[y < 0].sum() == pytest.approx(1.0)
        upper = np.linalg.norm((y * solution.weights) @ X) / 2
    else:
        assert b == 0.0
        upper = np.linalg.norm((y * solution.weights) @ X) / solution.weights.sum()
    assert upper == pytest.approx(solution.upper, rel=1e-9)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_hard_margin_against_quadratic_programming(seed, affine):
    X, y = planted(seed, 30, 40)
    sample, solution = solved(X, y, affine=affine)
    assert solution.status is Status.GAP_REACHED
    check_margin(X, y, sample, solution)
    margin = qp_margin(X, y, affine)
    assert solution.lower == pytest.approx(margin, rel=1e-6)
    assert solution.upper == pytest.approx(margin, rel=1e-6)


@pytest.mark.parametrize(("k", "n"), [(1, 2), (3, 7), (50, 300)])
def test_corners_of_a_simplex(k, n):
    _, solution = solved(np.eye(n), np.where(np.arange(n) < k, 1, -1))
    assert solution.lower == pytest.approx(simplex_margin(k, n), rel=1e-7)


@pytest.mark.parametrize("kind", ["csr", np.float32, "dense"])
def test_hard_margin_of_documents(kind):
    p = text_like(3000, 8000, 30, random_state=0)
    X = p.X.toarray() if kind == "dense" else p.X if kind == "csr" else p.X.astype(kind)
    clock = clock_of()
    sample, solution = solved(X, p.y, tol=1e-6, clock=clock)
    assert solution.status is Status.GAP_REACHED
    assert clock.passes < 40
    check_margin(sparse.csr_array(X).astype(float), p.y, sample, solution)
    assert solution.upper >= p.margin


@pytest.mark.parametrize("affine", [False, True])
def test_a_face_is_descended_to_the_same_place_whether_rows_are_copied_or_not(affine):
    p = text_like(300, 80, 10, random_state=0)
    weights = np.random.default_rng(0).random(300) * (np.arange(300) < 40)
    # Many products would amplify the rounding in which the two differ.
    found, settings = [], CoordinateSettings(face_products=5)
    for X in (p.X, p.X.toarray()):
        problem, clock = problem_of(X, p.y, affine=affine), clock_of()
        dual = Dual(problem, Passes(problem.sample, clock), settings)
        dual.place(weights.copy())
        before = clock.passes
        Face(dual, np.arange(40), by_columns=False).descend()
        assert clock.passes > before and not np.array_equal(dual.weights, weights)
        found.append((dual.weights, dual.w, dual.state))
    for copied, in_place in zip(*found, strict=True):
        np.testing.assert_allclose(copied, in_place, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("affine", [False, True])
def test_a_face_is_left_for_its_minimum_among_weights_that_are_not_negative(affine):
    p = text_like(300, 400, 10, random_state=0)
    X, y = sparse.csr_array(p.X), np.where(np.arange(300) % 2, 1, -1)
    problem = problem_of(X, y, 10.0, affine=affine)
    settings = CoordinateSettings(
        heavy_forcing=1e-6, enough_gain=2.0, face_stages=50, face_products=500
    )
    dual = Dual(problem, Passes(problem.sample, clock_of()), settings)
    rng = np.random.default_rng(0)
    ids = np.arange(300)
    dual.place(rng.random(300))
    face = Face(dual, ids, by_columns=True)
    before = face._value(dual.weights, dual.w)
    face.descend()
    assert (dual.weights >= 0.0).all() and not dual.weights.all()
    assert face._value(dual.weights, dual.w) < before
    # The vector is that of the weights, and weights that were not cut have no slope.
    np.testing.assert_allclose(dual.w, X.T @ (y * dual.weights), rtol=1e-9, atol=1e-9)
    products = dual.products(ids, dual.w) - dual.total * dual.along
    slopes = y * (products + dual.state[OFFSET]) + dual.slack2 * dual.weights - 1.0
    assert np.abs(slopes[dual.weights > 0.0]).max() < 1e-5


def test_few_support_vectors_that_are_too_many_for_their_face_are_left():
    X, y = few_and_dependent()
    problem, clock = problem_of(X, y, 100.0), clock_of()
    found = coordinate_descent(problem, tol=1e-3, clock=clock, leaves=lambda n, passes: n <= 400)
    assert found.status is Status.MAX_ITER and not found.gave_up and clock.passes < 20
    assert 30 < np.count_nonzero(found.weights) <= 400
    assert 0.0 < found.lower < found.upper < np.inf
    found = coordinate_descent(
        problem, tol=1e-3, clock=clock_of(), leaves=lambda n, passes: n <= 10
    )
    assert found.status is Status.GAP_REACHED


def few_and_dependent():
    """Indicators of which few examples carry a soft margin, more than there are features."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 1200)
    levels = rng.integers(0, 4, (1200, 15))
    marked = (y[:, None] == 1) & (rng.random((1200, 15)) < 0.7)
    columns = np.where(marked, 1, levels) + 4 * np.arange(15)
    ends = np.arange(0, columns.size + 1, 15)
    X = sparse.csr_array((np.ones(columns.size), columns.ravel(), ends), shape=(1200, 60))
    return X, np.where(y == 1, 1, -1)


def test_conjugate_gradients_on_the_face_save_passes():
    with_them, without = clock_of(100_000), clock_of(100_000)
    for seed in range(4):
        p = text_like(4000, 1000, 60, margin=0.002, loyalty=0.3, random_state=seed)
        _, helped = solved(p.X, p.y, clock=with_them)
        _, alone = solved(p.X, p.y, clock=without, settings=CoordinateSettings(settled=-1.0))
        assert helped.upper == pytest.approx(alone.upper, rel=1e-7)
    assert with_them.passes < without.passes


def test_heavy_columns_treated_exactly_save_passes():
    rng = np.random.default_rng(0)
    X = sparse.csr_array(rng.poisson(20.0 / np.arange(1, 1001), (800, 1000)).astype(float))
    y = np.where(rng.random(800) < 0.5, 1, -1)
    with_them, without = clock_of(100_000), clock_of(100_000)
    _, helped = solved(X, y, 10.0, tol=1e-4, clock=with_them)
    _, alone = solved(
        X, y, 10.0, tol=1e-4, clock=without, settings=CoordinateSettings(most_heavy=0)
    )
    assert helped.upper == pytest.approx(alone.upper, rel=2e-4)
    assert with_them.passes < 0.8 * without.passes


@pytest.mark.parametrize("C", [1e-3, 0.1, 1.0, 10.0])
def test_soft_margin_equals_liblinear_without_intercept(C):
    p = text_like(1500, 600, 20, noise=0.1, random_state=0)
    _, solution = solved(p.X, p.y, C, tol=1e-13, affine=False)
    peer = LinearSVC(C=C, fit_intercept=False, dual=False, tol=1e-12, max_iter=10**5).fit(p.X, p.y)
    np.testing.assert_allclose(solution.w, peer.coef_[0], atol=1e-6 * abs(peer.coef_).max())


@pytest.mark.parametrize("C", [1e-2, 1.0, 100.0])
@pytest.mark.parametrize("unbalanced", [False, True])
def test_soft_margin_equals_newtons(C, unbalanced):
    p = text_like(2000, 500, 20, noise=0.02, random_state=1)
    X, y = p.X, p.y
    if unbalanced:
        kept = np.concatenate([np.flatnonzero(y > 0), np.flatnonzero(y < 0)[:40]])
        X, y = X[kept], y[kept]
    costs = np.random.default_rng(0).uniform(0.2, 3.0, len(y))
    sample, solution = solved(X, y, C, costs=costs)
    other = newton(problem_of(X, y, C, costs=costs), tol=1e-10, clock=clock_of())
    assert solution.status is Status.GAP_REACHED
    assert solution.lower <= other.upper * (1 + 1e-12)
    assert solution.upper == pytest.approx(other.upper, rel=1e-8)
    hinges = np.maximum(0, 1 - y * (X @ solution.w + solution.offset - sample.centre @ solution.w))
    primal = solution.w @ solution.w / 2 + C * (costs * hinges**2).sum()
    assert primal == pytest.approx(solution.upper, rel=1e-10)


def test_converted_rows(monkeypatch):
    p = text_like(900, 300, 20, random_state=0)
    whole = (1000 * p.X).astype(np.int32)
    storage = Converted(whole)
    monkeypatch.setattr(storage, "chunk", 200)
    for C in (None, 1e-4):
        _, one = solved(whole.astype(float), p.y, C)
        _, other = solved(whole, p.y, C, storage=storage)
        assert other.upper == pytest.approx(one.upper, rel=1e-7)


def test_only_examples_in_order_count():
    X, y = planted(0, 60, 80)
    order = np.arange(0, 60, 2)
    _, some = solved(X, y, order=order)
    _, alone = solved(X[order], y[order])
    assert some.upper == pytest.approx(alone.upper, rel=1e-7)
    assert not some.weights[1::2].any()


@pytest.mark.parametrize("C", [None, 1.0])
@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_scale(C, factor):
    X, y = planted(1, 40, 60)
    _, one = solved(X, y, C)
    _, other = solved(factor * X, y, C and C / factor**2)
    np.testing.assert_allclose(factor * other.w, one.w, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("C", [None, 1.0])
def test_a_start_at_the_optimum_is_soon_done(C):
    p = text_like(3000, 5000, 30, noise=0.0 if C is None else 0.05, random_state=2)
    first, second = clock_of(), clock_of()
    _, cold = solved(p.X, p.y, C, tol=1e-6, clock=first)
    solved(p.X, p.y, C, tol=2e-6, clock=second, start=cold.weights)
    assert second.passes <= 4 < first.passes
    one_sided = np.where(p.y > 0, cold.weights, 0.0)
    _, unused = solved(p.X, p.y, C, tol=1e-6, start=one_sided)
    assert unused.upper == pytest.approx(cold.upper, rel=1e-5)


@pytest.mark.parametrize("affine", [True, False])
def test_what_nothing_separates_ends_at_the_limit(affine):
    X = sparse.csr_array(np.random.default_rng(0).normal(size=(200, 3)))
    y = np.where(np.arange(200) % 2, 1, -1)
    clock = clock_of(200)
    _, solution = solved(X, y, affine=affine, clock=clock)
    assert solution.status is Status.MAX_ITER
    assert clock.passes <= 200
    assert solution.lower < 0.0 <= solution.upper < 1e-2
    assert np.isfinite(solution.w).all() and np.isfinite(solution.weights).all()


@pytest.mark.parametrize("C", [None, 100.0])
def test_limits_and_interruptions(C):
    p = text_like(3000, 300, 30, margin=0.002, noise=0.0 if C is None else 0.1, random_state=3)
    clock = clock_of(5)
    _, solution = solved(p.X, p.y, C, tol=1e-12, clock=clock)
    assert solution.status is Status.MAX_ITER
    assert clock.passes <= 5
    assert solution.lower <= solution.upper < np.inf
    _, solution = solved(p.X, p.y, C, clock=clock_of(deadline=0.0))
    assert solution.status is Status.TIME_LIMIT
    _, solution = solved(p.X, p.y, C, clock=clock_of(cancelled=lambda: True))
    assert solution.status is Status.INTERRUPTED

    def interrupt(line):
        raise KeyboardInterrupt

    _, solution = solved(p.X, p.y, C, tol=1e-12, clock=clock_of(callbacks=[interrupt]))
    assert solution.status is Status.INTERRUPTED
    assert -np.inf < solution.lower <= solution.upper < np.inf


def test_rounding_ends_it_where_no_bound_does():
    X, y = planted(2, 20, 30)
    _, solution = solved(X, y, tol=-1.0)
    assert solution.status is Status.PRECISION
    assert abs(solution.gap) < 1e-12


@pytest.mark.parametrize("C", [0.1, 100.0])
def test_a_sweep_sees_the_gap_of_where_it_is(C):
    p = text_like(200, 300, 20, noise=0.1, random_state=0)
    problem = problem_of(p.X, p.y, C, affine=False)
    dual = Dual(problem, Passes(problem.sample, clock_of()), CoordinateSettings())
    weights = np.random.default_rng(0).exponential(C, size=200) * (p.y > 0)
    sums, _ = dual.place(weights)
    # Steps of no length leave the weights as they are.
    dual.curves[:] = np.inf
    dual.sweep(problem.sample.order.copy())
    w = sums[0] - sums[1]
    hinges = np.maximum(0.0, 1.0 - p.y * (p.X @ w))
    primal = 0.5 * w @ w + C * hinges @ hinges
    value = weights.sum() - 0.5 * w @ w - weights @ weights / (4.0 * C)
    seen = dual.gap_seen
    assert seen * weights.sum() / 2.0 / (1.0 - seen) == pytest.approx(primal - value)


@pytest.mark.parametrize("tol", [1e-2, 1e-3, 1e-6])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_one_look_at_all_examples_is_nearly_enough(C, tol):
    p = text_like(1500, 3000, 30, noise=0.05, random_state=3)
    clock = clock_of()
    _, solution = solved(p.X, p.y, C, tol=tol, clock=clock)
    assert solution.status is Status.GAP_REACHED and solution.gap <= tol
    assert len(clock.history) <= 2


@pytest.mark.parametrize("C", [0.1, 100.0])
def test_a_sweep_without_mistakes_ends_a_search_for_a_separator(C):
    p = text_like(600, 5000, 40, random_state=0)
    problem, clock = problem_of(p.X, p.y, C), clock_of()
    with clock.until_separated():
        found = coordinate_descent(problem, tol=1e-6, clock=clock)
    # Without a look at the mistakes that sweeps see, 22 and 21.
    assert found.status is Status.SEPARATED and clock.passes <= 7
    products = p.X @ found.w - found.w @ problem.sample.centre
    assert place_hard(products, p.y, affine=True).mistakes == 0
