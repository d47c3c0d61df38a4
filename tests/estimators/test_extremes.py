"""MaxMargin at the edges: scales, weights and penalties that nearly do not fit."""

import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from novikoff import MaxMargin, Perceptron, is_separable
from novikoff.certificate import Inconclusive, NonSeparation, Status

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([0, 0, 1, 1])


@pytest.fixture
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


@pytest.mark.usefixtures("quiet")
def test_neighbouring_floats_get_a_model():
    below = 1.0 - 2.0**-53
    X, y = [[below], [below], [1.0], [below], [1.0]], [0, 0, 1, 0, 1]
    clf = MaxMargin().fit(X, y)
    clf.certificate_.verify(X, y)
    assert np.isfinite(clf.coef_).all()


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("scale", [1e-120, 1e-100, 1e-80, 1e14, 1e80])
@pytest.mark.parametrize("C", [np.inf, 1e6])
@pytest.mark.parametrize("intercept", [True, False])
def test_scales_of_noise(scale, C, intercept):
    rng = np.random.default_rng(0)
    for _ in range(10):
        X, y = scale * rng.normal(size=(8, 3)), np.arange(8) % 2
        clf = MaxMargin(C=C, fit_intercept=intercept, max_iter=200).fit(X, y)
        clf.certificate_.verify(X, y)
        assert np.isfinite(clf.coef_).all()


def test_nothing_separates_tiny_numbers_on_a_line():
    X, y = [[1e-100], [0.0], [-2e-100]], [0, 1, 0]
    clf = MaxMargin(fit_intercept=False).fit(X, y)
    assert isinstance(clf.certificate_, NonSeparation)
    assert clf.certificate_.model.soft.gap <= 1e-3


@pytest.mark.parametrize(
    ("X", "y", "C", "intercept"),
    [
        ([[3.0], [-3.0]], [0, 1], 1000.0, False),
        ([[-3.0], [3.0], [-1.0]], [0, 1, 1], 1e4, True),
    ],
)
def test_dual_variables_make_the_model(X, y, C, intercept):
    clf = MaxMargin(C=C, fit_intercept=intercept).fit(X, y)
    np.testing.assert_allclose(clf.dual_coef_ @ np.array(X)[clf.support_], clf.coef_[0], rtol=1e-6)


@pytest.mark.parametrize("shape", [(200, 5), (40, 60)])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_dual_variables_make_the_model_of_noise(shape, make):
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=shape), rng.integers(0, 2, shape[0])
    for C in (1e-3, 1.0, 1e3):
        clf = MaxMargin(C=C, tol=1e-8).fit(make(X), y)
        np.testing.assert_allclose(
            clf.dual_coef_ @ X[clf.support_],
            clf.coef_[0],
            rtol=1e-3,
            atol=1e-4 * abs(clf.coef_).max(),
        )


@pytest.mark.parametrize("C", [1e12, 1e20])
def test_a_penalty_beyond_all_slack_is_the_hard_margin(C):
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [3.0, 3.0]]), [0, 1, 0, 1]
    clf = MaxMargin(C=C).fit(X, y)
    assert clf.status_ is Status.GAP_REACHED
    np.testing.assert_allclose(clf.coef_, MaxMargin(tol=1e-9).fit(X, y).coef_, atol=1e-6)


def test_examples_left_out_do_not_count_as_spread():
    X, y = [[1.0], [2.0], [1.0]], [0, 0, 1]
    for C in (np.inf, 1.0):
        clf = MaxMargin(C=C).fit(X, y, sample_weight=[1, 0, 1])
        clf.certificate_.verify(X, y, sample_weight=[1, 0, 1])
        assert not clf.coef_.any()


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("weights", [[1e-20, 1e20, 1, 1], [1e-30, 1e30, 1, 1], [1e30] * 4])
@pytest.mark.parametrize("C", [np.inf, 1.0])
def test_weights_of_very_different_size(weights, C):
    clf = MaxMargin(C=C).fit(*XOR, sample_weight=weights)
    clf.certificate_.verify(*XOR, sample_weight=weights)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_hinge_of_tiny_numbers(classes):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 3)) * 1e-150, np.arange(12) % classes
    clf = MaxMargin(C=1.0, loss="hinge").fit(X, y)
    clf.certificate_.verify(X, y)


@pytest.mark.parametrize("kind", [MaxMargin, Perceptron])
def test_huge_sparse_numbers_are_too_large_for_a_kernel(kind):
    X = np.maximum(np.random.default_rng(0).normal(size=(12, 3)), 0.0) * 1e160
    with pytest.raises(ValueError, match="overflow"), np.errstate(all="ignore"):
        kind(kernel="rbf").fit(sparse.csr_array(X), np.arange(12) % 2)


def test_time_runs_out_in_exact_arithmetic_too():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(20, 30))
    X, y = np.vstack([A, A + 1e-15 * rng.normal(size=A.shape)]), np.repeat([0, 1], 20)
    # Without a limit it takes ten times as long.
    verdict = is_separable(X, y, time_limit=0.05)
    assert isinstance(verdict, Inconclusive)
    assert verdict.status is Status.TIME_LIMIT


def test_time_limit_holds_for_many_examples():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300_000, 10))
    y = X[:, 0] + rng.normal(size=len(X)) > 0
    MaxMargin(C=1.0).fit(X[:1000], y[:1000])
    started = time.perf_counter()
    with pytest.warns(ConvergenceWarning):
        clf = MaxMargin(C=1.0, time_limit=0.0).fit(X, y)
    # What was found is still certified: a few passes over the data.
    assert time.perf_counter() - started < 2.0
    assert clf.status_ is Status.TIME_LIMIT


def test_runs_as_a_module():
    found = subprocess.run([sys.executable, "-m", "novikoff", "--version"], capture_output=True)
    assert found.returncode == 0
