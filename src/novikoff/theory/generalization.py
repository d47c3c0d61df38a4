"""What a compression proves about new data: bounds on the error of a model from its training data.

A model that is a function of ``k`` of its ``m`` examples, drawn independently from one source, has
seen the other ``m - k`` only to check itself on them. The bounds here are functions of these
numbers alone; each holds with probability at least ``1 - delta`` over the draw of the examples.
They take arrays, and stay accurate for ``m`` up to ``10^9``. An estimator's
``risk_certificate`` checks the hypotheses; these functions cannot.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from novikoff.theory.binomial import Floats, log_choose, log_lower_tail, log_probability

_HALVINGS = 200
_OUTERMOST = 700.0
_LEAST_LOG = -500.0
"""The logarithm of a delta from which on the inverse of the incomplete beta function serves."""


def compression_bound(m: ArrayLike, k: ArrayLike, delta: ArrayLike = 0.05) -> Floats:
    """The error of a model that its ``k`` examples carry, by its preferent compression.

    The bound of Campi and Garatti, and of Pick-to-Learn: the root ``e`` of
    ``(delta/m) sum_{j=k}^{m-1} [C(j,k)/C(m,k)] (1-e)^-(m-j) = 1``. The sum is a binomial tail:
    ``delta P(Bin(m,e) > k) = m e P(Bin(m,e) = k)`` is the same equation, which is solved here.
    Training errors count among the ``k`` examples.

    Parameters
    ----------
    m : int or array
        The number of examples.
    k : int or array
        The number of those that carry the model, each counted once; at most ``m``.
    delta : float or array
        One minus the confidence.

    Returns
    -------
    array of float64
        The bound on the error; 1 where ``k = m``.

    Examples
    --------
    >>> from novikoff.theory import compression_bound
    >>> [round(float(e), 4) for e in compression_bound(1000, [5, 20, 100])]
    [0.014, 0.0355, 0.1316]
    """
    m, k, delta = _checked(m, k, delta)
    inner = k < m
    part = np.where(inner, k, 0.0)

    def excess(odds: Floats) -> Floats:
        e = special.expit(odds)
        tail = np.log(special.betainc(part + 1.0, m - part, e))
        known = np.log(m) - np.logaddexp(0.0, -odds) + log_probability(m, part, odds)
        return np.asarray(np.log(delta) + tail - known)

    share = np.maximum(part / m, _lowest(m))
    return np.where(inner, _root(excess, special.logit(share)), 1.0)


def selection_bound(
    m: ArrayLike, k: ArrayLike, errors: ArrayLike, delta: ArrayLike = 0.05, messages: float = 1.0
) -> Floats:
    """The error of a model that ``k`` examples determine, by the exact binomial tail.

    The largest error rate for which at most ``errors`` mistakes on the ``m - k`` other examples
    have probability ``delta / ((m + 1) C(m,k) messages)``: the bound holds for every
    ``k`` and every choice of ``k`` examples at once.

    Parameters
    ----------
    m : int or array
        The number of examples.
    k : int or array
        The number of examples that determine the model.
    errors : int or array
        The errors of the model on the other examples.
    delta : float or array
        One minus the confidence.
    messages : float
        How many models the same examples can stand for, such as orders that are not reproducible.

    Examples
    --------
    >>> from novikoff.theory import selection_bound
    >>> [round(float(e), 4) for e in selection_bound(1000, [5, 20, 100], 0)]
    [0.0391, 0.1021, 0.3084]
    """
    m, k, delta = _checked(m, k, delta)
    errors = np.asarray(errors, float)
    if not (messages >= 1.0 and math.isfinite(messages)):
        raise ValueError(f"messages={messages!r} must be a finite number, at least 1.")
    log_delta = np.log(delta) - np.log1p(m) - log_choose(m, k) - math.log(messages)
    return binomial_tail_bound(m - k, errors, log_delta=log_delta)


def binomial_tail_bound(
    n: ArrayLike,
    errors: ArrayLike,
    delta: ArrayLike | None = None,
    *,
    log_delta: ArrayLike | None = None,
) -> Floats:
    """The largest error rate for which at most ``errors`` of ``n`` have probability ``delta``.

    This is the bound of a test set (Clopper and Pearson): ``n`` examples that the model has not
    seen, of which it gets ``errors`` wrong.

    Parameters
    ----------
    n : int or array
        The number of examples.
    errors : int or array
        How many the model gets wrong; at most ``n``.
    delta : float or array
        One minus the confidence.
    log_delta : float or array
        Its logarithm, instead: it may be far below that of the smallest float.

    Examples
    --------
    >>> from novikoff.theory import binomial_tail_bound
    >>> float(binomial_tail_bound(100, 0, 0.05))
    0.0295...
    >>> float(binomial_tail_bound(10**6, 10, log_delta=-5000.0))
    0.0050...
    """
    if (delta is None) == (log_delta is None):
        raise TypeError("Give delta or log_delta, and not both.")
    if log_delta is None:
        log_delta = np.log(_checked_delta(delta))
    n, errors, log_delta = np.broadcast_arrays(
        *(np.asarray(part, float) for part in (n, errors, log_delta))
    )
    _check_counts("errors", errors, n, "n")
    if not (log_delta < 0.0).all():
        raise ValueError("log_delta must be negative.")
    some = (errors > 0.0) & (errors < n)
    e, size = np.where(some, errors, 1.0), np.where(some, n, 2.0)

    def excess(odds: Floats) -> Floats:
        return np.asarray(log_delta - log_lower_tail(size, e, odds))

    # The root is looked for above the mean, where a delta that is not tiny need not have it.
    tiny = log_delta < _LEAST_LOG
    with np.errstate(divide="ignore", under="ignore"):
        closed = np.where(n > 0.0, -np.expm1(log_delta / n), 1.0)
        direct = special.betainccinv(e + 1.0, size - e, np.exp(log_delta))
    root = np.where(tiny, _root(excess, special.logit(e / size)), direct) if tiny.any() else direct
    return np.where(errors == n, 1.0, np.where(some, root, closed))


def theorem_5_2(
    m: ArrayLike, k: ArrayLike, training_error: ArrayLike, delta: ArrayLike = 0.05
) -> Floats:
    """The error of any selection scheme: ``L + sqrt(e L) + e``, ``L`` the training error rate.

    Theorem 5.2 of the paper with ``e = 12 (k ln(e m / k) + ln(1/delta)) / m`` (its constant is
    50; the same proof gives 12, for every ``k``) at ``delta / (m + 1)``, so that ``k`` may
    depend on the data. It is at most 1 only where ``m`` is very large.

    Parameters
    ----------
    m, k, delta
        As in :func:`compression_bound`.
    training_error : float or array
        The share of the ``m`` examples that the model gets wrong.

    Examples
    --------
    >>> from novikoff.theory import theorem_5_2
    >>> float(theorem_5_2(10**6, 10, 0.0))
    0.0017...
    """
    m, k, delta = _checked(m, k, delta)
    L = np.asarray(training_error, float)
    if not ((L >= 0.0) & (L <= 1.0)).all():
        raise ValueError("training_error must be between 0 and 1.")
    size = np.maximum(k, 1.0)
    e = 12.0 * (size * np.log(math.e * m / size) + np.log1p(m) - np.log(delta)) / m
    return np.asarray(np.minimum(1.0, L + np.sqrt(e * L) + e))


def theorem_5_1(m: ArrayLike, epsilon: ArrayLike, delta: ArrayLike = 0.05) -> Floats:
    """The error of a perceptron on a source whose samples have a margin known beforehand.

    Theorem 5.1 of the paper: if examples have norm at most 1 and a sample has margin at least
    ``epsilon`` with probability ``1 - delta/2``, then with probability ``1 - delta`` the
    error is at most ``4 (ln(epsilon^2 m) + ln(2/delta)) / (epsilon^2 m)`` (the paper's constant is
    50; a union bound over the selections gives 4). The margin of the sample at hand is not known
    beforehand.

    Parameters
    ----------
    m : int or array
        The number of examples.
    epsilon : float or array
        The margin, with ``epsilon^2 m >= 2``.
    delta : float or array
        One minus the confidence.

    Examples
    --------
    >>> from novikoff.theory import theorem_5_1
    >>> float(theorem_5_1(60_000, 0.1))
    0.0672...
    """
    m, _, delta = _checked(m, 0, delta)
    epsilon = np.asarray(epsilon, float)
    if not ((epsilon > 0.0) & (epsilon <= 1.0)).all():
        raise ValueError("epsilon must be positive, and at most 1.")
    u = epsilon * epsilon * m
    if not (u >= 2.0).all():
        raise ValueError("epsilon^2 m must be at least 2: the theorem says nothing otherwise.")
    return np.asarray(np.minimum(1.0, 4.0 * (np.log(u) + np.log(2.0 / delta)) / u))


def _root(excess: Callable[[Floats], Floats], low: Floats) -> Floats:
    """Return ``p`` with ``excess(logit p) = 0``, rounded up, for an increasing function."""
    lower = np.array(low, float)
    upper = np.full_like(lower, _OUTERMOST)
    with np.errstate(all="ignore"):
        for _ in range(_HALVINGS):
            middle = 0.5 * (lower + upper)
            high = excess(middle) >= 0.0
            lower, upper = np.where(high, lower, middle), np.where(high, middle, upper)
            if (upper - lower <= 1e-15 * np.maximum(1.0, np.abs(upper))).all():
                break
    return np.asarray(special.expit(upper))


def _lowest(m: Floats) -> Floats:
    """A rate so small that it is below every bound."""
    return np.asarray(1e-9 / m)


def _checked(m: ArrayLike, k: ArrayLike, delta: ArrayLike | None) -> tuple[Floats, Floats, Floats]:
    m, k, delta = np.broadcast_arrays(
        np.asarray(m, float), np.asarray(k, float), _checked_delta(delta)
    )
    if not ((m >= 1.0) & (m == np.floor(m)) & (m < 2.0**53)).all():
        raise ValueError("m must be a positive integer.")
    _check_counts("k", k, m, "m")
    return m, k, delta


def _check_counts(name: str, value: Floats, most: Floats, of: str) -> None:
    if not ((value >= 0.0) & (value == np.floor(value)) & (value <= most)).all():
        raise ValueError(f"{name} must be a non-negative integer, at most {of}.")


def _checked_delta(delta: ArrayLike | None) -> Floats:
    values = np.asarray(delta, float)
    if not ((values > 0.0) & (values < 1.0)).all():
        raise ValueError("delta must be between 0 and 1, both excluded.")
    return values
