"""Where columns depend on others up to rounding, slacks are asked before more digits are."""

import numpy as np
import pytest
from scipy import sparse

from novikoff import MaxMargin, is_separable
from novikoff.certificate import NonSeparation
from novikoff.maxmargin.choose import hard
from novikoff.maxmargin.choose.dependent import columns_depend, has_whole_numbers
from tests.maxmargin.problems import problem_of


def noisy_labels(rng, X):
    score = X @ rng.normal(size=X.shape[1])
    y = np.where(score > np.median(score), 1, -1)
    return np.where(rng.random(len(y)) < 0.1, -y, y)


def parts_of_a_whole(n=600, d=20):
    rng = np.random.default_rng(0)
    X = rng.gamma(1.0, size=(n, d))
    X /= X.sum(axis=1, keepdims=True)
    return X, noisy_labels(rng, X)


def test_columns_that_depend():
    X, y = parts_of_a_whole()
    assert columns_depend(problem_of(X, y))
    assert not columns_depend(problem_of(X, y, affine=False))
    assert not columns_depend(problem_of(X[:, 1:], y))
    units = X * np.logspace(-8, 8, 20)
    assert columns_depend(problem_of(units, y)) and not columns_depend(problem_of(units[:, 1:], y))
    assert columns_depend(problem_of(np.c_[X[:, 1:], X[:, 3] + X[:, 4]], y))
    # Columns of zeros do not count, and few rows tell nothing.
    assert not columns_depend(problem_of(np.c_[X[:, 1:], np.zeros(600)], y))
    assert not columns_depend(problem_of(X[:30], y[:30]))


def test_slacks_prove_it_before_more_digits_are_asked():
    X, y = parts_of_a_whole()
    found = is_separable(X, y)
    assert isinstance(found, NonSeparation) and found.slacks is not None
    found.verify(X, y)
    assert "precise" not in MaxMargin().fit(X, y).solver_


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_a_basis_of_whole_numbers_comes_before_slacks(monkeypatch, store):
    X = np.random.default_rng(0).integers(-9, 9, (600, 50)).astype(float)
    X[:, 49] = X[:, 0] + X[:, 1]
    _, y = parts_of_a_whole()
    tried = []
    first = hard.is_confirmed
    monkeypatch.setattr(hard, "is_confirmed", lambda *how: tried.append(1) or first(*how))
    for table, whole in ((X, True), (X / 10.0, False)):
        assert has_whole_numbers(problem_of(store(table), y)) == whole
        if store is np.asarray:
            tried.clear()
            found = is_separable(table, y)
            assert (found.slacks is None) == whole == bool(tried)
            found.verify(table, y)


@pytest.mark.parametrize("n", [600, 2000])
def test_separable_parts_of_a_whole(n):
    X, _ = parts_of_a_whole(n)
    score = X @ np.arange(20.0)
    y = np.where(score > np.median(score), 1, -1)
    found = is_separable(X, y)
    assert found
    found.verify(X, y)
