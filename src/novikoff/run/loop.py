"""The loop: while some example is violated, step."""

from math import inf

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.compiled.step import FINITE, LEAST, MISTAKES, UPDATES
from novikoff.rules import Rule
from novikoff.run.bounds import Bounds
from novikoff.run.clock import Clock, Stopped
from novikoff.run.pick import cyclic, worst_first
from novikoff.run.record import Run
from novikoff.sample import Memory, Sample

# A full pass collects the examples whose margin is within this share of the mean margin of the
# support of being violated: a function of the state, so that the support reproduces the run. Rows
# read, in passes, at 0.5, 0.25 and 1.0, on the data of novikoff.run.pick: 24, 18, 32 on the planted
# examples, 1539, 1557, 1642 on the breast cancer data; under the classic rule 3.7, 9.2, 4.2 and
# 865, 752, 940.
NEARNESS = 0.5
# How many examples are checked first when looking for a separator. On noisy data one of them is
# usually misclassified, which saves the pass over all examples; not tuned.
FIRST_LOOK = 1000


def run(
    sample: Sample,
    rule: Rule,
    *,
    clock: Clock | None = None,
    min_margin: float = 0.0,
    memory: Memory | None = None,
) -> Run:
    """Run a rule on a sample until no example is violated, or a limit is met.

    Parameters
    ----------
    sample : Sample
        The signed examples in the order of visits.
    rule : Rule
        When an example is violated and how far to step.
    clock : Clock, optional
        Says when to give up and keeps the history; by default one with the default limits.
    min_margin : float, default=0.0
        End as soon as the upper bound on the margin falls below this length.
    memory : Memory, optional
        Continue where another run on the same sample stopped, and change its memory; by default
        the run starts at ``w = 0``.

    Returns
    -------
    Run
        Weights, bounds and status.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff import rules
    >>> from novikoff.run import run
    >>> from novikoff.sample import Sample, storage_of
    >>> X, signs = np.array([[999.0], [1001.0]]), np.array([1, -1])
    >>> finished = run(Sample.of(storage_of(X), signs), rules.Classic())
    >>> finished.status.name, finished.n_updates
    ('CONVERGED', 5)
    """
    specification = rule.specification(sample.lifted_radius)
    if rule.pick == "worst" and sample.affine:
        # Examples come in pairs, one of each class: steps of unequal length would part them.
        sample = sample.relabelled(sample.signs, (1.0, 1.0))
    if memory is None:
        memory = sample.memory(specification)
    clock = clock or Clock()
    clock.updates += int(memory.state[UPDATES])
    result = Run(sample, rule, specification, memory, clock, Bounds(sample, min_margin))
    search = _Search(result)
    try:
        pick = worst_first if rule.pick == "worst" else cyclic
        result.status = pick(search, clock)
    except Stopped as stopped:
        result.status = stopped.status
    if result.status not in (Status.CONVERGED, Status.GAP_REACHED):
        search.keep_if_separating()
    search.report()
    return result


class _Search:
    """A run on a sample, as the two pick rules see it."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.sample = run.sample
        self.clock = run.clock
        self.bounds = run.bounds
        self.near = run.sample.order[:0]
        self.worst = run.sample.order[:0]
        self.least = inf
        self.mistakes = 0

    @property
    def n_carriers(self) -> int:
        return int(np.count_nonzero(self.run.weights))

    def sweep_all(self) -> int:
        before, self.mistakes = self.run.n_updates, self.run.mistakes
        self.run.memory.state[LEAST] = inf
        chunks = self.sample.chunks(self.sample.order)
        self.near = np.concatenate([self._sweep(chunk, NEARNESS)[1] for chunk in chunks])
        self.mistakes = self.run.mistakes - self.mistakes
        return self.run.n_updates - before

    def sweep_near(self, passes: int) -> None:
        chunks = list(self.sample.chunks(self.near))
        # One call of compiled code reads the rows of one chunk, in as many passes as that allows.
        at_once = max(1, self.sample.storage.chunk // len(self.near))
        while passes > 0:
            before = self.run.n_updates
            begun = max(self._sweep(chunk, 0.0, min(at_once, passes))[0] for chunk in chunks)
            if begun < at_once or self.run.n_updates == before:
                return
            passes -= begun

    def judge(self, updates: int) -> Status | None:
        if updates == 0:
            self.bounds.keep(self.run.here(), float(self.run.memory.state[LEAST]))
            return Status.CONVERGED
        passes = self.run.n_iter
        if self.mistakes == 0 and (self.run.best is None or passes & (passes - 1) == 0):
            self.keep_if_separating()
        self.report()
        if self.bounds.excludes_min_margin():
            return Status.NO_SUCH_MARGIN
        self.clock.check()
        return None

    def find_worst(self) -> None:
        margins = self.sample.margins(self.sample.order, self.run.memory)
        pick = self.run.worst(margins)
        self.worst, self.least = self.sample.order[pick], float(margins[pick].mean())

    def judge_worst(self) -> Status | None:
        if self.run.n_updates == 0:
            return None
        self.bounds.keep(self.run.here(), self.least)
        self.report()
        if self.bounds.lower >= (1.0 - self.run.rule.gap) * self.bounds.upper:
            self.run.deciding = tuple(self.worst.tolist())
            return Status.GAP_REACHED
        return Status.NO_SUCH_MARGIN if self.bounds.excludes_min_margin() else None

    def step_on_worst(self) -> None:
        if self.clock.updates_left < len(self.worst):
            raise Stopped(Status.MAX_UPDATES)
        self.clock.check()
        # Both halves of a pair in one call, between which no Ctrl-C can come. They are on the wrong
        # side together: what the lift says of one without the other means nothing.
        run = self.run
        mistakes = run.mistakes + (len(self.worst) if self.least <= 0.0 else 0)
        self.sample.sweep(self.worst, run.specification, run.memory)
        run.memory.state[MISTAKES] = mistakes
        self.clock.updates += len(self.worst)
        self._check_finite()

    def keep_if_separating(self) -> None:
        """Remember the iterate if it makes no training error and beats the one remembered."""
        run, order = self.run, self.sample.order
        if not run.sides and self.sample.margins(order[:FIRST_LOOK], run.memory).min() <= 0.0:
            return
        margins = self.sample.margins(order, run.memory)
        self.bounds.keep(run.here(), float(margins[run.worst(margins)].mean()))

    def report(self) -> None:
        """Take in the upper bound, and write a line of history."""
        self.bounds.tighten(self.run.here(), self.run.n_iter)
        self.clock.report(self.run.mistakes, self.bounds.lower, self.bounds.upper)

    def _sweep(
        self, chunk: NDArray[np.int64], nearness: float, passes: int = 1
    ) -> tuple[int, NDArray[np.int64]]:
        """Visit a chunk; return how many passes were made, and which are violated or near it."""
        run, clock = self.run, self.clock
        before = run.n_updates
        begun, visited, near = self.sample.sweep(
            chunk,
            run.specification,
            run.memory,
            nearness=nearness,
            most=before + clock.updates_left,
            passes=passes,
        )
        clock.updates += run.n_updates - before
        if visited < len(chunk):
            raise Stopped(Status.MAX_UPDATES)
        self._check_finite()
        clock.check()
        return begun, near

    def _check_finite(self) -> None:
        if self.run.memory.state[FINITE] != 0.0:
            raise ValueError(
                "The margins overflow; divide the features by their largest magnitude."
            )
