"""What is to be solved, and what a solution is."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.run.record import Progress
from novikoff.sample import Sample

SMALL = 1_000_000
"""A problem of so many numbers is solved to the optimum, whatever the tolerance."""


@dataclass(frozen=True)
class Problem:
    """Hard or soft margin on the examples that ``sample.order`` lists.

    The hard margin: the two hulls (or, without an intercept, the hull of the signed examples and
    the origin) are as far apart as twice the margin. The soft margin is the same problem after the
    slack lift, in which example ``i`` has a coordinate ``Delta_i`` of its own::

        primal   |w|^2 / 2 + sum_i hinge_i^2 / (2 Delta_i^2),   hinge_i = max(0, 1 - y_i f(x_i))
        dual     sum a - |sum_i a_i z_i|^2 / 2 - sum_i Delta_i^2 a_i^2 / 2,   a >= 0,
                 with an intercept also sum_i a_i y_i = 0

    so that ``Delta_i^2 = 1 / (2 C s_i)`` for the weight ``s_i`` of the example. The intercept is
    not penalised.
    """

    sample: Sample
    slack2: NDArray[np.float64] | None = None
    """``Delta_i^2`` for every row of the storage; ``None``: the hard margin."""

    @property
    def is_small(self) -> bool:
        """Whether the optimum itself is cheap."""
        return len(self.sample.order) * self.sample.storage.shape[1] <= SMALL


@dataclass
class Solution:
    """A hyperplane ``w . (x - centre) + offset = 0`` and the weights that bound the optimum.

    A separating hyperplane is scaled to ``y f(x) >= 1``, with equality for some example.

    ``weights`` has one entry for every row of the storage, zero off the support; they are the dual
    variables of the soft margin, and sum to 1 in each class for the hard one. For the hard margin
    ``lower`` and ``upper`` bound the margin, for the soft one they are the dual and the primal
    objective; in floating point: the certificate's bounds are the rigorous ones. ``gave_up`` where
    another method would get on sooner.
    """

    w: NDArray[np.float64]
    offset: float
    weights: NDArray[np.float64]
    status: Status
    lower: float
    upper: float
    n_passes: int
    n_steps: int = 0
    history: list[Progress] = field(default_factory=list)
    gave_up: bool = False

    @classmethod
    def none(cls, sample: Sample, support: NDArray[np.int64]) -> "Solution":
        """Return what is left where the support is known to combine to zero."""
        weights = np.zeros(sample.n_examples)
        weights[support] = 1.0
        w = np.zeros(sample.storage.shape[1])
        return cls(w, 0.0, weights, Status.NOT_SEPARABLE, -np.inf, 0.0, n_passes=0)

    @property
    def gap(self) -> float:
        """The relative gap between the two bounds."""
        return 1.0 - self.lower / self.upper if self.upper > 0.0 else 0.0

    def after(self, before: "Solution") -> "Solution":
        """Return the solution with the passes, steps and history of what went before it."""
        seconds = before.history[-1].seconds if before.history else 0.0
        later = [
            line._replace(
                iteration=line.iteration + before.n_passes,
                updates=line.updates + before.n_steps,
                seconds=line.seconds + seconds,
            )
            for line in self.history
        ]
        return replace(
            self,
            n_passes=before.n_passes + self.n_passes,
            n_steps=before.n_steps + self.n_steps,
            history=before.history + later,
        )
