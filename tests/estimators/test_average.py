"""Which iterate becomes the model: the last, one without a training error, or the average."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

from novikoff import Perceptron, rules
from novikoff.certificate import Status
from novikoff.data import planted
from tests.estimators.problems import ALL_RULES, assert_same_model, noise, three_classes

RULES = sorted(set(ALL_RULES) - {"infinity"})


def cut_short(X, y, updates, **how):
    """The model after so many updates."""
    clf = Perceptron(random_state=0, min_margin=0.0, max_iter=10**6, max_updates=updates, **how)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return clf.fit(X, y)


@pytest.mark.parametrize("how", [{}, {"fit_intercept": False}, {"C": 0.5 / 0.3**2}])
@pytest.mark.parametrize("rule", RULES)
def test_the_average_is_that_of_all_iterates(rule, how):
    """(w_1 + ... + w_T) / T, one iterate for each update, as runs of 1, ..., T updates show.

    With an intercept MinOver makes two updates at a time, and its intercept is no sum of steps.
    """
    X, y = noise(30)
    pairs = rule == "min-over" and how.get("fit_intercept", True)
    how = dict(rule=ALL_RULES[rule], **how)
    steps = range(2, 41, 2) if pairs else range(1, 41)
    iterates = [cut_short(X, y, t, average=False, **how) for t in steps]
    assert all((clf.predict(X) != y).any() for clf in iterates)
    averaged = cut_short(X, y, 40, average=True, **how)
    assert averaged.n_updates_ == 40
    coef = np.mean([clf.coef_ for clf in iterates], axis=0)
    intercept = np.mean([clf.intercept_ for clf in iterates], axis=0)
    np.testing.assert_allclose(averaged.coef_, coef, rtol=1e-9, atol=1e-12 * np.abs(coef).max())
    if not pairs:
        np.testing.assert_allclose(averaged.intercept_, intercept, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("rule", RULES)
def test_auto_is_the_average_where_no_iterate_separates(rule):
    """Never the last iterate: whether the run proved its point or met a limit."""
    X, y = noise()
    for how in ({"min_margin": 0.05, "max_iter": 5000}, {"min_margin": 0.0, "max_iter": 7}):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            auto, yes, no = (
                Perceptron(rule=ALL_RULES[rule], random_state=0, average=average, **how).fit(X, y)
                for average in ("auto", True, False)
            )
        if how["min_margin"] and rule not in ("pa-1", "pa-2"):
            assert auto.status_ in (Status.NO_SUCH_MARGIN, Status.NOT_SEPARABLE)
        assert_same_model(auto, yes)
        assert (auto.coef_ != no.coef_).any()


@pytest.mark.parametrize("rule", RULES)
def test_auto_is_the_last_iterate_where_the_rule_is_satisfied(rule):
    p = planted(60, 4, 0.15, intercept=True, random_state=0)
    how = dict(rule=ALL_RULES[rule], random_state=0, max_iter=5000)
    auto, yes, no = (
        Perceptron(average=average, **how).fit(p.X, p.y) for average in ("auto", True, False)
    )
    assert auto.status_ in (Status.CONVERGED, Status.GAP_REACHED)
    assert not yes.status_.at_limit
    assert_same_model(auto, no)
    assert (auto.coef_ != yes.coef_).any()
    if rule != "min-over":
        # All that the rule promises holds of this iterate, so none other will do.
        last = cut_short(p.X, p.y, auto.n_updates_, average=False, rule=ALL_RULES[rule])
        np.testing.assert_array_equal(last.coef_, auto.coef_)


@pytest.mark.parametrize("how", [{}, {"C": 2.0}, {"fit_intercept": False}])
def test_no_gap_is_claimed_of_the_average(how):
    """The bounds have met at an iterate, not at the mean: it may be better or worse."""
    p = planted(60, 4, 0.15, random_state=0)
    best, mean = (
        Perceptron(rule=rules.MinOver(accuracy=0.01), average=average, max_iter=10**5, **how)
        for average in ("auto", True)
    )
    assert best.fit(p.X, p.y).status_ is Status.GAP_REACHED
    assert mean.fit(p.X, p.y).status_ is Status.CONVERGED
    assert mean.certificate_.account.tol is None
    mean.certificate_.verify(p.X, p.y)


@pytest.mark.parametrize("average", ["auto", False])
def test_an_iterate_without_error_is_preferred_at_a_limit(average):
    p = planted(100, 4, 0.1, intercept=True, random_state=0)
    rule = rules.Dynamic(accuracy=0.001)
    clf = cut_short(p.X, p.y, 3000, average=average, rule=rule)
    assert clf.status_ is Status.MAX_UPDATES
    assert (clf.predict(p.X) == p.y).all()


@pytest.mark.parametrize("value", [np.True_, np.False_])
def test_numpy_booleans_are_booleans(value):
    X, y = noise()
    clf = Perceptron(random_state=0, average=value).fit(X, y)
    assert_same_model(clf, Perceptron(random_state=0, average=bool(value)).fit(X, y))
    online = [
        Perceptron(average=a).partial_fit(X, y, classes=[0, 1]).coef_ for a in (value, bool(value))
    ]
    np.testing.assert_array_equal(*online)


def test_each_class_chooses_for_itself():
    X, y = three_classes()
    y = y.copy()
    y[[1, 2]] = y[[2, 1]]
    auto, yes, no = (
        Perceptron(random_state=0, average=a, min_margin=0.01, multi_class="ovr").fit(X, y)
        for a in ("auto", True, False)
    )
    separated = [
        certificate.status is Status.CONVERGED for certificate in auto.certificate_.certificates
    ]
    assert separated == [True, False, False]
    for k, converged in enumerate(separated):
        np.testing.assert_array_equal(auto.coef_[k], (no if converged else yes).coef_[k])


def test_the_average_serves_noisy_data():
    """A tenth of the labels turned: the average errs far less on new examples than the last w."""
    errors = []
    for seed in range(6):
        p = planted(4000, 20, 0.02, intercept=True, noise=0.1, random_state=seed)
        X, y, new, truth = p.X[:2000], p.y[:2000], p.X[2000:], p.clean_y[2000:]
        models = [
            Perceptron(random_state=0),
            Perceptron(random_state=0, average=False),
            LinearSVC(),
        ]
        errors.append([1.0 - clf.fit(X, y).score(new, truth) for clf in models])
    auto, last, svc = np.transpose(errors)
    assert (auto <= svc + 0.01).all()
    assert auto.mean() < 0.5 * last.mean()
