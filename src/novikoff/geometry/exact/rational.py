"""Vectors of rationals, and their way to floats and back."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from flint import fmpq

from novikoff.certificate.exact.dyadic import ceil_sqrt, nearest_float, of_float
from novikoff.geometry.rounding import Vector


def rational_vector(values: Iterable[float]) -> list[Any]:
    """Return finite floats as rationals."""
    return [of_float(float(x)) for x in values]


def rational_dot(x: Iterable[Any], floats: Iterable[float]) -> fmpq:
    """Return the exact product of rationals and floats."""
    total = fmpq(0)
    for a, b in zip(x, floats, strict=True):
        if b and a:
            total += a * of_float(float(b))
    return total


def dot(x: Iterable[Any], y: Iterable[Any]) -> fmpq:
    """Return the exact product of two vectors of rationals."""
    total = fmpq(0)
    for a, b in zip(x, y, strict=True):
        if a and b:
            total += a * b
    return total


def square(x: Iterable[Any]) -> fmpq:
    """Return the squared norm."""
    return sum((a * a for a in x), fmpq(0))


def norm_above(x: Iterable[Any]) -> fmpq:
    """Return a rational, a float in fact, that is not below the norm."""
    return of_float(ceil_sqrt(square(x)))


def float_vector(x: Iterable[Any]) -> tuple[Vector, float]:
    """Return the nearest floats, and a bound on the distance between the two vectors."""
    exact = list(x)
    floats = np.array([nearest_float(a) for a in exact])
    rest = square(a - of_float(b) for a, b in zip(exact, floats.tolist(), strict=True))
    return floats, ceil_sqrt(rest)


def combine(weights: Iterable[Any], points: Iterable[Any]) -> list[Any]:
    """Return the weighted mean of points, in rationals.

    The weights are brought to one denominator first, so that sums are of integers and dyadic
    numbers; weights that solve a linear system have denominators of thousands of digits.
    """
    exact = list(weights)
    common = math.lcm(*(int(a.q) for a in exact))
    integers = [fmpq(int(a.p) * (common // int(a.q))) for a in exact]
    total = sum(integers, fmpq(0))
    if total == 0:
        raise ValueError("there are no points with a positive weight to combine")
    columns = zip(*points, strict=True)
    return [dot(integers, column) / total for column in columns]
