"""Lemma 4.2: two convex bodies are closer than epsilon, or few differences separate them.

The perceptron with the threshold ``rho^2`` runs on the differences ``p - q`` of points of the
bodies, where ``rho`` is the largest difference that it has met::

    repeat
      if t > 3 rho^2 / epsilon^2: return (i)
      p = the point of K with the smallest w.p, q = the point of L with the largest w.q
      if w.(p - q) > rho^2: return (ii)
      w <- w + p - q;  t <- t + 1;  rho <- max(rho, |p - q|)

As ``|w + p - q|^2 <= |w|^2 + 2 rho^2 + rho^2`` in every step, ``|w|^2 <= 3 t rho^2``. So at (i) the
means of the points are ``|w| / t <= sqrt(3 / t) rho < epsilon`` apart. At (ii) ``t`` is at most
``3 rho^2 / epsilon^2``, and the bodies are ``rho^2 / |w| >= rho / sqrt(3 t) >= epsilon / 3`` apart
along ``w``: either is ``epsilon / 6`` away from the hyperplane in the middle. The diameter of the
bodies is never needed. (i) is also taken as soon as the means are closer than epsilon.

With oracles whose answers are off by ``tau`` per unit of length, the margin at (ii) is smaller by
half of the sum of their ``tau``.
"""

import math
from typing import Any

import numpy as np

from novikoff.compiled.extreme import perceptron
from novikoff.geometry.aim import Aim, Found
from novikoff.geometry.bodies.base import Body, Extreme, Vector
from novikoff.geometry.bodies.ellipsoid import normalised
from novikoff.geometry.corral import mean_distance
from novikoff.geometry.pair import MOST_WORK, shifted
from novikoff.geometry.result import Combination, Ending, Verdict
from novikoff.geometry.rounding import gap_below, norm_above, norm_of, up

BURST = 10_000
"""The most steps between two looks at the clock."""


class Visits:
    """How often each point of a body was chosen."""

    def __init__(self) -> None:
        self.found: list[Extreme] = []
        self.counts: list[int] = []
        self._places: dict[Any, int] = {}

    def add(self, found: Extreme) -> None:
        """Count a point."""
        key = found.point.tobytes()
        place = self._places.setdefault(key, len(self.found))
        if place == len(self.found):
            self.found.append(found)
            self.counts.append(0)
        self.counts[place] += 1

    def combination(self) -> Combination:
        """Return the mean of the points that were chosen."""
        weights = np.array(self.counts, dtype=np.float64)
        points = np.array([each.point for each in self.found])
        labels = tuple(each.label for each in self.found)
        return Combination(points, weights / weights.sum(), labels)

    @property
    def error(self) -> float:
        """The largest error of a point."""
        return max(each.error for each in self.found)


class Perceptron:
    """The perceptron on the differences of points of two bodies."""

    def __init__(self, K: Body, L: Body, epsilon: float, max_steps: float, aim: Aim) -> None:
        self.K, self.L, self.epsilon, self.aim = K, L, epsilon, aim
        self.max_steps = max_steps
        self.w = np.zeros(K.dimension)
        self.t = 0
        self.rho = 0.0
        self.first, self.second = Visits(), Visits()

    def run(self) -> Found:
        """Run to one of the two exits, or to a limit."""
        sets = [shifted(body) for body in (self.K, self.L)]
        dense = [
            each.array
            for each in sets
            if each is not None and each.shift is None and not each.points.is_sparse
        ]
        if len(dense) == 2:
            self._run_compiled(dense[0], dense[1])
        while True:
            direction = normalised(self.w) if self.t else np.ones_like(self.w)
            p, q = self.K.extreme(-direction), self.L.extreme(direction)
            if self.t:
                upper = self._upper()
                closer = upper < self.epsilon
                lower = gap_below(direction, p.value, q.value)
                if closer or self._is_separated(lower, p, q):
                    return self._found(Ending.EPSILON, direction, lower, upper, p, q)
                if self.t >= self.max_steps:
                    return self._found(Ending.MAX_STEPS, direction, lower, upper, p, q)
                if self.t > 3.0 * (self.rho / self.epsilon) ** 2 + 10.0:
                    # Only rounding can keep it from an exit now.
                    return self._found(Ending.PRECISION, direction, lower, upper, p, q)
                if self.aim.out_of_time():
                    return self._found(Ending.TIME_LIMIT, direction, lower, upper, p, q)
            self._step(p, q)

    def _run_compiled(self, P: Vector, Q: Vector) -> None:
        """Run on two arrays, in units of a power of two, so that no square underflows."""
        counts = np.zeros(len(P), dtype=np.int64), np.zeros(len(Q), dtype=np.int64)
        # The first step is that of any body.
        direction = np.ones_like(self.w)
        p, q = self.K.extreme(-direction), self.L.extreme(direction)
        counts[0][p.label], counts[1][q.label] = 1, 1
        reach = max(self.K.reach, self.L.reach)
        scale = math.ldexp(1.0, min(1000, -math.frexp(reach)[1])) if reach > 0.0 else 1.0
        w = (p.point - q.point) * scale
        state = np.array([1.0, w @ w])
        most = max(1, min(BURST, MOST_WORK // (P.size + Q.size)))
        while not self.aim.out_of_time():
            burst = int(min(most, self.max_steps - state[0]))
            epsilon = self.epsilon * scale
            steps = perceptron(P, Q, w, counts, state, scale, epsilon, burst)
            if steps < max(burst, 1):
                break
        self.t, self.rho = int(state[0]), up(math.sqrt(state[1]) / scale)
        for body, visits, each in zip(
            (self.K, self.L), (self.first, self.second), counts, strict=True
        ):
            for i in np.flatnonzero(each).tolist():
                known = body.recall(i)
                assert known is not None
                visits.add(Extreme(*known, math.inf, i))
                visits.counts[-1] = int(each[i])
        # The sum of the differences, rounded once for each point and not for each step.
        self.w = _sum(self.first) - _sum(self.second)

    def _step(self, p: Extreme, q: Extreme) -> None:
        difference = p.point - q.point
        self.w = self.w + difference
        self.t += 1
        self.rho = max(self.rho, norm_above(difference))
        self.first.add(p)
        self.second.add(q)

    def _upper(self) -> float:
        """Return a proved bound on the distance of the bodies, from the means."""
        cheap = norm_of(self.w) / self.t
        if cheap > 1.001 * self.epsilon and self.t < self.max_steps:
            # Far from the exit, the proof can wait.
            return math.inf
        parts = self.first.combination(), self.second.combination()
        return mean_distance(parts, self.first.error + self.second.error)

    def _is_separated(self, lower: float, p: Extreme, q: Extreme) -> bool:
        """Whether the exit (ii) is reached: by the threshold, and by what is proved."""
        beyond = float((self.w / self.rho) @ ((p.point - q.point) / self.rho)) > 1.0
        tau = self.K.tau + self.L.tau
        return beyond and lower >= self.epsilon / 3.0 - 1.001 * tau

    def _found(
        self,
        ending: Ending,
        direction: Vector,
        lower: float,
        upper: float,
        p: Extreme,
        q: Extreme,
    ) -> Found:
        parts = self.first.combination(), self.second.combination()
        if upper == math.inf:
            upper = mean_distance(parts, self.first.error + self.second.error)
        apart = lower > 0.0
        verdict = Verdict.APART if apart else Verdict.CLOSE
        if upper == 0.0:
            verdict = Verdict.MEET
        return Found(
            lower=max(0.0, lower),
            upper=upper,
            w=direction if apart else None,
            edges=(-p.value, q.value),
            first=parts[0],
            second=parts[1],
            normal=parts if apart else None,
            verdict=verdict,
            ending=ending,
            steps=self.t,
            rho=self.rho,
        )


def _sum(visits: Visits) -> Vector:
    total: Vector = np.array(visits.counts, dtype=np.float64) @ np.array(
        [each.point for each in visits.found]
    )
    return total
