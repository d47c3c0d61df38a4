"""MinOver, the minimal overlap algorithm."""

import math

from novikoff.compiled.step import Specification
from novikoff.rules.base import Rule, State, check_interval
from novikoff.rules.inversion import first_below

# The run stops at a gap smaller than ``accuracy`` by this share, so that the certificate, whose
# bounds are rounded outward, still proves ``accuracy``.
SAFETY = 1e-4


class MinOver(Rule):
    """Always update on the worst example; stop as soon as the bounds prove the accuracy.

    Without an intercept, the worst example is the one with the smallest margin. With one, it is a
    pair: the positive example p with the smallest ``w . x`` and the negative example q with the
    largest, and the step is ``w <- w + p - q``. This is the perceptron on the differences between
    the two classes and needs no lift; the hyperplane lies midway between p and q, and class weights
    have no effect.

    The run keeps its best lower and its best upper bound on the optimum margin (with an intercept,
    the affine one) and stops when ``lower >= (1 - accuracy) upper``: its margin is then at least
    ``1 - accuracy`` of the optimum, and the two bounds prove it. This takes about
    ``(R / eps)^2 ln(t) / (2 accuracy)`` steps. With an intercept, let gamma be the optimum margin
    and D the largest distance between two examples of different classes: the same then holds with D
    for R and 2 gamma for eps, and a step is two updates, one on each example.

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

    def threshold(self, state: State) -> float:
        """Return infinity: the worst example always counts as violated."""
        return math.inf

    @property
    def gap(self) -> float:
        """The relative gap between the bounds at which the run stops."""
        return (1.0 - SAFETY) * self._accuracy()

    def specification(self, radius: float) -> Specification:
        """Return an infinite threshold, so that every example counts as violated."""
        return Specification(scale=1.0, patience=math.inf, constant=math.inf)

    def update_bound(self, R: float, eps: float) -> float | None:
        """Return a proved upper bound on the number of steps.

        With an intercept a step is two updates: at most ``2 * update_bound(D, 2 * gamma)`` updates.

        Parameters
        ----------
        R : float
            The largest norm of an example; with an intercept, the largest distance between two
            examples of different classes.
        eps : float
            The optimum margin, with an intercept twice the optimum margin, or any lower bound on
            it.
        """
        return super().update_bound(R, eps)

    def margin_bound(self, R: float, eps: float) -> float | None:
        """Return a proved lower bound on the margin at the end.

        With an intercept it is a lower bound on twice the margin.

        Parameters
        ----------
        R, eps : float
            As for :meth:`update_bound`.
        """
        return super().margin_bound(R, eps)

    def _updates(self, R: float, eps: float) -> float:
        """Return a number of steps after which the gap is at most the accuracy.

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
        return (1.0 - self._accuracy()) * eps

    def _accuracy(self) -> float:
        return check_interval(self, "accuracy", 0.0, 1.0)
