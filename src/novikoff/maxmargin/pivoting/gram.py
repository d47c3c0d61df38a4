"""The Gram matrix of a growing set of examples."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import get_lapack_funcs

from novikoff.compiled import blocks
from novikoff.compiled import gram as compiled
from novikoff.compiled.rows import CSR
from novikoff.maxmargin.passes import Ids, Passes, Vector

LEAST_BLOCK = 64


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
        (self.potrf,) = get_lapack_funcs(("potrf",), dtype=self.dtype)
        (self.potrs,) = get_lapack_funcs(("potrs",), dtype=self.dtype)

    @property
    def eps(self) -> float:
        """The relative rounding error of a value."""
        return float(np.finfo(self.dtype).eps)

    def extend(self, new: Ids) -> None:
        """Take in more members."""
        before, self.members = len(self.members), np.concatenate([self.members, new])
        n = len(self.members)
        sparse_rows = self.passes.sample.is_sparse
        larger = np.empty((n, n), dtype=np.float64 if sparse_rows else self.dtype)
        larger[:before, :before] = self.matrix
        self.matrix = larger
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
        """Fill in the products of the members that are new, and round them."""
        sample, out = self.passes.sample, self.matrix
        rows = sample.storage.sparse_rows(self.members)
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
        self.matrix = out.astype(self.dtype, copy=False)

    def _rows(self, ids: Ids) -> NDArray[Any]:
        sample = self.passes.sample
        rows = np.empty((len(ids), self.passes.n_features), dtype=self.dtype)
        ones = np.ones(len(ids))
        for part, here, those in sample.parts(ids):
            blocks.scaled(part, here, sample.centre, ones[those], rows[those])
        return rows

    def products(self, weights: Vector) -> Vector:
        """Return the matrix times weights of the members, most of which are zero."""
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
        part = self.matrix[np.ix_(places, places)]
        at = np.arange(len(places))
        part[at, at] += diagonal.astype(self.dtype)
        factor, failed = self.potrf(part.T, lower=1, overwrite_a=1, clean=0)
        if failed:
            return None
        found, _ = self.potrs(factor, right.astype(self.dtype), lower=1)
        return np.asarray(found, dtype=np.float64)
