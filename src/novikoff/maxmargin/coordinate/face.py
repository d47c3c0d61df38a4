"""The face of the dual that the support vectors span, and its minimum.

Sweeps find soon which examples carry weight, and slowly what they carry. On the face, where the
other weights are zero, the dual is a quadratic form, minimised by conjugate gradients. Weights that
come out negative are cut off at zero and left out, and the others go to the minimum of the smaller
face, until cutting costs little of what was gained: so do active-set methods for least squares with
weights that are not negative (C. L. Lawson & R. J. Hanson, "Solving least squares problems", 1974),
which leave out one weight at a time. What is left out wrongly the next sweeps bring back.
"""

import numpy as np
from numpy.typing import NDArray

from novikoff.compiled import blocks
from novikoff.compiled.dual import ALONG, OFFSET, TOTAL
from novikoff.compiled.rows import CSR
from novikoff.maxmargin.coordinate.dual import Dual
from novikoff.maxmargin.coordinate.heavy import Heavy
from novikoff.maxmargin.heavy_columns import heaviest_columns
from novikoff.maxmargin.passes import Ids, Vector

Flags = NDArray[np.bool_]


class Face:
    """The weights of some examples, over which the dual is minimised.

    Parameters
    ----------
    dual : Dual
        Where the weights are, and where :meth:`descend` leads them.
    ids : array of int64
        The examples: all that have weight.
    by_columns : bool
        Whether to treat the heaviest columns of sparse rows exactly, and to go on to the minimum
        among weights that are not negative.
    effort : float
        With them, how many times as far the residual of a way should fall, by as many times as many
        products.
    """

    def __init__(self, dual: Dual, ids: Ids, *, by_columns: bool, effort: float = 1.0) -> None:
        self.dual, self.ids = dual, ids
        self.signs = dual.signs[ids].astype(np.float64)
        self.slack2, self.curves = dual.slack2[ids], dual.curves[ids]
        self.along = dual.along[ids]
        self.estimate = float(dual.state[OFFSET]) - dual.pull * dual.total
        settings = dual.settings
        self.stages = settings.face_stages if by_columns else 1
        self.forcing, self.products = settings.face_forcing, settings.face_products
        if by_columns:
            self.forcing = settings.heavy_forcing / effort
            self.products = int(settings.face_products * effort)
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
        values = settings.heavy_values * len(rows.data)
        heavy = heaviest_columns(squares, values, settings.most_heavy)
        if not len(heavy):
            return None
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
            if self.heavy is not None and not self.heavy.drop(cut, settings.heavy_stale):
                self.heavy = None
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
        for _ in range(self.products):
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
        with np.errstate(over="ignore"):
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
