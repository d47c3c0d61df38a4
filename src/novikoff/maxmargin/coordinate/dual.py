"""The dual as coordinate descent sees it: weights, the vector they make, and steps on them.

With an intercept the weights must sum to zero, signed. The method of multipliers achieves it (M. R.
Hestenes, "Multiplier and gradient methods", Journal of Optimization Theory and Applications 4,
1969): the dual is augmented by ``b T + pull T^2 / 2``, where ``T`` is the signed total and ``b``
the estimate of the intercept, which moves by ``pull T`` after every sweep.
"""

from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray

from novikoff.compiled import blocks
from novikoff.compiled import dual as compiled
from novikoff.compiled.dual import ALONG, GAP, MASS, OFFSET, STEPS, TOTAL, WORST, Terms
from novikoff.compiled.rows import CSR
from novikoff.maxmargin.coordinate.heavy import Heavy
from novikoff.maxmargin.coordinate.settings import CoordinateSettings
Flags = NDArray[np.bool_]
from novikoff.maxmargin.passes import Ids, Passes, Vector
from novikoff.maxmargin.problem import Problem


class Dual:
    """Weights on the examples and what belongs to them.

    Rows are read relative to a centre, about the mean of the examples, which makes the intercept
    nearly independent of the rest.
    """

    def __init__(self, problem: Problem, passes: Passes, settings: CoordinateSettings) -> None:
        sample = problem.sample
        n, d = sample.storage.shape
        self.passes = passes
        self.settings = settings
        self.sample = sample
        self.signs = sample.signs
        self.slack2 = np.zeros(n) if problem.slack2 is None else problem.slack2
        self.in_place = sample.storage.part(sample.order[:1])[1] is None
        self.centre = np.zeros(d)
        if sample.affine:
            few = min(problem.n_examples, settings.centre_examples)
            places = np.linspace(0, problem.n_examples - 1, few).astype(np.int64)
            (sums,) = passes.class_sums(sample.order[places], np.full(few, 1.0 / few))
            self.centre = sums.sum(axis=0)
        self.centre2 = float(self.centre @ self.centre)
        lengths2, self.along = measure(passes, self.centre)
        mean = float(lengths2[sample.order].mean())
        self.pull = settings.pull * (mean or 1.0) if sample.affine else 0.0
        self.curves = lengths2 + self.pull + self.slack2
        np.maximum(self.curves, settings.least_curve * (mean or 1.0), out=self.curves)
        self.weights = np.zeros(n)
        self.w = np.zeros(d)
        self.state = np.zeros(compiled.SIZE)

    @property
    def total(self) -> float:
        """The signed sum of the weights."""
        return float(self.state[TOTAL])

    @property
    def gap_seen(self) -> float:
        """The soft margin's relative gap, each example's part of it before its step of a sweep.

        The optimum is half the sum of the weights there.
        """
        gap = float(self.state[GAP])
        return gap / (gap + 0.5 * float(self.state[MASS])) if gap > 0.0 else 0.0

    def sweep(self, ids: Ids, bound: float = inf) -> tuple[Ids, float]:
        """Visit examples in sequence.

        Returns those that have weight or whose slope is at most ``bound``, and the largest
        violation. Changes ``ids``.
        """
        kept = []
        self.state[[WORST, GAP, MASS]] = 0.0
        for rows, here, those in self.passes.over(ids):
            local = slice(None) if self.in_place else ids[those]
            weights = self.weights[local]
            terms = Terms(
                self.signs[local],
                self.along[local],
                self.slack2[local],
                self.curves[local],
                self.centre2,
                self.pull,
            )
            left = compiled.sweep(rows, here, terms, bound, weights, self.w, self.state)
            self.passes.clock.updates += int(self.state[STEPS])
            self.state[STEPS] = 0.0
            if self.in_place:
                kept.append(here[:left])
            else:
                self.weights[local] = weights
                kept.append(ids[those][here[:left]])
        worst = float(self.state[WORST])
        self.state[OFFSET] += self.pull * self.total
        return np.concatenate(kept), worst

    def place(self, weights: Vector) -> tuple[Vector, Vector]:
        """Go to other weights; returns what :meth:`refresh` does."""
        self.weights = weights
        return self.refresh()

    def refresh(self) -> tuple[Vector, Vector]:
        """Sum up the vector again, without the rounding errors of many steps.

        Returns the weighted sums of the positive and of the negative examples, relative to the
        centre, and the totals of their weights.
        """
        ids = self.sample.order[self.weights[self.sample.order] > 0.0]
        weights, signs = self.weights[ids], self.signs[ids]
        (sums,) = self.passes.class_sums(ids, weights)
        totals = np.array([weights[signs > 0].sum(), weights[signs < 0].sum()])
        estimate = self.state[OFFSET] - self.pull * self.total
        self.w = sums[0] - sums[1]
        if self.sample.affine:
            self.state[TOTAL] = totals[0] - totals[1]
            self.state[OFFSET] = estimate + self.pull * self.total
        self.state[ALONG] = self.w @ self.centre
        return sums - np.outer(totals, self.centre), totals

    def estimate_offset(self, offset: float) -> None:
        """Take an estimate of the intercept from elsewhere."""
        self.state[OFFSET] = offset + self.pull * self.total

    def products(self, ids: Ids, w: Vector) -> Vector:
        """Return ``w . (x - centre)`` for a vector that is itself relative to the centre."""
        return self._products(ids, w, 0.0)

    def descend_on_face(self, ids: Ids, *, by_columns: bool = False) -> None:
        """Minimise over the weights of the given examples, nearly; others stay as they are.

        ``by_columns`` treats the heaviest columns of sparse rows exactly, and goes on to the
        minimum among weights that are not negative.
        """
        Face(self, ids, by_columns).descend()

    def _products(self, ids: Ids, w: Vector, total: float) -> Vector:
        """Return ``(w - total centre) . (x - centre)``."""
        products = self.passes.products(ids, w, float(w @ self.centre))
        return products - total * self.along[ids]


class Face:
    """The weights of some examples, over which the dual is minimised by conjugate gradients."""

    def __init__(self, dual: Dual, ids: Ids, by_columns: bool) -> None:
        self.dual, self.ids = dual, ids
        self.signs = dual.signs[ids].astype(np.float64)
        self.slack2, self.curves = dual.slack2[ids], dual.curves[ids]
        self.along = dual.along[ids]
        self.estimate = float(dual.state[OFFSET]) - dual.pull * dual.total
        settings = dual.settings
        self.stages = settings.face_stages if by_columns else 1
        self.forcing = settings.heavy_forcing if by_columns else settings.face_forcing
        # Sparse rows are scattered over the data, and read many times: they are copied.
        self.rows: CSR | None = None
        self.heavy: Heavy | None = None
        if dual.sample.is_sparse:
            self.rows, moments = dual.passes.gathered(ids, np.ones(len(ids)))
            if by_columns:
                self.heavy = self._heaviest(self.rows, moments[1])
        self.places: Ids = np.arange(len(ids), dtype=np.int64)

    def _heaviest(self, rows: CSR, squares: Vector) -> Heavy | None:
        """Return the preconditioner of the columns with the largest sums of squares."""
        dual, settings = self.dual, self.dual.settings
        most = int(sqrt(settings.heavy_values * len(rows.data)))
        some = min(most, settings.most_heavy, int(np.count_nonzero(squares)))
        if not some:
            return None
        heavy = np.sort(np.argpartition(-squares, some - 1)[:some])
        least = np.maximum(self.slack2, settings.least_rest * self.curves)
        return Heavy.of(rows, heavy, dual.centre, dual.pull, self.curves, least)

    def descend(self) -> None:
        """Go to the minimum, nearly.

        Weights that would become negative become zero, and the others go to their minimum without
        them, up to ``stages`` times; the best of these points is taken. Where none lowers the dual,
        the first step is shortened until it does.
        """
        dual, settings = self.dual, self.dual.settings
        weights, w = dual.weights[self.ids], dual.w
        before = least = self._value(weights, w)
        found, free = None, np.ones(len(weights), dtype=np.bool_)
        ways = []
        for left in reversed(range(self.stages)):
            ways.append(self._way(weights, w, free))
            weights, w = weights + ways[-1][0], w + ways[-1][1]
            foreseen = before - self._value(weights, w)
            weights, w, cut = self._cut(weights, w)
            value = self._value(weights, w)
            if value < least:
                found, least = (weights, w), value
            if not (len(cut) and left) or before - value >= settings.enough_gain * foreseen:
                break
            free[cut] = False
            if self.heavy is not None:
                self.heavy.drop(cut)
        found = found or self._shortened(*ways[0], before)
        if found is not None:
            self._go(*found)

    def _way(self, weights: Vector, w: Vector, free: Flags) -> tuple[Vector, Vector]:
        """Return the change of free weights that leads to their minimum, and that of ``w``."""
        dual, settings, signs = self.dual, self.dual.settings, self.signs
        total = self._total(weights)
        slopes = signs * (self._products(w, total) + self.estimate + dual.pull * total)
        slopes += self.slack2 * weights
        change, moved = np.zeros(len(self.ids)), np.zeros_like(w)
        residual = np.where(free, 1.0 - slopes, 0.0)
        preconditioned = self._preconditioned(residual)
        direction = preconditioned.copy()
        size = float(residual @ preconditioned)
        least = self.forcing**2 * size
        for _ in range(settings.face_products):
            if size <= least:
                break
            signed = signs * direction
            along, total = self._sum(self.places, signed), float(signed.sum())
            image = signs * (self._products(along, total) + dual.pull * total)
            image += self.slack2 * direction
            image[~free] = 0.0
            curve = float(direction @ image)
            if curve <= settings.flat * float(direction**2 @ self.curves):
                break
            length = size / curve
            change += length * direction
            moved += length * along
            residual -= length * image
            preconditioned = self._preconditioned(residual)
            before, size = size, float(residual @ preconditioned)
            direction = preconditioned + (size / before) * direction
        return change, moved

    def _preconditioned(self, residual: Vector) -> Vector:
        if self.heavy is None:
            return residual / self.curves
        return self.signs * self.heavy.solve(self.signs * residual)

    def _cut(self, weights: Vector, w: Vector) -> tuple[Vector, Vector, Ids]:
        """Return weights cut off at zero, their vector, and which of them were negative."""
        cut = np.flatnonzero(weights < 0.0)
        w = w + self._sum(cut, -self.signs[cut] * weights[cut])
        weights[cut] = 0.0
        return weights, w, cut

    def _shortened(
        self, change: Vector, moved: Vector, before: float
    ) -> tuple[Vector, Vector] | None:
        """Return the weights and the vector of a change, shortened until the dual falls."""
        dual = self.dual
        for _ in range(dual.settings.trials):
            change, moved = 0.25 * change, 0.25 * moved
            weights, w, _ = self._cut(dual.weights[self.ids] + change, dual.w + moved)
            if self._value(weights, w) < before:
                return weights, w
        return None

    def _go(self, weights: Vector, w: Vector) -> None:
        dual = self.dual
        dual.weights[self.ids], dual.w = weights, w
        dual.state[TOTAL] = self._total(weights)
        dual.state[OFFSET] = self.estimate + dual.pull * dual.total
        dual.state[ALONG] = w @ dual.centre

    def _total(self, weights: Vector) -> float:
        return float(weights @ self.signs) if self.dual.sample.affine else 0.0

    def _value(self, weights: Vector, w: Vector) -> float:
        """Return the augmented dual, to be minimised, of weights on these examples alone."""
        dual, total = self.dual, self._total(weights)
        length2 = float(w @ w) - total * (2.0 * float(w @ dual.centre) - total * dual.centre2)
        value = 0.5 * (length2 + float(weights**2 @ self.slack2)) - float(weights.sum())
        return value + total * (self.estimate + 0.5 * dual.pull * total)

    def _sum(self, places: Ids, signed: Vector) -> Vector:
        """Return the sum of some of the rows, with signed weights."""
        passes = self.dual.passes
        if self.rows is None:
            (sums,) = passes.class_sums(self.ids[places], signed)
            return np.asarray(sums.sum(axis=0))
        out = np.zeros(len(self.dual.w))
        passes.begin(places)
        blocks.combinations(self.rows, places, signed[np.newaxis], out[np.newaxis])
        passes.count(1, places)
        return out

    def _products(self, w: Vector, total: float) -> Vector:
        """Return ``(w - total centre) . (x - centre)`` of every row."""
        passes, along = self.dual.passes, float(w @ self.dual.centre)
        if self.rows is None:
            return passes.products(self.ids, w, along) - total * self.along
        out = np.empty(len(self.ids))
        passes.begin(self.ids)
        blocks.products(self.rows, self.places, w, along, out)
        passes.count(1, self.ids)
        return out - total * self.along


def measure(passes: Passes, centre: Vector) -> tuple[Vector, Vector]:
    """Return ``|x - centre|^2`` and ``(x - centre) . centre`` of every example; one pass."""
    sample = passes.sample
    lengths2, along = np.zeros(sample.n_examples), np.zeros(sample.n_examples)
    order, centre2 = sample.order, float(centre @ centre)
    products = np.zeros(len(order))
    for rows, here, those in passes.over(order):
        mine = np.empty(len(here))
        if sample.is_sparse:
            # The mean of sparse rows has far more non-zeros than a row: it is not subtracted.
            compiled.measure(rows, here, centre, mine, products[those])
            rounding = np.finfo(np.float64).eps * (mine + centre2)
            mine = np.maximum(mine - 2.0 * products[those] + centre2, rounding)
        else:
            nowhere = np.empty(0, dtype=np.int64)
            blocks.distances2(rows, here, centre, nowhere, mine)
            blocks.products(rows, here, centre, 0.0, products[those])
        lengths2[order[those]] = mine
    along[order] = products - centre2
    return lengths2, along
