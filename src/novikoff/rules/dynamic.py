"""The perceptron with a dynamic margin."""

import math

from novikoff.compiled.step import Specification
from novikoff.rules.base import Rule, check_interval
from novikoff.rules.search import first_below


class Dynamic(Rule):
    """Update while some margin is below ``(1 - accuracy)`` of the run's own upper bound.

    In symbols: while ``z . w <= (1 - accuracy) |w|^2 / t`` (Panagiotakopoulos and Tsampouka,
    2011). Since ``|w| / t`` bounds the optimum from above, a run that ends has at least
    ``1 - accuracy`` of the optimum, and proves it. With an intercept, the optimum meant is that
    of the lifted examples, within a factor sqrt(2) of the affine one.

    Parameters
    ----------
    accuracy : float, default=0.1
        The share of the optimum margin that may be given up; strictly between 0 and 1.

    Examples
    --------
    >>> from novikoff import rules
    >>> rules.Dynamic(accuracy=0.1).margin_bound(R=1.0, eps=0.5)
    0.45
    """

    def __init__(self, *, accuracy: float = 0.1):
        self.accuracy = accuracy

    def specification(self, radius: float) -> Specification:
        """Return a threshold in units of ``|w|^2 / t``."""
        return Specification(dynamic=1.0 - self._accuracy())

    def update_bound(self, R: float, eps: float) -> float:
        """Return the bound that the growth of ``|w|`` allows.

        With k = 2 (1 - accuracy), ``|w_{t+1}|^2 <= (1 + k / t) |w_t|^2 + R^2`` sums to
        ``R^2 Gamma(t + k) / Gamma(t) * sum_{s <= t} Gamma(s) / Gamma(s + k)``, and
        ``t eps <= |w_t|`` fails from some t on.
        """
        k = 2 * (1.0 - self._accuracy())
        return first_below(lambda t: _norm2(t, k) / t**2, (eps / R) ** 2)

    def margin_bound(self, R: float, eps: float) -> float:
        """Return ``(1 - accuracy) eps``."""
        return (1.0 - self._accuracy()) * eps

    def _accuracy(self) -> float:
        return check_interval(self, "accuracy", 0.0, 1.0)


def _norm2(t: float, k: float) -> float:
    rising = math.exp(math.lgamma(t + k) - math.lgamma(t))
    if abs(k - 1.0) < 1e-6:
        # sum_{s <= t} Gamma(s) / Gamma(s + k) is largest for small k: H_t for k = 1.
        return rising * (1.0 + math.log(t)) * 1.00001
    falling = math.exp(math.lgamma(t + 1) - math.lgamma(t + k))
    return rising * (1.0 / math.gamma(k) - falling) / (k - 1.0)
