"""The dual of several classes as coordinate descent sees it: weights, and the vectors they make.

With intercepts the flow between classes must balance. The method of multipliers achieves it, as in
:mod:`novikoff.maxmargin.coordinate.dual`: the dual is augmented by ``b . t + pull |t|^2 / 4``,
where ``t`` is the flow and ``b`` the estimate of the intercepts, which moves by ``pull t / 2``
after every sweep.
"""

from math import inf

import numpy as np

from novikoff.certificate import Status
from novikoff.compiled import joint_dual as compiled
from novikoff.compiled.joint_dual import GAP, MASS, STEPS, WORST, Terms, Vectors
from novikoff.maxmargin.coordinate.dual import measure
from novikoff.maxmargin.joint.bounds import balance, flow_matrix, signed
from novikoff.maxmargin.joint.passes import products, weighted_sums
from novikoff.maxmargin.joint.problem import Ids, JointProblem, Vector
from novikoff.maxmargin.joint.settings import DescentSettings
from novikoff.maxmargin.passes import Passes
from novikoff.run.clock import Stopped


class JointDual:
    """Weights on the examples, one for each wrong class, and what belongs to them.

    Rows are read relative to a centre, about the mean of the examples.
    """

    def __init__(self, problem: JointProblem, passes: Passes, settings: DescentSettings) -> None:
        sample = problem.sample
        n, d = sample.storage.shape
        self.passes = passes
        self.sample = sample
        self.codes = problem.codes
        self.slack2 = np.zeros(n) if problem.slack2 is None else problem.slack2
        self.bounded = problem.most is not None
        self.most = np.full(n, inf) if problem.most is None else problem.most
        self.in_place = sample.storage.part(sample.order[:1])[1] is None
        self.centre = np.zeros(d)
        if sample.affine:
            few = min(problem.n_examples, settings.centre_examples)
            places = np.linspace(0, problem.n_examples - 1, few).astype(np.int64)
            shares = np.full((few, 1), 1.0 / few)
            (self.centre,) = weighted_sums(passes, sample.order[places], shares)
        self.centre2 = float(self.centre @ self.centre)
        lengths2, self.along = measure(passes, self.centre)
        mean = float(lengths2[sample.order].mean()) or 1.0
        slack = float(self.slack2[sample.order].mean())
        self.pull = settings.pull * (mean + slack) if sample.affine else 0.0
        self.curves = np.maximum(lengths2 + self.pull, settings.least_curve * mean)
        self.weights = np.zeros((n, problem.n_classes))
        self.vectors = Vectors(np.zeros((d, problem.n_classes)), *np.zeros((3, problem.n_classes)))
        self.state = np.zeros(compiled.SIZE)

    @property
    def gap_seen(self) -> float:
        """The soft margin's relative gap, each example's part of it before its step of a sweep.

        The dual is half the sum of the weights at the optimum if hinges are squared, and else that
        sum less half of ``|w|^2``.
        """
        gap, dual = float(self.state[GAP]), 0.5 * float(self.state[MASS])
        if self.bounded:
            vectors = self.vectors.sums - np.outer(self.centre, self.vectors.flow)
            dual = max(0.0, 2.0 * dual - 0.25 * float(np.square(vectors).sum()))
        return gap / (gap + dual) if gap > 0.0 else 0.0

    @property
    def offsets(self) -> Vector:
        """The estimates of the intercepts."""
        return np.asarray(self.vectors.offsets - 0.5 * self.pull * self.vectors.flow)

    def estimate_offsets(self, offsets: Vector) -> None:
        """Take estimates of the intercepts from elsewhere."""
        self.vectors.offsets[:] = offsets + 0.5 * self.pull * self.vectors.flow

    def sweep(self, ids: Ids, bound: float = inf) -> tuple[Ids, float]:
        """Visit examples in sequence.

        Returns those that have weight or whose hinge is at least ``-bound``, and the largest
        violation. Changes ``ids``.
        """
        kept = []
        self.state[[WORST, GAP, MASS]] = 0.0
        for rows, here, those in self.passes.over(ids):
            local = slice(None) if self.in_place else ids[those]
            weights = self.weights[local]
            terms = Terms(
                self.codes[local],
                self.along[local],
                self.slack2[local],
                self.most[local],
                self.curves[local],
                self.centre2,
                self.pull,
            )
            left = compiled.sweep(rows, here, terms, bound, weights, self.vectors, self.state)
            self.passes.clock.updates += int(self.state[STEPS])
            self.state[STEPS] = 0.0
            if self.in_place:
                kept.append(here[:left])
            else:
                self.weights[local] = weights
                kept.append(ids[those][here[:left]])
        if self.sample.affine:
            self.vectors.offsets[:] += 0.5 * self.pull * self.vectors.flow
        else:
            self.vectors.offsets[:] = 0.0
        if not self.is_finite:
            # Examples that differ by no more than rounding make vectors of any length.
            raise Stopped(Status.PRECISION)
        return np.concatenate([ids[:0], *kept]), float(self.state[WORST])

    @property
    def is_finite(self) -> bool:
        """Whether the vectors and their intercepts are numbers still."""
        return all(bool(np.isfinite(each).all()) for each in self.vectors)

    def clear(self) -> None:
        """Go back to no weights."""
        self.weights[:] = 0.0
        for each in self.vectors:
            each[:] = 0.0

    def refresh(self) -> Vector:
        """Balance the flow and sum up the vectors again, without the rounding of many steps.

        Returns the vectors of the classes, relative to the centre.
        """
        ids, offsets = self.support, self.offsets
        if self.sample.affine and len(ids):
            factors = balance(flow_matrix(self.weights[ids], self.codes[ids]))
            self.weights[ids] *= factors[self.codes[ids]]
        shares = signed(self.weights[ids], self.codes[ids])
        sums = weighted_sums(self.passes, ids, shares)
        flow = shares.sum(axis=0) if self.sample.affine else np.zeros(len(sums))
        self.vectors.sums[:] = sums.T
        self.vectors.flow[:] = flow
        self.vectors.at_centre[:] = sums @ self.centre
        self.estimate_offsets(offsets)
        return np.asarray(0.5 * (sums - np.outer(flow, self.centre)))

    @property
    def support(self) -> Ids:
        """The examples that have weight."""
        order = self.sample.order
        return np.asarray(order[self.weights[order].any(axis=1)])

    def products(self, ids: Ids, vectors: Vector) -> Vector:
        """Return ``vectors . (x - centre)``."""
        return products(self.passes, ids, vectors, vectors @ self.centre)
