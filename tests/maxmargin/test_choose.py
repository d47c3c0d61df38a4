"""Which solver is chosen, what hand-overs cost, and that one clock spans them."""

from dataclasses import replace
from functools import partial
from math import ceil

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks.generators import bags, one_hot
from novikoff import MaxMargin
from novikoff.certificate import Status
from novikoff.maxmargin import SOME_MARGIN, Solution, hard_margin, soft_margin
from novikoff.maxmargin.choose import hand_over, soft_dense, soft_sparse
from novikoff.maxmargin.choose import soft as soft_module
from novikoff.maxmargin.choose.settings import ChooseSettings, is_small
from novikoff.maxmargin.coordinate.search import coordinate_descent
from novikoff.maxmargin.coordinate.settings import CoordinateSettings
from novikoff.maxmargin.newton.search import newton
from novikoff.maxmargin.pivoting.search import block_pivoting
from novikoff.maxmargin.pivoting.settings import PivotingSettings
from novikoff.maxmargin.verdict import Probe
from novikoff.maxmargin.wolfe import search as wolfe
from novikoff.maxmargin.wolfe.settings import WolfeSettings
from novikoff.maxmargin.wolfe.working_set import WorkingSet
from novikoff.sample import Sample, storage_of
from tests.maxmargin.problems import (
    clock_of,
    far_from_a_plane,
    noisy,
    planted,
    problem_of,
    text_like,
)

# Coordinate descent goes first on all sparse data that are not small.
TRIED = ChooseSettings(sparse_newton_examples=1000)


def hard(X, y, *, confirmed=True, tol=1e-6, clock=None, start=None):
    return hard_margin(
        problem_of(X, y),
        tol=tol,
        clock=clock or clock_of(),
        confirm=lambda support: confirmed,
        start=start,
    )


# Pivoting follows Newton's method.
NO_CORRAL = {"corral_examples": 10**9}
PIVOTING_FIRST = ChooseSettings(**NO_CORRAL)

SOLVERS = {
    "newton": newton,
    "coordinate_descent": coordinate_descent,
    "block_pivoting": block_pivoting,
}


def replace_solver(monkeypatch, name, solver):
    """Let every place that chooses this solver take another one."""
    places = [
        place for place in (soft_module, soft_dense, soft_sparse, hand_over) if hasattr(place, name)
    ]
    assert places
    for place in places:
        monkeypatch.setattr(place, name, solver)


def allow_members(monkeypatch, most):
    """Let Wolfe's method give up where its working set has more members."""
    settings = WolfeSettings(most_members=most)
    monkeypatch.setattr(hand_over, "WorkingSet", lambda problem: WorkingSet(problem, settings))


def soft(X, y, C, *, tol=1e-6, clock=None, settings=None):
    settings = settings or ChooseSettings()
    return soft_margin(problem_of(X, y, C), tol=tol, clock=clock or clock_of(), settings=settings)


def test_without_a_confirmation_floats_need_all_their_digits():
    X, y = load_breast_cancer(return_X_y=True)
    found = hard_margin(problem_of(X, 2 * y - 1), tol=1e-3, clock=clock_of(), confirm=None)
    assert found.status is Status.GAP_REACHED
    X, y = noisy(0, 200, 7)
    found = hard_margin(problem_of(X, y), tol=1e-3, clock=clock_of(), confirm=None)
    assert found.status is Status.NOT_SEPARABLE


def test_names_of_the_hard_margin():
    X, y = planted(0, 200, 6)
    assert hard(X, y).solver == "wolfe"
    X, y = load_breast_cancer(return_X_y=True)
    # It is separable, but its columns differ so much that the Gram matrix cannot tell.
    separable = hard(X, 2 * y - 1, confirmed=False)
    assert separable.status is Status.GAP_REACHED
    assert separable.solver == "wolfe+wolfe-precise"
    X, y = load_iris(return_X_y=True)
    overlapping = hard(X, np.where(y == 1, 1, -1))
    assert overlapping.status is Status.NOT_SEPARABLE
    assert overlapping.solver == "wolfe"
    text = text_like(4000, 5000, 30, random_state=2)
    assert hard(text.X, text.y, tol=1e-2).solver == "coordinate"


def test_columns_of_very_different_scales_are_brought_to_one():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * [1e6, 1.0, 1e-9]
    y = np.where(X[:, 2] > 0, 1, -1)
    clock = clock_of()
    solution = hard(X, y, tol=SOME_MARGIN, clock=clock, confirmed=False)
    assert solution.solver == "wolfe+wolfe-precise+wolfe-equilibrated"
    assert solution.status is Status.GAP_REACHED
    # Bounds in scaled units are not reported, and what is returned is in the units of the data.
    assert not clock.history
    margins = y * ((X - X[0]) @ solution.w + solution.offset)
    assert margins.min() == pytest.approx(1.0, rel=1e-6)
    assert solution.lower == pytest.approx(1.0 / np.linalg.norm(solution.w))


def test_decimals_that_vanish_are_decided_in_rationals():
    rng = np.random.default_rng(43)
    n, d = rng.integers(4, 16), rng.integers(1, 5)
    X, y = rng.integers(-5, 6, size=(n, d)) / 10, np.where(rng.integers(0, 2, n), 1, -1)
    y[:2] = [-1, 1]
    asked = []

    def confirm(support):
        asked.append(support)
        return len(asked) == 4

    solution = hard_margin(problem_of(X, y), tol=1e-3, clock=clock_of(), confirm=confirm)
    assert solution.solver == "wolfe+wolfe-precise+wolfe-equilibrated+wolfe-rational"
    assert solution.status is Status.NOT_SEPARABLE
    assert len(asked) == 4


def test_names_of_the_soft_margin():
    assert soft(*noisy(0, 200, 7), 1.0).solver == "newton"
    assert soft(*noisy(0, 200, 7), 1e15).solver == "wolfe+newton"
    assert soft(*planted(0, 200, 7), 1e15).solver == "wolfe"
    assert soft(*noisy(0, 100, 120), 1.0).solver == "pivoting"
    assert soft(*noisy(0, 300, 500), 1.0).solver == "coordinate+pivoting"
    assert soft(*noisy(0, 300, 5000), 1.0, tol=1e-3).solver == "coordinate"
    text = text_like(4000, 5000, 30, noise=0.05, random_state=0)
    assert soft(text.X, text.y, 1.0, tol=1e-2).solver == "coordinate"
    few = text_like(150, 2000, 30, random_state=0)
    assert soft(few.X, few.y, 1.0).solver == "wolfe"
    many = text_like(6000, 1000, 20, noise=0.1, random_state=0)
    assert soft(many.X, many.y, 0.1, tol=1e-2).solver == "newton"
    assert soft(many.X, many.y, 100.0, tol=1e-2).solver == "newton"
    assert soft(many.X, many.y, 0.1, tol=1e-2, settings=TRIED).solver == "coordinate"
    assert soft(many.X, many.y, 100.0, tol=1e-2, settings=TRIED).solver == "coordinate+newton"
    assert soft(many.X.toarray(), many.y, 0.1, tol=1e-2).solver == "wolfe+newton"


def test_heavy_tails_are_not_taken_for_a_stiff_problem():
    """A few examples are a million times longer than the others."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(1000, 30)) / np.abs(rng.normal(size=(1000, 30)))
    X[7] *= 1e6
    y = np.where((X @ rng.normal(size=30) > 0.0) != (rng.random(1000) < 0.05), 1, -1)
    clock = clock_of()
    found = soft(X, y, 1.0, tol=1e-3, clock=clock)
    assert found.solver == "newton" and found.status is Status.GAP_REACHED
    assert clock.passes <= 100


def test_dense_data_that_are_mostly_zeros_are_read_as_sparse():
    rng = np.random.default_rng(0)
    X = (rng.random((900, 400)) < 0.1).astype(float)
    y = np.where(X @ rng.standard_normal(400) > 0.0, 1, -1)
    clocks = [clock_of(), clock_of()]
    found = soft(X, y, 1.0, tol=1e-3, clock=clocks[0])
    stored = soft(sparse.csr_array(X), y, 1.0, tol=1e-3, clock=clocks[1])
    assert found.solver == stored.solver and clocks[0].passes == clocks[1].passes
    np.testing.assert_array_equal(found.weights, stored.weights)
    assert found.gap <= 1e-3


@pytest.mark.parametrize("C", [10.0, 1000.0])
def test_newton_goes_on_where_more_examples_than_features_carry_weight(C):
    many = text_like(3000, 400, 20, noise=0.1, random_state=1)
    problem = problem_of(many.X, many.y, C)
    best = newton(problem, tol=1e-9, clock=clock_of())
    first = clock_of()
    hasty = coordinate_descent(problem, tol=1e-3, clock=first, patient=False)
    assert hasty.gave_up and hasty.status is Status.PRECISION and hasty.lower <= best.upper
    lines = []
    clock = clock_of(callbacks=[lines.append])
    solution = soft_margin(problem, tol=1e-3, clock=clock, settings=TRIED)
    assert solution.solver == "coordinate+newton"
    assert solution.status is Status.GAP_REACHED and solution.gap <= 1e-3
    assert first.passes < clock.passes <= 60 and lines == clock.history
    for most in range(1, ceil(clock.passes)):
        for settings in (TRIED, ChooseSettings()):
            stopped = soft_margin(problem, tol=1e-3, clock=clock_of(most), settings=settings)
            assert stopped.status in (Status.MAX_ITER, Status.GAP_REACHED)
            assert stopped.lower <= best.upper and stopped.upper >= best.lower
            assert stopped.w.any() or most < 5


CHAINS = {
    "sparse": (lambda: text_like(1500, 600, 20, noise=0.1, random_state=0), {}),
    "sparse, stiff": (lambda: text_like(1500, 300, 20, random_state=0), {}),
    "dense, wide": (lambda: noisy(0, 300, 500), {}),
    "dense, corral": (lambda: noisy(0, 2000, 170), {}),
    "dense, patient": (lambda: noisy(0, 900, 170), {"corral_features": 0}),
    "dense, pivoting": (lambda: noisy(0, 900, 170), NO_CORRAL),
    "dense, sweeps": (
        lambda: noisy(0, 900, 250),
        {"corral_features": 0, "open_if_separable": 1.0, "separable_sweeps": 20},
    ),
}


@pytest.mark.parametrize("C", [1.0, 1e3])
@pytest.mark.parametrize("chain", CHAINS)
def test_hand_overs_lose_nothing(monkeypatch, chain, C):
    """Whatever the limit, the bounds are the best of all solvers in the chain."""
    make, changes = CHAINS[chain]
    data, settings = make(), ChooseSettings(**changes)
    problem = problem_of(*(data if isinstance(data, tuple) else (data.X, data.y)), C)
    seen = []

    def recorded(solver):
        def solve(*args, **options):
            seen.append(solver(*args, **options))
            return seen[-1]

        return solve

    for name in SOLVERS:
        replace_solver(monkeypatch, name, recorded(SOLVERS[name]))
    for most in (1, 2, 3, 4, 5, 7, 10, 14, 20, 28, 40, 60, 100, 200):
        seen.clear()
        found = soft_margin(problem, tol=1e-6, clock=clock_of(most), settings=settings)
        assert found.lower >= max(solution.lower for solution in seen)
        assert found.upper <= min(solution.upper for solution in seen)
        assert found.status in (Status.MAX_ITER, Status.GAP_REACHED, Status.PRECISION)
        assert (found.status is Status.GAP_REACHED) == (found.gap <= 1e-6)


def test_a_separator_that_soft_margins_found_is_kept():
    X, y = planted(0, 12_000, 300, margin=0.01)
    for most in (34, 35, 45):
        found = hard_margin(
            problem_of(X, y), tol=1e-3, clock=clock_of(most), confirm=lambda support: False
        )
        assert found.lower > 0.0


def test_a_separator_is_kept_where_sweeps_start_elsewhere():
    text = text_like(3500, 3600, 20, random_state=0)
    whole = clock_of()
    probed = Probe(problem_of(text.X, text.y), whole, soft_margin, lambda w, b: False).first()
    assert probed is not None and probed.status is Status.SEPARATED
    for more in range(1, 8):
        found = hard_margin(
            problem_of(text.X, text.y),
            tol=1e-9,
            clock=clock_of(ceil(whole.passes) + more),
            confirm=lambda support: False,
            start=np.ones(len(text.y)),
        )
        assert found.status is Status.MAX_ITER and found.lower >= probed.lower


def test_any_margin_is_not_reached_by_default():
    """With no bounds yet, no gap is reached, whatever the tolerance."""
    text = text_like(400, 500, 20, random_state=0)
    found = coordinate_descent(problem_of(text.X, text.y), tol=SOME_MARGIN, clock=clock_of())
    assert found.status is Status.GAP_REACHED and found.lower > 0.0 and found.w.any()


def test_coordinate_descent_goes_on_where_newton_comes_to_a_halt(monkeypatch):
    many = text_like(3000, 400, 20, noise=0.1, random_state=1)
    problem = problem_of(many.X, many.y, 10.0)

    def halted(problem, *, tol, clock, **options):
        return replace(newton(problem, tol=0.1, clock=clock, **options), status=Status.PRECISION)

    replace_solver(monkeypatch, "newton", halted)
    solution = soft_margin(problem, tol=1e-3, clock=clock_of())
    assert solution.solver == "newton+coordinate"
    assert solution.status is Status.GAP_REACHED and solution.gap <= 1e-3
    solution = soft_margin(problem, tol=1e-3, clock=clock_of(), settings=TRIED)
    assert solution.solver == "coordinate+newton+coordinate"
    assert solution.status is Status.GAP_REACHED and solution.gap <= 1e-3


def test_settings_decide():
    X, y = noisy(0, 200, 7)
    wide = ChooseSettings(newton_examples=100)
    assert soft(X, y, 1.0, settings=wide).solver == "pivoting"
    wide = ChooseSettings(newton_examples=100, small_products=0)
    assert soft(X, y, 1.0, settings=wide).solver.startswith("coordinate")
    assert is_small(problem_of(X, y))
    assert not is_small(problem_of(X, y), ChooseSettings(small_values=200 * 7 - 1))


@pytest.mark.parametrize("C", [1e4, 1e6, 1e8])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("features", [0, 130])
def test_what_is_nearly_the_hard_margin_is_left_to_others(seed, C, features):
    examples = far_from_a_plane(7900, 130, 0.01, random_state=seed)
    problem = problem_of(examples.X, examples.y, C)
    first = clock_of()
    hasty = newton(problem, tol=1e-6, clock=first, patient=False)
    assert hasty.gave_up and hasty.status is Status.PRECISION
    lines = []
    clock = clock_of(callbacks=[lines.append])
    settings = ChooseSettings() if features else PIVOTING_FIRST
    solution = soft_margin(problem, tol=1e-6, clock=clock, settings=settings)
    # Where exchanges go in circles, which depends on rounding, a corral goes on.
    pivoted = ("newton+pivoting", "newton+pivoting+wolfe")
    assert solution.solver in (("newton+wolfe",) if features else pivoted)
    assert solution.status is Status.GAP_REACHED and solution.gap <= 1e-6
    assert first.passes < clock.passes <= 50
    for one, next_one in zip(clock.history, clock.history[1:], strict=False):
        assert one.iteration <= next_one.iteration
        assert one.updates <= next_one.updates
        assert one.seconds <= next_one.seconds
    assert lines == clock.history
    for most in range(ceil(first.passes), ceil(clock.passes)):
        limited = clock_of(most)
        stopped = soft_margin(problem, tol=1e-6, clock=limited, settings=settings)
        assert stopped.status is Status.MAX_ITER
        assert limited.passes <= most
        assert stopped.gap <= hasty.gap


def no_pivoting(monkeypatch):
    """Let pivoting give up at its first exchange."""
    settings = PivotingSettings(patience=0, softest=1.0)
    replace_solver(monkeypatch, "block_pivoting", partial(block_pivoting, settings=settings))


@pytest.mark.parametrize("C", [1e4, 1e6, 1e8])
def test_a_corral_goes_on_where_pivoting_gives_up(monkeypatch, C):
    examples = far_from_a_plane(7900, 130, 0.01, random_state=0)
    reference = soft(examples.X, examples.y, C)
    no_pivoting(monkeypatch)
    clock = clock_of()
    solution = soft(examples.X, examples.y, C, clock=clock, settings=PIVOTING_FIRST)
    assert solution.solver == "newton+pivoting+wolfe"
    assert solution.status is Status.GAP_REACHED
    assert solution.upper == pytest.approx(reference.upper, rel=2e-6)
    for most in range(2, ceil(clock.passes), 3):
        limited = clock_of(most)
        stopped = soft(examples.X, examples.y, C, clock=limited, settings=PIVOTING_FIRST)
        assert stopped.status is Status.MAX_ITER
        assert limited.passes <= most


@pytest.mark.parametrize("d", [40, 160])
def test_pivoting_goes_on_where_a_corral_gives_up(monkeypatch, d):
    """From the first short step of Newton's method, and after a detour with more features."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, d))
    y = np.where(X @ rng.normal(size=d) > 0.0, 1, -1)
    reference = soft(X, y, 100.0)
    assert reference.solver == "newton+wolfe" and reference.status is Status.GAP_REACHED
    allow_members(monkeypatch, 10)
    patient = soft(X, y, 100.0)
    assert patient.solver == "newton+wolfe+newton" and patient.status is Status.GAP_REACHED
    assert patient.upper == pytest.approx(reference.upper, rel=2e-6)
    solution = soft(X, y, 100.0, settings=ChooseSettings(patient_passes=0))
    assert solution.solver == "newton+wolfe+pivoting"
    assert solution.status is Status.GAP_REACHED
    assert solution.upper == pytest.approx(reference.upper, rel=2e-6)
    # Sweeps go first where pivoting is said to take as long.
    solution = soft(X, y, 100.0, settings=ChooseSettings(patient_passes=0, least_sweeps=0))
    assert solution.solver.startswith("newton+wolfe+coordinate")
    assert solution.status is Status.GAP_REACHED
    assert solution.upper == pytest.approx(reference.upper, rel=2e-6)


def test_newton_alone_solves_separable_data_of_many_features():
    """Where a corral would have as many members as there are features, and steps are dear."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2200, 520))
    y = np.where(X @ rng.normal(size=520) > 0.0, 1, -1)
    for C in (1.0, 100.0):
        clock = clock_of()
        solution = soft(X, y, C, clock=clock, tol=1e-3)
        assert solution.solver == "newton" and solution.status is Status.GAP_REACHED
        assert clock.passes <= 200


@pytest.mark.parametrize("C", [1.0, 100.0])
def test_sweeps_go_on_where_a_step_of_newton_nearly_separates(C):
    """With few examples for each feature; correlated columns and noise are left to Newton."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1300, 520))
    y = np.where(X @ rng.normal(size=520) > 0.0, 1, -1)
    solution = soft(X, y, C, tol=1e-3)
    assert solution.solver == "newton+coordinate" and solution.status is Status.GAP_REACHED
    cut = soft(X, y, C, tol=1e-3, settings=ChooseSettings(separable_sweeps=20))
    assert cut.solver == "newton+coordinate+newton" and cut.status is Status.GAP_REACHED
    assert cut.upper == pytest.approx(solution.upper, rel=2e-3)
    for most in (2, 3, 5, 30):
        clock = clock_of(most)
        assert soft(X, y, C, tol=1e-3, clock=clock).status is Status.MAX_ITER
        assert clock.passes <= most
    wrong = rng.random(1300) < 0.1
    for rows, labels in ((X, np.where(wrong, -y, y)), (X / np.arange(1, 521), y)):
        solution = soft(rows, labels, C, tol=1e-3)
        assert solution.solver == "newton" and solution.status is Status.GAP_REACHED


def test_newton_goes_on_where_a_corral_gives_up_too(monkeypatch):
    no_pivoting(monkeypatch)
    allow_members(monkeypatch, 10)
    examples = far_from_a_plane(7900, 130, 0.01, random_state=0)
    clock = clock_of()
    solution = soft(examples.X, examples.y, 1e6, clock=clock, settings=PIVOTING_FIRST)
    assert solution.solver == "newton+pivoting+wolfe+newton"
    assert solution.status is Status.GAP_REACHED
    for most in range(2, ceil(clock.passes) // 2, 3):
        limited = clock_of(most)
        stopped = soft(examples.X, examples.y, 1e6, clock=limited, settings=PIVOTING_FIRST)
        assert stopped.status is Status.MAX_ITER
        assert limited.passes <= most


@pytest.mark.parametrize("C", [None, 1.0])
def test_coordinate_descent_goes_on_where_a_corral_gives_up(monkeypatch, C):
    allow_members(monkeypatch, 10)
    X, y = np.random.default_rng(0).normal(size=(260, 400)), np.where(np.arange(260) % 3, 1, -1)
    clock, reference = clock_of(), clock_of()
    solve = hard if C is None else lambda X, y, clock: soft(X, y, C, clock=clock)
    X = X if C is None else sparse.csr_array(X)
    solution = solve(X, y, clock=clock)
    assert solution.solver == "wolfe+coordinate"
    assert solution.status is Status.GAP_REACHED
    assert clock.history[0].iteration < clock.history[-1].iteration == ceil(clock.passes)
    monkeypatch.undo()
    other = solve(X, y, clock=reference)
    assert solution.upper == pytest.approx(other.upper, rel=1e-5)
    allow_members(monkeypatch, 10)
    for most in range(1, ceil(clock.passes)):
        limited = clock_of(most)
        stopped = solve(X, y, clock=limited)
        reached = stopped.gap <= 1e-6
        assert stopped.status is (Status.GAP_REACHED if reached else Status.MAX_ITER)
        # The soft margin has no hyperplane before the second pass.
        assert limited.passes <= max(most, 2)
        assert stopped.w.any()


def test_more_weights_than_a_corral_holds(monkeypatch):
    X, y = planted(0, 500, 6)
    best = hard(X, y)
    weights = np.random.default_rng(0).uniform(0.1, 1.0, len(y))
    kept = wolfe.heaviest(np.arange(500), weights, Sample.of(storage_of(X), y), 20)
    assert len(kept) == 20 and (np.bincount(y[kept] + 1, minlength=3)[[0, 2]] == 10).all()
    for sign in (1, -1):
        side = np.flatnonzero(y == sign)
        top = side[np.argsort(-weights[side])[:10]]
        assert set(top) == set(kept[y[kept] == sign])
    allow_members(monkeypatch, 20)
    begun = hard(X, y, start=weights)
    assert begun.solver == "wolfe"
    assert begun.lower == pytest.approx(best.lower, rel=1e-6)


def test_a_cancelled_clock_stops_every_solver_with_a_model():
    text = text_like(4000, 5000, 30, noise=0.05, random_state=0)
    for X, y, C in (
        (*planted(0, 3000, 20), None),
        (*noisy(0, 3000, 20), None),
        (*noisy(0, 3000, 20), 1.0),
        (*noisy(0, 300, 500), 1.0),
        (sparse.csr_array(text.X), text.y, None),
        (sparse.csr_array(text.X), text.y, 1.0),
    ):
        clock = clock_of(cancelled=lambda: True)
        solution = hard(X, y, clock=clock) if C is None else soft(X, y, C, clock=clock)
        assert solution.status is Status.INTERRUPTED
        assert np.isfinite(solution.w).all() and np.isfinite(solution.weights).all()
        assert clock.passes <= 3


def test_equal_rows_are_a_solution_of_their_own():
    sample = problem_of(np.eye(3), np.array([1, -1, 1])).sample
    twins = Solution.refuted(sample, np.array([0, 1]), "equal-rows")
    assert twins.status is Status.NOT_SEPARABLE
    assert twins.weights.tolist() == [1.0, 1.0, 0.0]
    after = soft(*noisy(0, 200, 7), 1.0).following(twins)
    assert after.solver == "equal-rows+newton"


def test_sweeps_of_sparse_data_go_on_while_they_get_faster():
    X, y = bags(5000, 5000, 25, 9, noise=0.15)
    found = soft(X, y, 100.0, tol=1e-3)
    assert found.status is Status.GAP_REACHED
    assert found.solver == "coordinate"


def test_sweeps_of_sparse_data_that_get_no_faster_are_left_to_newton():
    X, y = bags(4000, 2000, 30, 1003, noise=0.1)
    clock = clock_of()
    found = soft(X, y, 10.0, tol=1e-3, clock=clock)
    assert found.status is Status.GAP_REACHED
    assert found.solver == "coordinate+newton" and clock.passes < 250


def test_slow_sweeps_with_few_support_vectors_are_left_to_pivoting():
    rng = np.random.default_rng(0)
    counts = rng.poisson(20.0 / np.arange(1, 901), size=(800, 900))
    y = np.where(counts @ rng.normal(size=900) > 0.0, 1, -1)
    X = sparse.csr_array(counts.astype(np.float64))
    found = soft(X, y, 100.0, tol=1e-3)
    assert found.status is Status.GAP_REACHED
    assert found.solver == "coordinate+pivoting"
    swept = soft(X, y, 100.0, tol=1e-3, settings=ChooseSettings(pivoted_work=0.0))
    assert swept.solver == "coordinate"
    assert swept.upper == pytest.approx(found.upper, rel=2e-3)


def test_hard_margins_of_indicators_are_not_left_to_sweeps():
    rng = np.random.default_rng(207)
    blocks = []
    for levels in (3, 7, 20, 70, 200):
        share = 1.0 / np.arange(1, levels + 1)
        which = rng.choice(levels, size=8000, p=share / share.sum())
        blocks.append(sparse.csr_array(np.eye(levels)[which]))
    X = sparse.hstack(blocks, format="csr")
    y = np.where(X @ np.round(rng.standard_normal(X.shape[1]), 1) > 0.05, 1, -1)
    found = MaxMargin().fit(X, y)
    # By sweeps alone it ended at max_iter, with a gap of 26 %.
    assert found.status_ is Status.GAP_REACHED and bool(found.certificate_)
    assert "interior" in found.solver_


def test_pivoting_goes_on_where_sweeps_come_to_nothing():
    rng = np.random.default_rng(0)
    frequencies = 20.0 / np.arange(1, 901)
    counts = rng.poisson(frequencies, size=(800, 900))
    y = np.where(counts @ rng.normal(size=900) > 0.0, 1, -1)
    X = sparse.csr_array(counts.astype(np.float64))
    brief = {
        "most_coordinate_passes": 5,
        "stiff_passes": 5,
        "falling": 0.0,
        "pivoted_work": 0.0,
        "least_work": 0.0,
    }
    reference = soft(X, y, 100.0, tol=1e-4)
    assert reference.status is Status.GAP_REACHED
    # Newton's method would use up the limit.
    clock = clock_of(40)
    solution = soft(X, y, 100.0, tol=1e-4, clock=clock, settings=ChooseSettings(**brief))
    assert solution.status is Status.GAP_REACHED
    assert solution.solver == "coordinate+pivoting"
    assert solution.upper == pytest.approx(reference.upper, rel=2e-4)
    # Not where too many examples carry weight for a factor.
    none = {"most_pivoted": 0, "most_members": 0}
    solution = soft(X, y, 100.0, tol=1e-4, settings=ChooseSettings(**brief, **none))
    assert "pivoting" not in solution.solver


def test_pivoting_goes_on_from_the_weights_of_a_long_detour():
    X, y = bags(1500, 600, 60, 39, values="counts", noise=0.1)
    solutions, clocks = [], [clock_of(), clock_of()]
    for cubes, clock in zip((0.0, np.inf), clocks, strict=True):
        settings = ChooseSettings(pivoted_cubes=cubes, pivoting_overhead=0.0)
        solutions.append(soft(X, y, 100.0, tol=1e-3, clock=clock, settings=settings))
        assert solutions[-1].status is Status.GAP_REACHED
    assert [each.solver for each in solutions] == [
        "coordinate+newton+pivoting",
        "coordinate+newton",
    ]
    assert solutions[0].upper == pytest.approx(solutions[1].upper, rel=1e-3)
    assert clocks[0].passes < 0.9 * clocks[1].passes


def names(n=40_000, kinds=20_000):
    """Groups of letters in names, of which some are frequent and most have both labels."""
    rng = np.random.default_rng(0)
    parts = [a + b + c for a in "bcdfglmnprst" for b in "aeiou" for c in ("", "n", "r", "l", "s")]
    parts = list(rng.permutation(parts))
    shares = 1.0 / np.arange(1, len(parts) + 1) ** 0.7
    shares /= shares.sum()
    lengths = rng.integers(1, 4, size=kinds)
    made = ["".join(rng.choice(parts, size=length, p=shares)) for length in lengths]
    shares = 1.0 / np.arange(1, kinds + 1) ** 0.8
    drawn = rng.choice(kinds, size=n, p=shares / shares.sum())
    y = np.where(rng.uniform(size=n) < rng.uniform(size=kinds)[drawn], 1, -1)
    counted = CountVectorizer(analyzer="char_wb", ngram_range=(1, 4))
    return counted.fit_transform([made[i] for i in drawn]), y


def test_faces_are_left_the_more_precisely_the_later_they_come():
    X, y = names(1500, 3000)
    passes = []
    for settings in (CoordinateSettings(more_effort=1.0), CoordinateSettings()):
        clock = clock_of(2000)
        problem = problem_of(sparse.csr_array(X.astype(float)), y, 100.0)
        found = coordinate_descent(problem, tol=1e-3, clock=clock, settings=settings)
        assert found.status is Status.GAP_REACHED
        passes.append(clock.passes)
    assert passes[1] < 0.9 * passes[0]


def test_sweeps_go_on_with_many_support_vectors_that_have_a_face():
    X, y = bags(2000, 3000, 60, 3, values="counts", noise=0.1)
    settings = ChooseSettings(most_pivoted=0, many_passes=0, pivoted_work=0.0)
    found = soft(X, y, 100.0, tol=1e-3, settings=settings)
    assert found.status is Status.GAP_REACHED and found.solver == "coordinate"


def test_newton_goes_on_where_features_are_few():
    X, y = one_hot(3000, 8, 15, 3, wide=True)
    found = soft(X, y, 100.0, tol=1e-3)
    assert found.status is Status.GAP_REACHED and found.solver == "newton"
    left = soft(X, y, 100.0, tol=1e-3, settings=ChooseSettings(most_quick=0))
    assert left.solver.startswith("newton+coordinate")


def test_the_last_passes_on_columns_of_other_units_are_exact():
    """Neither sweeps nor conjugate gradients closed the gap within 5,000 passes."""
    rng = np.random.default_rng(34)
    X, y = bags(600, 300, 19, 34, values="counts", noise=0.1)
    X = sparse.csr_array(X @ sparse.diags(10.0 ** rng.integers(-1, 4, 300)))
    model = MaxMargin(C=100.0).fit(X, y)
    assert model.status_ is Status.GAP_REACHED and model.certificate_.gap <= 1e-3


def test_many_stiff_support_vectors_of_noisy_texts_are_left_to_newton_s_method():
    """Neither sweeps nor detours closed the gap within 1,000 passes, and pivoting is too slow."""
    X, y = names()
    model = MaxMargin(C=100.0).fit(X, y)
    assert model.status_ is Status.GAP_REACHED and model.certificate_.gap <= 1e-3
    assert model.solver_ == "coordinate+newton" and model.n_iter_ < 900
    assert len(model.support_) > 30_000


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_newton_goes_on_where_far_more_examples_carry_weight_than_a_corral_holds(seed):
    """One-hot columns, few positives: Newton's first steps leave few hinges open, then many."""
    rng = np.random.default_rng(seed)
    codes = [rng.choice(7, 880, p=rng.dirichlet(np.full(7, 0.5))) for _ in range(14)]
    X = sparse.csr_array(np.eye(7)[np.stack(codes, axis=1)].reshape(880, -1))
    scores = X @ (rng.normal(size=98) * (rng.random(98) < 0.2))
    flipped = rng.random(880) < 0.1
    y = np.where((scores > np.quantile(scores, 0.95)) ^ flipped, 1, -1)
    by_corral = soft(X, y, 10.0, settings=ChooseSettings(most_in_corral=10**9))
    by_newton = soft(X, y, 10.0)
    assert (by_corral.solver, by_newton.solver) == ("newton+wolfe", "newton")
    assert by_newton.status is Status.GAP_REACHED
    assert by_newton.upper == pytest.approx(by_corral.upper, rel=1e-6)
    for most in range(1, 12):
        clock = clock_of(most)
        stopped = soft(X, y, 10.0, clock=clock)
        assert clock.passes <= most + 1e-9 or stopped.status is Status.GAP_REACHED
        assert stopped.lower <= by_newton.upper * (1 + 1e-9)
        assert stopped.upper >= by_newton.lower * (1 - 1e-9)
