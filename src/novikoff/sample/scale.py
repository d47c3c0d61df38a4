"""By which power of two a column is divided where columns have different units.

The power nearest to half of the range of the column, so that its values differ by about 1 from the
middle. The range is made of two values of the data: it does not depend on how they are stored, on
their order, or on repetition, and rounding cannot change it. Zeros that a sparse matrix does not
store are values like others, so that in a column that is mostly zero the power is that of its
largest magnitude, and rare words are not blown up as they would be by a standard deviation.
``benchmarks/scale_rules.py`` compares the rules.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.certificate.examples.scaling import MOST_EXPONENT

SQRT_HALF = 0.7071067811865476
"""Above this mantissa, in [1/2, 1), the next power of two is the nearer one in the logarithm."""

UNEVEN = 100.0
"""Columns have different units if one spans more than so many times the median span.

Among the tables of ``benchmarks/tables.py`` without a column that outweighs the others, that is
breast cancer (8,700 times: scaled, a perceptron errs on 3.7 % instead of 7.1). The others span at
most 83 times the median, and scaling changes little; half the value would name three of them."""

APART = 1e3
"""Verdicts scale the columns if one spans so many times what another spans.

Of 27 raw tables (``benchmarks/tables.py``, medians of five) eleven have such columns: scaled, six
are decided in 0.3 to 0.8 of the time, two take 1.1 and 1.2 times as long, and three the same. With
a tenth of this value three more would be scaled, which take 1.05 to 1.2 times as long; with ten
times four fewer, and Boston and College would lose what they gain."""

LOOKED_AT = 256
"""Of so many rows the spans are compared: to read all would be a pass over the data."""


def column_exponents(X: Any, taking_part: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """Return the exponent of the power of two that each column is to be divided by.

    Constant columns, and those with a NaN or an infinity, have the exponent 0.

    Parameters
    ----------
    X : ndarray or CSR matrix
        The examples.
    taking_part : array of bool, optional
        Which of them count; by default all.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from novikoff.sample.scale import column_exponents
    >>> grams = np.array([[3800.0, 0.0, 7.0], [4650.0, 0.25, 7.0]])
    >>> column_exponents(grams), column_exponents(sparse.csr_array(grams))
    (array([ 9, -3,  0]), array([ 9, -3,  0]))
    """
    low, high = column_ranges(X if taking_part is None else X[taking_part])
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        # The range itself may overflow.
        half = 0.5 * high - 0.5 * low
    usable = np.isfinite(half) & (half > 0.0)
    mantissa, exponent = np.frexp(np.where(usable, half, 1.0))
    nearest = np.clip(exponent - (mantissa < SQRT_HALF), -MOST_EXPONENT, MOST_EXPONENT)
    return np.where(usable, nearest, 0).astype(np.int64)


def is_extreme(exponents: NDArray[np.int64]) -> bool:
    """Whether a column spans so much or so little that its exponent is not the nearest."""
    return bool(np.any(np.abs(exponents) == MOST_EXPONENT))


def column_ranges(X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the least and the largest value of each column.

    In a CSR matrix, which must have sorted and distinct columns in each row, zeros that are not
    stored count.
    """
    if not sparse.issparse(X):
        low, high = (np.asarray(found, np.float64) for found in (X.min(axis=0), X.max(axis=0)))
        return low, high
    n, d = X.shape
    some_zero = np.bincount(X.indices, minlength=d) < n
    low, high = (np.where(some_zero, 0.0, end) for end in (np.inf, -np.inf))
    values = X.data.astype(np.float64, copy=False)
    with np.errstate(invalid="ignore"):
        np.minimum.at(low, X.indices, values)
        np.maximum.at(high, X.indices, values)
    return low, high


def needs_scaling(X: Any) -> bool:
    """Whether the columns of few rows, taken evenly, have spans so different that scaling pays.

    Examples
    --------
    >>> import numpy as np
    >>> needs_scaling(np.array([[3800.0, 0.0, 7.0], [4650.0, 0.25, 7.0]]))
    True
    >>> needs_scaling(np.array([[3.8, 0.0, 7.0], [4.65, 0.25, 7.0]]))
    False
    """
    n = X.shape[0]
    low, high = column_ranges(X[:: -(-n // LOOKED_AT)] if n > LOOKED_AT else X)
    with np.errstate(invalid="ignore", over="ignore"):
        spans = high - low
    spans = spans[np.isfinite(spans) & (spans > 0.0)]
    return spans.size > 0 and bool(spans.max() / APART > spans.min())


def different_units(X: NDArray[Any]) -> tuple[int, int] | None:
    """Return the widest column and one of median span, if these differ in units.

    Examples
    --------
    >>> import numpy as np
    >>> different_units(np.array([[3800.0, 0.0, 7.0], [4650.0, 0.25, 7.0]]))
    (0, 1)
    >>> different_units(np.array([[3.8, 0.0, 7.0], [4.65, 0.25, 7.0]]))
    """
    low, high = column_ranges(X)
    with np.errstate(over="ignore"):
        spans = high - low
    order = np.argsort(spans)
    order = order[spans[order] > 0.0]
    if not len(order):
        return None
    widest, median = int(order[-1]), int(order[(len(order) - 1) // 2])
    return (widest, median) if spans[widest] > UNEVEN * spans[median] else None
