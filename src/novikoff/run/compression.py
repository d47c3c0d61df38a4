"""The compression: the few examples that a run is a function of."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Reason: TypeAlias = Literal["update", "longest", "lift", "centre", "placing", "deciding", "class"]

# float64 represents every integer up to this one.
LARGEST_INTEGER = 2.0**53


@dataclass(frozen=True, eq=False)
class Compression:
    """Which examples a run is a function of, with what weights, and why each.

    A rerun on these examples alone, in this order, is the same run and gives the same model
    (*On the Perceptron's Compression*, Section 5). Most of them carry the model as
    ``w = sum weights_i z_i``; a weight of 0 marks an example that shaped the run but not this
    iterate of it.

    Attributes
    ----------
    support : array of int64
        The examples, in the order of visits.
    weights : array of int64 or float64
        Their weights, none negative; whole numbers where the rule takes unit steps. Of many
        classes, a row for each example with a weight for every wrong class.
    reasons : tuple of str
        Why each example belongs to it, the first of these that is so:

        - ``"update"``: the run updated on it;
        - ``"longest"``: it has the largest norm, which enters the rule's threshold;
        - ``"lift"``: it is the first visited of its class, which enters the lift of the intercept;
        - ``"centre"``: it is the first visited, which the others are read relative to;
        - ``"placing"``: it is one of those that place the intercept (MinOver);
        - ``"deciding"``: its margin ended the run (MinOver);
        - ``"class"``: without it there would be no example of its class.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff import rules
    >>> from novikoff.run import run
    >>> from novikoff.sample import Sample, storage_of
    >>> X, signs = np.array([[1.0], [3.0], [9.0], [-2.0]]), np.array([-1, 1, 1, -1])
    >>> compression = run(Sample.of(storage_of(X), signs), rules.Classic()).compression()
    >>> for example, weight, reason in compression:
    ...     print(f"example {example}: weight {weight}, {reason}")
    example 0: weight 3, update
    example 1: weight 2, update
    """

    support: NDArray[np.int64]
    weights: NDArray[Any]
    reasons: tuple[Reason, ...]

    @classmethod
    def of(
        cls,
        order: NDArray[np.int64],
        labels: NDArray[Any],
        weights_on: Callable[[NDArray[np.int64]], NDArray[np.float64]],
        why: Mapping[Reason, Any],
    ) -> "Compression":
        """Collect examples; of several reasons for one, the first given counts.

        Parameters
        ----------
        order : array of int64
            The order of visits.
        labels : array
            The classes of all examples, as numbers.
        weights_on : callable
            Gives the weights of the examples that it is called with.
        why : mapping of reasons to examples
            Must name every example that has weight. An example of a class that is not among them
            is added, the first in order.
        """
        names: list[Reason] = [*why, "class"]
        reason = np.full(len(labels), -1)
        for k in reversed(range(len(why))):
            reason[np.asarray(why[names[k]], dtype=np.int64)] = k
        ordered = labels[order]
        for label in np.setdiff1d(ordered, labels[reason >= 0]):
            reason[order[np.argmax(ordered == label)]] = len(why)
        support = order[reason[order] >= 0]
        values = whole_where_possible(weights_on(support))
        return cls(support, values, tuple(names[k] for k in reason[support].tolist()))

    def __len__(self) -> int:
        return len(self.support)

    def __iter__(self) -> Iterator[tuple[int, float, Reason]]:
        return zip(self.support.tolist(), self.weights.tolist(), self.reasons, strict=True)


def carriers(
    order: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the examples that have weight, in the order of visits, and their weights.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.run.compression import carriers
    >>> carriers(np.array([2, 0, 1]), np.array([3.0, 0.0, 1.0]))
    (array([2, 0]), array([1, 3]))
    """
    support = order[weights[order] > 0.0]
    return support, whole_where_possible(weights[support])


def whole_where_possible(weights: NDArray[np.float64]) -> NDArray[Any]:
    """Return weights as int64 where every one is a whole number, else as they are."""
    if (weights == np.rint(weights)).all() and weights.max(initial=0.0) <= LARGEST_INTEGER:
        return weights.astype(np.int64)
    return weights
