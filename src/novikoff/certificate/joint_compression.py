r"""Which examples carry the optimum of several classes that are fitted together.

As in :mod:`novikoff.certificate.compression`, with the *leads* ``l_r(x) = f_y(x) - f_r(x)`` over
the other classes in place of ``y f(x)``. The normals ``W*`` of the optimum are unique; its
intercepts need not be. An example carries the optimum if its least lead is at the margin (hard:
``e*``, for ``sqrt(2) |W*| = 1``; soft: at most 1) for *some* optimal intercepts. Without an example
that is beyond the margin for all of them the objective is the same near all optima, so by convexity
no optimum is added, and the set stays the same. Every class that occurs has such an example, since
otherwise its intercept could fall for ever; the optimal intercepts are bounded, up to a constant.

**Normals.** *Hard:* ``P = sum lambda_ir (e_y - e_r) x_i / sqrt(2) = e* W*/|W*|`` with weights that
bring as much to each class as they take from it, so that the mean of the leads of the model under
``lambda`` is free of intercepts; it is at least ``lower`` (in units of ``sqrt(2) |W|``). So
``<W, W*> >= 1 - g`` for unit normals, and ``|W - W*| <= sqrt(2 g)``. *Soft:* let ``W* = sum
lambda_ir (e_y - e_r) x_i / 2`` with ``sum_r lambda_ir = 2 C s_i xi*_i`` on the worst classes of
``i``. Then ``|W|^2 - |W*|^2 = |W - W*|^2 + 2 <W*, W - W*>``, and the last term is
``sum lambda_ir (l_ir - l*_ir) >= sum_i 2 C s_i xi*_i (xi*_i - xi_i)``, since ``l*_ir = 1 - xi*_i``
where ``lambda_ir > 0`` and ``l_ir >= 1 - xi_i`` always. Hence the gap of the objectives is
``G >= |W - W*|^2 + C sum s_i (xi_i - xi*_i)^2``. In both cases a lead changes from one point to
another by the normals alone; at a distance of ``h`` the leads of the model and of the optimum part
by at most ``h v``, where ``v = sqrt(2 g)`` (hard, in units of the margin) or ``sqrt(2 G)`` (soft).

**Intercepts.** Let ``x_0`` be the first example and ``D_pq`` the lead of class ``p`` over ``q``
there, of the model less that of the optimum: ``D_pq = h_p - h_q`` for some ``h``. Every example
``i`` of class ``p`` has ``l*_iq >= a_i``, where ``a_i = lower`` (hard) or ``1 - xi_i -
sqrt(G/(C s_i))`` (soft). So ``D_pq <= l_iq - a_i + rho v``, where ``rho`` is the extent of the
examples, the least of which over the examples of ``p`` is the length of a path from ``p`` to ``q``;
hence ``D_pq`` is at most the length of the shortest path over other classes. With ``D`` the longest
of these,

    |l(z) - l*(z)| <= tau = D + 3 rho v

for every point that can occur (``rho v`` without intercepts). The examples are those whose least
lead is at most ``upper + tau`` (hard) or ``1 + tau`` (soft), and the model gets right what would
not join them if ``tau`` is less than the margin, ``lower`` or 1. (By more than the rounding of
scores, which decides where two are equal as floats.) ∎
"""

import math
from typing import Any

import numpy as np

from novikoff.certificate.compression import (
    NOT_FIXED,
    UP,
    Carriers,
    NoCompression,
    check_small,
    check_soft,
)
from novikoff.certificate.exact.prediction import score_blocks
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.examples.checked import Examples
from novikoff.certificate.examples.extent import extent, norm_above, norm_below
from novikoff.certificate.joint_model import JointModel
from novikoff.certificate.kinds import Joint


def joint_carriers(certificate: Joint, examples: Examples) -> Carriers:
    """Return the examples that carry the optimum of a joint certificate.

    Raises
    ------
    NoCompression
        Where the certificate does not say enough.
    """
    model, affine = certificate.model, certificate.problem.affine
    if not isinstance(model, JointModel):
        raise NoCompression('several classes together with a kernel; fit with multi_class="ovr"')
    rho = extent(examples.X, from_first=affine)
    if model.soft is None and certificate.lower > 0.0:
        lower, upper, gap = certificate.lower, certificate.upper, certificate.gap
        sizes = math.sqrt(2.0) * norm_below(model.coef), math.sqrt(2.0) * norm_above(model.coef)
        tilt = math.sqrt(2.0 * gap) * UP
        levels = np.full(len(examples.codes), lower)
        least, paths = _leads(model, examples, levels, slack=False, size=sizes[0] / UP)
        wanted, edge, than = lower, upper, "the margin"
    elif model.soft is not None and certificate.soft_only:
        soft = model.soft
        check_soft(soft)
        gap, sizes = soft.gap, (1.0, 1.0)
        between = max(soft.primal - soft.dual, 0.0) * UP
        tilt = math.sqrt(2.0 * between) * UP
        costs = np.ones(len(examples.codes)) if examples.costs is None else examples.costs
        levels = -np.sqrt(between / (soft.C * costs)) * UP
        least, paths = _leads(model, examples, levels, slack=True, size=1.0)
        wanted = edge = 1.0
        than = "1"
    else:
        raise NoCompression(NOT_FIXED)
    tau = rho * tilt
    if affine:
        tau = _longest_path(paths + rho * tilt) + 3.0 * rho * tilt
    tau = tau * UP + _rounding(model, examples, rho, affine=affine) / sizes[0]
    check_small(tau / wanted, than, gap)
    return Carriers(np.flatnonzero(~(least > sizes[1] * (edge + tau) * UP)), None)


def _leads(
    model: JointModel, examples: Examples, levels: Floats, *, slack: bool, size: float
) -> tuple[Floats, Floats]:
    """Return the least lead of each example, rounded down, and the paths between classes.

    A path from ``p`` to ``q`` is the least of ``l_iq / size - a_i`` over the examples of ``p``,
    rounded up; with ``slack`` the level is ``min(1, l_i)`` plus that which is given.
    """
    n_classes = len(model.intercept)
    least, paths = np.empty(len(examples.codes)), np.full((n_classes, n_classes), np.inf)
    with np.errstate(all="ignore"):
        for first, values, errors in score_blocks(examples.X, model.coef, model.intercept):
            part = slice(first, first + len(values))
            low, high = _between(values, errors, examples.codes[part])
            least[part] = low.min(axis=1)
            level = levels[part]
            if slack:
                level = np.minimum(1.0, least[part]) + level
            over = high / size - level[:, None]
            for p in range(n_classes):
                mine = over[examples.codes[part] == p]
                if len(mine):
                    paths[p] = np.minimum(paths[p], mine.min(axis=0))
    # Differences of rounded numbers: rounded up by more than all of them.
    room = np.abs(levels).max() + 1.0
    return least, np.maximum(paths + 2.0**-48 * (np.abs(paths) + room), 0.0)


def _between(values: Floats, errors: Any, own: Indices) -> tuple[Floats, Floats]:
    """Floats on either side of the leads over each class; infinite for the own one."""
    rows = np.arange(len(values))
    wide = np.broadcast_to(errors, values.shape)
    apart = values[rows, own][:, None] - values
    wide = wide[rows, own][:, None] + wide
    low = np.nextafter(apart - wide, -np.inf)
    high = np.nextafter(apart + wide, np.inf)
    low[rows, own] = high[rows, own] = np.inf
    unknown = ~(np.isfinite(apart) & np.isfinite(wide))
    unknown[rows, own] = False
    low[unknown], high[unknown] = -np.inf, np.inf
    return low, high


def _longest_path(paths: Floats) -> float:
    """The length of the longest of the shortest paths between two classes."""
    np.fill_diagonal(paths, 0.0)
    for over in range(len(paths)):
        paths = np.minimum(paths, paths[:, over, None] + paths[over])
    return float(paths.max())


def _rounding(model: JointModel, examples: Examples, rho: float, *, affine: bool) -> float:
    """More than what rounding scores to floats can change of a lead, wherever a point can be."""
    far = norm_above(model.coef) * (3.0 * rho + extent(examples.X[:1], from_first=False))
    if not affine:
        far = norm_above(model.coef) * rho
    return 2.0**-50 * (far + float(np.abs(model.intercept).max()))
