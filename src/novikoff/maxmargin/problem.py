"""The margin problem, hard or soft, and a solution of it."""

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.sample import Sample

Vector = NDArray[np.float64]


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
    slack2: Vector | None = None
    """``Delta_i^2`` for every row of the storage; ``None``: the hard margin."""

    @property
    def n_examples(self) -> int:
        """The number of examples that take part."""
        return len(self.sample.order)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self.sample.storage.width

    def joined(self, before: "Solution", after: "Solution") -> "Solution":
        """Return the better bounds of two searches, each with what proves it."""
        return after.joined(before, hard=self.slack2 is None)


@dataclass(frozen=True, kw_only=True)
class Bounded:
    """What the solutions of two and of many classes share: weights, status and two bounds.

    For the hard margin ``lower`` and ``upper`` bound the margin, for the soft one they are the dual
    and the primal objective; in floating point: the certificate's bounds are the rigorous ones.

    ``solver`` names the solvers that were used, in order, joined by ``+``. ``gave_up`` is set by a
    solver that stopped because another one suits the problem better. Passes, steps and history
    are those of the clock.
    """

    weights: Vector
    status: Status
    lower: float
    upper: float
    solver: str
    gave_up: bool = False

    model: ClassVar[tuple[str, ...]]
    """The names of the fields that make the model."""

    @property
    def gap(self) -> float:
        """The relative gap between the two bounds; 0 where nothing separates the examples."""
        if self.status is Status.NOT_SEPARABLE:
            return 0.0
        return 1.0 - self.lower / self.upper if 0.0 < self.upper < np.inf else np.inf

    def following(self, before: "Bounded") -> Self:
        """Return the solution with the solvers that were used before it in its name."""
        names = f"{before.solver}+{self.solver}".split("+")
        return replace(self, solver="+".join(name for name, _ in groupby(names)))

    def joined(self, before: Self, *, hard: bool) -> Self:
        """Return the solution with the bounds of an earlier search where those are better.

        The status stays. Without slack the lower bound belongs to the model and the upper one to
        the weights, with slack the other way round.
        """
        model: dict[str, Any] = {name: getattr(before, name) for name in self.model}
        weights: dict[str, Any] = {"weights": before.weights}
        after = self.following(before)
        if before.lower > after.lower:
            after = replace(after, lower=before.lower, **(model if hard else weights))
        if before.upper < after.upper:
            after = replace(after, upper=before.upper, **(weights if hard else model))
        return after


@dataclass(frozen=True, kw_only=True)
class Solution(Bounded):
    """A hyperplane ``w . (x - centre) + offset = 0`` and the weights that bound the optimum.

    A separating hyperplane is scaled to ``y f(x) >= 1``, with equality for some example.

    ``weights`` has one entry for every row of the storage, zero off the support; they are the dual
    variables of the soft margin, and sum to 1 in each class for the hard one.
    """

    w: Vector
    offset: float

    model = ("w", "offset")

    @classmethod
    def refuted(cls, sample: Sample, support: NDArray[np.int64], solver: str) -> "Solution":
        """Return the solution where examples are known to prove non-separability."""
        weights = np.zeros(sample.n_examples)
        weights[support] = 1.0
        return cls(
            w=np.zeros(sample.storage.width),
            offset=0.0,
            weights=weights,
            status=Status.NOT_SEPARABLE,
            lower=-np.inf,
            upper=0.0,
            solver=solver,
        )
