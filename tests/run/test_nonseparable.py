"""Proofs of non-separability that the perceptron finds by itself, against exact arithmetic."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from novikoff.certificate import row_hashes
from novikoff.compiled.cycle import find_cycle
from novikoff.run import nonseparable
from novikoff.run.nonseparable import contradiction, zero_combination
from tests.certificate.examples.collisions import colliding_rows
from tests.estimators.problems import twisted
from tests.theorems.optimum import optimum

SEEDS = st.integers(0, 2**32 - 1)


def looked_for(X, signs, affine):
    return zero_combination(X, np.asarray(signs, dtype=np.int8), row_hashes(X), affine=affine)


def signed_examples(X, signs, affine):
    X = X.toarray() if sparse.issparse(X) else np.asarray(X)
    lifted = np.hstack([X, np.ones((len(X), 1))]) if affine else X
    return lifted * np.asarray(signs)[:, None]


def assert_proof(found, X, signs, affine):
    """Whole numbers, not all zero, none negative, whose sum of signed examples vanishes."""
    support, weights = found
    assert weights.dtype == np.int64
    assert (weights > 0).all()
    assert len(set(support.tolist())) == len(support) == len(weights) > 0
    exact = signed_examples(X, signs, affine)[support].astype(object)
    assert not (weights.astype(object) @ exact).any()


@given(
    n=st.integers(2, 20),
    d=st.integers(1, 4),
    bound=st.integers(1, 6),
    seed=SEEDS,
    affine=st.booleans(),
)
def test_small_whole_numbers_are_always_decided(n, d, bound, seed, affine):
    """The perceptron cycling theorem: Algorithm 1 stops or comes back to where it was."""
    rng = np.random.default_rng(seed)
    X, signs = (
        rng.integers(-bound, bound + 1, size=(n, d)),
        rng.permutation(np.arange(n) % 2) * 2 - 1,
    )
    found = looked_for(X, signs, affine)
    Z = signed_examples(X, signs, affine)
    separable = Z.any(axis=1).all() and optimum(Z).lower > 0.0
    assert (found is None) == separable
    if found is not None:
        assert_proof(found, X, signs, affine)


@pytest.mark.parametrize(
    "store",
    [
        np.asarray,
        np.asfortranarray,
        sparse.csr_matrix,
        sparse.csr_array,
        twisted,
        lambda X: X.astype(np.uint8),
        lambda X: X.astype(np.float32),
        lambda X: X.astype(np.int64),
        lambda X: sparse.csr_matrix(X.astype(np.uint8)),
        lambda X: X.astype(bool),
        lambda X: sparse.csr_matrix(X.astype(bool)),
    ],
)
def test_xor_in_every_storage(store):
    X = store(np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]))
    support, weights = looked_for(X, [1, 1, -1, -1], True)
    assert support.tolist() == [0, 1, 2, 3]
    assert weights.tolist() == [1, 1, 1, 1]
    # Through the origin the zero example alone is a proof.
    support, weights = looked_for(X, [1, 1, -1, -1], False)
    assert (support.tolist(), weights.tolist()) == ([0], [1])


@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, sparse.csr_matrix, twisted])
def test_equal_examples_with_opposite_labels(store, affine):
    """In real numbers too, and among many equal examples with equal labels."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 4))
    signs = rng.choice([-1, 1], size=500)
    X[100:200] = X[7]
    signs[100:200] = signs[7] = 1
    assert looked_for(store(X), signs, affine) is None
    signs[150] = -1
    found = looked_for(store(X), signs, affine)
    assert 150 in found[0]
    assert len(found[0]) == 2
    assert_proof(found, store(X), signs, affine)


def test_zeros_of_either_sign_are_equal():
    X = np.array([[0.0, 1.5], [-0.0, 1.5], [2.5, 0.1]])
    found = looked_for(X, [1, -1, 1], True)
    assert found[0].tolist() == [0, 1]
    assert looked_for(np.array([[-0.0, 0.0], [1.5, 1.0]]), [1, -1], False)[0].tolist() == [0]


def test_equal_hashes_are_no_proof():
    """A hash only says where to look."""
    rng = np.random.default_rng(0)
    X, signs = rng.standard_normal((20, 3)), np.where(np.arange(20) % 2, 1, -1).astype(np.int8)
    zero = row_hashes(np.zeros((1, 3)))[0]
    for affine in (True, False):
        for value in (0, zero):
            hashes = np.full(20, value, dtype=np.uint64)
            for store in (np.asarray, sparse.csr_matrix):
                assert zero_combination(store(X), signs, hashes, affine=affine) is None


@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, sparse.csr_matrix])
def test_a_collision_does_not_hide_a_contradiction(store):
    """Equal examples that are no neighbours among those of the same hash, however they lie."""
    rows = colliding_rows()
    for which, labels in (([0, 1, 0], [-1, -1, 1]), ([0, 1, 1, 2, 0], [1, -1, -1, 1, -1])):
        X, signs = rows[which], np.array(labels, dtype=np.int8)
        for hashes in (row_hashes(X), np.zeros(len(X), dtype=np.uint64)):
            found = contradiction(store(X), signs, hashes)
            assert found[0].tolist() == [0, len(X) - 1]
            assert_proof(found, store(X), signs, True)
            order = np.arange(len(X))[::-1]
            assert contradiction(store(X), signs, hashes, order)[0].tolist() == [0, len(X) - 1]
            assert contradiction(store(X), signs, hashes, order[1:]) is None
    assert contradiction(store(rows), np.array([1, -1, 1], dtype=np.int8), row_hashes(rows)) is None


def test_many_equal_examples_are_compared_at_once():
    X = np.tile(np.arange(20.0), (100_000, 1))
    signs = np.ones(100_000, dtype=np.int8)
    signs[::2] = -1
    X[:50_000, 3] = 7.0
    signs[:50_000] = 1
    found = contradiction(X, signs, np.zeros(100_000, dtype=np.uint64))
    assert found[0].tolist() == [50_000, 50_001]


def test_a_zero_example():
    X = np.array([[1.5, 2.0], [0.0, 0.0], [0.5, 1.0]])
    for store in (np.asarray, sparse.csr_matrix):
        assert looked_for(store(X), [1, 1, -1], False)[0].tolist() == [1]
        assert looked_for(store(X), [1, 1, -1], True) is None


def test_real_and_large_numbers_are_left_to_others():
    """XOR, moved off the whole numbers or out of the range in which sums stay exact."""
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    signs = [1, 1, -1, -1]
    assert looked_for(X, signs, True) is not None
    assert looked_for(X + 0.5, signs, True) is None
    largest = float(nonseparable.LARGEST_VALUE)
    assert_proof(looked_for(X * largest, signs, True), X * largest, signs, True)
    assert looked_for(X * (largest + 1), signs, True) is None
    assert looked_for(X - (largest + 1), signs, True) is None


def test_data_too_large_for_a_cycle():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 1000, size=(nonseparable.MOST_VALUES // 8 + 1, 8))
    assert looked_for(X, np.where(rng.random(len(X)) < 0.5, 1, -1), True) is None


@given(n=st.integers(1, 12), d=st.integers(1, 3), seed=SEEDS)
def test_find_cycle_is_algorithm_1_watched_for_a_repetition(n, d, seed):
    rng = np.random.default_rng(seed)
    Z = rng.integers(-2, 3, size=(n, d)).astype(np.int64)
    found, counts = find_cycle(Z, 20_000)
    w, seen, repeated = np.zeros(d, dtype=int), {(0,) * d}, False
    for visit in range(20_000):
        if visit % n == 0 and (Z @ w > 0).all():
            break
        z = Z[visit % n]
        if z @ w <= 0:
            w = w + z
            if tuple(w) in seen:
                repeated = True
                break
            seen.add(tuple(w))
    assert found == repeated
    if found:
        assert counts.any()
        assert not (counts @ Z).any()


def test_find_cycle_gives_up():
    """Separable, but only after more visits than it is given."""
    Z = np.array([[1, 1000], [1, -999]], dtype=np.int64)
    found, _ = find_cycle(Z, 100)
    assert not found
    found, counts = find_cycle(Z, 10**7)
    assert not found
    assert (Z @ (counts @ Z) > 0).all()
