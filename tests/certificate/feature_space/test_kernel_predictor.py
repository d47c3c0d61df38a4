"""Predictions from a certificate and support vectors, with exact signs."""

import numpy as np
import pytest
from flint import arb
from scipy import sparse

from novikoff.certificate import (
    Account,
    CertificateError,
    Kernel,
    KernelCertifier,
    Status,
    Weighted,
)
from novikoff.certificate.feature_space.kernel_predictor import KernelPredictor
from novikoff.certificate.feature_space.vectors import Vectors
from novikoff.certificate.predictor import Predictor
from novikoff.certificate.verify import MODEL_FORMAT, MODEL_VERSION, verify
from tests.certificate.feature_space import balls
from tests.certificate.feature_space.test_certify_kernel import problem, ridge

DONE = Account(status=Status.CONVERGED)
KERNELS = [
    Kernel("linear"),
    Kernel("rbf", gamma=0.5),
    Kernel("laplacian", gamma=0.5),
    Kernel("poly", gamma=0.5, degree=2, coef0=1.0),
    Kernel("sigmoid", gamma=0.1, coef0=0.1),
]


def fitted(kernel, seed=0):
    X, y, signs, *_ = problem(seed)
    rows = np.array([0, 1, 3, 4, 7, 8, 10])
    coef = ridge(kernel, X[rows], signs[rows], 0.5)
    found = KernelCertifier.of(X, y, kernel=kernel, positive=1, affine=True).hard(
        DONE, support=rows, coef=coef, intercept=0.1, proof=Weighted(rows, np.ones(7))
    )
    return X, y, found


def model_document(certificate, X):
    vectors = Vectors.of(X, certificate.model.support).to_document()
    return {
        "format": MODEL_FORMAT,
        "version": MODEL_VERSION,
        "kind": "MaxMargin",
        "about": {},
        "parameters": {},
        "fitted": {"classes_dtype": "int64", "vectors": vectors},
        "certificate": certificate.to_dict(),
    }


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
@pytest.mark.parametrize("stored", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_scores_are_those_of_the_formula(kernel, stored):
    X, _, found = fitted(kernel)
    new = np.random.default_rng(1).standard_normal((30, 3))
    predictor = Predictor.of(model_document(found, stored(X)))
    scores = predictor.decision_function(stored(new))
    model = found.model
    both = np.vstack([X, new])
    truth = balls.scores(kernel, both, model.support, model.coef, model.intercept)[len(X) :]
    assert scores.shape == (30,)
    for score, exact in zip(scores, truth, strict=True):
        assert abs(arb(float(score)) - exact) < 1e-10
        assert (score > 0) == bool(exact > 0)
    assert set(predictor.classes) == {0, 1}


def test_ties_are_zero():
    kernel = Kernel("rbf", gamma=0.3)
    left, right = np.array([0.125, 0.75]), np.array([2.5, 0.25])
    predictor = KernelPredictor(
        kernel,
        np.array([left, right]),
        np.arange(2),
        np.array([[0.7], [-0.7]]),
        np.zeros(1),
    )
    middle = (left + right) / 2
    scores = predictor.scores(np.array([middle, middle + np.array([2.0**-50, 0.0])])).ravel()
    assert scores[0] == 0.0 and scores[1] < 0.0


def test_precomputed_predicts_from_columns():
    X, y, found = fitted(Kernel("rbf", gamma=0.5))
    new = np.random.default_rng(1).standard_normal((5, 3))
    table = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    model = found.model
    given = KernelCertifier.of(table, y, kernel=Kernel("precomputed"), positive=1, affine=True)
    given = given.hard(DONE, support=model.support, coef=model.coef, intercept=model.intercept)
    values = np.exp(-0.5 * ((new[:, None] - X[None]) ** 2).sum(axis=2))
    named = KernelPredictor.of(found, Vectors.of(X, model.support)).scores(new)
    columns = KernelPredictor.of(given, None)
    assert columns.scores(values) == pytest.approx(named, rel=1e-12)
    with pytest.raises(CertificateError, match="needs that of example 10"):
        columns.scores(values[:, :5])


def test_damaged_files():
    X, _, found = fitted(Kernel("rbf", gamma=0.5))
    document = model_document(found, X)
    assert Predictor.of(document)
    for change, message in [
        ({"rows": [0]}, "damaged"),
        ({"rows": [0, 1, 3, 4, 7, 8, 9]}, "missing"),
        ({"rows": [1, 0, 3, 4, 7, 8, 10]}, "ascending"),
        ({"ends": [0]}, "damaged"),
        ({"columns": [9] * 21}, "damaged"),
        ({"values": ["a"] * 21}, "finite number"),
        ({"sparse": 1}, "true or false"),
        ({"more": 1}, "unknown field"),
    ]:
        vectors = {**document["fitted"]["vectors"], **change}
        changed = {**document, "fitted": {**document["fitted"], "vectors": vectors}}
        with pytest.raises(CertificateError, match=message):
            Predictor.of(changed)
    without = {**document, "fitted": {"classes_dtype": "int64"}}
    with pytest.raises(CertificateError, match="vectors"):
        Predictor.of(without)
    with pytest.raises(CertificateError, match="4 features"):
        Predictor.of(document).decision_function(np.ones((1, 4)))


def test_stored_vectors_are_checked_against_the_data(tmp_path):
    from novikoff.certificate.json import to_text

    X, y, found = fitted(Kernel("rbf", gamma=0.5))
    document = model_document(found, X)
    path = tmp_path / "model.json"
    path.write_text(to_text(document))
    assert verify(path, X, y).upper is not None
    document["fitted"]["vectors"]["values"][4] += 0.5
    path.write_text(to_text(document))
    with pytest.raises(CertificateError, match="is not row 1 of the data"):
        verify(path, X, y)
