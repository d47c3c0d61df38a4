r"""Blocks of kernel values in floating point, with proven bounds on their errors.

For a row ``x_i`` and a column ``x_j`` the computed value ``v_ij`` satisfies

    |v_ij - k(x_i, x_j)| <= relative_i |v_ij| + absolute_i.

Below, ``d`` is the number of features, ``u = 2**-53``, and ``radius`` is the bound of
:mod:`novikoff.certificate.exact.filter`: twice as large as its lemma needs, and with room for four
more roundings. The inner products come from one matrix product, whose order of summation is any.
By Cauchy's inequality ``Σ |x_k x'_k| <= |x| |x'|``, so that the squares of the norms are all that
is needed to bound their errors.

``rbf``
    ``D = |x|² + |x'|² - 2 x.x'``. As ``2 |x||x'| <= |x|² + |x'|² = M``, the three sums are wrong
    by at most ``2 gamma_d M``, and the two operations that join them by ``3 u M``; the product
    with ``gamma`` adds ``2 u M gamma``. So the exponent is wrong by less than
    ``δ = gamma radius(2 M, d)``. For ``δ <= 2**-20`` and the error ``4 u`` of the exponential this
    is a relative error below ``δ (1 + 2**-19) + 5 u``.

    Where examples are far from the origin compared to their distances, that is a poor bound. Then
    ``D`` is computed as the sum of the squares of ``x_k - x'_k``, with a relative error of
    ``gamma_{d+3}``, and ``δ = radius(gamma D, d)``, as for ``laplacian``, with ``gamma`` times
    what squares lose that underflow. An exponent below -700 is
    not above ``-700 (1 - 2**-20)`` in truth: its exponential is below ``2**-1008``.
``poly``, ``linear``, ``sigmoid``
    ``t = gamma x.x' + coef0`` is wrong by less than ``ε T`` with ``T = gamma |x||x'| + |coef0|``
    and ``ε = 2 (d + 8) u``, for the same reason, underflow apart. With ``4 (d + 8) η`` added to
    the square of a norm, where ``η = 2**-1022``, and ``2**-500`` to ``T`` and to ``|x||x'|``, that
    is covered too. The power, by multiplications, has at most ``degree - 1`` more factors
    ``1 ± u``, so that it is wrong by at most ``((1 + ε + u)^degree - 1) T^degree``, which is below
    ``(1 + 2**-9) degree (ε + u) T^degree`` where ``degree (ε + u) <= 2**-10``. A product that
    underflows loses less than ``2**-1021``, and is multiplied by no more than ``1 + T^degree``. The
    derivative of the hyperbolic tangent is at most 1.

Bounds are computed in floating point too; each is multiplied by ``1 + 2**-20``, which is more than
that can lose. Where something has overflowed or is no number, the bound is infinite.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from novikoff.certificate.errors import CertificateError
from novikoff.certificate.exact.filter import UNDERFLOW, UNIT, radius
from novikoff.certificate.examples.blocks import Floats
from novikoff.certificate.feature_space import exponential
from novikoff.certificate.feature_space.distances import distances
from novikoff.certificate.feature_space.kernel import Kernel

_CLOSE = 2.0**-20
"""The largest error of an exponent that is accepted from inner products."""

_ROOM = 1.0 + 2.0**-20

_UNDERFLOW = 2.0**-1000

Function = Callable[[Any, Any], Any]


@dataclass(frozen=True, eq=False)
class KernelBlock:
    """Kernel values of rows and columns, and what bounds their errors; see the module."""

    values: Floats
    relative: Floats
    absolute: Floats

    @property
    def error(self) -> Floats:
        """A bound on the absolute error of each value."""
        with np.errstate(all="ignore"):
            bound = self.relative[:, None] * np.abs(self.values) + self.absolute[:, None]
            return _known(bound * _ROOM)


@dataclass(frozen=True, eq=False)
class Points:
    """Some rows of the data in float64, an array in C order or CSR, and the squares of norms."""

    matrix: Any
    squares: Floats

    @classmethod
    def of(cls, matrix: Any) -> "Points":
        """Take the squares of the norms."""
        with np.errstate(all="ignore"):
            if sparse.issparse(matrix):
                squares = np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel()
            else:
                squares = np.einsum("ij,ij->i", matrix, matrix)
        return cls(matrix, squares)


def kernel_block(kernel: Kernel, rows: Points, columns: Points) -> KernelBlock:
    """The values of a kernel with a formula.

    Examples
    --------
    >>> points = Points.of(np.array([[0.0], [1.0]]))
    >>> kernel_block(Kernel("rbf", gamma=1.0), points, points).values.round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """
    with np.errstate(all="ignore"):
        if kernel.name == "rbf":
            return _gaussian(kernel, rows, columns)
        if kernel.name == "laplacian":
            return _decay(kernel, rows, columns, power=1)
        return _of_products(kernel, rows, columns)


def called_block(function: Function | None, rows: Any, columns: Any) -> Floats:
    """The values of a kernel that is a function of two tables, checked to be numbers.

    Raises
    ------
    CertificateError
        If the function raises, or returns something else.
    """
    if function is None:
        raise CertificateError(
            "the certificate is of a kernel that is a function: give the function (kernel=...)"
        )
    try:
        found = function(rows, columns)
    except Exception as error:
        reason = " ".join(str(error).split())[:200]
        raise CertificateError(f"the kernel raised {type(error).__name__}: {reason}") from error
    found = found.toarray() if sparse.issparse(found) else np.asarray(found)
    shape = (rows.shape[0], columns.shape[0])
    if found.shape != shape:
        raise CertificateError(f"the kernel returned an array of shape {found.shape}, not {shape}")
    if found.dtype.kind not in "buif":
        raise CertificateError(f"the kernel returned {found.dtype}, not numbers")
    values = np.ascontiguousarray(found, dtype=np.float64)
    if not np.isfinite(values).all():
        raise CertificateError("the kernel returned a NaN or an infinity")
    return values


def power_of(values: Floats, degree: int) -> Floats:
    """A power of each value by multiplications: by squaring, with ``degree - 1`` roundings."""
    result = np.ones(values.shape)
    first = True
    while degree:
        if degree & 1:
            result = values.copy() if first else result * values
            first = False
        degree >>= 1
        if degree:
            values = values * values
    return result


def _gaussian(kernel: Kernel, rows: Points, columns: Points) -> KernelBlock:
    assert kernel.gamma is not None
    n_features = rows.matrix.shape[1]
    sizes = rows.squares + columns.squares.max(initial=0.0)
    delta = kernel.gamma * radius(2.0 * sizes, n_features) * _ROOM
    if not delta.max(initial=0.0) <= _CLOSE and np.isfinite(sizes).all():
        return _decay(kernel, rows, columns, power=2)
    values = _products(rows.matrix, columns.matrix)
    exponential.gaussian(values, rows.squares, columns.squares, kernel.gamma)
    return _of_exponent(values, delta)


def _decay(kernel: Kernel, rows: Points, columns: Points, *, power: int) -> KernelBlock:
    assert kernel.gamma is not None
    values = distances(rows.matrix, columns.matrix, power=power)
    reach = kernel.gamma * values.max(axis=1, initial=0.0)
    reach = np.minimum(np.where(np.isnan(reach), np.inf, reach), 2.0 * -exponential.LEAST)
    # An infinite distance of rows that are not finite.
    reach[~np.isfinite(values).all(axis=1)] = np.inf
    lost = 4.0 * (rows.matrix.shape[1] + 8) * UNDERFLOW
    delta = (radius(reach, rows.matrix.shape[1]) + kernel.gamma * lost) * _ROOM
    exponential.decay(values, kernel.gamma)
    return _of_exponent(values, delta)


def _of_exponent(values: Floats, delta: Floats) -> KernelBlock:
    """The block whose exponents are wrong by at most ``delta``."""
    relative = _known((delta + 5.0 * UNIT + exponential.RELATIVE) * _ROOM)
    relative[~(delta <= _CLOSE)] = np.inf
    return KernelBlock(values, relative, np.full(delta.shape, 2.0 * exponential.ABSOLUTE))


def _of_products(kernel: Kernel, rows: Points, columns: Points) -> KernelBlock:
    values = _products(rows.matrix, columns.matrix)
    gamma = 1.0 if kernel.gamma is None else kernel.gamma
    coef0, degree = kernel.coef0 or 0.0, 1 if kernel.degree is None else kernel.degree
    n_features = rows.matrix.shape[1]
    lost = 4.0 * (n_features + 8) * UNDERFLOW
    largest = np.sqrt(rows.squares + lost) * np.sqrt(columns.squares.max(initial=0.0) + lost)
    sizes = gamma * (largest * _ROOM + 2.0**-500) + abs(coef0) + 2.0**-500
    share = 2.0 * (n_features + 8) * UNIT
    if kernel.name == "sigmoid":
        exponential.tanh(values, gamma, coef0)
        absolute = share * sizes + exponential.TANH
    else:
        if kernel.name == "poly":
            values *= gamma
            values += coef0
            values = power_of(values, degree)
        powers = power_of(sizes * _ROOM, degree)
        absolute = degree * (share + UNIT) * powers * (1.0 + 2.0**-9) + _UNDERFLOW * (1.0 + powers)
        if degree * (share + UNIT) > 2.0**-10:
            absolute[:] = np.inf
    return KernelBlock(values, np.zeros(sizes.shape), _known(absolute * _ROOM))


def _products(rows: Any, columns: Any) -> Floats:
    products = rows @ columns.T
    return products.toarray() if sparse.issparse(products) else np.ascontiguousarray(products)


def _known(bound: Floats) -> Floats:
    return np.where(bound < np.inf, bound, np.inf)
