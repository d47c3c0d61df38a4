"""Turning a decreasing bound into a number of updates."""

from collections.abc import Callable


def first_below(bound: Callable[[float], float], level: float) -> float:
    """Return an update count from which on ``bound(t) < level`` holds, close to the first.

    Returns infinity where there is none below 2^200.

    Examples
    --------
    >>> from novikoff.rules.search import first_below
    >>> first_below(lambda t: 1 / t, 0.01)
    101.0
    """
    high = 1.0
    while bound(high) >= level:
        high *= 2.0
        if high > 2.0**200:
            return float("inf")
    low = high / 2.0
    while high - low > max(1.0, 1e-12 * high):
        middle = (low + high) // 2.0
        low, high = (middle, high) if bound(middle) >= level else (low, middle)
    return high
