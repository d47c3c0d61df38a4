"""Robust concepts: how many labelings have a large margin, and in how few dimensions they keep it.

Section 6 of *On the Perceptron's Compression*. An ε-partition of ``n`` points of norm at most 1 is
a labeling that some hyperplane through the origin realises with margin at least ε. Few labelings
are ε-partitions (Theorem 6.1), and a random projection to a dimension that depends on ``n`` and ε
alone keeps all of them (Theorem 6.3). For points of other norms, ε is in units of the largest.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from numbers import Integral

import numpy as np
from scipy import special

LEAST_DENSITY = 1.0 / 3.0
"""Entries 0 and ±1 with a smaller share of ±1 have a larger fourth moment than Gaussian ones."""


def count_partitions_bound(n: int, eps: float) -> int:
    """At most this many of the labelings of ``n`` points of norm at most 1 are ε-partitions.

    Theorem 6.1 of the paper bounds them by ``(2 (n + 1))^s``, ``s = floor(1/ε²)``: the perceptron
    makes at most ``s`` updates, so every ε-partition is given by a multiset of at most ``s``
    signed points. Each point occurs with one sign only, so there are
    ``sum_j C(n,j) C(s,j) 2^j <= C(2n + s, s)`` such multisets; this number is returned, or
    ``2^n`` if that is smaller.

    Parameters
    ----------
    n : int
        The number of points.
    eps : float
        The margin, in units of the largest norm; positive, and at most 1.

    Returns
    -------
    int
        Exact, of any size.

    Examples
    --------
    >>> from novikoff.theory import count_partitions_bound
    >>> count_partitions_bound(100, 0.5)
    68033601
    >>> count_partitions_bound(10, 0.1) == 2**10
    True
    """
    n = _checked_count("n", n)
    s = math.floor(1 / Fraction(_checked_epsilon(eps)) ** 2)
    if s >= n:
        return 1 << n
    total, term = 0, 1
    for j in range(s + 1):
        total += term
        term = term * 2 * (n - j) * (s - j) // ((j + 1) * (j + 1))
    return min(total, 1 << n)


def cover_count(n: int, d: int, *, affine: bool = False) -> int:
    """Cover's count: the labelings of ``n`` points in general position that a hyperplane realises.

    ``2 sum_{i < d} C(n - 1, i)`` for hyperplanes through the origin of ``d`` dimensions; with
    an intercept, the same for ``d + 1``. Points that are not in general position have fewer.

    Parameters
    ----------
    n : int
        The number of points.
    d : int
        The dimension.
    affine : bool, default=False
        Whether the hyperplanes may have an intercept.

    Returns
    -------
    int
        Exact, of any size.

    Examples
    --------
    >>> from novikoff.theory import cover_count
    >>> cover_count(4, 2, affine=True)  # all labelings of a square but the two diagonals
    14
    """
    n, d = _checked_count("n", n), _checked_count("d", d)
    terms = d + 1 if affine else d
    if terms >= n:
        return 1 << n
    total, term = 0, 1
    for i in range(terms):
        total += term
        term = term * (n - 1 - i) // (i + 1)
    return 2 * total


def projection_dimension(
    n: int, eps: float, delta: float = 0.05, *, density: float | None = None
) -> int:
    """The dimension from which on Theorem 6.3 holds for a random projection of ``n`` points.

    With probability at least ``1 - delta``, all at once, every ε-partition stays an
    ε/2-partition, and every ε/2-partition of the projected points is an ε/4-partition of the
    points. That follows where all inner products change by at most ``3 ε²/16``; the dimension
    returned is the smallest for which :func:`projection_failure` is at most ``delta`` then.

    Parameters
    ----------
    n : int
        The number of points.
    eps : float
        The margin, in units of the largest norm; positive, and at most 1.
    delta : float, default=0.05
        The probability that the random matrix fails.
    density : float or None, default=None
        The share of entries that are not 0; None for Gaussian entries.

    Returns
    -------
    int

    Examples
    --------
    >>> from novikoff.theory import projection_dimension
    >>> projection_dimension(100, 0.3), projection_dimension(100, 0.9)
    (146419, 1872)
    """
    tau = 3.0 * _checked_epsilon(eps) ** 2 / 16.0
    check_delta(delta)
    return _least(lambda k: projection_failure(k, n, tau, density=density) <= delta)


def projection_failure(k: int, n: int, tau: float, *, density: float | None = None) -> float:
    """The probability that some inner product changes by more than ``tau``, or a bound on it.

    Lemma 6.4 of the paper: ``n`` points of norm at most 1 are projected to ``k`` dimensions by a
    matrix whose entries have variance ``1/k``. An inner product is a difference of squared
    lengths, so it is enough that ``n²`` vectors keep their squared lengths up to a factor
    ``1 ± tau``. For Gaussian entries the probability of that is a tail of the chi-square
    distribution, taken exactly; for entries 0 and ±1 it is bounded by Chernoff's method
    (Achlioptas, 2003), since their moments are at most the Gaussian ones where at least a third
    are ±1.

    Parameters
    ----------
    k : int
        The number of dimensions after the projection.
    n : int
        The number of points.
    tau : float
        The largest change, in units of the largest squared norm; between 0 and 1.
    density : float or None, default=None
        The share of entries that are not 0; None for Gaussian entries.

    Returns
    -------
    float
        At most 1.

    Examples
    --------
    >>> from novikoff.theory import projection_failure
    >>> round(projection_failure(5000, 100, 0.1), 4)
    0.0074
    >>> round(projection_failure(5000, 100, 0.1, density=1 / 3), 4)
    0.1523
    """
    k, n = _checked_count("k", k), _checked_count("n", n)
    if not 0.0 < tau < 1.0:
        raise ValueError(f"tau={tau!r} must be between 0 and 1, both excluded.")
    check_density(density)
    tails = _gaussian_tails(k, tau) if density is None else _chernoff_tails(k, tau)
    return min(1.0, float(np.exp(np.logaddexp(*tails) + 2.0 * math.log(n))))


def theorem_6_3(n: int, eps: float, delta: float = 0.05) -> int:
    """The dimension of Theorem 6.3 in closed form: ``131 ln(2 n²/delta) / ε⁴``, rounded up.

    The paper states it up to a constant. :func:`projection_dimension` is smaller.

    Parameters
    ----------
    n, eps, delta
        As in :func:`projection_dimension`.

    Examples
    --------
    >>> from novikoff.theory import theorem_6_3
    >>> theorem_6_3(100, 0.3)
    208618
    """
    n = _checked_count("n", n)
    check_delta(delta)
    return math.ceil(131.0 * math.log(2.0 * n * n / delta) / _checked_epsilon(eps) ** 4)


def _gaussian_tails(k: int, tau: float) -> tuple[float, float]:
    """The logarithms of ``P(chi²_k > (1 + tau) k)`` and of ``P(chi²_k < (1 - tau) k)``."""
    half = 0.5 * k
    above = float(special.gammaincc(half, (1.0 + tau) * half))
    below = float(special.gammainc(half, (1.0 - tau) * half))
    # Where a tail underflows, Chernoff's bound on it.
    upper = math.log(above) if above > 0.0 else -half * (tau - math.log1p(tau))
    lower = math.log(below) if below > 0.0 else half * (tau + math.log1p(-tau))
    return upper, lower


def _chernoff_tails(k: int, tau: float) -> tuple[float, float]:
    """Bounds on the logarithms of the tails where moments are at most those of a Gaussian.

    Above, ``E exp(h q²) <= (1 - 2h)^(-1/2)``; below, ``E exp(-h q²) <= 1 - h + 3h²/2``, with the
    ``h`` that makes the bound smallest.
    """
    upper = -0.5 * k * (tau - math.log1p(tau))
    h = 2.0 * tau / (2.0 + tau + math.sqrt((2.0 + tau) ** 2 + 6.0 * tau * (1.0 - tau)))
    lower = k * (math.log1p(-h + 1.5 * h * h) + h * (1.0 - tau))
    return upper, lower


def _least(enough: Callable[[int], bool]) -> int:
    """The smallest positive integer that is enough, where all larger ones are."""
    high = 1
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _checked_count(name: str, value: int) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name}={value!r} must be a positive integer.")
    return int(value)


def _checked_epsilon(eps: float) -> float:
    if not 0.0 < eps <= 1.0:
        raise ValueError(f"eps={eps!r} must be positive, and at most 1.")
    return float(eps)


def check_delta(delta: float) -> None:
    """Refuse what is not the probability of a failure."""
    if not 0.0 < delta < 1.0:
        raise ValueError(f"delta={delta!r} must be between 0 and 1, both excluded.")


def check_density(density: float | None) -> None:
    """Refuse a density for which nothing is proved."""
    if density is not None and not LEAST_DENSITY <= density <= 1.0:
        raise ValueError(f"density={density!r} must be between 1/3 and 1, or None for Gaussian.")
