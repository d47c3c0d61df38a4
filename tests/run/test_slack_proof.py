"""Soft margins with a large C prove that nothing separates the examples."""

import numpy as np
import pytest
from scipy import sparse

from benchmarks.generators import text_like
from novikoff import MaxMargin
from novikoff.certificate import CertificateError, Certifier
from novikoff.run import slack_proof
from novikoff.run.slack_proof import refute_by_slacks
from tests.certificate.exact.test_vanishing import near_optimum, noisy, separable


def proved(X, y, w, b=0.0, *, affine=True):
    """The proof, verified, or None."""
    certifier = Certifier.of(X, y, positive=1, affine=affine)
    found = refute_by_slacks(certifier, np.asarray(w, dtype=float), b)
    if found is None:
        return None
    proof = certifier.refuted(found)
    assert proof.verify(X, y).upper == 0.0
    return proof


def soft(X, y, C, **options):
    clf = MaxMargin(C=C, tol=1e-6, **options).fit(X, y)
    return clf.coef_[0], float(clf.intercept_[0])


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, np.float32, sparse.csr_matrix])
def test_noisy_labels(store, affine):
    X, y = noisy(np.random.default_rng(0), 600, 20)
    if affine:
        X = X + 3.0
    X = store(X)
    plane = soft(X, y, 100.0, fit_intercept=affine)
    proof = proved(X, y, *plane, affine=affine)
    assert proof.support.size == 20 + affine and not proof.slacks.relations


def test_a_small_c_is_too_far_from_the_optimum():
    X, y = noisy(np.random.default_rng(1), 600, 20)
    assert proved(X, y, *soft(X, y, 1e-4)) is None
    assert proved(X, y, *soft(X, y, 10.0)) is not None


def test_elimination_is_not_begun_without_the_time_for_it():
    X, y = noisy(np.random.default_rng(1), 600, 20)
    plane, certifier = soft(X, y, 10.0), Certifier.of(X, y, positive=1, affine=True)
    assert refute_by_slacks(certifier, *plane, seconds=0.0) is None
    assert refute_by_slacks(certifier, *plane, seconds=10.0) is not None


def test_documents_with_rare_words():
    p = text_like(1500, 200, 12, noise=0.1, random_state=0)
    plane = soft(p.X, p.y, 1e4)
    for X in (p.X, p.X.toarray()):
        assert proved(X, p.y, *plane) is not None


def test_examples_with_a_word_of_their_own_are_left_out():
    p = text_like(1500, 200, 12, noise=0.1, random_state=1)
    own = sparse.csr_matrix(([1.0, 2.0], ([3, 5], [0, 1])), shape=(1500, 2))
    X = sparse.hstack([p.X, own], format="csr")
    proof = proved(X, p.y, *soft(X, p.y, 1e4))
    assert set(proof.slacks.without) <= {200, 201} and proof.support.size <= 201


def test_pixels_that_are_mostly_black():
    rng = np.random.default_rng(2)
    X = np.where(rng.random((2000, 30)) < np.linspace(0.005, 0.9, 30), 255, 0).astype(np.uint8)
    y = np.where(rng.random(2000) < 0.5, 1, -1)
    X[:, 7] = 0
    proof = proved(X, y, *soft(X, y, 1.0))
    assert proof.support.size == 30


def test_dummies_and_columns_twice():
    rng = np.random.default_rng(3)
    groups = [np.eye(k)[rng.integers(0, k, 500)] for k in (4, 3, 5)]
    shared = rng.normal(size=(500, 3)).astype(np.float32).astype(float)
    constant = np.full((500, 1), 0.1)
    X = np.hstack([*groups, shared, shared[:, :1], 2.5 * shared[:, 1:2], constant])
    y = np.where(rng.random(500) < 0.5, 1, -1)
    w, b = near_optimum(rng, X, y.astype(np.int8), True, 1e-9)
    proof = proved(X, y, w, b)
    solved = {int(relation.columns[0]) for relation in proof.slacks.relations}
    assert proof.support.size == X.shape[1] + 1 - len(solved)
    assert len(solved) == 6


def test_a_rounded_sum_is_left_to_others():
    X, y = noisy(np.random.default_rng(4), 400, 5)
    X[:, 4] = X[:, 0] + X[:, 1]
    w, b = near_optimum(np.random.default_rng(0), X, y, True, 0.0)
    assert proved(X, y, w, b) is None
    # A multiple rounded to float32 is no multiple.
    X[:, 4] = (X[:, 0] / 3.0).astype(np.float32)
    w, b = near_optimum(np.random.default_rng(0), X[:, :4], y, True, 0.0)
    assert proved(X, y, np.append(w, 0.0), b) is None


def test_separable_examples_have_no_proof():
    rng = np.random.default_rng(5)
    for _ in range(150):
        X, signs = separable(rng)
        if np.unique(signs).size < 2:
            continue
        scale = float(np.abs(X).max()) or 1.0
        w, b = near_optimum(rng, X / scale, signs, True, 0.0)
        for share in (0.0, 0.3, 0.999, 1.0):
            certifier = Certifier.of(X, signs, positive=1, affine=True)
            assert refute_by_slacks(certifier, share * w / scale, share * b) is None


def test_scales_far_from_one():
    X, y = noisy(np.random.default_rng(6), 300, 6)
    w, b = near_optimum(np.random.default_rng(0), X, y, True, 1e-9)
    for scale in (1e-150, 1e150, 2.0 ** np.array([-400, 0, 400, -30, 30, 1.0])):
        assert proved(X * scale, y, w / scale, b) is not None


def test_what_overflows_has_no_proof():
    X, y = noisy(np.random.default_rng(7), 300, 3)
    certifier = Certifier.of(X * 1e300, y, positive=1, affine=True)
    for w in (np.full(3, 1e300), np.full(3, -1e8)):
        assert refute_by_slacks(certifier, w, 0.0) is None


def test_few_violations_prove_nothing():
    X, y = noisy(np.random.default_rng(8), 40, 30)
    assert proved(X, y, np.zeros(30), 0.0) is None
    assert proved(X, y, *soft(X, y, 1e6)) is None


def test_the_first_factorisation_is_used(monkeypatch):
    """One inverse is computed: the certificate checks the one that was found."""
    X, y = noisy(np.random.default_rng(9), 300, 8)
    w, b = near_optimum(np.random.default_rng(0), X, y, True, 1e-9)

    def refuse(matrix):
        raise CertificateError("another inverse")

    monkeypatch.setattr("novikoff.certificate.exact.vanishing.inverse_of", refuse)
    certifier = Certifier.of(X, y, positive=1, affine=True)
    assert refute_by_slacks(certifier, w, b) is not None
    monkeypatch.setattr(slack_proof, "MOST_CHANGE", 0.0)
    assert refute_by_slacks(certifier, w, b) is None
