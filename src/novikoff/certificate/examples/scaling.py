"""Columns divided by powers of two, exactly: the units in which a scaled problem is measured.

A column ``x`` becomes ``x 2^-e``, and the coefficient ``w`` of it ``w 2^e``: no product of the two
changes. Both are checked to be exact, so that what is proved of the scaled columns is a statement
about the data as they are.
"""

import copy
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.examples.blocks import BLOCK_VALUES, Floats, as_float64
from novikoff.certificate.examples.matrix import canonical

Exponents: TypeAlias = npt.NDArray[np.int64]

MOST_EXPONENT = 900
"""The largest exponent in either direction: a power of two and its inverse are normal float64."""


def check_exponents(exponents: Sequence[Any], n_features: int) -> tuple[int, ...]:
    """Return the exponents as integers, one for each feature.

    Examples
    --------
    >>> check_exponents([3, -1], 2)
    (3, -1)
    >>> check_exponents([3, 0.5], 2)
    Traceback (most recent call last):
    novikoff.certificate.errors.CertificateError: the exponent of a column must be a whole number
    from -900 to 900, not 0.5
    """
    values = tuple(exponents)
    if len(values) != n_features:
        raise CertificateError(f"there are {len(values)} exponents for {n_features} features")
    for value in values:
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or abs(int(value)) > MOST_EXPONENT:
            raise CertificateError(
                "the exponent of a column must be a whole number "
                f"from {-MOST_EXPONENT} to {MOST_EXPONENT}, not {value!r}"
            )
    return tuple(int(value) for value in values)


def divided(X: Any, exponents: Exponents | None) -> Any:
    """Return a float64 copy of a checked matrix, column ``j`` divided by ``2 ** exponents[j]``.

    ``None``: the matrix itself. The copy is in C order, or CSR with sorted, distinct columns.

    Raises
    ------
    CertificateError
        If float64 does not have a quotient: it overflows, or loses digits below 2**-1022.

    Examples
    --------
    >>> import numpy as np
    >>> divided(np.array([[3, 640], [5, 896]], dtype=np.uint16), np.array([0, 7]))
    array([[3., 5.],
           [5., 7.]])
    >>> divided(np.array([[1.0], [2.0**-1000]]), np.array([80]))
    Traceback (most recent call last):
    novikoff.certificate.errors.CertificateError: row 1, column 0: 9.33...e-302 divided by 2**80 is
    not a float64 number, so the column cannot be scaled exactly
    """
    if exponents is None:
        return X
    factors, inverse = np.ldexp(1.0, -exponents), np.ldexp(1.0, exponents)
    if sparse.issparse(X):
        scaled = copy.copy(canonical(X))
        values, columns = as_float64(scaled.data), scaled.indices
        scaled.data = np.empty_like(values)
        for first in range(0, values.size, BLOCK_VALUES):
            part = slice(first, first + BLOCK_VALUES)
            here = columns[part]
            out = scaled.data[part]
            wrong = _multiply(values[part], factors[here], inverse[here], out)
            if wrong.size:
                at = first + int(wrong[0])
                row = int(np.searchsorted(scaled.indptr, at, side="right")) - 1
                raise _inexact(row, int(columns[at]), values[at], exponents)
        scaled.has_canonical_format = True
        return scaled
    n, d = X.shape
    result = np.empty((n, d))
    step = max(1, BLOCK_VALUES // max(d, 1))
    for first in range(0, n, step):
        values = as_float64(X[first : first + step])
        wrong = _multiply(values, factors, inverse, result[first : first + step])
        if wrong.size:
            row, column = divmod(int(wrong[0]), d)
            raise _inexact(first + row, column, values[row, column], exponents)
    return result


def in_scaled_columns(coef: Floats, exponents: Exponents | None) -> Floats:
    """Return the normal of a hyperplane for the scaled columns; exactly.

    Raises
    ------
    CertificateError
        If float64 does not have one of the products.
    """
    if exponents is None:
        return coef
    with np.errstate(over="ignore", under="ignore"):
        scaled: Floats = np.ldexp(coef, exponents)
        wrong = np.flatnonzero(np.ldexp(scaled, -exponents) != coef)
    if wrong.size:
        raise CertificateError(
            f"the coefficient of feature {wrong[0]} times 2**{exponents[wrong[0]]} "
            "is not a float64 number"
        )
    return scaled


def in_raw_columns(coef: Floats, exponents: Exponents | None) -> Floats:
    """Return the normal of a hyperplane, given for the scaled columns, for those of the data.

    Below 2**-1022 it is rounded: what is certified is the rounded one.

    Raises
    ------
    CertificateError
        If a coefficient overflows.
    """
    if exponents is None:
        return coef
    with np.errstate(over="ignore", under="ignore"):
        raw: Floats = np.ldexp(coef, -exponents)
    wrong = np.flatnonzero(~np.isfinite(raw) & np.isfinite(coef))
    if wrong.size:
        raise CertificateError(
            f"the coefficient of feature {wrong[0]} overflows in the units of the data: "
            "multiply the feature by a large constant"
        )
    return raw


def _multiply(values: Floats, factors: Floats, inverse: Floats, out: Floats) -> Any:
    """Multiply into ``out``; return where multiplying back gives another number."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        np.multiply(values, factors, out=out)
        same = out * inverse == values
    if same.all():
        return np.empty(0, dtype=np.int64)
    # A NaN or an infinity is refused where the data are checked.
    return np.flatnonzero(~same & np.isfinite(values))


def _inexact(row: int, column: int, value: float, exponents: Exponents) -> CertificateError:
    return CertificateError(
        f"row {row}, column {column}: {float(value)!r} divided by 2**{exponents[column]} is not "
        "a float64 number, so the column cannot be scaled exactly"
    )
