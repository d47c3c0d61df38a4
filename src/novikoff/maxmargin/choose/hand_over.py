"""How a solver hands over to the next: what it starts from, and the better bounds of both."""

from dataclasses import replace

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.choose.settings import ChooseSettings, gap_to_aim_at, is_small
from novikoff.maxmargin.coordinate.search import coordinate_descent
from novikoff.maxmargin.newton.search import newton
from novikoff.maxmargin.passes import Vector
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.maxmargin.wolfe.search import Search, heaviest
from novikoff.maxmargin.wolfe.working_set import WorkingSet
from novikoff.run.clock import Clock


def start_wolfe(problem: Problem, clock: Clock, start: Vector | None) -> Search:
    """Return Wolfe's method on the problem, from weights if there are any."""
    search = Search(WorkingSet(problem), clock)
    if start is not None:
        search.start_from(start)
    return search


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


def by_corral(
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
