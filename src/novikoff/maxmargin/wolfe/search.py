"""Wolfe's method on a working set: solve among few examples, scan all, take in the worst.

The point of least norm among the candidates is found by Wolfe's method (P. Wolfe, "Finding the
nearest point in a polytope", Mathematical Programming 11, 1976). A scan of all examples along it
gives both bounds, and the examples that violate the margin most are added to the candidates.
"""

import math
from collections.abc import Callable
from math import inf

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.bounds import place_hard, place_soft
from novikoff.maxmargin.passes import Ids, Passes, Vector
from novikoff.maxmargin.problem import Solution
from novikoff.maxmargin.vectors import by_class, filled, where
from novikoff.maxmargin.wolfe.working_set import WorkingSet
from novikoff.run.clock import Clock, Stopped
from novikoff.sample import Sample


class Search:
    """A working set, the scans of all examples, and the best bounds they gave.

    For the hard margin ``lower`` and ``upper`` bound the margin, for the soft one the objective.

    Parameters
    ----------
    candidates : WorkingSet
        The working set, with its problem and settings.
    clock : Clock
        Limits and history. Limits are in passes over the examples; every scan is reported.
    solver : str
        The name of the solver.
    reporting : bool
        Whether scans are reported; not where the bounds are in scaled units.
    """

    def __init__(
        self, candidates: WorkingSet, clock: Clock, *, solver: str = "wolfe", reporting: bool = True
    ) -> None:
        self.candidates = candidates
        self.clock = clock
        self.solver = solver
        self.reporting = reporting
        self.settings = candidates.settings
        self.sample = candidates.problem.sample
        self.slack2 = candidates.problem.slack2
        self.passes = Passes(self.sample, clock)
        self.signs = self.sample.signs[self.sample.order]
        # Where each example is in the order.
        self._places = np.zeros(self.sample.n_examples, dtype=np.int64)
        self._places[self.sample.order] = np.arange(len(self.signs))
        self.w: Vector = np.zeros(candidates.problem.n_features)
        self.offset = 0.0
        self.mistakes = len(self.signs) + 1
        # The multiple of a soft margin's weights that makes them its dual variables.
        self.factor = 1.0
        self.gave_up = False
        # In the units of candidates.work.
        self.budget = inf
        # Whether to give up, asked after every scan.
        self.leaves: Callable[[], bool] = lambda: False
        self.lower, self.upper = -inf, inf

    def start_from(self, weights: Vector) -> None:
        """Begin with the examples that have weight, the heaviest if they are too many."""
        support = np.flatnonzero(weights)
        if len(support) > self.settings.most_members:
            support = heaviest(support, weights[support], self.sample, self.settings.most_members)
        self.candidates.begin(support, weights[support])

    def run(self, tol: float, zero: float, aim: float | None = None) -> Status:
        """Go on until the bounds are within ``tol``, or the least norm is at most ``zero``.

        ``aim``, if given, is a smaller gap to try for; missing it is no failure.
        """
        try:
            status = self._rounds(tol if aim is None else min(tol, aim), zero)
        except Stopped as stopped:
            status = stopped.status
        return Status.GAP_REACHED if status.at_limit and self._within(tol) else status

    def _rounds(self, aim: float, zero: float) -> Status:
        candidates, settings = self.candidates, self.settings
        if not len(candidates.support):
            self._start()
        while True:
            settled = candidates.solve(settings.share_of_tol * aim, zero, self.clock, self.budget)
            stop = self.limit()
            if stop is not None and self.w.any():
                return stop
            w, length = candidates.point()
            if self.slack2 is None and length <= zero:
                if not self.w.any():
                    self._scan_means()
                return Status.NOT_SEPARABLE
            products = self._scan(w, length)
            if self._within(aim):
                return Status.GAP_REACHED
            stop = self.limit()
            if stop is not None:
                return stop
            if self.over_budget:
                return Status.PRECISION
            self.gave_up = (
                len(candidates.ids) > settings.most_candidates
                or len(candidates.support) > settings.most_members
                or self.leaves()
            )
            if self.gave_up:
                return Status.PRECISION
            norm2 = length**2 + self._slack_norm2()
            least = settings.share_of_tol * aim * norm2
            depths = self._depths(products)
            new = candidates.add(self._deepest(depths, least, settings.per_class))
            if not (settled and new):
                return Status.PRECISION

    @property
    def over_budget(self) -> bool:
        """Whether the search has cost more than it was allowed; it can be run on."""
        return self.candidates.work > self.budget

    def _within(self, tol: float) -> bool:
        # A margin that small is rounding, and separates only by chance.
        least = 0.0 if self.slack2 is not None else self.settings.zero * self.candidates.length
        return self.lower > least and self.lower >= (1.0 - tol) * self.upper

    def limit(self) -> Status | None:
        """Return the limit that leaves no time for another scan, if any."""
        status = self.clock.interrupted()
        if status is None and not self.clock.fits(1.0):
            return Status.MAX_ITER
        return status

    def solution(self, status: Status) -> Solution:
        """Return the best hyperplane, and the weights of the last point."""
        weights = np.zeros(self.sample.n_examples)
        weights[self.candidates.support] = self.factor * self.candidates.weights
        return Solution(
            w=self.w,
            offset=self.offset,
            weights=weights,
            status=status,
            lower=self.lower,
            upper=self.upper,
            solver=self.solver,
            gave_up=self.gave_up,
        )

    def add_nearest(self, most: int) -> None:
        """Add the ``most`` examples of each class nearest to the boundary; one pass."""
        w, _ = self.candidates.point()
        self.candidates.add(self._deepest(-self.signs * self._products(w), -inf, most))

    def _start(self) -> None:
        """Begin with the worst examples along the difference of the class means."""
        if len(self.signs) <= self.settings.take_all:
            self.candidates.begin_with_all()
            return
        depths = -self.signs * self._scan_means()
        self.begin_with(self._deepest(depths, -inf, self.settings.per_class))

    def begin_with(self, worst: Ids) -> None:
        """Begin with the first few examples of each class, of which ``worst`` has some."""
        signs = self.sample.signs[worst]
        sides = [worst[signs > 0], worst[signs < 0]]
        self.candidates.add(np.concatenate([side[: self.settings.per_class] for side in sides]))
        first = np.array([side[0] for side in sides]) if self.sample.affine else worst[:1]
        self.candidates.begin(first, np.ones(len(first)))

    def _scan_means(self) -> Vector:
        """Scan along the difference of the class means, taken over a few examples."""
        few, settings = np.zeros(self.sample.n_examples), self.settings
        for sign in (1, -1):
            side = self.sample.order[self.signs == sign]
            chosen = side[:: len(side) // settings.first_direction + 1]
            few[chosen] = 1.0 / max(len(chosen), 1)
        w, _ = self.sample.combine(few)
        products = self._products(w, limited=False)
        if self.slack2 is None and w.any():
            self._keep_better(w, products, float(np.linalg.norm(w)))
        return products

    def _products(self, w: Vector, *, limited: bool = True) -> Vector:
        """Return ``(x - centre) . w`` of all examples in order."""
        at, centre = self.sample.at, self.sample.centre
        self.candidates.work += self.sample.storage.n_values
        along = float(w[at] @ centre[at])
        if limited:
            return self.passes.products(self.sample.order, w, along)
        with self.passes.without_limits():
            return self.passes.products(self.sample.order, w, along)

    def _scan(self, w: Vector, length: float) -> Vector:
        """Bring the bounds up to date; return the products of all examples with ``w``."""
        # Without this pass there may be no hyperplane to return.
        products = self._products(w, limited=bool(self.w.any()))
        if self.slack2 is None:
            # In scaled columns, w and the norm are those of the scaled problem.
            self.upper = min(self.upper, length / 2.0 if self.sample.affine else length)
            self._keep_better(w, products, length)
        else:
            self._soft_bounds(w, products, length, self.slack2)
        if self.reporting:
            self.clock.report(self.mistakes, self.lower, self.upper)
        return products

    def _depths(self, products: Vector) -> Vector:
        """Return how far each example lies below its class's level."""
        levels = np.array(self._levels(products))

        def depth(part: slice) -> Vector:
            signs = self.signs[part]
            return levels[(signs < 0).view(np.int8)] - signs * products[part]

        depths = filled(depth, len(products))
        if self.slack2 is not None:
            eased = np.zeros(self.sample.n_examples)
            support = self.candidates.support
            eased[support] = self.slack2[support] * self.candidates.weights
            depths -= eased[self.sample.order]
        return depths

    def _keep_better(self, w: Vector, products: Vector, length: float) -> None:
        """Keep the hyperplane that separates best or, while none does, errs least often."""
        offset, least, mistakes = place_hard(products, self.signs, self.sample.affine)
        if not length > 0.0 or (-mistakes, least / length) <= (-self.mistakes, self.lower):
            return
        # Where it separates, the hyperplane is scaled to y f(x) >= 1.
        factor = 1.0 / least if least > 0.0 else 1.0
        with np.errstate(over="ignore", invalid="ignore"):
            w, offset = factor * w, factor * offset
        if math.isfinite(offset) and np.isfinite(w).all():
            self.w, self.offset = w, offset
            self.mistakes, self.lower = mistakes, least / length

    def _soft_bounds(self, w: Vector, products: Vector, length: float, slack2: Vector) -> None:
        norm2, affine = length**2 + self._slack_norm2(), self.sample.affine
        self.factor = factor = (2.0 if affine else 1.0) / norm2
        self.lower = max(self.lower, factor if affine else factor / 2.0)
        mine = slack2[self.sample.order]
        offset, primal, mistakes = place_soft(
            factor * w, factor * products, self.signs, mine, affine
        )
        if primal < self.upper:
            self.w, self.offset, self.upper = factor * w, offset, primal
            self.mistakes = mistakes

    def _slack_norm2(self) -> float:
        """The slack lift's part of the squared norm of the point."""
        if self.slack2 is None:
            return 0.0
        return float(self.slack2[self.candidates.support] @ self.candidates.weights**2)

    def _levels(self, products: Vector) -> tuple[float, float]:
        """The margins at which examples of either class would join the corral."""
        support, weights = self.candidates.support, self.candidates.weights
        margins = self.sample.signs[support] * products[self._places[support]]
        if self.slack2 is not None:
            margins += self.slack2[support] * weights
        parts = weights * margins
        if not self.sample.affine:
            return float(parts.sum()), float(parts.sum())
        positive = self.sample.signs[support] > 0
        return float(parts[positive].sum()), float(parts[~positive].sum())

    def _deepest(self, depths: Vector, least: float, most: int) -> Ids:
        """Return the deepest examples of each class, deepest first."""
        found: list[Ids] = []
        deep = where(lambda part: depths[part] > least, len(depths))
        for eligible in by_class(deep, self.signs[deep]):
            if len(eligible) > most:
                top = np.argpartition(depths[eligible], -most)[-most:]
                found.append(eligible[top])
            else:
                found.append(eligible)
        chosen = np.concatenate(found)
        deepest = chosen[np.argsort(-depths[chosen], kind="stable")]
        return np.asarray(self.sample.order[deepest])


def heaviest(support: Ids, weights: Vector, sample: Sample, most: int) -> Ids:
    """Return ``most`` of the support, those of largest weight in each class."""
    second = (sample.signs[support] < 0) & sample.affine
    chosen = []
    for side in (support[~second], support[second]):
        order = np.argsort(-weights[np.isin(support, side)], kind="stable")
        chosen.append(side[order[: most // (2 if sample.affine else 1)]])
    return np.sort(np.concatenate(chosen))
