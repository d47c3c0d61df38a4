"""The end of Wolfe's method: precise work, columns in one scale, rational arithmetic."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate import Status
from novikoff.maxmargin.passes import Passes
from novikoff.maxmargin.wolfe.precise import (
    column_reach,
    decide_precisely,
    equilibrated,
    on_vectors,
)
from novikoff.maxmargin.wolfe.rational import vanishing_combination
from novikoff.maxmargin.wolfe.search import Search
from novikoff.maxmargin.wolfe.settings import WolfeSettings
from novikoff.maxmargin.wolfe.working_set import WorkingSet
from novikoff.run.clock import Stopped
from novikoff.sample.storage import Converted
from tests.maxmargin.problems import clock_of, planted, problem_of


@pytest.mark.parametrize("kind", ["float64", "float32", "csr", "converted"])
def test_reach_of_columns(kind, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.integers(-9, 9, size=(60, 4)) * rng.integers(0, 2, size=(60, 4))
    storage = Converted(np.asfortranarray(X)) if kind == "converted" else None
    stored = sparse.csr_array(X.astype(float)) if kind == "csr" else X.astype("float64")
    if kind == "float32":
        stored = stored.astype(np.float32)
    problem = problem_of(stored, np.where(np.arange(60) % 2, 1, -1), storage=storage)
    monkeypatch.setattr(problem.sample.storage, "chunk", 7)
    clock = clock_of()
    reach = column_reach(Passes(problem.sample, clock))
    np.testing.assert_array_equal(reach, np.abs(X - problem.sample.centre).max(axis=0))
    assert clock.passes == 1.0


def test_columns_in_one_scale():
    reach = np.array([1.0, 0.75, 3e5, 2.0**-40, 0.0])
    scale = equilibrated(reach)
    scaled = scale * reach
    assert (scaled[:-1] >= 0.5).all() and (scaled <= 1.0).all()
    assert (np.frexp(scale)[0] == 0.5).all()


def undecided(clock, n=300, d=40, settings=None):
    """A search that has ended, and some of whose candidates are its corral."""
    X, y = planted(0, n, d)
    search = Search(WorkingSet(problem_of(X, y), settings or WolfeSettings()), clock)
    search.run(1e-3, 0.0)
    return search


def test_vectors_continue_from_the_gram_matrix():
    clock = clock_of()
    search = undecided(clock)
    reach = column_reach(search.passes)
    after = on_vectors(search, np.ones_like(reach), reach, "wolfe-precise")
    assert after.solver == "wolfe+wolfe-precise"
    np.testing.assert_array_equal(after.candidates.support, search.candidates.support)
    np.testing.assert_allclose(after.candidates.weights, search.candidates.weights, rtol=1e-12)
    before = clock.updates
    assert after.run(1e-3, 0.0) is Status.GAP_REACHED
    assert clock.updates >= before
    np.testing.assert_allclose(after.candidates.point()[0], search.candidates.point()[0], rtol=1e-3)


@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_the_clock_may_stop_a_corral_in_the_making(most):
    settings = WolfeSettings(first_members=4)
    answers = []
    clock = clock_of(cancelled=lambda: bool(answers) and answers.pop(0))
    search = undecided(clock, settings=settings)
    assert len(search.candidates.support) > 16
    reach = column_reach(search.passes)
    answers += [False] * most + [True]
    with pytest.raises(Stopped) as stopped:
        on_vectors(search, np.ones_like(reach), reach, "wolfe-precise")
    assert stopped.value.status is Status.INTERRUPTED
    assert not answers


@pytest.mark.parametrize("left", [0, 1])
def test_precise_work_keeps_to_the_limit(left):
    clock = clock_of()
    search = undecided(clock)
    clock.limits = clock_of(int(clock.passes) + left).limits
    solution = decide_precisely(search, tol=1e-9, aim=1e-9, confirm=lambda support: True)
    assert solution.status is Status.MAX_ITER
    assert solution.solver == "wolfe"
    assert clock.passes <= clock.limits.max_iter
    assert (solution.lower, solution.upper) == (search.lower, search.upper)


def candidates_of(X, y, support, weights, settings=None):
    candidates = WorkingSet(problem_of(X, y, affine=True), settings or WolfeSettings())
    candidates.add(np.arange(len(y)))
    candidates.begin(np.array(support), np.array(weights))
    return candidates


def test_a_combination_that_vanishes_exactly_is_found():
    # The two diagonals of a rectangle of decimals cross.
    X = np.array([[0.1, 0.1], [0.7, 0.3], [0.1, 0.3], [0.7, 0.1]])
    y = np.array([1, 1, -1, -1])
    found = vanishing_combination(candidates_of(X, y, [0, 2], [1.0, 1.0]), clock_of())
    assert sorted(found) == [0, 1, 2, 3]


def test_a_separable_set_has_no_such_combination():
    # Nearly: in binary, 0.1 + 0.2 is above 0.3.
    X, y = np.array([[0.0], [0.1 + 0.2], [0.3]]), np.array([1, -1, 1])
    assert 0.1 + 0.2 > 0.3
    assert vanishing_combination(candidates_of(X, y, [2, 1], [1.0, 1.0]), clock_of()) is None


def test_rational_steps_are_limited_and_can_be_cancelled():
    rng = np.random.default_rng(1)
    X, y = rng.integers(-5, 6, size=(30, 3)) / 10, np.where(np.arange(30) % 2, 1, -1)
    args = (X, y, [0, 1], [1.0, 1.0])
    asked = []

    def counted():
        asked.append(1)
        return False

    assert vanishing_combination(candidates_of(*args), clock_of(cancelled=counted)) is not None
    assert len(asked) > 3
    for most in range(len(asked)):
        answers = [False] * most + [True]
        clock = clock_of(cancelled=lambda answers=answers: answers.pop(0))
        assert vanishing_combination(candidates_of(*args), clock) is None
        assert not answers
    few = candidates_of(*args, settings=WolfeSettings(rational_steps=1))
    assert vanishing_combination(few, clock_of()) is None
