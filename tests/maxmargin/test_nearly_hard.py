"""Hard margins of sparse data whose sweeps are slow, by pivoting with little slack."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate import Status
from novikoff.maxmargin.choose import hard, nearly_hard
from novikoff.maxmargin.choose.hard import hard_margin
from novikoff.maxmargin.choose.nearly_hard import by_little_slack
from novikoff.maxmargin.choose.settings import CHOOSE
from novikoff.maxmargin.coordinate.search import coordinate_descent
from tests.maxmargin.problems import clock_of, problem_of, text_like

TOL = 1e-3


def separable(n=300, d=900):
    """Texts with 30 % of the labels turned, which more words than texts separate all the same."""
    data = text_like(n, d, 25, noise=0.3, random_state=0)
    return sparse.csr_array(data.X), data.y


@pytest.mark.parametrize("affine", [True, False])
def test_a_rough_separator_leads_to_the_optimum(affine):
    X, y = separable()
    problem, clock = problem_of(X, y, affine=affine), clock_of()
    with clock.at_most(20):
        rough = coordinate_descent(problem, tol=TOL, clock=clock)
    assert rough.lower < (1.0 - TOL) * rough.upper
    found = by_little_slack(problem, rough, TOL, clock, CHOOSE)
    assert found.lower >= (1.0 - 2.0 * TOL) * found.upper
    assert (found.status is Status.GAP_REACHED) == (found.lower >= (1.0 - TOL) * found.upper)
    # The bounds are those of the hyperplane and of the weights, about.
    signed = (X.toarray() - problem.sample.centre) @ found.w + found.offset
    assert (y * signed).min() / np.linalg.norm(found.w) == pytest.approx(found.lower, rel=1e-9)
    vector = (found.weights * y) @ (X.toarray() - affine * problem.sample.centre)
    distance = np.linalg.norm(vector) / (2.0 if affine else 1.0)
    assert found.lower <= distance * (1.0 + 1e-9) <= found.upper * (1.0 + 1e-6)


def test_pivoting_follows_slow_sweeps(monkeypatch):
    X, y = separable()
    monkeypatch.setattr(hard, "most_pivoting_passes", lambda *args: 20.0)
    monkeypatch.setattr(hard, "is_large_and_sparse", lambda *args: True)
    monkeypatch.setattr(hard, "favours_sweeps", lambda *args: True)
    monkeypatch.setattr(hard, "_least_sweeps", lambda *args: np.inf)
    clock = clock_of()
    found = hard_margin(problem_of(X, y), tol=TOL, clock=clock, confirm=None)
    assert found.status is Status.GAP_REACHED and found.lower >= (1.0 - TOL) * found.upper
    assert "pivoting" in found.solver


def test_sweeps_go_on_where_pivoting_gives_up(monkeypatch):
    X, y = separable()
    problem, clock = problem_of(X, y), clock_of()
    with clock.at_most(20):
        rough = coordinate_descent(problem, tol=TOL, clock=clock)

    def give_up(problem, *, before, **how):
        return replace(before, status=Status.PRECISION, gave_up=True)

    monkeypatch.setattr(nearly_hard, "block_pivoting", give_up)
    found = by_little_slack(problem, rough, TOL, clock, CHOOSE)
    assert found.status is rough.status is Status.MAX_ITER and not found.gave_up
    assert (found.lower, found.upper) == pytest.approx((rough.lower, rough.upper), rel=1e-12)


def test_what_nothing_separates_stays_as_it_is():
    X, y = separable()
    problem = problem_of(X, y)
    with (clock := clock_of()).at_most(20):
        rough = coordinate_descent(problem, tol=TOL, clock=clock)
    for weights in (np.zeros_like(rough.weights), np.where(y > 0, rough.weights, 0.0)):
        before = replace(rough, weights=weights)
        assert by_little_slack(problem, before, TOL, clock, CHOOSE) is before
