"""The end of Wolfe's method where floating-point numbers hardly tell the least norm from zero.

First the corral is factored from the vectors themselves, which have twice the digits of their Gram
matrix. Where that leaves the verdict open, the columns are brought to one scale, because what
separates the examples may lie in columns of a smaller scale than the others. Then comes a way that
does not need a vertex, if there is one, and last steps in rational arithmetic.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from novikoff.certificate import Status
from novikoff.compiled import blocks
from novikoff.maxmargin.passes import Ids, Passes, Vector
from novikoff.maxmargin.problem import Solution
from novikoff.maxmargin.wolfe.rational import vanishing_combination
from novikoff.maxmargin.wolfe.search import Search
from novikoff.maxmargin.wolfe.working_set import WorkingSet
from novikoff.run.clock import Stopped

SOME_MARGIN = 1.0
"""The gap that stands for any separator, where only the verdict matters."""

UNDECIDED = (Status.NOT_SEPARABLE, Status.PRECISION)
"""How a search ends that needs more digits, or takes the least norm for zero."""

Confirm = Callable[[Ids], bool]
"""Whether the examples, with suitable weights, combine to zero exactly."""

Otherwise = Callable[[], Solution | None]
"""Another way to decide."""


def decide_precisely(
    search: Search, *, tol: float, aim: float, confirm: Confirm, otherwise: Otherwise = lambda: None
) -> Solution:
    """Go on from a search that was undecided, with more digits.

    Where floats do not decide it, ``otherwise`` is asked before rational arithmetic.
    """
    settings = search.settings
    try:
        search.add_nearest(settings.nearest)
        reach = column_reach(search.passes)
        optimum = on_vectors(search, np.ones_like(reach), reach, "wolfe-precise")
    except Stopped as stopped:
        return search.solution(stopped.status)
    optimum.lower, optimum.upper = search.lower, search.upper
    status = optimum.run(tol, settings.zero * optimum.candidates.length, aim)
    if status is Status.NOT_SEPARABLE and is_confirmed(optimum, confirm):
        return optimum.solution(status)
    if status not in UNDECIDED:
        return optimum.solution(status)
    if optimum.lower > 0.0:
        return optimum.solution(optimum.limit() or Status.PRECISION)
    try:
        return _decide_in_one_scale(optimum, reach, tol, confirm, otherwise)
    except Stopped as stopped:
        return optimum.solution(stopped.status)


def _decide_in_one_scale(
    optimum: Search, reach: Vector, tol: float, confirm: Confirm, otherwise: Otherwise
) -> Solution:
    """Look for any separator with all columns in one scale, or prove that there is none."""
    settings = optimum.settings
    # In scaled units; do not report.
    verdict = on_vectors(optimum, equilibrated(reach), reach, "wolfe-equilibrated", reporting=False)
    status = verdict.run(SOME_MARGIN, settings.zero * verdict.candidates.length)
    if status is Status.NOT_SEPARABLE and is_confirmed(verdict, confirm):
        return verdict.solution(status)
    if status in UNDECIDED and verdict.limit() is None:
        decided = otherwise()
        if decided is not None:
            return decided.following(verdict.solution(status))
    rational = optimum.passes.n_features <= settings.rational_features
    if status in UNDECIDED and rational and verdict.limit() is None:
        verdict.solver += "+wolfe-rational"
        support = vanishing_combination(verdict.candidates, verdict.clock)
        if support is not None and confirm(support):
            return verdict.solution(Status.NOT_SEPARABLE)
    if verdict.lower > 0.0:
        # A separator is scaled to y f(x) >= 1.
        optimum.w, optimum.offset = verdict.w, verdict.offset
        with np.errstate(over="ignore"):
            optimum.lower = 1.0 / float(np.linalg.norm(verdict.w))
    if status in UNDECIDED or (status is Status.GAP_REACHED and tol < SOME_MARGIN):
        status = verdict.limit() or Status.PRECISION
    return replace(optimum.solution(status), solver=verdict.solver)


def is_confirmed(search: Search, confirm: Confirm) -> bool:
    """Whether the corral's combination is exactly zero, if there is time to know."""
    support = search.candidates.support
    return search.limit() is None and bool(len(support)) and confirm(support)


def on_vectors(
    before: Search, scale: Vector, reach: Vector, solver: str, *, reporting: bool = True
) -> Search:
    """Return a search on vectors, with scaled columns, that goes on from another's candidates."""
    length = float(np.linalg.norm(scale * reach)) or 1.0
    candidates = WorkingSet(before.candidates.problem, before.settings, scale=scale, length=length)
    candidates.add(before.candidates.ids)
    candidates.begin(before.candidates.support, before.candidates.weights, before.passes.check)
    after = Search(
        candidates, before.clock, solver=f"{before.solver}+{solver}", reporting=reporting
    )
    after.w, after.offset, after.mistakes = before.w, before.offset, before.mistakes
    return after


def column_reach(passes: Passes) -> Vector:
    """Return the largest distance to the centre in each column; one pass."""
    sample = passes.sample
    reach = np.zeros(passes.n_features)
    for rows, here, those in passes.over(sample.order):
        if sample.is_sparse:
            matrix = sample.matrix(sample.order[those])
            low, high = (end.toarray().ravel() for end in (matrix.min(axis=0), matrix.max(axis=0)))
            np.maximum(reach, np.maximum(high - sample.centre, sample.centre - low), out=reach)
        else:
            blocks.reaches(rows, here, sample.centre, reach)
    return reach


def equilibrated(reach: Vector) -> Vector:
    """Return the powers of two that bring every column to a reach between 1/2 and 1.

    At most 2^1000: nothing overflows, and columns of subnormal numbers stay small.
    """
    return np.ldexp(1.0, np.minimum(-np.frexp(reach)[1], 1000))
