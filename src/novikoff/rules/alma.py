"""ALMA, the approximate large margin algorithm."""

import math

from novikoff.compiled.step import Specification
from novikoff.rules.base import Rule, State, check_interval


class Alma(Rule):
    """ALMA for the Euclidean norm (Gentile, 2001).

    At its k-th update, w lies in the unit ball and an example ``z / R`` is violated while
    ``z . w / R <= (1 - a) B / sqrt(k)`` with ``B = sqrt(8) / a``; the step is
    ``sqrt(2) / sqrt(k)``, and w is projected onto the ball. It reaches ``(1 - a)`` of the optimum
    margin in ``O(1 / (a eps)^2)`` updates; :meth:`update_bound` and :meth:`margin_bound` return
    None, since no bound with explicit constants is implemented.

    Parameters
    ----------
    a : float, default=0.1
        The relative loss of margin that is allowed; strictly between 0 and 1.

    Examples
    --------
    >>> from novikoff import rules
    >>> rules.Alma(a=0.2).update_bound(R=1.0, eps=0.1) is None
    True
    """

    unit_steps = False
    unit_ball = True

    def __init__(self, *, a: float = 0.1):
        self.a = a

    @property
    def uses_radius(self) -> bool:
        """Whether the rule depends on the largest norm."""
        return True

    def threshold(self, state: State) -> float:
        """Return ``(1 - a) B R / sqrt(k)``."""
        B = math.sqrt(8.0) / self.a
        return (1.0 - self.a) * B * (state.radius or 1.0) / math.sqrt(state.t + 1)

    def step(self, state: State, margin: float, norm2: float) -> float:
        """Return ``sqrt(2) / (R sqrt(k))``."""
        return math.sqrt(2.0) / (state.radius or 1.0) / math.sqrt(state.t + 1)

    def specification(self, radius: float) -> Specification:
        """Return threshold and step; the loop divides them by the factor that projects w."""
        a = check_interval(self, "a", 0.0, 1.0)
        radius = radius or 1.0
        return Specification(
            cooling=(1.0 - a) * math.sqrt(8.0) / a * radius, push=math.sqrt(2.0) / radius
        )
