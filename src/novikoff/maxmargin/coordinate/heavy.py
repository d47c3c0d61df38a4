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
    factor : array
        The Cholesky factor of ``I + B^T B / D``.
    """

    def __init__(
        self, rows: CSR, centre: Vector, root: float, inverse: Vector, factor: NDArray[Any]
    ) -> None:
        self.rows, self.centre, self.root = rows, centre, root
        self.inverse, self.factor = inverse, factor
        self.all: Ids = np.arange(len(inverse), dtype=np.int64)
        (self.trsv,) = get_blas_funcs(("trsv",), dtype=np.float64)

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
        gram = np.zeros((k + 1, k + 1))
        compiled.gram(rows, inverse, gram)
        gram += np.tril(gram, -1).T
        # About the centre, with the constant column in units of the penalty's root.
        gram[:k] -= np.outer(centre, gram[k])
        gram[:, :k] -= np.outer(gram[:, k], centre)
        gram[k] *= root
        gram[:, k] *= root
        gram[np.arange(k + 1), np.arange(k + 1)] += 1.0
        (potrf,) = get_lapack_funcs(("potrf",), dtype=np.float64)
        factor, failed = potrf(gram.T, lower=1, overwrite_a=1, clean=0)
        return None if failed else cls(rows, centre, root, inverse, factor)

    def solve(self, v: Vector) -> Vector:
        """Return the inverse times ``v``."""
        k, scaled = len(self.centre), self.inverse * v
        sums, total = np.zeros(k + 1), float(scaled.sum())
        blocks.combinations(self.rows, self.all, scaled[np.newaxis], sums[np.newaxis, :k])
        sums[:k] -= total * self.centre
        sums[k] = self.root * total
        found = self.trsv(self.factor, sums, lower=1, overwrite_x=1)
        found = self.trsv(self.factor, found, lower=1, trans=1, overwrite_x=1)
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
