"""Some of the examples, standing for all, and the soft margin's two objectives on them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.compiled import hinge as compiled
from novikoff.maxmargin.newton.curvature import Direction
from novikoff.maxmargin.passes import Ids, Passes

Vector = NDArray[np.float64]

# The first part has five examples for each feature, or 4,000.
FIRST_PART = 4000
PER_FEATURE = 5
FROM_A_CLASS = 200
GROWTH = 4
VANISHED = 1e-8
# The error of a sum over many examples, in units of its size.
ROUNDING = 2.0**-44
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
class Point:
    """A hyperplane, what it costs, and the dual weights that its hinges make."""

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

    def carried(self, by: Vector) -> Carried:
        """Return the moments at a point where ``sum D f x`` of either class is larger by ``by``."""
        moments = self.moments.copy()
        moments[0] -= SIDES * by
        size = float(np.linalg.norm(self.moments[0]) + np.linalg.norm(by))
        return Carried(self.active, moments, self.rounding + ROUNDING * size)

    @property
    def steepness(self) -> float:
        """The length of the gradient in units of the vectors whose difference it is."""
        # Where these vanish at the optimum, in units of the longest that w could be.
        length = max(float(np.linalg.norm(self.w)), VANISHED * sqrt(2.0 * self.primal))
        return float(np.linalg.norm(self.gradient)) / length if length > 0.0 else 0.0


@dataclass(frozen=True)
class Part:
    """Examples with their ``stiffness``, which is ``1 / Delta^2`` times how many they stand for."""

    passes: Passes
    ids: Ids
    signs: Vector
    stiffness: Vector

    @classmethod
    def whole(cls, passes: Passes, slack2: Vector) -> "Part":
        """Return all the examples."""
        order, signs = passes.sample.order, passes.sample.signs
        return cls(passes, order, signs[order].astype(np.float64), 1.0 / slack2[order])

    def growing(self) -> Iterator["Part"]:
        """Yield parts of this one, each four times as large as the one before."""
        n = len(self.ids)
        size = max(FIRST_PART, PER_FEATURE * self.passes.sample.storage.shape[1])
        # A fixed seed: the same data give the same solution.
        draw = np.random.default_rng(0)
        classes = [np.flatnonzero(self.signs == sign) for sign in (1.0, -1.0)]
        while 2 * size < n:
            stiffness = np.zeros(n)
            for members in classes:
                few = min(len(members), max(size * len(members) // n, FROM_A_CLASS))
                mine = draw.choice(members, few, replace=False)
                stiffness[mine] = self.stiffness[mine] * (len(members) / max(few, 1))
            chosen = np.flatnonzero(stiffness)
            yield Part(self.passes, self.ids[chosen], self.signs[chosen], stiffness[chosen])
            size *= GROWTH

    def softened(self, softness: float) -> "Part":
        """Return the same examples with cheaper hinges."""
        return replace(self, stiffness=self.stiffness / softness)

    def products(self, w: Vector) -> Vector:
        """Return ``(x - centre) . w``."""
        if not w.any():
            return np.zeros(len(self.ids))
        return self.passes.products(self.ids, w, float(w @ self.passes.sample.centre))

    def products_along(self, direction: Direction, active: Ids) -> Vector:
        """Return the same for a direction, which tells those of the active examples."""
        others = np.ones(len(self.ids), dtype=np.bool_)
        others[active] = False
        products = np.zeros(len(self.ids))
        products[active] = direction.speeds - direction.offset
        if direction.w.any():
            along = float(direction.w @ self.passes.sample.centre)
            products[others] = self.passes.products(self.ids[others], direction.w, along)
        return products

    def hinges(self, products: Vector, offset: float) -> Vector:
        """Return ``1 - y f(x)``; a hinge is open where this is positive."""
        return 1.0 - self.signs * (products + offset)

    def point(
        self, w: Vector, offset: float, products: Vector, carried: Carried | None = None
    ) -> Point:
        """Move the offset to its best place and read the dual off the open hinges."""
        affine, shift = self.passes.sample.affine, 0.0
        if affine:
            shift = compiled.best_step(
                self.hinges(products, offset), self.signs, self.stiffness, 0.0, 0.0, 0.0
            )
        offset += shift
        hinges = self.hinges(products, offset)
        active = np.flatnonzero(hinges > 0.0)
        signs, weights = self.signs[active], self.stiffness[active] * hinges[active]
        if carried is None:
            moments = self.passes.class_sums(self.ids[active], weights, self.stiffness[active])
        else:
            moments = self._corrected(carried, shift, hinges)
        totals = np.array([weights[signs > 0.0].sum(), weights[signs < 0.0].sum()])
        sums = moments[0] - np.outer(totals, self.passes.sample.centre)
        return Point(
            w=w,
            offset=offset,
            products=products,
            primal=0.5 * float(w @ w + weights @ hinges[active]),
            dual=dual_objective(sums, totals, signs, weights, 1.0 / self.stiffness[active], affine),
            active=active,
            weights=weights,
            moments=moments,
            rounding=0.0 if carried is None else carried.rounding,
            gradient=w - (sums[0] - sums[1]),
        )

    def _corrected(self, carried: Carried, shift: float, hinges: Vector) -> Vector:
        """Return the moments of the hinges that are open now, which are ``shift`` further on."""
        moments = carried.moments.copy()
        moments[0] -= shift * SIDES * moments[1]
        opened = hinges > 0.0
        changed = opened.copy()
        changed[carried.active] = ~opened[carried.active]
        # What has closed was carried with a weight below zero.
        (those,) = changed.nonzero()
        masses = np.where(opened[those], 1.0, -1.0) * self.stiffness[those]
        return moments + self.passes.class_sums(self.ids[those], masses * hinges[those], masses)


def shares(weights: Vector, signs: NDArray[Any], affine: bool) -> tuple[Vector, float]:
    """Return weights that sum to 1 in each class, or in all without intercept, and their sum.

    Where a class has no weight, nothing does.
    """
    positive = (signs > 0) | (not affine)
    totals = [float(weights[side].sum()) for side in (positive, ~positive)]
    if not totals[0] > 0.0 or (affine and not totals[1] > 0.0):
        return np.zeros_like(weights), 0.0
    return weights / np.where(positive, *totals), 2.0 if affine else 1.0


def dual_variables(weights: Vector, signs: NDArray[Any], dual: float, affine: bool) -> Vector:
    """Return the multiple of the weights at which the dual has the value that they prove."""
    normal, _ = shares(weights, signs, affine)
    return normal * (dual if affine else 2.0 * dual)


def dual_objective(
    sums: Vector, totals: Vector, signs: Vector, weights: Vector, slack2: Vector, affine: bool
) -> float:
    """Return the dual's value at the best multiple of the weights.

    ``sums`` are the weighted sums of the positive and of the negative examples, relative to the
    centre, and ``totals`` those of the weights. Where there is an intercept, the weights of each
    class are first scaled to the same total.
    """
    if not affine:
        total = float(totals.sum())
        if total == 0.0:
            return 0.0
        w, normal = (sums[0] - sums[1]) / total, weights / total
        return 0.5 / float(w @ w + normal**2 @ slack2)
    if not totals.all():
        return 0.0
    w = sums[0] / totals[0] - sums[1] / totals[1]
    normal = weights / np.where(signs > 0.0, *totals)
    return 2.0 / float(w @ w + normal**2 @ slack2)
