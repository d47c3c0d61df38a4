"""The R-independent perceptron with the mean norm in place of the largest."""

import math

from novikoff.compiled.step import Specification
from novikoff.rules.base import Rule, State, check_interval

EULER = 0.5772156649015329


class MeanNorm(Rule):
    """Update while some ``z . w <= c`` times the mean of ``|z|^2`` over the updates so far.

    :class:`ScaleFree` with the mean norm in place of the largest, so that a few long examples
    do not set the unit for all others: on texts of different lengths its threshold is reached
    after a few passes, where that of ScaleFree is reached late or never. It makes at most
    ``(2c + 1) (R / eps)^2`` updates, as ScaleFree does, and reaches a margin of at least
    ``c eps / (2c H + 1)``, where H = 1 + 1/2 + ... + 1/(T - 1) for T updates; where all norms are
    equal, ``c eps / (2c + 1)``.

    Proof: let N be the sum of ``|z|^2`` over the first t updates. The next one adds at most
    ``2c N / t + |z|^2`` to ``|w|^2``. Every ``N / t`` is at most R^2, so ``|w|^2 <= (2c + 1) R^2
    T``; and every N is at most that of all T updates, so ``|w|^2 <= (2c H + 1) N``. Both with
    ``T eps <= |w|``: the first bounds T, the second the margin, which is more than ``c N / (T
    |w|)``.

    Parameters
    ----------
    c : float, default=1.0
        The threshold in units of the mean squared norm.

    Notes
    -----
    c = 1 was chosen on half of 16 collections of texts and of 27 tables, with the median of the
    first eight examples of each class as centre: mean test errors at 1, 1/2
    and 1/4 are 16.2, 15.8 and 15.6 % on word counts, 13.9, 14.2 and 14.7 on tf-idf, 15.0, 15.0 and
    15.0 on raw tables and 12.7, 12.9 and 13.8 on standardised ones; with ScaleFree, 20.7, 13.6,
    17.6 and 12.8.

    Examples
    --------
    >>> from novikoff import rules
    >>> rules.MeanNorm().update_bound(R=1.0, eps=0.25)
    48.0
    >>> round(rules.MeanNorm().margin_bound(R=1.0, eps=0.25), 4)
    0.0253
    """

    def __init__(self, *, c: float = 1.0):
        self.c = c

    def threshold(self, state: State) -> float:
        """Return c times the mean of ``|z|^2``."""
        return self.c * state.sum2 / state.t if state.t else 0.0

    def specification(self, radius: float) -> Specification:
        """Return a threshold in units of the mean squared norm."""
        return Specification(constant=self._c(), mean=True)

    def _updates(self, R: float, eps: float) -> float:
        """Return ``(2c + 1) (R / eps)^2``."""
        return (2 * self._c() + 1) * (R / eps) ** 2

    def _margin(self, R: float, eps: float) -> float:
        """Return ``c eps / (2c H + 1)`` for the largest number of updates."""
        c, most = self._c(), math.floor(self._updates(R, eps))
        # H_n <= log n + EULER + 1 / (2n).
        n = most - 1
        harmonic = math.log(n) + EULER + 0.5 / n if n > 0 else 0.0
        return c * eps / (2 * c * harmonic + 1)

    def _c(self) -> float:
        return check_interval(self, "c", 0.0, math.inf, closed="low")
