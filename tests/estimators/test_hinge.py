"""MaxMargin(loss="hinge"): SVC's and Crammer and Singer's problems, certified."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

import novikoff
from novikoff import MaxMargin, MaxMarginCV, Perceptron
from novikoff.certificate import Joint, NonSeparation, PerClass, SoftOptimum, Status
from novikoff.estimators import ModelError
from novikoff.estimators.risk import NoRiskError
from tests.estimators.problems import assert_proved, noise, three_classes
from tests.maxmargin.joint.test_hinge import hinge_optimum


def overlapping(n_classes, n=90, d=4):
    draw = np.random.default_rng(n_classes)
    codes = np.arange(n) % n_classes
    return draw.normal(size=(n_classes, d))[codes] + draw.normal(size=(n, d)), codes


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_the_optimum_is_that_of_a_quadratic_program(n_classes, fit_intercept):
    X, y = overlapping(n_classes, n=24, d=3)
    clf = MaxMargin(C=0.3, loss="hinge", tol=1e-7, fit_intercept=fit_intercept).fit(X, y)
    expected = hinge_optimum(X, y, 0.3, affine=fit_intercept)
    soft = clf.certificate_.soft
    assert isinstance(clf.certificate_, SoftOptimum if n_classes == 2 else Joint)
    assert (soft.dual, soft.primal) == (pytest.approx(expected, rel=1e-6),) * 2
    assert soft.loss == "hinge"
    assert clf.status_ is Status.GAP_REACHED
    assert_proved(clf, X, y)


def test_two_classes_have_the_model_of_svc():
    X, y = load_iris(return_X_y=True)
    clf = MaxMargin(C=2.0, loss="hinge", tol=1e-9).fit(X, y == 1)
    svc = SVC(kernel="linear", C=2.0, tol=1e-8).fit(X, y == 1)
    np.testing.assert_allclose(clf.coef_, svc.coef_, atol=1e-3)
    np.testing.assert_allclose(clf.intercept_, svc.intercept_, rtol=1e-3)
    assert np.abs(clf.dual_coef_).max() <= 2.0 * (1.0 + 1e-9)
    made = clf.dual_coef_ @ X[clf.support_]
    np.testing.assert_allclose(made, clf.coef_[0], atol=1e-4 * np.abs(clf.coef_).max())


def test_several_classes_have_the_model_of_crammer_and_singer_at_half_the_C():
    X, y = overlapping(3, n=150)
    clf = MaxMargin(C=0.4, loss="hinge", tol=1e-8, fit_intercept=False).fit(X, y)
    with np.errstate(all="ignore"):
        peer = LinearSVC(
            C=0.2, multi_class="crammer_singer", fit_intercept=False, tol=1e-8, max_iter=100_000
        ).fit(X, y)
    np.testing.assert_allclose(clf.coef_, peer.coef_, atol=1e-3 * np.abs(peer.coef_).max())
    made = clf.dual_coef_ @ X[clf.support_]
    np.testing.assert_allclose(made, clf.coef_, atol=1e-3 * np.abs(clf.coef_).max())


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_weight_is_a_repetition(n_classes):
    X, y = overlapping(n_classes)
    counts = np.random.default_rng(0).integers(0, 4, len(y))
    weighted = MaxMargin(C=0.2, loss="hinge", tol=1e-6).fit(X, y, sample_weight=counts)
    repeated = MaxMargin(C=0.2, loss="hinge", tol=1e-6).fit(X.repeat(counts, 0), y.repeat(counts))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=1e-6)
    weighted.certificate_.verify(X, y, sample_weight=counts)
    assert_proved(repeated, X.repeat(counts, 0), y.repeat(counts))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_class_weights_are_factors_on_C(n_classes):
    X, y = overlapping(n_classes)
    factors = {0: 3.0}
    clf = MaxMargin(C=0.2, loss="hinge", class_weight=factors, tol=1e-6).fit(X, y)
    weights = np.where(y == 0, 3.0, 1.0)
    same = MaxMargin(C=0.2, loss="hinge", tol=1e-6).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(clf.coef_, same.coef_, rtol=1e-6)
    assert_proved(clf, X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_dense_and_sparse_rows_are_the_same(n_classes):
    X, y = overlapping(n_classes)
    X = X * (np.abs(X) > 0.5)
    dense = MaxMargin(C=0.2, loss="hinge", tol=1e-6).fit(X, y)
    rows = sparse.csr_matrix(X)
    clf = MaxMargin(C=0.2, loss="hinge", tol=1e-6).fit(rows, y)
    np.testing.assert_allclose(clf.coef_, dense.coef_, rtol=1e-6)
    clf.certificate_.verify(X, y)
    dense.certificate_.verify(rows, y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_moving_the_examples_moves_only_the_intercepts(n_classes):
    X, y = overlapping(n_classes)
    X = np.round(X * 64) / 64
    here = MaxMargin(C=0.2, loss="hinge", tol=1e-7).fit(X, y)
    there = MaxMargin(C=0.2, loss="hinge", tol=1e-7).fit(X + 1024.0, y)
    np.testing.assert_allclose(there.coef_, here.coef_, atol=1e-5)
    assert there.certificate_.soft.primal == pytest.approx(here.certificate_.soft.primal, rel=1e-6)


def test_each_class_against_the_rest():
    X, y = overlapping(3)
    clf = MaxMargin(C=0.2, loss="hinge", multi_class="ovr").fit(X, y)
    assert isinstance(clf.certificate_, PerClass)
    assert {part.soft.loss for part in clf.certificate_.certificates} == {"hinge"}
    alone = MaxMargin(C=0.2, loss="hinge").fit(X, y == 1)
    np.testing.assert_array_equal(clf.coef_[1], alone.coef_[0])
    assert_proved(clf, X, y)


def test_a_hard_margin_is_the_same_and_is_replaced_by_the_hinge():
    X, y = three_classes()
    hard = MaxMargin(loss="hinge").fit(X, y)
    assert hard.certificate_ and hard.certificate_.soft is None
    np.testing.assert_array_equal(hard.coef_, MaxMargin().fit(X, y).coef_)
    for X, y, kind in ((*noise(60), NonSeparation), (*overlapping(3), Joint)):
        clf = MaxMargin(loss="hinge").fit(X, y)
        assert isinstance(clf.certificate_, kind) and not clf.certificate_
        assert clf.certificate_.model.soft.loss == "hinge"
        assert clf.certificate_.model.soft.gap <= 1e-3
        assert "and the hinge loss" in str(clf.certificate_)
        assert_proved(clf, X, y)


def test_coordinate_descent_of_ten_classes():
    X, y = load_digits(return_X_y=True)
    X = np.hstack([X, X[:, ::-1] ** 2 / 16.0]).astype(np.float32) / 16
    clf = MaxMargin(C=0.1, loss="hinge").fit(X, y)
    assert clf.solver_ == "joint-coordinate"
    assert clf.certificate_.gap <= 1e-3
    soft = MaxMargin(C=0.1).fit(X, y)
    assert len(clf.support_) < len(soft.support_)
    assert_proved(clf, X, y)
    again = MaxMargin(C=0.1, loss="hinge", warm_start=True).fit(X, y)
    passes = again.n_iter_
    assert again.fit(X, y).n_iter_ < passes
    with pytest.warns(ConvergenceWarning):
        before = Perceptron(max_iter=3).fit(X, y)
    begun = MaxMargin(C=0.1, loss="hinge").fit(X, y, start=before)
    assert begun.certificate_.gap <= 1e-3


@pytest.mark.parametrize("limit", [{"max_iter": 8}, {"time_limit": 0.0}])
def test_a_limit_is_no_success(limit):
    X, y = load_digits(return_X_y=True)
    X = np.hstack([X, X[:, ::-1] ** 2 / 16.0]) / 16
    clf = MaxMargin(C=10.0, loss="hinge", tol=1e-6, **limit)
    with pytest.warns(ConvergenceWarning, match=next(iter(limit))):
        clf.fit(X, y)
    assert clf.status_ in (Status.MAX_ITER, Status.TIME_LIMIT)
    assert clf.certificate_.gap > 1e-6
    assert_proved(clf, X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_loss_is_stored_and_may_not_be_edited(n_classes, tmp_path):
    X, y = overlapping(n_classes)
    clf = MaxMargin(C=0.2, loss="hinge").fit(X, y)
    path = tmp_path / "model.json"
    novikoff.save(clf, path)
    read = novikoff.load(path)
    assert read.loss == "hinge"
    assert read.certificate_ == clf.certificate_
    read.certificate_.verify(X, y)
    text = path.read_text()
    assert text.count('"loss": "hinge"') == 2
    path.write_text(text.replace('"loss": "hinge"', '"loss": "squared_hinge"', 1))
    with pytest.raises(ModelError, match="loss is not what was certified"):
        novikoff.load(path)
    clf.loss = "squared_hinge"
    with pytest.raises(ValueError, match="loss has changed since the fit"):
        novikoff.save(clf, path)


def test_a_model_without_a_stated_loss_has_the_squared_hinge(tmp_path):
    X, y = overlapping(3)
    clf = MaxMargin(C=0.2).fit(X, y)
    path = tmp_path / "model.json"
    novikoff.save(clf, path)
    text = path.read_text()
    assert text.count('"loss"') == 1
    lines = [line for line in text.splitlines() if '"loss"' not in line]
    path.write_text("\n".join(lines) if len(lines) > 1 else text)
    read = novikoff.load(path)
    assert read.loss == "squared_hinge"
    read.certificate_.verify(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_there_is_no_risk_bound(n_classes):
    X, y = overlapping(n_classes)
    clf = MaxMargin(C=0.2, loss="hinge").fit(X, y)
    with pytest.raises(NoRiskError, match=r"loss='hinge'.*loss='squared_hinge'") as raised:
        clf.risk_certificate(X, y)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_cross_validation_passes_the_loss_on(n_classes):
    X, y = overlapping(n_classes)
    clf = MaxMarginCV(Cs=[0.01, 0.1, 1.0], cv=3, loss="hinge").fit(X, y)
    assert clf.certificate_.soft.loss == "hinge"
    assert clf.final_model().loss == "hinge"
    assert np.isfinite(clf.scores_).all()
    folds = [np.flatnonzero(np.arange(len(y)) // n_classes % 3 != k) for k in range(3)]
    chosen = [(train, np.setdiff1d(np.arange(len(y)), train)) for train in folds]
    again = MaxMarginCV(Cs=[0.1], cv=chosen, loss="hinge").fit(X, y)
    for score, (train, test) in zip(again.scores_[:, 0], chosen, strict=True):
        each = MaxMargin(C=0.1, loss="hinge", tol=1e-6).fit(X[train], y[train])
        assert abs(score - each.score(X[test], y[test])) <= 1.0 / len(test)
    assert_proved(clf, X, y)


def test_what_is_refused():
    X, y = three_classes()
    with pytest.raises(ValueError, match="loss='log' must be 'squared_hinge' or 'hinge'"):
        MaxMargin(loss="log").fit(X, y)
    with pytest.raises(ValueError, match="loss='hinge' is for the linear kernel; use loss="):
        MaxMargin(C=1.0, loss="hinge", kernel="rbf").fit(X, y)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("y", [[0, 1, 0, 1, 1], [0, 1, 2, 2, 2]])
@pytest.mark.parametrize("row", [0.0, 1.0])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e6])
def test_examples_that_are_all_equal(fit_intercept, y, row, C):
    """The weighted sum that bounds the optimum may vanish: the penalty alone bounds the weights."""
    X, y = np.full((5, 2), row), np.array(y)
    clf = MaxMargin(C=C, loss="hinge", fit_intercept=fit_intercept).fit(X, y)
    assert clf.status_ is Status.GAP_REACHED
    assert clf.certificate_.soft.dual > 0.0
    assert_proved(clf, X, y)
