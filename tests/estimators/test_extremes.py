"""MaxMargin at the edges: scales, weights, prices and types that nearly do not fit."""

import itertools
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import novikoff
from novikoff import MaxMargin, is_separable
from novikoff.certificate import Inconclusive, NonSeparation, Separation, Status

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
    assert clf.soft_certificate_.gap <= 1e-3


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
def test_a_price_beyond_all_slack_is_the_hard_margin(C):
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [3.0, 3.0]]), [0, 1, 0, 1]
    clf = MaxMargin(C=C).fit(X, y)
    assert clf.status_ is Status.GAP_REACHED
    np.testing.assert_allclose(clf.coef_, MaxMargin(tol=1e-9).fit(X, y).coef_, atol=1e-6)


def test_examples_left_out_do_not_count_as_spread():
    X, y = [[1.0], [2.0], [1.0]], [0, 0, 1]
    for C in (np.inf, 1.0):
        clf = MaxMargin(C=C).fit(X, y, sample_weight=[1, 0, 1])
        clf.certificate_.verify(X, y)
        assert not clf.coef_.any()


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("weights", [[1e-20, 1e20, 1, 1], [1e-30, 1e30, 1, 1], [1e30] * 4])
@pytest.mark.parametrize("C", [np.inf, 1.0])
def test_weights_of_very_different_size(weights, C):
    clf = MaxMargin(C=C).fit(*XOR, sample_weight=weights)
    clf.certificate_.verify(*XOR)


@pytest.mark.parametrize(
    ("options", "weights", "message"),
    [
        ({}, [1e-300, 1e300, 1, 1], "between 1e-30 and 1e"),
        ({}, [1e308] * 4, "between 1e-30 and 1e"),
        ({"class_weight": {0: 1e200, 1: 1e200}}, [1e200] * 4, "between 1e-30 and 1e"),
        ({"class_weight": "balanced"}, [1, 1, 0, 0], "No example of the class 1"),
        ({}, np.ones(4) * 1j, "not complex"),
    ],
)
def test_impossible_weights_are_named(options, weights, message):
    with pytest.raises(ValueError, match=message):
        MaxMargin(**options).fit(*XOR, sample_weight=weights)


@pytest.mark.parametrize("name", ["max_iter", "time_limit"])
def test_numbers_beyond_floats_are_refused(name):
    with pytest.raises(ValueError, match=name):
        MaxMargin(**{name: 10**400}).fit(*XOR)


@pytest.mark.skipif(np.finfo(np.longdouble).bits == 64, reason="long double is double here")
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_matrix, sparse.coo_matrix])
def test_long_floats_are_never_rounded(make):
    X = np.array([[1 + np.longdouble(2) ** -60], [1]])
    with pytest.raises(ValueError, match="float64 does not have"):
        is_separable(make(X), [0, 1])
    X = np.array([[np.longdouble(0.1)], [0.2]]).astype(np.float64).astype(np.longdouble)
    clf = MaxMargin().fit(make(X), [0, 1])
    assert isinstance(clf.certificate_, Separation)
    clf.certificate_.verify(make(X), [0, 1])


@pytest.mark.parametrize("X", [[["1"], ["2"]], np.array([["2020-01-01"], ["2021-01-01"]], "M8[D]")])
def test_what_is_no_number_is_named(X):
    with pytest.raises((ValueError, TypeError), match=r"numbers|numeric|DType"):
        MaxMargin().fit(X, [0, 1])


def test_labels_in_a_column_verify():
    X, y = np.array([[0.0], [1.0]]), np.array([[0], [1]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = MaxMargin().fit(X, y)
    clf.certificate_.verify(X, y)


def test_time_runs_out_in_exact_arithmetic_too():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(60, 40))
    X, y = np.vstack([A, A + 1e-15 * rng.normal(size=A.shape)]), np.repeat([0, 1], 60)
    verdict = is_separable(X, y, time_limit=0.2)
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
    assert clf.soft_certificate_.status is Status.TIME_LIMIT


@pytest.mark.parametrize("empty", list(itertools.product([True, False], repeat=3)))
def test_histories_of_classes_are_kept_even_if_empty(empty, tmp_path):
    rng = np.random.default_rng(0)
    clf = MaxMargin().fit(rng.normal(size=(9, 2)), np.arange(9) % 3)
    clf.history_ = [[] if none else lines for none, lines in zip(empty, clf.history_, strict=True)]
    novikoff.save(clf, tmp_path / "model.json")
    assert novikoff.load(tmp_path / "model.json").history_ == clf.history_


def test_runs_as_a_module():
    found = subprocess.run([sys.executable, "-m", "novikoff", "--version"], capture_output=True)
    assert found.returncode == 0
