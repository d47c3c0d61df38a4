"""One name for one data set, however it is stored; another for any other."""

import struct

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from novikoff.certificate import (
    CertificateError,
    fingerprint,
    fingerprint_and_hashes,
    fingerprint_of_hashes,
    row_hashes,
)

bytes_2d = hnp.arrays(np.uint8, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6))


def signs_for(X):
    return np.where(np.arange(X.shape[0]) % 3 == 0, 1, -1).astype(np.int8)


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


def with_long_indices(X):
    X = sparse.csr_array(X)
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    return X


def with_explicit_zeros(X):
    rows, columns = np.indices(X.shape)
    return sparse.csr_array((X.ravel(), (rows.ravel(), columns.ravel())), shape=X.shape)


def with_duplicates(X):
    """Every entry in two halves, and the columns in reverse order."""
    n, d = X.shape
    half = X.astype(np.float64)[:, ::-1] / 2
    data = np.concatenate([half, half], axis=1).ravel()
    indices = np.tile(np.concatenate([np.arange(d)[::-1]] * 2), n)
    return sparse.csr_array((data, indices, np.arange(0, 2 * n * d + 1, 2 * d)), shape=(n, d))


def with_unsorted_columns(X):
    n, d = X.shape
    return sparse.csr_array(
        (X[:, ::-1].ravel(), np.tile(np.arange(d)[::-1], n), np.arange(0, n * d + 1, d)),
        shape=(n, d),
    )


def read_only_csr(X):
    X = sparse.csr_array(X)
    for array in (X.data, X.indices, X.indptr):
        array.flags.writeable = False
    return X


COPIES = {
    "float64": lambda X: X.astype(np.float64),
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "big endian": lambda X: X.astype(">f8"),
    "int64": lambda X: X.astype(np.int64),
    "int16": lambda X: X.astype(np.int16),
    "fortran": lambda X: np.asfortranarray(X, dtype=np.float64),
    "fortran bytes": np.asfortranarray,
    "strided": lambda X: np.repeat(X.astype(np.float64), 2, axis=1)[:, ::2],
    "read only": lambda X: read_only(X.astype(np.float64)),
    "read only bytes": read_only,
    "list": lambda X: X.tolist(),
    "csr": sparse.csr_array,
    "csr matrix": sparse.csr_matrix,
    "csr float32": lambda X: sparse.csr_array(X.astype(np.float32)),
    "csr int64 indices": with_long_indices,
    "csr read only": read_only_csr,
    "csr explicit zeros": with_explicit_zeros,
    "csr duplicates": with_duplicates,
    "csr unsorted": with_unsorted_columns,
}


@pytest.mark.parametrize("copy", COPIES)
@given(X=bytes_2d)
def test_copies_of_the_same_numbers_agree(copy, X):
    signs = signs_for(X)
    other = COPIES[copy](X)
    before = [a.copy() for a in (other.data, other.indices)] if sparse.issparse(other) else None
    assert np.array_equal(row_hashes(other), row_hashes(X))
    assert fingerprint(other, signs) == fingerprint(X, signs)
    if before is not None:
        assert np.array_equal(other.data, before[0]) and np.array_equal(other.indices, before[1])


def test_copies_agree_over_many_blocks():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (3000, 300)).astype(np.uint8) * rng.integers(0, 2, (3000, 300)).astype(
        np.uint8
    )
    signs = signs_for(X)
    assert len({fingerprint(copy(X), signs) for copy in COPIES.values()}) == 1


def by_hand(X, signs):
    """The scheme nk1 in Python's integers. Change it, and stored names mean nothing: rename it."""
    word, golden = 2**64, 0x9E3779B97F4A7C15
    first, second = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

    def mix(h):
        h = (h ^ (h >> 30)) * first % word
        h = (h ^ (h >> 27)) * second % word
        return h ^ (h >> 31)

    def folded(value, key):
        u = (int.from_bytes(struct.pack("<d", value + 0.0), "little") + key) % word
        return (u % 2**32) * (u >> 32) - (key % 2**32) * (key >> 32)

    def summed(row, which):
        keys = (mix((2 * j + which + 1) * golden % word) for j in range(len(row)))
        return sum(folded(float(v), key) for v, key in zip(row, keys, strict=True)) % word

    total = mix(len(X) * golden % word) + mix(len(X[0]) * second % word)
    for i, (row, sign) in enumerate(zip(X, signs, strict=True)):
        h = mix((mix(summed(row, 0)) + summed(row, 1)) % word)
        total += mix(h ^ mix((2 * i + (sign > 0) + 1) * golden % word))
    return f"nk1:{mix(total % word):016x}"


@given(
    X=hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=4),
        elements=st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_the_scheme_does_not_change(X):
    signs = signs_for(X)
    assert fingerprint(X, signs) == by_hand(X.tolist(), signs.tolist())


@given(
    X=hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=5),
        elements=st.floats(allow_nan=False, allow_infinity=False),
    ),
    value=st.floats(allow_nan=False, allow_infinity=False),
    data=st.data(),
)
def test_any_single_edit_shows(X, value, data):
    signs = signs_for(X)
    name = fingerprint(X, signs)
    row = data.draw(st.integers(0, X.shape[0] - 1))
    column = data.draw(st.integers(0, X.shape[1] - 1))
    edited = X.copy()
    edited[row, column] = value
    if value != X[row, column]:
        assert fingerprint(edited, signs) != name
        assert row_hashes(edited)[row] != row_hashes(X)[row]
    else:
        assert fingerprint(edited, signs) == name
    flipped = signs.copy()
    flipped[row] *= -1
    assert fingerprint(X, flipped) != name
    assert fingerprint(np.column_stack([X, np.zeros(len(X))]), signs) != name


@given(X=bytes_2d, data=st.data())
def test_swapping_two_rows_or_columns_shows(X, data):
    signs = np.ones(X.shape[0], dtype=np.int8)
    i, j = (data.draw(st.integers(0, X.shape[0] - 1)) for _ in range(2))
    order = np.arange(X.shape[0])
    order[[i, j]] = order[[j, i]]
    assume((X[i] != X[j]).any())
    assert fingerprint(X[order], signs) != fingerprint(X, signs)
    assert sorted(row_hashes(X[order])) == sorted(row_hashes(X))


def test_the_numbers_count_and_not_their_names():
    tenth = np.array([[0.1]])
    assert fingerprint(tenth, [1]) != fingerprint(tenth.astype(np.float32), [1])
    half = np.array([[0.5]])
    assert fingerprint(half, [1]) == fingerprint(half.astype(np.float32), [1])
    assert fingerprint(np.array([[-0.0]]), [1]) == fingerprint(np.array([[0.0]]), [1])
    assert fingerprint(-half, [1]) != fingerprint(half, [1])


@pytest.mark.parametrize("values", [2, 16, 256])
def test_distinct_rows_of_small_integers_have_distinct_hashes(values):
    rng = np.random.default_rng(values)
    X = np.unique(rng.integers(0, values, (100_000, 40)), axis=0).astype(np.uint8)
    assert np.unique(row_hashes(X)).size == len(X)
    ones = np.eye(2000, dtype=np.uint8)
    assert np.unique(row_hashes(ones)).size == 2000


def test_rows_of_two_equal_numbers_have_distinct_hashes():
    # A million pairs of columns: sums of two words for each, which linear hashes mix up.
    columns = np.column_stack(np.triu_indices(1500, 1)).astype(np.int32)
    n = len(columns)
    X = sparse.csr_array((np.ones(2 * n), columns.ravel(), np.arange(0, 2 * n + 1, 2)))
    assert np.unique(row_hashes(X)).size == n


@given(X=bytes_2d)
def test_other_signs_need_no_second_pass(X):
    signs = signs_for(X)
    name, hashes = fingerprint_and_hashes(X, signs)
    assert name == fingerprint(X, signs) and np.array_equal(hashes, row_hashes(X))
    assert fingerprint_of_hashes(hashes, -signs, X.shape[1]) == fingerprint(X, -signs)


def test_wrong_input_is_named():
    with pytest.raises(CertificateError, match="signs"):
        fingerprint(np.eye(2), [1])
    with pytest.raises(CertificateError, match="\\+1 or -1"):
        fingerprint(np.eye(2), [1, 0])
    with pytest.raises(CertificateError, match="table"):
        fingerprint(np.ones(3), [1])
    with pytest.raises(CertificateError, match="64 bits"):
        fingerprint(np.eye(2, dtype=complex), [1, 1])
    with pytest.raises(CertificateError, match="2\\*\\*53"):
        fingerprint(np.array([[2**53 + 1]]), [1])
    assert fingerprint(np.array([[-(2**53)]]), [1]) == fingerprint(np.array([[-(2.0**53)]]), [1])
