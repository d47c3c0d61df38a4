"""Weights of examples as repetition: a run visits each example as often as its weight says.

An example of weight s is ``ceil(s)`` copies, each with ``s / ceil(s)`` of a step: a whole number is
repetition, with steps of full length, and zero is absence. With a finite C the weight of a class
multiplies this share, and every copy has a slack coordinate of its own, whose square is divided by
it, so that the slack of the example costs s times as much, and as much more as its class weighs.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.estimators.training import Training
from novikoff.sample import storage_of
from novikoff.sample.signed import NOTHING

Ids = NDArray[np.int64]
Vector = NDArray[np.float64]

MOST_VALUES = 1 << 24
"""Copies may have so many values (128 MB), or ``MOST_TIMES`` as many as the examples. A pass takes
as much longer as there are more of them: larger weights, such as those of surveys, are refused."""
MOST_TIMES = 16


@dataclass(frozen=True)
class Copies:
    """The examples of a fit as a run visits them.

    Attributes
    ----------
    training : Training
        The copies, without weights; where every example is visited once, the examples.
    rows : array of int64, or None
        The example that each is a copy of; ``None`` where each example is its only copy.
    shares : array of float64
        What each copy weighs; empty where all weigh 1.
    costs : array of float64
        The same times the weight of its class, if that counts for the problem: the factor on the
        steps of each copy, and on its squared slack; empty where all are 1.
    """

    training: Training
    rows: Ids | None = None
    shares: Vector = field(default_factory=lambda: NOTHING)
    costs: Vector = field(default_factory=lambda: NOTHING)

    @classmethod
    def of(cls, training: Training, *, pairwise: bool = False) -> "Copies":
        """Return the copies that the weights of the examples ask for.

        ``pairwise`` says that the examples are rows of a kernel matrix, of which columns are
        repeated, too.
        """
        weights, costs = training.weights, training.costs
        rows, shares = None, NOTHING
        if weights is not None:
            rows, shares = copies_of(weights, training.storage.n_values, pairwise=pairwise)
            costs = np.ones_like(weights) if costs is None else costs
            costs = costs / np.maximum(np.ceil(weights), 1.0)
            costs = costs if rows is None else costs[rows]
        if rows is None:
            training = replace(training, costs=None, weights=None)
        else:
            training = _rows_of(training, rows, pairwise)
        if costs is None or (costs == 1.0).all():
            costs = NOTHING
        return cls(training, rows, shares, costs)

    def in_order(self, order: Ids, *, pairwise: bool) -> "Copies":
        """Return the copies as they are visited: sums over them are then rounded alike."""
        shares, costs = (
            values[order] if values.size else values for values in (self.shares, self.costs)
        )
        return Copies(_rows_of(self.training, order, pairwise), self.rows_of(order), shares, costs)

    def rows_of(self, copies: Ids) -> Ids:
        """Return the examples that these are copies of."""
        return copies if self.rows is None else self.rows[copies]

    def folded(self, copies: Ids, weights: NDArray[Any]) -> tuple[Ids, NDArray[Any]]:
        """Return the examples of some copies, in the same order, with the sums of their weights.

        ``weights`` has a number, or a row, for each copy.

        Examples
        --------
        >>> import numpy as np
        >>> from novikoff.estimators.copies import Copies
        >>> copies = Copies(None, rows=np.array([0, 0, 2, 2]))
        >>> copies.folded(np.array([3, 0, 2]), np.array([5, 1, 1]))
        (array([2, 0]), array([6, 1]))
        """
        if self.rows is None:
            return copies, weights
        rows = self.rows[copies]
        found, first, place = np.unique(rows, return_index=True, return_inverse=True)
        sums = np.zeros((len(found), *weights.shape[1:]), dtype=weights.dtype)
        np.add.at(sums, place, weights)
        by_visit = np.argsort(first)
        return found[by_visit], sums[by_visit]

    def all_folded(self, weights: NDArray[Any], n_examples: int) -> NDArray[Any]:
        """Return the sums over the copies of every example."""
        if self.rows is None:
            return weights
        sums = np.zeros((n_examples, *weights.shape[1:]), dtype=weights.dtype)
        np.add.at(sums, self.rows, weights)
        return sums


def _rows_of(training: Training, rows: Ids, pairwise: bool) -> Training:
    # A matrix of kernel values that is not square is refused later.
    square = pairwise and training.X.shape[0] == training.X.shape[1]
    X = values_among(training.X, rows) if square else training.X[rows]
    scaled = X if training.scaled is training.X else training.scaled[rows]
    return replace(
        training,
        X=X,
        scaled=scaled,
        storage=storage_of(scaled),
        codes=training.codes[rows],
        hashes=training.hashes[rows],
        costs=None,
        weights=None,
    )


def values_among(values: NDArray[Any], rows: Ids) -> NDArray[Any]:
    """Return the values of all pairs of some rows; ``np.ix_`` takes three times as long."""
    out = np.empty((len(rows), len(rows)), dtype=values.dtype)
    for begin in range(0, len(rows), 64):
        some = slice(begin, begin + 64)
        # In another mode, take makes a copy.
        np.take(values[rows[some]], rows, axis=1, out=out[some], mode="clip")
    return out


def copies_of(
    weights: Vector, n_values: int, *, pairwise: bool = False
) -> tuple[Ids | None, Vector]:
    """Return which example each copy is of, and its share of a step.

    ``None`` where every example has one copy, and nothing where every share is 1.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.estimators.copies import copies_of
    >>> copies_of(np.array([2.0, 0.0, 1.5, 0.25]), 4)
    (array([0, 0, 2, 2, 3]), array([1.  , 1.  , 0.75, 0.75, 0.25]))
    """
    counts = np.ceil(weights)
    times = float(counts.sum()) / len(weights)
    values = n_values * (times**2 if pairwise else times)
    if values > max(MOST_VALUES, MOST_TIMES * n_values):
        raise ValueError(
            f"sample_weight sums to {weights.sum():.6g}: a run would visit {counts.sum():.6g} "
            f"copies of {len(weights)} examples in each pass; divide the weights by their mean."
        )
    shares = NOTHING
    if (weights != counts).any():
        shares = np.divide(weights, counts, out=np.ones_like(weights), where=counts > 0.0)
    if (counts == 1.0).all():
        return None, shares
    rows = np.repeat(np.arange(len(weights)), counts.astype(np.int64))
    return rows, shares[rows] if shares.size else shares
