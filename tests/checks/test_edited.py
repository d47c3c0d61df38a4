"""Edited models: refused on loading, refused by the check, or verified as what they are now."""

import functools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import novikoff
from novikoff import MaxMargin, Perceptron
from novikoff.certificate import CertificateError, NonSeparation
from novikoff.certificate.verify import certificate_in
from novikoff.estimators import ModelError
from novikoff.estimators.stored import from_document, to_document
from tests.checks.subjects import assert_true
from tests.estimators.problems import between, noise, three_classes, whole_numbers


def repeated(n=40, wrong=1):
    """Whole numbers on two sides, of which few are also on the wrong one: not separable."""
    X, y = whole_numbers(n)
    X[:wrong], y[:wrong] = X[-wrong:], 1 - y[-wrong:]
    return X, y


CASES = {
    "perceptron": (Perceptron(random_state=0), lambda: whole_numbers(12, 2)),
    "perceptron, not separable": (Perceptron(random_state=0, max_iter=30), lambda: repeated(12)),
    "perceptron, undecided": (Perceptron(random_state=0), lambda: noise(14, 2)),
    "perceptron, soft": (Perceptron(C=2.0, random_state=0), lambda: noise(12, 2)),
    "perceptron, classes": (Perceptron(random_state=0, multi_class="ovr"), between),
    "perceptron, jointly": (Perceptron(random_state=0), between),
    "perceptron, jointly, soft": (Perceptron(C=2.0, random_state=0), between),
    "hard": (MaxMargin(), lambda: whole_numbers(12, 2)),
    "not separable": (MaxMargin(), lambda: noise(14, 2)),
    "through the origin": (MaxMargin(fit_intercept=False), lambda: noise(14, 2)),
    "soft": (MaxMargin(C=0.7), lambda: noise(12, 2)),
    "weighted": (MaxMargin(C=0.7, class_weight={0: 2.0}), lambda: noise(12, 2)),
    "classes": (MaxMargin(), between),
    "scaled": (MaxMargin(scale=True), lambda: whole_numbers(12, 2)),
    "scaled, soft": (MaxMargin(C=0.7, scale=True), lambda: noise(12, 2)),
    "scaled, not separable": (MaxMargin(scale=True), lambda: noise(14, 2)),
    "scaled, classes": (MaxMargin(scale=True), between),
    "perceptron, scaled": (Perceptron(random_state=0, scale=True), lambda: whole_numbers(12, 2)),
}


@functools.cache
def fitted(case):
    clf, data = CASES[case]
    X, y = data()
    return clf.fit(X, y), X, y


def edited(document, path, value):
    """A copy of JSON values with another value at a place; KeyError: without it."""
    copy = json.loads(json.dumps(document))
    inner = copy
    for key in path[:-1]:
        inner = inner[key]
    if value is KeyError:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value(inner[path[-1]]) if callable(value) else value
    return copy


def leaves(value, path=()):
    """The places in JSON values; of long lists, the first and the last entries."""
    yield path, value
    if isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(part, (*path, key))
    elif isinstance(value, list):
        for k in sorted({0, 1, len(value) - 1} & set(range(len(value)))):
            yield from leaves(value[k], (*path, k))


def other_values(value):
    """What an attacker, or an accident, may put there instead."""
    if isinstance(value, bool):
        return [not value, None, 0]
    if isinstance(value, int):
        return [value + 1, -value, 0, value + 0.5, 10**30, None, [value], "1"]
    if isinstance(value, float):
        nearby = [math.nextafter(value, math.inf), math.nextafter(value, -math.inf)]
        return [*nearby, -value, 2.0 * value, 0.0, 1e300, None, "inf", [value]]
    if isinstance(value, str):
        return [value + "x", "", "inf", "MAX_ITER", "CONVERGED", None, 3, KeyError]
    if isinstance(value, list):
        return [value[:-1], [*value, *value[-1:]], value[::-1], [], None, {}, KeyError]
    if isinstance(value, dict):
        return [{}, None, [], KeyError]
    return [0, "x", 1.5, [], KeyError]


@pytest.mark.parametrize("case", CASES)
def test_any_value_of_a_stored_model(case):
    """The fingerprint is not looked at, so that the arithmetic alone must find it."""
    clf, X, y = fitted(case)
    document = to_document(clf)
    assert_true(from_document(document), X, y, clf.certificate_.verify(X, y))
    outcomes = {"refused": 0, "not verified": 0, "verified": 0}
    for path, value in list(leaves(document))[1:]:
        if path[:2] == ("fitted", "history") and len(path) > 3:
            continue
        for other in other_values(value):
            try:
                model = from_document(edited(document, path, other))
            except ModelError as error:
                assert "\n" not in str(error)
                outcomes["refused"] += 1
                continue
            try:
                verified = model.certificate_.verify(X, y, check_fingerprint=False)
            except CertificateError as error:
                assert "\n" not in str(error)
                outcomes["not verified"] += 1
                continue
            outcomes["verified"] += 1
            assert_true(model, X, y, verified)
            if path[0] == "certificate":
                # Whatever it says now, it does not say that it is the same certificate.
                assert model.certificate_ != clf.certificate_ or other == value
    assert outcomes["refused"] > 100
    assert outcomes["not verified"] > 10
    assert outcomes["verified"] > 10


@given(
    case=st.sampled_from(sorted(CASES)),
    changes=st.lists(
        st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=2, max_size=4
    ),
)
def test_several_values_at_once(case, changes):
    clf, X, y = fitted(case)
    document = to_document(clf)
    for where, what in changes:
        places = [place for place in leaves(document) if place[0]]
        path, value = places[where % len(places)]
        others = other_values(value)
        document = edited(document, path, others[what % len(others)])
    try:
        model = from_document(document)
        verified = model.certificate_.verify(X, y, check_fingerprint=False)
    except (ModelError, CertificateError) as error:
        assert "\n" not in str(error)
    else:
        assert_true(model, X, y, verified)


# The hyperplane beside a proof that nothing separates ------------------------------------------


def test_a_hyperplane_that_is_turned_round_beside_a_proof():
    """Accuracy from 0.975 to 0.025: it fails, or verifies with its own count in the sentence."""
    X, y = repeated()
    clf = Perceptron(random_state=0, max_iter=2000).fit(X, y)
    assert isinstance(clf.certificate_, NonSeparation)
    assert clf.score(X, y) == 0.975
    document = to_document(clf)
    model = ["certificate", "model"]
    turned = edited(document, [*model, "coef"], lambda coef: [-value for value in coef])
    turned = edited(turned, [*model, "intercept"], lambda value: -value)
    turned = edited(turned, [*model, "margin"], -1e9)
    with pytest.raises(CertificateError, match="makes 39 errors on the examples, not 1"):
        from_document(turned).certificate_.verify(X, y)
    honest = from_document(edited(turned, [*model, "errors"], 39))
    assert honest.score(X, y) == 0.025
    verified = honest.certificate_.verify(X, y)
    assert verified.errors == 39
    assert "39 errors on the 40 examples" in str(verified)
    assert not honest.certificate_


def test_the_soft_model_beside_a_proof_is_checked():
    """With the certificate of the fit, not only from the command line."""
    X, y = noise()
    clf = MaxMargin().fit(X, y)
    assert isinstance(clf.certificate_, NonSeparation)
    verified = clf.certificate_.verify(X, y)
    soft = clf.certificate_.model.soft
    assert soft.dual <= verified.dual <= verified.primal <= soft.primal
    assert verified.errors == (clf.predict(X) != y).sum()
    document = to_document(clf)
    place = ["certificate", "model", "soft"]
    for name, change in (
        ("primal", lambda value: value * (1 - 1e-9)),
        ("dual", lambda value: value * (1 + 1e-9)),
        ("upper", lambda value: value * (1 - 1e-9)),
        ("C", lambda value: 2.0 * value),
        ("scale", 2.0),
        ("weights", lambda weights: [2.0 * weights[0], *weights[1:]]),
    ):
        with pytest.raises((ModelError, CertificateError)):
            model = from_document(edited(document, [*place, name], change))
            model.certificate_.verify(X, y)
    for change in (lambda coef: [-coef[0], *coef[1:]], lambda coef: [0.5 * v for v in coef]):
        model = from_document(edited(document, ["certificate", "model", "coef"], change))
        with pytest.raises(CertificateError):
            model.certificate_.verify(X, y, check_fingerprint=False)


@pytest.mark.parametrize("kind", [Perceptron, MaxMargin])
def test_classes_in_another_order_are_refused(kind):
    """Claims are about the positive class by its name: true, while the model predicts the other."""
    X, y = whole_numbers()
    document = to_document(kind().fit(X, y))
    turned = edited(document, ["certificate", "problem", "classes"], [1, 0])
    with pytest.raises(ModelError, match="positive class is not the second of two"):
        from_document(turned)
    with pytest.raises(CertificateError, match="positive class is not the second of two"):
        certificate_in(turned)
    both = from_document(edited(turned, ["certificate", "problem", "positive"], 0))
    with pytest.raises(CertificateError):
        both.certificate_.verify(X, y, check_fingerprint=False)


def test_classes_of_another_type_are_refused():
    """Labels that compare as equal are not the same labels."""
    X, y = whole_numbers()
    document = to_document(MaxMargin().fit(X, y))
    for dtype in ("bool", "float64", "object", "str", "<U100000000", "complex128", "M8[s]", "x"):
        changed = edited(document, ["fitted", "classes_dtype"], dtype)
        if dtype == "object":
            assert from_document(changed).predict(X).tolist() == y.tolist()
        else:
            with pytest.raises(ModelError):
                from_document(changed)


# Damaged files ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def documents():
    X, y = whole_numbers()
    perceptron = Perceptron(rule=novikoff.rules.ScaleFree(), class_weight={"b": 2.0})
    return {
        "perceptron": to_document(perceptron.fit(X, np.array(["a", "b"])[y])),
        "hard": to_document(MaxMargin().fit(X, y)),
        "soft": to_document(MaxMargin(C=0.7).fit(*noise())),
        "refuted": to_document(MaxMargin().fit(*noise())),
        "several": to_document(MaxMargin(multi_class="ovr").fit(*three_classes())),
    }


def refused(tmp_path, content):
    """The one line with which a file is refused."""
    path = tmp_path / "spoilt.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    with pytest.raises(ModelError) as error:
        novikoff.load(path)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    assert len(message) < 500 + len(str(path))
    assert message.count("the model is damaged") <= 1
    return message


@pytest.mark.parametrize("kind", ["perceptron", "several"])
def test_files_cut_anywhere(tmp_path, documents, kind):
    whole = json.dumps(documents[kind]).encode()
    for cut in np.linspace(0, len(whole) - 1, 50).astype(int):
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
        b'{"format": "novikoff certificate", "version": 2}',
        b'{"format": "novikoff model", "version": 2}',
        b'{"format": "novikoff model", "version": 3}',
        b'{"format": "novikoff model", "version": ' + b"9" * 5000 + b"}",
    ],
)
def test_files_that_do_not_hold_a_model(tmp_path, content):
    refused(tmp_path, content)


def test_a_model_of_the_version_before_says_what_to_do(tmp_path, documents):
    assert "fit again" in refused(tmp_path, edited(documents["hard"], ["version"], 1))


PARAMETERS = ["parameters"]
FITTED = ["fitted"]
PROBLEM = ["certificate", "problem"]
DAMAGE = {
    "no version": ("hard", ["version"], KeyError),
    "another kind": ("hard", ["kind"], "os.system"),
    "kind of another type": ("hard", ["kind"], {}),
    "the kind of another model": ("hard", ["kind"], "Perceptron"),
    "no parameters": ("perceptron", PARAMETERS, KeyError),
    "parameters of another type": ("perceptron", PARAMETERS, []),
    "no rule": ("perceptron", [*PARAMETERS, "rule"], KeyError),
    "a rule there is not": ("perceptron", [*PARAMETERS, "rule"], "nearest"),
    "a rule that is none": ("perceptron", [*PARAMETERS, "rule", "name"], "named"),
    "the state of a rule": ("perceptron", [*PARAMETERS, "rule", "name"], "State"),
    "a list as a rule": ("perceptron", [*PARAMETERS, "rule", "name"], ["ScaleFree"]),
    "the rule of rules": ("perceptron", [*PARAMETERS, "rule", "name"], "Rule"),
    "a rule's unknown parameter": ("perceptron", [*PARAMETERS, "rule", "alpha"], 1.5),
    "a rule's bad parameter": ("perceptron", [*PARAMETERS, "rule", "c"], -1.0),
    "an unknown parameter": ("perceptron", [*PARAMETERS, "tol"], 1.0),
    "a missing parameter": ("perceptron", [*PARAMETERS, "max_iter"], KeyError),
    "a bad parameter": ("perceptron", [*PARAMETERS, "max_iter"], -3),
    "a parameter of another type": ("perceptron", [*PARAMETERS, "C"], "much"),
    "another C": ("soft", [*PARAMETERS, "C"], 0.70001),
    "no C": ("soft", [*PARAMETERS, "C"], "inf"),
    "a C": ("hard", [*PARAMETERS, "C"], 1.0),
    "a C that is none": ("hard", [*PARAMETERS, "C"], -1.0),
    "another tol": ("hard", [*PARAMETERS, "tol"], 1e-6),
    "a tol that is none": ("hard", [*PARAMETERS, "tol"], 2.0),
    "another intercept": ("hard", [*PARAMETERS, "fit_intercept"], False),
    "class weights": ("perceptron", [*PARAMETERS, "class_weight"], [1, 2]),
    "class weights not certified": ("hard", [*PARAMETERS, "class_weight"], [[0, 2.0]]),
    "a rule for an optimum": ("hard", [*PARAMETERS, "rule"], "classic"),
    "a centre of another length": ("perceptron", [*FITTED, "centre"], [0.0]),
    "a number that is none": ("hard", [*FITTED, "n_iter"], None),
    "a support beyond the data": ("perceptron", [*FITTED, "support", 0, 0], 60),
    "a negative support": ("perceptron", [*FITTED, "support", 0, 0], -1),
    "a support of another length": ("perceptron", [*FITTED, "support", 0], [0]),
    "a support of another type": ("perceptron", [*FITTED, "support"], 0),
    "signs that are none": ("hard", [*FITTED, "signs", 0, 0], 2),
    "signs too few": ("hard", [*FITTED, "signs", 0], [1]),
    "signs of one class": ("several", [*FITTED, "signs"], [[1]]),
    "a history of another type": ("hard", [*FITTED, "history"], "long"),
    "a history cut short": ("hard", [*FITTED, "history", 0, 0], [1, 2]),
    "a history in halves": ("hard", [*FITTED, "history", 0, 0, 0], 1.5),
    "a class without history": ("several", [*FITTED, "history"], lambda lines: lines[:2]),
    "an unknown field": ("hard", [*FITTED, "coef"], [[1.0]]),
    "names for other features": ("hard", [*PROBLEM, "feature_names"], ["a"]),
    "the number of features": ("hard", [*PROBLEM, "n_features"], 4),
    "a third class": ("hard", [*PROBLEM, "classes"], [0, 1, 2]),
    "a class twice": ("hard", [*PROBLEM, "classes"], [1, 1]),
    "a null class": ("hard", [*PROBLEM, "classes"], [None, 1]),
    "a class that is not there": ("hard", [*PROBLEM, "positive"], 7),
    "no positive class": ("hard", [*PROBLEM, "positive"], None),
    "weights of classes": ("hard", [*PROBLEM, "class_weights"], [1.0]),
    "no certificate": ("hard", ["certificate"], KeyError),
    "a certificate of another type": ("hard", ["certificate"], None),
    "a margin above the bound": ("hard", ["certificate", "upper"], 0.5),
    "a gap that was not reached": ("hard", ["certificate", "account", "tol"], 1e-18),
    "a status that contradicts": ("hard", ["certificate", "account", "status"], "NOT_SEPARABLE"),
    "a margin that was not excluded": (
        "refuted",
        ["certificate", "model", "account", "status"],
        "NO_SUCH_MARGIN",
    ),
    "an infinite coefficient": ("hard", ["certificate", "model", "coef", 0], 1e999),
    "a text as coefficient": ("hard", ["certificate", "model", "coef", 0], "many"),
    "a coefficient too large": ("hard", ["certificate", "model", "coef", 0], 10**400),
    "errors beside a margin": ("hard", ["certificate", "model", "errors"], 1),
    "a model that is gone": ("refuted", ["certificate", "model"], None),
    "a soft margin that is gone": ("soft", ["certificate", "model", "soft"], None),
    "a field it lacks": ("refuted", ["certificate", "model", "soft", "dual"], KeyError),
    "an unknown field of it": ("refuted", ["certificate", "model", "soft", "extra"], 1),
    "a class too few": ("several", ["certificate", "certificates"], lambda parts: parts[:2]),
    "classes in another order": ("several", ["certificate", "certificates"], lambda p: p[::-1]),
    "about of another type": ("hard", ["about"], 5),
    "about a number": ("hard", ["about"], {"drop": 3}),
    "about a list": ("hard", ["about"], {"target": ["a"]}),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_inconsistent_models_are_refused(tmp_path, documents, what):
    kind, path, change = DAMAGE[what]
    refused(tmp_path, edited(documents[kind], path, change))


def nested(depth):
    value = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize("path", [["about"], ["parameters", "rule"], ["fitted", "history"]])
def test_deep_nesting(tmp_path, documents, path):
    for depth in (50, 900):
        refused(tmp_path, edited(documents["perceptron"], path, nested(depth)))


@pytest.mark.parametrize("text", ["\x1b[2J\nVerified: all", "x" * 100_000])
def test_texts_are_shown_escaped_and_short(tmp_path, documents, text):
    for kind, path in (
        ("hard", ["kind"]),
        ("hard", ["format"]),
        ("perceptron", ["parameters", "rule", "name"]),
        ("hard", ["fitted", "classes_dtype"]),
        ("hard", ["certificate", "account", "status"]),
        ("hard", ["certificate", "kind"]),
        ("hard", ["certificate", "problem", "positive"]),
    ):
        message = refused(tmp_path, edited(documents[kind], path, text))
        assert "\x1b" not in message
