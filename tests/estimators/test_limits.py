"""Where a perceptron gives up: how passes and updates are counted, and which iterate is kept."""

import numpy as np

from novikoff import Perceptron, rules
from novikoff.certificate import Inconclusive, Separation, Status
from novikoff.data import planted
from tests.checks.subjects import assert_proved, warned
from tests.estimators.problems import whole_numbers


def test_updates_are_counted_exactly():
    X, y = whole_numbers()
    needed = Perceptron(random_state=0).fit(X, y).n_updates_
    enough = Perceptron(random_state=0, max_updates=needed).fit(X, y)
    assert enough.status_ is Status.CONVERGED
    for short in (1, 2, needed - 1):
        clf = Perceptron(random_state=0, max_updates=short)
        warned(clf.fit, X, y)
        assert clf.n_updates_ == short
        assert clf.status_ is Status.MAX_UPDATES


def test_cheap_passes_are_not_counted():
    """Between two full passes there may be a hundred over the near-violated examples."""
    p = planted(300, 10, 0.01, intercept=True, random_state=0)
    clf = Perceptron(random_state=0).fit(p.X, p.y)
    per_pass = np.diff([line.updates for line in clf.history_])
    assert per_pass.max() > len(p.y)
    assert len(clf.history_) == clf.n_iter_


def test_a_separating_iterate_is_kept_at_the_limit():
    """The rule asks for more margin than it has got so far: a Separation, and a warning."""
    p = planted(100, 4, 0.1, intercept=True, random_state=0)
    clf = Perceptron(rule=rules.Dynamic(accuracy=0.001), random_state=0, max_updates=2000)
    message = warned(clf.fit, p.X, p.y)
    assert isinstance(clf.certificate_, Separation)
    assert bool(clf.certificate_)
    assert clf.status_ is Status.MAX_UPDATES
    assert (clf.predict(p.X) == p.y).all()
    assert "reached separable, margin 0." in message
    assert_proved(clf, p.X, p.y)


def test_the_best_iterate_is_kept_at_the_limit():
    """Of the iterates that separated when they were looked at, the one with the largest margin."""
    p = planted(100, 4, 0.1, intercept=True, random_state=0)
    short, long = (
        Perceptron(rule=rules.MinOver(accuracy=1e-9), random_state=0, max_iter=passes)
        for passes in (400, 1000)
    )
    warned(short.fit, p.X, p.y)
    warned(long.fit, p.X, p.y)
    lowers = [line.lower for line in short.history_]
    assert max(lowers) == lowers[-1] > 0
    assert long.history_[-1].lower >= lowers[-1]
    assert (short.predict(p.X) == p.y).all()


def test_the_warning_counts_the_classes_that_are_open():
    """One class lies between the two others: it alone is not separable from the rest."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = (10.0 * y + rng.uniform(size=60))[:, None]
    clf = Perceptron(random_state=0, min_margin=0.0, max_iter=50, multi_class="ovr")
    assert "for 1 of 3 classes" in warned(clf.fit, X, y)
    kinds = [type(certificate) for certificate in clf.certificate_.certificates]
    assert kinds == [Separation, Inconclusive, Separation]
