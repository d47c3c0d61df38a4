"""What rules refuse: parameters out of range, examples that are too long, sums that overflow."""

import numpy as np
import pytest

from novikoff import Perceptron, rules
from tests.estimators.problems import ALL_RULES, whole_numbers


def refused(message, X, y, **how):
    """The fit refuses, with this message, and leaves nothing behind."""
    clf = Perceptron(**how)
    with pytest.raises(ValueError, match=message):
        clf.fit(X, y)
    assert not hasattr(clf, "coef_")


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


RULES_PARAMETERS = {
    rules.Classic: {},
    rules.Margin: {
        "beta": [-1.0, np.nan, np.inf, "1", None, [1.0, 2.0]],
        "unit": ["metre", None, "R", 1],
    },
    rules.MeanNorm: {"c": [-1.0, np.nan, np.inf, "1", None]},
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
    assert RULES_PARAMETERS.keys() == {kind for kind in public if issubclass(kind, rules.Rule)}
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
    message = "Infinity needs examples of norm at most 1, with the lift.*use ScaleFreeInfinity"
    how = dict(rule="infinity", fit_intercept=fit_intercept)
    refused(message, X, y, **how)
    refused(message, X.astype(np.uint8), y, **how)
    with pytest.raises(ValueError, match=message):
        Perceptron(**how).partial_fit(X, y, classes=[0, 1])


def test_infinity_counts_the_lift():
    """Norms of at most 1 are not enough with an intercept.

    The centre is the first example, and the point of the other class is (1, 1) / (1 + 1/0.9) away.
    """
    X, y = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.9]]), np.array([0, 1, 1])
    refused("the largest norm is 1.20364", X, y, rule="infinity", shuffle=False)
    Perceptron(rule="infinity", shuffle=False).fit(X / np.sqrt(2), y)
    Perceptron(rule="infinity", shuffle=False, fit_intercept=False).fit(X[1:], [0, 1])
    how = dict(rule="infinity", shuffle=False, C=0.4)
    refused("the largest norm is 1.40513", X / np.sqrt(2), y, **how)
