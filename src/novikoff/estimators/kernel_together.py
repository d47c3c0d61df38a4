"""Equal examples of one class as one example of a fit with a kernel, whose cost is that of all.

The problem is the same one, with fewer kernel columns. Steps on blocks see only some examples at a
time, and of equal ones any share of their weight is as good as another, but for the slack: they
would pass it on among themselves.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate.examples.equal import first_equal

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Together:
    """The first of every set of equal examples with equal labels, which stands for all of them.

    ``places`` says of each of ``everyone``, those that take part, which of ``first`` that is.

    Examples
    --------
    >>> X, hashes = np.array([[1.0], [2.0], [1.0], [1.0]]), np.array([1, 2, 1, 1], dtype=np.uint64)
    >>> costs = np.array([1.0, 1.0, 3.0, 0.0])
    >>> together = Together.of(X, hashes, np.array([0, 1, 0, 0]), costs, soft=True)
    >>> together.first, together.costs, together.spread(np.array([8.0, 5.0]), 4)
    (array([0, 1]), array([4., 1.]), array([2., 5., 6., 0.]))
    """

    first: Ids
    costs: Vector
    everyone: Ids
    places: Ids
    shares: Vector

    @classmethod
    def of(
        cls,
        X: Any,
        hashes: NDArray[np.uint64],
        labels: NDArray[Any],
        costs: Vector | None,
        *,
        soft: bool,
    ) -> "Together":
        """Find them among the examples that cost something; ``soft`` says what they are for."""
        n = len(labels)
        everyone = np.arange(n) if costs is None else np.flatnonzero(costs > 0.0)
        own = np.ones(len(everyone)) if costs is None else costs[everyone]
        equal = first_equal(X, hashes, everyone)
        _, names = np.unique(labels[everyone], return_inverse=True)
        keys = equal * (int(names.max(initial=0)) + 1) + names
        _, starts, groups = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(starts)
        places = np.argsort(order)[groups]
        first = everyone[starts[order]]
        together: Vector = np.zeros(len(first))
        np.add.at(together, places, own)
        # Each has its share of what it costs, as at the optimum; without slack one is enough.
        shares = own / together[places] if soft else (everyone == first[places]).astype(np.float64)
        return cls(first, together, everyone, places, shares)

    def gathered(self, weights: Vector) -> Vector:
        """Return the weights of all examples as those of the ones that stand for them."""
        total: Vector = np.zeros((len(self.first), *weights.shape[1:]))
        np.add.at(total, self.places, weights[self.everyone])
        return total

    def spread(self, weights: Vector, n: int) -> Vector:
        """Return weights of all examples, of which there are ``n``."""
        out: Vector = np.zeros((n, *weights.shape[1:]))
        shares = self.shares.reshape(-1, *(1,) * (weights.ndim - 1))
        out[self.everyone] = weights[self.places] * shares
        return out
