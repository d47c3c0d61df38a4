"""Soft margins of two classes beside those of several.

With the hinge two classes are solved as several; with its square those of a problem of several are
solved as two.
"""

from dataclasses import replace

import numpy as np

from novikoff.maxmargin.choose.soft import soft_margin
from novikoff.maxmargin.joint.choose import joint_soft_margin
from novikoff.maxmargin.joint.problem import JointProblem, JointSolution, Vector
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.run.clock import Clock
from novikoff.sample import Sample


def hinge_margin(
    sample: Sample,
    penalties: Vector,
    *,
    tol: float,
    clock: Clock,
    start: Vector | None = None,
) -> Solution:
    """Return the soft margin of the signs of a sample.

    Parameters
    ----------
    sample : Sample
        The examples, with their signs.
    penalties : array of shape (n_examples,)
        ``C s_i`` for every row of the storage.
    tol : float
        Stop when ``1 - dual / primal`` is no larger.
    clock : Clock
        Limits and history.
    start : array of shape (n_examples,), optional
        Weights to start from.
    """
    codes = (sample.signs > 0).astype(np.int64)
    table = None
    if start is not None:
        table = np.zeros((len(codes), 2))
        table[np.arange(len(codes)), 1 - codes] = start
    problem = JointProblem.soft(sample, codes, 2, penalties, squared=False)
    found = joint_soft_margin(problem, tol=tol, clock=clock, start=table)
    return Solution(
        w=found.vectors[1] - found.vectors[0],
        offset=float(found.offsets[1] - found.offsets[0]),
        weights=found.weights.sum(axis=1),
        status=found.status,
        lower=found.lower,
        upper=found.upper,
        solver=found.solver,
    )


def squared_margin(
    problem: JointProblem, *, tol: float, clock: Clock, start: Vector | None = None
) -> JointSolution:
    """Return the soft margin of a problem of several classes that has two."""
    codes, places = problem.codes, np.arange(len(problem.codes))
    sample = replace(problem.sample, signs=np.where(codes == 1, 1, -1).astype(np.int8))
    found = soft_margin(
        Problem(sample, problem.slack2),
        tol=tol,
        clock=clock,
        start=None if start is None else start.sum(axis=1),
    )
    weights = np.zeros((len(codes), 2))
    weights[places, 1 - codes] = found.weights
    half = 0.5 * found.w
    return JointSolution(
        weights=weights,
        status=found.status,
        lower=found.lower,
        upper=found.upper,
        solver=found.solver,
        vectors=np.stack([-half, half]),
        offsets=np.array([-0.5, 0.5]) * found.offset,
    )
