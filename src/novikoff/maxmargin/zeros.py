"""Dense data that are mostly zeros, copied as sparse rows for the search of a soft margin.

Indicators such as molecular fingerprints, counts and binarised columns often come as dense arrays.
A pass over their non-zeros then takes a fraction of one over all values.
"""

from dataclasses import replace

import numpy as np
from scipy import sparse

from novikoff.compiled.nonzeros import count_nonzeros, take_nonzeros
from novikoff.compiled.rows import CSR
from novikoff.maxmargin.problem import Problem
from novikoff.sample.storage import InPlace, storage_of

# The largest share of values that may be non-zero.
MOST_NONZERO = 0.25
# Data of so many bytes at most are copied; the copy has at most 3/8 of that.
MOST_BYTES = 1 << 28
# The share is first estimated from about so many rows.
ROWS_SEEN = 200


def sparse_copy(problem: Problem) -> Problem | None:
    """Return the problem on sparse rows; ``None`` where that would not be faster.

    Those are sparse data, small or very large ones, and those with many non-zeros. Examples have
    the same numbers, so weights of one problem are weights of the other.
    """
    sample, storage = problem.sample, problem.sample.storage
    if sample.is_sparse or not isinstance(storage, InPlace) or storage.nbytes > MOST_BYTES:
        return None
    rows, n = storage.rows, sample.n_examples
    counts = np.zeros(n, dtype=np.int64)
    few = np.arange(0, n, max(1, n // ROWS_SEEN))
    count_nonzeros(rows, few, counts)
    if counts.sum() > MOST_NONZERO * len(few) * storage.width:
        return None
    count_nonzeros(rows, np.arange(n), counts)
    ends = np.concatenate([[0], np.cumsum(counts)])
    most = MOST_NONZERO * storage.n_values
    if ends[-1] > min(most, storage.nbytes // 12, np.iinfo(np.int32).max):
        return None
    copy = CSR(np.empty(ends[-1]), np.empty(ends[-1], dtype=np.int32), ends.astype(np.int32))
    take_nonzeros(rows, copy)
    matrix = sparse.csr_matrix(tuple(copy), shape=storage.shape)
    return replace(problem, sample=replace(sample, storage=storage_of(matrix)))
