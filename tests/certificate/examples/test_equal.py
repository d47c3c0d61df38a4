"""Equal rows are found by their hashes and compared; equal hashes prove nothing."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from novikoff.certificate import row_hashes
from novikoff.certificate.examples import equal
from novikoff.certificate.examples.equal import first_equal, is_zero_row
from tests.certificate.examples.collisions import colliding_rows
from tests.certificate.examples.test_fingerprint import COPIES
from tests.certificate.strategies import small_blocks

few_values = hnp.arrays(
    np.uint8, st.tuples(st.integers(1, 12), st.integers(1, 3)), elements=st.integers(0, 2)
)


def by_hand(X, rows):
    kept = {}
    return [kept.setdefault(tuple(X[i].tolist()), int(i)) for i in rows]


@pytest.mark.parametrize("copy", [name for name in COPIES if name != "list"])
@settings(max_examples=settings().max_examples // 5)
@given(X=few_values, seed=st.integers(0, 99))
def test_the_first_of_the_equal_rows(copy, X, seed):
    true = row_hashes(X)
    # Groups of one hash with several rows that are equal and some that are not; all in one group.
    coarse, one = true % np.uint64(2), np.zeros(len(X), dtype=np.uint64)
    rng = np.random.default_rng(seed)
    stored = COPIES[copy](X)
    rows = rng.permutation(len(X))[: rng.integers(1, len(X) + 1)]
    for hashes in (true, coarse, one):
        assert first_equal(stored, hashes).tolist() == by_hand(X, range(len(X)))
        assert first_equal(stored, hashes, rows).tolist() == by_hand(X, rows)
        with small_blocks():
            assert first_equal(stored, hashes, rows).tolist() == by_hand(X, rows)


@pytest.mark.parametrize("few", [0, 1 << 30])
def test_rows_are_found_in_a_table_and_by_sorting(few, monkeypatch):
    monkeypatch.setattr(equal, "FEW_HASHES", few)
    monkeypatch.setattr(equal, "SMALL", few)
    X = np.random.default_rng(0).integers(0, 6, size=(500, 3))
    # The low bits, which are a hash's place in the table, collide; at its end as well.
    for hashes in (row_hashes(X), row_hashes(X) << np.uint64(40), ~(row_hashes(X) % np.uint64(99))):
        assert first_equal(X, hashes).tolist() == by_hand(X, range(len(X)))


@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_a_collision_against_the_public_keys(store):
    rows = colliding_rows()
    X = store(rows[[0, 1, 0, 2, 1, 1]])
    hashes = row_hashes(X)
    assert np.unique(hashes).size == 1
    assert first_equal(X, hashes).tolist() == [0, 1, 0, 3, 1, 1]


@pytest.mark.parametrize("store", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_zeros_of_either_sign_are_equal(store):
    X = np.array([[0.0, 1.5], [-0.0, 1.5], [0.0, 0.0], [-0.0, -0.0]])
    for hashes in (row_hashes(X), np.zeros(4, dtype=np.uint64)):
        assert first_equal(store(X), hashes).tolist() == [0, 0, 2, 2]
    assert [is_zero_row(store(X), i) for i in range(4)] == [False, False, True, True]


def test_zero_is_decided_by_the_values():
    # In int8 the modulus of -128 is -128: less than zero.
    assert not is_zero_row(np.array([[-128, 0]], dtype=np.int8), 0)
    halves = sparse.csr_array((np.array([1.0, -1.0]), [0, 0], [0, 2]), shape=(1, 2))
    assert is_zero_row(halves, 0)


def test_stale_flags_do_not_hide_equal_rows():
    X = sparse.csr_array((np.array([1.0, 2.0, 2.0, 1.0]), [0, 1, 1, 0], [0, 2, 4]), shape=(2, 2))
    X.has_canonical_format = True
    assert first_equal(X, row_hashes(X)).tolist() == [0, 0]


def test_many_equal_rows():
    X = np.tile(np.arange(50.0), (100_000, 1))
    X[7] += 1.0
    hashes = np.zeros(100_000, dtype=np.uint64)
    found = first_equal(X, hashes)
    assert found[7] == 7 and not np.delete(found, 7).any()
