"""In the company of scikit-learn, pandas and polars."""

import pickle

import numpy as np
import pandas
import polars
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsOneClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from novikoff import MaxMargin, Perceptron, rules
from tests.checks.subjects import ESTIMATORS, EVERYTHING, assert_proved, assert_same_fit, make
from tests.estimators.problems import (
    ALL_RULES,
    ONLINE_RULES,
    assert_same_model,
    noise,
    three_classes,
    whole_numbers,
)

COLUMNS = ["mass", "size", "age", "hue", "tint"]


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
@pytest.mark.parametrize("series", [pandas.Series, polars.Series])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_frames(name, frame, series):
    X, y = whole_numbers()
    table = frame(dict(zip(COLUMNS, X.T, strict=True)))
    labels = np.array(["no", "yes"])[y]
    column = (
        pandas.Series(labels, name="kind") if series is pandas.Series else series("kind", labels)
    )
    clf = make(name).fit(table, column)
    assert clf.feature_names_in_.tolist() == COLUMNS
    problem = clf.certificate_.problem
    assert (problem.target, problem.feature_names) == ("kind", tuple(COLUMNS))
    assert "target 'kind'" in str(clf.certificate_.verify(X, labels))
    # A frame is stored column by column, so the optimum is that of other sums.
    np.testing.assert_allclose(clf.coef_, make(name).fit(X, labels).coef_, rtol=1e-9)
    np.testing.assert_array_equal(clf.predict(table), labels)
    assert_proved(clf, X, labels)
    assert_proved(clf, table, column)
    renamed = frame(dict(zip(["weight", *COLUMNS[1:]], X.T, strict=True)))
    turned = frame(dict(zip(COLUMNS[::-1], X.T, strict=True)))
    for other in (renamed, turned):
        with pytest.raises(ValueError, match="feature names should match those"):
            clf.predict(other)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        clf.predict(X)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_an_array_without_names_replaces_a_frame(name):
    X, y = whole_numbers()
    clf = make(name).fit(pandas.DataFrame(X, columns=COLUMNS), y)
    clf.fit(X[:, :4], y)
    assert not hasattr(clf, "feature_names_in_") and clf.n_features_in_ == 4
    assert clf.certificate_.problem.feature_names is None


@pytest.mark.parametrize("kind", [np.ndarray, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("labels", [lambda y: y[1:], lambda y: np.where(y == y[0], np.nan, 1.0)])
def test_what_is_read_as_it_is_is_checked_all_the_same(kind, labels):
    X, y = whole_numbers()
    X = X if kind is np.ndarray else kind(X)
    for table, column in ((X, labels(y)), (X[:0], y[:0]), (X[:, :0], y)):
        with pytest.raises(ValueError, match=r"inconsistent|NaN|minimum"):
            MaxMargin().fit(table, column)


@pytest.mark.parametrize("frame", [pandas.DataFrame, polars.DataFrame])
def test_frames_online(frame):
    X, y = whole_numbers()
    table = frame(dict(zip(COLUMNS, X.T, strict=True)))
    clf = Perceptron().partial_fit(table[:20], y[:20], classes=[0, 1])
    clf.partial_fit(table[20:], y[20:])
    assert clf.feature_names_in_.tolist() == COLUMNS
    plain = Perceptron().partial_fit(X[:20], y[:20], classes=[0, 1]).partial_fit(X[20:], y[20:])
    assert_same_model(clf, plain)
    with pytest.raises(ValueError, match="feature names should match those"):
        clf.partial_fit(frame(dict(zip(COLUMNS[::-1], X.T, strict=True))), y)


@pytest.mark.parametrize("name", EVERYTHING)
def test_frames_of_mixed_types_and_of_nullable_ones(name):
    X, y = whole_numbers()
    plain = make(name).fit(X, y).certificate_
    mixed = {"mass": np.int64, "age": np.float32}
    for types in (mixed, np.uint8, "Int64", "Float32", "Float64"):
        table = pandas.DataFrame(X, columns=COLUMNS).astype(types)
        certificate = make(name).fit(table, y).certificate_
        assert certificate.problem.fingerprint == plain.problem.fingerprint
        assert type(certificate) is type(plain)
        certificate.verify(table, y)
        certificate.verify(X, y)
    table = pandas.DataFrame(X, columns=COLUMNS).astype("Int64")
    table.iloc[3, 2] = pandas.NA
    with pytest.raises(ValueError, match="NaN"):
        make(name).fit(table, y)


def test_a_search_over_the_parameter_of_a_rule():
    X, y = three_classes(90)
    alphas = [1.1, 1.3, 1.5]
    search = GridSearchCV(
        Perceptron(rule=rules.ScaleFreeInfinity(), random_state=0, max_iter=10_000),
        {"rule__alpha": alphas},
        cv=3,
        error_score="raise",
    ).fit(X, y)
    assert search.best_estimator_.rule.alpha == search.best_params_["rule__alpha"]
    assert search.best_score_ == 1.0
    tried = [params["rule__alpha"] for params in search.cv_results_["params"]]
    assert tried == alphas
    assert search.estimator.rule.alpha == 1.5


def test_a_search_over_the_penalty():
    X, y = noise(90)
    for estimator in (MaxMargin(), Perceptron(random_state=0)):
        search = GridSearchCV(estimator, {"C": [0.1, 1.0, np.inf]}, cv=3, error_score="raise")
        assert search.fit(X, y).best_estimator_.C == search.best_params_["C"]


def test_a_search_over_rules_and_options():
    X, y = noise(90)
    names = ["classic", "margin", "scale-free", rules.ScaleFree(c=4.0), "passive-aggressive"]
    grid = {"rule": names, "average": np.array([True, False]), "fit_intercept": [True, False]}
    clf = Perceptron(random_state=0, min_margin=0.05)
    search = GridSearchCV(clf, grid, cv=3, error_score="raise").fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert len(scores) == 20
    assert len(set(np.round(scores, 12))) > 3, "the options made no difference"


@pytest.mark.parametrize("rule", ALL_RULES)
def test_rules_are_cloned_with_the_estimator(rule):
    clf = Perceptron(rule=ALL_RULES[rule])
    twin = clone(clf)
    assert twin.rule is not clf.rule
    assert twin.rule.get_params() == clf.rule.get_params()
    assert repr(twin) == repr(clf)


def test_a_rule_is_not_changed_by_a_fit():
    X, y = whole_numbers()
    for rule in ALL_RULES.values():
        before = rule.get_params(), dict(vars(rule))
        Perceptron(rule=rule, random_state=0, max_iter=5000).fit(X / 128.0, y)
        assert (rule.get_params(), dict(vars(rule))) == before


def test_parameters_of_a_rule_are_set_through_the_estimator():
    clf = Perceptron(rule=rules.Margin()).set_params(rule__beta=0.25, max_iter=7)
    assert clf.rule.beta == 0.25
    assert clf.get_params()["rule__unit"] == "radius"
    with pytest.raises(ValueError, match="Invalid parameter 'alpha'"):
        clf.set_params(rule__alpha=1.5)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_pickled_and_fitted(name):
    X, y = whole_numbers()
    clf = make(name).fit(X, y)
    twin = pickle.loads(pickle.dumps(clf))
    assert_same_fit(clf, twin)
    np.testing.assert_array_equal(clf.decision_function(X), twin.decision_function(X))
    assert_same_fit(twin.fit(X, y), clf)


@pytest.mark.parametrize("rule", ONLINE_RULES)
def test_pickled_and_going_on_online(rule):
    X, y = whole_numbers()
    X = X / 128.0
    clf = Perceptron(rule=ALL_RULES[rule], random_state=0, max_iter=5000).fit(X, y)
    twin = pickle.loads(pickle.dumps(clf))
    assert_same_model(clf.partial_fit(X, 1 - y), twin.partial_fit(X, 1 - y))
    assert clf.n_updates_ > 0


def test_pickled_between_batches_and_warm_starts():
    X, y = noise()
    clf = Perceptron(average=True).partial_fit(X[:30], y[:30], classes=[0, 1])
    twin = pickle.loads(pickle.dumps(clf))
    assert_same_model(clf.partial_fit(X[30:], y[30:]), twin.partial_fit(X[30:], y[30:]))
    warm = Perceptron(warm_start=True, random_state=0, min_margin=0.3).fit(X, y)
    twin = pickle.loads(pickle.dumps(warm))
    for model in (warm, twin):
        model.set_params(min_margin=0.1).fit(X, y)
    assert_same_model(warm, twin)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_in_a_pipeline_and_one_against_one(name):
    X, y = three_classes(90)
    clf = make_pipeline(StandardScaler().set_output(transform="pandas"), make(name))
    assert cross_val_score(clf, pandas.DataFrame(X, columns=["a", "b"]), y).min() == 1.0
    assert OneVsOneClassifier(make(name)).fit(X, y).score(X, y) == 1.0


def test_the_random_state_decides():
    X, y = whole_numbers()
    one, same, other = (Perceptron(random_state=seed).fit(X, y) for seed in (1, 1, 2))
    assert_same_model(one, same)
    assert (one.coef_ != other.coef_).any()
    generator = np.random.RandomState(1)
    assert_same_model(one, Perceptron(random_state=generator).fit(X, y))
    assert (Perceptron(random_state=generator).fit(X, y).coef_ != one.coef_).any()
    fixed = [Perceptron(shuffle=False, random_state=seed).fit(X, y) for seed in (1, 2)]
    assert_same_model(*fixed)
