"""The Gram matrix of a growing set of examples."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.compiled import blocks
from novikoff.compiled import gram as compiled
from novikoff.compiled.rows import CSR
from novikoff.maxmargin.passes import Ids, Passes, Vector
from novikoff.maxmargin.pivoting.factor import Factor

LEAST_BLOCK = 64

REFINEMENTS = 3
"""How often a solution in single precision is corrected for sparse examples, at the most: with
C = 100 and thousands of free examples rounding leaves it no correct digit."""

SMALL_RESIDUAL = 1e-8
"""A residual that needs no correction; the right side is 1 and -1."""

ROOM = 1.2
"""Room is made for so many times the rows that are there, so that few more need no copy."""

FEW_CHANGED = 0.15
"""A factor serves for other places if no larger a share of them has changed."""

LEAST_KEPT = 1000
"""A factor of fewer rows is made anew: that takes no longer, and has fewer rounding errors."""


class Gram:
    """The Gram matrix of ``members`` about the centre, in single or double precision.

    Parameters
    ----------
    passes : Passes
        Reads the examples.
    precise : bool
        Whether in double precision.
    block_values : int
        How many values of rows are multiplied at once.
    """

    def __init__(self, passes: Passes, *, precise: bool, block_values: int) -> None:
        self.passes = passes
        self.dtype: Any = np.float64 if precise else np.float32
        self.block = max(LEAST_BLOCK, block_values // max(passes.n_features, 1))
        self.members: Ids = np.empty(0, dtype=np.int64)
        self.matrix: NDArray[Any] = np.empty((0, 0), dtype=self.dtype)
        # Pages that the system hands out anew take as long as a third of a factor.
        self.room: NDArray[Any] = self.matrix
        self.room_of_factor: NDArray[Any] = np.empty(0, dtype=self.dtype)
        self.factor: Factor | None = None
        # The members, where they are sparse.
        self.rows: Any = None

    @property
    def eps(self) -> float:
        """The relative rounding error of a value."""
        return float(np.finfo(self.dtype).eps)

    def extend(self, new: Ids) -> None:
        """Take in more members."""
        before, self.members = len(self.members), np.concatenate([self.members, new])
        n = len(self.members)
        sparse_rows = self.passes.sample.is_sparse
        if n > len(self.room):
            size = n if before == 0 and not sparse_rows else int(ROOM * n)
            self.room = np.empty((size, size), dtype=self.dtype)
            self.room[:before, :before] = self.matrix
        larger = self.matrix = self.room[:n, :n]
        if sparse_rows:
            self._multiply_sparse(before)
            return
        for begin in range(before, n, self.block):
            mine = slice(begin, min(begin + self.block, n))
            rows = self._rows(self.members[mine])
            for first in range(0, mine.stop, self.block):
                others = slice(first, min(first + self.block, mine.stop))
                self.passes.check()
                rows_of_others = rows if others == mine else self._rows(self.members[others])
                products = rows @ rows_of_others.T
                larger[mine, others], larger[others, mine] = products, products.T

    def _multiply_sparse(self, before: int) -> None:
        """Fill in the products of the members that are new."""
        sample, out = self.passes.sample, self.matrix
        self.rows = rows = sample.storage.sparse_rows(self.members)
        columns, along = rows.tocsc(), rows @ sample.centre
        centre2 = float(sample.centre @ sample.centre)
        for begin in range(before, len(out), LEAST_BLOCK):
            self.passes.check()
            end = min(begin + LEAST_BLOCK, len(out))
            compiled.products(
                CSR(rows.data, rows.indices, rows.indptr),
                CSR(columns.data, columns.indices, columns.indptr),
                along,
                centre2,
                begin,
                out[:end, :end],
            )

    def _rows(self, ids: Ids) -> NDArray[Any]:
        sample = self.passes.sample
        rows = np.empty((len(ids), self.passes.n_features), dtype=self.dtype)
        ones = np.ones(len(ids))
        for part, here, those in sample.parts(ids):
            blocks.scaled(part, here, sample.centre, ones[those], rows[those])
        return rows

    def products(self, weights: Vector) -> Vector:
        """Return the matrix times weights of the members, most of which are zero."""
        if self.rows is not None:
            return self._sparse_products(weights)
        some = np.flatnonzero(weights)
        if 2 * len(some) > len(weights):
            return np.asarray(self.matrix @ weights.astype(self.dtype), dtype=np.float64)
        # Symmetric: rows are read where columns would be.
        found = weights[some].astype(self.dtype) @ self.matrix[some]
        return np.asarray(found, dtype=np.float64)

    def solve(self, places: Ids, diagonal: Vector, right: NDArray[Any]) -> Vector | None:
        """Solve with the part of the matrix at ``places`` plus a diagonal.

        Returns ``None`` where rounding leaves it indefinite.
        """
        diagonal = diagonal.astype(np.float64)
        factor = self.factor
        changes = None if factor is None else factor.changes(places, diagonal)
        few = FEW_CHANGED * len(places)
        if factor is None or changes is None or len(changes[0]) + len(changes[1]) > few:
            self.factor, n = None, len(places)
            if len(self.room_of_factor) < n * n:
                self.room_of_factor = np.empty(int((ROOM * n) ** 2), dtype=self.dtype)
            part = self.room_of_factor[: n * n].reshape(n, n)
            factor = Factor(self.matrix, places, diagonal, part)
            if factor.failed:
                return None
            self.factor = factor if n >= LEAST_KEPT else None
            changes = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
        found = factor.solve(self.matrix, places, diagonal, right, changes)
        if found is None or self.rows is None or self.dtype == np.float64:
            return found
        return self._refined(found, factor, places, diagonal, right, changes)

    def _refined(
        self,
        found: Vector,
        factor: Factor,
        places: Ids,
        diagonal: Vector,
        right: NDArray[Any],
        changes: tuple[Ids, Ids],
    ) -> Vector:
        """Correct a solution in single precision by its residual in double precision."""
        for _ in range(REFINEMENTS):
            weights = np.zeros((len(self.members), found.shape[1]))
            weights[places] = found
            residual = right - self._sparse_products(weights)[places] - diagonal[:, None] * found
            if np.abs(residual).max() <= SMALL_RESIDUAL:
                break
            correction = factor.solve(self.matrix, places, diagonal, residual, changes)
            if correction is None:
                break
            found = found + correction
        return found

    def _sparse_products(self, weights: Vector) -> Vector:
        """Return the matrix times weights of sparse members, in double precision."""
        assert self.rows is not None
        centre, (vector, total) = self.passes.sample.centre, (self.rows.T @ weights, weights.sum(0))
        vector = vector - np.multiply.outer(centre, total)
        return np.asarray(self.rows @ vector - centre @ vector)
