"""The solvers of a soft margin of sparse data: coordinate descent, Newton's method, pivoting."""

from dataclasses import replace
from math import inf

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.choose.costs import Shape, pivoted_after, suits_sparse_newton
from novikoff.maxmargin.choose.hand_over import by_coordinates
from novikoff.maxmargin.choose.settings import ChooseSettings
from novikoff.maxmargin.coordinate.search import coordinate_descent
from novikoff.maxmargin.coordinate.settings import COORDINATE
from novikoff.maxmargin.lone_columns import LoneColumns
from novikoff.maxmargin.newton.search import newton
from novikoff.maxmargin.newton.settings import NEWTON
from novikoff.maxmargin.passes import Vector
from novikoff.maxmargin.pivoting.search import block_pivoting
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.run.clock import Clock

STRAIGHT = replace(NEWTON, short_step=0.0)
"""Newton's method without detours."""


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

    With fewer support vectors than features, coordinate descent takes 7 to 2,500 passes, and
    Newton's method with large C 20 to 2,000; with more support vectors than features, Newton's
    method takes 5 to 600, and coordinate descent up to thousands. Where there are many examples for
    each feature, Newton's method goes first, unless there are many features and its first step
    shows that few examples carry the optimum.
    Else coordinate descent sees which of the two it is in its first sweeps, and gives up after
    three. Where few examples carry weight, and yet too many for the number of features, pivoting
    follows the first sweeps. With more examples it goes on where neither sweeps nor Newton's method
    close the gap, and Newton's method where they are too many for that and for their face.
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
            found = newton(
                problem, tol=tol, clock=clock, start=start, leave_at=least / problem.n_examples
            )
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
    many = _n_support(found) > settings.most_pivoted
    if slow and many and clock.fits(2 * settings.pivoting_room):
        return _many_carry(problem, tol, clock, found, settings)
    per_feature = _n_support(found) / problem.n_features
    if found.gave_up or per_feature > COORDINATE.independent:
        # Where few more support vectors than features are left, it may come to a halt.
        alone = found.gave_up or per_feature > 1.0
        with clock.at_most(inf if alone else settings.most_newton_passes):
            after = newton(problem, tol=tol, clock=clock, start=_useful(found, settings))
        found = problem.joined(found, after)
        slow = found.status is Status.MAX_ITER and not alone
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


def _many_carry(
    problem: Problem, tol: float, clock: Clock, found: Solution, settings: ChooseSettings
) -> Solution:
    """Go on where sweeps are slow and too many examples carry weight for pivoting to be quick.

    Newton's method, unless it is far from the gap after its first passes: then pivoting of as many
    examples as memory allows. Its factors take seconds, but it does not depend on how stiff hinges
    are.
    """
    # Weights fade: twice as many may carry some as will in the end.
    may_pivot = _n_support(found) <= 2 * settings.most_members
    for passes in (settings.straight_passes, inf) if may_pivot else (inf,):
        left = clock.limits.max_iter - clock.passes - settings.pivoting_room
        with clock.at_most(min(left, passes)):
            after = _newton_straight(problem, tol, clock, _useful(found, settings))
        found = problem.joined(found, after)
        if found.status is not Status.MAX_ITER:
            break
        stuck = passes == inf or found.gap > settings.stuck_gap
        few = _n_support(found) <= settings.most_members
        if stuck and few and clock.fits(settings.pivoting_passes):
            return _pivot_from_hyperplane(problem, tol, clock, found)
        if not clock.fits(2 * settings.pivoting_room):
            break
    if found.status not in (Status.MAX_ITER, Status.PRECISION):
        return found
    return by_coordinates(problem, tol, clock, found, settings)


def _newton_straight(problem: Problem, tol: float, clock: Clock, start: Vector | None) -> Solution:
    """Return what Newton's method finds where sweeps are slow and too many examples carry weight.

    A factor of the heaviest columns makes its steps good enough for stiff hinges, and weights come
    from their face; detours through softer problems would take longer.
    """
    lone = LoneColumns.of(problem)
    if lone is None:
        return newton(problem, tol=tol, clock=clock, start=start, settings=STRAIGHT)
    after = newton(lone.problem, tol=tol, clock=clock, start=start, settings=STRAIGHT)
    return lone.restored(after)


def _pivot(problem: Problem, tol: float, clock: Clock, found: Solution) -> tuple[Solution, bool]:
    """Go on by pivoting; return the better bounds, and whether it gave up."""
    after = block_pivoting(problem, tol=tol, clock=clock, before=found)
    return problem.joined(found, after), after.gave_up


def _pivot_from_hyperplane(problem: Problem, tol: float, clock: Clock, found: Solution) -> Solution:
    """Go on by pivoting where the hyperplane is near the optimum and the weights are not."""
    near = replace(found, weights=np.zeros_like(found.weights), lower=0.0)
    after = block_pivoting(problem, tol=tol, clock=clock, before=near)
    return problem.joined(found, after)


def _n_support(found: Solution) -> int:
    return int(np.count_nonzero(found.weights))


def _useful(found: Solution, settings: ChooseSettings) -> Vector | None:
    """Return the weights of a solution if they are better to start from than zero."""
    return found.weights if found.gap <= settings.useful_gap else None
