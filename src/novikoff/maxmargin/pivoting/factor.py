"""The Cholesky factor of a part of a Gram matrix, which also serves for parts that differ little.

Rows and columns are added and left out by bordering: with ``U`` those that are added, and unit
vectors of those that are left out, whose weights a multiplier holds at zero, the system with the
new part takes the old factor and a Schur complement of as many rows as have changed (J. R. Bunch &
D. J. Rose, "Partitioning, tearing and modification of sparse linear systems", Journal of
Mathematical Analysis and Applications 48, 1974).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import get_blas_funcs, get_lapack_funcs

from novikoff.maxmargin.passes import Ids, Vector

ROWS = 64
"""Rows that are copied at a time."""


class Factor:
    """The factor of ``matrix`` at ``places`` plus a diagonal, made in the square array ``part``.

    ``failed`` says that rounding leaves it indefinite.
    """

    def __init__(
        self, matrix: NDArray[Any], places: Ids, diagonal: Vector, part: NDArray[Any]
    ) -> None:
        self.places, self.diagonal = places, diagonal
        for begin in range(0, len(places), ROWS):
            some = slice(begin, begin + ROWS)
            np.take(matrix[places[some]], places, axis=1, out=part[some], mode="clip")
        at = np.arange(len(places))
        part[at, at] += diagonal.astype(matrix.dtype)
        (potrf,) = get_lapack_funcs(("potrf",), dtype=matrix.dtype)
        (self.trsm,) = get_blas_funcs(("trsm",), dtype=matrix.dtype)
        self.factor, failed = potrf(part.T, lower=1, overwrite_a=1, clean=0)
        self.failed = bool(failed)
        # What was made of borders: names of places, or -1 minus positions that are left out.
        self.names: Ids = np.empty(0, dtype=np.int64)
        self.border = np.empty((len(places), 0), dtype=matrix.dtype, order="F")

    def changes(self, places: Ids, diagonal: Vector) -> tuple[Ids, Ids] | None:
        """Return which of its places are left out, and which of other places are added.

        As positions in the two lists of places, both ascending; ``None`` where the diagonal of what
        they share is another.
        """
        kept = np.isin(self.places, places, assume_unique=True)
        known = np.isin(places, self.places, assume_unique=True)
        if not np.array_equal(self.diagonal[kept], diagonal[known]):
            return None
        return np.flatnonzero(~kept), np.flatnonzero(~known)

    def solve(
        self,
        matrix: NDArray[Any],
        places: Ids,
        diagonal: Vector,
        right: NDArray[Any],
        changes: tuple[Ids, Ids],
    ) -> Vector | None:
        """Solve with the part of the matrix at other places, given how these differ.

        Returns ``None`` where rounding leaves no Schur complement.
        """
        out, added = changes
        known = np.ones(len(places), dtype=np.bool_)
        known[added] = False
        still = np.ones(len(self.places), dtype=np.bool_)
        still[out] = False
        upper = np.zeros((len(self.places), right.shape[1]), dtype=matrix.dtype, order="F")
        upper[still] = right[known]
        upper = self._half(upper, 0)
        bordering: Vector = np.zeros((len(added) + len(out), right.shape[1]))
        if len(bordering):
            border = self._border(matrix, places[added], out)
            schur = np.zeros((len(bordering), len(bordering)))
            block = schur[: len(added), : len(added)]
            block += matrix[np.ix_(places[added], places[added])]
            block[np.diag_indices(len(added))] += diagonal[added]
            schur -= border.T @ border
            bordering -= border.T @ upper
            bordering[: len(added)] += right[added]
            try:
                bordering = np.asarray(np.linalg.solve(schur, bordering), dtype=np.float64)
            except np.linalg.LinAlgError:
                return None
            upper = np.asfortranarray(upper - border @ bordering.astype(matrix.dtype))
        upper = self._half(upper, 1)
        found = np.empty(right.shape)
        found[known], found[added] = upper[still], bordering[: len(added)]
        return found

    def _border(self, matrix: NDArray[Any], added: Ids, out: Ids) -> NDArray[Any]:
        """Return the factor's inverse times a column for each place added, then one left out.

        Most were asked for before: those are remembered.
        """
        names = np.concatenate([added, -1 - out])
        new = np.flatnonzero(~np.isin(names, self.names))
        columns = np.zeros((len(self.places), len(new)), dtype=matrix.dtype, order="F")
        n_added = int(np.count_nonzero(new < len(added)))
        columns[:, :n_added] = matrix[np.ix_(added[new[:n_added]], self.places)].T
        columns[out[new[n_added:] - len(added)], np.arange(n_added, len(new))] = 1.0
        columns = self._half(columns, 0) if len(new) else columns
        old = np.flatnonzero(np.isin(self.names, names))
        self.border = np.concatenate([self.border[:, old], columns], axis=1)
        self.names = np.concatenate([self.names[old], names[new]])
        by_name = np.argsort(self.names)
        return self.border[:, by_name[np.searchsorted(self.names, names, sorter=by_name)]]

    def _half(self, right: NDArray[Any], transposed: int) -> NDArray[Any]:
        """Solve with the factor, or with its transpose."""
        return np.asarray(
            self.trsm(1.0, self.factor, right, lower=1, trans_a=transposed, overwrite_b=1)
        )
