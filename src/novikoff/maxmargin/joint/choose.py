"""The choice of a solver for the margin of several classes.

====================  ============================================================================
``joint-wolfe``       minimum-norm point on a working set of virtual rows: margins of few virtual
                      rows, or of few that carry weight
``joint-coordinate``  dual coordinate descent over the examples: the first of all but the smallest
                      problems
``joint-newton``      Newton's method: few features and classes
``joint-conjugate``   the same by conjugate gradients: sparse data of many features
``joint-gram-newton`` the same on the Gram matrix of a working set: those of many features, where
                      coordinate descent is slow
``joint-interior``    interior-point method: with the hinge, where Newton's method does not end
====================  ============================================================================
"""

from dataclasses import replace
from math import inf

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.choose.settings import CHOOSE, MOST_STIFF
from novikoff.maxmargin.joint.corral import joint_corral
from novikoff.maxmargin.joint.descent import has_faces, joint_descent
from novikoff.maxmargin.joint.gram_newton import gram_work, joint_gram_newton
from novikoff.maxmargin.joint.interior import interior_work, joint_interior
from novikoff.maxmargin.joint.newton import (
    joint_newton,
    newton_work,
    step_work,
    takes_conjugates,
)
from novikoff.maxmargin.joint.problem import JointProblem, JointSolution, Vector
from novikoff.maxmargin.joint.settings import CORRAL, DESCENT, GRAM
from novikoff.maxmargin.wolfe.precise import SOME_MARGIN
from novikoff.run.clock import Clock

SMALL_ROWS = 1500
"""Up to this many virtual rows a problem is solved to the optimum, as all of them may be members of
a corral. The answer does not depend on the order of examples then."""

NEWTON_WORK = 2e8
"""Multiplications in a step of Newton's method up to which it is tried first: about 0.1 s, of which
six to twenty suffice."""

MOST_NEWTON_WORK = 2.5e9
"""The same, up to which it takes over from coordinate descent. With a limit of 1e9, 10,000 x 400
indicators, five classes and C = 100 end at a gap of 0.26 after 500 passes."""

CLOSE = 0.5
"""Newton's method begins where coordinate descent led if the gap is smaller: from gaps of 0.6 it
took more steps than from a model of zeros, on 3,000 x 10, 100 classes, and 5,000 x 50, 30."""

INTERIOR_WORK = 1e9
"""Multiplications in an iteration of the interior-point method, up to which it takes over from
coordinate descent: about a quarter of a second, of which there are ten to thirty."""

INTERIOR_GAP = 1e-7
"""The gap that it aims at: close to the optimum its gap falls by ten or more in an iteration, and
weights that are not those of the support vanish only there."""

SMALL_RATIO, RATIO = 15, 5
"""The least number of examples for each number of the model with which small problems, and others,
are left to Newton's method. Small ones: 150 x 4 and three classes take the exact solver 4 to 8 ms,
Newton's method 6 to 10; 500 x 8 lognormal columns of different units 130 to 290 and 20. Others:
with fewer, few examples carry the weight of separable classes; at 2 digits take 240 to 300 ms, not
70 to 85."""

NEWTON_STEPS, STEP_WORK, CORRAL_WORK = 20, 2e6, 0.6
"""Where coordinate descent gives up, few positive weights are left to the exact solver: it takes
about ``CORRAL_WORK`` multiplications times the cube of their number. More are left to Newton's
method: so many steps, each of ``STEP_WORK`` multiplications beside those that the rows take. Ten
values of C on five folds, with all left to the exact solver first, with this rule, and with none:
1,400 x 27 columns of different units, six classes, 8.5, 2.1 and 1.5 s; scaled, nine classes, 7.7,
1.6 and 1.6; digits 1.6, 1.5 and 2.4."""

STIFF_PASSES = 10
"""The passes that a search gets nevertheless, for a model to return."""

CONJUGATE_OF_GRAM = 2.5
"""How many steps by conjugate gradients there are, about, for each step on a Gram matrix: 2,400 x
8,531 counts, C = 100, take 35 to 50 of the former, of which ten to twenty are usual."""

HARD_PASSES = 300
"""The passes after which coordinate descent gives up a hard margin if nothing separates the classes
yet: where nothing can, it would go on for ever."""

FEW_ROWS = 500
"""Up to so many virtual rows with weight after some sweeps, a hard margin is left to the exact
solver, which adds them one by one, and else to Newton's method. Digits: 0.30 s at half the value,
0.15; 2,000 x 20, five classes: 0.14, 0.07."""


def joint_soft_margin(
    problem: JointProblem,
    *,
    tol: float,
    clock: Clock,
    start: Vector | None = None,
    offsets: Vector | None = None,
    polish: bool = True,
    newton_first: bool = False,
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
    newton_first : bool
        Whether squared hinges are left to Newton's method first of all where its steps are small,
        as it solved a problem that is much the same.
    """
    if _is_too_stiff(problem):
        asked_more = clock.fits(STIFF_PASSES + 1.0)
        with np.errstate(over="ignore", invalid="ignore"), clock.at_most(STIFF_PASSES):
            if problem.most is None and problem.n_rows <= SMALL_ROWS:
                return joint_corral(problem, tol=tol, clock=clock, start=start)
            end = joint_descent(problem, tol=tol, clock=clock, start=start, offsets=offsets)
            # More passes would find no more digits, unless the limit is not the one set here.
            cut_here = end.status is Status.MAX_ITER and asked_more
            return replace(end, status=Status.PRECISION) if cut_here else end
    small = polish and problem.n_rows <= SMALL_ROWS
    found = None
    known = newton_first and problem.most is None and step_work(problem) <= NEWTON_WORK
    if known or _suits_newton(problem, small):
        found = joint_newton(
            problem,
            tol=tol,
            aim=_aim(tol) if small else None,
            clock=clock,
            start=start,
            offsets=offsets,
            # The exact solver has no hinge that is not squared, and the others take longer.
            patient=problem.most is not None,
        )
        if found.status is not Status.PRECISION or clock.stop() is not None:
            return found
    if problem.most is None:
        again = _squared_without_newton(problem, tol, clock, start, offsets, small)
    else:
        again = _hinge_without_newton(problem, tol, clock, start, offsets, found is not None)
    found = again if found is None else problem.joined(found, again)
    if found.status is not Status.PRECISION or clock.stop() is not None:
        return found
    again = joint_descent(problem, tol=tol, clock=clock, start=found.weights, offsets=found.offsets)
    return problem.joined(found, again)


def _is_too_stiff(problem: JointProblem) -> bool:
    assert problem.slack2 is not None
    radius2 = problem.sample.radius * problem.sample.radius
    if problem.most is not None:
        return bool(problem.most.max() * radius2 > MOST_STIFF)
    return bool(problem.slack2.min() < radius2 / MOST_STIFF)


def _suits_newton(problem: JointProblem, small: bool) -> bool:
    if step_work(problem) > NEWTON_WORK:
        return False
    numbers = problem.n_classes * (problem.n_features + int(problem.sample.affine))
    if problem.most is not None:
        return small or problem.n_examples >= RATIO * numbers
    return problem.n_examples >= (SMALL_RATIO if small else RATIO) * numbers


def _has_newton(problem: JointProblem) -> bool:
    """Whether Newton's method on rows may take over from coordinate descent."""
    return takes_conjugates(problem) or newton_work(problem) <= MOST_NEWTON_WORK


def _squared_without_newton(
    problem: JointProblem,
    tol: float,
    clock: Clock,
    start: Vector | None,
    offsets: Vector | None,
    small: bool,
) -> JointSolution:
    if small:
        swept = None
        if start is None and problem.n_rows > CORRAL.take_all:
            swept = joint_descent(problem, tol=tol, clock=clock, sweeps=DESCENT.patience)
            start = swept.weights
        found = joint_corral(problem, tol=tol, aim=_aim(tol), clock=clock, start=start)
        found = found if swept is None else problem.joined(swept, found)
    else:
        found = joint_descent(
            problem,
            tol=tol,
            clock=clock,
            start=start,
            offsets=offsets,
            few=CORRAL.most_members,
            patient=takes_conjugates(problem) or not _has_newton(problem),
            sweeps=DESCENT.conjugate_sweeps if takes_conjugates(problem) else DESCENT.sweeps,
            by_gram=not _has_newton(problem),
        )
        if found.gave_up and _suits_corral(problem, found):
            exact = joint_corral(problem, tol=tol, clock=clock, start=found.weights)
            found = problem.joined(found, exact)
    if found.status is not Status.PRECISION or clock.stop() is not None:
        return found
    # Columns of different units are what leaves Wolfe's method without digits, and coordinate
    # descent at its limit; Newton's method minds neither.
    return _newton_after(problem, tol, clock, found)


def _suits_corral(problem: JointProblem, found: JointSolution) -> bool:
    """Whether the exact solver takes less time than Newton's method."""
    members = int(np.count_nonzero(found.weights))
    if not _has_newton(problem) or takes_conjugates(problem):
        return members <= CORRAL.most_members
    newton = NEWTON_STEPS * (STEP_WORK + newton_work(problem))
    return members <= CORRAL.most_members and CORRAL_WORK * float(members) ** 3 <= newton


def _hinge_without_newton(
    problem: JointProblem,
    tol: float,
    clock: Clock,
    start: Vector | None,
    offsets: Vector | None,
    tried: bool,
) -> JointSolution:
    fits = interior_work(problem) <= INTERIOR_WORK
    small = problem.n_rows <= SMALL_ROWS
    if fits and (small or tried):
        aim = _aim(tol) if small else INTERIOR_GAP
        return joint_interior(problem, tol=tol, aim=aim, clock=clock)
    found = joint_descent(
        problem,
        tol=tol,
        clock=clock,
        start=start,
        offsets=offsets,
        sweeps=DESCENT.conjugate_sweeps if takes_conjugates(problem) else DESCENT.hinge_sweeps,
        by_gram=not _has_newton(problem),
    )
    if found.gave_up:
        found = _newton_after(problem, tol, clock, found)
    if found.status is not Status.PRECISION or clock.stop() is not None or not fits:
        return found
    exact = joint_interior(problem, tol=tol, aim=INTERIOR_GAP, clock=clock)
    return problem.joined(found, exact)


def _newton_after(
    problem: JointProblem, tol: float, clock: Clock, found: JointSolution
) -> JointSolution:
    """Run Newton's method, on rows or on a Gram matrix, if one of them is small enough."""
    conjugates, room = takes_conjugates(problem), _has_newton(problem)
    if conjugates or not room:
        positive = int(np.count_nonzero(found.weights))
        worth = CONJUGATE_OF_GRAM * step_work(problem) if conjugates else inf
        if positive <= GRAM.most_unknowns and gram_work(positive) <= worth:
            again = joint_gram_newton(problem, tol=tol, clock=clock, before=found)
            found = problem.joined(found, again)
        if not room or found.gap <= tol or clock.stop() is not None:
            return found
    ways = [conjugates]
    if conjugates and newton_work(problem) <= MOST_NEWTON_WORK:
        # A factorisation has digits where conjugate gradients have none left.
        ways.append(False)
    for by_conjugates in ways:
        close = found.gap < CLOSE
        again = joint_newton(
            problem,
            tol=tol,
            clock=clock,
            start=found.weights if close else None,
            offsets=found.offsets if close else None,
            before=found,
            by_conjugates=by_conjugates,
        )
        found = problem.joined(found, again)
        if found.status is not Status.PRECISION or clock.stop() is not None:
            break
    return found


def joint_hard_margin(
    problem: JointProblem,
    *,
    tol: float,
    clock: Clock,
    start: Vector | None = None,
    by_sweeps: bool = False,
) -> JointSolution:
    """Return the model of largest margin, to within ``tol``; small problems to the optimum.

    The status is NOT_SEPARABLE where virtual rows combine to zero up to rounding: they are those
    with weight, and exact arithmetic is to say whether they do. Parameters as of
    :func:`joint_soft_margin`, and ``by_sweeps``: whether large sparse problems are left to
    coordinate descent alone, whose passes tell what it takes.
    """
    small = problem.n_rows <= SMALL_ROWS
    if by_sweeps and not small and has_faces(problem):
        return joint_descent(problem, tol=tol, clock=clock, start=start)
    swept = None
    if problem.n_rows > CORRAL.take_all:
        swept = joint_descent(
            problem,
            tol=tol,
            clock=clock,
            start=start,
            sweeps=DESCENT.hard_sweeps,
            by_gram=not small and newton_work(problem) > MOST_NEWTON_WORK,
        )
        if clock.stop() is not None or (swept.status is Status.GAP_REACHED and not small):
            return swept
        if not small and np.count_nonzero(swept.weights) > FEW_ROWS:
            swept = _widened(problem, tol, clock, swept)
            if swept.status is not Status.PRECISION or clock.stop() is not None:
                return swept
        # Weights of what does not separate yet may be far from those of the widest margin.
        start = swept.weights if swept.lower > 0.0 else start
    found = joint_corral(
        problem, tol=tol, aim=_aim(tol) if small else tol, clock=clock, start=start
    )
    if found.status is Status.NOT_SEPARABLE:
        return found
    found = found if swept is None else problem.joined(swept, found)
    if found.status is not Status.PRECISION or clock.stop() is not None:
        return found
    with clock.at_most(inf if found.lower > 0.0 else HARD_PASSES):
        again = joint_descent(problem, tol=tol, clock=clock, start=found.weights)
    if again.status is Status.MAX_ITER and clock.stop() is None:
        again = replace(again, status=Status.PRECISION)
    return problem.joined(found, again)


def _widened(
    problem: JointProblem, tol: float, clock: Clock, swept: JointSolution
) -> JointSolution:
    """Go on by Newton's method where sweeps have not ended, if it has room."""
    if newton_work(problem) <= MOST_NEWTON_WORK:
        found = joint_newton(
            problem, tol=tol, clock=clock, start=swept.weights, by_conjugates=False
        )
    elif np.count_nonzero(swept.weights) <= GRAM.most_unknowns:
        found = joint_gram_newton(problem, tol=tol, clock=clock, before=swept)
    else:
        return swept
    return problem.joined(swept, found)


def _aim(tol: float) -> float:
    return min(tol, CHOOSE.polished) if tol < SOME_MARGIN else tol
