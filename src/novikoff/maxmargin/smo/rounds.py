"""Rounds of steps on blocks of kernel columns, for two classes and for several."""

from abc import ABC, abstractmethod
from dataclasses import replace
from math import inf
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.run.clock import Clock

Found = TypeVar("Found", bound=Any)


class Rounds(ABC, Generic[Found]):
    """A block of examples is chosen, and steps are made in it, until the bounds meet.

    ``Found`` is a solution with ``lower`` and ``upper`` bounds, ``mistakes`` and a ``status``.
    """

    clock: Clock
    hard: bool
    length: float
    """The largest ``sqrt(k(x, x))``."""
    best: Found | None = None
    """The best model so far."""

    @abstractmethod
    def _bounds(self) -> Found:
        """Return what the weights prove."""

    @abstractmethod
    def _round(self, tol: float) -> int:
        """Choose a block and make steps in it; return how many."""

    @property
    def _share(self) -> float:
        """What part of a pass a round counts as."""
        return 1.0

    def run(
        self, tol: float, zero: float, *, rounds: float = inf, steps: float = inf
    ) -> Found | None:
        """Go on until the bounds are within ``tol``, or the margin at most ``zero`` lengths.

        ``None`` where so many rounds or steps were not enough; the next call goes on from there.
        """
        begun, made = 0, 0
        while True:
            self.clock.passes += self._share
            found = self._look()
            if found.lower > 0.0 and found.lower >= (1.0 - tol) * found.upper:
                return self._ended(Status.GAP_REACHED)
            nothing = found.status is Status.PRECISION
            if nothing or (self.hard and found.upper <= zero * self.length):
                return self._ended(Status.PRECISION)
            stop = self.clock.stop()
            if stop is not None:
                return self._ended(stop)
            if begun >= rounds or made >= steps:
                return None
            begun += 1
            now = self._round(tol)
            made += now
            self.clock.updates += now
            if now == 0:
                return self._ended(Status.PRECISION)

    def _look(self) -> Found:
        """Bring the bounds up to date and report them."""
        found, best = self._bounds(), self.best
        if best is None or (found.lower > best.lower if self.hard else found.upper < best.upper):
            self.best = found
        self.clock.report(found.mistakes, found.lower, found.upper)
        return found

    def _ended(self, status: Status) -> Found:
        """Return the last point, or the best one where a limit came first."""
        last = self._look()
        found = last if status is Status.GAP_REACHED or self.best is None else self.best
        ended: Found = replace(found, status=status)
        return ended


def largest(values: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """Return the positions of the largest values above minus infinity, at most ``count``."""
    eligible = np.flatnonzero(values > -inf)
    if len(eligible) <= count:
        return eligible
    if count <= 0:
        return eligible[:0]
    return np.asarray(eligible[np.argpartition(-values[eligible], count - 1)[:count]])
