"""Where the rows live: in place where type and layout allow it, else converted."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.compiled.rows import CSR
from novikoff.sample import Sample, storage, storage_of
from novikoff.sample.storage import Converted, InPlace
from tests.estimators.problems import twisted, whole_numbers

IDS = np.array([4, 0, 59, 4, 17])


def dense(rows):
    if not isinstance(rows, CSR):
        return np.array(rows, dtype=np.float64)
    data, indices, indptr = rows
    shape = (len(indptr) - 1, 5)
    return sparse.csr_matrix((data.astype(np.float64), indices, indptr), shape=shape).toarray()


def stored():
    X, _ = whole_numbers()
    sliced = np.zeros((60, 10))
    sliced[:, ::2] = X
    return {
        "float64": (X, True),
        "float32": (X.astype(np.float32), True),
        "uint8": (X.astype(np.uint8), True),
        "CSR": (sparse.csr_matrix(X), True),
        "CSR float32": (sparse.csr_matrix(X.astype(np.float32)), True),
        "CSR uint8": (sparse.csr_matrix(X.astype(np.uint8)), True),
        "F order": (np.asfortranarray(X), False),
        "strided": (sliced[:, ::2], False),
        "int16": (X.astype(np.int16), False),
        "bool": (X > 7, False),
        "float16": (X.astype(np.float16), False),
        "other byte order": (X.astype(">f8"), False),
        "CSR int64": (sparse.csr_matrix(X.astype(np.int64)), False),
        "CSR twisted": (twisted(X), False),
    }


@pytest.mark.parametrize("kind", stored())
@pytest.mark.parametrize("block_by_block", [True, False])
def test_rows_are_the_rows(kind, block_by_block, monkeypatch):
    X, in_place = stored()[kind]
    if block_by_block:
        monkeypatch.setattr(storage, "CONVERTED_AT_ONCE", 0)
    storage_ = storage_of(X)
    assert isinstance(storage_, Converted if block_by_block and not in_place else InPlace)
    assert storage_.shape == (60, 5)
    assert storage_.width == 5
    assert storage_.nbytes > 0
    assert storage_.chunk >= 1
    rows, ids = storage_.part(IDS)
    true = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    if ids is None:
        np.testing.assert_array_equal(dense(rows), true)
    else:
        np.testing.assert_array_equal(ids, IDS)
        np.testing.assert_array_equal(dense(rows), true[IDS])
    for i in (0, 17, 59):
        row = storage_.dense_row(i)
        assert row.dtype == np.float64
        np.testing.assert_array_equal(row, true[i])
        row[:] = -1.0
    np.testing.assert_array_equal(storage_.dense_row(17), true[17])


@pytest.mark.parametrize(
    ("kind", "times"), [("CSR twisted", 32), ("CSR int64", 32), ("F order", 1)]
)
def test_what_is_converted_as_a_whole(kind, times, monkeypatch):
    X, _ = stored()[kind]
    size = Converted(X).nbytes
    monkeypatch.setattr(storage, "CONVERTED_AT_ONCE", size / times)
    assert isinstance(storage_of(X), InPlace)
    monkeypatch.setattr(storage, "CONVERTED_AT_ONCE", size / times - 1)
    assert isinstance(storage_of(X), Converted)


@pytest.mark.parametrize("kind", [kind for kind, (_, in_place) in stored().items() if in_place])
def test_in_place_is_the_same_memory_and_read_only(kind):
    X, _ = stored()[kind]
    rows, _ = storage_of(X).part(IDS)
    mine = (X.data, X.indices, X.indptr) if sparse.issparse(X) else (X,)
    for theirs, array in zip(rows if isinstance(rows, CSR) else (rows,), mine, strict=True):
        assert np.shares_memory(theirs, array)
        assert not theirs.flags.writeable
        assert array.flags.writeable


def test_chunks_are_bounded():
    for X in (np.zeros((10**6, 10)), np.zeros((10**6, 10), dtype=np.uint8)):
        storage_ = storage_of(X)
        assert storage_.chunk * X.itemsize * 10 <= storage.CHUNK_BYTES
        assert storage_.chunk > 1000
    wide = storage_of(sparse.csr_matrix((3, 10**6)))
    assert wide.chunk >= 1


def test_an_empty_row():
    X = sparse.csr_matrix(np.array([[0.0, 0.0], [1.0, 0.0]]))
    np.testing.assert_array_equal(storage_of(X).dense_row(0), [0.0, 0.0])


def test_a_stale_flag_is_not_trusted():
    """scipy remembers that a matrix was canonical after somebody changed its arrays."""
    X = sparse.csr_matrix(np.array([[1.0, 2.0, 0.0], [0.0, 3.0, 4.0], [5.0, 0.0, 6.0]]))
    assert X.has_canonical_format
    X.indices[:] = [0, 0, 2, 1, 1, 0]
    assert X.has_canonical_format
    true = np.array([[3.0, 0.0, 0.0], [0.0, 4.0, 3.0], [6.0, 5.0, 0.0]])
    np.testing.assert_array_equal(X.toarray(), true)
    sample = Sample.of(storage_of(X), np.array([1, -1, 1]), affine=False)
    np.testing.assert_array_equal(sample.norms2, (true**2).sum(axis=1))
    np.testing.assert_array_equal(sample.storage.dense_row(0), true[0])
