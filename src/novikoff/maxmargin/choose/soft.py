"""The solvers of a soft margin.

Few examples or features: the optimum by Newton's or Wolfe's method. Sparse data: coordinate
descent, and Newton's method where sweeps are slow. Dense data: Newton's method for many examples a
feature, else coordinate descent; pivoting or Wolfe's method where these come to a halt.
"""

from dataclasses import replace
from math import inf

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.choose.costs import (
    Shape,
    is_cheap,
    pivoted_after,
    suits_sparse_newton,
    sweeps_before_pivoting,
)
from novikoff.maxmargin.choose.settings import (
    CHOOSE,
    MOST_STIFF,
    ChooseSettings,
    gap_to_aim_at,
    is_small,
    suits_dense,
    suits_newton,
)
from novikoff.maxmargin.coordinate.search import coordinate_descent
from novikoff.maxmargin.coordinate.settings import COORDINATE
from novikoff.maxmargin.lone_columns import LoneColumns
from novikoff.maxmargin.newton.search import newton
from novikoff.maxmargin.newton.settings import NEWTON
from novikoff.maxmargin.passes import Vector
from novikoff.maxmargin.pivoting.search import block_pivoting
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.maxmargin.wolfe.search import Search, heaviest
from novikoff.maxmargin.wolfe.working_set import WorkingSet
from novikoff.maxmargin.zeros import sparse_copy
from novikoff.run.clock import Clock

STIFF_PASSES = 100
"""The passes of a search whose objective has no digits: small ones reach their gap nevertheless."""

STRAIGHT = replace(NEWTON, short_step=0.0)
"""Newton's method without detours."""


def soft_margin(
    problem: Problem,
    *,
    tol: float,
    clock: Clock,
    start: Vector | None = None,
    settings: ChooseSettings = CHOOSE,
) -> Solution:
    """Return the soft margin's optimum, to within ``tol``.

    Parameters
    ----------
    problem : Problem
        With slack.
    tol : float
        Stop when ``(primal - dual) / primal`` is no larger. Small problems are solved to the
        optimum in any case.
    clock : Clock
        Limits and history.
    start : array of shape (n_examples,), optional
        Weights to start from.
    settings : ChooseSettings, optional
        Which solver is chosen.
    """
    if not _is_too_stiff(problem):
        found = _soft(problem, tol, clock, start, settings)
        # The bounds of two solvers together may be closer than those of the last.
        closed = found.status is Status.MAX_ITER and found.gap <= tol
        return replace(found, status=Status.GAP_REACHED) if closed else found
    asked_more = clock.fits(STIFF_PASSES + 1.0)
    with np.errstate(over="ignore", invalid="ignore"), clock.at_most(STIFF_PASSES):
        found = _soft(problem, tol, clock, start, settings)
    # More passes would find no more digits, unless the limit is not the one set here.
    cut_here = found.status is Status.MAX_ITER and asked_more
    return replace(found, status=Status.PRECISION) if cut_here else found


def _is_too_stiff(problem: Problem) -> bool:
    assert problem.slack2 is not None
    radius = problem.sample.radius
    return bool(problem.slack2.min() < radius * radius / MOST_STIFF)


def _soft(
    problem: Problem, tol: float, clock: Clock, start: Vector | None, settings: ChooseSettings
) -> Solution:
    cheap = is_cheap(Shape.of(problem), settings)
    few = problem.n_examples < settings.corral_examples * problem.n_features
    if few and not cheap and not clock.wants_separator:
        # With more examples for each feature, a factor of the Hessian serves correlated columns.
        problem = sparse_copy(problem) or problem
        cheap = is_cheap(Shape.of(problem), settings)
    if problem.sample.is_sparse and not cheap:
        return _sparse_soft(problem, tol, clock, start, settings)
    if suits_dense(problem, settings):
        return _soft_dense(problem, tol, clock, start, settings)
    small = is_small(problem, settings)
    if suits_newton(problem, settings):
        found = newton(problem, tol=tol, clock=clock, start=start, exact=small, patient=False)
        if not found.gave_up or found.status is not Status.PRECISION:
            return found
        return _by_corral(problem, tol, clock, found, settings)
    if (
        start is not None
        and np.count_nonzero(start) > settings.warm_per_feature * problem.n_features
    ):
        start = None
    search = start_wolfe(problem, clock, start)
    found = search.solution(search.run(tol, 0.0, gap_to_aim_at(problem, tol, settings)))
    if found.gave_up:
        return by_coordinates(problem, tol, clock, found, settings)
    if found.status is not Status.PRECISION or not clock.fits(settings.coordinate_passes):
        return found
    # Not so few hinges are open that this is nearly the hard margin.
    after = newton(problem, tol=tol, clock=clock, start=found.weights, exact=small)
    return problem.joined(found, after)


def start_wolfe(problem: Problem, clock: Clock, start: Vector | None) -> Search:
    """Return Wolfe's method on the problem, from weights if there are any."""
    search = Search(WorkingSet(problem), clock)
    if start is not None:
        search.start_from(start)
    return search


def _sparse_soft(
    problem: Problem, tol: float, clock: Clock, start: Vector | None, settings: ChooseSettings
) -> Solution:
    """Return the soft margin of sparse data: by coordinate descent, or Newton's method if faster.

    With fewer support vectors than features, coordinate descent takes 7 to 400 passes, and Newton's
    method with large C 20 to 2,000; with more support vectors than features, Newton's method takes
    5 to 50, and coordinate descent up to hundreds. Where there are many examples for each feature,
    Newton's method goes first, unless its first step shows that few examples carry the optimum.
    Else coordinate descent sees which of the two it is in its first sweeps, and gives up after
    three. Where few examples carry weight, and yet too many for the number of features, pivoting
    follows the first sweeps. With more examples it goes on where neither sweeps nor Newton's method
    close the gap, and Newton's method where they are too many for that.
    """
    enough, stiff, shape = clock.fits(settings.hand_over_passes), None, Shape.of(problem)

    def few(passes: float) -> float:
        return pivoted_after(shape, passes, settings) if enough else 0.0

    def leaves(n_support: int, passes: float) -> bool:
        many = enough and n_support > settings.most_pivoted and passes >= settings.many_passes
        return many or n_support <= few(passes)

    if enough and suits_sparse_newton(problem, settings):
        with clock.at_most(settings.most_newton_passes):
            found = newton(
                problem, tol=tol, clock=clock, start=start, leave_at=few(0.0) / problem.n_examples
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
            return _pivot(problem, tol, clock, found)[0]
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


def _n_support(found: Solution) -> int:
    return int(np.count_nonzero(found.weights))


def _useful(found: Solution, settings: ChooseSettings) -> Vector | None:
    """Return the weights of a solution if they are better to start from than zero."""
    return found.weights if found.gap <= settings.useful_gap else None


def _soft_dense(
    problem: Problem, tol: float, clock: Clock, start: Vector | None, settings: ChooseSettings
) -> Solution:
    """Solve the soft margin on dense data.

    Many examples for each feature: Newton's method, and where few hinges are open and stiff, with
    not too many features, Wolfe's method from the optimum of a softer problem; with more features
    and not so many examples for each, coordinate descent. Few examples, or where Newton's method
    comes to a halt: coordinate descent for as long as pivoting would take, then pivoting.
    """
    shape = Shape.of(problem)
    exact = is_cheap(shape, settings)
    aim = min(tol, settings.polished) if exact else tol
    found: Solution | None = None
    if shape.n_examples >= settings.newton_examples * shape.n_features:
        found, ended = _newton_and_corral(problem, tol, aim, clock, start, exact, settings)
        if ended:
            return found
    sweeps = sweeps_before_pivoting(shape, settings)
    if sweeps and clock.fits(settings.coordinate_passes):
        with clock.at_most(sweeps + settings.coordinate_passes):
            swept = coordinate_descent(problem, tol=tol, clock=clock, start=start, allowance=sweeps)
        found = swept if found is None else problem.joined(found, swept)
        if found.status is not Status.MAX_ITER or not clock.fits(settings.pivoting_passes):
            return found
    after = block_pivoting(problem, tol=aim, clock=clock, before=found, start=start, precise=exact)
    after = after if found is None else problem.joined(found, after)
    if after.gap <= tol:
        after = replace(after, status=Status.GAP_REACHED)
    if after.status is not Status.PRECISION:
        return after
    return _by_corral(problem, tol, clock, after, settings)


def _newton_and_corral(
    problem: Problem,
    tol: float,
    aim: float,
    clock: Clock,
    start: Vector | None,
    exact: bool,
    settings: ChooseSettings,
) -> tuple[Solution, bool]:
    """Return what Newton's method finds and Wolfe's after it, and whether that ends the search."""
    n, d = problem.n_examples, problem.n_features
    corral = d <= settings.corral_features and n >= settings.corral_examples * d
    detour = corral and d > settings.detour_features
    cold = start is None
    patient = d > settings.corral_features and (cold or n >= settings.patient_examples * d)
    sweeps = cold and patient and n < settings.corral_examples * d
    known: Solution | None = None
    warm = start is not None and np.count_nonzero(start) <= settings.warm_per_feature * d
    if exact and warm and clock.fits(settings.corral_passes):
        # Few examples carried the optimum of an earlier fit: they may carry this one.
        search = start_wolfe(problem, clock, start)
        known = search.solution(search.run(tol, 0.0, aim))
        if known.status is Status.GAP_REACHED or not clock.fits(settings.coordinate_passes):
            return known, True
    found = newton(
        problem,
        tol=tol,
        clock=clock,
        start=start,
        exact=exact,
        patient=patient,
        detour=detour,
        leave_at=settings.open_if_separable if sweeps else 0.0,
    )
    if found.gave_up and sweeps:
        found = _sweep_separable(problem, tol, clock, found, settings)
    ended = found.status is not Status.PRECISION or not (found.gave_up or patient)
    found = found if known is None else problem.joined(known, found)
    if ended or not corral:
        return found, ended
    if not clock.fits(settings.corral_passes):
        return replace(found, status=Status.MAX_ITER), True
    search = start_wolfe(problem, clock, heaviest_weights(problem, found.weights, settings))
    search.budget = settings.corral_work
    found = problem.joined(found, search.solution(search.run(tol, 0.0, aim)))
    if found.status is Status.PRECISION and settings.patient_passes and clock.fits(1.0):
        # The corral has become large: Newton's method may end sooner, short as its steps are.
        with clock.at_most(settings.patient_passes):
            after = newton(problem, tol=tol, clock=clock, start=start, exact=exact)
        found = problem.joined(found, after)
        if found.status in (Status.PRECISION, Status.MAX_ITER) and clock.fits(1.0):
            search.budget = inf
            found = problem.joined(found, search.solution(search.run(tol, 0.0, aim)))
    return found, found.status is not Status.PRECISION


def _sweep_separable(
    problem: Problem, tol: float, clock: Clock, before: Solution, settings: ChooseSettings
) -> Solution:
    """Sweep data that a step of Newton's method nearly separates; that takes 130 to 260 passes.

    Where it takes more, Newton's method goes on.
    """
    if not clock.fits(settings.coordinate_passes):
        return replace(before, status=Status.MAX_ITER)
    with clock.at_most(settings.separable_sweeps):
        after = coordinate_descent(problem, tol=tol, clock=clock)
    found = problem.joined(before, after)
    if found.status is not Status.MAX_ITER or not clock.fits(settings.coordinate_passes):
        return found
    return problem.joined(found, newton(problem, tol=tol, clock=clock, start=found.weights))


def heaviest_weights(problem: Problem, weights: Vector, settings: ChooseSettings) -> Vector | None:
    """Return the heaviest weights, no more than there are features; none if far more have some."""
    support, most = np.flatnonzero(weights), problem.n_features
    if len(support) > settings.warm_per_feature * most:
        return None
    if len(support) > most:
        support = heaviest(support, weights[support], problem.sample, most)
    chosen = np.zeros_like(weights)
    chosen[support] = weights[support]
    return chosen


def by_coordinates(
    problem: Problem, tol: float, clock: Clock, before: Solution, settings: ChooseSettings
) -> Solution:
    """Go on where the corral has become too large, or Newton's method has come to a halt."""
    if not clock.fits(settings.coordinate_passes):
        return replace(before, status=Status.MAX_ITER)
    after = coordinate_descent(problem, tol=tol, clock=clock, start=before.weights)
    return problem.joined(before, after)


def _by_corral(
    problem: Problem, tol: float, clock: Clock, before: Solution, settings: ChooseSettings
) -> Solution:
    """Go on where few hinges are open, too stiff for Newton's method: nearly the hard margin.

    Where a corral does not reach the optimum either, Newton's method goes on, however long it
    takes.
    """
    if not clock.fits(settings.corral_passes):
        return replace(before, status=Status.MAX_ITER)
    search = start_wolfe(problem, clock, None)
    status = search.run(tol, 0.0, gap_to_aim_at(problem, tol, settings))
    found = problem.joined(before, search.solution(status))
    if status is not Status.PRECISION:
        return found
    if not clock.fits(1.0):
        return replace(found, status=Status.MAX_ITER)
    exact = is_small(problem, settings)
    after = newton(problem, tol=tol, clock=clock, start=found.weights, exact=exact)
    return problem.joined(found, after)
