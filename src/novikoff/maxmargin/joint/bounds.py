"""Bounds on the optimum that scores and weights prove, the same for every solver.

All in floating point: the certificate computes the rigorous bounds.
"""

from math import inf
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components

from novikoff.maxmargin.joint.problem import Ids, Vector

NEWTON_STEPS = 20
"""The most steps on the offsets, and on the balance of the flow. Not varied: a handful suffices."""

ROUNDING = 1e-15
"""A flow that is balanced up to this share of all weights is balanced as far as rounding allows."""


class Placed(NamedTuple):
    """The offsets, the value that is reached with them, and the examples on the wrong side.

    ``value`` is the least ``f_y - f_r`` (hard margin), or the primal objective (soft margin).
    """

    offsets: Vector
    value: float
    mistakes: int


def worst_wrong(scores: Vector, codes: Ids) -> tuple[Ids, Vector]:
    """Return the wrong class of largest score, and by how much the own score exceeds it."""
    places = np.arange(len(codes))
    own = scores[places, codes]
    scores[places, codes] = -inf
    wrong = scores.argmax(axis=1)
    lead = own - scores[places, wrong]
    scores[places, codes] = own
    return wrong, lead


def place_hard(products: Vector, codes: Ids, offsets: Vector) -> Placed:
    """Return the least lead of the own score, with these offsets."""
    _, lead = worst_wrong(products + offsets, codes)
    return Placed(offsets, float(lead.min()), int(np.count_nonzero(lead <= 0.0)))


def place_soft(
    norm2: float, products: Vector, codes: Ids, slack2: Vector, offsets: Vector, *, free: bool
) -> Placed:
    """Return offsets that make the primal objective small, and its value.

    ``norm2`` is ``|W|^2``. Newton's method on the offsets, from those given, as if the objective
    were smooth; it stops where a step does not help. It is not smooth where two wrong classes tie.
    """
    scores = products + offsets
    wrong, lead = worst_wrong(scores, codes)
    value = _soft_value(norm2, lead, slack2)
    n_classes = scores.shape[1]
    for _ in range(NEWTON_STEPS if free else 0):
        hinges = np.maximum(0.0, 1.0 - lead)
        active = np.flatnonzero(hinges)
        y, r, stiff = codes[active], wrong[active], 1.0 / slack2[active]
        pull = hinges[active] * stiff
        slope = np.bincount(r, pull, n_classes) - np.bincount(y, pull, n_classes)
        between = np.bincount(y * n_classes + r, stiff, n_classes**2).reshape(2 * (n_classes,))
        between = between + between.T
        hessian = np.diag(between.sum(axis=0)) - between
        step = -np.linalg.lstsq(hessian, slope, rcond=None)[0]
        step -= step.mean()
        gain, length = 0.0, 1.0
        for _ in range(5):
            tried_wrong, tried = worst_wrong(scores + length * step, codes)
            gain = value - _soft_value(norm2, tried, slack2)
            if gain > 0.0:
                break
            length *= 0.25
        if not gain > 0.0:
            break
        offsets, scores = offsets + length * step, scores + length * step
        wrong, lead, value = tried_wrong, tried, value - gain
        if gain <= 1e-9 * value:
            break
    return Placed(offsets, value, int(np.count_nonzero(lead <= 0.0)))


def _soft_value(norm2: float, lead: Vector, slack2: Vector) -> float:
    hinges = np.maximum(0.0, 1.0 - lead)
    return norm2 + 0.5 * float((hinges**2 / slack2).sum())


def flow_matrix(weights: Vector, codes: Ids) -> Vector:
    """Return the sums of the weights by the class of the example and the wrong class."""
    n_classes = weights.shape[1]
    total = np.zeros((n_classes, n_classes))
    for k in range(n_classes):
        total[k] = weights[codes == k].sum(axis=0)
    return total


def signed(weights: Vector, codes: Ids) -> Vector:
    """Return the share of each example in the vector of each class: ``sum_r a_r (e_y - e_r)``."""
    shares = -weights
    shares[np.arange(len(codes)), codes] = weights.sum(axis=1)
    return shares


def balance(flow: Vector) -> Vector:
    """Return the factors, by class and wrong class, that make as much flow into a class as out.

    They are ``d_y / d_r``, which exist where every weight is part of a circle between classes;
    others become zero. They make ``sum flow d_y / d_r`` least: Newton's method on the logarithms.

    Examples
    --------
    >>> import numpy as np
    >>> flow = np.array([[0.0, 2.0, 0.0], [0.5, 0.0, 1.0], [0.0, 0.0, 0.0]])
    >>> flow * balance(flow)
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """
    parts = connected_components(flow > 0.0, directed=True, connection="strong")[1]
    kept = parts[:, None] == parts[None, :]
    flow = np.where(kept, flow, 0.0)
    logs = np.zeros(len(flow))
    for _ in range(NEWTON_STEPS):
        now = flow * np.exp(logs[:, None] - logs[None, :])
        slope = now.sum(axis=1) - now.sum(axis=0)
        if np.abs(slope).max() <= ROUNDING * now.sum():
            break
        both = now + now.T
        step = -np.linalg.lstsq(np.diag(both.sum(axis=0)) - both, slope, rcond=None)[0]
        # The sum of exponentials has no trouble with steps of length 1.
        logs += step / max(1.0, float(np.abs(step).max()))
    return np.where(kept, np.exp(logs[:, None] - logs[None, :]), 0.0)
