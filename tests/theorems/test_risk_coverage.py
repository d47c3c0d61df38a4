"""The bounds on new data are true as often as they say, on sources whose risk is known."""

import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer

from novikoff import MaxMargin
from novikoff.estimators.risk import optimum_risk

CONFIDENCE = 0.9


def most_violations(runs):
    delta = 1.0 - CONFIDENCE
    return delta * runs + 3.0 * np.sqrt(runs * delta * (1.0 - delta))


def test_hard_margins_on_a_sphere():
    """Labels of a hyperplane through the origin: the risk is the angle to it, over pi."""
    rng = np.random.default_rng(0)
    violations, bounds, runs = 0, [], 1000
    for _ in range(runs):
        d, m = int(rng.integers(2, 6)), int(rng.integers(40, 120))
        u, X = rng.standard_normal(d), rng.standard_normal((m, d))
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        y = X @ u > 0
        clf = MaxMargin(fit_intercept=False, tol=1e-10).fit(X, y)
        w = clf.coef_[0]
        risk = np.arccos(np.clip(w @ u / np.linalg.norm(w) / np.linalg.norm(u), -1, 1)) / np.pi
        bound = optimum_risk(clf.certificate_, X, y, confidence=CONFIDENCE, method="auto").bound
        violations += risk > bound
        bounds.append(bound)
    assert violations <= most_violations(runs)
    assert np.median(bounds) < 0.25


def test_soft_margins_on_draws_from_a_pool():
    """The pool is the source, drawn from with replacement; its error is the risk."""
    X, y = load_breast_cancer(return_X_y=True)
    X = X / X.max(axis=0)
    rng = np.random.default_rng(1)
    violations, bounds, runs = 0, [], 200
    for _ in range(runs):
        rows = rng.integers(len(y), size=300)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            clf = MaxMargin(C=10.0, tol=1e-9).fit(X[rows], y[rows])
        bound = optimum_risk(
            clf.certificate_, X[rows], y[rows], confidence=CONFIDENCE, method="auto"
        ).bound
        violations += np.mean(clf.predict(X) != y) > bound
        bounds.append(bound)
    assert violations <= most_violations(runs)
    assert np.median(bounds) < 0.4
