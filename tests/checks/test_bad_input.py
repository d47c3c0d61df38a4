"""What bad input gets: one line that names the row, the value or the parameter, and no model."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from novikoff import MaxMargin, Perceptron, rules
from tests.checks.subjects import ESTIMATORS, EVERYTHING, MARGINS, PERCEPTRONS, SOFT, make
from tests.estimators.problems import whole_numbers

ONLINE = [name for name in PERCEPTRONS if name != "min-over"]
# What brings features of any scale to a middle one by a power of two.
RESCALING = [*MARGINS, "is_separable"]
STORES = [np.array, sparse.csr_matrix, np.asfortranarray]


def refused(message, name, X, y, weights=None, **options):
    """The fit refuses in one line, and leaves nothing behind; so does learning online."""
    clf = make(name, **options)
    given = {} if weights is None else dict(sample_weight=weights)
    with pytest.raises(ValueError, match=message) as error:
        clf.fit(X, y, **given)
    assert "\n" not in str(error.value)
    assert not [attribute for attribute in vars(clf) if attribute.endswith("_")]
    if name in ONLINE:
        with pytest.raises(ValueError, match=message) as error:
            clf.partial_fit(X, y, classes=[0, 1])
        assert "\n" not in str(error.value)
        assert not hasattr(clf, "coef_")
    return clf


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize(
    ("value", "message"), [(np.nan, "contains NaN"), (np.inf, "infinity"), (-np.inf, "infinity")]
)
@pytest.mark.parametrize("name", EVERYTHING)
def test_values_that_are_not_finite(name, value, message, store):
    good, y = whole_numbers()
    X = good.copy()
    X[17, 3] = value
    refused(message, name, store(X), y)
    if name != "is_separable":
        clf = make(name).fit(good, y)
        with pytest.raises(ValueError, match=message) as error:
            clf.predict(store(X))
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("name", EVERYTHING)
def test_small_floats_that_are_not_finite(name, dtype):
    X, y = whole_numbers()
    X[17, 3] = np.nan
    refused("contains NaN", name, X.astype(dtype), y)


@pytest.mark.parametrize("name", ["hard", "soft"])
def test_a_value_that_is_not_finite_in_an_example_without_weight(name):
    """It takes no part, and no check would take the data all the same."""
    X, y = whole_numbers()
    X[17, 3] = np.nan
    refused("contains NaN", name, X, y, weights=(np.arange(60) != 17).astype(float))


TABLES = {
    "no rows": (lambda X: X[:0], "0 sample"),
    "no columns": (lambda X: X[:, :0], "0 feature"),
    "one row of numbers": (lambda X: X[:, 0], r"Expected 2D array, .* X\.reshape\(-1, 1\) if"),
    "three dimensions": (lambda X: X[None], "dim 3|Expected <= 2"),
    "ragged": (lambda X: [[1.0, 2.0], [3.0]] * 30, "inhomogeneous|sequence"),
    "ragged objects": (
        lambda X: np.array([[1.0], [2.0, 3.0]] * 30, dtype=object),
        "[Ee]xpected|seq",
    ),
    "masked": (lambda X: np.ma.masked_array(X, X > 14), "X is a masked array"),
    "nothing masked": (lambda X: np.ma.masked_array(X), "X is a masked array"),
    "complex": (lambda X: X * 1j, "Complex data not supported"),
    "text": (lambda X: X.astype(str), "numbers|convert"),
    "a scalar": (lambda X: 3.0, "Expected 2D array|scalar"),
}


@pytest.mark.parametrize("what", TABLES)
@pytest.mark.parametrize("name", EVERYTHING)
def test_tables_of_a_wrong_shape(name, what):
    X, y = whole_numbers()
    change, message = TABLES[what]
    labels = y[:0] if what == "no rows" else y
    with pytest.raises(ValueError, match=message):
        make(name).fit(change(X), labels)
    if what not in ("one row of numbers", "a scalar"):
        # These two are worded by scikit-learn, whose contract asks for several lines.
        refused(message, name, change(X), labels)
    if name != "is_separable":
        clf = make(name).fit(X, y)
        with pytest.raises(ValueError, match=f"{message}|features"):
            clf.predict(change(X))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_another_number_of_features(name):
    X, y = whole_numbers()
    clf = make(name).fit(X, y)
    with pytest.raises(ValueError, match=r"has 4 features, but .* is expecting 5"):
        clf.predict(X[:, :4])


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("name", EVERYTHING)
def test_squares_beyond_the_range_of_floats(name, store, fit_intercept):
    X, y = whole_numbers(intercept=fit_intercept)
    for scales, message in (
        ((1e200, 1e155), "overflow; divide the features by their largest magnitude"),
        ((1e-150, 1e-200, 1e-300), "underflow; multiply the features by a large constant"),
    ):
        message += ", or set scale=True"
        for scale in scales:
            if name in RESCALING and scale != 1e-300:
                continue
            with pytest.raises(ValueError, match=f"squares of the features {message}"):
                make(name, fit_intercept=fit_intercept).fit(store(X * scale), y)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("name", RESCALING)
@pytest.mark.parametrize("scale", [2.0**660, 2.0**515, 2.0**-515, 2.0**-660])
def test_squares_beyond_the_range_of_floats_are_rescaled(name, store, fit_intercept, scale):
    """A power of two more or less in the features is the same power less or more in the model."""
    X, y = whole_numbers(intercept=fit_intercept)
    clf = make(name, fit_intercept=fit_intercept)
    if name in SOFT:
        with pytest.raises(ValueError, match="C times the squares of the features"):
            clf.fit(store(X * scale), y)
        return
    found = clf.fit(store(X * scale), y)
    usual = make(name, fit_intercept=fit_intercept).fit(store(X), y)
    if name == "is_separable":
        found, usual = found.certificate_, usual.certificate_
        assert found and found.verify(store(X * scale), y).lower > 0.0
        assert found.upper == pytest.approx(usual.upper * scale)
    else:
        np.testing.assert_allclose(found.coef_ * scale, usual.coef_, rtol=1e-6)
        found.certificate_.verify(store(X * scale), y)
        assert found.history_[-1].upper == pytest.approx(usual.history_[-1].upper * scale)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_one_tiny_feature_among_others(name):
    X, y = whole_numbers()
    tiny = np.hstack([X, 1e-250 * X[:, :1]])
    clf = make(name).fit(tiny, y)
    assert clf.score(tiny, y) == 1.0
    clf.certificate_.verify(tiny, y)
    with pytest.raises(ValueError, match="squares of the features overflow"):
        make(name).fit(np.hstack([X, 1e250 * X[:, :1]]), y)


# Parameters ------------------------------------------------------------------------------------

COMMON = {
    "C": [0.0, -1.0, np.nan, -np.inf, "1", None, True, [1.0], 1j, 1e-200, 1e200],
    "fit_intercept": ["no", 1, 0, None, 0.5],
    "scale": ["yes", 1, None, 0.5],
    "max_iter": [0, -1, 2.5, np.nan, np.inf, "10", None, True, 10**400],
    "time_limit": [-1.0, np.nan, np.inf, "10", True, 10**400],
    "warm_start": ["yes", 1, None],
    "class_weight": [
        "equal",
        "balance",
        3.0,
        [1.0, 2.0],
        True,
        {0: 0.0, 1: 1.0},
        {0: -1.0},
        {1: np.nan},
        {1: np.inf},
        {5: 1.0},
    ],
    "multi_class": ["all", "", None, True],
    "kernel": ["cosine", "", None, 3, ["rbf"]],
    "gamma": ["wide", 0.0, -1.0, np.nan, np.inf, None, True],
    "degree": [-1, 2.5, "3", None, True],
    "coef0": [np.nan, np.inf, "0", None],
    "cache_size": [0, -1.0, np.nan, np.inf, "200", None],
    "n_jobs": [0, 1.5, "all"],
    "verbose": ["loud", None, 1.5],
}
PARAMETERS = {
    "scale-free": COMMON
    | {
        "rule": ["nearest", "Classic", "", 3, None, rules.Classic, ["classic"], rules],
        "average": ["yes", "Auto", None, 1, 0, 2, "", [True]],
        "budget": [0, 1, -3, 2.5, "10", True, np.inf, 10],
        "min_margin": [-1e-3, np.nan, np.inf, "0", None, False, 1.5],
        "max_updates": [0, -1, 2.5, "10", True, np.inf],
        "shuffle": ["yes", 1, None, 0.0],
        "schedule": ["shrink", "", None, True],
        "random_state": ["seed", -1, 1.5, [[1]]],
    },
    "hard": COMMON
    | {
        "tol": [0.0, 1.0, -1e-3, np.nan, "0.1", None, True],
        "loss": ["log_loss", "Hinge", "", None, 1, True],
        "nonseparable": ["hard", None, 1, "Soft"],
    },
    "is_separable": {name: COMMON[name] for name in ("fit_intercept", "max_iter", "time_limit")},
}


def test_no_parameter_is_forgotten():
    assert PARAMETERS["scale-free"].keys() == Perceptron().get_params().keys()
    assert PARAMETERS["hard"].keys() == MaxMargin().get_params().keys()


@pytest.mark.parametrize("subject", PARAMETERS)
def test_parameters(subject):
    X, y = whole_numbers()
    for name, values in PARAMETERS[subject].items():
        message = r"[sS]eed" if name == "random_state" else rf"\b{name}\b"
        for value in values:
            clf = make(subject, **{name: value})
            with pytest.raises(ValueError, match=message) as error:
                clf.fit(X, y)
            assert "\n" not in str(error.value)
            if subject == "is_separable":
                continue
            assert getattr(clf, name) is value, "a parameter was overwritten"
            assert not [attribute for attribute in vars(clf) if attribute.endswith("_")]
            without = ("scale", "shuffle", "random_state", "kernel")
            if subject == "scale-free" and name not in without:
                with pytest.raises(ValueError, match=message):
                    clf.partial_fit(X, y, classes=[0, 1])


@pytest.mark.parametrize(
    ("options", "weights", "message"),
    [
        ({}, [1.0], "shape"),
        ({}, np.ones((60, 1)), "shape"),
        ({}, -np.ones(60), "not negative"),
        ({}, np.full(60, np.nan), "finite"),
        ({}, np.full(60, np.inf), "finite"),
        ({}, np.zeros(60), "zero for every example"),
        ({}, np.ones(60) * 1j, "not complex"),
        ({}, ["heavy"] * 60, "sample_weight"),
        ({}, np.ma.array(np.ones(60), mask=np.arange(60) < 3), "sample_weight is a masked array"),
        ({}, np.full(60, 1e308), "between 1e-30 and 1e"),
        ({}, np.where(np.arange(60) < 3, 1e-300, 1.0), "between 1e-30 and 1e"),
        ({"class_weight": {0: 1e200, 1: 1e200}}, np.full(60, 1e200), "overflows"),
        ({"class_weight": {0: 1e-300, 1: 1.0}}, np.full(60, 1e-300), "underflows"),
        ({"class_weight": "balanced"}, "without the class 1", "No example of the class 1"),
        ({}, "without the class 1", "No example of the class 1"),
    ],
)
@pytest.mark.parametrize("name", ["hard", "soft"])
def test_weights_that_are_refused(name, options, weights, message):
    X, y = whole_numbers()
    if isinstance(weights, str):
        weights = (y == 0).astype(float)
    refused(message, name, X, y, weights=weights, **options)


# The model that was there before ---------------------------------------------------------------

WRONG = {
    "one class": lambda X, y: (X, np.ones(60)),
    "continuous": lambda X, y: (X, y + 0.5),
    "too few labels": lambda X, y: (X, y[:-1]),
    "a NaN": lambda X, y: (np.where(X == X[3, 0], np.nan, X), y),
    "digits": lambda X, y: (X.astype(int).astype(object) + (2**53 + 1), y),
    "squares": lambda X, y: (X * 1e300, y),
}


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("frame", [pd.DataFrame, np.asarray])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_refused_fit_leaves_the_model_as_it_was(name, wrong, frame):
    """Its features are known by then, and are forgotten again."""
    X, y = whole_numbers()
    table = pd.DataFrame(X[:, :3], columns=list("abc"))
    with np.errstate(all="ignore"):
        features, labels = WRONG[wrong](X, y)
    fitted, fresh = make(name, max_iter=20_000).fit(table, y), make(name)
    before = vars(fitted).copy()
    for clf in (fitted, fresh):
        with pytest.raises(ValueError):
            clf.fit(frame(features), labels)
    assert vars(fitted).keys() == before.keys()
    assert all(vars(fitted)[key] is before[key] for key in before)
    assert fitted.predict(table).shape == (60,)
    with pytest.raises(NotFittedError):
        fresh.predict(X)


@pytest.mark.parametrize("option", [{"class_weight": {0: -1.0}}, {"C": -1}, {"max_iter": 0}])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_refused_options_leave_the_model_as_it_was(name, option):
    X, y = whole_numbers()
    clf = make(name, max_iter=20_000).fit(X[:, :3], y)
    clf.set_params(**option)
    before = vars(clf).copy()
    with pytest.raises(ValueError):
        clf.fit(X, y)
    assert vars(clf) == before
    assert clf.n_features_in_ == 3


@pytest.mark.parametrize("method", ["predict", "decision_function", "score"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_nothing_without_a_fit(name, method):
    X, y = whole_numbers()
    with pytest.raises(NotFittedError):
        getattr(make(name), method)(*((X, y) if method == "score" else (X,)))
    assert not hasattr(make(name), "status_")
