"""Files of joint models predict and verify without the estimator; edited ones fail."""

import copy

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate import (
    Account,
    CertificateError,
    JointCertifier,
    JointWeighted,
    Status,
    verify,
)
from novikoff.certificate import json as written
from novikoff.certificate.exact.flow import flow_of
from novikoff.certificate.predictor import Predictor, labels_of
from novikoff.certificate.verify import certificate_in, certificate_of, stated_beside

X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [-1.0, -1.0], [5.0, 1.0], [1.0, 7.0]])
Y = np.array([3, 5, 7, 3, 5, 7])
CODES = np.array([0, 1, 2, 0, 1, 2])
WEIGHTS = np.array([[0, 2, 2], [2, 0, 1], [2, 1, 0]])
OWN = [0, 1, 2]


def certificate(C=None, **other):
    maker = JointCertifier.of(X, Y, affine=True, **other)
    flow = flow_of(np.array(OWN), WEIGHTS).T
    coef = flow @ X[OWN]
    scaled = maker.examples.X[OWN]
    if maker.problem.exponents is not None:
        # The sum of the scaled columns, for the columns as they are.
        coef = (flow @ scaled) / 2.0 ** np.array(maker.problem.exponents)
    proof = JointWeighted(OWN, WEIGHTS)
    model = {"coef": coef, "intercept": [0.0, -50.0, -50.0]}
    if C is None:
        return maker.hard(Account(status=Status.CONVERGED), **model, proof=proof)
    fitted = maker.soft_model(**model, C=C, proof=proof)
    return maker.soft(Account(status=Status.MAX_ITER), fitted)


def document(proof, **fitted):
    return {
        "format": "novikoff model",
        "version": 2,
        "kind": "Perceptron",
        "about": {},
        "parameters": {},
        "fitted": {"classes_dtype": "int64", **fitted},
        "certificate": proof.to_dict(),
    }


def perceptron(proof, **changes):
    flow = flow_of(np.array(OWN), WEIGHTS).T.tolist()
    return document(
        proof, **({"support": [OWN], "dual_coef": [flow], "centre": [0.0, 0.0]} | changes)
    )


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_predictions_are_those_of_the_largest_score(store):
    proof = certificate()
    model = Predictor.of(document(proof))
    values = model.decision_function(store(X))
    assert values.shape == (6, 3)
    assert np.allclose(values, X @ proof.coef.T + proof.intercept)
    assert (labels_of(values, model.classes) == Y).sum() == 6 - proof.errors


def test_ties_are_decided_as_they_are_counted():
    """The first of the largest scores, also where floating point would see another order."""
    rows = np.array([[1.0, 1e-20, -1.0], [3.0, 0.0, -3.0], [0.0, 1.0, 0.0]])
    maker = JointCertifier.of(rows, ["a", "b", "c"], affine=False)
    coef = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    model = maker.model(coef)
    proof = maker.hard(Account(status=Status.MAX_ITER), coef=coef)
    text = document(proof)
    text["fitted"]["classes_dtype"] = "str"
    predictor = Predictor.of(text)
    predicted = labels_of(predictor.decision_function(rows), predictor.classes)
    assert int((predicted != np.array(["a", "b", "c"])).sum()) == model.errors
    assert predicted.tolist() == ["c", "a", "c"]


@pytest.mark.parametrize("exponents", [None, (2, 3)])
def test_a_file_verifies_with_what_it_says_beside_the_certificate(tmp_path, exponents):
    path = tmp_path / "model.json"
    for model in (
        perceptron(certificate(exponents=exponents)),
        document(certificate(C=1.0, exponents=exponents), own=OWN),
    ):
        path.write_text(written.to_text(model))
        assert verify(path, X, Y).errors == certificate_in(model).errors
        assert [stated.dual_coef.shape for stated in stated_beside(model)] == [(3, 3)]
        assert certificate_in(model).problem.classes == (3, 5, 7)


FLOW = flow_of(np.array(OWN), WEIGHTS).T


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"dual_coef": [(2 * FLOW).tolist()]}, "do not make its coef_"),
        ({"dual_coef": [FLOW[[1, 0, 2]].tolist()]}, "positive for another class"),
        ({"dual_coef": [(-FLOW).tolist()]}, "positive for another class"),
        ({"dual_coef": [FLOW[:2].tolist()]}, "a row for each class"),
        ({"dual_coef": [FLOW[:, :2].tolist()]}, "not every example of its support"),
        ({"support": [[0, 1, 5]]}, "do not make its coef_"),
        ({"support": [[0, 1, 99]]}, "only 6 rows"),
        ({"support": [[0, 1, 1]]}, "twice"),
        ({"centre": [0.0, 0.0, 0.0]}, "its centre and the features differ"),
    ],
)
def test_weights_beside_a_certificate_are_checked(tmp_path, changes, reason):
    path = tmp_path / "model.json"
    path.write_text(written.to_text(perceptron(certificate(), **changes)))
    with pytest.raises(CertificateError, match=reason):
        verify(path, X, Y)


@pytest.mark.parametrize("own", [[0, 2, 1], [0, 1], [0, 1, 3], [0, 1, 2, 2]])
def test_the_classes_of_the_support_are_checked(tmp_path, own):
    path = tmp_path / "model.json"
    path.write_text(written.to_text(document(certificate(C=1.0), own=own)))
    with pytest.raises(CertificateError):
        verify(path, X, Y)


class Fitted:
    """What an estimator shows of a fit."""

    def __init__(self, proof):
        self.certificate_ = proof
        self.classes_, self.coef_ = np.array([3, 5, 7]), proof.coef
        self.intercept_, self.margin_ = proof.intercept, proof.lower
        self.margin_upper_bound_, self.C_ = proof.upper, np.inf
        self.support_, self.dual_coef_, self.centre_ = np.array(OWN), FLOW, np.zeros(2)


@pytest.mark.parametrize(
    "name", ["classes_", "coef_", "intercept_", "margin_", "margin_upper_bound_", "C_"]
)
def test_an_estimator_has_the_numbers_that_were_certified(name):
    model = Fitted(certificate())
    assert certificate_of(model) is model.certificate_
    assert verify(model, X, Y).errors == model.certificate_.errors
    edited = copy.copy(model)
    setattr(edited, name, np.multiply(getattr(model, name), 2.0) + 1.0)
    if name == "C_":
        edited.C_ = 1.0
    with pytest.raises(CertificateError, match=name):
        verify(edited, X, Y)


def test_an_estimator_with_other_weights():
    model = Fitted(certificate())
    model.dual_coef_ = FLOW * 2
    with pytest.raises(CertificateError, match="do not make its coef_"):
        verify(model, X, Y)
