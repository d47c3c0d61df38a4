"""The choice of a solver for the margin of several classes in the feature space of a kernel.

=====================  ===========================================================================
``kernel-joint-smo``   steps on blocks of kernel columns: the first of all but the smallest
                       problems, and the only one where the cache has no room for the pairs of the
                       examples that matter
``kernel-joint-...``   a linear solver of :mod:`~.choose` in the coordinates of a working set: few
                       examples, and where steps on blocks are slow
=====================  ===========================================================================
"""

from dataclasses import replace
from math import inf, sqrt
from typing import Any

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.joint.block_settings import BLOCKS, BlockSettings
from novikoff.maxmargin.joint.choose import CLOSE, SMALL_ROWS
from novikoff.maxmargin.joint.decomposition import JointBlockSearch
from novikoff.maxmargin.joint.feature_space import FIRST, FeatureSpaceSearch, NoRoomError
from novikoff.maxmargin.joint.kernel_problem import (
    JointKernelProblem,
    JointKernelSolution,
    Vector,
)
from novikoff.maxmargin.joint.settings import CORRAL
from novikoff.maxmargin.smo.digits import copied_bytes, takes_single, trusted
from novikoff.maxmargin.smo.settings import SMO
from novikoff.run.clock import Clock
from novikoff.sample.kernel import KernelMatrix
from novikoff.sample.kernel_checks import check_kernel


def joint_kernel_margin(
    problem: JointKernelProblem,
    *,
    tol: float,
    clock: Clock,
    start: Vector | None = None,
    settings: BlockSettings = BLOCKS,
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
    settings : BlockSettings, optional
        Sizes and tolerances of steps on blocks.

    Raises
    ------
    KernelError
        If the kernel is found not to be symmetric, or not positive semidefinite.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.maxmargin.joint.kernel_choose import joint_kernel_margin
    >>> from novikoff.maxmargin.joint.kernel_problem import JointKernelProblem
    >>> from novikoff.run.clock import Clock
    >>> from novikoff.sample.kernel import KernelFunction
    >>> X, codes = np.array([[0.0], [2.0], [4.0]]), np.arange(3)
    >>> problem = JointKernelProblem(X, codes, 3, KernelFunction("linear"))
    >>> solution = joint_kernel_margin(problem, tol=1e-6, clock=Clock())
    >>> round(solution.lower, 9), round(solution.upper, 9)
    (0.5, 0.5)
    """
    # Where values overflow, the checks of squares and of kernel values refuse what is found.
    with np.errstate(over="ignore", invalid="ignore"):
        matrix = KernelMatrix(problem.X, problem.kernel)
        check_kernel(matrix, affine=problem.affine)
        factor, hard = matrix.in_units(), problem.slack2 is None
        if factor == 1.0:
            return _in_turns(_Turns(problem, matrix, tol, clock, start, settings))
        problem = problem.times(factor)
        matrix = KernelMatrix(problem.X, problem.kernel)
        start = None if start is None else start / factor
        with clock.in_units(1.0 / sqrt(factor) if hard else factor):
            found = _in_turns(_Turns(problem, matrix, tol, clock, start, settings))
        return found.of_values(factor, hard=hard)


def _in_turns(turns: "_Turns") -> JointKernelSolution:
    problem, tol, settings = turns.problem, turns.tol, turns.settings
    n, slack2 = problem.n_examples, problem.slack2
    most = float(settings.most_steps * n)
    if problem.n_rows <= (SMALL_ROWS if slack2 is None else CORRAL.take_all):
        found = turns.in_coordinates()
        if found is not None:
            return found
        most = inf
    if takes_single(n, slack2, problem.cache_bytes, tol) and problem.kernel.fits_single:
        found = turns.in_blocks(np.float32, most)
        exact = found.status is not Status.PRECISION
        exact = exact and trusted(found.weights, tol, turns.matrix.unit)
        if exact or turns.in_the_end:
            return found
        turns.before = found
    return turns.in_blocks(np.float64, most)


class _Turns:
    """The solvers that are tried in turn, each from the weights of the one before."""

    def __init__(
        self,
        problem: JointKernelProblem,
        matrix: KernelMatrix,
        tol: float,
        clock: Clock,
        start: Vector | None,
        settings: BlockSettings,
    ) -> None:
        self.problem, self.matrix, self.tol = problem, matrix, tol
        self.clock, self.settings = clock, settings
        self.in_the_end = False
        """Whether a solver in coordinates had room, after which nothing else is tried."""
        self.weights = start
        self.before: JointKernelSolution | None = None

    def in_coordinates(self) -> JointKernelSolution | None:
        """Solve in the coordinates of a working set; ``None`` where there is no room for it."""
        start, before = self.weights, self.before
        if self.problem.slack2 is None and before is not None and not before.gap < CLOSE:
            # Weights of what hardly separates are far from those of the widest margin: 2,000 x 10,
            # four classes with noisy labels, take 20 s from there and 6 s without a start.
            start = None
        search = FeatureSpaceSearch(self.problem, self.matrix, self.tol, self.clock, start)
        try:
            found = self._joined(search.run())
        except NoRoomError:
            return None
        self.in_the_end = True
        return found

    def in_blocks(self, dtype: Any, most: float) -> JointKernelSolution:
        """Make steps on blocks; after so many, look whether there is room for coordinates."""
        found = self._steps(dtype, most)
        if found is None:
            end = self.in_coordinates()
            if end is not None:
                return end
            found = self._steps(dtype, inf)
        assert found is not None
        return self._joined(found)

    def _steps(self, dtype: Any, most: float) -> JointKernelSolution | None:
        problem, settings = self.problem, self.settings
        single = dtype is np.float32
        copy = copied_bytes(problem.X, problem.cache_bytes) * (1 if single else 2)
        matrix = KernelMatrix(problem.X, problem.kernel, dtype, copy_bytes=copy)
        room = problem.cache_bytes - matrix.copied
        search = JointBlockSearch(problem, matrix, room, self.clock, self.weights, settings)
        zero = SMO.zero_single if single else SMO.zero
        aim, first = settings.reserve * self.tol, min(most, settings.some_steps * matrix.n)
        limited = most < inf and matrix.n <= FIRST
        rounds = settings.some_rounds if limited else inf
        found = search.run(aim, zero, steps=first if most < inf else inf, rounds=rounds)
        if found is None and np.count_nonzero(search.weights) > settings.few_weights:
            found = search.run(aim, zero, steps=most - first, rounds=rounds)
        self.weights = search.weights
        if found is None:
            self.before = search.best
        return found

    def _joined(self, found: JointKernelSolution) -> JointKernelSolution:
        """Return the better of a solution and the one before, with the names of both solvers."""
        before = self.before
        if before is None or before.solver == found.solver:
            return found
        better = before if before.gap < found.gap else found
        return replace(better, status=found.status, solver=f"{before.solver}+{found.solver}")
