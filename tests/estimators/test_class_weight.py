"""Class weights scale the steps of a class."""

import numpy as np
import pytest
from sklearn.base import clone

from novikoff import Perceptron
from tests.estimators.problems import (
    UNIT_STEP_RULES,
    assert_proved,
    assert_same_model,
    noise,
    three_classes,
    whole_numbers,
)


@pytest.mark.parametrize("rule", sorted(set(UNIT_STEP_RULES) - {"infinity", "min-over"}))
def test_steps_are_multiples_of_the_weight(rule):
    X, y = whole_numbers()
    clf = Perceptron(
        rule=UNIT_STEP_RULES[rule], class_weight={0: 0.5, 1: 3.0}, random_state=0, max_iter=5000
    ).fit(X, y)
    steps = np.abs(clf.dual_coef_) / np.where(y == 1, 3.0, 0.5)[clf.support_]
    np.testing.assert_array_equal(steps, np.rint(steps))
    assert steps.sum() == clf.n_updates_
    assert clf.dual_coef_.dtype == np.float64
    assert clf.score(X, y) == 1.0
    assert bool(clf.certificate_)
    assert_proved(clf, X, y)


@pytest.mark.parametrize("C", [np.inf, 2.0])
def test_class_weights_do_not_change_min_over(C):
    """With an intercept MinOver steps on one example of each class, by the same length.

    With a finite C they count for the slack.
    """
    X, y = whole_numbers()
    how = dict(rule=UNIT_STEP_RULES["min-over"], C=C, random_state=0)
    plain = Perceptron(**how).fit(X, y)
    weighted = Perceptron(class_weight={0: 0.5, 1: 3.0}, **how).fit(X, y)
    if C == np.inf:
        assert_same_model(plain, weighted)
        np.testing.assert_array_equal(plain.dual_coef_, weighted.dual_coef_)
    else:
        assert weighted.certificate_.problem.class_weights == (0.5, 3.0)
    assert weighted.dual_coef_.dtype == np.int64
    assert_proved(weighted, X, y)
    X, y = whole_numbers(intercept=False)
    homogeneous = Perceptron(fit_intercept=False, class_weight={0: 0.5, 1: 3.0}, **how).fit(X, y)
    steps = np.abs(homogeneous.dual_coef_) / np.where(y == 1, 3.0, 0.5)[homogeneous.support_]
    np.testing.assert_array_equal(steps, np.rint(steps))
    assert_proved(homogeneous, X, y)


def test_equal_weights_scale_the_classic_rule():
    X, y = noise()
    plain, heavy = (
        Perceptron(rule="classic", class_weight=weight, random_state=0).fit(X, y)
        for weight in (None, {0: 4.0, 1: 4.0})
    )
    np.testing.assert_array_equal(4.0 * plain.coef_, heavy.coef_)


def test_against_the_rest_a_class_has_its_own_weight():
    X, y = three_classes()
    labels = np.array(["x", "y", "z"])[y]
    rest = Perceptron(multi_class="ovr", random_state=0)
    clf = clone(rest).set_params(class_weight={"y": 4.0}).fit(X, labels)
    for k, label in enumerate("xyz"):
        own = 4.0 if label == "y" else 1.0
        binary = Perceptron(class_weight={False: 1.0, True: own}, random_state=0)
        binary.fit(X, labels == label)
        np.testing.assert_array_equal(binary.coef_[0], clf.coef_[k])
    balanced = clone(rest).set_params(class_weight="balanced").fit(X, labels)
    binary = Perceptron(class_weight="balanced", random_state=0).fit(X, labels == "y")
    np.testing.assert_array_equal(binary.coef_[0], balanced.coef_[1])


def test_online():
    X, y = whole_numbers()
    weight = {0: 0.5, 1: 2.0}
    clf = Perceptron(class_weight=weight).partial_fit(X[:1], y[:1], classes=[0, 1])
    at_centre = clf.intercept_[0] + X[0] @ clf.coef_[0]
    assert at_centre == (2.0 if y[0] == 1 else -0.5)
    with pytest.raises(ValueError, match="'balanced' counts the first batch, which lacks a class"):
        Perceptron(class_weight="balanced").partial_fit(X[:1], y[:1], classes=[0, 1])
    clf = Perceptron(class_weight="balanced").partial_fit(X[:20], y[:20], classes=[0, 1])
    counts = np.bincount(y[:20])
    other = Perceptron(class_weight={k: 20 / (2 * counts[k]) for k in (0, 1)})
    assert_same_model(clf, other.partial_fit(X[:20], y[:20], classes=[0, 1]))


@pytest.mark.parametrize("weight", [{0: 0.0}, {1: np.inf}, {0: "heavy"}, {5: 1.0}, "balance", 3.0])
def test_bad_weights_online(weight):
    X, y = whole_numbers()
    with pytest.raises(ValueError, match=r"class_weight|could not convert string"):
        Perceptron(class_weight=weight).partial_fit(X, y, classes=[0, 1])
