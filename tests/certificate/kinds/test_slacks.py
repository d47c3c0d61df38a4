"""NonSeparation by the slacks of a hyperplane: verified, stored, and told in sentences."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

from novikoff.certificate import (
    Certificate,
    CertificateError,
    Certifier,
    Examples,
    NonSeparation,
    PerClass,
    Refutation,
    Relation,
    Status,
    problem_of,
)
from novikoff.run.slack_proof import refute_by_slacks
from tests.certificate import sentences
from tests.certificate.exact.test_vanishing import near_optimum, noisy
from tests.certificate.samples import CORNERS, CORNERS_Y, corner_slacks, make, replaced_slacks
from tests.certificate.strategies import STORES
from tests.certificate.verdict import accepted, agrees, is_true, replaced

MAKER = make(CORNERS, CORNERS_Y)
PROOF = MAKER.refuted(MAKER.refute_by_slacks(corner_slacks(), [0, 1, 2]))


@pytest.mark.parametrize("store", STORES)
def test_the_corners_of_a_square(store):
    verified = PROOF.verify(STORES[store](CORNERS), CORNERS_Y)
    assert str(verified) == (
        "Verified: no hyperplane separates 'a' (3) from 'b' (2); a weighted sum of 4 signed "
        "examples is exactly zero. All 5 examples take part, without weights; hyperplanes with an "
        "intercept."
    )
    assert sentences.is_true(verified, PROOF, CORNERS, CORNERS_Y)
    assert (verified.upper, verified.lower, verified.n_exact) == (0.0, None, 4)
    assert PROOF.status is Status.NOT_SEPARABLE and not PROOF
    assert str(PROOF).startswith(
        "Not separable: no hyperplane separates the 5 examples.\nThe slacks of a hyperplane prove "
        "it: with weights that differ from them on 3 examples, a weighted average of one class "
        "equals one of the other, exactly.\nProblem:"
    )
    assert repr(PROOF) == ("<NonSeparation: not separable, the slacks of a hyperplane prove it>")


def test_other_proofs_are_stored_as_before():
    document = MAKER.refuted(Refutation(np.array([0, 1, 2, 3]), np.ones(4, dtype=int))).to_dict()
    assert list(document) == [
        "format",
        "version",
        "kind",
        "problem",
        "account",
        "support",
        "weights",
        "model",
    ]
    assert PROOF.to_dict()["slacks"] == {
        "coef": [0.0] * 4,
        "intercept": 0.0,
        "threshold": 0.5,
        "without": [3],
        "relations": [{"columns": [2, 0], "coefs": [1.0, -1.0]}],
    }


def test_columns_that_are_replaced():
    found = MAKER.refute_by_slacks(replaced_slacks(), [0, 1, 2])
    proof = MAKER.refuted(found)
    assert is_true(proof, CORNERS, CORNERS_Y) and accepted(proof, CORNERS, CORNERS_Y)
    assert Certificate.from_json(proof.to_json()) == proof != PROOF
    document = proof.to_dict()["slacks"]
    assert document.pop("remainders") == [{"columns": [1, 0, 0], "coefs": [0.5, -0.25, -0.25]}]
    assert document.keys() == PROOF.to_dict()["slacks"].keys()
    # The same hyperplane in the columns of the data.
    same = corner_slacks(coef=np.array([0.0, 0.25, 0.0, 0.0]), intercept=-0.125)
    same = same.checked(MAKER.problem).violations(MAKER.examples, affine=True)
    new = replaced_slacks().checked(MAKER.problem).violations(MAKER.examples, affine=True)
    assert np.array_equal(same.weights, new.weights)


@pytest.mark.parametrize(
    ("remainder", "message"),
    [
        (Relation(np.array([5, 0]), np.ones(2)), "refers to column 5"),
        (Relation(np.array([1, 1]), np.ones(2)), "twice"),
        (Relation(np.array([1, 0]), np.array([0.0, 1.0])), "coefficient of zero"),
        (Relation(np.array([1, 0]), np.array([np.inf, 1.0])), "an infinity"),
        (Relation(np.array([1, 0]), np.ones(3)), "coef has shape"),
    ],
)
def test_remainders_that_are_not_sound_are_named(remainder, message):
    with pytest.raises(CertificateError, match=message):
        dataclasses.replace(PROOF, slacks=corner_slacks(remainders=(remainder,)))


@pytest.mark.parametrize(
    ("remainder", "message"),
    [
        # The intercept is no feature; the third column is left out, and the second one is not.
        (Relation(np.array([4, 0]), np.ones(2)), "no feature"),
        (Relation(np.array([2, 1]), np.ones(2)), "not needed"),
        (Relation(np.array([1, 2]), np.ones(2)), "not solved"),
        (Relation(np.array([1, 4]), np.array([1.0, -1e30])), "not proved to be close"),
        (Relation(np.array([1, 4]), np.array([1.0, -1e308])), "too large"),
    ],
)
def test_remainders_that_prove_nothing_are_named(remainder, message):
    slacks = corner_slacks(remainders=(remainder,))
    with pytest.raises(CertificateError, match=message):
        dataclasses.replace(PROOF, slacks=slacks).verify(CORNERS, CORNERS_Y)
    assert MAKER.refute_by_slacks(slacks, [0, 1, 2]) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"threshold": -1.0}, "not negative"),
        ({"threshold": math.inf}, "finite"),
        ({"without": [4]}, "refers to column 4"),
        ({"without": [0, 0]}, "twice"),
        ({"without": [0.5]}, "list of columns"),
        ({"coef": np.zeros(3)}, "4 features"),
        ({"intercept": math.nan}, "finite"),
        ({"relations": (Relation(np.array([5, 0]), np.ones(2)),)}, "refers to column 5"),
        ({"relations": (Relation(np.array([0, 0]), np.ones(2)),)}, "twice"),
        ({"relations": (Relation(np.array([2, 0]), np.array([1.0, 0.0])),)}, "coefficient of zero"),
        ({"relations": (Relation(np.array([2, 0]), np.ones(3)),)}, "coef has shape"),
        ({"relations": (Relation(np.array([], dtype=int), np.ones(0)),)}, "coefficient of zero"),
    ],
)
def test_parts_that_are_not_sound_are_named(change, message):
    with pytest.raises(CertificateError, match=message):
        dataclasses.replace(PROOF, slacks=corner_slacks(**change))
    assert MAKER.refute_by_slacks(corner_slacks(**change), [0, 1, 2]) is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"threshold": 1.0}, "needs? a support of 0"),
        ({"without": []}, "not exactly the combination"),
        ({"without": [], "relations": ()}, "support of 5"),
        ({"relations": ()}, "support of 4"),
        ({"intercept": 0.4}, "not proved to be close"),
        ({"relations": (Relation(np.array([2, 1]), np.array([1.0, -1.0])),)}, "not exactly the"),
        ({"coef": np.array([0, 0, 0, 1e308]), "intercept": 1e308}, "not a finite number"),
    ],
)
def test_what_is_not_proved_is_named(change, message):
    with pytest.raises(CertificateError, match=message):
        dataclasses.replace(PROOF, slacks=corner_slacks(**change)).verify(CORNERS, CORNERS_Y)
    assert MAKER.refute_by_slacks(corner_slacks(**change), [0, 1, 2]) is None


def test_there_are_no_other_weights():
    with pytest.raises(CertificateError, match="those of the slacks"):
        dataclasses.replace(PROOF, weights=np.ones(3))


def problem(rng, n=60, d=3):
    X, signs = noisy(rng, n, d)
    w, b = near_optimum(rng, X, signs, True, 1e-6)
    return X, signs, w, b


def proof_of(X, signs, w, b):
    """The proof by the slacks of a hyperplane, if they are one."""
    certifier = Certifier.of(X, signs, positive=1, affine=True)
    found = refute_by_slacks(certifier, w, b)
    return None if found is None else certifier.refuted(found, certifier.model(w, b))


def test_most_of_the_edited_problems_have_a_proof():
    drawn = (problem(np.random.default_rng(seed), n=20, d=2) for seed in range(100))
    assert sum(proof_of(*each) is not None for each in drawn) > 80


@given(seed=st.integers(0, 2**32), data=st.data())
def test_after_an_edit_only_the_truth_is_accepted(seed, data):
    rng = np.random.default_rng(seed)
    X, signs, w, b = problem(rng, n=20, d=2)
    proof = proof_of(X, signs, w, b)
    assume(proof is not None)
    assert is_true(proof, X, signs.tolist()) and accepted(proof, X, signs)
    row = data.draw(st.integers(0, len(X) - 1))
    edits = ["label", "example", "coef", "threshold", "support", "errors"]
    edit = data.draw(st.sampled_from(edits))
    slacks = proof.slacks
    if edit == "label":
        signs[row] *= -1
    elif edit == "example":
        X[row] *= data.draw(st.sampled_from([0.0, -1.0, 1.0 + 2.0**-52, 10.0]))
    elif edit == "coef":
        coef = slacks.coef * data.draw(st.sampled_from([0.0, 0.5, 0.999, 2.0]))
        proof = replaced(proof, slacks=dataclasses.replace(slacks, coef=coef))
    elif edit == "threshold":
        threshold = data.draw(st.sampled_from([0.0, 1e-3, 0.1, 1.0]))
        proof = replaced(proof, slacks=dataclasses.replace(slacks, threshold=threshold))
    elif edit == "support":
        proof = replaced(proof, support=rng.permutation(len(X))[:3])
    else:
        proof = replaced(proof, of_model=dict(errors=row))
    assert agrees(proof, X, signs.tolist())


def test_examples_of_weight_zero_take_no_part():
    rng = np.random.default_rng(0)
    X, signs, w, b = problem(rng)
    weights = np.ones(60)
    plain = Certifier.of(X, signs, positive=1, affine=True)
    found = refute_by_slacks(plain, w, b)
    proof = plain.refuted(found)
    # Those that would make it separable, and one of the support.
    weights[found.support[0]] = 0.0
    maker = Certifier.of(X, signs, positive=1, affine=True, sample_weight=weights)
    assert maker.refute_by_slacks(found.slacks, found.support) is None
    forged = dataclasses.replace(proof, problem=maker.problem)
    with pytest.raises(CertificateError, match="has weight 0, but the support relies on it"):
        forged.verify(X, signs, sample_weight=weights)
    right = signs * (X @ w + b) > 0
    easy = Certifier.of(X, signs, positive=1, affine=True, sample_weight=right.astype(float))
    assert easy.refute_by_slacks(found.slacks, found.support) is None
    assert refute_by_slacks(easy, w, b) is None


def test_weights_are_those_of_the_squared_hinges():
    rng = np.random.default_rng(1)
    X, signs = noisy(rng, 80, 3)
    weights = rng.choice([0.0, 1.0, 2.0, 5.0], 80)
    repeated = np.repeat(np.arange(80), weights.astype(int))
    w, b = near_optimum(rng, X[repeated], signs[repeated], True, 1e-9)
    maker = Certifier.of(X, signs, positive=1, affine=True, sample_weight=weights)
    proof = maker.refuted(refute_by_slacks(maker, w, b))
    verified = proof.verify(X, signs, sample_weight=weights)
    assert sentences.is_true(verified, proof, X, signs.tolist(), weights)


def test_a_class_against_the_rest():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(90, 2)), rng.integers(0, 3, 90)
    whole = problem_of(X, y, affine=True)
    parts = []
    for label in whole.classes:
        mine = whole.against(label)
        examples = Examples.of(mine, X, y, None, check_fingerprint=False)
        certifier = Certifier(mine, examples)
        w, b = near_optimum(rng, X, examples.signs, True, 1e-9)
        parts.append(certifier.refuted(refute_by_slacks(certifier, w, b)))
    proof = PerClass(problem=whole, certificates=tuple(parts), errors=None)
    assert Certificate.from_json(proof.to_json()) == proof
    assert all(part.slacks is not None for part in proof.parts) and not proof
    assert proof.verify(sparse.csr_array(X), y).upper is None


def test_a_proof_is_repeated_where_it_holds():
    rng = np.random.default_rng(3)
    X, signs, w, b = problem(rng)
    maker = Certifier.of(X, signs, positive=1, affine=True)
    proof = maker.refuted(refute_by_slacks(maker, w, b))
    again = maker.refute_again(proof)
    assert maker.refuted(again) == proof and isinstance(proof, NonSeparation)
    other = Certifier.of(X, np.where(X @ w + b > 0, 1, -1), positive=1, affine=True)
    assert other.refute_again(proof) is None
    basis = MAKER.refuted(MAKER.refute([0, 1, 2, 3]))
    assert MAKER.refute_again(basis).slacks is None


def test_it_is_checked_beside_a_model():
    found = MAKER.refute_by_slacks(corner_slacks(), [0, 1, 2])
    proof = MAKER.refuted(found, MAKER.model(np.ones(4)))
    verified = proof.verify(CORNERS, CORNERS_Y)
    assert sentences.is_true(verified, proof, CORNERS, CORNERS_Y)
    assert not accepted(replaced(proof, of_model=dict(errors=0)), CORNERS, CORNERS_Y)
