"""The measured certificate: rigorous for the numbers as they are, in blocks, dense or sparse."""

import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from novikoff.theory import GramCertificate, gram, gram_certificate
from tests.theorems.problems import SEEDS


def exact_tau(X, Y):
    """The largest change of an inner product over the largest squared norm, in fractions."""
    X, Y = ([[Fraction(float(a)) for a in row] for row in table] for table in (X, Y))

    def inner(table, i, j):
        return sum(a * b for a, b in zip(table[i], table[j], strict=True))

    n = len(X)
    pairs = [(i, j) for i in range(n) for j in range(i, n)]
    largest = max(abs(inner(X, i, j) - inner(Y, i, j)) for i, j in pairs)
    return largest / max(inner(X, i, i) for i in range(n))


@given(n=st.integers(1, 6), d=st.integers(1, 5), exponent=st.integers(-300, 300), seed=SEEDS)
def test_what_is_stated_is_rounded_outward(n, d, exponent, seed):
    """Even where the change is no more than the rounding of the products, and for any scale."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * 2.0**exponent
    for Y in (X, X * (1 + 2.0**-52), X.astype(np.float32) if abs(exponent) < 60 else X * 1.5):
        certificate = gram_certificate(X, Y)
        exact = exact_tau(X, Y)
        assert exact <= Fraction(certificate.tau) <= exact * (1 + Fraction(1, 10**12)) + 1e-12
        R = max(sum(Fraction(float(a)) ** 2 for a in row) for row in X)
        assert R <= Fraction(certificate.R) ** 2
        assert 3 * Fraction(certificate.epsilon) ** 2 >= 4 * Fraction(certificate.tau)
        assert 3 * Fraction(certificate.epsilon_back) ** 2 >= 16 * Fraction(certificate.tau)


@given(margin=st.floats(0.0, 2.0), tau=st.floats(0.0, 1.5))
def test_the_bounds_are_rounded_outward(margin, tau):
    certificate = GramCertificate(3, 5, 2, 1.0, tau, (0, 0))
    low, high = certificate.least_margin(margin), certificate.largest_margin(margin)
    square = Fraction(margin) ** 2
    assert Fraction(low) ** 2 <= max(0, square - Fraction(tau))
    assert Fraction(high) ** 2 >= square + Fraction(tau)
    if square - Fraction(tau) > 0:
        assert Fraction(np.nextafter(low, 3.0)) ** 2 > square - Fraction(tau)


def test_the_pair_that_changes_most():
    X = np.eye(5)
    Y = X.copy()
    Y[3, 1] = 0.5
    certificate = gram_certificate(X, Y)
    assert certificate.pair == (1, 3)
    assert certificate.tau == pytest.approx(0.5)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_storages_and_blocks(monkeypatch, kind, dtype):
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, size=(23, 7)).astype(dtype)
    Y = (X @ rng.integers(-2, 3, size=(7, 3))).astype(dtype)
    whole = gram_certificate(X, Y)
    assert whole.tau == pytest.approx(float(exact_tau(X, Y)), rel=1e-12)
    for size in (1, 5, 22, 23):
        monkeypatch.setattr(gram, "_BLOCK", size)
        found = gram_certificate(kind(X), kind(Y))
        assert found.tau == pytest.approx(whole.tau, rel=1e-12)
        assert found.R == pytest.approx(whole.R, rel=1e-12)


def test_repeated_entries_are_summed():
    X = sparse.csr_matrix(([1.0, 2.0], [0, 0], [0, 2]), shape=(1, 1))
    assert gram_certificate(X, np.array([[3.0]])).tau < 1e-13
    assert X.nnz == 2


def test_memory_stays_far_below_the_gram_matrix():
    n = 4000
    X = sparse.random(n, 50, 0.1, format="csr", random_state=0)
    Y = np.zeros((n, 2))
    gram_certificate(X[:10], Y[:10])
    tracemalloc.start()
    gram_certificate(X, Y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.5 * n * n * 8


def test_sentences():
    certificate = GramCertificate(10_000, 5000, 1000, 2.0, 3 / 64, (1, 2))
    assert str(certificate) == (
        "For every labeling of the 10,000 examples, the squared margins in 5,000 dimensions and in "
        "1,000 differ by at most 0.04688 R², with and without an intercept; R = 2 is the largest "
        "norm.\nEvery labeling with margin at least 0.25 R keeps half of it, and one with "
        "0.25 R afterwards has at least 0.125 R before."
    )
    half = GramCertificate(3, 5, 2, 1.0, 0.5, (0, 0))
    assert half.sentences()[1] == "Every labeling with margin at least 0.8165 R keeps half of it."
    nothing = GramCertificate(3, 5, 2, 1.0, 0.8, (0, 0))
    assert "keeps no labeling: take more components" in str(nothing)


@pytest.mark.parametrize(
    ("X", "Y", "message"),
    [
        (np.ones((3, 2)), np.ones((2, 2)), "3 examples before the map and 2 after"),
        (np.ones((0, 2)), np.ones((0, 2)), "0 examples before the map and 0 after"),
        (np.ones(3), np.ones(3), "not an array of 1 dimensions"),
        (np.zeros((3, 2)), np.ones((3, 2)), "The examples are zero"),
        (np.full((3, 2), 1e-170), np.ones((3, 2)), "or their squares underflow"),
        (np.full((3, 2), 1e200), np.ones((3, 2)), "squares of the values overflow"),
        (np.ones((3, 2)), np.full((3, 2), 1e200), "squares of the values overflow"),
        (np.ones((3, 2)), np.full((3, 2), np.nan), "squares of the values overflow"),
    ],
)
def test_impossible_arguments(X, Y, message):
    with pytest.raises(ValueError, match=message):
        gram_certificate(X, Y)


@pytest.mark.parametrize("margin", [-0.1, np.nan, np.inf])
def test_impossible_margins(margin):
    certificate = GramCertificate(3, 5, 2, 1.0, 0.5, (0, 0))
    for bound in (certificate.least_margin, certificate.largest_margin):
        with pytest.raises(ValueError, match="must be a finite number, not negative"):
            bound(margin)
