"""One class against the others: what a search is given, and what it gives back."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Certificate, Certifier, Inconclusive, Separation, Weighted
from novikoff.run import Clock, Progress
from novikoff.sample import Sample


@dataclass(frozen=True)
class Task:
    """What a search is given: the signed examples, the clock, and the certifier of its result."""

    code: int
    sample: Sample
    certifier: Certifier
    clock: Clock
    hashes: NDArray[np.uint64]
    costs: NDArray[np.float64] | None
    before: Certificate | None = None
    """What an earlier fit proved of the same problem."""

    @property
    def bound_before(self) -> Weighted | None:
        """The weights that proved the upper bound on the margin in the earlier fit."""
        if isinstance(self.before, Separation | Inconclusive):
            return Weighted(self.before.support, self.before.weights)
        return None


@dataclass(frozen=True)
class Fitted:
    """What a search gives back: the proof, the weighted examples, and where it stopped.

    ``last`` is what a warm start continues from.
    """

    certificate: Certificate
    support: NDArray[np.int64]
    dual_coef: NDArray[Any]
    n_iter: int
    history: list[Progress]
    solver: str
    last: Any = None
