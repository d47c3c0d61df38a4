"""The candidates of Wolfe's method, a few examples near the boundary, and the corral among them."""

import math
from collections.abc import Callable
from math import inf

import numpy as np

from novikoff.compiled import factor
from novikoff.compiled import wolfe as compiled
from novikoff.compiled.factor import Corral, GramCorral, VectorCorral
from novikoff.maxmargin.problem import Problem
from novikoff.maxmargin.wolfe.candidates import (
    DenseRows,
    ExtendedRows,
    GramRows,
    Ids,
    SparseRows,
    Vector,
    grown,
)
from novikoff.maxmargin.wolfe.settings import WOLFE, WolfeSettings
from novikoff.run.clock import Clock


class WorkingSet:
    """Candidates of a problem, and the point of least norm among them.

    Parameters
    ----------
    problem : Problem
        Where the candidates come from.
    settings : WolfeSettings, optional
        Sizes of arrays and bursts.
    scale : array of shape (n_features,), optional
        Work on the vectors themselves instead of their Gram matrix, which is slower and right
        down to 1e-15 of the largest length instead of 1e-8; for the hard margin only. The
        columns are multiplied by ``scale`` first: by powers of two, which do not round.
    length : float, optional
        With ``scale``: the largest norm of a scaled example, or more.
    """

    def __init__(
        self,
        problem: Problem,
        settings: WolfeSettings = WOLFE,
        *,
        scale: Vector | None = None,
        length: float | None = None,
    ) -> None:
        sample = problem.sample
        self.problem = problem
        self.settings = settings
        self.scale = scale
        self.length = sample.radius if length is None else length
        self.ids: Ids = np.empty(0, dtype=np.int64)
        self._known = np.zeros(sample.n_examples, dtype=np.bool_)
        # Powers of two bring lengths near 1, so that the corral's squares of squares stay finite.
        self._shrink = 0.0 if scale is None else power_below(self.length)
        # Far from the origin, products of sparse rows would lose their digits to the centre's.
        far = float(sample.centre @ sample.centre) > settings.far * sample.radius**2
        wide = sample.storage.width > settings.narrow
        in_place = sample.is_sparse and wide and not far
        self._rows: GramRows = SparseRows(sample) if in_place else DenseRows(sample)
        self._vectors: ExtendedRows | None = None
        if scale is not None:
            self._vectors = ExtendedRows(sample, scale * self._shrink, settings.unit)
        self._size = 0
        # What the search has cost, in values read by a pass: about a nanosecond each.
        self.work = 0.0
        self._corral = self._empty_corral()

    def _empty_corral(self) -> Corral:
        """Return the corral without members of no candidates."""
        empty, nobody = np.empty((0, 0)), np.empty(0, dtype=np.int64)
        length = self.settings.first_members
        halves = np.zeros((2 if self.problem.sample.affine else 1, length))
        members, weights = np.zeros(length, dtype=np.int64), np.zeros(length)
        factor = np.zeros((length, length))
        shared = (nobody, self.settings.unit, members, weights, factor, halves)
        if self.scale is None:
            return GramCorral(empty, *shared)
        basis = np.zeros((length, len(self.scale) + 2))
        return VectorCorral(empty, *shared, basis=basis, point=np.zeros(len(self.scale)))

    @property
    def classes(self) -> Ids:
        """The classes of the candidates: 0 is that of the positive examples, or the only one."""
        return self._corral.classes

    @property
    def support(self) -> Ids:
        """The examples of the corral."""
        return self.ids[self._members]

    @property
    def weights(self) -> Vector:
        """Their weights, which sum to 1 in each class."""
        return self._corral.weights[: self._size]

    @property
    def _members(self) -> Ids:
        members: Ids = self._corral.members[: self._size]
        return members

    def point(self) -> tuple[Vector, float]:
        """Return the direction to scan along, and the least norm itself (slack not counted)."""
        if isinstance(self._corral, VectorCorral) and self.scale is not None:
            point = self._corral.point / self._shrink
            return point * self.scale, float(np.linalg.norm(point))
        w = self._rows.combine(self._members, self.weights)
        return w, float(np.linalg.norm(w))

    def add(self, ids: Ids) -> int:
        """Take examples in, each given once; return how many of them are new."""
        sample, before = self.problem.sample, len(self.ids)
        ids = np.sort(ids[~self._known[ids]] if before else ids)
        if not len(ids):
            return 0
        self._known[ids] = True
        classes = ((sample.signs[ids] < 0) & sample.affine).astype(np.int64)
        self.ids = np.concatenate([self.ids, ids]) if before else ids
        classes = np.concatenate([self.classes, classes]) if before else classes
        if isinstance(self._corral, GramCorral):
            gram = self._larger_gram(ids, self._corral.gram)
            self._corral = self._corral._replace(classes=classes, gram=gram)
        elif self._vectors is not None:
            self._vectors.add(ids)
            self._corral = self._corral._replace(classes=classes, vectors=self._vectors.z)
        return len(ids)

    def _larger_gram(self, ids: Ids, gram: Vector) -> Vector:
        """Return the Gram matrix with the last candidates, which are ``ids``, in it."""
        products, count = self._rows.add(ids), len(self.ids)
        width = self.problem.sample.storage.n_values / self.problem.sample.n_examples
        self.work += self.settings.gram_work * count * len(ids) * width
        before = count - len(ids)
        if self.problem.slack2 is not None:
            new = np.arange(len(ids))
            products[before + new, new] += self.problem.slack2[ids]
        if self._shrink == 0.0:
            self._shrink = power_below(math.sqrt(products.diagonal(-before).max()))
        products *= self._shrink**2
        if not before:
            return products
        if count > len(gram):
            gram = larger_square(gram, max(count, 5 * len(gram) // 4))
        gram[:count, before:count] = products
        gram[before:count, :before] = products[:before].T
        return gram

    def begin_with_all(self) -> None:
        """Take all examples in, and begin with the worst along the difference of the class means.

        With no more examples than features, nearly all of them tend to carry the optimum: then
        begin with all of them.
        """
        self.add(self.problem.sample.order)
        count = len(self.ids)
        if count <= self.problem.n_features:
            self._begin_at(np.arange(count), np.ones(count))
            return
        assert isinstance(self._corral, GramCorral)
        sizes = np.bincount(self.classes)
        margins = self._corral.gram[:count, :count] @ (1.0 / sizes[self.classes])
        worst = [np.where(self.classes == c, margins, inf).argmin() for c in range(len(sizes))]
        self._begin_at(np.array(worst), np.ones(len(worst)))

    def begin(
        self, support: Ids, weights: Vector, check: Callable[[], None] = lambda: None
    ) -> None:
        """Make the given examples the corral, as far as they are independent.

        ``check`` is called again and again, and may raise to stop it.
        """
        self.add(support)
        order = np.argsort(self.ids)
        self._begin_at(order[np.searchsorted(self.ids, support, sorter=order)], weights, check)

    def _begin_at(
        self, positions: Ids, weights: Vector, check: Callable[[], None] = lambda: None
    ) -> None:
        """Begin with the candidates at these positions."""
        while len(self._corral.members) < len(positions):
            self._lengthen()
        taken = np.empty(len(positions), dtype=np.bool_)
        self._size = 0
        for begin in range(0, len(positions), self.settings.first_members):
            check()
            here = slice(begin, begin + self.settings.first_members)
            self._size = factor.fill(self._corral, self._size, positions[here], taken[here])
        self._corral.weights[: self._size] = weights[taken]
        mine = self.classes[self._members]
        self.weights[:] /= np.bincount(mine, self.weights)[mine]

    def solve(self, tol: float, zero: float, clock: Clock, budget: float = inf) -> bool:
        """Find the point of least norm among the candidates; whether there was time and digits.

        Between bursts of steps the clock may end it, also where no pass is left to make use of it,
        or the budget.
        """
        settings, ended = self.settings, compiled.EXHAUSTED
        while ended in (compiled.EXHAUSTED, compiled.FULL):
            if ended == compiled.FULL:
                self._lengthen()
            elif clock.interrupted() is not None or not clock.fits(1.0) or self.work > budget:
                return False
            most = min(settings.burst_steps, 1 + settings.burst_products // (1 + self._size) ** 2)
            ended, self._size, steps = compiled.descend(
                self._corral, self._size, tol, zero * self._shrink, most
            )
            clock.updates += int(steps)
            self.work += int(steps) * (self._size**2 + len(self.ids))
        return bool(ended == compiled.SATISFIED)

    def _lengthen(self) -> None:
        """Let the corral have twice as many members."""
        corral, before = self._corral, len(self._corral.members)
        length = 2 * before
        self._corral = corral._replace(
            members=grown(corral.members, length),
            weights=grown(corral.weights, length),
            halves=np.ascontiguousarray(grown(corral.halves.T, length).T),
            factor=larger_square(corral.factor, length),
        )
        if isinstance(self._corral, VectorCorral):
            basis = self._corral.basis.reshape(before, len(self._corral.point) + 2)
            self._corral = self._corral._replace(basis=grown(basis, length))


def larger_square(array: Vector, length: int) -> Vector:
    """Return a larger square matrix, zero beyond the given one."""
    larger = np.zeros((length, length))
    larger[: len(array), : len(array)] = array
    return larger


def power_below(length: float) -> float:
    """Return the power of two that brings a length to between 1/2 and 1."""
    return math.ldexp(1.0, -math.frexp(length)[1]) if length > 0.0 else 1.0
