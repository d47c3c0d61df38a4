"""What a run leaves behind, and the watch that tells it to stop."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import hypot, inf, sqrt
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.compiled.step import ALONG, MISTAKES, OFFSET, UPDATES, WEIGHT, Specification
from novikoff.rules import Rule
from novikoff.run.clock import Callback as Callback
from novikoff.run.clock import Limits as Limits
from novikoff.run.clock import Progress as Progress
from novikoff.sample import Memory, Sample

ROUNDING = 1e-12
SAFETY = 1e-4


A_FEW = 1000


@dataclass
class Run:
    """What a run left behind.

    ``best`` holds the weights of the iterate with the largest margin among those known to make
    no training error, slack allowed for (``None`` where none is known), ``upper`` those of the
    best upper bound, ``deciding`` examples that ended the run without an update. With slack both
    bounds are those of the lifted examples.
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
        """The weights of ``(w_1 + ... + w_T) / T``, the mean over the iterates after updates.

        In pairs, the mean over those after whole pairs.
        """
        weights, stamps = self.memory.weights, self.memory.stamps
        if self.sides:
            # The negative half of a pair, one update late, counts from where the pair began.
            stamps = stamps - np.where(self.sample.signs < 0, weights, 0.0)
        # A step taken at time s lives on in all but s of the T iterates.
        return weights - stamps / max(self.n_updates, 1)

    @property
    def n_updates(self) -> int:
        """How many updates were made."""
        return int(self.memory.state[UPDATES])

    @property
    def mistakes(self) -> int:
        """How many of the updates were made at ``z . w <= 0``."""
        return int(self.memory.state[MISTAKES])

    @cached_property
    def sides(self) -> tuple[NDArray[np.int64], ...]:
        """Where in the order the classes are, if examples go in pairs, one of each; else nothing.

        They do where the worst is picked and hyperplanes have an intercept, which then needs no
        lift: for any vector it is what makes the margins of the worst two equal.
        """
        if self.rule.pick != "worst" or not self.sample.affine:
            return ()
        signs = self.sample.signs[self.sample.order]
        classes = np.flatnonzero(signs > 0), np.flatnonzero(signs < 0)
        return classes if all(side.size for side in classes) else ()

    def worst(self, margins: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return where in the order the least margin is, or in pairs, that of each class."""
        if not self.sides:
            return np.array([np.argmin(margins)])
        return np.array([side[np.argmin(margins[side])] for side in self.sides])

    def hyperplane(
        self, weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], float, NDArray[np.int64]]:
        """Return coefficients and intercept that a weighting makes, and the examples that place it.

        In pairs the hyperplane lies midway between the two worst examples, slack allowed for.
        """
        sample = self.sample
        if not self.sides:
            return *sample.model(weights), np.empty(0, dtype=np.int64)
        w, _ = sample.combine(weights)
        iterate = replace(self.memory, weights=weights, w=w, state=self.memory.state.copy())
        along = float(w @ sample.centre)
        iterate.state[OFFSET], iterate.state[ALONG] = 0.0, along
        margins = sample.margins(sample.order, iterate)
        pair = self.worst(margins)
        positive, negative = margins[pair].tolist()
        return w, (negative - positive) / 2 - along, sample.order[pair]

    def keep_if_separating(self) -> None:
        """Remember the iterate if it makes no training error and beats the one remembered."""
        order = self.sample.order
        # On noisy data a few examples show an error; only a separator is worth the whole pass.
        if not self.sides and self.sample.margins(order[:A_FEW], self.memory).min() <= 0.0:
            return
        margins = self.sample.margins(order, self.memory)
        self.keep(float(margins[self.worst(margins)].mean()))

    def keep(self, least: float) -> None:
        """Remember the iterate, whose least ``z . w`` is given, if it is the best separator.

        In pairs, whose least ``w . (x_p - x_q) / 2`` is given.
        """
        memory = self.memory
        norm2 = memory.w @ memory.w + self.sample.frame.slack2 * memory.weights @ memory.weights
        if least > 0.0 and least > self.best_margin * sqrt(norm2):
            self.best, self.best_margin = memory.weights.copy(), least / sqrt(norm2)

    def here(self) -> "Point":
        """Return where the run is; a view, which moves on with it."""
        state = self.memory.state
        return Point(self.weights, self.memory.w, float(state[OFFSET]), float(state[WEIGHT]))


class Point(NamedTuple):
    """Weights, the vector they make, its offset and their total: where a run is, or was."""

    weights: NDArray[np.float64]
    w: NDArray[np.float64]
    offset: float
    total: float

    def copy(self) -> "Point":
        """Return a copy that the run does not change."""
        return Point(self.weights.copy(), self.w.copy(), self.offset, self.total)

    def upper_bound(self, sample: Sample, since: "Point | None" = None) -> float:
        """Bound the optimum margin by what was added since a point, without a pass over examples.

        Homogeneous: |sum a z| / sum a. Affine, with p the positive class's share of the weight:
        half the distance of the class means is at most |w| / sum a + |2p - 1| R, and
        2p - 1 = offset / (lift^2 sum a). Slack is one coordinate more for each example.
        """
        w, offset, total = self.w, self.offset, self.total
        if since is not None:
            w, offset, total = w - since.w, offset - since.offset, total - since.total
        if total <= 0.0:
            return inf
        slack, length, radius = sqrt(sample.frame.slack2), float(np.linalg.norm(w)), sample.radius
        if slack > 0.0:
            weights = self.weights if since is None else self.weights - since.weights
            length = hypot(length, slack * float(np.linalg.norm(weights)))
            radius = hypot(radius, slack)
        if not sample.affine:
            return length / total
        tilt = abs(offset) / (sample.frame.lift2 * total)
        # Only one of the classes has weight: there is no mean of the other.
        return length / total + tilt * radius if tilt < 1.0 - ROUNDING else inf


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
        self.start: Point | None = None
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
        run, here = self.run, self.run.here()
        bound, since = self._upper_bound(here, None), None
        if self.start is not None:
            lately = self._upper_bound(here, self.start)
            bound, since = min((bound, None), (lately, self.start), key=itemgetter(0))
        if bound < run.upper_bound:
            run.upper_bound = bound
            run.upper = here.weights.copy() if since is None else here.weights - since.weights
        if run.n_iter & (run.n_iter - 1) == 0:
            self.start = here.copy()
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

    def _upper_bound(self, here: Point, since: Point | None) -> float:
        sample, quick = self.run.sample, here.upper_bound(self.run.sample, since)
        if not sample.affine or quick == 0.0 or quick * self.closeness >= self.min_margin:
            return quick
        weights = here.weights if since is None else here.weights - since.weights
        exact = sample.hull_distance(weights, here.w if since is None else here.w - since.w) / 2
        self.closeness = exact / quick
        return min(exact, quick)

    def no_such_margin(self) -> bool:
        """Whether the run has refuted the margin that it was to look for."""
        # By more than rounding can feign or the certificate's filter gives away, so that the
        # certificate proves it too.
        safe = (1.0 - SAFETY) * self.min_margin - ROUNDING * self.run.sample.radius
        return self.run.upper_bound < safe
