"""Matrices near the Hessian of the soft margin's primal that are easy to invert.

The Hessian is ``I + sum D_i x_i x_i^T`` over active examples, relative to the centre; where there
is an intercept, it has the last coordinate, in which every example is 1 and which the ``I`` spares.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs

from novikoff.compiled import newton as compiled
from novikoff.maxmargin.passes import Ids, Passes

Vector = NDArray[np.float64]

BLOCK = 1024


class Preconditioner(Protocol):
    """The inverse of a matrix near the Hessian."""

    def solve(self, v: Vector) -> Vector:
        """Return the inverse times ``v``."""


class Factored:
    """The Cholesky factor of the Hessian of the given examples."""

    def __init__(self, passes: Passes, ids: Ids, stiffness: Vector) -> None:
        sample = passes.sample
        d = sample.room.shape[1]
        width = d + int(sample.affine)
        hessian = np.zeros((width, width), order="F")
        block = np.empty((BLOCK, width))
        for begin in range(0, len(ids), BLOCK):
            passes.check()
            those = slice(begin, begin + BLOCK)
            rows = sample.matrix(ids[those])
            part = block[: rows.shape[0]]
            part[:, :d] = rows.toarray() if sparse.issparse(rows) else rows
            part[:, :d] -= sample.centre
            part[:, d:] = 1.0
            part *= np.sqrt(stiffness[those])[:, None]
            hessian = dsyrk(1.0, part.T, beta=1.0, c=hessian, lower=1, overwrite_c=1)
        passes.count += len(ids) / len(sample.order)
        diagonal = np.arange(width)
        hessian[diagonal[:d], diagonal[:d]] += 1.0
        # Where no example is active, the intercept's coordinate has no curvature at all.
        if not len(ids):
            hessian[diagonal[d:], diagonal[d:]] = 1.0
        # A factor that rounding denies is that of a matrix nearby, which preconditions as well.
        lift = np.finfo(np.float64).eps * hessian[diagonal, diagonal].max()
        self.factor, failed = dpotrf(hessian, lower=1)
        while failed:
            hessian[diagonal, diagonal] += lift
            lift *= 10.0
            self.factor, failed = dpotrf(hessian, lower=1)

    def solve(self, v: Vector) -> Vector:
        """Return the inverse times ``v``."""
        solution: Vector = dpotrs(self.factor, v, lower=1)[0]
        return solution


class Diagonal:
    """The diagonal of the Hessian, taken where the mean of the active examples is the origin.

    There the intercept's coordinate is independent of the others. What is enough for sparse rows,
    whose columns have little to do with each other.
    """

    def __init__(self, passes: Passes, ids: Ids, stiffness: Vector) -> None:
        sample = passes.sample
        self.n_features = sample.room.shape[1]
        first, second = np.zeros(self.n_features), np.zeros(self.n_features)
        for rows, here, those in passes.over(ids):
            compiled.moments(rows, here, stiffness[those], first, second)
        self.total = float(stiffness.sum()) or 1.0
        self.mean = np.zeros(self.n_features)
        if sample.affine:
            # The second moments about the mean; for sparse columns nothing cancels.
            second = np.maximum(second - first**2 / self.total, 0.0)
            self.mean = first / self.total - sample.centre
        self.curves = 1.0 + second

    def solve(self, v: Vector) -> Vector:
        """Return the inverse times ``v``."""
        d, solution = self.n_features, np.empty_like(v)
        shift = v[d:].sum()
        solution[:d] = (v[:d] - shift * self.mean) / self.curves
        solution[d:] = shift / self.total - self.mean @ solution[:d]
        return solution
