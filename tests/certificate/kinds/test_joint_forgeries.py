"""Named forgeries of a certificate of several classes, all of which must fail without the hash."""

import dataclasses
import math

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate import (
    Account,
    CertificateError,
    JointBound,
    JointCertifier,
    JointRefutation,
    JointWeighted,
    Refutation,
    Status,
)

ACCOUNT = Account(status=Status.MAX_ITER)
X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [-1.0, -1.0], [5.0, 1.0], [1.0, 7.0]])
Y = ["a", "b", "c", "a", "b", "c"]
COEF, INTERCEPT = np.array([[-1.0, -1.0], [1.0, 0.0], [0.0, 1.0]]), np.array([2.0, -0.5, -0.5])
WEIGHTS = np.array([[0, 2, 2], [2, 0, 1], [2, 1, 0]])


def hard(affine=True, **other):
    maker = JointCertifier.of(X, Y, affine=affine, **other)
    intercept = INTERCEPT * affine
    return maker.hard(
        ACCOUNT, coef=COEF, intercept=intercept, proof=JointWeighted([0, 1, 2], WEIGHTS)
    )


def soft(affine=True):
    maker = JointCertifier.of(X, Y, affine=affine)
    proof = JointWeighted([0, 1, 2], WEIGHTS)
    return maker.soft(ACCOUNT, maker.soft_model(COEF, INTERCEPT * affine, C=0.5, proof=proof))


def edited(proof, **changes):
    """The certificate with changes to its bound, its model or the soft part of that."""
    parts = {}
    if "bound" in changes:
        parts["bound"] = dataclasses.replace(proof.bound, **changes["bound"])
    model = proof.model
    if "soft" in changes:
        model = dataclasses.replace(model, soft=dataclasses.replace(model.soft, **changes["soft"]))
    if "model" in changes:
        model = dataclasses.replace(model, **changes["model"])
    return dataclasses.replace(proof, model=model, **parts)


def fails(proof, match, X=X, y=Y):
    with pytest.raises(CertificateError, match=match):
        proof.verify(X, y, check_fingerprint=False)


def test_what_is_forged_below_verifies_as_it_is():
    for proof in (hard(), soft(), hard(False), soft(False)):
        found = proof.verify(X, Y, check_fingerprint=False)
        assert found.upper == proof.upper and found.lower == proof.lower
    assert hard().lower > 0.0 and bool(hard()) and bool(soft())


def up(value):
    return math.nextafter(value, math.inf)


def down(value):
    return math.nextafter(value, -math.inf)


def test_a_bound_is_exact_to_the_last_bit():
    proof = hard()
    fails(edited(proof, model={"margin": up(proof.lower)}), "does not have the margin")
    fails(edited(proof, bound={"upper": down(proof.upper)}), "prove the upper bound")
    proof = soft()
    bounds = proof.soft
    fails(edited(proof, soft={"primal": down(bounds.primal)}), "does not attain")
    fails(edited(proof, soft={"dual": up(bounds.dual)}), "prove the lower bound")
    fails(edited(proof, soft={"upper": down(bounds.upper)}), "prove the upper bound")
    fails(edited(proof, soft={"scale": 2.0}), "does not attain")
    fails(edited(proof, soft={"C": 0.25}), "prove the lower bound")


@pytest.mark.parametrize("errors", [1, 6])
def test_a_wrong_number_of_errors(errors):
    fails(edited(hard(), model={"errors": errors}), "makes 0 errors on the examples, not")


def test_classes_in_another_order():
    proof = hard()
    for order in (("b", "a", "c"), ("a", "c", "b"), ("c", "a", "b")):
        problem = dataclasses.replace(proof.problem, classes=order)
        fails(dataclasses.replace(proof, problem=problem), "margin|own class")
    fails(proof, "margin|own class", y=["b", "a", "c", "b", "a", "c"])


def test_an_absent_class():
    proof = hard()
    problem = dataclasses.replace(proof.problem, classes=("a", "b", "z"))
    fails(dataclasses.replace(proof, problem=problem), "has the label 'c'")
    fails(proof, "no example has the label 'c'", y=["a", "b", "b", "a", "b", "b"])
    with pytest.raises(CertificateError, match="three classes or more"):
        dataclasses.replace(proof, problem=dataclasses.replace(proof.problem, classes=("a", "b")))
    with pytest.raises(CertificateError, match="no positive one"):
        dataclasses.replace(proof, problem=proof.problem.against("a"))
    with pytest.raises(CertificateError, match="4 classes"):
        dataclasses.replace(
            proof, problem=dataclasses.replace(proof.problem, classes=("a", "b", "c", "d"))
        )


def test_a_class_without_weight_takes_no_part():
    weights = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 1.0])
    proof = hard(sample_weight=weights)
    proof.verify(X, Y, sample_weight=weights, check_fingerprint=False)
    weights[1] = 0.0
    with pytest.raises(CertificateError, match="no example of the class 'b'"):
        proof.verify(X, Y, sample_weight=weights, check_fingerprint=False)
    weights[[1, 4]] = 0.0, 1.0
    with pytest.raises(CertificateError, match="example 1 has weight 0, but the support relies"):
        proof.verify(X, Y, sample_weight=weights, check_fingerprint=False)


OWN = WEIGHTS + np.diag([1, 0, 0])
UNBALANCED = np.array([[0, 2, 2], [2, 0, 1], [2, 2, 0]])
ONE_SIDED = np.array([[0, 2, 2], [0, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    ("weights", "rows", "reason"),
    [
        (OWN, [0, 1, 2], "weight on its own class"),
        (UNBALANCED, [0, 1, 2], "do not balance"),
        (ONE_SIDED[:1], [0], "do not balance"),
        # The weights of other examples: with their classes exchanged, they are on their own.
        (WEIGHTS, [0, 2, 4], "weight on its own class"),
    ],
)
def test_weights_that_prove_nothing(weights, rows, reason):
    proof, support = hard(), np.array(rows)
    fails(edited(proof, bound={"weights": weights, "support": support, "upper": 1e9}), reason)
    fails(edited(soft(), soft={"weights": weights, "support": support, "upper": 1e9}), reason)


def test_without_intercepts_weights_need_not_balance():
    maker = JointCertifier.of(X, Y, affine=False)
    proof = maker.hard(
        ACCOUNT, coef=COEF, intercept=None, proof=JointWeighted([1, 2], UNBALANCED[1:])
    )
    proof.verify(X, Y, check_fingerprint=False)
    problem = dataclasses.replace(proof.problem, affine=True)
    fails(dataclasses.replace(proof, problem=problem), "do not balance")


@pytest.mark.parametrize(
    ("weights", "reason"),
    [
        (-WEIGHTS, "negative"),
        (WEIGHTS * 0.5, "whole numbers"),
        (WEIGHTS[:2], "shape"),
        (WEIGHTS[:, :2], "shape"),
        (WEIGHTS * 2**59, r"less than 2\*\*62"),
        (WEIGHTS * (np.arange(3)[:, None] != 1), "has no weight"),
    ],
)
def test_weights_that_are_none(weights, reason):
    with pytest.raises(CertificateError, match=reason):
        edited(hard(), bound={"weights": weights})
    with pytest.raises(CertificateError, match=reason):
        edited(soft(), soft={"weights": weights})


def test_other_scores():
    proof = hard()
    with pytest.raises(CertificateError, match="coef has shape"):
        edited(proof, model={"coef": COEF[:2]})
    with pytest.raises(CertificateError, match="intercepts"):
        edited(proof, model={"intercept": INTERCEPT[:2]})
    with pytest.raises(CertificateError, match="affine is false"):
        edited(hard(False), model={"intercept": INTERCEPT})
    fails(edited(proof, model={"coef": COEF[[1, 0, 2]]}), "margin")
    fails(edited(proof, model={"intercept": INTERCEPT[::-1]}), "margin")
    fails(edited(proof, model={"coef": COEF * 2.0}), "margin")


# Refutations

MIXED_Y = ["a", "a", "b", "b", "c", "c"]
MIXED = np.array([[0.0], [2.0], [1.0], [1.0], [5.0], [7.0]])


def refuted(weights=None):
    maker = JointCertifier.of(MIXED, MIXED_Y, affine=True)
    return maker.refuted(maker.refute_pair(0, 1, Refutation(np.array([0, 1, 2]), weights)))


def test_the_pair_as_it_is():
    for proof in (refuted(), refuted(np.array([1, 1, 2]))):
        assert proof.verify(MIXED, MIXED_Y, check_fingerprint=False).upper == 0.0


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"pair": (0, 2)}, "example 2 is of neither class"),
        ({"pair": (1, 2)}, "example 0 is of neither class"),
        ({"support": np.array([0, 2])}, "independent|does not combine"),
        ({"support": np.array([0, 1, 4])}, "example 4 is of neither class"),
        ({"support": np.array([0, 1]), "weights": np.array([1, 1])}, "not exactly zero"),
        ({"weights": np.array([1, 1, 1])}, "not exactly zero"),
        ({"weights": np.array([1, 2, 3])}, "not exactly zero"),
    ],
)
def test_a_pair_of_other_classes_or_with_other_weights(changes, reason):
    proof = refuted()
    forged = dataclasses.replace(proof.refutation, **changes)
    fails(dataclasses.replace(proof, refutation=forged), reason, MIXED, MIXED_Y)


@pytest.mark.parametrize(
    "refutation",
    [
        JointRefutation(support=np.array([0, 1, 2]), pair=(0, 0)),
        JointRefutation(support=np.array([0, 1, 2]), pair=(0, 3)),
        JointRefutation(support=np.array([0, 1, 2]), pair=(0, 1, 2)),
        JointRefutation(support=np.array([], dtype=int), pair=(0, 1)),
        JointRefutation(support=np.array([0, 1, 2]), pair=(0, 1), wrong=np.array([1])),
        JointRefutation(support=np.array([0, 1, 2]), wrong=np.array([1, 1])),
        JointRefutation(support=np.array([0, 0]), wrong=np.array([1, 1])),
        JointRefutation(support=np.array([0, 1, 9]), wrong=np.array([1, 1, 0])),
        JointRefutation(support=np.array([0, 1, 2]), wrong=np.array([1, 1, 3])),
        JointRefutation(support=np.arange(3), wrong=np.ones(3, int), weights=np.ones(3, int)),
    ],
)
def test_a_refutation_that_is_none(refutation):
    with pytest.raises(CertificateError):
        dataclasses.replace(refuted(), refutation=refutation)


def test_a_basis_of_pairs():
    maker = JointCertifier.of(MIXED, MIXED_Y, affine=True)
    proof = maker.refuted(maker.refute_basis([0, 1, 2], [1, 1, 0]))
    proof.verify(MIXED, MIXED_Y, check_fingerprint=False)

    def forged(support, wrong):
        basis = JointRefutation(support=np.array(support), wrong=np.array(wrong))
        return dataclasses.replace(proof, refutation=basis)

    fails(forged([0, 1, 2], [1, 1, 1]), "own class", MIXED, MIXED_Y)
    fails(forged([0, 1, 2], [1, 2, 0]), "independent", MIXED, MIXED_Y)
    fails(forged([0, 2, 3], [1, 0, 0]), "independent|signs|more than one", MIXED, MIXED_Y)
    fails(forged([0, 1, 2, 3], [1, 1, 0, 0]), "more than one way", MIXED, MIXED_Y)
    moved = MIXED * [[1], [1], [9], [1], [1], [1]]
    fails(forged([0, 1, 2], [1, 1, 0]), "independent|signs", moved, MIXED_Y)
    assert maker.refute_basis(np.zeros(1001, int), np.ones(1001, int)) is None


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_a_large_basis_is_decided_in_floating_point(store):
    """Three classes whose examples have one sum: the flow from each to the next is zero."""
    rng, d = np.random.default_rng(0), 20
    codes = np.repeat([0, 1, 2], [14, 14, 13])
    rows = rng.integers(-9, 10, (codes.size, d)).astype(float)
    for code in (1, 2):
        mine = np.flatnonzero(codes == code)
        rows[mine[-1]] = rows[codes == 0].sum(axis=0) - rows[mine[:-1]].sum(axis=0)
    maker = JointCertifier.of(rows, codes, affine=False)
    refutation = maker.refute_basis(np.arange(codes.size), (codes + 1) % 3)
    proof = maker.refuted(refutation)
    assert "41 pairs" in str(proof.verify(store(rows), codes))
    spoilt = rows.copy()
    spoilt[0] *= -1.0
    fails(proof, "signs|independent", store(spoilt), codes)
    assert maker.refute_basis(np.arange(codes.size), (codes + 2) % 3) is not None
    assert maker.refute_basis(np.arange(40), (codes[:40] + 1) % 3) is None


def test_a_forged_refutation_of_classes_that_are_separable():
    proof = hard()
    fake = JointRefutation(support=np.array([0, 1]), pair=(0, 1), weights=np.array([1, 1]))
    forged = dataclasses.replace(
        proof,
        refutation=fake,
        model=None,
        bound=None,
        account=Account(status=Status.NOT_SEPARABLE),
    )
    fails(forged, "not exactly zero")
    zero = JointBound(upper=0.0, support=proof.support, weights=proof.weights)
    forged = dataclasses.replace(
        proof, model=None, bound=zero, account=Account(status=Status.NOT_SEPARABLE)
    )
    assert not forged
    fails(forged, "prove the upper bound")
    with pytest.raises(CertificateError, match="is above the upper bound"):
        dataclasses.replace(proof, refutation=fake)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_nan_in_any_row_is_refused(value, store):
    spoilt = X.copy()
    spoilt[5, 1] = value
    for proof in (hard(), soft(), dataclasses.replace(hard(), model=None)):
        fails(proof, "row 5", store(spoilt))
    spoilt = MIXED.copy()
    spoilt[5, 0] = value
    fails(refuted(), "row 5", store(spoilt), MIXED_Y)


@pytest.mark.parametrize("status", [Status.SEPARATED, Status.NOT_SEPARABLE, Status.GAP_REACHED])
def test_a_status_that_contradicts_the_claims(status):
    soft_account = Account(status=status)
    with pytest.raises(CertificateError, match="status"):
        dataclasses.replace(soft(), account=soft_account)
    undecided = dataclasses.replace(hard(), model=None)
    with pytest.raises(CertificateError, match="status"):
        dataclasses.replace(undecided, account=soft_account)
