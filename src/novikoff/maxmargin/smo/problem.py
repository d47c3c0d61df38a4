"""The margin problem in the feature space of a kernel, and a solution of it."""

from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.maxmargin.bounds import place_hard, place_soft
from novikoff.sample.kernel import KernelFunction, KernelMatrix
from novikoff.sample.kernel_checks import check_square

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class KernelProblem:
    """Hard or soft margin: that of :class:`~novikoff.maxmargin.Problem` with ``k`` for products.

    ``slack2`` is ``Delta_i^2 = 1 / (2 C s_i)``, or ``None`` for the hard margin. Columns of the
    kernel matrix are kept in at most ``cache_bytes``.
    """

    X: Any
    signs: Vector
    kernel: KernelFunction
    affine: bool = True
    slack2: Vector | None = None
    cache_bytes: float = 200e6

    @property
    def n_examples(self) -> int:
        """The number of examples."""
        return len(self.signs)

    def times(self, factor: float) -> "KernelProblem":
        """Return the same problem with multiples of the kernel values."""
        slack2 = None if self.slack2 is None else factor * self.slack2
        return replace(self, kernel=replace(self.kernel, factor=factor), slack2=slack2)


@dataclass(frozen=True)
class KernelSolution:
    """``f(x) = sum_i weights_i y_i k(x_i, x) + offset`` and the bounds of these weights.

    Scaled so that ``y f(x) = 1`` at the margin. For the hard margin ``lower`` and ``upper`` bound
    the margin, for the soft one they are the dual and the primal objective; in floating point.
    ``model`` are other weights that make ``f``, if rounding leaves too little of it in the sums of
    those that prove the bound.
    """

    weights: Vector
    offset: float
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

    def of_values(self, factor: float, *, hard: bool) -> "KernelSolution":
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
        """The weights that make ``f``."""
        return self.weights if self.model is None else self.model


def placed(
    problem: KernelProblem, matrix: KernelMatrix, weights: Vector, products: Vector, solver: str
) -> KernelSolution:
    """Return the solution that weights make, with its best offset.

    ``products`` are ``sum_j weights_j y_j k(x_j, x_i)``. With an intercept the weights of the two
    classes have the same total.
    """
    status = Status.INTERRUPTED
    signs, slack2 = problem.signs, problem.slack2
    total = float(weights.sum())
    with np.errstate(over="ignore", invalid="ignore"):
        norm2 = float((weights * signs) @ products)
    if not check_square(matrix, norm2, weights):
        # Rounding lets weights grow without bound.
        return KernelSolution(weights, 0.0, Status.PRECISION, -np.inf, np.inf, len(signs), solver)
    norm2 = max(norm2, 0.0)
    # With slack a vector of zero has a meaning: no hyperplane is worth its length.
    lifted = norm2 if slack2 is None else norm2 + float(weights**2 @ slack2)
    if not total > 0.0 or not lifted > 0.0:
        return KernelSolution(weights, 0.0, status, -np.inf, np.inf, len(signs), solver)
    if slack2 is None:
        offset, least, mistakes = place_hard(products, signs, problem.affine)
        length = float(np.sqrt(norm2))
        # Without a separator the multiple is that at which |w|^2 = sum a, as at the optimum.
        factor = 1.0 / least if least > 0.0 else total / norm2
        return KernelSolution(
            factor * weights,
            factor * offset,
            status,
            least / length,
            length / total,
            mistakes,
            solver,
        )
    factor = total / lifted
    w = np.array([factor * np.sqrt(norm2)])
    offset, primal, mistakes = place_soft(w, factor * products, signs, slack2, problem.affine)
    dual = total * total / (2.0 * lifted)
    return KernelSolution(factor * weights, offset, status, dual, primal, mistakes, solver)
