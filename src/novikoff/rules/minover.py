"""MinOver, the minimal overlap algorithm."""

import math

from novikoff.compiled.step import Specification
from novikoff.rules.base import Rule, check_interval
from novikoff.rules.search import first_below


class MinOver(Rule):
    """Always update on the example of least margin; stop on the certificate.

    The run keeps its best lower and its best upper bound and ends when
    ``lower >= (1 - accuracy) upper``, so it has at least ``1 - accuracy`` of the optimum and
    proves it. The cost is about ``(R / eps)^2 ln(t) / (2 accuracy)`` updates. As for
    :class:`Dynamic`, with an intercept the bounds are those of the lifted examples.

    Parameters
    ----------
    accuracy : float, default=0.1
        The relative gap between the two bounds at which to stop; strictly between 0 and 1.

    Examples
    --------
    >>> from novikoff import rules
    >>> rules.MinOver(accuracy=0.1).margin_bound(R=1.0, eps=0.5)
    0.45
    """

    pick = "worst"

    def __init__(self, *, accuracy: float = 0.1):
        self.accuracy = accuracy

    @property
    def gap(self) -> float:
        """The relative gap between the bounds at which the run stops."""
        return check_interval(self, "accuracy", 0.0, 1.0)

    def specification(self, radius: float) -> Specification:
        """Return a rule that no example ever satisfies."""
        return Specification(scale=1.0, patience=math.inf, constant=math.inf)

    def _updates(self, R: float, eps: float) -> float:
        """Return the count at which the two bounds must have met to within the accuracy.

        From ``|w_{t+1}|^2 <= |w_t|^2 + 2 m_t |w_t| + R^2`` with margins ``m_t <= eps``:
        the upper bound is at most ``eps + (R^2 - eps^2) H_t / (2 eps t)``, the best lower one at
        least ``(t eps - R - R^2 H_{t-1} / (2 eps)) / (t - 1)``.
        """
        accuracy = self.gap

        def distance(t: float) -> float:
            harmonic = 1.0 + math.log(t)
            upper = eps + (R * R - eps * eps) * harmonic / (2 * eps * t)
            lower = (t * eps - R - R * R * harmonic / (2 * eps)) / (t - 1) if t > 1 else -math.inf
            return (1.0 - accuracy) * upper - lower

        return first_below(distance, 0.0)

    def _margin(self, R: float, eps: float) -> float:
        """Return ``(1 - accuracy) eps``."""
        return (1.0 - self.gap) * eps
