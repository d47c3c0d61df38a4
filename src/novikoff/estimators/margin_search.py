"""What every search of MaxMargin shares: what is asked of it, and the soft margin instead."""

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from novikoff.certificate import Account, Status
from novikoff.certificate.exact.slack import SQUARED_HINGE
from novikoff.estimators.fitted import Task
from novikoff.estimators.joint import JointTask
from novikoff.run import Clock

FEW_PASSES = 10
"""A soft margin that replaces the hard one may make at least this many passes."""


class NotSeparableError(ValueError):
    """No hyperplane separates the examples, and ``nonseparable="raise"`` was given."""


@dataclass(frozen=True)
class MarginSearch:
    """What is asked of MaxMargin."""

    C: float
    tol: float
    nonseparable: Literal["soft", "raise"]
    loss: str = SQUARED_HINGE

    @property
    def squared(self) -> bool:
        """Whether the hinges of the soft margin are squared."""
        return self.loss == SQUARED_HINGE

    def account(self, task: Task | JointTask, status: Status, C: float | None = None) -> Account:
        """Return what the run says of itself; ``C`` is the model's, if not the one asked for."""
        loss = "" if self.squared else f", loss={self.loss!r}"
        return Account(
            status=status,
            asked=f"MaxMargin(C={self.C if C is None else C!r}{loss}, tol={self.tol!r})",
            tol=self.tol,
            n_updates=task.clock.updates,
        )


def allow_soft_margin(clock: Clock) -> None:
    """Give the soft margin that replaces a hard one as many passes as that had."""
    passes = int(np.ceil(clock.passes)) + max(clock.limits.max_iter, FEW_PASSES)
    clock.limits = replace(clock.limits, max_iter=passes)


def certified_instead(
    certifier: Any, hard: Account, refutation: Any, model: Any, proof: Any
) -> Any:
    """Certify a soft margin that replaces the hard one, with what is known about that.

    Either ``refutation`` proves that nothing separates the examples, or it is ``None`` and
    ``proof`` has the weights that bound the margin.
    """
    if refutation is None:
        return certifier.undecided(hard, model, proof=proof)
    return certifier.refuted(
        refutation, model, asked=hard.asked, tol=hard.tol, n_updates=hard.n_updates
    )


def in_data_units(C: float, exponent: int) -> float:
    """Return a penalty times two to a power, where floating-point numbers have it."""
    with np.errstate(over="ignore", under="ignore"):
        scaled = float(np.ldexp(C, exponent))
    if not 1e-305 < scaled < 1e305:
        raise ValueError(
            "C times the squares of the features overflows or underflows; rescale the features."
        )
    return scaled
