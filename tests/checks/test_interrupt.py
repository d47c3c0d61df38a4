"""Ctrl-C: a search ends in good order; what it reached is stored; KeyboardInterrupt is raised."""

import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from novikoff import MaxMargin, Perceptron, is_separable
from novikoff.certificate import (
    Certifier,
    Inconclusive,
    NonSeparation,
    Separation,
    SoftOptimum,
    Status,
)
from novikoff.certificate.announce import COMPILING
from novikoff.estimators import margin_fit, rule_fit
from novikoff.estimators.training import Training
from novikoff.sample import storage
from tests.checks.subjects import (
    ESTIMATORS,
    EVERYTHING,
    PERCEPTRONS,
    SOFT,
    assert_proved,
    endless,
    make,
    stops,
)
from tests.estimators.problems import noise, three_classes, whole_numbers


class Interrupt:
    """A callback that is Ctrl-C when it is called for the n-th time."""

    def __init__(self, at=1):
        self.at, self.lines = at, []

    def __call__(self, line):
        self.lines.append(line)
        if len(self.lines) == self.at:
            raise KeyboardInterrupt


def interrupted(clf, X, y, at=1):
    callback = Interrupt(at)
    with pytest.raises(KeyboardInterrupt):
        clf.set_callbacks(callback).fit(X, y)
    return callback.lines


def patient(name, **options):
    return make(name, **endless(name), **options)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_interrupted_fit_stores_what_was_reached(name):
    """And nothing is warned of: the exception says it."""
    X, y = noise(400)
    clf = patient(name)
    assert len(interrupted(clf, X, y)) == 1
    assert stops(clf.certificate_) == {Status.INTERRUPTED}
    assert isinstance(clf.certificate_, SoftOptimum if name in SOFT else Inconclusive)
    assert assert_proved(clf, X, y).errors == (clf.predict(X) != y).sum()
    assert clf.history_[-1].updates <= clf.n_updates_


@pytest.mark.parametrize("name", ESTIMATORS)
def test_interrupted_at_the_last_line_of_the_history(name):
    """Then the fit is finished, and interrupted nevertheless."""
    X, y = whole_numbers()
    lines = []
    whole = make(name).set_callbacks(lines.append).fit(X, y)
    clf = make(name)
    interrupted(clf, X, y, at=len(lines))
    np.testing.assert_array_equal(clf.coef_, whole.coef_)
    assert_proved(clf, X, y)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", ["scale-free", "hard", "soft"])
def test_an_interruption_stops_all_classes(name, n_jobs):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20_000, 3)), rng.integers(0, 5, 20_000)
    clf = patient(name, n_jobs=n_jobs, multi_class="ovr")
    interrupted(clf, X, y)
    assert clf.coef_.shape == (5, 3)
    stopped = [part.status is Status.INTERRUPTED for part in clf.certificate_.certificates]
    # Another thread may have finished classes before this one could cancel it.
    assert all(stopped) if n_jobs == 1 else sum(stopped) >= 2
    assert_proved(clf, X, y)


@pytest.mark.parametrize("classes", [2, 3])
def test_an_interrupted_is_separable_gives_no_verdict(classes):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 6)), rng.integers(0, classes, 400)
    with pytest.raises(KeyboardInterrupt) as raised:
        is_separable(X, y, callbacks=(Interrupt(),))
    certificate = raised.value.certificate
    assert Status.INTERRUPTED in stops(certificate)
    assert certificate.verify(X, y)
    with pytest.raises(ValueError, match="undecided"):
        bool(certificate)


@pytest.mark.parametrize("name", ["scale-free", "hard"])
def test_interrupted_after_the_examples_were_separated(name):
    X, y = whole_numbers(400)
    finer = dict(tol=1e-12) if name == "hard" else dict(rule="dynamic")
    lines = []
    make(name, **finer).set_callbacks(lines.append).fit(X, y)
    separated = next(k for k, line in enumerate(lines, 1) if line.lower > 0.0)
    clf = make(name, **finer)
    interrupted(clf, X, y, at=separated)
    assert isinstance(clf.certificate_, Separation)
    assert clf.score(X, y) == 1.0
    assert_proved(clf, X, y)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_interrupted_fit_goes_on_after_a_warm_start(name):
    X, y = whole_numbers(200)
    clf = make(name, warm_start=True)
    interrupted(clf, X, y)
    clf.set_callbacks().fit(X, y)
    assert not any(status.at_limit for status in stops(clf.certificate_))
    if name in PERCEPTRONS:
        np.testing.assert_array_equal(clf.coef_, make(name).fit(X, y).coef_)
    assert_proved(clf, X, y)


def test_a_separator_found_before_the_interruption_is_not_searched_for_again():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((2500, 1000))
    y = np.sign(X @ rng.standard_normal(1000) + 20.0 * rng.standard_normal(2500))
    whole, lines = MaxMargin(), []
    whole.set_callbacks(lines.append).fit(X, y)
    separated = next(k for k, line in enumerate(lines, 1) if line.lower > 0.0)
    clf = MaxMargin(warm_start=True)
    interrupted(clf, X, y, at=separated)
    assert isinstance(clf.certificate_, Separation)
    clf.set_callbacks().fit(X, y)
    assert (whole.solver_, clf.solver_) == ("newton+wolfe", "wolfe")
    assert clf.n_iter_ < whole.n_iter_ / 5
    assert not clf.status_.at_limit
    assert_proved(clf, X, y)


class CtrlC:
    """Sends the signal of Ctrl-C to the main thread, once, which handles it as Python does."""

    pressed = False

    def press(self, *_):
        if not self.pressed:
            self.pressed = True
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    def __enter__(self):
        self.before = signal.signal(signal.SIGINT, signal.default_int_handler)
        return self

    def __exit__(self, *_):
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        signal.signal(signal.SIGINT, self.before)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", EVERYTHING)
def test_the_signal(name, n_jobs):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((600, 4)), rng.integers(0, 3 if n_jobs > 1 else 2, 600)
    clf = patient(name, n_jobs=n_jobs)
    with CtrlC() as ctrl_c, pytest.raises(KeyboardInterrupt):
        clf.set_callbacks(ctrl_c.press).fit(X, y)
    if name != "is_separable":
        assert Status.INTERRUPTED in stops(clf.certificate_)
        assert_proved(clf, X, y)


@pytest.mark.parametrize("classes", [2, 3])
def test_is_separable_interrupted_before_its_search(monkeypatch, classes):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((400, 6)), rng.integers(0, classes, 400)
    read = Training.of

    def read_and_press(*arguments, **options):
        training = read(*arguments, **options)
        ctrl_c.press()
        return training

    monkeypatch.setattr(Training, "of", read_and_press)
    with CtrlC() as ctrl_c, pytest.raises(KeyboardInterrupt) as raised:
        is_separable(X, y)
    certificate = raised.value.certificate
    assert all(isinstance(part, Inconclusive) for part in certificate.parts)
    assert set(stops(certificate)) == {Status.INTERRUPTED}
    assert certificate.verify(X, y)


def test_interrupted_during_a_sweep_of_converted_rows(monkeypatch):
    """The signal is served as soon as the compiled sweep returns: nothing of it may be lost."""
    X, y = whole_numbers()
    monkeypatch.setattr(storage, "CONVERTED_AT_ONCE", 0)
    from novikoff.compiled import sweep as compiled

    sweep, ctrl_c, calls = compiled.sweep, CtrlC(), []

    def sweep_and_press(*arguments):
        answer = sweep(*arguments)
        calls.append(answer)
        if len(calls) == 2:
            ctrl_c.press()
        return answer

    monkeypatch.setattr(compiled, "sweep", sweep_and_press)
    clf = Perceptron(random_state=0, average=False)
    with ctrl_c, pytest.raises(KeyboardInterrupt):
        clf.fit(np.asfortranarray(X), y)
    assert clf.status_ is Status.INTERRUPTED
    assert len(calls) == 2
    assert np.abs(clf.dual_coef_).sum() == clf.n_updates_
    assert_proved(clf, X, y)


def test_interrupted_with_a_very_large_C():
    """Nearly the hard margin: there Newton's method hands over to Wolfe's."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 5)), rng.integers(0, 2, 400)
    clf = MaxMargin(C=1e14)
    assert len(interrupted(clf, X, y)) == 1
    assert clf.status_ is Status.INTERRUPTED


def test_interrupted_during_a_proof(monkeypatch):
    """It is finished; the soft margin that follows it is not."""
    X, y = noise()
    refute, ctrl_c = Certifier.refute, CtrlC()

    def press_and_refute(*arguments):
        ctrl_c.press()
        return refute(*arguments)

    monkeypatch.setattr(Certifier, "refute", press_and_refute)
    clf = MaxMargin()
    with ctrl_c, pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    assert isinstance(clf.certificate_, NonSeparation)
    assert clf.certificate_.model_account.status is Status.INTERRUPTED
    assert_proved(clf, X, y)


def test_interrupted_in_the_soft_margin_of_one_class(monkeypatch):
    """It ends the searches for the other classes, which have not begun."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.integers(0, 3, 300)
    soft_margin, begun = margin_fit.soft_margin, []

    def noted(*args, **options):
        begun.append(1)
        return soft_margin(*args, **options)

    def interrupt(line):
        if begun:
            raise KeyboardInterrupt

    monkeypatch.setattr(margin_fit, "soft_margin", noted)
    clf = MaxMargin(multi_class="ovr").set_callbacks(interrupt)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    first, *others = clf.certificate_.certificates
    assert isinstance(first, NonSeparation)
    assert first.model_account.status is Status.INTERRUPTED
    assert all(part.status is Status.INTERRUPTED for part in others)
    assert len(begun) == 1
    assert_proved(clf, X, y)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_interrupted_outside_the_search_the_model_is_unchanged(name, monkeypatch):
    """Where there is nothing to store yet, or it cannot be stored any more."""
    X, y = three_classes()

    def press(*_, **__):
        raise KeyboardInterrupt

    places = {"joint": ("training.hash_rows", "joint.Clock"), "ovr": ("one_vs_rest.combined",)}
    places["ovr"] += ("one_vs_rest.Clock",)
    for multi_class, some in places.items():
        clf = make(name, multi_class=multi_class).fit(X, y == 0)
        before = vars(clf).copy()
        for place in some:
            with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
                patch.setattr(f"novikoff.estimators.{place}", press)
                clf.fit(X, y)
            assert vars(clf) == before


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_second_ctrl_c_leaves_the_model_unchanged(name):
    X, y = three_classes()
    clf = patient(name).fit(X, y == 0)
    before = vars(clf).copy()

    def press_twice(line):
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)

    with CtrlC(), pytest.raises(KeyboardInterrupt):
        clf.set_callbacks(press_twice).fit(X, y)
    after = {key: value for key, value in vars(clf).items() if key != "_callbacks"}
    assert after.keys() == before.keys()
    assert all(after[key] is before[key] for key in before)


def test_a_second_ctrl_c_does_not_wait_for_the_threads_of_classes(monkeypatch):
    X, y = three_classes()
    release, begun, finished = threading.Event(), [], []

    def press_twice_and_hang(sample, rule, *, clock, **options):
        begun.append(sample)
        if len(begun) == 1:
            main = threading.main_thread().ident
            signal.pthread_kill(main, signal.SIGINT)
            while clock.interrupted() is None:
                release.wait(0.001)
            signal.pthread_kill(main, signal.SIGINT)
        finished.append(release.wait(60.0))
        raise RuntimeError("too late")

    monkeypatch.setattr(rule_fit, "run", press_twice_and_hang)
    clf = patient("scale-free", n_jobs=2, multi_class="ovr")
    try:
        with CtrlC(), pytest.raises(KeyboardInterrupt):
            clf.fit(X, y)
        assert not finished
    finally:
        release.set()
    assert not hasattr(clf, "certificate_")


def test_a_fit_in_another_thread_installs_no_signal_handler():
    X, y = whole_numbers()
    models = []
    with CtrlC():
        thread = threading.Thread(target=lambda: models.append(make("scale-free").fit(X, y)))
        thread.start()
        thread.join()
    assert models[0].score(X, y) == 1.0


SCRIPT = """
import signal, numpy as np
from tests.checks.subjects import EVERYTHING, endless, make, stops

signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X, y = rng.standard_normal((100_000, 30)), rng.integers(0, 2, 100_000)
limits = dict(max_iter=10**9, time_limit=300.0)
for name in EVERYTHING:
    clf = make(name, **limits, **endless(name))
    try:
        clf.set_callbacks(lambda line: print("begun", flush=True)).fit(X, y)
    except KeyboardInterrupt:
        if name != "is_separable":
            print(*sorted(status.name for status in stops(clf.certificate_)), clf.score(X, y) > 0.4)
        else:
            print("INTERRUPTED")
    else:
        print(name, "was not interrupted")
print("done", flush=True)
"""


def test_a_real_signal_from_another_process():
    """Each search is in its second pass or later when the signal arrives."""
    told, pressed = [], False
    command = [sys.executable, "-c", SCRIPT]
    pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with subprocess.Popen(command, **pipes) as run:
        for line in run.stdout:
            if line != "begun\n":
                told.append(line.split())
                pressed = False
            elif not pressed:
                run.send_signal(signal.SIGINT)
                pressed = True
        # What no test has used before is compiled.
        assert run.stderr.read() in ("", f"{COMPILING}\n")
    assert run.returncode == 0
    assert told == [["INTERRUPTED", "True"]] * len(ESTIMATORS) + [["INTERRUPTED"], ["done"]]


SEARCH = """
import signal, sys, warnings
import numpy as np
from sklearn.model_selection import GridSearchCV
from novikoff import MaxMargin, Perceptron

warnings.simplefilter("error")
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X, y = rng.standard_normal((100_000, 30)), rng.integers(0, 2, 100_000)
endless = dict(max_iter=10**9, time_limit=300.0)


class Told:
    def fit(self, X, y):
        print("fit", flush=True)
        self.set_callbacks(lambda line: print("begun", flush=True))
        return super().fit(X, y)


class ToldPerceptron(Told, Perceptron):
    pass


class ToldMaxMargin(Told, MaxMargin):
    pass


grids = {
    ToldPerceptron(min_margin=0.0, **endless): {"random_state": [0, 1, 2]},
    ToldMaxMargin(**endless): {"tol": [1e-6, 1e-7, 1e-8]},
}
for clf, grid in grids.items():
    try:
        GridSearchCV(clf, grid, cv=3).fit(X, y)
    except KeyboardInterrupt:
        print("stopped", flush=True)
    else:
        print("went through", flush=True)
"""


def test_a_grid_search_stops_at_the_first_of_nine_fits():
    told, pressed = [], False
    command = [sys.executable, "-c", SEARCH]
    pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with subprocess.Popen(command, **pipes) as run:
        for line in run.stdout:
            if line != "begun\n":
                told.append(line.strip())
                pressed = False
            elif not pressed:
                run.send_signal(signal.SIGINT)
                pressed = True
        # What no test has used before is compiled.
        assert run.stderr.read() in ("", f"{COMPILING}\n")
    assert told == ["fit", "stopped"] * 2
