"""The solver of a hard margin: Wolfe's method, soft margins, sweeps, or Newton's method."""

from dataclasses import replace
from functools import partial
from math import inf

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.choose.costs import (
    Shape,
    favours_sweeps,
    interior_sweeps,
    least_interior_sweeps,
    most_pivoting_passes,
    suits_sparse_newton,
    wolfe_work,
)
from novikoff.maxmargin.choose.dependent import columns_depend, has_whole_numbers
from novikoff.maxmargin.choose.hand_over import by_coordinates, heaviest_weights, start_wolfe
from novikoff.maxmargin.choose.nearly_hard import by_little_slack
from novikoff.maxmargin.choose.settings import (
    CHOOSE,
    ChooseSettings,
    gap_to_aim_at,
    is_large_and_sparse,
)
from novikoff.maxmargin.choose.soft import soft_margin
from novikoff.maxmargin.coordinate.search import coordinate_descent
from novikoff.maxmargin.interior.normal import Exclusive
from novikoff.maxmargin.interior.search import interior_point
from novikoff.maxmargin.newton.multipliers import multipliers
from novikoff.maxmargin.passes import Vector
from novikoff.maxmargin.perceptron import by_mistakes
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.maxmargin.verdict import BySlacks, Probe
from novikoff.maxmargin.wolfe.precise import (
    SOME_MARGIN,
    UNDECIDED,
    Confirm,
    Otherwise,
    decide_precisely,
    is_confirmed,
)
from novikoff.maxmargin.wolfe.search import Search
from novikoff.run.clock import Clock


def hard_margin(
    problem: Problem,
    *,
    tol: float,
    clock: Clock,
    confirm: Confirm | None,
    by_slacks: BySlacks = lambda *hyperplane, **examples: False,
    costs: Vector | None = None,
    start: Vector | None = None,
    separated: bool = False,
    settings: ChooseSettings = CHOOSE,
) -> Solution:
    """Return the separator of largest margin, to within ``tol``.

    Parameters
    ----------
    problem : Problem
        Without slack.
    tol : float
        Stop when ``1 - lower / upper`` is no larger. Small problems are solved to the optimum in
        any case.
    clock : Clock
        Limits and history.
    confirm : callable
        Where a combination of examples vanishes as far as floating-point numbers tell, it says
        whether it does exactly; then the status is NOT_SEPARABLE. ``None``: floats are believed,
        with as many digits as there are.
    by_slacks : callable
        Whether the slacks of a hyperplane prove that nothing separates the examples.
    costs : array of shape (n_examples,), optional
        How often each example counts in these slacks; by default once.
    start : array of shape (n_examples,), optional
        Weights to start from.
    separated : bool
        Whether these are the weights of an earlier search, which found a separator.
    settings : ChooseSettings, optional
        Which solver is chosen.
    """
    seek = partial(_sought, problem, tol, clock, settings)
    probe = Probe(problem, clock, soft_margin, by_slacks, costs, seek)
    aim = gap_to_aim_at(problem, tol, settings)
    before: Solution | None
    if favours_sweeps(Shape.of(problem), settings):
        before = swept = _probe_and_sweep(problem, probe, tol, start, settings)
        if (
            swept.status in (Status.GAP_REACHED, Status.SEPARATED, Status.NOT_SEPARABLE)
            or not clock.fits(settings.corral_passes)
            or is_large_and_sparse(problem, settings)
        ):
            return swept
        search = start_wolfe(problem, clock, swept.weights if swept.lower > 0.0 else None)
        status = search.run(tol, zero_of_gram(search), aim)
    else:
        found = (
            by_mistakes(problem, clock) if _suits_dense_perceptron(problem, tol, settings) else None
        )
        if found is not None:
            return found
        carrying = None
        if separated and start is not None:
            carrying = heaviest_weights(problem, start, settings)
        search = start_wolfe(problem, clock, start if carrying is None else carrying)
        if carrying is None:
            before, status = _wolfe_and_probe(search, probe, tol, aim, settings)
        else:
            # Soft margins would decide again what is known, and replace the weights.
            before, status = None, search.run(tol, zero_of_gram(search), aim)
        if before is not None and ends(before, tol):
            return before.following(search.solution(status))
    found = _finish(search, status, tol, aim, confirm, lambda: _probed(probe, tol), settings)
    if before is None or found.status is Status.NOT_SEPARABLE:
        return found
    return problem.joined(before, found)


def _finish(
    search: Search,
    status: Status,
    tol: float,
    aim: float,
    confirm: Confirm | None,
    otherwise: Otherwise,
    settings: ChooseSettings,
) -> Solution:
    """Go on where Wolfe's method has ended: by sweeps, with more digits, or not at all."""
    problem, found = search.candidates.problem, search.solution(status)
    if found.gave_up:
        return by_coordinates(problem, tol, search.clock, found, settings)
    if found.status not in UNDECIDED:
        return found
    if found.status is Status.NOT_SEPARABLE and confirm:
        # The digits of the Gram matrix mostly suffice to find the examples that combine to zero.
        quick = has_whole_numbers(problem, settings)
        if quick and is_confirmed(search, confirm):
            return found
        if columns_depend(problem, settings):
            # Digits may show the rounding of these columns, and no combination that vanishes.
            decided = otherwise() if search.limit() is None else None
            if decided is not None:
                return decided.following(found)
        if not quick and is_confirmed(search, confirm):
            return found
    if problem.n_features <= search.settings.precise_features:
        believe = confirm or (lambda support: True)
        return decide_precisely(search, tol=tol, aim=aim, confirm=believe, otherwise=otherwise)
    if found.status is Status.NOT_SEPARABLE and confirm is None:
        return found
    decided = otherwise() if search.limit() is None else None
    if decided is not None:
        return decided.following(found)
    return replace(found, status=search.limit() or Status.PRECISION)


def _probed(probe: Probe, tol: float) -> Solution | None:
    """Try the soft margins that were not tried yet; return what they decide, if that is enough."""
    decided = probe.first() if probe.found is None else None
    if decided is None and probe.clock.stop() is None:
        decided = probe.others()
    return decided if decided is not None and ends(decided, tol) else None


def _probe_and_sweep(
    problem: Problem, probe: Probe, tol: float, start: Vector | None, settings: ChooseSettings
) -> Solution:
    """Decide by soft margins whether anything separates sparse data, and widen the margin.

    With many examples for each feature the perceptron comes first, which costs less than Newton's
    method. Coordinate descent widens it, for as long as Wolfe's method would take.
    """
    clock = probe.clock
    large = is_large_and_sparse(problem, settings)
    decided = by_mistakes(problem, clock) if _suits_perceptron(problem, tol, settings) else None
    if decided is None and clock.stop() is None:
        decided = probe.first()
    if decided is None and clock.stop() is None:
        decided = probe.nearly()
    if decided is None and clock.stop() is None:
        decided = probe.in_cores()
    if decided is None and clock.stop() is None:
        others = _least_sweeps(problem, settings) < inf or not large
        # Other methods may still decide, unless there are too many examples and features.
        with clock.at_most(_probe_passes(problem, clock, settings) if others else inf):
            decided = probe.others()
    if decided is None and clock.stop() is None:
        decided = _decided_inside(problem, probe, settings)
        if decided is None and large and clock.stop() is None:
            decided = probe.others()
    if decided is not None and ends(decided, tol):
        return decided
    if decided is None and not large and probe.found is not None and clock.stop() is None:
        return replace(probe.found, status=Status.PRECISION, lower=-inf, upper=inf)
    if decided is not None:
        return _widened(problem, decided, tol, clock, start, settings)
    found = _swept(problem, tol, clock, start, inf, settings)
    return found if probe.found is None else found.following(probe.found)


def _suits_dense_perceptron(problem: Problem, tol: float, settings: ChooseSettings) -> bool:
    """Whether a verdict on dense data costs least where the perceptron goes first."""
    shape = Shape.of(problem)
    n, d, n_values, is_sparse = shape
    if is_sparse or tol < SOME_MARGIN or n < settings.sparse_newton_examples * d:
        return False
    steps = wolfe_work(shape, settings) - settings.wolfe_passes * n_values
    return settings.mistaken_passes * n_values <= steps and n_values <= settings.mistaken_values


def _suits_perceptron(problem: Problem, tol: float, settings: ChooseSettings) -> bool:
    """Whether the perceptron goes first: where Newton's method would, unless for a good start.

    The interior-point method takes a quarter longer from a perceptron than from a soft margin
    (sparse 6,000 x 800); for a verdict any separator will do, and sweeps take no longer from it.
    """
    if not suits_sparse_newton(problem, settings):
        return False
    return tol >= SOME_MARGIN or _least_sweeps(problem, settings) > _patience(settings)


def _patience(settings: ChooseSettings) -> float:
    """Return up to how many sweeps' cost the interior-point method goes before sweeps."""
    return settings.interior_patience * settings.hard_sweeps


def _least_sweeps(problem: Problem, settings: ChooseSettings) -> float:
    """Return how many sweeps the interior-point method takes at least; infinite if not possible."""
    fits = Shape.of(problem).n_values <= settings.interior_values
    return least_interior_sweeps(problem, settings) if fits else inf


def _sought(
    problem: Problem, tol: float, clock: Clock, settings: ChooseSettings, nearly: Solution
) -> Solution | None:
    """Look for a separator of sparse data by the interior-point method, from nearly one."""
    exclusive = _affordable(problem, clock, settings)
    if exclusive is None:
        return None
    found = interior_point(problem, tol=tol, clock=clock, exclusive=exclusive, before=nearly)
    return found.following(nearly) if found.lower > 0.0 else None


def _affordable(problem: Problem, clock: Clock, settings: ChooseSettings) -> Exclusive | None:
    """Return the columns that the interior-point method eliminates, if few enough are left."""
    if not problem.sample.is_sparse or _least_sweeps(problem, settings) == inf:
        return None
    exclusive, sweeps = _exclusive(problem, settings)
    return exclusive if sweeps < inf and clock.fits(1.0) else None


def _decided_inside(problem: Problem, probe: Probe, settings: ChooseSettings) -> Solution | None:
    """Decide by an interior-point method, whose steps do not depend on the margin or on C.

    Where the margin is nearly zero, or nothing separates the examples by as little, soft margins of
    large C take other methods ever more passes.
    """
    before, exclusive = probe.found, _affordable(problem, probe.clock, settings)
    if before is None or exclusive is None:
        return None

    def solve(soft: Problem, *, tol: float, clock: Clock, start: Vector | None) -> Solution:
        return interior_point(soft, tol=tol, clock=clock, exclusive=exclusive, before=before)

    return probe.last(solve)


def _widened(
    problem: Problem,
    separator: Solution,
    tol: float,
    clock: Clock,
    start: Vector | None,
    settings: ChooseSettings,
) -> Solution:
    """Go on from a separator of sparse data: by multipliers, sweeps and an interior-point method.

    Multipliers go first, unless the interior-point method costs little. Sweeps take at most as long
    as that would, which goes before them where it costs no more than they may.
    """
    if separator.status is Status.GAP_REACHED:
        return separator
    patience, sweeps = _patience(settings), _least_sweeps(problem, settings)
    exclusive: Exclusive | None = None
    if sweeps <= patience:
        exclusive, sweeps = _exclusive(problem, settings)
    found = separator
    if (
        start is None
        and sweeps > settings.multiplier_sweeps
        and suits_sparse_newton(problem, settings)
    ):
        with clock.at_most(settings.multiplier_sweeps):
            after = multipliers(problem, tol=tol, clock=clock, before=found)
        found = problem.joined(found, after)
        if after.status is not Status.MAX_ITER and not after.gave_up:
            return found
    # Weights of an earlier fit may be near the optimum.
    if start is not None or sweeps > patience:
        start = found.weights if start is None else start
        found = _swept_or_pivoted(problem, found, tol, clock, start, sweeps, settings)
    if found.status is Status.GAP_REACHED or sweeps == inf:
        return found
    if not clock.fits(1.0):
        return replace(found, status=Status.MAX_ITER)
    if exclusive is None:
        exclusive, sweeps = _exclusive(problem, settings)
        if sweeps == inf:
            after = _swept(problem, tol, clock, found.weights, inf, settings)
            return problem.joined(found, after)
    after = interior_point(problem, tol=tol, clock=clock, exclusive=exclusive, before=found)
    return problem.joined(found, after)


def _exclusive(problem: Problem, settings: ChooseSettings) -> tuple[Exclusive, float]:
    """Choose columns to eliminate; also return for how many sweeps the method then takes."""
    exclusive = Exclusive(problem.sample.storage.sparse_rows(problem.sample.order))
    return exclusive, interior_sweeps(Shape.of(problem), exclusive, settings)


def _swept(
    problem: Problem,
    tol: float,
    clock: Clock,
    start: Vector | None,
    most: float,
    settings: ChooseSettings,
) -> Solution:
    """Widen the margin of sparse data by coordinate descent, for as long as others would take."""
    shape = Shape.of(problem)
    # Sweeps over few values are so cheap that they would use up the limit: half is left to others.
    left = clock.passes_left
    passes = min(most, wolfe_work(shape, settings) / max(1, shape.n_values), left / 2)
    if is_large_and_sparse(problem, settings) and most == inf:
        passes = inf
    with clock.at_most(passes):
        return coordinate_descent(problem, tol=tol, clock=clock, start=start)


def _swept_or_pivoted(
    problem: Problem,
    separator: Solution,
    tol: float,
    clock: Clock,
    start: Vector | None,
    most: float,
    settings: ChooseSettings,
) -> Solution:
    """Widen a margin by sweeps and, where they are slow and nothing else follows, by pivoting."""
    few = most_pivoting_passes(Shape.of(problem), settings) if most == inf else inf
    with clock.at_most(few):
        swept = _swept(problem, tol, clock, start, most, settings)
    found = problem.joined(separator, swept)
    if swept.status is not Status.MAX_ITER or few == inf or not clock.fits(2.0):
        return found
    carrying = int(np.count_nonzero(found.weights))
    if carrying <= settings.most_pivoted and clock.fits(settings.pivoting_passes):
        found = by_little_slack(problem, found, tol, clock, settings)
    if found.status is not Status.MAX_ITER or not clock.fits(1.0):
        return found
    return problem.joined(found, _swept(problem, tol, clock, found.weights, most, settings))


def _probe_passes(problem: Problem, clock: Clock, settings: ChooseSettings) -> float:
    """Return how many passes soft margins may take: the more, the longer Wolfe's method takes."""
    shape = Shape.of(problem)
    share = settings.probe_share * wolfe_work(shape, settings) / max(1, shape.n_values)
    left = clock.passes_left
    return max(settings.probe_passes, min(share, left / 2))


def _wolfe_and_probe(
    search: Search, probe: Probe, tol: float, aim: float, settings: ChooseSettings
) -> tuple[Solution | None, Status]:
    """Let Wolfe's method and soft margins of growing C take turns until one has decided.

    Each is stopped when it has cost about as much as the other would. Returns what the soft margins
    have decided, if they have, and how Wolfe's method ended.
    """
    d, n_values = search.passes.n_features, search.sample.storage.n_values
    zero, expected = zero_of_gram(search), wolfe_work(Shape.of(probe.problem), settings)
    dear = expected > settings.patience * probe.cost
    decided: Solution | None = None
    search.budget = max(settings.least_work, settings.first_passes * n_values)
    status = search.run(tol, zero, aim)
    if search.over_budget and status is Status.PRECISION:
        decided = probe.first()
        if decided is None and not dear and probe.mistakes <= d and search.limit() is None:
            search.budget += expected
            status = search.run(tol, zero, aim)
    if decided is None and search.over_budget and status is Status.PRECISION:
        decided = probe.others() if search.limit() is None else None
    if decided is not None and ends(decided, tol):
        return decided, status
    if search.over_budget and status is Status.PRECISION:
        search.budget = inf
        if decided is not None:
            # Most of the examples that carry a soft margin carry the hard one.
            start = heaviest_weights(probe.problem, decided.weights, settings)
            if start is not None:
                search.start_from(start)
        status = search.run(tol, zero, aim)
    return decided, status


def zero_of_gram(search: Search) -> float:
    """Return the norm that the Gram matrix of the examples cannot tell from zero."""
    return search.settings.zero_of_gram * search.sample.radius


def ends(decided: Solution, tol: float) -> bool:
    """Whether nothing is left to do: nothing separates the examples, or any separator will do."""
    return decided.status is Status.NOT_SEPARABLE or tol >= SOME_MARGIN
