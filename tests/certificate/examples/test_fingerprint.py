"""One name for one data set, however it is stored; another for any other."""

import hashlib
import struct
from unittest import mock

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from novikoff.certificate import (
    CertificateError,
    fingerprint,
    fingerprint_of_hashes,
    row_hashes,
)
from novikoff.certificate.exact.sums import read_only as frozen
from novikoff.certificate.examples import compiled_hashing, hashing
from novikoff.certificate.examples.fingerprint import sha256_of
from tests.certificate.strategies import small_blocks
from tests.data.layouts import (
    read_only,
    read_only_csr,
    with_duplicates,
    with_explicit_zeros,
    with_long_indices,
)

bytes_2d = hnp.arrays(np.uint8, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6))


def codes_for(X, n_classes=2):
    return (np.arange(X.shape[0]) % 3 == 0) + (n_classes > 2) * (np.arange(X.shape[0]) % 2)


def with_unsorted_columns(X):
    n, d = X.shape
    return sparse.csr_array(
        (X[:, ::-1].ravel(), np.tile(np.arange(d)[::-1], n), np.arange(0, n * d + 1, d)),
        shape=(n, d),
    )


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
@settings(max_examples=settings().max_examples // 5)
@given(X=bytes_2d)
def test_copies_of_the_same_numbers_agree(copy, X):
    codes = codes_for(X)
    other = COPIES[copy](X)
    before = [a.copy() for a in (other.data, other.indices)] if sparse.issparse(other) else None
    assert np.array_equal(row_hashes(other), row_hashes(X))
    assert fingerprint(other, codes) == fingerprint(X, codes)
    assert sha256_of(other, codes) == sha256_of(X, codes)
    if before is not None:
        assert np.array_equal(other.data, before[0]) and np.array_equal(other.indices, before[1])


def test_copies_agree_over_many_blocks():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (3000, 300)).astype(np.uint8) * rng.integers(0, 2, (3000, 300)).astype(
        np.uint8
    )
    codes = codes_for(X)
    for name in (fingerprint, sha256_of):
        assert len({name(copy(X), codes) for copy in COPIES.values()}) == 1


def by_hand(X, codes, n_classes=2, weights=None):
    """The scheme nk1 in Python's integers. Change it, and stored names mean nothing: rename it."""
    word, golden = 2**64, 0x9E3779B97F4A7C15
    first, second = 0xBF58476D1CE4E5B9, 0x94D049BB133111EB

    def mix(h):
        h = (h ^ (h >> 30)) * first % word
        h = (h ^ (h >> 27)) * second % word
        return h ^ (h >> 31)

    def bits(value):
        return int.from_bytes(struct.pack("<d", value + 0.0), "little")

    def folded(value, key):
        u = (bits(value) + key) % word
        return (u % 2**32) * (u >> 32) - (key % 2**32) * (key >> 32)

    def summed(row, which):
        keys = (mix((2 * j + which + 1) * golden % word) for j in range(len(row)))
        return sum(folded(float(v), key) for v, key in zip(row, keys, strict=True)) % word

    total = mix(len(X) * golden % word) + mix(len(X[0]) * second % word)
    total += mix(n_classes * first % word) if n_classes > 2 else 0
    for i, (row, code) in enumerate(zip(X, codes, strict=True)):
        h = mix((mix(summed(row, 0)) + summed(row, 1)) % word)
        h ^= mix((n_classes * i + code + 1) * golden % word)
        if weights is not None and weights[i] != 1.0:
            h = mix((h + first) % word) ^ mix((bits(weights[i]) + golden) % word)
        total += mix(h)
    return f"nk1:{mix(total % word):016x}"


@given(
    X=hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=4),
        elements=st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_the_scheme_does_not_change(X):
    assert fingerprint(X, codes_for(X)) == by_hand(X.tolist(), codes_for(X).tolist())
    for n_classes in (3, 7):
        codes = codes_for(X, n_classes)
        assert fingerprint(X, codes, n_classes) == by_hand(X.tolist(), codes.tolist(), n_classes)
    weights = np.where(np.arange(len(X)) % 2, 1.0, 0.3)
    named = fingerprint(X, codes, 7, weights)
    assert named == by_hand(X.tolist(), codes.tolist(), 7, weights.tolist())


def test_names_of_old_stay():
    """Two classes without weights have the names that version 1 of the certificates gave them."""
    X = np.array([[0.5, 0.0, -3.25], [1e-300, 2.0, 0.0], [0, 0, 0], [7, 7, 7]])
    assert fingerprint(X, [1, 0, 0, 1]) == "nk1:a82fc5711d1ffba8"
    assert fingerprint(X, [1, 0, 0, 1], sample_weight=np.ones(4)) == "nk1:a82fc5711d1ffba8"
    X = np.random.default_rng(5).integers(0, 256, (50, 20)).astype(np.uint8)
    assert fingerprint(X, np.arange(50) % 3 == 0) == "nk1:42a540ea88ec8ba9"


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
    codes = codes_for(X)
    row = data.draw(st.integers(0, X.shape[0] - 1))
    column = data.draw(st.integers(0, X.shape[1] - 1))
    edited, turned, weights = X.copy(), codes.copy(), np.ones(len(X))
    edited[row, column] = value
    turned[row] ^= 1
    weights[row] = data.draw(st.sampled_from([0.0, 0.5, 2.0, np.nextafter(1.0, 2.0)]))
    for name in (fingerprint, sha256_of):
        named = name(X, codes)
        assert (name(edited, codes) != named) == (value != X[row, column])
        others = {
            name(X, turned),
            name(np.column_stack([X, np.zeros(len(X))]), codes),
            name(np.vstack([X, np.zeros(X.shape[1])]), np.append(codes, 0)),
            name(X, codes, sample_weight=weights),
            name(X, codes, sample_weight=weights + 3.0),
        }
        assert named not in others and len(others) == 5
        assert name(X, codes, 3) not in {named, *others, name(X, codes, 4)}
        assert name(X, codes, sample_weight=np.ones(len(X))) == named
    if value != X[row, column]:
        assert row_hashes(edited)[row] != row_hashes(X)[row]


@given(X=bytes_2d, data=st.data())
def test_swapping_two_rows_or_columns_shows(X, data):
    codes = np.zeros(X.shape[0], dtype=np.int64)
    i, j = (data.draw(st.integers(0, X.shape[0] - 1)) for _ in range(2))
    order = np.arange(X.shape[0])
    order[[i, j]] = order[[j, i]]
    assume((X[i] != X[j]).any())
    for name in (fingerprint, sha256_of):
        assert name(X[order], codes) != name(X, codes)
    assert sorted(row_hashes(X[order])) == sorted(row_hashes(X))
    # Weights belong to their examples.
    weights = np.ones(len(X))
    weights[i] = 0.5
    assert fingerprint(X, codes, 2, weights) != fingerprint(X, codes, 2, weights[order])


def test_the_numbers_count_and_not_their_names():
    tenth, half = np.array([[0.1]]), np.array([[0.5]])
    for name in (fingerprint, sha256_of):
        assert name(tenth, [1]) != name(tenth.astype(np.float32), [1])
        assert name(half, [1]) == name(half.astype(np.float32), [1])
        assert name(np.array([[-0.0]]), [1]) == name(np.array([[0.0]]), [1])
        assert name(-half, [1]) != name(half, [1])
        zeros = (name(half, [1], sample_weight=[zero]) for zero in (0.0, -0.0, np.float32(0)))
        assert len(set(zeros)) == 1


def digest_by_hand(X, codes, n_classes, weights):
    words = struct.pack("<3Q", len(X), len(X[0]), n_classes)
    for row in X:
        values = [(j, v) for j, v in enumerate(row) if v != 0.0]
        words += struct.pack("<Q", len(values)) + b"".join(struct.pack("<Qd", *v) for v in values)
    words += struct.pack(f"<{len(X)}q", *codes)
    if any(w != 1.0 for w in weights):
        words += struct.pack(f"<{len(X)}d", *weights)
    return hashlib.sha256(b"novikoff examples, version 1\n" + words).hexdigest()


@given(
    X=hnp.arrays(
        np.float64,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=4),
        elements=st.sampled_from([0.0, -0.0, 1.5, -3.0, 5e-324]) | st.floats(-1, 1),
    ),
    weights=st.sampled_from([1.0, 0.5, 3.0]),
)
def test_the_digest_is_that_of_the_words(X, weights):
    codes, weights = codes_for(X, 3), np.where(np.arange(len(X)) % 2, 1.0, weights)
    wanted = digest_by_hand(X.tolist(), codes.tolist(), 3, weights.tolist())
    assert sha256_of(X, codes, 3, weights) == wanted
    with small_blocks():
        assert sha256_of(X, codes, 3, weights) == wanted
        assert sha256_of(sparse.csr_array(X), codes, 3, weights) == wanted


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
def test_other_classes_need_no_second_pass(X):
    codes, hashes = codes_for(X), row_hashes(X)
    for other in (codes, 1 - codes):
        assert fingerprint_of_hashes(hashes, other, 2, X.shape[1]) == fingerprint(X, other)


@pytest.mark.parametrize("name", [fingerprint, sha256_of])
def test_wrong_input_is_named(name):
    X = np.eye(2)
    with pytest.raises(CertificateError, match="codes"):
        name(X, [1])
    for codes in ([1, -1], [0, 2]):
        with pytest.raises(CertificateError, match="at least 0 and below 2"):
            name(X, codes)
    with pytest.raises(CertificateError, match="codes"):
        name(X, [0.0, 1.0])
    with pytest.raises(CertificateError, match="2 examples need as many weights"):
        name(X, [0, 1], sample_weight=[1.0])
    for weight in (-1.0, np.nan, np.inf):
        with pytest.raises(CertificateError, match="finite and not negative"):
            name(X, [0, 1], sample_weight=[1.0, weight])
    with pytest.raises(CertificateError, match="weights must be numbers"):
        name(X, [0, 1], sample_weight=["1", "2"])
    with pytest.raises(CertificateError, match="table"):
        name(np.ones(3), [1])
    with pytest.raises(CertificateError, match="64 bits"):
        name(np.eye(2, dtype=complex), [1, 1])
    with pytest.raises(CertificateError, match="2\\*\\*53"):
        name(np.array([[2**53 + 1]]), [1])
    assert name(np.array([[-(2**53)]]), [1]) == name(np.array([[-(2.0**53)]]), [1])


@pytest.mark.parametrize("n_columns", [10, 10_000, 2**31 - 1])
def test_keys_of_columns_are_those_of_compiled_code(n_columns):
    rng = np.random.default_rng(0)
    indices = np.sort(rng.integers(0, n_columns, 60)).astype(np.int32)
    rows = sparse.csr_array((rng.standard_normal(60), indices, [0, 60]), shape=(1, n_columns))
    rows.sum_duplicates()
    compiled = np.empty(1, dtype=np.uint64)
    compiled_hashing.hash_sparse(
        frozen(rows.data), frozen(rows.indices), frozen(rows.indptr), compiled
    )
    few = np.empty(1, dtype=np.uint64)
    with mock.patch.object(hashing, "suits_numpy", return_value=True):
        hashing.hash_sparse(rows.data, rows.indices, rows.indptr, n_columns, few)
    assert few == compiled
