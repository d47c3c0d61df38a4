"""The margin problem of several classes, hard or soft, and a solution of it."""

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
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

    with ``Delta_i^2 = 1 / (2 C s_i)`` for the weight ``s_i`` of the example. The intercepts are not
    penalised. With two classes it is the binary problem.
    """

    sample: Sample
    """The examples; their signs are not used."""
    codes: Ids
    """The class of every row of the storage."""
    n_classes: int
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

    @property
    def n_rows(self) -> int:
        """The number of virtual rows."""
        return self.n_examples * (self.n_classes - 1)

    def joined(self, before: "JointSolution", after: "JointSolution") -> "JointSolution":
        """Return the better bounds of two searches, each with what proves it.

        The status is that of the second search.
        """
        after = after.following(before)
        hard = self.slack2 is None
        model: dict[str, Any] = {"vectors": before.vectors, "offsets": before.offsets}
        weights: dict[str, Any] = {"weights": before.weights}
        if before.lower > after.lower:
            after = replace(after, lower=before.lower, **(model if hard else weights))
        if before.upper < after.upper:
            after = replace(after, upper=before.upper, **(weights if hard else model))
        return after


@dataclass(frozen=True)
class JointSolution:
    """Scores ``vectors . (x - centre) + offsets``, and the weights that bound the optimum.

    A model that separates the classes is scaled to ``f_y - f_r >= 1``, with equality somewhere.

    ``weights`` has one row for every row of the storage, zero off the support, with an entry for
    each class, zero for its own. They are the dual variables of the soft margin; for the hard one
    those that make the vectors themselves at the optimum. For the hard margin ``lower`` and
    ``upper`` bound the margin, for the soft one they are the dual and the primal objective; in
    floating point: the certificate's bounds are the rigorous ones.
    """

    vectors: Vector
    offsets: Vector
    weights: Vector
    status: Status
    lower: float
    upper: float
    solver: str
    mistakes: int = 0
    gave_up: bool = False

    @property
    def gap(self) -> float:
        """The relative gap between the two bounds; 0 where nothing separates the examples."""
        if self.status is Status.NOT_SEPARABLE:
            return 0.0
        return 1.0 - self.lower / self.upper if 0.0 < self.upper < np.inf else np.inf

    def following(self, before: "JointSolution") -> "JointSolution":
        """Return the solution with the solvers that were used before it in its name."""
        names = f"{before.solver}+{self.solver}".split("+")
        return replace(self, solver="+".join(name for name, _ in groupby(names)))
