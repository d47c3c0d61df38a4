"""The one place that chooses how a problem is solved."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from novikoff.certificate import Status
from novikoff.compiled import blocks
from novikoff.maxmargin.coordinate.search import coordinate_descent
from novikoff.maxmargin.newton.search import newton
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.maxmargin.wolfe.candidates import Ids, Vector
from novikoff.maxmargin.wolfe.rational import vanishing_combination
from novikoff.maxmargin.wolfe.search import MOST_MEMBERS, Search
from novikoff.maxmargin.wolfe.working_set import WorkingSet
from novikoff.run.record import Callback, Limits
from novikoff.sample import Sample

# In units of the radius: what a Gram matrix, and what the vectors themselves, cannot tell from 0.
ZERO_OF_GRAM = 1e-6
ZERO = 1e-14
# The precise corral keeps a dense basis of all features.
MOST_FEATURES = 1500
# With so many examples of each class to choose from, a vanishing combination is found sooner.
NEAREST = 400
# Newton's method factors a matrix with as many rows and columns as there are features; on sparse
# data it can do without, which pays where examples are many times the features.
NEWTON_FEATURES = 2000
# The Gram matrix of all examples is small up to here.
GRAM_EXAMPLES = 3000
# Slack that costs so much, in units of the radius, is hardly taken.
STIFF = 1e-12
# What a small problem is solved to.
POLISHED = 1e-11
# Any separator will do for the verdict.
SOME_MARGIN = 0.99
# How a search ends that needs more digits, or thinks that it needs no more.
UNDECIDED = (Status.NOT_SEPARABLE, Status.PRECISION)


def hard_margin(
    problem: Problem,
    *,
    tol: float,
    limits: Limits,
    confirm: Callable[[Ids], bool],
    callbacks: Sequence[Callback] = (),
    start: Vector | None = None,
) -> Solution:
    """Return the separator of largest margin, to within ``tol``.

    Where a combination of examples vanishes as far as floating-point numbers tell, ``confirm``
    says whether it does exactly; then the status is NOT_SEPARABLE.
    """
    sample = problem.sample
    if is_large_and_sparse(problem):
        return coordinate_descent(problem, tol=tol, limits=limits, start=start, callbacks=callbacks)
    search = _search(problem, limits, callbacks, start)
    status = search.run(tol, ZERO_OF_GRAM * sample.radius, aim_of(problem, tol))
    if search.outgrown:
        return _by_coordinates(problem, tol, limits, callbacks, search.solution(status))
    if status not in UNDECIDED:
        return search.solution(status)
    try:
        if sample.storage.shape[1] > MOST_FEATURES:
            vanished = status is Status.NOT_SEPARABLE and _vanishes(search, confirm)
            return search.solution(Status.NOT_SEPARABLE if vanished else _denied(search))
        return _precisely(search, tol, confirm)
    except KeyboardInterrupt:
        return search.solution(Status.INTERRUPTED)


def _precisely(search: Search, tol: float, confirm: Callable[[Ids], bool]) -> Solution:
    """Go on with the vectors themselves where their Gram matrix has no more digits."""
    problem = search.candidates.problem
    if search.is_over():
        return search.solution(_denied(search))
    search.widen(NEAREST)
    reach = column_reach(problem)
    search.n_passes += 1
    optimum = _precise(search, np.ones_like(reach), reach)
    optimum.lower, optimum.upper = search.lower, search.upper
    status = optimum.run(tol, ZERO * optimum.candidates.length, aim_of(problem, tol))
    if status is Status.NOT_SEPARABLE and _vanishes(optimum, confirm):
        return optimum.solution(status)
    if status not in UNDECIDED or optimum.lower > 0.0:
        return optimum.solution(_denied(optimum) if status in UNDECIDED else status)
    # What separates the examples, or nearly does, may hide in columns of a smaller scale.
    verdict = _precise(optimum, equilibrated(reach), reach)
    # Its bounds are in scaled units, and nobody's business.
    verdict.callbacks, verdict.history = (), []
    status = verdict.run(SOME_MARGIN, ZERO * verdict.candidates.length)
    if status is Status.NOT_SEPARABLE and _vanishes(verdict, confirm):
        return verdict.solution(status)
    if status in UNDECIDED:
        support = vanishing_combination(verdict.candidates, verdict.is_over)
        if support is not None and confirm(support):
            return verdict.solution(Status.NOT_SEPARABLE)
    if verdict.lower > 0.0:
        # A separator is scaled to y f(x) >= 1.
        optimum.w, optimum.offset = verdict.w, verdict.offset
        optimum.lower = 1.0 / float(np.linalg.norm(verdict.w))
    optimum.n_passes, optimum.candidates.steps = verdict.n_passes, verdict.candidates.steps
    if status in UNDECIDED or (status is Status.GAP_REACHED and tol < SOME_MARGIN):
        status = _denied(verdict)
    return optimum.solution(status)


def _vanishes(search: Search, confirm: Callable[[Ids], bool]) -> bool:
    """Whether the corral's combination is exactly zero, if there is time to know."""
    return not search.is_over() and confirm(search.candidates.support)


def _denied(search: Search) -> Status:
    """Why there is no verdict: a limit, or the digits."""
    return search.limit() or Status.PRECISION


def soft_margin(
    problem: Problem,
    *,
    tol: float,
    limits: Limits,
    callbacks: Sequence[Callback] = (),
    start: Vector | None = None,
) -> Solution:
    """Return the soft margin's optimum, to within ``tol``."""
    n, d = len(problem.sample.order), problem.sample.storage.shape[1]
    few = (d <= NEWTON_FEATURES and 2 * d <= n) or (problem.sample.is_sparse and 5 * d <= n)
    if few and not (is_stiff(problem) and n <= GRAM_EXAMPLES):
        solution = newton(
            problem,
            tol=tol,
            limits=limits,
            start=start,
            callbacks=callbacks,
            patient=problem.is_small,
        )
        if not solution.gave_up or solution.status is not Status.PRECISION:
            return solution
        return _among_few(problem, tol, limits, callbacks, solution)
    if n > GRAM_EXAMPLES:
        return coordinate_descent(problem, tol=tol, limits=limits, start=start, callbacks=callbacks)
    search = _search(problem, limits, callbacks, start)
    solution = search.solution(search.run(tol, 0.0, aim_of(problem, tol)))
    if not search.outgrown:
        return solution
    return _by_coordinates(problem, tol, limits, callbacks, solution)


def _among_few(
    problem: Problem, tol: float, limits: Limits, callbacks: Sequence[Callback], before: Solution
) -> Solution:
    """Go on where few hinges are open, too stiff for Newton: nearly the hard margin.

    What no corral of few examples solves either is Newton's again, however long it takes.
    """
    # A search looks twice before it has a hyperplane.
    if before.n_passes + 2 > limits.max_iter:
        return replace(before, status=Status.MAX_ITER)
    search = _search(problem, remaining(limits, before), callbacks, None)
    found = search.solution(search.run(tol, 0.0, aim_of(problem, tol))).after(before)
    better = min(before, found, key=lambda solution: solution.gap)
    status = found.status
    if status is Status.PRECISION and found.n_passes >= limits.max_iter:
        status = Status.MAX_ITER
    if status is not Status.PRECISION:
        return replace(better, status=status, n_passes=found.n_passes, history=found.history)
    return newton(
        problem,
        tol=tol,
        limits=remaining(limits, found),
        start=better.weights,
        callbacks=callbacks,
    ).after(found)


def remaining(limits: Limits, before: Solution) -> Limits:
    """Return the limits less the passes made."""
    return replace(limits, max_iter=max(1, limits.max_iter - before.n_passes))


def _by_coordinates(
    problem: Problem, tol: float, limits: Limits, callbacks: Sequence[Callback], before: Solution
) -> Solution:
    """Go on from what a corral has outgrown."""
    return coordinate_descent(
        problem,
        tol=tol,
        limits=remaining(limits, before),
        start=before.weights,
        callbacks=callbacks,
    ).after(before)


def is_stiff(problem: Problem) -> bool:
    """Whether slack is so dear that this is nearly the hard margin, whose face Newton misses."""
    assert problem.slack2 is not None
    least = problem.slack2[problem.sample.order].min()
    return bool(least < STIFF * problem.sample.radius**2)


def is_large_and_sparse(problem: Problem) -> bool:
    """Whether so many examples may carry the optimum that a corral of them is out of reach."""
    n, d = len(problem.sample.order), problem.sample.storage.shape[1]
    return problem.sample.is_sparse and min(n, d) > GRAM_EXAMPLES


def _search(
    problem: Problem, limits: Limits, callbacks: Sequence[Callback], start: Vector | None
) -> Search:
    search = Search(WorkingSet(problem), limits, callbacks)
    if start is not None:
        support = np.flatnonzero(start)
        if len(support) > MOST_MEMBERS:
            support = heaviest(support, start[support], problem.sample)
        search.candidates.begin(support, start[support])
    return search


def heaviest(support: Ids, weights: Vector, sample: Sample) -> Ids:
    """Return as many of the support as a corral may have, those of largest weight in each class."""
    second = (sample.signs[support] < 0) & sample.affine
    chosen = []
    for side in (support[~second], support[second]):
        most = MOST_MEMBERS // (2 if sample.affine else 1)
        order = np.argsort(-weights[np.isin(support, side)], kind="stable")
        chosen.append(side[order[:most]])
    return np.sort(np.concatenate(chosen))


def aim_of(problem: Problem, tol: float) -> float:
    """Return the gap to aim at: the optimum itself where that is cheap.

    Then the answer does not depend on the order of examples, or on whether one of weight 2 is
    listed once or twice.
    """
    return min(tol, POLISHED) if problem.is_small and tol < SOME_MARGIN else tol


def _precise(before: Search, scale: Vector, reach: Vector) -> Search:
    """Return a search on vectors that goes on from the candidates of another."""
    length = float(np.linalg.norm(scale * reach)) or 1.0
    candidates = WorkingSet(before.candidates.problem, scale, length)
    candidates.steps = before.candidates.steps
    candidates.add(before.candidates.ids)
    candidates.begin(before.candidates.support, before.candidates.weights)
    after = Search(candidates, before.limits, before.callbacks)
    after.n_passes, after.history, after.started = before.n_passes, before.history, before.started
    after.w, after.offset, after.mistakes = before.w, before.offset, before.mistakes
    return after


def column_reach(problem: Problem) -> Vector:
    """Return the largest distance to the centre in each column; one pass."""
    sample = problem.sample
    reach = np.zeros(sample.storage.shape[1])
    for rows, here, those in sample.parts(sample.order):
        if sample.is_sparse:
            matrix = sample.matrix(sample.order[those])
            low, high = (end.toarray().ravel() for end in (matrix.min(axis=0), matrix.max(axis=0)))
            np.maximum(reach, np.maximum(high - sample.centre, sample.centre - low), out=reach)
        else:
            blocks.reaches(rows, here, sample.centre, reach)
    return reach


def equilibrated(reach: Vector) -> Vector:
    """Return the powers of two that bring every column to a reach between 1/2 and 1."""
    return np.ldexp(1.0, -np.frexp(reach)[1])
