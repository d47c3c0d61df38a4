"""The margin problem of several classes in the feature space of a kernel, and a solution of it."""

from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.maxmargin.joint.bounds import place_hard, place_soft, signed
from novikoff.sample.kernel import KernelFunction, KernelMatrix
from novikoff.sample.kernel_checks import check_square

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]


@dataclass(frozen=True)
class JointKernelProblem:
    """The problem of :class:`~.problem.JointProblem` with a kernel for inner products.

    ``slack2`` is ``Delta_i^2 = 1 / (2 C s_i)``, or ``None`` for the hard margin. Kernel values take
    at most ``cache_bytes``.
    """

    X: Any
    codes: Ids
    n_classes: int
    kernel: KernelFunction
    affine: bool = True
    slack2: Vector | None = None
    cache_bytes: float = 200e6

    @property
    def n_examples(self) -> int:
        """The number of examples."""
        return len(self.codes)

    def times(self, factor: float) -> "JointKernelProblem":
        """Return the same problem with multiples of the kernel values."""
        slack2 = None if self.slack2 is None else factor * self.slack2
        return replace(self, kernel=replace(self.kernel, factor=factor), slack2=slack2)

    @property
    def n_rows(self) -> int:
        """The number of virtual rows."""
        return self.n_examples * (self.n_classes - 1)


@dataclass(frozen=True)
class JointKernelSolution:
    """``f_r(x) = sum_i coef_ir k(x_i, x) + offsets_r``, with ``coef = signed(weights) / 2``.

    ``weights`` are those of :class:`~.problem.JointSolution`, a row for each example; ``lower`` and
    ``upper`` too. ``model`` are others that make the scores, if rounding leaves too little of them
    in the sums of these.
    """

    weights: Vector
    offsets: Vector
    status: Status
    lower: float
    upper: float
    mistakes: int
    solver: str
    model: Vector | None = None

    @property
    def gap(self) -> float:
        """The relative gap between the two bounds."""
        return 1.0 - self.lower / self.upper if 0.0 < self.upper < np.inf else np.inf

    def of_values(self, factor: float, *, hard: bool) -> "JointKernelSolution":
        """Return it for the kernel values of which those of the problem were multiples."""
        unit = 1.0 / sqrt(factor) if hard else factor
        return replace(
            self,
            weights=factor * self.weights,
            lower=unit * self.lower,
            upper=unit * self.upper,
            model=None if self.model is None else factor * self.model,
        )

    @property
    def terms(self) -> Vector:
        """The weights that make the scores."""
        return self.weights if self.model is None else self.model

    def coef(self, support: Ids, codes: Ids) -> Vector:
        """Return the coefficients of some examples, a column for each class."""
        return 0.5 * signed(self.terms[support], codes[support]) + 0.0


def placed(
    problem: JointKernelProblem,
    matrix: KernelMatrix,
    weights: Vector,
    products: Vector,
    offsets: Vector,
    solver: str,
    *,
    improve: bool = True,
) -> JointKernelSolution:
    """Return the solution that weights make, with offsets that suit it.

    ``products`` are the scores of the examples without offsets, a column for each class. With
    intercepts the flow of the weights balances. The offsets of a soft margin are those given, or if
    asked for better ones.
    """
    codes, affine = problem.codes, problem.affine
    status, sums = Status.INTERRUPTED, weights.sum(axis=1)
    with np.errstate(over="ignore", invalid="ignore"):
        norm2, total = float((signed(weights, codes) * products).sum()), float(sums.sum())
    if not check_square(matrix, norm2, sums):
        # Rounding lets weights grow without bound.
        return replace(nothing_known(problem, weights, solver), status=Status.PRECISION)
    if problem.slack2 is None:
        if not norm2 > 0.0 or not total > 0.0:
            return nothing_known(problem, weights, solver)
        hard, length = place_hard(products, codes, free=affine), sqrt(norm2)
        # Without a separator the multiple is that at which |w|^2 = sum a, as at the optimum.
        factor = 1.0 / hard.value if hard.value > 0.0 else total / norm2
        bounds = hard.value / length, length / total
        return JointKernelSolution(
            factor * weights, factor * hard.offsets, status, *bounds, hard.mistakes, solver
        )
    # A negative square is rounding, which the certificate takes to be as large as it shows here.
    norm2 = abs(norm2)
    lifted = norm2 + float(sums**2 @ problem.slack2)
    if not lifted > 0.0 or not total > 0.0:
        return nothing_known(problem, weights, solver)
    factor, lower = total / lifted, 0.5 * total**2 / lifted
    square = 0.5 * factor**2 * norm2

    # The model is that of the weights, which also prove the bound: no multiple of it.
    found = place_soft(
        square,
        factor * products,
        codes,
        problem.slack2,
        factor * offsets,
        free=affine and improve,
        multiples=False,
    )
    return JointKernelSolution(
        factor * weights, found.offsets, status, lower, found.value, found.mistakes, solver
    )


def nothing_known(problem: JointKernelProblem, weights: Vector, solver: str) -> JointKernelSolution:
    """Return the solution of weights that make no model."""
    zero = np.zeros(problem.n_classes)
    n = problem.n_examples
    return JointKernelSolution(weights.copy(), zero, Status.INTERRUPTED, -inf, inf, n, solver)
