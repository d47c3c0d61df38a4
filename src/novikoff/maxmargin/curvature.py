"""The Hessian of the soft margin's primal, and the solution of Newton's equation."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs

from novikoff.compiled import newton as compiled
from novikoff.maxmargin.passes import Ids, Passes

Vector = NDArray[np.float64]

# The preconditioner is built from ten examples for each feature, or from as many as take the
# time of ten products: a row with d features takes d / 20 as long to build in as to multiply by.
PER_FEATURE = 10
WORTH_PRODUCTS = 10
FEATURES_A_PRODUCT = 20
BLOCK = 1024
MOST_PRODUCTS = 50
PATIENCE = 20
FORCING = 0.1
EXACTLY = 1e-10


class Curvature:
    """``H = I + sum D_i x_i x_i^T`` over active examples, the intercept's coordinate included.

    Newton's equation is solved by conjugate gradients, with a factor of the Hessian of some of
    the examples as preconditioner; where these are all of the active ones, one step suffices.
    """

    def __init__(self, passes: Passes) -> None:
        self.passes = passes
        self.sample = passes.sample
        self.n_features = passes.sample.room.shape[1]
        self.width = self.n_features + int(self.sample.affine)
        self.factor: Vector | None = None
        self.built_of: Ids = np.empty(0, dtype=np.int64)
        self.richness = 1

    def forget(self) -> None:
        """Build the preconditioner anew when it is next needed."""
        self.factor = None

    def enrich(self) -> None:
        """Build it anew, of twice as many examples."""
        self.factor = None
        self.richness *= 2

    def solve(
        self, ids: Ids, stiffness: Vector, right: Vector, *, enough2: float, exactly: bool
    ) -> tuple[Vector, float]:
        """Return ``v`` and ``shift`` such that ``H (v, shift) = (right, 0)``, nearly.

        Parameters
        ----------
        ids, stiffness : arrays
            The active examples and their ``D``.
        right : array of shape (n_features,)
            Minus the gradient, which is zero in the intercept's coordinate.
        enough2 : float
            Stop when the squared residual is no larger.
        exactly : bool
            Solve to rounding.
        """
        if exactly and not np.array_equal(ids, self.built_of):
            self.factor = None
        if self.factor is None:
            self._build(ids, stiffness, whole=exactly)
        solution, residual = np.zeros(self.width), np.zeros(self.width)
        residual[: self.n_features] = right
        direction = self._precondition(residual)
        size = float(residual @ direction)
        least = (EXACTLY if exactly else FORCING) ** 2 * size
        products = 0
        while products < MOST_PRODUCTS and size > least and residual @ residual > enough2:
            image = self._product(ids, stiffness, direction)
            length = size / float(direction @ image)
            solution += length * direction
            residual -= length * image
            preconditioned = self._precondition(residual)
            before, size = size, float(residual @ preconditioned)
            direction = preconditioned + (size / before) * direction
            products += 1
        if products >= PATIENCE:
            self.enrich()
        return solution[: self.n_features], float(solution[self.n_features :].sum())

    def _product(self, ids: Ids, stiffness: Vector, v: Vector) -> Vector:
        """Return ``H v``: a pass over the active examples."""
        d = self.n_features
        image, total = np.zeros(self.width), 0.0
        shift = float(v[d:].sum() - v[:d] @ self.sample.centre)
        for rows, here, those in self.passes.over(ids):
            total += compiled.curvature(rows, here, stiffness[those], v[:d], shift, image[:d])
        image[:d] += v[:d] - total * self.sample.centre
        image[d:] = total
        return image

    def _precondition(self, v: Vector) -> Vector:
        solution: Vector = dpotrs(self.factor, v, lower=1)[0]
        return solution

    def _build(self, ids: Ids, stiffness: Vector, *, whole: bool) -> None:
        """Factor the Hessian of some of the active examples, scaled up to that of all."""
        d, n = self.n_features, len(ids)
        if not whole:
            few = max(PER_FEATURE * d, WORTH_PRODUCTS * FEATURES_A_PRODUCT * n // self.width)
            chosen = np.linspace(0, n - 1, min(n, self.richness * few)).astype(np.int64)
            scale = stiffness.sum()
            ids, stiffness = ids[chosen], stiffness[chosen]
            stiffness = stiffness * (scale / stiffness.sum())
        hessian = np.zeros((self.width, self.width), order="F")
        block = np.empty((BLOCK, self.width))
        for begin in range(0, len(ids), BLOCK):
            those = slice(begin, begin + BLOCK)
            rows = self.sample.matrix(ids[those])
            part = block[: rows.shape[0]]
            part[:, :d] = rows.toarray() if sparse.issparse(rows) else rows
            part[:, :d] -= self.sample.centre
            part[:, d:] = 1.0
            part *= np.sqrt(stiffness[those])[:, None]
            self.passes.check()
            dsyrk(1.0, part.T, beta=1.0, c=hessian, lower=1, overwrite_c=1)
        self.passes.count += len(ids) / len(self.sample.order)
        diagonal = np.arange(self.width)
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
        self.built_of = ids
