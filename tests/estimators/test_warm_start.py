"""Going on from where the last fit stopped, on the same data; on other data starting anew."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from novikoff import Perceptron, rules
from novikoff.certificate import Status
from novikoff.data import planted
from tests.estimators.problems import (
    ALL_RULES,
    assert_proved,
    assert_same_model,
    noise,
    three_classes,
    whole_numbers,
)

pytestmark = pytest.mark.filterwarnings("ignore:The run stopped at its limit")
RULES = sorted(set(ALL_RULES) - {"infinity"})


@pytest.mark.parametrize("average", [True, False])
@pytest.mark.parametrize("rule", RULES)
def test_passes_in_parts_are_the_passes_of_one_run(rule, average):
    X, y = noise(80)
    how = dict(rule=ALL_RULES[rule], average=average, min_margin=0.0, random_state=0)
    whole = Perceptron(max_iter=12, **how).fit(X, y)
    parts = Perceptron(max_iter=5, warm_start=True, **how).fit(X, y)
    assert parts.n_updates_ < whole.n_updates_
    parts.set_params(max_iter=3).fit(X, y).set_params(max_iter=4).fit(X, y)
    assert_same_model(parts, whole)
    np.testing.assert_array_equal(parts.dual_coef_, whole.dual_coef_)
    assert parts.n_iter_ == 4
    assert_proved(parts, X, y)


def test_a_run_that_stopped_at_a_limit_goes_on_to_its_end():
    p = planted(200, 5, 0.02, intercept=True, random_state=0)
    cold = Perceptron(random_state=0).fit(p.X, p.y)
    warm = Perceptron(random_state=0, warm_start=True, max_iter=2).fit(p.X, p.y)
    assert warm.status_ is Status.MAX_ITER
    fits = 1
    while warm.status_ is Status.MAX_ITER:
        warm.fit(p.X, p.y)
        fits += 1
        assert fits < 200
    assert_same_model(warm, cold)
    assert bool(warm.certificate_)
    assert_proved(warm, p.X, p.y)


def test_a_finished_run_has_nothing_to_add():
    X, y = whole_numbers()
    clf = Perceptron(random_state=0, warm_start=True).fit(X, y)
    before = clf.n_updates_, clf.coef_.copy()
    clf.fit(X, y)
    assert clf.n_iter_ == 1
    assert clf.n_updates_ == before[0]
    np.testing.assert_array_equal(clf.coef_, before[1])


def test_without_warm_start_a_fit_forgets():
    X, y = noise()
    clf = Perceptron(random_state=0, max_iter=3, min_margin=0.0).fit(X, y)
    updates = clf.n_updates_
    assert clf.fit(X, y).n_updates_ == updates


def test_an_order_drawn_once_is_kept():
    """No random state, or a generator that moves on: the run goes on in its own order."""
    X, y = noise()
    for state in (None, np.random.RandomState(0)):
        clf = Perceptron(max_iter=2, min_margin=0.0, warm_start=True, random_state=state)
        first = clf.fit(X, y).support_[0]
        assert clf.fit(X, y).support_[0] == first


CHANGES = ["example", "label", "order", "rule", "intercept", "slack", "weights", "balanced"]


@pytest.mark.parametrize("change", CHANGES)
def test_anything_else_starts_anew(change):
    X, y = noise(60)
    X, y = X[5:], y[5:]
    how = dict(max_iter=3, min_margin=0.0, random_state=0)
    clf = Perceptron(warm_start=True, **how).fit(X, y)
    X, y = X.copy(), y.copy()
    if change == "example":
        X[5, 1] += 1e-9
    elif change == "label":
        y[5] = 1 - y[5]
    elif change == "order":
        X, y = X[::-1].copy(), y[::-1].copy()
    else:
        options = {
            "rule": {"rule": rules.ScaleFree(c=2.0)},
            "intercept": {"fit_intercept": False},
            "slack": {"soft_margin": 0.5},
            "weights": {"class_weight": {0: 1.0, 1: 3.0}},
            "balanced": {"class_weight": "balanced"},
        }
        how |= options[change]
    clf.set_params(**how).fit(X, y)
    assert_same_model(clf, Perceptron(**how).fit(X, y))
    assert_proved(clf, X, y)


def test_the_same_weights_said_otherwise_go_on():
    X, y = noise()
    how = dict(min_margin=0.0, random_state=0, average=False)
    whole = Perceptron(max_iter=6, **how).fit(X, y)
    parts = Perceptron(max_iter=3, warm_start=True, **how).fit(X, y)
    parts.set_params(class_weight={0: 1.0}).fit(X, y)
    assert_same_model(parts, whole)


def test_other_storage_of_the_same_numbers_goes_on():
    X, y = whole_numbers()
    X[0], y[0] = X[1], 1 - y[1]
    how = dict(min_margin=0.0, random_state=0, average=False)
    whole = Perceptron(max_iter=6, **how).fit(X, y)
    parts = Perceptron(max_iter=3, warm_start=True, **how).fit(X, y)
    parts.fit(sparse.csr_matrix(X.astype(np.uint8)), y)
    assert_same_model(parts, whole)


def test_several_classes_go_on_each():
    X, y = three_classes(60)
    y = y.copy()
    y[:6] = y[:6][::-1]
    how = dict(min_margin=0.0, random_state=0, average=False, n_jobs=2)
    whole = Perceptron(max_iter=7, **how).fit(X, y)
    parts = Perceptron(max_iter=4, warm_start=True, **how).fit(X, y)
    parts.set_params(max_iter=3).fit(X, y)
    for ours, theirs in zip(parts.dual_coef_, whole.dual_coef_, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert_proved(parts, X, y)


def test_a_path_of_margins():
    """Asking for less and less margin, each run starts where the one before stopped."""
    X, y = noise(200)
    warm = Perceptron(warm_start=True, random_state=0)
    for margin in (0.3, 0.1, 0.03, 0.01):
        warm.set_params(min_margin=margin).fit(X, y)
        assert warm.status_ is Status.NO_SUCH_MARGIN
        assert warm.certificate_.excluded_margin is not None
        assert_proved(warm, X, y)


def test_an_error_keeps_what_was_there():
    X, y = noise()
    clf = Perceptron(warm_start=True, max_iter=3, min_margin=0.0, random_state=0).fit(X, y)
    coef = clf.coef_.copy()
    with pytest.raises(ValueError, match="NaN"):
        clf.fit(np.full_like(X, np.nan), y)
    np.testing.assert_array_equal(clf.coef_, coef)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf.fit(X, y)
    whole = Perceptron(max_iter=6, min_margin=0.0, random_state=0).fit(X, y)
    np.testing.assert_array_equal(clf.coef_, whole.coef_)
