"""A kernel is visited in one order, whether it is named, a function or a matrix."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from novikoff import Perceptron
from novikoff.sample.kernel_order import MOST_HASHED
from tests.estimators.problems import ALL_RULES, XOR

pytestmark = pytest.mark.filterwarnings(
    "ignore:The run stopped at its limit:sklearn.exceptions.ConvergenceWarning"
)
# The others need examples of length 1 at most, or are not settled in few passes.
RULES = ["classic", "mean-norm", "scale-free", "dynamic", "passive-aggressive", "min-over"]


def gaussian(A, B):
    return rbf_kernel(A, B, gamma=0.5)


def square(A, B):
    return polynomial_kernel(A, B, degree=2, gamma=1.0, coef0=1.0)


def problem(n_classes, n=80, seed=0):
    rng = np.random.default_rng(seed)
    X, directions = rng.normal(size=(n, 4)), rng.normal(size=(n_classes, 4))
    return X, (X @ directions.T + 0.3 * rng.normal(size=(n, n_classes))).argmax(axis=1)


def weights_of(clf, n):
    """Return the weights of all examples: of each class, or of the classes together."""
    supports = clf.support_ if isinstance(clf.support_, list) else [clf.support_]
    duals = clf.dual_coef_ if isinstance(clf.support_, list) else [clf.dual_coef_]
    found = []
    for support, dual in zip(supports, duals, strict=True):
        table = np.zeros((n, *dual.T.shape[1:]))
        table[support] = dual.T
        found.append(table)
    return np.array(found)


def assert_same_run(one, other, n):
    assert (one.status_, one.n_updates_, one.n_iter_) == (
        other.status_,
        other.n_updates_,
        other.n_iter_,
    )
    np.testing.assert_allclose(weights_of(one, n), weights_of(other, n), rtol=1e-9, atol=1e-12)
    for ours, theirs in zip(np.atleast_1d(one.margin_), np.atleast_1d(other.margin_), strict=True):
        assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("C", [np.inf, 2.0])
@pytest.mark.parametrize("classes", ["binary", "joint", "ovr"])
@pytest.mark.parametrize("rule", RULES)
def test_named_callable_and_precomputed_are_one_run(rule, classes, C, weighted):
    X, y = problem(2 if classes == "binary" else 3)
    weights = np.random.default_rng(1).integers(0, 3, len(y)) if weighted else None
    how = dict(rule=ALL_RULES[rule], C=C, gamma=0.5, random_state=3, max_iter=20)
    how["multi_class"] = "ovr" if classes == "ovr" else "joint"
    named = Perceptron(kernel="rbf", **how).fit(X, y, sample_weight=weights)
    function = Perceptron(kernel=gaussian, **how).fit(X, y, sample_weight=weights)
    given = Perceptron(kernel="precomputed", **how).fit(gaussian(X, X), y, sample_weight=weights)
    assert named.n_updates_ > len(y) // 8
    assert_same_run(named, function, len(y))
    assert_same_run(named, given, len(y))


@pytest.mark.parametrize("random_state", range(4))
def test_symmetric_examples_are_one_run(random_state):
    """Only where they stand tells the examples of XOR apart."""
    X, y = XOR
    for rows in ([0, 1, 2, 3], [2, 0, 3, 1]):
        how = dict(random_state=random_state, degree=2, gamma=1.0, coef0=1.0)
        named = Perceptron(kernel="poly", **how).fit(X[rows], y[rows])
        given = Perceptron(kernel="precomputed", **how)
        given.fit(square(X[rows], X[rows]), y[rows])
        assert_same_run(named, given, 4)
        np.testing.assert_array_equal(named.support_, given.support_)


def test_many_examples_are_one_run():
    X, y = problem(2, n=MOST_HASHED + 1)
    how = dict(C=1.0, random_state=0, gamma=0.5)
    named = Perceptron(kernel="rbf", **how).fit(X, y)
    given = Perceptron(kernel="precomputed", **how).fit(gaussian(X, X), y)
    assert_same_run(named, given, len(y))
    np.testing.assert_array_equal(named.support_, given.support_)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("exponent", [-40, 3, 40])
def test_the_unit_of_a_kernel_does_not_matter(exponent, classes):
    X, y = problem(classes)
    values = gaussian(X, X)
    clf = Perceptron(kernel="precomputed", random_state=0).fit(values, y)
    other = clone(clf).fit(np.ldexp(values, exponent), y)
    np.testing.assert_array_equal(other.support_, clf.support_)
    np.testing.assert_array_equal(other.dual_coef_, clf.dual_coef_)


@pytest.mark.parametrize("C", [np.inf, 2.0])
@pytest.mark.parametrize("kernel", ["rbf", "precomputed", gaussian])
def test_the_order_of_the_rows_does_not_matter(kernel, C):
    X, y = problem(3)
    data = gaussian(X, X) if kernel == "precomputed" else X
    clf = Perceptron(kernel=kernel, gamma=0.5, C=C, random_state=0).fit(data, y)
    rows = np.random.default_rng(0).permutation(len(y))
    moved = data[np.ix_(rows, rows)] if kernel == "precomputed" else data[rows]
    other = clone(clf).fit(moved, y[rows])
    np.testing.assert_array_equal(rows[other.support_], clf.support_)
    np.testing.assert_array_equal(other.dual_coef_, clf.dual_coef_)


def test_the_order_does_not_depend_on_the_size_of_the_cache():
    X, y = problem(2)
    large = Perceptron(kernel="rbf", gamma=0.5, C=1.0, random_state=0).fit(X, y)
    small = clone(large).set_params(cache_size=0.05).fit(X, y)
    assert 8 * len(y) ** 2 > 0.05e6
    # What carries the model is listed in the order of visits.
    both = np.intersect1d(large.support_, small.support_)
    assert len(both) > 10
    np.testing.assert_array_equal(
        large.support_[np.isin(large.support_, both)], small.support_[np.isin(small.support_, both)]
    )
