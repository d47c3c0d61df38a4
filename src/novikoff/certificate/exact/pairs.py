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
from flint import fmpq

from novikoff.certificate.exact.dyadic import ceil_sqrt, floor_sqrt, of_float
from novikoff.certificate.exact.sums import SMALL, read_only, uses_compiled

Floats = npt.NDArray[np.float64]

MOST_VALUES = SMALL
"""Larger tables are read in blocks, by threads if there are several."""

MOST_TERMS = 1 << 12
EPSILON = 2.0**-80
"""The lemma holds for so many terms, with so large an error."""

_MORE = 1 + of_float(2.0**-76)
"""More than three factors that are within ``EPSILON`` of 1."""


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

    By the floating-point filter some rows can attain the minimum. ``None`` if they are more than
    ``most``. The minimum is within the largest of the errors from the least of the pairs.
    """
    if w.size >= MOST_TERMS:
        return None
    from novikoff.certificate.exact import compiled_pairs

    hyperplane, lows, out = np.empty(w.size + 1), np.empty(len(rows)), np.zeros(5)
    hyperplane[:-1], hyperplane[-1] = w, b
    compiled_pairs.least_product(rows, signs, hyperplane, lows, most, out)
    first, second, magnitude, square, rest = out.tolist()
    if not (magnitude < math.inf and 0.0 < first):
        return None
    least, error = of_float(first) + of_float(second), of_float(EPSILON * magnitude)
    norm2 = of_float(square) + of_float(rest)
    value = floor_sqrt((least - error) ** 2 / (norm2 * _MORE))
    more = of_float(math.nextafter(value, math.inf))
    return value if least > error and more**2 * norm2 > (least + error) ** 2 * _MORE else None


def hull_square(
    rows: Floats, support: npt.NDArray[np.int64], weights: Floats, sides: Any, *, affine: bool
) -> fmpq | None:
    """A bound on the squared norm of a point of the hull, whose root rounds up as the norm does.

    ``weights`` are positive, and ``sides`` the signs of the examples in the support; with an
    intercept there are examples of both classes.

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

    out = np.zeros(7)
    compiled_pairs.hull_square(rows, read_only(support), weights * sides, out)
    square, rest, magnitude, *totals = out.tolist()
    if not 0.0 < magnitude < math.inf:
        return None
    exact, error = of_float(square) + of_float(rest), of_float(16.0 * EPSILON * magnitude)
    S, S_rest, R, R_rest = map(of_float, totals)
    scale = ((S + S_rest) * (R + R_rest)) ** 2
    above = (exact + error) * _MORE / scale
    less = of_float(math.nextafter(ceil_sqrt(above / 4), 0.0))
    return above if 4 * less**2 * scale * _MORE < exact - error else None
