"""Where every search gives up: passes, updates, time; and what it says then."""

import time
import warnings

import numpy as np
import pytest

from novikoff.certificate import Inconclusive, PerClass, Separation, SoftOptimum, Status
from tests.checks.subjects import (
    ESTIMATORS,
    EVERYTHING,
    HARD,
    MARGINS,
    OTHER_RULES,
    PERCEPTRONS,
    SOFT,
    assert_proved,
    make,
    stops,
    warned,
)
from tests.estimators.problems import noise, three_classes, whole_numbers


def endless(name, **limits):
    """A search that no proof ends within reason."""
    if name in MARGINS:
        return make(name, **(dict(tol=1e-14) | limits))
    return make(name, **(({} if name == "is_separable" else dict(min_margin=0.0)) | limits))


LIMITS = [
    ({"max_iter": 1}, Status.MAX_ITER),
    ({"max_updates": 3}, Status.MAX_UPDATES),
    ({"time_limit": 0.0}, Status.TIME_LIMIT),
]


@pytest.mark.parametrize(("limit", "status"), LIMITS)
@pytest.mark.parametrize("name", [*ESTIMATORS, *OTHER_RULES])
def test_every_limit(name, limit, status):
    if name in MARGINS and "max_updates" in limit:
        pytest.skip("MaxMargin has no limit on updates")
    X, y = noise(300)
    clf = endless(name, **limit)
    message = warned(clf.fit, X, y)
    assert status in stops(clf.certificate_)
    assert f"({next(iter(limit))})" in message
    asked = type(clf.rule).__name__ if name not in MARGINS and name != "with slack" else ""
    assert f"asked for {asked}" in message
    assert f"reached {clf.certificate_.headline()}. " in message
    assert "aise the limit" in message
    assert isinstance(clf.certificate_, SoftOptimum if name in SOFT else Inconclusive)
    assert assert_proved(clf, X, y).errors == (clf.predict(X) != y).sum()


@pytest.mark.parametrize("limit", [{"max_iter": 1}, {"time_limit": 0.0}])
def test_a_verdict_that_is_cut_short(limit):
    """Nothing is warned of: the certificate is the answer, and it refuses to be one."""
    X, y = noise(300)
    clf = make("is_separable", **limit).fit(X, y)
    assert isinstance(clf.certificate_, Inconclusive)
    assert clf.certificate_.model is None
    assert f"({next(iter(limit))})" in clf.status_.value
    assert_proved(clf, X, y)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", ["scale-free", "hard", "soft"])
def test_one_warning_for_all_classes(name, n_jobs):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 3)), np.arange(200) % 5
    clf = endless(name, max_iter=1, n_jobs=n_jobs, multi_class="ovr")
    assert "for 5 of 5 classes" in warned(clf.fit, X, y)
    assert isinstance(clf.certificate_, PerClass)
    assert Status.MAX_ITER in stops(clf.certificate_)
    assert_proved(clf, X, y)


# In three passes Wolfe's method proves that nothing separates these examples.
DECIDED = (("hard", 3), ("is_separable", 3))
LIMITED = [(name, most) for name in EVERYTHING for most in (1, 2, 3) if (name, most) not in DECIDED]


@pytest.mark.parametrize(("name", "max_iter"), LIMITED)
def test_no_pass_beyond_the_limit(name, max_iter):
    """Only a soft margin that replaces the hard one has passes of its own, at least ten."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((3000, 60)), rng.integers(0, 2, 3000)
    lines = []
    clf = endless(name, max_iter=max_iter).set_callbacks(lines.append)
    if name == "is_separable":
        clf.fit(X, y)
    else:
        warned(clf.fit, X, y)
        assert clf.n_iter_ <= max_iter
    assert all(line.iteration <= max_iter + (10 if name == "hard" else 0) for line in lines)
    assert Status.MAX_ITER in stops(clf.certificate_)
    assert_proved(clf, X, y)


@pytest.mark.parametrize("name", ["scale-free", "min-over"])
def test_passes_are_counted_exactly(name):
    X, y = whole_numbers()
    needed = make(name).fit(X, y).n_iter_
    enough = make(name, max_iter=needed).fit(X, y)
    assert enough.n_iter_ == needed
    assert not enough.status_.at_limit
    clf = make(name, max_iter=needed - 1)
    warned(clf.fit, X, y)
    assert clf.status_ is Status.MAX_ITER
    assert clf.n_iter_ == needed - 1


@pytest.mark.parametrize("name", EVERYTHING)
def test_an_end_that_is_proved_is_not_warned_of(name):
    """A gap, a margin that cannot be, or the proof that nothing separates."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for X, y in (noise(), whole_numbers(), three_classes()):
            clf = make(name, max_iter=20_000).fit(X, y)
            assert not any(status.at_limit for status in stops(clf.certificate_))


@pytest.mark.parametrize("name", HARD)
def test_a_separator_is_kept_at_the_limit(name):
    """One example after the other was on its side long before the rule was satisfied."""
    X, y = whole_numbers(400)
    finer = dict(tol=1e-15) if name == "hard" else dict(rule="dynamic", max_updates=100)
    clf = make(name, **finer)
    message = warned(clf.fit, X, y)
    assert isinstance(clf.certificate_, Separation)
    assert clf.status_.at_limit
    assert clf.score(X, y) == 1.0
    assert "reached separable, margin" in message
    assert_proved(clf, X, y)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", ["scale-free", "min-over", "hard", "soft"])
def test_the_time_limit_acts_soon(name, order):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((100_000, 40)), rng.integers(0, 2, 100_000)
    X = np.asarray(X, order=order)
    few = slice(0, 1000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        endless(name, max_iter=2).fit(X[few], y[few])  # Compiles what is not compiled yet.
    limit = 0.5 if name in PERCEPTRONS else 0.05
    clf = endless(name, max_iter=10**9, time_limit=limit)
    started = time.perf_counter()
    assert "(time_limit)" in warned(clf.fit, X, y)
    # What was found is still certified: a few passes over the data.
    assert time.perf_counter() - started < 2.5
    assert Status.TIME_LIMIT in stops(clf.certificate_)
    assert_proved(clf, X, y)
