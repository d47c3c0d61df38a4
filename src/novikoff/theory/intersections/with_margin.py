"""Learning an intersection of halfspaces from examples that keep a distance from all of them."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from novikoff.theory.intersections.generate import check_halfspaces, check_positive

Floats = NDArray[np.float64]


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
    check_halfspaces(n_halfspaces, margin)
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
    check_positive("max_updates", max_updates)
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


def _log_binomials(r: int) -> Floats:
    j = np.arange(r + 1.0)
    return np.asarray(-np.log(r + 1.0) - special.betaln(j + 1.0, r - j + 1.0))
