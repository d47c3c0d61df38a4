"""Models of largest margin as JSON: the same bit for bit, with both of their certificates."""

import json
import math
import warnings

import numpy as np
import pandas
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import novikoff
from novikoff import MaxMargin
from novikoff.certificate import Inconclusive, NonSeparation, PerClass, Separation, SoftOptimum
from novikoff.estimators.agreement import Disagreement
from novikoff.estimators.stored import ModelError, to_document
from tests.estimators.problems import XOR, noise, three_classes, whole_numbers

FITTED = (
    "classes_",
    "coef_",
    "intercept_",
    "support_",
    "dual_coef_",
    "margin_",
    "margin_upper_bound_",
    "C_",
    "n_features_in_",
    "n_iter_",
    "n_updates_",
    "history_",
    "certificate_",
    "soft_certificate_",
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
    read = novikoff.load(path)
    assert type(read) is MaxMargin
    for name in FITTED:
        assert same(getattr(clf, name), getattr(read, name)), name
    assert read.get_params() == clf.get_params()
    again = tmp_path / "again.json"
    novikoff.save(read, again)
    assert again.read_bytes() == path.read_bytes()
    return read


def between():
    """Three classes in a row: nothing separates the middle one from the others."""
    codes = np.repeat([0, 1, 2], 10)
    return np.arange(30.0)[:, None] + 5.0 * codes[:, None], codes


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_separation(fit_intercept, tmp_path):
    X, y = whole_numbers(intercept=fit_intercept)
    read = stored(MaxMargin(fit_intercept=fit_intercept).fit(X, y), tmp_path)
    assert isinstance(read.certificate_, Separation)
    assert (read.C, read.C_, read.soft_certificate_) == (math.inf, math.inf, None)
    read.certificate_.verify(X, y)
    assert read.score(X, y) == 1.0


def test_a_soft_margin(tmp_path):
    X, y = noise()
    read = stored(MaxMargin(C=0.7).fit(X, y), tmp_path)
    assert isinstance(read.certificate_, SoftOptimum)
    assert read.soft_certificate_ == read.certificate_
    assert read.C_ == 0.7
    read.certificate_.verify(X, y)


def test_nothing_separates(tmp_path):
    for X, y in (noise(), XOR, (np.ones((2, 2)), np.array([0, 1]))):
        read = stored(MaxMargin().fit(X, y), tmp_path)
        assert isinstance(read.certificate_, NonSeparation)
        assert isinstance(read.soft_certificate_, SoftOptimum)
        assert 0.0 < read.C_ < math.inf
        read.certificate_.verify(X, y)
        read.soft_certificate_.verify(X, y)


def test_undecided(tmp_path):
    X, y = noise(400, 3)
    with pytest.warns(ConvergenceWarning):
        clf = MaxMargin(max_iter=1, nonseparable="raise").fit(X, y)
    read = stored(clf, tmp_path)
    assert isinstance(read.certificate_, Inconclusive)
    assert read.soft_certificate_ is None
    with pytest.warns(ConvergenceWarning):
        clf = MaxMargin(max_iter=1).fit(X, y)
    read = stored(clf, tmp_path)
    assert isinstance(read.certificate_, Inconclusive)
    assert isinstance(read.soft_certificate_, SoftOptimum)


def test_too_many_features_for_an_exact_proof(tmp_path):
    """Undecided, and the model is a soft margin all the same."""
    X = np.zeros((6, 6000))
    X[:, :3] = [[0, 0, 1], [1, 0, 1], [2, 0, 1], [0.5, 0, 1], [1.5, 0, 1], [9, 9, 1]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf = MaxMargin().fit(X, [0, 0, 0, 1, 1, 1])
    read = stored(clf, tmp_path)
    assert not isinstance(read.certificate_, Separation)
    assert isinstance(read.soft_certificate_, SoftOptimum)


def test_several_classes(tmp_path):
    X, y = three_classes()
    read = stored(MaxMargin().fit(X, y), tmp_path)
    assert read.soft_certificate_ == (None, None, None)
    assert read.C_.tolist() == [math.inf] * 3
    X, y = between()
    read = stored(MaxMargin().fit(X, y), tmp_path)
    assert isinstance(read.certificate_, PerClass)
    assert [soft is None for soft in read.soft_certificate_] == [True, False, True]
    read.soft_certificate_[1].verify(X, y)
    read = stored(MaxMargin(C=2.0).fit(X, y), tmp_path)
    assert read.soft_certificate_ == read.certificate_.certificates
    assert read.C_.tolist() == [2.0] * 3


@pytest.mark.parametrize(
    "how",
    [
        {"class_weight": {0: 0.3, 1: 2.0}},
        {"class_weight": "balanced", "C": np.float64(1e-5)},
        {"C": 3, "tol": np.float32(0.25), "nonseparable": "raise", "warm_start": True},
        {"max_iter": 10**9, "time_limit": 1e6, "n_jobs": 2, "verbose": False},
        {"fit_intercept": False, "C": np.inf},
    ],
)
def test_options(how, tmp_path):
    stored(MaxMargin(**how).fit(*noise()), tmp_path)


def test_weights_of_the_examples(tmp_path):
    X, y = noise()
    weights = np.where(np.arange(len(y)) % 5, 1.5, 0.0)
    for clf in (MaxMargin(C=1.0), MaxMargin()):
        read = stored(clf.fit(X, y, sample_weight=weights), tmp_path)
        np.testing.assert_array_equal(read.soft_certificate_.costs, weights)
        read.soft_certificate_.verify(X, y)


def test_names_labels_and_sparse_rows(tmp_path):
    X, y = whole_numbers()
    table = pandas.DataFrame(X, columns=["a", "b", "ü", "long name", "e"])
    read = stored(MaxMargin().fit(table, np.array(["no", "yes"])[y]), tmp_path)
    assert read.feature_names_in_.tolist() == list(table.columns)
    assert read.predict(table).tolist() == np.array(["no", "yes"])[y].tolist()
    stored(MaxMargin().fit(sparse.csr_matrix(X), y), tmp_path)


def test_a_model_without_a_fit(tmp_path):
    with pytest.raises(ValueError, match="has no certificate; fit it before saving it"):
        novikoff.save(MaxMargin(), tmp_path / "model.json")


# Spoilt files ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def documents():
    X, y = whole_numbers()
    data = noise()
    return {
        "hard": to_document(MaxMargin().fit(X, y)),
        "soft": to_document(MaxMargin(C=0.7).fit(*data)),
        "refuted": to_document(MaxMargin().fit(*data)),
        "several": to_document(MaxMargin().fit(*between())),
    }


def refused(tmp_path, document):
    """The one line with which a file is refused, and whether that is for a disagreement."""
    path = tmp_path / "spoilt.json"
    path.write_text(json.dumps(document))
    with pytest.raises(ModelError) as error:
        novikoff.load(path)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return isinstance(error.value, Disagreement)


def edited(document, keys, change):
    copy = json.loads(json.dumps(document))
    inner = copy
    for key in keys[:-1]:
        inner = inner[key]
    if change is KeyError:
        del inner[keys[-1]]
    else:
        inner[keys[-1]] = change(inner[keys[-1]]) if callable(change) else change
    return copy


SOFT = ["fitted", "soft_certificate_"]
DISAGREES = {
    "a coefficient": ("hard", ["fitted", "coef_", "values", 0, 0], lambda v: v * (1 + 2**-52)),
    "an intercept": ("hard", ["fitted", "intercept_", "values", 0], lambda v: v + 1e-9),
    "a margin": ("hard", ["fitted", "margin_", "values"], lambda v: 2 * v),
    "a finite price": ("hard", ["fitted", "C_", "values"], 1.0),
    "a soft coefficient": ("soft", ["fitted", "coef_", "values", 0, 0], lambda v: v * (1 + 2**-52)),
    "a soft model scaled": ("soft", ["fitted", "coef_", "values", 0], lambda w: [2 * v for v in w]),
    "another price": ("soft", ["fitted", "C_", "values"], 0.70001),
    "no price": ("soft", ["fitted", "C_", "values"], 0.0),
    "a negative price": ("soft", ["fitted", "C_", "values"], -1.0),
    "an infinite price": ("soft", ["fitted", "C_", "values"], {"float": "inf"}),
    "an objective in one of two": ("soft", [*SOFT, "primal"], lambda v: 2 * v),
    "no soft certificate": ("soft", SOFT, None),
    "no soft certificate beside a proof": ("refuted", SOFT, None),
    "two for one": ("refuted", SOFT, lambda soft: [soft, soft]),
    "one as if among several": ("refuted", SOFT, lambda soft: [soft]),
    "of another scale": ("refuted", [*SOFT, "delta"], lambda v: 2 * v),
    "a turned one": ("refuted", [*SOFT, "coef", 0], lambda v: -v),
    "a turned model": ("refuted", ["fitted", "coef_", "values", 0, 0], lambda v: -v),
    "of other data": ("refuted", [*SOFT, "fingerprint"], lambda v: v[::-1]),
    "of other costs": ("refuted", [*SOFT, "costs"], [2.0] * 60),
    "of another class": ("refuted", [*SOFT, "positive"], 7),
    "another run": ("refuted", [*SOFT, "n_updates"], lambda v: v + 1),
    "a margin that cannot be": ("refuted", ["fitted", "margin_upper_bound_", "values"], 0.5),
    "a class without": ("several", [*SOFT, 1], None),
    "a class with": ("several", SOFT, lambda soft: [soft[1]] * 3),
    "classes too few": ("several", SOFT, lambda soft: soft[:2]),
    "one for all": ("several", SOFT, None),
    "the price of a class": ("several", ["fitted", "C_", "values", 1], 9.0),
    "the hyperplane of a class": ("several", ["fitted", "intercept_", "values", 1], 9.0),
}
DAMAGED = {
    "no price at all": ("hard", ["fitted", "C_"], KeyError),
    "prices for several classes": ("hard", ["fitted", "C_", "values"], [{"float": "inf"}]),
    "no word on slack": ("hard", SOFT, KeyError),
    "a rule": ("hard", ["parameters", "rule"], "classic"),
    "a missing parameter": ("hard", ["parameters", "tol"], KeyError),
    "a price that is none": ("hard", ["parameters", "C"], -1.0),
    "a gap that is none": ("hard", ["parameters", "tol"], 2.0),
    "the kind of another model": ("hard", ["kind"], "Perceptron"),
    "one price for several classes": ("several", ["fitted", "C_", "values"], 1.0),
    "a certificate of another kind": ("refuted", SOFT, {"kind": "Separation"}),
    "an unknown field of it": ("refuted", [*SOFT, "extra"], 1),
    "a field it lacks": ("refuted", [*SOFT, "dual"], KeyError),
    "a soft certificate that is a number": ("refuted", SOFT, 3),
    "a support beyond the data": ("refuted", ["fitted", "support_", "values", 0], 60),
}


@pytest.mark.parametrize("what", DISAGREES)
def test_models_that_are_not_the_certified_ones(tmp_path, documents, what):
    kind, keys, change = DISAGREES[what]
    assert refused(tmp_path, edited(documents[kind], keys, change))


@pytest.mark.parametrize("what", DAMAGED)
def test_models_that_make_no_sense(tmp_path, documents, what):
    kind, keys, change = DAMAGED[what]
    assert not refused(tmp_path, edited(documents[kind], keys, change))


def test_the_hard_certificate_beside_a_soft_model(tmp_path, documents):
    """The proof of one data set does not go with the soft certificate of another."""
    copy = json.loads(json.dumps(documents["refuted"]))
    copy["certificate"]["fingerprint"] = copy["certificate"]["fingerprint"][::-1]
    assert refused(tmp_path, copy)
    copy = json.loads(json.dumps(documents["hard"]))
    copy["fitted"]["soft_certificate_"] = documents["soft"]["certificate"]
    copy["fitted"]["C_"]["values"] = 0.7
    assert refused(tmp_path, copy)


def test_files_cut_anywhere(tmp_path, documents):
    whole = json.dumps(documents["several"])
    path = tmp_path / "cut.json"
    for cut in np.linspace(0, len(whole) - 1, 40).astype(int):
        path.write_text(whole[:cut])
        with pytest.raises(ModelError, match="JSON"):
            novikoff.load(path)
