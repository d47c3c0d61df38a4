"""Upper bounds on the number of mistakes of the perceptron on a sequence of examples."""

import math


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


def _check(R: float, gamma: float) -> None:
    if not 0.0 <= R < math.inf:
        raise ValueError(f"R={R!r} must be a finite number, not negative.")
    if not 0.0 < gamma < math.inf:
        raise ValueError(f"gamma={gamma!r} must be a positive number.")


def _check_loss(name: str, value: float) -> None:
    if not 0.0 <= value < math.inf:
        raise ValueError(f"{name}={value!r} must be a finite number, not negative.")
