"""Bounds on the optimum that scores and weights prove, the same for every solver.

All in floating point: the certificate computes the rigorous bounds.
"""

from collections.abc import Callable
from functools import partial
from math import inf
from typing import NamedTuple

import numpy as np
from scipy.sparse.csgraph import connected_components

from novikoff.maxmargin.joint.problem import Ids, Vector
from novikoff.sample.joint_signed import cycle_of

NEWTON_STEPS = 20
"""The most steps on the offsets, and on the balance of the flow. Not varied: a handful suffices."""

ROUNDING = 1e-15
"""A flow that is balanced up to this share of all weights is balanced as far as rounding allows."""


MULTIPLES = 40
"""The most multiples of a model that are tried. Not varied."""

MOST_MULTIPLE = 1000.0
"""No multiple is tried beyond this, nor below its inverse."""

ENOUGH = 1e-6
"""The share of the objective that a better multiple has to gain."""

WIDTHS = (1.0, 0.1, 0.01)
"""The widths of leads over which the hinge is made smooth, in turn, to place the offsets. Without
the first, offsets far from the best move by a little only."""


class Placed(NamedTuple):
    """The offsets, the value that is reached with them, and the examples on the wrong side.

    ``value`` is the least ``f_y - f_r`` (hard margin), or the primal objective (soft margin), of
    the multiple ``factor`` of the model; the offsets are those of the multiple.
    """

    offsets: Vector
    value: float
    mistakes: int
    factor: float = 1.0


def worst_wrong(scores: Vector, codes: Ids) -> tuple[Ids, Vector]:
    """Return the wrong class of largest score, and by how much the own score exceeds it."""
    places = np.arange(len(codes))
    own = scores[places, codes]
    scores[places, codes] = -inf
    wrong = scores.argmax(axis=1)
    lead = own - scores[places, wrong]
    scores[places, codes] = own
    return wrong, lead


def place_hard(products: Vector, codes: Ids, *, free: bool) -> Placed:
    """Return the offsets that make the least lead of the own score largest; zeros if not free."""
    offsets = best_offsets(products, codes) if free else np.zeros(products.shape[1])
    _, lead = worst_wrong(products + offsets, codes)
    return Placed(offsets, float(lead.min()), int(np.count_nonzero(lead <= 0.0)))


def best_offsets(products: Vector, codes: Ids) -> Vector:
    """Return the offsets that make the least lead of the own score as large as possible.

    The leads along a cycle of classes add up to the same whatever the offsets are: it is the cycle
    of least mean that bounds them.
    """
    n_classes = products.shape[1]
    least = np.full((n_classes, n_classes), inf)
    for k in range(n_classes):
        some = products[codes == k]
        if len(some):
            least[k] = 0.5 * (some[:, [k]] - some).min(axis=0)
            least[k, k] = inf
    return 2.0 * cycle_of(least)[2]


def fair_offsets(products: Vector, codes: Ids) -> Vector:
    """Return the offsets with the least sum of squared hinges.

    Where few examples are far off, these suit the others.
    """
    ones, zeros = np.ones(len(codes)), np.zeros(products.shape[1])
    return place_soft(0.0, products, codes, ones, zeros, free=True, multiples=False).offsets


def place_soft(
    norm2: float,
    products: Vector,
    codes: Ids,
    slack2: Vector,
    offsets: Vector,
    *,
    free: bool,
    most: Vector | None = None,
    multiples: bool = True,
) -> Placed:
    """Return offsets, and a multiple of the model, that make the primal objective small.

    ``norm2`` is ``|W|^2``. Newton's method on the offsets, from those given, as if the objective
    were smooth; it stops where a step does not help. It is not smooth where two wrong classes tie.
    The hinge, which has the factors ``most``, is made smooth over shorter and shorter widths.

    With ``multiples=False`` the model stays as long as it is. The multiple matters where C is
    large: examples that miss the margin by a thousandth each may cost more than all the rest, and
    a vector longer by a thousandth gives them the margin.
    """
    if most is None:
        if free:
            offsets = _newton(products, codes, offsets, lambda lead: _squares(lead, slack2), norm2)
        _, lead = worst_wrong(products + offsets, codes)

        def squares(factor: float) -> tuple[float, float]:
            found = _squares(factor * lead, slack2)
            return found.value, -float(found.pull @ lead)

        factor, value = _best_multiple(norm2, squares, MULTIPLES if multiples else 0)
        return Placed(factor * offsets, value, _mistakes(lead), factor)
    tried = offsets
    placed = _hinged(norm2, products, codes, offsets, most)
    for width in WIDTHS if free else ():
        tried = _newton(products, codes, tried, partial(_smooth, most=most, width=width), norm2)
        placed = min(placed, _hinged(norm2, products, codes, tried, most), key=lambda p: p.value)
    return placed


def _best_multiple(
    norm2: float, loss: Callable[[float], tuple[float, float]], tries: int = MULTIPLES
) -> tuple[float, float]:
    """Return the multiple of a model with the least objective, and that; it is convex.

    ``loss`` returns the loss of a multiple, and its slope. The slope of the objective is made to
    vanish by false positions, the Illinois way.
    """

    def at(factor: float) -> tuple[float, float]:
        value, slope = loss(factor)
        return factor**2 * norm2 + value, 2.0 * factor * norm2 + slope

    value, slope = at(1.0)
    best = 1.0, value
    low, high = (0.0, 0.0, -inf), (inf, 0.0, inf)
    factor = 1.0
    for _ in range(tries):
        if slope < 0.0:
            if low[0] > 0.0:
                high = (high[0], high[1], 0.5 * high[2])
            low = factor, value, slope
        else:
            if high[0] < inf:
                low = (low[0], low[1], 0.5 * low[2])
            high = factor, value, slope
        if max(factor, 1.0 / factor) > MOST_MULTIPLE:
            break
        if high[0] == inf:
            factor = 2.0 * factor
        elif low[0] == 0.0:
            factor = 0.5 * factor
        else:
            # What is left to gain is at most the slope times the way to the other end.
            if abs(slope) * (high[0] - low[0]) <= ENOUGH * best[1]:
                break
            factor = (low[0] * high[2] - high[0] * low[2]) / (high[2] - low[2])
        value, slope = at(factor)
        if value < best[1]:
            best = factor, value
    return best


class _Loss(NamedTuple):
    """A sum over the examples, and its first two derivatives by each lead, the first negated."""

    value: float
    pull: Vector
    stiff: Vector


def _squares(lead: Vector, slack2: Vector) -> _Loss:
    hinges = np.maximum(0.0, 1.0 - lead)
    pull = hinges / slack2
    return _Loss(0.5 * float(hinges @ pull), pull, np.where(hinges > 0.0, 1.0 / slack2, 0.0))


def _smooth(lead: Vector, most: Vector, width: float) -> _Loss:
    """Huber's hinge: a parabola over the width, centred at the corner, between the two lines."""
    share = np.clip((1.0 - lead) / width + 0.5, 0.0, 1.0)
    value = float(most @ np.where(share < 1.0, 0.5 * width * share**2, 1.0 - lead))
    return _Loss(value, most * share, np.where((share > 0.0) & (share < 1.0), most / width, 0.0))


def _hinged(norm2: float, products: Vector, codes: Ids, offsets: Vector, most: Vector) -> Placed:
    _, lead = worst_wrong(products + offsets, codes)

    def hinges(factor: float) -> tuple[float, float]:
        some = factor * lead < 1.0
        return float(most[some] @ (1.0 - factor * lead[some])), -float(most[some] @ lead[some])

    factor, value = _best_multiple(norm2, hinges)
    return Placed(factor * offsets, value, _mistakes(lead), factor)


def _mistakes(lead: Vector) -> int:
    return int(np.count_nonzero(lead <= 0.0))


def _newton(
    products: Vector, codes: Ids, offsets: Vector, loss: Callable[[Vector], _Loss], norm2: float
) -> Vector:
    """Return offsets that make a loss small, from those given; ``norm2`` is added to it."""
    scores = products + offsets
    wrong, lead = worst_wrong(scores, codes)
    now = loss(lead)
    n_classes = scores.shape[1]
    for _ in range(NEWTON_STEPS):
        active = np.flatnonzero(now.pull)
        y, r = codes[active], wrong[active]
        pull, stiff = now.pull[active], now.stiff[active]
        slope = np.bincount(r, pull, n_classes) - np.bincount(y, pull, n_classes)
        between = np.bincount(y * n_classes + r, stiff, n_classes**2).reshape(2 * (n_classes,))
        between = between + between.T
        hessian = np.diag(between.sum(axis=0)) - between
        step = -np.linalg.lstsq(hessian, slope, rcond=None)[0]
        step -= step.mean()
        gain, length = 0.0, 1.0
        for _ in range(5):
            tried_wrong, lead = worst_wrong(scores + length * step, codes)
            tried = loss(lead)
            gain = now.value - tried.value
            if gain > 0.0:
                break
            length *= 0.25
        if not gain > 0.0:
            break
        offsets, scores = offsets + length * step, scores + length * step
        wrong, now = tried_wrong, tried
        if gain <= 1e-9 * (norm2 + now.value):
            break
    return offsets


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
