"""Intersections of halfspaces through the origin from which examples keep a distance."""

import math
from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special
from sklearn.utils import check_random_state

Floats = NDArray[np.float64]

_BATCH = 4096
_LEAST = 4
_MOST_DRAWS = 200
"""Halfspaces are drawn again, so often, if fewer than four of a batch of points are on one side."""


class Intersection(NamedTuple):
    """Examples of an intersection of halfspaces.

    Attributes
    ----------
    X : ndarray of shape (n, d)
        The examples, of norm at most 1.
    y : ndarray of shape (n,)
        +1 in all halfspaces, -1 outside some.
    normals : ndarray of shape (k, d)
        The unit normals of the halfspaces ``u·x > 0``.
    """

    X: Floats
    y: NDArray[np.int64]
    normals: Floats


class IntersectionBound(NamedTuple):
    """What is proved of the perceptron with a polynomial kernel.

    Attributes
    ----------
    degree : int
        The degree r of the kernel ``(1 + x·x')^r``.
    norm : float
        A function of the kernel's space with at most this norm is at least 1/4 on the
        intersection, and at most -1/4 outside.
    mistakes : float
        The perceptron makes at most ``16 2^r norm²`` mistakes, on any sequence of examples.
    """

    degree: int
    norm: float
    mistakes: float


def intersection_sample(
    n: int,
    d: int,
    n_halfspaces: int,
    margin: float,
    *,
    random_state: int | np.random.RandomState | None = None,
) -> Intersection:
    """Examples in the unit ball, half of them in an intersection of random halfspaces.

    Parameters
    ----------
    n, d : int
        Number of examples and of features.
    n_halfspaces : int
        Number of halfspaces, whose boundaries pass through the origin.
    margin : float
        Every example is at least as far from every boundary; between 0 and 1.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    Intersection

    Examples
    --------
    >>> from novikoff.theory.intersections import intersection_sample
    >>> X, y, normals = intersection_sample(100, 5, 3, 0.1, random_state=0)
    >>> bool((abs(X @ normals.T) >= 0.1).all()), int((y > 0).sum())
    (True, 50)
    """
    for name, value in (("n", n), ("d", d)):
        _positive(name, value)
    _check(n_halfspaces, margin)
    rng = check_random_state(random_state)
    normals, basis = _wide_intersection(rng, d, n_halfspaces, margin)
    wanted = {1: n - n // 2, -1: n // 2}
    kept: dict[int, list[Floats]] = {1: [], -1: []}
    while any(wanted.values()):
        for label, points in _draw(rng, normals @ basis, margin).items():
            kept[label].append(points[: wanted[label]])
            wanted[label] -= len(kept[label][-1])
    y = np.repeat([1, -1], [n - n // 2, n // 2])
    order = rng.permutation(n)
    X = _filled_up(rng, np.vstack([*kept[1], *kept[-1]]), basis)
    return Intersection(X[order], y[order], normals)


def separating_polynomial(n_halfspaces: int, margin: float) -> Floats:
    """The coefficients of a polynomial that tells the two sides of a halfspace apart.

    With ``k`` halfspaces and margin ρ, the polynomial is between ``±1/(4k)`` on [ρ, 1] and at
    least 1 on [-1, -ρ]: a Chebyshev polynomial ``T_r((1 + ρ - 2s)/(1 - ρ))``, divided by its
    value at -ρ, of the least degree r for which that value is at least ``4k``. So
    ``1/2 - sum_i p(u_i·x)`` is at least 1/4 inside the intersection and at most -1/4 outside.

    Parameters
    ----------
    n_halfspaces : int
        The number k of halfspaces.
    margin : float
        The margin ρ, between 0 and 1.

    Returns
    -------
    ndarray
        The coefficients of 1, s, s², ..., up to the degree.

    Examples
    --------
    >>> from novikoff.theory.intersections import separating_polynomial
    >>> separating_polynomial(2, 0.2).round(2).tolist()
    [0.35, -2.31, 4.33, -2.4]
    """
    _check(n_halfspaces, margin)
    # T_r(s0 - s1 s), by Chebyshev's recursion for its coefficients and for its value at -margin.
    s0, s1 = (1.0 + margin) / (1.0 - margin), 2.0 / (1.0 - margin)
    at = (1.0 + 3.0 * margin) / (1.0 - margin)
    before, now = np.array([1.0]), np.array([s0, -s1])
    value_before, value = 1.0, at
    with np.errstate(over="ignore", invalid="ignore"):
        while value < 4.0 * n_halfspaces:
            after = np.append(2.0 * s0 * now, 0.0)
            after[1:] -= 2.0 * s1 * now
            after[:-2] -= before
            before, now = now, after
            value_before, value = value, 2.0 * at * value - value_before
        return np.asarray(now / value)


def intersection_mistake_bound(n_halfspaces: int, margin: float) -> IntersectionBound:
    """The mistakes of the perceptron with a polynomial kernel on an intersection of halfspaces.

    Holds for any sequence of examples of norm at most 1, in any dimension, that keep the distance
    ``margin`` from each of the hyperplanes through the origin.

    Parameters
    ----------
    n_halfspaces : int
        The number of halfspaces.
    margin : float
        The distance, between 0 and 1.

    Returns
    -------
    IntersectionBound
        ``mistakes`` is infinite where it is beyond the range of floats.

    Examples
    --------
    >>> from novikoff.theory.intersections import intersection_mistake_bound
    >>> bound = intersection_mistake_bound(2, 0.2)
    >>> bound.degree, round(bound.mistakes)
    (3, 8111)
    """
    c = separating_polynomial(n_halfspaces, margin)
    r = c.size - 1
    # (u·x)^j has the squared norm 1/C(r, j), and different powers are orthogonal.
    with np.errstate(over="ignore", invalid="ignore"):
        squares = c**2 * np.exp(-_log_binomials(r))
        norm = 0.5 + n_halfspaces * float(np.sqrt(squares.sum()))
        mistakes = float(np.exp2(r + 4.0) * norm * norm)
    if not math.isfinite(mistakes):
        return IntersectionBound(r, norm if math.isfinite(norm) else math.inf, math.inf)
    return IntersectionBound(r, norm, mistakes)


@dataclass(frozen=True, eq=False)
class LearnedIntersection:
    """A sum of kernels ``(1 + x·x')^degree`` on few examples.

    Attributes
    ----------
    vectors : ndarray of shape (n_support, d)
        The examples on which mistakes were made.
    weights : ndarray of shape (n_support,)
        The number of mistakes on each, times its label.
    degree : int
        The degree of the kernel.
    mistakes : int
        The number of mistakes until the end.
    bound : float
        What is proved of this number.
    converged : bool
        Whether no training example is wrong; otherwise the limit was reached.
    """

    vectors: Floats
    weights: NDArray[np.int64]
    degree: int
    mistakes: int
    bound: float
    converged: bool

    def decision_function(self, X: ArrayLike) -> Floats:
        """The sum of kernels, for each example.

        Parameters
        ----------
        X : array-like of shape (n_examples, d)
            The examples.

        Returns
        -------
        ndarray of shape (n_examples,)
        """
        values = np.asarray(X, dtype=np.float64)
        return np.asarray((1.0 + values @ self.vectors.T) ** self.degree @ self.weights)

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Predict +1 in the intersection and -1 outside.

        Parameters
        ----------
        X : array-like of shape (n_examples, d)
            The examples.

        Returns
        -------
        ndarray of shape (n_examples,)
        """
        return np.where(self.decision_function(X) >= 0.0, 1, -1)


def learn_intersection(
    X: ArrayLike, y: ArrayLike, n_halfspaces: int, margin: float, *, max_updates: int = 100_000
) -> LearnedIntersection:
    """Learn an intersection of halfspaces with margin by the perceptron with a polynomial kernel.

    Examples are visited cyclically until none is wrong, or too many mistakes were made. The
    result need not be an intersection of halfspaces.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The examples, of norm at most 1.
    y : array-like of shape (n,)
        Their labels, +1 in the intersection and -1 outside.
    n_halfspaces : int
        The number of halfspaces, whose boundaries pass through the origin.
    margin : float
        The distance of all examples from all boundaries; between 0 and 1.
    max_updates : int, default=100_000
        Give up after so many mistakes.

    Returns
    -------
    LearnedIntersection

    Raises
    ------
    ValueError
        If there are more mistakes than :func:`intersection_mistake_bound` allows: then the examples
        are not of such an intersection.

    Examples
    --------
    >>> from novikoff.theory.intersections import intersection_sample, learn_intersection
    >>> X, y, _ = intersection_sample(400, 5, 2, 0.2, random_state=0)
    >>> learned = learn_intersection(X[:200], y[:200], 2, 0.2)
    >>> learned.converged, learned.mistakes < 300 < learned.bound
    (True, True)
    >>> bool((learned.predict(X[200:]) == y[200:]).mean() > 0.85)
    True
    """
    rows, labels = _examples(X, y)
    _positive("max_updates", max_updates)
    bound = intersection_mistake_bound(n_halfspaces, margin)
    scores, counts = np.zeros(len(rows)), np.zeros(len(rows), dtype=np.int64)
    position = mistakes = 0
    while True:
        wrong = np.flatnonzero(labels * scores <= 0.0)
        if not wrong.size or mistakes >= max_updates:
            break
        # The next in the cyclic order.
        i = int(wrong[np.searchsorted(wrong, position) % wrong.size])
        scores += labels[i] * (1.0 + rows @ rows[i]) ** bound.degree
        counts[i] += 1
        position, mistakes = i + 1, mistakes + 1
        if mistakes > bound.mistakes:
            raise ValueError(
                f"{mistakes:,} mistakes, more than an intersection of {n_halfspaces} halfspaces "
                f"with margin {margin:g} allows: the examples are of no such intersection."
            )
    support = np.flatnonzero(counts)
    weights = counts[support] * labels[support]
    return LearnedIntersection(
        rows[support], weights, bound.degree, mistakes, bound.mistakes, not wrong.size
    )


def _examples(X: ArrayLike, y: ArrayLike) -> tuple[Floats, NDArray[np.int64]]:
    rows, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
    if rows.ndim != 2 or labels.shape != rows.shape[:1] or not rows.size:
        raise ValueError(f"X of shape {rows.shape} and y of shape {labels.shape}: need one label.")
    if not np.isin(labels, (-1, 1)).all():
        raise ValueError("The labels must be -1 and +1.")
    norm = float(np.linalg.norm(rows, axis=1).max())
    if not norm <= 1.0 + 1e-9:
        raise ValueError(f"An example has norm {norm:g}: divide the examples by the largest norm.")
    return rows, labels.astype(np.int64)


def _wide_intersection(
    rng: np.random.RandomState, d: int, n_halfspaces: int, margin: float
) -> tuple[Floats, Floats]:
    """Unit normals, and a basis of their span; points are frequent enough on either side."""
    for _ in range(_MOST_DRAWS):
        normals = rng.standard_normal((n_halfspaces, d))
        # All halfspaces contain a common direction, so that the intersection is not empty.
        normals *= np.where(normals @ rng.standard_normal(d) >= 0.0, 1.0, -1.0)[:, None]
        normals /= np.linalg.norm(normals, axis=1)[:, None]
        basis = np.linalg.qr(normals.T)[0]
        if min(map(len, _draw(rng, normals @ basis, margin).values())) >= _LEAST:
            return normals, basis
    raise ValueError(
        f"margin={margin} leaves hardly any examples on one side of {n_halfspaces} halfspaces: "
        "ask for a smaller margin, or for fewer halfspaces."
    )


def _draw(rng: np.random.RandomState, normals: Floats, margin: float) -> dict[int, Floats]:
    """Points of the unit ball with the margin, by their labels.

    They are drawn in the span of the normals, where the margins are.
    """
    points = _in_ball(rng, _BATCH, normals.shape[1])
    values = points @ normals.T
    # A point on the margin must not fall below it by a rounding error.
    far = (np.abs(values) >= margin * (1.0 + 1e-12)).all(axis=1)
    inside = (values > 0.0).all(axis=1)
    return {1: points[far & inside], -1: points[far & ~inside]}


def _in_ball(rng: np.random.RandomState, n: int, d: int) -> Floats:
    points = rng.standard_normal((n, d))
    points *= (rng.uniform(size=n) ** (1.0 / d) / np.linalg.norm(points, axis=1))[:, None]
    return points


def _filled_up(rng: np.random.RandomState, inside: Floats, basis: Floats) -> Floats:
    """Points of the ball with these coordinates in a basis, and random ones orthogonal to it."""
    X = inside @ basis.T
    across = rng.standard_normal(X.shape)
    across -= across @ basis @ basis.T
    length = np.linalg.norm(across, axis=1)
    room = np.sqrt(np.maximum(0.0, 1.0 - 1e-12 - (inside**2).sum(axis=1)))
    room *= rng.uniform(size=len(X))
    # Where the basis is of the whole space, nothing but rounding errors is orthogonal to it.
    if basis.shape[1] < basis.shape[0]:
        X += across * (room / length)[:, None]
    return X


def _log_binomials(r: int) -> Floats:
    j = np.arange(r + 1.0)
    return np.asarray(-np.log(r + 1.0) - special.betaln(j + 1.0, r - j + 1.0))


def _positive(name: str, value: Any) -> None:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name}={value!r} must be a positive integer.")


def _check(n_halfspaces: int, margin: float) -> None:
    _positive("n_halfspaces", n_halfspaces)
    if not 0.0 < margin < 1.0:
        raise ValueError(f"margin={margin!r} must be between 0 and 1, both excluded.")
