"""Perceptron and MaxMargin with kernels."""

import pickle
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

from novikoff import MaxMargin, NotSeparableError, Perceptron, load, rules, save, verify
from novikoff.certificate import (
    CertificateError,
    Inconclusive,
    NonSeparation,
    Separation,
    SoftOptimum,
)
from novikoff.estimators import kernel_options
from novikoff.sample.kernel import KernelError

MOONS, PHASE = make_moons(120, noise=0.15, random_state=0)
XOR, ODD = np.array([[1.0, 1.0], [-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0]]), [0, 0, 1, 1]
LINE, MIDDLE = np.array([[-1.0], [0.0], [1.0]]), ["out", "in", "out"]
BOTH = [MaxMargin, Perceptron]


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize(("X", "y"), [(XOR, ODD), (LINE, MIDDLE)], ids=["xor", "line"])
def test_a_polynomial_separates_what_no_line_does(kind, X, y):
    clf = kind(kernel="poly", degree=2, gamma=1.0).fit(X, y)
    assert isinstance(clf.certificate_, Separation)
    assert clf.score(X, y) == 1.0
    assert not isinstance(kind().fit(X, y).certificate_, Separation)
    clf.certificate_.verify(X, y)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian"])
@pytest.mark.parametrize("C", [np.inf, 1.0])
@pytest.mark.parametrize("kind", BOTH)
def test_every_kernel_is_certified(kernel, C, kind):
    clf = kind(kernel=kernel, C=C, gamma=3.0, coef0=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf.fit(MOONS, PHASE)
    certificate = clf.certificate_
    assert isinstance(certificate, SoftOptimum if C < np.inf else Separation | Inconclusive)
    certificate.verify(MOONS, PHASE)
    assert clf.score(MOONS, PHASE) > 0.95
    assert not hasattr(clf, "coef_")


def test_the_decision_function_is_the_sum_over_the_support():
    clf = MaxMargin(kernel="rbf", gamma=3.0).fit(MOONS, PHASE)
    values = rbf_kernel(clf.support_vectors_, MOONS, gamma=3.0)
    np.testing.assert_allclose(
        clf.dual_coef_ @ values + clf.intercept_, clf.decision_function(MOONS), atol=1e-9
    )
    np.testing.assert_array_equal(clf.support_vectors_, MOONS[clf.support_])
    clf = Perceptron(kernel="rbf", gamma=3.0, random_state=0).fit(MOONS, PHASE)
    centre = clf.support_vectors_[:1]
    values = rbf_kernel(clf.support_vectors_, MOONS, gamma=3.0)
    sums = clf.dual_coef_ @ (values - rbf_kernel(centre, MOONS, gamma=3.0))
    # Up to the constant.
    np.testing.assert_allclose(np.ptp(clf.decision_function(MOONS) - sums), 0.0, atol=1e-6)
    assert np.abs(clf.dual_coef_).sum() == clf.n_updates_


def test_the_hard_margin_is_that_of_svc():
    ours = MaxMargin(kernel="rbf", gamma=5.0, tol=1e-8).fit(MOONS, PHASE)
    theirs = SVC(kernel="rbf", gamma=5.0, C=1e9, tol=1e-9).fit(MOONS, PHASE)
    assert set(ours.support_) <= set(theirs.support_)
    np.testing.assert_allclose(
        ours.decision_function(MOONS), theirs.decision_function(MOONS), atol=1e-4
    )


@pytest.mark.parametrize("gamma", ["scale", "auto", 0.7])
def test_gamma_means_what_it_means_in_svc(gamma):
    ours = MaxMargin(kernel="rbf", gamma=gamma).fit(MOONS, PHASE == 1)
    theirs = SVC(gamma=gamma).fit(MOONS, PHASE)
    assert ours.certificate_.problem.kernel.gamma == pytest.approx(theirs._gamma, rel=1e-12)
    csr = sparse.csr_matrix(MOONS)
    again = MaxMargin(kernel="rbf", gamma=gamma).fit(csr, PHASE == 1)
    assert again.certificate_.problem.kernel.gamma == pytest.approx(theirs._gamma, rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gamma_is_the_same_number_for_dense_and_sparse_rows(monkeypatch, dtype):
    draw = np.random.default_rng(0)
    X = draw.normal(size=(60, 7)) * (draw.random((60, 7)) < 0.4) + 3.0 * (
        draw.random((60, 1)) < 0.5
    )
    X = X.astype(dtype)
    monkeypatch.setattr(kernel_options, "BLOCK", 50)
    found = kernel_options.gamma_of("scale", X)
    assert found == pytest.approx(1.0 / (7 * X.astype(np.float64).var()), rel=1e-14)
    shuffled = sparse.csr_array(X)
    for i in range(60):
        those = slice(shuffled.indptr[i], shuffled.indptr[i + 1])
        shuffled.data[those] = shuffled.data[those][::-1].copy()
        shuffled.indices[those] = shuffled.indices[those][::-1].copy()
    shuffled.has_sorted_indices = False
    assert (shuffled.toarray() == X).all()
    assert kernel_options.gamma_of("scale", sparse.csr_array(X)) == found
    assert kernel_options.gamma_of("scale", shuffled) == found


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("C", [np.inf, 2.0])
def test_named_callable_and_precomputed_kernels_agree(kind, C):
    how = dict(C=C, **({} if kind is MaxMargin else dict(random_state=0)))
    X = np.round(4 * MOONS)
    distinct = np.unique(X, axis=0, return_index=True)[1]
    X, y = X[distinct], PHASE[distinct]
    named = kind(kernel="rbf", gamma=0.5, **how).fit(X, y)

    def gaussian(A, B):
        return rbf_kernel(A, B, gamma=0.5)

    function = kind(kernel=gaussian, **how).fit(X, y)
    precomputed = kind(kernel="precomputed", **how).fit(gaussian(X, X), y)
    new = X + 0.25
    wanted = named.decision_function(new)
    np.testing.assert_allclose(function.decision_function(new), wanted, rtol=1e-6)
    np.testing.assert_allclose(precomputed.decision_function(gaussian(new, X)), wanted, rtol=1e-6)
    precomputed.certificate_.verify(gaussian(X, X), y)
    function.certificate_.verify(X, y, kernel=gaussian)
    assert "if the kernel is positive semidefinite" in str(precomputed.certificate_)


def test_the_linear_kernel_as_a_function_has_the_linear_margin():
    X, y = load_iris(return_X_y=True)
    vectors = MaxMargin(tol=1e-6).fit(X, y == 0)
    kernel = MaxMargin(kernel=lambda A, B: A @ B.T, tol=1e-6).fit(X, y == 0)
    assert kernel.margin_ == pytest.approx(vectors.margin_, rel=2e-6)
    np.testing.assert_allclose(kernel.decision_function(X), vectors.decision_function(X), atol=1e-4)


@pytest.mark.parametrize("kind", BOTH)
def test_several_classes_against_the_rest(kind):
    X, y = load_iris(return_X_y=True)
    clf = kind(kernel="rbf", gamma=0.5, multi_class="ovr").fit(X, y)
    assert clf.score(X, y) == 1.0
    assert len(clf.support_) == len(clf.dual_coef_) == len(clf.support_vectors_) == 3
    assert clf.certificate_.errors == 0
    assert clf.decision_function(X).shape == (150, 3)
    clf.certificate_.verify(X, y)


@pytest.mark.parametrize("kind", BOTH)
def test_storages_agree(kind):
    how = {} if kind is MaxMargin else dict(random_state=0)
    X = np.round(MOONS * 8)
    y = PHASE.copy()
    distinct = np.unique(X, axis=0, return_index=True)[1]
    X, y = X[distinct], y[distinct]
    wanted = kind(kernel="rbf", gamma=0.1, C=1.0, **how).fit(X, y)
    for data in (sparse.csr_matrix(X), X.astype(np.float32), np.asfortranarray(X)):
        clf = kind(kernel="rbf", gamma=0.1, C=1.0, **how).fit(data, y)
        np.testing.assert_allclose(
            clf.decision_function(X), wanted.decision_function(data), rtol=1e-6, atol=1e-9
        )


def test_a_weight_of_two_is_the_example_twice():
    weights = np.where(np.arange(len(PHASE)) % 3 == 0, 2.0, 1.0)
    weights[5] = 0.0
    clf = MaxMargin(kernel="rbf", C=1.0, tol=1e-8).fit(MOONS, PHASE, sample_weight=weights)
    rows = np.repeat(np.arange(len(PHASE)), weights.astype(int))
    gamma = clf.certificate_.problem.kernel.gamma
    again = MaxMargin(kernel="rbf", gamma=gamma, C=1.0, tol=1e-8).fit(MOONS[rows], PHASE[rows])
    np.testing.assert_allclose(
        clf.decision_function(MOONS), again.decision_function(MOONS), atol=1e-5
    )
    assert 5 not in clf.support_
    clf.certificate_.verify(MOONS, PHASE, sample_weight=weights)


def test_equal_examples_with_opposite_labels_are_a_proof():
    X, y = np.vstack([MOONS, MOONS[:1]]), np.append(PHASE, 1 - PHASE[0])
    for kind in BOTH:
        clf = kind(kernel="rbf", gamma=1.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            clf.fit(X, y)
        assert isinstance(clf.certificate_, NonSeparation)
        clf.certificate_.verify(X, y)
    assert clf.score(X, y) > 0.8
    with pytest.raises(NotSeparableError, match="feature space"):
        MaxMargin(kernel="rbf", nonseparable="raise").fit(X, y)


def test_what_a_kernel_does_not_separate_gets_a_soft_margin():
    clf = MaxMargin(kernel="poly", degree=1, gamma=1.0, coef0=1.0).fit(XOR, ODD)
    assert isinstance(clf.certificate_, NonSeparation)
    assert clf.certificate_.model.soft is not None
    assert 0.0 < clf.C_ < np.inf
    clf.certificate_.verify(XOR, ODD)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("C", [1.0, np.inf])
@pytest.mark.parametrize("labels", [PHASE, PHASE + (MOONS[:, 0] > 0.5)], ids=["two", "many"])
def test_asymmetric_kernels_are_refused(kind, C, labels):
    """Also where the two values that differ are no weighted examples'."""
    given = np.exp(-((MOONS[:, None] - MOONS) ** 2).sum(axis=2))
    for i, j, change in [(0, len(given) - 1, 0.5), (7, 8, -0.3)]:
        asymmetric = given.copy()
        asymmetric[i, j] += change
        rows = f"not symmetric.* ({i} and {j}|{j} and {i})"
        with pytest.raises(KernelError, match=rows):
            kind(kernel="precomputed", C=C).fit(asymmetric, labels)
        with pytest.raises(KernelError, match=rows):
            twice = np.where(np.arange(len(labels)) < 5, 2.0, 1.0)
            kind(kernel="precomputed", C=C).fit(asymmetric, labels, sample_weight=twice)
    for skew in ([[1.0, 0.5], [0.0, 1.0]], [[1.0, 1.0], [-1.0, 1.0]]):
        with pytest.raises(KernelError, match="not symmetric"):
            kind(kernel=lambda A, B, skew=skew: A @ np.array(skew) @ B.T, C=C).fit(MOONS, labels)


@pytest.mark.parametrize("kind", BOTH)
def test_a_run_with_a_kernel_is_not_told_to_scale_columns(kind):
    X, y = make_moons(2000, noise=0.4, random_state=0)
    for kernel, scales in (("linear", True), ("rbf", False)):
        clf = kind(kernel=kernel, C=1e4, time_limit=1e-9)
        with pytest.warns(ConvergenceWarning, match="aise the limit") as caught:
            clf.fit(X, y)
        assert ("scale=True" in str(caught[0].message)) == scales


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("C", [1.0, np.inf])
@pytest.mark.parametrize("many", [False, True], ids=["two", "many"])
def test_with_an_intercept_a_constant_may_be_added_to_the_kernel(kind, C, many):
    """Also if that makes squares of examples negative: those of their differences stay."""
    values = np.round(rbf_kernel(MOONS, gamma=3.0) * 2.0**30) * 2.0**-30
    labels = PHASE + (MOONS[:, 0] > 0.5) if many else PHASE
    how = dict(kernel="precomputed", C=C, max_iter=50)
    how |= dict(random_state=0) if kind is Perceptron else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        given, less = (kind(**how).fit(K, labels) for K in (values, values - 3.0))
        less.certificate_.verify(values - 3.0, labels)
    expected = given.decision_function(values)
    np.testing.assert_allclose(
        less.decision_function(values - 3.0), expected, atol=0.05 * np.abs(expected).max()
    )
    with pytest.raises(KernelError, match="squared norm -2"):
        kind(**how, fit_intercept=False).fit(values - 3.0, labels)


@pytest.mark.parametrize("multi_class", ["joint", "ovr"])
def test_kernels_that_were_rounded_to_float32_are_accepted(multi_class):
    X, y = load_iris(return_X_y=True)
    values = (X.astype(np.float32) @ X.T.astype(np.float32)).astype(np.float64)
    values = np.minimum(values, values.T)
    assert np.linalg.eigvalsh(values)[0] < -1e-6
    clf = MaxMargin(kernel="precomputed", C=1.0, multi_class=multi_class).fit(values, y)
    clf.certificate_.verify(values, y)
    assert clf.score(values, y) > 0.95


@pytest.mark.parametrize("kind", BOTH)
def test_bad_kernels_get_one_line(kind):
    def raising(A, B):
        raise RuntimeError("no values today")

    asymmetric = np.eye(4)
    asymmetric[0, 3] = 0.5
    for how, X, error, message in [
        (dict(kernel="cubic"), XOR, ValueError, "kernel='cubic' must be one of"),
        (dict(kernel="rbf", gamma=-1.0), XOR, ValueError, "gamma=-1.0 must be"),
        (dict(kernel="rbf", gamma="large"), XOR, ValueError, "gamma='large' must be"),
        (dict(kernel="poly", degree=1.5), XOR, ValueError, "degree=1.5 must be"),
        (dict(kernel="poly", coef0=np.nan), XOR, ValueError, "coef0=nan must be"),
        (dict(kernel="rbf", cache_size=0), XOR, ValueError, "cache_size=0 must be"),
        (dict(kernel="rbf", scale=True), XOR, ValueError, "scale=True is for the linear"),
        (dict(kernel="precomputed"), XOR, ValueError, "must be square"),
        (dict(kernel="precomputed"), asymmetric, ValueError, "not symmetric"),
        (dict(kernel="precomputed"), -np.eye(4), ValueError, "not positive semidefinite"),
        (dict(kernel=raising), XOR, RuntimeError, "no values today"),
        (dict(kernel=lambda A, B: np.zeros(3)), XOR, ValueError, "shape"),
        (dict(kernel=lambda A, B: A @ B.T * np.nan), XOR, ValueError, "not finite"),
        (dict(kernel=lambda A, B: A @ B.T * 1j), XOR, ValueError, "matrix of numbers"),
    ]:
        with pytest.raises(error, match=message) as caught:
            kind(**how).fit(X, ODD)
        assert "\n" not in str(caught.value)


def test_there_is_no_coef_and_it_says_why():
    clf = MaxMargin(kernel="rbf").fit(XOR, ODD)
    with pytest.raises(AttributeError, match="linear kernel only"):
        clf.coef_  # noqa: B018
    clf.set_params(kernel="linear", C=1.0).fit(XOR, ODD)
    assert clf.coef_.shape == (1, 2)
    assert not hasattr(clf, "support_vectors_")
    clf.set_params(kernel="rbf").fit(XOR, ODD)
    assert not hasattr(clf, "coef_")


def test_limits_are_honest():
    X, y = make_moons(1500, noise=0.2, random_state=1)
    clf = MaxMargin(kernel="rbf", gamma=20.0, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        clf.fit(X, y)
    assert not isinstance(clf.certificate_, Separation) or clf.certificate_.gap > clf.tol
    clf = MaxMargin(kernel="rbf", gamma=20.0, time_limit=0.0)
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        clf.fit(X, y)
    perceptron = Perceptron(kernel="rbf", gamma=20.0, max_updates=10)
    with pytest.warns(ConvergenceWarning, match="max_updates"):
        perceptron.fit(X, y)
    assert perceptron.n_updates_ == 10


@pytest.mark.parametrize("limit", [{"max_iter": 1}, {"time_limit": 1e-9}])
def test_a_limit_before_any_support_is_honest(limit):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 3))
    y = X[:, 0] + 0.8 * rng.normal(size=1500) > 0.0
    clf = MaxMargin(kernel="precomputed", C=1.0, **limit)
    with pytest.warns(ConvergenceWarning, match=next(iter(limit))):
        clf.fit(X @ X.T, y)
    assert clf.support_.size == 0 and clf.status_.at_limit
    clf.certificate_.verify(X @ X.T, y)


def test_a_function_that_rounds_all_its_digits_away_claims_no_separation():
    X = (1000.0 + 0.01 * np.random.default_rng(63).normal(size=(10, 3))).astype(np.float32)
    clf = MaxMargin(kernel=lambda A, B: A.astype(np.float32) @ B.T.astype(np.float32), C=1.0)
    with pytest.warns(ConvergenceWarning, match="Rounding of the given"):
        clf.fit(X, np.arange(10) % 2)
    assert clf.margin_ <= 0.0 and clf.status_.name != "GAP_REACHED"


@pytest.mark.parametrize("kind", BOTH)
def test_ctrl_c_stores_what_was_reached(kind):
    def interrupt(line):
        raise KeyboardInterrupt

    clf = kind(kernel="rbf", gamma=1.0).set_callbacks(interrupt)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(MOONS, PHASE)
    assert clf.status_.name == "INTERRUPTED" or isinstance(clf.certificate_, Separation)
    clf.certificate_.verify(MOONS, PHASE)


def test_the_support_gives_the_perceptron_again():
    clf = Perceptron(kernel="rbf", gamma=1.0, random_state=3).fit(MOONS, PHASE)
    support = clf.support_
    again = Perceptron(kernel="rbf", gamma=1.0, shuffle=False).fit(MOONS[support], PHASE[support])
    assert len(support) < len(PHASE)
    np.testing.assert_array_equal(np.abs(again.dual_coef_), np.abs(clf.dual_coef_))
    np.testing.assert_allclose(
        again.decision_function(MOONS), clf.decision_function(MOONS), rtol=1e-9
    )


def test_a_warm_start_continues():
    clf = Perceptron(kernel="rbf", gamma=3.0, max_iter=2, warm_start=True, random_state=0)
    with pytest.warns(ConvergenceWarning):
        clf.set_params(max_updates=40).fit(MOONS, PHASE)
    before = clf.n_updates_
    clf.set_params(max_updates=None, max_iter=1000).fit(MOONS, PHASE)
    whole = Perceptron(kernel="rbf", gamma=3.0, random_state=0).fit(MOONS, PHASE)
    assert before < clf.n_updates_
    assert isinstance(clf.certificate_, Separation)
    assert isinstance(whole.certificate_, Separation)
    margin = MaxMargin(kernel="rbf", gamma=3.0, warm_start=True).fit(MOONS, PHASE)
    steps = margin.n_updates_
    assert margin.fit(MOONS, PHASE).n_updates_ <= steps


def test_the_ecosystem():
    search = GridSearchCV(MaxMargin(kernel="rbf", C=1.0), dict(gamma=[0.1, 1.0, 10.0]), cv=3)
    search.fit(MOONS, PHASE)
    assert search.best_score_ > 0.9
    values = rbf_kernel(MOONS, gamma=1.0)
    search = GridSearchCV(MaxMargin(kernel="precomputed"), dict(C=[0.1, 1.0]), cv=3)
    assert search.fit(values, PHASE).best_score_ > 0.8
    clf = Perceptron(kernel="rbf", rule=rules.Dynamic(accuracy=0.1)).fit(MOONS, PHASE)
    again = pickle.loads(pickle.dumps(clf))
    np.testing.assert_array_equal(again.decision_function(MOONS), clf.decision_function(MOONS))
    assert clone(clf).get_params()["kernel"] == "rbf"
    with pytest.raises(AttributeError, match="no partial_fit with a kernel"):
        clf.partial_fit(MOONS, PHASE)


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
def test_a_stored_model_predicts_the_same(kind, kernel, tmp_path):
    X, y = load_iris(return_X_y=True)
    cases = [(X, y, "joint"), (X, y, "ovr"), (X, y == 1, "joint")]
    for data, labels, together in (*cases, (sparse.csr_matrix(X), y, "joint")):
        if kernel == "precomputed":
            data = rbf_kernel(data, gamma=0.5)
        clf = kind(kernel=kernel, gamma=0.5, C=2.0, multi_class=together).fit(data, labels)
        save(clf, tmp_path / "model.json")
        again = load(tmp_path / "model.json")
        np.testing.assert_array_equal(again.decision_function(data), clf.decision_function(data))
        assert again.certificate_ == clf.certificate_
        verify(tmp_path / "model.json", data, labels)
        verify(again, data, labels)
        for one, other in zip(_listed(again.support_), _listed(clf.support_), strict=True):
            np.testing.assert_array_equal(one, other)
        for one, other in zip(_listed(again.dual_coef_), _listed(clf.dual_coef_), strict=True):
            np.testing.assert_array_equal(one, other)


def _listed(values):
    return values if isinstance(values, list) else [values]


def test_a_changed_kernel_is_not_saved():
    clf = MaxMargin(kernel="rbf", gamma=0.5, C=1.0).fit(MOONS, PHASE).set_params(gamma=0.7)
    with pytest.raises(ValueError, match="kernel has changed"):
        save(clf, "nowhere.json")
    clf = MaxMargin(kernel=lambda A, B: A @ B.T, C=1.0).fit(MOONS, PHASE)
    with pytest.raises(ValueError, match="kernel is a function"):
        save(clf, "nowhere.json")


@pytest.mark.parametrize("seed", range(3))
def test_a_cache_that_is_too_small_does_not_make_a_kernel_indefinite(seed):
    # In float32 the values of a polynomial do not tell examples apart that are far from the origin.
    data = 1e6 + np.random.default_rng(seed).normal(size=(200, 3))
    labels = data[:, 0] > 1e6
    how = dict(kernel="poly", rule="passive-aggressive", max_iter=10, random_state=0)
    for cache_size in (0.01, 0.1):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            clf = Perceptron(cache_size=cache_size, **how).fit(data, labels)
        assert clf.score(data, labels) > 0.9
        clf.certificate_.verify(data, labels)


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_few_rounds_are_followed_by_the_exact_method(monkeypatch, C):
    X, y = make_moons(300, noise=0.3, random_state=0)
    found = MaxMargin(kernel="rbf", C=C).fit(X, y)
    assert (found.solver_, found.status_.name) == ("smo", "GAP_REACHED")
    monkeypatch.setattr(
        "novikoff.maxmargin.smo.search.BlockSearch.run", lambda self, *_, **how: None
    )
    exact = MaxMargin(kernel="rbf", C=C).fit(X, y)
    assert (exact.solver_, exact.status_.name) == ("wolfe", "GAP_REACHED")
    assert found.certificate_.primal == pytest.approx(exact.certificate_.primal, rel=1e-3)


def test_a_hard_margin_that_resists_is_decided_on_a_working_set():
    X, y = make_moons(1500, noise=0.2, random_state=0)
    with pytest.warns(ConvergenceWarning, match="as close as floating-point numbers allow"):
        clf = MaxMargin(kernel="rbf", tol=1e-2).fit(X, y)
    # Two-example steps alone took a thousand rounds and did not end.
    assert clf.n_iter_ < 200
    assert clf.certificate_.upper < 1e-3
    # The margin of the working set is not one of all examples: nothing separates is claimed.
    hard = [line for line in clf.history_ if line.upper < 1.0]
    assert hard and all(line.lower < 0.0 for line in hard)
    clf.certificate_.verify(X, y)


@pytest.mark.parametrize("multi_class", ["joint", "ovr"])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("C", [np.inf, 1e6])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rounded_values_of_a_kernel_do_not_refute_it(multi_class, affine, C, dtype):
    """Where nothing separates the classes, the widest margin is a sum of terms that cancel."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 3)) * 3.0
    y = (X[:, 0] > 0.0).astype(int) + (X[:, 1] > 1.0)
    K = (X @ X.T).astype(dtype)
    model = MaxMargin(kernel="precomputed", multi_class=multi_class, C=C, fit_intercept=affine)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(K, y)
    model.certificate_.verify(K, y)


def test_a_matrix_that_is_not_a_kernel_is_refused_still():
    X = np.random.default_rng(0).standard_normal((40, 3))
    K = X @ np.diag([1.0, 1.0, -1e-3]) @ X.T
    with pytest.raises((KernelError, CertificateError), match="not positive semidefinite"):
        MaxMargin(kernel="precomputed", C=1e6).fit(K, np.arange(40) % 2)


def test_sums_of_kernel_values_that_overflow_get_one_line():
    X = [[-12.1], [1.3], [-2.3], [-5.2], [2.9], [9.3]]
    with pytest.raises(KernelError, match="overflow"):
        MaxMargin(kernel="sigmoid", gamma=10.0).fit(X, [0, 1, 0, 1, 0, 1])
