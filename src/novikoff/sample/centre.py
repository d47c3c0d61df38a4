"""The centre that a perceptron reads its examples relative to, and the lift that belongs to it.

Both come from few examples, the first in the order of visits, so that they are a function of the
support. The centre is their median, column by column. It moves with the data; a few examples far
away hardly move it, as the first of all examples would if it is one of those; and on word counts it
is zero but for the commonest words. The nearer examples are to the centre, the less every update
changes the intercept beside the coefficients.

For each class let p be the mean of those of its examples that are among the first, with weights ``1
/ |x - centre|``; if there is none, its own first example. A hyperplane that separates the classes
separates the points p of two of them, so it crosses the segment in between, and its distance to
the centre is at most the larger of their two distances. That, or a quarter of the median distance
of the first examples where it is more, is the lift c: as :mod:`novikoff.sample.lift` says, the
lifted problem then has at least ``1 / sqrt(2)`` of the margin. Where nothing separates the classes,
their points p may be close to the centre, and so small a lift would hold the intercept there.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.sample.storage import Storage

# So many: they belong to every support, so not more than it takes. Test errors of Perceptron() at
# 32, 16 and 48, beside scikit-learn's: source files of six parts of scipy, as word counts 53.2,
# 57.2 and 51.4 against 51.4 %, as tf-idf 39.0, 39.1 and 36.6 against 31.1; of torch and matplotlib
# 5.0, 4.7 and 5.3 against 3.2, and 4.3, 5.1 and 4.3 against 2.4.
HEADS = 32
# The least lift, as a share of the median distance of the first examples. Of 32 runs on 5,000
# households (one column of amounts near 1e6, 14 % of them in the rarer class), 5 err on 37 to 58 %
# without it, none at a quarter or a half. On 16 collections of texts, as counts and as tf-idf, a
# quarter changes one error and a half most, by 0.1 and 0.2 points on average.
LEAST_LIFT = 0.25


class Anchor(NamedTuple):
    """What the centre and the lift depend on.

    ``heads`` are the first examples, and then the first of each class that has none among them
    (these are ``late``), in the order of visits. ``pulls`` holds the unit vectors from the centre
    towards the heads, in the columns where some head is not zero, and ``closeness`` the inverses of
    their distances; ``typical`` is the median distance of the first.
    """

    heads: NDArray[np.int64]
    late: NDArray[np.bool_]
    pulls: NDArray[np.float64]
    closeness: NDArray[np.float64]
    typical: float

    def lift2(self, labels: NDArray[Any]) -> float:
        """Return the square of the lift for labels of all examples that merge classes, or not.

        With more than two it is that of the two classes whose points are nearest to the centre; 0
        where these are the centre itself.
        """
        merged = labels[self.heads]
        reach = []
        for label in np.unique(merged):
            here = np.flatnonzero(merged == label)
            some = here[:1] if self.late[here].all() else here[~self.late[here]]
            reach.append(_square(self.pulls[some].sum(axis=0)) / self.closeness[some].sum() ** 2)
        if len(reach) == 1:
            return 0.0
        return max(float(sorted(reach)[1]), (LEAST_LIFT * self.typical) ** 2)


def heads_of(order: NDArray[np.int64], classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first examples, and then the first of each other class, in the order of visits."""
    early, visited = order[:HEADS], classes[order]
    others = np.setdiff1d(classes, classes[early])
    places = sorted(int(np.argmax(visited == k)) for k in others)
    return np.concatenate([early, order[np.array(places, dtype=np.int64)]])


def median_of(storage: Storage, early: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the lower median of some examples in each column: one of their values."""
    rows, columns = _dense(storage, early)
    centre = np.zeros(storage.width)
    middle = (len(rows) - 1) // 2
    centre[columns] = np.partition(rows, middle, axis=0)[middle]
    return centre


def anchor_of(storage: Storage, heads: NDArray[np.int64], centre: NDArray[np.float64]) -> Anchor:
    """Measure where the heads lie relative to the centre."""
    rows, columns = _dense(storage, heads)
    rows -= centre[columns]
    distances = np.sqrt([_square(row) for row in rows])
    # An example at the centre is the point of its class: no pull, and endless closeness.
    apart = distances > 0.0
    rows[apart] /= distances[apart, None]
    closeness = np.full(len(heads), np.inf)
    closeness[apart] = 1.0 / distances[apart]
    typical = float(np.median(distances[:HEADS]))
    return Anchor(heads, np.arange(len(heads)) >= HEADS, rows, closeness, typical)


def _square(vector: NDArray[np.float64]) -> float:
    """Return the squared length, rounded alike whatever columns of zeros there are."""
    vector = vector[vector != 0.0]
    return float((vector * vector).sum())


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
