"""The choice of a solver for the margin of several classes.

====================  ============================================================================
``joint-wolfe``       minimum-norm point on a working set of virtual rows: hard margins, and soft
                      ones of few virtual rows or of few that carry weight
``joint-coordinate``  dual coordinate descent over the examples: soft margins, and hard ones of many
                      support vectors
``joint-interior``    interior-point method: soft margins of few features and classes, for which
                      coordinate descent takes long
====================  ============================================================================
"""

from dataclasses import replace
from math import inf

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.choose.settings import CHOOSE
from novikoff.maxmargin.joint.corral import joint_corral
from novikoff.maxmargin.joint.descent import joint_descent
from novikoff.maxmargin.joint.interior import interior_work, joint_interior
from novikoff.maxmargin.joint.problem import JointProblem, JointSolution, Vector
from novikoff.maxmargin.joint.settings import CORRAL
from novikoff.maxmargin.wolfe.precise import SOME_MARGIN
from novikoff.run.clock import Clock

SMALL_ROWS = 1500
"""Up to this many virtual rows a problem is solved to the optimum, as all of them may be members of
a corral. The answer does not depend on the order of examples then."""

INTERIOR_WORK = 1e9
"""Multiplications in an iteration of the interior-point method, up to which it takes over from
coordinate descent: about a quarter of a second, of which there are ten to thirty."""

INTERIOR_GAP = 1e-7
"""The gap that it aims at: close to the optimum its gap falls by ten or more in an iteration, and
weights that are not those of the support vanish only there."""

HARD_PASSES = 300
"""The passes after which coordinate descent gives up a hard margin if nothing separates the classes
yet: where nothing can, it would go on for ever."""

SPARSE_PASSES = 60
"""The passes that coordinate descent has for the hard margin of sparse data, before the exact
solver; on short texts it takes 20 to 50."""


def joint_soft_margin(
    problem: JointProblem,
    *,
    tol: float,
    clock: Clock,
    start: Vector | None = None,
    offsets: Vector | None = None,
    polish: bool = True,
) -> JointSolution:
    """Return the soft margin, to a relative gap of ``tol``; small problems to the optimum.

    Parameters
    ----------
    problem : JointProblem
        With slack.
    tol : float
        Stop when ``1 - dual / primal`` is no larger.
    clock : Clock
        Limits and history.
    start : array of shape (n_examples, n_classes), optional
        Weights to start from.
    offsets : array of shape (n_classes,), optional
        Intercepts at the sample's centre to start from.
    polish : bool
        Whether small problems are solved to the optimum, which takes a hundred times as long where
        C is so small that all examples are support vectors.
    """
    if polish and problem.n_rows <= SMALL_ROWS:
        found = joint_corral(problem, tol=tol, aim=_aim(tol), clock=clock, start=start)
    else:
        found = joint_descent(
            problem,
            tol=tol,
            clock=clock,
            start=start,
            offsets=offsets,
            few=CORRAL.most_members,
            patient=interior_work(problem) > INTERIOR_WORK,
        )
        if found.gave_up and np.count_nonzero(found.weights) <= CORRAL.most_members:
            exact = joint_corral(problem, tol=tol, clock=clock, start=found.weights)
            found = problem.joined(found, exact)
        elif found.gave_up:
            exact = joint_interior(problem, tol=tol, aim=INTERIOR_GAP, clock=clock)
            found = problem.joined(found, exact)
    if found.status is not Status.PRECISION or clock.stop() is not None:
        return found
    if found.solver == "joint-wolfe" and interior_work(problem) <= INTERIOR_WORK:
        # Columns of different units are what leaves Wolfe's method without digits, and coordinate
        # descent at its limit; the interior-point method minds neither.
        again = joint_interior(problem, tol=tol, aim=INTERIOR_GAP, clock=clock)
        found = problem.joined(found, again)
        if found.status is not Status.PRECISION or clock.stop() is not None:
            return found
    again = joint_descent(problem, tol=tol, clock=clock, start=found.weights, offsets=found.offsets)
    return problem.joined(found, again)


def joint_hard_margin(
    problem: JointProblem, *, tol: float, clock: Clock, start: Vector | None = None
) -> JointSolution:
    """Return the model of largest margin, to within ``tol``; small problems to the optimum.

    The status is NOT_SEPARABLE where virtual rows combine to zero up to rounding: they are those
    with weight, and exact arithmetic is to say whether they do. Parameters as of
    :func:`joint_soft_margin`.
    """
    before = None
    if problem.sample.is_sparse and problem.n_rows > SMALL_ROWS:
        with clock.at_most(SPARSE_PASSES):
            before = joint_descent(problem, tol=tol, clock=clock, start=start)
        if before.status is not Status.MAX_ITER or clock.stop() is not None:
            return before
        if before.lower > 0.0:
            start = before.weights
    aim = _aim(tol) if problem.n_rows <= SMALL_ROWS else tol
    found = joint_corral(problem, tol=tol, aim=aim, clock=clock, start=start)
    if before is not None and found.status is not Status.NOT_SEPARABLE:
        found = problem.joined(before, found)
    if found.status is not Status.PRECISION or clock.stop() is not None:
        return found
    with clock.at_most(inf if found.lower > 0.0 else HARD_PASSES):
        again = joint_descent(problem, tol=tol, clock=clock, start=found.weights)
    if again.status is Status.MAX_ITER and clock.stop() is None:
        again = replace(again, status=Status.PRECISION)
    return problem.joined(found, again)


def _aim(tol: float) -> float:
    return min(tol, CHOOSE.polished) if tol < SOME_MARGIN else tol
