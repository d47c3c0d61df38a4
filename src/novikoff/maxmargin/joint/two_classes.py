"""The soft margin of two classes with the hinge, solved as that of several, of which it has two."""

import numpy as np

from novikoff.maxmargin.joint.choose import joint_soft_margin
from novikoff.maxmargin.joint.problem import JointProblem, Vector
from novikoff.maxmargin.problem import Solution
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
