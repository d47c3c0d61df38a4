"""The fit of a perceptron on rows of features, which its model is a vector of."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from novikoff.certificate import Status
from novikoff.estimators.rule_fit import RuleFit
from novikoff.estimators.rule_problem import Ids, Outcome, RuleProblem
from novikoff.run import Callback
from novikoff.sample import JointSample, content_order, visit_order
from novikoff.sample.order import FITS_IN_CACHE, rank_hashes


def fit_rows(estimator: Any, problem: RuleProblem, callbacks: Sequence[Callback]) -> Outcome:
    """Run the rule on the rows."""
    copies, visited = problem.copies, problem.copies.training
    order = _order(problem)
    compress = estimator.schedule == "compress"
    sample = visited.sample(
        order=order,
        slack2=0.5 / problem.C,
        # The first examples would belong to a support that is to be small.
        classes=None if compress else visited.codes,
        shares=copies.costs,
    )
    search = RuleFit(
        problem.rule,
        problem.C,
        problem.average,
        float(estimator.min_margin),
        problem.memories,
        compress,
    )
    return problem.search(
        sample,
        search,
        order=order,
        jointly=JointSample.joint,
        copies=copies,
        training=problem.training,
        callbacks=callbacks,
        n_jobs=estimator.n_jobs,
    )


def _order(problem: RuleProblem) -> Ids:
    """Draw the order of visits, or keep that of the run that is continued."""
    if problem.last is not None:
        return problem.last.order
    draws, visited = problem.draws, problem.copies.training
    if draws is not None and visited.storage.nbytes <= FITS_IN_CACHE:
        return content_order(rank_hashes(visited.storage.matrix), visited.codes, draws)
    return visit_order(len(visited.codes), visited.storage.nbytes, draws)


def visits_of(problem: RuleProblem, outcome: Outcome) -> Ids:
    """Return the examples in the order of visits, as a bound on new data needs them."""
    visits = problem.copies.rows_of(outcome.order)
    satisfied = outcome.certificate.status in (Status.CONVERGED, Status.GAP_REACHED)
    if satisfied and problem.average is not True:
        # No other example is wrong, and the whole order is as long as the data.
        visits = visits[np.isin(visits, np.concatenate([each.support for each in outcome.fitted]))]
    return visits
