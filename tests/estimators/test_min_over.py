"""MinOver proves the accuracy asked for: with an intercept too, and wherever the origin is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from novikoff import Perceptron, rules
from novikoff.certificate import Separation, Status
from novikoff.data import planted
from tests.estimators.problems import assert_proved, noise, three_classes, whole_numbers

SHIFTS = st.sampled_from([0.0, 1.0, -1000.0, 1e6])
DRAWN = dict(
    n=st.integers(2, 80),
    d=st.integers(1, 6),
    share=st.floats(0.05, 0.9),
    accuracy=st.floats(0.02, 0.9),
    seed=st.integers(0, 2**32 - 1),
)


def min_over(accuracy, seed=0, **how):
    rule = rules.MinOver(accuracy=accuracy)
    return Perceptron(rule=rule, random_state=seed, min_margin=0.0, max_iter=100_000, **how)


@given(**DRAWN, shift=SHIFTS)
def test_the_affine_gap_is_the_accuracy(n, d, share, accuracy, seed, shift):
    p = planted(n, d, share, intercept=True, random_state=seed)
    X = p.X + shift
    clf = min_over(accuracy, seed).fit(X, p.y)
    certificate = clf.certificate_
    assert clf.status_ is Status.GAP_REACHED
    assert isinstance(certificate, Separation)
    assert certificate.problem.affine
    assert certificate.gap <= accuracy + 1e-9
    assert_proved(clf, X, p.y)


@given(**DRAWN)
def test_the_gap_through_the_origin(n, d, share, accuracy, seed):
    p = planted(n, d, share, random_state=seed)
    clf = min_over(accuracy, seed, fit_intercept=False).fit(p.X, p.y)
    assert clf.status_ is Status.GAP_REACHED
    assert clf.certificate_.gap <= accuracy + 1e-9
    assert_proved(clf, p.X, p.y)


@pytest.mark.parametrize("store", [np.array, sparse.csr_matrix, np.asfortranarray])
def test_a_million_on_raw_features(store):
    """Features of very different sizes, a million added: the intercept is large and rounded."""
    X, y = whole_numbers()
    X = X * np.array([0.2, 1.0, 3.0, 0.5, 2.0]) + 1e6
    for accuracy in (0.3, 0.1, 0.03):
        clf = min_over(accuracy).fit(store(X), y)
        assert clf.status_ is Status.GAP_REACHED
        assert clf.certificate_.gap <= accuracy + 1e-9
        assert_proved(clf, store(X), y)


@given(
    delta=st.floats(0.3, 5.0),
    accuracy=st.floats(0.05, 0.5),
    seed=st.integers(0, 2**32 - 1),
    fit_intercept=st.booleans(),
    shift=SHIFTS,
)
def test_the_gap_of_the_soft_optimum(delta, accuracy, seed, fit_intercept, shift):
    """The objective is 1 / (2 margin^2) of the lifted examples, whose intercept is the midpoint."""
    X, y = noise(30, 3, seed=seed)
    X = X + shift if fit_intercept else X
    clf = min_over(accuracy, seed, C=0.5 / delta**2, fit_intercept=fit_intercept).fit(X, y)
    assert clf.status_ is Status.GAP_REACHED
    assert clf.certificate_.gap <= 1.0 - (1.0 - accuracy) ** 2 + 1e-9
    assert_proved(clf, X, y)


def test_the_intercept_is_the_midpoint():
    X, y = whole_numbers()
    for average in ("auto", True):
        clf = min_over(0.1, average=average).fit(X, y)
        scores = clf.decision_function(X)
        low, high = scores[y == 1].min(), scores[y == 0].max()
        assert low == pytest.approx(-high, rel=1e-9)
        closest = np.flatnonzero(np.abs(scores) <= low * (1 + 1e-9))
        assert set(y[np.intersect1d(closest, clf.support_)]) == {0, 1}


def test_each_class_against_the_rest():
    X, y = three_classes()
    clf = min_over(0.05).set_params(multi_class="ovr").fit(X + 1e6, y)
    assert all(certificate.gap <= 0.05 + 1e-9 for certificate in clf.certificate_.certificates)
    assert_proved(clf, X + 1e6, y)
