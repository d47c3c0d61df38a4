"""What numpy computes for small tables is what compiled loops compute for large ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from novikoff.certificate import fingerprint, row_hashes
from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact import sums
from novikoff.certificate.exact.filter import radius
from novikoff.certificate.examples import equal, hashing, matrix
from novikoff.certificate.examples.equal import first_equal
from novikoff.certificate.examples.matrix import check_matrix, with_true_flags

FEW = np.array([0.0, -0.0, 1.0, -2.5, 5e-324, 1e300])
tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 6), st.integers(1, 5)),
    elements=st.sampled_from(FEW.tolist()),
)
dtypes = pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, np.int32])


@pytest.fixture
def compiled(monkeypatch):
    """Take every table for a large one, when called."""

    def take():
        for module in (hashing, sums, matrix, equal):
            monkeypatch.setattr(module, "SMALL", -1)

    return take


def examples(dtype, seed=0, shape=(30, 7)):
    rng = np.random.default_rng(seed)
    return (rng.integers(0, 4, shape) * rng.integers(0, 9, shape)).astype(dtype)


@dtypes
@pytest.mark.parametrize("storage", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_hashes(compiled, dtype, storage):
    X, codes = storage(examples(dtype)), np.arange(30) % 3
    weights = np.where(codes == 1, 0.5, 1.0)
    small = [row_hashes(X), fingerprint(X, codes, 3), fingerprint(X, codes, 3, weights)]
    compiled()
    large = [row_hashes(X), fingerprint(X, codes, 3), fingerprint(X, codes, 3, weights)]
    np.testing.assert_array_equal(small[0], large[0])
    assert small[1:] == large[1:]
    assert len({*small[1:], fingerprint(X, codes % 2, 2)}) == 3


@given(X=tables)
def test_words_are_counts_columns_and_bits(X):
    expected = []
    for row in X:
        some = np.flatnonzero(row)
        expected.append(len(some))
        for j in some:
            expected += [int(j), int(row[j : j + 1].view(np.uint64)[0])]
    stored = sparse.csr_array(X)
    assert hashing.dense_words(X).tolist() == expected
    assert hashing.sparse_words(stored.data, stored.indices, stored.indptr).tolist() == expected


@dtypes
def test_sums_are_within_the_radius_of_each_other(compiled, dtype):
    X, rng = examples(dtype), np.random.default_rng(1)
    w, weights, at = rng.standard_normal(7), rng.standard_normal(5), np.array([3, 1, 4, 1, 29])
    stored = sparse.csr_array(X).astype(np.float64)
    arrays = stored.data, stored.indices, stored.indptr

    def all_sums():
        return [
            sums.dense_sums(X, w),
            sums.sparse_sums(*arrays, w),
            sums.dense_combine(X, at, weights),
            sums.dense_combine(X[:5], None, weights),
            sums.sparse_combine(*arrays, at, weights, 7),
        ]

    small = all_sums()
    compiled()
    for (total, magnitude), (other, _) in zip(small, all_sums(), strict=True):
        assert (np.abs(total - other) <= radius(magnitude, 7)).all()
        assert (np.abs(total) <= magnitude).all()
        assert magnitude.any()


@pytest.mark.parametrize(
    ("indices", "ends", "flags"),
    [
        ([0, 2, 1], [0, 2, 3], (True, True)),
        ([0, 2, 0], [0, 0, 3], (False, False)),
        ([0, 2, 2], [0, 0, 3], (True, False)),
        ([2, 0, 0], [0, 3, 3], (False, False)),
        ([], [0, 0, 0], (True, True)),
    ],
)
def test_flags_of_indices(compiled, indices, ends, flags):
    values = np.ones(len(indices))
    X = sparse.csr_array((values, np.array(indices, dtype=np.int32), np.array(ends)), shape=(2, 3))
    for _ in range(2):
        found = with_true_flags(X)
        assert (found.has_sorted_indices, found.has_canonical_format) == flags
        compiled()


def test_flags_of_random_indices(compiled):
    rng = np.random.default_rng(0)
    cases = []
    for _ in range(200):
        rows = [rng.integers(0, 4, rng.integers(0, 3)) for _ in range(5)]
        rows = [np.sort(row) for row in rows] if rng.random() < 0.7 else rows
        ends = np.cumsum([0, *map(len, rows)])
        indices = np.concatenate(rows).astype(np.int32)
        X = sparse.csr_array((np.ones(len(indices)), indices, ends), shape=(5, 4))
        in_order = all((np.diff(row) >= 0).all() for row in rows)
        distinct = in_order and all((np.diff(row) > 0).all() for row in rows)
        cases.append((X, (in_order, distinct)))
    assert len({flags for _, flags in cases}) == 3
    for _ in range(2):
        for X, flags in cases:
            found = with_true_flags(X)
            assert (found.has_sorted_indices, found.has_canonical_format) == flags
        compiled()


@pytest.mark.parametrize(
    ("indices", "ends", "what"),
    [
        ([0, 3], [0, 1, 2], "column indices"),
        ([0, -1], [0, 1, 2], "column indices"),
        ([0, 1], [0, 3, 2], "row pointers"),
    ],
)
def test_damaged_indices(compiled, indices, ends, what):
    X = sparse.csr_array((np.ones(2), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 3))
    X.indices, X.indptr = np.array(indices, dtype=np.int32), np.array(ends, dtype=np.int32)
    for _ in range(2):
        with pytest.raises(CertificateError, match=what):
            with_true_flags(X)
        compiled()


@dtypes
@pytest.mark.parametrize("storage", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_equal_rows(compiled, dtype, storage):
    X = examples(dtype, shape=(40, 2)) % 3
    expected = [int(np.flatnonzero((X == row).all(axis=1))[0]) for row in X]
    assert len(set(expected)) < 40
    stored = check_matrix(storage(X))
    for _ in range(2):
        assert first_equal(stored, row_hashes(stored)).tolist() == expected
        compiled()
