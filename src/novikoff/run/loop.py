"""The loop: while some example is violated, step."""

from collections.abc import Sequence
from math import inf

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.compiled.step import FINITE, LEAST, MISTAKES
from novikoff.rules import Rule
from novikoff.run.record import Callback, Limits, Progress, Run, Watch
from novikoff.sample import Memory, Sample

__all__ = ["Callback", "Limits", "Progress", "Run", "run"]

# A full pass collects the examples whose margin is within half the mean margin of the support
# of being violated. Once a full pass makes fewer updates than a third of the support, the next
# full pass is put off until these are satisfied, or for a hundred cheap passes. All three numbers
# act on the state alone, so that the support reproduces the run.
NEARNESS = 0.5
FEW = 1 / 3
CHEAP_PASSES = 100
BURST = 1000


def run(
    sample: Sample,
    rule: Rule,
    *,
    limits: Limits | None = None,
    min_margin: float = 0.0,
    callbacks: Sequence[Callback] = (),
    memory: Memory | None = None,
) -> Run:
    """Run a rule on a sample until no example is violated, or a limit is met.

    Parameters
    ----------
    sample : Sample
        The signed examples in the order of visits.
    rule : Rule
        When an example is violated and how far to step.
    limits : Limits, optional
        Where to give up.
    min_margin : float, default=0.0
        End as soon as the upper bound on the margin falls below this length.
    callbacks : sequence of callables
        Called with a :class:`Progress` after each full pass.
    memory : Memory, optional
        Go on from where another run on the same sample stopped; by default ``w = 0``.

    Returns
    -------
    Run
        Weights, status and history.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff import rules
    >>> from novikoff.run.loop import run
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
    result = Run(sample, rule, specification, memory or sample.memory(specification))
    watch = Watch(result, limits or Limits(), min_margin, callbacks)
    pick = _worst_first if rule.pick == "worst" else _cyclic
    try:
        result.status = pick(result, watch)
    except KeyboardInterrupt:
        result.status = Status.INTERRUPTED
    if result.status not in (Status.CONVERGED, Status.GAP_REACHED):
        result.keep_if_separating()
    watch.report()
    return result


def _cyclic(run: Run, watch: Watch) -> Status:
    """Full passes in order, with cheap passes over the near-violated examples in between."""
    while run.n_iter < watch.limits.max_iter:
        updates, mistakes = run.n_updates, run.mistakes
        run.memory.state[LEAST] = inf
        near, stop = _pass(run, watch, run.sample.order, NEARNESS)
        if stop is not None:
            return stop
        run.n_iter += 1
        updates, mistakes = run.n_updates - updates, run.mistakes - mistakes
        if updates == 0:
            run.keep(float(run.memory.state[LEAST]))
            return Status.CONVERGED
        if mistakes == 0 and (run.best is None or run.n_iter & (run.n_iter - 1) == 0):
            run.keep_if_separating()
        watch.report()
        if watch.no_such_margin():
            return Status.NO_SUCH_MARGIN
        if updates >= FEW * np.count_nonzero(run.weights):
            continue
        for _ in range(CHEAP_PASSES):
            updates = run.n_updates
            _, stop = _pass(run, watch, near, 0.0)
            if stop is not None:
                return stop
            if run.n_updates == updates:
                break
    return Status.MAX_ITER


def _pass(
    run: Run, watch: Watch, ids: NDArray[np.int64], nearness: float
) -> tuple[NDArray[np.int64], Status | None]:
    near = []
    # Weights that grow with every update are looked after before they can overflow.
    burst = BURST if run.specification.cooling else inf
    for chunk in run.sample.chunks(ids):
        while len(chunk):
            most = min(watch.most, run.n_updates + burst)
            visited, found = run.sample.sweep(
                chunk, run.specification, run.memory, nearness=nearness, most=most
            )
            if run.memory.rescale():
                watch.start = None
            near.append(found)
            full = visited < len(chunk) and run.n_updates >= watch.most
            stop = Status.MAX_UPDATES if full else watch.stop()
            if stop is not None:
                return np.concatenate(near), stop
            chunk = chunk[visited:]
    _check_finite(run)
    return np.concatenate(near), None


def _worst_first(run: Run, watch: Watch) -> Status:
    """Update on the worst example, or pair of examples, until the two bounds meet (MinOver)."""
    sample, memory = run.sample, run.memory
    while run.n_iter < watch.limits.max_iter:
        margins = sample.margins(sample.order, memory)
        pick = run.worst(margins)
        worst, least = sample.order[pick], float(margins[pick].mean())
        run.n_iter += 1
        if run.n_updates > 0:
            run.keep(least)
            watch.report()
            if run.best_margin >= (1.0 - run.rule.gap) * run.upper_bound:
                run.deciding = tuple(worst.tolist())
                return Status.GAP_REACHED
            if watch.no_such_margin():
                return Status.NO_SUCH_MARGIN
        full = run.n_updates + len(worst) > watch.most
        stop = Status.MAX_UPDATES if full else watch.stop()
        if stop is not None:
            return stop
        # Both halves of a pair in one call, between which no Ctrl-C can come. They are on the wrong
        # side together: what the lift says of one without the other means nothing.
        mistakes = run.mistakes + (len(worst) if least <= 0.0 else 0)
        sample.sweep(worst, run.specification, memory)
        memory.state[MISTAKES] = mistakes
        _check_finite(run)
    return Status.MAX_ITER


def _check_finite(run: Run) -> None:
    if run.memory.state[FINITE] != 0.0:
        raise ValueError("The margins overflow; divide the features by their largest magnitude.")
