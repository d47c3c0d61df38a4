"""Upper bounds on the number of mistakes of the perceptron on a sequence of examples."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

_GAMMAS = 200
"""How many margins of a comparator are tried: the bound is at most 0.3 % above that of 3,200 (on
twelve streams of 500 examples); with half as many, 0.5 %, with twice as many, 0.1 %."""


class ComparatorBounds(NamedTuple):
    """The bounds on the mistakes of the perceptron on a sequence, given by one comparator.

    Attributes
    ----------
    gamma : float
        The margin at which the comparator is measured.
    R : float
        The largest norm of an example.
    hinge : float
        The comparator's hinge loss: the L of :func:`hinge_mistake_bound`.
    deviation : float
        The D of :func:`squared_mistake_bound`.
    by_hinge, by_deviation : float
        The two bounds. Both are :func:`mistake_bound` where the comparator has the margin gamma.
    """

    gamma: float
    R: float
    hinge: float
    deviation: float
    by_hinge: float
    by_deviation: float

    @property
    def best(self) -> float:
        """The smaller of the two bounds."""
        return min(self.by_hinge, self.by_deviation)


def mistake_bound(R: float, gamma: float) -> float:
    """Novikoff's bound on the perceptron's mistakes: ``(R / gamma)^2``.

    Holds for every sequence of examples of norm at most R, of any length, even if an adversary
    chooses it while the perceptron runs, provided that some unit vector u has
    ``y x . u >= gamma`` for each example of the sequence. A mistake is a round with
    ``y x . w <= 0``, the first round included. Orthogonal examples of equal norm attain the bound.

    Parameters
    ----------
    R : float
        Upper bound on the norms of the examples.
    gamma : float
        The margin of some unit vector on the sequence; positive.

    Examples
    --------
    >>> from novikoff.theory import mistake_bound
    >>> mistake_bound(R=1.0, gamma=0.1)
    100.0
    """
    _check(R, gamma)
    return (R / gamma) ** 2


def lifted_mistake_bound(R: float, gamma: float, lift: float) -> float:
    """The bound with an intercept: ``(R^2 + c^2)^2 / (c gamma)^2`` for the lift ``(x, c)``.

    Holds if both classes occur and some hyperplane ``u . x + b = 0``, u a unit vector, has
    ``y (u . x + b) >= gamma`` on the sequence. The bound is smallest for c = R:
    ``4 (R / gamma)^2``. Any other lift increases it by the factor ``(R^2 + c^2)^2 / (2 R c)^2``.

    Parameters
    ----------
    R : float
        Upper bound on the norms of the examples before the lift.
    gamma : float
        The affine margin of some hyperplane on the sequence; positive.
    lift : float
        The constant coordinate c; positive.

    Examples
    --------
    >>> from novikoff.theory import lifted_mistake_bound
    >>> lifted_mistake_bound(R=1001.0, gamma=1.0, lift=1001.0)
    4008004.0
    >>> lifted_mistake_bound(R=1001.0, gamma=1.0, lift=1.0)
    1004008008004.0
    """
    _check(R, gamma)
    if not 0.0 < lift < math.inf:
        raise ValueError(f"lift={lift!r} must be a positive number.")
    return ((R * R + lift * lift) / (lift * gamma)) ** 2


def hinge_mistake_bound(R: float, gamma: float, hinge: float) -> float:
    """The bound in terms of hinge loss: ``((R/gamma + sqrt((R/gamma)^2 + 4 L)) / 2)^2``.

    L sums ``max(0, 1 - y x . u / gamma)`` over the rounds in which the *perceptron* made a mistake
    (the sum over all rounds gives a larger, still valid bound). The comparator u is any unit
    vector and gamma any positive number; the sequence need not be separable. L = 0 gives
    :func:`mistake_bound`.

    Parameters
    ----------
    R : float
        Upper bound on the norms of the examples.
    gamma : float
        The margin below which the comparator has positive hinge loss; positive.
    hinge : float
        The comparator's hinge loss L.

    Examples
    --------
    >>> from novikoff.theory import hinge_mistake_bound
    >>> hinge_mistake_bound(R=1.0, gamma=0.5, hinge=3.0)
    9.0
    """
    _check(R, gamma)
    _check_loss("hinge", hinge)
    ratio = R / gamma
    return ((ratio + math.sqrt(ratio * ratio + 4.0 * hinge)) / 2.0) ** 2


def squared_mistake_bound(R: float, gamma: float, deviation: float) -> float:
    """The bound of Freund and Schapire: ``((R + D) / gamma)^2``.

    D is the square root of the sum of ``max(0, gamma - y x . u)^2`` over all rounds; an example
    that occurs twice in the sequence counts twice. The comparator u is any unit vector and gamma
    any positive number; the sequence need not be separable. D = 0 gives :func:`mistake_bound`.

    Parameters
    ----------
    R : float
        Upper bound on the norms of the examples.
    gamma : float
        The margin from which the deviations are measured; positive.
    deviation : float
        The deviation D.

    Examples
    --------
    >>> from novikoff.theory import squared_mistake_bound
    >>> squared_mistake_bound(R=1.0, gamma=0.5, deviation=0.5)
    9.0
    """
    _check(R, gamma)
    _check_loss("deviation", deviation)
    return ((R + deviation) / gamma) ** 2


def norms_mistake_bound(squared_norms: ArrayLike, gamma: float) -> float:
    """The bound in terms of the examples with mistakes: ``sqrt(sum ‖x‖²) / gamma``.

    The sum is over the rounds in which the perceptron made a mistake. It is at most ``M R²`` for
    ``M`` mistakes, so this bound is never worse than :func:`mistake_bound`, and is better where
    these examples are shorter than others; but it is known only afterwards.

    Parameters
    ----------
    squared_norms : array-like
        The squared norms of the examples with mistakes, one for each mistake.
    gamma : float
        The margin of some unit vector on these examples; positive.

    Examples
    --------
    >>> from novikoff.theory import norms_mistake_bound
    >>> norms_mistake_bound([1.0, 0.25, 0.25, 0.75], gamma=0.25)
    6.0
    """
    squares = np.asarray(squared_norms, dtype=np.float64)
    if not ((squares >= 0.0) & (squares < math.inf)).all():
        raise ValueError("squared_norms must be finite numbers, not negative.")
    _check(0.0, gamma)
    return math.sqrt(float(squares.sum())) / gamma


def comparator_bounds(
    X: Any,
    y: ArrayLike,
    u: ArrayLike,
    gamma: float | None = None,
    *,
    mistakes: ArrayLike | None = None,
) -> ComparatorBounds:
    """The bounds on the mistakes on a sequence that a comparator gives, of any quality.

    They hold for every comparator and every gamma, also if these are chosen when the sequence is
    known.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_rounds, n_features)
        The examples, in the order of the rounds; one that occurs twice counts twice.
    y : array-like of shape (n_rounds,)
        Their labels, -1 and +1.
    u : array-like of shape (n_features,)
        The comparator: any vector but 0. Its length does not matter.
    gamma : float, optional
        The margin at which it is measured. By default the one of many that gives the least bound.
    mistakes : array-like of bool or int, optional
        The rounds in which the perceptron made a mistake. The hinge loss is then summed over these
        only, and not over all rounds.

    Returns
    -------
    ComparatorBounds

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.theory import comparator_bounds
    >>> X, y = np.array([[1.0, 0.2], [0.8, -0.6], [0.9, 0.1]]), [1, 1, -1]
    >>> comparator_bounds(X[:2], y[:2], [1.0, 0.0]).best < 1.7
    True
    >>> comparator_bounds(X, y, [1.0, 0.0]).best < 9.0
    True
    """
    signs, u = np.asarray(y), np.asarray(u, dtype=np.float64)
    # The squares of small integers would not fit into their type.
    X = X.astype(np.float64) if hasattr(X, "multiply") else np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or signs.shape != X.shape[:1] or u.shape != X.shape[1:] or not len(signs):
        raise ValueError(
            f"X of shape {X.shape}, y of shape {signs.shape} and u of shape {u.shape}: need a "
            "label for each round, and a coefficient for each feature."
        )
    if not np.isin(signs, (-1, 1)).all():
        raise ValueError("The labels must be -1 and +1.")
    length = float(np.linalg.norm(u))
    if not 0.0 < length < math.inf:
        raise ValueError("u must have finite coefficients, not all of them zero.")
    squares = X.multiply(X).sum(axis=1) if hasattr(X, "multiply") else (X**2).sum(axis=1)
    R = math.sqrt(float(np.max(squares)))
    margins = signs * np.asarray(X @ (u / length)).ravel()
    wrong = margins if mistakes is None else margins[np.asarray(mistakes)]
    if gamma is not None:
        return _at(gamma, R, margins, wrong)
    if R == 0.0:
        return _at(1.0, R, margins, wrong)
    tried = R * np.geomspace(1e-4, 1e2, _GAMMAS)
    least = float(margins.min())
    gammas = [least, *tried] if least > 0.0 else tried
    return min((_at(float(g), R, margins, wrong) for g in gammas), key=lambda found: found.best)


def _at(gamma: float, R: float, margins: Any, wrong: Any) -> ComparatorBounds:
    _check(R, gamma)
    hinge = float(np.maximum(0.0, 1.0 - wrong / gamma).sum())
    deviation = float(np.linalg.norm(np.maximum(0.0, gamma - margins)))
    return ComparatorBounds(
        gamma,
        R,
        hinge,
        deviation,
        hinge_mistake_bound(R, gamma, hinge),
        squared_mistake_bound(R, gamma, deviation),
    )


def _check(R: float, gamma: float) -> None:
    if not 0.0 <= R < math.inf:
        raise ValueError(f"R={R!r} must be a finite number, not negative.")
    if not 0.0 < gamma < math.inf:
        raise ValueError(f"gamma={gamma!r} must be a positive number.")


def _check_loss(name: str, value: float) -> None:
    if not 0.0 <= value < math.inf:
        raise ValueError(f"{name}={value!r} must be a finite number, not negative.")
