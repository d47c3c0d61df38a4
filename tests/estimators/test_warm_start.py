"""A perceptron that goes on from where the last fit stopped."""

import numpy as np
import pytest

from novikoff import Perceptron, rules
from novikoff.certificate import Status
from novikoff.data import planted
from tests.checks.subjects import assert_proved
from tests.estimators.problems import assert_same_model, noise

pytestmark = pytest.mark.filterwarnings("ignore:The run stopped at its limit")


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


def test_an_order_drawn_once_is_kept():
    """No random state, or a generator that moves on: the run goes on in its own order."""
    X, y = noise()
    for state in (None, np.random.RandomState(0)):
        clf = Perceptron(max_iter=2, min_margin=0.0, warm_start=True, random_state=state)
        first = clf.fit(X, y).support_[0]
        assert clf.fit(X, y).support_[0] == first


def test_another_rule_starts_anew():
    X, y = noise()
    how = dict(max_iter=3, min_margin=0.0, random_state=0)
    clf = Perceptron(warm_start=True, **how).fit(X, y)
    other = rules.ScaleFree(c=2.0)
    clf.set_params(rule=other).fit(X, y)
    assert_same_model(clf, Perceptron(rule=other, **how).fit(X, y))


def test_a_path_of_margins():
    """Asking for less and less margin, each run starts where the one before stopped."""
    X, y = noise(200)
    warm = Perceptron(warm_start=True, random_state=0)
    for margin in (0.3, 0.1, 0.03, 0.01):
        warm.set_params(min_margin=margin).fit(X, y)
        assert warm.status_ is Status.NO_SUCH_MARGIN
        assert warm.certificate_.upper < warm.certificate_.account.min_margin
        assert_proved(warm, X, y)
