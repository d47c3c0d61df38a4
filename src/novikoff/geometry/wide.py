"""Two sets of points in many dimensions, or sparse: the search on a working set of MaxMargin.

The distance of two hulls is twice the margin of the points as examples of two classes. Wolfe's
method on a working set (:mod:`novikoff.maxmargin.wolfe`) takes in many rows after each scan and
needs their products alone. It only proposes weights: both bounds are computed
here, rigorously, and what they leave undecided goes on from these rows with more digits
(:mod:`novikoff.geometry.search`).
"""

import numpy as np
from scipy import sparse

from novikoff.geometry.aim import Aim, Begin, Found
from novikoff.geometry.bodies.base import Body, Vector
from novikoff.geometry.bodies.ellipsoid import normalised
from novikoff.geometry.corral import mean_distance
from novikoff.geometry.pair import Shifted, rows_of
from novikoff.geometry.result import Combination, Ending, Verdict
from novikoff.geometry.rounding import gap_below, norm_above
from novikoff.geometry.search import LEAST_GAP, SHARE
from novikoff.maxmargin import Problem
from novikoff.maxmargin.wolfe.search import Search
from novikoff.maxmargin.wolfe.working_set import WorkingSet
from novikoff.run.clock import Clock, Limits
from novikoff.sample import Sample, storage_of

ZERO = 1e-8
"""The distance, in units of the largest, that products of rows cannot tell from zero."""


def many_dimensions(
    bodies: tuple[Body, Body], sets: tuple[Shifted, Shifted], aim: Aim, begin: Begin | None
) -> tuple[Found | None, Begin | None]:
    """Search on a working set; return what it decided, and the points it ended with."""
    X, sizes = _stacked(sets), [len(each.points) for each in sets]
    if X is None:
        return None, begin
    signs = np.repeat(np.array([1, -1], dtype=np.int8), sizes)
    sample = Sample.of(storage_of(X), signs)
    clock = Clock(Limits(max_iter=aim.max_steps, deadline=aim.deadline))
    search = Search(WorkingSet(Problem(sample)), clock)
    rows = rows_of(begin, *sizes)
    if begin is not None and rows is not None:
        start = np.zeros(sum(sizes))
        start[np.concatenate([rows[0], sizes[0] + rows[1]])] = np.concatenate(
            [part.weights for part in begin.parts]
        )
        search.start_from(start)
    status = search.run(max(SHARE * aim.rtol, LEAST_GAP), ZERO * sample.radius)
    found = search.solution(status)
    steps = int(np.ceil(clock.passes))
    shares = np.split(np.maximum(found.weights, 0.0), [sizes[0]])
    if not all(each.any() for each in shares):
        return None, begin
    return _decided(bodies, shares, aim, steps)


def _stacked(sets: tuple[Shifted, Shifted]) -> Vector | sparse.csr_array | None:
    """Return the rows of both sets, brought to lengths near 1 by a power of two."""
    shifts = [np.abs(each.shift).max() for each in sets if each.shift is not None]
    reach = float(max([*(each.points.column_reach.max() for each in sets), *shifts]))
    if reach == 0.0:
        return None
    power = np.ldexp(1.0, min(1000, -int(np.frexp(reach)[1])))
    if any(each.points.is_sparse for each in sets):
        if not all(each.points.is_sparse for each in sets):
            return None
        return sparse.vstack([each.array for each in sets], format="csr") * power
    rows = [each.array if each.shift is None else each.array + each.shift for each in sets]
    return np.concatenate(rows) * power


def _decided(
    bodies: tuple[Body, Body],
    shares: list[Vector],
    aim: Aim,
    steps: int,
) -> tuple[Found | None, Begin]:
    """Prove both bounds; whether they are as close as was asked for."""
    (K, L), errors = bodies, 0.0
    parts = []
    for body, weights in zip(bodies, shares, strict=True):
        rows = np.flatnonzero(weights).tolist()
        known = [found for found in map(body.recall, rows) if found is not None]
        points = np.array([point for point, _ in known])
        parts.append(Combination(points, weights[rows] / weights[rows].sum(), tuple(rows)))
        errors += max(error for _, error in known)
    best = parts[0], parts[1]
    w = normalised(best[0].point - best[1].point)
    if not w.any():
        return None, Begin(best, steps)
    first, second = K.extreme(-w), L.extreme(w)
    lower, upper = gap_below(w, first.value, second.value), mean_distance(best, errors)
    rho = norm_above(first.point - second.point)
    if not (lower > 0.0 and aim.is_reached(lower, upper, rho)):
        return None, Begin(best, steps)
    found = Found(
        lower=lower,
        upper=upper,
        w=w,
        edges=(-first.value, second.value),
        first=best[0],
        second=best[1],
        normal=best,
        verdict=Verdict.APART,
        ending=Ending.GAP_REACHED,
        steps=steps,
        rho=rho,
    )
    return found, Begin(best, steps)
