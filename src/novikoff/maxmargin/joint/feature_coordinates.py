"""Coordinates of examples in the feature space of a kernel.

They are the rows of ``L`` with ``L L' = K``, the Gram matrix of the examples relative to their
mean. The factor is Cholesky's with pivots (LAPACK's ``pstrf``), up to what rounding leaves of a
length.
"""

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf, spstrf

from novikoff.sample.kernel import KernelMatrix
from novikoff.sample.kernel_checks import check_combination

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]

RANK = 512.0
"""The part of a squared length that counts as rounding, in rounding errors of the largest."""

RANKS = (8.0, 64.0, RANK)
"""The same for soft margins of values that were given in float32: the first that leaves no squared
length further below zero. With the last alone, 16 of 80 small problems with C = 1000 stop short of
a gap of 1e-3, and 3 with these."""

FAR = 64.0
"""The origin is so many squared lengths away where the errors of its distance count."""

NEGATIVE, NEGATIVE_SINGLE = 1 << 22, 1 << 14
"""Rounding errors by which a squared length may be negative, for float64 and float32: it is what is
left after up to thousands of others were subtracted."""

CHUNK = 2048
"""Examples whose kernel values are computed at a time."""


class Coordinates(NamedTuple):
    """The examples, times ``scale``: the longest has the length 1."""

    rows: Vector
    scale: float


def coordinates_of(
    matrix: KernelMatrix, some: Ids, *, affine: bool, soft: bool, double: bool, negligible: float
) -> Coordinates:
    """Return coordinates of some examples, relative to their mean if ``affine``.

    Parameters
    ----------
    matrix : KernelMatrix
        The kernel values, in float64.
    some : array of int
        The examples.
    affine, soft : bool
        What they are for.
    double : bool
        Whether they are float64, not float32.
    negligible : float
        By how much a squared length may be negative.

    Raises
    ------
    KernelError
        If one is negative by more than that, and by more than rounding explains.
    """
    gram = _relative_gram(matrix, some, np.float64 if double else np.float32, affine=affine)
    squares = np.diagonal(gram).astype(np.float64)
    largest = float(np.abs(squares).max()) or 1.0
    # Far from the origin the errors are those of the values before the mean was subtracted.
    whole = max(largest, matrix.largest)
    given = matrix.kernel.name in ("callable", "precomputed")
    # A function of float32 rows returns values with errors of float32.
    exact = double and not (given and matrix.rows_dtype == np.float32)
    noisy = double and soft and (not exact or whole > FAR * largest)
    unit = (whole if noisy else largest) * float(np.finfo(np.float64 if exact else np.float32).eps)
    shares: tuple[float, ...] = RANKS if noisy else (RANK,)
    factorise = dpstrf if double else spstrf
    factor, pivots, rank, _ = factorise(gram.T, tol=shares[0] * unit, lower=1, overwrite_a=1)
    for k in range(int(rank)):
        factor[:k, k] = 0.0
    bound = max(negligible, _negative(double and not given) * whole)
    while True:
        share, *others = shares
        kept = int(np.count_nonzero(np.diagonal(factor)[:rank] ** 2 > share * unit))
        part = factor[:, :kept]
        # What is left of a squared length is that of a combination of examples.
        left = squares[pivots - 1] - np.einsum("ij,ij->i", part, part, dtype=np.float64)
        if float(left.min()) >= -share * unit or not kept:
            break
        if not others:
            if float(left.min()) >= -bound:
                break
            weights = _weights_of(pivots - 1, part, int(left.argmin()), affine=affine)
            check_combination(matrix, some, weights)
            # Rounding: fewer coordinates leave more.
            others = [8.0 * share]
        shares = tuple(others)
    out = np.zeros((len(some), max(kept, 1)), dtype=gram.dtype)
    if kept:
        out[pivots - 1] = part
    scale = 1.0 / sqrt(largest)
    out *= scale
    return Coordinates(out, scale)


def _negative(exact: bool) -> float:
    """Return by how much a squared length may be negative, in units of the largest."""
    if exact:
        return NEGATIVE * float(np.finfo(np.float64).eps)
    return NEGATIVE_SINGLE * float(np.finfo(np.float32).eps)


def _weights_of(order: Ids, part: Vector, place: int, *, affine: bool) -> Vector:
    """Return the combination of examples that is left of one, without those of the coordinates."""
    kept = part.shape[1]
    weights = np.zeros(len(order))
    with np.errstate(all="ignore"):
        weights[order[:kept]] = -solve_triangular(
            part[:kept].T.astype(np.float64), part[place].astype(np.float64), check_finite=False
        )
    weights[order[place]] += 1.0
    return weights - weights.mean() if affine else weights


def _relative_gram(
    matrix: KernelMatrix, some: Ids, dtype: type[np.floating], *, affine: bool
) -> NDArray[np.floating]:
    m = len(some)
    gram, sums = np.empty((m, m), dtype=dtype), np.zeros(m)
    for begin in range(0, m, CHUNK):
        part = slice(begin, begin + CHUNK)
        block = matrix.block(some[part], some)
        sums += block.sum(axis=0)
        gram[part] = block
    if affine:
        # Relative to the mean, which loses fewer digits far from the origin.
        means = (sums / m - 0.5 * sums.sum() / m**2).astype(gram.dtype)
        gram -= means
        gram -= means[:, None]
    return gram
