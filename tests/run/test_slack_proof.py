"""Soft margins with a large C prove that nothing separates the examples."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import SplineTransformer

from benchmarks.generators import text_like
from novikoff import MaxMargin, is_separable
from novikoff.certificate import (
    Certificate,
    CertificateError,
    Certifier,
    Inconclusive,
    NonSeparation,
    Relation,
    Slacks,
)
from novikoff.certificate.exact import vanishing
from novikoff.run import slack_proof
from novikoff.run.elimination import Elimination
from novikoff.run.remainders import short_weights
from novikoff.run.slack_proof import refute_by_slacks
from tests.certificate.exact.test_vanishing import near_optimum, noisy, separable
from tests.certificate.verdict import agrees, is_true, replaced


def proved(X, y, w, b=0.0, *, affine=True):
    """The proof, verified, or None."""
    certifier = Certifier.of(X, y, positive=1, affine=affine)
    found = refute_by_slacks(certifier, np.asarray(w, dtype=float), b)
    if found is None:
        return None
    proof = certifier.refuted(found)
    assert proof.verify(X, y).upper == 0.0
    return proof


def rounded_sum(X, rng):
    X[:, 2] = X[:, 0] + X[:, 1]


def rounded_weighted_sum(X, rng):
    X[:, 2] = 0.3 * X[:, 0] + 0.7 * X[:, 1]


def dummies_and_means(X, rng):
    groups = rng.integers(0, 3, len(X))
    X[:, :3] = np.eye(3)[groups]
    X[:, 3] = rng.normal(size=3)[groups]
    X[:, 4] = X[:, 5:].mean(axis=1)


def float32_copies(X, rng):
    X[:, 2] = (X[:, 0] + X[:, 1]).astype(np.float32)
    X[:, 3] = X[:, 4].astype(np.float32)


def other_units(X, rng):
    X[:, 0] = np.round(20.0 + 8.0 * X[:, 0], 1)
    X[:, 1] = 1.8 * X[:, 0] + 32.0
    X[:, 2] = 0.45359237 * X[:, 3]


def sums_of_sums(X, rng):
    X[:, 2] = X[:, 0] + X[:, 1]
    X[:, 3] = X[:, 2]
    X[:, 4] = X[:, 2] + X[:, 5]
    X[:, 6] = X[:, 2] / 3.0


def with_columns(change):
    """Examples with 10 % of the labels turned, and columns that depend on others."""

    def make(n, d):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(n, d))
        y = np.where((X @ rng.normal(size=d) > 0) ^ (rng.random(n) < 0.1), 1, -1)
        change(X, rng)
        return X, y

    return make


ROUNDED = {
    "sum": with_columns(rounded_sum),
    "weighted sum": with_columns(rounded_weighted_sum),
    "means": with_columns(dummies_and_means),
    "float32": with_columns(float32_copies),
    "units": with_columns(other_units),
    "sums of sums": with_columns(sums_of_sums),
}


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
    assert not proof.slacks.relations
    # Of sparse data all examples that have weight change.
    assert (proof.support.size == 20 + affine) != sparse.issparse(X)


def test_newton_goes_on_from_a_small_c(monkeypatch):
    X, y = noisy(np.random.default_rng(1), 600, 20)
    plane = soft(X, y, 1e-4)
    assert is_true(proved(X, y, *plane), X, y.tolist())
    monkeypatch.setattr(slack_proof, "least_hinges", lambda certifier, slacks, *args, **how: slacks)
    assert proved(X, y, *plane) is None
    assert proved(X, y, *soft(X, y, 10.0)) is not None


def powers(rng, n, degree):
    """The powers of two numbers, and labels that are those of their sum but for 15 %."""
    Z = rng.uniform(-1.0, 1.0, (n, 2))
    y = np.where((Z.sum(axis=1) > 0.0) ^ (rng.random(n) < 0.15), 1, -1)
    X = [Z[:, 0] ** i * Z[:, 1] ** (k - i) for k in range(1, degree + 1) for i in range(k + 1)]
    return np.column_stack(X), y


@pytest.mark.parametrize("degree", [8, 12])
def test_columns_that_nearly_depend_on_others(degree):
    X, y = powers(np.random.default_rng(0), 2000, degree)
    assert not proved(X, y, *soft(X, y, 1.0)).slacks.remainders
    assert isinstance(is_separable(X, y), NonSeparation)


def test_the_sum_is_exact_where_its_rounding_would_be_too_much(monkeypatch):
    # The condition of these columns is 2.5e8.
    rng = np.random.default_rng(1)
    Z, frequencies = rng.normal(size=(1500, 2)), rng.normal(scale=1.2, size=(2, 80))
    y = np.where((Z[:, 0] > 0.0) ^ (rng.random(1500) < 0.15), 1, -1)
    X = np.cos(Z @ frequencies + rng.uniform(0.0, 6.0, 80))
    proof = proved(X, y, *soft(X, y, 100.0))
    assert not proof.slacks.remainders
    rounded = vanishing._scaled_sum
    monkeypatch.setattr(vanishing, "_exact_sum", rounded)
    with pytest.raises(CertificateError, match="not proved to be close"):
        proof.verify(X, y)


@pytest.mark.parametrize("n", [1500, 3000])
def test_sums_of_columns_of_which_some_are_rare(n):
    # Each of three groups of splines sums to 1, and few examples have the first and the last ones.
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(n, 3))
    y = np.where((np.sin(2.0 * Z[:, 0]) + Z[:, 1] > 0.0) ^ (rng.random(n) < 0.1), 1, -1)
    X = SplineTransformer(12, degree=3).fit_transform(Z)
    proof = is_separable(X, y)
    assert isinstance(proof, NonSeparation) and len(proof.slacks.remainders) >= 3
    proof.verify(X, y)


def test_columns_that_depend_to_every_degree_are_given_up_soon(monkeypatch):
    replaced = []
    monkeypatch.setattr(slack_proof, "replace_dependent", lambda *args: replaced.append(args))
    rng = np.random.default_rng(0)
    X = np.power.outer(rng.uniform(-1.0, 1.0, 1500), np.arange(1, 50))
    y = np.where((X[:, 0] > 0.0) ^ (rng.random(1500) < 0.15), 1, -1)
    assert isinstance(is_separable(X, y), Inconclusive) and not replaced


def test_elimination_is_not_begun_without_the_time_for_it():
    X, y = noisy(np.random.default_rng(1), 600, 20)
    plane, certifier = soft(X, y, 10.0), Certifier.of(X, y, positive=1, affine=True)
    assert refute_by_slacks(certifier, *plane, seconds=0.0) is None
    assert refute_by_slacks(certifier, *plane, seconds=10.0) is not None


@pytest.mark.parametrize("allowed", [0, 1, 2])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_a_search_that_is_cancelled_ends_between_its_steps(store, allowed):
    X, y = noisy(np.random.default_rng(1), 600, 20)
    plane, certifier = soft(X, y, 1e-4), Certifier.of(store(X), y, positive=1, affine=True)
    assert refute_by_slacks(certifier, *plane) is not None
    asked = iter([False] * allowed)
    assert refute_by_slacks(certifier, *plane, stopped=lambda: next(asked, True)) is None


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
    assert set(proof.slacks.without) <= {200, 201}
    assert not X[proof.support][:, [200, 201]].nnz


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


@pytest.mark.parametrize("name", ROUNDED)
@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, sparse.csr_matrix])
def test_columns_that_others_determine_up_to_rounding(name, store):
    X, y = ROUNDED[name](600, 24)
    proof = proved(store(X), y, *soft(X, y, 10.0))
    slacks = proof.slacks
    assert len(slacks.remainders) >= 1
    assert proof.support.size == X.shape[1] + 1 - len(slacks.relations)
    assert Certificate.from_json(proof.to_json()).verify(X, y).upper == 0.0


@pytest.mark.parametrize("name", ROUNDED)
def test_their_proofs_are_true_in_fractions(name):
    X, y = ROUNDED[name](90, 8)
    proof = proved(X, y, *soft(X, y, 10.0))
    assert len(proof.slacks.remainders) >= 1 and is_true(proof, X, y.tolist())


@pytest.mark.parametrize("name", ROUNDED)
def test_their_proofs_after_an_edit(name):
    X, y = ROUNDED[name](90, 8)
    proof, rng = proved(X, y, *soft(X, y, 10.0)), np.random.default_rng(0)
    slacks = proof.slacks
    first = slacks.remainders[0]
    nudged = Relation(first.columns, np.r_[first.coefs[0], np.nextafter(first.coefs[1:], np.inf)])
    for forged in (
        {"remainders": ()},
        {"remainders": slacks.remainders[1:], "relations": (*slacks.relations, first)},
        {"remainders": (nudged, *slacks.remainders[1:])},
        {"coef": np.where(np.arange(8) == first.columns[0], 0.0, slacks.coef)},
    ):
        assert agrees(replaced(proof, slacks=dataclasses.replace(slacks, **forged)), X, y.tolist())
    for _ in range(10):
        Z, row = X.copy(), rng.integers(len(X))
        Z[row] = np.nextafter(Z[row], np.inf) if rng.integers(2) else -Z[row]
        assert agrees(proof, Z, y.tolist())


def test_without_an_intercept():
    for name in ("sum", "weighted sum", "float32"):
        X, y = ROUNDED[name](600, 24)
        proof = proved(X, y, *soft(X, y, 10.0, fit_intercept=False), affine=False)
        # Rounding to float32 leaves columns independent enough.
        assert proof.support.size == 24 and bool(proof.slacks.remainders) == (name != "float32")


def test_weights_of_examples_beside_remainders():
    X, y = ROUNDED["sum"](600, 12)
    weights = np.random.default_rng(0).choice([0.0, 1.0, 3.0], 600)
    clf = MaxMargin(C=10.0, tol=1e-6).fit(X, y, sample_weight=weights)
    maker = Certifier.of(X, y, positive=1, affine=True, sample_weight=weights)
    found = refute_by_slacks(maker, clf.coef_[0], float(clf.intercept_[0]))
    assert maker.refuted(found).verify(X, y, sample_weight=weights).upper == 0.0
    assert found.slacks.remainders


def test_a_column_that_separates_by_its_rounding():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 3))
    X[:, 2] = X[:, 0] + X[:, 1]
    exact = [Fraction(c) - Fraction(a) - Fraction(b) for a, b, c in X.tolist()]
    y = np.array([1 if a >= 0 else -1 for a in exact])
    # What is left of the column has the sign of the label, or is zero: move that away.
    X[np.array([a == 0 for a in exact]), 2] *= 1.0 + 2.0**-50
    exact = [Fraction(c) - Fraction(a) - Fraction(b) for a, b, c in X.tolist()]
    y = np.array([1 if a > 0 else -1 for a in exact])
    assert all(exact) and 20 < (y > 0).sum() < 60
    w, b = near_optimum(rng, X[:, :2], y, True, 0.0)
    assert proved(X, y, np.append(w, 0.0), b) is None


def test_remainders_are_not_begun_without_the_time_for_them(monkeypatch):
    X, y = ROUNDED["sum"](600, 12)
    plane, certifier = soft(X, y, 10.0), Certifier.of(X, y, positive=1, affine=True)
    times = iter([0.0, 0.0, 100.0])
    monkeypatch.setattr(slack_proof, "monotonic", lambda: next(times))
    assert refute_by_slacks(certifier, *plane, seconds=10.0) is None


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


def counts(n=1500, words=60, seed=0):
    """Counts of words, and of longer ones that begin or end with them, mostly equal to others."""
    rng = np.random.default_rng(seed)
    base = rng.poisson(0.2, (n, words)).astype(float)
    columns = [base]
    for _ in range(3):
        # The same in all rows, but in few: a word that is nearly always part of another.
        other = base.copy()
        other[rng.integers(0, n, 12), rng.integers(0, words, 12)] += 1.0
        columns.append(other)
    columns.append(base[:, 1:] + base[:, :-1])
    y = np.where((base @ rng.normal(size=words) > 0) ^ (rng.random(n) < 0.1), 1, -1)
    return np.hstack(columns), y


def test_columns_that_differ_in_few_rows():
    """They are told by rows that have another value, and need no remainders."""
    X, y = counts()
    w, b = near_optimum(np.random.default_rng(0), X[:, :60], y, True, 0.0)
    w = np.append(w, np.zeros(X.shape[1] - 60))
    for stored in (X, sparse.csr_array(X)):
        certifier = Certifier.of(stored, y, positive=1, affine=True)
        _, violations = slack_proof._weighted(
            certifier, Slacks(coef=w, intercept=b), np.empty(0, dtype=np.int64)
        )
        rank = np.linalg.matrix_rank(np.c_[X, np.ones(len(X))][violations.rows])
        first = Elimination.of(violations)
        assert first.kept.sum() < rank
        found = first.on_all_rows()
        assert found.kept.sum() == rank
        table = np.c_[X, np.ones(len(X))][np.ix_(found.rows, found.columns[found.kept])]
        assert np.linalg.matrix_rank(table) == rank
    proof = proved(sparse.csr_array(X), y, w, b)
    assert proof.slacks.remainders == () and len(proof.slacks.relations) > 200


def test_multiples_that_the_first_rows_do_not_have():
    X, y = noisy(np.random.default_rng(0), 3000, 4)
    X = np.c_[X, np.where(np.arange(3000) < 2800, 0.0, np.rint(4.0 * X[:, 0]))]
    X = np.c_[X, 3.0 * X[:, 4]]
    w, b = near_optimum(np.random.default_rng(0), X[:, :5], y, True, 0.0)
    for store in (np.asarray, sparse.csr_array):
        proof = proved(store(X), y, np.append(w, 0.0), b)
        (relation,) = proof.slacks.relations
        assert relation.columns.tolist() == [5, 4] and proof.slacks.remainders == ()


def test_slacks_far_from_the_optimum_are_brought_there_if_sparse():
    X, y = counts(words=20)
    assert proved(sparse.csr_array(X), y, soft(X, y, 1e-3)[0]) is not None
    certifier = Certifier.of(X, y, positive=1, affine=True)
    assert refute_by_slacks(certifier, soft(X, y, 1e-3)[0], rough=True) is None


def test_long_relations_are_given_up_soon():
    """Few examples have relations with long fractions, which no short ones stand for."""
    weights = np.random.default_rng(0).normal(size=500)
    assert short_weights(weights, 64) is None and short_weights(weights, 1 << 20) is None
    assert short_weights(np.array([0.5, -1.0 / 3.0, 2.0]), 64) == [
        Fraction(1, 2),
        Fraction(-1, 3),
        Fraction(2),
    ]
