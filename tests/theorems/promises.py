"""What most theorems say of a rule: how many updates it makes, and what margin it ends with."""

from novikoff.rules import Rule
from novikoff.run import Run
from tests.theorems.reference import (
    Problem,
    assert_at_most,
    assert_margin,
    margin_of,
    orders,
    settle,
)


def settle_in_order(problem: Problem, rule: Rule, seed: int) -> Run | None:
    """Run a rule to its end in an order drawn by the seed; ``None`` for an undecided run."""
    return settle(problem.sample(order=orders(len(problem.y), seed)), rule)


def assert_promises(rule: Rule, problem: Problem, weights, *, updates=None, R=None) -> float:
    """The rule's own bounds, for the largest norm R; returns the margin that the weights make.

    The updates are as many as the weights sum up to, unless said otherwise.
    """
    R = problem.R if R is None else R
    updates = weights.sum() if updates is None else updates
    margin = margin_of(problem.Z, weights)
    assert_at_most(updates, rule.update_bound(R, problem.eps))
    assert_margin(margin, rule.margin_bound(R, problem.eps), problem.R)
    return margin
