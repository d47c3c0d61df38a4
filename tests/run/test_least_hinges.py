"""Squared hinges without a penalty have their least value where the slacks combine to zero."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate import Certifier, Relation, Slacks
from novikoff.certificate.exact.columns import Replaced
from novikoff.run import hinge_hessian
from novikoff.run import least_hinges as module
from novikoff.run.hinge_hessian import Products
from novikoff.run.least_hinges import Plane, _is_slow, _worth, least_hinges
from tests.certificate.exact.test_vanishing import near_optimum, noisy


def minimised(X, y, remainders=(), columns=None, start=None, **weights):
    certifier = Certifier.of(X, y, positive=1, affine=True, **weights)
    start = np.zeros(X.shape[1]) if start is None else start
    slacks = Slacks(coef=start, intercept=0.0, remainders=tuple(remainders))
    replaced = Replaced.of(certifier.examples.X, slacks.remainders)
    columns = np.arange(X.shape[1] + 1) if columns is None else columns
    found = least_hinges(certifier, slacks, replaced, columns)
    return found, Plane.of(certifier, found, replaced)


@pytest.mark.parametrize("store", [np.asarray, np.float32, sparse.csr_matrix])
def test_the_optimum_from_anywhere(store):
    X, y = noisy(np.random.default_rng(0), 500, 8)
    X = store(X)
    exact = X.toarray() if sparse.issparse(X) else X.astype(float)
    w, b = near_optimum(np.random.default_rng(0), exact, y, True, 0.0)
    found, plane = minimised(X, y)
    assert np.append(found.coef, found.intercept) == pytest.approx(np.append(w, b), abs=1e-10)
    assert plane.gradient(np.arange(9)) < 10.0


def test_replaced_columns_and_weights():
    rng = np.random.default_rng(1)
    X, y = noisy(rng, 500, 4)
    weights = rng.choice([0.0, 1.0, 2.0], 500)
    X[:, 3] = X[:, 0] + X[:, 1]
    remainder = Relation(np.array([3, 0, 1]), np.array([1.0, -1.0, -1.0]) * 2.0**53)
    for stored in (X, sparse.csr_array(X)):
        found, plane = minimised(stored, y, [remainder], sample_weight=weights)
        assert plane.gradient(np.arange(5)) < 10.0
    new = np.c_[X[:, :3], Replaced.of(X, [remainder]).values]
    repeated = np.repeat(np.arange(500), weights.astype(int))
    w, b = near_optimum(rng, new[repeated], y[repeated], True, 0.0)
    assert np.append(found.coef, found.intercept) == pytest.approx(np.append(w, b), abs=1e-9)


def test_only_some_columns_change():
    X, y = noisy(np.random.default_rng(2), 300, 4)
    start = np.array([0.0, 0.3, 0.0, 0.0])
    found, plane = minimised(X, y, columns=np.array([0, 2, 3]), start=start)
    assert found.coef[1] == 0.3 and found.intercept == 0.0 and (found.coef != start).any()
    assert plane.gradient(np.array([0, 2, 3])) < 10.0


def test_separable_examples_end_too():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3))
    y = np.where(X @ np.ones(3) > 0, 1, -1)
    found, plane = minimised(X, y)
    assert np.isfinite(found.coef).all() and plane.value < 200.0


def test_a_hessian_is_computed_again_where_steps_cost_more():
    # Twenty steps of a rate of 1/e are to come.
    rate, gradient = np.exp(-1.0), np.exp(20.0)
    few, many = _worth(np.empty((9, 30)), 30), _worth(np.empty((9, 3000)), 3000)
    assert _is_slow(gradient, rate, few) and not _is_slow(gradient, rate, many)
    assert _is_slow(gradient, 0.9, many) and _is_slow(gradient, 1.0, 1e6)
    assert not _is_slow(np.exp(1.5), rate, few) and not _is_slow(gradient, 0.0, few)
    # Steps over few values cost little beside a factor.
    assert _worth(sparse.eye_array(3000).tocsr(), 3000) > 10 * many


@pytest.mark.parametrize("cheap", [True, False])
def test_one_factor_serves_many_steps(monkeypatch, cheap):
    X, y = noisy(np.random.default_rng(4), 2000, 10)
    counted = []
    of = module.Hessian.of

    def count(*arguments):
        counted.append(1)
        return of(*arguments)

    monkeypatch.setattr(module.Hessian, "of", count)
    if not cheap:
        monkeypatch.setattr(module, "STEPS_OF_HESSIAN", 100.0)
    w, _ = near_optimum(np.random.default_rng(0), X, y, True, 0.0)
    _, plane = minimised(X, y, start=1.01 * w)
    assert len(counted) >= 2 if cheap else len(counted) == 1
    assert plane.gradient(np.arange(11)) < 10.0


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("weighted", [False, True])
def test_products_follow_the_examples_that_come_and_go(monkeypatch, store, weighted):
    rng = np.random.default_rng(7)
    X, y = noisy(rng, 400, 6)
    X *= rng.random(X.shape) < 0.5
    # One column is lost at the second step but for a value far smaller than the others.
    X[:, 5] = 0.0
    X[:2, 5] = 1.0, 1e-8
    costs = rng.random(400) if weighted else None
    certifier = Certifier.of(store(X), y, positive=1, affine=True)
    found = Slacks(coef=np.zeros(6), intercept=0.0).violations(certifier.examples, affine=True)
    computed, gram = [], hinge_hessian._gram

    def counted(violations, *others):
        computed.append(violations.rows.size)
        return gram(violations, *others)

    monkeypatch.setattr(hinge_hessian, "_gram", counted)
    products, columns = Products(), np.arange(7)
    steps = (
        (np.arange(400), columns),
        (np.arange(1, 390), columns),
        (np.arange(1, 400), columns[1:]),
    )
    for rows, some in steps:
        of = products.of(module.replace(found, rows=rows), some, costs)
        exact = gram(module.replace(found, rows=rows), some, costs)
        np.testing.assert_allclose(np.tril(of), np.tril(exact), rtol=1e-12, atol=1e-20)
        # A copy: a factor takes its place.
        of[:] = np.nan
    # All of them, then those that go and all again, for the column that is lost; then what comes.
    assert computed == [400, 11, 389, 10]


def test_columns_that_no_example_with_weight_has():
    """They have no curvature, and stay as they are; examples on the margin hold theirs."""
    X, y = noisy(np.random.default_rng(5), 600, 6)
    alone = np.zeros((600, 3))
    alone[[3, 4, 5], [0, 1, 2]] = y[[3, 4, 5]]
    X = np.hstack([X, alone])
    start = np.r_[np.zeros(6), 1e3, 0.0, 0.0]
    for store in (np.asarray, sparse.csr_array):
        found, plane = minimised(store(X), y, start=start)
        assert found.coef[6] == 1e3
        assert np.abs(plane.violations.total).max() < 1e-10


def test_columns_that_depend_on_others():
    X, y = noisy(np.random.default_rng(6), 600, 6)
    X = np.rint(4.0 * X)
    X = np.hstack([X, X[:, :3] + X[:, 3:], X[:, :2]])
    for store in (np.asarray, sparse.csr_array):
        _, plane = minimised(store(X), y)
        assert plane.gradient(np.arange(12)) < 1e4 and plane.value > 10.0
