"""Array-like input as arrays of numbers that float64 can represent: examples and their weights.

scipy remembers in flags whether the columns of each row of a CSR matrix are sorted and distinct.
Flags outlive a change of the indices, and anyone can set them: here they are computed.
"""

import copy
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.arithmetic import check_arithmetic
from novikoff.certificate.exact.sums import read_only, suits_numpy
from novikoff.certificate.examples.blocks import LARGEST_EXACT, Floats, as_float64
from novikoff.certificate.examples.hashing import SMALL

BAD_ENDS, BAD_COLUMNS, UNSORTED, REPEATED, CANONICAL = range(5)
"""What the indices of a CSR matrix are, the worst first."""

# Sparse matrices whose rows are not sorted are sorted as a whole up to this many bytes, in a copy.
# Tf-idf of 9,000 texts in 18,034 triples of characters, 35 MB, is verified in 0.14 s, else 0.28.
SORTED_AT_ONCE = 1 << 30

# Rows are sorted in groups of so many values, by digits of at most so many bits. Counts of words
# in 1,400 files take 2.3 ms at half the first, 2.8 at it and 3.2 at twice, 3.0 with one bit fewer
# and 3.1 with one more; triples of characters of 1,600 texts 3.5, 3.6, 3.8, 3.2 and 3.6. Rows that
# are sorted one by one take 3.7 and 3.9.
SORTED_VALUES, MOST_BITS = 1 << 12, 11

_DAMAGE = {
    BAD_ENDS: "its row pointers must not decrease, nor exceed the number of values",
    BAD_COLUMNS: "its column indices must be at least 0 and below the number of columns",
}


def as_array(what: str, values: Any) -> npt.NDArray[Any]:
    """Array-like values as an array; refuses masked arrays and rows of different lengths.

    Values that numpy would change in an array of one type, such as ``2**53 + 1`` beside a float, or
    a number beside strings, stay Python objects.

    Examples
    --------
    >>> as_array("the examples", [[1, 2], [3]])
    Traceback (most recent call last):
    novikoff.certificate.errors.CertificateError: the examples have rows of different lengths
    >>> as_array("the labels", [1, "1"])
    array([1, '1'], dtype=object)
    """
    parts = values if isinstance(values, list | tuple) else [values]
    if any(isinstance(part, np.ma.MaskedArray) for part in parts):
        raise CertificateError(f"{what} are a masked array: drop or fill in the masked values")
    try:
        array = np.asarray(values)
    except (ValueError, TypeError) as error:
        ragged = "inhomogeneous" in str(error)
        how = "have rows of different lengths" if ragged else "cannot be read as an array"
        raise CertificateError(f"{what} {how}") from None
    if isinstance(values, np.ndarray) or not _may_be_changed(array):
        return array
    # A frame (pandas, polars) would turn its integers into floats first, and those into objects.
    if hasattr(values, "astype"):
        values = values.astype(object)
    elif hasattr(values, "rows"):
        values = values.rows()
    objects = np.asarray(values, dtype=object)
    try:
        changed = array.astype(object) != objects
    except TypeError:
        # pandas.NA is not equal to anything, nor different.
        return objects
    if array.dtype.kind == "f":
        changed &= ~np.isnan(array)
    return objects if changed.any() else array


def check_matrix(X: Any) -> Any:
    """``X`` as an ndarray or CSR matrix of a type whose values are float64 numbers.

    Other sparse formats are converted as a whole, as a fit does. Every check begins here, so the
    processor's mode is checked here too.
    """
    check_arithmetic()
    matrix: Any = X if sparse.issparse(X) else as_array("the examples", X)
    if matrix.ndim != 2:
        raise CertificateError(f"the examples must be a table of rows, not of shape {matrix.shape}")
    matrix = _numbers("the examples", matrix)
    if not sparse.issparse(matrix):
        return matrix
    if matrix.format != "csr":
        try:
            # Compressed formats are converted by compiled code, which trusts their indices.
            if hasattr(matrix, "check_format"):
                matrix.check_format(full_check=True)
        except ValueError as error:
            form = matrix.format.upper()
            raise CertificateError(f"the {form} matrix is damaged: {error}") from None
    return with_true_flags(matrix.tocsr())


def check_sample_weight(sample_weight: Any, n_examples: int) -> Floats | None:
    """Return the weights of the examples as float64; ``None`` where each is 1."""
    if isinstance(sample_weight, np.ma.MaskedArray):
        raise CertificateError("sample_weight is a masked array; fill in its missing values first")
    what = "the weights (sample_weight)"
    weights = as_float64(_numbers(what, as_array(what, sample_weight)))
    if weights.shape != (n_examples,):
        raise CertificateError(
            f"{n_examples} examples need as many weights, not an array of shape {weights.shape}"
        )
    if not (np.isfinite(weights) & (weights >= 0.0)).all():
        raise CertificateError("sample_weight must be finite and not negative")
    if not weights.any():
        raise CertificateError("sample_weight is zero for every example")
    # Adding 0.0 turns -0.0 into 0.0, so that equal weights have equal bits.
    return None if (weights == 1.0).all() else weights + 0.0


def with_true_flags(X: Any) -> Any:
    """The same CSR matrix, sharing its arrays, with flags that are true.

    Raises
    ------
    CertificateError
        If its indices point outside of it: compiled code trusts them.

    Examples
    --------
    >>> from scipy import sparse
    >>> X = sparse.csr_array(([1.0, 2.0], [0, 0], [0, 2]), shape=(1, 1))
    >>> X.has_canonical_format = True
    >>> with_true_flags(X).has_canonical_format
    False
    """
    X = copy.copy(X)
    try:
        X.check_format(full_check=False)
    except ValueError as error:
        raise CertificateError(f"the CSR matrix is damaged: {error}") from None
    indices, ends = (read_only(np.ascontiguousarray(array)) for array in (X.indices, X.indptr))
    state = _state(indices, ends, X.shape[1])
    if state in _DAMAGE:
        raise CertificateError(f"the CSR matrix is damaged: {_DAMAGE[state]}")
    X.has_sorted_indices = state != UNSORTED
    X.has_canonical_format = state == CANONICAL
    return X


def canonical(X: Any) -> Any:
    """The same matrix with sorted and distinct columns in each row; a copy where they are not.

    ``X`` comes from :func:`check_matrix`; arrays are returned as they are. Repeated columns are
    summed: 64-bit integers as such, since their sum may be beyond 2**53, all others as float64.

    Examples
    --------
    >>> from scipy import sparse
    >>> X = check_matrix(sparse.csr_array(([1.0, 2.0, 4.0], [1, 0, 1], [0, 3]), shape=(1, 2)))
    >>> canonical(X).indices, canonical(X).data
    (array([0, 1]...), array([2., 5.]))
    """
    if not sparse.issparse(X) or X.has_canonical_format:
        return X
    # Both ways would sum repeated columns in another order than a check of the data does, block by
    # block, and change the last bit.
    few = suits_numpy(X.nnz, SMALL)
    # Few values by way of columns, which compiles nothing.
    ordered = X.tocsc().tocsr() if few else _with_rows_sorted(X)
    if ordered is not None and ordered.has_canonical_format:
        return ordered
    X = X.copy() if X.dtype.kind in "ui" and X.dtype.itemsize == 8 else X.astype(np.float64)
    X.sum_duplicates()
    return X


def canonical_if_small(X: Any) -> Any:
    """The same for a check that reads the data more than once; large matrices as they are.

    Their rows are sorted block by block, in every pass.
    """
    if not sparse.issparse(X) or X.data.nbytes + X.indices.nbytes > SORTED_AT_ONCE:
        return X
    return canonical(X)


def _with_rows_sorted(X: Any) -> Any:
    """A copy of a CSR matrix with sorted rows, or None if a column is repeated in one."""
    if max(X.shape[1], X.indices.size) >= 1 << 32:
        return None
    from novikoff.certificate.examples import compiled_rows

    indices, ends = (read_only(np.ascontiguousarray(array)) for array in (X.indices, X.indptr))
    data, bits = np.ascontiguousarray(X.data), int(X.shape[1] - 1).bit_length()
    ordered = copy.copy(X)
    ordered.data, ordered.indices = np.empty_like(data), np.empty_like(indices)
    # As unsigned integers, so that fewer types are compiled.
    before, after = (values.view(f"u{data.itemsize}") for values in (data, ordered.data))
    distinct = compiled_rows.sort_rows(
        read_only(before),
        indices,
        ends,
        bits,
        MOST_BITS,
        SORTED_VALUES,
        after,
        ordered.indices,
    )
    if not distinct:
        return None
    ordered.has_sorted_indices = ordered.has_canonical_format = True
    return ordered


def _may_be_changed(array: npt.NDArray[Any]) -> bool:
    """Whether an array made of other values may not equal them.

    Numbers are changed into strings beside a string, and integers above 2**53 into other integers
    beside a float; no smaller integer is rounded to such a float.
    """
    if array.dtype.kind != "f" or not array.size:
        return array.dtype.kind == "U"
    return not -LARGEST_EXACT < array.min() <= array.max() < LARGEST_EXACT


def _numbers(what: str, array: Any) -> Any:
    """The same values in a type of at most 64 bits, if each of them is a float64 or an integer."""
    shorter = array
    if array.dtype.kind == "O":
        try:
            shorter = array.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            raise CertificateError(f"{what} must be numbers") from None
        if np.isnan(shorter).any():
            raise CertificateError(f"{what} must be numbers, with none missing")
    elif array.dtype.kind == "f" and array.dtype.itemsize > 8:
        shorter = array.astype(np.float64)
    elif array.dtype.kind not in "buif":
        raise CertificateError(
            f"{what} must be numbers (real numbers of at most 64 bits), not {array.dtype}"
        )
    if shorter is not array and (array != shorter.astype(array.dtype)).sum():
        raise CertificateError(f"{what} contain a value that float64 cannot represent")
    return shorter


def _state(indices: Any, ends: Any, n_columns: int) -> int:
    """What the indices of a CSR matrix are: the worst over its rows."""
    if not suits_numpy(indices.size + ends.size, SMALL):
        from novikoff.certificate.examples import compiled_rows

        return int(compiled_rows.state(indices, ends, n_columns))
    counts = np.diff(ends)
    if (counts < 0).any() or ends[-1] > indices.size:
        return BAD_ENDS
    columns = indices[ends[0] : ends[-1]]
    if columns.size and not 0 <= columns.min() <= columns.max() < n_columns:
        return BAD_COLUMNS
    steps = np.diff(columns)
    # Where a row begins, unless it is the first with values or is followed by none.
    begins = ends[1:-1] - ends[0]
    steps[begins[(begins > 0) & (begins < columns.size)] - 1] = 1
    least = steps.min(initial=1)
    return CANONICAL if least > 0 else REPEATED if least == 0 else UNSORTED
