"""Soft margins with the hinge loss: bounds in fractions, old files, forgeries that must fail."""

import dataclasses
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from novikoff import MaxMargin
from novikoff.certificate import (
    Account,
    Certificate,
    CertificateError,
    Certifier,
    JointCertifier,
    JointWeighted,
    Status,
    Weighted,
)
from novikoff.certificate.exact.hull import largest_weight
from tests.certificate import joint_truth, truth

ACCOUNT = Account(status=Status.MAX_ITER)
X = np.array([[0.0, 0.0], [4.0, 0.0], [0.0, 4.0], [-1.0, -1.0], [1.0, 1.0], [1.0, 7.0]])
Y = np.array(["a", "b", "c", "a", "b", "c"])
CODES = np.array([0, 1, 2, 0, 1, 2])
SIGNS = np.where(Y == "b", 1, -1)
COEF, INTERCEPT = np.array([[-0.2, -0.2], [0.4, 0.0], [0.0, 0.3]]), np.array([0.5, -0.2, -0.3])
WEIGHTS = np.array([[0, 2, 2], [2, 0, 1], [2, 1, 0], [0, 1, 0], [1, 0, 0]])
COSTS = np.array([1.0, 0.3, 2.0, 1.0, 0.5, 1.0])


def joint(affine=True, C=0.05, weighted=False, loss="hinge"):
    costs = COSTS if weighted else None
    maker = JointCertifier.of(X, Y, affine=affine, sample_weight=costs)
    proof = JointWeighted([0, 1, 2, 3, 4], WEIGHTS)
    model = maker.soft_model(COEF, INTERCEPT * affine, C=C, proof=proof, loss=loss)
    return maker.soft(ACCOUNT, model)


def binary(affine=True, C=0.05, weighted=False, loss="hinge"):
    costs = COSTS if weighted else None
    y = np.where(SIGNS > 0, "b", "other")
    maker = Certifier.of(X, y, positive="b", affine=affine, sample_weight=costs)
    proof = Weighted([0, 1, 4, 5], [0.5, 0.25, 1.0, 0.75])
    model = maker.soft_model([0.3, -0.2], 0.1 * affine, C=C, proof=proof, loss=loss)
    return maker.soft(ACCOUNT, model)


def labels_of(proof):
    return Y if len(proof.problem.classes) == 3 else np.where(SIGNS > 0, "b", "other")


def check(proof, weighted=False):
    costs = COSTS if weighted else None
    return proof.verify(X, labels_of(proof), sample_weight=costs, check_fingerprint=False)


def dual_on_the_ray(square, total, shares, costs, C):
    """The largest t total - t^2 square/2 with every t share within its penalty."""
    room = min(Fraction(C) * Fraction(float(s)) / a for a, s in zip(shares, costs, strict=True))
    t = min(room, Fraction(total) / square)
    return t * total - t * t * square / 2


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("C", [0.01, 0.5, 100.0])
def test_the_bounds_of_several_classes_are_those_of_fractions(affine, weighted, C):
    proof = joint(affine, C, weighted)
    soft, costs = proof.soft, COSTS if weighted else np.ones(len(X))
    model = COEF, INTERCEPT * affine, C, costs
    primal = joint_truth.primal(X, CODES, *model, power=1)
    support, weights = soft.support.tolist(), soft.weights.tolist()
    square = joint_truth.hull_square(X, CODES, support, weights)
    total = sum(map(sum, weights))
    shares = [Fraction(sum(row), total) for row in weights]
    dual = dual_on_the_ray(square, 1, shares, costs[support], C)
    assert primal <= soft.primal <= math.nextafter(float(primal), math.inf)
    assert math.nextafter(float(dual), -math.inf) <= soft.dual <= dual
    found = check(proof, weighted)
    assert (found.primal, found.dual) == (soft.primal, soft.dual)


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("C", [0.01, 0.5, 100.0])
def test_the_bounds_of_two_classes_are_those_of_fractions(affine, weighted, C):
    proof = binary(affine, C, weighted)
    soft, costs = proof.soft, COSTS if weighted else np.ones(len(X))
    primal = truth.primal(X, SIGNS, proof.model.coef, proof.model.intercept, C, costs, power=1)
    support, weights = soft.support.tolist(), [Fraction(a) for a in soft.weights.tolist()]
    square, _ = truth.hull_square(X, SIGNS, soft.support, soft.weights, affine, costs)
    sides = [SIGNS[i] if affine else 1 for i in support]
    totals = {s: sum(a for a, t in zip(weights, sides, strict=True) if t == s) for s in sides}
    shares = [a / totals[s] for a, s in zip(weights, sides, strict=True)]
    dual = dual_on_the_ray(square, len(totals), shares, costs[support], C)
    assert primal <= soft.primal <= math.nextafter(float(primal), math.inf)
    assert math.nextafter(float(dual), -math.inf) <= soft.dual <= dual
    found = check(proof, weighted)
    assert (found.primal, found.dual) == (soft.primal, soft.dual)


def test_the_dual_is_below_the_optimum_of_the_hinge():
    """At a small C every weight is at its bound: the dual is that of C s on every example."""
    X = np.array([[1.0], [-1.0]])
    maker = Certifier.of(X, [1, 0], positive=1, affine=True)
    model = maker.soft_model([0.25], 0.0, C=0.125, proof=Weighted([0, 1], [1, 1]), loss="hinge")
    # w = 2 a, a = C: 2 C - (2 C)^2/2.
    assert (model.soft.dual, model.soft.primal) == (0.21875, 0.21875)


def edited(proof, model=None, **soft):
    changed = dataclasses.replace(proof.model, soft=dataclasses.replace(proof.model.soft, **soft))
    return dataclasses.replace(proof, model=dataclasses.replace(changed, **(model or {})))


PROOFS = {
    "joint": joint,
    "joint without intercepts": lambda: joint(affine=False),
    "binary": binary,
    "binary without intercept": lambda: binary(affine=False),
}


def fails(proof, match):
    with pytest.raises(CertificateError, match=match):
        check(proof)


@pytest.mark.parametrize("name", PROOFS)
def test_forgeries_fail(name):
    proof = PROOFS[name]()
    soft = proof.soft
    check(proof)
    fails(edited(proof, dual=math.nextafter(soft.dual, math.inf)), "prove the lower bound")
    fails(edited(proof, primal=math.nextafter(soft.primal, -math.inf)), "does not attain")
    fails(edited(proof, upper=math.nextafter(soft.upper, 0.0)), "prove the upper bound")
    # At this C some weights are at their bound, and hinges are not all 0: both bounds grow with C.
    fails(edited(proof, C=0.04), "prove the lower bound")
    fails(edited(proof, C=0.06), "does not attain")


@pytest.mark.parametrize("name", PROOFS)
def test_weights_beyond_their_bound_prove_less(name):
    """All the weight on one example of each class: more than C s, if the dual were as before."""
    proof = PROOFS[name]()
    soft = proof.soft
    weights = soft.weights.copy()
    weights[weights.argmax() // (weights.shape[1] if weights.ndim == 2 else 1)] *= 1000
    if soft.weights.ndim == 2 and proof.problem.affine:
        fails(edited(proof, weights=weights), "do not balance")
        weights = soft.weights.copy()
        # A circle between the first and the second class alone.
        weights[0, 1], weights[1, 0] = weights[0, 1] + 1000, weights[1, 0] + 1000
    fails(edited(proof, weights=weights, upper=math.inf), "prove the lower bound")


@pytest.mark.parametrize("name", ["joint", "binary"])
def test_an_unbalanced_flow_is_refused(name):
    proof = PROOFS[name]()
    if name == "joint":
        weights = proof.soft.weights.copy()
        weights[0, 1] += 1
        fails(edited(proof, weights=weights), "do not balance")
        return
    # Two classes are normalised apart, so their weights always balance; all on one side do not.
    one_side = np.where(SIGNS[proof.soft.support] > 0, proof.soft.weights, 0.0)
    fails(edited(proof, weights=one_side), "prove the lower bound")


def near_optimum(loss):
    """A proof whose bounds meet: swapping its loss must make one of them false."""
    X = np.array([[1.0], [-1.0], [0.25], [-3.0]])
    y = np.array([1, 0, 0, 1])
    clf = MaxMargin(C=0.7, loss=loss, fit_intercept=False, tol=1e-9).fit(X, y)
    return X, y, clf.certificate_


@pytest.mark.parametrize(
    ("loss", "other"), [("hinge", "squared_hinge"), ("squared_hinge", "hinge")]
)
def test_the_loss_cannot_be_swapped(loss, other):
    X, y, proof = near_optimum(loss)
    proof.verify(X, y)
    with pytest.raises(CertificateError, match=r"does not attain|prove the lower bound"):
        edited(proof, loss=other).verify(X, y, check_fingerprint=False)


def test_an_unknown_loss_is_refused():
    with pytest.raises(CertificateError, match="loss must be one of squared_hinge, hinge"):
        edited(joint(), loss="logistic")


@pytest.mark.parametrize("make", [joint, binary])
def test_files_state_the_loss_and_old_ones_have_the_squared_hinge(make):
    proof = make()
    document = json.loads(proof.to_json())
    assert document["model"]["soft"]["loss"] == "hinge"
    assert Certificate.from_json(proof.to_json()) == proof
    squared = make(loss="squared_hinge")
    document = json.loads(squared.to_json())
    assert "loss" not in document["model"]["soft"]
    read = Certificate.from_json(json.dumps(document))
    assert read.model.soft.loss == "squared_hinge"
    assert check(read) == check(squared)
    document["model"]["soft"]["loss"] = "squared_hinge"
    assert Certificate.from_json(json.dumps(document)) == squared
    document["model"]["soft"]["loss"] = 1
    with pytest.raises(CertificateError, match="loss"):
        Certificate.from_json(json.dumps(document))


@pytest.mark.parametrize("make", [joint, binary])
def test_sentences_name_the_loss(make):
    proof = make()
    assert "For C = 0.05 and the hinge loss the" in str(proof)
    assert "C = 0.05 and the hinge loss" in proof.headline()
    assert "hinge" not in str(make(loss="squared_hinge"))


@given(
    st.lists(
        st.tuples(
            st.floats(2.0**-1060, 2.0**1000) | st.integers(1, 1 << 60),
            st.floats(2.0**-1060, 2.0**1000),
        ),
        min_size=1,
        max_size=8,
    )
)
def test_the_largest_share_is_exact(pairs):
    weights, costs = map(list, zip(*pairs, strict=True))
    given_weights = np.array(weights, dtype=np.float64)
    exact = max(
        Fraction(a) / Fraction(s) for a, s in zip(given_weights.tolist(), costs, strict=True)
    )
    found = largest_weight(given_weights, np.array(costs))
    assert Fraction(int(found.p), int(found.q)) == exact
    whole = [int(a) for a in weights if a == int(a) and a < 1 << 60]
    if whole:
        assert int(largest_weight(np.array(whole), None)) == max(whole)
