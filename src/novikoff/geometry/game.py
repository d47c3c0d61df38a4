"""The point-hyperplane game of Claim 4.3: sparse strategies, and its value between bounds.

The Point player chooses a vector ``v`` of a finite set V, the Hyperplane player a unit vector
``u``, and the Point player loses ``v.u``. Mixed strategies of the Point player are points of the
hull of V, so that its best guaranteed loss is the value of the game, the distance of the origin
from the hull. The perceptron with the threshold ``R^2``, ``R`` the largest norm, makes strategies
with few vectors: after ``t`` updates the mean of the vectors it has used loses at most
``|w_t| / t <= R sqrt(3 / t)`` to any hyperplane.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novikoff.compiled.extreme import least_row
from novikoff.geometry.bodies.base import Vector
from novikoff.geometry.bodies.points import Points
from novikoff.geometry.corral import combined_distance
from novikoff.geometry.distance import separate
from novikoff.geometry.exact.check import VerifiedDistance
from novikoff.geometry.result import SeparationResult
from novikoff.geometry.rounding import dot_above, norm_above, norm_below


@dataclass(frozen=True, eq=False)
class Strategy:
    """A mixed strategy of the Point player on few vectors.

    Attributes
    ----------
    t : int
        How many updates made it.
    support : array of int
        The rows of V that it plays, at most t.
    weights : array of float
        Their probabilities, multiples of ``1 / t``.
    value : float
        What it loses at most, whatever the Hyperplane player does; rounded up.
    bound : float
        The bound of Claim 4.3, ``R sqrt(3 / t)``.
    """

    t: int
    support: NDArray[np.int64]
    weights: Vector
    value: float
    bound: float


@dataclass(frozen=True, eq=False)
class GameSolution:
    """Strategies of both players, and the value of the game between proved bounds.

    Attributes
    ----------
    value_lower, value_upper : float
        What the Hyperplane player's strategy wins at least, and the Point player's loses at most.
    support, weights : array
        The rows that the Point player plays, and their probabilities.
    hyperplane : array or None
        The unit vector that the Hyperplane player plays. Where the value is 0 there is none: it
        mixes a vector and its opposite.
    separation : SeparationResult
        The distance of the hull from the origin, of which this is another reading.
    """

    value_lower: float
    value_upper: float
    support: NDArray[np.int64]
    weights: Vector
    hyperplane: Vector | None
    separation: SeparationResult

    def verify(self) -> VerifiedDistance:
        """Check both bounds in exact arithmetic."""
        return self.separation.verify()


class PointGame:
    """The game of a point against a hyperplane (Claim 4.3).

    Parameters
    ----------
    V : array-like of shape (n, dimension)
        The vectors that the Point player chooses from.

    Examples
    --------
    >>> from novikoff import PointGame
    >>> game = PointGame([[1.0, 0.5], [-1.0, 0.5]])
    >>> solution = game.solve()
    >>> round(solution.value_lower, 6), solution.weights
    (0.5, array([0.5, 0.5]))
    >>> [(s.t, round(s.value, 3), round(s.bound, 3)) for s in game.play()][-1]
    (6, 0.5, 0.791)
    """

    def __init__(self, V: ArrayLike) -> None:
        self.points = V if isinstance(V, Points) else Points(V)
        if self.points.is_sparse:
            raise ValueError("PointGame: V must be a dense array.")
        self.R = max(norm_above(row) for row in self.points.array)
        """The largest norm of a vector, rounded up."""

    def play(self, max_steps: int | None = None) -> Iterator[Strategy]:
        """Yield the strategies of the perceptron with the threshold ``R^2``, one an update.

        It ends when every vector has a product above ``R^2`` with w. Then the last strategy loses
        at most three times the value of the game. Where the value is 0, it goes on for ever, and
        what the strategies lose tends to 0.

        Parameters
        ----------
        max_steps : int, optional
            The most strategies.
        """
        V, R = self.points.array, self.R
        w, counts = np.zeros(self.points.dimension), np.zeros(len(V), dtype=np.int64)
        t = 0
        while max_steps is None or t < max_steps:
            i, product = least_row(V, w)
            if (t and product > R * R) or R == 0.0:
                return
            w += V[i]
            counts[i] += 1
            t += 1
            support = np.flatnonzero(counts)
            weights = counts[support] / t
            yield Strategy(
                t=t,
                support=support,
                weights=weights,
                value=self.loss(support, weights),
                bound=R * math.sqrt(3.0 / t),
            )

    def loss(self, support: ArrayLike, weights: ArrayLike) -> float:
        """Return what a mixed strategy loses at most: the norm of its mean, rounded up."""
        points = self.points.array[np.asarray(support)]
        origin = np.zeros((1, self.points.dimension))
        parts = [(points, np.asarray(weights, dtype=np.float64)), (origin, np.ones(1))]
        return combined_distance(parts, 0.0, origin[0])

    def win(self, hyperplane: ArrayLike) -> float:
        """Return what a vector of the Hyperplane player wins at least, scaled to length 1."""
        u = np.asarray(hyperplane, dtype=np.float64)
        least = -max(dot_above(-u, row) for row in self.points.array)
        length = norm_above(u) if least > 0.0 else norm_below(u)
        if length == 0.0:
            return -math.inf
        return math.nextafter(least / length, -math.inf)

    def solve(self, rtol: float = 1e-6, atol: float | None = None, **limits: Any) -> GameSolution:
        """Return the best strategies of both players, and the value between proved bounds.

        Parameters
        ----------
        rtol, atol : float
            How close the bounds are to be, as for :func:`novikoff.separate`.
        **limits
            ``max_steps`` and ``time_limit``, as there.
        """
        origin = Points(np.zeros((1, self.points.dimension)))
        found = separate(self.points, origin, rtol=rtol, atol=atol, **limits)
        order = np.argsort(found.first.labels)
        return GameSolution(
            value_lower=found.distance_lower,
            value_upper=found.distance_upper,
            support=np.array(found.first.labels, dtype=np.int64)[order],
            weights=found.first.weights[order],
            hyperplane=found.w,
            separation=found,
        )
