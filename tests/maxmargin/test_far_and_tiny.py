"""Data far from the origin, columns of tiny numbers, penalties beyond all others."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning

from novikoff import MaxMargin, is_separable
from novikoff.certificate import Inconclusive, NonSeparation, Separation, Status


# At 1e12 the last digits of the data are worth 1e-4, and so is the gap.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("offset", [1e8, 1e10, 1e12])
def test_far_from_the_origin(offset, store):
    rng = np.random.default_rng(0)
    for _ in range(40):
        n, d = rng.integers(2, 12), rng.integers(1, 5)
        X = store(offset + rng.normal(size=(n, d)))
        y = np.r_[0, 1, rng.integers(0, 2, n - 2)]
        assert not isinstance(MaxMargin().fit(X, y).certificate_, Inconclusive)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_two_points_far_from_the_origin(store):
    X, y = np.array([[100000000.74620278], [100000000.88930222]]), [0, 1]
    clf = MaxMargin().fit(store(X), y)
    assert clf.status_ is Status.GAP_REACHED
    assert clf.margin_ == pytest.approx((X[1, 0] - X[0, 0]) / 2, rel=1e-6)


@pytest.mark.parametrize("C", [1e5, 1e7, 1e12])
def test_a_large_penalty_where_nothing_separates(C):
    X, y = load_breast_cancer(return_X_y=True)
    flipped = np.random.default_rng(0).random(len(y)) < 0.1
    clf = MaxMargin(C=C).fit(X, np.where(flipped, 1 - y, y))
    assert clf.status_ is Status.GAP_REACHED and clf.certificate_.gap <= 1e-3
    few = MaxMargin(C=C).fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])
    assert few.status_ is Status.GAP_REACHED


@pytest.mark.parametrize("tiny", [1e-155, 1e-165, 1e-300, 1e-310])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_column_of_tiny_numbers(tiny, fit_intercept):
    """It decides where it alone can, unless its squares are no numbers; never an error."""
    X = np.array([[tiny, 1.0], [-tiny, 1.0], [tiny, -1.0], [-tiny, -1.0]])
    verdict = is_separable(X, [0, 1, 0, 1], fit_intercept=fit_intercept)
    assert isinstance(verdict, Separation) or (tiny < 1e-300 and isinstance(verdict, Inconclusive))
    verdict = is_separable(X, [0, 1, 1, 0], fit_intercept=fit_intercept)
    assert isinstance(verdict, NonSeparation)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4)) * [tiny, 1.0, 1.0, 1.0]
    y = X[:, 1] + X[:, 2] > 0
    assert isinstance(is_separable(X, y, fit_intercept=fit_intercept), Separation)
    y ^= rng.random(40) < 0.3
    assert isinstance(is_separable(X, y, fit_intercept=fit_intercept), NonSeparation)


def test_correlated_columns_without_an_intercept():
    """Soft margins do not decide here; Wolfe's method does, if they leave passes to it."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(500, 400)) / np.arange(1, 401) + 5.0
    scores = X @ rng.normal(size=400)
    y = scores > np.median(scores)
    for store in (np.asarray, sparse.csr_array):
        assert isinstance(is_separable(store(X), y, fit_intercept=False), Separation)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_squares_at_the_end_of_the_range(scale):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 5))
    y = X[:, 0] + rng.standard_normal(100) > 0.0
    clf = MaxMargin().fit(scale * X, y)
    assert isinstance(clf.certificate_, NonSeparation)
    clf.certificate_.verify(scale * X, y)
    assert np.array_equal(clf.predict(scale * X), MaxMargin().fit(X, y).predict(X))


def test_tiny_rows_of_several_classes_whose_weights_have_no_squares():
    X = 1e-100 * np.array([[1.0, 0], [0, 1], [1, 1], [1, 2], [0, 2], [2, 0]])
    clf = MaxMargin(fit_intercept=False).fit(X, [0, 1, 2, 0, 1, 2])
    assert clf.status_ is Status.NOT_SEPARABLE and np.isfinite(clf.C_)


@pytest.mark.parametrize("scale", [1e-31, 1e-40])
def test_the_hinge_is_as_stiff_as_the_rows_are_long(scale):
    """The same problem in other units takes the same passes."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 5))
    y = X[:, 0] + 0.5 * rng.standard_normal(100) > 0.0
    clf = MaxMargin(C=scale**-2, loss="hinge").fit(scale * X, y)
    assert clf.status_ is Status.GAP_REACHED
    assert clf.n_iter_ == MaxMargin(C=1.0, loss="hinge").fit(X, y).n_iter_


@pytest.mark.parametrize("C", [1e4, 1e6])
def test_large_penalties_on_dense_data_that_are_mostly_zeros(C):
    rng = np.random.default_rng(0)
    X = (rng.random((490, 148)) < 0.15) * rng.standard_normal((490, 148))
    y = X @ rng.standard_normal(148) > 0.0
    clf = MaxMargin(C=C, tol=1e-2).fit(X, y)
    assert clf.status_ is Status.GAP_REACHED
    assert clf.n_iter_ <= 2 * MaxMargin(C=C, tol=1e-2).fit(sparse.csr_array(X), y).n_iter_


def test_a_penalty_beyond_all_digits_ends_soon():
    """Squares overflow on the way, of which nothing is to be heard."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 300)) / np.sqrt(np.arange(1, 301))
    y = X @ rng.normal(size=300) > 0.0
    with pytest.warns(ConvergenceWarning) as caught:
        clf = MaxMargin(C=1.0).fit(1e150 * X, y)
    assert [each.category for each in caught] == [ConvergenceWarning]
    assert clf.status_ is Status.PRECISION and clf.n_iter_ <= 110
    clf.certificate_.verify(1e150 * X, y)
    with pytest.warns(ConvergenceWarning):
        assert MaxMargin(C=1.0, max_iter=20).fit(1e150 * X, y).status_ is Status.MAX_ITER
