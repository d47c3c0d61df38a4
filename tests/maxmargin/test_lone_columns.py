"""Columns of one example alone are left out of a search, and come back with the same bounds."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate import Status
from novikoff.maxmargin.bounds import dual_objective
from novikoff.maxmargin.lone_columns import LoneColumns
from novikoff.maxmargin.newton.search import newton
from tests.maxmargin.problems import clock_of, problem_of


def with_lone_columns(lone=60, n=200, d=20):
    """Noisy counts, of which the first rows have one or two columns of their own each."""
    rng = np.random.default_rng(0)
    X = rng.poisson(0.5, size=(n, d)).astype(float)
    own = np.zeros((n, lone + 5))
    own[np.arange(lone), np.arange(lone)] = rng.integers(1, 4, size=lone)
    own[np.arange(5), lone + np.arange(5)] = 2.0
    # Lone columns are not the last ones.
    X = np.column_stack([X[:, :10], own, X[:, 10:]])
    y = np.where(rng.uniform(size=n) < 0.5, 1, -1)
    return sparse.csr_array(X), y


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("order", [None, np.arange(199, 3, -1)])
def test_bounds_are_those_of_the_whole_problem(affine, order):
    X, y = with_lone_columns()
    problem = problem_of(X, y, 10.0, affine=affine, order=order)
    lone = LoneColumns.of(problem)
    assert lone is not None and lone.problem.n_features == 20
    part = newton(lone.problem, tol=1e-2, clock=clock_of())
    found = lone.restored(part)
    assert (found.upper, found.lower) == (part.upper, part.lower)
    assert 0.0 < found.gap <= 1e-2
    ids = problem.sample.order
    rows, signs, slack2 = X.toarray()[ids], y[ids].astype(float), problem.slack2[ids]
    scores = (rows - problem.sample.centre) @ found.w + found.offset
    hinges = np.maximum(0.0, 1.0 - signs * scores)
    primal = 0.5 * (found.w @ found.w + hinges**2 @ (1.0 / slack2))
    assert primal == pytest.approx(found.upper, rel=1e-12)
    weights = found.weights[ids]
    sides = [weights * (signs == side) for side in (1.0, -1.0)]
    sums, totals = np.array([s @ rows for s in sides]), np.array([s.sum() for s in sides])
    dual = dual_objective(sums, totals, signs, weights, slack2, affine)
    assert dual == pytest.approx(found.lower, rel=1e-9)


def test_the_optimum_is_that_of_the_whole_problem():
    X, y = with_lone_columns()
    problem = problem_of(X, y, 100.0)
    lone = LoneColumns.of(problem)
    assert lone is not None
    found = lone.restored(newton(lone.problem, tol=1e-10, clock=clock_of()))
    whole = newton(problem, tol=1e-10, clock=clock_of())
    assert found.status is whole.status is Status.GAP_REACHED
    assert found.upper == pytest.approx(whole.upper, rel=1e-9)
    np.testing.assert_allclose(found.w, whole.w, atol=1e-4)


def test_rows_that_do_not_take_part_do_not_count():
    """A column of two rows is that of one alone where the other is left out."""
    X = sparse.csr_array([[1.0, 2.0], [1.0, 0.0], [1.0, 2.0], [3.0, 0.0]])
    y = np.array([1, -1, 1, -1])
    assert LoneColumns.of(problem_of(X, y, 1.0)) is None
    lone = LoneColumns.of(problem_of(X, y, 1.0, order=np.array([3, 2, 1])))
    assert lone is not None and lone.kept.tolist() == [0]
    assert lone.rows.tolist() == [2] and lone.values.tolist() == [2.0]
    np.testing.assert_allclose(lone.problem.slack2[[1, 2, 3]], [0.5, 4.5, 0.5])


def test_problems_without_enough_of_them_stay_as_they_are():
    few = with_lone_columns(lone=10)
    assert LoneColumns.of(problem_of(*few, 1.0)) is None
    X, y = with_lone_columns()
    assert LoneColumns.of(problem_of(X, y)) is None
    assert LoneColumns.of(problem_of(X.toarray(), y, 1.0)) is None
    only = sparse.csr_array(np.eye(4))
    assert LoneColumns.of(problem_of(only, [1, -1, 1, -1], 1.0)) is None
