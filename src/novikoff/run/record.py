"""The result of a run."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.compiled.step import (
    ALONG,
    MISTAKES,
    OFFSET,
    RESCALED,
    UPDATES,
    WEIGHT,
    Specification,
)
from novikoff.rules import Rule
from novikoff.run.bounds import Bounds, Point
from novikoff.run.clock import Clock, Progress
from novikoff.run.compression import Compression, Reason
from novikoff.sample import Memory, Sample


class Tail(NamedTuple):
    """Where the last part of a run began: the weights, the stamps, how many updates there were."""

    weights: NDArray[np.float64]
    stamps: NDArray[np.float64]
    updates: int
    rescaled: float


@dataclass
class Run:
    """A run of a rule on a sample: where it is, what it has proved, and how it ended.

    ``deciding`` holds examples that ended the run without an update; ``tail`` says where the part
    of the run began whose mean is the model, if that is not all of it.
    """

    sample: Sample
    rule: Rule
    specification: Specification
    memory: Memory
    clock: Clock
    bounds: Bounds
    status: Status = Status.INTERRUPTED
    deciding: tuple[int, ...] = ()
    tail: Tail | None = None

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weights on the examples at the end."""
        return self.memory.weights

    @property
    def best(self) -> NDArray[np.float64] | None:
        """The weights of the iterate with the largest margin, of those known to make no error.

        With slack, no example may be wrong by more than its slack. ``None`` where no such iterate
        is known.
        """
        return self.bounds.best

    @property
    def upper(self) -> NDArray[np.float64] | None:
        """The weights of the best upper bound on the optimum margin."""
        return self.bounds.upper_weights

    @property
    def averaged(self) -> NDArray[np.float64]:
        """The weights of ``(w_1 + ... + w_T) / T``, the mean over the iterates after updates.

        In pairs, the mean over those after whole pairs.
        """
        weights, stamps = self.memory.weights, self.memory.stamps
        if self.sides:
            # The negative half of a pair, one update late, counts from where the pair began.
            stamps = stamps - np.where(self.sample.signs < 0, weights, 0.0)
        # A step taken at time s is part of all but s of the T iterates.
        return weights - stamps / max(self.n_updates, 1)

    @property
    def averaged_tail(self) -> NDArray[np.float64]:
        """The weights of the mean over the iterates of the tail; without one, over all."""
        tail, weights, T = self.tail, self.memory.weights, self.n_updates
        if tail is None or T == tail.updates or self.memory.state[RESCALED] != tail.rescaled:
            return self.averaged
        # T times the mean over all iterates is their sum; of it, that before the tail is not taken.
        total: NDArray[np.float64] = T * weights - self.memory.stamps
        before = tail.updates * tail.weights - tail.stamps
        total -= before
        total /= T - tail.updates
        return total

    def tail_from_here(self) -> Tail:
        """Return the tail that begins at the current iterate."""
        memory = self.memory
        rescaled = float(memory.state[RESCALED])
        return Tail(memory.weights.copy(), memory.stamps.copy(), self.n_updates, rescaled)

    @property
    def n_updates(self) -> int:
        """How many updates were made, those of the run that it continues included."""
        return int(self.memory.state[UPDATES])

    @property
    def mistakes(self) -> int:
        """How many of the updates were made at ``z . w <= 0``."""
        return int(self.memory.state[MISTAKES])

    @property
    def n_iter(self) -> int:
        """How many full passes were made."""
        return ceil(self.clock.passes)

    @property
    def history(self) -> list[Progress]:
        """Updates, mistakes and bounds after every full pass."""
        return self.clock.history

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
        state = self.memory.state.copy()
        iterate = self.memory._replace(weights=weights, w=w, state=state)
        along = float(w @ sample.centre)
        state[OFFSET], state[ALONG] = 0.0, along
        margins = sample.margins(sample.order, iterate)
        pair = self.worst(margins)
        positive, negative = margins[pair].tolist()
        return w, (negative - positive) / 2 - along, sample.order[pair]

    def compression(
        self,
        weights: NDArray[np.float64] | None = None,
        placing: NDArray[np.int64] | None = None,
    ) -> Compression:
        """Return the examples without which a rerun would not be the same run.

        Parameters
        ----------
        weights : array of float64, optional
            The weights of the iterate that is the model; by default those at the end.
        placing : array of int64, optional
            The examples that :meth:`hyperplane` names for these weights, if it was called before;
            by default it is called.
        """
        weights = self.weights if weights is None else weights
        placing = self.hyperplane(weights)[2] if placing is None else placing
        sample = self.sample
        longest = (sample.longest,) if sample.affine or self.rule.uses_radius else ()
        why: dict[Reason, Any] = {
            # The model may be an iterate before the last update.
            "update": np.flatnonzero((self.weights > 0.0) | (weights > 0.0)),
            "longest": longest,
            "placing": placing,
            "deciding": self.deciding,
        }
        found = Compression.of(sample.order, sample.signs, weights, why)
        if self.rule.unit_steps and sample.unweighted:
            return found
        # Steps of other lengths may be whole numbers by chance; the type must not depend on it.
        return replace(found, weights=found.weights.astype(np.float64))

    def here(self) -> Point:
        """Return the current iterate, as a view that later updates change."""
        state = self.memory.state
        offset, total = float(state[OFFSET]), float(state[WEIGHT])
        return Point(self.weights, self.memory.w, offset, total, int(state[RESCALED]))
