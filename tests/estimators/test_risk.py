"""Bounds on new data of fitted models: the perceptron's support, and what is refused."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

import novikoff
from novikoff import MaxMargin, MaxMarginCV, Perceptron
from novikoff.certificate import CertificateError, Status
from novikoff.estimators.risk import NoRiskError
from novikoff.theory import compression_bound


def on_a_sphere(rng, m, d):
    X = rng.standard_normal((m, d))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    u = rng.standard_normal(d)
    return X, X @ u > 0, u / np.linalg.norm(u)


def test_a_perceptron_is_carried_by_its_support():
    X, y, _ = on_a_sphere(np.random.default_rng(0), 500, 5)
    clf = Perceptron(max_iter=10**5, min_margin=0.0, random_state=0).fit(X, y)
    risk = clf.risk_certificate(X, y)
    assert risk.scheme == "rerun"
    assert set(risk.support.tolist()) == set(clf.support_.tolist())
    expected = float(compression_bound(len(y), len(clf.support_)))
    assert risk.bound == pytest.approx(expected, rel=1e-9)
    # A rule that asks for a margin bounds the share of small margins.
    assert 0.0 < risk.margin < clf.margin_


def test_a_mean_has_no_margin_of_its_rule():
    """The threshold is that of the last iterate, which is not the model."""
    X, y, _ = on_a_sphere(np.random.default_rng(0), 500, 5)
    clf = Perceptron(max_iter=10**5, min_margin=0.0, average=True, random_state=0).fit(X, y)
    assert clf.status_ is Status.CONVERGED
    assert clf.risk_certificate(X, y).margin is None


def test_of_several_classes_the_supports_are_joined():
    X, y = load_digits(n_class=3, return_X_y=True)
    clf = Perceptron(rule="classic", random_state=1, multi_class="ovr").fit(X, y)
    risk = clf.risk_certificate(X, y)
    assert set(risk.support.tolist()) == set(np.concatenate(clf.support_).tolist())
    assert risk.margin is None


def test_classes_together_have_one_support():
    X, y = load_digits(n_class=3, return_X_y=True)
    clf = Perceptron(rule="classic", random_state=1, multi_class="joint").fit(X, y)
    risk = clf.risk_certificate(X, y)
    assert set(risk.support.tolist()) == set(clf.support_.tolist())
    assert np.mean(clf.predict(X) != y) <= risk.bound < 1.0


def test_the_compressing_order_proves_more():
    X, y, _ = on_a_sphere(np.random.default_rng(0), 1000, 20)
    bounds = {}
    for schedule in ("sweep", "compress"):
        clf = Perceptron(
            rule="classic", schedule=schedule, max_iter=10**5, min_margin=0.0, random_state=0
        ).fit(X, y)
        bounds[schedule] = clf.risk_certificate(X, y).bound
    assert bounds["compress"] < 0.1 < bounds["sweep"]


def test_a_fixed_number_of_passes_on_noisy_data():
    """The examples that the mean gets wrong count too."""
    rng = np.random.default_rng(3)
    X, y, _ = on_a_sphere(rng, 2000, 3)
    y ^= rng.random(len(y)) < 0.02
    clf = Perceptron(rule="classic", average=True, min_margin=0.0, max_iter=3, random_state=0)
    with pytest.warns(match="max_iter"):
        clf.fit(X, y)
    with pytest.warns(match="max_iter"):
        risk = clf.risk_certificate(X, y)
    wrong = np.flatnonzero(clf.predict(X) != y)
    assert set(wrong) <= set(risk.support.tolist())
    assert len(wrong) / len(y) < risk.bound < 1.0


def test_coverage_of_the_perceptron():
    rng = np.random.default_rng(5)
    violations, runs, confidence = 0, 150, 0.9
    for seed in range(runs):
        X, y, u = on_a_sphere(rng, 60, 3)
        clf = Perceptron(
            rule="classic", fit_intercept=False, min_margin=0.0, max_iter=10**5, random_state=seed
        ).fit(X, y)
        w = clf.coef_[0] / np.linalg.norm(clf.coef_)
        risk = np.arccos(np.clip(w @ u, -1, 1)) / np.pi
        violations += risk > clf.risk_certificate(X, y, confidence=confidence).bound
    delta = 1 - confidence
    assert violations <= delta * runs + 3 * np.sqrt(runs * delta * (1 - delta))


def test_max_margin_through_its_method():
    X, y = load_digits(n_class=2, return_X_y=True)
    clf = MaxMargin().fit(X, y)
    risk = clf.risk_certificate(X, y, confidence=0.99)
    assert risk.bound < 0.15
    assert risk.verify(clf.certificate_, X, y) is risk


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (Perceptron(scale=True), "scale=True"),
        (Perceptron(warm_start=True), "warm_start"),
        (Perceptron(rule="passive-aggressive", C=1.0), "unit steps"),
        (Perceptron(class_weight="balanced"), "balanced"),
        (Perceptron(rule="classic", average=True), "min_margin=0"),
        (MaxMargin(class_weight="balanced"), "balanced"),
        (MaxMargin(scale=True), "scale=True"),
        (MaxMarginCV(Cs=[1.0]), "chose C"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_refusals(model, reason):
    X, y = load_digits(n_class=2, return_X_y=True)
    with pytest.raises(NoRiskError, match=reason) as caught:
        model.fit(X, y).risk_certificate(X, y)
    assert "\n" not in str(caught.value)


@pytest.mark.filterwarnings("ignore")
def test_runs_ended_by_time_or_by_a_proof():
    X, y = load_breast_cancer(return_X_y=True)
    X = X / X.max(axis=0)
    slow = Perceptron(rule="classic", average=True, min_margin=0.0, time_limit=1e-3, max_iter=10**9)
    with pytest.raises(NoRiskError, match="time"):
        slow.fit(X, y).risk_certificate(X, y)
    y[0] = 1 - y[0]
    with pytest.raises(NoRiskError, match="depends on all examples"):
        Perceptron().fit(X, y).risk_certificate(X, y)
    online = Perceptron().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(NoRiskError, match="partial_fit"):
        online.risk_certificate(X, y)


def test_a_model_is_stored_with_its_risk(tmp_path):
    X, y = load_digits(n_class=2, return_X_y=True)
    clf = MaxMargin().fit(X, y)
    risk = clf.risk_certificate(X, y)
    path = tmp_path / "model.json"
    novikoff.save(clf, path)
    assert novikoff.load(path).risk_.to_dict() == risk.to_dict()
    assert novikoff.verify(path, X, y).errors == 0
    assert not hasattr(clf.fit(X, y), "risk_")

    document = json.loads(path.read_text())
    document["risk"]["support"] = document["risk"]["support"][1:]
    bound = float(compression_bound(len(y), risk.size - 1))
    document["risk"]["bound"] = bound * (1 + 1e-9)
    path.write_text(json.dumps(document))
    with pytest.raises(CertificateError, match="carries the model too"):
        novikoff.verify(path, X, y)
    document["risk"]["bound"] = bound * (1 - 1e-6)
    path.write_text(json.dumps(document))
    with pytest.raises(novikoff.ModelError, match="do not prove"):
        novikoff.load(path)
