"""The interface of the update rules."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Literal

from sklearn.base import BaseEstimator

from novikoff.compiled.step import Specification

# The relative error allowed in eps <= R, since both are computed in floating point.
ROUNDING = 1e-9


@dataclass
class State:
    """The state of a run, on which the threshold and the step of a rule may depend.

    Attributes
    ----------
    radius2 : float
        The largest ``|z|^2`` among all examples, with the lift.
    t : int
        The number of updates.
    total : float
        The sum of the weights, equal to t for unit steps.
    norm2 : float
        ``|w|^2``.
    rho2 : float
        The largest ``|z|^2`` among the updates.
    last2 : float
        ``|z|^2`` of the last update.
    beta : float
        The threshold at the last update.
    sum2 : float
        The sum of ``|z|^2`` over the updates.
    """

    radius2: float
    t: int = 0
    total: float = 0.0
    norm2: float = 0.0
    rho2: float = 0.0
    last2: float = 0.0
    beta: float = 0.0
    sum2: float = 0.0

    @property
    def radius(self) -> float:
        """The largest ``|z|`` among all examples."""
        return math.sqrt(self.radius2)

    def advance(self, beta: float, tau: float, margin: float, norm2: float) -> None:
        """Record an update ``w <- w + tau z`` at threshold ``beta``, given z.w and |z|^2."""
        self.t += 1
        self.total += tau
        self.norm2 += tau * (2.0 * margin + tau * norm2)
        self.rho2 = max(self.rho2, norm2)
        self.last2 = norm2
        self.sum2 += norm2
        self.beta = beta

    def scale(self, factor: float) -> None:
        """Record ``w <- factor * w``."""
        self.total *= factor
        self.norm2 *= factor * factor


class Rule(BaseEstimator, ABC):
    """An update rule: ``w <- w + step * z_i`` while some ``z_i . w <= threshold``.

    :meth:`threshold` and :meth:`step` are the formulas of the literature, which
    :func:`novikoff.trace` evaluates directly; :meth:`specification` expresses the same rule for the
    compiled loop. Rules follow scikit-learn's parameter interface: they can be cloned, and a grid
    search over an estimator can set their parameters, for example ``rule__alpha``.
    """

    pick: ClassVar[Literal["cyclic", "worst"]] = "cyclic"
    unit_steps: ClassVar[bool] = True
    unit_ball: ClassVar[bool] = False
    """Whether w is projected onto the unit ball after an update."""

    @abstractmethod
    def threshold(self, state: State) -> float:
        """Return the threshold: an example is violated unless ``z . w`` exceeds it."""

    def step(self, state: State, margin: float, norm2: float) -> float:
        """Return the step for a violated example with ``z . w = margin`` and ``|z|^2 = norm2``."""
        return 1.0

    @abstractmethod
    def specification(self, radius: float) -> Specification:
        """Return the rule for the compiled loop; ValueError if a parameter is invalid.

        Parameters
        ----------
        radius : float
            The largest norm of an example, with the lift.
        """

    @property
    def gap(self) -> float:
        """The relative gap between the bounds at which the run stops; 0 disables this stop."""
        return 0.0

    @property
    def uses_radius(self) -> bool:
        """Whether the rule depends on the largest norm; if so, that example is in the support."""
        return False

    def update_bound(self, R: float, eps: float) -> float | None:
        """Return a proved upper bound on the number of updates, ``None`` if none is proved.

        Parameters
        ----------
        R : float
            The largest norm of an example.
        eps : float
            The optimum margin, or any lower bound on it.
        """
        _check_lengths(R, eps)
        return self._updates(R, eps)

    def margin_bound(self, R: float, eps: float) -> float | None:
        """Return a proved lower bound on the margin at the end, ``None`` if none is proved.

        Parameters
        ----------
        R : float
            The largest norm of an example.
        eps : float
            The optimum margin, or any lower bound on it.
        """
        _check_lengths(R, eps)
        return self._margin(R, eps)

    def _updates(self, R: float, eps: float) -> float | None:
        return None

    def _margin(self, R: float, eps: float) -> float | None:
        return None


def _check_lengths(R: float, eps: float) -> None:
    if not (0.0 < eps <= R * (1.0 + ROUNDING) and R < math.inf):
        raise ValueError(f"R={R!r} and eps={eps!r} must satisfy 0 < eps <= R < inf.")


def check_interval(
    rule: Rule, name: str, low: float, high: float, *, closed: Literal["", "low", "high"] = ""
) -> float:
    """Return the parameter ``name`` of a rule, or raise if it lies outside the interval."""
    value = getattr(rule, name)
    try:
        inside = low < value < high
        inside |= (closed == "low" and value == low) or (closed == "high" and value == high)
    except TypeError:
        inside = False
    if not inside:
        left = "[" if closed == "low" else "("
        right = "]" if closed == "high" else ")"
        raise ValueError(
            f"{type(rule).__name__}: {name}={value!r} must be a number "
            f"in {left}{low}, {high}{right}."
        )
    return float(value)
