"""Block principal pivoting: limits, starts, precision, members that are added, softer problems."""

import time
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array, vstack

from novikoff.certificate import Status
from novikoff.maxmargin import soft_margin
from novikoff.maxmargin.newton.search import newton
from novikoff.maxmargin.passes import Passes
from novikoff.maxmargin.pivoting import gram as gram_module
from novikoff.maxmargin.pivoting.factor import Factor
from novikoff.maxmargin.pivoting.gram import Gram
from novikoff.maxmargin.pivoting.search import block_pivoting
from novikoff.maxmargin.pivoting.settings import PivotingSettings
from tests.maxmargin.problems import clock_of, noisy, planted, problem_of, text_like


def before_and(problem, **options):
    """What Newton's method leaves after three passes."""
    before = newton(problem, tol=1e-12, clock=clock_of(3), **options)
    assert before.status is Status.MAX_ITER
    return before


@pytest.mark.parametrize("precise", [False, True])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.uint8])
def test_the_gram_matrix_grows_block_by_block(kind, precise):
    X = np.random.default_rng(0).integers(0, 50, (200, 9)).astype(kind)
    y = np.where(np.arange(200) % 2, 1, -1)
    problem = problem_of(X, y, 1.0)
    gram = Gram(Passes(problem.sample, clock_of()), precise=precise, block_values=1)
    members = np.random.default_rng(1).permutation(200)
    for part in (members[:70], members[70:75], members[75:]):
        gram.extend(part)
    centred = X[members] - problem.sample.centre
    np.testing.assert_array_equal(gram.members, members)
    np.testing.assert_allclose(gram.matrix, centred @ centred.T, rtol=1e-6)
    weights = np.where(np.arange(200) % 7, 0.0, 1.0)
    for some in (weights, 1.0 - weights):
        np.testing.assert_allclose(gram.products(some), gram.matrix @ some, rtol=1e-5)


@pytest.mark.parametrize("indices", [np.int32, np.int64])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.uint8, np.int16])
def test_the_gram_matrix_of_sparse_rows_is_that_of_dense_ones(kind, affine, indices):
    rng = np.random.default_rng(0)
    dense = (rng.integers(1, 50, (200, 30)) * (rng.random((200, 30)) < 0.2)).astype(kind)
    dense[7] = 0
    X, y = csr_array(dense), np.where(np.arange(200) % 2, 1, -1)
    X.indices, X.indptr = X.indices.astype(indices), X.indptr.astype(indices)
    problem = problem_of(X, y, 1.0, affine=affine)
    gram = Gram(Passes(problem.sample, clock_of()), precise=True, block_values=1)
    members = rng.permutation(200)
    for part in (members[:70], members[70:75], members[75:]):
        gram.extend(part)
    centred = dense[members] - problem.sample.centre
    np.testing.assert_allclose(gram.matrix, centred @ centred.T, rtol=1e-12)


@pytest.mark.parametrize("affine", [True, False])
def test_near_twins_of_both_classes(affine):
    """Weights of near twins cancel in w, and sweeps alone let them grow by a little each."""
    text = text_like(700, 1500, 30, random_state=3)
    X, y = vstack([text.X, text.X[:80]]).tocsr() * 30.0, np.concatenate([text.y, -text.y[:80]])
    problem = problem_of(X, y, 100.0, affine=affine)
    clock = clock_of()
    found = soft_margin(problem, tol=1e-3, clock=clock)
    assert found.status is Status.GAP_REACHED and clock.passes < 300
    best = soft_margin(problem_of(X.toarray(), y, 100.0, affine=affine), tol=1e-9, clock=clock_of())
    assert found.gap <= 1e-3
    assert found.lower <= best.upper and best.lower <= found.upper


def test_a_factor_serves_for_places_that_differ_little():
    rng = np.random.default_rng(0)
    B = rng.normal(size=(60, 20))
    matrix, diagonal = B @ B.T, rng.uniform(0.5, 1.0, 60)
    at_first, right = np.arange(0, 50), rng.normal(size=(60, 2))
    factor = Factor(matrix, at_first, diagonal[at_first], np.empty((50, 50)))
    # Some leave and join, then come back, then all are as at first.
    for left_out, added in (([3, 40], [55]), ([3, 7, 20], [52, 55, 59]), ([], [51]), ([], [])):
        places = np.sort(np.concatenate([np.setdiff1d(at_first, left_out), added])).astype(np.int64)
        changes = factor.changes(places, diagonal[places])
        assert changes is not None
        found = factor.solve(matrix, places, diagonal[places], right[places], changes)
        whole = matrix[np.ix_(places, places)] + np.diag(diagonal[places])
        np.testing.assert_allclose(whole @ found, right[places], atol=1e-9)
    assert factor.changes(at_first, 2.0 * diagonal[at_first]) is None


def test_a_gram_matrix_keeps_its_factor_where_few_places_change(monkeypatch):
    made = []
    monkeypatch.setattr(gram_module, "LEAST_KEPT", 100)
    monkeypatch.setattr(gram_module, "Factor", lambda *all: made.append(Factor(*all)) or made[-1])
    X, y = planted(0, 200, 30)
    gram = Gram(Passes(problem_of(X, y, 1.0).sample, clock_of()), precise=True, block_values=100)
    gram.extend(np.arange(180))
    few, more = np.arange(5, 180), np.arange(200)
    for places, factors in ((np.arange(180), 1), (few, 1), (more, 1), (np.arange(90), 2)):
        if len(places) > len(gram.members):
            gram.extend(np.arange(180, 200))
        found = gram.solve(places, np.ones(len(places)), np.ones((len(places), 1)))
        whole = gram.matrix[np.ix_(places, places)] + np.eye(len(places))
        np.testing.assert_allclose(whole @ found, np.ones((len(places), 1)), atol=1e-9)
        assert len(made) == factors


def test_single_precision_is_corrected_for_sparse_examples():
    """Where rounding of the matrix alone would leave hardly a digit of the weights."""
    rng = np.random.default_rng(0)
    X = csr_array(rng.integers(1, 100, (300, 400)) * (rng.random((300, 400)) < 0.3))
    problem = problem_of(X, np.where(np.arange(300) % 2, 1, -1), 1.0)
    gram = Gram(Passes(problem.sample, clock_of()), precise=False, block_values=100)
    gram.extend(np.arange(300))
    right = np.column_stack([problem.sample.signs, np.ones(300)])
    found = gram.solve(np.arange(300), np.full(300, 0.1), right)
    centred = X.toarray() - problem.sample.centre
    left = right - centred @ (centred.T @ found) - 0.1 * found
    assert np.abs(left).max() <= 1e-6


def test_nothing_solves_an_indefinite_matrix():
    X, y = planted(0, 40, 3)
    gram = Gram(Passes(problem_of(X, y, 1.0).sample, clock_of()), precise=True, block_values=100)
    gram.extend(np.arange(40))
    places = np.arange(40)
    assert gram.solve(places, np.full(40, -1.0), np.ones((40, 1))) is None
    found = gram.solve(places, np.full(40, 1.0), np.ones((40, 1)))
    np.testing.assert_allclose((gram.matrix + np.eye(40)) @ found, np.ones((40, 1)))


@pytest.mark.parametrize("affine", [True, False])
def test_members_are_added_until_no_other_example_is_misjudged(affine):
    X, y = planted(1, 3000, 20)
    problem = problem_of(X, y, 10.0, affine=affine)
    before = before_and(problem)
    few = PivotingSettings(members_per_feature=0.5, least_members=10)
    clock = clock_of()
    found = block_pivoting(problem, tol=1e-9, clock=clock, before=before, settings=few)
    whole = block_pivoting(problem, tol=1e-9, clock=clock_of())
    assert found.status is whole.status is Status.GAP_REACHED
    assert found.upper == pytest.approx(whole.upper, rel=1e-8)
    assert len(clock.history) > 3


@pytest.mark.parametrize("C", [1e3, 1e4, 1e6])
@pytest.mark.parametrize("tol", [1e-3, 1e-9])
def test_softer_problems_lead_to_stiff_ones(C, tol):
    X, y = planted(2, 2000, 60, margin=0.01)
    problem = problem_of(X, y, C)
    before = newton(problem, tol=tol, clock=clock_of(), patient=False)
    assert before.gave_up
    found = block_pivoting(problem, tol=tol, clock=clock_of(), before=before)
    assert found.status is Status.GAP_REACHED
    patient = newton(problem, tol=1e-9, clock=clock_of(5000), exact=True)
    assert patient.lower * (1 - 1e-8) <= found.upper <= patient.upper * (1 + 1.1 * tol)


def test_double_precision_goes_on_where_single_does_not_reach_the_gap():
    X, y = noisy(3, 200, 150)
    problem = problem_of(X, y, 100.0)
    single = PivotingSettings(single=0.0, single_slack=0.0)
    found = block_pivoting(problem, tol=1e-12, clock=clock_of(), settings=single)
    assert found.status is Status.GAP_REACHED
    assert found.gap <= 1e-12


@pytest.mark.parametrize("power", [-100, 100])
def test_every_scale(power):
    X, y = noisy(4, 120, 100)
    factor = 2.0**power
    one = block_pivoting(problem_of(X, y, 1.0), tol=1e-3, clock=clock_of())
    other = block_pivoting(problem_of(factor * X, y, factor**-2), tol=1e-3, clock=clock_of())
    assert other.status is Status.GAP_REACHED
    assert other.upper * factor**2 == pytest.approx(one.upper, rel=1e-3)


@pytest.mark.parametrize("most", range(5))
def test_a_limit_loses_nothing(most):
    X, y = planted(5, 3000, 20)
    problem = problem_of(X, y, 10.0)
    before = before_and(problem)
    clock = clock_of(most)
    few = PivotingSettings(members_per_feature=0.5, least_members=10)
    found = block_pivoting(problem, tol=1e-12, clock=clock, before=before, settings=few)
    assert found.status is Status.MAX_ITER
    assert clock.passes <= most
    assert found.upper <= before.upper and found.lower >= before.lower


@pytest.mark.parametrize("affine", [True, False])
def test_without_time_there_is_still_a_model(affine):
    X, y = noisy(6, 300, 200)
    problem = problem_of(X, y, 1.0, affine=affine)
    late = clock_of(deadline=time.perf_counter())
    found = block_pivoting(problem, tol=1e-6, clock=late)
    assert found.status is Status.TIME_LIMIT
    assert 0.0 < found.lower < found.upper < np.inf
    best = block_pivoting(problem, tol=1e-6, clock=clock_of())
    assert found.lower <= best.upper and best.lower <= found.upper


def test_a_start_at_the_optimum_takes_one_exchange():
    X, y = noisy(7, 300, 200)
    problem = problem_of(X, y, 1.0)
    first, second = clock_of(), clock_of()
    cold = block_pivoting(problem, tol=1e-9, clock=first)
    warm = block_pivoting(problem, tol=1e-9, clock=second, start=cold.weights)
    assert second.updates == 1 < first.updates
    assert warm.upper == pytest.approx(cold.upper, rel=1e-9)


def test_the_hard_margin_is_refused():
    with pytest.raises(ValueError, match="no slack"):
        block_pivoting(problem_of(*planted(0, 20, 2)), tol=1e-3, clock=clock_of())


@pytest.mark.parametrize("affine", [True, False])
def test_a_start_with_every_example_beyond_the_margin_leads_to_the_optimum(affine):
    X = np.random.default_rng(3).normal(size=(400, 20))
    y = np.where(X[:, 0] > 0.0, 1, -1)
    X[:, 0] += y
    problem = problem_of(X, y, 10.0, affine=affine)
    whole = block_pivoting(problem, tol=1e-9, clock=clock_of())
    margins = y * (X @ whole.w + whole.offset - whole.w @ problem.sample.centre)
    assert margins.min() > 0.0
    # Every margin is at least 2, so that no hinge is open where pivoting starts.
    far = replace(
        whole,
        w=2.0 * whole.w / margins.min(),
        offset=2.0 * whole.offset / margins.min(),
        lower=0.0,
        upper=np.inf,
    )
    found = block_pivoting(problem, tol=1e-9, clock=clock_of(), before=far)
    assert found.status is Status.GAP_REACHED
    assert found.upper == pytest.approx(whole.upper, rel=1e-8)


def test_weights_of_tiny_rows_whose_squares_overflow():
    X, y = noisy(0, 60, 20)
    usual = block_pivoting(problem_of(X, y, 1.0, affine=False), tol=1e-6, clock=clock_of())
    tiny = problem_of(1e-100 * X, y, 1e200, affine=False)
    found = block_pivoting(tiny, tol=1e-6, clock=clock_of())
    assert found.status is Status.GAP_REACHED
    assert 1e-200 * found.upper == pytest.approx(usual.upper)
