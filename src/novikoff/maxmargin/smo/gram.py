"""The margin of few examples, by Wolfe's method on their whole Gram matrix."""

import numpy as np

from novikoff.certificate import Status
from novikoff.compiled import wolfe as compiled
from novikoff.compiled.factor import GramCorral, fill
from novikoff.maxmargin.smo.problem import KernelProblem, KernelSolution, Vector, placed
from novikoff.maxmargin.smo.settings import SMO, SmoSettings
from novikoff.run.clock import Clock
from novikoff.sample.kernel import KernelMatrix

NAME = "wolfe"


def solve_by_gram(
    problem: KernelProblem,
    matrix: KernelMatrix,
    clock: Clock,
    tol: float,
    zero: float,
    settings: SmoSettings = SMO,
) -> KernelSolution:
    """Find the point of least norm between the two hulls, all examples being candidates.

    The status is PRECISION where rounding prevents more, or where the margin is at most ``zero``
    lengths.
    """
    n, signs, everyone = matrix.n, problem.signs, np.arange(matrix.n)
    values, means = matrix.block(everyone, everyone), np.zeros(n)
    if problem.affine:
        # Relative to the mean in feature space, which loses fewer digits far from the origin. The
        # weights of the two classes balance, so that only the offset changes.
        means = values.mean(axis=0) - 0.5 * values.mean()
        values -= means
        values -= means[:, None]
    length = float(np.sqrt(matrix.largest)) or 1.0
    gram = (values * signs) * signs[:, None]
    if problem.slack2 is not None:
        gram[everyone, everyone] += problem.slack2
    scale = 1.0 / float(np.diagonal(gram).max() or 1.0)
    gram *= scale
    second = (signs < 0) & problem.affine
    corral = GramCorral(
        gram,
        second.astype(np.int64),
        settings.unit,
        np.zeros(n + 1, dtype=np.int64),
        np.zeros(n + 1),
        np.zeros((n + 1, n + 1)),
        np.zeros((2 if problem.affine else 1, n + 1)),
    )
    size = _first_members(corral, second)
    weights: Vector = np.zeros(n)
    most = np.inf if problem.slack2 is None else clock.updates + settings.gram_steps * n
    status, share = None, 0.01 * tol
    while status is None:
        ended, size, steps = compiled.descend(
            corral, size, share, zero * length * np.sqrt(scale), settings.burst
        )
        clock.updates += int(steps)
        clock.passes += 1.0
        weights[:] = 0.0
        # Where nothing separates, some are negative by rounding.
        weights[corral.members[:size]] = np.maximum(corral.weights[:size], 0.0)
        found = placed(problem, matrix, weights, values @ (weights * signs), NAME)
        clock.report(found.mistakes, found.lower, found.upper)
        over = clock.updates >= most
        if found.lower > 0.0 and found.lower >= (1.0 - tol) * found.upper:
            status = Status.GAP_REACHED
        elif found.status is Status.PRECISION or ended != compiled.EXHAUSTED or over:
            status = Status.PRECISION
        else:
            status = clock.stop()
    offset = found.offset - float((found.weights * signs) @ means)
    return KernelSolution(
        found.weights, offset, status, found.lower, found.upper, found.mistakes, NAME
    )


def _first_members(corral: GramCorral, second: np.ndarray) -> int:
    """Let the shortest example of each class be the corral; return its size."""
    lengths = np.diagonal(corral.gram)
    first = [np.flatnonzero(~second), np.flatnonzero(second)]
    chosen = np.array([side[np.argmin(lengths[side])] for side in first if len(side)])
    taken = np.empty(len(chosen), dtype=np.bool_)
    size = int(fill(corral, 0, chosen, taken))
    corral.weights[:size] = 1.0
    return size
