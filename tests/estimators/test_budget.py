"""Perceptron(budget=...): a limit on how many examples have weight, with a kernel."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning

from novikoff import CertificateError, MaxMargin, Perceptron, load, rules, save, verify
from novikoff.certificate import Status
from novikoff.estimators.risk import NoRiskError

MOONS, PHASE = make_moons(300, noise=0.15, random_state=0)
FLOWERS, SPECIES = load_iris(return_X_y=True)


def fitted(X, y, **how):
    how = dict(kernel="rbf", gamma=2.0, random_state=0) | how
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return Perceptron(**how).fit(X, y)


def carriers(clf):
    duals = clf.dual_coef_ if isinstance(clf.dual_coef_, list) else [clf.dual_coef_]
    return [np.count_nonzero(np.atleast_2d(dual).any(axis=0)) for dual in duals]


@pytest.mark.parametrize("cache_size", [200, 0.05])
@pytest.mark.parametrize("rule", ["classic", "scale-free", "dynamic", "passive-aggressive"])
@pytest.mark.parametrize("budget", [2, 7, 20])
def test_no_more_examples_have_weight_and_the_certificate_is_honest(budget, rule, cache_size):
    for X, y in ((MOONS, PHASE), (FLOWERS, SPECIES)):
        how = dict(rule=rule, cache_size=cache_size)
        # A larger support is what the budget is needed for.
        assert max(carriers(fitted(X, y, **how))) > 7
        for together in ("joint", "ovr"):
            clf = fitted(X, y, budget=budget, multi_class=together, max_iter=50, **how)
            assert max(carriers(clf)) <= budget
            verify(clf, X, y)
            certificate = clf.certificate_
            if len(certificate.parts) == 1:
                assert certificate.hyperplane.errors == np.count_nonzero(clf.predict(X) != y)


def test_the_status_says_whether_the_rule_was_satisfied():
    enough = fitted(MOONS, PHASE, rule="classic")
    assert enough.status_ is Status.CONVERGED
    size = carriers(enough)[0]
    same = fitted(MOONS, PHASE, rule="classic", budget=size)
    assert same.status_ is Status.CONVERGED
    np.testing.assert_array_equal(same.dual_coef_, enough.dual_coef_)
    with pytest.warns(ConvergenceWarning, match="budget of support vectors: asked for"):
        less = Perceptron(
            kernel="rbf",
            gamma=2.0,
            rule="classic",
            average=False,
            random_state=0,
            budget=size // 2,
        ).fit(MOONS, PHASE)
    assert less.status_ is Status.BUDGET
    assert less.certificate_.hyperplane.errors > 0
    # Those that have weight are satisfied, though others are not.
    heavy = less.support_[less.dual_coef_ != 0]
    assert (less.predict(MOONS[heavy]) == PHASE[heavy]).all()


def test_a_budget_is_refused_where_it_means_nothing():
    for budget in (1, 0, -3, 2.5, True, "many"):
        with pytest.raises(ValueError, match="budget="):
            fitted(MOONS, PHASE, budget=budget)
    with pytest.raises(ValueError, match="budget is for kernels"):
        fitted(MOONS, PHASE, kernel="linear", budget=10)
    with pytest.raises(ValueError, match="not min-over"):
        fitted(MOONS, PHASE, rule=rules.MinOver(), budget=10)


def test_there_is_no_bound_on_new_data(tmp_path):
    other = MaxMargin(kernel="rbf", gamma=2.0, C=1.0).fit(MOONS, PHASE)
    other.risk_certificate(MOONS, PHASE)
    clf = fitted(MOONS, PHASE, rule="classic", budget=10)
    with pytest.raises(NoRiskError, match="budget"):
        clf.risk_certificate(MOONS, PHASE)
    # Nor is one believed that was written for another model.
    clf.risk_ = other.risk_
    with pytest.raises(CertificateError, match="kept within a budget"):
        verify(clf, MOONS, PHASE)
    save(clf, tmp_path / "model.json")
    with pytest.raises(CertificateError, match="kept within a budget"):
        verify(tmp_path / "model.json", MOONS, PHASE)


def test_a_stored_model_keeps_its_budget(tmp_path):
    clf = fitted(MOONS, PHASE, budget=10)
    save(clf, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.budget == 10
    np.testing.assert_array_equal(again.predict(MOONS), clf.predict(MOONS))
    verify(tmp_path / "model.json", MOONS, PHASE)
