"""Perceptron and MaxMargin with kernels, of several classes together."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_wine, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

from novikoff import MaxMargin, NotSeparableError, Perceptron, save, verify
from novikoff.certificate import CertificateError, Joint, Status
from tests.estimators.problems import ALL_RULES

X, Y = load_iris(return_X_y=True)
BOTH = [MaxMargin, Perceptron]


def fitted(kind, data, labels, **how):
    if kind is Perceptron:
        how = dict(random_state=0) | how
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return kind(**how).fit(data, labels)


@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian"])
@pytest.mark.parametrize("C", [np.inf, 1.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", BOTH)
def test_one_model_of_all_classes_is_certified(kind, fit_intercept, C, kernel):
    how = dict(kernel=kernel, gamma=0.5, coef0=1.0, C=C, fit_intercept=fit_intercept)
    clf = fitted(kind, X, Y, **how)
    certificate = clf.certificate_
    assert isinstance(certificate, Joint)
    assert certificate.errors == np.count_nonzero(clf.predict(X) != Y)
    assert clf.score(X, Y) > 0.95
    assert clf.dual_coef_.shape == (3, len(clf.support_))
    np.testing.assert_allclose(clf.dual_coef_.sum(axis=0), 0.0, atol=1e-9)
    certificate.verify(X, Y)
    if kind is MaxMargin:
        assert certificate.soft.gap <= clf.tol if C < np.inf else certificate.gap <= clf.tol


@pytest.mark.parametrize("C", [np.inf, 0.1, 10.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_linear_kernel_as_a_function_has_the_linear_optimum(fit_intercept, C):
    data = StandardScaler().fit_transform(load_wine().data)
    labels = load_wine().target
    how = dict(C=C, fit_intercept=fit_intercept, tol=1e-6)
    linear = MaxMargin(**how).fit(data, labels)
    kernel = MaxMargin(kernel=lambda A, B: A @ B.T, **how).fit(data, labels)
    for name in ("lower", "upper") if np.inf == C else ():
        wanted = getattr(linear.certificate_, name)
        assert getattr(kernel.certificate_, name) == pytest.approx(wanted, rel=2e-6)
    if C < np.inf:
        soft = kernel.certificate_.soft
        assert soft.primal == pytest.approx(linear.certificate_.soft.primal, rel=2e-6)
        assert soft.dual == pytest.approx(linear.certificate_.soft.dual, rel=2e-6)
    scores = linear.decision_function(data)
    wanted = scores - scores.mean(axis=1, keepdims=True)
    scores = kernel.decision_function(data)
    found = scores - scores.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(found, wanted, atol=2e-3 * np.abs(wanted).max())


@pytest.mark.parametrize("kind", BOTH)
def test_named_callable_precomputed_and_sparse_agree(kind):
    how = dict(C=2.0, gamma=0.5)
    how |= dict(random_state=0) if kind is Perceptron else {}
    data = np.round(X * 8) / 8
    named = fitted(kind, data, Y, kernel="rbf", **how)
    values = rbf_kernel(data, gamma=0.5)
    others = [
        (fitted(kind, values, Y, kernel="precomputed", **how), values),
        (fitted(kind, data, Y, kernel=lambda A, B: rbf_kernel(A, B, gamma=0.5), **how), data),
        (fitted(kind, sparse.csr_matrix(data), Y, kernel="rbf", **how), data),
        (fitted(kind, data.astype(np.float32), Y, kernel="rbf", **how), data),
    ]
    for clf, seen in others:
        np.testing.assert_allclose(
            clf.decision_function(seen), named.decision_function(data), atol=1e-6
        )


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("C", [100.0, 1e6])
def test_values_of_low_rank_are_solved_as_far_as_a_named_kernel(seed, C):
    """The optimum is zero, and rounding may make its squared norm negative."""
    rng = np.random.default_rng(seed)
    data, labels = rng.standard_normal((80, 2)), rng.integers(0, 3, 80)
    named = MaxMargin(C=C, kernel="linear").fit(data, labels)
    given = MaxMargin(C=C, kernel="precomputed").fit(data @ data.T, labels)
    called = MaxMargin(C=C, kernel=lambda A, B: A @ B.T).fit(data, labels)
    assert {m.status_ for m in (named, given, called)} == {Status.GAP_REACHED}
    assert given.certificate_.soft.gap < 1e-4 > called.certificate_.soft.gap
    given.certificate_.verify(data @ data.T, labels)
    called.certificate_.verify(data, labels, kernel=lambda A, B: A @ B.T)


def test_values_given_in_float32_are_used_to_their_last_digits():
    """Directions that are short beside the others, but long beside the slack, count."""
    rng = np.random.default_rng(0)
    data, labels = rng.standard_normal((80, 2)), rng.integers(0, 3, 80)
    values = rbf_kernel(data, gamma=0.25).astype(np.float32)
    clf = MaxMargin(C=1000.0, kernel="precomputed").fit(values, labels)
    assert clf.status_ is Status.GAP_REACHED and clf.certificate_.soft.gap <= clf.tol


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rounding_does_not_deny_the_gap_of_given_values(n_classes):
    """Large weights cancel, so that the bounds of rounded sums are wider than the gap."""
    rng = np.random.default_rng(0)
    data, labels = rng.standard_normal((350, 2)), rng.integers(0, n_classes, 350)
    for kernel in ("precomputed", lambda A, B: A @ B.T):
        given = data @ data.T if kernel == "precomputed" else data
        clf = MaxMargin(C=1e6, tol=1e-5, kernel=kernel).fit(given, labels)
        assert clf.status_ is Status.GAP_REACHED and clf.certificate_.soft.gap <= 1e-5
        clf.certificate_.verify(given, labels, **({} if given is not data else {"kernel": kernel}))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_rounding_does_not_deny_the_gap_of_few_examples(n_classes):
    """Many examples on a line, with large weights that cancel: rounded bounds are 3e-3 apart."""
    draw = np.random.default_rng(0)
    data, labels = 50.0 * draw.standard_normal((80, 1)), draw.integers(0, n_classes, 80)
    clf = MaxMargin(kernel="rbf", gamma=0.001, C=1e6).fit(data + 1000.0, labels)
    assert clf.status_ is Status.GAP_REACHED
    clf.certificate_.verify(data + 1000.0, labels)


@pytest.mark.parametrize("multi_class", ["joint", "ovr"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_weights_that_cancel_leave_a_model(seed, n_classes, multi_class):
    """Weights of 1e6 make a vector of 1e-3: their sums have no digits of it."""
    rng = np.random.default_rng(seed)
    n, d = rng.choice([80, 200]), rng.choice([1, 2, 5])
    data, labels = 100.0 * rng.standard_normal((n, d)), rng.integers(0, n_classes, n)
    how = dict(C=1e6, multi_class=multi_class)
    named = MaxMargin(kernel="linear", **how).fit(data, labels)
    given = MaxMargin(kernel="precomputed", **how).fit(data @ data.T, labels)
    called = MaxMargin(kernel=lambda A, B: A @ B.T, **how).fit(data, labels)
    for clf in (named, given, called):
        assert clf.status_ is Status.GAP_REACHED
        for part, other in zip(clf.certificate_.parts, named.certificate_.parts, strict=True):
            assert part.hyperplane.soft.gap <= clf.tol
            wanted = other.hyperplane.soft.primal
            assert part.hyperplane.soft.primal == pytest.approx(wanted, rel=clf.tol)
    given.certificate_.verify(data @ data.T, labels)
    verify(given, data @ data.T, labels)


@pytest.mark.parametrize("n_classes, n", [(2, 1200), (3, 1500)])
def test_weights_of_many_examples_that_cancel_leave_a_model(n_classes, n):
    rng = np.random.default_rng(n_classes)
    data, labels = rng.standard_normal((n, 3)), rng.integers(0, n_classes, n)
    clf = MaxMargin(kernel="precomputed", C=1e6).fit(data @ data.T, labels)
    assert clf.status_ is Status.GAP_REACHED
    clf.certificate_.verify(data @ data.T, labels)


def test_a_function_that_rounds_differently_in_other_blocks_does_not_contradict_itself():
    rng = np.random.default_rng(10)
    data = rng.standard_normal((300, 5)) + 100.0
    labels = (data - 100.0) @ rng.standard_normal(5) + rng.standard_normal(300) > 0.0

    def kernel(A, B):
        # Two blocks of the same values, of other shapes.
        return (A @ B.T) * (1.0 + 2.0**-52 * (len(A) % 3))

    clf = MaxMargin(kernel=kernel, C=1e4).fit(data, labels)
    assert clf.status_ is Status.GAP_REACHED and clf.certificate_.soft.gap <= clf.tol


def test_a_margin_of_zero_up_to_rounding_is_no_error():
    """The squared norm is negative by rounding, so that nothing bounds the margin."""
    rng = np.random.default_rng(0)
    data, labels = 1e4 + rng.standard_normal((300, 1)), rng.integers(0, 2, 300)
    values = rbf_kernel(data, gamma=1.0)
    clf = fitted(MaxMargin, values, labels, kernel="precomputed", tol=1e-6)
    assert clf.status_ is Status.PRECISION
    clf.certificate_.verify(values, labels)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_values_far_from_the_origin_are_those_of_a_kernel(n_classes):
    """Rounding of 1e24 leaves squared distances that are negative beside others of 1e16."""
    rng = np.random.default_rng(0)
    data, labels = 1e4 + rng.standard_normal((120, 2)), rng.integers(0, n_classes, 120)
    how = dict(kernel="poly", gamma=0.5, coef0=1.0, C=1e4, max_iter=100)
    fitted(MaxMargin, data, labels, **how).certificate_.verify(data, labels)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_where_rounding_of_given_values_counts_the_warning_says_what_helps(n_classes):
    rng = np.random.default_rng(0)
    data, labels = rng.standard_normal((80, 2)), rng.integers(0, n_classes, 80)
    values = (data @ data.T).astype(np.float32)
    with pytest.warns(ConvergenceWarning, match="given kernel values.*by name.*smaller C"):
        clf = MaxMargin(kernel="precomputed", C=1e9).fit(values, labels)
    assert clf.status_ is Status.PRECISION
    clf.certificate_.verify(values, labels)


def test_rounding_does_not_deny_the_gap_of_a_polynomial_far_from_the_origin():
    rng = np.random.default_rng(0)
    data, labels = 100.0 + rng.standard_normal((80, 2)), rng.integers(0, 6, 80)
    clf = MaxMargin(kernel="poly", gamma=0.5, coef0=1.0, C=0.01).fit(data, labels)
    assert clf.status_ is Status.GAP_REACHED
    clf.certificate_.verify(data, labels)


# Infinity needs examples of length 1 at most; with the lift they have 2.
@pytest.mark.parametrize("name", [name for name in ALL_RULES if name != "infinity"])
def test_every_rule_is_certified(name):
    data = StandardScaler().fit_transform(X)
    clf = fitted(Perceptron, data, Y, kernel="rbf", gamma=1.0, rule=ALL_RULES[name], max_iter=300)
    assert isinstance(clf.certificate_, Joint)
    clf.certificate_.verify(data, Y)


@pytest.mark.parametrize("kernel", ["rbf", "precomputed", rbf_kernel])
@pytest.mark.parametrize("kind", BOTH)
def test_equal_examples_of_two_classes_are_a_proof(kind, kernel):
    data, labels = np.vstack([X, X[:1]]), np.append(Y, 2)
    given = data
    if kernel == "precomputed":
        given = np.exp(-((data[:, None] - data[None]) ** 2).sum(axis=2))
    clf = fitted(kind, given, labels, kernel=kernel, gamma=0.5 if kernel == "rbf" else "scale")
    assert not clf.certificate_
    assert clf.certificate_.refutation is not None
    clf.certificate_.verify(given, labels, **({"kernel": kernel} if callable(kernel) else {}))
    if kind is MaxMargin:
        with pytest.raises(NotSeparableError, match="separates the classes"):
            MaxMargin(kernel="rbf", gamma=0.5, nonseparable="raise").fit(data, labels)


def test_a_weight_of_two_is_the_example_twice():
    twice = np.arange(0, 150, 7)
    weights = np.ones(150)
    weights[twice] = 2.0
    how = dict(kernel="rbf", gamma=0.5, C=1.0, tol=1e-6)
    weighted = MaxMargin(**how).fit(X, Y, weights)
    repeated = MaxMargin(**how).fit(np.vstack([X, X[twice]]), np.append(Y, Y[twice]))
    assert weighted.certificate_.soft.primal == pytest.approx(
        repeated.certificate_.soft.primal, rel=1e-5
    )
    weighted.certificate_.verify(X, Y, sample_weight=weights)
    weights[::5] = 0.0
    without = MaxMargin(**how).fit(X, Y, weights)
    assert not np.isin(np.arange(0, 150, 5), without.support_).any()
    without.certificate_.verify(X, Y, sample_weight=weights)


def test_the_support_gives_the_perceptron_again():
    clf = fitted(Perceptron, X, Y, kernel="rbf", gamma=0.5, shuffle=False)
    some = np.sort(clf.support_)
    again = fitted(Perceptron, X[some], Y[some], kernel="rbf", gamma=0.5, shuffle=False)
    np.testing.assert_array_equal(some[again.support_], clf.support_)
    np.testing.assert_array_equal(again.dual_coef_, clf.dual_coef_)
    scores = clf.decision_function(X)
    within = 1e-9 * np.abs(scores).max()
    np.testing.assert_allclose(again.decision_function(X), scores, rtol=1e-9, atol=within)


@pytest.mark.parametrize("kind", BOTH)
def test_a_warm_start_continues(kind):
    how = dict(kernel="rbf", gamma=0.5, warm_start=True)
    clf = fitted(kind, X, Y, max_iter=2, **how)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf.set_params(max_iter=500).fit(X, Y)
    assert clf.certificate_
    before = clf.n_updates_
    clf.fit(X, Y)
    assert clf.n_iter_ <= 2
    assert kind is MaxMargin or clf.n_updates_ == before
    clf.certificate_.verify(X, Y)


def test_a_working_set_gives_the_margin_of_all(monkeypatch):
    data = StandardScaler().fit_transform(load_wine().data)
    labels = load_wine().target
    for C in (np.inf, 1.0):
        how = dict(kernel="rbf", gamma=0.1, C=C, tol=1e-5)
        whole = MaxMargin(**how).fit(data, labels)
        monkeypatch.setattr("novikoff.maxmargin.joint.feature_space.FIRST", 12)
        parts = MaxMargin(**how).fit(data, labels)
        monkeypatch.undo()
        assert parts.certificate_.upper == pytest.approx(whole.certificate_.upper, rel=1e-4)
        assert parts.status_.name == "GAP_REACHED"
        parts.certificate_.verify(data, labels)


@pytest.mark.parametrize("C", [np.inf, 1.0])
def test_a_cache_without_room_for_the_support_gives_the_same_margin(C):
    draw = np.random.default_rng(0)
    data, labels = draw.normal(size=(400, 3)), np.arange(400) % 4
    how = dict(kernel="rbf", gamma=2.0, C=C)
    roomy = MaxMargin(**how).fit(data, labels)
    tiny = MaxMargin(cache_size=0.2, **how).fit(data, labels)
    assert tiny.solver_ == "kernel-joint-smo"
    assert tiny.status_ is roomy.status_ is Status.GAP_REACHED
    # The pairs of the support alone would take more.
    assert 8 * len(tiny.support_) ** 2 > 0.2e6
    both = [clf.certificate_ if np.inf == C else clf.certificate_.soft for clf in (tiny, roomy)]
    low, high = ("lower", "upper") if np.inf == C else ("dual", "primal")
    for one, other in (both, both[::-1]):
        assert getattr(one, low) <= getattr(other, high)
    tiny.certificate_.verify(data, labels)


def test_an_indefinite_kernel_that_only_the_certificate_meets_is_refused_with_a_remedy():
    draw = np.random.default_rng(1)
    data, labels = draw.standard_normal((800, 4)), draw.integers(0, 4, 800)
    how = dict(kernel="sigmoid", gamma=0.01, C=0.1, cache_size=0.01, max_iter=30)
    with pytest.raises(
        ValueError, match=r"not positive semidefinite.*another gamma or coef0"
    ) as seen:
        fitted(MaxMargin, data, labels, **how)
    assert "\n" not in str(seen.value)


def test_weights_that_rounding_makes_negative_are_none():
    """Values of float32 that nothing separates."""
    draw = np.random.default_rng(0)
    data = draw.standard_normal((60, 1))
    labels = (data @ draw.standard_normal((1, 3))).argmax(axis=1)
    labels[:3] = np.arange(3)
    values = (data @ data.T).astype(np.float32)
    clf = fitted(MaxMargin, values, labels, kernel="precomputed", max_iter=300)
    clf.certificate_.verify(values, labels)


def test_an_indefinite_kernel_is_refused():
    with pytest.raises(ValueError, match="not positive semidefinite"):
        MaxMargin(kernel=lambda A, B: -(A @ B.T), C=1.0).fit(X, Y)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("labels", [Y, Y == 1])
@pytest.mark.parametrize("kind", BOTH)
def test_weights_that_do_not_make_the_model_are_refused(kind, labels, fit_intercept, tmp_path):
    how = dict(kernel="rbf", gamma=0.5, C=1.0, fit_intercept=fit_intercept)
    clf = fitted(kind, X, labels, **how)
    verify(clf, X, labels)
    honest, support = clf.dual_coef_, clf.support_
    for forged in _forgeries(honest):
        clf.dual_coef_ = forged
        with pytest.raises(CertificateError, match="do not make its predictions"):
            verify(clf, X, labels)
    # Two examples of one class in each other's place have the right signs.
    sizes = np.abs(honest).reshape(-1, len(support)).sum(axis=0)
    heaviest = np.argmax(sizes)
    same = np.flatnonzero(labels[support] == labels[support[heaviest]])
    pair = np.array([heaviest, same[np.argmin(sizes[same])]])
    assert sizes[pair[0]] > sizes[pair[1]]
    clf.dual_coef_, clf.support_ = honest, support.copy()
    clf.support_[pair] = support[pair[::-1]]
    with pytest.raises(CertificateError, match="do not make its predictions"):
        verify(clf, X, labels)
    clf.support_ = support
    if kind is MaxMargin and honest.ndim == 1:
        # A file has no other weights than those of the certificate.
        return
    clf.dual_coef_ = 2 * honest
    save(clf, tmp_path / "model.json")
    with pytest.raises(CertificateError, match="do not make its predictions"):
        verify(tmp_path / "model.json", X, labels)


def test_only_the_weight_of_the_centre_is_free():
    """Relative to the first example of the support, the others must have their own weights."""
    rng = np.random.default_rng(0)
    some = rng.standard_normal((20, 2))
    labels = (some[:, 0] > 0.0).astype(int)
    clf = Perceptron(kernel="rbf", gamma=1.0, rule="classic", average=False, random_state=0)
    clf.fit(some, labels)
    forged = clf.dual_coef_.astype(float)
    forged[0] = -forged[1:].sum()
    # The sign of its label, and all others as they are: the same predictions.
    assert (forged[0] > 0.0) == (labels[clf.support_[0]] == 1)
    clf.dual_coef_ = forged
    verify(clf, some, labels)
    forged[1 + np.flatnonzero(forged[1:] > 0.0)[0]] += 50.0
    with pytest.raises(CertificateError, match="do not make its predictions"):
        verify(clf, some, labels)


def _forgeries(honest):
    """Weights with the signs of the honest ones, none of which make the same classifier."""
    yield 2 * honest
    yield honest * np.linspace(1.0, 1.5, honest.shape[-1])
    # Of a perceptron one example is the centre, whose own weight the normal does not depend on.
    for some in ([0, 1], [-2, -1]):
        forged = honest.astype(np.float64)
        forged[..., some] *= [1.5, 1.25]
        if np.array_equal(forged, honest):
            forged[..., -4:] *= 1.0625
        yield forged


@pytest.mark.parametrize("name", [name for name in ALL_RULES if name != "infinity"])
def test_the_weights_of_every_rule_make_its_model(name):
    for labels in (Y, Y == 1):
        how = dict(kernel="rbf", gamma=0.5, rule=ALL_RULES[name], max_iter=50)
        verify(fitted(Perceptron, X, labels, **how), X, labels)


def test_soft_margins_of_few_examples_end_at_the_gap_asked_for():
    """At the optimum scores of classes are equal, and exact arithmetic has to tell which."""
    data, labels = make_classification(
        300, 8, n_informative=4, n_redundant=0, n_classes=5, random_state=0
    )
    model = MaxMargin(kernel="rbf", C=1.0).fit(data, labels)
    assert model.status_ is Status.GAP_REACHED
    assert model.certificate_.gap <= 1e-3
    assert model.solver_ == "kernel-joint-smo"
    verify(model, data, labels)


@pytest.mark.parametrize(("n", "n_classes"), [(400, 3), (2500, 2)])
def test_distances_that_float32_cannot_tell_are_computed_in_float64(n, n_classes):
    rng = np.random.default_rng(0)
    X = np.rint(1000.0 * rng.standard_normal((n, 3)))
    y = rng.integers(0, n_classes, n)
    clf = MaxMargin(kernel="rbf", gamma=1.0, C=1.0, cache_size=10.0).fit(X, y)
    assert clf.status_ is Status.GAP_REACHED
    assert clf.certificate_.soft.gap <= 1e-3
