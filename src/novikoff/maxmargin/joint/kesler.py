"""Kesler's construction written out: the classes of few examples as one homogeneous problem.

Example ``x`` of class ``y`` and a wrong class ``r`` make the row with ``(x, 1)`` in the place of
``y`` and ``-(x, 1)`` in that of ``r``. Its values are those of the data, so the solvers of two
classes, which go on with more digits than floats have where rows are nearly equal, decide what
those of :mod:`.corral` cannot (R. O. Duda & P. E. Hart, "Pattern Classification and Scene
Analysis", 1973).
"""

from collections.abc import Callable
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate import Status
from novikoff.maxmargin import SOME_MARGIN, Problem, hard_margin
from novikoff.maxmargin.joint.problem import Ids, JointProblem, Vector
from novikoff.run.clock import Clock
from novikoff.sample import Sample, storage_of

Separator = tuple[Vector, Vector, float]
"""The vectors, the offsets at the sample's centre, and the margin in floating point."""

MOST_VALUES = 1_000_000
"""The most values of the rows that are written out: 8 MB."""


def kesler_separator(
    problem: JointProblem, clock: Clock, confirm: Callable[[Ids, Ids], bool]
) -> Separator | None:
    """Return a model that separates the classes of few examples, if one is found.

    Parameters
    ----------
    problem : JointProblem
        Without slack.
    clock : Clock
        Limits.
    confirm : callable
        Given examples and wrong classes whose virtual rows seem to combine to zero, says whether
        they do exactly; the search ends then.
    """
    width = problem.n_features + int(problem.sample.affine)
    if problem.n_rows * problem.n_classes * width > MOST_VALUES:
        return None
    rows, examples, wrong = _virtual_rows(problem, width)
    sample = Sample.of(storage_of(rows), np.ones(len(rows), dtype=np.int8), affine=False)
    found = hard_margin(
        Problem(sample),
        tol=SOME_MARGIN,
        clock=clock,
        confirm=lambda support: confirm(examples[support], wrong[support]),
    )
    lead = float((rows @ found.w).min())
    if found.status is Status.NOT_SEPARABLE or not lead > 0.0:
        return None
    model = (found.w / lead).reshape(problem.n_classes, width)
    vectors, offsets = model[:, : problem.n_features], np.zeros(problem.n_classes)
    if problem.sample.affine:
        offsets = model[:, -1] + vectors @ problem.sample.centre
    return vectors, offsets, 1.0 / (sqrt(2.0) * float(np.linalg.norm(vectors)))


def _virtual_rows(problem: JointProblem, width: int) -> tuple[NDArray[np.float64], Ids, Ids]:
    """Return the rows, and of each the example and the wrong class."""
    order = problem.sample.order
    values = problem.sample.matrix(order)
    lifted = np.ones((len(order), width))
    lifted[:, : problem.n_features] = values.toarray() if hasattr(values, "toarray") else values
    own = problem.codes[order]
    places, wrong = np.nonzero(own[:, None] != np.arange(problem.n_classes))
    every = np.arange(len(places))
    rows = np.zeros((len(places), problem.n_classes, width))
    rows[every, own[places]] = lifted[places]
    rows[every, wrong] = -lifted[places]
    return rows.reshape(len(places), -1), order[places], wrong
