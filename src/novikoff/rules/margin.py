"""Algorithm 2: the beta-perceptron."""

import math
from typing import Literal

from novikoff.compiled.step import Specification
from novikoff.rules.base import Rule, State, check_interval


class Margin(Rule):
    """The beta-perceptron: update while some ``z . w <= beta``.

    Theorem 2.1: at most ``(2 beta + R^2) / eps^2`` updates, and a margin of at least
    ``beta eps / (2 beta + R^2)``, which is less than ``eps / 2`` for every beta.

    Parameters
    ----------
    beta : float, default=1.0
        The threshold, as stated by ``unit``.
    unit : {"radius", "absolute"}, default="radius"
        ``"radius"``: the threshold is ``beta R^2``, with R the largest norm of an example with its
        lift, which makes the rule independent of the scale of the data. ``"absolute"``: the
        threshold is ``beta``.

    Examples
    --------
    >>> from novikoff import rules
    >>> rule = rules.Margin(beta=1.0)
    >>> rule.update_bound(R=1.0, eps=0.25), rule.margin_bound(R=1.0, eps=0.25)
    (48.0, 0.0833...)
    """

    def __init__(self, *, beta: float = 1.0, unit: Literal["radius", "absolute"] = "radius"):
        self.beta = beta
        self.unit = unit

    @property
    def uses_radius(self) -> bool:
        """Whether the rule depends on the largest norm."""
        return self.unit == "radius"

    def threshold(self, state: State) -> float:
        """Return beta, or ``beta R^2``."""
        return self.beta * state.radius2 if self.unit == "radius" else self.beta

    def specification(self, radius: float) -> Specification:
        """Return the fixed threshold."""
        return Specification(scale=1.0, patience=math.inf, constant=self._absolute(radius))

    def _updates(self, R: float, eps: float) -> float:
        """Return ``(2 beta + R^2) / eps^2`` (Theorem 2.1)."""
        return (2 * self._absolute(R) + R * R) / eps**2

    def _margin(self, R: float, eps: float) -> float:
        """Return ``beta eps / (2 beta + R^2)`` (Theorem 2.1)."""
        beta = self._absolute(R)
        return beta * eps / (2 * beta + R * R)

    def _absolute(self, R: float) -> float:
        if self.unit not in ("radius", "absolute"):
            raise ValueError(f"Margin: unit={self.unit!r} must be 'radius' or 'absolute'.")
        beta = check_interval(self, "beta", 0.0, math.inf, closed="low")
        return beta * R * R if self.unit == "radius" else beta
