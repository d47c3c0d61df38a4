"""Where a run gives up: passes, updates, time, Ctrl-C; and what it says then."""

import signal
import threading
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from novikoff import Perceptron, rules
from novikoff.certificate import Inconclusive, PerClass, Separation, SoftOptimum, Status
from novikoff.data import planted
from novikoff.sample import storage
from tests.estimators.problems import (
    ALL_RULES,
    assert_proved,
    noise,
    three_classes,
    whole_numbers,
)

ENDLESS = dict(min_margin=0.0, max_iter=10**9, time_limit=60.0, random_state=0)


def fitted_with_one_warning(clf, X, y):
    """Fit and return what was warned of: one sentence to the caller's line."""
    with pytest.warns(ConvergenceWarning) as caught:
        clf.fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    message = str(caught[0].message)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("rule", sorted(set(ALL_RULES) - {"infinity"}))
@pytest.mark.parametrize(
    ("limit", "status"),
    [
        ({"max_iter": 2}, Status.MAX_ITER),
        ({"max_updates": 3}, Status.MAX_UPDATES),
        ({"time_limit": 0.0}, Status.TIME_LIMIT),
    ],
)
def test_every_limit_with_every_rule(rule, limit, status):
    X, y = noise(300)
    clf = Perceptron(rule=ALL_RULES[rule], random_state=0, min_margin=0.0, **limit)
    message = fitted_with_one_warning(clf, X, y)
    assert clf.status_ is status
    assert isinstance(clf.certificate_, Inconclusive)
    assert clf.certificate_.excluded_margin is None
    assert f"({next(iter(limit))})" in message
    assert f"asked for {type(ALL_RULES[rule]).__name__}(" in message
    assert "reached no separating hyperplane" in message
    assert "Raise the limit" in message
    assert_proved(clf, X, y)
    assert clf.predict(X).shape == y.shape


def test_updates_are_counted_exactly():
    X, y = whole_numbers()
    needed = Perceptron(random_state=0).fit(X, y).n_updates_
    enough = Perceptron(random_state=0, max_updates=needed).fit(X, y)
    assert enough.status_ is Status.CONVERGED
    for short in (1, 2, needed - 1):
        clf = Perceptron(random_state=0, max_updates=short)
        fitted_with_one_warning(clf, X, y)
        assert clf.n_updates_ == short
        assert clf.status_ is Status.MAX_UPDATES


@pytest.mark.parametrize("rule", ["scale-free", "min-over"])
def test_passes_are_counted_exactly(rule):
    X, y = whole_numbers()
    needed = Perceptron(rule=rule, random_state=0).fit(X, y).n_iter_
    enough = Perceptron(rule=rule, random_state=0, max_iter=needed).fit(X, y)
    assert enough.n_iter_ == needed
    clf = Perceptron(rule=rule, random_state=0, max_iter=needed - 1)
    fitted_with_one_warning(clf, X, y)
    assert clf.status_ is Status.MAX_ITER
    assert clf.n_iter_ == needed - 1


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
    rule = rules.Dynamic(accuracy=0.001)
    clf = Perceptron(rule=rule, random_state=0, max_updates=2000)
    message = fitted_with_one_warning(clf, p.X, p.y)
    assert isinstance(clf.certificate_, Separation)
    assert bool(clf.certificate_)
    assert clf.status_ is Status.MAX_UPDATES
    assert (clf.predict(p.X) == p.y).all()
    assert (
        f"reached margin {clf.margin_:.6g} with optimum <= {clf.margin_upper_bound_:.6g}" in message
    )
    assert_proved(clf, p.X, p.y)


def test_the_best_iterate_is_kept_at_the_limit():
    """Of the iterates that separated when they were looked at, the one with the largest margin."""
    p = planted(100, 4, 0.1, intercept=True, random_state=0)
    clf = Perceptron(rule=rules.MinOver(accuracy=1e-9), random_state=0, max_iter=400)
    fitted_with_one_warning(clf, p.X, p.y)
    last = Perceptron(rule=rules.MinOver(accuracy=1e-9), random_state=0, max_iter=1000)
    fitted_with_one_warning(last, p.X, p.y)
    lowers = [line.lower for line in clf.history_]
    assert max(lowers) == lowers[-1] > 0
    assert last.history_[-1].lower >= lowers[-1]
    assert (clf.predict(p.X) == p.y).all()


def test_a_soft_margin_at_the_limit():
    X, y = noise()
    clf = Perceptron(soft_margin=0.1, random_state=0, max_iter=2)
    message = fitted_with_one_warning(clf, X, y)
    assert isinstance(clf.certificate_, SoftOptimum)
    assert clf.status_ is Status.MAX_ITER
    assert f"objective of {clf.certificate_.primal:.6g}" in message
    assert_proved(clf, X, y)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_one_warning_for_all_classes(n_jobs):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 3)), np.arange(200) % 5
    clf = Perceptron(random_state=0, max_iter=3, min_margin=0.0, n_jobs=n_jobs)
    message = fitted_with_one_warning(clf, X, y)
    assert "for 5 of 5 classes" in message
    assert isinstance(clf.certificate_, PerClass)
    assert clf.status_ is Status.MAX_ITER
    assert_proved(clf, X, y)


def test_the_warning_counts_the_classes_that_are_open():
    """One class lies between the two others: it alone is not separable from the rest."""
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    X = (10.0 * y + rng.uniform(size=60))[:, None]
    clf = Perceptron(random_state=0, min_margin=0.0, max_iter=50)
    assert "for 1 of 3 classes" in fitted_with_one_warning(clf, X, y)
    kinds = [type(certificate) for certificate in clf.certificate_.certificates]
    assert kinds == [Separation, Inconclusive, Separation]


def test_a_proof_that_nothing_was_missed_is_not_warned_of():
    """A run that excluded the margin it looked for has ended by itself."""
    X, y = noise()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Perceptron().fit(X, y).status_ is Status.NO_SUCH_MARGIN


# Time and Ctrl-C -------------------------------------------------------------------------------


def endless(n=100_000, d=40, classes=2):
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, d)), rng.permutation(np.arange(n) % classes)


@pytest.mark.parametrize("kind", ["float64", "F order", "min-over"])
def test_the_time_limit_acts_soon(kind):
    X, y = endless()
    if kind == "F order":
        X = np.asfortranarray(X)
    clf = Perceptron(**ENDLESS, rule="min-over" if kind == "min-over" else "scale-free")
    clf.set_params(time_limit=0.5)
    message = fitted_with_one_warning(clf, X, y)
    assert clf.status_ is Status.TIME_LIMIT
    assert "(time_limit)" in message
    assert clf.n_updates_ > 0
    assert clf.history_[-1].seconds < 0.5 + 0.4
    clf.certificate_.verify(X, y)


class CtrlC:
    """Sends the signal of Ctrl-C to the main thread, after a while or at a certain moment."""

    def __init__(self, after=None):
        self.timer = threading.Timer(after, self.press) if after is not None else None

    def press(self):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    def __enter__(self):
        self.before = signal.signal(signal.SIGINT, signal.default_int_handler)
        if self.timer:
            self.timer.start()
        return self

    def __exit__(self, kind, *_):
        if self.timer:
            self.timer.cancel()
            self.timer.join()
        signal.signal(signal.SIGINT, self.before)
        if kind is KeyboardInterrupt:
            pytest.fail("Ctrl-C was not caught")


@pytest.mark.parametrize("rule", ["scale-free", "min-over"])
def test_ctrl_c(rule):
    X, y = endless(20_000, 20)
    clf = Perceptron(rule=rule, **ENDLESS)
    with CtrlC(after=0.4):
        message = fitted_with_one_warning(clf, X, y)
    assert "interrupted" in message
    assert clf.status_ is Status.INTERRUPTED
    assert isinstance(clf.certificate_, Inconclusive)
    assert clf.n_updates_ > 0
    assert clf.history_[-1].seconds < 30.0
    assert_proved(clf, X, y)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_with_several_classes(n_jobs):
    X, y = endless(10_000, 30, classes=5)
    clf = Perceptron(**ENDLESS, n_jobs=n_jobs)
    with CtrlC(after=0.4):
        message = fitted_with_one_warning(clf, X, y)
    assert "interrupted" in message
    assert "for 5 of 5 classes" in message
    assert clf.status_ is Status.INTERRUPTED
    assert clf.coef_.shape == (5, 30)
    assert_proved(clf, X, y)


def test_ctrl_c_after_the_examples_were_separated():
    p = planted(2000, 10, 0.1, intercept=True, random_state=0)
    clf = Perceptron(rule=rules.Dynamic(accuracy=1e-6), **ENDLESS)
    with CtrlC(after=0.5):
        fitted_with_one_warning(clf, p.X, p.y)
    assert clf.status_ is Status.INTERRUPTED
    assert bool(clf.certificate_)
    assert (clf.predict(p.X) == p.y).all()
    assert_proved(clf, p.X, p.y)


def test_ctrl_c_during_a_sweep_of_converted_rows(monkeypatch):
    """The signal is served as soon as the compiled sweep returns: nothing of it may be lost."""
    X, y = whole_numbers()
    monkeypatch.setattr(storage, "CONVERTED_AT_ONCE", 0)
    from novikoff.compiled import sweep as compiled

    sweep, ctrl_c, calls = compiled.sweep, CtrlC(), []

    def sweep_and_press(*arguments):
        answer = sweep(*arguments)
        calls.append(answer)
        if len(calls) == 3:
            ctrl_c.press()
        return answer

    monkeypatch.setattr(compiled, "sweep", sweep_and_press)
    clf = Perceptron(random_state=0, average=False)
    with ctrl_c:
        fitted_with_one_warning(clf, np.asfortranarray(X), y)
    assert clf.status_ is Status.INTERRUPTED
    assert len(calls) == 3
    assert np.abs(clf.dual_coef_).sum() == clf.n_updates_
    assert_proved(clf, X, y)


def test_an_interrupted_run_goes_on_after_a_warm_start():
    X, y = three_classes()
    X = X[y > 0]
    y = y[y > 0]
    clf = Perceptron(random_state=0, warm_start=True, max_updates=3)
    fitted_with_one_warning(clf, X, y)
    clf.set_params(max_updates=None).fit(X, y)
    assert bool(clf.certificate_)
