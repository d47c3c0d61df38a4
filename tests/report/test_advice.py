"""The command line names its options where estimators name parameters."""

import numpy as np
import pytest

from novikoff import MaxMargin, Perceptron
from novikoff.certificate.compression import NOT_FIXED
from novikoff.report.advice import AS_OPTIONS, with_options

rng = np.random.default_rng(0)
X, y = rng.standard_normal((60, 3)), np.arange(60) % 2


def warning_of(model, **fit):
    with pytest.warns(UserWarning) as caught:
        model.fit(X, y, **fit)
    return with_options(str(caught[0].message))


def reason_of(model):
    with pytest.raises(ValueError) as caught:
        model.fit(X, np.arange(60) % 3 if model.kernel == "rbf" else y).risk_certificate(
            X, np.arange(60) % 3 if model.kernel == "rbf" else y
        )
    return with_options(str(caught.value))


def test_warnings_of_limits():
    assert "raise --tol, or add --scale" in warning_of(MaxMargin(C=100.0, tol=1e-9, max_iter=1))
    said = warning_of(Perceptron(max_iter=1, min_margin=0))
    assert "Add --scale, or leave out --rule (MaxMargin), which" in said and "--C." in said
    said = warning_of(Perceptron(max_iter=1, min_margin=0, scale=True))
    assert "Leave out --rule (MaxMargin), which" in said


def test_idle_weights():
    X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), [0, 0, 1, 1]
    with pytest.warns(UserWarning) as caught:
        MaxMargin(class_weight={0: 1, 1: 2}).fit(X, y)
    assert "give a finite --C, or --C auto, for" in with_options(str(caught[0].message))


def test_reasons_against_a_bound_on_new_data():
    assert "--scale: " in reason_of(MaxMargin(C=1.0, scale=True))
    assert "--class-weight balanced" in reason_of(MaxMargin(C=1.0, class_weight="balanced"))
    assert "--multi-class ovr" in reason_of(MaxMargin(C=1.0, kernel="rbf", gamma=0.5))
    assert "--C" in reason_of(MaxMargin()) and "give a C" in NOT_FIXED


def test_nothing_else_is_changed():
    text = "The margin is 0.5."
    assert with_options(text) == text
    assert all("--" in said or "in Python" in said for said in AS_OPTIONS.values())
