"""Merging of equal examples with equal labels into one, whose cost is the sum of theirs."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate.examples.equal import first_equal
from novikoff.sample import Sample

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Distinct:
    """A sample without repetitions, so that a weight of 2 is the example twice to the last digit.

    Rows with the same hash are compared before they are taken for equal.

    ``first`` names for every row of the storage the example that stands for it; ``None`` if no two
    rows are equal, whatever their labels.
    """

    sample: Sample
    costs: Vector | None
    first: NDArray[np.int64] | None
    every_cost: Vector | None

    @classmethod
    def of(
        cls,
        sample: Sample,
        hashes: NDArray[np.uint64],
        costs: Vector | None,
        codes: NDArray[np.int64] | None = None,
    ) -> "Distinct":
        """Leave one of every set of equal examples with equal labels, the first in order.

        The labels are ``codes``, or by default the signs of the sample.
        """
        order = sample.order
        equal = first_equal(sample.storage.matrix, hashes, order, checked=True)
        if equal is order:
            return cls(sample, costs, None, costs)
        again = equal != order
        if not again.any():
            return cls(sample, costs, None, costs)
        labels = (sample.signs > 0).astype(np.int64) if codes is None else codes
        repeated = np.zeros(sample.n_examples, dtype=np.bool_)
        repeated[equal[again]] = True
        (some,) = np.nonzero(repeated[equal])
        keys = (1 + int(labels.max())) * equal[some] + labels[order[some]]
        _, places, groups = np.unique(keys, return_index=True, return_inverse=True)
        first = np.arange(sample.n_examples)
        first[order[some]] = order[some[places[groups]]]
        every = np.ones(sample.n_examples) if costs is None else costs
        mine = first[order]
        sums = np.bincount(mine, weights=every[order], minlength=sample.n_examples)
        together: Vector = sums.astype(np.float64, copy=False)
        return cls(replace(sample, order=order[mine == order]), together, first, every)

    def gathered(self, weights: Vector) -> Vector:
        """Return the weights that all examples give to those that stand for them.

        Weights are one for each example, or a row for each.
        """
        if self.first is None:
            return weights
        total: Vector = np.zeros(weights.shape)
        np.add.at(total, self.first, weights)
        return total

    def spread(self, weights: Vector) -> Vector:
        """Return weights of all examples: each has its share of what it costs, as at the optimum.

        The slack lift's part of the norm, ``sum_i a_i^2 / s_i``, is least that way.
        """
        if self.first is None or self.costs is None or self.every_cost is None:
            return weights
        shares = np.zeros(len(weights))
        together = self.costs[self.first]
        np.divide(self.every_cost, together, out=shares, where=together > 0.0)
        return weights[self.first] * shares.reshape(-1, *(1,) * (weights.ndim - 1))
