"""Weights of examples in a perceptron: whole numbers are repetition, to the last bit."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.utils.validation import has_fit_parameter

import novikoff
from novikoff import MaxMargin, Perceptron
from novikoff.certificate import CertificateError, NonSeparation, Separation, Status
from novikoff.estimators import copies
from novikoff.estimators.kernel_options import gamma_of
from novikoff.estimators.risk import NoRiskError
from novikoff.sample.kernel_order import MOST_HASHED
from novikoff.sample.order import FITS_IN_CACHE
from tests.estimators.problems import ALL_RULES, assert_same_model, noise, three_classes

pytestmark = pytest.mark.filterwarnings(
    "ignore:The run stopped at its limit:sklearn.exceptions.ConvergenceWarning"
)
RULES = [name for name in ALL_RULES if name != "infinity"]


def problem(n_classes, seed=0, n=40, noise=0.5):
    rng = np.random.default_rng(seed)
    X, directions = rng.normal(size=(n, 4)), rng.normal(size=(n_classes, 4))
    return X, (X @ directions.T + noise * rng.normal(size=(n, n_classes))).argmax(axis=1)


def repeated(weights, seed=1):
    """Return the rows as often as they weigh, in another order."""
    rows = np.repeat(np.arange(len(weights)), weights.astype(int))
    return np.random.default_rng(seed).permutation(rows)


def whole(n, seed=2):
    return np.random.default_rng(seed).integers(0, 4, n).astype(float)


@pytest.mark.parametrize("C", [np.inf, 0.5])
@pytest.mark.parametrize("classes", ["binary", "joint", "ovr"])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("rule", RULES)
def test_whole_weights_are_repetition(rule, storage, classes, C):
    X, y = problem(2 if classes == "binary" else 3)
    weights = whole(len(y))
    rows = repeated(weights)
    how = dict(rule=ALL_RULES[rule], C=C, random_state=5, max_iter=30)
    how["multi_class"] = "ovr" if classes == "ovr" else "joint"
    clf = Perceptron(**how).fit(storage(X), y, sample_weight=weights)
    other = Perceptron(**how).fit(storage(X[rows]), y[rows])
    assert_same_model(clf, other)
    assert (clf.status_, clf.n_updates_, clf.n_iter_) == (
        other.status_,
        other.n_updates_,
        other.n_iter_,
    )
    clf.certificate_.verify(X, y, sample_weight=weights)
    supports = clf.support_ if isinstance(clf.support_, list) else [clf.support_]
    assert all((weights[support] > 0.0).all() for support in supports)
    assert all(len(np.unique(support)) == len(support) for support in supports)


@pytest.mark.parametrize("C", [np.inf, 0.5])
@pytest.mark.parametrize("classes", ["binary", "joint", "ovr"])
@pytest.mark.parametrize("rule", RULES)
def test_whole_weights_are_repetition_in_feature_space(rule, classes, C):
    X, y = problem(2 if classes == "binary" else 3)
    weights = whole(len(y))
    rows = repeated(weights)
    how = dict(rule=ALL_RULES[rule], C=C, random_state=5, max_iter=30, kernel="rbf", gamma=0.5)
    how["multi_class"] = "ovr" if classes == "ovr" else "joint"
    clf = Perceptron(**how).fit(X, y, sample_weight=weights)
    other = Perceptron(**how).fit(X[rows], y[rows])
    assert (clf.status_, clf.n_updates_) == (other.status_, other.n_updates_)
    clf.certificate_.verify(X, y, sample_weight=weights)
    # Coefficients of copies are added here before, and there after kernel values multiply them.
    expected = other.decision_function(X)
    size = 1e-12 * np.abs(expected).max()
    np.testing.assert_allclose(clf.decision_function(X), expected, rtol=1e-12, atol=size)
    supports, duals = (clf.support_, clf.dual_coef_)
    if classes == "ovr":
        pairs = zip(supports, duals, other.support_, other.dual_coef_, strict=True)
    else:
        pairs = [(supports, duals, other.support_, other.dual_coef_)]
    for support, dual, there, theirs in pairs:
        ours, folded = np.zeros((2, len(y), *dual.shape[:-1]))
        ours[support] = dual.T
        np.add.at(folded, rows[there], theirs.T)
        np.testing.assert_allclose(ours, folded, rtol=1e-12, atol=1e-300)


def test_a_precomputed_kernel_repeats_rows_and_columns():
    X, y = problem(3)
    weights = whole(len(y))
    rows, K = repeated(weights), (X @ X.T + 1.0) ** 2
    for shuffle in (True, False):
        how = dict(kernel="precomputed", shuffle=shuffle, random_state=0, max_iter=30)
        rows = rows if shuffle else np.sort(rows)
        clf = Perceptron(**how).fit(K, y, sample_weight=weights)
        other = Perceptron(**how).fit(K[np.ix_(rows, rows)], y[rows])
        assert clf.n_updates_ == other.n_updates_
        np.testing.assert_allclose(clf.decision_function(K), other.decision_function(K[:, rows]))
        clf.certificate_.verify(K, y, sample_weight=weights)


@pytest.mark.parametrize("how", [{"kernel": "rbf"}, {"kernel": "precomputed"}])
def test_many_examples_of_a_kernel_repeat_rows_in_place(how):
    X, y = problem(2, n=MOST_HASHED // 2)
    weights = 2.0 * whole(len(y))
    rows = np.repeat(np.arange(len(y)), weights.astype(int))
    assert len(rows) > MOST_HASHED
    given = how["kernel"] == "precomputed"
    data = rbf_kernel(X, gamma=0.5) if given else X
    clf = Perceptron(random_state=0, max_iter=3, gamma=0.5, **how)
    clf.fit(data, y, sample_weight=weights)
    there = data[np.ix_(rows, rows)] if given else data[rows]
    other = clone(clf).fit(there, y[rows])
    assert clf.n_updates_ == other.n_updates_
    np.testing.assert_allclose(
        clf.decision_function(data),
        other.decision_function(data[:, rows] if given else data),
        rtol=1e-9,
        atol=1e-9,
    )


def test_weights_count_in_the_scale_of_a_kernel():
    X, y = problem(2)
    weights = whole(len(y))
    rows = repeated(weights)
    clf = Perceptron(kernel="rbf", random_state=0).fit(X, y, sample_weight=weights)
    gamma = clf.certificate_.problem.kernel.gamma
    assert gamma == pytest.approx(1.0 / (4 * X[rows].var()), rel=1e-12)
    halves = Perceptron(kernel="rbf", random_state=0).fit(X, y, sample_weight=weights / 8.0)
    assert halves.certificate_.problem.kernel.gamma == pytest.approx(gamma, rel=1e-12)


@pytest.mark.parametrize("kind", [np.float64, np.uint8])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_matrix])
def test_the_scale_of_weighted_rows_keeps_its_digits(storage, kind):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 256, (60, 5)).astype(kind)
    X[rng.random(X.shape) < 0.3] = 0
    weights = rng.integers(1, 8, 60)
    expected = 1.0 / (5 * X.astype(np.float64).repeat(weights, axis=0).var())
    assert gamma_of("scale", storage(X), weights / 8.0) == pytest.approx(expected, rel=1e-12)
    if kind is np.float64 and storage is np.asarray:
        assert gamma_of("scale", X + 1e8, weights / 8.0) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("how", [{}, {"kernel": "rbf"}, {"multi_class": "ovr"}, {"scale": True}])
def test_zero_is_absence(how):
    X, y = three_classes()
    X = X.astype(float)
    weights = np.ones(len(y))
    weights[np.random.default_rng(0).permutation(len(y))[: len(y) // 3]] = 0.0
    some = weights > 0.0
    far = np.where(some[:, None], X, 1e6)
    clf = Perceptron(random_state=0, **how).fit(far, y, sample_weight=weights)
    other = Perceptron(random_state=0, **how).fit(X[some], y[some])
    np.testing.assert_array_equal(clf.predict(X), other.predict(X))
    assert clf.n_updates_ == other.n_updates_
    verified = clf.certificate_.verify(far, y, sample_weight=weights)
    assert verified.n_taking_part == np.count_nonzero(some)


@pytest.mark.parametrize("rule", ["mean-norm", "classic"])
@pytest.mark.parametrize("C", [np.inf, 1.0])
def test_the_model_does_not_depend_on_the_order_of_the_rows(rule, C):
    X, y = noise(200)
    shuffled = np.random.default_rng(0).permutation(200)
    how = dict(rule=rule, C=C, random_state=1, max_iter=20)
    assert_same_model(Perceptron(**how).fit(X, y), Perceptron(**how).fit(X[shuffled], y[shuffled]))
    other = Perceptron(**(how | {"random_state": 2})).fit(X, y)
    assert (other.coef_ != Perceptron(**how).fit(X, y).coef_).any()


def test_rows_in_order_have_their_copies_right_after_each_other():
    X, y = problem(2)
    weights = whole(len(y))
    rows = np.repeat(np.arange(len(y)), weights.astype(int))
    how = dict(shuffle=False, max_iter=30)
    clf = Perceptron(**how).fit(X, y, sample_weight=weights)
    assert_same_model(clf, Perceptron(**how).fit(X[rows], y[rows]))


def test_large_data_repeat_rows_in_place():
    X, y = problem(2, n=FITS_IN_CACHE // 32)
    weights = whole(len(y))
    rows = np.repeat(np.arange(len(y)), weights.astype(int))
    how = dict(random_state=0, max_iter=3)
    clf = Perceptron(**how).fit(X, y, sample_weight=weights)
    assert_same_model(clf, Perceptron(**how).fit(X[rows], y[rows]))


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    rule=st.sampled_from(RULES),
    n_classes=st.sampled_from([2, 3]),
    how=st.sampled_from([{}, {"C": 0.5}, {"kernel": "poly"}, {"kernel": "poly", "C": 0.5}]),
    spread=st.sampled_from([0.0, 0.5]),
)
def test_fractions_are_certified(seed, rule, n_classes, how, spread):
    """Section 5: for any steps that are not negative, lower <= optimum <= upper."""
    X, y = problem(n_classes, seed, n=25, noise=spread)
    weights = np.random.default_rng(seed).choice([0.0, 0.1, 0.75, 1.0, 2.5], len(y))
    if len(np.unique(y[weights > 0.0])) < n_classes:
        return
    clf = Perceptron(rule=ALL_RULES[rule], random_state=0, max_iter=20, **how)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf.fit(X, y, sample_weight=weights)
    clf.certificate_.verify(X, y, sample_weight=weights)
    if isinstance(clf.certificate_, Separation):
        assert clf.certificate_.lower <= clf.certificate_.upper


def test_fractions_take_shorter_steps():
    X, y = noise()
    how = dict(rule="classic", max_iter=20, random_state=0)
    weights = np.where(y == 1, 0.25, 2.5)
    clf = Perceptron(**how).fit(X, y, sample_weight=weights)
    plain = Perceptron(average=False, **how).fit(X, y, sample_weight=weights)
    steps = np.abs(plain.dual_coef_) / np.where(y[plain.support_] == 1, 0.25, 2.5 / 3.0)
    np.testing.assert_allclose(steps, np.rint(steps), atol=1e-9)
    assert Perceptron(**how).fit(X, y).predict(X).mean() > clf.predict(X).mean()


def test_slack_costs_as_much_as_the_example_weighs():
    """The optimum of the weighted soft margin is that of MaxMargin."""
    X, y = noise()
    weights = np.random.default_rng(0).choice([0.3, 1.0, 1.7], len(y))
    how = dict(rule="dynamic", C=0.5, rule__accuracy=0.01, random_state=0)
    clf = Perceptron().set_params(**how).fit(X, y, sample_weight=weights)
    best = novikoff.MaxMargin(C=0.5, tol=1e-6).fit(X, y, sample_weight=weights)
    ours, theirs = clf.certificate_.hyperplane.soft, best.certificate_.hyperplane.soft
    assert ours.dual <= theirs.primal
    assert theirs.dual <= ours.primal <= 1.05 * theirs.dual


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("n_classes, multi_class", [(2, "joint"), (3, "joint"), (3, "ovr")])
def test_slack_costs_as_much_as_the_class_weighs(n_classes, multi_class, kernel):
    X, y = problem(n_classes)
    class_weight = {0: 8.0, 1: 0.5, 2: 1.0}
    class_weight = {k: class_weight[k] for k in range(n_classes)}
    how = dict(C=0.5, class_weight=class_weight, multi_class=multi_class, kernel=kernel, gamma=0.3)
    weights = np.random.default_rng(4).choice([0.5, 1.0, 2.5], len(y))
    rule = novikoff.rules.Dynamic(accuracy=0.1)
    clf = Perceptron(rule=rule, random_state=0, **how).fit(X, y, sample_weight=weights)
    assert clf.status_ is Status.CONVERGED
    best = MaxMargin(tol=1e-6, **how).fit(X, y, sample_weight=weights)
    for model in (clf, best):
        model.certificate_.verify(X, y, sample_weight=weights)
    ours, optimum = soft_of(clf), soft_of(best)
    assert len(ours) == len(optimum)
    for mine, exact in zip(ours, optimum, strict=True):
        # The run ends at nine tenths of the lifted margin, so at 1 / 0.9^2 of the objective.
        assert mine.dual <= exact.primal and exact.dual <= mine.primal <= 1.25 * exact.primal
    plain = MaxMargin(tol=1e-6, **how | {"class_weight": None}).fit(X, y, sample_weight=weights)
    pairs = list(zip(ours, soft_of(plain), strict=True))
    assert any(not mine.dual <= other.primal <= mine.primal for mine, other in pairs)


def soft_of(clf):
    """Return the soft-margin bounds of a model, or of each class against the rest."""
    certificate = clf.certificate_
    return [part.model.soft for part in getattr(certificate, "certificates", [certificate])]


def test_fractions_are_refuted_where_nothing_separates():
    X, y = noise(300)
    weights = np.random.default_rng(0).uniform(0.1, 3.0, 300)
    clf = Perceptron(random_state=0).fit(X, y, sample_weight=weights)
    clf.certificate_.verify(X, y, sample_weight=weights)
    plain = Perceptron(random_state=0).fit(X, y)
    assert isinstance(clf.certificate_, NonSeparation) == isinstance(
        plain.certificate_, NonSeparation
    )


@pytest.mark.parametrize("multi_class", ["joint", "ovr"])
def test_balanced_counts_weights(multi_class):
    X, y = problem(3)
    weights = whole(len(y))
    rows = repeated(weights)
    how = dict(class_weight="balanced", multi_class=multi_class, random_state=0, max_iter=30)
    clf = Perceptron(**how).fit(X, y, sample_weight=weights)
    assert_same_model(clf, Perceptron(**how).fit(X[rows], y[rows]))


def test_other_weights_do_not_verify():
    X, y = problem(2)
    weights = whole(len(y)) + 0.5
    clf = Perceptron(C=0.5, random_state=0).fit(X, y, sample_weight=weights)
    assert clf.certificate_.problem.weighted
    for other in (weights[::-1].copy(), 2.0 * weights):
        with pytest.raises(CertificateError, match="not the data"):
            clf.certificate_.verify(X, y, sample_weight=other)
        with pytest.raises(CertificateError, match=r"objective|bound|margin|errors"):
            clf.certificate_.verify(X, y, sample_weight=other, check_fingerprint=False)


@pytest.mark.parametrize("how", [{}, {"kernel": "rbf"}])
@pytest.mark.parametrize(
    ("weight", "cause"),
    [
        (-1.0, "not negative"),
        (np.nan, "finite"),
        (np.inf, "finite"),
        (1e9, "divide the weights by their mean"),
        (1e-40, "between"),
    ],
)
def test_bad_weights(how, weight, cause):
    X, y = problem(2)
    weights = np.ones(len(y))
    weights[3] = weight
    with pytest.raises(ValueError, match=cause) as caught:
        Perceptron(**how).fit(X, y, sample_weight=weights)
    assert "\n" not in str(caught.value)
    if not how:
        with pytest.raises(ValueError, match=cause):
            Perceptron().partial_fit(X, y, classes=[0, 1], sample_weight=weights)
    with pytest.raises(ValueError, match="as many weights"):
        Perceptron(**how).fit(X, y, sample_weight=np.ones(3))
    with pytest.raises(ValueError, match="No example of the class 1"):
        Perceptron(**how).fit(X, y, sample_weight=(y == 0).astype(float))


def test_how_many_copies_there_may_be():
    assert copies.copies_of(np.full(10, 16.0), 10**9)[0].shape == (160,)
    with pytest.raises(ValueError, match="would visit 170 copies of 10 examples"):
        copies.copies_of(np.full(10, 17.0), 10**9)


def test_weights_of_one_copy_nothing():
    X, y = problem(2)
    how = dict(random_state=0)
    clf = Perceptron(**how).fit(X, y, sample_weight=np.ones(len(y)))
    assert_same_model(clf, Perceptron(**how).fit(X, y))
    assert not clf.certificate_.problem.weighted


def test_a_warm_start_knows_the_weights():
    X, y = noise(200)
    weights = whole(200) + 0.25
    how = dict(warm_start=True, random_state=0, max_iter=3, min_margin=0.0, rule="classic")
    clf = Perceptron(**how).fit(X, y, sample_weight=weights)
    first = clf.n_updates_
    assert clf.fit(X, y, sample_weight=weights).n_updates_ > first
    clf.certificate_.verify(X, y, sample_weight=weights)
    assert clf.fit(X, y, sample_weight=2.0 * weights).certificate_.problem.weighted
    again = Perceptron(**how).fit(X, y, sample_weight=2.0 * weights)
    assert clf.n_updates_ == again.n_updates_


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("average", [True, False])
def test_online_copies_come_right_after_each_other(n_classes, average):
    X, y = problem(n_classes)
    weights = whole(len(y))
    rows = np.repeat(np.arange(len(y)), weights.astype(int))
    one, other = Perceptron(average=average), Perceptron(average=average)
    classes = np.arange(n_classes)
    for _ in range(2):
        one.partial_fit(X, y, classes, sample_weight=weights)
        other.partial_fit(X[rows], y[rows], classes)
    np.testing.assert_array_equal(one.coef_, other.coef_)
    np.testing.assert_array_equal(one.mistakes_, other.mistakes_)
    halves = Perceptron(rule="classic").partial_fit(X, y, classes, np.full(len(y), 0.5))
    full = Perceptron(rule="classic").partial_fit(X, y, classes)
    np.testing.assert_allclose(2.0 * halves.coef_, full.coef_)


def test_learning_goes_on_after_a_weighted_fit():
    X, y = problem(2)
    weights = whole(len(y))
    rows = np.repeat(np.arange(len(y)), weights.astype(int))
    how = dict(shuffle=False, max_iter=5)
    one = Perceptron(**how).fit(X, y, sample_weight=weights).partial_fit(X, y)
    other = Perceptron(**how).fit(X[rows], y[rows]).partial_fit(X, y)
    np.testing.assert_array_equal(one.coef_, other.coef_)


def test_what_is_not_offered_and_what_carries_over(tmp_path):
    X, y = problem(2, noise=0.0)
    weights = whole(len(y)) + 0.5
    how = dict(rule="classic", random_state=0)
    assert has_fit_parameter(Perceptron(), "sample_weight")
    clf = Perceptron(**how).fit(X, y, sample_weight=weights)
    with pytest.raises(NoRiskError, match="the examples have weights"):
        clf.risk_certificate(X, y)
    novikoff.save(clf, tmp_path / "model.json")
    loaded = novikoff.load(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(X), clf.predict(X))
    novikoff.verify(tmp_path / "model.json", X, y, sample_weight=weights)
    compressed = Perceptron(schedule="compress", **how).fit(X, y, sample_weight=weights)
    compressed.certificate_.verify(X, y, sample_weight=weights)
    search = GridSearchCV(Perceptron(**how), {"rule": ["classic", "margin"]}, cv=3)
    assert search.fit(X, y, sample_weight=weights).best_score_ > 0.5
