"""The solvers of a soft margin of dense data: Newton's method, coordinate descent, pivoting."""

from dataclasses import replace
from math import inf

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.choose.costs import Shape, is_cheap, sweeps_before_pivoting
from novikoff.maxmargin.choose.few_carry import where_few_carry
from novikoff.maxmargin.choose.hand_over import by_corral, heaviest_weights, start_wolfe
from novikoff.maxmargin.choose.settings import ChooseSettings
from novikoff.maxmargin.coordinate.search import coordinate_descent
from novikoff.maxmargin.newton.search import newton
from novikoff.maxmargin.passes import Vector
from novikoff.maxmargin.pivoting.search import block_pivoting
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.run.clock import Clock


def dense_soft_margin(
    problem: Problem, tol: float, clock: Clock, start: Vector | None, settings: ChooseSettings
) -> Solution:
    """Solve the soft margin on dense data.

    With more than a few hundred features, Wolfe's method where few examples seem to carry the
    optimum. Else, or where more do, with many examples for each feature: Newton's method, and where
    few hinges are open and stiff, with not too many features, Wolfe's method from the optimum of a
    softer problem; with more features and not so many examples for each, coordinate descent. Few
    examples, or where Newton's method comes to a halt: coordinate descent for as long as pivoting
    would take, then pivoting.
    """
    shape = Shape.of(problem)
    exact = is_cheap(shape, settings)
    tried: Solution | None = None
    if start is None and shape.n_features > settings.corral_features and not exact:
        tried = where_few_carry(problem, tol, clock, settings)
    if tried is not None and tried.status is not Status.PRECISION:
        return tried
    after = _in_turn(problem, tol, clock, start, shape, exact, settings)
    return after if tried is None else problem.joined(tried, after)


def _in_turn(
    problem: Problem,
    tol: float,
    clock: Clock,
    start: Vector | None,
    shape: Shape,
    exact: bool,
    settings: ChooseSettings,
) -> Solution:
    """Let Newton's method, coordinate descent and pivoting follow one another."""
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
    return by_corral(problem, tol, clock, after, settings)


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
