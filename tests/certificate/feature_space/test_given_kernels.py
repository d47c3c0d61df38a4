"""Kernels without a formula: functions and matrices, good and bad."""

import numpy as np
import pytest
from flint import fmpq
from scipy import sparse

from novikoff.certificate import (
    Account,
    Certificate,
    CertificateError,
    Kernel,
    KernelCertifier,
    Separation,
    Status,
    Weighted,
)
from novikoff.certificate.feature_space.enclosed import semidefinite, weighted
from novikoff.certificate.feature_space.exact_table import exact_square
from novikoff.certificate.feature_space.table import KernelTable
from tests.certificate.feature_space.test_certify_kernel import problem, ridge

DONE = Account(status=Status.CONVERGED)
RBF = Kernel("rbf", gamma=0.5)


def gaussian(X, Z):
    X, Z = (np.asarray(part.toarray() if sparse.issparse(part) else part) for part in (X, Z))
    return np.exp(-0.5 * ((X[:, None] - Z[None]) ** 2).sum(axis=2))


def certified(kernel, X, y, signs, function=None, data=None):
    maker = KernelCertifier.of(
        data if data is not None else X,
        y,
        kernel=kernel,
        positive=1,
        affine=True,
        function=function,
    )
    coef, rows = ridge(RBF, X, signs), np.arange(len(X))
    return maker.hard(DONE, support=rows, coef=coef, proof=Weighted(rows, np.abs(coef)))


def test_function_matrix_and_name_agree():
    X, y, signs, *_ = problem(0)
    named = certified(RBF, X, y, signs)
    called = certified(Kernel("callable"), X, y, signs, gaussian)
    given = certified(Kernel("precomputed"), X, y, signs, data=gaussian(X, X))
    for other in (called, given):
        assert isinstance(other, Separation)
        assert other.lower == pytest.approx(named.lower, rel=1e-9)
        assert other.upper == pytest.approx(named.upper, rel=1e-9)
    assert called.verify(X, y, kernel=gaussian).upper <= called.upper
    assert given.verify(gaussian(X, X), y).upper <= given.upper


def test_a_function_on_sparse_rows():
    X, y, signs, *_ = problem(0)
    found = certified(Kernel("callable"), X, y, signs, gaussian, sparse.csr_array(X))
    assert isinstance(found, Separation)
    found.verify(sparse.csr_array(X), y, kernel=gaussian)


def test_what_is_presupposed_is_said():
    X, y, signs, *_ = problem(0)
    called = certified(Kernel("callable"), X, y, signs, gaussian)
    assert "if the kernel is positive semidefinite and the function returns its values" in str(
        called.verify(X, y, kernel=gaussian)
    )
    given = certified(Kernel("precomputed"), X, y, signs, data=gaussian(X, X))
    assert "if the kernel is positive semidefinite." in str(given)
    assert "positive semidefinite" not in str(certified(RBF, X, y, signs))
    sigmoid = Kernel("sigmoid", gamma=0.1, coef0=0.0)
    assert "if the kernel is positive semidefinite." in str(certified(sigmoid, X, y, signs))


def test_the_function_is_needed_again():
    X, y, signs, *_ = problem(0)
    called = certified(Kernel("callable"), X, y, signs, gaussian)
    again = Certificate.from_json(called.to_json())
    assert again == called
    with pytest.raises(CertificateError, match="give the function"):
        again.verify(X, y)
    with pytest.raises(CertificateError, match="prove"):
        again.verify(X, y, kernel=lambda A, B: gaussian(A, B) ** 2)


def raising(X, Z):
    raise RuntimeError("two\nlines")


BAD = {
    "raises": (raising, "the kernel raised RuntimeError: two lines"),
    "shape": (lambda X, Z: np.ones((len(X), 1)), "shape"),
    "nan": (lambda X, Z: np.full((len(X), len(Z)), np.nan), "NaN"),
    "text": (lambda X, Z: np.full((len(X), len(Z)), "a"), "not numbers"),
    "complex": (lambda X, Z: np.full((len(X), len(Z)), 1j), "not numbers"),
    "asymmetric": (lambda X, Z: gaussian(X, Z) * (1 + X[:, :1] ** 2), "not symmetric"),
    "indefinite": (lambda X, Z: -gaussian(X, Z), "not positive semidefinite"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_functions_have_one_line(name):
    function, message = BAD[name]
    X, y, signs, *_ = problem(0)
    with pytest.raises(CertificateError, match=message) as error:
        certified(Kernel("callable"), X, y, signs, function)
    assert "\n" not in str(error.value)


def test_bad_matrices_have_one_line():
    X, y, signs, *_ = problem(0)
    table = gaussian(X, X)
    with pytest.raises(CertificateError, match="square matrix"):
        certified(Kernel("precomputed"), X, y, signs, data=table[:, :5])
    lopsided = table.copy()
    lopsided[3, 1] += 0.1
    with pytest.raises(CertificateError, match=r"not symmetric.* 1 and 3|not symmetric.* 3 and 1"):
        certified(Kernel("precomputed"), X, y, signs, data=lopsided)
    with pytest.raises(CertificateError, match="not positive semidefinite"):
        certified(Kernel("precomputed"), X, y, signs, data=-table)
    missing = table.copy()
    missing[4, 4] = np.nan
    with pytest.raises(CertificateError, match="not a number"):
        certified(Kernel("precomputed"), X, y, signs, data=missing)


def test_a_matrix_that_rounding_has_made_lopsided():
    X, y, signs, *_ = problem(0)
    table = gaussian(X, X)
    table[2, 7] *= 1 + 2.0**-50
    assert isinstance(certified(Kernel("precomputed"), X, y, signs, data=table), Separation)


def test_a_square_that_rounding_has_made_negative_is_as_uncertain_as_it_shows():
    values = np.array([[1.0, 1.0], [1.0, 1.0 - 1e-15]])
    table = KernelTable.of(Kernel("precomputed"), values)
    rows, coefs = np.arange(2), np.array([1e4, -1e4])
    value = exact_square(table, rows, [10**4, -(10**4)])[0]
    assert -2e-7 < float(value) < 0
    assert semidefinite((value, value), table, rows, coefs) == (0, -value)
    # In sums of rounded products the same square has wider bounds, which hold these.
    wide = semidefinite((2 * value, -value), table, rows, coefs)
    assert wide[0] == 0 and wide[1] >= -value
    positive = fmpq(1), fmpq(2)
    assert semidefinite(positive, table, rows, coefs) == positive
    with pytest.raises(CertificateError, match="not positive semidefinite"):
        semidefinite((fmpq(-10_000), fmpq(-9_999)), table, rows, coefs)


def test_sums_that_overflow_have_a_remedy():
    """The weights of an indefinite kernel grow without bound."""
    large = np.array([1e200])
    refused = pytest.raises(CertificateError, match=r"overflow.*another gamma or coef0")
    with refused as seen, np.errstate(over="ignore", invalid="ignore"):
        weighted(large, large, np.zeros(1), 1.0)
    assert "\n" not in str(seen.value)


def test_an_indefinite_kernel_is_refused_only_where_a_square_is_negative():
    """tanh is not positive semidefinite; here the squares met are positive."""
    X, y, signs, support, weights = problem(2)
    maker = KernelCertifier.of(
        X, y, kernel=Kernel("sigmoid", gamma=1.0, coef0=0.5), positive=1, affine=True
    )
    found = maker.hard(
        DONE, support=support, coef=signs[support] * weights, proof=Weighted(support, weights)
    )
    found.verify(X, y)
    bad = KernelCertifier.of(
        np.array([[0.1], [2.0]]),
        [0, 1],
        kernel=Kernel("sigmoid", gamma=1.0, coef0=-1.0),
        positive=1,
        affine=True,
    )
    refused = r"not positive semidefinite: .* norm -\d\S*\. Use another kernel, or another gamma"
    with pytest.raises(CertificateError, match=refused):
        bad.hard(DONE, support=[0], coef=[1.0])


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"name": "gaussian"}, "there is no kernel"),
        ({"name": "rbf"}, "needs gamma"),
        ({"name": "rbf", "gamma": -1.0}, "must not be negative"),
        ({"name": "rbf", "gamma": np.nan}, "finite"),
        ({"name": "rbf", "gamma": "scale"}, "finite number"),
        ({"name": "poly", "gamma": 1.0, "degree": 1.5, "coef0": 0.0}, "whole number"),
        ({"name": "poly", "gamma": 1.0, "degree": -1, "coef0": 0.0}, "whole number"),
        ({"name": "sigmoid", "gamma": 1.0}, "needs coef0"),
    ],
)
def test_bad_parameters(arguments, message):
    with pytest.raises(CertificateError, match=message):
        Kernel(**arguments)
