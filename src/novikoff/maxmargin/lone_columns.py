"""Columns that have a value in one example alone, left out of the search for a soft margin.

About half of the words of texts occur once. The weight of such a column enters no other example, so
that its best value is known: with ``h`` the sum of squares of an example's lone columns, the primal
and the dual are those without these columns and with ``Delta^2 + h`` for ``Delta^2`` (the Schur
complement of the lone columns). Hinges become softer by as much, so that Newton's method takes
fewer passes.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.maxmargin.problem import Problem, Solution, Vector
from novikoff.sample import Sample
from novikoff.sample.sample import distances2_of
from novikoff.sample.storage import InPlace, storage_of

LEAST_SHARE = 0.1
"""Lone columns are left out where at least this share of the examples have some. Other values were
not tried."""


@dataclass(frozen=True)
class LoneColumns:
    """A soft margin without its lone columns, and what brings them back.

    The mistakes that a search reports are those of hyperplanes without them, which may be more.

    Attributes
    ----------
    whole, problem : Problem
        With lone columns, and without them.
    kept : array of int64
        The columns that are left.
    rows, indices, values : arrays
        The values in lone columns: of which examples, in which columns.
    """

    whole: Problem
    problem: Problem
    kept: NDArray[np.int64]
    rows: NDArray[np.int64]
    indices: NDArray[Any]
    values: Vector

    @classmethod
    def of(cls, problem: Problem) -> "LoneColumns | None":
        """Leave out the lone columns of sparse data; ``None`` where few examples have some."""
        sample, storage = problem.sample, problem.sample.storage
        if problem.slack2 is None or not sample.is_sparse or not isinstance(storage, InPlace):
            return None
        matrix, order, n = storage.matrix, sample.order, sample.n_examples
        in_order = np.ones(n, dtype=np.bool_)
        indices = matrix.indices
        if len(order) < n:
            in_order[:] = False
            in_order[order] = True
            indices = indices[np.repeat(in_order, np.diff(matrix.indptr))]
        counts = np.bincount(indices, minlength=storage.width)
        (places,) = np.nonzero(counts[matrix.indices] == 1)
        rows = np.searchsorted(matrix.indptr, places, side="right") - 1
        if len(order) < n:
            places, rows = places[in_order[rows]], rows[in_order[rows]]
        values = matrix.data[places].astype(np.float64)
        squares = np.bincount(rows, weights=values**2, minlength=n)
        (kept,) = np.nonzero(counts > 1)
        if not len(kept) or np.count_nonzero(squares) < LEAST_SHARE * len(order):
            return None
        slack2 = problem.slack2 + squares
        smaller = replace(problem, sample=_with_columns(sample, kept), slack2=slack2)
        return cls(problem, smaller, kept, rows, matrix.indices[places], values)

    def restored(self, found: Solution) -> Solution:
        """Return a solution with the best weights of the lone columns for its hyperplane."""
        sample, slack2 = self.problem.sample, self.problem.slack2
        assert slack2 is not None
        some = np.unique(self.rows)
        pulls = np.zeros(sample.n_examples)
        scores = sample.matrix(some) @ found.w + (found.offset - float(found.w @ sample.centre))
        signs = sample.signs[some].astype(np.float64)
        pulls[some] = signs * np.maximum(0.0, 1.0 - signs * scores) / slack2[some]
        w = np.zeros(self.whole.n_features)
        w[self.kept] = found.w
        w[self.indices] = pulls[self.rows] * self.values
        centre = self.whole.sample.centre[self.indices]
        return replace(found, w=w, offset=found.offset + float(w[self.indices] @ centre))


def _with_columns(sample: Sample, kept: NDArray[np.int64]) -> Sample:
    """Return the sample with some of its columns."""
    storage, centre = storage_of(sample.storage.matrix[:, kept]), sample.centre[kept]
    at = np.flatnonzero(centre)
    norms2 = distances2_of(storage, centre, at)
    longest = int(sample.order[np.argmax(norms2[sample.order])])
    return replace(sample, storage=storage, centre=centre, at=at, norms2=norms2, longest=longest)
