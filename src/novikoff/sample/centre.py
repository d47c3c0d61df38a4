"""The centre that a perceptron reads its examples relative to, and the lift that belongs to it.

Both come from few examples, the first of each class in the order of visits, so that they are a
function of the support. The centre is the median of these, column by column. It moves with the
data; a few examples far away hardly move it, as the first of all examples would if it is one of
those; and on word counts it is zero but for the commonest words. The nearer examples are to the
centre, the less every update changes the intercept beside the coefficients.

For each class let p be the mean of its first examples with weights ``1 / |x - centre|``. A
hyperplane that separates the classes separates the points p of two of them, so it crosses the
segment in between, and its distance to the centre is at most the larger of their two distances.
That is the lift c: as :mod:`novikoff.sample.lift` says, the lifted problem then has at least
``1 / sqrt(2)`` of the margin.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.sample.storage import Storage

# So many of each class. Test errors of Perceptron() on half of 16 collections of source files and
# docstrings, as word counts and as tf-idf, in points above scikit-learn's Perceptron, on average:
# at 8, -0.38 and -1.07; at 4, -0.36 and -1.02.
HEADS = 8


class Anchor(NamedTuple):
    """What the centre and the lift depend on.

    ``heads`` are the first examples of each class, and ``first`` is one of each. ``pulls`` holds
    for each class the sum of the unit vectors from the centre towards its heads, in the columns
    where some head is not zero, and ``closeness`` the sum of the inverses of their distances:
    their ratio leads to the point p of the class.
    """

    heads: NDArray[np.int64]
    first: NDArray[np.int64]
    pulls: NDArray[np.float64]
    closeness: NDArray[np.float64]

    def lift2(self, labels: NDArray[Any]) -> float:
        """Return the square of the lift for labels of all examples that merge classes, or not.

        With more than two it is that of the two classes whose points are nearest to the centre; 0
        where these are the centre itself.
        """
        merged = labels[self.first]
        reach = []
        for label in np.unique(merged):
            some = merged == label
            pull = self.pulls[some].sum(axis=0)
            reach.append(float((pull * pull).sum() / self.closeness[some].sum() ** 2))
        return sorted(reach)[1] if len(reach) > 1 else 0.0


def heads_of(order: NDArray[np.int64], classes: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Return the first examples of each class in the order of visits."""
    visited = classes[order]
    heads = [order[np.flatnonzero(visited == k)[:HEADS]] for k in range(int(classes.max()) + 1)]
    return [some for some in heads if len(some)]


def median_of(storage: Storage, heads: list[NDArray[np.int64]]) -> NDArray[np.float64]:
    """Return the lower median of some examples in each column: one of their values."""
    rows, columns = _dense(storage, np.concatenate(heads))
    centre = np.zeros(storage.width)
    middle = (len(rows) - 1) // 2
    centre[columns] = np.partition(rows, middle, axis=0)[middle]
    return centre


def anchor_of(
    storage: Storage, heads: list[NDArray[np.int64]], centre: NDArray[np.float64]
) -> Anchor:
    """Measure where the heads lie relative to the centre."""
    every = np.concatenate(heads)
    rows, columns = _dense(storage, every)
    rows -= centre[columns]
    distances = np.sqrt((rows * rows).sum(axis=1))
    ends = np.cumsum([len(some) for some in heads])
    pulls, closeness = np.zeros((len(heads), len(columns))), np.full(len(heads), np.inf)
    for k, end in enumerate(ends.tolist()):
        some = slice(end - len(heads[k]), end)
        # An example at the centre is the point of its class: no pull, and endless closeness.
        if distances[some].all():
            pulls[k] = (rows[some] / distances[some, None]).sum(axis=0)
            closeness[k] = (1.0 / distances[some]).sum()
    return Anchor(every, np.array([some[0] for some in heads]), pulls, closeness)


def _dense(
    storage: Storage, ids: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return rows as a dense array, without the columns in which all of them are zero.

    So the sums over them do not depend on how they are stored.
    """
    if not sparse.issparse(storage.matrix):
        rows = np.array(storage.matrix[ids], dtype=np.float64)
        columns = np.flatnonzero((rows != 0.0).any(axis=0))
        return rows[:, columns], columns
    some = storage.sparse_rows(ids)
    columns = np.unique(some.indices[some.data != 0.0])
    return some[:, columns].toarray(), columns.astype(np.int64)
