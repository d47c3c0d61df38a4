"""Ways around stiff hinges: softer problems, whose steps are long.

The method of multipliers: Y. Yan & Q. Li, "An efficient augmented Lagrangian method for support
vector machine", Optimization Methods and Software 35 (2020).
"""

from novikoff.maxmargin.newton.objective import Objective, Point
from novikoff.maxmargin.newton.steps import Steps


def detour(run: Steps, some: Objective, point: Point) -> Point:
    """Approach the optimum through softer problems.

    Where hinges are stiff, a step opens others at once and is short. The optimum of a softer
    problem has nearly the same open hinges. With ``patient=False`` it ends, and so does the
    search, on the way back: where about as many hinges are open as there are features, or few
    and a step is short. Wolfe's method goes on from there.
    """
    if run.patient:
        return _detour_with_multipliers(run, some, point)
    settings = run.settings
    softness, hardening = settings.softer, False
    while softness > 1.0 and not run.gave_up:
        softer, length = some.softened(softness), 0.0
        run.curvature.forget()
        point = softer.point(point.w, point.offset, point.products)
        for _ in range(settings.detour_steps):
            point, length = run.step(softer, point, forcing=settings.forcing_on_detours)
            short = length < settings.short_step
            if length >= settings.long_step or (short and not hardening):
                break
            if short and run.gives_up(point, detoured=True):
                break
        else:
            # Rounding, not stiffness, keeps the steps short.
            break
        hardening = hardening or length >= settings.long_step
        near = len(point.active) <= settings.near_corral * len(point.w)
        run.gave_up = run.gave_up or (near and hardening and not run.patient)
        softness *= 1.0 / settings.harder if hardening else settings.softer
    return run.posed(some, point)


def _detour_with_multipliers(run: Steps, some: Objective, point: Point) -> Point:
    """Approach the optimum through softer problems that have the same optimum.

    On the way back a proximal term in the dual, the method of multipliers, makes up for the
    softness: the gap of the problem that was posed is often reached while hinges are still
    soft. On sparse data, whose steps are cheap, this takes 5 to 10 % more passes than without.
    """
    settings = run.settings
    point, softness = _soften(run, some, point)
    while softness > 1.0:
        softness = max(1.0, softness / settings.harder_with_multipliers)
        softer = some.softened(softness, near=point)
        run.curvature.forget()
        point = softer.point(point.w, point.offset, point.products)
        for _ in range(settings.detour_steps):
            point, _ = run.step(softer, point, forcing=settings.forcing_on_detours)
            ended = point.steepness(settings.vanishing_norm) <= settings.near_optimum
            if _settles(run, some, point, ended):
                return run.posed(some, point)
            if ended:
                break
        else:
            # Rounding, not stiffness, keeps the steps short.
            break
        if run.leaves_with(softer, point):
            break
    return run.posed(some, point)


def _soften(run: Steps, some: Objective, point: Point) -> tuple[Point, float]:
    """Make hinges softer until steps are long; return a point near the optimum there.

    Also how soft they are, or 1 where rounding keeps the steps short.
    """
    settings, softness, long = run.settings, 1.0, False
    while not long:
        softness *= settings.softer
        softer = some.softened(softness)
        run.curvature.forget()
        point = softer.point(point.w, point.offset, point.products)
        for _ in range(settings.detour_steps):
            point, length = run.step(softer, point, forcing=settings.forcing_on_detours)
            long = length >= settings.long_step
            near = point.steepness(settings.vanishing_norm) <= settings.near_optimum
            if length < settings.short_step or (long and near):
                break
        else:
            return point, 1.0
    return point, softness


def _settles(run: Steps, some: Objective, point: Point, ended: bool) -> bool:
    """Whether a detour on all examples has led to the gap that was asked for.

    Weights are judged after each step; the hyperplane, which takes longer, where the softer
    problem has ``ended`` or the gap is small.
    """
    if run.exact or some is not run.whole:
        return False
    assert run.best is not None and run.proof is not None
    run.prove(point.proof)
    enough = 1.0 - run.settings.nearly * run.tol
    if ended or run.proof.dual >= enough * run.best.primal:
        run.record(some.at_best_length(point))
    return run.reached()
