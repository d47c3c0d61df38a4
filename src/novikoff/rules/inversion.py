"""Inverting a decreasing bound: from how long it holds to a number of updates."""

from collections.abc import Callable

# Beyond this many updates a bound means nothing in practice.
MOST = 2.0**200
# Bisection ends at a whole number, or at this share of it, below which float64 counts get coarse.
CLOSE = 1e-12


def first_below(bound: Callable[[float], float], level: float) -> float:
    """Return an update count from which on ``bound(t) < level`` holds, close to the first.

    Returns infinity where there is none below 2^200.

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
