"""What counts as a table of examples, and what only pretends to be one."""

from itertools import pairwise

import numpy as np
import pandas
import polars
import pytest
from scipy import sparse

from novikoff import MaxMargin, Perceptron, is_separable
from novikoff.certificate import (
    Account,
    CertificateError,
    Certifier,
    Status,
    Weighted,
    fingerprint,
    row_hashes,
)
from novikoff.certificate.examples import matrix
from novikoff.certificate.examples.blocks import blocks
from novikoff.certificate.examples.matrix import canonical, check_matrix, with_true_flags
from novikoff.sample import storage_of

FLAGS = ("has_canonical_format", "has_sorted_indices")


def twice(dtype=np.float64, claimed=True):
    """The rows (3, 0), (0, -3), (2, 1), (-2, -1) with entries in parts and out of order."""
    data = np.array([1, 2, -3, 1, 2, -1, -2, 0], dtype=dtype)
    indices = np.array([0, 0, 1, 1, 0, 1, 0, 0], dtype=np.int32)
    X = sparse.csr_array((data, indices, np.array([0, 2, 3, 5, 8])), shape=(4, 2))
    if claimed:
        for flag in FLAGS:
            setattr(X, flag, True)
    return X


TRUE = np.array([[3.0, 0.0], [0.0, -3.0], [2.0, 1.0], [-2.0, -1.0]])


def parts(X):
    return {"data": X.data.copy(), "indices": X.indices.copy(), "indptr": X.indptr.copy()}


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.int64])
def test_flags_are_computed_from_the_indices(dtype):
    X = twice(dtype)
    before = parts(X)
    for read in (check_matrix, with_true_flags):
        found = read(X)
        assert not found.has_canonical_format and not found.has_sorted_indices
        assert np.shares_memory(found.data, X.data) and np.shares_memory(found.indices, X.indices)
    # The caller's matrix is left alone, its flags included.
    assert X.has_canonical_format and all((getattr(X, k) == v).all() for k, v in before.items())
    assert with_true_flags(sparse.csr_array(TRUE)).has_canonical_format
    repeated = sparse.csr_array((np.ones(2), [0, 0], [0, 2]), shape=(1, 1))
    found = with_true_flags(repeated)
    assert found.has_sorted_indices and not found.has_canonical_format


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.int64])
def test_a_matrix_with_stale_flags_is_the_matrix_it_is(dtype):
    X, signs = twice(dtype), [1, -1, 1, -1]
    assert np.array_equal(row_hashes(X), row_hashes(TRUE))
    assert fingerprint(X, np.array([1, 0, 1, 0])) == fingerprint(TRUE, np.array([1, 0, 1, 0]))
    made, same = (
        Certifier.of(table, signs, positive=1, affine=True).hard(
            Account(status=Status.MAX_ITER), coef=[2.0, 1.0], proof=Weighted([0, 1], [1, 1])
        )
        for table in (X, TRUE)
    )
    assert made == same
    made.verify(X, signs)
    made.verify(twice(dtype, claimed=False), signs)
    storage = storage_of(twice(dtype))
    assert [storage.dense_row(i).tolist() for i in range(4)] == TRUE.tolist()


@pytest.mark.parametrize("estimator", [Perceptron(random_state=0), MaxMargin(), MaxMargin(C=1.0)])
def test_a_fit_on_stale_flags_is_a_fit_on_the_matrix(estimator):
    y = [1, 0, 1, 0]
    one, other = (
        estimator.fit(twice(), y).coef_.copy(),
        estimator.fit(sparse.csr_array(TRUE), y).coef_,
    )
    np.testing.assert_array_equal(one, other)
    assert is_separable(twice(), y) and is_separable(twice(np.float32), y)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda X: X.indices.__setitem__(1, 7),
        lambda X: X.indices.__setitem__(1, -1),
        lambda X: X.indptr.__setitem__(1, 9),
        lambda X: X.indptr.__setitem__(1, -2),
        lambda X: X.indptr.__setitem__(4, 99),
        lambda X: setattr(X, "indices", X.indices[:2]),
    ],
)
@pytest.mark.parametrize("read", [check_matrix, storage_of])
def test_indices_that_point_outside_are_refused(spoil, read):
    X = twice()
    spoil(X)
    with pytest.raises(CertificateError, match="damaged") as caught:
        read(X)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, 2.0], [3.0]], "rows of different lengths"),
        ([[1.0, 2.0], 3.0], "rows of different lengths"),
        (np.ma.array(np.eye(2), mask=[[0, 1], [0, 0]]), "masked array"),
        (np.ma.array(np.eye(2)), "masked array"),
        ([np.ma.array([1.0, 2.0], mask=[0, 1]), np.ones(2)], "masked array"),
        (np.array([[1, 10**400]], dtype=object), "must be numbers"),
        (np.array([[1, 2**53 + 1]], dtype=object), "float64 cannot represent"),
        (np.array([[1, None]], dtype=object), "none missing"),
        (np.array([["a", "b"]]), "must be numbers"),
        (3.0, "table of rows"),
        # numpy rounds the integer when it makes one array of these.
        ([[2**53 + 1, 0.5]], "float64 cannot represent"),
        (pandas.DataFrame({"a": [2**53 + 1], "b": [0.5]}), "float64 cannot represent"),
        (polars.DataFrame({"a": [2**53 + 1], "b": [0.5]}), "float64 cannot represent"),
    ],
)
def test_what_is_no_table_of_numbers_is_refused(X, message):
    with pytest.raises(CertificateError, match=message) as caught:
        check_matrix(X)
    assert "\n" not in str(caught.value)


def test_a_large_integer_that_float64_has_is_kept():
    X = [[2**60, 0.5, np.nan]]
    for table in (X, pandas.DataFrame(X), polars.DataFrame(X, orient="row")):
        np.testing.assert_array_equal(check_matrix(table), np.array(X))


def scattered(seed, dtype=np.float64, *, repeated=False):
    """A CSR matrix of 40 rows with unsorted columns, some of them three times in a row."""
    rng = np.random.default_rng(seed)
    columns = np.array([rng.permutation(30)[:12] for _ in range(40)])
    if repeated:
        columns[:, 8:10] = columns[:, :1]
    values = (100.0 * rng.standard_normal(columns.size)).astype(dtype)
    ends = np.arange(0, columns.size + 1, 12)
    return sparse.csr_array((values, columns.ravel(), ends), shape=(40, 30))


@pytest.mark.parametrize("how", ["by columns", "in groups", "one by one"])
@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_sorted_rows_have_the_bits_that_blocks_have(dtype, repeated, how, monkeypatch):
    if how != "by columns":
        monkeypatch.setattr(matrix, "SMALL", -1)
    if how == "one by one":
        monkeypatch.setattr(matrix, "SORTED_VALUES", 1)
    X = scattered(0, dtype, repeated=repeated)
    before = X.data.copy(), X.indices.copy()
    checked = check_matrix(X)
    found = canonical(checked)
    assert found.has_canonical_format and canonical(found) is found
    (block,) = blocks(checked)
    np.testing.assert_array_equal(found.data.astype(np.float64), block.data)
    np.testing.assert_array_equal(found.indices, block.indices)
    np.testing.assert_array_equal(found.indptr, block.ends)
    np.testing.assert_array_equal(X.data, before[0])
    np.testing.assert_array_equal(X.indices, before[1])


def test_a_column_repeated_in_one_short_row_is_summed(monkeypatch):
    monkeypatch.setattr(matrix, "SMALL", -1)
    X = sparse.csr_array(([1.0, 2.0, 4.0, 8.0], [7, 3, 1, 1], [0, 2, 4]), shape=(2, 9))
    found = canonical(check_matrix(X))
    assert found.indices.tolist() == [3, 7, 1] and found.data.tolist() == [2.0, 1.0, 12.0]


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("group", [1, 320, 1 << 12])
@pytest.mark.parametrize("most", [3, 10])
@pytest.mark.parametrize("width", [300, 70_000])
def test_rows_of_all_lengths_are_sorted(width, most, group, index, monkeypatch):
    monkeypatch.setattr(matrix, "SMALL", -1)
    monkeypatch.setattr(matrix, "MOST_BITS", most)
    monkeypatch.setattr(matrix, "SORTED_VALUES", group)
    rng = np.random.default_rng(0)
    rows = [rng.permutation(width)[:count] for count in (0, 1, 20, 21, 300, 2, 0, 64)]
    columns, ends = np.concatenate(rows), np.cumsum([0, *map(len, rows)])
    values = np.arange(1.0, columns.size + 1.0)
    X = sparse.csr_array((values, columns.astype(index), ends.astype(index)), shape=(8, width))
    found = canonical(check_matrix(X))
    for row, (begin, end) in enumerate(pairwise(ends)):
        order = np.argsort(rows[row])
        assert found.indices[begin:end].tolist() == rows[row][order].tolist()
        assert found.data[begin:end].tolist() == values[begin:end][order].tolist()


def test_an_array_is_returned_as_it_is():
    X = np.asfortranarray(np.eye(3))
    assert canonical(X) is X


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("C", [1.0, np.inf])
def test_a_fit_on_unsorted_rows_is_that_on_sorted_ones(C, repeated):
    X, y = scattered(1, repeated=repeated), np.arange(40) % 2
    fitted = MaxMargin(C=C).fit(X, y)
    sorted_rows = canonical(check_matrix(X))
    other = MaxMargin(C=C).fit(sorted_rows, y)
    np.testing.assert_array_equal(fitted.coef_, other.coef_)
    assert fitted.certificate_.problem == other.certificate_.problem
    for stored in (X, sorted_rows, sorted_rows.toarray()):
        fitted.certificate_.verify(stored, y)


def test_a_large_integer_in_unsorted_rows_is_refused():
    X = sparse.csr_array((np.array([2**53 + 1, 1, 1]), [1, 0, 0], [0, 2, 3]), shape=(2, 2))
    with pytest.raises(ValueError, match=r"beyond 2\*\*53"):
        MaxMargin().fit(X, [0, 1])
