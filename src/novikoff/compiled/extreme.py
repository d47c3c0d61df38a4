"""Extreme rows of an array, and the perceptron of Lemma 4.2 that goes from one to the next."""

import math

import numpy as np

from novikoff.certificate.kernels import njit
from novikoff.compiled.rows import SUMS


@njit(inner=True, fastmath=SUMS)
def least_product(rows: np.ndarray, w: np.ndarray) -> tuple[int, float]:
    """Return the row whose product with ``w`` is least, and the product."""
    best, least = 0, np.inf
    width = rows.shape[1]
    if width == 3:
        a, b, c = w[0], w[1], w[2]
        for i in range(rows.shape[0]):
            product = rows[i, 0] * a + rows[i, 1] * b + rows[i, 2] * c
            if product < least:
                best, least = i, product
        return best, least
    for i in range(rows.shape[0]):
        product = 0.0
        for j in range(width):
            product += rows[i, j] * w[j]
        if product < least:
            best, least = i, product
    return best, least


@njit()
def least_row(rows: np.ndarray, w: np.ndarray) -> tuple[int, float]:
    """Return the row whose product with ``w`` is least, and the product."""
    best, least = least_product(rows, w)
    return best, least


@njit()
def perceptron(
    P: np.ndarray,
    Q: np.ndarray,
    w: np.ndarray,
    counts: tuple[np.ndarray, np.ndarray],
    state: np.ndarray,
    scale: float,
    epsilon: float,
    most: int,
) -> int:
    """Go on with the perceptron of Lemma 4.2 on the differences of rows; return its steps.

    Differences are multiplied by ``scale``; ``w``, ``state`` and ``epsilon`` are in its units.
    ``state`` is the number of updates so far and the largest squared difference, ``rho^2``. It ends
    before a row pair with ``w.(p - q) > rho^2``, when ``|w| < epsilon t``, when ``t`` exceeds
    ``3 rho^2 / epsilon^2``, or after ``most`` steps.
    """
    d = P.shape[1]
    back = np.zeros(d)
    for step in range(most):
        norm2 = 0.0
        for j in range(d):
            back[j] = -w[j]
            norm2 += w[j] * w[j]
        t, rho2 = state[0], state[1]
        if t > 0.0 and (math.sqrt(norm2) < epsilon * t or t * epsilon * epsilon > 3.0 * rho2):
            return step
        first, low = least_product(P, w)
        second, high = least_product(Q, back)
        if t > 0.0 and (low + high) * scale > rho2:
            return step
        size = 0.0
        for j in range(d):
            difference = (P[first, j] - Q[second, j]) * scale
            w[j] += difference
            size += difference * difference
        counts[0][first] += 1
        counts[1][second] += 1
        state[0] = t + 1.0
        state[1] = max(rho2, size)
    return most
