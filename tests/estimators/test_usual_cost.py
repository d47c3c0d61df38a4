"""The C of a soft margin where nothing separates the examples."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from novikoff import MaxMargin
from novikoff.estimators.usual_cost import usual_cost, weighted_median
from novikoff.sample import Sample, storage_of


def cost(X, weights=None, *, affine=True, order=None):
    X = X if not isinstance(X, np.ndarray) else np.ascontiguousarray(X)
    signs = np.where(np.arange(X.shape[0]) % 2, 1, -1)
    sample = Sample.of(storage_of(X), signs, affine=affine, order=order)
    return usual_cost(sample, None if weights is None else np.asarray(weights, dtype=float))


def table(n=300, d=7, seed=0):
    """Columns that are permutations of one another, and a constant one."""
    rng = np.random.default_rng(seed)
    X = rng.permuted(np.tile(rng.standard_normal(n), (d, 1)), axis=1).T
    X[:, -1] = 0.1
    return X


def test_columns_of_one_shape_count_as_their_median_variance():
    X = table() * np.array([1.0, 2.0, 3.0, 10.0, 1e6, 0.01, 1.0])
    median = np.exp(np.median(np.log(X[:, :6].var(axis=0))))
    assert cost(X) == pytest.approx(300 / 6 / (6 * median), rel=1e-12)
    # More columns than examples: no factor.
    wide = np.random.default_rng(1).permuted(np.tile(X[:5, :1].T, (9, 1)), axis=1).T
    assert cost(wide) == pytest.approx(1 / (9 * wide[:, 0].var()), rel=1e-12)


def test_classes_in_one_model_share_the_examples():
    X = table()
    sample = Sample.of(storage_of(X), np.ones(len(X), dtype=np.int8), affine=True)
    assert usual_cost(sample, None, 5) == pytest.approx(usual_cost(sample, None) / 4, rel=1e-12)
    y = np.arange(len(X)) % 5
    assert MaxMargin().fit(X, y).C_ == pytest.approx(usual_cost(sample, None, 5), rel=1e-9)


def test_one_column_of_large_numbers_changes_little():
    X = table()
    X[:, 0] *= 1e9
    assert cost(X) == pytest.approx(cost(table()), rel=1e-9)


def test_a_rare_column_counts_by_how_often_it_deviates():
    rng = np.random.default_rng(0)
    shares = np.array([0.3, *[0.002] * 400])
    words = (rng.random((2000, 401)) < shares).astype(float)
    words = words[:, words.any(axis=0)]
    variances = words.var(axis=0)
    factor = len(words) / words.shape[1]
    usual = cost(words) / factor
    assert usual == pytest.approx(1 / variances.sum(), rel=0.2)
    plain = 1 / (words.shape[1] * np.median(variances))
    assert usual < 0.9 * plain


@pytest.mark.parametrize("affine", [True, False])
def test_invariance(affine):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 5)) * [1, 10, 100, 1e-3, 1] * (rng.random((60, 5)) < 0.6)
    X[:, 4] = 0.3
    usual = cost(X, affine=affine)
    assert cost(csr_matrix(X), affine=affine) == pytest.approx(usual, rel=1e-13)
    assert cost(1024.0 * X, affine=affine) == usual / 1024.0**2
    assert cost(X[:, ::-1], affine=affine) == pytest.approx(usual, rel=1e-13)
    assert cost(X[rng.permutation(60)], affine=affine) == pytest.approx(usual, rel=1e-13)
    assert cost(np.hstack([X, np.zeros((60, 2))]), affine=affine) == pytest.approx(usual)
    weights = rng.integers(0, 4, 60)
    some = np.flatnonzero(weights)
    assert cost(X, weights, affine=affine, order=some) == pytest.approx(
        cost(np.repeat(X, weights, axis=0), affine=affine), rel=1e-13
    )
    if affine:
        assert cost(X + 1000.0) == pytest.approx(usual, rel=1e-9)


def test_constant_columns_do_not_count():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((50, 3))
    with_constant = np.column_stack([X, np.full(50, 0.1), np.zeros(50)])
    for kind in (np.asarray, csr_matrix):
        assert cost(kind(with_constant)) == pytest.approx(cost(X), rel=1e-13)
    assert cost(np.zeros((4, 2))) == 1.0


def test_median():
    values = np.array([9.0, 1.0, 4.0])
    assert weighted_median(values, np.array([1.0, 1.0, 1e-9])) == pytest.approx(4.0, rel=1e-6)
    assert weighted_median(values, np.array([1.0, 8.0, 1e-9])) < 3.0
    assert weighted_median(np.array([2.0]), np.array([0.5])) == pytest.approx(2.0)


def test_a_default_fit_of_columns_in_different_units():
    rng = np.random.default_rng(0)
    informative = rng.standard_normal((400, 3))
    y = informative.sum(axis=1) + 0.3 * rng.standard_normal(400) > 0
    X = np.column_stack([informative, 1e3 * rng.standard_normal(400)])
    clf = MaxMargin().fit(X[:200], y[:200])
    assert not clf.certificate_
    assert clf.score(X[200:], y[200:]) > 0.9
