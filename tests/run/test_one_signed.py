"""Columns of one sign, against the definition."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from novikoff.run.one_signed import one_signed, rows_with


def by_definition(X, signs, rows):
    rows, found = list(rows), set()
    while True:
        signed = X[rows] * signs[rows, None]
        new = {j for j in range(X.shape[1]) if (signed[:, j] > 0).any() != (signed[:, j] < 0).any()}
        if not new:
            return sorted(found)
        found |= new
        rows = [i for i in rows if not X[i, sorted(new)].any()]


@given(
    X=hnp.arrays(np.float64, (12, 5), elements=st.sampled_from([0.0, 0.0, 1.0, -0.5, -0.0])),
    signs=hnp.arrays(np.int8, 12, elements=st.sampled_from([1, -1])),
    rows=st.sets(st.integers(0, 11)).map(sorted),
)
def test_no_other_columns_are_left_out(X, signs, rows):
    rows = np.array(rows, dtype=np.int64)
    wanted = by_definition(X, signs, rows)
    for stored in (X, X.astype(np.float32), sparse.csr_array(X), sparse.csr_matrix(X)):
        assert sorted(one_signed(stored, signs, rows).tolist()) == wanted


def test_stored_zeros_and_duplicates_are_not_occurrences():
    X = sparse.csr_array(
        (np.array([0.0, 1.0, -1.0, 2.0]), np.array([0, 1, 1, 2]), np.array([0, 1, 4])), (2, 3)
    )
    assert rows_with(X, np.arange(2), np.arange(3)).nnz == 1
    assert one_signed(X, np.array([1, -1], dtype=np.int8), np.arange(2)).tolist() == [2]


def test_bytes_are_signed():
    X = np.array([[1], [2]], dtype=np.uint8)
    assert one_signed(X, np.array([1, -1], dtype=np.int8), np.arange(2)).size == 0
    assert one_signed(X, np.array([1, 1], dtype=np.int8), np.arange(2)).tolist() == [0]
