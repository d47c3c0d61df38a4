"""Callbacks: called with every line of history, public, and part of no copy."""

import copy
import itertools
import math
import pickle

import numpy as np
import pytest
from sklearn.base import clone

import novikoff
from novikoff.run import Progress
from tests.checks.subjects import ESTIMATORS, EVERYTHING, SOFT, assert_same_fit, make
from tests.estimators.problems import noise, three_classes, whole_numbers


@pytest.mark.parametrize("data", [whole_numbers, noise])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_callbacks_get_every_line_of_the_history(name, data):
    """In order, while it is written; the last line of a pass may still be made more precise."""
    X, y = data()
    lines, more = [], []
    clf = make(name, max_iter=20_000).set_callbacks(lines.append, more.append)
    assert clf.fit(X, y) is clf
    assert lines == more
    assert all(isinstance(line, Progress) for line in lines)
    assert [line[:2] for line in lines] == [line[:2] for line in clf.history_]
    assert clf.history_[-1].updates == clf.n_updates_
    for column in ("iteration", "updates", "mistakes", "seconds"):
        values = [getattr(line, column) for line in clf.history_]
        assert values == sorted(values) or column == "mistakes"
    assert clf.history_[-1].iteration <= clf.n_iter_


@pytest.mark.parametrize("name", EVERYTHING)
def test_callbacks_do_not_change_the_fit(name):
    for X, y in (whole_numbers(), noise(), three_classes()):
        plain = make(name, max_iter=20_000).fit(X, y)
        lines = []
        watched = make(name, max_iter=20_000).set_callbacks(lines.append).fit(X, y)
        assert plain.certificate_ == watched.certificate_
        assert lines or name == "is_separable"


@pytest.mark.parametrize("name", ["scale-free", "min-over", "hard"])
def test_bounds_only_improve(name):
    lines = []
    make(name).set_callbacks(lines.append).fit(*whole_numbers(200))
    assert all(one.lower <= two.lower for one, two in itertools.pairwise(lines))
    assert all(one.upper >= two.upper for one, two in itertools.pairwise(lines))
    assert lines[-1].lower > 0.0


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", EVERYTHING)
def test_several_classes(name, n_jobs):
    lines = []
    clf = make(name, n_jobs=n_jobs).set_callbacks(lines.append).fit(*three_classes())
    if name != "is_separable":
        assert len(lines) == len(clf.history_)
        lines.clear()
        clf.set_params(multi_class="ovr").fit(*three_classes())
        assert len(lines) == sum(map(len, clf.history_))


COPIES = {
    "clone": clone,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda clf: pickle.loads(pickle.dumps(clf)),
}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_copies_have_no_callbacks(name, how):
    """A lambda cannot be pickled, and a copy should not call back."""
    X, y = whole_numbers()
    lines = []
    clf = make(name).set_callbacks(lambda line: lines.append(line)).fit(X, y)
    before = len(lines)
    twin = COPIES[how](clf)
    assert_same_fit(twin.fit(X, y), clf)
    assert len(lines) == before
    clf.fit(X, y)
    assert len(lines) == 2 * before, "the original has lost its callbacks"
    assert twin.get_params().keys() == clf.get_params().keys()
    assert "callbacks" not in clf.get_params()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_stored_models_have_no_callbacks(name, tmp_path):
    X, y = whole_numbers()
    lines = []
    clf = make(name).set_callbacks(lines.append).fit(X, y)
    novikoff.save(clf, tmp_path / "model.json")
    assert "callback" not in (tmp_path / "model.json").read_text()
    before = len(lines)
    novikoff.load(tmp_path / "model.json").fit(X, y)
    assert len(lines) == before


@pytest.mark.parametrize("name", ESTIMATORS)
def test_new_callbacks_replace_the_old(name):
    X, y = whole_numbers()
    first, second = [], []
    clf = make(name).set_callbacks(first.append)
    assert clf.set_callbacks(second.append) is clf
    clf.fit(X, y)
    assert not first
    assert second
    told = len(second)
    clf.set_callbacks().fit(X, y)
    assert len(second) == told


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("name", EVERYTHING)
def test_errors_in_callbacks_reach_the_caller(name, n_jobs):
    """They are raised as they are, and the model stays as it was."""
    X, y = three_classes()

    def fail(line):
        raise RuntimeError("broken")

    clf = make(name, n_jobs=n_jobs).fit(X, y)
    before = vars(clf).copy()
    with pytest.raises(RuntimeError, match="broken"):
        clf.set_callbacks(fail).fit(X, y)
    if name == "is_separable":
        return
    after = vars(clf).copy()
    assert after.pop("_callbacks") == (fail,)
    assert after == before


@pytest.mark.parametrize("data", [whole_numbers, noise])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_verbose_prints_every_line_of_the_history(name, data, capfd):
    X, y = data()
    lines = []
    clf = make(name, verbose=1, max_iter=20_000).set_callbacks(lines.append).fit(X, y)
    out, err = capfd.readouterr()
    assert out == ""
    printed = err.splitlines()
    assert len(printed) == len(lines)
    for text, line in zip(printed, lines, strict=True):
        assert text.startswith(f"pass {line.iteration}: {line.updates} updates, ")
        if math.isfinite(line.upper):
            assert f"{line.upper:.6g}" in text
    if name not in SOFT:
        assert "margin" in printed[-1] or "optimum" in printed[-1]
    make(name, max_iter=20_000).fit(X, y)
    assert capfd.readouterr() == ("", "")
    assert np.isfinite(clf.coef_).all()
