"""The slack lift: the soft-margin problem, its optimum between two bounds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from novikoff import Perceptron, rules
from novikoff.certificate import SoftOptimum, Status, Undecided
from tests.estimators.problems import ALL_RULES, assert_proved, noise, whole_numbers


def objective(w, b, X, signs, C):
    slack = np.maximum(0.0, 1.0 - signs * (X @ w + b))
    return 0.5 * w @ w + C * (slack @ slack)


def optimum_of(X, signs, C, fit_intercept):
    """The optimum by a quasi-Newton method: the problem is smooth and convex."""

    def value(v):
        w, b = v[:-1], v[-1] if fit_intercept else 0.0
        slack = np.maximum(0.0, 1.0 - signs * (X @ w + b))
        pull = -2.0 * C * (slack * signs)
        slope = np.append(w + pull @ X, pull.sum() if fit_intercept else 0.0)
        return 0.5 * w @ w + C * (slack @ slack), slope

    start = np.zeros(X.shape[1] + 1)
    found = minimize(value, start, jac=True, method="BFGS", options=dict(gtol=1e-9, maxiter=5000))
    return found.fun


def signed(y):
    return np.where(y == 1, 1.0, -1.0)


@pytest.mark.filterwarnings("ignore:The run stopped at its limit")
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.005, 0.5, 50.0])
@pytest.mark.parametrize("rule", sorted(set(ALL_RULES) - {"infinity"}))
def test_the_optimum_lies_between_the_bounds(rule, C, fit_intercept):
    """At every moment of a run, not only at its end."""
    X, y = noise(40, 3)
    clf = Perceptron(
        rule=ALL_RULES[rule],
        C=C,
        fit_intercept=fit_intercept,
        random_state=0,
        max_updates=2000,
    ).fit(X, y)
    certificate = clf.certificate_
    assert isinstance(certificate, SoftOptimum)
    assert certificate.C == clf.C_ == C
    assert_proved(clf, X, y)
    best = optimum_of(X, signed(y), C, fit_intercept)
    assert certificate.dual <= best * (1 + 1e-9)
    assert best <= certificate.primal * (1 + 1e-9)
    # The objective is that of a multiple of the model: the scale is all that was chosen.
    scale = certificate.soft.scale
    value = objective(scale * clf.coef_[0], scale * clf.intercept_[0], X, signed(y), C)
    assert value == pytest.approx(certificate.primal, rel=1e-9)


@pytest.mark.parametrize("C", [0.05, 0.5, 5.0])
def test_the_gap_closes(C):
    """Dynamic(accuracy) ends with margin >= (1 - accuracy) of the optimum of the lifted examples.

    The objective is 1 / (2 margin^2), so the gap is at most 1 - (1 - accuracy)^2.
    """
    X, y = noise(60, 3)
    for accuracy in (0.1, 0.01):
        clf = Perceptron(
            rule=rules.Dynamic(accuracy=accuracy),
            C=C,
            fit_intercept=False,
            random_state=0,
            max_iter=10**6,
        ).fit(X, y)
        assert clf.status_ is Status.CONVERGED
        assert clf.certificate_.gap <= 1.0 - (1.0 - accuracy) ** 2
        assert_proved(clf, X, y)


@pytest.mark.parametrize("C", [0.05, 0.5, 5.0])
@pytest.mark.parametrize("store", [np.array, sparse.csr_matrix])
def test_it_is_the_problem_of_linear_svc(C, store):
    X, y = noise(60, 3)
    svc = LinearSVC(C=C, fit_intercept=False, tol=1e-10, max_iter=10**6).fit(X, y)
    clf = Perceptron(
        rule=rules.Dynamic(accuracy=0.005),
        C=C,
        fit_intercept=False,
        random_state=0,
        max_iter=10**6,
    ).fit(store(X), y)
    theirs = objective(svc.coef_[0], 0.0, X, signed(y), C)
    assert clf.certificate_.dual <= theirs <= clf.certificate_.primal * (1 + 1e-6)
    ours = clf.certificate_.soft.scale * clf.coef_
    np.testing.assert_allclose(ours, svc.coef_, atol=0.1 * np.abs(svc.coef_).max())


@given(
    n=st.integers(2, 30),
    d=st.integers(1, 4),
    delta=st.floats(1e-2, 1e2),
    seed=st.integers(0, 2**32 - 1),
    fit_intercept=st.booleans(),
)
def test_whatever_the_data_the_lift_separates_them(n, d, delta, seed, fit_intercept):
    """eps~* >= delta / sqrt(n), which bounds the updates; equal examples are no exception."""
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-1, 2, size=(n, d)).astype(float), rng.permutation(np.arange(n) % 2)
    how = dict(rule="classic", fit_intercept=fit_intercept, max_iter=10**6)
    clf = Perceptron(C=0.5 / delta**2, **how).fit(X, y)
    assert clf.status_ is Status.CONVERGED
    R2 = (
        2 * ((X - clf.centre_) ** 2).sum(axis=1).max()
        if fit_intercept
        else (X**2).sum(axis=1).max()
    )
    R2 = R2 or 1.0
    assert clf.n_updates_ <= n * (R2 + delta**2) / delta**2 * (1 + 1e-9)
    if clf.coef_.any():
        assert_proved(clf, X, y)


def test_a_soft_optimum_claims_no_separation():
    """Also where the examples are separable, and the hyperplane does separate them."""
    X, y = whole_numbers()
    clf = Perceptron(C=5000.0, random_state=0).fit(X, y)
    assert clf.score(X, y) == 1.0
    assert isinstance(clf.certificate_, SoftOptimum)
    with pytest.raises(Undecided, match="soft-margin optimum says nothing on separability"):
        bool(clf.certificate_)
    assert 0.0 < clf.margin_ <= clf.margin_upper_bound_


def test_the_lift_is_not_stored():
    """A new example has no slack: the model is w alone, also on the examples it was fitted on."""
    X, y = noise()
    clf = Perceptron(C=0.06, random_state=0).fit(X, y)
    assert clf.coef_.shape == (1, X.shape[1])
    scores = X @ clf.coef_[0] + clf.intercept_[0]
    np.testing.assert_allclose(clf.decision_function(X), scores, rtol=1e-12)
    assert (np.where(y == 1, scores, -scores) < 0).any()


def test_several_classes():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 3)), np.arange(60) % 3
    clf = Perceptron(C=0.125, random_state=0, multi_class="ovr").fit(X, y)
    assert all(isinstance(part, SoftOptimum) for part in clf.certificate_.certificates)
    assert_proved(clf, X, y)


def test_an_accuracy_below_rounding_is_what_was_asked_for():
    X, y = noise()
    clf = Perceptron(rule=rules.Dynamic(accuracy=1e-17), C=1.0, max_iter=2)
    with pytest.warns(ConvergenceWarning):
        clf.fit(X, y)
    assert clf.certificate_.account.tol == 2e-17
