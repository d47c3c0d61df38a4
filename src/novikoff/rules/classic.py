"""Algorithm 1: the perceptron."""

from novikoff.compiled.step import Specification
from novikoff.rules.base import Rule, State


class Classic(Rule):
    """The perceptron: update while some ``z . w <= 0``.

    With optimum margin eps > 0 and largest norm R it makes at most ``(R / eps)^2`` updates
    (Novikoff's theorem), in any order of examples. Its margin is positive; no larger lower bound
    is proved.

    Examples
    --------
    >>> from novikoff import rules
    >>> rules.Classic().update_bound(R=1.0, eps=0.1)
    100.0
    """

    def threshold(self, state: State) -> float:
        """Return 0."""
        return 0.0

    def specification(self, radius: float) -> Specification:
        """Return the threshold 0."""
        return Specification()

    def _updates(self, R: float, eps: float) -> float:
        """Return ``(R / eps)^2``."""
        return (R / eps) ** 2
