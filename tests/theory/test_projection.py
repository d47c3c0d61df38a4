"""RobustProjection as a transformer: storages, types, seeds, and what it refuses."""

import numpy as np
import pandas
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import DataDimensionalityWarning, NotFittedError
from sklearn.pipeline import make_pipeline

from novikoff import MaxMargin, RobustProjection
from novikoff.data import planted
from novikoff.theory import projection_dimension


@pytest.fixture
def X():
    return np.random.default_rng(0).standard_normal((20, 60))


def test_the_seed_decides_the_matrix(X):
    one, same, other = (
        RobustProjection(n_components=10, random_state=seed).fit(X).components_
        for seed in (1, np.random.RandomState(1), 2)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("density", [None, 1 / 3, 0.7, 1.0])
def test_entries(density):
    d, k = 300, 200
    projection = RobustProjection(n_components=k, density=density, random_state=0)
    A = projection.fit(np.zeros((1, d))).components_
    assert A.shape == (k, d)
    assert A.mean() == pytest.approx(0.0, abs=4 / np.sqrt(A.size * k))
    assert (A**2).mean() == pytest.approx(1 / k, rel=4 * np.sqrt(2 / A.size))
    if density is not None:
        share = (A != 0.0).mean()
        assert share == pytest.approx(density, abs=4 * 0.5 / np.sqrt(A.size))
        np.testing.assert_allclose(np.unique(np.abs(A[A != 0.0])), 1 / np.sqrt(density * k))


@pytest.mark.parametrize("density", [None, 0.5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_dense_and_sparse_rows(X, density, dtype):
    X = np.where(np.abs(X) > 1, X, 0).astype(dtype)
    projection = RobustProjection(n_components=9, density=density, random_state=0).fit(X)
    dense = projection.transform(X)
    assert type(dense) is np.ndarray and dense.dtype == dtype
    assert projection.components_.dtype == dtype
    np.testing.assert_allclose(dense, X @ projection.components_.T, rtol=1e-5, atol=1e-6)
    for kind in (sparse.csr_matrix, sparse.csc_array):
        again = clone(projection).fit(kind(X))
        np.testing.assert_array_equal(again.components_, projection.components_)
        found = again.transform(kind(X))
        assert type(found) is np.ndarray and found.dtype == dtype
        np.testing.assert_allclose(found, dense, rtol=1e-5, atol=1e-6)
        certificates = [again.gram_certificate(rows) for rows in (X, kind(X))]
        assert certificates[0].tau == pytest.approx(certificates[1].tau, rel=1e-5)


def test_a_type_other_than_at_fit(X):
    projection = RobustProjection(n_components=9, random_state=0).fit(X)
    assert projection.transform(X.astype(np.float32)).dtype == np.float32
    assert projection.transform(X.astype(np.int64)).dtype == np.float64


def test_the_certificate_is_of_what_transform_returns(X):
    for dtype in (np.float64, np.float32):
        rows = X.astype(dtype)
        projection = RobustProjection(n_components=30, random_state=0).fit(rows)
        Y = projection.transform(rows).astype(np.float64)
        rows = rows.astype(np.float64)
        certificate = projection.gram_certificate(rows.astype(dtype))
        change = np.abs(rows @ rows.T - Y @ Y.T).max() / (rows**2).sum(axis=1).max()
        assert certificate.tau == pytest.approx(change, rel=1e-9)
        assert (certificate.n_examples, certificate.n_features) == X.shape
        assert certificate.n_components == 30


def test_a_labeling_that_is_certified_keeps_its_margin():
    """The certificate, then the fit: the margin that is measured is within what was proved."""
    p = planted(60, 2000, 0.7, random_state=0)
    projection = RobustProjection(n_components=1000, random_state=0).fit(p.X)
    certificate = projection.gram_certificate(p.X)
    assert certificate.epsilon < 0.7
    fitted = MaxMargin(fit_intercept=False).fit(projection.transform(p.X), p.y)
    kept = certificate.least_margin(p.margin / certificate.R) * certificate.R
    assert 0.35 * (1 - 1e-9) <= kept <= fitted.margin_
    assert fitted.margin_upper_bound_ <= certificate.largest_margin(0.7 / certificate.R)


def test_in_a_pipeline_with_names(X):
    table = pandas.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    y = X[:, 0] > 0
    pipeline = make_pipeline(RobustProjection(n_components=5, random_state=0), MaxMargin(C=1.0))
    assert pipeline.fit(table, y).predict(table).shape == (20,)
    names = pipeline[0].get_feature_names_out()
    assert names.tolist() == [f"robustprojection{j}" for j in range(5)]
    framed = clone(pipeline[0]).set_output(transform="pandas").fit_transform(table)
    assert framed.columns.tolist() == names.tolist()


@pytest.mark.parametrize("density", [None, 0.5])
def test_auto_takes_what_the_theorem_needs(density):
    X = np.random.default_rng(0).standard_normal((3, 2000))
    projection = RobustProjection(epsilon=1.0, density=density, delta=0.2).fit(X)
    assert projection.n_components_ == projection_dimension(3, 1.0, 0.2, density=density) < 2000
    assert projection.transform(X).shape == (3, projection.n_components_)


def test_auto_refuses_in_one_line(X):
    with pytest.raises(ValueError) as refused:
        RobustProjection(epsilon=0.3).fit(X)
    message = str(refused.value)
    assert "\n" not in message
    needed = projection_dimension(20, 0.3)
    for part in ("20 examples", f"{needed:,} components", "60 features", "gram_certificate(X)"):
        assert part in message


def test_as_many_components_as_features(X):
    with pytest.warns(DataDimensionalityWarning, match="does not reduce the dimension"):
        RobustProjection(n_components=60).fit(X)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (dict(n_components=0), "n_components=0 must be a positive integer"),
        (dict(n_components=2.0), "n_components=2.0 must be a positive integer"),
        (dict(n_components=True), "n_components=True must be a positive integer"),
        (dict(n_components="many"), "n_components='many' must be a positive integer"),
        (dict(epsilon=0.0), "eps=0.0 must be positive"),
        (dict(epsilon=1.5), "eps=1.5 must be positive, and at most 1"),
        (dict(delta=0.0), "delta=0.0 must be between 0 and 1"),
        (dict(n_components=5, density=0.2), "density=0.2 must be between 1/3 and 1"),
        (dict(n_components=5, density=1.2), "density=1.2 must be between 1/3 and 1"),
    ],
)
def test_bad_parameters(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        RobustProjection(**parameters).fit(X)


def test_not_fitted(X):
    for method in (RobustProjection().transform, RobustProjection().gram_certificate):
        with pytest.raises(NotFittedError):
            method(X)
