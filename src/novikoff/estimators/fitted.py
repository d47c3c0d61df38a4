"""One class against the others: what a search is given, and what it gives back."""

from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import (
    Certificate,
    Certifier,
    Inconclusive,
    Joint,
    NonSeparation,
    Separation,
    Weighted,
)
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
    copies: Any = None
    """The :class:`~.copies.Copies` that a run visits; ``None`` in other searches."""

    @property
    def bound_before(self) -> Weighted | None:
        """The weights that proved the upper bound on the margin in the earlier fit."""
        if isinstance(self.before, Separation | Inconclusive):
            return Weighted(self.before.support, self.before.weights)
        return None


def closed(history: list[Progress], certificate: Certificate) -> list[Progress]:
    """Return a history whose last line has the bounds of the certificate.

    Those on the objective where there is a soft margin; otherwise those on the margin, of which the
    lower one is minus infinity where the model does not separate the examples.
    """
    if not history:
        return history
    model = certificate.hyperplane
    if model is not None and model.soft is not None:
        lower, upper = model.soft.dual, model.soft.primal
    elif isinstance(certificate, Separation | Inconclusive | NonSeparation | Joint):
        lower, upper = certificate.lower, certificate.upper
        lower = lower if lower > 0.0 else -inf
    else:
        return history
    return [*history[:-1], history[-1]._replace(lower=lower, upper=upper)]


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
