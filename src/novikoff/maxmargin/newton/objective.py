"""The soft margin's primal and dual objective on all the examples, or on a subsample."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt

import numpy as np

from novikoff.certificate.threads import by_slices
from novikoff.compiled import hinge as compiled
from novikoff.maxmargin.bounds import class_totals, dual_objective
from novikoff.maxmargin.newton.curvature import Direction
from novikoff.maxmargin.newton.settings import NewtonSettings
from novikoff.maxmargin.passes import Ids, Passes, Vector
from novikoff.maxmargin.vectors import filled, where

# The signs of the classes, in the order of sums.
SIDES = np.array([[1.0], [-1.0]])


@dataclass(frozen=True)
class Carried:
    """Moments of hinges that were open a step before, for where they are now.

    The moments of a class are the sums of ``D h x`` and of ``D x`` over its open hinges ``h``, with
    the stiffness ``D``; in ``moments[k, side]`` the positive class is the first. ``rounding`` is
    how far the sums may be off.
    """

    active: Ids
    moments: Vector
    rounding: float


@dataclass(frozen=True)
class Proof:
    """Weights on the examples at ``active``, and the dual objective that they reach."""

    dual: float
    active: Ids
    weights: Vector


@dataclass(frozen=True)
class Point:
    """A hyperplane, its primal objective, and the dual objective of the weights of its hinges.

    The primal objective is that of the softer problem where the point is of one; the dual objective
    is that of the problem that was posed.
    """

    w: Vector
    offset: float
    products: Vector
    primal: float
    dual: float
    active: Ids
    weights: Vector
    moments: Vector
    rounding: float
    gradient: Vector

    @property
    def gap(self) -> float:
        """The relative gap between primal and dual."""
        return 1.0 - self.dual / self.primal if self.primal > 0.0 else 0.0

    @property
    def proof(self) -> Proof:
        """What bounds the optimum from below."""
        return Proof(self.dual, self.active, self.weights)

    def carried(self, by: Vector, rounding: float) -> Carried:
        """Return the moments at a point where ``sum D f x`` of either class is larger by ``by``.

        ``rounding`` is the error of a sum, in units of its size.
        """
        moments = self.moments.copy()
        moments[0] -= SIDES * by
        size = float(np.linalg.norm(self.moments[0]) + np.linalg.norm(by))
        return Carried(self.active, moments, self.rounding + rounding * size)

    def is_stationary(self, rounding: float) -> bool:
        """Whether the gradient is no longer than rounding errors of the sums that make it.

        ``rounding`` is the error of a sum, in units of its size.
        """
        size = float(np.linalg.norm(self.moments[0]))
        return float(np.linalg.norm(self.gradient)) <= rounding * size

    def steepness(self, vanishing: float) -> float:
        """Return the length of the gradient in units of the vectors whose difference it is.

        Where these vanish at the optimum, in units of ``vanishing`` times the longest that ``w``
        could be.
        """
        length = max(float(np.linalg.norm(self.w)), vanishing * sqrt(2.0 * self.primal))
        return float(np.linalg.norm(self.gradient)) / length if length > 0.0 else 0.0


@dataclass(frozen=True)
class Objective:
    """The objectives on some examples.

    The ``stiffness`` of an example is ``1 / Delta^2`` times the number of examples that it stands
    for, divided by the ``softness`` of this problem. ``shifts`` are added to hinges.
    """

    passes: Passes
    settings: NewtonSettings
    ids: Ids
    signs: Vector
    stiffness: Vector
    softness: float = 1.0
    shifts: Vector | None = None

    @classmethod
    def of_all(cls, passes: Passes, slack2: Vector, settings: NewtonSettings) -> "Objective":
        """Return the objectives on all the examples."""
        order, signs = passes.sample.order, passes.sample.signs
        return cls(
            passes,
            settings,
            order,
            filled(lambda part: signs[order[part]].astype(np.float64), len(order)),
            filled(lambda part: 1.0 / slack2[order[part]], len(order)),
        )

    @property
    def primal_at_zero(self) -> float:
        """The primal objective of ``w = 0`` with its best offset."""
        positive, negative = (float(self.stiffness[self.signs == sign].sum()) for sign in (1, -1))
        total = positive + negative
        return 2.0 * positive * negative / total if self.passes.sample.affine else 0.5 * total

    def subsamples(self) -> Iterator["Objective"]:
        """Yield the objectives on subsamples, each larger than the one before."""
        settings, n = self.settings, len(self.ids)
        least = settings.subsample_per_feature * self.passes.n_features
        size = max(settings.first_subsample, least)
        # A fixed seed: the same data give the same solution.
        draw = np.random.default_rng(0)
        positive = self.signs > 0.0
        classes = [np.flatnonzero(side) for side in (positive, ~positive)]
        while 2 * size < n:
            drawn, shares = [], []
            for members in classes:
                wanted = max(size * len(members) // n, settings.subsample_of_class)
                few = min(len(members), wanted)
                drawn.append(draw.choice(members, few, replace=False))
                shares.append(len(members) / max(few, 1))
            chosen = np.sort(np.concatenate(drawn))
            chosen = chosen[self.stiffness[chosen] > 0.0]
            signs = self.signs[chosen]
            yield replace(
                self,
                ids=self.ids[chosen],
                signs=signs,
                stiffness=self.stiffness[chosen] * np.where(signs > 0.0, *shares),
            )
            size *= settings.growth

    def softened(self, softness: float, near: Point | None = None) -> "Objective":
        """Return the objectives on the same examples with cheaper slack.

        With ``near``, a point for the same examples at any softness, a proximal term keeps weights
        near those of its hinges: at the optimum of the problem that was posed the term vanishes,
        and the softer problem has the same optimum.
        """
        shifts = None
        if near is not None:
            shifts = np.zeros(len(self.ids))
            shifts[near.active] = (softness - 1.0) * near.weights / self.stiffness[near.active]
        return replace(self, stiffness=self.stiffness / softness, softness=softness, shifts=shifts)

    def products(self, w: Vector) -> Vector:
        """Return ``(x - centre) . w``."""
        if not w.any():
            return np.zeros(len(self.ids))
        return self.passes.products(self.ids, w, float(w @ self.passes.sample.centre))

    def products_along(self, direction: Direction, active: Ids) -> Vector:
        """Return the same for a direction, which knows those of the active examples."""
        if self.passes.sample.is_sparse and 2 * len(active) <= len(self.ids):
            # To read the few rows again is faster than to leave them out.
            return self.products(direction.w)
        others = np.ones(len(self.ids), dtype=np.bool_)
        others[active] = False
        products = np.zeros(len(self.ids))
        products[active] = direction.speeds - direction.offset
        if direction.w.any():
            along = float(direction.w @ self.passes.sample.centre)
            products[others] = self.passes.products(self.ids[others], direction.w, along)
        return products

    def hinges(self, products: Vector, offset: float) -> Vector:
        """Return ``1 - y f(x)``, shifted; a hinge is open where this is positive."""
        hinges = filled(
            lambda part: 1.0 - self.signs[part] * (products[part] + offset), len(products)
        )
        return hinges if self.shifts is None else hinges + self.shifts

    def point(
        self, w: Vector, offset: float, products: Vector, carried: Carried | None = None
    ) -> Point:
        """Move the offset to its best place and take the weights of the open hinges."""
        affine, shift = self.passes.sample.affine, 0.0
        if affine:
            shift = compiled.best_step(
                self.hinges(products, offset), self.signs, self.stiffness, 0.0, 0.0, 0.0
            )
        offset += shift
        hinges = self.hinges(products, offset)
        active = where(lambda part: hinges[part] > 0.0, len(hinges))
        signs = filled(lambda part: self.signs[active[part]], len(active))
        stiffness = filled(lambda part: self.stiffness[active[part]], len(active))
        weights = filled(lambda part: stiffness[part] * hinges[active[part]], len(active))
        if carried is None:
            moments = self.passes.class_sums(self.ids[active], weights, stiffness)
        else:
            moments = self._corrected(carried, shift, hinges)
        totals = class_totals(weights, signs)
        sums = moments[0] - np.outer(totals, self.passes.sample.centre)
        return Point(
            w=w,
            offset=offset,
            products=products,
            primal=0.5 * (float(w @ w) + self._slack(hinges)),
            dual=dual_objective(sums, totals, signs, weights, self._slack2(stiffness), affine),
            active=active,
            weights=weights,
            moments=moments,
            rounding=0.0 if carried is None else carried.rounding,
            gradient=w - (sums[0] - sums[1]),
        )

    def at_best_length(self, point: Point) -> Point:
        """Return the point on the ray through a point with the least primal objective, nearly."""
        norm2 = float(point.w @ point.w)
        hinges = self.hinges(point.products, point.offset)
        factor = 1.0 + compiled.best_step(hinges, 1.0 - hinges, self.stiffness, norm2, norm2, 0.0)
        return self.point(factor * point.w, factor * point.offset, factor * point.products)

    def proof_after(self, point: Point, direction: Direction, carried: Carried) -> Proof:
        """Return the weights that a full step along Newton's direction leads to, cut off at zero.

        ``carried`` are the moments there.

        Where hinges are stiff, the best step on the line is short, because other hinges open. These
        have no weight here: the dual sees no stiffness, and is near its optimum long before the
        weights of the hinges at the end of a short step are.
        """
        active, affine = point.active, self.passes.sample.affine
        signs, stiffness = self.signs[active], self.stiffness[active]
        weights = point.weights - stiffness * signs * direction.speeds
        closed = np.flatnonzero(weights < 0.0)
        sums = carried.moments[0].copy()
        if len(closed):
            sums -= self.passes.class_sums(self.ids[active[closed]], weights[closed])[0]
            weights[closed] = 0.0
        totals = class_totals(weights, signs)
        sums -= np.outer(totals, self.passes.sample.centre)
        dual = dual_objective(sums, totals, signs, weights, self._slack2(stiffness), affine)
        return Proof(dual, active, weights)

    def _slack2(self, stiffness: Vector) -> Vector:
        """Return ``Delta^2`` of the problem that was posed."""
        return 1.0 / (self.softness * stiffness)

    def _slack(self, hinges: Vector) -> float:
        """Return ``sum D h^2`` over the open hinges."""

        def squares(part: slice) -> float:
            opened = np.maximum(hinges[part], 0.0)
            return float(self.stiffness[part] * opened @ opened)

        return sum(by_slices(squares, len(hinges)))

    def _corrected(self, carried: Carried, shift: float, hinges: Vector) -> Vector:
        """Return the moments of the hinges that are open now, at an offset ``shift`` further on."""
        moments = carried.moments.copy()
        moments[0] -= shift * SIDES * moments[1]
        opened = hinges > 0.0
        changed = opened.copy()
        changed[carried.active] = ~opened[carried.active]
        # What has closed was carried with a weight below zero.
        (those,) = changed.nonzero()
        masses = np.where(opened[those], 1.0, -1.0) * self.stiffness[those]
        return moments + self.passes.class_sums(self.ids[those], masses * hinges[those], masses)
