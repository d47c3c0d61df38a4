"""The normal equations of an iteration, with exclusive columns eliminated."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import get_lapack_funcs

from novikoff.compiled import normal as compiled
from novikoff.compiled.rows import CSR
from novikoff.maxmargin.passes import Ids, Vector


class Exclusive:
    """Columns of sparse rows of which no two have a value in the same row.

    The first is the rarest. Then come, again and again as many as there are, the columns that share
    most rows with columns that can no longer be chosen: other levels of the same factor, of those
    that are equally rare.

    ``own`` names for every row the one that has a value in it, or -1; ``others`` are the columns
    that are left, and ``work`` is how many multiplications their normal matrix takes, about,
    without its factor.
    """

    def __init__(self, rows: sparse.csr_matrix) -> None:
        self.rows = rows
        present = sparse.csr_matrix((np.ones(rows.nnz), rows.indices, rows.indptr), rows.shape)
        columns = present.T.tocsr()
        counts = np.diff(columns.indptr)
        self.own: Ids = np.full(rows.shape[0], -1, dtype=np.int64)
        left = counts > 0
        free = np.flatnonzero(left)
        free = free[np.argsort(counts[free], kind="stable")]
        most = 1
        while len(free):
            of_rows = CSR(columns.data, columns.indices, columns.indptr)
            compiled.exclusive(of_rows, free[:most], self.own)
            chosen = np.unique(self.own[self.own >= 0])
            left[chosen] = False
            blocked = left & (columns @ (self.own >= 0).astype(np.float64) > 0.0)
            free = np.flatnonzero(left & ~blocked)
            shared = (columns @ (present @ blocked.astype(np.float64)))[free] / counts[free]
            free, most = free[np.lexsort((counts[free], -shared))], len(chosen)
        self.others: Ids = np.flatnonzero(left)
        width = rows.nnz / rows.shape[0]
        met = np.minimum(width * np.bincount(self.own[self.own >= 0]), len(self.others) + 1.0)
        self.work = float(0.5 * (met @ met) + rows.nnz * width)


class Normal:
    """The matrix ``I + sum D_i (x_i, 1) (x_i, 1)^T``, which has no ``I`` in the last place.

    Without an intercept there is no last place.
    """

    def __init__(self, exclusive: Exclusive, affine: bool) -> None:
        self.rows = rows = exclusive.rows
        self.transposed = rows.T.tocsr()
        self.own, self.others, self.affine = exclusive.own, exclusive.others, affine
        self.order = np.argsort(self.own, kind="stable")
        self.places: Ids = np.zeros(rows.shape[1], dtype=np.int64)
        self.places[self.others] = np.arange(len(self.others))
        width = len(self.others) + int(affine)
        self.matrix = np.zeros((width, width))
        self.curves = np.ones(rows.shape[1])
        self.stiffness: Vector = np.zeros(rows.shape[0])
        self.potrf, self.potrs = get_lapack_funcs(("potrf", "potrs"), dtype=np.float64)
        self.factor: NDArray[np.float64] = self.matrix

    def prepare(self, stiffness: Vector) -> bool:
        """Factor the matrix for other ``D``; whether rounding has left it positive definite."""
        self.stiffness = stiffness
        compiled.schur(
            CSR(self.rows.data, self.rows.indices, self.rows.indptr),
            self.order,
            self.own,
            self.places,
            stiffness,
            self.affine,
            self.curves,
            self.matrix,
        )
        if not len(self.matrix):
            return True
        # The lower half in rows is the upper half in columns, as LAPACK reads it.
        self.factor, failed = self.potrf(self.matrix.T, lower=0, clean=0, overwrite_a=1)
        return not failed

    def products(self, w: Vector, offset: float) -> Vector:
        """Return ``x . w + offset`` of every row."""
        return np.asarray(self.rows @ w + offset)

    def sums(self, weights: Vector) -> Vector:
        """Return the weighted sum of the rows."""
        return np.asarray(self.transposed @ weights)

    def solve(self, right: Vector, total: float) -> tuple[Vector, float]:
        """Return ``w`` and the offset whose product with the matrix is ``(right, total)``."""
        first = right / self.curves
        first[self.others] = 0.0
        pull = self.stiffness * self.products(first, 0.0)
        rest = np.empty(len(self.matrix))
        rest[: len(self.others)] = (right - self.sums(pull))[self.others]
        if self.affine:
            rest[-1] = total - pull.sum()
        # Of one factor without an intercept, all columns are eliminated.
        found = self.potrs(self.factor, rest, lower=0)[0] if len(rest) else rest
        w, offset = np.zeros(len(right)), float(found[-1]) if self.affine else 0.0
        w[self.others] = found[: len(self.others)]
        pull = self.stiffness * self.products(w, offset)
        own = (right - self.sums(pull)) / self.curves
        own[self.others] = w[self.others]
        return own, offset
