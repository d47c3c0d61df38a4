"""Algorithm 3: the R-independent perceptron."""

import math

import numpy as np

from novikoff.compiled.step import Specification
from novikoff.rules.base import Rule, State, check_interval


class ScaleFree(Rule):
    """The R-independent perceptron: update while some ``z . w <= c rho^2``.

    rho is the largest norm among the updates so far. With R the largest norm among all updates,
    it makes at most ``(2c + 1) (R / eps)^2`` updates and reaches a margin of at least
    ``c eps / (2c + 1)``: for c = 1 a third of the optimum in three times Novikoff's bound. The
    rule does not need to know the scale of the data.

    Parameters
    ----------
    c : float, default=1.0
        The threshold in units of rho^2.
    printed : bool, default=False
        Run Algorithm 3 exactly as printed: ``beta = 4 |x|^2`` whenever ``beta < |x|^2``. At most
        ``9 (R / eps)^2`` updates, margin at least ``eps / 3`` (Theorem 2.2). ``c`` is then unused.

    Examples
    --------
    >>> from novikoff import rules
    >>> rules.ScaleFree().update_bound(R=1.0, eps=0.25)
    48.0
    >>> rules.ScaleFree(printed=True).margin_bound(R=1.0, eps=0.75)
    0.25
    """

    def __init__(self, *, c: float = 1.0, printed: bool = False):
        self.c = c
        self.printed = printed

    def threshold(self, state: State) -> float:
        """Return ``c rho^2``; as printed, ``4 |x|^2`` if ``beta < |x|^2``, else beta."""
        if self.printed:
            return 4.0 * state.last2 if state.beta < state.last2 else state.beta
        return self.c * state.rho2

    def specification(self, radius: float) -> Specification:
        """Return a threshold in units of the running largest norm."""
        if not isinstance(self.printed, bool | np.bool_):
            raise ValueError(f"ScaleFree: printed={self.printed!r} must be True or False.")
        if self.printed:
            # beta = 4 r^2 is replaced when beta < |x|^2, that is when |x|^2 > 4 r^2.
            return Specification(patience=4.0, constant=4.0)
        return Specification(constant=self._c())

    def _updates(self, R: float, eps: float) -> float:
        """Return ``(2c + 1) (R / eps)^2``, or ``9 (R / eps)^2`` for the printed form."""
        return (9.0 if self.printed else 2 * self._c() + 1) * (R / eps) ** 2

    def _margin(self, R: float, eps: float) -> float:
        """Return ``c eps / (2c + 1)``, or ``eps / 3`` for the printed form."""
        return eps / 3 if self.printed else self._c() / (2 * self._c() + 1) * eps

    def _c(self) -> float:
        return check_interval(self, "c", 0.0, math.inf, closed="low")
