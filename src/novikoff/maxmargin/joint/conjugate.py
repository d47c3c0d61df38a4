"""Newton's method on sparse rows: its equation is solved by conjugate gradients.

The method of :mod:`~novikoff.maxmargin.joint.multipliers`, with the model in its own coordinates,
for data with too many features and classes for a Hessian. A product with the Hessian takes the
values of the examples whose hinges curve, for the classes that are active, mostly two.

The preconditioner has one block for each class: the second derivatives along the intercept and the
columns that curve most, exactly, and along the others alone. What it leaves to conjugate gradients
is how classes depend on each other. Of two classes: :mod:`novikoff.compiled.conjugate`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.linalg import LinAlgError

from novikoff.compiled import joint_conjugate as compiled
from novikoff.compiled.joint_conjugate import Curved
from novikoff.compiled.joint_newton import Loss
from novikoff.compiled.rows import CSR
from novikoff.maxmargin.joint.class_blocks import ClassBlocks
from novikoff.maxmargin.joint.lifted import SparseRows
from novikoff.maxmargin.joint.multipliers import Space
from novikoff.maxmargin.joint.problem import Ids, Vector
from novikoff.maxmargin.joint.settings import CONJUGATE, ConjugateSettings


class Kept:
    """The preconditioner that was built last, which serves the next steps too.

    It is built again when the products that steps have taken more than the first with it, all
    together, take as long as building it.
    """

    blocks: ClassBlocks | None = None
    first: int | None = None
    """The products of the first step."""
    taken: int = 0
    """The products of this step."""
    more: int = 0
    """By how many others exceed the first."""

    def blocks_for(
        self, space: "SparseSpace", rows: CSR, curved: Curved, shape: tuple[int, int], hold: float
    ) -> ClassBlocks:
        """Return the preconditioner of a step, built again if that is worth it."""
        if self.blocks is not None:
            if self.first is None:
                self.first = self.taken
            self.more += max(0, self.taken - self.first)
        if self.blocks is None or self.more * self.blocks.solve_work >= self.blocks.build_work:
            settings = space.settings
            room = min(settings.block_share * space.examples.rows.nnz, settings.block_values)
            most = int((room / shape[1]) ** 0.5)
            self.blocks = ClassBlocks(
                rows, curved, space.examples.shift, shape, space.penalty[0], hold, most
            )
            self.first, self.more = None, 0
        self.taken = 0
        return self.blocks

    def count(self, products: int) -> None:
        """Count the products of this step."""
        self.taken = products


@dataclass(frozen=True)
class SparseSpace(Space):
    """Sparse rows, lifted by a 1 where there are intercepts; models are their own numbers."""

    examples: SparseRows
    codes: Ids
    stiff: Vector
    penalty: Vector
    units2: Vector
    """What the square of each entry of a gradient counts."""
    affine: bool
    check: Callable[[], None]
    """Called before every product."""
    kept: Kept = field(default_factory=Kept)
    settings: ConjugateSettings = CONJUGATE

    def some(self, ids: Ids) -> "SparseSpace":
        """Return some of the examples, with the weight of all."""
        stiff = self.stiff[ids] * (len(self.codes) / len(ids))
        return replace(
            self, examples=self.examples.some(ids), codes=self.codes[ids], stiff=stiff, kept=Kept()
        )

    def scores(self, model: Vector) -> Vector:
        """Return the scores of the examples."""
        products = self.examples.products(model[: self.n_features])
        return products + model[-1] if self.affine else products

    def gradient(self, model: Vector, scores: Vector, shares: Vector) -> Vector:
        """Return the gradient, in the numbers of the model."""
        gradient = np.asarray(self.penalty[:, None] * model)
        gradient[: self.n_features] -= self.examples.sums(shares)
        if self.affine:
            gradient[-1] -= shares.sum(axis=0)
        return gradient

    @property
    def n_features(self) -> int:
        """The number of features."""
        return len(self.examples.shift)

    def shortfall(self, gradient: Vector) -> float:
        """Return a quarter of its squared length."""
        return 0.25 * float((gradient**2).sum(axis=1) @ self.units2)

    def slope(self, gradient: Vector, direction: Vector, speeds: Vector) -> float:
        """Return the derivative along a direction."""
        return float((gradient * direction).sum())

    def product(self, first: Vector, second: Vector, scores: Vector) -> float:
        """Return the inner product of the vectors of two models."""
        d = self.n_features
        return float((first[:d] * second[:d]).sum())

    def direction(
        self, gradient: Vector, weights: Vector, rho: float, loss: Loss, enough: float
    ) -> Vector | None:
        """Return Newton's direction, nearly: conjugate gradients end where more is not worth it."""
        matrix, centre = self.examples.rows, self.examples.shift
        rows = CSR(matrix.data, matrix.indices, matrix.indptr)
        curved = self._curved(weights, rho, loss)
        # Where no hinge is near its corner, none has curvature to hold the intercepts.
        hold = 0.0 if loss.squared else 1e-4 * float(self.stiff.sum()) / weights.shape[1]
        d = self.n_features
        try:
            blocks = self.kept.blocks_for(self, rows, curved, gradient.shape, hold)
        except LinAlgError:
            return None

        def hessian(direction: Vector) -> Vector:
            image, total = np.zeros((d, direction.shape[1])), np.zeros(direction.shape[1])
            shift = -(centre @ direction[:d])
            if self.affine:
                shift += direction[d]
            compiled.curvature_product(rows, curved, shift, direction, image, total)
            out = self.penalty[:, None] * direction
            out[:d] += image - np.outer(centre, total)
            if self.affine:
                out[d] += total + hold * direction[d]
            return out

        residual = -gradient
        solution = np.zeros_like(gradient)
        ahead = blocks.solve(residual)
        direction, size = ahead, float((residual * ahead).sum())
        least = self.settings.forcing**2 * size
        beyond = 1.0 if loss.squared else self.settings.hinge_beyond
        for products in range(self.settings.most_products):
            self.check()
            self.kept.count(products + 1)
            image = hessian(direction)
            curve = float((direction * image).sum())
            if not 0.0 < curve < np.inf:
                break
            length = size / curve
            solution += length * direction
            residual -= length * image
            ahead = blocks.solve(residual)
            before, size = size, float((residual * ahead).sum())
            left = self.shortfall(residual)
            if left <= beyond * enough or not size > 0.0:
                break
            if size <= least and left > self.settings.near * enough:
                break
            direction = ahead + (size / before) * direction
        return solution

    def _curved(self, weights: Vector, rho: float, loss: Loss) -> Curved:
        n = len(self.codes)
        room = n + int(np.count_nonzero(weights > 0.0))
        curved = Curved(
            np.empty(n, np.int64),
            np.empty(n + 1, np.int64),
            np.empty(room, np.int64),
            np.empty(n),
            np.empty(n),
        )
        count, end = compiled.curved_examples(weights, self.codes, self.stiff, rho, loss, curved)
        return Curved(
            curved.ids[:count],
            curved.starts[: count + 1],
            curved.classes[:end],
            curved.own[:count],
            curved.other[:count],
        )
