"""Bounds on the error on new data: what carries a model, what is proved, what is refused."""

import json

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_digits

from novikoff import MaxMargin, Perceptron
from novikoff.certificate import CertificateError
from novikoff.certificate.exact.confidence import METHODS, is_proved
from novikoff.certificate.risk import Risk
from novikoff.estimators.risk import NoRiskError, optimum_risk
from novikoff.theory import compression_bound, selection_bound, theorem_5_2


def pair(a, b):
    X, y = load_digits(return_X_y=True)
    part = (y == a) | (y == b)
    return X[part], y[part]


def risk_of(clf, X, y, confidence=0.95, method="auto"):
    return optimum_risk(clf.certificate_, X, y, confidence=confidence, method=method)


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix, lambda X: X.astype(np.uint8)])
def test_the_examples_on_the_margin_carry_a_hard_margin(convert):
    X, y = pair(3, 8)
    X = convert(X)
    clf = MaxMargin().fit(X, y)
    risk = risk_of(clf, X, y)
    scores = np.abs(clf.decision_function(X))
    on_margin = np.flatnonzero(scores < scores.min() * (1 + 1e-6))
    assert set(clf.support_) <= set(risk.support.tolist()) == set(on_margin.tolist())
    assert risk.size == len(on_margin) + 1
    assert risk.bound == pytest.approx(float(compression_bound(len(y), risk.size)), rel=1e-9)
    assert risk.margin == pytest.approx(clf.margin_, rel=1e-3)
    assert risk.margin < clf.margin_
    assert risk.verify(clf.certificate_, X, y) is risk


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_examples_with_slack_carry_a_soft_margin(fit_intercept):
    X, y = load_breast_cancer(return_X_y=True)
    X = X / X.max(axis=0)
    clf = MaxMargin(C=1.0, tol=1e-9, fit_intercept=fit_intercept).fit(X, y)
    risk = risk_of(clf, X, y)
    within = np.flatnonzero((2 * y - 1) * clf.decision_function(X) <= 1.0)
    assert set(within) <= set(risk.support.tolist())
    assert risk.size < len(within) + 5
    risk.verify(clf.certificate_, X, y)


def test_a_rerun_on_the_carriers_gives_the_same_optimum():
    """Without the examples that do not carry it, in any number, the optimum is the same."""
    X, y = load_breast_cancer(return_X_y=True)
    X = X / X.max(axis=0)
    for model, data in ((MaxMargin(tol=1e-9), pair(3, 8)), (MaxMargin(C=1.0, tol=1e-9), (X, y))):
        X, y = data
        clf = model.fit(X, y)
        kept = risk_of(clf, X, y).support
        others = np.setdiff1d(np.arange(len(y)), kept)
        some = np.sort(np.concatenate([kept, others[::3]]))
        for rows in (kept, some):
            again = MaxMargin(C=clf.C, tol=1e-9).fit(X[rows], y[rows])
            assert again.coef_ == pytest.approx(clf.coef_, rel=1e-3, abs=1e-4)


def test_several_classes_count_each_example_once():
    X, y = load_digits(n_class=3, return_X_y=True)
    clf = MaxMargin(C=1e-3, tol=1e-9, multi_class="ovr").fit(X, y)
    risk = risk_of(clf, X, y)
    scores = clf.decision_function(X)
    signs = np.where(y[:, None] == clf.classes_, 1.0, -1.0)
    assert risk.size <= np.count_nonzero((signs * scores <= 1.0 + 1e-6).any(axis=1)) + 1
    assert risk.margin is None
    risk.verify(clf.certificate_, X, y)


@pytest.mark.parametrize("parameters", [{}, {"C": 1e-3}, {"C": 1e-3, "fit_intercept": False}])
@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_matrix])
def test_classes_together(convert, parameters):
    X, y = load_digits(n_class=3, return_X_y=True)
    clf = MaxMargin(tol=1e-9, **parameters).fit(convert(X), y)
    risk = risk_of(clf, convert(X), y)
    scores = clf.decision_function(X)
    own = scores[np.arange(len(y)), y]
    scores[np.arange(len(y)), y] = -np.inf
    leads = own - scores.max(axis=1)
    edge = 1.0 if parameters else leads.min()
    within = np.count_nonzero(leads <= edge * (1 + 1e-6))
    assert within < risk.size <= within + 3
    assert risk.margin is None
    risk.verify(clf.certificate_, convert(X), y)
    fewer = {**risk.to_dict(), "support": risk.support[1:].tolist(), "bound": 1.0}
    with pytest.raises(CertificateError, match="carries the model too"):
        Risk.from_dict(fewer).verify(clf.certificate_, convert(X), y)


def test_every_class_is_among_the_carriers():
    """Through the origin, the nearest point of one class alone may be the margin."""
    X = np.array([[1.0, 0.0], [1.0, 0.1], [-5.0, 0.0], [-6.0, 1.0], [-7.0, -1.0]])
    y = np.array([1, 1, 0, 0, 0])
    for parameters in ({}, {"C": 10.0}):
        clf = MaxMargin(fit_intercept=False, tol=1e-12, **parameters).fit(X, y)
        risk = risk_of(clf, X, y)
        assert set(y[risk.support]) == {0, 1}
        assert 2 in risk.support and 3 not in risk.support
        risk.verify(clf.certificate_, X, y)
        document = {**risk.to_dict(), "bound": 1.0}
        document["support"] = [i for i in document["support"] if i != 2]
        with pytest.raises(CertificateError, match="example 2 carries"):
            Risk.from_dict(document).verify(clf.certificate_, X, y)


def test_a_loose_optimum_of_classes_together_proves_nothing():
    X, y = load_digits(n_class=3, return_X_y=True)
    loose = Perceptron(rule="classic", random_state=0).fit(X, y).certificate_
    with pytest.raises(NoRiskError, match="smaller tol"):
        optimum_risk(loose, X, y, confidence=0.95, method="auto")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("m", "k"), [(100, 3), (2000, 40), (5000, 1500)])
def test_ball_arithmetic_proves_the_bound_and_nothing_below(method, m, k):
    bound = {
        "compression": lambda: compression_bound(m, k, 0.05),
        "binomial": lambda: selection_bound(m, k, 0, 0.05),
        "theorem-5.2": lambda: theorem_5_2(m, k, 0.0, 0.05),
    }[method]()
    assert is_proved(method, m, k, 0.05, min(1.0, float(bound) * (1 + 1e-9)))
    if bound < 1.0:
        assert not is_proved(method, m, k, 0.05, float(bound) * (1 - 1e-6))


def test_the_other_methods_are_weaker_and_proved():
    X, y = pair(0, 1)
    clf = MaxMargin().fit(X, y)
    bounds = [risk_of(clf, X, y, method=method).bound for method in ("auto", *METHODS)]
    assert bounds[0] == bounds[1] < bounds[2] < bounds[3] == 1.0
    more = risk_of(clf, X, y, confidence=0.999)
    assert more.bound > bounds[0]


def test_sentences():
    X, y = pair(0, 1)
    text = str(risk_of(MaxMargin().fit(X, y), X, y))
    assert text.startswith("With 95 % confidence the error on new examples from the same source")
    assert "at most 19 of 360 examples and the farthest one carry the optimum" in text
    assert "drawn independently from one source" in text


def test_stored_and_read_back():
    X, y = pair(0, 1)
    risk = risk_of(MaxMargin().fit(X, y), X, y)
    document = json.loads(json.dumps(risk.to_dict()))
    again = Risk.from_dict(document)
    assert again.to_dict() == risk.to_dict()
    with pytest.raises(CertificateError, match="do not prove"):
        Risk.from_dict({**document, "bound": document["bound"] * (1 - 1e-9)})
    with pytest.raises(CertificateError, match="do not prove"):
        Risk.from_dict({**document, "confidence": 0.951})
    with pytest.raises(CertificateError):
        Risk.from_dict({**document, "method": "wish"})
    with pytest.raises(CertificateError):
        Risk.from_dict({key: value for key, value in document.items() if key != "extra"})


def test_forgeries_do_not_verify():
    X, y = pair(3, 8)
    clf = MaxMargin().fit(X, y)
    risk = risk_of(clf, X, y)

    def forged(**changes):
        values = {**risk.to_dict(), **changes}
        values["bound"] = float(compression_bound(values["n_examples"], len(values["support"]) + 1))
        values["bound"] *= 1 + 1e-9
        return Risk.from_dict(values)

    fewer = risk.support[1:].tolist()
    with pytest.raises(CertificateError, match="carries the model too"):
        forged(support=fewer).verify(clf.certificate_, X, y)
    with pytest.raises(CertificateError, match="counted"):
        forged(n_examples=risk.n_examples * 2).verify(clf.certificate_, X, y)
    with pytest.raises(CertificateError, match="counted"):
        forged(extra=0).verify(clf.certificate_, X, y)
    with pytest.raises(CertificateError, match="not proved on new data"):
        forged(margin=clf.margin_).verify(clf.certificate_, X, y)
    with pytest.raises(CertificateError):
        risk.verify(clf.certificate_, X[::-1], y, check_fingerprint=False)
    with pytest.raises(CertificateError, match="only its estimator"):
        forged(scheme="rerun").verify(clf.certificate_, X, y)


def test_a_separator_far_from_the_optimum_proves_nothing():
    X, y = pair(0, 1)
    loose = Perceptron(rule="classic", random_state=0).fit(X, y).certificate_
    assert bool(loose) and loose.gap > 0.1
    with pytest.raises(NoRiskError, match="smaller tol"):
        optimum_risk(loose, X, y, confidence=0.95, method="auto")


def test_refusals():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(NoRiskError, match="divide columns of large numbers"):
        risk_of(MaxMargin().fit(X, y), X, y)
    with pytest.raises(NoRiskError, match="scale=True"):
        risk_of(MaxMargin(C=1.0, scale=True).fit(X, y), X, y)
    Xs, ys = (part[:90] for part in load_digits(n_class=3, return_X_y=True))
    with pytest.raises(NoRiskError, match="weights"):
        risk_of(MaxMargin(C=1.0).fit(Xs, ys > 0, sample_weight=1.0 + ys), Xs, ys > 0)
    small, labels = X[:60], np.arange(60) % 2
    with pytest.raises(NoRiskError, match="give a C"):
        risk_of(
            MaxMargin().fit(np.tile(small, (2, 1)), np.r_[labels, 1 - labels]),
            np.tile(small, (2, 1)),
            np.r_[labels, 1 - labels],
        )
    X, y = pair(0, 1)
    clf = MaxMargin().fit(X, y)
    with pytest.raises(ValueError, match="confidence"):
        risk_of(clf, X, y, confidence=1.0)
    with pytest.raises(ValueError, match="method"):
        risk_of(clf, X, y, method="best")
    with pytest.raises(CertificateError, match="fingerprint"):
        risk_of(clf, X + 1, y)
