"""Elementwise parts of kernel functions, in one pass over a block of inner products."""

import numpy as np

from novikoff.certificate.kernels import njit


@njit()
def radial(products: np.ndarray, mine: np.ndarray, theirs: np.ndarray, gamma: float) -> None:
    """Turn inner products into ``-gamma |x - x'|^2``, given the squared norms of both sides."""
    for i in range(products.shape[0]):
        for j in range(products.shape[1]):
            value = gamma * (2.0 * products[i, j] - (mine[i] + theirs[j]))
            products[i, j] = min(0.0, value)


@njit()
def raise_to(values: np.ndarray, degree: int) -> None:
    """Raise every value to a whole power by repeated multiplication."""
    for i in range(values.shape[0]):
        for j in range(values.shape[1]):
            base, power, left = values[i, j], values[i, j], degree - 1
            if degree == 0:
                power = values[i, j] ** 0
            while left > 0:
                if left & 1:
                    power = power * base
                base = base * base
                left >>= 1
            values[i, j] = power
