"""The summary of a fit: rows for people, a document for machines, both from the certificate."""

from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import load_iris

from novikoff import MaxMargin, Perceptron, is_separable
from novikoff.data import Table
from novikoff.report.estimates import Estimates
from novikoff.report.summary import SeparabilitySummary, Summary


def summary(clf, X, y, weights=None):
    table = Table(X, y, None, None, weights)
    return Summary(Path("a file.csv"), table, clf, Path("model.json"), ["--weights", "w"], 0.25)


@pytest.mark.parametrize("kind", [np.asarray, csr_matrix])
@pytest.mark.parametrize("estimator", [MaxMargin(), Perceptron(random_state=0)])
def test_errors_are_those_of_predict(kind, estimator):
    X, y = load_iris(return_X_y=True)
    for labels in (y, y == 0, y == 1):
        clf = estimator.fit(kind(X), labels)
        told = summary(clf, kind(X), labels)
        errors = int((clf.predict(kind(X)) != labels).sum())
        assert told.document()["training_errors"] == errors
        assert dict(told.rows())["Errors"].startswith(f"{errors} of 150 examples (")


def test_examples_without_weight_are_not_counted():
    X, y = load_iris(return_X_y=True)
    weights = np.where(y == 2, 0.0, 1.0)
    weights[0] = 2.0
    clf = MaxMargin(C=1.0).fit(X, y == 0, weights)
    rows = dict(summary(clf, X, y == 0, weights).rows())
    assert rows["Errors"] == "0 of 100 examples (0 %)"
    assert rows["Weights"] == "100 of 150 examples have a positive weight"
    assert rows["Check"] == "novikoff verify model.json 'a file.csv' --weights w"


def test_where_C_comes_from():
    X, y = load_iris(return_X_y=True)
    rows = dict(summary(MaxMargin(fit_intercept=False).fit(X, y == 1), X, y == 1).rows())
    assert rows["C"].startswith("from the variances of the columns; --C auto")
    for clf in (MaxMargin(C=1.0), Perceptron(random_state=0)):
        assert "C" not in dict(summary(clf.fit(X, y == 1), X, y == 1).rows())


def test_separability():
    X, y = load_iris(return_X_y=True)
    for labels, answer in ((y == 0, "yes"), (y == 1, "no")):
        certificate = is_separable(X, labels)
        table = Table(X, labels)
        estimates = Estimates.of(table, affine=True)
        told = SeparabilitySummary(Path("d"), table, certificate, None, [], 0.1, estimates)
        rows = dict(told.rows())
        assert rows["Separable"] == answer
        assert rows["Proved"].splitlines() == certificate.sentences()
        assert rows["Run"] == str(certificate.account)
        assert "Check" not in rows
        assert told.document()["run"]["status"] == certificate.status.name
