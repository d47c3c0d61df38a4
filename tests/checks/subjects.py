"""Whatever fits: each estimator under the options that take it another way, and is_separable."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from novikoff import MaxMargin, Perceptron, is_separable
from novikoff.certificate import Certificate, Joint, Separation
from tests.certificate import joint_truth, truth
from tests.estimators.problems import ALL_RULES, UNIT_STEP_RULES

# Every way that a run can go; a check that may depend on the rule goes over RULES.
PERCEPTRONS = ["classic", "scale-free", "dynamic", "min-over", "passive-aggressive", "with slack"]
RULES = [name for name in ALL_RULES if name != "infinity"]
OTHER_RULES = [name for name in RULES if name not in PERCEPTRONS]
MARGINS = {"hard": {}, "soft": dict(C=0.5), "hinge": dict(C=0.5, loss="hinge")}
ESTIMATORS = [*PERCEPTRONS, *MARGINS]
SOFT = ["with slack", "soft", "hinge"]
HARD = [name for name in ESTIMATORS if name not in SOFT]
EVERYTHING = [*ESTIMATORS, "is_separable"]
# Those whose steps are whole numbers: on whole numbers, a fit is the same to the last bit.
UNIT_STEPS = [*UNIT_STEP_RULES, "with slack"]


class Separability:
    """`is_separable` with the methods of an estimator."""

    def __init__(self, **options):
        self.options = options

    def set_callbacks(self, *callbacks):
        return self.set_params(callbacks=callbacks)

    def set_params(self, **options):
        self.options |= options
        return self

    def fit(self, X, y):
        self.certificate_ = is_separable(X, y, **self.options)
        return self

    @property
    def status_(self):
        return self.certificate_.status


def make(name, **options):
    """Return what the name stands for, with these options besides."""
    if name == "is_separable":
        return Separability(**options)
    if name in MARGINS:
        return MaxMargin(**(MARGINS[name] | options))
    how = dict(C=0.5) if name == "with slack" else dict(rule=ALL_RULES[name])
    return Perceptron(**(dict(random_state=0) | how | options))


def endless(name):
    """Return options with which the bounds are not close enough when an early signal comes."""
    if name in PERCEPTRONS:
        return dict(min_margin=0.0)
    return dict(tol=1e-13) if name in SOFT else {}


def warned(fit, *data, **how):
    """Fit and return what was warned of: one line, which names the line of the caller."""
    with pytest.warns(ConvergenceWarning) as caught:
        fit(*data, **how)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    message = str(caught[0].message)
    assert "\n" not in message
    return message


def assert_same_fit(one, other):
    """The same model and the same proof, bit for bit."""
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.intercept_, other.intercept_)
    assert one.certificate_ == other.certificate_


def assert_proved(clf, X, y, sample_weight=None):
    """The certificate holds of the data, also after it was written and read."""
    certificate = clf.certificate_
    verified = certificate.verify(X, y, sample_weight=sample_weight)
    read = Certificate.from_json(certificate.to_json())
    assert read == certificate
    assert read.verify(X, y, sample_weight=sample_weight) == verified
    return verified


def assert_true(clf, X, y, verified):
    """What was verified holds of what the model predicts: by predict, and in fractions."""
    assert verified.errors == (clf.predict(X) != y).sum()
    if isinstance(clf.certificate_, Joint):
        assert_joint_true(clf, X, y)
        return
    parts = getattr(clf.certificate_, "certificates", (clf.certificate_,))
    exponents = np.array(clf.certificate_.problem.exponents or 0)
    table = np.ldexp(np.asarray(X, dtype=np.float64), -exponents)
    for row, part in enumerate(parts):
        signs = np.where(y == clf.classes_[1 if len(parts) == 1 else row], 1, -1)
        w, b = np.ldexp(clf.coef_[row], exponents), float(clf.intercept_[row])
        soft = part.hyperplane.soft
        values = truth.signed_values(table, signs, w, b)
        wrong = sum(v < 0 or (v == 0 and s < 0) for v, s in zip(values, signs, strict=True))
        assert wrong == part.hyperplane.errors
        assert truth.lower_is_true(float(np.atleast_1d(clf.margin_)[row]), table, signs, w, b)
        if isinstance(part, Separation):
            assert min(values) > 0
        if soft is not None:
            weights = part.problem.class_weights
            costs = None if weights is None else np.array(weights)[(y == clf.classes_[1]) + 0]
            model = (soft.scale * w, soft.scale * b, soft.C)
            power = 1 if soft.loss == "hinge" else 2
            assert truth.primal(table, signs, *model, costs, power=power) <= soft.primal
            assert float(np.atleast_1d(clf.C_)[row]) == soft.C


def assert_joint_true(clf, X, y):
    """The claims on several classes together hold in fractions."""
    certificate, codes = clf.certificate_, np.searchsorted(clf.classes_, y)
    exponents = np.array(certificate.problem.exponents or 0)
    table = np.ldexp(np.asarray(X, dtype=np.float64), -exponents)
    W, b, soft = np.ldexp(clf.coef_, exponents), clf.intercept_, certificate.soft
    assert joint_truth.errors(table, codes, W, b) == certificate.errors
    if W.any():
        assert clf.margin_ <= joint_truth.margin(table, codes, W, b)
    if clf.margin_ > 0.0:
        assert min(joint_truth.leads(table, codes, W, b)) > 0
    if soft is not None:
        weights = certificate.problem.class_weights
        costs = None if weights is None else np.array(weights)[codes]
        model = (soft.scale * W, soft.scale * b, soft.C)
        power = 1 if soft.loss == "hinge" else 2
        assert joint_truth.primal(table, codes, *model, costs, power=power) <= soft.primal
        assert clf.C_ == soft.C


def stops(certificate):
    """How the runs ended that a certificate tells of."""
    parts = getattr(certificate, "certificates", (certificate,))
    return {a.status for part in parts for a in (part.account, part.model_account)}
