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
    Account,
    Certificate,
    CertificateError,
    Certifier,
    Model,
    NonSeparation,
    Refutation,
    Status,
    Weighted,
    reduce_support,
)
from novikoff.certificate.exact.relation import null_weights
from tests.certificate import sentences, truth, verdict
from tests.certificate.strategies import ARITHMETIC, STORES, more_examples, stores
from tests.certificate.verdict import accepted, agrees, replaced

XOR = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
XOR_Y = np.array(["even", "even", "odd", "odd"])


def refuted(X, y, support, weights=None, *, positive=1, affine=True, model=None):
    """The certificate, also of what is not true."""
    certifier = Certifier.of(X, y, positive=positive, affine=affine)
    weights = None if weights is None else np.asarray(weights)
    return certifier.refuted(Refutation(np.asarray(support), weights), model)


def refutes(X, y, support, weights=None, *, positive=1, affine=True):
    """Whether the maker finds it true, after checking that the check does too."""
    certifier = Certifier.of(X, y, positive=positive, affine=affine)
    found = certifier.refute(support, weights)
    claimed = refuted(X, y, support, weights, positive=positive, affine=affine)
    assert (found is not None) == accepted(claimed, X, y)
    return found


@st.composite
def zero_sums(draw):
    """Signed examples and integer weights that combine to zero, by the last example's making."""
    n, d = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    X = draw(hnp.arrays(np.int64, (n, d), elements=st.integers(-20, 20)))
    signs = draw(hnp.arrays(np.int8, n + 1, elements=st.sampled_from([1, -1])))
    signs[-2] = -signs[-1]
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


@more_examples(2)
@given(
    arithmetic=st.sampled_from(["exact", "exact blocks"]),
    store=stores,
    problem=zero_sums(),
    power=st.integers(-3, 3),
)
def test_exact_zero_sums_are_accepted(arithmetic, store, problem, power):
    X, signs, weights, affine = problem
    X = X * 2.0**power
    support = np.arange(len(X))
    assert truth.combines_to_zero(X, signs, support, weights, affine)
    stored = STORES[store](X)
    for scaled in (weights, weights * 0.5):
        with ARITHMETIC[arithmetic]():
            assert refutes(stored, signs, support, scaled, affine=affine) is not None
            proof = refuted(stored, signs, support, scaled, affine=affine)
            verified = proof.verify(stored, signs)
        assert not proof and verified.upper == 0.0 and verified.n_exact == len(X)
        assert sentences.is_true(verified, proof, X, signs.tolist())


@given(problem=zero_sums(), data=st.data())
def test_after_an_edit_exactly_the_truth_is_accepted(problem, data):
    X, signs, weights, affine = problem
    model = Certifier.of(X, signs, positive=1, affine=affine).model(np.ones(X.shape[1]))
    proof = refuted(X, signs, np.arange(len(X)), weights, affine=affine, model=model)
    row = data.draw(st.integers(0, len(X) - 1))
    edit = data.draw(st.sampled_from(["label", "example", "weight", "scale", "basis", "errors"]))
    if edit == "label":
        signs[row] *= -1
    elif edit == "example":
        X[row, 0] = math.nextafter(X[row, 0], math.inf)
    elif edit == "weight":
        changed = proof.weights.copy()
        changed[row] += 1
        proof = replaced(proof, weights=changed)
    elif edit == "basis":
        rows = data.draw(st.lists(st.integers(0, len(X) - 1), min_size=1, unique=True))
        proof = replaced(proof, support=rows, weights=None)
    elif edit == "errors":
        proof = replaced(proof, of_model=dict(errors=row))
    else:
        proof = replaced(proof, weights=3 * proof.weights)
    assert agrees(proof, X, signs.tolist())


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("weights", [None, [1, 1, 1, 1], [0.25, 0.25, 0.25, 0.25]])
def test_xor(store, weights):
    X = STORES[store](XOR)
    assert refutes(X, XOR_Y, [0, 1, 2, 3], weights, positive="odd") is not None
    proof = refuted(X, XOR_Y, [0, 1, 2, 3], weights, positive="odd")
    assert not proof
    assert Certificate.from_json(proof.to_json()) == proof
    assert str(proof.verify(X, XOR_Y)) == (
        "Verified: no hyperplane separates 'odd' (2) from 'even' (2); a weighted sum of 4 signed "
        "examples is exactly zero. All 4 examples take part, without weights; hyperplanes with an "
        "intercept."
    )
    assert proof.status is Status.NOT_SEPARABLE
    moved = XOR.copy()
    moved[3, 0] = math.nextafter(1.0, 0.0)
    if weights is None:
        # Other weights prove it then, and the check finds them.
        assert proof.verify(moved, XOR_Y, check_fingerprint=False).upper == 0.0
    else:
        with pytest.raises(CertificateError, match="not exactly zero"):
            proof.verify(moved, XOR_Y, check_fingerprint=False)
    with pytest.raises(CertificateError):
        proof.verify(XOR, ["odd", "even", "even", "even"], check_fingerprint=False)


def test_equal_examples_with_opposite_labels():
    X, y = np.array([[0.1, 1e300], [5.0, 5.0], [0.1, 1e300]]), [1, 1, -1]
    for weights in (None, [1, 1]):
        proof = refuted(X, y, [0, 2], weights)
        assert proof.verify(X, y).n_exact == 2


def test_a_zero_example_refutes_hyperplanes_through_the_origin():
    X, y = np.array([[0.0, 0.0], [1.0, 0.0]]), [1, -1]
    assert refutes(X, y, [0], affine=False) is not None
    proof = refuted(X, y, [0], affine=False)
    assert "a weighted sum of 1 signed example is exactly zero" in str(proof.verify(X, y))
    assert refutes(X, y, [0], affine=True) is None
    with pytest.raises(CertificateError, match="independent"):
        refuted(X, y, [0]).verify(X, y)


def test_with_an_intercept_the_classes_must_weigh_the_same():
    X, y = np.array([[1.0], [2.0]]), [1, -1]
    assert refutes(X, y, [0, 1], [2, 1], affine=False) is not None
    assert refutes(X, y, [0, 1], [2, 1], affine=True) is None


def test_independent_examples_that_look_dependent_modulo_a_prime():
    # The determinant is the prime 2**61 - 1 itself.
    X = np.array([[2.0**30, 1.0], [1.0, 2.0**31], [0.0, 0.0]])
    for y in ([1, 1, -1], [1, -1, -1]):
        assert refutes(X, y, [0, 1], affine=False) is None


@pytest.mark.parametrize(
    ("X", "y", "support", "affine", "message"),
    [
        (XOR, [1, 1, -1, -1], [0, 1, 2], True, "independent"),
        (np.zeros((2, 1)), [1, -1], [0, 1], False, "more than one way"),
        (np.array([[1.0], [2.0], [0.0]]), [1, 1, -1], [0, 1], False, "both signs"),
    ],
)
def test_what_does_not_combine_to_zero_is_named(X, y, support, affine, message):
    assert refutes(X, y, support, affine=affine) is None
    with pytest.raises(CertificateError, match=message):
        refuted(X, y, support, affine=affine).verify(X, y)


def test_there_is_no_proof_without_examples():
    with pytest.raises(CertificateError, match="needs a support"):
        refuted(XOR, XOR_Y, np.empty(0, dtype=int), positive="odd")
    assert Certifier.of(XOR, XOR_Y, positive="odd", affine=True).refute([0, 1], [0, 0]) is None


def test_only_the_examples_that_carry_weight_are_counted():
    X, y = np.array([[1.0, 0.0], [-2.0, 0.0], [0.0, 1.0], [5.0, 5.0]]), [1, 1, 1, -1]
    found = refutes(X, y, [2, 0, 1], affine=False)
    assert sorted(found.support.tolist()) == [0, 1]
    idle = refuted(X, y, [2, 0, 1], affine=False)
    weighted = refuted(X, y, [2, 0, 1, 3], [0, 2, 1, 0], affine=False)
    for proof in (idle, weighted):
        assert "a weighted sum of 2 signed examples" in proof.verify(X, y).sentence
    assert "2 examples of 4 prove it" in str(weighted)


def test_one_example_at_the_origin_proves_it():
    found = refuted(np.array([[0.0], [1.0], [-1.0]]), [1, 1, -1], [0], affine=False)
    assert found.sentences()[1] == "1 example of 3 proves it: it is zero exactly."
    assert found.headline() == "not separable, 1 example proves it"


def test_the_model_beside_it_is_part_of_the_claim():
    certifier = Certifier.of(XOR, XOR_Y, positive="odd", affine=True)
    refutation = certifier.refute([0, 1, 2, 3])
    model = certifier.soft_model(
        [1.0, 1.0],
        -1.5,
        C=2.0,
        proof=Weighted([0, 2], [1, 1]),
        account=Account(status=Status.MAX_ITER, asked="MaxMargin(C=2.0)"),
    )
    proof = certifier.refuted(refutation, model, asked="MaxMargin(C=inf)")
    verified = proof.verify(XOR, XOR_Y)
    assert (verified.errors, verified.upper) == (model.errors, 0.0) == (3, 0.0)
    assert verified.primal == model.soft.primal and verified.dual == model.soft.dual > 0.0
    assert sentences.is_true(verified, proof, XOR, XOR_Y.tolist())
    soft = model.soft
    for changes in (
        dict(of_model=dict(errors=1)),
        dict(of_model=dict(margin=math.nextafter(model.margin, 0.0))),
        dict(of_soft=dict(primal=math.nextafter(soft.primal, 0.0))),
        dict(of_soft=dict(dual=math.nextafter(soft.dual, math.inf))),
        dict(of_soft=dict(C=1.0)),
        dict(of_soft=dict(scale=2.0)),
        dict(of_soft=dict(upper=math.nextafter(soft.upper, 0.0))),
    ):
        changed = replaced(proof, **changes)
        assert agrees(changed, XOR, XOR_Y.tolist())
        if changes != dict(of_soft=dict(C=1.0)):
            assert not accepted(changed, XOR, XOR_Y)
    assert "Run of the model (not proved): MaxMargin(C=2.0)" in str(proof)


def test_a_model_that_separates_refutes_the_proof():
    X, y = np.array([[1.0], [-1.0]]), [1, -1]
    model = Certifier.of(X, y, positive=1, affine=True).model([1.0])
    assert model.margin == 1.0
    with pytest.raises(CertificateError, match="contradicts the proof"):
        refuted(X, y, [0, 1], [1, 1], model=model)
    # What claims less of the model fails for the sum.
    weaker = dataclasses.replace(model, margin=-1.0)
    assert not accepted(refuted(X, y, [0, 1], [1, 1], model=weaker), X, y)


def test_it_is_false_whatever_it_is_of():
    proof = refuted(XOR, XOR_Y, [0, 1, 2, 3], positive="odd")
    model = Model(coef=[1.0, 0.0], intercept=0.0, margin=-math.inf, errors=2)
    assert bool(proof) is bool(dataclasses.replace(proof, model=model)) is False
    assert isinstance(proof, NonSeparation) and (proof.lower, proof.upper) == (-math.inf, 0.0)
    assert verdict.is_true(proof, XOR, XOR_Y.tolist())


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
    assert refutes(X, signs, rows, affine=affine) is not None


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
