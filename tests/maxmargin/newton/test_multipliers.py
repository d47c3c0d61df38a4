"""The method of multipliers: the optimum of Wolfe's method, or it gives up."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from novikoff import MaxMargin
from novikoff.certificate import Separation, Status
from novikoff.maxmargin import soft_margin
from novikoff.maxmargin.choose.hand_over import start_wolfe
from novikoff.maxmargin.newton.multipliers import MULTIPLIERS, multipliers
from novikoff.maxmargin.verdict import Probe
from tests.maxmargin.problems import clock_of, problem_of


def words(seed, n, d, margin=0.1):
    """Rows of a few ones, without those near a random hyperplane."""
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, d), density=5.0 / d, format="csr", rng=rng)
    X.data[:] = 1.0
    values = X @ rng.standard_normal(d)
    far = np.abs(values) > margin * np.std(values)
    return X[far], np.where(values[far] > 0.0, 1, -1)


def separator_of(problem):
    probe = Probe(problem, clock_of(), soft_margin, lambda *hyperplane, **examples: False)
    return probe.first() or probe.others()


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_it_finds_the_optimum_of_wolfes_method(seed, affine, tol):
    X, y = words(seed, 800, 60)
    problem = problem_of(X, y, affine=affine)
    found = multipliers(problem, tol=tol, clock=clock_of(), before=separator_of(problem))
    search = start_wolfe(problem, clock_of(), None)
    assert search.run(1e-9, 0.0) is Status.GAP_REACHED
    optimum = search.solution(Status.GAP_REACHED).upper
    assert found.status is Status.GAP_REACHED and found.gap <= tol and not found.gave_up
    assert found.lower <= optimum * (1 + 1e-9) and found.upper >= optimum * (1 - 1e-9)


@pytest.mark.parametrize("affine", [False, True])
def test_bounds_are_those_of_the_hyperplane_and_the_weights(affine):
    X, y = words(7, 900, 50)
    problem = problem_of(X, y, affine=affine)
    found = multipliers(problem, tol=1e-3, clock=clock_of(), before=separator_of(problem))
    margins = y * ((X.toarray() - problem.sample.centre) @ found.w + found.offset)
    assert margins.min() == pytest.approx(1.0)
    assert found.lower == pytest.approx(1.0 / np.linalg.norm(found.w))
    sides = [found.weights[y > 0].sum(), found.weights[y < 0].sum()]
    assert sides == pytest.approx([1.0, 1.0]) if affine else sum(sides) == pytest.approx(1.0)
    point = X.T @ (y * found.weights)
    assert found.upper == pytest.approx(np.linalg.norm(point) / (2.0 if affine else 1.0))


def test_it_gives_up_where_a_minimum_takes_too_many_steps():
    X, y = words(1, 800, 60)
    problem = problem_of(X, y)
    before = separator_of(problem)
    few = replace(MULTIPLIERS, most_steps=1)
    found = multipliers(problem, tol=1e-9, clock=clock_of(), before=before, settings=few)
    assert found.gave_up and found.status is Status.PRECISION
    assert found.lower == pytest.approx(before.lower)


@pytest.mark.parametrize("passes", [3, 20])
def test_a_limit_ends_it_with_a_separator(passes):
    X, y = words(0, 800, 60)
    problem = problem_of(X, y)
    clock = clock_of(max_iter=passes)
    found = multipliers(problem, tol=1e-12, clock=clock, before=separator_of(problem))
    assert found.status is Status.MAX_ITER and found.lower > 0.0
    assert clock.passes <= passes


def test_max_margin_uses_it_and_proves_its_gap():
    X, y = words(5, 4_500, 900, margin=0.3)
    clf = MaxMargin().fit(X, y)
    assert clf.solver_.endswith("multipliers")
    verified = clf.certificate_.verify(X, y)
    assert isinstance(clf.certificate_, Separation)
    assert verified.lower >= (1 - 1e-3) * verified.upper
