"""Whether two hulls of few rational points meet, decided exactly.

A common point is a solution of ``sum a_i p_i = sum b_j q_j`` with weights that are nonnegative and
sum to 1 on either side. On an affinely independent set of points the weights are unique, and come
from one linear system. Where floating-point numbers chose the wrong points, Wolfe's method goes on
in rational arithmetic.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flint import fmpq, fmpq_mat

from novikoff.geometry.bodies.base import Exact
from novikoff.maxmargin.wolfe.rational import RationalCorral
from novikoff.run.clock import Clock


@dataclass(frozen=True)
class Meeting:
    """Weights, for the points of either side by their places, that make the same point."""

    first: dict[int, Any]
    second: dict[int, Any]


def common_weights(first: Sequence[Exact], second: Sequence[Exact]) -> Meeting | None:
    """Solve for the common point of two sets of points that are affinely independent.

    Examples
    --------
    >>> half = fmpq(1, 2)
    >>> common_weights([[fmpq(0)], [fmpq(2)]], [[half]])
    Meeting(first={0: 3/4, 1: 1/4}, second={0: 1})
    """
    signed = [*first, *([-x for x in q] for q in second)]
    columns = len(signed)
    rows = [[*values, fmpq(0)] for values in zip(*signed, strict=True)]
    sides = [fmpq(1)] * len(first) + [fmpq(0)] * len(second)
    rows.append([*sides, fmpq(1)])
    rows.append([*(1 - s for s in sides), fmpq(1)])
    reduced, rank = fmpq_mat(rows).rref()
    if rank != columns:
        # Inconsistent, or more than one solution.
        return None
    weights = [reduced[i, columns] for i in range(columns)]
    if any(reduced[i, i] != 1 for i in range(columns)) or min(weights) < 0:
        return None
    return _meeting(weights, list(range(columns)), len(first))


def _meeting(weights: Sequence[Any], places: Sequence[int], split: int) -> Meeting:
    pairs = [(i, a) for i, a in zip(places, weights, strict=True) if a]
    return Meeting(
        {i: a for i, a in pairs if i < split}, {i - split: a for i, a in pairs if i >= split}
    )


def decide(
    first: Sequence[Exact],
    second: Sequence[Exact],
    weights: tuple[Sequence[float], Sequence[float]],
    *,
    steps: int,
    clock: Clock,
) -> Meeting | list[Any] | None:
    """Find a common point of two hulls, or a direction that separates them, exactly.

    ``weights`` are where to begin. The direction is that of the nearest points in coordinates that
    are scaled to integers, so it is larger on every point of ``first``. ``None`` where the steps
    or the time do not suffice.
    """
    signed = [*first, *([-x for x in q] for q in second)]
    columns, scales = [], []
    for column in zip(*signed, strict=True):
        common = math.lcm(*(int(value.q) for value in column))
        scales.append(common)
        columns.append([int(value.p) * (common // int(value.q)) for value in column])
    rows = [list(row) for row in zip(*columns, strict=True)]
    classes = [0] * len(first) + [1] * len(second)
    both = [*weights[0], *weights[1]]
    members = [i for i, a in enumerate(both) if a > 0.0]
    corral = RationalCorral(rows, classes, members, [both[i] for i in members])
    found = corral.descend(steps, clock)
    if found is not None:
        return _meeting(corral.weights, found, len(first))
    if not corral.point or clock.interrupted() is not None:
        return None
    return [fmpq(x) * scale for x, scale in zip(corral.point, scales, strict=True)]
