"""The one place that chooses how a problem is solved."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from novikoff.certificate import Status
from novikoff.maxmargin.coordinate import coordinate_descent
from novikoff.maxmargin.exactly import vanishing_combination
from novikoff.maxmargin.hull import Search
from novikoff.maxmargin.newton import newton
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.maxmargin.rows import Ids, Vector
from novikoff.maxmargin.working_set import WorkingSet
from novikoff.record import Callback, Limits

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
# A problem of so many numbers is solved to the optimum, whatever the tolerance.
SMALL = 1_000_000
POLISHED = 1e-11
# Any separator will do for the verdict.
SOME_MARGIN = 0.99


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
    # What a corral is too small for may take half the passes; the rest is for the soft margin.
    half = replace(limits, max_iter=max(1, limits.max_iter // 2))
    if is_large_and_sparse(problem):
        return coordinate_descent(problem, tol=tol, limits=half, start=start, callbacks=callbacks)
    search = _search(problem, limits, callbacks, start)
    status = search.run(tol, ZERO_OF_GRAM * sample.radius, aim_of(problem, tol))
    if search.outgrown:
        weights = search.solution(status).weights
        return coordinate_descent(problem, tol=tol, limits=half, start=weights, callbacks=callbacks)
    if status not in (Status.NOT_SEPARABLE, Status.PRECISION):
        return search.solution(status)
    if sample.room.shape[1] > MOST_FEATURES:
        vanished = status is Status.NOT_SEPARABLE and confirm(search.candidates.support)
        return search.solution(Status.NOT_SEPARABLE if vanished else Status.PRECISION)
    search.widen(NEAREST)
    reach = column_reach(problem)
    optimum = _precise(search, np.ones_like(reach), reach)
    status = optimum.run(tol, ZERO * optimum.candidates.length, aim_of(problem, tol))
    if status is Status.NOT_SEPARABLE and confirm(optimum.candidates.support):
        return optimum.solution(status)
    if status not in (Status.NOT_SEPARABLE, Status.PRECISION) or optimum.lower > 0.0:
        denied = status is Status.NOT_SEPARABLE
        return optimum.solution(Status.PRECISION if denied else status)
    # What separates the examples, or nearly does, may hide in columns of a smaller scale.
    verdict = _precise(optimum, equilibrated(reach), reach)
    # Its bounds are in scaled units, and nobody's business.
    verdict.callbacks, verdict.history = (), []
    status = verdict.run(SOME_MARGIN, ZERO * verdict.candidates.length)
    if status is Status.NOT_SEPARABLE and confirm(verdict.candidates.support):
        return verdict.solution(status)
    if status in (Status.NOT_SEPARABLE, Status.PRECISION):
        support = vanishing_combination(verdict.candidates, verdict.is_over)
        if support is not None and confirm(support):
            return verdict.solution(Status.NOT_SEPARABLE)
    optimum.w, optimum.offset, optimum.lower = verdict.w, verdict.offset, verdict.lower
    optimum.n_passes, optimum.candidates.steps = verdict.n_passes, verdict.candidates.steps
    if status in (Status.NOT_SEPARABLE, Status.GAP_REACHED) and tol < SOME_MARGIN:
        status = Status.PRECISION
    return optimum.solution(Status.PRECISION if status is Status.NOT_SEPARABLE else status)


def soft_margin(
    problem: Problem,
    *,
    tol: float,
    limits: Limits,
    callbacks: Sequence[Callback] = (),
    start: Vector | None = None,
) -> Solution:
    """Return the soft margin's optimum, to within ``tol``."""
    n, d = len(problem.sample.order), problem.sample.room.shape[1]
    is_sparse = sparse.issparse(problem.sample.room.matrix)
    if (d <= NEWTON_FEATURES and 2 * d <= n) or (is_sparse and 5 * d <= n):
        return newton(problem, tol=tol, limits=limits, start=start, callbacks=callbacks)
    if n > GRAM_EXAMPLES:
        return coordinate_descent(problem, tol=tol, limits=limits, start=start, callbacks=callbacks)
    search = _search(problem, limits, callbacks, start)
    return search.solution(search.run(tol, 0.0, aim_of(problem, tol)))


def is_large_and_sparse(problem: Problem) -> bool:
    """Whether so many examples may carry the optimum that a corral of them is out of reach."""
    n, d = problem.sample.room.shape
    return sparse.issparse(problem.sample.room.matrix) and min(n, d) > GRAM_EXAMPLES


def _search(
    problem: Problem, limits: Limits, callbacks: Sequence[Callback], start: Vector | None
) -> Search:
    search = Search(WorkingSet(problem), limits, callbacks)
    if start is not None:
        support = np.flatnonzero(start)
        search.candidates.begin(support, start[support])
    return search


def aim_of(problem: Problem, tol: float) -> float:
    """Return the gap to aim at: the optimum itself where that is cheap.

    Then the answer does not depend on the order of examples, or on whether one of weight 2 is
    listed once or twice.
    """
    n, d = problem.sample.room.shape
    return min(tol, POLISHED) if n * d <= SMALL and tol < SOME_MARGIN else tol


def _precise(before: Search, scale: Vector, reach: Vector) -> Search:
    """Return a search on vectors that goes on from the candidates of another."""
    length = float(np.linalg.norm(scale * reach)) or 1.0
    candidates = WorkingSet(before.candidates.problem, scale, length)
    candidates.steps = before.candidates.steps
    candidates.add(before.candidates.ids)
    candidates.begin(before.candidates.support, before.candidates.weights)
    after = Search(candidates, before.limits, before.callbacks)
    after.n_passes, after.history, after.started = before.n_passes, before.history, before.started
    return after


def column_reach(problem: Problem) -> Vector:
    """Return the largest distance to the centre in each column; one pass."""
    sample = problem.sample
    reach = np.zeros(sample.room.shape[1])
    for chunk in sample.chunks(sample.order):
        rows = sample.matrix(chunk)
        low, high = rows.min(axis=0), rows.max(axis=0)
        if sparse.issparse(rows):
            low, high = low.toarray().ravel(), high.toarray().ravel()
        np.maximum(reach, np.maximum(high - sample.centre, sample.centre - low), out=reach)
    return reach


def equilibrated(reach: Vector) -> Vector:
    """Return the powers of two that bring every column to a reach between 1/2 and 1."""
    return np.ldexp(1.0, -np.frexp(reach)[1])
