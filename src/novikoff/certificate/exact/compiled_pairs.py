"""Compiled sums of products as pairs of floats, for :mod:`novikoff.certificate.exact.pairs`.

Comparisons and signs are written out, because min, max and abs take numba longer to compile.
"""

from typing import Any

import numpy as np

from novikoff.certificate.kernels import njit

SPLITTER = 2.0**27 + 1.0
SMALLEST = 2.0**-900
"""A smaller product may have an error that underflows."""

UNIT, UNDERFLOW = 2.0**-53, 2.0**-1022


@njit(inner=True)
def add_product(
    total: float, rest: float, magnitude: float, a: float, b: float
) -> tuple[float, float, float]:
    """Add ``a b`` to a pair, and its modulus to the magnitude.

    The error of the sum is computed as Knuth does, that of the product as Dekker does, after
    Veltkamp's splitting of the factors; the compiler has no licence to reassociate them. The
    magnitude becomes infinite where the product is too small or too large for that.
    """
    product = a * b
    carry = SPLITTER * a
    a_high = carry - (carry - a)
    a_low = a - a_high
    carry = SPLITTER * b
    b_high = carry - (carry - b)
    b_low = b - b_high
    error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    after = total + product
    added = after - total
    lost = error + ((total - (after - added)) + (product - added))
    size = product if product > 0.0 else -product
    if (size < SMALLEST and a != 0.0 and b != 0.0) or lost - lost != 0.0:
        size = np.inf
    return after, rest + lost, magnitude + size


@njit()
def least_product(rows: Any, signs: Any, w: Any, lows: Any, most: int, out: Any) -> None:
    """Write the least ``y_i (w·x_i + b)`` as a pair, the largest magnitude, and ``w·w`` as a pair.

    ``w`` has ``b`` at its end. By the floating-point filter few rows can attain the minimum, and
    only for these pairs are computed. Then the lower bound of the filter, and how many more they
    are than ``most``, for which there are no pairs. ``lows`` is scratch space.
    """
    width = rows.shape[1]
    share, floor = 2.0 * (width + 13) * UNIT, 4.0 * (width + 13) * UNDERFLOW
    b = w[width]
    size_b = b if b > 0.0 else -b
    nearest, lowest = np.inf, np.inf
    for i in range(rows.shape[0]):
        total, size = b, size_b
        for j in range(width):
            product = rows[i, j] * w[j]
            total += product
            size += product if product > 0.0 else -product
        error = share * size + floor
        total *= signs[i]
        lows[i] = total - error
        if total + error < nearest:
            nearest = total + error
        if not lows[i] >= lowest:
            # NaN bounds nothing.
            lowest = lows[i] if lows[i] < lowest else -np.inf
    least, least_rest, largest = np.inf, 0.0, 0.0
    # The row after the last is w itself.
    for i in range(rows.shape[0] + 1):
        last = i == rows.shape[0]
        if not last:
            if lows[i] > nearest:
                continue
            most -= 1
            if most < 0:
                continue
        total, rest, magnitude = b, 0.0, size_b
        if last:
            total, magnitude = 0.0, 0.0
        for j in range(width):
            x = w[j] if last else rows[i, j]
            total, rest, magnitude = add_product(total, rest, magnitude, x, w[j])
        if not magnitude <= largest and not (last and magnitude < np.inf):
            largest = magnitude
        if last:
            out[3], out[4] = total, rest
            continue
        # Mostly the second number is now at most half an ulp of the first, which then decides.
        high = total + rest
        low = signs[i] * ((total - high) + rest)
        high = signs[i] * high
        if high < least or (high == least and low < least_rest):
            least, least_rest = high, low
    out[0], out[1], out[2], out[5] = least, least_rest, largest, lowest
    out[6] = -most if most < 0 else 0.0


@njit()
def hull_square(rows: Any, support: Any, weights: Any, out: Any) -> None:
    """Write the square of a point of the hull times those of both totals of weights.

    As a pair, with a bound on its error over ``EPSILON``; then the totals as pairs, and the square
    of what the floating-point filter knows of the point. Rows whose ``weights`` are negative belong
    to the second class.
    """
    square, square_rest, error, magnitude, reach = 0.0, 0.0, 0.0, 0.0, 0.0
    share = 2.0 * (support.shape[0] + 18) * UNIT
    S, S_rest, s, R, R_rest, r = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    width = rows.shape[1]
    for j in range(width + 1):
        A, A_rest, a, B, B_rest, b = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for k in range(support.shape[0]):
            x = 1.0 if j == 0 else rows[support[k], j - 1]
            if weights[k] > 0.0:
                A, A_rest, a = add_product(A, A_rest, a, weights[k], x)
            else:
                B, B_rest, b = add_product(B, B_rest, b, weights[k], x)
        if j == 0:
            S, S_rest, s, R, R_rest, r = A, A_rest, a, -B, -B_rest, b
            continue
        t, t_rest, m = 0.0, 0.0, 0.0
        for k in range(3):
            x, y = (A_rest if k == 1 else A), (R_rest if k == 2 else R)
            t, t_rest, m = add_product(t, t_rest, m, x, y)
            x, y = (B_rest if k == 1 else B), (S_rest if k == 2 else S)
            t, t_rest, m = add_product(t, t_rest, m, x, y)
        for k in range(2):
            y = t if k == 0 else 2.0 * t_rest
            square, square_rest, magnitude = add_product(square, square_rest, magnitude, t, y)
        # Where a magnitude is infinite, so is the error, or NaN.
        magnitude += 0.0 * m
        m = a * r + b * s
        size = t if t > 0.0 else -t
        error += (size + 2.0**-16 * m) * m
        size += share * m
        reach += size * size
    out[0], out[1], out[2] = square, square_rest, error + 0.0 * magnitude
    out[3], out[4], out[5], out[6], out[7] = S, S_rest, R, R_rest, reach
