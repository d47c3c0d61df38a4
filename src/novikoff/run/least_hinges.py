"""Least squared hinges without a penalty, from a hyperplane nearby, by Newton's method.

The gradient of ``½ Σ c_i max(0, 1 - z_i·w)²`` is ``-Σ λ_i z_i`` with the weights ``λ_i`` of
:mod:`novikoff.certificate.exact.violations`, and its Hessian the sum of ``c_i z_i z_iᵀ`` over the
examples that have weight. One factor of the Hessian serves many steps, since few examples gain or
lose weight near the optimum: each step costs two passes, and the error falls by the share of the
Hessian that these examples make up.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from novikoff.certificate import Certifier, Slacks
from novikoff.certificate.exact.columns import Replaced
from novikoff.certificate.exact.violations import Violations

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]

STEPS = 24
"""Most steps. Dense 20,000 x 3,000 with 10 % noise takes 20 to its rounding errors."""

FACTORS = 6
"""Most factors of a Hessian."""

STEPS_OF_HESSIAN = 1.0 / 120.0
"""A Hessian takes as long as so many steps for each column: 3.8 s and 0.15 s on dense 20,000 x
3,000. It is computed again where that is less than the steps to come, at the rate of the last one.
"""

HALVINGS = 4

RIDGES = (1e-14, 1e-11, 1e-8)
"""Added to the diagonal of the Hessian, scaled to 1, until it has a factor."""

_STRIPE = 1 << 22
"""Values of the examples that are converted at a time."""


@dataclass(frozen=True)
class Plane:
    """A hyperplane and what violates its margin: the weights, and the gradient as their sum."""

    slacks: Slacks
    violations: Violations
    value: float

    @classmethod
    def of(cls, certifier: Certifier, slacks: Slacks, replaced: Replaced) -> "Plane":
        """Compute the slacks."""
        examples, affine = certifier.examples, certifier.problem.affine
        violations = slacks.violations(examples, affine=affine, replaced=replaced)
        costs = costs_of(certifier, violations)
        value = float(violations.weights @ (violations.weights / costs))
        return cls(slacks, violations, value)

    def gradient(self, columns: Ids) -> float:
        """Return the largest entry of the gradient, in units of its rounding errors."""
        total, error = self.violations.total[columns], self.violations.error[columns]
        return float((np.abs(total) / error).max(initial=0.0))

    def moved(self, columns: Ids, step: Vector) -> Slacks:
        """Return the hyperplane after a step in these columns."""
        n_features = self.slacks.coef.size
        whole = np.zeros(n_features + 1)
        whole[columns] = step
        coef, intercept = self.slacks.coef + whole[:-1], self.slacks.intercept + whole[-1]
        return replace(self.slacks, coef=coef, intercept=float(intercept))


def least_hinges(certifier: Certifier, slacks: Slacks, replaced: Replaced, columns: Ids) -> Slacks:
    """Return a hyperplane with less squared hinges, the least if that is soon found.

    Only the coefficients of these columns change; the column after the last is the intercept.
    """
    plane = Plane.of(certifier, replace(slacks, threshold=0.0), replaced)
    hessian, factors, ratio = None, 0, 1.0
    for _ in range(STEPS):
        before = plane.gradient(columns)
        if before < 1.0:
            break
        if hessian is None or (_is_slow(before, ratio, columns.size) and factors < FACTORS):
            hessian = Hessian.of(plane.violations, columns, costs_of(certifier, plane.violations))
            factors += 1
        if hessian is None:
            break
        step = hessian.solve(plane.violations.total[columns])
        for halving in range(HALVINGS):
            after = Plane.of(certifier, plane.moved(columns, step / 2.0**halving), replaced)
            if after.value <= plane.value * (1.0 + 1e-12):
                break
        else:
            break
        ratio = after.gradient(columns) / before
        if ratio >= 1.0 and factors == FACTORS:
            break
        plane = after
    return plane.slacks


def _is_slow(gradient: float, ratio: float, n_columns: int) -> bool:
    """Whether the steps to come, each leaving this share of the gradient, cost more than a Hessian.

    For two steps it is not worth it, whatever the shape.
    """
    if ratio >= 1.0:
        return True
    to_come = np.log(gradient) / -np.log(max(ratio, 1e-300))
    return bool(to_come > max(2.0, STEPS_OF_HESSIAN * n_columns))


@dataclass(frozen=True)
class Hessian:
    """The Hessian in some columns: its Cholesky factor, for columns scaled to length 1."""

    factor: Vector
    scale: Vector

    @classmethod
    def of(cls, violations: Violations, columns: Ids, costs: Vector) -> "Hessian | None":
        """``None`` where it is singular."""
        with np.errstate(all="ignore"):
            gram = _gram(violations, columns, np.sqrt(costs))
            scale = 1.0 / np.sqrt(np.diagonal(gram))
            gram *= scale
            gram *= scale[:, None]
        if not np.isfinite(gram).all():
            return None
        for ridge in RIDGES:
            gram[np.diag_indices_from(gram)] = 1.0 + ridge
            factor, info = linalg.lapack.dpotrf(gram, lower=True)
            if not info:
                return cls(factor, scale)
        return None

    def solve(self, right: Vector) -> Vector:
        """Return the Newton step for a negative gradient."""
        step: Vector = linalg.cho_solve((self.factor, True), right * self.scale)
        return step * self.scale


def _gram(violations: Violations, columns: Ids, roots: Vector) -> Vector:
    """The Gram matrix of the columns, with rows times the roots of their costs."""
    X, size = violations.X, columns.size
    gram = np.zeros((size, size))
    if not sparse.issparse(X):
        step = max(1, _STRIPE // size)
        for first in range(0, violations.rows.size, step):
            part = slice(first, min(first + step, violations.rows.size))
            table = violations.table(np.arange(part.start, part.stop), columns)
            table *= roots[part, None]
            gram += table.T @ table
        return gram
    # The columns of the matrix itself stay sparse; the others are dense.
    own = (columns < X.shape[1]) & ~np.isin(columns, violations.replaced.columns)
    matrix = sparse.diags_array(roots) @ sparse.csr_array(X[violations.rows][:, columns[own]])
    others = violations.table(np.arange(violations.rows.size), columns[~own]) * roots[:, None]
    gram[np.ix_(own, own)] = (matrix.T @ matrix).toarray()
    gram[np.ix_(own, ~own)] = matrix.T @ others
    gram[np.ix_(~own, own)] = gram[np.ix_(own, ~own)].T
    gram[np.ix_(~own, ~own)] = others.T @ others
    return gram


def costs_of(certifier: Certifier, violations: Violations) -> Vector:
    """Return how often the examples with weight count."""
    costs = certifier.examples.costs
    return np.ones(violations.rows.size) if costs is None else costs[violations.rows]
