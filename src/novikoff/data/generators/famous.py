"""Data sets of two examples from the literature, whose maximum margin is known in closed form."""

from __future__ import annotations

import math

import numpy as np

from novikoff.data.generators.hyperplane import Planted


def sharpness(eps: float) -> Planted:
    """The two examples on which the update bound of Algorithm 4 is sharp up to a constant.

    The signed examples are ``(±sqrt(1 - eps²), eps)``: unit vectors, almost opposite. The maximum
    margin of hyperplanes through the origin is exactly ``eps``, and Algorithm 4 with exponent
    ``alpha`` makes about ``(alpha/2)^(1/(2-alpha))`` times its bound of
    ``(1/eps)^(2/(2-alpha))`` updates (*On the Perceptron's Compression*, Theorem 2.3).

    Parameters
    ----------
    eps : float
        The margin, in ``(0, 1)``.

    Returns
    -------
    Planted

    Examples
    --------
    >>> from novikoff.data import sharpness
    >>> p = sharpness(0.6)
    >>> p.X.tolist(), p.y.tolist(), p.margin
    ([[0.8, 0.6], [0.8, -0.6]], [1, -1], 0.6)
    """
    if not 0.0 < eps < 1.0:
        raise ValueError(f"eps must be in (0, 1), got {eps}")
    # (1-e)(1+e) rather than 1-e*e keeps the rows of norm 1 to the last digit for small e.
    side = math.sqrt((1.0 - eps) * (1.0 + eps))
    X = np.array([[side, eps], [side, -eps]])
    return Planted(X, np.array([1, -1]), np.array([0.0, 1.0]), 0.0, float(eps))


def far_pair() -> Planted:
    """Two examples on a line, 999 (positive) and 1001 (negative), far from the origin.

    The affine margin is 1, attained at ``x = 1000``. With a constant feature 1 the margin is only
    0.001, and the classic perceptron needs 2,000,002 updates; relative to a centre, such as one of
    the examples, it needs a few (*On the Perceptron's Compression*, footnote 1).

    Returns
    -------
    Planted

    Examples
    --------
    >>> from novikoff.data import far_pair
    >>> p = far_pair()
    >>> (p.y * (p.X @ p.coef + p.intercept)).tolist()
    [1.0, 1.0]
    """
    X = np.array([[999.0], [1001.0]])
    return Planted(X, np.array([1, -1]), np.array([-1.0]), 1000.0, 1.0)
