"""The two bounds on the optimum margin that a run keeps, and the margin that it may refute."""

from math import inf, sqrt
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from novikoff.sample import Sample
from novikoff.sample.virtual_rows import minus

# What floating point may add to a bound, relative to the lengths it is made of: the sums behind
# it have errors of some 1e-16 for each of their terms.
ROUNDING = 1e-12
# A margin counts as refuted once the bound is below it by this share. The certificate's bound is
# rounded outward and computed anew, so that without a reserve it could miss what the run has seen.
SAFETY = 1e-4


class Point(NamedTuple):
    """Where a run is, or was: weights, the vector they make, its offset and their total.

    Of many classes the vector and the offset have one part for each. ``rescaled`` tells points
    apart whose weights are in different units.
    """

    weights: NDArray[np.float64]
    w: NDArray[np.float64]
    offset: Any
    total: float
    rescaled: int = 0

    def copy(self) -> "Point":
        """Return a copy that the run does not change."""
        return self._replace(weights=self.weights.copy(), w=self.w.copy())

    def since(self, before: "Point") -> "Point":
        """Return what was added after an earlier point."""
        return Point(
            minus(self.weights, before.weights),
            self.w - before.w,
            self.offset - before.offset,
            self.total - before.total,
        )

    def length(self, sample: Sample) -> float:
        """Return ``|w|`` with the coordinates of slack, one for each example."""
        return sample.length(self.weights, self.w)

    def upper_bound(self, sample: Sample) -> float:
        """Bound the optimum margin without a pass over the examples."""
        if self.total <= 0.0:
            return inf
        return sample.bound(self.length(sample), self.offset, self.total)


class Bounds:
    """The largest margin and the smallest upper bound so far, with the weights that prove them.

    Parameters
    ----------
    sample : Sample
        The examples. With slack both bounds are those of the examples with its coordinates.
    min_margin : float
        The margin that the run looks for; 0 disables the test.
    """

    def __init__(self, sample: Sample, min_margin: float) -> None:
        self.sample = sample
        # With slack everything is separable, so a bound on that margin says nothing about the data.
        self.min_margin = min_margin if sample.frame.slack2 == 0.0 else 0.0
        self.best: NDArray[np.float64] | None = None
        self.lower = -inf
        self.upper_weights: NDArray[np.float64] | None = None
        self.upper = inf
        # Where the run was at the last power of two of its passes. On data that nothing separates
        # w stays bounded, so what was added since is a far smaller sum of as many examples; if w
        # has come back, it is zero (the perceptron cycling theorem).
        self._start: Point | None = None
        # What the distance of the class means would gain on the quick bound, as last seen.
        self._gain = sqrt(0.5)

    def keep(self, here: Point, least: float) -> None:
        """Remember an iterate, whose least ``z . w`` is given, if it is the best separator.

        In pairs, whose least ``w . (x_p - x_q) / 2`` is given.
        """
        length = here.length(self.sample)
        if least > 0.0 and least > self.lower * length:
            self.best, self.lower = here.weights.copy(), least / length

    def tighten(self, here: Point, passes: int) -> None:
        """Keep the upper bound that the point proves after ``passes``, if it is the smallest."""
        points = [here]
        start = self._start if self.sample.subtractable else None
        if start is not None and start.rescaled == here.rescaled:
            points.append(here.since(start))
        bound, point = min(((self._upper(p), p) for p in points), key=itemgetter(0))
        if bound < self.upper:
            self.upper, self.upper_weights = bound, point.weights.copy()
        if passes & (passes - 1) == 0:
            self._start = here.copy()

    def excludes_min_margin(self) -> bool:
        """Whether no hyperplane can have the margin that the run looks for."""
        safe = (1.0 - SAFETY) * self.min_margin - ROUNDING * self.sample.radius
        return self.upper < safe

    def _upper(self, point: Point) -> float:
        quick = point.upper_bound(self.sample)
        if not self.sample.affine or quick == 0.0 or quick * self._gain >= self.min_margin:
            return quick
        # Near the margin looked for, the distance of the class means is worth its sum.
        exact = self.sample.closer_bound(point.weights, point.w)
        self._gain = exact / quick
        return min(exact, quick)
