"""The perceptron with a dynamic margin."""

import math

from novikoff.compiled.step import Specification
from novikoff.rules.base import Rule, State, check_interval
from novikoff.rules.inversion import first_below

# The closed form of the recurrence divides by k - 1; a k closer to 1 than this is increased.
CLOSE_TO_1 = 1e-3
# From this t on, the difference of two log-gamma values is computed by Stirling's series, whose
# next term is below 1e-14; for smaller t the two values have rounding errors of about 1e-11.
LARGE = 1e4
# Covers these errors, which the division by k - 1 may increase a thousandfold.
ROUNDED_UP = 1.0 + 1e-7


class Dynamic(Rule):
    """Update while some margin is at most ``(1 - accuracy)`` of the run's own upper bound.

    In symbols: while ``z . w <= (1 - accuracy) |w|^2 / t`` (Panagiotakopoulos and Tsampouka,
    2011). Since ``|w| / t`` is an upper bound on the optimum margin, a run that converges has at
    least ``1 - accuracy`` of the optimum, and proves it. With an intercept, this is the optimum of
    the lifted examples, within a factor sqrt(2) of the affine one; the gap of the certificate is
    between bounds on the affine margin, and may be larger or smaller than ``accuracy``.
    :class:`MinOver` reaches ``accuracy`` for the affine margin.

    Parameters
    ----------
    accuracy : float, default=0.1
        The relative loss of margin that is allowed; strictly between 0 and 1.

    Examples
    --------
    >>> from novikoff import rules
    >>> rules.Dynamic(accuracy=0.1).margin_bound(R=1.0, eps=0.5)
    0.45
    """

    def __init__(self, *, accuracy: float = 0.1):
        self.accuracy = accuracy

    def threshold(self, state: State) -> float:
        """Return ``(1 - accuracy) |w|^2 / t``."""
        return (1.0 - self.accuracy) * state.norm2 / state.total if state.t else 0.0

    def specification(self, radius: float) -> Specification:
        """Return a threshold in units of ``|w|^2 / t``."""
        return Specification(dynamic=1.0 - self._accuracy())

    def _updates(self, R: float, eps: float) -> float:
        """Return the bound that follows from the growth of ``|w|``.

        ``t eps <= |w_t| <= R sqrt(growth(t, k))`` with k = 2 (1 - accuracy) is false from some t
        on, because ``growth(t, k) / t^2`` never increases and tends to 0.
        """
        k = 2 * (1.0 - self._accuracy())
        return first_below(lambda t: growth(t, k) / t**2, (eps / R) ** 2)

    def _margin(self, R: float, eps: float) -> float:
        """Return ``(1 - accuracy) eps``."""
        return (1.0 - self._accuracy()) * eps

    def _accuracy(self) -> float:
        return check_interval(self, "accuracy", 0.0, 1.0)


def growth(t: float, k: float) -> float:
    """Return a bound on ``|w_t|^2 / R^2`` from ``|w_{t+1}|^2 <= (1 + k / t) |w_t|^2 + R^2``.

    The recurrence ``N_1 = 1``, ``N_{t+1} = (1 + k / t) N_t + 1`` has the solution
    ``(Gamma(t + k) / (Gamma(t) Gamma(k)) - t) / (k - 1)``; the returned value is slightly larger.

    Parameters
    ----------
    t : float
        The number of updates, at least 1.
    k : float
        Strictly between 0 and 2.

    Examples
    --------
    >>> from novikoff.rules.dynamic import growth
    >>> round(growth(3, 1.5), 5)  # 1, then 2.5 + 1, then 1.75 * 3.5 + 1
    7.125
    """
    if abs(k - 1.0) < CLOSE_TO_1:
        k = 1.0 + CLOSE_TO_1  # N_t increases with k, and the solution divides by k - 1.
    # log Gamma(t + k) - log Gamma(t): the difference of two large numbers, so by Stirling's
    # series when they are large.
    if t < LARGE:
        log_ratio = math.lgamma(t + k) - math.lgamma(t)
    else:
        log_ratio = k * math.log(t) + (t + k - 0.5) * math.log1p(k / t) - k
        log_ratio -= k / (12.0 * t * (t + k))
    solution = (math.exp(log_ratio - math.lgamma(k)) - t) / (k - 1.0)
    return ROUNDED_UP * solution
