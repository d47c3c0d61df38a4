"""Newton's equation for the soft margin's primal, solved by preconditioned conjugate gradients."""

from dataclasses import dataclass, replace
from math import inf

import numpy as np

from novikoff.compiled import blocks, conjugate
from novikoff.compiled.rows import CSR
from novikoff.maxmargin.newton.hessian import Accumulated
from novikoff.maxmargin.newton.preconditioner import Diagonal, Factored, Heavy, Preconditioner
from novikoff.maxmargin.newton.settings import NewtonSettings
from novikoff.maxmargin.passes import Ids, Part, Passes, Vector

PERIOD, SPREAD = 2**32, 2654435769
"""Multiples of the golden section spread numbers of rows over a period evenly."""


@dataclass(frozen=True)
class Direction:
    """Where Newton's equation points: a change of ``w`` and of the offset.

    ``speeds`` is the change of ``w . (x - centre)`` plus offset for each active example, and
    ``images`` the sum of ``D_i speed_i x_i`` over those of either class: both come from the
    products that solved the equation.
    """

    w: Vector
    offset: float
    speeds: Vector
    images: Vector


class Curvature:
    """The Hessian ``H = I + sum D_i x_i x_i^T`` over active examples, the intercept included.

    The preconditioner is the diagonal, until the products taken with it have cost as much as a
    factor would; so the cost is at most twice that of the better choice. Then it is a factor of the
    Hessian of some of the active examples; where these are all of them, one step suffices. Where
    sparse data have too many columns, it is a factor of the heaviest.
    """

    def __init__(self, passes: Passes, settings: NewtonSettings) -> None:
        self.passes = passes
        self.settings = settings
        self.sample = passes.sample
        n, self.n_features = passes.sample.storage.shape
        self.width = self.n_features + int(self.sample.affine)
        values = self.sample.storage.nbytes / (settings.sparse_bytes * n)
        self.row_cost: float = (
            settings.sparse_value * values
            if self.sample.is_sparse
            else settings.dense_value * self.n_features
        )
        # What a row costs that is built into a factor: its products of two values, or all.
        self.built_cost = float(self.width) ** 2
        each = settings.sparse_product * values * values
        self.by_values = self.sample.is_sparse and each < self.built_cost
        if self.by_values:
            self.built_cost = each
        # What products have cost in all, and had cost when the last factor was built; its own cost.
        self.spent, self.spent_before, self.built_for = 0.0, 0.0, 0.0
        self.preconditioner: Factored | None = None
        self.accumulated = None if self.by_values else Accumulated(passes, settings.block)
        self.built_of: Ids = np.empty(0, dtype=np.int64)
        # The products of the last solves with a factor: one just built, and one built before.
        self.fresh, self.stale = 1, 0
        self.richness, self.richest = 1, 1.0
        self.precise = False

    def forget(self) -> None:
        """Let the preconditioner be built again when it is next needed."""
        self.preconditioner = None

    def enrich(self, fresh: bool = True) -> None:
        """Let it be built again, from twice as many examples.

        If it was ``fresh`` and of all active examples, rounding made it slow: that of many changes,
        and if it had none, that of single precision.
        """
        sums, of_all = self.accumulated, self.richness >= self.richest
        self.preconditioner = None
        self.richness *= 2
        if sums is not None and fresh and of_all:
            self.precise = self.precise or not sums.reread
            sums.forget()

    def gain(self, gradient: Vector) -> float:
        """Return what a step would gain if the preconditioner were the Hessian's inverse."""
        if self.preconditioner is None:
            return inf
        padded = np.zeros(self.width)
        padded[: self.n_features] = gradient
        return 0.5 * float(padded @ self.preconditioner.solve(padded))

    def solve(
        self,
        ids: Ids,
        stiffness: Vector,
        right: Vector,
        *,
        forcing: float,
        enough2: float = 0.0,
        exactly: bool = False,
        crudely: bool = False,
    ) -> Direction:
        """Return the direction whose product with ``H`` is ``(right, 0)``, nearly.

        Parameters
        ----------
        ids, stiffness : arrays
            The active examples and their ``D``.
        right : array of shape (n_features,)
            Minus the gradient, which is zero in the intercept's coordinate.
        forcing : float
            How far the residual must fall, in units of what it was.
        enough2 : float
            Stop when the squared residual, but for the intercept's coordinate, is no larger.
        exactly : bool
            Solve to rounding.
        crudely : bool
            With the diagonal for a preconditioner.
        """
        # The positive examples first, so that the sums of either class are apart.
        sides = self.sample.signs[ids] > 0
        places = [np.flatnonzero(side) for side in (sides, ~sides)]
        by_class, n_positive = np.concatenate(places), len(places[0])
        ids, stiffness = ids[by_class], stiffness[by_class]
        before_this = self.preconditioner
        factor = None if crudely else self._prepare(ids, stiffness, exactly)
        forcing = self.settings.exact_residual if exactly else forcing
        heavy = None if factor is not None or crudely else self._heavy(ids, stiffness)
        if factor is None and heavy is None and self._gathers(ids):
            found = self._solve_gathered(ids, stiffness, n_positive, right, forcing, enough2)
            return replace(found, speeds=_in_order(found.speeds, by_class))
        inverse: Preconditioner = factor or heavy or Diagonal.of(self.passes, ids, stiffness)
        copy = None if heavy is None else heavy.rows
        most = self.settings.most_products
        solution, residual = np.zeros(self.width), np.zeros(self.width)
        residual[: self.n_features] = right
        direction = inverse.solve(residual)
        size = float(residual @ direction)
        least = forcing**2 * size
        products, speeds, images = 0, np.zeros(len(ids)), np.zeros((2, self.n_features))
        while products < most and (not products or self._go_on(size, least, residual, enough2)):
            image, speed, sums = self._product(ids, stiffness, direction, n_positive, copy)
            curve = float(direction @ image)
            if not 0.0 < curve < inf:
                break
            length = size / curve
            solution += length * direction
            speeds += length * speed
            images += length * sums
            residual -= length * image
            preconditioned = inverse.solve(residual)
            before, size = size, float(residual @ preconditioned)
            direction = preconditioned + (size / before) * direction
            products += 1
        self.spent += products * len(ids) * self.row_cost
        if isinstance(inverse, Factored) and inverse is before_this:
            self.stale = products
        elif isinstance(inverse, Factored):
            self.fresh = products
        repaid = self.spent - self.spent_before >= self.settings.repaid * self.built_for
        if products >= self.settings.slow_products and isinstance(inverse, Factored) and repaid:
            self.enrich(fresh=inverse is not before_this)
        offset, speeds = float(solution[self.n_features :].sum()), _in_order(speeds, by_class)
        return Direction(solution[: self.n_features], offset, speeds, images)

    def _is_too_wide(self) -> bool:
        return self.sample.is_sparse and self.width > self.settings.most_factored

    def _heavy(self, ids: Ids, stiffness: Vector) -> Heavy | None:
        """Return the preconditioner of sparse data that have too many columns for a factor."""
        settings = self.settings
        if not self._is_too_wide() or self.spent < settings.most_heavy**3 / 3.0 or not len(ids):
            return None
        return Heavy(
            self.passes, ids, stiffness, values=settings.heavy_values, most=settings.most_heavy
        )

    def _gathers(self, ids: Ids) -> bool:
        """Whether compiled code solves the equation on a copy of the active examples.

        Only of sparse ones that one thread would read in any case.
        """
        few = 0 < len(ids) <= self.sample.storage.chunk
        return self.sample.is_sparse and few and self.n_features <= np.iinfo(np.int32).max

    def _solve_gathered(
        self,
        ids: Ids,
        stiffness: Vector,
        n_positive: int,
        right: Vector,
        forcing: float,
        enough2: float,
    ) -> Direction:
        """Solve the equation as :meth:`solve` does, with the diagonal for a preconditioner."""
        settings, d = self.settings, self.n_features
        rows, moments = self.passes.gathered(ids, stiffness)
        diagonal = Diagonal(self.passes, stiffness, moments, np.zeros(d))
        equation = conjugate.Equation(
            rows=rows,
            n_positive=n_positive,
            stiffness=stiffness,
            centre=self.sample.centre,
            curves=diagonal.curves,
            mean=diagonal.mean,
            total=diagonal.total if self.sample.affine else 0.0,
        )
        most = self.passes.allowed(settings.most_products, ids)
        until = conjugate.Until(forcing, enough2, settings.enough, most)
        found = Direction(np.zeros(d), 0.0, np.zeros(len(ids)), np.zeros((2, d)))
        offset, products = conjugate.conjugate_gradients(
            equation, right, until, found.w, found.speeds, found.images
        )
        self.passes.count(products, ids)
        self.spent += products * len(ids) * self.row_cost
        return replace(found, offset=offset)

    def _go_on(self, size: float, least: float, residual: Vector, enough2: float) -> bool:
        # Where no hinge opens or closes, the residual is the gradient that a full step leads to,
        # and half its square the gap.
        if enough2 == 0.0 or not size > 0.0:
            return size > least
        left = residual[: self.n_features]
        left2 = float(left @ left)
        return left2 > enough2 and (size > least or left2 <= self.settings.enough * enough2)

    def _product(
        self, ids: Ids, stiffness: Vector, v: Vector, n_positive: int, copy: CSR | None
    ) -> tuple[Vector, Vector, Vector]:
        """Return ``H v``, and the speeds and images along ``v``, in a pass over ``ids``.

        ``copy`` are the rows of ``ids``, where they were gathered.
        """
        d = self.n_features
        image, speeds, sums = np.empty(self.width), np.empty(len(ids)), np.zeros((2, d))
        shift, total = float(v[d:].sum() - v[:d] @ self.sample.centre), 0.0
        for side, out in zip((slice(n_positive), slice(n_positive, None)), sums, strict=True):
            mine, speed = stiffness[side], speeds[side]
            if copy is not None:
                here = np.arange(len(ids), dtype=np.int64)[side]
                self.passes.begin(here)
                total += blocks.curvature(copy, here, mine, v[:d], shift, speed, out)
                self.passes.count(1, here)
                continue

            def add(part: Part, mine: Vector = mine, speed: Vector = speed) -> tuple[float, Vector]:
                rows, here, those = part
                image = np.zeros(d)
                pull = blocks.curvature(rows, here, mine[those], v[:d], shift, speed[those], image)
                return pull, image

            for pull, image_of_part in self.passes.each(add, ids[side]):
                total += pull
                out += image_of_part
        image[:d] = v[:d] + sums.sum(axis=0) - total * self.sample.centre
        image[d:] = total
        return image, speeds, sums

    def _prepare(self, ids: Ids, stiffness: Vector, exactly: bool) -> Factored | None:
        """Return the factor that preconditions; none where the diagonal does.

        A factor is that of some of the active examples, scaled up to all.
        """
        settings, n = self.settings, len(ids)
        few = max(
            settings.factor_per_feature * self.width,
            settings.factor_products * settings.dense_value * n // self.width,
        )
        self.richest = n / few
        few = n if exactly else min(n, self.richness * few)
        some = ids
        if few < n:
            # The same examples at every step, as far as they are active.
            chosen = np.flatnonzero((ids * SPREAD) % PERIOD < few / n * PERIOD)
            scale = stiffness.sum() / stiffness[chosen].sum()
            some, stiffness = ids[chosen], stiffness[chosen] * scale
        accumulated = self.accumulated
        n_read = len(some) if accumulated is None else accumulated.n_read(some, stiffness)
        precise = exactly or self.precise
        cost = (2.0 if precise else 1.0) * (n_read * self.built_cost + self.width**3 / 3.0)
        if self.sample.is_sparse:
            cost += settings.overhead + settings.sparse_solves * self.width**2
        if self.preconditioner is not None:
            # With exact factors, each example that has changed takes a product at most.
            changed = self._changed(ids)
            saved = min(changed, self.stale) - self.fresh
            if not (changed if exactly else saved * n * self.row_cost > cost):
                return self.preconditioner
        if self._is_too_wide() or (not exactly and self.spent < cost):
            # A stale one would underestimate the columns that only newly active examples have.
            return None
        self.preconditioner = Factored(
            self.passes,
            some,
            stiffness,
            precise=precise,
            block=settings.block,
            accumulated=accumulated,
        )
        self.built_of = ids
        self.spent_before, self.built_for = self.spent, cost
        return self.preconditioner

    def _changed(self, ids: Ids) -> int:
        """Return how many examples are active that were not when the factor was built, or were."""
        built = np.zeros(self.sample.n_examples, dtype=np.bool_)
        built[self.built_of] = True
        return len(ids) + len(self.built_of) - 2 * int(np.count_nonzero(built[ids]))


def _in_order(values: Vector, places: Ids) -> Vector:
    """Return the values with that of each place there."""
    out = np.empty_like(values)
    out[places] = values
    return out
