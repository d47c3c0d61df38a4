"""What the defaults find out: separable, not separable, or neither, and with what proof."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from novikoff import Perceptron
from novikoff.certificate import (
    Inconclusive,
    NonSeparation,
    Separation,
    Status,
    Undecided,
)
from novikoff.data import planted
from tests.estimators.problems import ALL_RULES, XOR, assert_proved, noise, whole_numbers


def gaussian_with_margin(seed, margin=0.01):
    """300 x 10 standard normal examples moved away from a hyperplane until the margin is there."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((300, 10))
    w = rng.standard_normal(10)
    w /= np.linalg.norm(w)
    side = np.where(X @ w + 0.1 > 0, 1, -1)
    distance = side * (X @ w + 0.1)
    X += np.outer(side * np.maximum(margin - distance, 0.0), w)
    return X, side


@pytest.mark.parametrize("make", ["planted", "gaussian"])
@pytest.mark.parametrize("seed", range(20))
def test_a_thin_margin_is_found_for_every_seed(seed, make):
    """Where scikit-learn's Perceptron ends with training errors in 19 of 20 fits, silently."""
    if make == "planted":
        p = planted(300, 10, 0.01, intercept=True, random_state=seed)
        X, y = p.X, p.y
    else:
        X, y = gaussian_with_margin(seed)
    clf = Perceptron(random_state=seed).fit(X, y)
    assert (clf.predict(X) == y).all()
    assert isinstance(clf.certificate_, Separation)
    assert bool(clf.certificate_)
    assert 0.0 < clf.margin_ <= clf.margin_upper_bound_
    assert clf.margin_upper_bound_ >= 0.01 * (1 - 1e-9)
    assert_proved(clf, X, y)


@pytest.mark.parametrize("store", [np.array, sparse.csr_matrix, lambda X: X.astype(np.uint8)])
def test_xor_is_not_separable(store):
    X, y = XOR
    for seed in range(5):
        clf = Perceptron(random_state=seed).fit(store(X), y)
        assert isinstance(clf.certificate_, NonSeparation)
        assert not bool(clf.certificate_)
        assert clf.status_ is Status.NOT_SEPARABLE
        assert clf.margin_ <= 0.0 == clf.margin_upper_bound_
        assert_proved(clf, store(X), y)


@pytest.mark.parametrize("rule", sorted(set(ALL_RULES) - {"infinity"}))
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("limits", [{}, {"min_margin": 0.0, "max_iter": 30}, {"max_updates": 1}])
def test_every_rule_refutes_xor(rule, fit_intercept, limits):
    """The proof takes precedence over any limit, so nothing is warned of."""
    X, y = XOR
    X = 2.0 * X - 1.0
    clf = Perceptron(rule=ALL_RULES[rule], fit_intercept=fit_intercept, random_state=0, **limits)
    clf.fit(X, y)
    assert not bool(clf.certificate_)
    assert clf.status_ is Status.NOT_SEPARABLE
    assert_proved(clf, X, y)


@pytest.mark.parametrize("unit", [0.25, 1 / 3, 1e-6])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("limits", [{}, {"min_margin": 0.0, "max_iter": 30}])
def test_xor_in_other_units(unit, fit_intercept, limits):
    """Where no cycle is looked for, an upper bound of exactly 0 is a proof all the same."""
    X, y = XOR
    X = (2.0 * X - 1.0) * unit
    for seed in range(4):
        clf = Perceptron(fit_intercept=fit_intercept, random_state=seed, **limits).fit(X, y)
        assert clf.status_ is Status.NOT_SEPARABLE
        assert not bool(clf.certificate_)
        assert clf.margin_upper_bound_ == 0.0
        assert_proved(clf, X, y)


@pytest.mark.parametrize("rule", ALL_RULES)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_equal_examples_with_opposite_labels(rule, fit_intercept):
    X, y = whole_numbers(intercept=fit_intercept)
    X = X / 128.0 + 1e-3
    X[7], y[7] = X[23], 1 - y[23]
    clf = Perceptron(
        rule=ALL_RULES[rule], fit_intercept=fit_intercept, random_state=0, max_iter=50
    ).fit(X, y)
    assert not bool(clf.certificate_)
    assert sorted(clf.certificate_.support) == [7, 23]
    assert clf.margin_upper_bound_ == 0.0
    assert_proved(clf, X, y)


def test_contradictions_are_found_in_every_storage():
    X, y = whole_numbers()
    X[7], y[7] = X[23], 1 - y[23]
    X[8] = X[7]
    for store in (np.asfortranarray, sparse.csr_matrix, lambda X: X.astype(np.uint8)):
        clf = Perceptron(random_state=0, max_iter=5).fit(store(X), y)
        assert not bool(clf.certificate_)
        assert_proved(clf, store(X), y)


def test_equal_examples_and_nothing_else():
    X, y = np.full((6, 2), 3.5), np.array([0, 1, 0, 1, 0, 1])
    clf = Perceptron().fit(X, y)
    assert not bool(clf.certificate_)
    assert clf.margin_upper_bound_ == 0.0
    assert_proved(clf, X, y)
    assert set(clf.predict(X)) <= {0, 1}


@pytest.mark.parametrize("rule", ALL_RULES)
def test_a_zero_example_without_intercept(rule):
    """z = 0 is on no side of any hyperplane through the origin; with an intercept it may be."""
    X, y = whole_numbers(intercept=False)
    X = X / 128.0
    X[11] = 0.0
    clf = Perceptron(rule=ALL_RULES[rule], fit_intercept=False, random_state=0, max_iter=50)
    clf.fit(X, y)
    assert not bool(clf.certificate_)
    assert clf.certificate_.support.tolist() == [11]
    assert_proved(clf, X, y)


def test_a_zero_example_with_intercept():
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 1.0]]), np.array([0, 1, 1])
    clf = Perceptron().fit(X, y)
    assert bool(clf.certificate_)
    assert_proved(clf, X, y)


def test_noise_is_undecided_with_a_bound():
    X, y = noise()
    # The run ends before it is asked whether anything separates the examples.
    clf = Perceptron(random_state=0, min_margin=0.05).fit(X, y)
    assert isinstance(clf.certificate_, Inconclusive)
    with pytest.raises(Undecided, match=r"no hyperplane has a margin above .*, so none"):
        bool(clf.certificate_)
    assert clf.margin_ < 0.0 < clf.margin_upper_bound_
    assert_proved(clf, X, y)


@given(
    n=st.integers(2, 25),
    d=st.integers(1, 4),
    bound=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
    rule=st.sampled_from(sorted(set(ALL_RULES) - {"infinity"})),
    fit_intercept=st.booleans(),
)
def test_every_fit_proves_what_it_says(n, d, bound, seed, rule, fit_intercept):
    """On small whole numbers the verdict is never open, whatever limit cuts the run short."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-bound, bound + 1, size=(n, d)).astype(float)
    y = rng.permutation(np.arange(n) % 2)
    clf = Perceptron(
        rule=ALL_RULES[rule], fit_intercept=fit_intercept, random_state=seed % 2**32, min_margin=0.0
    )
    clf.fit(X, y)
    assert_proved(clf, X, y)
    errors = (clf.predict(X) != y).sum()
    if bool(clf.certificate_):
        assert errors == 0
        assert clf.margin_ > 0.0
    else:
        assert clf.margin_ <= 0.0 == clf.margin_upper_bound_
