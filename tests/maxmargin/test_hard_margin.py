"""The hard margin against closed forms, other solvers, and exact arithmetic."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from sklearn.svm import SVC

from novikoff import MaxMargin, is_separable
from novikoff.certificate import Inconclusive, NonSeparation, Separation
from tests.maxmargin.problems import (
    lp_says_separable,
    planted,
    qp_margin,
    simplex_margin,
    small_integers,
)


@pytest.mark.parametrize(("k", "n"), [(1, 2), (1, 5), (3, 7), (10, 40), (50, 300)])
def test_corners_of_a_simplex(k, n):
    X, y = np.eye(n), np.arange(n) < k
    clf = MaxMargin(tol=1e-9).fit(X, y)
    verified = clf.certificate_.verify(X, y)
    assert verified.lower <= simplex_margin(k, n) * (1 + 1e-15)
    assert verified.upper >= simplex_margin(k, n) * (1 - 1e-15)
    assert clf.certificate_.gap <= 1e-9
    assert len(clf.support_) == n


@pytest.mark.parametrize("n", [2, 9, 100])
def test_corners_of_a_simplex_without_intercept(n):
    X, y = np.eye(n), np.arange(n) % 2
    clf = MaxMargin(fit_intercept=False, tol=1e-9).fit(X, y)
    assert clf.margin_ == pytest.approx(1 / np.sqrt(n), rel=1e-9)
    assert clf.intercept_[0] == 0.0


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_agrees_with_quadratic_programming(seed, affine):
    X, y = planted(seed, 40, 1 + seed)
    if not affine:
        y = np.where(X @ np.arange(1, X.shape[1] + 1) > 0, 1, -1)
        X = X + 0.1 * y[:, None] * np.arange(1, X.shape[1] + 1)
    clf = MaxMargin(tol=1e-9, fit_intercept=affine).fit(X, y)
    assert isinstance(clf.certificate_, Separation)
    reference = qp_margin(X, y, affine)
    assert clf.margin_ == pytest.approx(reference, rel=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_svc(seed):
    X, y = planted(seed, 60, 5)
    clf = MaxMargin(tol=1e-9).fit(X, y)
    svc = SVC(kernel="linear", C=1e9, tol=1e-9).fit(X, y)
    products = X @ svc.coef_[0]
    reached = (products[y > 0].min() - products[y < 0].max()) / 2 / np.linalg.norm(svc.coef_)
    # libsvm keeps products in float32, which costs it some millionths whatever its tol.
    assert clf.margin_ * (1 - 1e-5) <= reached <= clf.margin_ * (1 + 1e-9)
    np.testing.assert_allclose(clf.coef_, svc.coef_, rtol=1e-5, atol=1e-6 * abs(svc.coef_).max())
    np.testing.assert_allclose(clf.intercept_, svc.intercept_, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(clf.dual_coef_ @ X[clf.support_], clf.coef_[0], rtol=1e-8)


@given(small_integers(), st.booleans())
def test_verdicts_agree_with_linear_programming(problem, affine):
    X, y = problem
    certificate = is_separable(X, y, fit_intercept=affine)
    assert bool(certificate) == lp_says_separable(X, y, affine)
    certificate.verify(X, y)


@given(small_integers(), st.booleans())
def test_lower_never_exceeds_upper(problem, affine):
    X, y = problem
    clf = MaxMargin(fit_intercept=affine).fit(X, y)
    assert clf.margin_ <= clf.margin_upper_bound_
    certificate = clf.certificate_
    certificate.verify(X, y)
    if isinstance(certificate, Separation):
        assert certificate.lower <= certificate.upper
        assert certificate.gap <= 1e-3
    else:
        assert isinstance(certificate, NonSeparation)
        assert clf.margin_upper_bound_ == 0.0
        assert certificate.model.soft is not None


@given(st.integers(0, 2**20), st.sampled_from([np.inf, 1.0]))
def test_equivariance(seed, C):
    X, y = planted(seed, 50, 4)
    rng = np.random.default_rng(seed)
    base = MaxMargin(C=C, tol=1e-10).fit(X, y)
    order = rng.permutation(len(X))
    rotation = np.linalg.qr(rng.normal(size=(4, 4)))[0]
    scale = 2.0**20
    cases = {
        "permuted": (X[order], y[order], 1.0, base.coef_[0]),
        "rotated": (X @ rotation, y, 1.0, base.coef_[0] @ rotation),
        "moved": (X + 1e3, y, 1.0, base.coef_[0]),
        "scaled": (X * scale, y, scale, base.coef_[0] / scale),
    }
    for name, (moved, labels, factor, coef) in cases.items():
        clf = MaxMargin(C=C / factor**2, tol=1e-10).fit(moved, labels)
        # A soft margin may be near zero, in units of the examples.
        near = 0.0 if C == np.inf else 1e-8 * factor
        assert clf.margin_ == pytest.approx(factor * base.margin_, rel=1e-8, abs=near), name
        np.testing.assert_allclose(clf.coef_[0], coef, rtol=1e-6, atol=1e-8 * abs(coef).max())


def test_raw_breast_cancer_is_separable():
    X, y = load_breast_cancer(return_X_y=True)
    clf = MaxMargin(tol=1e-6).fit(X, y)
    assert clf.certificate_.gap <= 1e-6
    verified = clf.certificate_.verify(X, y)
    assert 0 < verified.lower <= verified.upper
    assert clf.score(X, y) == 1.0


def test_columns_of_very_different_scales():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) * [1e6, 1.0, 1e-9]
    y = X[:, 2] > 0
    assert bool(is_separable(X, y))


@pytest.mark.parametrize(
    ("X", "y", "separable"),
    [
        ([[0.0], [1.0]], [0, 1], True),
        ([[0.0], [0.0]], [0, 1], False),
        ([[5.0], [5.0], [7.0], [7.0]], [0, 0, 1, 1], True),
        ([[0.0], [1.0], [2.0]], [0, 1, 0], False),
        ([[1.0, 3.0], [2.0, 3.0], [4.0, 3.0]], [0, 0, 1], True),
        ([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], [0, 0, 1, 1], True),
        ([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], [0, 1, 0, 1], False),
        ([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1], False),
        ([[0.0, 0.0], [2.0, 0.0], [1.0, 0.0]], [0, 0, 1], False),
    ],
)
def test_degenerate_cases(X, y, separable):
    X = np.array(X)
    clf = MaxMargin(tol=1e-9).fit(X, y)
    assert bool(clf.certificate_) is separable
    clf.certificate_.verify(X, y)
    assert bool(is_separable(X, y)) is separable


def test_duplicates_and_near_duplicates_do_no_harm():
    X, y = planted(3, 30, 5)
    base = MaxMargin(tol=1e-9).fit(X, y)
    many = np.vstack([X] * 20)
    assert MaxMargin(tol=1e-9).fit(many, np.tile(y, 20)).margin_ == pytest.approx(
        base.margin_, rel=1e-8
    )
    rng = np.random.default_rng(0)
    near = many + 1e-12 * rng.normal(size=many.shape)
    clf = MaxMargin(tol=1e-6).fit(near, np.tile(y, 20))
    assert clf.certificate_.gap <= 1e-6
    assert clf.margin_ == pytest.approx(base.margin_, rel=1e-6)


def test_fewer_examples_than_features():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 500)), np.arange(30) % 2
    clf = MaxMargin(tol=1e-8).fit(X, y)
    assert clf.certificate_.gap <= 1e-8
    clf.certificate_.verify(X, y)


@pytest.mark.parametrize("kind", ["float32", "uint8", "csr", "fortran", "int64"])
def test_every_kind_of_rows_gives_the_same_answer(kind):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 255, size=(300, 6)).astype(float)
    y = X @ [3, -2, 1, 5, -4, 1] > 300
    X[y, 0] += 3
    X = np.minimum(X, 255)
    y = X @ [3, -2, 1, 5, -4, 1] > 300
    reference = MaxMargin(tol=1e-9).fit(X, y)
    copies = {
        "float32": X.astype(np.float32),
        "uint8": X.astype(np.uint8),
        "csr": sparse.csr_array(X),
        "fortran": np.asfortranarray(X),
        "int64": X.astype(np.int64),
    }
    clf = MaxMargin(tol=1e-9).fit(copies[kind], y)
    assert clf.margin_ == pytest.approx(reference.margin_, rel=1e-8)
    assert clf.certificate_.problem.fingerprint == reference.certificate_.problem.fingerprint
    clf.certificate_.verify(X, y)


@pytest.mark.parametrize("offset", [0.0, 0.5])
def test_overlapping_clouds_are_proved_not_separable(offset):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2)) + np.repeat([[0.0, 0.0], [offset, 1.0]], 1000, axis=0)
    y = np.repeat([0, 1], 1000)
    certificate = is_separable(X, y)
    assert isinstance(certificate, NonSeparation)
    assert len(certificate.support) <= 4
    certificate.verify(X, y, check_fingerprint=False)
    flipped = y.copy()
    flipped[certificate.support[0]] = 1 - flipped[certificate.support[0]]
    with pytest.raises(ValueError, match=r"basis|zero|sign"):
        certificate.verify(X, flipped, check_fingerprint=False)


@settings(max_examples=25)
@given(st.integers(0, 10_000), st.integers(2, 40), st.integers(1, 8))
def test_random_labels_are_decided_and_verify(seed, n, d):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, d)), rng.integers(0, 2, n)
    y[:2] = [0, 1]
    certificate = is_separable(X, y)
    assert bool(certificate) == lp_says_separable(X, np.where(y == 1, 1, -1), True)
    certificate.verify(X, y)


def test_sums_that_vanish_in_decimals_are_decided_exactly():
    # 0.1 + 0.2 - 0.3 is 5.6e-17 in binary: such lattices nearly vanish in many ways.
    decided = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.integers(-5, 6, size=(15, 4)) / 10
        y = rng.integers(0, 2, 15)
        y[:2] = [0, 1]
        certificate = is_separable(X, y)
        certificate.verify(X, y)
        decided += not isinstance(certificate, Inconclusive)
    assert decided == 40


def test_exact_steps_find_a_combination_that_is_zero():
    X = np.array([[0.1], [0.2], [0.30000000000000004], [0.2]])
    y = np.array([0, 1, 0, 1])
    certificate = is_separable(X, y)
    assert isinstance(certificate, NonSeparation)
    certificate.verify(X, y)
