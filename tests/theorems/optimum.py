"""The exact optimum margin of a few signed examples, and margins of hyperplanes."""

from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls


class Optimum(NamedTuple):
    """``eps* = dist(0, conv Z)`` with its proof: ``lower <= eps* <= upper`` within rounding."""

    lower: float
    upper: float
    direction: np.ndarray
    weights: np.ndarray


def optimum(Z):
    """The optimum margin of signed examples by non-negative least squares.

    The minimiser of ``|Z^T l|^2 + (1.l - 1)^2`` over ``l >= 0`` is a multiple of the convex
    weights of the point of ``conv Z`` nearest to the origin. That point bounds the optimum from
    both sides. The solver now and then misses it on data with many symmetries, which depends on
    the order of the examples: it gets some orders to try, and the bounds have to meet.
    """
    Z = np.asarray(Z, dtype=np.float64)
    R = np.linalg.norm(Z, axis=1).max() or 1.0
    n, d = Z.shape
    target = np.append(np.zeros(d), 1.0)
    rng = np.random.default_rng(0)
    for _ in range(20):
        order = rng.permutation(n)
        lengths = np.empty(n)
        lengths[order], _ = nnls(np.vstack([Z[order].T / R, np.ones(n)]), target, maxiter=99 * n)
        weights = lengths / lengths.sum()
        nearest = weights @ Z
        upper = float(np.linalg.norm(nearest))
        if upper <= 1e-9 * R:
            return Optimum(0.0, upper, nearest, weights)
        lower = float((Z @ nearest).min()) / upper
        if upper - lower <= 1e-9 * R:
            return Optimum(lower, upper, nearest / upper, weights)
    raise AssertionError(f"the reference solver failed: {lower} < {upper}")


def affine_optimum(X, y):
    """Half the distance of the two hulls: the optimum margin of the differences, halved."""
    return optimum(differences(X * y[:, None], y)).upper / 2


def differences(Z, signs):
    """All ``x_p - x_q`` of signed examples, p positive and q negative; a lift cancels."""
    return (Z[signs > 0][:, None] + Z[signs < 0][None]).reshape(-1, Z.shape[1])


def margin_of(Z, weights):
    """The margin of ``w = sum weights_i z_i``."""
    return margin_along(Z, weights @ Z)


def margin_along(Z, w):
    """The margin of ``w``."""
    return float((Z @ w).min() / np.linalg.norm(w))
