"""Bounds on the error on new data, proved in ball arithmetic.

Each of the three statements has the form: with probability at least ``1 - delta`` over ``m``
independent examples, if ``k`` of them carry the model and it gets none of the others wrong, its
error on new data is at most ``bound``. The functions here do not compute the bound; they prove that
a given float is one.
"""

import math
from collections.abc import Callable

from flint import arb, ctx, fmpz

_PRECISION = 256


def is_proved(method: str, m: int, k: int, delta: float, bound: float) -> bool:
    """Whether the method proves the bound; ``method`` is one of :data:`METHODS`.

    Examples
    --------
    >>> is_proved("compression", 1000, 20, 0.05, 0.0356)
    True
    >>> is_proved("compression", 1000, 20, 0.05, 0.0355)
    False
    """
    if not (0 <= k <= m and 0.0 < delta < 1.0 and 0.0 <= bound <= 1.0):
        return False
    if bound == 1.0:
        return True
    before, ctx.prec = ctx.prec, _PRECISION
    try:
        return METHODS[method](m, k, arb(delta), arb(bound))
    finally:
        ctx.prec = before


def _compression(m: int, k: int, delta: arb, bound: arb) -> bool:
    """``delta P(Bin(m, e) > k) >= m e P(Bin(m, e) = k)``, the equation of Campi and Garatti.

    From there on the left side of ``(delta/m) sum_{j=k}^{m-1} [C(j,k)/C(m,k)] (1-e)^-(m-j) >= 1``
    only grows with ``e``, so every bound above the root is proved.
    """
    if k == m or bound.contains(0):
        return False
    tail = bound.beta_lower(arb(k + 1), arb(m - k), regularized=True)
    # The sum as a tail needs no more than m > k; below the mean it holds as well.
    likely = _choose(m, k).log() + k * bound.log() + (m - k) * (1 - bound).log()
    return bool(delta.log() + tail.log() >= arb(m).log() + bound.log() + likely)


def _binomial(m: int, k: int, delta: arb, bound: arb) -> bool:
    """``(1 - e)^(m - k) <= delta / ((m + 1) C(m, k))``: a union over all choices of k examples."""
    allowed = delta.log() - arb(m + 1).log() - _choose(m, k).log()
    return bool((m - k) * (1 - bound).log() <= allowed)


def _theorem_5_2(m: int, k: int, delta: arb, bound: arb) -> bool:
    """``12 (k ln(e m / k) + ln((m + 1)/delta)) / m <= e`` for a model without training errors."""
    size = max(k, 1)
    needed = size * (1 + (arb(m) / size).log()) + arb(m + 1).log() - delta.log()
    return bool(12 * needed / m <= bound)


METHODS: dict[str, Callable[[int, int, arb, arb], bool]] = {
    "compression": _compression,
    "binomial": _binomial,
    "theorem-5.2": _theorem_5_2,
}


def _choose(m: int, k: int) -> arb:
    """The binomial coefficient, as a ball where it is large."""
    if k < 1000 or m - k < 1000:
        return arb(fmpz(math.comb(m, k)))
    return (arb(m + 1).lgamma() - arb(k + 1).lgamma() - arb(m - k + 1).lgamma()).exp()
