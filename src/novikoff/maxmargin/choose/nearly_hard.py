"""The hard margin by a soft one whose slack is negligible, solved by pivoting.

Coordinate descent on sparse data may take thousands of passes where labels are noisy and separable
all the same. Pivoting does not depend on how large ``C`` is: with as little slack as the gap
allows, the soft margin's hyperplane and weights are as good as those of the hard one.
"""

from dataclasses import replace
from math import inf, sqrt

import numpy as np

from novikoff.certificate import Status
from novikoff.maxmargin.bounds import normalized, place_hard
from novikoff.maxmargin.choose.settings import ChooseSettings
from novikoff.maxmargin.passes import Passes
from novikoff.maxmargin.pivoting.search import block_pivoting
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.run.clock import Clock


def by_little_slack(
    problem: Problem, before: Solution, tol: float, clock: Clock, settings: ChooseSettings
) -> Solution:
    """Return the better bounds of a separator and of the soft margin next to it.

    The status is that of the separator, so that others go on, unless the gap or a limit is reached.
    """
    sample, order = problem.sample, problem.sample.order
    weights, total = normalized(before.weights[order], sample.signs[order], sample.affine)
    share, distance = settings.slack_share * tol, total * before.upper
    if not (total > 0.0 and 0.0 < distance < inf):
        return before
    # So that the slack adds this share to the square of the distance.
    slack2 = share * distance**2 / float(weights @ weights)
    soft = Problem(sample, np.full(sample.n_examples, slack2))
    # At distance 1 from its hyperplane no example has slack.
    near = replace(before, lower=-inf, upper=0.5 * float(before.w @ before.w))
    found = block_pivoting(soft, tol=share, clock=clock, before=near, start=before.weights)
    passes, w = Passes(sample, clock), found.w
    with passes.without_limits():
        products = passes.products(order, w, float(w @ sample.centre))
    offset, least, _ = place_hard(products, sample.signs[order], sample.affine)
    length, scale = float(np.linalg.norm(w)), 1.0 / least if least > 0.0 else 1.0
    proof = np.zeros(sample.n_examples)
    proof[order], _ = normalized(found.weights[order], sample.signs[order], sample.affine)
    after = replace(
        found,
        w=scale * w,
        offset=scale * offset,
        weights=proof,
        lower=least / length if length > 0.0 else -inf,
        upper=1.0 / sqrt(2.0 * found.lower) if found.lower > 0.0 else inf,
    )
    both = problem.joined(before, after)
    reached = both.lower >= (1.0 - tol) * both.upper
    status = Status.GAP_REACHED if reached else clock.stop() or before.status
    return replace(both, status=status, gave_up=False)
