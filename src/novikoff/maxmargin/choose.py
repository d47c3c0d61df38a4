"""The choice of a solver for a margin problem.

======================  ==========================================================================
``wolfe``               minimum-norm point on a working set: hard margins, soft ones of few examples
``wolfe-precise``       the same on the vectors themselves, where the Gram matrix lacks digits
``wolfe-equilibrated``  the same with all columns brought to one scale, for the verdict alone
``wolfe-rational``      the same in rational arithmetic, for the verdict alone
``newton``              finite Newton in the primal: soft margins of many examples and few features
``pivoting``            block principal pivoting in the dual: soft margins that few examples carry
``coordinate``          dual coordinate descent: sparse data
======================  ==========================================================================

``Solution.solver`` names the solvers used, in order, joined by ``+``. A solver that finds that
another suits the problem better gives up, and the other continues with the same clock.
"""

from dataclasses import dataclass, replace
from math import ceil, inf

from novikoff.certificate import Status
from novikoff.maxmargin.coordinate.search import coordinate_descent
from novikoff.maxmargin.newton.search import newton
from novikoff.maxmargin.passes import Vector
from novikoff.maxmargin.pivoting.search import block_pivoting
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.maxmargin.verdict import BySlacks, Probe
from novikoff.maxmargin.wolfe.precise import (
    SOME_MARGIN,
    UNDECIDED,
    Confirm,
    decide_precisely,
    is_confirmed,
)
from novikoff.maxmargin.wolfe.search import Search
from novikoff.maxmargin.wolfe.working_set import WorkingSet
from novikoff.run.clock import Clock


@dataclass(frozen=True)
class ChooseSettings:
    """Which solver is chosen for which shape of data."""

    small_values: int = 1_000_000
    """A problem with at most this many values is solved to the optimum, at any tolerance."""

    polished: float = 1e-11
    """The gap that a small problem is solved to."""

    gram_examples: int = 3000
    """Up to this many examples their Gram matrix is small, and Wolfe's method is chosen for the
    soft margin of dense data; for the hard margin of sparse data also up to this many features."""

    newton_features: int = 2000
    """The most features for Newton's method on dense data, where it factors a matrix of as many
    rows and columns."""

    newton_examples: int = 2
    """Newton's method needs at least this many examples for each feature."""

    small_products: int = 5_000_000
    """Dense data for which a factor takes so many multiplications are solved to the optimum,
    whatever the tolerance."""

    row_products: int = 35
    """A pass of coordinate descent takes as long as so many multiplications in a factor for each
    value."""

    factors: float = 1.7
    """Pivoting takes about five factors, of n^3 / 3 multiplications each."""

    pivoting_passes: int = 3
    """Pivoting needs so many passes to start from weights and judge them."""

    stiff: float = 1e-12
    """With a ``Delta^2`` below this, in units of the squared radius, the problem is nearly the hard
    margin, and Newton's method does not find which examples are at the margin."""

    least_work: float = 3e7
    """What Wolfe's method may cost before soft margins are tried, in values read by a pass, or
    ``first_passes`` passes if these are more."""

    first_passes: int = 10
    """See ``least_work``."""

    wolfe_steps: float = 1.5
    """What Wolfe's method costs that ends with as many examples as features, in units of the cube
    of their number."""

    wolfe_passes: int = 40
    """How many passes it then takes."""

    patience: float = 3.0
    """Wolfe's method goes first where it costs at most so many times what soft margins do."""

    cheap: float = 2e7
    """The soft margin of sparse data is solved to the optimum if a factorisation takes at most this
    many multiplications. 270 x 270 then takes 10 ms, and with twice the value 340 x 340 takes 20.
    """

    useful_gap: float = 0.1
    """Newton's method starts from the weights of another solver if their gap is at most this. From
    weights with a gap of 0.9 it took 28 passes, from zero 22 (10,000 x 2,000 scattered normal
    values, C = 1)."""

    corral_passes: int = 2
    """The passes that Wolfe's method needs for a first hyperplane."""

    most_coordinate_passes: int = 150
    """After this many passes of coordinate descent on sparse data, Newton's method takes over, even
    if the sweeps do not show that they are slow."""

    coordinate_passes: int = 4
    """The passes that coordinate descent needs to start from weights and bound the optimum."""


CHOOSE = ChooseSettings()


def hard_margin(
    problem: Problem,
    *,
    tol: float,
    clock: Clock,
    confirm: Confirm,
    by_slacks: BySlacks = lambda w, b: False,
    costs: Vector | None = None,
    start: Vector | None = None,
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
        whether it does exactly; then the status is NOT_SEPARABLE.
    by_slacks : callable
        Whether the slacks of a hyperplane prove that nothing separates the examples.
    costs : array of shape (n_examples,), optional
        How often each example counts in these slacks; by default once.
    start : array of shape (n_examples,), optional
        Weights to start from.
    settings : ChooseSettings, optional
        Which solver is chosen.
    """
    probe = Probe(problem, clock, soft_margin, by_slacks, costs)
    if is_large_and_sparse(problem, settings):
        decided = None if clock.stop() else probe.first()
        if decided is None and clock.stop() is None:
            decided = probe.others()
        if decided is not None and ends(decided, tol):
            return decided
        if decided is not None:
            start = decided.weights
        found = coordinate_descent(problem, tol=tol, clock=clock, start=start)
        return found if probe.found is None else found.following(probe.found)
    search = _wolfe(problem, clock, start)
    zero, aim = search.settings.zero_of_gram * problem.sample.radius, _aim(problem, tol, settings)
    decided, status = _wolfe_and_probe(search, probe, tol, zero, aim, settings)
    found = search.solution(status)
    if decided is not None and ends(decided, tol):
        return decided.following(found)
    if found.gave_up:
        return _by_coordinates(problem, tol, clock, found, settings)
    if found.status not in UNDECIDED:
        return found
    if problem.n_features <= search.settings.precise_features:
        return decide_precisely(search, tol=tol, aim=aim, confirm=confirm)
    if found.status is Status.NOT_SEPARABLE and is_confirmed(search, confirm):
        return found
    return replace(found, status=search.limit() or Status.PRECISION)


def _wolfe_and_probe(
    search: Search, probe: Probe, tol: float, zero: float, aim: float, settings: ChooseSettings
) -> tuple[Solution | None, Status]:
    """Let Wolfe's method and soft margins of growing C take turns until one has decided.

    Each is stopped when it has cost about as much as the other would. Returns what the soft margins
    have decided, if they have, and how Wolfe's method ended.
    """
    d, n_values = search.passes.n_features, search.sample.storage.n_values
    expected = settings.wolfe_steps * float(d) ** 3 + settings.wolfe_passes * n_values
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
        status = search.run(tol, zero, aim)
    return decided, status


def ends(decided: Solution, tol: float) -> bool:
    """Whether nothing is left to do: nothing separates the examples, or any separator will do."""
    return decided.status is Status.NOT_SEPARABLE or tol >= SOME_MARGIN


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
    if problem.sample.is_sparse and not is_cheap(problem, settings):
        return _sparse_soft(problem, tol, clock, start, settings)
    if suits_dense(problem, settings):
        return _soft_dense(problem, tol, clock, start, settings)
    if suits_newton(problem, settings):
        small = is_small(problem, settings)
        found = newton(problem, tol=tol, clock=clock, start=start, exact=small, patient=small)
        if not found.gave_up or found.status is not Status.PRECISION:
            return found
        return _by_corral(problem, tol, clock, found, settings)
    if problem.n_examples > settings.gram_examples:
        return coordinate_descent(problem, tol=tol, clock=clock, start=start)
    search = _wolfe(problem, clock, start)
    found = search.solution(search.run(tol, 0.0, _aim(problem, tol, settings)))
    if not found.gave_up:
        return found
    return _by_coordinates(problem, tol, clock, found, settings)


def is_small(problem: Problem, settings: ChooseSettings = CHOOSE) -> bool:
    """Whether the problem is small enough to be solved to the optimum."""
    return problem.n_examples * problem.n_features <= settings.small_values


def is_cheap(problem: Problem, settings: ChooseSettings = CHOOSE) -> bool:
    """Whether the optimum of a soft margin costs little: a Gram matrix or Hessian, and factors."""
    n, d = problem.n_examples, problem.n_features
    return n * min(n, d) ** 2 <= settings.cheap


def is_large_and_sparse(problem: Problem, settings: ChooseSettings = CHOOSE) -> bool:
    """Whether the support of the optimum may be too large for Wolfe's method."""
    least = min(problem.n_examples, problem.n_features)
    return problem.sample.is_sparse and least > settings.gram_examples


def suits_newton(problem: Problem, settings: ChooseSettings = CHOOSE) -> bool:
    """Whether features are few, and the problem is not nearly a small hard-margin one."""
    n, d = problem.n_examples, problem.n_features
    few = d <= settings.newton_features and settings.newton_examples * d <= n
    return few and not (n <= settings.gram_examples and is_stiff(problem, settings))


def suits_dense(problem: Problem, settings: ChooseSettings = CHOOSE) -> bool:
    """Whether data are dense, and slack not too expensive for the number of examples."""
    few = problem.n_examples <= settings.gram_examples
    return not problem.sample.is_sparse and not (few and is_stiff(problem, settings))


def is_stiff(problem: Problem, settings: ChooseSettings = CHOOSE) -> bool:
    """Whether margin violations are penalised so heavily that this is nearly the hard margin."""
    assert problem.slack2 is not None
    least = problem.slack2[problem.sample.order].min()
    return bool(least < settings.stiff * problem.sample.radius**2)


def _aim(problem: Problem, tol: float, settings: ChooseSettings) -> float:
    """Return the gap to aim at: the optimum itself where that is cheap.

    Then the answer does not depend on the order of examples, or on whether one of weight 2 is
    listed once or twice.
    """
    if is_small(problem, settings) and tol < SOME_MARGIN:
        return min(tol, settings.polished)
    return tol


def _wolfe(problem: Problem, clock: Clock, start: Vector | None) -> Search:
    search = Search(WorkingSet(problem), clock)
    if start is not None:
        search.start_from(start)
    return search


def _sparse_soft(
    problem: Problem, tol: float, clock: Clock, start: Vector | None, settings: ChooseSettings
) -> Solution:
    """Return the soft margin of sparse data: by coordinate descent, or Newton's method if faster.

    A pass costs the same in both. With fewer support vectors than features, coordinate descent
    takes 7 to 40 passes, and Newton's method with large C 20 to 300; with more support vectors
    than features, Newton's method takes 5 to 50, and coordinate descent up to hundreds. Coordinate
    descent sees which of the two it is in its first sweeps, and gives up after three.
    """
    limits = clock.limits
    most = ceil(clock.passes) + settings.most_coordinate_passes
    clock.limits = replace(limits, max_iter=min(limits.max_iter, most))
    found = coordinate_descent(problem, tol=tol, clock=clock, start=start, patient=False)
    clock.limits = limits
    slow = found.status is Status.MAX_ITER and clock.stop() is None
    if not (found.gave_up or slow):
        return found
    start = found.weights if found.gap <= settings.useful_gap else None
    # Sweeps are slow here: Newton's method does not give up where its steps are short.
    after = newton(problem, tol=tol, clock=clock, start=start).following(found)
    if after.status is not Status.PRECISION:
        return after
    return _by_coordinates(problem, tol, clock, after, settings)


def _soft_dense(
    problem: Problem, tol: float, clock: Clock, start: Vector | None, settings: ChooseSettings
) -> Solution:
    """Solve the soft margin on dense data.

    Many examples for each feature: Newton's method, and pivoting where few hinges are open and
    stiff. Few: coordinate descent for as long as pivoting would take, then pivoting.
    """
    n, d = problem.n_examples, problem.n_features
    exact = n * d * min(n, d) <= settings.small_products
    found = None
    if n >= settings.newton_examples * d:
        found = newton(problem, tol=tol, clock=clock, start=start, exact=exact, patient=False)
        if not found.gave_up or found.status is not Status.PRECISION:
            return found
    elif not exact:
        limits, passes = clock.limits, n * (1.0 + settings.factors * n / d) / settings.row_products
        most = min(limits.max_iter, int(clock.passes + passes) + settings.coordinate_passes)
        clock.limits = replace(limits, max_iter=most)
        try:
            found = coordinate_descent(problem, tol=tol, clock=clock, start=start)
        finally:
            clock.limits = limits
        if found.status is not Status.MAX_ITER or not clock.fits(settings.pivoting_passes):
            return found
    aim = min(tol, settings.polished) if exact else tol
    after = block_pivoting(problem, tol=aim, clock=clock, before=found, start=start, precise=exact)
    if after.gap <= tol:
        after = replace(after, status=Status.GAP_REACHED)
    after = after if found is None else after.following(found)
    if after.status is not Status.PRECISION:
        return after
    return _by_corral(problem, tol, clock, after, settings)


def _by_coordinates(
    problem: Problem, tol: float, clock: Clock, before: Solution, settings: ChooseSettings
) -> Solution:
    """Go on where the corral has become too large, or Newton's method has come to a halt."""
    if not clock.fits(settings.coordinate_passes):
        return replace(before, status=Status.MAX_ITER)
    after = coordinate_descent(problem, tol=tol, clock=clock, start=before.weights)
    return after.following(before)


def _by_corral(
    problem: Problem, tol: float, clock: Clock, before: Solution, settings: ChooseSettings
) -> Solution:
    """Go on where few hinges are open, too stiff for Newton's method: nearly the hard margin.

    Where a corral does not reach the optimum either, Newton's method goes on, however long it
    takes.
    """
    if not clock.fits(settings.corral_passes):
        return replace(before, status=Status.MAX_ITER)
    search = _wolfe(problem, clock, None)
    status = search.run(tol, 0.0, _aim(problem, tol, settings))
    found = search.solution(status).following(before)
    better = min(before, found, key=lambda solution: solution.gap)
    if status is Status.PRECISION and not clock.fits(1.0):
        status = Status.MAX_ITER
    if status is not Status.PRECISION:
        return replace(better, status=status, solver=found.solver)
    exact = is_small(problem, settings)
    after = newton(problem, tol=tol, clock=clock, start=better.weights, exact=exact)
    return after.following(found)
