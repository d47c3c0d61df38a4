"""What bad input gets: one line that names the row, the value or the parameter, and no model."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from novikoff import Perceptron, rules
from tests.estimators.problems import ALL_RULES, whole_numbers


def refused(message, X, y, **how):
    """Both ways of learning refuse, with this message, and leave nothing behind."""
    clf = Perceptron(**how)
    with pytest.raises(ValueError, match=message):
        clf.fit(X, y)
    assert not hasattr(clf, "coef_")
    return clf


@pytest.mark.parametrize("make", [np.array, sparse.csr_matrix, np.asfortranarray])
@pytest.mark.parametrize(
    ("value", "message"), [(np.nan, "contains NaN"), (np.inf, "infinity"), (-np.inf, "infinity")]
)
def test_numbers_that_are_none(make, value, message):
    X, y = whole_numbers()
    X[17, 3] = value
    refused(message, make(X), y)
    clf = Perceptron()
    with pytest.raises(ValueError, match=message):
        clf.partial_fit(make(X), y, classes=[0, 1])
    assert not hasattr(clf, "coef_")
    clf = Perceptron().fit(*whole_numbers())
    with pytest.raises(ValueError, match=message):
        clf.predict(make(X))


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_small_floats_that_are_none(dtype):
    X, y = whole_numbers()
    X[17, 3] = np.nan
    refused("contains NaN", X.astype(dtype), y)


def test_labels():
    X, y = whole_numbers()
    refused("only one class, 1; a classifier needs examples of two", X, np.ones(60, dtype=int))
    refused("only one class, 'yes'", X, ["yes"] * 60)
    refused("inconsistent numbers of samples", X, y[:-1])
    refused("Unknown label type: continuous", X, y + 0.5)
    refused("contains NaN", X, np.where(y == 1, np.nan, 0.0))
    mixed = ["a", *(None if k else "a" for k in y[1:])]
    refused("labels that cannot be compared; make them all strings", X, mixed)
    refused("labels that cannot be compared; make them all strings", X, [b"no", b"yes"] * 30)
    refused("y should be a 1d array", X, np.c_[y, y])


def test_shapes():
    X, y = whole_numbers()
    refused("0 sample", X[:0], y[:0])
    refused("only one class|minimum of", X[:1], y[:1])
    refused("0 feature", X[:, :0], y)
    refused("Expected 2D array", X[:, 0], y)
    refused("dim 3|Expected <= 2", X[None], y)
    clf = Perceptron().fit(X, y)
    with pytest.raises(ValueError, match="has 4 features, but Perceptron is expecting 5"):
        clf.predict(X[:, :4])


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("make", [np.array, sparse.csr_matrix, np.asfortranarray])
@pytest.mark.parametrize("rule", ALL_RULES)
def test_squares_beyond_the_range_of_floats(rule, make, fit_intercept):
    X, y = whole_numbers(intercept=fit_intercept)
    how = dict(rule=ALL_RULES[rule], fit_intercept=fit_intercept)
    for scale in (1e200, 1e155):
        message = "squares of the features overflow; divide the features by their largest magnitude"
        refused(message, make(X * scale), y, **how)
    for scale in (1e-150, 1e-170, 1e-200, 1e-300):
        message = "squares of the features underflow; multiply the features by a large constant"
        refused(message, make(X * scale), y, **how)


@pytest.mark.parametrize("scale", [1e138, 1e139, 1e140, 1e141, 1e142, 1e150, 1e153])
@pytest.mark.parametrize("rule", sorted(set(ALL_RULES) - {"infinity"}))
def test_sums_of_squares_near_the_range_of_floats(rule, scale):
    """Squares within range, of which sums may not be: a finite model, or an error, no warning."""
    X, y = whole_numbers()
    clf = Perceptron(rule=ALL_RULES[rule], random_state=0, max_iter=500)
    try:
        clf.fit(X * scale, y)
    except ValueError as error:
        assert scale > 1e139
        assert "overflow; divide the features by their largest magnitude" in str(error)
        assert not hasattr(clf, "coef_")
    else:
        assert scale < 1e142
        assert np.isfinite(clf.coef_).all()
        assert np.isfinite(clf.intercept_).all()
        clf.certificate_.verify(X * scale, y)


def test_one_tiny_feature_among_others():
    X, y = whole_numbers()
    tiny = np.hstack([X, 1e-250 * X[:, :1]])
    clf = Perceptron(random_state=0).fit(tiny, y)
    assert clf.score(tiny, y) == 1.0
    clf.certificate_.verify(tiny, y)
    refused("squares of the features overflow", np.hstack([X, 1e250 * X[:, :1]]), y)


PARAMETERS = {
    "rule": ["nearest", "Classic", "", 3, None, rules.Classic, ["classic"], rules],
    "fit_intercept": ["no", 1, 0, None, 0.5],
    "soft_margin": [-1.0, np.nan, np.inf, "1", None, True, [1.0], 1j],
    "average": ["yes", "Auto", None, 1, 0, 2, "", [True]],
    "min_margin": [-1e-3, np.nan, np.inf, "0", None, False],
    "max_iter": [0, -1, 2.5, np.nan, np.inf, "10", None, True],
    "max_updates": [0, -1, 2.5, "10", True, np.inf],
    "time_limit": [-1.0, np.nan, np.inf, "10", True],
    "shuffle": ["yes", 1, None, 0.0],
    "random_state": ["seed", -1, 1.5, [[1]]],
    "warm_start": ["yes", 1, None],
    "class_weight": ["equal", 3.0, {0: -1.0}, {0: np.nan}],
    "n_jobs": [0, 1.5, "all"],
    "verbose": ["loud", None, 1.5],
}


def test_no_parameter_is_forgotten():
    assert PARAMETERS.keys() == Perceptron().get_params().keys()


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in PARAMETERS.items() for value in values]
)
def test_parameters(name, value):
    X, y = whole_numbers()
    message = r"[sS]eed" if name == "random_state" else rf"\b{name}\b"
    clf = refused(message, X, y, **{name: value})
    assert getattr(clf, name) is value, "a parameter was overwritten"
    if name not in ("shuffle", "random_state"):
        with pytest.raises(ValueError, match=message):
            clf.partial_fit(X, y, classes=[0, 1])


RULES_PARAMETERS = {
    rules.Classic: {},
    rules.Margin: {
        "beta": [-1.0, np.nan, np.inf, "1", None, [1.0, 2.0]],
        "unit": ["metre", None, "R", 1],
    },
    rules.ScaleFree: {"c": [-1.0, np.nan, np.inf, "1", None], "printed": ["yes", None, 2]},
    rules.Infinity: {"alpha": [1.0, 2.0, 0.5, np.nan, np.inf, "1.5", None]},
    rules.ScaleFreeInfinity: {"alpha": [1.0, 2.0, -1.5, np.nan, "1.5", None]},
    rules.Dynamic: {"accuracy": [0.0, 1.0, -0.1, np.nan, "0.1", None]},
    rules.MinOver: {"accuracy": [0.0, 1.0, 1.5, np.nan, "0.1", None]},
    rules.PassiveAggressive: {
        "C": [0.0, -1.0, np.nan, "1", None],
        "variant": [0, 3, "2", None, 1.5],
        "tolerance": [0.0, 1.1, -0.1, np.nan, "0.1", None],
    },
    rules.Alma: {"a": [0.0, 1.0, -0.1, np.nan, "0.1", None]},
}


def test_no_rule_is_forgotten():
    public = {getattr(rules, name) for name in rules.__all__} - {rules.Rule, rules.named}
    assert RULES_PARAMETERS.keys() == public
    for rule, parameters in RULES_PARAMETERS.items():
        assert parameters.keys() == rule().get_params().keys()


@pytest.mark.parametrize(
    ("rule", "name", "value"),
    [
        (rule, name, value)
        for rule, parameters in RULES_PARAMETERS.items()
        for name, values in parameters.items()
        for value in values
    ],
)
def test_parameters_of_rules(rule, name, value):
    """Construction accepts anything, as scikit-learn wants it; the fit names rule and parameter."""
    X, y = whole_numbers()
    made = rule(**{name: value})
    refused(rf"{rule.__name__}: {name}=", X / 128.0, y, rule=made)
    assert getattr(made, name) is value


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_infinity_needs_small_norms(fit_intercept):
    X, y = whole_numbers(intercept=fit_intercept)
    message = "Infinity needs examples of norm at most 1, lift included.*use ScaleFreeInfinity"
    how = dict(rule="infinity", fit_intercept=fit_intercept)
    refused(message, X, y, **how)
    refused(message, X.astype(np.uint8), y, **how)
    with pytest.raises(ValueError, match=message):
        Perceptron(**how).partial_fit(X, y, classes=[0, 1])


def test_infinity_counts_the_lift():
    """Norms of at most 1 are not enough with an intercept: the lift is as long again."""
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.9]]), np.array([0, 1, 1])
    refused("the largest has 1.41421", X, y, rule="infinity", shuffle=False)
    Perceptron(rule="infinity", shuffle=False).fit(X / np.sqrt(2), y)
    Perceptron(rule="infinity", shuffle=False, fit_intercept=False).fit(X[1:], [0, 1])
    how = dict(rule="infinity", shuffle=False, soft_margin=np.sqrt(1.25))
    refused("the largest has 1.5", X / np.sqrt(2), y, **how)


WRONG = {
    "one class": lambda X, y: (X, np.ones(60)),
    "continuous": lambda X, y: (X, y + 0.5),
    "too few labels": lambda X, y: (X, y[:-1]),
    "a NaN": lambda X, y: (np.where(X == X[3, 0], np.nan, X), y),
    "digits": lambda X, y: (X.astype(int).astype(object) + (2**53 + 1), y),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("frame", [pd.DataFrame, np.asarray])
def test_a_refused_fit_leaves_the_model_as_it_was(wrong, frame):
    """Its features are known by then, and are forgotten again."""
    X, y = whole_numbers()
    fitted = Perceptron(random_state=0).fit(pd.DataFrame(X[:, :3], columns=list("abc")), y)
    fresh = Perceptron(random_state=0)
    before = vars(fitted).copy()
    features, labels = WRONG[wrong](X, y)
    for clf in (fitted, fresh):
        with pytest.raises(ValueError):
            clf.fit(frame(features), labels)
    assert vars(fitted).keys() == before.keys()
    assert all(vars(fitted)[name] is before[name] for name in before)
    assert fitted.predict(pd.DataFrame(X[:, :3], columns=list("abc"))).shape == (60,)
    with pytest.raises(NotFittedError):
        fresh.predict(X)


@pytest.mark.parametrize(
    "option", [{"class_weight": {0: -1.0}}, {"rule": "infinity"}, {"max_iter": 0}, {"rule": "x"}]
)
def test_refused_options_leave_the_model_as_it_was(option):
    X, y = whole_numbers()
    clf = Perceptron(random_state=0).fit(X[:, :3], y)
    clf.set_params(**option)
    before = vars(clf).copy()
    with pytest.raises(ValueError):
        clf.fit(X, y)
    assert vars(clf) == before
    assert clf.n_features_in_ == 3


def test_errors_are_one_line():
    X, y = whole_numbers()
    spoilt = [
        (X * 1e200, y, {}),
        (X, np.ones(60), {}),
        (X, y, {"rule": "nearest"}),
        (X, y, {"rule": "infinity"}),
        (X, y, {"soft_margin": -1}),
        (X, ["a", *(None if k else "a" for k in y[1:])], {}),
        (X, y, {"class_weight": {0: -1.0}}),
    ]
    for data, labels, how in spoilt:
        with pytest.raises(ValueError, match=r"\A[^\n]+\Z"):
            Perceptron(**how).fit(data, labels)
