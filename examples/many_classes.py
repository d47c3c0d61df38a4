"""Many classes in one linear model: what is proved, probabilities, chains, searches and pickles.

Usage: python many_classes.py
"""

import pickle

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits, load_iris
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.multioutput import ClassifierChain
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from novikoff import MaxMargin, Perceptron


def prove() -> None:
    """Certify a model of ten classes, and name two of three that nothing separates."""
    X, y = load_digits(return_X_y=True)
    clf = Perceptron(random_state=0).fit(X, y)
    print(clf.certificate_.verify(X, y).sentence)
    print(f"{len(clf.support_)} of {len(y)} examples carry the model.\n")
    X, y = load_iris(return_X_y=True, as_frame=True)
    print(MaxMargin().fit(X, y).certificate_, end="\n\n")


def calibrate() -> None:
    """Make probabilities of the scores, on examples that the model has not seen."""
    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, random_state=0, stratify=y)
    clf = CalibratedClassifierCV(MaxMargin(C=0.001), method="isotonic", cv=5).fit(X, y)
    chances = clf.predict_proba(X_test).max(axis=1)
    right = clf.predict(X_test) == y_test
    for least in (0.5, 0.9, 0.99):
        sure = chances >= least
        share = right[sure].mean()
        print(f"Probability at least {least}: {sure.mean():.1%} of the digits, {share:.1%} right.")


def chain() -> None:
    """Answer two questions, the second with the answer to the first as a column."""
    X, y = load_digits(return_X_y=True)
    answers = np.column_stack([y, np.where(y % 2 == 0, 0, 1 + (y > 4))])
    X, X_test, answers, wanted = train_test_split(X, answers, random_state=0, stratify=y)
    clf = ClassifierChain(Perceptron(random_state=0), order=[0, 1]).fit(X, answers)
    first, second = (clf.predict(X_test) == wanted).mean(axis=0)
    print(f"A chain: {first:.1%} of the digits right, and {second:.1%} of their kinds.")


def search() -> None:
    """Choose between two ways to fit classes, in a pipeline on a table; pickle what was found."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(StandardScaler(), MaxMargin())
    grid = {"maxmargin__multi_class": ["joint", "ovr"], "maxmargin__C": [0.1, 1.0, 10.0]}
    found = GridSearchCV(pipeline, grid, cv=5).fit(X, y)
    again = pickle.loads(pickle.dumps(found.best_estimator_))
    same = (again.predict(X) == found.predict(X)).all()
    print(f"Best of a search: {found.best_params_}, {found.best_score_:.1%} right.")
    print(f"Predictions after pickling are the same: {same}.")


if __name__ == "__main__":
    prove()
    calibrate()
    chain()
    search()
