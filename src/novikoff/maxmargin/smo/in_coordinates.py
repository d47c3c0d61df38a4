"""The soft margin of two classes in the coordinates of a working set, as that of several."""

import numpy as np

from novikoff.maxmargin.joint.feature_space import FeatureSpaceSearch, NoRoomError
from novikoff.maxmargin.joint.kernel_problem import JointKernelProblem
from novikoff.maxmargin.smo.problem import KernelProblem, KernelSolution, Vector
from novikoff.run.clock import Clock
from novikoff.sample.kernel import KernelMatrix

NAME = "coordinates"


def solve_in_coordinates(
    problem: KernelProblem, matrix: KernelMatrix, clock: Clock, tol: float, start: Vector
) -> KernelSolution | None:
    """Solve a soft margin from given weights; ``None`` where there is no room for it."""
    assert problem.slack2 is not None
    codes = (problem.signs > 0.0).astype(np.int64)
    weights = np.zeros((matrix.n, 2))
    weights[np.arange(matrix.n), 1 - codes] = start
    both = JointKernelProblem(
        X=problem.X,
        codes=codes,
        n_classes=2,
        kernel=problem.kernel,
        affine=problem.affine,
        slack2=problem.slack2,
        cache_bytes=problem.cache_bytes,
    )
    try:
        found = FeatureSpaceSearch(both, matrix, tol, clock, weights).run()
    except NoRoomError:
        return None
    return KernelSolution(
        found.weights.sum(axis=1),
        float(found.offsets[1] - found.offsets[0]),
        found.status,
        found.lower,
        found.upper,
        found.mistakes,
        NAME,
        None if found.model is None else found.model.sum(axis=1),
    )
