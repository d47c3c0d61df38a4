"""Wolfe's minimum-norm point in rational arithmetic, for combinations that nearly vanish.

Decimals are not binary fractions: 0.1 + 0.2 - 0.3 is zero on paper and 5.6e-17 in the data. Where
floating-point numbers see a combination vanish and exact arithmetic denies it, the last steps are
taken exactly.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, fmpz_mat
from numpy.typing import NDArray
from scipy import sparse

from novikoff.maxmargin.wolfe.working_set import WorkingSet

Ids = NDArray[np.int64]

MOST_FEATURES = 40
MOST_STEPS = 300


def vanishing_combination(candidates: WorkingSet, stop: Callable[[], bool]) -> Ids | None:
    """Return examples that combine to zero exactly, or ``None`` if the candidates have none.

    Also ``None`` where it would take too long to know.
    """
    sample = candidates.problem.sample
    if sample.storage.shape[1] > MOST_FEATURES:
        return None
    rows = sample.matrix(candidates.ids)
    signed = (rows.toarray() if sparse.issparse(rows) else rows) * sample.signs[
        candidates.ids, None
    ]
    places = {int(i): p for p, i in enumerate(candidates.ids)}
    found = _corral(
        _integers(signed),
        candidates.classes.tolist(),
        [places[int(i)] for i in candidates.support],
        candidates.weights.tolist(),
        stop,
    )
    return None if found is None else candidates.ids[found]


def _integers(rows: NDArray[np.float64]) -> list[list[int]]:
    """Return the rows with every column multiplied by a power of two that makes it whole."""
    columns = []
    for column in rows.T.tolist():
        ratios = [value.as_integer_ratio() for value in column]
        denominator = max(low for _, low in ratios)
        columns.append([high * (denominator // low) for high, low in ratios])
    return [list(row) for row in zip(*columns, strict=True)]


def _corral(
    rows: list[list[int]],
    classes: list[int],
    members: list[int],
    start: Sequence[float],
    stop: Callable[[], bool],
) -> list[int] | None:
    matrix = fmpz_mat(rows)
    n_classes = max(classes) + 1
    weights = [fmpq(*weight.as_integer_ratio()) for weight in start]
    weights = _normalised(classes, members, weights)
    for _ in range(MOST_STEPS):
        if stop():
            return None
        members, weights = _settle(rows, classes, members, weights)
        point = [
            sum((a * rows[m][j] for a, m in zip(weights, members, strict=True)), fmpq(0))
            for j in range(len(rows[0]))
        ]
        if not any(point):
            return members
        common = math.lcm(*(int(value.q) for value in point))
        whole = [[int(value.p) * (common // int(value.q))] for value in point]
        products = [int(row[0]) for row in (matrix * fmpz_mat(whole)).tolist()]
        levels = [next(products[m] for m in members if classes[m] == c) for c in range(n_classes)]
        depths = [levels[c] - product for c, product in zip(classes, products, strict=True)]
        deepest = max(range(len(depths)), key=depths.__getitem__)
        if depths[deepest] <= 0:
            return None
        members, weights = [*members, deepest], [*weights, fmpq(0)]
    return None


def _normalised(classes: list[int], members: list[int], weights: list[Any]) -> list[Any]:
    totals = [fmpq(0), fmpq(0)]
    for m, a in zip(members, weights, strict=True):
        totals[classes[m]] += a
    return [a / totals[classes[m]] for m, a in zip(members, weights, strict=True)]


def _settle(
    rows: list[list[int]], classes: list[int], members: list[int], weights: list[Any]
) -> tuple[list[int], list[Any]]:
    """Move to the affine minimiser, dropping members whose weight vanishes on the way."""
    while True:
        new = _affine_minimiser(rows, classes, members)
        if new is None:
            # A start from floating-point numbers may hold a member that depends on the others.
            lightest = min(range(len(members)), key=weights.__getitem__)
            del members[lightest], weights[lightest]
            weights = _normalised(classes, members, weights)
            continue
        falls = [(a, a - b) for a, b in zip(weights, new, strict=True) if b <= 0]
        if not falls:
            return members, new
        theta = min(a / fall if fall > 0 else fmpq(0) for a, fall in falls)
        weights = [a + theta * (b - a) for a, b in zip(weights, new, strict=True)]
        kept = [p for p, a in enumerate(weights) if a > 0]
        members, weights = [members[p] for p in kept], [weights[p] for p in kept]


def _affine_minimiser(
    rows: list[list[int]], classes: list[int], members: list[int]
) -> list[Any] | None:
    """Return the weights of least norm with sum 1 in each class; ``None`` if they are many."""
    z = fmpz_mat([rows[m] for m in members])
    gram = z * z.transpose()
    unit = max(gram[p, p] for p in range(len(members))) or 1
    present = sorted({classes[m] for m in members})
    for p, m in enumerate(members):
        for q, other in enumerate(members):
            if classes[m] == classes[other]:
                gram[p, q] = gram[p, q] + unit
    sides = fmpz_mat([[int(classes[m] == c) for c in present] for m in members])
    try:
        halves: Any = gram.solve(sides)
        sums = fmpq_mat(sides.transpose()) * halves
        shares = sums.solve(fmpq_mat(len(present), 1, [1] * len(present)))
    except ZeroDivisionError:
        return None
    return [row[0] for row in (halves * shares).tolist()]
