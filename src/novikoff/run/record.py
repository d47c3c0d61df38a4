"""The result of a run."""

from dataclasses import dataclass, replace
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.compiled.step import (
    MISTAKES,
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
from novikoff.sample.signed import Worst
from novikoff.sample.virtual_rows import minus


class Tail(NamedTuple):
    """Where the last part of a run began: weights, stamps, and the updates and passes so far."""

    weights: NDArray[np.float64]
    stamps: NDArray[np.float64]
    updates: int
    rescaled: float
    passes: int


@dataclass
class Run:
    """A run of a rule on a sample: where it is, what it has proved, and how it ended.

    ``deciding`` holds examples that ended the run without an update; ``tail`` says where the part
    of the run began whose mean is the model, if that is not all of it, and ``tails`` where it may.
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
    tails: tuple[Tail, ...] = ()

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
        if self.balanced:
            stamps = self.sample.stamps_of_steps(weights, stamps)
        # A step taken at time s is part of all but s of the T iterates.
        return weights - stamps / max(self.n_updates, 1)

    @property
    def averaged_tail(self) -> NDArray[np.float64]:
        """The weights of the mean over the iterates of the tail; without one, over all."""
        weights, T = self.memory.weights, self.n_updates
        early = [tail for tail in self.tails if 2 * tail.passes <= self.n_iter]
        tail = self.tail or (early[-1] if early else None)
        if tail is None or T == tail.updates or self.memory.state[RESCALED] != tail.rescaled:
            return self.averaged
        # T times the mean over all iterates is their sum; of it, that before the tail is not taken.
        total: NDArray[np.float64] = T * weights - self.memory.stamps
        return minus(total, tail.updates * tail.weights - tail.stamps) / (T - tail.updates)

    def tail_from_here(self, passes: int) -> Tail:
        """Return the tail that begins at the current iterate."""
        memory = self.memory
        rescaled = float(memory.state[RESCALED])
        return Tail(memory.weights.copy(), memory.stamps.copy(), self.n_updates, rescaled, passes)

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

    @property
    def balanced(self) -> bool:
        """Whether a step is on examples of several classes at once, a pair where there are two.

        It is where the worst is picked and hyperplanes have an intercept, which then needs no
        lift: for any vector it is what makes the margins of the worst examples equal.
        """
        return self.rule.pick == "worst" and self.sample.affine and self.sample.can_balance

    def worst(self) -> Worst:
        """Return the example of least margin; balanced, the worst of the classes."""
        return self.sample.worst(self.memory, balanced=self.balanced)

    def hyperplane(
        self, weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], Any, NDArray[np.int64]]:
        """Return coefficients and intercept that a weighting makes, and the examples that place it.

        Of many classes, one of each for every class. Balanced, the intercept makes the margins of
        the worst examples equal.
        """
        if self.balanced:
            return self.sample.placed(weights)
        return *self.sample.model(weights), np.empty(0, dtype=np.int64)

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
        given = sample.affine and sample.lifting is None
        longest = (sample.longest,) if given or self.rule.uses_radius else ()
        why: dict[Reason, Any] = {
            # The model may be an iterate before the last update.
            "update": np.flatnonzero(
                (sample.by_example(self.weights) > 0.0) | (sample.by_example(weights) > 0.0)
            ),
            "longest": longest,
            "lift": sample.lifting or (),
            # Of many classes, MinOver may begin with others than that of the first example.
            "centre": sample.placing,
            "placing": placing,
            "deciding": self.deciding,
        }
        found = Compression.of(
            sample.order, sample.labels, lambda support: sample.on_support(support, weights), why
        )
        if self.rule.unit_steps and sample.unweighted:
            return found
        # Steps of other lengths may be whole numbers by chance; the type must not depend on it.
        return replace(found, weights=found.weights.astype(np.float64))

    def here(self) -> Point:
        """Return the current iterate, as a view that later updates change."""
        state = self.memory.state
        offset, total = self.sample.offset_of(self.memory), float(state[WEIGHT])
        return Point(self.weights, self.memory.w, offset, total, int(state[RESCALED]))
