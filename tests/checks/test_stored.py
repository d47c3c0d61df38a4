"""Models as JSON: the same model bit for bit, whatever was fitted and however it ended."""

import math
import warnings

import numpy as np
import pandas
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import novikoff
from novikoff import MaxMargin, Perceptron, rules
from novikoff.certificate import Inconclusive, Joint, PerClass, Separation, SoftOptimum
from novikoff.estimators import ModelError
from tests.checks.subjects import ESTIMATORS, HARD, MARGINS, assert_proved, assert_same_fit, make
from tests.checks.test_labels import LABELS
from tests.estimators.problems import ALL_RULES, XOR, between, noise, three_classes, whole_numbers


def same(one, other):
    """Equal, and of the same type; texts may have had more room than they need."""
    if isinstance(one, list) and one and isinstance(one[0], np.ndarray):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray):
        same_type = one.dtype == other.dtype or one.dtype.kind == other.dtype.kind == "U"
        return same_type and np.array_equal(one, other)
    return type(one) is type(other) and one == other


def fitted_parts(clf):
    return {name: value for name, value in vars(clf).items() if name.endswith("_")}


def stored(clf, tmp_path):
    """The model after it was written and read, once it is seen to be the same."""
    path = tmp_path / "model.json"
    novikoff.save(clf, path)
    assert [p.name for p in tmp_path.iterdir()] == ["model.json"]
    read = novikoff.load(path)
    assert type(read) is type(clf)
    mine, theirs = fitted_parts(clf), fitted_parts(read)
    assert theirs.pop("about_") == mine.pop("about_", {})
    assert mine.keys() == theirs.keys()
    for name, value in mine.items():
        assert same(value, theirs[name]), name
    assert read.status_ is clf.status_
    again = tmp_path / "again.json"
    novikoff.save(read, again)
    assert again.read_bytes() == path.read_bytes()
    again.unlink()
    return read


DATA = {
    "separable": whole_numbers,
    "noise": noise,
    "xor": lambda: XOR,
    "one point": lambda: (np.ones((2, 2)), np.array([0, 1])),
    "three classes": three_classes,
    "a class between": between,
}


@pytest.mark.parametrize("multi_class", ["joint", "ovr"])
@pytest.mark.parametrize("data", DATA)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_verdict(name, data, multi_class, tmp_path):
    X, y = DATA[data]()
    if multi_class == "ovr" and len(np.unique(y)) == 2:
        pytest.skip("two classes are one problem either way")
    clf = make(name, max_iter=20_000, multi_class=multi_class).fit(X, y)
    read = stored(clf, tmp_path)
    np.testing.assert_array_equal(read.decision_function(X), clf.decision_function(X))
    assert_proved(read, X, y)
    assert_same_fit(read.fit(X, y), clf)
    parts = getattr(clf.certificate_, "certificates", (clf.certificate_,))
    between_two = data == "a class between" and multi_class == "ovr"
    if name in HARD and (data in ("xor", "one point") or between_two):
        assert not clf.certificate_
    if name in HARD and data in ("separable", "three classes"):
        assert clf.certificate_
    if name == "soft" and not isinstance(clf.certificate_, Joint):
        assert all(isinstance(part, SoftOptimum) for part in parts)
    softs = [part.hyperplane.soft for part in parts]
    np.testing.assert_array_equal(read.C_, [np.inf if s is None else s.C for s in softs])


@pytest.mark.parametrize("name", ESTIMATORS)
def test_at_a_limit(name, tmp_path):
    X, y = noise(400, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf = make(name, max_iter=1).fit(X, y)
        stored(clf, tmp_path)
        if name == "hard":
            assert isinstance(clf.certificate_, Inconclusive)
            assert clf.certificate_.model.soft is not None
            clf = MaxMargin(max_iter=1, nonseparable="raise").fit(X, y)
            read = stored(clf, tmp_path)
            assert isinstance(read.certificate_, Inconclusive)
            assert read.certificate_.model.soft is None


@pytest.mark.parametrize("rule", ALL_RULES)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_every_rule(rule, fit_intercept, tmp_path):
    X, y = whole_numbers(intercept=fit_intercept)
    X = X / 128.0
    how = dict(rule=ALL_RULES[rule], fit_intercept=fit_intercept, random_state=0, max_iter=5000)
    clf = Perceptron(**how).fit(X, y)
    read = stored(clf, tmp_path)
    assert type(read.rule) is type(clf.rule)
    assert read.rule.get_params() == clf.rule.get_params()
    assert_proved(read, X, y)
    assert_same_fit(read.fit(X, y), clf)


@pytest.mark.parametrize("rule", ["classic", "dynamic", "passive-aggressive"])
def test_a_rule_by_name_stays_a_name(rule, tmp_path):
    clf = Perceptron(rule=rule, random_state=0).fit(*whole_numbers())
    assert stored(clf, tmp_path).rule == rule


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("name", ["scale-free", "hard"])
def test_labels_of_any_type(name, kind, tmp_path):
    labels = LABELS[kind]
    for pair in (labels[:2], labels):
        X, y = whole_numbers() if len(pair) == 2 else three_classes()
        read = stored(make(name).fit(X, pair[y]), tmp_path)
        np.testing.assert_array_equal(read.predict(X), pair[y])
        assert read.predict(X).dtype.kind == pair.dtype.kind
        assert_proved(read, X, pair[y])


WEIGHTED = [{0: 0.3, 1: 2.0}, "balanced", {np.int64(0): np.float32(0.1)}, {1: 7}]
OPTIONS = {
    "scale-free": [
        {"C": 0.7},
        {"average": True},
        {"average": np.True_},
        {"min_margin": 0.25, "max_updates": 10**12, "time_limit": 1e6, "warm_start": True},
        {"random_state": np.int64(5), "shuffle": True, "n_jobs": 2},
        {"rule": rules.PassiveAggressive(C=math.inf, tolerance=np.float64(0.2))},
        {"rule": rules.Margin(beta=np.float64(0.1) * 3, unit="absolute")},
        {"fit_intercept": False, "verbose": False},
        *({"class_weight": weight} for weight in WEIGHTED),
    ],
    "hard": [
        {"C": 3, "tol": np.float32(0.25), "nonseparable": "raise", "warm_start": True},
        {"max_iter": 10**9, "time_limit": 1e6, "n_jobs": 2, "verbose": False},
        {"fit_intercept": False, "C": np.inf},
        {"class_weight": "balanced", "C": np.float64(1e-5)},
        *({"class_weight": weight} for weight in WEIGHTED),
    ],
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options(name, tmp_path):
    defaults = dict(min_margin=0.1, max_iter=5000) if name == "scale-free" else {}
    for options in OPTIONS[name]:
        clf = make(name, **(defaults | options)).fit(*noise())
        read = stored(clf, tmp_path)
        mine, theirs = clf.get_params(deep=False), read.get_params(deep=False)
        one, other = mine.pop("rule", None), theirs.pop("rule", None)
        assert type(one) is type(other)
        assert mine == theirs


def test_weights_of_the_examples(tmp_path):
    X, y = noise()
    weights = np.where(np.arange(len(y)) % 5, 1.5, 0.0)
    for name in MARGINS:
        read = stored(make(name).fit(X, y, sample_weight=weights), tmp_path)
        assert_proved(read, X, y, sample_weight=weights)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_names_of_features_and_what_else_is_said(name, tmp_path):
    X, y = whole_numbers()
    table = pandas.DataFrame(X, columns=["a", "b", "ü", "long name", "e"])
    clf = make(name).fit(table, pandas.Series(y, name="target"))
    path = tmp_path / "model.json"
    novikoff.save(clf, path, about={"target": "label"})
    read = novikoff.load(path)
    assert read.about_ == {"target": "label"}
    assert read.feature_names_in_.tolist() == list(table.columns)
    assert read.certificate_.problem.target == "target"
    np.testing.assert_array_equal(read.predict(table), y)
    with pytest.raises(ValueError, match="feature names should match"):
        read.predict(table[list(table.columns[::-1])])
    novikoff.save(read, path)
    assert novikoff.load(path).about_ == {"target": "label"}


@pytest.mark.filterwarnings("ignore:The examples are separable, so .* had no effect:UserWarning")
def test_a_label_called_float(tmp_path):
    X, y = whole_numbers()
    for name in ("scale-free", "hard"):
        clf = make(name, class_weight={"float": 2.0}).fit(X, np.array(["float", "inf"])[y])
        assert stored(clf, tmp_path).class_weight == {"float": 2.0}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_sparse_model(name, tmp_path):
    X, y = whole_numbers()
    read = stored(make(name).fit(sparse.csr_matrix(X), y), tmp_path)
    assert_proved(read, sparse.csr_matrix(X), y)


def test_too_many_features_for_an_exact_proof(tmp_path):
    """Undecided, and the model is a soft margin all the same."""
    X = np.zeros((6, 6000))
    X[:, :3] = [[0, 0, 1], [1, 0, 1], [2, 0, 1], [0.5, 0, 1], [1.5, 0, 1], [9, 9, 1]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf = MaxMargin().fit(X, [0, 0, 0, 1, 1, 1])
    read = stored(clf, tmp_path)
    assert not isinstance(read.certificate_, Separation)
    assert read.certificate_.model.soft is not None


def test_histories_of_classes_are_kept_even_if_empty(tmp_path):
    clf = MaxMargin(multi_class="ovr").fit(*three_classes())
    assert isinstance(clf.certificate_, PerClass)
    for empty in np.ndindex(2, 2, 2):
        lines = zip(empty, clf.history_, strict=True)
        clf.history_ = [[] if none else history for none, history in lines]
        assert stored(clf, tmp_path).history_ == clf.history_


@pytest.mark.parametrize("kind", [Perceptron, MaxMargin])
def test_what_cannot_be_saved(kind, tmp_path):
    X, y = whole_numbers()
    path = tmp_path / "model.json"
    with pytest.raises(ValueError, match="has no certificate; fit it before saving it"):
        novikoff.save(kind(), path)
    with pytest.raises(ValueError, match="has no certificate; fit it before saving it"):
        novikoff.save(Perceptron().partial_fit(X, y, classes=[0, 1]), path)
    with pytest.raises(TypeError, match="there are MaxMargin, Perceptron"):
        novikoff.save(type("DummyModel", (), {})(), path)
    assert not list(tmp_path.iterdir())
    clf = kind(class_weight={0: 1.0}).fit(X, y)
    novikoff.save(clf, path)
    before = path.read_bytes()
    changes = [{"C": 2.0}, {"fit_intercept": False}]
    if kind is MaxMargin:
        changes += [{"tol": 0.5}, {"class_weight": {0: 2.0}}, {"class_weight": None}]
    for change in changes:
        kept = {name: getattr(clf, name) for name in change}
        clf.set_params(**change)
        with pytest.raises(ValueError, match=f"{next(iter(change))} has changed since the fit"):
            novikoff.save(clf, path)
        clf.set_params(**kept)
    assert path.read_bytes() == before
    novikoff.save(clf.set_params(max_iter=7, n_jobs=2, verbose=1), path)
    assert novikoff.load(path).max_iter == 7


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(ModelError, match=r"missing\.json: No such file"):
        novikoff.load(tmp_path / "missing.json")
    with pytest.raises(ModelError, match="Is a directory"):
        novikoff.load(tmp_path)
