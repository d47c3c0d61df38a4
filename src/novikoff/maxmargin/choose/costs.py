"""What the solvers cost for a shape of data, about, before anything is known of the examples.

How many passes a solver takes depends on the examples; what a pass or a factor takes depends on the
shape alone. So the first solver is the one that costs least on data like those of the settings,
and it is stopped when it has cost as much as the next one would. Costs are in values read by a pass
over the data, or in such passes.
"""

from math import inf
from typing import NamedTuple

import numpy as np

from novikoff.maxmargin.choose.settings import CHOOSE, ChooseSettings
from novikoff.maxmargin.interior.normal import Exclusive
from novikoff.maxmargin.interior.settings import INTERIOR
from novikoff.maxmargin.problem import Problem


class Shape(NamedTuple):
    """How many examples, features and stored values there are."""

    n_examples: int
    n_features: int
    n_values: int
    is_sparse: bool

    @classmethod
    def of(cls, problem: Problem) -> "Shape":
        """Return the shape of a problem's examples."""
        sample = problem.sample
        n, d = problem.n_examples, problem.n_features
        return cls(n, d, sample.storage.n_values, sample.is_sparse)


def factor_products(shape: Shape) -> int:
    """Multiplications in the smaller of Hessian and Gram matrix, about as many as in its factor.

    For sparse data the matrix itself costs little.
    """
    n, d = shape.n_examples, shape.n_features
    return n * (min(n, d) if shape.is_sparse else d) * min(n, d)


def is_cheap(shape: Shape, settings: ChooseSettings = CHOOSE) -> bool:
    """Whether the optimum of a soft margin costs little: a Gram matrix or Hessian, and factors."""
    if shape.is_sparse:
        return factor_products(shape) <= settings.cheap
    work = factor_products(shape) + settings.example_products * shape.n_examples
    return work <= settings.small_products


def wolfe_work(shape: Shape, settings: ChooseSettings = CHOOSE) -> float:
    """Return what Wolfe's method costs for a hard margin."""
    members = float(min(shape.n_examples, shape.n_features))
    return settings.wolfe_steps * members**3 + settings.wolfe_passes * shape.n_values


def sweeping_work(shape: Shape, settings: ChooseSettings = CHOOSE) -> float:
    """Return what coordinate descent costs for a hard margin of sparse data."""
    return settings.hard_sweeps * shape.n_values


def interior_sweeps(shape: Shape, exclusive: Exclusive, settings: ChooseSettings = CHOOSE) -> float:
    """Return how many sweeps over sparse data take as long as the interior-point method.

    Infinite where too many columns are left in its normal matrix.
    """
    return _interior_sweeps(shape, len(exclusive.others), exclusive.work, settings)


def least_interior_sweeps(problem: Problem, settings: ChooseSettings = CHOOSE) -> float:
    """Return a bound below what :func:`interior_sweeps` returns, without choosing columns.

    Columns of which no two have a value in the same row have no more values than there are rows.
    """
    shape, matrix = Shape.of(problem), problem.sample.storage.matrix
    counts = np.bincount(matrix.indices)
    counts = np.sort(counts[counts > 0])
    exclusive = int(np.searchsorted(np.cumsum(counts), matrix.shape[0], side="right"))
    return _interior_sweeps(shape, len(counts) - exclusive, 0.0, settings)


def _interior_sweeps(shape: Shape, others: int, work: float, settings: ChooseSettings) -> float:
    """See :func:`interior_sweeps`; with ``others`` columns left in the normal matrix."""
    width = float(others + 1)
    if width > INTERIOR.most_width:
        return inf
    iteration = width**3 / 3.0 / settings.row_products + work
    sweep = shape.n_values + settings.row_values * shape.n_examples
    return settings.interior_iterations * iteration / sweep


def pivoting_passes(shape: Shape, settings: ChooseSettings = CHOOSE) -> float:
    """Return how many passes of coordinate descent over dense data take as long as pivoting."""
    n, d = shape.n_examples, shape.n_features
    if n >= settings.newton_examples * d:
        return settings.pivoting_work * d * d / n / settings.row_products
    return n * (1.0 + settings.factors * n / d) / settings.row_products


def pivoted_after(shape: Shape, passes: float, settings: ChooseSettings = CHOOSE) -> float:
    """Return how many support vectors of sparse data are few enough for pivoting.

    After so many passes of coordinate descent that were slow: as many again are expected.
    """
    pass_work = shape.n_values + settings.row_values * shape.n_examples
    return float(np.cbrt(settings.pivoted_work * max(passes, settings.slow_passes) * pass_work))


def most_pivoting_passes(shape: Shape, settings: ChooseSettings = CHOOSE) -> float:
    """Return how many passes over sparse data take as long as pivoting, at the most.

    With as many support vectors as there may be independent ones.
    """
    pass_work = shape.n_values + settings.row_values * shape.n_examples
    least = float(min(shape.n_examples, shape.n_features))
    return settings.factors * least**3 / settings.row_products / pass_work


def suits_sparse_newton(problem: Problem, settings: ChooseSettings = CHOOSE) -> bool:
    """Whether sparse data have many examples for each feature that is not zero in all of them."""
    n, least = problem.n_examples, settings.sparse_newton_examples
    if n >= least * problem.n_features:
        return True
    used = np.zeros(problem.n_features, dtype=np.bool_)
    indices = problem.sample.storage.matrix.indices
    # Of wide data, the first few rows show it.
    for some in (indices[: 4 * n], indices):
        used[some] = True
        if n < least * int(np.count_nonzero(used)):
            return False
    return True


def favours_sweeps(shape: Shape, settings: ChooseSettings = CHOOSE) -> bool:
    """Whether coordinate descent costs less than Wolfe's method for a hard margin of sparse data.

    Not where the optimum costs little anyway.
    """
    dear = wolfe_work(shape, settings) > sweeping_work(shape, settings)
    return shape.is_sparse and dear and not is_cheap(shape, settings)


def sweeps_before_pivoting(shape: Shape, settings: ChooseSettings = CHOOSE) -> float:
    """Return how many passes coordinate descent may take on dense data before pivoting, or 0.

    With many examples for each feature, after Newton's method has given up: then only where
    pivoting takes long. With few, in place of it, unless the optimum costs little anyway.
    """
    n, d = shape.n_examples, shape.n_features
    passes = pivoting_passes(shape, settings)
    if n >= settings.newton_examples * d:
        worth = n >= settings.corral_examples * d and passes >= settings.least_sweeps
    else:
        worth = not is_cheap(shape, settings)
    return passes if worth else 0.0
