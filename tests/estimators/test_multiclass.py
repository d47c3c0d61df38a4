"""More than two classes, each against the rest, side by side; test_joint.py has them together."""

from functools import partial

import numpy as np
import pytest
from sklearn.datasets import load_iris

from novikoff import Perceptron as AnyPerceptron
from novikoff.certificate import NonSeparation, PerClass, Separation, Status, Undecided
from novikoff.run import Progress
from tests.estimators.problems import (
    ALL_RULES,
    assert_proved,
    assert_same_model,
    three_classes,
)

Perceptron = partial(AnyPerceptron, multi_class="ovr")


def test_shapes():
    X, y = three_classes()
    clf = Perceptron(random_state=0).fit(X, y)
    assert clf.coef_.shape == (3, 2)
    assert clf.intercept_.shape == (3,)
    assert clf.margin_.shape == clf.margin_upper_bound_.shape == (3,)
    assert clf.decision_function(X).shape == (45, 3)
    assert len(clf.support_) == len(clf.dual_coef_) == len(clf.history_) == 3
    for support, weights, history in zip(clf.support_, clf.dual_coef_, clf.history_, strict=True):
        assert support.shape == weights.shape
        assert all(isinstance(line, Progress) for line in history)
    assert clf.n_iter_ == max(history[-1].iteration for history in clf.history_)
    assert clf.n_updates_ == sum(history[-1].updates for history in clf.history_)
    assert isinstance(clf.certificate_, PerClass)
    assert clf.certificate_.classes == (0, 1, 2)
    assert clf.status_ is Status.CONVERGED
    assert bool(clf.certificate_)
    assert clf.score(X, y) == 1.0
    assert_proved(clf, X, y)
    assert len(clf.certificate_.verify(X, y).parts) == 3
    for margin, part in zip(clf.margin_, clf.certificate_.certificates, strict=True):
        assert isinstance(part, Separation)
        assert part.lower == margin


@pytest.mark.parametrize("rule", sorted(set(ALL_RULES) - {"infinity"}))
def test_each_class_is_a_fit_of_its_own(rule):
    X, y = three_classes()
    clf = Perceptron(rule=ALL_RULES[rule], random_state=0, max_iter=5000).fit(X, y)
    for k in range(3):
        alone = Perceptron(rule=ALL_RULES[rule], random_state=0, max_iter=5000).fit(X, y == k)
        np.testing.assert_array_equal(alone.coef_[0], clf.coef_[k])
        assert alone.intercept_[0] == clf.intercept_[k]
        assert alone.margin_ == clf.margin_[k]
        np.testing.assert_array_equal(alone.support_, clf.support_[k])


@pytest.mark.parametrize("rule", ["scale-free", "min-over", "passive-aggressive"])
@pytest.mark.parametrize("n_jobs", [2, -1, 7])
def test_threads_change_nothing(rule, n_jobs):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 6)), rng.permutation(np.arange(300) % 6)
    one, other = (
        Perceptron(rule=rule, random_state=0, min_margin=0.05, n_jobs=jobs).fit(X, y)
        for jobs in (None, n_jobs)
    )
    assert_same_model(one, other)
    assert one.certificate_ == other.certificate_
    for ours, theirs in zip(one.history_, other.history_, strict=True):
        assert [line[:5] for line in ours] == [line[:5] for line in theirs]


def test_a_class_between_the_others():
    """Whole numbers on a line: the class in the middle is proved not to be separable."""
    X, y = np.arange(9.0)[:, None], np.repeat([0, 1, 2], 3)
    clf = Perceptron(random_state=0).fit(X, y)
    kinds = [type(part) for part in clf.certificate_.certificates]
    assert kinds == [Separation, NonSeparation, Separation]
    assert not bool(clf.certificate_)
    assert clf.margin_[0] > 0.0 >= clf.margin_[1]
    assert clf.margin_upper_bound_[1] == 0.0
    assert_proved(clf, X, y)


def test_an_open_class_leaves_the_verdict_open():
    X, y = load_iris(return_X_y=True)
    # The runs end before it is asked whether anything separates the examples.
    clf = Perceptron(random_state=0, min_margin=0.02).fit(X, y)
    assert clf.score(X, y) > 0.85
    assert_proved(clf, X, y)
    with pytest.raises(Undecided, match=r"class [12] against the rest"):
        bool(clf.certificate_)


def test_a_class_that_is_proved_not_to_be_separable_decides():
    X, y = load_iris(return_X_y=True)
    clf = Perceptron(random_state=0).fit(X, y)
    kinds = [type(part).__name__ for part in clf.certificate_.certificates]
    assert kinds == ["Separation", "NonSeparation", "NonSeparation"]
    assert not clf.certificate_
    assert_proved(clf, X, y)


def test_many_classes():
    """A regular polygon: as many classes as examples of each, all of them separable."""
    angles = 2 * np.pi * np.arange(12) / 12
    X = np.repeat(np.c_[np.cos(angles), np.sin(angles)], 3, axis=0)
    y = np.repeat(np.arange(12), 3)
    clf = Perceptron(random_state=0, n_jobs=2).fit(X, y)
    assert bool(clf.certificate_)
    assert clf.score(X, y) == 1.0
