"""The yardstick itself: closed forms of the optimum, the promised margins, the tally."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import rules
from novikoff.certificate import Status
from novikoff.sample import Sample, storage_of
from tests.theorems.optimum import affine_optimum, optimum
from tests.theorems.problems import affine_problems, integer_problems, problems
from tests.theorems.runs import mostly_decided, settle


@given(n=st.integers(2, 12), data=st.data())
def test_optimum_of_the_standard_basis(n, data):
    """Every labelling has linear margin 1/sqrt(n); the affine one depends on the class sizes."""
    k = data.draw(st.integers(1, n - 1))
    y = np.where(np.arange(n) < k, 1, -1)
    assert optimum(np.eye(n) * y[:, None]).upper == pytest.approx(1 / math.sqrt(n), rel=1e-14)
    affine = math.sqrt(1 / k + 1 / (n - k)) / 2
    assert affine_optimum(np.eye(n), y) == pytest.approx(affine, rel=1e-14)


def test_optimum_is_zero_when_the_hull_holds_the_origin():
    solved = optimum([[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]])
    assert solved.lower == 0.0 and solved.upper < 1e-15
    np.testing.assert_allclose(solved.weights, [0.5, 0.25, 0.25])


@given(problem=problems(least=0.1))
def test_problems_keep_their_margin(problem):
    assert problem.eps >= 0.1 * problem.R * (1 - 1e-9)


@given(problem=affine_problems(least=0.1))
def test_affine_problems_keep_their_margin(problem):
    R = np.linalg.norm(problem.X - problem.X.mean(axis=0), axis=1).max()
    assert affine_optimum(problem.X, problem.y) >= 0.04 * R


@given(problem=integer_problems())
def test_integer_problems_are_separable(problem):
    assert problem.optimum.lower > 0
    np.testing.assert_array_equal(problem.X, np.rint(problem.X))


def pair(first, second):
    """Two positive examples on a line through the origin or not."""
    return Sample.of(storage_of(np.array([first, second])), np.array([1, 1]), affine=False)


@mostly_decided
def classic_on(*samples):
    for sample in samples:
        finished = settle(sample, rules.Classic(), max_updates=9)
        assert finished is None or finished.status is Status.CONVERGED


def test_capped_runs_fail_the_test_they_are_in():
    """One decided run in three is too few, four in five are enough, none is no test at all."""
    easy, hopeless = pair([1.0, 0.0], [0.0, 1.0]), pair([1.0, 0.0], [-1.0, 0.0])
    classic_on(easy, easy, easy, easy, hopeless)
    with pytest.raises(AssertionError, match="only 1 of 3 runs were decided"):
        classic_on(easy, hopeless, hopeless)
    with pytest.raises(AssertionError, match="ran nothing"):
        classic_on()
