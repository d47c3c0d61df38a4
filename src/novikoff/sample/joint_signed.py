"""What a run asks of examples of many classes, wherever they are stored.

Weights are those of virtual rows (:mod:`novikoff.sample.multiclass`), in the order in which a run
first updated on them.
"""

from abc import abstractmethod
from math import inf, sqrt
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from novikoff.compiled.mean_cycle import least_mean_cycle
from novikoff.compiled.step import Frame
from novikoff.sample.signed import Habits, Worst
from novikoff.sample.virtual_rows import Floats, Indices, VirtualRows

# Test errors in %, means over three splits, 70 % for training, standardised columns, of: Python
# source files by their package (18 classes, words), noisy digits, 26 Gaussian mixtures in 16
# dimensions, sklearn's make_classification with 7 classes. After 10 passes: 5.9, 18.3, 30.2, 58.7;
# with eagerness 1: 6.0, 19.2, 30.2, 58.7. After 5 passes: 7.7, 18.6, 30.6, 58.7; after 20: 6.1,
# 18.4, 30.2, 58.7, of which the mean over the last 15 alone: 6.1, 18.5, 30.1, 58.7, and over the
# last 10: 6.4, 18.6, 30.3, 58.7. On MNIST, on which nothing was chosen, after 20 passes 7.40, the
# last 15 alone 7.26, the last 10 alone 7.18.
JOINT_HABITS = Habits(eagerness=1 / 4, least_passes=10, late_mean=True)
# Arcs whose spare length is below this share of the longest one count as tight.
TIGHT = 1e-9


class JointSigned:
    """Examples of many classes in the order of visits; beside a ``SignedSample``."""

    codes: Indices
    steps: Floats
    rows: VirtualRows
    order: Indices
    norms2: Floats
    frame: Frame
    affine: bool
    longest: int
    largest_slack2: float
    shares: Floats
    margins: Any
    habits: ClassVar[Habits] = JOINT_HABITS

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return len(self.steps)

    @property
    def labels(self) -> Indices:
        """The classes of the examples, as numbers."""
        return self.codes

    @property
    def can_balance(self) -> bool:
        """Whether there is an example of each class."""
        return len(np.unique(self.codes[self.order])) == self.n_classes

    @property
    def unweighted(self) -> bool:
        """Whether all examples take the same steps as without weights."""
        return bool((self.steps == 1.0).all()) and not self.shares.size

    def table(self, weights: Floats) -> tuple[Indices, Floats]:
        """Return the examples with weight in the order of visits, and their weights by wrong class.

        Also where ``weights`` are of an earlier moment, when there were fewer virtual rows.
        """
        support = self.order[self.by_example(weights)[self.order] != 0.0]
        return support, self.on_support(support, weights)

    def signed_weights(self, support: Indices, weights: NDArray[Any]) -> NDArray[Any]:
        """Return weights by class, a row for each: those on the own class, minus those against it.

        ``weights`` has a row for each example of the support.
        """
        signed = -weights
        signed[np.arange(len(support)), self.codes[support]] += weights.sum(axis=1)
        return signed.T

    def between(self, weights: Floats) -> Floats:
        """Return the sum of the weights of the examples of each class against each other."""
        rows = self.rows
        sums = np.zeros((self.n_classes, self.n_classes))
        owner, wrong = rows.owner[: len(weights)], rows.wrong[: len(weights)]
        np.add.at(sums, (self.codes[owner], wrong), weights)
        return sums

    def bound(self, length: float, offset: Any, total: float) -> float:
        """Bound the optimum margin by a vector that weights make, without a pass over the data.

        With intercepts the flow between the classes must balance, which is what ``offset`` is in
        units of the lift. Examples of the classes where it lacks are added; each is at most as long
        as the longest, and each also adds to the total.
        """
        if not self.affine:
            return length / total
        lacking = 0.5 * float(np.abs(offset).sum()) / self.frame.lift2
        radius = sqrt(float(self.norms2[self.longest]) + self.largest_slack2)
        return (length + lacking * radius) / (total + lacking)

    def closer_bound(self, weights: Floats, w: Floats) -> float:
        """Return infinity: nothing closer than :meth:`bound` is known without a balanced flow."""
        return inf

    def stamps_of_steps(self, weights: Floats, stamps: Floats) -> Floats:
        """Return the stamps: a step on a cycle is counted from where it began already."""
        return stamps

    def by_example(self, weights: Floats) -> Floats:
        """Return the sum of the weights of each example."""
        totals = np.zeros(len(self.codes))
        np.add.at(totals, self.rows.owner[: len(weights)], weights)
        return totals

    def on_support(self, support: Indices, weights: Floats) -> Floats:
        """Return the weights of some examples, those of every wrong class in a row."""
        place = np.full(len(self.codes), -1, dtype=np.int64)
        place[support] = np.arange(len(support))
        owner, wrong = self.rows.owner[: len(weights)], self.rows.wrong[: len(weights)]
        known = place[owner] >= 0
        table = np.zeros((len(support), self.n_classes))
        table[place[owner[known]], wrong[known]] = weights[known]
        return table

    def worst(self, memory: Any, *, balanced: bool) -> Worst:
        """Return the virtual row of least margin; balanced, the cycle of classes of least mean.

        A virtual row leads from the class of its example to a wrong one. Intercepts cancel along a
        cycle, and nothing but a cycle bounds what the best of them leave: the weights then balance
        between the classes. Of two classes, the cycle is the pair of the worst examples.
        """
        if balanced:
            least, who = self.least(self.order, memory)
            cycle, mean, _ = cycle_of(least)
            wrong = np.roll(cycle, -1)
            return Worst(who[cycle, wrong], mean, wrong)
        margins = self.margins(self.order, memory)
        worst = self.order[[np.argmin(margins)]]
        least, _ = self.least(worst, memory)
        wrong = np.array([np.argmin(least[self.codes[worst[0]]])])
        return Worst(worst, float(margins.min()), wrong)

    @abstractmethod
    def least(self, ids: Indices, memory: Any) -> tuple[Floats, Indices]:
        """Return the least margin of examples of each class against each other, and whose."""


def cycle_of(least: Floats) -> tuple[Indices, float, Floats]:
    """Return the cycle of classes of least mean margin, the mean, and the best intercepts."""
    nodes, potentials = np.empty(len(least) + 1, dtype=np.int64), np.empty(len(least))
    count, mean = least_mean_cycle(least, nodes, potentials)
    return nodes[:count], float(mean), potentials
