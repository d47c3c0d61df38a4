"""What a search for a distance is to reach, where it begins, and what it has found."""

import time
from dataclasses import dataclass, field
from math import inf
from typing import Any

from novikoff.geometry.bodies.base import Body, Vector
from novikoff.geometry.result import Combination, Ending, Verdict

Parts = tuple[Combination, Combination]


@dataclass(frozen=True)
class Aim:
    """What a search is to reach, and where it gives up; ``deadline`` is of ``perf_counter``."""

    rtol: float
    atol: float | None
    max_steps: int
    deadline: float | None = None

    def absolute(self, rho: float) -> float:
        """Return the distance below which relative accuracy is not asked for."""
        return 1e-12 * rho if self.atol is None else self.atol

    def is_reached(self, lower: float, upper: float, rho: float) -> bool:
        """Whether bounds on the distance are close enough."""
        if upper <= self.absolute(rho):
            return True
        return lower > 0.0 and upper - lower <= max(self.rtol * upper, self.absolute(rho))

    def out_of_time(self) -> bool:
        """Whether the deadline has passed."""
        return self.deadline is not None and time.perf_counter() >= self.deadline


@dataclass(frozen=True)
class Begin:
    """Points to begin with, of an earlier search or of these bodies before they were moved."""

    parts: Parts
    steps: int = 0


@dataclass
class Found:
    """The best bounds of a search, and what proves them; ``w`` has length 1 but for rounding."""

    lower: float
    upper: float
    w: Vector | None
    edges: tuple[float, float]
    first: Combination
    second: Combination
    normal: Parts | None
    verdict: Verdict
    ending: Ending
    steps: int
    rho: float


@dataclass
class Proved:
    """The best bounds on the distance of two bodies so far, and what proves each.

    The bodies are those whose balls were taken off; ``radius`` is the sum of their radii.
    """

    K: Body
    L: Body
    radius: Any
    lower: float = -inf
    upper: float = inf
    w: Vector | None = None
    edges: tuple[float, float] = (0.0, 0.0)
    normal: Parts | None = None
    best: Parts = field(init=False)

    def take_lower(
        self, lower: float, w: Vector, edges: tuple[float, float], normal: Parts | None
    ) -> None:
        """Take a lower bound: the support values along ``w``, and what ``w`` is made of."""
        self.lower, self.w, self.edges, self.normal = lower, w, edges, normal

    def take_upper(self, upper: float, best: Parts) -> None:
        """Take an upper bound: the distance of two combinations."""
        self.upper, self.best = upper, best
