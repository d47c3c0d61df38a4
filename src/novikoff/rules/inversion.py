"""Find the number of updates from which on a decreasing bound is below a level."""

from collections.abc import Callable

# A bound of more updates than this is of no use in practice.
MOST = 2.0**200
# Bisection stops at a width of 1, or of this share of the count: float64 has 16 digits.
CLOSE = 1e-12


def first_below(bound: Callable[[float], float], level: float) -> float:
    """Return a number of updates from which on ``bound(t) < level``, close to the smallest.

    Returns infinity if there is none below 2^200.

    Examples
    --------
    >>> from novikoff.rules.inversion import first_below
    >>> first_below(lambda t: 1 / t, 0.01)
    101.0
    """
    high = 1.0
    while bound(high) >= level:
        high *= 2.0
        if high > MOST:
            return float("inf")
    low = high / 2.0
    while high - low > max(1.0, CLOSE * high):
        middle = (low + high) // 2.0
        low, high = (middle, high) if bound(middle) >= level else (low, middle)
    return high
