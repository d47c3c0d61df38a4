"""What a run leaves behind, and the watch that tells it to stop."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.compiled.step import MISTAKES, OFFSET, UPDATES, Specification
from novikoff.rules import Rule
from novikoff.sample import Memory, Sample

ROUNDING = 1e-12


class Progress(NamedTuple):
    """One line of a run's history, written after each full pass.

    ``lower`` is the largest margin seen on all examples so far (minus infinity before the
    first), ``upper`` the smallest upper bound on the optimum so far, both in floating point; the
    certificate's are the rigorous ones.
    """

    iteration: int
    updates: int
    mistakes: int
    lower: float
    upper: float
    seconds: float


A_FEW = 1000

Callback = Callable[[Progress], None]


@dataclass(frozen=True)
class Limits:
    """Where a run gives up: full passes, updates, a moment in time, or somebody else's word.

    ``deadline`` is a reading of ``time.perf_counter``.
    """

    max_iter: int = 1000
    max_updates: int | None = None
    deadline: float | None = None
    cancelled: Callable[[], bool] = lambda: False


@dataclass
class Run:
    """What a run left behind.

    ``best`` holds the weights of the iterate with the largest margin among those known to make
    no training error (``None`` where none is known), ``upper`` those of the best upper bound,
    ``deciding`` examples that ended the run without an update.
    """

    sample: Sample
    rule: Rule
    specification: Specification
    memory: Memory
    status: Status = Status.INTERRUPTED
    n_iter: int = 0
    best: NDArray[np.float64] | None = None
    best_margin: float = -inf
    upper: NDArray[np.float64] | None = None
    upper_bound: float = inf
    deciding: tuple[int, ...] = ()
    history: list[Progress] = field(default_factory=list)

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights on the examples at the end."""
        return self.memory.weights

    @property
    def averaged(self) -> NDArray[np.float64]:
        """The weights of ``(w_1 + ... + w_T) / T``, the mean over the iterates after updates."""
        # A step taken at time s lives on in all but s of the T iterates.
        return self.memory.weights - self.memory.stamps / max(self.n_updates, 1)

    @property
    def n_updates(self) -> int:
        """How many updates were made."""
        return int(self.memory.state[UPDATES])

    @property
    def mistakes(self) -> int:
        """How many of the updates were made at ``z . w <= 0``."""
        return int(self.memory.state[MISTAKES])

    def keep_if_separating(self) -> None:
        """Remember the iterate if it makes no training error and beats the one remembered."""
        memory = self.memory
        norm = float(np.linalg.norm(memory.w))
        if norm == 0.0:
            return
        # On noisy data a few examples show an error; only a separator is worth the whole pass.
        for ids in (self.sample.order[:A_FEW], self.sample.order):
            margins = self.sample.margins(ids, memory)
            margins -= self.sample.frame.slack2 * memory.weights[ids]
            if margins.min() <= 0.0:
                return
        margin = float(margins.min()) / norm
        if margin > self.best_margin:
            self.best, self.best_margin = memory.weights.copy(), margin

    def since(self, start: "Start | None") -> "Start":
        """Return what the run has added to ``w`` since a point in time."""
        memory = self.memory
        if start is None:
            return Start(memory.weights, memory.w, float(memory.state[OFFSET]))
        return Start(
            memory.weights - start.weights,
            memory.w - start.w,
            float(memory.state[OFFSET]) - start.offset,
        )


class Start(NamedTuple):
    """Weights, the vector they make and its offset: where a run was, or how far it has come."""

    weights: NDArray[np.float64]
    w: NDArray[np.float64]
    offset: float

    def copy(self) -> "Start":
        """Return a copy that the run does not change."""
        return Start(self.weights.copy(), self.w.copy(), self.offset)

    def upper_bound(self, sample: Sample) -> float:
        """Bound the optimum margin by what these weights show without a pass over examples.

        Homogeneous: |sum a z| / sum a. Affine, with p the positive class's share of the weight:
        half the distance of the class means is at most |w| / sum a + |2p - 1| R, and
        |2p - 1| = |offset| / (lift^2 sum a).
        """
        total = float(self.weights.sum())
        if total <= 0.0:
            return inf
        length = float(np.linalg.norm(self.w))
        if sample.affine:
            present = sample.signs[self.weights > 0.0]
            if not ((present > 0).any() and (present < 0).any()):
                return inf
            length += abs(self.offset) * sample.radius / sample.frame.lift2
        return length / total


class Watch:
    """Keeps a run's history and knows when it must end."""

    def __init__(
        self, run: Run, limits: Limits, min_margin: float, callbacks: Sequence[Callback]
    ) -> None:
        self.run = run
        self.limits = limits
        # The slack lift separates everything, so no bound on its margin speaks of the data.
        self.min_margin = min_margin if run.sample.frame.slack2 == 0.0 else 0.0
        self.callbacks = callbacks
        self.most = inf if limits.max_updates is None else float(limits.max_updates)
        # Where the run was at the last power of two of its passes. On data that nothing separates
        # w stays bounded, so what was added since is a far smaller sum of as many examples; if w
        # has come back, it is zero (the perceptron cycling theorem).
        self.start: Start | None = None
        # What the distance of the class means would gain on the quick bound, as last seen.
        self.closeness = sqrt(0.5)
        self.started = time.perf_counter()

    def stop(self) -> Status | None:
        """Return the limit that the run has met, if any."""
        if self.limits.cancelled():
            return Status.INTERRUPTED
        if self.limits.deadline is not None and time.perf_counter() >= self.limits.deadline:
            return Status.TIME_LIMIT
        return None

    def report(self) -> None:
        """Write a line of history and tell the callbacks."""
        run = self.run
        for start in (None, self.start):
            come = run.since(start)
            bound = self._upper_bound(come)
            if bound < run.upper_bound:
                run.upper, run.upper_bound = come.weights.copy(), bound
        if run.n_iter & (run.n_iter - 1) == 0:
            self.start = run.since(None).copy()
        seconds = time.perf_counter() - self.started
        line = Progress(
            run.n_iter, run.n_updates, run.mistakes, run.best_margin, run.upper_bound, seconds
        )
        if run.history and run.history[-1][:2] == line[:2]:
            run.history[-1] = line
            return
        run.history.append(line)
        for callback in self.callbacks:
            callback(line)

    def _upper_bound(self, come: Start) -> float:
        sample, quick = self.run.sample, come.upper_bound(self.run.sample)
        if not sample.affine or quick == 0.0 or quick * self.closeness >= self.min_margin:
            return quick
        exact = sample.hull_distance(come.weights, come.w) / 2
        self.closeness = exact / quick
        return min(exact, quick)

    def no_such_margin(self) -> bool:
        """Whether the run has refuted the margin that it was to look for."""
        # By a little more than rounding can feign, so that the certificate proves it too.
        safe = (1.0 - ROUNDING) * self.min_margin - ROUNDING * self.run.sample.radius
        return self.run.upper_bound < safe
