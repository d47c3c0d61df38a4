"""What no learner can do: with few examples for many dimensions, every method has a large risk.

Theorem 3.1 of *Linear threshold functions and the perceptron algorithm* (Bartlett): for any method
that learns from ``n`` examples there is a source of examples in ``d`` dimensions, labelled by a
linear threshold function without any noise, on which its risk is, in the mean over the examples,
at least :func:`minimax_bound`. For ``n <= d`` that is about 18 %; beyond, it decreases like
``d/n``. The reason is that ``d`` independent points can have any labels (:func:`can_shatter`), so
that the labels seen say nothing about the others.
"""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from flint import fmpz_mat
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from novikoff.certificate.exact.dyadic import Dyadic

RandomState = int | np.random.RandomState | None


@dataclass(frozen=True, eq=False)
class HardSource:
    """The source of Theorem 3.1: unit vectors, of which all but one are rare.

    The points are the first ``J = min(n, d)`` unit vectors. Each has probability ``1/n``, but the
    last, which has the rest. With labels drawn at random, a learner that has not seen a point can
    only guess. Some choice of labels is as bad for it as the mean over all of them.

    Attributes
    ----------
    n : int
        The number of examples that the source is hard to learn from.
    d : int
        The dimension.
    labels : ndarray of shape (J,)
        The labels -1 and +1 of the points. The linear threshold function with these coefficients,
        and 0 for the other features, has risk 0.
    """

    n: int
    d: int
    labels: NDArray[np.int64]

    @property
    def points(self) -> NDArray[np.float64]:
        """The points, as rows."""
        return np.eye(self.labels.size, self.d)

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of each point."""
        return _probabilities(self.n, self.d)

    def sample(
        self, size: int | None = None, random_state: RandomState = None
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Draw independent examples and their labels; ``n`` of them, unless said otherwise.

        Parameters
        ----------
        size : int, optional
            The number of examples.
        random_state : int, RandomState instance or None, default=None
            Draws them.

        Returns
        -------
        X : ndarray of shape (size, d)
        y : ndarray of shape (size,)
        """
        rng = check_random_state(random_state)
        size = self.n if size is None else _positive("size", size)
        drawn = rng.choice(self.labels.size, size=size, p=self.probabilities)
        return self.points[drawn], self.labels[drawn]

    def risk(self, predict: Callable[[NDArray[np.float64]], ArrayLike]) -> float:
        """The probability that a prediction is wrong, exactly, from the predictions of all points.

        Parameters
        ----------
        predict : callable
            Predicts the labels of rows, such as the method ``predict`` of a classifier.

        Returns
        -------
        float
        """
        wrong = np.asarray(predict(self.points)) != self.labels
        return float(self.probabilities[wrong].sum())


def hard_source(n: int, d: int, random_state: RandomState = None) -> HardSource:
    """The source of Theorem 3.1 for ``n`` examples in ``d`` dimensions, with random labels.

    Parameters
    ----------
    n : int
        The number of examples that a learner will see.
    d : int
        The dimension.
    random_state : int, RandomState instance or None, default=None
        Draws the labels.

    Returns
    -------
    HardSource

    Examples
    --------
    >>> from novikoff import Perceptron
    >>> from novikoff.theory.minimax import hard_source
    >>> source = hard_source(10, 5, random_state=0)
    >>> X, y = source.sample(random_state=0)
    >>> clf = Perceptron().fit(X, y)
    >>> round(source.risk(clf.predict), 3)
    0.1
    """
    n, d = _positive("n", n), _positive("d", d)
    labels = check_random_state(random_state).choice([-1, 1], size=min(n, d))
    return HardSource(n, d, labels.astype(np.int64))


def minimax_bound(n: int, d: int) -> float:
    """The bound of Theorem 3.1: ``min(n - 1, d - 1)/(2n) (1 - 1/n)^n``.

    No method that learns from ``n`` examples in ``d`` dimensions has a smaller mean risk on every
    source that some linear threshold function labels.

    Parameters
    ----------
    n : int
        The number of examples.
    d : int
        The dimension.

    Examples
    --------
    >>> from novikoff.theory import minimax_bound
    >>> round(minimax_bound(10, 5), 4), round(minimax_bound(1000, 1000), 4)
    (0.0697, 0.1837)
    """
    n, d = _positive("n", n), _positive("d", d)
    return min(n - 1, d - 1) / (2 * n) * (1.0 - 1.0 / n) ** n


def guessing_risk(n: int, d: int) -> float:
    """The mean risk on the hard source with random labels of a learner that only guesses.

    ``(1/2) sum_j p_j (1 - p_j)^n``: half the probability of a point that was not among the
    ``n`` examples. Every method that is right on the examples it has seen has this mean risk,
    whatever it predicts elsewhere, and no method has less; :func:`minimax_bound` leaves out the
    frequent point.

    Parameters
    ----------
    n : int
        The number of examples.
    d : int
        The dimension.

    Examples
    --------
    >>> from novikoff.theory.minimax import guessing_risk
    >>> round(guessing_risk(10, 5), 4), round(guessing_risk(5, 20), 4)
    (0.0698, 0.1638)
    """
    n, d = _positive("n", n), _positive("d", d)
    p = _probabilities(n, d)
    return float(0.5 * (p * (1.0 - p) ** n).sum())


def can_shatter(X: Any, *, affine: bool = False) -> bool:
    """Whether hyperplanes realise every labeling of some points, decided in exact arithmetic.

    They do if and only if the points are linearly independent (affinely, for hyperplanes with an
    intercept): then some ``theta`` has ``X theta = y`` for any labels ``y``, such as
    ``np.linalg.pinv(X) @ y``. Where points have a relation, the labeling by the signs of its
    coefficients is impossible. If a training set can be shattered, that a model fits it says
    nothing about new data.

    Parameters
    ----------
    X : array-like of shape (n_points, n_features)
        The points, of finite numbers.
    affine : bool, default=False
        Whether the hyperplanes may have an intercept.

    Returns
    -------
    bool

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.theory import can_shatter
    >>> can_shatter(np.eye(3)), can_shatter([[0.1, 0.2], [0.2, 0.4]])
    (True, False)
    >>> can_shatter([[0.0], [1.0]]), can_shatter([[0.0], [1.0]], affine=True)
    (False, True)
    """
    X = np.asarray(X)
    if X.ndim != 2 or X.shape[0] == 0 or X.dtype.kind not in "buif":
        raise ValueError("X must be a table of numbers, with at least one row.")
    if X.dtype.kind == "f" and not np.isfinite(X).all():
        raise ValueError("X contains NaN or infinity.")
    n, d = X.shape
    if n > d + affine:
        return False
    if d == 0:
        return bool(affine)
    # An intercept is a constant feature, and any constant will do: one that the integers share.
    integers = Dyadic.of(X).integers.tolist()
    table = [[*row, 1] if affine else row for row in integers]
    return bool(fmpz_mat(table).rank() == n)


def _probabilities(n: int, d: int) -> NDArray[np.float64]:
    J = min(n, d)
    p = np.full(J, 1.0 / n)
    p[-1] = (n - J + 1) / n
    return p


def _positive(name: str, value: int) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name}={value!r} must be a positive integer.")
    return int(value)
