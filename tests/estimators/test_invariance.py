"""What may not matter: where the origin is, and what the features are measured in."""

import numpy as np
import pytest
from scipy import sparse

from novikoff import Perceptron
from novikoff.certificate import Separation
from novikoff.data import planted
from tests.estimators.problems import (
    ALL_RULES,
    UNIT_STEP_RULES,
    assert_proved,
    noise,
    three_classes,
    whole_numbers,
)

TRANSLATED_RULES = [name for name in ALL_RULES if name != "infinity"]


@pytest.mark.parametrize("seed", range(10))
def test_999_against_1001(seed):
    """The bias as a plain feature costs 2,000,002 updates here (Classic, lift 1)."""
    X, y = np.array([[999.0], [1001.0]]), np.array([1, 0])
    clf = Perceptron(random_state=seed).fit(X, y)
    assert clf.n_updates_ <= 50
    assert isinstance(clf.certificate_, Separation)
    assert clf.certificate_.upper == 1.0
    assert_proved(clf, X, y)


@pytest.mark.parametrize("rule", TRANSLATED_RULES)
def test_a_million_added_to_every_feature(rule):
    X, y = whole_numbers(intercept=True)
    near = Perceptron(rule=ALL_RULES[rule], random_state=0, max_iter=5000).fit(X, y)
    far = Perceptron(rule=ALL_RULES[rule], random_state=0, max_iter=5000).fit(X + 1e6, y)
    np.testing.assert_array_equal(far.support_, near.support_)
    assert bool(near.certificate_)
    assert bool(far.certificate_)
    assert_proved(far, X + 1e6, y)
    assert far.score(X + 1e6, y) == 1.0
    if rule in UNIT_STEP_RULES:
        np.testing.assert_array_equal(far.dual_coef_, near.dual_coef_)
        assert far.margin_upper_bound_ == pytest.approx(near.margin_upper_bound_, rel=1e-12)


@pytest.mark.parametrize("store", [np.array, sparse.csr_matrix, lambda X: X.astype(np.float32)])
@pytest.mark.parametrize("seed", range(5))
def test_a_million_added_with_rounding(seed, store):
    """The far copy is rounded to multiples of 2^-33, in float32 of 2^-4: still well separated."""
    p = planted(80, 5, 0.2, radius=4.0, intercept=True, random_state=seed)
    X = np.rint(p.X * 16) / 16
    near = Perceptron(random_state=seed).fit(store(X), p.y)
    far = Perceptron(random_state=seed).fit(store(X + 1e6), p.y)
    assert bool(near.certificate_)
    assert bool(far.certificate_)
    np.testing.assert_array_equal(far.support_, near.support_)
    assert_proved(far, store(X + 1e6), p.y)


def test_a_million_added_to_noise():
    """The verdict on noise is a bound on every margin, and it is the same far away."""
    X, y = noise()
    X = np.rint(X * 1024) / 1024
    near = Perceptron(random_state=0).fit(X, y)
    far = Perceptron(random_state=0).fit(X + 1e6, y)
    assert near.status_ is far.status_
    asked = [clf.certificate_.model_account.min_margin for clf in (near, far)]
    assert asked[0] == asked[1] > 0.0
    np.testing.assert_array_equal(far.support_, near.support_)
    assert_proved(far, X + 1e6, y)


def test_a_million_added_to_three_classes():
    X, y = three_classes()
    X = np.rint(X * 64) / 64
    near, far = (Perceptron(random_state=0).fit(X + shift, y) for shift in (0.0, 1e6))
    assert bool(near.certificate_)
    assert bool(far.certificate_)
    for one, other in zip(near.support_, far.support_, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(far.predict(X + 1e6), y)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("factor", [2.0**-40, 2.0**31])
@pytest.mark.parametrize("rule", sorted(set(ALL_RULES) - {"infinity", "margin-absolute"}))
def test_powers_of_two_change_nothing(rule, factor, fit_intercept):
    """Scale-free rules make the same steps; passive-aggressive ones make w in the inverse unit."""
    p = planted(50, 4, 0.15, intercept=fit_intercept, random_state=1)
    how = dict(rule=ALL_RULES[rule], fit_intercept=fit_intercept, random_state=0, max_iter=5000)
    if rule in ("pa-1", "pa-2"):
        C = how["rule"].C / factor**2
        how["rule"] = type(how["rule"])(C=C, variant=how["rule"].variant)
    one = Perceptron(**(how | dict(rule=ALL_RULES[rule]))).fit(p.X, p.y)
    other = Perceptron(**how).fit(p.X * factor, p.y)
    assert one.n_updates_ == other.n_updates_
    np.testing.assert_array_equal(one.support_, other.support_)
    assert other.margin_ == pytest.approx(one.margin_ * factor, rel=1e-13)
    # ALMA keeps w in the unit ball of the examples divided by R.
    unit = {"passive-aggressive": -2, "pa-1": -2, "pa-2": -2, "alma": -1}.get(rule, 0)
    unit = factor**unit
    np.testing.assert_array_equal(other.dual_coef_, one.dual_coef_ * unit)
    np.testing.assert_array_equal(other.coef_, one.coef_ * factor * unit)


def test_powers_of_two_on_noise():
    X, y = noise()
    one, other = (Perceptron(random_state=0).fit(X * factor, y) for factor in (1.0, 2.0**-20))
    assert one.n_updates_ == other.n_updates_
    np.testing.assert_array_equal(one.dual_coef_, other.dual_coef_)
    one, other = one.certificate_.model_account, other.certificate_.model_account
    assert one.min_margin == 2.0**20 * other.min_margin


@pytest.mark.parametrize("rule", UNIT_STEP_RULES)
def test_columns_in_another_order(rule):
    """Whole numbers, whose sums do not depend on the order of the features."""
    X, y = whole_numbers()
    X = X / 128.0 if rule == "infinity" else X
    order = np.random.default_rng(0).permutation(X.shape[1])
    # A random order of visits is drawn for the columns as they come.
    how = dict(rule=ALL_RULES[rule], shuffle=False, max_iter=5000)
    one, other = Perceptron(**how).fit(X, y), Perceptron(**how).fit(X[:, order], y)
    np.testing.assert_array_equal(one.coef_[:, order], other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)


@pytest.mark.parametrize("rule", UNIT_STEP_RULES)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_swapped_labels(rule, fit_intercept):
    X, y = whole_numbers(intercept=fit_intercept)
    X = X / 128.0 if rule == "infinity" else X
    how = dict(rule=ALL_RULES[rule], fit_intercept=fit_intercept, random_state=0, max_iter=5000)
    one, other = Perceptron(**how).fit(X, y), Perceptron(**how).fit(X, 1 - y)
    np.testing.assert_array_equal(one.coef_, -other.coef_)
    np.testing.assert_array_equal(one.intercept_, -other.intercept_)
    assert one.margin_ == other.margin_
