"""The compression: the model is a function of its support, and comes back from it bit for bit.

Rerunning on the support alone, in the order of visits, is the same run, because an example that
is never updated on leaves no trace in the state (*On the Perceptron's Compression*, Section 5).
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from novikoff import Perceptron
from novikoff.certificate import Status
from novikoff.data import planted
from novikoff.sample.centre import HEADS
from tests.estimators.problems import (
    ALL_RULES,
    OTHER_RULES,
    UNIT_STEP_RULES,
    assert_same_model,
    noise,
    refitted,
    three_classes,
    twisted,
    whole_numbers,
)

SATISFIED = (Status.CONVERGED, Status.GAP_REACHED)


def check_compression(clf, X, y):
    """Return whether the run ended by itself, after checking all that is promised of those."""
    clf.fit(X, y)
    if clf.status_ not in SATISFIED:
        return False
    again = refitted(clf, X, y)
    assert_same_model(again, clf)
    assert again.status_ is clf.status_
    assert again.n_iter_ == clf.n_iter_
    np.testing.assert_array_equal(again.dual_coef_, clf.dual_coef_)
    np.testing.assert_array_equal(again.support_, np.arange(len(clf.support_)))
    return True


@pytest.mark.parametrize("rule", ALL_RULES)
def test_the_support_reproduces_the_model(rule):
    decided = []

    @given(
        n=st.integers(2, 80),
        d=st.integers(1, 6),
        share=st.floats(0.1, 0.9),
        seed=st.integers(0, 2**32 - 1),
        fit_intercept=st.booleans(),
        C=st.sampled_from([np.inf, np.inf, 12.5]),
        average=st.sampled_from(["auto", False, True]),
    )
    def check(n, d, share, seed, fit_intercept, C, average):
        # So close together that Infinity takes them with both their lifts.
        p = planted(n, d, 0.34 * share, radius=0.34, intercept=fit_intercept, random_state=seed)
        clf = Perceptron(
            rule=ALL_RULES[rule],
            fit_intercept=fit_intercept,
            C=C,
            random_state=seed,
            min_margin=0.0,
            max_iter=20_000,
            average=average,
        )
        decided.append(check_compression(clf, p.X, p.y))

    check()
    assert np.mean(decided) >= 0.8


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("rule", UNIT_STEP_RULES)
@pytest.mark.parametrize("store", [sparse.csr_matrix, twisted, lambda X: X.astype(np.uint8)])
def test_other_storages(store, rule, fit_intercept):
    X, y = whole_numbers(intercept=fit_intercept)
    if rule == "infinity":
        if store not in (sparse.csr_matrix, twisted):
            pytest.skip("whole numbers have norms above 1")
        X = X / 128.0
    clf = Perceptron(
        rule=ALL_RULES[rule], fit_intercept=fit_intercept, random_state=1, max_iter=5000
    )
    assert check_compression(clf, store(X), y)


@pytest.mark.parametrize("rule", ["scale-free", "dynamic", "min-over"])
def test_real_numbers_in_sparse_rows(rule):
    p = planted(150, 30, 0.05, intercept=True, random_state=5)
    X = sparse.csr_matrix(np.where(np.abs(p.X) > 0.1, p.X, 0.0))
    y = np.where(X @ p.coef + p.intercept > 0, "yes", "no")
    keep = np.abs(X @ p.coef + p.intercept) > 0.03
    clf = Perceptron(rule=ALL_RULES[rule], random_state=2, max_iter=10_000)
    assert check_compression(clf, X[keep], y[keep])


def test_a_support_of_one_class():
    """Without an intercept one class may do all the work; a refit needs an example of both."""
    X, y = np.array([[1.0, 0.0], [-1.0, 0.1], [2.0, 0.1]]), np.array([1, 0, 1])
    clf = Perceptron(rule="classic", fit_intercept=False, shuffle=False)
    assert check_compression(clf, X, y)
    assert sorted(clf.dual_coef_) == [0, 1]


def test_class_weights_of_a_dict():
    p = planted(80, 4, 0.1, intercept=True, random_state=0)
    clf = Perceptron(class_weight={1: 2.5, -1: 0.3}, random_state=0)
    assert check_compression(clf, p.X, p.y)


@pytest.mark.parametrize("rule", ["scale-free", "margin", "min-over"])
def test_each_class_against_the_rest(rule):
    X, y = three_classes(60)
    clf = Perceptron(rule=ALL_RULES[rule], random_state=3, multi_class="ovr").fit(X, y)
    total = 0
    for k, support in enumerate(clf.support_):
        again = clone(clf).set_params(shuffle=False).fit(X[support], y[support] == k)
        np.testing.assert_array_equal(again.coef_[0], clf.coef_[k])
        assert again.intercept_[0] == clf.intercept_[k]
        np.testing.assert_array_equal(again.dual_coef_, clf.dual_coef_[k])
        total += again.n_updates_
    assert total == clf.n_updates_


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [np.inf, 2.0])
@pytest.mark.parametrize("rule", ALL_RULES)
def test_the_model_is_a_sum_of_its_support(rule, C, fit_intercept):
    X, y = whole_numbers(intercept=fit_intercept, seed=1)
    X = X / 128.0
    clf = Perceptron(
        rule=ALL_RULES[rule],
        fit_intercept=fit_intercept,
        C=C,
        random_state=0,
        max_iter=20_000,
    ).fit(X, y)
    np.testing.assert_allclose(
        clf.coef_[0], clf.dual_coef_ @ (X[clf.support_] - clf.centre_), rtol=1e-12
    )
    assert (clf.dual_coef_ * np.where(y == 1, 1, -1)[clf.support_] >= 0).all()
    assert len(set(clf.support_)) == len(clf.support_)
    if rule in OTHER_RULES:
        assert clf.dual_coef_.dtype == np.float64
        return
    assert clf.dual_coef_.dtype == np.int64
    assert clf.status_ in SATISFIED
    if rule != "min-over":
        assert np.abs(clf.dual_coef_).sum() == clf.n_updates_
    else:
        assert np.abs(clf.dual_coef_).sum() <= clf.n_updates_


def test_the_offset_is_that_of_the_lift():
    X, y = whole_numbers()
    clf = Perceptron(random_state=0).fit(X, y)
    # The first examples are those of the support, which is in the order of visits.
    first = clf.support_[:HEADS]
    heads = [first[y[first] == k] for k in (0, 1)]
    values = np.sort(X[first], axis=0)
    np.testing.assert_array_equal(clf.centre_, values[HEADS // 2 - 1])
    points = []
    for some in heads:
        weights = 1.0 / np.linalg.norm(X[some] - clf.centre_, axis=1)
        points.append(weights @ (X[some] - clf.centre_) / weights.sum())
    lift2 = max(point @ point for point in points)
    at_centre = clf.decision_function(clf.centre_[None])[0]
    assert clf.dual_coef_.sum() != 0
    assert at_centre == pytest.approx(lift2 * clf.dual_coef_.sum(), rel=1e-9)
    np.testing.assert_array_equal(Perceptron(fit_intercept=False).fit(X, y).centre_, np.zeros(5))


@pytest.mark.parametrize("rule", ["scale-free", "min-over", "passive-aggressive"])
def test_the_sum_is_also_that_of_an_average(rule):
    X, y = noise()
    clf = Perceptron(rule=rule, random_state=0, min_margin=0.05, max_iter=10_000).fit(X, y)
    assert clf.dual_coef_.dtype == np.float64
    np.testing.assert_allclose(
        clf.coef_[0], clf.dual_coef_ @ (X[clf.support_] - clf.centre_), rtol=1e-9, atol=1e-12
    )
