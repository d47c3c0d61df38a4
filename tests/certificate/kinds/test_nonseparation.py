"""Proofs that nothing separates: exact, with weights and without."""

import dataclasses
import math

import numpy as np
import pytest
from flint import fmpz_mat
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from novikoff.certificate import (
    Certificate,
    CertificateError,
    Status,
    certify_nonseparable,
    reduce_support,
)
from novikoff.certificate.exact.relation import null_weights
from tests.certificate import truth
from tests.certificate.strategies import ARITHMETIC, STORES

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
XOR_SIGNS = np.array([1, 1, -1, -1], dtype=np.int8)


@st.composite
def zero_sums(draw):
    """Signed examples and integer weights that combine to zero, by the last example's making."""
    n, d = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    X = draw(hnp.arrays(np.int64, (n, d), elements=st.integers(-20, 20)))
    signs = draw(hnp.arrays(np.int8, n + 1, elements=st.sampled_from([1, -1])))
    weights = draw(hnp.arrays(np.int64, n, elements=st.integers(1, 9)))
    affine = draw(st.booleans())
    last = -int(signs[-1]) * ((weights * signs[:-1]) @ X)
    weight = 1
    if affine:
        # The classes must weigh the same; scaling the others keeps the last one an integer.
        weight = -int(signs[-1]) * int(weights @ signs[:-1])
        assume(weight > 0)
        X = X * weight
    X = np.vstack([X, last]).astype(np.float64)
    return X, signs, np.append(weights, weight), affine


@pytest.mark.parametrize("arithmetic", ["exact", "exact blocks"])
@pytest.mark.parametrize("store", STORES)
@given(problem=zero_sums(), power=st.integers(-3, 3))
def test_exact_zero_sums_are_accepted(arithmetic, store, problem, power):
    X, signs, weights, affine = problem
    X = X * 2.0**power
    support = np.arange(len(X))
    assert truth.combines_to_zero(X, signs, support, weights, affine)
    X = STORES[store](X)
    for scaled in (weights, weights * 0.5):
        with ARITHMETIC[arithmetic]():
            proof = certify_nonseparable(X, signs, support=support, weights=scaled, affine=affine)
            assert not proof and proof.verify(X, signs).upper == 0.0


@given(problem=zero_sums(), data=st.data())
def test_after_an_edit_exactly_the_truth_is_accepted(problem, data):
    X, signs, weights, affine = problem
    support = np.arange(len(X))
    proof = certify_nonseparable(X, signs, support=support, weights=weights, affine=affine)
    row = data.draw(st.integers(0, len(X) - 1))
    edit = data.draw(st.sampled_from(["label", "example", "weight", "scale"]))
    if edit == "label":
        signs[row] *= -1
    elif edit == "example":
        X[row, 0] = math.nextafter(X[row, 0], math.inf)
    elif edit == "weight":
        changed = proof.weights.copy()
        changed[row] += 1
        proof = dataclasses.replace(proof, weights=changed)
    else:
        proof = dataclasses.replace(proof, weights=3 * proof.weights)
    true = truth.combines_to_zero(X, signs, proof.support, proof.weights, affine)
    try:
        proof.verify(X, signs, check_fingerprint=False)
        assert true
    except CertificateError as error:
        assert not true and "\n" not in str(error)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("weights", [None, [1, 1, 1, 1], [0.25, 0.25, 0.25, 0.25]])
def test_xor(store, weights):
    X = STORES[store](XOR)
    proof = certify_nonseparable(
        X, XOR_SIGNS, support=[0, 1, 2, 3], weights=weights, affine=True, positive=1, negative=-1
    )
    assert not proof
    assert Certificate.from_json(proof.to_json()) == proof
    assert "no hyperplane separates" in str(proof.verify(X, XOR_SIGNS))
    assert proof.status is Status.NOT_SEPARABLE
    moved = XOR.copy()
    moved[3, 0] = math.nextafter(1.0, 0.0)
    if weights is None:
        # Other weights prove it then, and the check finds them.
        assert proof.verify(moved, XOR_SIGNS, check_fingerprint=False).upper == 0.0
    else:
        with pytest.raises(CertificateError, match="not exactly zero"):
            proof.verify(moved, XOR_SIGNS, check_fingerprint=False)
    with pytest.raises(CertificateError):
        proof.verify(XOR, [1, 1, 1, -1], check_fingerprint=False)


def test_equal_examples_with_opposite_labels():
    X = np.array([[0.1, 1e300], [5.0, 5.0], [0.1, 1e300]])
    signs = [1, 1, -1]
    for weights in (None, [1, 1]):
        proof = certify_nonseparable(X, signs, support=[0, 2], weights=weights, affine=True)
        assert proof.verify(X, signs).n_exact == 2


def test_a_zero_example_refutes_hyperplanes_through_the_origin():
    X = np.array([[0.0, 0.0], [1.0, 0.0]])
    assert not certify_nonseparable(X, [1, -1], support=[0], affine=False)
    with pytest.raises(CertificateError, match="independent"):
        certify_nonseparable(X, [1, -1], support=[0], affine=True)


def test_with_an_intercept_the_classes_must_weigh_the_same():
    X, weighted = np.array([[1.0], [2.0]]), dict(support=[0, 1], weights=[2, 1])
    assert not certify_nonseparable(X, [1, -1], affine=False, **weighted)
    with pytest.raises(CertificateError, match="not exactly zero"):
        certify_nonseparable(X, [1, -1], affine=True, **weighted)


def test_independent_examples_that_look_dependent_modulo_a_prime():
    # The determinant is the prime 2**61 - 1 itself.
    X = np.array([[2.0**30, 1.0], [1.0, 2.0**31]])
    for signs in ([1, 1], [1, -1]):
        with pytest.raises(CertificateError, match="independent"):
            certify_nonseparable(X, signs, support=[0, 1], affine=False)


def test_what_does_not_combine_to_zero_is_named():
    with pytest.raises(CertificateError, match="independent"):
        certify_nonseparable(XOR, XOR_SIGNS, support=[0, 1, 2], affine=True)
    with pytest.raises(CertificateError, match="more than one way"):
        certify_nonseparable(np.zeros((2, 1)), [1, 1], support=[0, 1], affine=False)
    with pytest.raises(CertificateError, match="both signs"):
        certify_nonseparable(
            np.array([[1.0], [2.0]]), np.array([1, 1]), support=[0, 1], affine=False
        )
    with pytest.raises(CertificateError, match="support"):
        certify_nonseparable(XOR, XOR_SIGNS, support=[], affine=True)


def test_examples_that_take_no_part_are_dropped():
    X = np.array([[1.0, 0.0], [-2.0, 0.0], [0.0, 1.0]])
    proof = certify_nonseparable(X, [1, 1, 1], support=[2, 0, 1], affine=False)
    assert sorted(proof.support.tolist()) == [0, 1]
    assert proof.verify(X, [1, 1, 1]).n_exact == 2


@given(
    X=hnp.arrays(np.int64, (4, 4), elements=st.integers(-9, 9)),
    weights=st.lists(st.integers(1, 2**20), min_size=4, max_size=4),
)
def test_the_basis_is_solved_whatever_the_scale_of_its_features(X, weights):
    signs, rows = np.array([1, -1, 1, 1, -1], dtype=np.int8), np.arange(5)
    last = np.array([a * int(s) for a, s in zip(weights, signs, strict=False)]) @ X
    table = np.vstack([X, last]) * np.array([1.0, 2.0**-1000, 2.0**900, 1.0])
    if fmpz_mat(X.tolist()).rank() < 4:
        with pytest.raises(CertificateError, match="more than one way"):
            null_weights(table, signs, rows, affine=False)
        return
    found = null_weights(table, signs, rows, affine=False)
    assert found == [*weights, 1]


@pytest.mark.parametrize("arithmetic", ["exact", "exact blocks"])
@given(problem=zero_sums(), copies=st.integers(1, 3))
def test_a_support_is_reduced_to_a_basis(arithmetic, problem, copies):
    X, signs, weights, affine = problem
    X, signs, weights = np.tile(X, (copies, 1)), np.tile(signs, copies), np.tile(weights, copies)
    support = np.arange(len(X))
    with ARITHMETIC[arithmetic]():
        rows, integers = reduce_support(X, signs, support, weights, affine=affine)
        assert null_weights(X, signs, rows, affine=affine) == integers
    assert set(rows.tolist()) <= set(support.tolist())
    assert rows.size <= X.shape[1] + 1 + affine
    assert min(integers) > 0 and truth.combines_to_zero(X, signs, rows, integers, affine)
    assert not certify_nonseparable(X, signs, support=rows, affine=affine)


def test_a_larger_support_is_reduced():
    rng = np.random.default_rng(3)
    X = rng.integers(-50, 50, (60, 12)).astype(np.float64)
    signs = rng.choice([1, -1], 60).astype(np.int8)
    X[30:], signs[30:] = X[:30], -signs[:30]
    rows, integers = reduce_support(X, signs, np.arange(60), np.ones(60, int), affine=True)
    assert rows.size <= 14
    assert truth.combines_to_zero(X, signs, rows, integers, True)
    with pytest.raises(CertificateError, match="not exactly zero"):
        reduce_support(X, signs, np.arange(59), np.ones(59, int), affine=True)
