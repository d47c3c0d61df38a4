"""Models as JSON: the same model bit for bit, or one line that says what is wrong."""

import json
import math

import numpy as np
import pandas
import pytest
from scipy import sparse

import novikoff
from novikoff import Perceptron, rules
from novikoff.estimators.stored import ModelError
from tests.estimators.problems import (
    ALL_RULES,
    XOR,
    assert_proved,
    assert_same_model,
    noise,
    three_classes,
    whole_numbers,
)

FITTED = (
    "classes_",
    "coef_",
    "intercept_",
    "centre_",
    "support_",
    "dual_coef_",
    "margin_",
    "margin_upper_bound_",
    "n_features_in_",
    "n_iter_",
    "n_updates_",
    "history_",
    "certificate_",
    "status_",
)


def same(one, other):
    if isinstance(one, list) and one and isinstance(one[0], np.ndarray):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    return type(one) is type(other) and one == other


def stored(clf, tmp_path):
    """The model after it was written and read, once it is seen to be the same."""
    path = tmp_path / "model.json"
    novikoff.save(clf, path)
    assert [p.name for p in tmp_path.iterdir()] == ["model.json"]
    read = novikoff.load(path)
    assert type(read) is type(clf)
    for name in FITTED:
        assert same(getattr(clf, name), getattr(read, name)), name
    mine, theirs = clf.get_params(), read.get_params()
    one, other = mine.pop("rule"), theirs.pop("rule")
    assert type(one) is type(other)
    assert mine == theirs
    again = tmp_path / "again.json"
    novikoff.save(read, again)
    assert again.read_bytes() == path.read_bytes()
    again.unlink()
    return read


@pytest.mark.parametrize("rule", ALL_RULES)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_every_rule(rule, fit_intercept, tmp_path):
    X, y = whole_numbers(intercept=fit_intercept)
    X = X / 128.0
    clf = Perceptron(
        rule=ALL_RULES[rule], fit_intercept=fit_intercept, random_state=0, max_iter=5000
    ).fit(X, y)
    read = stored(clf, tmp_path)
    np.testing.assert_array_equal(read.decision_function(X), clf.decision_function(X))
    assert_proved(read, X, y)
    assert_same_model(read.fit(X, y), clf)


@pytest.mark.parametrize("name", ["classic", "dynamic", "passive-aggressive"])
def test_a_rule_by_name_stays_a_name(name, tmp_path):
    clf = Perceptron(rule=name, random_state=0).fit(*whole_numbers())
    assert stored(clf, tmp_path).rule == name


@pytest.mark.parametrize(
    "labels",
    [
        ["a", "bcd", "ü \"'\\\n"],
        [3, -7, 2**40],
        [1.0, -2.0, 1e10],
        [True, False],
        ["float", "None"],
        [np.int8(3), np.int8(5)],
        ["0", "1"],
    ],
)
def test_labels_of_any_type(labels, tmp_path):
    X, y = three_classes() if len(labels) == 3 else whole_numbers()
    y = np.array(labels)[y]
    clf = Perceptron(random_state=0).fit(X, y)
    read = stored(clf, tmp_path)
    np.testing.assert_array_equal(read.predict(X), y)
    assert read.predict(X).dtype == y.dtype
    assert_proved(read, X, y)
    objects = Perceptron(random_state=0).fit(X, y.astype(object)) if y.dtype.kind == "U" else clf
    assert stored(objects, tmp_path).classes_.dtype == objects.classes_.dtype


@pytest.mark.parametrize(
    "how",
    [
        {"soft_margin": 0.7},
        {"class_weight": {0: 0.3, 1: 2.0}},
        {"class_weight": "balanced"},
        {"class_weight": {np.int64(0): np.float32(0.1)}},
        {"average": True},
        {"average": np.True_},
        {"min_margin": 0.25, "max_updates": 10**12, "time_limit": 1e6, "warm_start": True},
        {"random_state": np.int64(5), "shuffle": True, "n_jobs": 2},
        {"rule": rules.PassiveAggressive(C=math.inf, tolerance=np.float64(0.2))},
        {"rule": rules.Margin(beta=np.float64(0.1) * 3, unit="absolute")},
        {"fit_intercept": False, "verbose": False},
    ],
)
def test_options(how, tmp_path):
    X, y = noise()
    clf = Perceptron(**({"random_state": 0, "min_margin": 0.1, "max_iter": 5000} | how)).fit(X, y)
    stored(clf, tmp_path)


def test_kinds_of_certificates(tmp_path):
    X, y = XOR
    assert not bool(stored(Perceptron().fit(X, y), tmp_path).certificate_)
    same_point = Perceptron().fit(np.ones((2, 2)), [0, 1])
    assert stored(same_point, tmp_path).margin_ == -math.inf
    X, y = np.arange(9.0)[:, None], np.repeat([0, 1, 2], 3)
    several = stored(Perceptron(random_state=0).fit(X, y), tmp_path)
    assert several.margin_.shape == (3,)
    soft = Perceptron(soft_margin=1.0, random_state=0).fit(X, y)
    stored(soft, tmp_path)


def test_names_of_features_and_what_else_is_said(tmp_path):
    X, y = whole_numbers()
    table = pandas.DataFrame(X, columns=["a", "b", "ü", "long name", "e"])
    clf = Perceptron(random_state=0).fit(table, y)
    path = tmp_path / "model.json"
    novikoff.save(clf, path, about={"target": "label"})
    read = novikoff.load(path)
    assert read.about_ == {"target": "label"}
    assert read.feature_names_in_.tolist() == list(table.columns)
    np.testing.assert_array_equal(read.predict(table), y)
    with pytest.raises(ValueError, match="feature names should match"):
        read.predict(table[list(table.columns[::-1])])
    novikoff.save(read, path)
    assert novikoff.load(path).about_ == {"target": "label"}


def test_a_label_called_float(tmp_path):
    X, y = whole_numbers()
    clf = Perceptron(class_weight={"float": 2.0}, random_state=0)
    clf.fit(X, np.array(["float", "int"])[y])
    assert stored(clf, tmp_path).class_weight == {"float": 2.0}


def test_a_sparse_model(tmp_path):
    X, y = whole_numbers()
    clf = Perceptron(random_state=0).fit(sparse.csr_matrix(X), y)
    read = stored(clf, tmp_path)
    assert_proved(read, sparse.csr_matrix(X), y)


def test_what_cannot_be_saved(tmp_path):
    X, y = whole_numbers()
    path = tmp_path / "model.json"
    with pytest.raises(ValueError, match="has no certificate; fit it before saving it"):
        novikoff.save(Perceptron(), path)
    with pytest.raises(ValueError, match="has no certificate; fit it before saving it"):
        novikoff.save(Perceptron().partial_fit(X, y, classes=[0, 1]), path)
    with pytest.raises(TypeError, match="there are Perceptron, MaxMargin"):
        novikoff.save(type("DummyModel", (), {})(), path)
    assert not list(tmp_path.iterdir())


def test_an_old_file_survives_a_failure(tmp_path):
    X, y = whole_numbers()
    path = tmp_path / "model.json"
    novikoff.save(Perceptron(random_state=0).fit(X, y), path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="fit it before saving"):
        novikoff.save(Perceptron(), path)
    assert path.read_bytes() == before


# Spoilt files ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def document():
    X, y = whole_numbers()
    clf = Perceptron(rule=rules.ScaleFree(), random_state=0, class_weight={"b": 2.0})
    clf.fit(pandas.DataFrame(X, columns=list("abcde")), np.array(["a", "b"])[y])
    from novikoff.estimators.stored import to_document

    return to_document(clf)


def refused(tmp_path, content):
    """The one line with which a file is refused."""
    path = tmp_path / "spoilt.json"
    path.write_bytes(content)
    with pytest.raises(ModelError) as error:
        novikoff.load(path)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message


def edited(document, keys, value):
    copy = json.loads(json.dumps(document))
    inner = copy
    for key in keys[:-1]:
        inner = inner[key]
    if value is KeyError:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = value
    return json.dumps(copy).encode()


def test_the_document_itself_is_accepted(tmp_path, document):
    path = tmp_path / "model.json"
    path.write_bytes(json.dumps(document).encode())
    assert novikoff.load(path).coef_.shape == (1, 5)


def test_files_cut_anywhere(tmp_path, document):
    whole = json.dumps(document).encode()
    for cut in np.linspace(0, len(whole) - 1, 60).astype(int):
        assert "JSON" in refused(tmp_path, whole[:cut])


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[]",
        b"3",
        b"\xff\xfe\x00",
        b"\x89PNG\r\n",
        b"a,b,c\n1,2,3\n",
        b"[" * 100_000,
        b'{"a": NaN}',
        b'{"format": 1, "format": 2}',
        b"{}",
        b'{"format": "novikoff model"}',
        b'{"format": "novikoff certificate", "version": 1}',
        b'{"format": "novikoff model", "version": 1}',
    ],
)
def test_files_that_are_no_models(tmp_path, content):
    refused(tmp_path, content)


DAMAGE = {
    "another version": (["version"], 2),
    "no version": (["version"], KeyError),
    "another kind": (["kind"], "os.system"),
    "kind of another type": (["kind"], {}),
    "no parameters": (["parameters"], KeyError),
    "parameters of another type": (["parameters"], []),
    "no rule": (["parameters", "rule"], KeyError),
    "a rule there is not": (["parameters", "rule"], "nearest"),
    "a rule that is none": (["parameters", "rule", "name"], "named"),
    "the rule of rules": (["parameters", "rule", "name"], "Rule"),
    "a rule's parameter": (["parameters", "rule", "alpha"], 1.5),
    "an unknown parameter": (["parameters", "C"], 1.0),
    "a parameter that is missing": (["parameters", "max_iter"], KeyError),
    "the kind of another model": (["kind"], "MaxMargin"),
    "a bad parameter": (["parameters", "max_iter"], -3),
    "a parameter of another type": (["parameters", "soft_margin"], "much"),
    "class weights": (["parameters", "class_weight"], [1, 2]),
    "no coefficients": (["fitted", "coef_"], KeyError),
    "a coefficient": (["fitted", "coef_", "values", 0, 2], 0.125),
    "a text as coefficient": (["fitted", "coef_", "values", 0, 2], "many"),
    "a coefficient too large": (["fitted", "coef_", "values", 0, 2], 10**400),
    "coefficients of another shape": (["fitted", "coef_", "values"], [1.0, 2.0]),
    "ragged coefficients": (["fitted", "coef_", "values"], [[1.0], [2.0, 3.0]]),
    "coefficients rounded": (["fitted", "coef_", "dtype"], "<f4"),
    "coefficients as whole numbers": (["fitted", "coef_", "dtype"], "<i8"),
    "coefficients as objects": (["fitted", "coef_", "dtype"], "object"),
    "a dtype there is not": (["fitted", "coef_", "dtype"], "decimal"),
    "an infinite coefficient": (["fitted", "coef_", "values", 0, 2], {"float": "inf"}),
    "an intercept": (["fitted", "intercept_", "values", 0], 0.0),
    "classes in another order": (["fitted", "classes_", "values"], ["b", "a"]),
    "other classes": (["fitted", "classes_", "values"], ["a", "c"]),
    "a third class": (["fitted", "classes_", "values"], ["a", "b", "c"]),
    "a centre of another length": (["fitted", "centre_", "values"], [0.0]),
    "the number of features": (["fitted", "n_features_in_"], 4),
    "the number of updates": (["fitted", "n_updates_"], 1),
    "a number that is none": (["fitted", "n_iter_"], None),
    "a margin": (["fitted", "margin_", "values"], 1e9),
    "an upper bound": (["fitted", "margin_upper_bound_", "values"], 0.001),
    "a margin for each of several classes": (["fitted", "margin_", "values"], [1.0]),
    "a support beyond the data": (["fitted", "support_", "values", 0], 60),
    "a negative support": (["fitted", "support_", "values", 0], -1),
    "a support of another length": (["fitted", "support_", "values"], [0]),
    "a support of another type": (["fitted", "support_"], 0),
    "a history of another type": (["fitted", "history_"], "long"),
    "a history cut short": (["fitted", "history_", 0], [1, 2]),
    "names for other features": (["fitted", "feature_names_in_"], ["a"]),
    "no certificate": (["certificate"], KeyError),
    "a certificate of another type": (["certificate"], None),
    "a certificate's bound": (["certificate", "lower"], -1.0),
    "a certificate's coefficient": (["certificate", "coef", 0], 7.0),
    "a certificate's label": (["certificate", "positive"], "c"),
    "a certificate's size": (["certificate", "n_features"], 4),
    "an unknown field of it": (["certificate", "extra"], 1),
    "about of another type": (["about"], 5),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_models_edited_by_hand(tmp_path, document, what):
    refused(tmp_path, edited(document, *DAMAGE[what]))


def test_edited_models_of_other_kinds(tmp_path):
    """A soft model that was turned, and one class's hyperplane among several."""
    from novikoff.estimators.stored import to_document

    X, y = three_classes()
    soft = to_document(Perceptron(soft_margin=1.0, random_state=0).fit(X, y == 0))
    several = to_document(Perceptron(random_state=0).fit(X, y))
    for model, row in ((soft, 0), (several, 2)):
        value = model["fitted"]["coef_"]["values"][row][1]
        message = refused(tmp_path, edited(model, ["fitted", "coef_", "values", row, 1], -value))
        assert "certifi" in message


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(ModelError, match=r"missing\.json: No such file"):
        novikoff.load(tmp_path / "missing.json")
    with pytest.raises(ModelError, match="Is a directory"):
        novikoff.load(tmp_path)
