"""MaxMarginCV: the C that predicts best, one for all classes, and the model that it gives."""

import pickle
import warnings

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneGroupOut,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import novikoff
from novikoff import MaxMargin, MaxMarginCV
from novikoff.certificate import Separation, SoftOptimum, Status
from novikoff.estimators import fold_models, joint_folds
from novikoff.estimators.grid import MOST_FURTHER, STEP
from novikoff.maxmargin.batch import rows as batch_rows
from novikoff.maxmargin.joint import joint_hard_margin
from novikoff.run.clock import Stopped


@pytest.fixture(scope="module")
def clouds():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    X = rng.standard_normal((120, 6)) + np.outer(y, [2.0, 0, 0, 0, 0, 0])
    return X, np.where(y, "yes", "no")


def test_scores_are_those_of_single_fits(clouds):
    X, y = clouds
    Cs = [1e-3, 0.1, 10.0]
    clf = MaxMarginCV(Cs=Cs, cv=4).fit(X, y)
    folds = StratifiedKFold(4)
    expected = np.array([cross_val_score(MaxMargin(C=C), X, y, cv=folds) for C in Cs]).T
    np.testing.assert_allclose(clf.scores_, expected, atol=1e-12)
    np.testing.assert_array_equal(clf.Cs_, Cs)
    assert clf.C_ == Cs[int(expected.mean(axis=0).argmax())]


def test_the_model_is_that_of_max_margin_with_its_certificate(clouds):
    X, y = clouds
    clf = MaxMarginCV(Cs=6).fit(X, y)
    plain = MaxMargin(C=clf.C_).fit(X, y)
    assert isinstance(clf.certificate_, SoftOptimum)
    assert clf.certificate_ == plain.certificate_
    clf.certificate_.verify(X, y)
    np.testing.assert_array_equal(clf.predict(X), plain.predict(X))
    results = {name for name in dir(plain) if name.endswith("_") and not name.startswith("_")}
    assert results <= set(dir(clf))


@pytest.mark.parametrize("scale", [2.0**-20, 1.0, 2.0**20])
def test_the_grid_is_in_units_of_the_data(clouds, scale):
    X, y = clouds
    one, other = MaxMarginCV().fit(X, y), MaxMarginCV().fit(scale * X, y)
    assert len(one.Cs_) in (10, 11)
    assert one.Cs_[-1] == np.inf
    np.testing.assert_array_equal(one.Cs_, other.Cs_ * scale**2)
    np.testing.assert_array_equal(one.scores_, other.scores_)
    fallback = MaxMargin().fit(X, y).C_
    assert one.Cs_[0] < fallback / 1e3 < 10 * fallback < one.Cs_[-2]


def small_signal(classes=2, n=300):
    """Only a column of small numbers tells the classes apart, which a C of the grid ignores."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 4))
    y = np.digitize(X[:, 3] + 0.3 * rng.standard_normal(n), [0.0, 0.9][: classes - 1])
    return X * [1.0, 1.0, 1.0, 2.0**-11], y


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("convert", [np.asarray, csr_matrix])
def test_a_larger_C_is_tried_where_the_largest_may_not_be_enough(classes, convert):
    X, y = small_signal(classes)
    clf = MaxMarginCV().fit(convert(X), y)
    means = clf.scores_.mean(axis=0)
    assert 11 <= len(clf.Cs_) <= 10 + MOST_FURTHER
    assert clf.C_ > clf.Cs_[8]
    assert clf.C_ == clf.Cs_[int(np.nanargmax(means))]
    np.testing.assert_allclose(clf.Cs_[9:-1] / clf.Cs_[8:-2], STEP)
    assert means[np.isfinite(means)].max() > means[8] + 0.1
    assert clf.certificate_.verify(convert(X), y)


def test_values_that_are_given_are_the_only_ones():
    X, y = small_signal()
    assert MaxMarginCV(Cs=[0.1, 1.0]).fit(X, y).Cs_.tolist() == [0.1, 1.0]
    assert len(MaxMarginCV(Cs=2).fit(X, y).Cs_) == 2


def test_no_larger_C_where_the_hard_margin_is_the_limit():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 3))
    X = X[np.abs(X[:, 0]) > 0.5]
    clf = MaxMarginCV().fit(X, X[:, 0] > 0)
    assert len(clf.Cs_) == 10
    assert np.isfinite(clf.scores_).all()


def test_a_larger_C_that_takes_many_passes_is_not_tried(monkeypatch):
    X, y = small_signal()
    monkeypatch.setattr(fold_models, "FEW_PASSES", 1)
    clf = MaxMarginCV().fit(csr_matrix(X), y)
    assert len(clf.Cs_) == 10
    assert np.isfinite(clf.scores_[:, :-1]).all()


def test_dense_models_that_many_examples_carry_are_solved_anew(monkeypatch):
    """Newton's method gives up where it starts from another C on columns with a few huge values."""
    X, y = small_signal(n=600)
    X[::200, :2] = 1e6
    given = []
    soft_margin = fold_models.soft_margin

    def solve(problem, *, start, **how):
        given.append(start is not None)
        return soft_margin(problem, start=start, **how)

    monkeypatch.setattr(fold_models, "soft_margin", solve)
    MaxMarginCV(Cs=[1e-3, 1.0, 1e3]).fit(X, y)
    assert not any(given)
    MaxMarginCV(Cs=[1e-3, 1.0, 1e3]).fit(csr_matrix(X), y)
    assert any(given)


def test_ties_go_to_the_smaller_C():
    X = np.array([[-2.0], [-1.0], [1.0], [2.0]] * 5)
    y = np.array([0, 0, 1, 1] * 5)
    clf = MaxMarginCV(Cs=[1.0, 0.5, 4.0, np.inf]).fit(X, y)
    assert (clf.scores_ == 1.0).all()
    assert clf.C_ == clf.Cs_[0] == 0.5


def test_the_hard_margin_competes():
    # Few examples near the boundary: only a large C finds the direction.
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 2)) * [100.0, 1.0]
    X = X[np.abs(X[:, 1]) > 0.2]
    y = X[:, 1] > 0
    clf = MaxMarginCV(Cs=[1e-9, 1e-7, np.inf]).fit(X, y)
    assert clf.C_ == np.inf
    assert isinstance(clf.certificate_, Separation)
    assert (clf.scores_[:, -1] > 0.95).all()


def test_the_hard_margin_does_not_compete_where_nothing_separates(clouds):
    X, y = clouds
    clf = MaxMarginCV(Cs=[0.1, np.inf]).fit(X, y)
    assert np.isnan(clf.scores_[:, 1]).all()
    assert clf.C_ == 0.1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_equal_rows_of_different_classes_leave_no_hard_margin_to_search(monkeypatch, n_classes):
    def search(*args, **options):
        raise AssertionError("the folds hold equal rows of different classes")

    monkeypatch.setattr(fold_models, "hard_margin", search)
    monkeypatch.setattr(joint_folds, "joint_hard_margin", search)
    rng = np.random.default_rng(0)
    X = csr_matrix(np.repeat(rng.poisson(0.3, (30, 40)).astype(float), 2, axis=0))
    y = np.r_[np.arange(60) // 2 % n_classes]
    # One pair of equal rows for each fold to leave out, and more.
    y[1:20:2] = (y[1:20:2] + 1) % n_classes
    clf = MaxMarginCV(Cs=[0.1, np.inf], cv=3).fit(X, y)
    assert np.isnan(clf.scores_[:, 1]).all() and clf.C_ == 0.1


def test_the_hard_margin_has_a_share_of_the_passes_of_the_soft_ones(monkeypatch):
    X, y = load_iris(return_X_y=True)
    X = csr_matrix(np.c_[X, np.eye(150)])
    given = []

    def limits(*args, clock, **options):
        given.append(clock.limits.max_iter)
        return joint_hard_margin(*args, clock=clock, **options)

    monkeypatch.setattr(joint_folds, "joint_hard_margin", limits)
    clf = MaxMarginCV(Cs=[1.0, np.inf], cv=3).fit(X, y)
    assert given == [fold_models.FEW_PASSES] * 3
    given.clear()
    monkeypatch.setattr(fold_models, "FEW_PASSES", 0)
    clf.fit(X, y)
    assert 0 < given[0] < 1000


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_larger_C_may_take_five_times_the_passes_of_a_smaller_one(monkeypatch, n_classes):
    module = fold_models if n_classes == 2 else joint_folds
    name = "soft_margin" if n_classes == 2 else "joint_soft_margin"
    plain, limits = getattr(module, name), []

    def watched(problem, *, clock, **how):
        found = plain(problem, clock=clock, **how)
        clock.passes = 30.0
        limits.append(clock.limits.max_iter)
        return found

    monkeypatch.setattr(module, name, watched)
    X, y = load_iris(return_X_y=True)
    chosen = y > 0 if n_classes == 2 else np.ones(len(y), dtype=bool)
    MaxMarginCV(Cs=[0.1, 1.0, 10.0], cv=2, max_iter=700).fit(X[chosen], y[chosen])
    assert limits == [700, 700, 150, 150, 150, 150]


def test_folds_that_are_separable_where_all_examples_are_not():
    X = np.array([[-3.0], [-2.0], [1.5], [-1.5], [2.0], [3.0]])
    y = np.array([0, 0, 0, 1, 1, 1])
    folds = [([0, 1, 4, 5], [2]), ([0, 1, 4, 5], [3])]
    clf = MaxMarginCV(Cs=[1e-3, np.inf], cv=folds).fit(X, y)
    assert np.isfinite(clf.scores_).all()
    assert clf.C_ == 1e-3
    clf = MaxMarginCV(Cs=[np.inf], cv=folds).fit(X, y)
    assert clf.C_ == np.inf
    assert not clf.certificate_


@pytest.mark.parametrize("multi_class", ["joint", "ovr"])
def test_one_C_for_all_classes(multi_class):
    X, y = load_wine(return_X_y=True)
    clf = MaxMarginCV(Cs=5, multi_class=multi_class).fit(X, y)
    assert isinstance(clf.C_, float)
    assert clf.scores_.shape == (5, 5)
    model = clf.final_model()
    assert model.multi_class == multi_class
    assert set(np.atleast_1d(model.C_)) == {clf.C_}
    assert clf.coef_.shape == (3, 13)


@pytest.mark.parametrize("classes", [2, 3])
def test_large_dense_data_are_solved_together(monkeypatch, classes):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 5)) * [1, 2, 3, 4, 100]
    y = np.digitize(X[:, 0] + 0.3 * rng.standard_normal(600), [0.0, 0.8][: classes - 1])
    one_by_one = MaxMarginCV(Cs=6).fit(X, y)
    monkeypatch.setattr(fold_models, "MOST_CLOSELY", 0)
    monkeypatch.setattr(fold_models, "ROUGH", 1e-6)
    together = MaxMarginCV(Cs=6, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(together.scores_, one_by_one.scores_, atol=1 / 120)
    weights = rng.integers(0, 3, 600)
    np.testing.assert_allclose(
        MaxMarginCV(Cs=[0.1, 1.0], tol=1e-6, cv=3).fit(X, y, weights).scores_.shape, (3, 2)
    )


def test_weights_are_repetitions(clouds):
    X, y = clouds
    rng = np.random.default_rng(1)
    weights, groups = rng.integers(0, 3, len(X)), np.arange(len(X)) % 3
    twice = np.repeat(np.arange(len(X)), weights)
    leave = LeaveOneGroupOut()
    options = dict(Cs=[0.01, 0.1, 1.0])
    one = MaxMarginCV(cv=list(leave.split(X, groups=groups)), **options).fit(X, y, weights)
    repeated = list(leave.split(X[twice], groups=groups[twice]))
    other = MaxMarginCV(cv=repeated, **options).fit(X[twice], y[twice])
    np.testing.assert_allclose(one.scores_, other.scores_, rtol=1e-12)
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-6)
    one.certificate_.verify(X, y, sample_weight=weights)


def test_sparse_and_dense_choose_the_same(clouds):
    X, y = clouds
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    one, other = MaxMarginCV(Cs=5).fit(X, y), MaxMarginCV(Cs=5).fit(csr_matrix(X), y)
    assert one.C_ == pytest.approx(other.C_, rel=1e-12)
    np.testing.assert_array_equal(one.scores_, other.scores_)


@pytest.mark.parametrize("scoring", ["neg_log_loss", lambda clf, X, y: clf.coef_.sum()])
def test_a_score_that_needs_more_than_decision_values(clouds, scoring):
    with pytest.raises(ValueError, match="asks for more than labels and decision values"):
        MaxMarginCV(Cs=3, scoring=scoring).fit(*clouds)


def test_scoring(clouds):
    X, y = clouds
    few = np.r_[np.flatnonzero(y == "yes")[:15], np.flatnonzero(y == "no")]
    X, y = X[few], y[few]

    def mine(estimator, X, y):
        return balanced_accuracy_score(y, estimator.predict(X))

    named = MaxMarginCV(Cs=4, scoring="balanced_accuracy").fit(X, y)
    np.testing.assert_array_equal(named.scores_, MaxMarginCV(Cs=4, scoring=mine).fit(X, y).scores_)
    assert not np.array_equal(named.scores_, MaxMarginCV(Cs=4).fit(X, y).scores_)
    ranked = MaxMarginCV(Cs=4, scoring="roc_auc").fit(X, y)
    assert (ranked.scores_[:, :-1] > 0.5).all()
    weights = np.where(y == "yes", 5.0, 1.0)
    weighted = MaxMarginCV(Cs=4, scoring="accuracy").fit(X, y, weights)
    np.testing.assert_array_equal(weighted.scores_, MaxMarginCV(Cs=4).fit(X, y, weights).scores_)


def test_cv(clouds):
    X, y = clouds
    for cv, n in ((3, 3), (KFold(4, shuffle=True, random_state=0), 4), (None, 5)):
        assert MaxMarginCV(Cs=2, cv=cv).fit(X, y).scores_.shape == (n, 2)
    masks = [(np.arange(120) % 2 == k, np.arange(120) % 2 != k) for k in (0, 1)]
    rows = [(np.flatnonzero(a), np.flatnonzero(b)) for a, b in masks]
    one, other = MaxMarginCV(Cs=[0.1], cv=masks).fit(X, y), MaxMarginCV(Cs=[0.1], cv=rows).fit(X, y)
    np.testing.assert_array_equal(one.scores_, other.scores_)


def test_a_class_smaller_than_the_folds(clouds):
    X, y = clouds
    some = np.r_[np.flatnonzero(y == "yes")[:3], np.flatnonzero(y == "no")[:20]]
    with pytest.warns(UserWarning, match="'yes' has only 3 examples: 3 folds instead of 5") as told:
        clf = MaxMarginCV(Cs=[1.0]).fit(X[some], y[some])
    assert told[0].filename == __file__
    assert clf.scores_.shape == (3, 1)
    with pytest.raises(ValueError, match="class 'yes' has only one example"):
        MaxMarginCV().fit(X[some[2:]], y[some[2:]])
    weights = np.where(np.arange(23) < 2, 0.0, 1.0)
    with pytest.raises(ValueError, match="class 'yes' has only one example"):
        MaxMarginCV().fit(X[some], y[some], weights)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(Cs=0), "Cs=0 must be a positive number"),
        (dict(Cs=[]), "must be a number of values"),
        (dict(Cs=[[1.0]]), "must be a number of values"),
        (dict(Cs="many"), "must be a number of values"),
        (dict(Cs=[-1.0]), "each must be between"),
        (dict(Cs=[np.nan]), "each must be between"),
        (dict(cv=1), "cv=1 must be at least 2 folds"),
        (dict(cv=[]), "cv makes no folds"),
        (dict(cv=[([0, 1], [2])]), "Fold 1 of cv has no example of the class"),
        (dict(cv=[(np.arange(100), [])]), "Fold 1 of cv has no example to score"),
        (dict(scoring=["accuracy"]), "must be the name of a score"),
        (dict(scoring="nonsense"), "nonsense"),
        (dict(scoring=lambda clf, X, y: np.nan), "is nan on a fold"),
        (dict(tol=0.0), "tol=0.0 is a relative gap"),
    ],
)
def test_bad_parameters(clouds, options, message):
    X, y = clouds
    clf = MaxMarginCV(**options)
    with pytest.raises(ValueError, match=message):
        clf.fit(X, y if "cv" not in options else np.sort(y))
    assert not hasattr(clf, "n_features_in_")


def test_a_time_limit_leaves_scores_out(clouds):
    X, y = clouds
    with pytest.warns(ConvergenceWarning) as caught:
        clf = MaxMarginCV(time_limit=0.0).fit(X, y)
    assert {warning.filename for warning in caught} == {__file__}
    assert np.isnan(clf.scores_).all()
    assert clf.status_ is Status.TIME_LIMIT
    messages = [str(each.message) for each in caught]
    assert len(messages) == 2
    assert messages[0].startswith("The time limit of 0.0 s left 10 of 10 values of C without")
    # Nothing was compared: C is the value nearest to that of a default fit.
    usual = MaxMargin().fit(X, y).C_
    assert clf.C_ == min(clf.Cs_, key=lambda C: abs(np.log(C / usual)))


@pytest.mark.parametrize("stop_at", [1, 3, 15])
def test_the_time_is_up_while_large_data_are_solved_together(clouds, monkeypatch, stop_at):
    X, y = clouds
    monkeypatch.setattr(fold_models, "MOST_CLOSELY", 0)
    asked = []

    def check(rows):
        asked.append(rows)
        if len(asked) >= stop_at:
            raise Stopped(Status.TIME_LIMIT)

    monkeypatch.setattr(batch_rows.ScaledRows, "_check", check)
    clf = MaxMarginCV(Cs=[0.01, 1.0]).fit(X, y)
    assert len(asked) >= stop_at
    assert np.isnan(clf.scores_[:, -1]).all()
    assert clf.status_ is Status.GAP_REACHED


def test_an_interrupted_hard_margin_is_not_replaced_by_a_soft_one():
    """Ctrl-C during the final fit ends it, and is not lost in another one."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((600, 150))
    y = X @ rng.standard_normal(150) > 0

    def interrupt(line):
        lines.append(line)
        if len(lines) == 1:
            raise KeyboardInterrupt

    lines = []
    clf = MaxMarginCV(
        Cs=[1e-6, np.inf], cv=2, scoring=lambda clf, X, y: np.abs(clf.decision_function(X)).mean()
    )
    with pytest.raises(KeyboardInterrupt):
        clf.set_callbacks(interrupt).fit(X, y)
    assert len(lines) == 1
    assert (clf.C_, clf.status_) == (np.inf, Status.INTERRUPTED)


def test_before_it_is_fitted_there_is_no_final_model(tmp_path):
    with pytest.raises(NotFittedError):
        MaxMarginCV().final_model()
    with pytest.raises(NotFittedError):
        novikoff.save(MaxMarginCV(), tmp_path / "model.json")


def test_clone_pickle_pipeline_and_search(clouds):
    X, y = clouds
    clf = MaxMarginCV(Cs=3, cv=3).fit(X, y)
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.predict(X), clf.predict(X))
    assert again.certificate_ == clf.certificate_
    assert not hasattr(clone(clf), "C_")
    search = GridSearchCV(
        make_pipeline(StandardScaler(), MaxMarginCV(Cs=3, cv=2)),
        {"maxmargincv__class_weight": [None, "balanced"]},
        cv=2,
    ).fit(X, y)
    assert search.best_score_ > 0.7


def test_it_is_stored_as_the_model_that_it_found(clouds, tmp_path):
    X, y = clouds
    path = tmp_path / "model.json"
    for data in ((X, y), load_iris(return_X_y=True)):
        clf = MaxMarginCV(Cs=4).fit(*data)
        novikoff.save(clf, path)
        read = novikoff.load(path)
        assert type(read) is MaxMargin
        assert read.C == clf.C_
        assert read.certificate_ == clf.certificate_
        np.testing.assert_array_equal(
            read.decision_function(data[0]), clf.decision_function(data[0])
        )


def test_progress_of_the_final_fit_and_a_line_for_every_C(clouds, capsys):
    X, y = clouds
    lines = []
    clf = MaxMarginCV(Cs=3, verbose=1).set_callbacks(lines.append).fit(X, y)
    assert lines
    told = capsys.readouterr().err
    assert told.count("mean score") == len(clf.Cs_)


def test_it_predicts_at_least_as_well_as_the_default():
    X, y = load_breast_cancer(return_X_y=True)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        best, usual = (
            cross_val_score(clf, X, y, cv=folds).mean() for clf in (MaxMarginCV(), MaxMargin())
        )
    assert best >= usual - 0.005
