"""Matrices of examples, dense or sparse, whose rows compiled code reads without a copy."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.certificate.examples.matrix import with_true_flags
from novikoff.compiled.rows import CSR, Rows

IN_PLACE = (np.dtype(np.float64), np.dtype(np.float32), np.dtype(np.uint8))
# Rows that one compiled call reads: some milliseconds, so that limits and Ctrl-C act soon. A sweep
# of 80 MB takes the same time at half and at twice the value, within a tenth.
CHUNK_BYTES = 1 << 22
# Matrices of another type or layout are copied as a whole up to this size.
CONVERTED_AT_ONCE = 1 << 25
# Sparse ones up to so many times this size: to sort their rows anew takes ten times as long as a
# pass. Tf-idf of 5,000 texts in 3,000 pairs and triples of characters, 38 MB unsorted as they come
# from scikit-learn, take 0.12 s with C = 0.01, and 1.25 in blocks.
SPARSE_AT_ONCE = 32
# The largest exponent of two by which data are rescaled, and the least share of the largest value
# that every column must reach: beyond, norms of hyperplanes may overflow.
MOST_RESCALED = 900
LEAST_SHARE = 2.0**-300
# Larger ones are converted in chunks that stay in the cache of the processor. A sweep of 80 MB in
# Fortran order takes about seven passes, a tenth less at half the value, and as much at twice.
CONVERTED_CHUNK_BYTES = 1 << 23


class Storage(Protocol):
    """A matrix of examples that hands out rows for compiled code.

    ``width`` is the number of features, ``n_values`` that of values stored, and ``chunk`` the
    number of rows that one compiled call reads.
    """

    matrix: Any
    shape: tuple[int, int]
    width: int
    n_values: int
    nbytes: int
    chunk: int

    def part(self, ids: NDArray[np.int64]) -> tuple[Rows, NDArray[np.int64] | None]:
        """Return rows, and ``None`` where row ``i`` is example ``i``, else the ids in row order."""

    def dense_row(self, i: int) -> NDArray[np.float64]:
        """Return example ``i`` as a float64 vector."""

    def sparse_rows(self, ids: NDArray[np.int64]) -> Any:
        """Return examples of a sparse matrix as another, of float64 values."""


class InPlace:
    """Rows that compiled code reads where they are."""

    def __init__(self, X: Any) -> None:
        self.matrix = X
        self.shape: tuple[int, int] = X.shape
        self.width = self.shape[1]
        if sparse.issparse(X):
            self.rows: Rows = CSR(*map(_read_only, (X.data, X.indices, X.indptr)))
            self.n_values = len(X.data)
            self.nbytes = sum(array.nbytes for array in self.rows)
        else:
            self.rows = _read_only(X)
            self.n_values = X.size
            self.nbytes = X.nbytes
        self.chunk = _rows_per_chunk(self.nbytes, self.shape[0], CHUNK_BYTES)

    def part(self, ids: NDArray[np.int64]) -> tuple[Rows, None]:
        """Return all rows."""
        return self.rows, None

    def dense_row(self, i: int) -> NDArray[np.float64]:
        """Return example ``i`` as a float64 vector."""
        if not isinstance(self.rows, CSR):
            return np.array(self.rows[i], dtype=np.float64)
        data, indices, indptr = self.rows
        row = np.zeros(self.width)
        row[indices[indptr[i] : indptr[i + 1]]] = data[indptr[i] : indptr[i + 1]]
        return row

    def sparse_rows(self, ids: NDArray[np.int64]) -> Any:
        """Return examples of a sparse matrix as another of float64 values."""
        return _of_one_type(self.matrix[ids])


class Converted:
    """Rows of another type or layout, converted block by block."""

    def __init__(self, X: Any) -> None:
        self.matrix = X
        self.shape: tuple[int, int] = X.shape
        self.width = self.shape[1]
        per_value = 8 if not sparse.issparse(X) else 16
        self.n_values = int(X.nnz if sparse.issparse(X) else X.size)
        self.nbytes = per_value * self.n_values
        # A chunk is alive up to three times: as it was, converted, and the one before it.
        self.chunk = _rows_per_chunk(self.nbytes, self.shape[0], CONVERTED_CHUNK_BYTES)

    def part(self, ids: NDArray[np.int64]) -> tuple[Rows, NDArray[np.int64]]:
        """Return the rows ``ids``, in this sequence."""
        return InPlace(_converted(self.matrix[ids])).rows, ids

    def dense_row(self, i: int) -> NDArray[np.float64]:
        """Return example ``i`` as a float64 vector."""
        return InPlace(_converted(self.matrix[[i]])).dense_row(0)

    def sparse_rows(self, ids: NDArray[np.int64]) -> Any:
        """Return examples of a sparse matrix as another of float64 values."""
        return _of_one_type(_converted(self.matrix[ids]))


def storage_of(X: Any, *, checked: bool = False) -> Storage:
    """Return the storage for a matrix: in place where its type and layout allow it.

    Small matrices of another type or layout are converted once, large ones block by block.
    ``checked`` says that the indices and flags of a sparse matrix have just been checked.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.sample import storage_of
    >>> X = np.zeros((3, 2), dtype=np.uint8)
    >>> np.shares_memory(storage_of(X).part(np.arange(3))[0], X)
    True
    """
    if sparse.issparse(X) and not checked:
        # Compiled code trusts the indices, and the flags may be stale.
        X = with_true_flags(X)
    if X.dtype in IN_PLACE and _is_readable(X):
        return InPlace(X)
    return InPlace(_converted(X)) if is_converted_at_once(X) else Converted(X)


def is_converted_at_once(X: Any) -> bool:
    """Whether a matrix that cannot be read in place is small enough to be copied as a whole."""
    most = CONVERTED_AT_ONCE * (SPARSE_AT_ONCE if sparse.issparse(X) else 1)
    return Converted(X).nbytes <= most


def rescaled(X: Any) -> tuple[Storage, int] | None:
    """Return a copy of the data times the power of two that brings the largest value near 1.

    Also its exponent. ``None`` where that is not enough: columns are of too different scales, or a
    hyperplane in the units of the data would overflow.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.sample.storage import rescaled
    >>> storage, exponent = rescaled(np.array([[2.0**500, 2.0**499]]))
    >>> storage.matrix, exponent
    (array([[0.5 , 0.25]]), -501)
    """
    is_sparse = sparse.issparse(X)
    X = X.astype(np.float64)
    reach = abs(X).max(axis=0)
    reach = reach.toarray().ravel() if is_sparse else reach
    reach = reach[reach > 0.0]
    exponent = -int(np.frexp(reach.max())[1])
    if abs(exponent) > MOST_RESCALED or reach.min() < LEAST_SHARE * reach.max():
        return None
    if is_sparse:
        X.data = np.ldexp(X.data, exponent)
    else:
        X = np.ldexp(X, exponent)
    return storage_of(X), exponent


def _of_one_type(X: Any) -> Any:
    """Return a sparse matrix of float64 values and 32-bit indices, if these suffice."""
    X = X.astype(np.float64, copy=False)
    if X.indices.dtype != np.int32 and max(X.nnz, *X.shape) <= np.iinfo(np.int32).max:
        X = sparse.csr_matrix(
            (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape
        )
    return X


def _is_readable(X: Any) -> bool:
    """Whether compiled code can read rows of this layout where they are."""
    if sparse.issparse(X):
        return bool(X.has_canonical_format)
    return bool(X.flags.c_contiguous and X.flags.aligned)


def _converted(X: Any) -> Any:
    if sparse.issparse(X):
        # As the certificate reads it: 64-bit integers are summed as such.
        X = X.copy() if X.dtype.kind in "ui" and X.dtype.itemsize == 8 else X.astype(np.float64)
        X.sum_duplicates()
        return X.astype(np.float64, copy=False)
    return np.ascontiguousarray(X, dtype=np.float64)


def _rows_per_chunk(nbytes: int, n_examples: int, chunk_bytes: int) -> int:
    return max(1, chunk_bytes * n_examples // max(nbytes, 1))


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    # Writable and read-only arrays are two types to numba; only one of them is ever compiled.
    view = array.view()
    view.flags.writeable = False
    return view
