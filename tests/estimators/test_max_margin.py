"""MaxMargin as its users meet it: options, weights, limits, several classes."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

from novikoff import MaxMargin, Perceptron, is_separable
from novikoff.certificate import (
    Inconclusive,
    NonSeparation,
    PerClass,
    Separation,
    SoftOptimum,
    Status,
)
from novikoff.estimators import NotSeparableError


@pytest.fixture
def clouds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4)) + np.repeat([[0.0] * 4, [1.0] * 4], 60, axis=0)
    return X, np.repeat(["no", "yes"], 60)


@pytest.mark.parametrize("C", [1e-3, 0.1, 1.0, 100.0])
def test_equals_linear_svc_without_intercept(clouds, C):
    X, y = clouds
    clf = MaxMargin(C=C, fit_intercept=False).fit(X, y)
    peer = LinearSVC(C=C, fit_intercept=False, tol=1e-12, max_iter=10**6, dual=False).fit(X, y)
    np.testing.assert_allclose(clf.coef_, peer.coef_, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("C", [1e-2, 1.0, 100.0])
def test_intercept_is_not_penalised(clouds, C):
    X, y = clouds
    clf = MaxMargin(C=C, tol=1e-9).fit(X, y)
    moved = MaxMargin(C=C, tol=1e-9).fit(X + 1000.0, y)
    np.testing.assert_allclose(clf.coef_, moved.coef_, rtol=1e-6)
    certificate = clf.certificate_
    assert isinstance(certificate, SoftOptimum)
    assert certificate.gap <= 1e-9
    certificate.verify(X, y)
    signs = np.where(y == "yes", 1, -1)
    hinge = np.maximum(0, 1 - signs * clf.decision_function(X))
    objective = clf.coef_[0] @ clf.coef_[0] / 2 + C * (hinge**2).sum()
    assert objective == pytest.approx(certificate.primal, rel=1e-12)
    # The derivative in the intercept vanishes.
    assert abs((signs * hinge).sum()) <= 1e-7 * hinge.sum()


def test_says_what_it_did_when_nothing_separates(clouds):
    X, y = clouds
    clf = MaxMargin().fit(X, y)
    assert isinstance(clf.certificate_, NonSeparation)
    assert clf.certificate_.model.soft.C == clf.C_
    assert 0.0 < clf.C_ < np.inf
    explicit = MaxMargin(C=clf.C_).fit(X, y)
    np.testing.assert_allclose(clf.coef_, explicit.coef_, rtol=1e-9)
    assert clf.margin_ < 0 == clf.margin_upper_bound_
    with pytest.raises(NotSeparableError, match="No hyperplane separates the examples"):
        MaxMargin(nonseparable="raise").fit(X, y)


def test_a_hard_margin_that_exists_has_no_soft_one_beside_it():
    X, y = load_iris(return_X_y=True)
    clf = MaxMargin().fit(X, y == 0)
    assert clf.certificate_.model.soft is None
    assert clf.C_ == np.inf
    assert np.min(np.where(y == 0, 1, -1) * clf.decision_function(X)) == pytest.approx(1.0)


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("C", [0.5, np.inf])
def test_weights_equal_repetition(clouds, make, C):
    X, y = clouds
    weights = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = MaxMargin(C=C).fit(make(X), y, sample_weight=weights)
    repeated = MaxMargin(C=C).fit(make(np.repeat(X, weights, axis=0)), np.repeat(y, weights))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-7)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=1e-7)
    weighted.certificate_.verify(make(X), y, sample_weight=weights)
    assert type(weighted.certificate_) is type(repeated.certificate_)


@pytest.mark.parametrize(
    ("n", "d", "make", "C"),
    [
        (30_000, 40, np.asarray, 0.1),
        (30_000, 40, np.asarray, np.inf),
        (4_000, 6_000, lambda X: sparse.csr_array(np.where(np.abs(X) > 2.5, X, 0.0)), 1.0),
    ],
    ids=["newton", "hull", "coordinates"],
)
@pytest.mark.filterwarnings("ignore:The examples are separable, so .* had no effect:UserWarning")
def test_weights_equal_repetition_beyond_small_problems(n, d, make, C):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(n, d))
    score = X[:, :3].sum(axis=1)
    y = score > 0
    if C < np.inf:
        y ^= rng.random(n) < 0.1
    else:
        X[:, 0] += np.where(y, 0.1, -0.1)
    X = make(X)
    weights = rng.integers(0, 3, n)
    rows = np.repeat(np.arange(n), weights)
    weighted = MaxMargin(C=C).fit(X, y, sample_weight=weights)
    repeated = MaxMargin(C=C).fit(X[rows], y[rows])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-7, atol=1e-12)
    np.testing.assert_allclose(weighted.intercept_, repeated.intercept_, rtol=1e-7)
    assert repeated.certificate_.gap <= 1e-3
    weighted.certificate_.verify(X, y, sample_weight=weights)
    repeated.certificate_.verify(X[rows], y[rows])


def test_examples_of_weight_zero_take_no_part(clouds):
    X, y = clouds
    # Without the overlap the rest is separable.
    first = X.sum(axis=1)
    keep = ((y == "yes") & (first > 3)) | ((y == "no") & (first < 1))
    clf = MaxMargin(tol=1e-9).fit(X, y, sample_weight=keep.astype(float))
    alone = MaxMargin(tol=1e-9).fit(X[keep], y[keep])
    assert isinstance(clf.certificate_, Separation)
    np.testing.assert_allclose(clf.coef_, alone.coef_, rtol=1e-7)
    clf.certificate_.verify(X, y, sample_weight=keep)


def test_several_classes_each_against_the_rest():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    clf = MaxMargin(multi_class="ovr", n_jobs=2).fit(X, names)
    assert isinstance(clf.certificate_, PerClass)
    clf.certificate_.verify(X, names)
    assert clf.coef_.shape == (3, 4)
    assert clf.C_[0] == np.inf
    assert np.isfinite(clf.C_[1:]).all()
    assert clf.score(X, names) > 0.9
    one = MaxMargin().fit(X, names == "virginica")
    np.testing.assert_allclose(clf.coef_[2], one.coef_[0], rtol=1e-9)
    verdicts = is_separable(X, names)
    assert [bool(part) for part in verdicts.certificates] == [True, False, False]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(28, 32))
def test_warm_start_keeps_a_separator_without_time_for_another(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 5))
    scores = X @ rng.normal(size=5)
    y = scores > np.median(scores)
    clf = MaxMargin(warm_start=True, time_limit=0).fit(X, y)
    before = clf.certificate_
    for _ in range(3):
        clf.fit(X, y)
        if isinstance(before, Separation):
            assert isinstance(clf.certificate_, Separation)
            assert clf.certificate_.lower >= before.lower
            clf.certificate_.verify(X, y)
        before = clf.certificate_


def test_warm_start_takes_fewer_steps():
    X, y = make_blobs(2000, 10, centers=2, cluster_std=2.0, random_state=0)
    clf = MaxMargin(tol=1e-6, warm_start=True).fit(X, y)
    cold, margin = clf.n_updates_, clf.margin_
    clf.fit(X, y)
    assert clf.n_updates_ < cold
    assert clf.margin_ == pytest.approx(margin, rel=1e-6)
    other = MaxMargin(tol=1e-6).fit(X[:1000], y[:1000])
    clf.fit(X[:1000], y[:1000])
    assert clf.margin_ == pytest.approx(other.margin_, rel=1e-6)


def test_starts_from_the_counts_of_a_perceptron():
    X, y = make_blobs(2000, 10, centers=2, cluster_std=2.0, random_state=0)
    cold = MaxMargin(tol=1e-6).fit(X, y)
    begun = MaxMargin(tol=1e-6).fit(X, y, start=Perceptron(random_state=0).fit(X, y))
    assert begun.margin_ == pytest.approx(cold.margin_, rel=1e-6)
    assert begun.n_updates_ < cold.n_updates_
    again = MaxMargin(tol=1e-6).fit(X, y, start=cold)
    assert again.n_updates_ < min(cold.n_updates_, begun.n_updates_ + 1)
    assert again.margin_ == pytest.approx(cold.margin_, rel=1e-6)


@pytest.mark.parametrize("C", [np.inf, 0.1])
def test_starts_from_more_counts_than_a_corral_holds(C):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(6000, 4)), rng.integers(0, 3, 6000)
    X[:, 0] += 0.1 * y
    with pytest.warns(ConvergenceWarning):
        counts = Perceptron(max_iter=20, min_margin=0.0, multi_class="ovr").fit(X, y)
    assert len(counts.support_[1]) > 1500
    begun = MaxMargin(C=C, multi_class="ovr").fit(X, y, start=counts)
    cold = MaxMargin(C=C, multi_class="ovr").fit(X, y)
    np.testing.assert_allclose(begun.coef_, cold.coef_, rtol=1e-6)
    begun.certificate_.verify(X, y)


def test_a_start_on_other_examples_is_refused():
    X, y = make_blobs(60, 3, centers=2, random_state=0)
    start = Perceptron().fit(X, y)
    for others in ((X[:50], y[:50]), (X[:, :2], y), (X, y + 1)):
        with pytest.raises(ValueError, match="other examples"):
            MaxMargin().fit(*others, start=start)
    with pytest.raises(ValueError, match="online"):
        MaxMargin().fit(X, y, start=Perceptron().partial_fit(X, y, classes=[0, 1]))
    with pytest.raises(ValueError, match="not str"):
        MaxMargin().fit(X, y, start="perceptron")


def test_a_soft_margin_that_a_corral_cannot_hold():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2500, 2600)), rng.integers(0, 2, 2500)
    clf = MaxMargin(C=1e-4).fit(X, y)
    assert len(clf.support_) > 1500
    assert clf.certificate_.gap <= 1e-3
    assert clf.status_ is Status.GAP_REACHED
    clf.certificate_.verify(X, y)


def test_the_history_of_both_margins_is_one(clouds):
    X, y = clouds
    clf = MaxMargin().fit(X, y)
    for before, after in itertools.pairwise(clf.history_):
        assert after.iteration >= before.iteration
        assert after.updates >= before.updates
        assert after.seconds >= before.seconds
    assert clf.history_[-1].iteration <= clf.n_iter_


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("C", [np.inf, 1.0])
def test_repetitions_of_which_some_weigh_nothing(clouds, make, C):
    X, y = clouds
    rows = np.repeat(np.arange(len(y)), 3)
    weights = np.tile([0.0, 1.0, 0.5], len(y))
    clf = MaxMargin(C=C).fit(make(X[rows]), y[rows], sample_weight=weights)
    once = MaxMargin(C=C).fit(make(X), y, sample_weight=np.full(len(y), 1.5))
    np.testing.assert_allclose(clf.coef_, once.coef_, rtol=1e-7)
    clf.certificate_.verify(make(X[rows]), y[rows], sample_weight=weights)
    assert (np.abs(clf.dual_coef_) > 0).all()


def test_equal_examples_of_opposite_labels_are_seen_in_any_size():
    rng = np.random.default_rng(0)
    X = sparse.random(3200, 3300, density=0.003, random_state=rng, format="lil")
    y = rng.integers(0, 2, 3200)
    X[17], y[17] = X[1999], 1 - y[1999]
    X = X.tocsr()
    verdict = is_separable(X, y)
    assert isinstance(verdict, NonSeparation)
    assert verdict.support.tolist() == [17, 1999]
    verdict.verify(X, y)
    weights = np.ones(3200)
    weights[17] = 0.0
    assert not isinstance(is_separable(X[weights > 0], y[weights > 0], max_iter=5), NonSeparation)
    with pytest.warns(ConvergenceWarning):
        clf = MaxMargin(max_iter=5).fit(X, y, sample_weight=weights)
    assert isinstance(clf.certificate_, Inconclusive)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("max_iter", range(1, 10))
def test_a_limit_leaves_a_model_that_is_good_for_something(max_iter):
    iris = load_iris()
    # More than the larger class alone would give: 0.63 and 0.67.
    for X, y, least in (
        (*load_breast_cancer(return_X_y=True), 0.9),
        (iris.data, iris.target == 1, 0.7),
    ):
        clf = MaxMargin(max_iter=max_iter).fit(X, y)
        assert clf.score(X, y) > least
        passes = []
        is_separable(X, y, max_iter=max_iter, callbacks=(passes.append,))
        assert all(line.iteration <= max_iter for line in passes)


def test_same_scale_as_svc():
    X, y = make_blobs(200, 3, centers=2, random_state=3)
    clf = MaxMargin(tol=1e-9).fit(X, y)
    peer = SVC(kernel="linear", C=1e8, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(clf.coef_, peer.coef_, rtol=1e-4)
    clone(clf)


@pytest.mark.parametrize("factor", [2.0**-300, 2.0**300])
def test_extreme_scales(factor):
    X, y = make_blobs(100, 3, centers=2, random_state=3)
    base = MaxMargin(tol=1e-6).fit(X, y)
    clf = MaxMargin(tol=1e-6).fit(X * factor, y)
    assert clf.margin_ == pytest.approx(base.margin_ * factor, rel=1e-9)
    clf.certificate_.verify(X * factor, y)


def test_float32_and_tiny_values():
    X, y = make_blobs(100, 3, centers=2, random_state=3)
    X32 = (X * 1e-20).astype(np.float32)
    clf = MaxMargin(tol=1e-6).fit(X32, y)
    assert clf.certificate_.gap <= 1e-6
    clf.certificate_.verify(X32, y)


def test_weights_without_effect_on_a_hard_margin_are_named():
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0, 0, 1, 1])
    message = "separable, so class_weight had no effect on the hard margin; give a finite C"
    with pytest.warns(UserWarning, match=message) as told:
        weighted = MaxMargin(class_weight={0: 3.0}).fit(X, y)
    assert len(told) == 1
    assert told[0].filename == __file__
    plain = MaxMargin().fit(X, y)
    np.testing.assert_array_equal(weighted.coef_, plain.coef_)
    with pytest.warns(UserWarning, match="so class_weight and sample_weight had no effect"):
        MaxMargin(class_weight={0: 2.0}).fit(X, y, [1, 2, 1, 2])
    # These have one, or are no weights: no warning, which would be an error here.
    MaxMargin().fit(X, y, [1, 0, 1, 1])
    MaxMargin().fit(X, y, [2, 2, 2, 2])
    MaxMargin(class_weight="balanced").fit(X, y)
    MaxMargin(C=1.0, class_weight="balanced").fit(X, y, [1, 2, 1, 2])
    MaxMargin(class_weight="balanced").fit(X, [0, 1, 0, 1])
