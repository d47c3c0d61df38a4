"""Numbers in sentences, rounded to the safe side like the claims they state."""

import math
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal


def at_least(value: float, digits: int = 4) -> str:
    """``value`` rounded down to a few significant digits.

    Examples
    --------
    >>> at_least(0.024689), at_most(0.024689), at_least(-math.inf)
    ('0.02468', '0.02469', '-inf')
    """
    return _rounded(value, digits, ROUND_FLOOR)


def at_most(value: float, digits: int = 4) -> str:
    """``value`` rounded up to a few significant digits."""
    return _rounded(value, digits, ROUND_CEILING)


def digits_between(low: float, high: float) -> int:
    """How many significant digits show that ``low`` and ``high`` differ: from 4 to 17.

    Examples
    --------
    >>> digits_between(0.1, 0.2), digits_between(0.1, 0.1 + 1e-9), digits_between(1.0, math.inf)
    (4, 11, 4)
    """
    size = max(abs(low), abs(high))
    if not math.isfinite(size) or size == 0.0:
        return 4
    gap = abs(high / size - low / size)
    if gap == 0.0:
        return 17
    return min(17, max(4, 2 - math.floor(math.log10(gap))))


def format_bounds(lower: float, upper: float) -> tuple[str, str]:
    """Two bounds, the lower rounded down and the upper one up, to at most six digits.

    Examples
    --------
    >>> format_bounds(0.25, 0.2500001), format_bounds(4.1371368425411e-5, 4.1371368425454e-5)
    (('0.25', '0.250001'), ('0.0000413713', '0.0000413714'))
    """
    digits = min(6, digits_between(lower, upper))
    return at_least(lower, digits), at_most(upper, digits)


def percent(share: float) -> str:
    """A share as a percentage, rounded up.

    Examples
    --------
    >>> percent(0.0104), percent(0.29 + 2.0**-54)
    ('1.1 %', '30 %')
    """
    return f"{_rounded(share, 2, ROUND_CEILING, shift=2)} %"


def gap_in_percent(gap: float) -> str:
    """A relative gap as a percentage, rounded up, with no more digits than bounds are shown with.

    Examples
    --------
    >>> gap_in_percent(0.0104), gap_in_percent(5.3e-13), gap_in_percent(0.0)
    ('1.1 %', 'below 0.001 %', '0 %')
    """
    return "below 0.001 %" if 0.0 < gap < 1e-5 else percent(gap)


def in_full(value: float) -> str:
    """A number with all its digits: the shortest text that reads back as this float.

    Examples
    --------
    >>> in_full(1.0), in_full(1.0000001), in_full(1e-30)
    ('1', '1.0000001', '1e-30')
    """
    return repr(float(value)).removesuffix(".0")


def enumerated(parts: Sequence[str]) -> str:
    """The parts in a row, with "and" before the last.

    Examples
    --------
    >>> enumerated(["a"]), enumerated(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([part for part in (", ".join(parts[:-1]), parts[-1]) if part])


def counted(number: int, noun: str) -> str:
    """The number with its noun.

    Examples
    --------
    >>> counted(1, "example"), counted(12665, "example")
    ('1 example', '12,665 examples')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def prove(number: int) -> str:
    """The verb for so many examples.

    Examples
    --------
    >>> prove(1), prove(2)
    ('proves', 'prove')
    """
    return "proves" if number == 1 else "prove"


def shortened(parts: Sequence[str], most: int = 10) -> str:
    """The first parts in a row; those beyond ``most`` are counted.

    Examples
    --------
    >>> shortened(["a", "b", "c", "d"], most=2)
    'a, b and 2 more'
    """
    more = len(parts) - most
    return enumerated([*parts[:most], f"{more:,} more"] if more > 0 else parts)


def _rounded(value: float, digits: int, rounding: str, *, shift: int = 0) -> str:
    """``value`` times ``10**shift``, rounded in decimal and nowhere before."""
    if not math.isfinite(value):
        return repr(value)
    # Zero has no sign in a sentence.
    rounded = Decimal(value + 0.0).normalize(Context(prec=digits, rounding=rounding)).scaleb(shift)
    # Positional notation unless it would need many zeros.
    return f"{rounded:f}" if -5 <= rounded.adjusted() <= 15 else f"{rounded:e}"
