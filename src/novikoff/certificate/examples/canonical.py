"""CSR matrices as their indices say they are, whatever their flags say.

scipy remembers in flags whether the columns of each row are sorted and distinct. Flags outlive a
change of the indices, and anyone can set them: here they are computed.
"""

import copy
from typing import Any

import numpy as np
from numba import njit

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.examples.blocks import read_only

_BAD_ENDS, _BAD_COLUMNS, _UNSORTED, _REPEATED, _CANONICAL = range(5)
_DAMAGE = {
    _BAD_ENDS: "its row pointers must not decrease, nor exceed the number of values",
    _BAD_COLUMNS: "its column indices must be at least 0 and below the number of columns",
}


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
    X.has_sorted_indices = state != _UNSORTED
    X.has_canonical_format = state == _CANONICAL
    return X


@njit(cache=True, nogil=True)
def _state(indices: Any, ends: Any, n_columns: int) -> int:
    """What the indices of a CSR matrix are: the worst over its rows."""
    state = _CANONICAL
    for i in range(ends.size - 1):
        if ends[i + 1] < ends[i] or ends[i + 1] > indices.size:
            return _BAD_ENDS
        before = -1
        for k in range(ends[i], ends[i + 1]):
            column = indices[k]
            if column < 0 or column >= n_columns:
                return _BAD_COLUMNS
            if column <= before:
                state = min(state, _UNSORTED if column < before else _REPEATED)
            before = column
    return state
