"""The loop: while some example is violated, step."""

from collections.abc import Callable

from novikoff.certificate import Status
from novikoff.compiled.step import UPDATES
from novikoff.rules import Rule
from novikoff.run.bounds import Bounds
from novikoff.run.clock import Clock, Stopped
from novikoff.run.pick import compressing, cyclic, settling, worst_first
from novikoff.run.record import Run
from novikoff.run.search import Search
from novikoff.sample import Memory, Sample


def run(
    sample: Sample,
    rule: Rule,
    *,
    clock: Clock | None = None,
    min_margin: float = 0.0,
    memory: Memory | None = None,
    refute: Callable[[], bool] | None = None,
    compress: bool = False,
    cheap: bool = True,
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
    refute : callable, optional
        Tries to prove that nothing separates the examples. It is called once, when the run has
        lasted a while; if it succeeds, the run makes a model in few passes.
    compress : bool, default=False
        Whether to keep the support small: to visit the examples that have weight until they are
        satisfied, and then the worst of all. A rule that picks the worst anyhow does not heed it.
    cheap : bool, default=True
        Whether to make cheap passes over near-violated examples between full ones. Where it is
        known that nothing separates the examples, they delay the end and weigh on the mean.

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
        sample = sample.with_equal_steps()
    if memory is None:
        memory = sample.memory(specification)
    clock = clock or Clock()
    clock.updates += int(memory.state[UPDATES])
    result = Run(sample, rule, specification, memory, clock, Bounds(sample, min_margin))
    search = Search(result, refute, cheap)
    try:
        if rule.pick == "worst":
            result.status = worst_first(search, clock)
        else:
            order = settling if sample.settles else cyclic
            result.status = (compressing if compress else order)(search, clock)
        if result.status is Status.NOT_SEPARABLE:
            result.status = search.make_model()
        elif result.status is Status.MAX_ITER and result.bounds.excludes_min_margin():
            result.status = Status.NO_SUCH_MARGIN
    except Stopped as stopped:
        result.status = stopped.status
    if result.status not in (Status.CONVERGED, Status.GAP_REACHED) and not search.refuted:
        search.keep_if_separating()
    search.report()
    return result
