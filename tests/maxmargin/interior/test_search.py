"""The interior-point method: the same optimum as Wolfe's method, where sweeps are slow."""

import numpy as np
import pytest
from scipy import sparse

from novikoff import MaxMargin, is_separable
from novikoff.certificate import Separation, Status
from novikoff.maxmargin import SOME_MARGIN, soft_margin
from novikoff.maxmargin.choose.hand_over import start_wolfe
from novikoff.maxmargin.interior.normal import Exclusive
from novikoff.maxmargin.interior.search import interior_point
from novikoff.maxmargin.verdict import VERDICT, Probe, VerdictSettings
from tests.maxmargin.problems import clock_of, problem_of


def indicators(seed, n, levels, cut=0.3):
    """Indicators of factors whose effects add up, without the examples near the boundary."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, count, n) for count in levels])
    effects = sum(
        rng.standard_normal(count)[code] for count, code in zip(levels, codes.T, strict=True)
    )
    effects -= np.median(effects)
    columns = codes + np.concatenate([[0], np.cumsum(levels)[:-1]])
    ends = np.arange(0, columns.size + 1, len(levels))
    shape = (n, sum(levels))
    X = sparse.csr_matrix((np.ones(columns.size), columns.ravel(), ends), shape=shape)
    far = np.abs(effects) > cut
    return X[far], np.where(effects[far] > 0.0, 1, -1)


def separator_of(problem):
    probe = Probe(problem, clock_of(), soft_margin, lambda *hyperplane, **examples: False)
    return probe.first() or probe.others()


def solved(problem, clock=None, tol=1e-3):
    sample = problem.sample
    return interior_point(
        problem,
        tol=tol,
        clock=clock or clock_of(),
        exclusive=Exclusive(sample.storage.sparse_rows(sample.order)),
        before=separator_of(problem),
    )


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("tol", [1e-3, 1e-7])
def test_it_finds_the_optimum_of_wolfes_method(seed, affine, tol):
    X, y = indicators(seed, 400, (30, 12, 4))
    problem = problem_of(X, y, affine=affine)
    found = solved(problem, tol=tol)
    search = start_wolfe(problem, clock_of(), None)
    assert search.run(1e-9, 0.0) is Status.GAP_REACHED
    optimum = search.solution(Status.GAP_REACHED).upper
    assert found.status is Status.GAP_REACHED and found.gap <= tol
    assert found.lower <= optimum * (1 + 1e-9) and found.upper >= optimum * (1 - 1e-9)


@pytest.mark.parametrize("affine", [False, True])
def test_bounds_are_those_of_the_hyperplane_and_the_weights(affine):
    X, y = indicators(7, 500, (40, 10))
    problem = problem_of(X, y, affine=affine)
    found = solved(problem)
    margins = y * ((X.toarray() - problem.sample.centre) @ found.w + found.offset)
    assert margins.min() == pytest.approx(1.0)
    assert found.lower == pytest.approx(1.0 / np.linalg.norm(found.w))
    sides = [found.weights[y > 0].sum(), found.weights[y < 0].sum()]
    assert sides == pytest.approx([1.0, 1.0]) if affine else sum(sides) == pytest.approx(1.0)
    point = X.T @ (y * found.weights)
    assert found.upper == pytest.approx(np.linalg.norm(point) / (2.0 if affine else 1.0))


def test_examples_far_from_the_margin_have_no_weight():
    X, y = indicators(3, 2000, (60, 20))
    problem = problem_of(X, y)
    found = solved(problem)
    margins = y * ((X.toarray() - problem.sample.centre) @ found.w + found.offset)
    assert (margins > 1.1).mean() > 0.25
    assert not found.weights[margins > 1.1].any()


@pytest.mark.parametrize("passes", [0, 2])
def test_a_limit_ends_it_with_a_separator(passes):
    X, y = indicators(0, 400, (30, 12, 4))
    problem = problem_of(X, y)
    found = solved(problem, clock=clock_of(max_iter=passes), tol=1e-9)
    assert found.status is Status.MAX_ITER
    if passes:
        margins = y * ((X.toarray() - problem.sample.centre) @ found.w + found.offset)
        assert found.lower > 0.0 and margins.min() == pytest.approx(1.0)


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_hard_margins_of_factors_reach_the_gap(fit_intercept):
    X, y = indicators(1, 6000, (300, 60, 8))
    model = MaxMargin(fit_intercept=fit_intercept).fit(X, y)
    assert "interior" in model.solver_ and model.status_ is Status.GAP_REACHED
    assert model.certificate_.gap <= 1e-3
    model.certificate_.verify(X, y)


def narrow(seed, n, levels):
    """Indicators of factors with few frequent levels, of which nothing near the boundary is cut."""
    rng = np.random.default_rng(seed)
    shares = [1.0 / np.arange(1, count + 1) for count in levels]
    codes = [rng.choice(len(each), n, p=each / each.sum()) for each in shares]
    columns = np.column_stack(codes) + np.concatenate([[0], np.cumsum(levels)[:-1]])
    ends = np.arange(0, columns.size + 1, len(levels))
    X = sparse.csr_matrix((np.ones(columns.size), columns.ravel(), ends), shape=(n, sum(levels)))
    effects = X @ rng.standard_normal(sum(levels))
    return X, np.where(effects > np.median(effects), 1, -1)


def soft_of(problem):
    """The soft margin of the second C that is tried, and its mistakes."""
    second = VerdictSettings(levels=VERDICT.levels[1:])
    probe = Probe(problem, clock_of(), soft_margin, lambda *plane, **rows: False, settings=second)
    assert probe.first() is None
    return probe.found, probe.mistakes


def sought(X, y, clock=None):
    problem = problem_of(X, y)
    before, mistakes = soft_of(problem)
    rows = problem.sample.storage.sparse_rows(problem.sample.order)
    how = dict(tol=SOME_MARGIN, clock=clock or clock_of(), exclusive=Exclusive(rows))
    return problem, interior_point(problem, before=before, **how), mistakes


def test_it_finds_a_separator_from_a_hyperplane_with_mistakes():
    X, y = narrow(7, 6000, (1500, 100))
    problem, found, mistakes = sought(X, y)
    margins = y * ((X.toarray() - problem.sample.centre) @ found.w + found.offset)
    assert mistakes > 0 and found.status is Status.GAP_REACHED
    assert margins.min() == pytest.approx(1.0)


def test_it_ends_soon_where_nothing_separates():
    X, y = narrow(7, 6000, (1500, 100))
    y[::1000] *= -1
    clock = clock_of()
    _, found, mistakes = sought(X, y, clock)
    assert mistakes > 0 and found.lower <= 0.0
    assert found.status is Status.PRECISION and clock.passes < 15


@pytest.mark.parametrize("fit_intercept", [False, True])
def test_narrow_margins_of_factors_are_decided(fit_intercept):
    X, y = narrow(7, 20_000, (6000, 255))
    proof = is_separable(X, y, fit_intercept=fit_intercept)
    assert isinstance(proof, Separation)
    proof.verify(X, y)


def test_repeated_examples_do_not_matter():
    X, y = indicators(2, 3000, (200, 20))
    once = MaxMargin().fit(X, y)
    twice = MaxMargin().fit(sparse.vstack([X, X], format="csr"), np.concatenate([y, y]))
    assert "interior" in once.solver_ and once.solver_ == twice.solver_
    assert twice.margin_ == pytest.approx(once.margin_, rel=1e-3)
    assert len(twice.support_) <= 2 * len(once.support_)


def test_one_factor_without_an_intercept():
    """Every column is eliminated, and no equation is left to solve."""
    rng = np.random.default_rng(0)
    level = np.concatenate([np.arange(300), rng.integers(0, 300, 600)])
    X = sparse.csr_matrix((np.ones(900), (np.arange(900), level)), (900, 300))
    clf = MaxMargin(fit_intercept=False).fit(X, level % 2)
    # Each level has a weight of its own: the margin is that of 300 orthogonal examples.
    assert clf.margin_ == pytest.approx(300**-0.5, rel=1e-3)
    assert "interior" in clf.solver_
