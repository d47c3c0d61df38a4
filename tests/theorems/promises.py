"""What most theorems say of a rule: how many updates it makes, and what margin it ends with."""

import math

import numpy as np

from novikoff.rules import Rule
from tests.theorems.optimum import margin_of
from tests.theorems.problems import Problem
from tests.theorems.runs import settle


def assert_at_most(count, bound):
    """A count of updates against a bound on it."""
    assert count <= math.floor(bound * (1 + 1e-9) + 1e-9), f"{count} updates, bound {bound}"


def assert_margin(margin, bound, R):
    """A margin against a lower bound on it."""
    assert margin >= bound * (1 - 1e-9) - 1e-12 * R, f"margin {margin}, bound {bound}"


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


def assert_scale_changes_nothing(problem: Problem, rule: Rule, exponent: int) -> None:
    """Examples times a power of two: the same updates at the same times, to the last bit."""
    plain = settle(problem.sample(), rule)
    scaled = settle(problem.scaled(2.0**exponent).sample(), rule)
    if plain is None or scaled is None:
        return
    np.testing.assert_array_equal(plain.weights, scaled.weights)
    np.testing.assert_array_equal(plain.memory.stamps, scaled.memory.stamps)
    np.testing.assert_array_equal(plain.memory.w * 2.0**exponent, scaled.memory.w)
