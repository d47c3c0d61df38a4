"""Many classes in one model, in the company of scikit-learn, pandas and polars."""

import pickle

import numpy as np
import pandas
import polars
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import ClassifierChain
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from novikoff import MaxMargin, MaxMarginCV, Perceptron
from novikoff.certificate import Joint
from tests.estimators.problems import assert_same_model

JOINT = {
    "Perceptron": Perceptron(random_state=0),
    "MaxMargin": MaxMargin(C=1.0),
    "MaxMarginCV": MaxMarginCV(Cs=[0.1, 1.0]),
}
BOTH = ("Perceptron", "MaxMargin")


def irises():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
@pytest.mark.parametrize("series", [pandas.Series, polars.Series])
@pytest.mark.parametrize("name", JOINT)
def test_frames(name, frame, series):
    X, y = irises()
    columns = ["sepal length", "sepal width", "petal length", "petal width"]
    table = frame(dict(zip(columns, X.T, strict=True)))
    clf = JOINT[name].fit(table, series(y))
    assert isinstance(clf.certificate_, Joint)
    assert clf.certificate_.problem.feature_names == tuple(columns)
    assert clf.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert clf.score(table, y) > 0.9
    clf.certificate_.verify(table, series(y))
    clf.certificate_.verify(X, y)


@pytest.mark.parametrize("name", JOINT)
def test_pickled(name):
    X, y = irises()
    clf = JOINT[name].fit(X, y)
    twin = pickle.loads(pickle.dumps(clf))
    assert_same_model(clf, twin)
    np.testing.assert_array_equal(clf.decision_function(X), twin.decision_function(X))
    twin.certificate_.verify(X, y)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("name", BOTH)
def test_calibrated_probabilities(name, method):
    X, y = irises()
    clf = CalibratedClassifierCV(JOINT[name], method=method, cv=5).fit(X[::2], y[::2])
    chances = clf.predict_proba(X[1::2])
    assert chances.shape == (75, 3)
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    own = chances[np.arange(75), np.searchsorted(clf.classes_, y[1::2])]
    # Better than a guess that knows the shares of the classes alone.
    assert np.log(own).mean() > np.log(1 / 3)
    assert clf.score(X[1::2], y[1::2]) > 0.9
    assert clf.score(X[1::2], y[1::2]) > 0.85


@pytest.mark.parametrize("name", BOTH)
def test_a_chain_of_questions_with_many_answers(name):
    X, y = irises()
    lengths = np.digitize(X[:, 0], [5.4, 6.3])
    codes = np.unique(y, return_inverse=True)[1]
    chain = ClassifierChain(JOINT[name], order=[0, 1]).fit(
        X[:, 1:], np.column_stack([codes, lengths])
    )
    found = chain.predict(X[:, 1:])
    assert (found[:, 0] == codes).mean() > 0.9
    assert (found[:, 1] == lengths).mean() > 0.6
    assert all(isinstance(each.certificate_, Joint) for each in chain.estimators_)


def test_a_search_over_how_many_classes_are_fitted():
    X, y = irises()
    grid = {"perceptron__multi_class": ["joint", "ovr"], "perceptron__rule": ["classic", "margin"]}
    clf = make_pipeline(StandardScaler(), Perceptron(random_state=0))
    search = GridSearchCV(clf, grid, cv=3, error_score="raise").fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_score_ > 0.9
    tried = search.cv_results_["param_perceptron__multi_class"]
    scores = search.cv_results_["mean_test_score"]
    assert scores[tried == "joint"].max() >= scores[tried == "ovr"].max()


@pytest.mark.parametrize("n_classes", [30, 60])
@pytest.mark.parametrize("C", [0.01, 100.0, np.inf])
def test_as_many_classes_as_there_are(C, n_classes):
    """The working set must not grow with the square of the number of classes."""
    draw = np.random.default_rng(0)
    y = np.arange(5 * n_classes) % n_classes
    X = draw.normal(size=(n_classes, 12))[y] + 0.1 * draw.normal(size=(len(y), 12))
    clf = MaxMargin(C=C).fit(X, y)
    certificate = clf.certificate_
    assert (certificate.gap if C == np.inf else certificate.soft.gap) <= 1e-3
    assert clf.score(X, y) == 1.0
    certificate.verify(X, y)
