"""Wolfe's minimum-norm point in rational arithmetic, for combinations that nearly vanish.

Decimals are not binary fractions: 0.1 + 0.2 - 0.3 is zero on paper and 5.6e-17 in the data. Where
a combination vanishes in floating-point numbers but not exactly, the last steps of Wolfe's method
(Mathematical Programming 11, 1976) are taken exactly.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from flint import fmpq, fmpq_mat, fmpz_mat
from scipy import sparse

from novikoff.maxmargin.wolfe.candidates import Ids, Vector
from novikoff.maxmargin.wolfe.working_set import WorkingSet
from novikoff.run.clock import Clock


def vanishing_combination(candidates: WorkingSet, clock: Clock) -> Ids | None:
    """Return examples that combine to zero exactly, or ``None`` if the candidates have none.

    Also ``None`` where the clock ends it, or after too many steps.
    """
    sample = candidates.problem.sample
    if len(np.unique(sample.signs[candidates.support])) < (2 if sample.affine else 1):
        return None
    rows = sample.matrix(candidates.ids)
    signed = (rows.toarray() if sparse.issparse(rows) else rows) * sample.signs[
        candidates.ids, None
    ]
    places = {int(i): p for p, i in enumerate(candidates.ids)}
    corral = RationalCorral(
        _integers(signed),
        candidates.classes.tolist(),
        [places[int(i)] for i in candidates.support],
        candidates.weights.tolist(),
    )
    found = corral.descend(candidates.settings.rational_steps, clock)
    return None if found is None else candidates.ids[found]


def _integers(rows: Vector) -> list[list[int]]:
    """Return the rows with every column multiplied by a power of two that makes it whole."""
    columns = []
    for column in rows.T.tolist():
        ratios = [value.as_integer_ratio() for value in column]
        denominator = max(low for _, low in ratios)
        columns.append([high * (denominator // low) for high, low in ratios])
    return [list(row) for row in zip(*columns, strict=True)]


class RationalCorral:
    """A corral among candidates with integer rows; its weights are fractions."""

    def __init__(
        self,
        rows: list[list[int]],
        classes: list[int],
        members: list[int],
        weights: Sequence[float],
    ) -> None:
        self.rows = rows
        self.classes = classes
        self.members = members
        self.weights: list[Any] = [fmpq(*weight.as_integer_ratio()) for weight in weights]
        # A multiple of the last combination, in integers.
        self.point: list[int] = []
        self._normalise()

    def descend(self, most: int, clock: Clock) -> list[int] | None:
        """Return the members where their combination vanishes; ``None`` where it does not."""
        matrix, n_classes = fmpz_mat(self.rows), max(self.classes) + 1
        for _ in range(most):
            if not self._settle(clock):
                return None
            pairs = list(zip(self.weights, self.members, strict=True))
            point = [
                sum((a * self.rows[m][j] for a, m in pairs), fmpq(0))
                for j in range(len(self.rows[0]))
            ]
            if not any(point):
                return self.members
            common = math.lcm(*(int(value.q) for value in point))
            whole = [[int(value.p) * (common // int(value.q))] for value in point]
            self.point = [value for (value,) in whole]
            products = [int(row[0]) for row in (matrix * fmpz_mat(whole)).tolist()]
            levels = [
                next(products[m] for m in self.members if self.classes[m] == c)
                for c in range(n_classes)
            ]
            depths = [
                levels[c] - product for c, product in zip(self.classes, products, strict=True)
            ]
            deepest = max(range(len(depths)), key=depths.__getitem__)
            if depths[deepest] <= 0:
                return None
            self.members, self.weights = [*self.members, deepest], [*self.weights, fmpq(0)]
        return None

    def _normalise(self) -> None:
        totals = [fmpq(0), fmpq(0)]
        for m, a in zip(self.members, self.weights, strict=True):
            totals[self.classes[m]] += a
        self.weights = [
            a / totals[self.classes[m]] for m, a in zip(self.members, self.weights, strict=True)
        ]

    def _settle(self, clock: Clock) -> bool:
        """Move to the affine minimiser, dropping members whose weight vanishes on the way.

        Returns whether the clock left time for it.
        """
        while clock.interrupted() is None:
            new = self._affine_minimiser()
            if new is None:
                # A start from floating-point numbers may hold a member that depends on the others.
                lightest = min(range(len(self.members)), key=self.weights.__getitem__)
                del self.members[lightest], self.weights[lightest]
                self._normalise()
                continue
            pairs = list(zip(self.weights, new, strict=True))
            falls = [(a, a - b) for a, b in pairs if b <= 0]
            if not falls:
                self.weights = new
                return True
            theta = min(a / fall if fall > 0 else fmpq(0) for a, fall in falls)
            weights = [a + theta * (b - a) for a, b in pairs]
            kept = [p for p, a in enumerate(weights) if a > 0]
            self.members = [self.members[p] for p in kept]
            self.weights = [weights[p] for p in kept]
        return False

    def _affine_minimiser(self) -> list[Any] | None:
        """Return the weights of least norm with sum 1 in each class; ``None`` if not unique."""
        z = fmpz_mat([self.rows[m] for m in self.members])
        gram = z * z.transpose()
        mine = [self.classes[m] for m in self.members]
        unit = max(gram[p, p] for p in range(len(mine))) or 1
        for p, c in enumerate(mine):
            for q, other in enumerate(mine):
                if c == other:
                    gram[p, q] = gram[p, q] + unit
        present = sorted(set(mine))
        sides = fmpz_mat([[int(c == side) for side in present] for c in mine])
        try:
            halves: Any = gram.solve(sides)
            sums = fmpq_mat(sides.transpose()) * halves
            shares = sums.solve(fmpq_mat(len(present), 1, [1] * len(present)))
        except ZeroDivisionError:
            return None
        return [row[0] for row in (halves * shares).tolist()]
