"""The bounds on new data are true as often as they say, on sources whose risk is known."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

from novikoff import MaxMargin, Perceptron
from novikoff.certificate.compression import NoCompression, carriers_of
from novikoff.certificate.examples.checked import Examples
from novikoff.estimators.rerun import carriers_of_run
from novikoff.estimators.risk import NoRiskError, optimum_risk
from novikoff.theory import compression_bound

CONFIDENCE = 0.9


def most_violations(runs, delta=1.0 - CONFIDENCE):
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


def atoms(rng, n_classes):
    """A few unit vectors of unequal probability: nothing seen says anything of the others."""
    n = int(rng.integers(3, 9))
    return 3.0 * np.eye(n), rng.integers(0, n_classes, n), rng.dirichlet(np.full(n, 0.6))


def grid(rng, n_classes):
    """Whole numbers, whose margins tie."""
    d = int(rng.integers(1, 3))
    X = np.stack(np.meshgrid(*[np.arange(-2.0, 3.0)] * d), -1).reshape(-1, d)
    scores = X @ rng.integers(-2, 3, (d, n_classes)) + rng.integers(-2, 3, n_classes)
    return X, scores.argmax(axis=1), rng.dirichlet(np.full(len(X), 0.5))


def rare(rng, n_classes):
    """One class has hardly any probability."""
    X, y, p = grid(rng, n_classes)
    p = np.where(y == 1, 0.05 * p, p)
    return X, y, p / p.sum()


def noisy(rng, n_classes):
    """Equal examples have different labels."""
    X, y, p = grid(rng, n_classes)
    share = rng.uniform(0.0, 0.15)
    wrong = (y + 1) % n_classes
    return np.r_[X, X], np.r_[y, wrong], np.r_[p * (1 - share), p * share]


KINDS = {
    "hard": (MaxMargin(tol=1e-10), (atoms, grid, rare), 2),
    "soft": (MaxMargin(C=1.0, tol=1e-10), (atoms, grid, rare, noisy), 2),
    "soft, together": (MaxMargin(C=1.0, tol=1e-10), (atoms, grid, noisy), 3),
    "kernel": (MaxMargin(C=10.0, kernel="rbf", gamma=0.1, tol=1e-8), (grid, rare, noisy), 2),
    "compress": (Perceptron(rule="classic", schedule="compress"), (atoms, grid, rare), 2),
    "three passes": (
        Perceptron(rule="classic", average=True, min_margin=0.0, max_iter=3),
        (atoms, rare, noisy),
        2,
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_small_samples_of_awkward_sources(kind):
    """Of 4 to 40 examples, so that the bounds are put to the test; a tenth and half may fail."""
    model, sources, n_classes = KINDS[kind]
    rng, runs, violations, sizes = np.random.default_rng(3), 0, {0.1: 0, 0.5: 0}, []
    while runs < 150:
        X, y, p = sources[rng.integers(len(sources))](rng, n_classes)
        rows = rng.choice(len(y), int(rng.choice([4, 6, 10, 20, 40])), p=p)
        found = fitted_carriers(clone(model), X[rows], y[rows], rng)
        if found is None:
            continue
        clf, k = found
        risk = float(p[clf.predict(X) != y].sum())
        for delta in violations:
            violations[delta] += risk > compression_bound(len(rows), k, delta)
        runs += 1
        sizes.append(k / len(rows))
    for delta, count in violations.items():
        assert count <= most_violations(runs, delta)
    assert np.mean(np.array(sizes) < 1.0) > 0.2


def fitted_carriers(clf, X, y, rng):
    """Fit, and count the examples that carry the model; ``None`` where there is no bound."""
    if len(np.unique(y)) < 2:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if isinstance(clf, Perceptron):
            clf.set_params(random_state=int(rng.integers(2**31)))
        clf.fit(X, y)
    examples = Examples.of(clf.certificate_.problem, X, y, None, check_fingerprint=False)
    try:
        if isinstance(clf, Perceptron):
            return clf, len(carriers_of_run(clf, y, examples).rows)
        return clf, min(len(y), len(carriers_of(clf.certificate_, examples).rows) + 1)
    except (NoRiskError, NoCompression):
        return None
