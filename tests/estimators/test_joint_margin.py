"""MaxMargin of all classes together: its model, its certificate, and what may go wrong."""

import time
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning

import novikoff
from novikoff import MaxMargin, MaxMarginCV, Perceptron
from novikoff.certificate import Joint, Status
from novikoff.estimators.margin_search import NotSeparableError
from novikoff.maxmargin.joint import JointSolution
from tests.estimators.problems import assert_proved, three_classes
from tests.maxmargin.joint.problems import optimum, pinwheel


def overlapping(n=120, n_classes=3, d=4):
    draw = np.random.default_rng(0)
    codes = np.arange(n) % n_classes
    return draw.normal(size=(n_classes, d))[codes] + draw.normal(size=(n, d)), codes


def test_shapes():
    X, y = three_classes()
    clf = MaxMargin().fit(X, y)
    assert isinstance(clf.certificate_, Joint)
    assert clf.coef_.shape == (3, 2)
    assert clf.intercept_.shape == (3,)
    assert clf.decision_function(X).shape == (len(y), 3)
    assert clf.dual_coef_.shape == (3, len(clf.support_))
    assert isinstance(clf.margin_, float)
    assert isinstance(clf.solver_, str)
    assert clf.C_ == np.inf
    assert 0.0 < clf.margin_ <= clf.margin_upper_bound_
    assert clf.certificate_
    assert clf.score(X, y) == 1.0
    assert_proved(clf, X, y)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.3, np.inf])
def test_the_optimum_is_that_of_a_quadratic_program(C, fit_intercept):
    X, y = three_classes()
    clf = MaxMargin(C=C, tol=1e-6, fit_intercept=fit_intercept).fit(X, y)
    expected = optimum(X, y, C, affine=fit_intercept)
    if C == np.inf:
        found = clf.margin_, clf.margin_upper_bound_
    else:
        found = clf.certificate_.soft.dual, clf.certificate_.soft.primal
    assert found == (pytest.approx(expected, rel=1e-6), pytest.approx(expected, rel=1e-6))
    assert_proved(clf, X, y)


@pytest.mark.parametrize("load", [load_wine, load_digits])
def test_the_hard_margin_of_data_that_are_separable(load):
    X, y = load(return_X_y=True)
    clf = MaxMargin().fit(X, y)
    assert clf.certificate_
    assert clf.certificate_.gap <= 1e-3
    assert clf.status_ is Status.GAP_REACHED
    assert clf.score(X, y) == 1.0
    made = clf.dual_coef_ @ X[clf.support_]
    np.testing.assert_allclose(made, clf.coef_, atol=1e-2 * np.abs(clf.coef_).max())
    assert_proved(clf, X, y)


def test_two_classes_that_nothing_separates_prove_it_for_all():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    clf = MaxMargin().fit(X, names)
    assert not clf.certificate_
    assert clf.certificate_.refutation.pair == (1, 2)
    assert "no hyperplane separates 'versicolor' from 'virginica'" in str(clf.certificate_)
    assert 0.0 < clf.C_ < np.inf
    assert clf.certificate_.soft.gap <= 1e-3
    assert clf.score(X, names) > 0.95
    assert_proved(clf, X, names)
    with pytest.raises(NotSeparableError, match="No linear model separates the classes"):
        MaxMargin(nonseparable="raise").fit(X, names)


def test_classes_that_are_separable_in_pairs_and_not_together():
    X, y = pinwheel()
    for pair in ((0, 1), (1, 2), (0, 2)):
        mine = np.isin(y, pair)
        assert MaxMargin().fit(X[mine], y[mine]).certificate_
    # Whole numbers, so that a combination can be zero exactly.
    X = np.round(100 * X)
    clf = MaxMargin().fit(X, y)
    assert not clf.certificate_
    assert clf.certificate_.refutation.pair is None
    assert np.isfinite(clf.C_)
    assert_proved(clf, X, y)


def test_equal_examples_of_different_classes():
    X, y = three_classes()
    X = np.vstack([X, X[:1]])
    y = np.append(y, (y[0] + 1) % 3)
    clf = MaxMargin().fit(X, y)
    assert clf.solver_.startswith("equal-rows")
    assert set(clf.certificate_.refutation.support) == {0, len(y) - 1}
    assert_proved(clf, X, y)


@pytest.mark.parametrize("options", [{}, dict(C=0.5), dict(C=0.5, fit_intercept=False)])
def test_weights_are_repetitions(options):
    X, y = overlapping()
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    clf = MaxMargin(**options).fit(X, y, weights)
    again = MaxMargin(**options).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    np.testing.assert_allclose(clf.coef_, again.coef_, rtol=1e-7, atol=1e-9)
    clf.certificate_.verify(X, y, sample_weight=weights)


def test_class_weights_are_factors_on_the_penalty():
    X, y = overlapping()
    by_class = MaxMargin(C=0.5, class_weight={1: 3.0}).fit(X, y)
    by_example = MaxMargin(C=0.5).fit(X, y, np.where(y == 1, 3.0, 1.0))
    np.testing.assert_allclose(by_class.coef_, by_example.coef_, rtol=1e-7)
    assert_proved(by_class, X, y)
    with pytest.warns(UserWarning, match="class_weight had no effect"):
        MaxMargin(class_weight={1: 3.0}).fit(*three_classes())


@pytest.mark.parametrize("C", [0.5, np.inf])
def test_columns_of_different_units_are_scaled(C):
    X, y = three_classes()
    wide = X * [1.0, 2.0**20]
    clf = MaxMargin(C=C, scale=True, tol=1e-6).fit(wide, y)
    same = MaxMargin(C=C, scale=True, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(clf.margin_, same.margin_, rtol=1e-9)
    np.testing.assert_array_equal(clf.predict(wide), same.predict(X))
    assert_proved(clf, wide, y)


@pytest.mark.parametrize("C", [0.5, np.inf])
@pytest.mark.parametrize("power", [-600, 600])
def test_features_whose_squares_leave_the_range_of_floats(C, power):
    X, y = three_classes()
    if C < np.inf:
        with pytest.raises(ValueError, match="overflows or underflows"):
            MaxMargin(C=C).fit(np.ldexp(X, power), y)
        return
    clf = MaxMargin().fit(np.ldexp(X, power), y)
    expected = MaxMargin().fit(X, y)
    assert clf.margin_ == pytest.approx(np.ldexp(expected.margin_, power), rel=1e-9)


@pytest.mark.parametrize("store", [np.float32, np.uint8, sparse.csr_matrix, np.asfortranarray])
def test_every_storage(store):
    X, y = three_classes()
    X = np.round(np.abs(10 * X))
    clf = MaxMargin(C=0.1, tol=1e-6).fit(store(X), y)
    np.testing.assert_allclose(clf.coef_, MaxMargin(C=0.1, tol=1e-6).fit(X, y).coef_, rtol=1e-6)
    assert_proved(clf, store(X), y)


def test_a_warm_start_goes_on_where_the_last_fit_ended():
    X, y = overlapping(900)
    clf = MaxMargin(C=0.1, tol=1e-5, warm_start=True).fit(X, y)
    first = clf.n_iter_
    clf.fit(X, y)
    assert clf.n_iter_ < first
    clf.set_params(multi_class="ovr").fit(X, y)
    assert clf.margin_.shape == (3,)
    assert clf.set_params(multi_class="joint").fit(X, y).certificate_.soft.gap <= 1e-5


def test_a_warm_start_keeps_what_was_proved():
    X, y = load_iris(return_X_y=True)
    clf = MaxMargin(warm_start=True).fit(X, y)
    before = clf.certificate_.refutation
    clf.fit(X, y)
    assert clf.solver_.startswith("warm-start")
    np.testing.assert_array_equal(clf.certificate_.refutation.support, before.support)
    assert_proved(clf, X, y)


@pytest.mark.parametrize("C", [0.2, np.inf])
def test_a_start_from_a_perceptron(C):
    X, y = three_classes()
    counts = Perceptron(random_state=0).fit(X, y)
    clf = MaxMargin(C=C, tol=1e-6).fit(X, y, start=counts)
    np.testing.assert_allclose(clf.coef_, MaxMargin(C=C, tol=1e-6).fit(X, y).coef_, rtol=1e-5)
    for mine, theirs in (("joint", "ovr"), ("ovr", "joint")):
        start = Perceptron(multi_class=theirs, random_state=0).fit(X, y)
        with pytest.raises(ValueError, match=f'start was fitted with multi_class="{theirs}"'):
            MaxMargin(multi_class=mine).fit(X, y, start=start)


@pytest.mark.parametrize("C", [0.5, np.inf])
@pytest.mark.parametrize("data", [three_classes, overlapping])
def test_a_stored_model_is_the_same(tmp_path, C, data):
    X, y = data()
    clf = MaxMargin(C=C).fit(X, y)
    novikoff.save(clf, tmp_path / "model.json")
    read = novikoff.load(tmp_path / "model.json")
    np.testing.assert_array_equal(read.coef_, clf.coef_)
    np.testing.assert_array_equal(read.dual_coef_, clf.dual_coef_)
    np.testing.assert_array_equal(read.support_, clf.support_)
    assert (read.C_, read.margin_, read.solver_) == (clf.C_, clf.margin_, clf.solver_)
    assert read.certificate_ == clf.certificate_
    np.testing.assert_array_equal(read.predict(X), clf.predict(X))


@pytest.mark.parametrize("C", [10.0, np.inf])
@pytest.mark.parametrize("shape", [(60, 3), (4000, 30)])
def test_ctrl_c_stores_what_was_reached(C, shape):
    X, y = overlapping(shape[0], d=shape[1])

    def press(line):
        raise KeyboardInterrupt

    clf = MaxMargin(C=C, tol=1e-9).set_callbacks(press)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    assert clf.coef_.shape == (3, X.shape[1])
    assert_proved(clf, X, y)


@pytest.mark.parametrize("C", [10.0, np.inf])
@pytest.mark.parametrize("data", [three_classes, overlapping])
def test_no_time_leaves_an_honest_model(C, data):
    X, y = data()
    clf = MaxMargin(C=C, time_limit=0.0)
    with pytest.warns(ConvergenceWarning, match="time limit"):
        clf.fit(X, y)
    assert clf.status_ is Status.TIME_LIMIT
    assert clf.coef_.shape[0] == 3
    assert_proved(clf, X, y)


def test_a_time_limit_ends_a_long_fit():
    X, y = overlapping(20_000, n_classes=10, d=300)
    # Compile first, whatever this search needs.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        MaxMargin(C=100.0, tol=1e-9, max_iter=20).fit(X, y)
    clf, begun = MaxMargin(C=100.0, tol=1e-9, time_limit=0.05), time.perf_counter()
    with pytest.warns(ConvergenceWarning, match="time limit"):
        clf.fit(X, y)
    assert time.perf_counter() - begun < 10.0
    assert_proved(clf, X, y)


@pytest.mark.parametrize("C", [100.0, np.inf])
@pytest.mark.parametrize("max_iter", [1, 5])
def test_a_limit_on_passes(C, max_iter):
    X, y = overlapping(2000, d=20)
    clf = MaxMargin(C=C, tol=1e-9, max_iter=max_iter)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        clf.fit(X, y)
    assert clf.n_iter_ <= max_iter
    assert_proved(clf, X, y)


def test_two_classes_are_one_problem_either_way():
    X, y = load_iris(return_X_y=True)
    joint = MaxMargin(multi_class="joint").fit(X, y == 0)
    ovr = MaxMargin(multi_class="ovr").fit(X, y == 0)
    assert joint.certificate_ == ovr.certificate_


def test_another_word_for_multi_class_is_refused():
    with pytest.raises(ValueError, match="multi_class='multinomial' must be 'joint' or 'ovr'"):
        MaxMargin(multi_class="multinomial").fit(*three_classes())
    with pytest.raises(ValueError, match="multi_class='multinomial' must be 'joint' or 'ovr'"):
        MaxMarginCV(multi_class="multinomial").fit(*three_classes())


def test_the_scores_of_folds_are_those_of_fits():
    X, y = overlapping(150)
    folds = [
        (np.flatnonzero(np.arange(150) // 3 % 3 != k), np.flatnonzero(np.arange(150) // 3 % 3 == k))
        for k in range(3)
    ]
    clf = MaxMarginCV(Cs=[0.01, 1.0, 30.0], cv=folds).fit(X, y)
    for k, (train, test) in enumerate(folds):
        for C, score in zip(clf.Cs_, clf.scores_[k], strict=True):
            alone = MaxMargin(C=C).fit(X[train], y[train])
            assert score == alone.score(X[test], y[test])
    assert clf.certificate_.soft.C == clf.C_
    assert_proved(clf.final_model(), X, y)


def test_the_hard_margin_competes_where_every_fold_is_separable():
    X, y = three_classes()
    clf = MaxMarginCV(Cs=[1e-6, np.inf], cv=3).fit(X, y)
    assert np.isfinite(clf.scores_).all()
    assert clf.scores_[:, 1].mean() == 1.0


def test_a_search_that_is_stopped_early_leaves_the_rough_model(monkeypatch):
    draw = np.random.default_rng(0)
    y = np.arange(900) % 3
    X = 6.0 * np.eye(3, 5)[y] + draw.normal(size=(900, 5))

    def stopped(problem, **options):
        return JointSolution(
            vectors=np.zeros((3, 5)),
            offsets=np.zeros(3),
            weights=np.zeros((900, 3)),
            status=Status.TIME_LIMIT,
            lower=-np.inf,
            upper=np.inf,
            solver="joint-wolfe",
            mistakes=900,
        )

    monkeypatch.setattr("novikoff.estimators.joint_margin_fit.joint_hard_margin", stopped)
    with pytest.warns(ConvergenceWarning):
        clf = MaxMargin().fit(X, y)
    assert clf.score(X, y) > 0.99
    clf.certificate_.verify(X, y)
