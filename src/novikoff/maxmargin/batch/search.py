"""Soft margins of the same examples with other labels or on other folds, solved at once.

Finite Newton in the primal, as in :mod:`novikoff.maxmargin.newton`, on all of the problems
together. They share

- every pass over the data: products with the vectors of all problems are one matrix product, which
  costs little more than the product with a single vector;
- the sums of squares of examples that the Hessians consist of, so that each problem has a factor of
  its own for a preconditioner at the cost of one;
- the path over growing C, each problem from its own optimum at the C before, so that nothing that a
  problem leaves out reaches its solution.

Columns are centred and divided by their standard deviations, in a copy of single precision where
that is enough. For dense data with many examples and few features.
"""

from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from novikoff.compiled.hinge import best_step
from novikoff.maxmargin.batch.rows import ScaledRows
from novikoff.maxmargin.batch.settings import BATCH, BatchSettings
from novikoff.run.clock import Clock
from novikoff.sample import Sample

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]
Solver = Callable[[Vector], Vector]


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

    Attributes
    ----------
    gaps : array of shape (n_problems,)
        The relative gaps between primal and dual objective after the last call of :meth:`solve`.
    """

    def __init__(
        self,
        sample: Sample,
        signs: NDArray[np.int8],
        costs: Vector,
        clock: Clock,
        settings: BatchSettings = BATCH,
    ) -> None:
        self.affine = sample.affine
        self.clock = clock
        self.settings = settings
        self.signs = signs.astype(np.float64)
        self.costs = costs
        n_problems, self.n = signs.shape
        self.rows = ScaledRows(sample, clock, settings)
        # In units of the standard deviations: w times them.
        self.u, self.offset = np.zeros((self.rows.width, n_problems)), np.zeros(n_problems)
        self.products = np.zeros((n_problems, self.n))
        """``w . (x - mean)`` of every example, those left out included."""
        self.kinds, self.takes_part = _kinds(signs != 0, self.rows.width <= settings.own_features)
        self.grams: Vector | None = None
        self.solver: tuple[float, Solver] | None = None
        self.richness = 1
        self.gaps = np.full(n_problems, inf)

    @property
    def w(self) -> Vector:
        """The normal vectors, one in each column."""
        return self.u / self.rows.deviations[:, None]

    @property
    def values(self) -> Vector:
        """The decision values ``f(x)``: one row for each problem, one column for each example."""
        return self.products + self.offset[:, None]

    def solve(self, C: float, tol: float) -> None:
        """Minimise the primal of every problem, from where the last call has left it.

        Ends where every relative gap is at most ``tol``, or the primal has come to its end, or
        after ``most_steps``.
        """
        stiffness, deviations = 2.0 * C * self.costs, self.rows.deviations[:, None]
        for _ in range(self.settings.most_steps):
            self._move_offsets(stiffness)
            hinges = 1.0 - self.signs * self.values
            active = (hinges > 0.0) & (self.signs != 0.0)
            weights = np.where(active, stiffness * hinges, 0.0)
            some = np.flatnonzero(active.any(axis=0))
            gradient = self.u / deviations**2 - self.rows.sums(
                some, (self.signs * weights)[:, some]
            )
            squares = ((self.u / deviations) ** 2).sum(axis=0)
            primal = 0.5 * squares + 0.5 * (weights * np.maximum(hinges, 0.0)).sum(axis=1)
            # The weights of the hinges solve the dual but for the gradient: half its square.
            left2 = ((deviations * gradient) ** 2).sum(axis=0)
            self.gaps = np.where(primal > 0.0, 0.5 * left2 / np.maximum(primal, 1e-300), 0.0)
            open_ = self.gaps > tol
            if not open_.any():
                return
            curvature = np.where(active, stiffness, 0.0)[:, some]
            precondition = self._preconditioner(some, curvature, C)
            right = np.zeros((len(self.u) + 1, len(primal)))
            right[:-1] = -gradient
            # What a step would gain if the preconditioner were the Hessian's inverse, twice.
            gain2 = (right * precondition(right)).sum(axis=0)
            open_ &= gain2 > self.settings.least_gain * tol * primal
            if not open_.any():
                return
            directions, shifts = self._newton(
                some, curvature, right, precondition, tol * primal, open_
            )
            self._go(directions, shifts, hinges, stiffness, open_)

    def _move_offsets(self, stiffness: Vector) -> None:
        if not self.affine:
            return
        for k, signs in enumerate(self.signs):
            hinges = np.where(signs == 0.0, -1.0, 1.0 - signs * (self.products[k] + self.offset[k]))
            self.offset[k] += best_step(hinges, signs, stiffness, 0.0, 0.0, 0.0)

    def _go(
        self, directions: Vector, shifts: Vector, hinges: Vector, stiffness: Vector, open_: Any
    ) -> None:
        """Go along each direction to the lowest point."""
        speeds = self.rows.products(np.arange(self.n), directions)
        squares = self.rows.deviations**2
        for k in np.flatnonzero(open_):
            signs, along = self.signs[k], directions[:, k]
            length = best_step(
                np.where(signs == 0.0, -1.0, hinges[k]),
                signs * (speeds[k] + shifts[k]),
                stiffness,
                float(self.u[:, k] @ (along / squares)),
                float(along @ (along / squares)),
                1.0,
            )
            self.u[:, k] += length * along
            self.offset[k] += length * shifts[k]
            self.products[k] += length * speeds[k]
            self.clock.updates += 1

    def _newton(
        self,
        some: Ids,
        curvature: Vector,
        right: Vector,
        solve: Solver,
        enough2: Vector,
        open_: NDArray[np.bool_],
    ) -> tuple[Vector, Vector]:
        """Solve Newton's equations by conjugate gradients; the last row is the intercept's."""
        d, deviations = len(self.u), self.rows.deviations[:, None]
        residual = np.where(open_, right, 0.0)
        solution = np.zeros_like(residual)
        direction = solve(residual)
        size = (residual * direction).sum(axis=0)
        least, going, products = self.settings.forcing**2 * size, open_ & (size > 0.0), 0
        rows = self.rows.copied(some)
        while going.any() and products < self.settings.most_products:
            image = np.zeros_like(residual)
            image[:d], image[d] = rows.curved(curvature, direction[:d], direction[d])
            image[:d] += direction[:d] / deviations**2
            image[d] *= self.affine
            curve = (direction * image).sum(axis=0)
            going &= curve > 0.0
            length = np.where(going, size / np.where(curve > 0.0, curve, 1.0), 0.0)
            solution += length * direction
            residual -= length * image
            preconditioned = solve(residual)
            before, size = size, (residual * preconditioned).sum(axis=0)
            left2 = ((deviations * residual[:d]) ** 2).sum(axis=0)
            going &= (size > least) & (left2 > 0.5 * enough2)
            ratio = np.where(before > 0.0, size / np.where(before > 0.0, before, 1.0), 0.0)
            direction = preconditioned + ratio * direction
            products += 1
        if products > self.settings.slow_products:
            self.grams = self.solver = None
            self.richness *= 4
        return solution[:d], solution[d]

    def _preconditioner(self, some: Ids, curvature: Vector, C: float) -> Solver:
        """Return the product with the inverse of each problem's Hessian, about."""
        if self.solver is not None and self.solver[0] == C:
            return self.solver[1]
        d = self.rows.width
        if self.grams is None:
            most = self.richness * self.settings.per_feature * d
            # What an example counts where it takes part, in units of C.
            own = curvature.max(axis=0) * (curvature > 0.0).sum(axis=0) / C
            own = own / self.takes_part[self.kinds[some]].sum(axis=1)
            self.grams = self.rows.grams(some, own, self.kinds, len(self.takes_part), most)
        parts = self.takes_part.T.astype(np.float64)
        distinct, of_problem = np.unique(parts, axis=0, return_inverse=True)
        solvers = [self._factor(np.tensordot(part, self.grams, 1), C) for part in distinct]

        def solve(residual: Vector) -> Vector:
            solution = np.empty_like(residual)
            for number, factor in enumerate(solvers):
                mine = of_problem.ravel() == number
                solution[:, mine] = factor(residual[:, mine])
            return solution

        self.solver = (C, solve)
        return solve

    def _factor(self, gram: Vector, C: float) -> Solver:
        d = self.rows.width
        hessian = C * gram
        hessian[np.arange(d), np.arange(d)] += self.rows.deviations**-2.0
        if not self.affine:
            hessian[d], hessian[:, d] = 0.0, 0.0
        hessian[d, d] += 1e-12 * np.trace(hessian) / (d + 1)
        diagonal = 1.0 / np.diag(hessian)[:, None]
        try:
            factor = cho_factor(hessian, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            return lambda residual: diagonal * residual
        return lambda residual: cho_solve(factor, residual, check_finite=False)


def _kinds(takes_part: NDArray[np.bool_], apart: bool) -> tuple[Ids, NDArray[np.bool_]]:
    """Return which kind each example is of, and in which problems the examples of a kind take part.

    Of as many folds there are as many kinds. If there are many more, or if they need not be told
    apart, all are of one kind that takes part everywhere.
    """
    n_problems, n = takes_part.shape
    kinds = np.zeros(n, dtype=np.int64)
    if apart and n_problems <= 62:
        codes = np.left_shift(1, np.arange(n_problems)) @ takes_part.astype(np.int64)
        distinct, first, kinds = np.unique(codes, return_index=True, return_inverse=True)
        if len(distinct) <= 2 * n_problems:
            return kinds.ravel(), takes_part[:, first].T
    return np.zeros(n, dtype=np.int64), np.ones((1, n_problems), dtype=np.bool_)
