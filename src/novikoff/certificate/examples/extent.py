"""Lengths that are rounded up: how far the examples lie apart, and how long a vector is."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.certificate.examples.blocks import DenseBlock, SparseBlock, blocks
from novikoff.certificate.examples.matrix import canonical


def norm_above(values: npt.ArrayLike) -> float:
    """A float that is at least the Euclidean norm; infinite where that overflows.

    Relative to the largest value, so that no square underflows that matters.

    Examples
    --------
    >>> 5e-200 <= norm_above([3e-200, -4e-200]) < 5.001e-200
    True
    """
    array = np.asarray(values, dtype=np.float64).ravel()
    largest = float(np.abs(array).max(initial=0.0))
    if not 0.0 < largest < math.inf:
        return largest
    ratios = array / largest
    return _rounded_up(math.sqrt(float(ratios @ ratios)) * largest, array.size)


def norm_below(values: npt.ArrayLike) -> float:
    """A float that is at most the Euclidean norm."""
    array = np.asarray(values)
    above = norm_above(array)
    if above == math.inf:
        return 0.0
    return max(0.0, math.nextafter(math.nextafter(above, 0.0) / _up(array.size) ** 2, 0.0))


def extent(X: Any, *, from_first: bool) -> float:
    """How far an example is at most from the first one, or from the origin; rounded up.

    Of sparse rows, the largest norm and that of the first are added, which is not less.

    Examples
    --------
    >>> X = np.array([[3, 4], [3, 16]], dtype=np.uint8)
    >>> 12.0 <= extent(X, from_first=True) < 12.001
    True
    >>> 16.27 < extent(sparse.csr_array(X), from_first=False) < 16.29
    True
    """
    X = canonical(X)
    n_columns = X.shape[1]
    origin = np.zeros(n_columns)
    if from_first:
        first = X[[0]]
        origin = np.asarray(first.toarray() if sparse.issparse(first) else first)[0]
        origin = origin.astype(np.float64)
    largest, around = 0.0, norm_above(origin)
    with np.errstate(over="ignore", invalid="ignore"):
        for block in blocks(X):
            if isinstance(block, SparseBlock):
                largest = max(largest, _farthest(block, around))
            else:
                assert isinstance(block, DenseBlock)
                largest = max(largest, _longest(block.values.astype(np.float64) - origin))
    # A NaN is what an overflow leaves behind.
    return _rounded_up(largest, n_columns) if largest < math.inf else math.inf


def _longest(rows: npt.NDArray[np.float64]) -> float:
    peak = float(np.abs(rows).max(initial=0.0))
    if not 0.0 < peak < math.inf:
        return peak if peak == 0.0 else math.inf
    ratios = rows / peak
    return peak * math.sqrt(float(np.einsum("ij,ij->i", ratios, ratios).max()))


def _farthest(block: SparseBlock, around: float) -> float:
    """The largest norm of sparse rows, plus that of the point around which they lie."""
    data, ends = np.asarray(block.data, dtype=np.float64), np.asarray(block.ends)
    peak = max(float(np.abs(data).max(initial=0.0)), around)
    if not 0.0 < peak < math.inf:
        return peak if peak == 0.0 else math.inf
    squares = np.append((data / peak) ** 2, 0.0)
    sums = np.add.reduceat(squares, np.minimum(ends[:-1], data.size))
    sums[np.diff(ends) == 0] = 0.0
    return peak * math.sqrt(float(sums.max())) + around


def _rounded_up(length: float, n_terms: int) -> float:
    # A tiny length is rounded by a step of the floats; zero is exact.
    return math.nextafter(length * _up(n_terms), math.inf) if length > 0.0 else 0.0


def _up(n_terms: int) -> float:
    """More than the rounding of a norm of so many terms, each a quotient and a difference."""
    return 1.0 + (n_terms + 16) * 2.0**-51
