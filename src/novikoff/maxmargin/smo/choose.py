"""Which method solves a margin problem in feature space, and with how many digits."""

from dataclasses import replace
from math import sqrt

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.joint.feature_space import MATRICES
from novikoff.maxmargin.smo.digits import copied_bytes, takes_single, trusted
from novikoff.maxmargin.smo.gram import solve_by_gram
from novikoff.maxmargin.smo.in_coordinates import solve_in_coordinates
from novikoff.maxmargin.smo.problem import KernelProblem, KernelSolution, Vector
from novikoff.maxmargin.smo.search import BlockSearch
from novikoff.maxmargin.smo.settings import SMO, SmoSettings
from novikoff.run.clock import Clock
from novikoff.sample.kernel import KernelMatrix
from novikoff.sample.kernel_checks import check_kernel


def kernel_margin(
    problem: KernelProblem,
    *,
    tol: float,
    clock: Clock,
    start: Vector | None = None,
    settings: SmoSettings = SMO,
) -> KernelSolution:
    """Solve a margin problem in the feature space of a kernel.

    Few examples: Wolfe's method on the Gram matrix, which is exact, if a small gap or the hard
    margin is asked for. Otherwise two-example steps on blocks of
    columns, in float32 where that has the digits for the gap asked for, then in float64 where it
    turned out not to have them. A soft margin that both leave unsolved is that of coordinates, if
    the pairs of examples have room in the cache.

    Parameters
    ----------
    problem : KernelProblem
        What to solve.
    tol : float
        The relative gap to reach.
    clock : Clock
        Limits and history.
    start : array of shape (n_examples,), optional
        Weights to begin with.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.maxmargin.smo import KernelProblem, kernel_margin
    >>> from novikoff.run.clock import Clock
    >>> from novikoff.sample.kernel import KernelFunction
    >>> X, signs = np.array([[-1.0], [0.0], [1.0]]), np.array([1.0, -1.0, 1.0])
    >>> square = KernelFunction("poly", gamma=1.0, degree=2)
    >>> solution = kernel_margin(KernelProblem(X, signs, square), tol=1e-9, clock=Clock())
    >>> solution.lower, round(solution.offset, 9)
    (0.5, -1.0)
    """
    matrix = KernelMatrix(problem.X, problem.kernel)
    check_kernel(matrix, affine=problem.affine)
    factor, hard = matrix.in_units(), problem.slack2 is None
    if factor == 1.0:
        return _in_unit(problem, matrix, tol, clock, start, settings)
    problem = problem.times(factor)
    matrix = KernelMatrix(problem.X, problem.kernel)
    start = None if start is None else start / factor
    with clock.in_units(1.0 / sqrt(factor) if hard else factor):
        found = _in_unit(problem, matrix, tol, clock, start, settings)
    return found.of_values(factor, hard=hard)


def _in_unit(
    problem: KernelProblem,
    matrix: KernelMatrix,
    tol: float,
    clock: Clock,
    start: Vector | None,
    settings: SmoSettings,
) -> KernelSolution:
    """Solve a problem whose kernel values are near 1, or below."""
    n, aim = problem.n_examples, settings.reserve * tol
    before: KernelSolution | None = None
    if n <= settings.take_all:
        if problem.slack2 is not None and tol >= settings.loose and n > settings.few:
            search = BlockSearch(problem, matrix, clock, balanced(start, problem), settings)
            quick = search.run(aim, settings.zero, steps=settings.soft_steps * n)
            if quick is not None and quick.status is not Status.PRECISION:
                return quick
        before = solve_by_gram(problem, matrix, clock, aim, settings.zero, settings)
        if before.status is not Status.PRECISION or before.gap <= tol:
            return before
        if problem.slack2 is None:
            # A squared norm that is not positive leaves no bound, and is rounding but of a sigmoid.
            rounded = before.upper == np.inf and problem.kernel.name != "sigmoid"
            if rounded or before.upper <= settings.zero * _length(matrix):
                return before
        start = balanced(before.weights, problem)
        if problem.slack2 is not None:
            end = solve_in_coordinates(problem, matrix, clock, aim, before.weights)
            if end is not None:
                return _better(before, end)
    copied = copied_bytes(problem.X, problem.cache_bytes)
    rest = replace(problem, cache_bytes=problem.cache_bytes - copied)
    single = takes_single(n, problem.slack2, problem.cache_bytes, tol, settings)
    single = single and problem.kernel.fits_single
    if before is None and single:
        matrix = KernelMatrix(problem.X, problem.kernel, np.float32, copy_bytes=copied)
        search = BlockSearch(rest, matrix, clock, balanced(start, problem), settings)
        found = search.run(aim, settings.zero_single)
        assert found is not None
        if found.status is not Status.PRECISION and trusted(found.weights, tol, matrix.unit):
            return found
        before, start = found, search.weights
        del search, matrix
    matrix = KernelMatrix(problem.X, problem.kernel, copy_bytes=2 * copied)
    search = BlockSearch(rest, matrix, clock, balanced(start, problem), settings)
    if problem.slack2 is not None and 8.0 * MATRICES * n * n <= problem.cache_bytes:
        some = search.run(aim, settings.zero, steps=settings.most_steps * n)
        if some is not None:
            return some if before is None else _better(before, some)
        before, start = search.best, search.weights
        assert before is not None
        del search
        end = solve_in_coordinates(problem, matrix, clock, aim, start)
        if end is not None:
            return _better(before, end)
        search = BlockSearch(rest, matrix, clock, balanced(start, problem), settings)
    found = _in_turns(search, aim, settings)
    if before is None or before.solver == found.solver:
        return found
    return _better(before, found)


def _better(before: KernelSolution, found: KernelSolution) -> KernelSolution:
    """Return the better of two solutions, with the status of the second."""
    better = before if before.gap < found.gap else found
    return replace(better, status=found.status, solver=f"{before.solver}+{found.solver}")


def _in_turns(search: BlockSearch, aim: float, settings: SmoSettings) -> KernelSolution:
    """Make rounds of two-example steps; a hard margin that resists, look at by Wolfe's method.

    In many directions of the feature space examples hardly differ, and there these steps are tiny.
    A margin of few examples bounds that of all, so where theirs is zero, all is decided.
    """
    problem, matrix, clock = search.problem, search.matrix, search.clock
    rounds: float = settings.rounds if problem.slack2 is None else np.inf
    while True:
        found = search.run(aim, settings.zero, rounds=rounds)
        if found is not None:
            return found
        some = search.working_set(settings.take_all)
        if problem.kernel.name == "precomputed":
            X = problem.X[np.ix_(some, some)]
        else:
            X = problem.X[some]
        part = replace(problem, X=X, signs=problem.signs[some])
        if not problem.affine or len(np.unique(part.signs)) == 2:
            # Bounds of few examples do not belong in the history.
            inner = Clock(clock.limits)
            few = solve_by_gram(
                part, KernelMatrix(X, problem.kernel), inner, aim, settings.zero, settings
            )
            clock.updates += inner.updates
            assert search.best is not None
            if few.upper < search.best.upper:
                weights = np.zeros(matrix.n)
                weights[some] = few.weights
                start = balanced(weights, problem)
                if start is not None:
                    search.move_to(start)
        rounds *= 2


def balanced(start: Vector | None, problem: KernelProblem) -> Vector | None:
    """Return weights of the same total in both classes, or ``None`` where a class has none."""
    if start is None or not problem.affine:
        return start
    positive = problem.signs > 0
    totals = float(start[positive].sum()), float(start[~positive].sum())
    if not min(totals) > 0.0:
        return None
    return np.asarray(start * np.where(positive, 1.0, totals[0] / totals[1]))


def _length(matrix: KernelMatrix) -> float:
    return float(np.sqrt(matrix.largest))
