"""What a check has found: the problem in words, with weights and names of which each is true."""

import json

import numpy as np
import pytest

from novikoff import MaxMargin
from novikoff.cli.shared.screen import plain
from novikoff.data import Table
from novikoff.report.verification import Verification


@pytest.fixture
def examples():
    rng = np.random.default_rng(0)
    y = np.array(["cat", "dog"])[rng.integers(0, 2, 60)]
    return rng.standard_normal((60, 3)), y


def found(clf, X, y, weights=None, names=None, target=None, stored=None):
    table = Table(X, y, names, target, weights)
    certificate = clf.certificate_.named(**stored or {})
    verified = certificate.named().verify(X, y, sample_weight=weights)
    return Verification("pets.csv", table, None, (), certificate, verified, True, 0.1)


def test_class_weights_are_stated(examples):
    X, y = examples
    clf = MaxMargin(C=0.5, class_weight={"cat": 1.5, "dog": 3.0}).fit(X, y)
    check = found(clf, X, y)
    problem = dict(check.rows())["Problem"].splitlines()
    assert problem[1] == (
        "all 60 examples take part, with class weights 1.5 for 'cat' and 3 for 'dog'; "
        "hyperplanes with an intercept"
    )
    document = check.document()
    assert document["class_weights"] == (1.5, 3.0)
    assert document["weighted"] is False


def test_examples_without_weight_take_no_part(examples):
    X, y = examples
    weights = np.where(np.arange(60) < 10, 0.0, 2.0)
    check = found(MaxMargin(C=0.5).fit(X, y, weights), X, y, weights)
    rows = dict(check.rows())
    assert "50 of 60 examples take part, with weights of their own" in rows["Problem"]
    exact = check.verified.n_exact
    assert rows["Arithmetic"].endswith(f", {50 - exact} by rigorous floating-point bounds")
    document = check.document()
    assert document["n_taking_part"] == 50
    assert document["counts"] == tuple(int((y[10:] == label).sum()) for label in ("cat", "dog"))


def test_names_of_the_file_and_of_the_certificate(examples):
    X, y = examples
    clf = MaxMargin(C=0.5, fit_intercept=False).fit(X, y)
    stored = {"target": "animal", "feature_names": ("a", "b", "c")}
    no_names = dict(found(clf, X, y).rows())["Problem"]
    assert no_names.splitlines()[1:] == [
        "all 60 examples take part, without weights; hyperplanes through the origin",
        "C = 0.5",
    ]
    same = found(clf, X, y, None, ("a", "b", "c"), "animal", stored)
    assert dict(same.rows())["Problem"].endswith("\ntarget 'animal'; features 'a', 'b' and 'c'")
    others = found(clf, X, y, None, ("d", "e", "f"), "pet", stored)
    assert dict(others.rows())["Problem"].endswith(
        "\ntarget 'pet'; target 'animal' in the certificate (not checked); "
        "features 'd', 'e' and 'f'"
    )
    assert others.document()["target"] == "pet"
    bare = found(clf, X, y, stored=stored)
    assert dict(bare.rows())["Problem"].endswith(
        "\ntarget 'animal' in the certificate (not checked); "
        "features 'a', 'b' and 'c' in the certificate (not checked)"
    )
    document = bare.document()
    assert (document["target"], document["feature_names"]) == (None, None)
    assert document["not_checked"] == stored


def test_the_account_is_apart(examples):
    X, y = examples
    check = found(MaxMargin().fit(X, y), X, y)
    runs = dict(check.rows())["Run"].splitlines()
    certificate = check.certificate
    assert runs == [
        f"(not proved) {certificate.account}",
        f"(not proved) {certificate.model_account}",
    ]
    document = json.loads(json.dumps(plain(check.document())))
    assert document["run"]["status"] == "NOT_SEPARABLE"
    assert document["run"]["of_model"]["status"] == "GAP_REACHED"
    assert certificate.account.status.value not in check.verified.sentence
