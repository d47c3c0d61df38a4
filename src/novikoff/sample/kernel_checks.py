"""Whether given values are those of a kernel: symmetric, and positive semidefinite.

A combination of examples has a squared norm ``a' K a``. A kernel is refused where that is negative
by more than rounding can make it: of the values, and of the sum.
"""

import numpy as np
from numpy.typing import NDArray

from novikoff.sample.kernel import Ids, KernelError, KernelMatrix

Vector = NDArray[np.float64]

ROUNDED_VALUES = 2.0**-19
"""The relative error that given values may have, whatever their type: whoever made them may have
computed in float32, which has 24 bits."""

EPS = float(np.finfo(np.float64).eps)

CHUNK = 2048
"""Rows whose kernel values are computed at a time."""


def check_norm(matrix: KernelMatrix, norm2: float, allowed: float) -> bool:
    """Raise if a squared norm is negative by more than is allowed, and the kernel may be why.

    Of a kernel that is known to be positive semidefinite it is rounding in any case. Returns
    whether the number is finite; where it is not, weights have grown without bound.
    """
    if matrix.kernel.is_semidefinite:
        return bool(np.isfinite(norm2))
    if not np.isfinite(norm2):
        raise KernelError(
            "Sums of kernel values overflow. Where the kernel is not positive semidefinite, the "
            "weights grow without bound: use another kernel, or another gamma or coef0. Where its "
            "values are too large, rescale the features or give a smaller C."
        )
    if -norm2 > allowed:
        raise KernelError(
            "The kernel is not positive semidefinite: a combination of examples has the squared "
            f"norm {norm2:.6g}. Use another kernel, or another gamma or coef0."
        )
    return True


def check_square(matrix: KernelMatrix, norm2: float, weights: Vector) -> bool:
    """Check the squared norm of weighted examples, as :func:`check_norm`."""
    allowed = 0.0
    if norm2 < 0.0 and not matrix.kernel.is_semidefinite:
        allowed = _rounding_of(matrix, weights)
    return check_norm(matrix, norm2, allowed)


def rounding_of_run(matrix: KernelMatrix, total: float, longest2: float, updates: float) -> float:
    """Return what rounding may change in the squared length of a run's weights.

    ``total`` is the sum of the weights, and ``longest2`` the largest squared length of an example.
    Each update has added to the length. Values relative to a centre are sums of four.
    """
    largest = max(longest2, matrix.largest)
    value, error = largest, ROUNDED_VALUES * largest
    if not matrix.kernel.is_given:
        value, error = matrix.bounds
        value = max(value, largest)
    whole = 16.0 * float(np.finfo(matrix.dtype).eps) + (64.0 + updates) * EPS
    with np.errstate(over="ignore"):
        return float(np.square(total)) * (4.0 * error + value * whole)


def _rounding_of(matrix: KernelMatrix, weights: Vector) -> float:
    """Return a bound on what rounding may change in a squared norm."""
    moduli = np.abs(weights)
    sums = 4.0 * (float(len(weights)) + 16.0) * EPS
    with np.errstate(over="ignore"):
        if matrix.kernel.is_given:
            whole = moduli @ np.sqrt(np.abs(matrix.diagonal))
            return float(np.square(whole)) * (ROUNDED_VALUES + sums)
        value, error = matrix.bounds
        return float(np.square(moduli.sum())) * (error + value * sums)


def check_combination(matrix: KernelMatrix, some: Ids, weights: Vector) -> None:
    """Raise if weighted examples have a squared norm that is proved to be negative."""
    norm2 = 0.0
    for begin in range(0, len(some), CHUNK):
        part = slice(begin, begin + CHUNK)
        norm2 += float(
            weights[part] @ (matrix.block(some[part], some).astype(np.float64) @ weights)
        )
    everyone = np.zeros(matrix.n)
    everyone[some] = weights
    if np.isfinite(norm2):
        check_square(matrix, norm2, everyone)


def check_kernel(matrix: KernelMatrix, *, affine: bool, rows: Ids | None = None) -> None:
    """Raise if values that are not known to be those of a kernel show that they are not.

    With an intercept only differences of examples matter: their squared lengths must not be
    negative, but those of the examples may (a conditionally positive semidefinite kernel, such as
    a kernel less a constant). Messages name the examples of ``rows``, by default those of the
    matrix.
    """
    if matrix.kernel.is_semidefinite:
        return
    if matrix.kernel.is_given:
        check_symmetric(matrix, rows)
    squares, pair = matrix.diagonal, np.zeros(matrix.n)
    if affine:
        # From the shortest example, so that what is refused does not depend on the order.
        shortest = int(squares.argmin())
        towards = matrix.against_all([shortest])[0].astype(np.float64)
        squares = squares - 2.0 * towards + float(squares[shortest])
        squares[shortest] = 0.0
        pair[shortest] -= 1.0
    least = int(squares.argmin())
    pair[least] += 1.0
    check_square(matrix, float(squares[least]), pair)


def check_symmetric(matrix: KernelMatrix, rows: Ids | None = None) -> None:
    """Raise if some values of a kernel are not symmetric; ``rows`` says which example each is."""
    # All of a small matrix; of a large one, rows spread over it.
    step = max(1, matrix.n // 512)
    some = np.arange(0, matrix.n, step)
    values = matrix.block(some, some)
    size = float(np.abs(values).max(initial=0.0))
    apart = np.abs(values - values.T)
    if apart.max(initial=0.0) > 0.5 * ROUNDED_VALUES * size:
        i, j = np.unravel_index(int(apart.argmax()), apart.shape)
        names = some if rows is None else rows[some]
        raise KernelError(
            f"The kernel is not symmetric: {float(values[i, j])!r} for examples {names[i]} and "
            f"{names[j]}, {float(values[j, i])!r} for {names[j]} and {names[i]}. Give one whose "
            "values are, such as (K + K.T) / 2."
        )
