"""Compiled sums of products of columns of sparse rows."""

from typing import Any

import numpy as np

from novikoff.certificate.kernels import njit


@njit()
def lower_gram(data: Any, indices: Any, ends: Any, out: Any) -> None:
    """Add the products of the columns of a CSR block to the lower half of a matrix.

    The columns of each row are sorted.
    """
    for i in range(ends.size - 1):
        first = np.uint64(ends[i])
        for k in range(first, np.uint64(ends[i + 1])):
            value, column = data[k], np.uint64(indices[k])
            for q in range(first, k + np.uint64(1)):
                out[column, np.uint64(indices[q])] += value * data[q]
