"""The margin of all classes together in the feature space of a kernel.

The examples of a working set span a part of the feature space that has coordinates
(:mod:`~.feature_coordinates`). In them the problem is a linear one, for the solvers of
:mod:`~.choose`. Its optimum is that of all examples if no other is violated; otherwise the worst of
these join the working set.
"""

from dataclasses import replace
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.joint.bounds import best_offsets, place_soft, signed, worst_wrong
from novikoff.maxmargin.joint.choose import SMALL_ROWS, joint_hard_margin, joint_soft_margin
from novikoff.maxmargin.joint.feature_coordinates import CHUNK, Coordinates, coordinates_of
from novikoff.maxmargin.joint.kernel_problem import (
    Ids,
    JointKernelProblem,
    JointKernelSolution,
    Vector,
    nothing_known,
    placed,
)
from novikoff.maxmargin.joint.problem import JointProblem
from novikoff.maxmargin.joint.settings import CORRAL
from novikoff.maxmargin.joint.two_classes import squared_margin
from novikoff.maxmargin.small_weights import small_weights
from novikoff.run.clock import Clock
from novikoff.sample import Sample, storage_of
from novikoff.sample.kernel import KernelMatrix

FIRST = 2500
"""Examples of the first working set; up to so many, all are in it."""

LEAST = 256
"""Examples that there is room for, whatever the cache: a megabyte. Blocks of so small a cache may
take more than 1,000 passes for 40 examples. Not varied."""

MATRICES = 2
"""Square matrices of the size of the working set that are in memory at a time."""

SINGLE = 1e-4
"""Coordinates are float32 where those of float64 do not fit in the cache, if the gap asked for is
at least this."""

ROUGH, ROUGH_SLACK2 = 0.1, 0.005
"""The gap and the slack, in units of the largest squared length, of the soft margin that a hard one
begins with. Digits of scikit-learn, rbf: 16.7 s without it."""

SHARE = 0.5
"""The share of the gap asked for to which the problem of a working set is solved."""


class NoRoomError(Exception):
    """More examples carry the margin than there is room for."""


class FeatureSpaceSearch:
    """A working set of examples, and the optimum in its coordinates.

    Parameters
    ----------
    problem : JointKernelProblem
        What to solve.
    matrix : KernelMatrix
        The kernel values of its examples, in float64.
    tol : float
        The relative gap to reach.
    clock : Clock
        Limits and history.
    start : array of shape (n_examples, n_classes), optional
        Weights to begin with.
    """

    def __init__(
        self,
        problem: JointKernelProblem,
        matrix: KernelMatrix,
        tol: float,
        clock: Clock,
        start: Vector | None = None,
    ) -> None:
        self.problem, self.matrix, self.clock, self.tol = problem, matrix, clock, tol
        self.codes, self.n = problem.codes, matrix.n
        self.hard = problem.slack2 is None
        least = max(LEAST, 2 * problem.n_classes)
        self.room_double = max(int(sqrt(problem.cache_bytes / (8 * MATRICES))), least)
        self.room = max(int(sqrt(problem.cache_bytes / (4 * MATRICES))), least)
        if tol < SINGLE:
            self.room = self.room_double
        self.weights: Vector = np.zeros((self.n, problem.n_classes))
        if start is not None:
            self.weights[:] = start
        self.best: JointKernelSolution | None = None
        self.solver = ""
        self.means = np.zeros(problem.n_classes)

    def run(self) -> JointKernelSolution:
        """Enlarge the working set until the bounds of all examples are within ``tol``.

        Raises :class:`NoRoomError` where it outgrows its room.
        """
        working, share, tol = self._first(), SHARE, self.tol
        while True:
            linear = self._solve(working, share * tol)
            inner = linear.status
            found, violation = self._judge(working)
            if not self.hard and not found.lower >= (1.0 - tol) * found.upper:
                found = self._in_small_weights(working, linear, found)
            self.clock.report(found.mistakes, found.lower, found.upper)
            if found.lower > 0.0 and found.lower >= (1.0 - tol) * found.upper:
                return self._ended(Status.GAP_REACHED)
            if inner is not Status.GAP_REACHED:
                return self._ended(inner)
            stop = self.clock.stop()
            if stop is not None:
                return self._ended(stop)
            larger = self._enlarged(working, violation)
            if len(larger) == len(working):
                # Nothing else is violated: the working set was not solved well enough.
                share *= 0.1
                if share < 1e-4 * SHARE:
                    return self._ended(Status.PRECISION)
            working = larger

    def _first(self) -> Ids:
        """Return all examples if they are few, else some of each class and those with weight."""
        most = min(self.room, max(FIRST, 2 * self.problem.n_classes))
        if self.n <= most:
            return np.arange(self.n)
        chosen = np.zeros(self.n, dtype=np.bool_)
        each = max(2, most // self.problem.n_classes)
        for k in range(self.problem.n_classes):
            rows = np.flatnonzero(self.codes == k)
            chosen[rows[:: max(1, len(rows) // each)][:each]] = True
        carriers = np.flatnonzero(self.weights.any(axis=1))
        chosen[carriers[: self.room - np.count_nonzero(chosen)]] = True
        return np.flatnonzero(chosen)

    def _solve(self, working: Ids, tol: float) -> "_Solved":
        """Set the weights to those of the working set's optimum."""
        problem = self.problem
        coordinates, scale = made = self._coordinates(working)
        sample = Sample.of(
            storage_of(coordinates), np.ones(len(working), dtype=np.int8), affine=problem.affine
        )
        slack2 = None if problem.slack2 is None else scale**2 * problem.slack2[working]
        linear = JointProblem(sample, self.codes[working], problem.n_classes, slack2)
        start: Vector | None = None
        if self.weights[working].any():
            start = self.weights[working] / scale**2
        elif self.hard and linear.n_rows > SMALL_ROWS:
            rough = replace(linear, slack2=np.full(len(working), ROUGH_SLACK2))
            start = joint_soft_margin(rough, tol=ROUGH, clock=self.clock).weights
        with self.clock.in_units(1.0 / scale if self.hard else scale * scale):
            found = self._linear(linear, tol, start)
        self.solver = found.solver
        self.weights[:] = 0.0
        # Where nothing separates, some are negative by rounding.
        self.weights[working] = np.maximum(found.weights, 0.0) * scale**2
        self.means = (coordinates.mean(axis=0) - sample.centre) @ found.vectors.T + found.offsets
        status = found.status
        if status is Status.NOT_SEPARABLE:
            status = Status.PRECISION
        return _Solved(made, found.vectors, status)

    def _linear(self, linear: JointProblem, tol: float, start: Vector | None) -> Any:
        """Solve the problem in coordinates."""
        if self.hard:
            return joint_hard_margin(linear, tol=tol, clock=self.clock, start=start)
        if linear.n_classes == 2:
            return squared_margin(linear, tol=tol, clock=self.clock, start=start)
        # At the optimum scores of classes are equal, which only exact arithmetic can tell, and the
        # exact solver takes longer than all else: 630 x 16, three classes, 169 and 45 ms. A weight
        # of 2 is the example twice only there, as it is to be for few examples.
        few = linear.n_rows <= CORRAL.take_all
        return joint_soft_margin(linear, tol=tol, clock=self.clock, start=start, polish=few)

    def _coordinates(self, working: Ids) -> Coordinates:
        return coordinates_of(
            self.matrix,
            working,
            affine=self.problem.affine,
            soft=not self.hard,
            double=len(working) <= self.room_double,
            negligible=self._negligible(working),
        )

    def _negligible(self, working: Ids) -> float:
        """Return the squared length that matters less than the gap, beside that of the slack.

        A sigmoid kernel is rarely positive semidefinite, but soft margins in which that does not
        show are those of one that is; their bounds are computed from its values.
        """
        if self.problem.slack2 is None:
            return 0.0
        return 0.1 * self.tol * float(self.problem.slack2[working].min())

    def _products(self, weights: Vector) -> Vector:
        """Return the scores of all examples without offsets, a column for each class."""
        support = np.flatnonzero(weights.any(axis=1))
        coef = 0.5 * signed(weights[support], self.codes[support])
        out = np.zeros((self.n, self.problem.n_classes))
        for first in range(0, self.n, CHUNK):
            some = np.arange(first, min(first + CHUNK, self.n))
            ready = self.matrix.prepare(some)
            for begin in range(0, len(support), CHUNK):
                part = slice(begin, begin + CHUNK)
                out[some] += self.matrix.block(support[part], ready).T @ coef[part]
        return out

    def _judge(self, working: Ids) -> tuple[JointKernelSolution, Vector]:
        """Return the bounds of the weights, and by how much each example is violated."""
        problem, codes, affine = self.problem, self.codes, self.problem.affine
        products = self._products(self.weights)
        # The offsets that the solver has for the working set.
        own = np.zeros(problem.n_classes)
        if affine and not self.hard:
            own = self.means - products[working].mean(axis=0)
        name = f"kernel-{self.solver}"
        found = placed(problem, self.matrix, self.weights, products, own, name)
        if not found.upper < np.inf:
            return found, np.zeros(self.n)
        if self.hard:
            violation = -_leads(products, codes, self._hard_offsets(products, working), affine)
            violation = violation + float(-violation[working].max())
        else:
            lifted = self.weights.sum() / found.weights.sum()
            violation = lifted - _leads(products, codes, own, affine)
        self._keep(found)
        return found, violation

    def _keep(self, found: JointKernelSolution) -> None:
        best = self.best
        if best is None or (found.lower > best.lower if self.hard else found.upper < best.upper):
            self.best = found

    def _in_small_weights(
        self, working: Ids, linear: "_Solved", found: JointKernelSolution
    ) -> JointKernelSolution:
        """Return the solution with a model that is made of smaller weights, if that is better."""
        codes, slack2 = self.codes, self.problem.slack2
        assert slack2 is not None
        some = small_weights(
            linear.coordinates.rows,
            codes[working],
            self.weights[working],
            linear.vectors,
            affine=self.problem.affine,
        )
        if some is None:
            return found
        model = np.zeros_like(self.weights)
        model[working] = some * linear.coordinates.scale**2
        products = self._products(model)
        free, offsets = self.problem.affine, np.zeros(self.problem.n_classes)
        if free:
            offsets = self.means - products[working].mean(axis=0)
        norm2 = 0.5 * float((signed(model, codes) * products).sum())
        made = place_soft(norm2, products, codes, slack2, offsets, free=free, multiples=False)
        if not norm2 > 0.0 or not made.value < found.upper:
            return found
        found = replace(
            found, model=model, offsets=made.offsets, upper=made.value, mistakes=made.mistakes
        )
        self._keep(found)
        return found

    def _hard_offsets(self, products: Vector, ids: Ids) -> Vector:
        """Return the offsets that make the least lead of some examples as large as possible."""
        if not self.problem.affine:
            return np.zeros(self.problem.n_classes)
        return best_offsets(products[ids], self.codes[ids])

    def _enlarged(self, working: Ids, violation: Vector) -> Ids:
        """Add the worst other examples; without room for them, drop those without weight."""
        outside = np.ones(self.n, dtype=np.bool_)
        outside[working] = False
        scale = float(np.abs(violation).max()) or 1.0
        wanted = np.flatnonzero(outside & (violation > 1e-9 * scale))
        if not len(wanted):
            return working
        carries = np.asarray(self.weights[working].any(axis=1))
        self._check_room(int(np.count_nonzero(carries)), len(working), len(wanted))
        wanted = wanted[np.argsort(-violation[wanted], kind="stable")[: max(512, len(working))]]
        if len(working) + len(wanted) > self.room:
            # One of each class stays, so that offsets are known.
            for k in range(self.problem.n_classes):
                carries[np.flatnonzero(self.codes[working] == k)[:1]] = True
            working = working[carries]
        spare = self.room - len(working)
        if spare <= 0:
            raise NoRoomError
        return np.sort(np.concatenate([working, wanted[:spare]]))

    def _check_room(self, carrying: int, members: int, violated: int) -> None:
        """Raise if a first working set shows that the examples with weight will not fit.

        The larger ones would take many times as long. Of classes that overlap, the number of
        examples with weight grows with that of all, otherwise more slowly; here only with its root.
        """
        expected = int(carrying * sqrt(self.n / members))
        if expected > self.room and carrying + violated > self.room:
            raise NoRoomError

    def _ended(self, status: Status) -> JointKernelSolution:
        nothing = nothing_known(self.problem, self.weights, f"kernel-{self.solver}")
        return replace(self.best or nothing, status=status)


class _Solved(NamedTuple):
    """The optimum of a working set in its coordinates."""

    coordinates: Coordinates
    vectors: Vector
    status: Status


def _leads(products: Vector, codes: Ids, offsets: Vector, affine: bool) -> Vector:
    return worst_wrong(products + offsets if affine else products.copy(), codes)[1]
