"""The solvers of a soft margin.

Few examples or features: the optimum by Newton's or Wolfe's method. Sparse data: coordinate
descent, and Newton's method where sweeps are slow (``soft_sparse.py``). Dense data: Newton's
method for many examples a feature, else coordinate descent; pivoting or Wolfe's method where
these come to a halt (``soft_dense.py``).
"""

from dataclasses import replace

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.choose.costs import Shape, is_cheap
from novikoff.maxmargin.choose.hand_over import by_coordinates, by_corral, start_wolfe
from novikoff.maxmargin.choose.settings import (
    CHOOSE,
    MOST_STIFF,
    ChooseSettings,
    gap_to_aim_at,
    is_small,
    suits_dense,
    suits_newton,
)
from novikoff.maxmargin.choose.soft_dense import dense_soft_margin
from novikoff.maxmargin.choose.soft_sparse import sparse_soft_margin
from novikoff.maxmargin.newton.search import newton
from novikoff.maxmargin.passes import Vector
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.maxmargin.zeros import sparse_copy
from novikoff.run.clock import Clock

STIFF_PASSES = 100
"""The passes of a search whose objective has no digits: small ones reach their gap nevertheless."""


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
        return sparse_soft_margin(problem, tol, clock, start, settings)
    if suits_dense(problem, settings):
        return dense_soft_margin(problem, tol, clock, start, settings)
    small = is_small(problem, settings)
    if suits_newton(problem, settings):
        found = newton(problem, tol=tol, clock=clock, start=start, exact=small, patient=False)
        if not found.gave_up or found.status is not Status.PRECISION:
            return found
        many = settings.most_in_corral * problem.n_features
        if np.count_nonzero(found.weights) <= many or not clock.fits(1.0):
            return by_corral(problem, tol, clock, found, settings)
        return problem.joined(
            found, newton(problem, tol=tol, clock=clock, start=start, exact=small)
        )
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
