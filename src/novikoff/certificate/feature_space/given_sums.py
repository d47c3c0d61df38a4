"""Sums of kernel values that are given as floats, by exact products.

The values of a function such as ``exp(-t)`` may differ so much in size that exact sums have
thousands of bits. Those that are far smaller than the largest are left out then, and what they may
add is added to the bounds.
"""

import math

import numpy as np
from flint import fmpq

from novikoff.certificate.exact.dyadic import Integers, rational
from novikoff.certificate.exact.slices import exact_product
from novikoff.certificate.examples.blocks import Floats

Interval = tuple[fmpq, fmpq]

_BITS = 128
"""Values below ``2**-_BITS`` of the largest may be left out."""


def given_sums(values: Floats, factors: Integers, apart_from: fmpq | None = None) -> list[Interval]:
    """``Σ_j values[i, j] factors[j]`` for each row and whole numbers, as intervals.

    None of them contains ``apart_from``, unless the sum is equal to it.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0**-300], [1.0, 0.5]])
    >>> given_sums(values, np.array([1, -2]), apart_from=fmpq(0))[1]
    (0, 0)
    """
    sizes = np.abs(values)
    top = math.frexp(sizes.max(initial=0.0))[1] - _BITS
    left_out = (sizes < math.ldexp(1.0, top)) & (values != 0.0)
    if not left_out.any():
        return _exact(values, factors)
    found = _exact(np.where(left_out, 0.0, values), factors)
    slack = rational(1, top) * int(np.abs(factors.astype(object)).sum())
    for i in np.flatnonzero(left_out.any(axis=1)):
        low, high = found[i][0] - slack, found[i][1] + slack
        found[i] = low, high
        if apart_from is not None and low <= apart_from <= high:
            (found[i],) = _exact(values[i : i + 1], factors)
    return found


def _exact(values: Floats, factors: Integers) -> list[Interval]:
    sums, exponent = exact_product(values, factors)
    return [(value, value) for value in (rational(int(total), exponent) for total in sums)]
