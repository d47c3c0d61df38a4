"""Whether some columns of the data depend on others, up to rounding."""

import numpy as np
from scipy import linalg, sparse

from novikoff.maxmargin.choose.settings import CHOOSE, ChooseSettings
from novikoff.maxmargin.problem import Problem


def columns_depend(problem: Problem, settings: ChooseSettings = CHOOSE) -> bool:
    """Whether columns depend on others up to rounding, as far as a few examples tell.

    With an intercept, columns are relative to the centre: parts of a whole, which add up to one in
    every row, depend on each other. Of more columns than are looked at, none is said to.
    """
    sample = problem.sample
    few = settings.rows_per_column * problem.n_features
    if problem.n_features > settings.most_ranked or few > len(sample.order):
        return False
    rows = sample.signed_rows(sample.order[:: len(sample.order) // few])
    norms = np.linalg.norm(rows, axis=0)
    rows = rows[:, norms > 0.0] / norms[norms > 0.0]
    (factor,) = linalg.qr(rows, mode="r", pivoting=True, check_finite=False)[:1]
    sizes = np.abs(factor.diagonal())
    return bool((sizes <= settings.rounded * sizes.max(initial=0.0)).any())


def has_whole_numbers(problem: Problem, settings: ChooseSettings = CHOOSE) -> bool:
    """Whether most values of a few examples are whole, with which exact arithmetic is fast."""
    sample = problem.sample
    rows = sample.storage.matrix[sample.order[: settings.rows_seen]]
    values = rows.toarray() if sparse.issparse(rows) else np.asarray(rows)
    return bool((values == np.rint(values)).mean() > 0.5)
