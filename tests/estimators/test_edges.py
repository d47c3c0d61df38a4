"""What was once found at the edges: lost numbers, damaged matrices, ties, growing weights."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from novikoff import Perceptron, rules
from novikoff.certificate import (
    CertificateError,
    Separation,
    Status,
    certify_nonseparable,
)
from novikoff.data import planted

LARGE = 2**53


def test_duplicates_of_integers_are_summed_exactly():
    X = sparse.csr_array(
        (np.array([LARGE, 1, LARGE]), np.array([0, 0, 0]), np.array([0, 2, 3])), shape=(2, 1)
    )
    with pytest.raises(CertificateError, match=r"beyond 2\*\*53"):
        certify_nonseparable(X, [1, -1], support=[0, 1], weights=[1, 1], affine=True)
    with pytest.raises(CertificateError, match=r"beyond 2\*\*53"):
        Perceptron().fit(X, [1, 0])


def test_duplicates_of_bytes_are_what_products_take_them_to_be():
    X = sparse.csr_array(
        (np.array([200, 100, 250], dtype=np.uint8), np.array([0, 0, 0]), np.array([0, 2, 3])),
        shape=(2, 1),
    )
    clf = Perceptron(random_state=0).fit(X, [1, 0])
    assert clf.score(X, [1, 0]) == 1.0
    assert clf.certificate_.verify(X, [1, 0]).lower > 0


@pytest.mark.parametrize(
    "X",
    [
        [[LARGE], [LARGE + 1]],
        np.array([[LARGE], [LARGE + 1]], dtype=object),
        pd.DataFrame({"a": [LARGE, LARGE + 1]}),
        np.array([[1], [1 + np.finfo(np.longdouble).eps]], dtype=np.longdouble),
    ],
    ids=["list", "objects", "frame", "longdouble"],
)
def test_numbers_that_float64_does_not_have_are_refused(X):
    with pytest.raises(ValueError, match="float64 does not have"):
        Perceptron().fit(X, [0, 1])


@pytest.mark.parametrize("index", [100_000_000, 5, -1])
def test_a_csr_matrix_with_an_index_out_of_range_is_refused(index):
    X = sparse.csr_matrix((np.ones(4), np.array([0, 1, 0, 1]), np.arange(5)), shape=(4, 2))
    certificate = Perceptron(random_state=0).fit(X, [0, 1, 0, 1]).certificate_
    X.indices[3] = index
    with pytest.raises(ValueError, match="indices must be"):
        Perceptron().fit(X, [0, 1, 0, 1])
    with pytest.raises(CertificateError, match="damaged"):
        certificate.verify(X, [0, 1, 0, 1])


def test_a_frame_with_nullable_columns_verifies():
    frame = pd.DataFrame(
        {
            "a": pd.array([1, 2, 3, 4], dtype="Int64"),
            "b": pd.array([1.5, 2, 3, 4], dtype="Float64"),
        }
    )
    y = [0, 0, 1, 1]
    assert Perceptron(random_state=0).fit(frame, y).certificate_.verify(frame, y).lower > 0


def test_a_rounded_tie_is_violated():
    """Two points and the classic rule: the default lift makes exact ties, rounded either way."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        X = rng.standard_normal((2, 3))
        clf = Perceptron(rule="classic", random_state=0).fit(X, [0, 1])
        assert isinstance(clf.certificate_, Separation)
        assert clf.score(X, [0, 1]) == 1.0


def test_a_certificate_cannot_have_found_what_it_does_not_prove():
    X = np.array([[999.0], [1001.0]])
    certificate = Perceptron().fit(X, [0, 1]).certificate_
    with pytest.raises(CertificateError, match="NOT_SEPARABLE"):
        dataclasses.replace(certificate, status=Status.NOT_SEPARABLE)
    with pytest.raises(CertificateError, match="printable"):
        dataclasses.replace(certificate, asked="Verified: all\nSeparable")


def test_all_examples_at_the_origin():
    X = np.zeros((4, 2))
    for rule in (rules.Alma(), rules.PassiveAggressive(), rules.ScaleFree()):
        clf = Perceptron(rule=rule, fit_intercept=False).fit(X, [0, 1, 0, 1])
        assert not clf.certificate_


def test_the_history_knows_the_margin_that_was_reached():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((60, 3))
    y = X[:, 0] > 0
    X[:, 0] += np.where(y, 0.5, -0.5)
    clf = Perceptron(random_state=0).fit(X, y)
    assert clf.history_[-1].lower == pytest.approx(clf.margin_)


def test_one_row_at_a_time_has_the_lift_of_the_first_pair():
    X = np.arange(0.0, 3000.0, 10.0)[:, None]
    y = (X[:, 0] > 1500).astype(int)
    order = np.random.default_rng(0).permutation(len(X))
    X, y = X[order], y[order]
    online = Perceptron(rule="classic").partial_fit(X[:1], y[:1], classes=[0, 1])
    online.partial_fit(X[1:2], y[1:2])
    both = Perceptron(rule="classic").partial_fit(X[:2], y[:2], classes=[0, 1])
    assert online.mistakes_ == both.mistakes_
    np.testing.assert_array_equal(online.coef_, both.coef_)
    np.testing.assert_allclose(online.intercept_, both.intercept_, rtol=1e-12)
    for x, label in zip(X[2:], y[2:], strict=True):
        online.partial_fit(x[None], [label])
        both.partial_fit(x[None], [label])
    assert online.mistakes_ == both.mistakes_
    assert online.score(X, y) == both.score(X, y) > 0.95


def test_alma_with_little_to_give_up_stays_finite():
    """Its weights grow like exp(sqrt t); they are brought back before they overflow."""
    problem = planted(100, 4, 0.1, random_state=0)
    clf = Perceptron(
        rule=rules.Alma(a=0.02), fit_intercept=False, max_updates=150_000, random_state=0
    )
    with pytest.warns(ConvergenceWarning):
        clf.fit(problem.X, problem.y)
    assert np.isfinite(clf.dual_coef_).all()
    assert clf.certificate_.verify(problem.X, problem.y).upper >= problem.margin
