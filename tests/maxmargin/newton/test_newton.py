"""Newton's method: its subsamples, detours and preconditioners lead to the same optimum."""

from math import ceil

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC

from benchmarks.generators import bags
from novikoff.certificate import Status
from novikoff.maxmargin import Problem
from novikoff.maxmargin.choose.settings import is_small
from novikoff.maxmargin.newton import curvature
from novikoff.maxmargin.newton.objective import Objective
from novikoff.maxmargin.newton.preconditioner import Factored
from novikoff.maxmargin.newton.search import newton
from novikoff.maxmargin.newton.settings import NewtonSettings
from novikoff.sample import Sample, storage_of
from novikoff.sample.storage import Converted
from tests.maxmargin.problems import clock_of, far_from_a_plane, noisy, problem_of, text_like


def solved(X, y, C=1.0, *, tol=1e-8, affine=True, costs=1.0, storage=None, **options):
    """Newton's solution, exact where the problem is small unless told otherwise."""
    problem = problem_of(X, y, C, affine=affine, costs=costs, storage=storage)
    options.setdefault("clock", clock_of())
    options.setdefault("exact", is_small(problem))
    return problem.sample, newton(problem, tol=tol, **options)


def objective(X, y, C, w, b):
    return w @ w / 2 + C * (np.maximum(0, 1 - y * (X @ w + b)) ** 2).sum()


@pytest.mark.parametrize("affine", [True, False])
def test_costs_equal_repetition_to_the_last_digits(affine):
    X, y = noisy(0, 200, 7)
    times = np.random.default_rng(1).integers(1, 5, len(y))
    for tol in (1e-1, 1e-10):
        _, weighted = solved(X, y, tol=tol, costs=times, affine=affine)
        _, repeated = solved(np.repeat(X, times, 0), np.repeat(y, times), tol=tol, affine=affine)
        np.testing.assert_allclose(weighted.w, repeated.w, rtol=1e-12, atol=1e-14)
    assert weighted.gap <= 1e-12


@pytest.mark.parametrize("power", [-100, -20, 20, 100])
def test_single_precision_preconditions_at_every_scale(power):
    X, y = noisy(3, 3000, 30)
    factor = 2.0**power
    for C in (2.0**-40, 1.0, 2.0**40):
        _, solution = solved(X * factor, y, C / factor**2, tol=1e-6, exact=False)
        assert solution.status is Status.GAP_REACHED
        assert solution.gap <= 1e-6
    _, plain = solved(X, y, 1.0, tol=1e-6, exact=False)
    _, scaled = solved(X * factor, y, 1.0 / factor**2, tol=1e-6, exact=False)
    np.testing.assert_allclose(scaled.w * factor, plain.w, rtol=1e-6)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_subsamples_and_conjugate_gradients_lead_to_the_optimum(C, affine):
    X, y = noisy(2, 9000, 60)
    _, exact = solved(X, y, C, affine=affine)
    settings = NewtonSettings(first_subsample=500, factor_products=0)
    sample, solution = solved(X, y, C, affine=affine, exact=False, settings=settings)
    assert solution.status is Status.GAP_REACHED and solution.gap <= 1e-8
    assert solution.lower <= exact.upper * (1 + 1e-12)
    assert solution.upper == pytest.approx(exact.upper, rel=1e-8)
    intercept = solution.offset - solution.w @ sample.centre
    assert objective(X, y, C, solution.w, intercept) == pytest.approx(solution.upper, rel=1e-12)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_diagonal_preconditioner_of_sparse_rows(C, affine):
    p = text_like(6000, 3500, 20, noise=0.1, random_state=0)
    _, solution = solved(p.X, p.y, C, tol=1e-13, affine=affine)
    assert solution.status is Status.GAP_REACHED
    peer = LinearSVC(C=C, fit_intercept=False, dual=False, tol=1e-12, max_iter=10**5).fit(p.X, p.y)
    value = objective(p.X, p.y, C, peer.coef_[0], 0.0)
    if affine:
        assert solution.upper <= value * (1 + 1e-9)
    else:
        assert solution.upper == pytest.approx(value, rel=1e-8)
        np.testing.assert_allclose(solution.w, peer.coef_[0], atol=1e-6 * abs(solution.w).max())


def test_a_factor_follows_where_the_diagonal_is_slow():
    X, y = noisy(3, 4000, 30)
    X = sparse.csr_array(X @ np.triu(np.ones((30, 30))))
    with_it, without = clock_of(), clock_of()
    at_once = NewtonSettings(overhead=0.0)
    _, factored = solved(X, y, 10.0, exact=False, clock=with_it, settings=at_once)
    settings = NewtonSettings(sparse_value=0)
    _, diagonal = solved(X, y, 10.0, exact=False, clock=without, settings=settings)
    assert with_it.passes < without.passes
    assert factored.upper == pytest.approx(diagonal.upper, rel=1e-8)


def test_a_factor_is_made_again_once_products_have_repaid_it(monkeypatch):
    X, y = bags(4000, 500, 60, 3, wide=True)
    counts = []
    for settings in (
        NewtonSettings(overhead=0.0, repaid=0.0),
        NewtonSettings(overhead=0.0),
        NewtonSettings(),
    ):
        made = []

        class Counted(Factored):
            def __init__(self, *args, made=made, **options):
                made.append(1)
                super().__init__(*args, **options)

        monkeypatch.setattr(curvature, "Factored", Counted)
        _, solution = solved(X, y, 1000.0, tol=1e-3, exact=False, settings=settings)
        assert solution.status is Status.GAP_REACHED
        counts.append(len(made))
    assert counts[0] > counts[1] > counts[2]


@pytest.mark.parametrize("C", [1.0, 1e3, 1e6])
@pytest.mark.parametrize("size", [(300, 500), (300, 299), (500, 20)])
def test_stiff_hinges_take_detours(size, C):
    rng = np.random.default_rng(0)
    X = rng.normal(size=size)
    y = np.where(X[:, 0] + 0.3 * rng.normal(size=len(X)) * (size[1] > 20) > 0, 1, -1)
    _, solution = solved(X, y, C)
    assert solution.status is Status.GAP_REACHED
    assert -1e-10 <= solution.gap <= 1e-8


def test_a_rare_class_is_in_every_subsample():
    p = far_from_a_plane(30_000, 40, margin=0.01, random_state=0)
    kept = np.concatenate([np.flatnonzero(p.y > 0), np.flatnonzero(p.y < 0)[:20]])
    clock = clock_of()
    _, solution = solved(p.X[kept], p.y[kept], 10.0, tol=1e-6, clock=clock)
    assert solution.status is Status.GAP_REACHED
    assert clock.passes < 60


@pytest.mark.parametrize("kind", [np.float32, np.uint8, "csr", "converted"])
def test_rows_in_place_and_converted(monkeypatch, kind):
    X, y = noisy(4, 9000, 12)
    X = np.rint(20 * (X - X.min()))
    _, one = solved(X, y, 1e-3, exact=False)
    storage = None
    if kind == "converted":
        storage = Converted(np.asfortranarray(X.astype(np.int32)))
        monkeypatch.setattr(storage, "chunk", 2000)
    copy = sparse.csr_array(X) if kind == "csr" else X if storage else X.astype(kind)
    _, other = solved(copy, y, 1e-3, storage=storage, exact=False)
    assert other.upper == pytest.approx(one.upper, rel=1e-8)


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_scale(factor):
    X, y = noisy(5, 9000, 30)
    _, one = solved(X, y, exact=False)
    _, other = solved(factor * X, y, factor**-2, exact=False)
    np.testing.assert_allclose(factor * other.w, one.w, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("started", [False, True])
@pytest.mark.parametrize("most", [1, 2, 3, 5, 7])
def test_limit_on_passes(most, started):
    X, y = noisy(6, 40_000, 30)
    start = np.random.default_rng(0).uniform(size=len(y)) if started else None
    clock = clock_of(most)
    _, solution = solved(X, y, 100.0, tol=1e-12, clock=clock, start=start)
    assert solution.status is Status.MAX_ITER
    assert clock.passes <= most
    assert 0.0 <= solution.lower <= solution.upper < np.inf


def test_interruption_keeps_the_best():
    X, y = noisy(7, 40_000, 30)
    seen = []

    def interrupt(line):
        seen.append(line)
        if len(seen) == 2:
            raise KeyboardInterrupt

    _, solution = solved(X, y, 100.0, tol=1e-12, clock=clock_of(callbacks=[interrupt]))
    assert solution.status is Status.INTERRUPTED
    assert (solution.lower, solution.upper) == (seen[-1].lower, seen[-1].upper)
    _, cancelled = solved(X, y, 100.0, clock=clock_of(cancelled=lambda: True))
    assert cancelled.status is Status.INTERRUPTED
    assert cancelled.upper < np.inf


def test_history_closes_in():
    X, y = noisy(8, 40_000, 30)
    clock = clock_of()
    solved(X, y, tol=1e-9, clock=clock)
    upper = [line.upper for line in clock.history]
    assert upper == sorted(upper, reverse=True)
    lower = [line.lower for line in clock.history]
    assert lower == sorted(lower)
    assert clock.history[-1].iteration == ceil(clock.passes)


def test_the_hard_margin_is_refused():
    sample = Sample.of(storage_of(np.eye(2)), np.array([1, -1], dtype=np.int8))
    with pytest.raises(ValueError, match="no slack"):
        newton(Problem(sample), tol=1e-3, clock=clock_of())


@pytest.mark.parametrize("affine", [True, False])
def test_carried_moments_are_those_of_the_open_hinges(monkeypatch, affine):
    X, y = noisy(5, 6000, 12)
    corrected, seen = Objective._corrected, []

    def beside_fresh_ones(some, carried, shift, hinges):
        moments = corrected(some, carried, shift, hinges)
        (opened,) = (hinges > 0.0).nonzero()
        mass = some.stiffness[opened]
        fresh = some.passes.class_sums(some.ids[opened], mass * hinges[opened], mass)
        seen.append(len(opened) != len(carried.active))
        np.testing.assert_allclose(moments, fresh, rtol=0.0, atol=1e-11 * np.abs(fresh).max())
        return moments

    monkeypatch.setattr(Objective, "_corrected", beside_fresh_ones)
    settings = NewtonSettings(first_subsample=300)
    _, solution = solved(X, y, 1.0, affine=affine, exact=False, settings=settings)
    assert solution.status is Status.GAP_REACHED
    assert len(seen) >= 4 and any(seen)


def test_the_intercept_does_not_decide_when_a_residual_is_small_enough():
    # Its coordinate has other units than the rest.
    X, y = noisy(3, 3000, 30)
    clocks, gaps = [], []
    for factor in (2.0**-20, 1.0, 2.0**20):
        clocks.append(clock_of())
        _, solution = solved(
            X * factor, y, 1.0 / factor**2, tol=1e-6, exact=False, clock=clocks[-1]
        )
        gaps.append(solution.gap)
    assert len({(clock.passes, clock.updates) for clock in clocks}) == 1
    np.testing.assert_allclose(gaps, gaps[0], rtol=1e-3)


@pytest.mark.parametrize("shift", [0.0, 1e3, 1e4])
@pytest.mark.parametrize("C", [1e2, 1e4])
def test_the_bounds_hold_far_from_the_origin(C, shift):
    # Sums that are carried from step to step would lose the digits that count.
    examples = far_from_a_plane(7900, 130, 0.01, random_state=0)
    X, y = examples.X + shift, examples.y
    sample, solution = solved(X, y, C, tol=1e-6)
    assert not is_small(Problem(sample))
    assert solution.status is Status.GAP_REACHED
    weights = solution.weights.astype(np.longdouble)
    w = (weights * y) @ (X - X.mean(axis=0)).astype(np.longdouble)
    dual = weights.sum() - (w @ w + weights @ weights / (2 * C)) / 2
    assert abs(weights @ y) <= 1e-9 * weights.sum()
    assert solution.lower == pytest.approx(float(dual), rel=1e-6)
    score = X @ solution.w - sample.centre @ solution.w + solution.offset
    primal = solution.w @ solution.w / 2 + C * (np.maximum(0, 1 - y * score) ** 2).sum()
    assert solution.upper == pytest.approx(primal, rel=1e-6)


def test_a_run_ends_at_the_precision_of_float64():
    X, y = noisy(7, 20_000, 60)
    clock = clock_of()
    _, solution = solved(X + 1e11, y, 1.0, tol=1e-3, clock=clock)
    assert solution.status is Status.PRECISION
    assert clock.passes < 500
