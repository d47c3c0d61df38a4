"""Kernel values that are tiny, nearly constant or far from the origin, where rounding counts."""

import dataclasses
import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from novikoff import MaxMargin, Perceptron
from novikoff.certificate import CertificateError
from novikoff.sample.kernel import KernelError, KernelFunction, KernelMatrix
from novikoff.sample.kernel_checks import check_combination, check_norm

INF = np.inf

# Seed, examples, classes, scale, shift, degree, coef0, gamma, C, multi_class, intercept, cache.
# What each used to raise stands beside it.
POLYNOMIALS = [
    (377, 49, 2, 1e-1, 0.0, 8, 0.0, 1.0, INF, "ovr", True, 0.01),  # not positive semidefinite
    (611, 52, 4, 1e-3, 0.0, 8, 0.0, "auto", INF, "joint", True, 0.01),  # the same
    (2342, 14, 4, 1e-3, 0.0, 8, 0.0, "scale", INF, "ovr", True, 0.01),  # the same
    (26, 52, 3, 1e-3, 0.0, 2, 100.0, "auto", 1e4, "joint", True, 0.01),  # sums overflow
    (78, 46, 3, 1e-7, 1.0, 1, 100.0, "scale", INF, "joint", True, 0.01),  # sums overflow
    (84, 42, 4, 1.0, 1e4, 3, 100.0, 1.0, INF, "joint", True, 0.01),  # sums overflow
    (7, 57, 3, 1.0, 1e4, 8, 0.0, "scale", INF, "joint", True, 0.01),  # squares overflow
    (68, 33, 3, 1.0, 1e3, 8, 1.0, "auto", 1e4, "ovr", True, 0.01),  # squares overflow
    (129, 36, 3, 1.0, 1e5, 8, 100.0, 1.0, 1e4, "joint", False, 0.01),  # division by zero
    (758, 45, 4, 1.0, 1e6, 8, 1.0, "auto", INF, "joint", False, 0.01),  # division by zero
    (403, 42, 2, 1e-1, 0.0, 8, 100.0, "scale", 1.0, "ovr", False, 200.0),  # nnls has no end
    (3533, 18, 4, 1e-1, 0.0, 8, 100.0, "scale", 1e4, "ovr", True, 200.0),  # nnls has no end
]


@pytest.mark.parametrize("case", POLYNOMIALS, ids=lambda case: str(case[0]))
def test_what_rounding_shows_of_a_polynomial_is_rounding(case):
    seed, n, k, scale, shift, degree, coef0, gamma, C, many, affine, cache = case
    X = np.random.default_rng(seed).normal(scale=scale, size=(n, 1)) + shift
    y = np.arange(n) % k
    clf = MaxMargin(
        kernel="poly",
        degree=degree,
        coef0=coef0,
        gamma=gamma,
        C=C,
        multi_class=many,
        fit_intercept=affine,
        cache_size=cache,
        max_iter=50,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf.fit(X, y)
    clf.certificate_.verify(X, y)


@pytest.mark.parametrize("many", ["joint", "ovr"])
def test_rounding_ends_a_fit_with_its_status_and_remedy(many):
    rng = np.random.default_rng(0)
    X, y = 0.01 * rng.normal(size=(48, 1)), rng.integers(0, 3, 48)
    clf = MaxMargin(kernel="poly", nonseparable="raise", multi_class=many)
    with pytest.warns(ConvergenceWarning, match=r"Rounding of the kernel .* or a finite C"):
        clf.fit(X, y)
    assert clf.status_.name == "PRECISION"
    assert any(not part.lower > 0.0 for part in clf.certificate_.parts)


def test_weights_that_rounding_makes_negative_are_none():
    rng = np.random.default_rng(322)
    n, k = int(rng.integers(4, 150)), int(rng.choice([2, 3, 4]))
    X = rng.normal(size=(n, int(rng.choice([1, 2, 5])))) * 10 ** rng.uniform(-3, 3)
    y = rng.integers(0, k, n)
    y[:k] = np.arange(k)
    clf = MaxMargin(kernel="sigmoid", coef0=10.0, gamma="auto", multi_class="ovr", max_iter=100)
    # The values are nearly 1, and no kernel: the refusal says so, and what to do.
    with pytest.raises(ValueError, match=r"positive semidefinite.* another gamma"):
        clf.fit(X, y)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("C", [INF, 1.0])
def test_a_fit_does_not_depend_on_the_unit_of_kernel_values(n_classes, C):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.argmax(X @ rng.normal(size=(2, n_classes)), axis=1)
    K, unit = (1.0 + X @ X.T) ** 2, 4.0**40
    plain = MaxMargin(kernel="precomputed", C=C).fit(K, y)
    large = MaxMargin(kernel="precomputed", C=C if C == INF else C / unit)
    large.fit(unit * K, y)
    np.testing.assert_array_equal(large.support_, plain.support_)
    np.testing.assert_array_equal(unit * large.dual_coef_, plain.dual_coef_)
    np.testing.assert_array_equal(large.intercept_, plain.intercept_)
    size = 2.0**40 if C == INF else 1.0 / unit
    for mine, theirs in zip(large.history_, plain.history_, strict=True):
        assert (mine.lower, mine.upper) == (size * theirs.lower, size * theirs.upper)


def test_only_what_rounding_does_not_explain_is_refused():
    X = np.array([[1.0], [1.0 + 1e-9], [2.0]])
    square = KernelMatrix(X, KernelFunction("poly", gamma=1.0, degree=3, coef0=-1.0))
    some = np.arange(3)
    # The values are near zero, but sums of numbers near 1 have been rounded in them.
    check_combination(square, some, np.array([1.0, -1.0, 0.0]))
    K = np.diag([1.0, 1.0, -1e-4])
    given = KernelMatrix(K, KernelFunction("precomputed"))
    check_combination(given, some, np.array([1.0, 1.0, 1e-4]))
    with pytest.raises(KernelError, match="not positive semidefinite"):
        check_combination(given, some, np.array([0.0, 0.0, 1.0]))
    with pytest.raises(KernelError, match="overflow"):
        check_norm(given, np.inf, 0.0)
    assert not check_norm(KernelMatrix(X, KernelFunction("rbf")), np.nan, 0.0)


def linear(A, B):
    return A @ B.T


def far(seed, n, d, k):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 10.0 ** rng.uniform(3, 8.5)
    return X, rng.integers(0, k, n)


@pytest.mark.parametrize("kind", [MaxMargin, Perceptron])
@pytest.mark.parametrize("many", ["joint", "ovr"])
@pytest.mark.parametrize("seed", range(12))
def test_a_function_is_asked_for_the_same_blocks_by_verify(kind, many, seed):
    """Far from the origin the last digit of a value counts, which depends on its block."""
    X, y = far(seed, 20 + 7 * seed, (3, 8, 20)[seed % 3], 2 + seed % 3)
    clf = kind(kernel=linear, multi_class=many, max_iter=20)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf.fit(X, y)
    clf.certificate_.verify(X, y, kernel=linear)
    np.testing.assert_array_equal(clf.predict(X), clf.predict(X))


@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_a_forged_model_of_a_function_is_refused(offset):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    y = (X[:, 0] > 0.0).astype(int)
    X[:, 0] += np.where(y, 1.0, -1.0)
    X += offset
    certificate = MaxMargin(kernel=linear).fit(X, y).certificate_
    certificate.verify(X, y, kernel=linear)
    model = certificate.model
    coef = model.coef.copy()
    coef[0] *= 1.01
    forged = [
        lambda: {"model": dataclasses.replace(model, coef=coef)},
        lambda: {"model": dataclasses.replace(model, margin=model.margin * (1.0 + 1e-6))},
        lambda: {"upper": certificate.upper * (1.0 - 1e-6)},
        lambda: {"weights": certificate.weights[::-1].copy()},
    ]
    for change in forged:
        with pytest.raises(CertificateError):
            wrong = dataclasses.replace(certificate, **change())
            wrong.verify(X, y, kernel=linear, check_fingerprint=False)


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int8])
def test_a_function_is_given_float64_rows(dtype):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 100, (67, 9)).astype(dtype)
    y = rng.integers(0, 2, 67)
    seen = []

    def kernel(A, B):
        seen.append((A.dtype, B.dtype, A.flags.c_contiguous))
        return A @ B.T

    clf = MaxMargin(kernel=kernel, C=1.0).fit(X, y)
    clf.certificate_.verify(X.astype(np.float64), y, kernel=kernel)
    clf.predict(X)
    assert set(seen) == {(np.dtype(np.float64), np.dtype(np.float64), True)}


def test_exact_values_of_a_function_are_those_of_its_sums():
    from novikoff.certificate import Kernel
    from novikoff.certificate.feature_space.table import CALLED_ROWS, KernelTable

    rng = np.random.default_rng(0)
    X = rng.normal(size=(2 * CALLED_ROWS + 5, 7)) + 1e6
    columns = np.sort(rng.choice(len(X), 40, replace=False))
    table = KernelTable.of(Kernel("callable"), X, function=linear)
    rows = np.sort(rng.choice(len(X), 90, replace=False))
    whole = np.vstack(
        [linear(X[i : i + CALLED_ROWS], X[columns]) for i in range(0, len(X), CALLED_ROWS)]
    )
    np.testing.assert_array_equal(table.exact_block(rows, columns), whole[rows])
    parts = list(table.row_parts(rows, columns.size))
    np.testing.assert_array_equal(np.concatenate(parts), rows)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly"])
@pytest.mark.parametrize("C", [1e4, 1e6])
def test_equal_rows_and_a_tiny_cache(kernel, C):
    rng = np.random.default_rng(3)
    X = np.repeat(rng.normal(size=(11, 2)), 8, axis=0)
    y = rng.integers(0, 3, len(X))
    clf = MaxMargin(kernel=kernel, C=C, cache_size=0.01).fit(X, y)
    assert clf.status_.name == "GAP_REACHED"
    clf.certificate_.verify(X, y)


@pytest.mark.parametrize("many", ["joint", "ovr"])
def test_equal_rows_are_a_row_with_a_weight(many):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 3, 40)
    times = rng.integers(1, 4, 40)
    every = np.repeat(np.arange(40), times)
    how = {"kernel": "rbf", "gamma": 1.0, "C": 10.0, "tol": 1e-9, "multi_class": many}
    weighted = MaxMargin(**how).fit(X, y, sample_weight=times.astype(float))
    repeated = MaxMargin(**how).fit(X[every], y[every])
    scores = repeated.decision_function(X), weighted.decision_function(X)
    np.testing.assert_allclose(*scores, atol=1e-11)
