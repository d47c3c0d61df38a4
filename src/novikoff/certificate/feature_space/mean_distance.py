"""The margin of every hyperplane of the feature space, bounded by weighted examples.

As :mod:`novikoff.certificate.exact.hull`, where the point of the hull is known by its norm alone:
``‖Σ μ_i φ(x_i)‖² = Σ_ij μ_i μ_j k(x_i, x_j)``.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from flint import fmpq, fmpz

from novikoff.certificate.exact.dyadic import Dyadic, nearest_float, of_float
from novikoff.certificate.exact.filter import enclose
from novikoff.certificate.exact.hull import HullPoint, common_shares, groups_of, share_squares
from novikoff.certificate.exact.margins import NO_ROWS
from novikoff.certificate.exact.slices import exact_total
from novikoff.certificate.examples.blocks import Floats, Indices
from novikoff.certificate.examples.equal import first_equal
from novikoff.certificate.examples.fingerprint import row_hashes
from novikoff.certificate.examples.labels import Signs
from novikoff.certificate.feature_space.enclosed import is_loose, is_small_table, semidefinite
from novikoff.certificate.feature_space.exact_table import Interval, exact_square
from novikoff.certificate.feature_space.table import KernelTable


def hull_point(
    table: KernelTable,
    signs: Signs,
    support: Indices,
    weights: npt.NDArray[Any],
    *,
    affine: bool,
    costs: Floats | None = None,
    room: float = 1.0,
    thorough: bool = False,
) -> HullPoint | None:
    """The point of the hull with these weights; ``None`` where a class has no weight.

    Raises
    ------
    CertificateError
        If the square of its norm is negative.
    """
    if not (weights > 0).all():
        support, weights = support[weights > 0], weights[weights > 0]
    table.check_symmetric(support)
    sides = signs[support]
    groups = groups_of(sides, affine=affine)
    totals = [exact_total(weights[group]) for group in groups]
    if min(totals) == 0:
        return None
    some = None if costs is None else costs[support]
    shares_square, exact_shares = share_squares(weights, some, groups, totals, thorough=thorough)
    square: Interval | None = None
    exact = is_small_table(table, support.size, support.size, thorough=thorough)
    shares = np.empty(support.size)
    for group, total in zip(groups, totals, strict=True):
        shares[group] = weights[group] / nearest_float(total)
    if not exact:
        value, error = table.square(support, sides * shares)
        (low,), (high,) = enclose(np.array([value]), np.array([room * error]))
        if np.isfinite(high):
            square = of_float(float(low)) if np.isfinite(low) else fmpq(0), of_float(float(high))
            if is_loose(square, support.size**2) and is_small_table(
                table, support.size, support.size, thorough=True
            ):
                square = None
        exact = square is None
    if square is None:
        signed, denominator = common_shares(weights, sides, groups)
        square = exact_square(table, support, [int(a) for a in signed])
        square = square[0] / fmpz(denominator) ** 2, square[1] / fmpz(denominator) ** 2
    square = semidefinite(square, table, support, shares)
    exact_rows = support if exact else NO_ROWS
    # A squared norm is not negative, where there is a feature space.
    above = max(square[1], fmpq(0))
    return HullPoint(above, shares_square, affine, exact and exact_shares, exact_rows)


def is_zero_combination(
    table: KernelTable,
    signs: Signs,
    support: Indices,
    weights: npt.NDArray[Any],
    *,
    affine: bool,
) -> bool:
    """Whether a weighted sum of the signed examples is exactly zero in the feature space.

    It is, for every kernel, where the weights of equal examples cancel; or where the square of
    its norm is zero, if that can be computed.
    """
    integers = Dyadic.of(weights).integers.astype(object) * signs[support].astype(object)
    if affine and int(integers.sum()) != 0:
        return False
    if not any(integers):
        return False
    first = first_equal(table.left, row_hashes(table.left), support)
    _, which = np.unique(first, return_inverse=True)
    sums = np.zeros(support.size, dtype=object)
    np.add.at(sums, which, integers)
    if not any(sums):
        return True
    if not is_small_table(table, support.size, support.size, thorough=True):
        return False
    low, high = exact_square(table, support, [int(a) for a in integers])
    return bool(low == 0 == high) and table.kernel.is_semidefinite
