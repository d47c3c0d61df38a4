"""Binomial probabilities and tails in log space, accurate for a billion trials.

The probability of ``k`` successes follows Loader's saddle-point form: the differences of large
logarithms of factorials, of which float64 keeps six digits for ``10^9`` trials, do not appear.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats = NDArray[np.float64]

_SERIES_FROM = 16.0
_MOST_TERMS = 1_000_000
_SMALL = 1e-300


def log_choose(n: ArrayLike, k: ArrayLike) -> Floats:
    """Return the logarithm of the binomial coefficient ``n`` over ``k``.

    Examples
    --------
    >>> import numpy as np
    >>> np.round(np.exp(log_choose(5, [0, 1, 2])), 9).tolist()
    [1.0, 5.0, 10.0]
    """
    n, k = np.broadcast_arrays(np.asarray(n, float), np.asarray(k, float))
    inside = (k > 0.0) & (k < n)
    a, b = np.where(inside, k, 1.0), np.where(inside, n - k, 1.0)
    whole = a + b
    value = whole * special.entr(a / whole) + whole * special.entr(b / whole)
    value += 0.5 * np.log(whole / (2.0 * np.pi * a * b))
    value += stirling_error(whole) - stirling_error(a) - stirling_error(b)
    return np.where(inside, value, 0.0)


def log_probability(n: ArrayLike, k: ArrayLike, odds: ArrayLike) -> Floats:
    """Return the logarithm of the probability of ``k`` successes in ``n`` trials.

    ``odds`` is the logarithm of ``p / (1 - p)``, which keeps probabilities near 1 apart.
    """
    n, k, odds = np.broadcast_arrays(*(np.asarray(part, float) for part in (n, k, odds)))
    log_p, log_q = -np.logaddexp(0.0, -odds), -np.logaddexp(0.0, odds)
    inside = (k > 0.0) & (k < n)
    a, b = np.where(inside, k, 1.0), np.where(inside, n - k, 1.0)
    whole = a + b
    value = 0.5 * np.log(whole / (2.0 * np.pi * a * b))
    value += stirling_error(whole) - stirling_error(a) - stirling_error(b)
    value -= _deviance(a, whole * np.exp(log_p)) + _deviance(b, whole * np.exp(log_q))
    return np.where(inside, value, np.where(k <= 0.0, n * log_q, n * log_p))


def log_lower_tail(n: ArrayLike, k: ArrayLike, odds: ArrayLike) -> Floats:
    """Return the logarithm of the probability of at most ``k < n`` successes, for ``k <= n p``.

    The largest term times a continued fraction for the sum of the others relative to it, which
    also serves where the probability underflows.
    """
    n, k, odds = np.broadcast_arrays(*(np.asarray(part, float) for part in (n, k, odds)))
    q, p = special.expit(-odds), special.expit(odds)
    # I_q(n - k, k + 1), by Lentz's method.
    a, b = n - k, k + 1.0
    c = np.ones_like(q)
    d = 1.0 / _away_from_zero(1.0 - (a + b) * q / (a + 1.0))
    total = d.copy()
    for step in range(1, _MOST_TERMS):
        even = step * (b - step) * q / ((a + 2 * step - 1.0) * (a + 2 * step))
        d = 1.0 / _away_from_zero(1.0 + even * d)
        c = _away_from_zero(1.0 + even / c)
        total = total * d * c
        odd = -(a + step) * (a + b + step) * q / ((a + 2 * step) * (a + 2 * step + 1.0))
        d = 1.0 / _away_from_zero(1.0 + odd * d)
        c = _away_from_zero(1.0 + odd / c)
        total = total * d * c
        if (np.abs(d * c - 1.0) < 1e-15).all():
            break
    # q^a p^b / (a B(a, b)) is the probability of k successes times p.
    return np.asarray(log_probability(n, k, odds) + np.log(p) + np.log(total))


def stirling_error(n: ArrayLike) -> Floats:
    """Return ``log n! - log(sqrt(2 pi n) (n / e)^n)`` for ``n >= 1``."""
    n = np.asarray(n, float)
    large = np.maximum(n, _SERIES_FROM)
    inverse = 1.0 / (large * large)
    series = 1.0 / 1680.0 - inverse / 1188.0
    series = 1.0 / 1260.0 - inverse * series
    series = (1.0 / 12.0 - inverse * (1.0 / 360.0 - inverse * series)) / large
    small = np.minimum(n, _SERIES_FROM)
    exact = special.gammaln(small + 1.0) - (small + 0.5) * np.log(small) + small
    exact -= 0.5 * np.log(2.0 * np.pi)
    return np.asarray(np.where(n < _SERIES_FROM, exact, series))


def _deviance(x: Floats, mean: Floats) -> Floats:
    """Return ``x log(x / mean) + mean - x``."""
    with np.errstate(divide="ignore"):
        off = (x - mean) / mean
        near = np.abs(off) < 0.5
        close = x * np.log1p(np.where(near, off, 0.0)) - (x - mean)
        return np.where(near, close, x * (np.log(x) - np.log(mean)) + mean - x)


def _away_from_zero(value: Floats) -> Floats:
    return np.where(np.abs(value) < _SMALL, _SMALL, value)
