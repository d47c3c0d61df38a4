"""The hyperplane of least squared slacks, by Newton's method in plain numpy.

Where nothing separates the examples, ``f(w) = Σ max(0, 1 - z_i·w)²`` has a minimum, at which the
slacks combine the signed examples to zero; :mod:`novikoff.run.slack_proof` makes a proof of that.
The objective is piecewise quadratic, and the generalised Newton method solves the least squares of
the examples that violate the margin until these stay the same (Mangasarian, *A finite Newton method
for classification*, 2002). Nothing is compiled, and a step takes ``n d²`` operations of BLAS: this
is for small data.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

Vector = NDArray[np.float64]

MOST_STEPS = 40
"""Steps until giving up. The tables of ``benchmarks/defaults.py`` that nothing separates take 2 to
18; examples that are nearly separable can take any number."""

MOST_HALVINGS = 8
"""How often a step is halved that does not make the slacks smaller."""

RIDGE = 2.0**-40
"""What is added to the diagonal of the normal equations, relative to its mean: columns may depend
on each other. It shortens steps and does not move the minimum."""

ROUNDING = 2.0**-40
"""A sum of squares that is larger by less, relative to itself, counts as smaller."""

REFINEMENTS = 3
"""Steps with the last factor, for the digits that it has lost."""


def least_slack(
    X: Any,
    signs: NDArray[np.int8],
    *,
    affine: bool,
    costs: Vector | None = None,
    stopped: Callable[[], bool] = lambda: False,
) -> tuple[Vector, float] | None:
    """Return coefficients and intercept of the hyperplane of least squared slacks.

    Parameters
    ----------
    X : ndarray or sparse matrix
        The examples; a dense copy of them is made.
    signs : array of +1 and -1
        Their labels.
    affine : bool
        Whether hyperplanes may miss the origin.
    costs : array of float64, optional
        What the squared slack of each example is multiplied by; by default 1.
    stopped : callable
        Whether to give up, asked before every step.

    Returns
    -------
    (coef, intercept) or None
        ``None`` where a hyperplane on the way separates the examples, where no more examples
        violate the margin than there are unknowns, or where the steps do not end.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.run.least_slack import least_slack
    >>> X, signs = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([-1, 1, -1, 1])
    >>> coef, intercept = least_slack(X, signs, affine=True)
    >>> coef.round(6).tolist(), round(intercept, 6)
    ([0.4], -0.6)
    >>> least_slack(X, np.array([-1, -1, 1, 1]), affine=True) is None
    True
    """
    # In one order, so that sums are rounded the same way however the examples are stored.
    values = np.array(X.toarray() if sparse.issparse(X) else X, dtype=np.float64, order="C")
    n, d = values.shape
    means = values.mean(axis=0) if affine else np.zeros(d)
    values -= means
    sizes = np.sqrt(np.einsum("ij,ij->j", values, values) / n)
    kept = np.flatnonzero(sizes)
    table = np.ones((n, kept.size + affine))
    table[:, : kept.size] = values[:, kept] / sizes[kept]
    table *= signs[:, None]
    found = _newton(table, np.ones(n) if costs is None else costs, stopped)
    if found is None:
        return None
    coef = np.zeros(d)
    coef[kept] = found[: kept.size] / sizes[kept]
    return coef, float(found[-1] - coef @ means) if affine else 0.0


def _newton(table: Vector, costs: Vector, stopped: Callable[[], bool]) -> Vector | None:
    n_unknowns = table.shape[1]
    w, slacks = np.zeros(n_unknowns), np.ones(len(table))
    total = float(costs.sum())
    roots = np.sqrt(costs)
    for _ in range(MOST_STEPS):
        active = slacks > 0.0
        if stopped() or np.count_nonzero(active) <= n_unknowns:
            return None
        # A product of a matrix with its own transpose takes half the operations.
        rows = table[active] * roots[active, None]
        normal = rows.T @ rows
        normal.flat[:: n_unknowns + 1] += RIDGE * np.trace(normal) / n_unknowns
        try:
            factor = linalg.cho_factor(normal, overwrite_a=True, check_finite=False)
        except linalg.LinAlgError:
            return None
        left = roots[active] * slacks[active]
        step = linalg.cho_solve(factor, rows.T @ left, check_finite=False)
        products, before = table @ step, total
        for halvings in range(MOST_HALVINGS):
            after = slacks - 0.5**halvings * products
            positive = np.maximum(after, 0.0)
            total = float(positive @ (costs * positive))
            if total <= (1.0 + ROUNDING) * before:
                break
        else:
            return None
        w += 0.5**halvings * step
        slacks = after
        if slacks.max() < 1.0:
            return None
        # Examples at the margin exactly may violate it or not, as their slacks are rounded.
        if halvings == 0 and total >= (1.0 - ROUNDING) * before:
            for _ in range(REFINEMENTS):
                left = roots[active] - rows @ w
                w += linalg.cho_solve(factor, rows.T @ left, check_finite=False)
            return w
    return None
