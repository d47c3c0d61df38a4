"""Whatever fits: each estimator under the options that take it another way, and is_separable."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from novikoff import MaxMargin, Perceptron, is_separable, rules
from novikoff.certificate import Certificate

PERCEPTRONS = {
    "classic": dict(rule="classic"),
    "scale-free": {},
    "dynamic": dict(rule=rules.Dynamic(accuracy=0.4)),
    "min-over": dict(rule=rules.MinOver(accuracy=0.3)),
    "passive-aggressive": dict(rule="passive-aggressive"),
    "with slack": dict(C=0.5),
}
MARGINS = {"hard": {}, "soft": dict(C=0.5)}
ESTIMATORS = [*PERCEPTRONS, *MARGINS]
SOFT = ["with slack", "soft"]
HARD = [name for name in ESTIMATORS if name not in SOFT]
EVERYTHING = [*ESTIMATORS, "is_separable"]
# Those whose steps are whole numbers: on whole numbers, a fit is the same to the last bit.
UNIT_STEPS = ["classic", "scale-free", "dynamic", "min-over", "with slack"]


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
    return Perceptron(**(dict(random_state=0) | PERCEPTRONS[name] | options))


def kind_of(name):
    return MaxMargin if name in MARGINS else Perceptron


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


def stops(certificate):
    """How the runs ended that a certificate tells of."""
    parts = getattr(certificate, "certificates", (certificate,))
    return {a.status for part in parts for a in (part.account, part.model_account)}
