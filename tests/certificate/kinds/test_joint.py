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
    Certifier,
    Joint,
    JointCertifier,
    JointWeighted,
    Refutation,
    Status,
    Undecided,
    Weighted,
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


def random_case(seed, K=4):
    """Integer examples, scores and weights of pairs, some of which do not balance."""
    random = np.random.default_rng(seed)
    X, codes = random.integers(0, 9, (12, 3)).astype(float), np.arange(12) % K
    coef, intercept = random.integers(-3, 4, (K, 3)) + 0.0, random.integers(-3, 4, K) + 0.0
    lambdas = random.integers(0, 4, (12, K))
    lambdas[np.arange(12), codes] = 0
    return X, codes, coef, intercept, lambdas


def numbers(model):
    soft = model.soft
    return model.margin, model.errors, soft.primal, soft.dual, soft.upper


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_the_classes_changes_nothing(seed):
    X, codes, coef, intercept, lambdas = random_case(seed)
    first = JointCertifier.of(X, codes, affine=True).soft_model(
        coef, intercept, C=0.5, proof=JointWeighted(np.arange(12), lambdas)
    )
    order = np.random.default_rng(seed).permutation(4)
    places = np.argsort(order)
    # Which examples complete a flow may depend on the order: these are balanced already.
    given = first.soft.support, first.soft.weights
    second = JointCertifier.of(X, order[codes], affine=True).soft_model(
        coef[places], intercept[places], C=0.5, proof=JointWeighted(given[0], given[1][:, places])
    )
    # Ties are decided by the order, so that errors may differ.
    assert numbers(first)[2:] == numbers(second)[2:] and first.margin == second.margin


@pytest.mark.parametrize("seed", range(5))
def test_translation_changes_nothing_with_intercepts(seed):
    X, codes, coef, intercept, lambdas = random_case(seed)
    shift = np.array([7.0, -100.0, 3.0])
    proof = JointWeighted(np.arange(12), lambdas)
    first, second = (
        JointCertifier.of(rows, codes, affine=True).soft_model(coef, b, C=0.5, proof=proof)
        for rows, b in ((X, intercept), (X + shift, intercept - coef @ shift))
    )
    assert numbers(first) == numbers(second)


@pytest.mark.parametrize("affine", [False, True])
def test_weights_of_two_classes_alone_prove_the_bounds_of_these_two(affine):
    X, codes, _, _, _ = random_case(0, K=3)
    rows = np.flatnonzero(codes < 2)
    # Both classes have the weight 15.
    weights = np.array([3, 1, 4, 1, 5, 9, 3, 4])
    signs = 2 * codes[rows] - 1
    lambdas = np.zeros((rows.size, 3), dtype=int)
    lambdas[np.arange(rows.size), 1 - codes[rows]] = weights
    together = JointCertifier.of(X, codes, affine=affine)
    mine = together.soft_model(np.eye(3), C=0.5, proof=JointWeighted(rows, lambdas)).soft
    alone = Certifier.of(X[rows], codes[rows], positive=1, affine=affine)
    binary = alone.soft_model(np.ones(3), C=0.5, proof=Weighted(np.arange(rows.size), weights)).soft
    assert mine.upper == pytest.approx(binary.upper, rel=1e-12)
    assert mine.dual == pytest.approx(binary.dual, rel=1e-12)
    pair = together.pair(0, 1)
    again = pair.soft_model(np.ones(3), C=0.5, proof=Weighted(rows, weights)).soft
    assert (again.upper, again.dual, again.primal) == (binary.upper, binary.dual, binary.primal)
    assert pair.examples.signs[rows].tolist() == signs.tolist()


STORES = {
    "float64": np.asarray,
    "F": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "uint8": lambda X: X.astype(np.uint8),
    "int32": lambda X: X.astype(np.int32),
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
}


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("exponents", [None, (1, -3, 2)])
@pytest.mark.parametrize("large", [False, True])
def test_every_store_has_the_same_certificate(store, exponents, large):
    X, codes, coef, intercept, lambdas = random_case(1)
    if large:
        X, codes, lambdas = np.tile(X, (100, 1)), np.tile(codes, 100), np.tile(lambdas, (100, 1))
    options = {"affine": True, "class_weights": (1.0, 0.5, 2.0, 1.0), "exponents": exponents}
    options["sample_weight"] = np.resize([1.0, 2.0, 0.0, 0.5, 1.5], len(X))
    lambdas = lambdas * (options["sample_weight"] > 0.0)[:, None]
    proof = JointWeighted(np.arange(len(X)), lambdas)
    maker = JointCertifier.of(STORES[store](X), codes, **options)
    made = maker.soft(ASKED, maker.soft_model(coef, intercept, C=0.5, proof=proof))
    found = made.verify(X, codes, sample_weight=options["sample_weight"])
    assert found.counts == tuple(
        int((options["sample_weight"][codes == code] > 0.0).sum()) for code in range(4)
    )
    plain = JointCertifier.of(X, codes, **options)
    again = plain.soft(ASKED, plain.soft_model(coef, intercept, C=0.5, proof=proof))
    assert again.verify(STORES[store](X), codes, sample_weight=options["sample_weight"])
    assert numbers(made.model)[2:] == pytest.approx(numbers(again.model)[2:], rel=1e-12)
    assert made.errors == again.errors and made.lower == pytest.approx(again.lower, rel=1e-12)


def test_rescaling_attains_the_least_multiple():
    X, codes, coef, intercept, lambdas = random_case(2)
    maker = JointCertifier.of(X, codes, affine=True)
    proof = JointWeighted(np.arange(12), lambdas)
    plain = maker.soft_model(coef, intercept, C=0.5, proof=proof)
    best = maker.soft_model(coef, intercept, C=0.5, proof=proof, rescale=True)
    assert best.soft.primal < plain.soft.primal and best.soft.scale != 1.0
    exact = truth.primal(X, codes, best.soft.scale * coef, best.soft.scale * intercept, 0.5)
    assert Fraction(best.soft.primal) >= exact
    maker.soft(ASKED, best).verify(X, codes)


def test_bounds_that_miss_the_gap_by_rounding_are_exact():
    X, y = np.tile(LINE, (700, 1)), NAMES * 700
    coef, intercept = np.multiply(COEF, 0.5), np.multiply(INTERCEPT, 0.5)
    maker = JointCertifier.of(X, y, affine=True)
    proof = JointWeighted(np.arange(len(X)), np.tile(PROOF.weights, (700, 1)))
    rough = maker.soft_model(coef, intercept, C=0.5, proof=proof)
    tol = math.nextafter(rough.soft.gap, 0.0)
    exact = maker.soft_model(coef, intercept, C=0.5, proof=proof, tol=tol)
    assert exact.soft.gap < rough.soft.gap
    assert maker.soft(Account(status=Status.GAP_REACHED, tol=tol), exact).status is (
        Status.GAP_REACHED
    )


def test_the_better_of_two_proofs_is_kept():
    X, codes, coef, intercept, lambdas = random_case(4)
    maker = JointCertifier.of(X, codes, affine=True)
    first = JointWeighted(np.arange(12), lambdas)
    second = JointWeighted([0, 1], [[0, 1, 0, 0], [1, 0, 0, 0]])
    bounds = [
        maker.hard(CONVERGED, coef=coef, intercept=intercept, proof=proof, also=also).upper
        for proof, also in ((first, None), (second, None), (first, second), (second, first))
    ]
    assert bounds[2] == bounds[3] == min(bounds[:2])
    alone = maker.hard(CONVERGED, coef=coef, intercept=intercept)
    assert alone.upper == math.inf and not alone.support.size
    assert "no linear model has a margin" not in str(alone.verify(X, codes))


def test_names_and_a_cryptographic_hash():
    proof = separation().named(target="height", feature_names=("x",)).with_sha256(LINE, NAMES)
    assert "target 'height'" in str(proof.verify(LINE, NAMES))
    with pytest.raises(CertificateError, match="not the data"):
        proof.verify(LINE + 1.0, NAMES)
    assert Certificate.from_json(proof.to_json()) == proof
    assert "#2e7d32" in proof._repr_html_()
