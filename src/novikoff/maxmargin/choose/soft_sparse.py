"""The solvers of a soft margin of sparse data: coordinate descent, Newton's method, pivoting."""

from math import inf

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.choose.costs import (
    Shape,
    most_pivoting_passes,
    pivoted_after,
    suits_sparse_newton,
)
from novikoff.maxmargin.choose.hand_over import by_coordinates
from novikoff.maxmargin.choose.settings import ChooseSettings
from novikoff.maxmargin.coordinate.search import coordinate_descent
from novikoff.maxmargin.coordinate.settings import COORDINATE
from novikoff.maxmargin.lone_columns import LoneColumns
from novikoff.maxmargin.newton.search import newton
from novikoff.maxmargin.passes import Vector
from novikoff.maxmargin.pivoting.search import block_pivoting
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.run.clock import Clock


def sparse_soft_margin(
    problem: Problem, tol: float, clock: Clock, start: Vector | None, settings: ChooseSettings
) -> Solution:
    """Return the soft margin of sparse data.

    Where passes run out, the last go to exact steps, which do not depend on the units of columns:
    those of Newton's method where it has a start and features are few, and of pivoting.
    """
    room = settings.last_passes
    left = clock.limits.max_iter - clock.passes - room
    with clock.at_most(left if clock.fits(2 * room) else inf):
        found = _search(problem, tol, clock, start, settings)
    if found.status is not Status.MAX_ITER or found.gap <= tol or clock.stop() is not None:
        return found
    if problem.n_features <= settings.most_exact and found.gap <= settings.useful_gap:
        with clock.at_most(settings.exact_passes):
            after = newton(problem, tol=tol, clock=clock, start=found.weights, exact=True)
        found = problem.joined(found, after)
    enough = clock.fits(settings.pivoting_passes) and clock.interrupted() is None
    if found.gap <= tol or _n_support(found) > settings.most_members or not enough:
        return found
    return _pivot(problem, tol, clock, found)[0]


def _search(
    problem: Problem, tol: float, clock: Clock, start: Vector | None, settings: ChooseSettings
) -> Solution:
    """Return what coordinate descent finds, or Newton's method if that is faster.

    With fewer support vectors than features, coordinate descent takes 7 to 2,500 passes; with about
    as many or more, Newton's method takes 5 to 700, and coordinate descent up to thousands. Where
    there are many examples for each feature, Newton's method goes first, unless there are many
    features and its first step shows that few examples carry the optimum.
    Else coordinate descent sees which of the two it is in its first sweeps, and gives up after
    three. Where few examples carry weight, and yet too many for the number of features, pivoting
    follows the first sweeps. With more examples it goes on where neither sweeps nor Newton's method
    close the gap.
    """
    enough, stiff, shape = clock.fits(settings.hand_over_passes), None, Shape.of(problem)

    def few(passes: float) -> float:
        return pivoted_after(shape, passes, settings) if enough else 0.0

    def leaves(n_support: int, passes: float) -> bool:
        many = enough and n_support > settings.most_pivoted and passes >= settings.many_passes
        on_face = n_support <= COORDINATE.independent * problem.n_features
        return (many and not on_face) or n_support <= few(passes)

    if enough and suits_sparse_newton(problem, settings):
        least = few(0.0) if problem.n_features > settings.most_quick else 0.0
        with clock.at_most(settings.most_newton_passes):
            found = _newton(problem, tol, clock, start, settings, least / problem.n_examples)
        slow = found.status is Status.MAX_ITER and clock.fits(settings.coordinate_passes)
        if not (slow or found.gave_up) and found.status is not Status.PRECISION:
            return found
        if not found.gave_up:
            return by_coordinates(problem, tol, clock, found, settings)
        stiff = found
    with clock.at_most(settings.most_coordinate_passes):
        found = coordinate_descent(
            problem, tol=tol, clock=clock, start=start, patient=not enough, leaves=leaves
        )
    found = found if stiff is None else problem.joined(stiff, found)
    slow = found.status is Status.MAX_ITER and clock.fits(settings.coordinate_passes)
    if not (found.gave_up or slow):
        return found
    if slow and _n_support(found) <= few(clock.passes):
        found, gave_up = _pivot(problem, tol, clock, found)
        if not gave_up:
            return found
    if found.gave_up or _n_support(found) > COORDINATE.independent * problem.n_features:
        # It takes no more passes than pivoting would cost, which does not depend on them.
        most = max(settings.most_newton_passes, most_pivoting_passes(shape, settings))
        with clock.at_most(most):
            after = _newton(problem, tol, clock, _useful(found, settings), settings)
        found = problem.joined(found, after)
        slow = found.status is Status.MAX_ITER
    while slow and clock.fits(settings.coordinate_passes):
        # Few examples carry weight, and too many for pivoting.
        before = found.gap
        with clock.at_most(settings.stiff_passes):
            after = coordinate_descent(problem, tol=tol, clock=clock, start=found.weights)
        found = problem.joined(found, after)
        slow = found.status is Status.MAX_ITER
        if not slow or found.gap <= settings.falling * before:
            continue
        slow, gave_up = False, True
        pivots = _n_support(found) <= min(settings.most_pivoted, problem.n_features)
        if pivots and clock.fits(settings.pivoting_passes):
            found, gave_up = _pivot(problem, tol, clock, found)
        if gave_up and clock.fits(settings.coordinate_passes):
            after = newton(problem, tol=tol, clock=clock, start=_useful(found, settings))
            found = problem.joined(found, after)
    if found.status is not Status.PRECISION:
        return found
    return by_coordinates(problem, tol, clock, found, settings)


def _newton(
    problem: Problem,
    tol: float,
    clock: Clock,
    start: Vector | None,
    settings: ChooseSettings,
    leave_at: float = 0.0,
) -> Solution:
    """Return what Newton's method finds, or pivoting once that would have cost no more.

    Without the columns that one example alone has.
    """
    pivots = False

    def leaves(n_active: int, work: float) -> bool:
        nonlocal pivots
        pivots = n_active <= settings.most_members and clock.fits(settings.pivoting_passes)
        cost = settings.pivoted_cubes * n_active**3 + settings.pivoting_overhead
        pivots = pivots and cost <= work
        return pivots

    lone = LoneColumns.of(problem)
    found = newton(
        problem if lone is None else lone.problem,
        tol=tol,
        clock=clock,
        start=start,
        leave_at=leave_at,
        leaves=leaves,
    )
    found = found if lone is None else lone.restored(found)
    if not pivots or found.status is not Status.PRECISION:
        return found
    return _pivot(problem, tol, clock, found, start=found.weights)[0]


def _pivot(
    problem: Problem, tol: float, clock: Clock, found: Solution, start: Vector | None = None
) -> tuple[Solution, bool]:
    """Go on by pivoting; return the better bounds, and whether it gave up."""
    after = block_pivoting(problem, tol=tol, clock=clock, before=found, start=start)
    return problem.joined(found, after), after.gave_up


def _n_support(found: Solution) -> int:
    return int(np.count_nonzero(found.weights))


def _useful(found: Solution, settings: ChooseSettings) -> Vector | None:
    """Return the weights of a solution if they are better to start from than zero."""
    return found.weights if found.gap <= settings.useful_gap else None
