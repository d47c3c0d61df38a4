"""The dual as coordinate descent sees it: weights, the vector they make, and steps on them.

With an intercept the weights must sum to zero, signed. The method of multipliers achieves it (M. R.
Hestenes, "Multiplier and gradient methods", Journal of Optimization Theory and Applications 4,
1969): the dual is augmented by ``b T + pull T^2 / 2``, where ``T`` is the signed total and ``b``
the estimate of the intercept, which moves by ``pull T`` after every sweep.
"""

from math import inf

import numpy as np

from novikoff.compiled import blocks
from novikoff.compiled import dual as compiled
from novikoff.compiled.dual import ALONG, GAP, MASS, MISTAKES, OFFSET, STEPS, TOTAL, WORST, Terms
from novikoff.maxmargin.coordinate.settings import CoordinateSettings
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
        self.terms = Terms(
            self.signs, self.along, self.slack2, self.curves, self.centre2, self.pull
        )
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

    @property
    def mistakes_seen(self) -> int:
        """How many examples were on the wrong side before their steps of a sweep."""
        return int(self.state[MISTAKES])

    def sweep(self, ids: Ids, bound: float = inf) -> tuple[Ids, float]:
        """Visit examples in sequence.

        Returns those that have weight or whose slope is at most ``bound``, and the largest
        violation. Changes ``ids``.
        """
        kept = []
        self.state[[WORST, GAP, MASS, MISTAKES]] = 0.0
        for rows, here, those in self.passes.over(ids):
            weights, terms = self.weights, self.terms
            if not self.in_place:
                local = ids[those]
                weights = weights[local]
                signs, along, slack2, curves = (each[local] for each in terms[:4])
                terms = Terms(signs, along, slack2, curves, self.centre2, self.pull)
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
        for mine, total in zip(sums, totals, strict=True):
            mine -= total * self.centre
        return sums, totals

    def estimate_offset(self, offset: float) -> None:
        """Take an estimate of the intercept from elsewhere."""
        self.state[OFFSET] = offset + self.pull * self.total

    def products(self, ids: Ids, w: Vector) -> Vector:
        """Return ``w . (x - centre)`` for a vector that is itself relative to the centre."""
        return self.passes.products(ids, w, float(w @ self.centre))


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
