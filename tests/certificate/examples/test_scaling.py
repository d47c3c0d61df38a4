"""Columns divided by powers of two: exactly, or not at all."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from novikoff.certificate import Account, Certificate, CertificateError, Certifier, Status, Weighted
from novikoff.certificate.examples.matrix import check_matrix
from novikoff.certificate.examples.scaling import (
    MOST_EXPONENT,
    divided,
    in_raw_columns,
    in_scaled_columns,
)
from tests.certificate import truth
from tests.estimators.problems import twisted

exponents = st.integers(-MOST_EXPONENT, MOST_EXPONENT)
values = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(-9, 9).map(float))


@given(st.lists(st.tuples(values, values), min_size=1, max_size=4), exponents, exponents)
def test_the_quotient_is_exact_or_refused(rows, first, second):
    X, e = np.array(rows), np.array([first, second])
    exact = [
        [Fraction(x) / Fraction(2) ** int(k) for x, k in zip(row, e, strict=True)] for row in X
    ]
    for kind in (np.array, np.asfortranarray, sparse.csr_array):
        try:
            found = divided(check_matrix(kind(X)), e)
        except CertificateError as error:
            assert "cannot be scaled exactly" in str(error)
            assert not all(is_float(value) for row in exact for value in row)
        else:
            dense = found.toarray() if sparse.issparse(found) else found
            assert [[Fraction(x) for x in row] for row in dense] == exact


def is_float(value):
    try:
        return Fraction(float(value)) == value
    except OverflowError:
        return False


def test_the_refusal_names_the_value():
    X = np.ones((300, 3))
    X[299, 2] = 2.0**-1060
    for kind in (np.array, sparse.csr_array):
        with pytest.raises(CertificateError, match=r"row 299, column 2: 8\.\d+e-320 divided by"):
            divided(check_matrix(kind(X)), np.array([0, 0, 40]))
        divided(check_matrix(kind(X)), np.array([40, 40, -40]))


def test_a_nan_is_left_to_the_check_of_the_data():
    X = np.array([[np.nan, 1.0], [np.inf, 2.0]])
    np.testing.assert_array_equal(divided(X, np.array([3, 1])), X / [[8.0, 2.0]])


@pytest.mark.parametrize("kind", [np.uint8, np.int64, np.float32, np.float16])
def test_every_type_gives_the_same_copy(kind):
    X, e = np.arange(60.0).reshape(12, 5), np.array([3, -2, 0, 30, -30])
    wanted = X / 2.0**e
    for stored in (X.astype(kind), np.asfortranarray(X.astype(kind))):
        found = divided(stored, e)
        assert found.dtype == np.float64
        assert found.flags.c_contiguous
        np.testing.assert_array_equal(found, wanted)
    if kind is not np.float16:
        found = divided(check_matrix(sparse.csr_array(X.astype(kind))), e)
        np.testing.assert_array_equal(found.toarray(), wanted)
    found = divided(check_matrix(twisted(X)), e)
    assert found.has_canonical_format
    np.testing.assert_array_equal(found.toarray(), wanted)


def test_the_data_are_not_written_to():
    X = sparse.csr_array(np.eye(3))
    divided(check_matrix(X), np.array([1, 2, 3]))
    np.testing.assert_array_equal(X.toarray(), np.eye(3))


def test_hyperplanes_go_to_scaled_columns_and_back():
    coef, e = np.array([0.1, -3.0, 0.0]), np.array([7, -9, 900])
    scaled = in_scaled_columns(coef, e)
    np.testing.assert_array_equal(scaled, coef * 2.0**e)
    np.testing.assert_array_equal(in_raw_columns(scaled, e), coef)
    assert in_scaled_columns(coef, None) is coef
    with pytest.raises(CertificateError, match="the coefficient of feature 1 times"):
        in_scaled_columns(np.array([1.0, 1e300, 1.0]), np.array([0, 100, 0]))
    with pytest.raises(CertificateError, match="the coefficient of feature 0 overflows"):
        in_raw_columns(np.array([1e300, 1.0, 1.0]), np.array([-100, 0, 0]))


X = np.array([[3.0, 1000.0], [1.0, 3000.0], [-1.0, 0.0], [-2.0, 500.0]])
Y = ["in", "in", "out", "out"]
SIGNS = truth.signs(Y, "in")


def certificate(exponents):
    maker = Certifier.of(X, Y, positive="in", affine=True, exponents=exponents)
    proof = Weighted([0, 1, 2, 3], [1.0, 3.0, 3.0, 1.0])
    return maker.hard(
        Account(status=Status.CONVERGED), coef=[1.0, 2.0**-12], intercept=-0.125, proof=proof
    )


@given(st.integers(-3, 3), st.integers(6, 14))
def test_the_bounds_are_those_of_the_scaled_columns(first, second):
    e = np.array([first, second])
    found = certificate((first, second))
    scaled, w = X / 2.0**e, found.coef * 2.0**e
    assert truth.lower_is_true(found.lower, scaled, SIGNS, w, found.intercept)
    assert not truth.lower_is_true(found.lower * (1 + 1e-12), scaled, SIGNS, w, found.intercept)
    claim = (scaled, SIGNS, found.support, found.weights, True)
    assert truth.upper_is_true(found.upper, *claim)
    assert not truth.upper_is_true(found.upper * (1 - 1e-12), *claim)
    assert Certificate.from_json(found.to_json()) == found
    for kind in (np.asarray, np.asfortranarray, sparse.csr_matrix, lambda X: X.astype(np.float32)):
        verified = found.verify(kind(X), Y)
        assert verified.lower == found.lower
        assert str(verified).endswith(
            f"from 2**{min(e)} to 2**{max(e)}. "
            "Margins and objectives are in units of the scaled columns."
        )
    assert "Margins and objectives are in units of the scaled columns." in found.sentences()


def test_without_exponents_nothing_is_said_or_stored():
    plain = certificate(None)
    assert "exponents" not in plain.to_dict()["problem"]
    assert "scaled" not in str(plain)
    # Powers 2**0 leave the columns as they are, and say so.
    zero = certificate((0, 0))
    assert zero != plain
    assert (zero.lower, zero.upper) == (plain.lower, plain.upper)
    assert "columns divided by 2**0" in str(zero)


WRONG = [[], [1], [1, 2, 3], [1, 0.0], [1, True], [1, "2"], [1, None], [1, [2]], None, 3, "12", {}]
WRONG += [[1, 901], [-901, 1], [1, 2**60], [1, 10**40], [1, -(10**40)]]


@pytest.mark.parametrize("wrong", WRONG)
def test_hostile_exponents_are_refused(wrong):
    document = certificate((0, 10)).to_dict()
    document["problem"]["exponents"] = wrong
    with pytest.raises(CertificateError) as caught:
        Certificate.from_dict(document)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 150


@pytest.mark.parametrize("change", [(1, 0), (-1, 0), (0, 1), (0, -1), (0, -10), (300, -300)])
def test_forged_exponents_are_found_by_the_arithmetic(change):
    """Where the claims are true of the other units too, they may be verified."""
    honest = certificate((0, 10))
    document = honest.to_dict()
    e = np.array([0, 10]) + change
    document["problem"]["exponents"] = e.tolist()
    forged = Certificate.from_dict(document)
    scaled, w = X / 2.0**e, honest.coef * 2.0**e
    true = truth.lower_is_true(honest.lower, scaled, SIGNS, w, honest.intercept)
    true &= truth.upper_is_true(honest.upper, scaled, SIGNS, honest.support, honest.weights, True)
    assert not true
    with pytest.raises(CertificateError, match=r"does not have the margin|prove the upper bound"):
        forged.verify(X, Y, check_fingerprint=False)


def test_exponents_that_the_data_cannot_have():
    forged = certificate((0, 10)).to_dict()
    forged["problem"]["exponents"] = [900, 10]
    tiny = X * [2.0**-300, 1.0]
    with pytest.raises(CertificateError, match=r"row 0, column 0: .* cannot be scaled exactly"):
        Certificate.from_dict(forged).verify(tiny, Y, check_fingerprint=False)


def test_the_sha256_is_that_of_the_data():
    assert certificate((0, 10)).with_sha256(X, Y).verify(X, Y).lower > 0.0
    hashes = [certificate(e).with_sha256(X, Y).problem.sha256 for e in ((0, 10), None)]
    assert hashes[0] == hashes[1]
