"""Soft margins of dense data that few examples carry: Wolfe's method, which then takes few passes.

Images of two digits, say, have fewer support vectors than pixels. Wolfe's method finds these in 4
to 9 passes, whatever ``C`` is, where Newton's method takes 15 to 50. Two things are seen before:
the difference of the class means tells most examples apart, and of the candidates of the first two
rounds few carry weight.
"""

import numpy as np

from novikoff.maxmargin.bounds import place_hard
from novikoff.maxmargin.choose.hand_over import start_wolfe
from novikoff.maxmargin.choose.settings import ChooseSettings, is_stiff
from novikoff.maxmargin.passes import Ids, Passes
from novikoff.maxmargin.problem import Problem, Solution
from novikoff.run.clock import Clock, Stopped


def where_few_carry(
    problem: Problem, tol: float, clock: Clock, settings: ChooseSettings
) -> Solution | None:
    """Return what Wolfe's method finds where few examples seem to carry the optimum, else ``None``.

    The status is PRECISION where more do.
    """
    nearest = None
    if clock.fits(settings.carried_passes):
        try:
            nearest = _nearest(problem, clock, settings)
        except Stopped:
            # What follows returns the model at which the clock stops it.
            return None
    if nearest is None:
        return None
    search = start_wolfe(problem, clock, None)
    first_rounds = 4 * search.settings.per_class
    most_carry, most_passes = settings.most_carry, settings.carried_passes
    if is_stiff(problem, settings.carried_stiff):
        # What follows takes more passes.
        most_carry, most_passes = settings.most_carry_if_stiff, settings.carried_passes_if_stiff

    def many_carry() -> bool:
        candidates = search.candidates
        judged = len(candidates.ids) <= first_rounds
        return judged and len(candidates.support) > most_carry * len(candidates.ids)

    search.leaves = many_carry
    search.budget = most_passes * search.sample.storage.n_values
    search.begin_with(nearest)
    return search.solution(search.run(tol, 0.0))


def _nearest(problem: Problem, clock: Clock, settings: ChooseSettings) -> Ids | None:
    """Return the examples nearest to the boundary, out of a few, in order.

    ``None`` where the difference of the class means errs on too many: that of half of these
    examples on the other half, since all labels of fewer examples than features can be told apart.
    """
    sample = problem.sample
    ids = sample.order[:: max(2, len(sample.order) // settings.judged_examples + 1)]
    signs, even = sample.signs[ids], np.arange(len(ids)) % 2 == 0
    weights = np.zeros(sample.n_examples)
    for side in (signs > 0, signs < 0):
        seen = ids[side & even]
        if not len(seen) or not (side & ~even).any():
            return None
        weights[seen] = 1.0 / len(seen)
    w, _ = sample.combine(weights)
    products = Passes(sample, clock).products(ids, w, float(w @ sample.centre))
    _, _, mistakes = place_hard(products[~even], signs[~even], sample.affine)
    newton_follows = problem.n_examples >= settings.newton_examples * problem.n_features
    allowed = settings.most_mistaken if newton_follows else 2.0 * settings.most_mistaken
    if mistakes > allowed * np.count_nonzero(~even):
        return None
    return np.asarray(ids[np.argsort(signs * products, kind="stable")])
