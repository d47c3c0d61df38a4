"""Newton's equation, solved by conjugate gradients."""

from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.compiled import newton as compiled
from novikoff.maxmargin.passes import Ids, Passes
from novikoff.maxmargin.preconditioner import Diagonal, Factored, Preconditioner

Vector = NDArray[np.float64]

# The factor is built from ten examples for each feature, or from as many as take the time of ten
# products: a dense row with d features takes d / 20 as long to build in as to multiply by.
PER_FEATURE = 10
WORTH_PRODUCTS = 10
FEATURES_A_PRODUCT = 20
# A product with a value of a sparse row takes as long as so many multiplications in a factor.
SPARSE_VALUE = 50
SPARSE_BYTES = 12
MOST_FACTORED = 3000
MOST_PRODUCTS = 50
PATIENCE = 20
FORCING = 0.03
EXACTLY = 1e-10


class Curvature:
    """The Hessian ``H = I + sum D_i x_i x_i^T`` over active examples, the intercept included.

    The preconditioner is a factor of the Hessian of some of the active examples; where these are
    all of them, one step suffices. For sparse rows it is the diagonal, until the products taken
    with it have cost as much as a factor would.
    """

    def __init__(self, passes: Passes) -> None:
        self.passes = passes
        self.sample = passes.sample
        n, self.n_features = passes.sample.room.shape
        self.width = self.n_features + int(self.sample.affine)
        self.sparse = sparse.issparse(self.sample.matrix(self.sample.order[:1]))
        self.row_cost = SPARSE_VALUE * self.sample.room.nbytes / (SPARSE_BYTES * n)
        self.spent = 0.0
        self.preconditioner: Preconditioner | None = None
        self.built_of: Ids = np.empty(0, dtype=np.int64)
        self.richness = 1

    def forget(self) -> None:
        """Build the preconditioner anew when it is next needed."""
        self.preconditioner = None

    def enrich(self) -> None:
        """Build it anew, of twice as many examples."""
        self.preconditioner = None
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
        inverse = self._prepare(ids, stiffness, exactly)
        solution, residual = np.zeros(self.width), np.zeros(self.width)
        residual[: self.n_features] = right
        direction = inverse.solve(residual)
        size = float(residual @ direction)
        least = (EXACTLY if exactly else FORCING) ** 2 * size
        products = 0
        while products < MOST_PRODUCTS and size > least and residual @ residual > enough2:
            image = self._product(ids, stiffness, direction)
            bend = float(direction @ image)
            if not 0.0 < bend < inf:
                break
            length = size / bend
            solution += length * direction
            residual -= length * image
            preconditioned = inverse.solve(residual)
            before, size = size, float(residual @ preconditioned)
            direction = preconditioned + (size / before) * direction
            products += 1
        self.spent += products * len(ids) * self.row_cost
        if products >= PATIENCE and isinstance(inverse, Factored):
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

    def _prepare(self, ids: Ids, stiffness: Vector, exactly: bool) -> Preconditioner:
        """Return the preconditioner, of some of the active examples, scaled up to all."""
        n = len(ids)
        few = max(PER_FEATURE * self.width, WORTH_PRODUCTS * FEATURES_A_PRODUCT * n // self.width)
        few = n if exactly else min(n, self.richness * few)
        cost = self.width**2 * (few + self.width / 3.0)
        if self.width > MOST_FACTORED or (self.sparse and not exactly and self.spent < cost):
            # Stale, it would belittle the columns that only the newly active examples have.
            return Diagonal(self.passes, ids, stiffness)
        stale = exactly and not np.array_equal(ids, self.built_of)
        if stale or not isinstance(self.preconditioner, Factored):
            self.built_of = ids
            if few < n:
                chosen = np.linspace(0, n - 1, few).astype(np.int64)
                scale = stiffness.sum() / stiffness[chosen].sum()
                ids, stiffness = ids[chosen], stiffness[chosen] * scale
            self.preconditioner = Factored(self.passes, ids, stiffness, precise=exactly)
        return self.preconditioner
