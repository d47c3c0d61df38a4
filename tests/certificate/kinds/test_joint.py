"""Several classes together: true claims verify, false ones fail."""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate import (
    Account,
    Certificate,
    CertificateError,
    Joint,
    JointCertifier,
    JointWeighted,
    Refutation,
    Status,
    Undecided,
)
from tests.certificate import joint_truth as truth

LINE, NAMES = np.array([[0.0], [2.0], [4.0]]), ["low", "middle", "top"]
COEF, INTERCEPT = [[-1.0], [0.0], [1.0]], [1.0, 0.0, -3.0]
PROOF = JointWeighted([0, 1, 2], [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
CONVERGED = Account(status=Status.CONVERGED, asked="Classic()", n_updates=7)
ASKED = Account(status=Status.GAP_REACHED, asked="MaxMargin()", tol=1.0)
MIXED, MIXED_Y = np.array([[0.0], [2.0], [4.0], [1.0], [0.0]]), ["a", "a", "c", "b", "b"]


def separation():
    maker = JointCertifier.of(LINE, NAMES, affine=True)
    return maker.hard(CONVERGED, coef=COEF, intercept=INTERCEPT, proof=PROOF)


def test_three_points_on_a_line_by_hand():
    # Leads 1, 1 and 1, the norm of W is sqrt(2): the margin is 1/2, half the least distance.
    proof = separation()
    assert (proof.lower, proof.upper, proof.errors, bool(proof)) == (0.5, 0.5, 0, True)
    found = proof.verify(LINE, NAMES)
    assert (found.lower, found.upper, found.errors, found.counts) == (0.5, 0.5, 0, (1, 1, 1))
    assert "the model separates all 3 classes from each other with margin at least 0.5" in str(
        found
    )
    assert "no linear model has more than 0.5" in str(found)
    assert "against the rest" not in str(proof) + str(found)


def test_a_soft_margin_by_hand():
    maker = JointCertifier.of(LINE, NAMES, affine=True)
    model = maker.soft_model(
        np.multiply(COEF, 0.5), np.multiply(INTERCEPT, 0.5), C=2.0, proof=PROOF
    )
    # ‖W‖² = 1/2 and three hinges of 1/2; weights with T = 4, |Σ a z| = T/2, and 1, 2, 1 by example.
    assert model.soft.primal == 0.5 + 2.0 * 3 * 0.25
    q = Fraction(4) + Fraction(1 + 4 + 1, 4)
    exact = Fraction(16) / (2 * q)
    assert Fraction(model.soft.dual) <= exact < Fraction(math.nextafter(model.soft.dual, 2.0))
    proof = maker.soft(ASKED, model)
    assert bool(proof)  # its model separates the classes
    found = proof.verify(LINE, NAMES)
    assert (found.primal, found.dual) == (model.soft.primal, model.soft.dual)


def test_a_pair_of_classes_that_nothing_separates():
    maker = JointCertifier.of(MIXED, MIXED_Y, affine=True)
    refutation = maker.refute_pair(0, 1, Refutation(np.array([0, 1, 3]), None))
    proof = maker.refuted(refutation, maker.model(COEF, INTERCEPT))
    assert not proof
    found = proof.verify(MIXED, MIXED_Y)
    assert found.upper == 0.0
    assert str(found).startswith(
        "Verified: no linear model separates the classes: no hyperplane separates 'a' (2) from "
        "'b' (2); a weighted sum of 3 signed examples is exactly zero."
    )
    assert maker.refute_pair(0, 2, Refutation(np.array([0, 1, 3]), None)) is None
    assert maker.refute_pair(0, 1, Refutation(np.array([1, 3]), None)) is None


def test_a_basis_of_pairs_of_three_classes():
    # No two of the classes meet, but each score would have to be larger than the next at one point.
    X, y = np.zeros((3, 1)), ["a", "b", "c"]
    maker = JointCertifier.of(X, y, affine=True)
    refutation = maker.refute_basis([0, 1, 2], [1, 2, 0])
    proof = maker.refuted(refutation)
    assert not proof
    assert "3 pairs of an example and a wrong class" in str(proof.verify(X, y))
    assert maker.refute_basis([0, 1], [1, 2]) is None


def test_undecided():
    maker = JointCertifier.of(MIXED, MIXED_Y, affine=True)
    known = JointWeighted([1, 3], [[0, 1, 0], [1, 0, 0]])
    proof = maker.hard(Account(status=Status.MAX_ITER), coef=COEF, intercept=INTERCEPT, proof=known)
    assert proof.upper == 0.5
    with pytest.raises(Undecided, match="neither proved"):
        bool(proof)
    assert "it is not decided whether a linear model separates" in str(proof.verify(MIXED, MIXED_Y))


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array, np.asfortranarray, np.float32])
def test_documents_read_back(store):
    proof = separation()
    again = Certificate.from_json(proof.to_json())
    assert again == proof and isinstance(again, Joint)
    again.verify(store(LINE), NAMES)
    with pytest.raises(CertificateError, match="margin"):
        wrong = dataclasses.replace(proof.model, margin=math.nextafter(0.5, 1.0))
        dataclasses.replace(
            proof, model=wrong, bound=dataclasses.replace(proof.bound, upper=1.0)
        ).verify(store(LINE), NAMES)


@pytest.mark.parametrize("affine", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_bounds_are_those_of_fractions(seed, affine):
    random = np.random.default_rng(seed)
    n, d, K = random.integers(4, 9), random.integers(1, 4), random.integers(3, 5)
    X = random.integers(-4, 5, (n, d)).astype(float)
    codes = np.append(np.arange(K), random.integers(0, K, n))[:n] % K
    n, X, codes = max(n, K), np.vstack([X, X])[: max(n, K)], np.resize(codes, max(n, K))
    weights = random.integers(1, 4, n).astype(float) if seed % 2 else None
    maker = JointCertifier.of(X, codes, affine=affine, sample_weight=weights)
    coef, b = random.integers(-3, 4, (K, d)) + 0.0, (random.integers(-3, 4, K) + 0.0) * affine
    lambdas = random.random((n, K)) * (random.random((n, K)) < 0.5)
    lambdas[np.arange(n), codes] = 0.0
    given = JointWeighted(np.arange(n), lambdas)
    model = maker.soft_model(coef, b, C=0.3, proof=given)
    if coef.any():
        assert model.margin == truth.margin(X, codes, coef, b)
    assert model.errors == truth.errors(X, codes, coef, b)
    exact = truth.primal(X, codes, coef, b, 0.3, weights)
    soft = model.soft
    assert Fraction(math.nextafter(soft.primal, 0.0)) < exact <= Fraction(soft.primal)
    if soft.support.size:
        assert not affine or truth.balances(codes, soft.support, soft.weights)
        square = truth.hull_square(X, codes, soft.support, soft.weights)
        assert Fraction(soft.upper) ** 2 >= square
        assert soft.upper == 0.0 or Fraction(math.nextafter(soft.upper, 0.0)) ** 2 < square
        best = truth.dual(X, codes, soft.support, soft.weights, 0.3, weights)
        assert Fraction(soft.dual) <= best < Fraction(math.nextafter(soft.dual, math.inf))
    maker.soft(ASKED, model).verify(X, codes, sample_weight=weights)
