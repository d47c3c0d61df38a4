"""The few examples near the boundary, and the corral among them."""

from collections.abc import Callable

import numpy as np
from scipy import sparse

from novikoff.compiled import factor
from novikoff.compiled import wolfe as corral
from novikoff.maxmargin.problem import Problem
from novikoff.maxmargin.wolfe.candidates import (
    NONE,
    DenseRows,
    ExtendedRows,
    Ids,
    Rows,
    SparseRows,
    Vector,
    grown,
)

# A burst of steps, between which a limit may end it, is about so many products.
BURST = 10**8
FEW_MEMBERS = 64
UNIT = 1.0


class WorkingSet:
    """Candidates of a problem, and the point of least norm among them.

    Parameters
    ----------
    problem : Problem
        Where the candidates come from.
    scale : array of shape (n_features,), optional
        Work on the vectors themselves instead of their Gram matrix, which is slower and right
        down to 1e-15 of the largest length instead of 1e-8; for the hard margin only. The
        columns are multiplied by ``scale`` first: by powers of two, which do not round.
    length : float, optional
        With ``scale``: the largest norm of a scaled example, or more.
    """

    def __init__(
        self, problem: Problem, scale: Vector | None = None, length: float | None = None
    ) -> None:
        sample = problem.sample
        self.problem = problem
        self.scale = scale
        self.length = sample.radius if length is None else length
        self.ids: Ids = np.empty(0, dtype=np.int64)
        self.classes: Ids = np.empty(0, dtype=np.int64)
        self.steps = 0
        # Powers of two bring lengths near 1, so that the corral's squares of squares stay finite.
        self._shrink = 0.0 if scale is None else power_below(self.length)
        self._rows: Rows
        if scale is not None:
            self._rows = ExtendedRows(sample, scale * self._shrink)
        elif sparse.issparse(sample.storage.matrix):
            self._rows = SparseRows(sample)
        else:
            self._rows = DenseRows(sample)
        self._gram: Vector = NONE
        self._size = 0
        self._members: Ids = np.empty(0, dtype=np.int64)
        self._weights: Vector = np.empty(0)
        self._factor: Vector = NONE
        self._basis: Vector = NONE
        self._point = np.zeros(0 if scale is None else len(scale))
        self._halves = np.empty((2 if sample.affine else 1, 0))

    @property
    def support(self) -> Ids:
        """The examples of the corral."""
        return self.ids[self._members[: self._size]]

    @property
    def weights(self) -> Vector:
        """Their weights, which sum to 1 in each class."""
        return self._weights[: self._size]

    @property
    def support_classes(self) -> Ids:
        """Their classes: 0 is that of the positive examples, or the only one."""
        return self.classes[self._members[: self._size]]

    def point(self) -> tuple[Vector, float]:
        """Return the direction to scan along, and the least norm itself (slack not counted)."""
        if self.scale is not None:
            point = self._point / self._shrink
            return point * self.scale, float(np.linalg.norm(point))
        w = self._rows.combine(self._members[: self._size], self.weights)
        return w, float(np.linalg.norm(w))

    def add(self, ids: Ids) -> int:
        """Take examples in; return how many of them are new."""
        ids = np.setdiff1d(ids, self.ids)
        if not len(ids):
            return 0
        sample, before = self.problem.sample, len(self.ids)
        products = self._rows.add(ids)
        self.ids = np.concatenate([self.ids, ids])
        second = (sample.signs[ids] < 0) & sample.affine
        self.classes = np.concatenate([self.classes, second.astype(np.int64)])
        if self.scale is None:
            if self.problem.slack2 is not None:
                new = np.arange(len(ids))
                products[before + new, new] += self.problem.slack2[ids]
            count = len(self.ids)
            if self._shrink == 0.0:
                own = products[before + np.arange(len(ids)), np.arange(len(ids))]
                self._shrink = power_below(float(np.sqrt(own.max())))
            products *= self._shrink**2
            if count > len(self._gram):
                self._gram = squared(self._gram, max(count, 5 * len(self._gram) // 4))
            self._gram[:count, before:count] = products
            self._gram[before:count, :before] = products[:before].T
        return len(ids)

    def begin(self, support: Ids, weights: Vector) -> None:
        """Make the given examples the corral, as far as they are independent."""
        self.add(support)
        order = np.argsort(self.ids)
        positions = order[np.searchsorted(self.ids, support, sorter=order)]
        while len(self._members) < len(support):
            self._make_room()
        taken = np.empty(len(support), dtype=np.bool_)
        self._size = factor.fill(
            self._gram,
            self._vectors,
            self.classes,
            UNIT,
            self._members,
            self._factor,
            self._halves,
            self._basis,
            positions,
            taken,
        )
        self._weights[: self._size] = weights[taken]
        for c in range(len(self._halves)):
            mine = self.support_classes == c
            self.weights[mine] /= self.weights[mine].sum()

    def solve(self, tol: float, zero: float, stop: Callable[[], bool]) -> bool:
        """Find the point of least norm among the candidates; whether there was time and digits.

        Between bursts of steps, ``stop`` may end it.
        """
        ended = corral.EXHAUSTED
        while ended in (corral.EXHAUSTED, corral.FULL):
            if ended == corral.FULL:
                self._make_room()
            elif stop():
                return False
            ended, self._size, steps = corral.descend(
                self._gram,
                self._vectors,
                self.classes,
                UNIT,
                self._members,
                self._weights,
                self._factor,
                self._halves,
                self._basis,
                self._size,
                tol,
                zero * self._shrink,
                min(500, 1 + BURST // (1 + self._size) ** 2),
                self._point,
            )
            self.steps += int(steps)
        return bool(ended == corral.SATISFIED)

    @property
    def _vectors(self) -> Vector:
        return self._rows.z if isinstance(self._rows, ExtendedRows) else NONE

    def _make_room(self) -> None:
        """Let the corral have twice as many members."""
        have = len(self._members)
        room = max(FEW_MEMBERS, 2 * have)
        self._members = grown(self._members, room)
        self._weights = grown(self._weights, room)
        self._halves = np.ascontiguousarray(grown(self._halves.T, room).T)
        self._factor = squared(self._factor, room)
        if self.scale is not None:
            self._basis = grown(self._basis.reshape(have, len(self.scale) + 2), room)


def squared(array: Vector, length: int) -> Vector:
    """Return a larger square matrix, zero beyond the given one."""
    larger = np.zeros((length, length))
    larger[: len(array), : len(array)] = array
    return larger


def power_below(length: float) -> float:
    """Return the power of two that brings a length to between 1/2 and 1."""
    return float(np.ldexp(1.0, -int(np.frexp(length)[1]))) if length > 0.0 else 1.0
