r"""The exponential function of numbers that are not positive, with a proven error.

**Lemma.** For a float ``x`` in ``[-700, 0]`` the steps below give ``exp(x)`` with a relative error
below ``4u = 2**-51``, where ``u = 2**-53``; fused multiply-adds only take roundings away.

1. ``k`` is the integer nearest to ``x/ln 2``, up to ``2**-41``: the sum of ``x log2(e)`` and
   ``1.5 2**52`` is rounded to an integer plus ``1.5 2**52``, and ``x log2(e)`` has been rounded by
   less than ``1010 (2 u + u**2) < 2**-42``. So ``|x - k ln 2| <= ln 2/2 + 2**-41 < 0.34658``, and
   ``-1010 <= k <= 0``.
2. ``r = (x - k H) - k L``, where ``H`` is ``ln 2`` cut off below ``2**-36`` and ``L`` the float
   nearest to ``ln 2 - H``. The product ``k H`` is a multiple of ``2**-36`` below ``2**10``, hence
   exact. Unless ``k = 0``, ``|x| > 1/4`` is a multiple of ``2**-54``, and so is ``x - k H``, which
   is below ``1/2``: it is exact. ``L < 2**-39`` is off by ``u 2**-39``, and ``k L < 2**-29`` is
   rounded by ``u 2**-29``; the last difference, below ``1/2``, is rounded by ``2**-55 = u/4``. So
   ``r`` is within ``0.2501 u`` of ``x - k ln 2``, and ``exp`` of it is changed by less than
   ``0.251 u``, relative to it.
3. ``p``, the Taylor polynomial of degree 13 in Horner's scheme. What is cut off is below
   ``|r|**14/14! < 4.2e-18``, relative to ``exp(r) > 0.707`` less than ``0.06 u``. Rounding: let
   ``Q_i = sum_{m >= i} r**(m-i)/m!`` and let ``e_i`` bound the error of its computed value; then
   ``e_i <= |r| e_{i+1} + (1 + 2**-40) u (|r| Q_{i+1} + Q_i + c_i)``, where ``c_i = 1/i!`` if
   that was rounded and 0 for ``i <= 2``. For ``|r| <= 0.34658`` this gives ``e_4 <= 0.1 u``,
   ``e_3 <= 0.41 u``, ``e_2 <= 0.78 u`` and ``e_1 <= 1.68 u``. For ``r >= 0`` it gives
   ``e_0 <= 2.43 u`` at the end, increasing less than ``exp(r)`` below it from ``u`` at 0, hence
   at most ``2 u`` relative to ``exp(r)``. For ``r < 0`` we have ``Q_1 <= 1`` and ``Q_0 <= 1``, so
   ``e_0 <= (0.59 + 0.35 + 1) u``, relative to ``exp(r) >= 0.707`` less than ``2.8 u``.
4. The product with ``2**k`` is exact, since ``2**-1010`` is far from an underflow.

Together that is less than ``3.2 u``. ∎ What is below -700 is taken for -700: the result is then
positive and below ``2**-1009``, as the true value is.

The hyperbolic tangent is ``±(1 - e)/(1 + e)`` with ``e = exp(-2|t|)``. The numerator has an error
of ``4 u e + u``, the denominator a relative one below ``3 u``, the quotient one more ``u``: the
absolute error is below ``16 u = 2**-49`` (``2**-1009`` included).
"""

import math
from typing import Any

import numpy as np

from novikoff.certificate.exact.sums import SMALL, Floats

RELATIVE = 2.0**-51
"""The relative error of the exponential."""

ABSOLUTE = 2.0**-1009
"""What it is wrong by below ``exp(-700)``."""

TANH = 2.0**-49
"""The absolute error of the hyperbolic tangent."""

LEAST = -700.0
LOG2_E = float.fromhex("0x1.71547652b82fep+0")
H = float.fromhex("0x1.62e42fefap-1")
L = float.fromhex("0x1.cf79abc9e3b39p-40")
SHIFT = 1.5 * 2.0**52
BIAS = 1023
COEFFICIENTS = tuple(1.0 / math.factorial(i) for i in range(14))


def gaussian(products: Floats, rows: Floats, columns: Floats, gamma: float) -> None:
    """Replace inner products by ``exp(-gamma |x - x'|^2)``, given the squares of the norms."""
    if products.size > SMALL:
        from novikoff.certificate.feature_space import compiled_exponential

        compiled_exponential.gaussian(products, rows, columns, gamma)
        return
    products *= 2.0
    products -= rows[:, None] + columns
    products *= gamma
    _exp(products)


def decay(distances: Floats, gamma: float) -> None:
    """Replace ``d`` by ``exp(-gamma d)``."""
    if distances.size > SMALL:
        from novikoff.certificate.feature_space import compiled_exponential

        compiled_exponential.decay(distances, gamma)
        return
    distances *= -gamma
    _exp(distances)


def tanh(products: Floats, gamma: float, coef0: float) -> None:
    """Replace ``p`` by ``tanh(gamma p + coef0)``."""
    if products.size > SMALL:
        from novikoff.certificate.feature_space import compiled_exponential

        compiled_exponential.tanh(products, gamma, coef0)
        return
    products *= gamma
    products += coef0
    small = -2.0 * np.abs(products)
    _exp(small)
    np.copysign((1.0 - small) / (1.0 + small), products, out=products)


def _exp(x: Any) -> None:
    """Replace ``x`` by ``exp(min(x, 0))``, by the steps of the lemma; a NaN stays one."""
    np.clip(x, LEAST, 0.0, out=x)
    shifted = x * LOG2_E + SHIFT
    k = shifted - SHIFT
    x -= k * H
    x -= k * L
    power = np.full(x.shape, COEFFICIENTS[-1])
    for c in COEFFICIENTS[-2::-1]:
        power *= x
        power += c
    shifted = shifted.view(np.int64) + BIAS
    shifted <<= 52
    np.multiply(power, shifted.view(np.float64), out=x)
