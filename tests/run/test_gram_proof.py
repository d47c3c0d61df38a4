"""Proofs by a Gram matrix: found where they should be, verified, and refused of other data."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.certificate import CertificateError, Certifier
from novikoff.certificate.exact.columns import Replaced
from novikoff.certificate.slacks import Slacks
from novikoff.run import slack_proof
from novikoff.run.gram_proof import refute_by_gram
from novikoff.run.least_hinges import least_hinges


def letters(rng, n):
    """Counts of letters and of pairs of them in short words, whose sums are related."""
    words = rng.integers(0, 4, (n, 5))
    X = np.zeros((n, 4 + 16 + 4))
    for word, row in zip(words, X, strict=True):
        np.add.at(row, word, 1.0)
        np.add.at(row, 4 + 4 * word[:-1] + word[1:], 1.0)
        row[20 + word[0]] += 1.0
    return sparse.csr_array(X), rng.choice([0, 1], n)


def refuted(X, y, store=sparse.csr_array):
    certifier = Certifier.of(store(X), y, positive=1, affine=True)
    start = Slacks(coef=np.zeros(X.shape[1]), intercept=0.0)
    replaced = Replaced.of(certifier.examples.X, ())
    slacks = least_hinges(certifier, start, replaced, np.arange(X.shape[1] + 1))
    violations = slacks.violations(certifier.examples, affine=True)
    return certifier, *refute_by_gram(certifier, slacks, violations, 0.99)


@pytest.mark.parametrize("store", [sparse.csr_array, lambda X: X.toarray()])
def test_counts_of_letters_and_pairs(store):
    X, y = letters(np.random.default_rng(0), 800)
    certifier, found, rare = refuted(X, y, store)
    assert not rare.size
    # A word has five letters, of which four begin a pair, four end one, and one does not end any.
    lifted = np.column_stack([X.toarray(), np.ones(800)])
    rank = np.linalg.matrix_rank(lifted)
    assert len(found.slacks.relations) == 25 - rank > 3
    proof = certifier.refuted(found)
    assert proof.verify(store(X), y).upper == 0.0
    turned = y.copy()
    turned[found.support[:300]] = 0
    other = store(X).copy()
    other[int(found.support[0]), 3] += 1.0
    for data in ((store(X), turned), (other, y)):
        with pytest.raises(CertificateError):
            proof.verify(*data, check_fingerprint=False)


def test_columns_that_differ_in_a_rounding_error_have_no_relation():
    X, y = letters(np.random.default_rng(1), 800)
    X = X.toarray()
    X[7, 23] += 2.0**-50
    _, found, rare = refuted(X, y)
    # Letters that most words have are related, too: to leave out those with a rare one is no cure.
    assert found is None and not rare.size


def test_a_column_that_most_examples_have_is_not_rare():
    """It depends on others up to rounding; without its examples there would be none."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 6))
    X[:, 5] = 0.3 * X[:, 0] + 0.7 * X[:, 1]
    y = rng.choice([0, 1], 400)
    _, found, rare = refuted(sparse.csr_array(X), y)
    assert found is None and not rare.size
    certifier = Certifier.of(sparse.csr_array(X), y, positive=1, affine=True)
    proof = slack_proof.refute_by_slacks(certifier, np.zeros(6))
    assert proof.slacks.remainders
    certifier.refuted(proof).verify(sparse.csr_array(X), y)


def test_rows_that_sum_to_one_leave_no_examples_out():
    """Without the examples of one column the others still sum to one, up to rounding."""
    rng = np.random.default_rng(6)
    X = np.where(rng.random((600, 20)) < 0.2, rng.random((600, 20)), 0.0)
    X[:, 0] += 1e-3
    X = sparse.csr_array(X / X.sum(axis=1, keepdims=True))
    y = rng.choice([0, 1], 600)
    _, found, rare = refuted(X, y)
    assert found is None and not rare.size
    proof = slack_proof.refute_by_slacks(Certifier.of(X, y, positive=1, affine=True), np.zeros(20))
    assert not proof.slacks.without.size and proof.slacks.remainders


def test_examples_with_rare_columns_that_depend_up_to_rounding_are_left_out(monkeypatch):
    rng = np.random.default_rng(4)
    X, y = letters(rng, 800)
    some = np.where(rng.random(800) < 0.05, rng.random(800), 0.0)
    X = sparse.csr_array(np.column_stack([X.toarray(), some, some * 0.3]))
    certifier = Certifier.of(X, y, positive=1, affine=True)
    monkeypatch.setattr(slack_proof, "_by_remainders", None)
    found = slack_proof.refute_by_slacks(certifier, np.zeros(26))
    assert set(found.slacks.without.tolist()) & {24, 25}
    assert not (X.toarray()[found.support][:, 24:].any())
    certifier.refuted(found).verify(X, y)


def test_separable_examples_have_no_proof():
    X, _ = letters(np.random.default_rng(2), 800)
    y = (X.toarray()[:, 0] > 1.0).astype(int)
    assert refuted(X, y)[1] is None


def test_sparse_data_are_proved_so_however_few_columns_they_have(monkeypatch):
    X, y = letters(np.random.default_rng(3), 800)
    certifier = Certifier.of(X, y, positive=1, affine=True)
    many = slack_proof.refute_by_slacks(certifier, np.zeros(24))
    monkeypatch.setattr(slack_proof, "_by_gram", lambda *arguments: None)
    few = slack_proof.refute_by_slacks(certifier, np.zeros(24))
    assert few.support.size == 25 - len(few.slacks.relations) < many.support.size
    certifier.refuted(many).verify(X, y)
