"""Soft margins of the same examples with other labels or on other folds, solved at once.

Finite Newton in the primal, as in :mod:`novikoff.maxmargin.newton`, on all of the problems
together. They share

- every pass over the data: products with the vectors of all problems are one matrix product, which
  costs little more than the product with a single vector;
- the preconditioner: the factor of a Hessian of examples that are active in any of them;
- the path over growing C, each problem from its own optimum at the C before, so that nothing that a
  problem leaves out reaches its solution.

For dense data with many examples and few features.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from novikoff.compiled.hinge import best_step
from novikoff.run.clock import Clock, Stopped
from novikoff.sample import Sample

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class BatchSettings:
    """Sizes and accuracies, for MNIST's 60,000 x 784 digits in five folds, nine values of C."""

    block_values: int = 1 << 20
    """How many values are converted or copied at once."""

    copied_values: int = 1 << 26
    """Active rows are copied side by side if they have at most this many values (512 MB)."""

    per_feature: int = 8
    """The factor is built from this many examples for each feature."""

    forcing: float = 0.1
    """How far the residual of Newton's equation must fall, in units of what it was."""

    most_products: int = 40
    """The most products of conjugate gradients in a step."""

    slow_products: int = 8
    """After more products than this, the factor is built again, from four times as many."""

    most_steps: int = 30
    """The most steps for one C."""


BATCH = BatchSettings()


class Batch:
    """Soft margins of growing C on subsets of the same examples.

    Parameters
    ----------
    sample : Sample
        The examples that ``sample.order`` lists; its signs do not matter.
    signs : array of shape (n_problems, n_order)
        Labels, 1 and -1, in the order of the examples; 0 leaves an example out.
    costs : array of shape (n_order,)
        The factor on the penalty of each example.
    clock : Clock
        Asked between blocks of rows whether to stop.
    settings : BatchSettings, optional
        Sizes and accuracies.
    """

    def __init__(
        self,
        sample: Sample,
        signs: NDArray[np.int8],
        costs: Vector,
        clock: Clock,
        settings: BatchSettings = BATCH,
    ) -> None:
        self.sample = sample
        self.clock = clock
        self.settings = settings
        self.signs = signs.astype(np.float64)
        self.costs = costs
        n_problems, self.n = signs.shape
        d = sample.storage.width
        self.w, self.offset = np.zeros((d, n_problems)), np.zeros(n_problems)
        self.products = np.zeros((n_problems, self.n))
        """``w . (x - mean)`` of every example, those left out included."""
        self.mean = self._mean()
        self.gram: Vector | None = None
        self.richness = 1
        self.gaps = np.full(n_problems, inf)

    @property
    def values(self) -> Vector:
        """The decision values ``f(x)``: one row for each problem, one column for each example."""
        return self.products + self.offset[:, None]

    def solve(self, C: float, tol: float) -> None:
        """Minimise the primal of every problem, from where the last call has left it.

        Ends where every relative gap is at most ``tol``, or after ``most_steps``.
        """
        stiffness = 2.0 * C * self.costs
        for _ in range(self.settings.most_steps):
            self._move_offsets(stiffness)
            hinges = 1.0 - self.signs * self.values
            active = (hinges > 0.0) & (self.signs != 0.0)
            weights = np.where(active, stiffness * hinges, 0.0)
            rows = _Active(self, np.flatnonzero(active.any(axis=0)))
            gradient = self.w - rows.sums(self.signs * weights)[0]
            squares = (self.w**2).sum(axis=0)
            primal = 0.5 * squares + 0.5 * (weights * np.maximum(hinges, 0.0)).sum(axis=1)
            # The weights of the hinges solve the dual but for the gradient: half its square.
            left2 = (gradient**2).sum(axis=0)
            self.gaps = np.where(primal > 0.0, 0.5 * left2 / np.maximum(primal, 1e-300), 0.0)
            open_ = self.gaps > tol
            if not open_.any():
                return
            curvature = np.where(active, stiffness, 0.0)
            directions, shifts = self._newton(rows, curvature, -gradient, tol * primal, open_, C)
            self._go(directions, shifts, hinges, stiffness, open_)

    def _move_offsets(self, stiffness: Vector) -> None:
        if not self.sample.affine:
            return
        for k, signs in enumerate(self.signs):
            hinges = np.where(signs == 0.0, -1.0, 1.0 - signs * (self.products[k] + self.offset[k]))
            self.offset[k] += best_step(hinges, signs, stiffness, 0.0, 0.0, 0.0)

    def _go(
        self, directions: Vector, shifts: Vector, hinges: Vector, stiffness: Vector, open_: Any
    ) -> None:
        """Go along each direction to the lowest point."""
        speeds = self._products(directions)
        for k in np.flatnonzero(open_):
            signs, along = self.signs[k], directions[:, k]
            length = best_step(
                np.where(signs == 0.0, -1.0, hinges[k]),
                signs * (speeds[k] + shifts[k]),
                stiffness,
                float(self.w[:, k] @ along),
                float(along @ along),
                1.0,
            )
            self.w[:, k] += length * along
            self.offset[k] += length * shifts[k]
            self.products[k] += length * speeds[k]
            self.clock.updates += 1

    def _newton(
        self,
        rows: "_Active",
        curvature: Vector,
        right: Vector,
        enough2: Vector,
        open_: NDArray[np.bool_],
        C: float,
    ) -> tuple[Vector, Vector]:
        """Solve Newton's equations by conjugate gradients; the last row is the intercept's."""
        d, n_problems = right.shape
        affine = self.sample.affine
        solve = self._preconditioner(rows, curvature, C)
        residual = np.zeros((d + 1, n_problems))
        residual[:d] = np.where(open_, right, 0.0)
        solution = np.zeros_like(residual)
        direction = solve(residual)
        size = (residual * direction).sum(axis=0)
        least, going, products = self.settings.forcing**2 * size, open_ & (size > 0.0), 0
        while going.any() and products < self.settings.most_products:
            speeds = curvature * (rows.products(direction[:d]) + direction[d][:, None])
            image = np.zeros_like(residual)
            image[:d], total = rows.sums(speeds)
            image[:d] += direction[:d]
            image[d] = total if affine else 0.0
            curve = (direction * image).sum(axis=0)
            going &= curve > 0.0
            length = np.where(going, size / np.where(curve > 0.0, curve, 1.0), 0.0)
            solution += length * direction
            residual -= length * image
            preconditioned = solve(residual)
            before, size = size, (residual * preconditioned).sum(axis=0)
            left2 = (residual[:d] ** 2).sum(axis=0)
            going &= (size > least) & (left2 > 0.5 * enough2)
            ratio = np.where(before > 0.0, size / np.where(before > 0.0, before, 1.0), 0.0)
            direction = preconditioned + ratio * direction
            products += 1
        if products > self.settings.slow_products:
            self.gram, self.richness = None, 4 * self.richness
        return solution[:d], solution[d]

    def _preconditioner(self, rows: "_Active", curvature: Vector, C: float) -> Any:
        d = len(self.mean)
        if self.gram is None:
            most = self.richness * self.settings.per_feature * d
            self.gram = rows.gram(curvature.mean(axis=0) / C, most)
        hessian = C * self.gram
        hessian[np.arange(d), np.arange(d)] += 1.0
        if not self.sample.affine:
            hessian[d], hessian[:, d] = 0.0, 0.0
            hessian[d, d] = 1.0
        hessian[d, d] += 1e-12 * np.trace(hessian) / (d + 1)
        try:
            factor = cho_factor(hessian, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            diagonal = 1.0 / (C * np.diag(self.gram) + 1.0)
            return lambda residual: diagonal[:, None] * residual
        return lambda residual: cho_solve(factor, residual, check_finite=False)

    def _mean(self) -> Vector:
        """Return the mean of the examples: relative to it, the intercept is nearly independent."""
        total = np.zeros(self.sample.storage.width)
        if self.sample.affine:
            for block, _ in self.blocks(np.arange(self.n)):
                total += block.sum(axis=0)
        mean: Vector = total / self.n
        return mean

    def _products(self, vectors: Vector) -> Vector:
        products = np.empty((vectors.shape[1], self.n))
        for block, part in self.blocks(np.arange(self.n)):
            products[:, part] = (block @ vectors).T
        return products - (self.mean @ vectors)[:, None]

    def blocks(self, places: Ids) -> Iterator[tuple[Vector, slice]]:
        """Yield the rows at some places of the order, as float64, block by block."""
        order, matrix = self.sample.order, self.sample.storage.matrix
        size = max(1, self.settings.block_values // max(1, self.sample.storage.width))
        ids = order[places]
        for begin in range(0, len(ids), size):
            status = self.clock.interrupted()
            if status is not None:
                raise Stopped(status)
            some = ids[begin : begin + size]
            first, last = int(some[0]), int(some[-1]) + 1
            # Consecutive rows are read where they are.
            where: Any = slice(first, last) if last - first == len(some) else some
            block = np.asarray(matrix[where], dtype=np.float64)
            yield block, slice(begin, begin + len(some))


class _Active:
    """The examples that are active in some problem: those that Newton's equation reads."""

    def __init__(self, batch: Batch, places: Ids) -> None:
        self.batch = batch
        self.places = places
        self.copy: Vector | None = None

    def __iter__(self) -> Iterator[tuple[Vector, Ids]]:
        """Yield rows and their places; the second time from a copy, if it is not too large."""
        batch, places = self.batch, self.places
        if self.copy is not None:
            yield self.copy, places
            return
        width = len(batch.mean)
        keep = len(places) * width <= batch.settings.copied_values
        copy = np.empty((len(places), width)) if keep else None
        for block, part in batch.blocks(places):
            if copy is not None:
                copy[part] = block
            yield block, places[part]
        self.copy = copy

    def products(self, vectors: Vector) -> Vector:
        """Return ``v . (x - mean)`` for every vector; zero for examples that are not active."""
        batch = self.batch
        products = np.zeros((vectors.shape[1], batch.n))
        along = (batch.mean @ vectors)[:, None]
        for block, places in self:
            products[:, places] = (block @ vectors).T - along
        return products

    def sums(self, weights: Vector) -> tuple[Vector, Vector]:
        """Return ``sum_i weights_i (x_i - mean)`` for every row of weights, and their totals."""
        batch = self.batch
        sums, totals = np.zeros((len(batch.mean), len(weights))), weights.sum(axis=1)
        for block, places in self:
            sums += block.T @ weights[:, places].T
        return sums - np.outer(batch.mean, totals), totals

    def gram(self, weights: Vector, most: int) -> Vector:
        """Return ``sum_i weights_i z_i z_i^T``, ``z = (x - mean, 1)``, over at most so many."""
        batch, places = self.batch, self.places
        if len(places) > most:
            places = places[np.linspace(0, len(places) - 1, most).astype(np.int64)]
        scale = weights[self.places].sum() / max(weights[places].sum(), 1e-300)
        width = len(batch.mean) + 1
        gram = np.zeros((width, width))
        for block, part in batch.blocks(places):
            rows = np.column_stack([block - batch.mean, np.ones(len(block))])
            rows *= np.sqrt(scale * weights[places[part]])[:, None]
            gram += rows.T @ rows
        return gram
