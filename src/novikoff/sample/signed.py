"""What a run asks of signed examples, wherever they are stored: in memory, or as a kernel."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from math import inf, sqrt
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from novikoff.compiled.step import OFFSET, Frame, Specification
from novikoff.sample.centre import Anchor
from novikoff.sample.lift import lift_of

NOTHING: NDArray[np.float64] = np.zeros(0)
# What floating point may add to a share of weights that is summed in another order.
ROUNDING = 1e-12


class Worst(NamedTuple):
    """The examples that MinOver steps on next, and their mean margin.

    ``wrong`` holds a wrong class for each where there are many classes.
    """

    examples: NDArray[np.int64]
    least: float
    wrong: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Habits:
    """How a run goes about examples that nothing may separate; all act on its state alone.

    Attributes
    ----------
    eagerness : float
        Cheap passes over near-violated examples begin once a full pass makes so few updates, as a
        share of what :mod:`novikoff.run.pick` says.
    least_passes : int
        Full passes before the run ends because there is no such margin.
    late_mean : bool
        Whether the mean over updates leaves out those of the first passes: up to the last power of
        two that is at most half of all.
    """

    eagerness: float = 1.0
    least_passes: int = 1
    late_mean: bool = False


class SignedSample:
    """Signed examples in the order of visits; the attributes are those of ``Sample``."""

    signs: NDArray[np.int8]
    order: NDArray[np.int64]
    norms2: NDArray[np.float64]
    frame: Frame
    affine: bool
    longest: int
    lifting: tuple[int, ...] | None
    anchor: Anchor | None = None
    shares: NDArray[np.float64] = NOTHING
    slacks2: NDArray[np.float64] = NOTHING

    eager: bool = False
    """Whether cheap passes begin after the first full one, because a full one costs so much."""
    subtractable: ClassVar[bool] = True
    """Whether an iterate less an earlier one is a vector that bounds can be read from."""
    habits: ClassVar[Habits] = Habits()

    def is_full(self, memory: Any) -> bool:
        """Whether no other example may have weight, for which there may be a budget."""
        return False

    @property
    def settles(self) -> bool:
        """Whether those with weight are satisfied before others are visited."""
        return self.eager

    @abstractmethod
    def relabelled(self, signs: NDArray[np.int8], class_weights: tuple[float, float]) -> Self:
        """Return the same examples with other labels."""

    @abstractmethod
    def margins(self, ids: NDArray[np.int64], memory: Any) -> NDArray[np.float64]:
        """Return ``z . w`` of the given examples, lifts included."""

    @abstractmethod
    def sweep(
        self,
        ids: NDArray[np.int64],
        rule: Specification,
        memory: Any,
        *,
        nearness: float = 0.0,
        most: float = inf,
        passes: int = 1,
    ) -> tuple[int, int, NDArray[np.int64]]:
        """Visit a chunk, updating on violated examples."""

    @abstractmethod
    def hull_distance(self, weights: NDArray[np.float64], w: NDArray[np.float64]) -> float:
        """Return the distance of the two weighted class means, given ``w`` of these weights."""

    def lifted_by(self, labels: NDArray[Any]) -> Self:
        """Return the same examples with the lift that other classes make, unless it was given."""
        if not self.affine or self.lifting is None:
            return self
        if self.anchor is None:
            return self.with_lift(*lift_of(self.norms2, self.order, labels, self.longest))
        lift2 = self.anchor.lift2(labels)
        if lift2 > 0.0:
            return self.with_lift(lift2, ())
        return self.with_lift(float(self.norms2[self.longest]) or 1.0, (self.longest,))

    @property
    def placing(self) -> NDArray[np.int64]:
        """The examples that the centre depends on; none without an intercept."""
        if not self.affine:
            return self.order[:0]
        return self.order[:1] if self.anchor is None else self.anchor.heads

    @abstractmethod
    def with_lift(self, lift2: float, lifting: tuple[int, ...]) -> Self:
        """Return the same examples with a lift, and those that it depends on."""

    def with_equal_steps(self) -> Self:
        """Return the same examples without weights on the steps of classes or examples."""
        return self.relabelled(self.signs, (1.0, 1.0)).with_shares(NOTHING, self.slacks2)

    @abstractmethod
    def with_shares(self, shares: NDArray[np.float64], slacks2: NDArray[np.float64]) -> Self:
        """Return the same examples with other factors on their steps, and other slacks."""

    @property
    def unweighted(self) -> bool:
        """Whether all examples take the same steps as without weights."""
        equal = self.frame.weight_negative == self.frame.weight_positive == 1.0
        return equal and not self.shares.size

    @property
    def largest_slack2(self) -> float:
        """The largest square of a slack coordinate."""
        return float(self.slacks2.max()) if self.slacks2.size else self.frame.slack2

    def slack_on(
        self, ids: NDArray[np.int64], weights: NDArray[np.float64]
    ) -> NDArray[np.float64] | float:
        """Return what slack adds to the margins of some examples, given the weights of all."""
        if self.frame.slack2 == 0.0:
            return 0.0
        return (self.slacks2[ids] if self.slacks2.size else self.frame.slack2) * weights[ids]

    def slack_length2(self, weights: NDArray[np.float64]) -> float:
        """Return what the coordinates of slack, one for each example, add to ``|w|^2``."""
        if self.frame.slack2 == 0.0:
            return 0.0
        if self.slacks2.size:
            return float((self.slacks2 * weights) @ weights)
        return self.frame.slack2 * float(weights @ weights)

    @property
    def radius(self) -> float:
        """The largest distance of an example to the centre."""
        return sqrt(self.norms2[self.longest])

    @property
    def lifted_radius(self) -> float:
        """The largest norm that a rule sees, lifts included."""
        return sqrt(self.norms2[self.longest] + self.frame.lift2 + self.largest_slack2)

    def length(self, weights: NDArray[np.float64], w: NDArray[np.float64]) -> float:
        """Return ``|w|`` with the coordinates of slack, one for each example."""
        return sqrt(float(w @ w) + self.slack_length2(weights))

    def bound(self, length: float, offset: Any, total: float) -> float:
        """Bound the optimum margin by a vector that weights make, without a pass over the data.

        Homogeneous: |sum a z| / sum a. Affine, with p the positive class's share of the weight:
        half the distance of the class means is at most |w| / sum a + |2p - 1| R, and
        2p - 1 = offset / (lift^2 sum a). Slack is one coordinate more for each example.
        """
        if not self.affine:
            return length / total
        tilt = abs(offset) / (self.frame.lift2 * total)
        if tilt >= 1.0 - ROUNDING:
            # Only one of the classes has weight: there is no mean of the other.
            return inf
        radius = sqrt(float(self.norms2[self.longest]) + self.largest_slack2)
        return float(length / total + tilt * radius)

    def closer_bound(self, weights: NDArray[np.float64], w: NDArray[np.float64]) -> float:
        """Bound the optimum margin as :meth:`bound` does for an affine sample, more closely."""
        return self.hull_distance(weights, w) / 2

    @cached_property
    def sides(self) -> tuple[NDArray[np.int64], ...]:
        """Where in the order the examples of either class are; nothing where one is absent."""
        signs = self.signs[self.order]
        sides = np.flatnonzero(signs > 0), np.flatnonzero(signs < 0)
        return sides if all(side.size for side in sides) else ()

    @property
    def can_balance(self) -> bool:
        """Whether there is an example of each class."""
        return bool(self.sides)

    def worst(self, memory: Any, *, balanced: bool) -> Worst:
        """Return the example of least margin; balanced, the pair of those of each class."""
        margins = self.margins(self.order, memory)
        if balanced:
            pick = np.array([side[np.argmin(margins[side])] for side in self.sides])
        else:
            pick = np.array([np.argmin(margins)])
        return Worst(self.order[pick], float(margins[pick].mean()))

    def step_on(self, worst: Worst, rule: Specification, memory: Any) -> None:
        """Update on the worst examples, in one call, between which no Ctrl-C can come."""
        self.sweep(worst.examples, rule, memory)

    def stamps_of_steps(
        self, weights: NDArray[np.float64], stamps: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return stamps that count both halves of a pair from where the pair began."""
        # The negative half comes one update late.
        return stamps - np.where(self.signs < 0, weights, 0.0)

    @property
    def labels(self) -> NDArray[Any]:
        """The classes of the examples, as numbers."""
        return self.signs

    def by_example(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return one number for each example that is not zero where it has weight."""
        return weights

    def on_support(
        self, support: NDArray[np.int64], weights: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the weights of some examples, of many classes with a column for each."""
        return weights[support]

    def signed_weights(self, support: NDArray[np.int64], weights: NDArray[Any]) -> NDArray[Any]:
        """Return weights of some examples times their signs; of many classes, a row for each."""
        return weights * self.signs[support]

    def offset_of(self, memory: Any) -> Any:
        """Return the offset of an iterate at the centre, of many classes one for each."""
        return float(memory.state[OFFSET])
