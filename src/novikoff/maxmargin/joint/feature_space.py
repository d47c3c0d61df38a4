"""The margin of all classes together in the feature space of a kernel.

The examples of a working set span a part of the feature space that a factor of their Gram matrix
gives coordinates: the rows of ``L`` with ``L L' = K``. In them the problem is a linear one, for the
solvers of :mod:`~.choose`. Its optimum is that of all examples if no other is violated; otherwise
the worst of these join the working set. The factor is Cholesky's with pivots (LAPACK's ``pstrf``).
"""

from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dpstrf, spstrf

from novikoff.certificate import Status
from novikoff.maxmargin.joint.bounds import best_offsets, place_soft, signed, worst_wrong
from novikoff.maxmargin.joint.choose import SMALL_ROWS, joint_hard_margin, joint_soft_margin
from novikoff.maxmargin.joint.problem import JointProblem
from novikoff.maxmargin.joint.settings import CORRAL
from novikoff.run.clock import Clock
from novikoff.sample import Sample, storage_of
from novikoff.sample.kernel import (
    KernelError,
    KernelFunction,
    KernelMatrix,
    check_kernel,
    check_square,
)

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]

FIRST = 2500
"""Examples of the first working set; up to so many, all are in it."""

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

RANK = 512.0
"""The part of a squared length that counts as rounding, in rounding errors of the largest."""

NEGATIVE, NEGATIVE_SINGLE = 1 << 22, 1 << 14
"""Rounding errors by which a squared length may be negative, for float64 and float32: it is what is
left after up to thousands of others were subtracted."""

CHUNK = 2048
"""Examples whose scores are computed at a time."""


@dataclass(frozen=True)
class JointKernelProblem:
    """The problem of :class:`~.problem.JointProblem` with a kernel for inner products.

    ``slack2`` is ``Delta_i^2 = 1 / (2 C s_i)``, or ``None`` for the hard margin. The matrices of a
    working set take at most ``cache_bytes``.
    """

    X: Any
    codes: Ids
    n_classes: int
    kernel: KernelFunction
    affine: bool = True
    slack2: Vector | None = None
    cache_bytes: float = 200e6


@dataclass(frozen=True)
class JointKernelSolution:
    """``f_r(x) = sum_i coef_ir k(x_i, x) + offsets_r``, with ``coef = signed(weights) / 2``.

    ``weights`` are those of :class:`~.problem.JointSolution`, a row for each example; ``lower`` and
    ``upper`` too.
    """

    weights: Vector
    offsets: Vector
    status: Status
    lower: float
    upper: float
    mistakes: int
    solver: str

    def coef(self, support: Ids, codes: Ids) -> Vector:
        """Return the coefficients of some examples, a column for each class."""
        return 0.5 * signed(self.weights[support], codes[support]) + 0.0


def joint_kernel_margin(
    problem: JointKernelProblem, *, tol: float, clock: Clock, start: Vector | None = None
) -> JointKernelSolution:
    """Solve a margin problem of all classes in feature space.

    Parameters
    ----------
    problem : JointKernelProblem
        What to solve.
    tol : float
        The relative gap to reach.
    clock : Clock
        Limits and history.
    start : array of shape (n_examples, n_classes), optional
        Weights to begin with.

    Raises
    ------
    KernelError
        If the kernel is not symmetric, or more examples carry the margin than the cache has room
        for.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.maxmargin.joint.feature_space import JointKernelProblem, joint_kernel_margin
    >>> from novikoff.run.clock import Clock
    >>> from novikoff.sample.kernel import KernelFunction
    >>> X, codes = np.array([[0.0], [2.0], [4.0]]), np.arange(3)
    >>> problem = JointKernelProblem(X, codes, 3, KernelFunction("linear"))
    >>> solution = joint_kernel_margin(problem, tol=1e-6, clock=Clock())
    >>> round(solution.lower, 9), round(solution.upper, 9)
    (0.5, 0.5)
    """
    return _Search(problem, tol, clock, start).run(tol)


class _Search:
    def __init__(
        self, problem: JointKernelProblem, tol: float, clock: Clock, start: Vector | None
    ) -> None:
        self.problem, self.clock, self.tol = problem, clock, tol
        self.matrix = KernelMatrix(problem.X, problem.kernel)
        check_kernel(self.matrix, affine=problem.affine)
        self.codes, self.n = problem.codes, self.matrix.n
        self.given = problem.kernel.name in ("callable", "precomputed")
        self.hard = problem.slack2 is None
        least = 2 * problem.n_classes
        self.room_double = max(int(sqrt(problem.cache_bytes / (8 * MATRICES))), least)
        self.room = max(int(sqrt(problem.cache_bytes / (4 * MATRICES))), least)
        if tol < SINGLE:
            self.room = self.room_double
        self.weights: Vector = np.zeros((self.n, problem.n_classes))
        if start is not None and start.shape == self.weights.shape:
            self.weights[:] = start
        self.best: JointKernelSolution | None = None
        self.solver = ""
        self.means = np.zeros(problem.n_classes)

    def run(self, tol: float) -> JointKernelSolution:
        """Enlarge the working set until the bounds of all examples are within ``tol``."""
        working, share = self._first(), SHARE
        while True:
            inner = self._solve(working, share * tol)
            found, violation = self._judge(working)
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

    def _solve(self, working: Ids, tol: float) -> Status:
        """Set the weights to those of the working set's optimum; return how the search ended."""
        problem = self.problem
        coordinates, scale = self._coordinates(working)
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
        if self.hard:
            found = joint_hard_margin(linear, tol=tol, clock=self.clock, start=start)
        else:
            # At the optimum scores of classes are equal, which only exact arithmetic can tell, and
            # the exact solver takes longer than all else: 630 x 16, three classes, 169 and 45 ms.
            # A weight of 2 is the example twice only there, as it is to be for few examples.
            few = linear.n_rows <= CORRAL.take_all
            found = joint_soft_margin(linear, tol=tol, clock=self.clock, start=start, polish=few)
        self.solver = found.solver
        self.weights[:] = 0.0
        self.weights[working] = found.weights * scale**2
        self.means = (coordinates.mean(axis=0) - sample.centre) @ found.vectors.T + found.offsets
        status = found.status
        return Status.PRECISION if status is Status.NOT_SEPARABLE else status

    def _coordinates(self, working: Ids) -> tuple[Vector, float]:
        """Return coordinates of examples relative to their mean, times a factor; and the factor."""
        m, double = len(working), len(working) <= self.room_double
        gram = np.empty((m, m), dtype=np.float64 if double else np.float32)
        sums = np.zeros(m)
        slices = [slice(begin, min(begin + CHUNK, m)) for begin in range(0, m, CHUNK)]
        for part in slices:
            block = self.matrix.block(working[part], working)
            sums += block.sum(axis=0)
            gram[part] = block
        if self.problem.affine:
            # Relative to the mean, which loses fewer digits far from the origin.
            means = (sums / m - 0.5 * sums.sum() / m**2).astype(gram.dtype)
            gram -= means
            gram -= means[:, None]
        squares = np.diagonal(gram).astype(np.float64)
        largest = float(np.abs(squares).max()) or 1.0
        # A function of float32 rows returns values with errors of float32.
        exact = double and not (self.given and self.problem.X.dtype == np.float32)
        digits = np.float64 if exact else np.float32
        least = RANK * largest * float(np.finfo(digits).eps)
        factorise = dpstrf if double else spstrf
        factor, pivots, rank, _ = factorise(gram.T, tol=least, lower=1, overwrite_a=1)
        for k in range(int(rank)):
            factor[:k, k] = 0.0
        out = np.zeros((m, max(int(rank), 1)), dtype=gram.dtype)
        if rank:
            out[pivots - 1] = factor[:, :rank]
        # What is left of a squared length is that of a combination of examples.
        left = squares - np.einsum("ij,ij->i", out, out, dtype=np.float64)
        if float(left.min()) < -self._negligible(working):
            if double and not self.given:
                check_square(float(left.min()), largest, np.float64, NEGATIVE)
            else:
                check_square(float(left.min()), largest, np.float32, NEGATIVE_SINGLE)
        scale = 1.0 / sqrt(largest)
        out *= scale
        return out, scale

    def _negligible(self, working: Ids) -> float:
        """Return the squared length that matters less than the gap, beside that of the slack.

        A sigmoid kernel is rarely positive semidefinite, but soft margins in which that does not
        show are those of one that is; their bounds are computed from its values.
        """
        if self.problem.slack2 is None:
            return 0.0
        return 0.1 * self.tol * float(self.problem.slack2[working].min())

    def _products(self) -> Vector:
        """Return the scores of all examples without offsets, a column for each class."""
        support = np.flatnonzero(self.weights.any(axis=1))
        coef = 0.5 * signed(self.weights[support], self.codes[support])
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
        products = self._products()
        shares = 0.5 * signed(self.weights, codes)
        norm2, total = 2.0 * float((shares * products).sum()), float(self.weights.sum())
        longest = float(self.weights.sum(axis=1) @ np.sqrt(np.abs(self.matrix.diagonal)))
        check_square(norm2, longest * longest, self.matrix.rounded_as)
        if not norm2 > 0.0 or not total > 0.0:
            return self._unknown(), np.zeros(self.n)
        if problem.slack2 is None:
            violation = -_leads(products, codes, self._hard_offsets(products, working), affine)
            violation = violation + float(-violation[working].max())
            offsets = self._hard_offsets(products, np.arange(self.n))
            leads = _leads(products, codes, offsets, affine)
            length, least = sqrt(norm2), float(leads.min())
            lower, upper = least / length, length / total
            factor = 1.0 / least if least > 0.0 else total / norm2
            mistakes = int(np.count_nonzero(leads <= 0.0))
        else:
            sums = self.weights.sum(axis=1)
            lifted = norm2 + float(sums**2 @ problem.slack2)
            factor = total / lifted
            products *= factor
            # The offsets that the solver has for the working set.
            own = np.zeros(problem.n_classes)
            if affine:
                own = factor * self.means - products[working].mean(axis=0)
            violation = 1.0 - _leads(products, codes, own, affine)
            square = 0.5 * factor**2 * norm2
            # The model is that of the weights, which also prove the bound: no multiple of it.
            placed = place_soft(
                square, products, codes, problem.slack2, own, free=affine, multiples=False
            )
            offsets, mistakes = placed.offsets / factor, placed.mistakes
            lower, upper = 0.5 * total**2 / lifted, placed.value
        found = JointKernelSolution(
            factor * self.weights,
            factor * offsets,
            Status.INTERRUPTED,
            lower,
            upper,
            mistakes,
            f"kernel-{self.solver}",
        )
        best = self.best
        if best is None or (lower > best.lower if self.hard else upper < best.upper):
            self.best = found
        return found, violation

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
            raise self._lacks_room(2 * self.room)
        return np.sort(np.concatenate([working, wanted[:spare]]))

    def _check_room(self, carrying: int, members: int, violated: int) -> None:
        """Raise if a first working set shows that the examples with weight will not fit.

        The larger ones would take many times as long. Of classes that overlap, the number of
        examples with weight grows with that of all, otherwise more slowly; here only with its root.
        """
        expected = int(carrying * sqrt(self.n / members))
        if expected > self.room and carrying + violated > self.room:
            raise self._lacks_room(min(self.n, max(2 * self.room, carrying * self.n // members)))

    def _lacks_room(self, expected: int) -> KernelError:
        need = expected**2 * _bytes_of(self.room == self.room_double) / 1e6
        return KernelError(
            f"More than {self.room} examples carry the margin of all classes together, and "
            f"there is room for no more; give cache_size={need:.3g}, or multi_class='ovr', "
            "or use a Perceptron."
        )

    def _unknown(self) -> JointKernelSolution:
        zero = np.zeros(self.problem.n_classes)
        how = (Status.INTERRUPTED, -inf, inf, self.n, f"kernel-{self.solver}")
        return JointKernelSolution(self.weights.copy(), zero, *how)

    def _ended(self, status: Status) -> JointKernelSolution:
        return replace(self.best or self._unknown(), status=status)


def _bytes_of(double: bool) -> int:
    """Return the bytes for each pair of examples of a working set."""
    return (8 if double else 4) * MATRICES


def _leads(products: Vector, codes: Ids, offsets: Vector, affine: bool) -> Vector:
    return worst_wrong(products + offsets if affine else products.copy(), codes)[1]
