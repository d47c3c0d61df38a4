r"""Bounds that pairs of floats decide: the same floats as exact arithmetic gives, in less time.

A sum of products is computed as a pair of floats, the rounded sum and the sum of what rounding took
from it (Dot2 of Ogita, Rump and Oishi, *Accurate sum and dot product*, 2005). That tells more than
twice as many digits as a float has. So an interval around a bound nearly always lies between two
neighbouring floats; then the bound, rounded outward, is the same for all of the interval. Where it
does not, where something overflows or is too small, and where a sign is at stake, ``None`` leaves
it to exact arithmetic.

**Lemma.** Let ``u = 2**-53`` and let a sum of ``k <= 2**12`` products be computed as the pair
``(t, r)``, with ``m`` the float64 sum of the moduli of the rounded products, where nothing has
overflowed and every product is zero or at least ``2**-900``. Then ``t + r`` is within ``2**-80 m``
of the exact sum, and ``|r| <= (k + 3) u m``. *Proof.* The errors of products and sums are floats:
those of sums by Knuth, those of products by Dekker, since they and all that is computed for them
are multiples of ``2**-1006``, so that nothing underflows. Hence the exact sum is ``t`` plus all
these errors, of which there are ``2 k``. Let ``M`` be the exact sum of the moduli of the rounded
products. The error of a product is at most ``u`` times its modulus, that of a sum at most
``u (1 + gamma_k) M``, so the moduli of all errors sum to at most ``(k + 2) u M``. Their float64 sum
``r`` passes each through at most ``k + 1`` roundings, so it is within ``gamma_{k+1} (k + 2) u M``
of their exact sum, and ``M <= m / (1 - gamma_k)``. For ``k <= 2**12`` that is less than
``2**-81 m``. ∎
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate.exact.dyadic import integers_of
from novikoff.certificate.exact.sums import SMALL, read_only, uses_compiled

Floats = npt.NDArray[np.float64]

MOST_VALUES = SMALL
"""Larger tables are read in blocks, by threads if there are several."""

MOST_TERMS = 1 << 12
EPSILON = 2.0**-80
"""The lemma holds for so many terms, with so large an error."""

_SLIP = 76
"""Sums of positive terms, and products of two, are within ``2**-76`` of themselves."""

_LEAST = 2.0**-900
"""Squares of norms that are no larger are left to exact arithmetic."""

_CANCELLED = 2.0**-36
"""The share by which the filter may enlarge a square that it bounds: about the gap to which small
problems are solved. The time of a fit does not depend on it."""

_TRIES = 8
"""Neighbours of a float that is rounded a few times, one of which is the bound."""


def rows_of(X: Any) -> Floats | None:
    """The rows of a small array as compiled code reads them; ``None`` where there are none.

    A check of a certificate does not compile, and exact arithmetic is what it is for.
    """
    if type(X) is not np.ndarray or X.size > MOST_VALUES or not uses_compiled():
        return None
    if X.dtype.kind in "ui" and X.dtype.itemsize == 8:
        return None
    return read_only(np.ascontiguousarray(X, dtype=np.float64))


def least_over_norm(
    rows: Floats, signs: npt.NDArray[np.int8], w: Floats, b: float, most: int
) -> float | None:
    """The largest float that is not above ``min_i y_i (w·x_i + b) / ‖w‖``, if that is positive.

    By the floating-point filter some rows can attain the minimum. If they are more than ``most``,
    its lower bound takes the place of the minimum, as in a check of so many. Else the minimum is
    within the largest of the errors from the least of the pairs. To find that, pairs are
    normalised, which is exact unless the rest is the larger number; then it changes the pair, and
    perhaps which is the least, by no more than a few ``u |r|``, for which there is room.
    """
    if w.size >= MOST_TERMS:
        return None
    from novikoff.certificate.exact import compiled_pairs

    hyperplane, lows, out = np.empty(w.size + 1), np.empty(len(rows)), np.zeros(7)
    hyperplane[:-1], hyperplane[-1] = w, b
    compiled_pairs.least_product(rows, signs, hyperplane, lows, most, out)
    first, second, magnitude, square, rest, low, more_than_most = out.tolist()
    if more_than_most:
        first, second = low, 0.0
    if not (magnitude < math.inf and first > 0.0 and square > _LEAST):
        return None
    bound = 0.0 if more_than_most else EPSILON * magnitude
    value = first / math.sqrt(square)
    for _ in range(_TRIES):
        more = math.nextafter(value, math.inf)
        numbers, exponent = integers_of([first, second, bound, square, rest, value, more])
        least, error, norm2 = numbers[0] + numbers[1], numbers[2], numbers[3] + numbers[4]
        slip = (norm2 >> _SLIP) + 1
        if numbers[5] ** 2 * (norm2 + slip) > (least - error) ** 2 << -exponent:
            value = math.nextafter(value, 0.0)
        elif numbers[6] ** 2 * (norm2 - slip) <= (least + error) ** 2 << -exponent:
            value = more
        else:
            return value if least > error else None
    return None


def hull_norm(
    rows: Floats,
    support: npt.NDArray[np.int64],
    weights: Floats,
    sides: Any,
    *,
    affine: bool,
    filtered: bool = False,
) -> float | None:
    """The smallest float that is not below the norm of a point of the hull.

    With ``filtered`` a larger one, which the floating-point filter of a check confirms: it adds
    ``2 (k + 18) u m`` to each entry, where a check adds ``2 (k + 12) u m``, and the rest and the
    error below are at most ``10 u m``. ``None`` where that is too much, because the sum nearly
    cancels.

    ``weights`` are positive, and ``sides`` the signs of the examples in the support. ``None`` also
    without an intercept, where a class has no weight, and where half the norm may underflow.

    With the weighted sums ``A`` and ``B`` of the positive and the negative examples and the totals
    ``S`` and ``R`` of their weights, the point is ``A/S - B/R = (A R - B S) / (S R)``.

    **Error.** Let ``ε = 2**-80`` and let ``a``, ``b``, ``s``, ``r`` be the magnitudes. Each of the
    four pairs is within ``ε`` times its magnitude of the exact sum. The products of pairs leave out
    that of the two rests, below ``ε`` times both magnitudes; their sum, of six terms, is computed
    to within ``ε`` of its own. Together ``t = A R - B S`` is known to within ``5 ε m``, where
    ``m = a r + b s``. Its square leaves out that of its rest, at most ``(9 u m)²``, and the sum of
    the squares is computed to within ``ε`` of its magnitude, at most ``1.1 |t| m``. So that sum is
    within ``Σ 16 ε (|t| + 2**-16 m) m`` of the exact one: ``10.1 ε |t| m + 25 ε² m²`` are for
    ``t``, ``2**-99 m²`` for what is left out, ``1.1 ε |t| m`` for the sum; the rest of the room is
    for rounding here.
    """
    if not affine or max(support.size, 2 * rows.shape[1]) > MOST_TERMS:
        return None
    from novikoff.certificate.exact import compiled_pairs

    out = np.zeros(8)
    compiled_pairs.hull_square(rows, read_only(support), weights * sides, out)
    square, rest, magnitude, *totals, reach = out.tolist()
    if not (magnitude < math.inf and square > _LEAST and totals[0] > 0.0 and totals[2] > 0.0):
        return None
    product = totals[0] * totals[2]
    norm = math.sqrt(reach if filtered else square)
    # Beyond, a quotient may be inexact by more than rounding.
    if not (_LEAST < product < 1.0 / _LEAST and _LEAST * product < norm < product / _LEAST):
        return None
    norm /= product
    if filtered and reach > square * (1.0 + _CANCELLED):
        return None
    if filtered:
        # Room for the rounding of as many squares as there are columns, and of the totals.
        return norm * (1.0 + 2.0**-41)
    bound = 16.0 * EPSILON * magnitude
    for _ in range(_TRIES):
        less = math.nextafter(norm, 0.0)
        numbers, exponent = integers_of([square, rest, bound, *totals, norm, less])
        exact, error = numbers[0] + numbers[1], numbers[2]
        scale = (numbers[3] + numbers[4]) * (numbers[5] + numbers[6])
        slip = (scale >> _SLIP) + 1
        if (numbers[7] * (scale - slip)) ** 2 < exact + error << -5 * exponent:
            norm = math.nextafter(norm, math.inf)
        elif (numbers[8] * (scale + slip)) ** 2 >= exact - error << -5 * exponent:
            norm = less
        else:
            return norm
    return None
