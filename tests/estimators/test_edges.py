"""What was once found at the edges of the perceptron: ties, lost bounds, growing weights."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from novikoff import Perceptron, rules
from novikoff.certificate import Separation
from novikoff.data import planted


def test_a_rounded_tie_is_violated():
    """Two points and the classic rule: the default lift makes exact ties, rounded either way."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        X = rng.standard_normal((2, 3))
        clf = Perceptron(rule="classic", random_state=0).fit(X, [0, 1])
        assert isinstance(clf.certificate_, Separation)
        assert clf.score(X, [0, 1]) == 1.0


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


def test_alma_with_a_small_a_stays_finite():
    """Its weights grow like exp(sqrt t); they are brought back before they overflow."""
    problem = planted(100, 4, 0.1, random_state=0)
    clf = Perceptron(
        rule=rules.Alma(a=0.02), fit_intercept=False, max_updates=150_000, random_state=0
    )
    with pytest.warns(ConvergenceWarning):
        clf.fit(problem.X, problem.y)
    assert np.isfinite(clf.dual_coef_).all()
    assert clf.certificate_.verify(problem.X, problem.y).upper >= problem.margin
