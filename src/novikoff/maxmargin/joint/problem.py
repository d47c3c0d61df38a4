"""The margin problem of several classes, hard or soft, and a solution of it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from novikoff.compiled.joint_newton import HINGE, NO_SLACK, SQUARED_HINGE, Loss
from novikoff.maxmargin.problem import Bounded
from novikoff.sample import Sample

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class JointProblem:
    """Hard or soft margin of several classes on the examples that ``sample.order`` lists.

    An example ``x`` of class ``y`` and a wrong class ``r`` make the virtual row
    ``z = (e_y - e_r) (x) x / sqrt(2)``, and the vectors ``W`` of the classes the one vector
    ``w = sqrt(2) W``, so that ``z . w = f_y(x) - f_r(x)`` but for the intercepts. The hard margin
    is the largest ``min z . w / |w|``, and the soft margin::

        primal   |w|^2 / 2 + sum_i hinge_i^2 / (2 Delta_i^2),
                 hinge_i = max(0, 1 + max_r f_r(x_i) - f_y(x_i))
        dual     sum a - |sum_ir a_ir z_ir|^2 / 2 - sum_i Delta_i^2 A_i^2 / 2,
                 A_i = sum_r a_ir,   a >= 0,
                 with intercepts also sum_ir a_ir (e_y - e_r) = 0: the flow between classes
                 balances

    with ``Delta_i^2 = 1 / (2 C s_i)`` for the weight ``s_i`` of the example. With the hinge in
    place of its square they are::

        primal   |w|^2 / 2 + sum_i C s_i hinge_i
        dual     sum a - |sum_ir a_ir z_ir|^2 / 2,   0 <= a,  A_i <= C s_i

    The intercepts are not penalised. With two classes it is the binary problem.
    """

    sample: Sample
    """The examples; their signs are not used."""
    codes: Ids
    """The class of every row of the storage."""
    n_classes: int
    slack2: Vector | None = None
    """``Delta_i^2`` for every row of the storage; ``None``: the hard margin. 0 with the hinge."""
    most: Vector | None = None
    """With the hinge: ``C s_i`` for every row of the storage, which bounds ``A_i``."""

    @classmethod
    def soft(
        cls, sample: Sample, codes: Ids, n_classes: int, penalties: Vector, *, squared: bool
    ) -> "JointProblem":
        """Return the soft margin for ``C s_i``, of every row of the storage."""
        if not squared:
            return cls(sample, codes, n_classes, np.zeros(len(penalties)), penalties)
        with np.errstate(divide="ignore"):
            return cls(sample, codes, n_classes, 0.5 / penalties)

    @property
    def n_examples(self) -> int:
        """The number of examples that take part."""
        return len(self.sample.order)

    @property
    def n_features(self) -> int:
        """The number of features."""
        return self.sample.storage.width

    @property
    def n_rows(self) -> int:
        """The number of virtual rows."""
        return self.n_examples * (self.n_classes - 1)

    def scaled_loss(self, weights: Vector | None) -> tuple[Loss, Vector]:
        """Return the loss in units of the weights of every row of the storage, and the units.

        The units are ``1 / Delta_i^2``, or ``C s_i``, where weights as large are to be expected.
        Those of the hinge are smaller where the largest weights near the optimum, which are given,
        are: with a C so large that it bounds no weight, the problem is that without slack, whose
        units are these largest weights alone.
        """
        order = self.sample.order
        if self.slack2 is not None and self.most is None:
            return SQUARED_HINGE, np.asarray(1.0 / self.slack2)
        sums = np.zeros(len(order)) if weights is None else weights[order].sum(axis=1)
        if self.most is not None:
            share = float((sums / self.most[order]).max())
            if not 0.0 < share < 1.0:
                return HINGE, self.most
            return Loss(False, HINGE.most / share), share * self.most
        largest = float(sums.max())
        if not largest > 0.0:
            largest = 1.0 / (float(self.sample.norms2[order].mean()) or 1.0)
        return NO_SLACK, np.full(self.sample.n_examples, largest)

    def dual(self, weights: Vector, norm2: float) -> tuple[float, float]:
        """Return the dual objective of the best multiple of balanced weights, and the multiple.

        ``norm2`` is ``|sum a z|^2``; ``weights`` has a row for each example of the order.
        """
        assert self.slack2 is not None
        order = self.sample.order
        sums = weights.sum(axis=1)
        total, norm2 = float(sums.sum()), norm2 + float(sums**2 @ self.slack2[order])
        multiple = total / norm2 if norm2 > 0.0 else 0.0
        some = sums > 0.0
        if self.most is not None and some.any():
            room = float((self.most[order][some] / sums[some]).min())
            multiple = min(multiple, room) if norm2 > 0.0 else room
        return multiple * (total - 0.5 * multiple * norm2), multiple

    def gap_left(self, lower: float, upper: float) -> float:
        """Return the gap between the objectives; the hard margin's is half its inverse square."""
        if self.slack2 is not None:
            return upper - lower
        return 0.5 / lower**2 - 0.5 / upper**2 if 0.0 < lower <= upper else np.inf

    def joined(self, before: "JointSolution", after: "JointSolution") -> "JointSolution":
        """Return the better bounds of two searches, each with what proves it."""
        return after.joined(before, hard=self.slack2 is None)


@dataclass(frozen=True, kw_only=True)
class JointSolution(Bounded):
    """Scores ``vectors . (x - centre) + offsets``, and the weights that bound the optimum.

    A model that separates the classes is scaled to ``f_y - f_r >= 1``, with equality somewhere.

    ``weights`` has one row for every row of the storage, zero off the support, with an entry for
    each class, zero for its own. They are the dual variables of the soft margin; for the hard one
    those that make the vectors themselves at the optimum.
    """

    vectors: Vector
    offsets: Vector
    mistakes: int = 0

    model = ("vectors", "offsets", "mistakes")

    def is_stiff(self, gap: float, share: float) -> bool:
        """Whether the gap is above this one, though at most this share of the rows has weight."""
        return self.gap > gap and bool(self.weights.any(axis=1).mean() <= share)
