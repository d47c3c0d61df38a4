"""What solvers cost for a shape, and which of them is chosen by that.

The table has the choices on shapes of ``benchmarks/shapes.py``, as they were measured there.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from novikoff.maxmargin.choose.costs import (
    Shape,
    factor_products,
    favours_sweeps,
    interior_sweeps,
    is_cheap,
    least_interior_sweeps,
    pivoted_after,
    pivoting_passes,
    sweeping_work,
    sweeps_before_pivoting,
    wolfe_work,
)
from novikoff.maxmargin.choose.settings import CHOOSE
from novikoff.maxmargin.interior.normal import Exclusive
from tests.maxmargin.problems import noisy, problem_of, text_like

DENSE = [
    # Examples, features, passes before pivoting, whether the optimum costs little.
    (200, 1500, 7, False),
    (200, 2000, 7, False),
    (500, 800, 29, False),
    (500, 5000, 17, False),
    (1000, 1000, 77, False),
    (1000, 3000, 45, False),
    (1000, 20000, 31, False),
    (2000, 20000, 67, False),
    (2500, 2500, 193, False),
    (100, 120, 0, True),
    (400, 100, 0, True),
    (2000, 200, 0, False),
    (4000, 1500, 0, False),
    (5000, 50, 0, False),
    (5000, 2000, 0, False),
    (12000, 800, 0, False),
    (20000, 3000, 206, False),
    (20000, 5000, 571, False),
    (100000, 30, 0, False),
    (100000, 1000, 0, False),
]

SPARSE = [
    # Examples, features, values, whether the hard margin is left to sweeps, as is_cheap.
    (150, 2000, 4500, False, True),
    (270, 270, 10800, False, True),
    (500, 5000, 20000, True, False),
    (1000, 500, 40000, True, False),
    (2000, 50000, 80000, True, False),
    (2500, 2500, 100000, True, False),
    (4000, 500, 160000, True, False),
    (5000, 200, 200000, False, False),
    (8000, 1500, 320000, True, False),
    (20000, 10000, 800000, True, False),
    (50000, 500, 2000000, False, False),
    (50000, 20000, 2000000, True, False),
    (100000, 5000, 4000000, True, False),
]


@pytest.mark.parametrize(("n", "d", "passes", "cheap"), DENSE)
def test_dense_shapes(n, d, passes, cheap):
    shape = Shape(n, d, n * d, False)
    assert round(sweeps_before_pivoting(shape)) == passes and is_cheap(shape) == cheap
    assert not favours_sweeps(shape)


@pytest.mark.parametrize(("n", "d", "values", "swept", "cheap"), SPARSE)
def test_sparse_shapes(n, d, values, swept, cheap):
    shape = Shape(n, d, values, True)
    assert favours_sweeps(shape) == swept and is_cheap(shape) == cheap
    assert cheap or swept == (sweeping_work(shape) < wolfe_work(shape))


def test_many_examples_are_not_solved_to_the_optimum():
    assert is_cheap(Shape(9000, 5, 45_000, False))
    assert not is_cheap(Shape(20_000, 5, 100_000, False))


def test_more_support_vectors_are_pivoted_after_more_passes():
    shape = Shape(700, 20_000, 130_000, True)
    assert 400 < pivoted_after(shape, 0.0) == pivoted_after(shape, 15.0) < 500
    assert pivoted_after(shape, 120.0) == pytest.approx(2.0 * pivoted_after(shape, 15.0))


def test_units():
    shape = Shape(1000, 300, 300_000, False)
    settings = replace(CHOOSE, wolfe_steps=2.0, wolfe_passes=10, hard_sweeps=7)
    assert wolfe_work(shape, settings) == 2.0 * 300**3 + 3e6
    assert sweeping_work(shape, settings) == 2.1e6
    assert factor_products(shape) == 1000 * 300**2
    assert factor_products(Shape(300, 1000, 9, False)) == 300**2 * 1000
    assert factor_products(Shape(300, 1000, 9, True)) == 300**3
    few = Shape(300, 1000, 300_000, False)
    settings = replace(CHOOSE, factors=2.0, row_products=10, pivoting_work=5.0)
    assert pivoting_passes(few, settings) == pytest.approx(300 * 1.6 / 10)
    assert pivoting_passes(shape, settings) == pytest.approx(5 * 300**2 / 1000 / 10)


def test_the_shape_of_a_problem():
    X, y = noisy(0, 50, 4)
    X[0] = 0.0
    assert Shape.of(problem_of(X, y)) == Shape(50, 4, 200, False)
    assert Shape.of(problem_of(sparse.csr_array(X), y)) == Shape(50, 4, 196, True)
    weights = np.r_[0.0, np.ones(49)]
    assert Shape.of(problem_of(X, y, costs=weights)).n_examples == 49


@pytest.mark.parametrize(("n", "d"), [(400, 60), (500, 900), (1000, 4000)])
def test_the_interior_point_method_takes_at_least_as_long_as_a_bound_says(n, d):
    p = text_like(n, d, 10, random_state=0)
    problem = problem_of(p.X, p.y)
    sample = problem.sample
    exclusive = Exclusive(sample.storage.sparse_rows(sample.order))
    exact = interior_sweeps(Shape.of(problem), exclusive)
    assert 0.0 < least_interior_sweeps(problem) <= exact


def test_the_bound_knows_exclusive_columns():
    # Two factors: the 30 levels of one are eliminated, those of the other and the intercept left.
    codes = np.arange(300)
    rows = sparse.csr_matrix(np.hstack([np.eye(30)[codes % 30], np.eye(7)[codes % 7]]))
    problem = problem_of(rows, np.where(codes % 2, 1, -1))
    sweep = rows.nnz + CHOOSE.row_values * 300
    factor = 8.0**3 / 3.0 / CHOOSE.row_products
    expected = CHOOSE.interior_iterations * factor / sweep
    assert least_interior_sweeps(problem) == pytest.approx(expected)
