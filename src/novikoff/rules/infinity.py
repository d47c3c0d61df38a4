"""Algorithm 4, the infinity-perceptron, and its combination with Algorithm 3."""

import math

from novikoff.compiled.step import Specification
from novikoff.rules.base import Rule, State, check_interval

# Norms that should be at most 1, such as those of normalised rows, may exceed 1 by rounding.
ROUNDING = 1e-12


class Infinity(Rule):
    """The infinity-perceptron: update while some ``z . w <= ((t+1)^alpha - t^alpha - 1) / 2``.

    Theorem 2.3, for R <= 1: at most ``(1 / eps)^(2 / (2 - alpha))`` updates, and a margin of at
    least ``alpha eps / 2 - eps^(alpha / (2 - alpha)) / 2``, which tends to the optimum as alpha
    tends to 2. The bound on the updates is exponential in ``1 / (2 - alpha)``.

    Parameters
    ----------
    alpha : float, default=1.5
        The exponent in ``|w|^2 <= t^alpha``; strictly between 1 and 2.

    Examples
    --------
    >>> from novikoff import rules
    >>> rule = rules.Infinity(alpha=1.5)
    >>> rule.update_bound(R=1.0, eps=0.25), rule.margin_bound(R=1.0, eps=0.25)
    (256.0, 0.1796875)
    """

    def __init__(self, *, alpha: float = 1.5):
        self.alpha = alpha

    def threshold(self, state: State) -> float:
        """Return ``b_t = ((t+1)^alpha - t^alpha - 1) / 2``."""
        return float((state.t + 1) ** self.alpha - state.t**self.alpha - 1.0) / 2.0

    def specification(self, radius: float) -> Specification:
        """Return the growing threshold; ValueError if R > 1, where Theorem 2.3 does not apply."""
        if radius > 1 + ROUNDING:
            raise ValueError(
                f"Infinity needs examples of norm at most 1, with the lift, but the largest norm "
                f"is {radius:.6g}; use ScaleFreeInfinity, or scale the features."
            )
        return Specification(
            scale=1.0, patience=math.inf, growth=1.0, alpha=check_interval(self, "alpha", 1.0, 2.0)
        )

    def _updates(self, R: float, eps: float) -> float | None:
        """Return ``(1 / eps)^(2 / (2 - alpha))`` for R <= 1, otherwise ``None``."""
        return None if R > 1 + ROUNDING else _most_updates(self, eps)

    def _margin(self, R: float, eps: float) -> float | None:
        """Return ``alpha eps / 2 - eps^(alpha / (2 - alpha)) / 2`` for R <= 1."""
        return None if R > 1 + ROUNDING else _least_margin(self, eps)


class ScaleFreeInfinity(Rule):
    """Algorithms 3 and 4 combined: the threshold of Algorithm 4 in units of rho^2.

    rho is the largest norm among the updates so far. On data of any scale, at most
    ``(R / eps)^(2 / (2 - alpha))`` updates, and a margin of at least
    ``alpha eps / 2 - (rho / 2) (eps / rho)^(alpha / (2 - alpha))`` with rho at the end of the run.
    This increases with rho, which may be less than R; for every rho the margin is at least
    ``(alpha - 1) (2 - alpha)^((2 - alpha) / (2 alpha - 2)) eps``, which tends to eps as alpha
    tends to 2.

    Parameters
    ----------
    alpha : float, default=1.5
        As in :class:`Infinity`; strictly between 1 and 2.

    Examples
    --------
    >>> from novikoff import rules
    >>> rule = rules.ScaleFreeInfinity(alpha=1.5)
    >>> rule.margin_bound(R=10.0, eps=1.0)
    0.353...
    >>> rule.margin_bound_at_exit(rho=10.0, eps=1.0)
    0.745...
    """

    def __init__(self, *, alpha: float = 1.5):
        self.alpha = alpha

    def threshold(self, state: State) -> float:
        """Return ``rho^2 b_t``."""
        return state.rho2 * float((state.t + 1) ** self.alpha - state.t**self.alpha - 1.0) / 2.0

    def specification(self, radius: float) -> Specification:
        """Return the growing threshold in units of the running largest norm."""
        return Specification(growth=1.0, alpha=check_interval(self, "alpha", 1.0, 2.0))

    def _updates(self, R: float, eps: float) -> float:
        """Return ``(R / eps)^(2 / (2 - alpha))``."""
        return _most_updates(self, eps / R)

    def _margin(self, R: float, eps: float) -> float:
        """Return ``(alpha - 1) u eps`` with ``u = (2 - alpha)^((2 - alpha) / (2 alpha - 2))``.

        For each e <= eps the margin is at least ``rho h(e / rho)`` with
        ``h(v) = (alpha v - v^(alpha / (2 - alpha))) / 2``, which is largest at v = u, where it is
        ``(alpha - 1) u``. With the best such e the bound increases with rho, and ``rho >= eps``.
        """
        alpha = check_interval(self, "alpha", 1.0, 2.0)
        return float((alpha - 1) * (2 - alpha) ** ((2 - alpha) / (2 * alpha - 2)) * eps)

    def margin_bound_at_exit(self, rho: float, eps: float) -> float:
        """Return ``alpha eps / 2 - (rho / 2) (eps / rho)^(alpha / (2 - alpha))``.

        Parameters
        ----------
        rho : float
            The largest norm among the updates of the run.
        eps : float
            The optimum margin, or any lower bound on it.
        """
        return rho * _least_margin(self, eps / rho)


def _most_updates(rule: Infinity | ScaleFreeInfinity, eps: float) -> float:
    alpha = check_interval(rule, "alpha", 1.0, 2.0)
    return float((1 / eps) ** (2 / (2 - alpha)))


def _least_margin(rule: Infinity | ScaleFreeInfinity, eps: float) -> float:
    alpha = check_interval(rule, "alpha", 1.0, 2.0)
    return float(alpha * eps / 2 - eps ** (alpha / (2 - alpha)) / 2)
