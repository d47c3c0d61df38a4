"""A matrix near that of a face's equation: exact in the heaviest columns, diagonal in the others.

A few hundred frequent words have most of the weight of texts, and are what makes sweeps slow. The
matrix is ``D + B B^T``, where ``B`` are the heavy columns about the centre and a constant one for
the penalty on the signed total. Its inverse takes that of a matrix with a row for each of these
columns (M. A. Woodbury, "Inverting modified matrices", 1950).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import get_blas_funcs, get_lapack_funcs

from novikoff.compiled import blocks
from novikoff.compiled import heavy as compiled
from novikoff.compiled.rows import CSR
from novikoff.maxmargin.passes import Ids, Vector


class Heavy:
    """The inverse of the matrix, without the signs of the examples.

    Parameters
    ----------
    rows : CSR
        The values in the heavy columns.
    centre : array
        The centre in these columns.
    root : float
        The root of the penalty on the signed total.
    inverse : array
        One over the diagonal, for each row.
    gram : array
        The lower half of ``sum (x, 1) (x, 1)^T / D``, from which ``I + B^T B / D`` is made.
    """

    def __init__(
        self, rows: CSR, centre: Vector, root: float, inverse: Vector, gram: NDArray[Any]
    ) -> None:
        self.rows, self.centre, self.root = rows, centre, root
        self.inverse, self.gram = inverse, gram
        self.all: Ids = np.arange(len(inverse), dtype=np.int64)
        self.dropped = 0
        (self.trsv,) = get_blas_funcs(("trsv",), dtype=np.float32)

    @classmethod
    def of(
        cls, rows: CSR, heavy: Ids, centre: Vector, pull: float, curves: Vector, least: Vector
    ) -> "Heavy | None":
        """Build it for rows, given which columns are heavy and the diagonal of the whole matrix.

        What the other columns leave of the diagonal is at least ``least``. Returns ``None`` where
        rounding leaves no factor.
        """
        rows, centre, root = columns(rows, heavy, len(centre)), centre[heavy], float(np.sqrt(pull))
        n, k = len(curves), len(heavy)
        squares = np.empty(n)
        blocks.distances2(rows, np.arange(n), centre, np.arange(k), squares)
        inverse = 1.0 / np.maximum(curves - squares - pull, least)
        made = cls(rows, centre, root, inverse, np.zeros((k + 1, k + 1)))
        compiled.gram(rows, made.all, inverse, made.gram)
        return made if made._factorise() else None

    def drop(self, places: Ids, stale: float) -> bool:
        """Leave out some of the rows, whose part of a solution is zero from now on.

        The factor is made again once more than this share of the rows was left out. Until then the
        inverse is larger than that of the rows that are left, and positive definite all the same.
        Returns whether rounding leaves a factor.
        """
        compiled.gram(self.rows, places, -self.inverse[places], self.gram)
        self.inverse[places] = 0.0
        self.dropped += len(places)
        few = self.dropped <= stale * int(np.count_nonzero(self.inverse))
        return few or self._factorise()

    def _factorise(self) -> bool:
        # In single precision it takes half the time, and is near enough to precondition.
        system = np.empty(self.gram.shape, dtype=np.float32)
        compiled.centred(self.gram, self.centre, self.root, system)
        (potrf,) = get_lapack_funcs(("potrf",), dtype=np.float32)
        # To Fortran the lower half is the upper one of the transposed matrix.
        self.factor, failed = potrf(system.T, lower=0, overwrite_a=1, clean=0)
        self.dropped = 0
        return not failed

    def solve(self, v: Vector) -> Vector:
        """Return the inverse times ``v``."""
        k, scaled = len(self.centre), self.inverse * v
        sums, total = np.zeros(k + 1), float(scaled.sum())
        blocks.combinations(self.rows, self.all, scaled[np.newaxis], sums[np.newaxis, :k])
        sums[:k] -= total * self.centre
        sums[k] = self.root * total
        # Small numbers would underflow in single precision.
        size = float(np.abs(sums).max()) or 1.0
        short = self.trsv(self.factor, (sums / size).astype(np.float32), lower=0, trans=1)
        short = self.trsv(self.factor, short, lower=0, overwrite_x=1)
        found = size * short.astype(np.float64)
        products, along = np.empty(len(v)), float(found[:k] @ self.centre)
        blocks.products(self.rows, self.all, found[:k], along, products)
        return np.asarray(scaled - self.inverse * (products + self.root * found[k]))


def columns(rows: CSR, chosen: Ids, n_columns: int) -> CSR:
    """Return a copy of some columns."""
    places = np.full(n_columns, -1, dtype=np.int32)
    places[chosen] = np.arange(len(chosen), dtype=np.int32)
    data, indices = np.empty(len(rows.data)), np.empty(len(rows.data), dtype=np.int32)
    ends = np.empty(len(rows.indptr), dtype=np.int64)
    compiled.select(rows, places, ends, data, indices)
    return CSR(data[: ends[-1]], indices[: ends[-1]], ends)
