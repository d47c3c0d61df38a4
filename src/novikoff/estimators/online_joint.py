"""Learning online on all classes together: each example once, its worst wrong class decides."""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.compiled.step import (
    LONGEST2,
    MISTAKES,
    NORM2,
    RESCALED,
    SCALE,
    SMALLEST_SHRINK,
    SUM2,
    THRESHOLD,
    UPDATES,
    Specification,
    start,
    threshold,
)
from novikoff.estimators.labels import Codes
from novikoff.rules import Rule
from novikoff.sample import JointMemory, JointSample, Sample, storage_of
from novikoff.sample.lift import lift_after
from novikoff.sample.signed import NOTHING

UNMEASURED = -1.0

Floats = NDArray[np.float64]


@dataclass
class JointOnline:
    """The run of an online learner on all classes together.

    Of ``sample`` and ``memory`` only what does not depend on the examples is kept: the frame of the
    first batch, and the vector of each class.
    """

    rule: Specification
    classes: NDArray[Any]
    sample: JointSample
    memory: JointMemory
    lag: Floats | None
    """The sum over steps of when they were taken times the step: ``T (w - mean)``, its offset."""
    measured: bool = True
    """Whether an example other than the centre has been seen, so that the lift is known."""
    first: int = 0
    """The class of the centre, where the lift is not known."""

    @classmethod
    def of(
        cls,
        rule: Specification,
        classes: NDArray[Any],
        sample: JointSample,
        memory: JointMemory,
        *,
        average: bool,
        measured: bool = True,
        first: int = 0,
    ) -> "JointOnline":
        """Go on from the last iterate of a run."""
        lag = None
        if average:
            vectors, offsets = sample.combine(memory.stamps)
            lag = np.column_stack([vectors, offsets])
        return cls(rule, classes, _emptied(sample), _detached(memory), lag, measured, first)

    @property
    def centre(self) -> Floats:
        """What the examples are read relative to."""
        return self.sample.centre

    def measure(self, rule: Rule, X: Any, codes: Codes) -> None:
        """Fix the lift by the first batch that holds more than the centre.

        As for two classes: under a scale-free rule what was learned stays, up to the unit.
        """
        signs = np.ones(X.shape[0], dtype=np.int8)
        sample = Sample.of(storage_of(X), signs, centre=self.centre)
        if sample.radius == 0.0:
            return
        state, slack2 = self.memory.state, self.sample.frame.slack2
        lift2 = lift_after(self.first, sample.norms2, codes)
        factor = lift2 / self.sample.frame.lift2
        self.sample = self.sample.with_frame(self.sample.frame._replace(lift2=lift2))
        self.rule = rule.specification(sqrt(sample.radius**2 + lift2 + slack2))
        if self.rule.patience == np.inf or self.rule.cooling:
            mistakes = state[MISTAKES]
            state[:] = start(self.rule)
            state[MISTAKES] = mistakes
            self.memory.offsets[:] = 0.0
        else:
            state[[NORM2, LONGEST2, SUM2]] *= factor
            self.memory.offsets *= factor
            state[SCALE] = state[LONGEST2]
            state[THRESHOLD] = threshold(self.rule, state)
        if self.lag is not None:
            self.lag[:, -1] *= factor
        self.measured = True

    def learn(self, X: Any, codes: Codes, shares: Floats = NOTHING) -> None:
        """Visit each example once; a batch with a NaN or an infinity changes nothing."""
        memory, n = self.memory, len(codes)
        before = memory.w.copy(order="K"), memory.offsets.copy(), memory.along.copy()
        state = memory.state.copy()
        ids = np.arange(n)
        unmeasured = np.full(n, UNMEASURED)
        batch = self.sample.of_batch(storage_of(X), ids, codes, unmeasured, shares)
        if batch.is_sparse != memory.w.flags.f_contiguous:
            memory.w = np.array(memory.w, order="F" if batch.is_sparse else "C")
        run = JointMemory(
            batch.rows, memory.w, memory.offsets, memory.along, memory.state, np.zeros(n)
        )
        batch.sweep(ids, self.rule, run)
        # An update on a row whose square overflows shows in the state before it does in a margin.
        if not np.isfinite(memory.state).all():
            memory.w, memory.offsets, memory.along = before
            memory.state = state
            raise ValueError("Input X contains NaN or infinity, or values whose squares overflow.")
        if self.lag is not None:
            self.lag *= SMALLEST_SHRINK ** (memory.state[RESCALED] - state[RESCALED])
            vectors, offsets = batch.combine(run.stamps)
            self.lag += np.column_stack([vectors, offsets])

    def model(self) -> tuple[Floats, Floats]:
        """Return coefficients and intercepts: of the last iterate, or of the mean if asked for."""
        memory = self.memory
        if self.lag is None:
            return np.array(memory.w, order="C"), memory.offsets - memory.along
        delay = self.lag / max(memory.state[UPDATES], 1.0)
        coef = np.ascontiguousarray(memory.w - delay[:, :-1])
        return coef, memory.offsets - delay[:, -1] - coef @ self.centre

    @property
    def mistakes(self) -> int:
        """How often an example had ``z . w <= 0`` for some wrong class when it was visited."""
        return int(self.memory.state[MISTAKES])

    @property
    def n_updates(self) -> int:
        """How many updates were made."""
        return int(self.memory.state[UPDATES])


def _emptied(sample: JointSample) -> JointSample:
    """Return the sample without its examples."""
    nothing = np.zeros(0, dtype=np.int64)
    storage = storage_of(np.zeros((0, sample.storage.width)))
    return sample.of_batch(storage, nothing, nothing, np.zeros(0))


def _detached(memory: JointMemory) -> JointMemory:
    """Return a copy of the iterate without the weights that make it."""
    return JointMemory(
        rows=type(memory.rows)(0),
        w=memory.w.copy(order="K"),
        offsets=memory.offsets.copy(),
        along=memory.along.copy(),
        state=memory.state.copy(),
        totals=np.zeros(0),
    )
