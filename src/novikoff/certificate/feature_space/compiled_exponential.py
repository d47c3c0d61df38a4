"""The loops of :mod:`novikoff.certificate.feature_space.exponential` for large blocks.

The compiler may fuse products into sums, which the lemma allows, and nothing else.
"""

from typing import Any

import numpy as np

from novikoff.certificate.feature_space.exponential import (
    BIAS,
    COEFFICIENTS,
    LEAST,
    LOG2_E,
    SHIFT,
    H,
    L,
)
from novikoff.certificate.kernels import njit

FUSED = {"contract"}
C3, C4, C5, C6, C7, C8, C9, C10, C11, C12, C13 = COEFFICIENTS[3:]


@njit(inner=True, fastmath=FUSED)
def exp(x: Any) -> Any:
    """The exponential of ``min(x, 0)``, by the steps of the lemma."""
    x = min(max(x, LEAST), 0.0)
    shifted = x * LOG2_E + SHIFT
    k = shifted - SHIFT
    r = (x - k * H) - k * L
    p = C13 * r + C12
    p = p * r + C11
    p = p * r + C10
    p = p * r + C9
    p = p * r + C8
    p = p * r + C7
    p = p * r + C6
    p = p * r + C5
    p = p * r + C4
    p = p * r + C3
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    # The lowest bits of the shifted number are those of k, and an exponent is the highest of a
    # float.
    power = np.int64((np.float64(shifted).view(np.int64) + BIAS) << 52)
    return p * power.view(np.float64)


@njit(fastmath=FUSED)
def gaussian(products: Any, rows: Any, columns: Any, gamma: Any) -> None:
    """Replace inner products by ``exp(-gamma |x - x'|^2)``."""
    for i in range(products.shape[0]):
        for j in range(products.shape[1]):
            products[i, j] = exp(gamma * (2.0 * products[i, j] - (rows[i] + columns[j])))


@njit(fastmath=FUSED)
def decay(distances: Any, gamma: Any) -> None:
    """Replace ``d`` by ``exp(-gamma d)``."""
    for i in range(distances.shape[0]):
        for j in range(distances.shape[1]):
            distances[i, j] = exp(-gamma * distances[i, j])


@njit(fastmath=FUSED)
def tanh(products: Any, gamma: Any, coef0: Any) -> None:
    """Replace ``p`` by ``tanh(gamma p + coef0)``."""
    for i in range(products.shape[0]):
        for j in range(products.shape[1]):
            t = gamma * products[i, j] + coef0
            e = exp(-2.0 * abs(t))
            size = (1.0 - e) / (1.0 + e)
            products[i, j] = size if t >= 0.0 else -size
