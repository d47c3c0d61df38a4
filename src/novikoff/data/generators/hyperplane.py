"""Examples around a planted hyperplane, so that the maximum margin is known without a solver."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

RandomState = int | np.random.RandomState | None

# A point meant to lie on the sphere must not leave the ball by a rounding error: some rules
# require norms of at most 1.
_INSIDE = 1.0 - 1e-12


def _no_examples() -> NDArray[np.int64]:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Planted:
    """Labelled examples with the hyperplane they were built around.

    Attributes
    ----------
    X : ndarray or scipy.sparse.csr_matrix of shape (n, d)
        The examples.
    y : ndarray of shape (n,)
        Labels -1 and +1, after the noise.
    coef : ndarray of shape (d,)
        Unit normal of the planted hyperplane.
    intercept : float
        Its offset: the hyperplane is ``coef.x + intercept = 0``.
    margin : float
        ``min_i y_i (coef.x_i + intercept)`` over the labels before the noise, up to rounding.
        Without noise the maximum margin is at least this; each generator states when it is equal.
    flipped : ndarray of int64
        Indices of the examples whose label the noise flipped, ascending.
    """

    X: Any
    y: NDArray[np.int64]
    coef: NDArray[np.float64]
    intercept: float
    margin: float
    flipped: NDArray[np.int64] = field(default_factory=_no_examples)

    @property
    def clean_y(self) -> NDArray[np.int64]:
        """The labels before the noise: those the planted hyperplane separates."""
        labels = self.y.copy()
        labels[self.flipped] *= -1
        return labels


def planted(
    n: int,
    d: int,
    margin: float,
    *,
    radius: float = 1.0,
    intercept: bool = False,
    noise: float = 0.0,
    random_state: RandomState = None,
) -> Planted:
    """Examples in a ball, kept at a distance from a random hyperplane.

    Two examples, one of each class, lie at the distance ``margin`` and have the same projection
    onto the hyperplane. Half their difference is ``margin * coef``, so without noise ``margin``
    *is* the maximum margin, of hyperplanes through the origin and (with ``n >= 2``) of all
    hyperplanes.

    Parameters
    ----------
    n, d : int
        Number of examples and of features.
    margin : float
        The margin, in ``(0, radius]``.
    radius : float, default=1.0
        Upper bound on the norms of the examples.
    intercept : bool, default=False
        False: the hyperplane passes through the origin. True: it lies at a random distance of
        at most ``(radius - margin) / 2`` from it.
    noise : float, default=0.0
        Share of the labels that are flipped afterwards.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    Planted

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.data import planted
    >>> p = planted(200, 5, margin=0.1, random_state=0)
    >>> bool(np.isclose(np.min(p.y * (p.X @ p.coef)), 0.1))
    True
    >>> bool(np.linalg.norm(p.X, axis=1).max() <= 1.0)
    True
    """
    # Imported late: reading a file imports this package too, and mostly takes less time than
    # importing scikit-learn.
    from sklearn.utils import check_random_state

    check_shape(n, d)
    if not 0.0 < margin <= radius < np.inf:
        raise ValueError(f"margin must be in (0, radius={radius}], got {margin}")
    rng = check_random_state(random_state)
    normal = unit_vector(rng, d)
    inner = max(radius * _INSIDE, margin)
    offset = rng.uniform(-0.5, 0.5) * (inner - margin) if intercept else 0.0

    y = balanced_labels(rng, n)
    ball = _in_ball(rng, n, d, inner)
    along = ball @ normal
    across = ball - np.outer(along, normal)

    # Map each half of the ball onto the spherical cap beyond the margin on its side: affinely along
    # the normal; across it, the length keeps its ratio to the largest length inside the ball.
    height = np.abs(along) / inner
    height[:2] = 0.0
    position = offset + y * (margin + height * (inner - y * offset - margin))
    largest = np.sqrt(np.maximum(inner**2 - position**2, 0.0))
    old_largest = np.sqrt(np.maximum(inner**2 - along**2, 0.0))
    across *= np.divide(largest, old_largest, out=np.zeros(n), where=old_largest > 0)[:, None]
    if n >= 2:
        across[:2] = across[int(np.argmin(largest[:2]))]
    else:
        across[:] = 0.0

    order = rng.permutation(n)
    X = (across + np.outer(position, normal))[order]
    y, flipped = with_noise(rng, y[order], noise)
    return Planted(X, y, normal, -float(offset), float(margin), flipped)


def check_shape(n: int, d: int) -> None:
    """Refuse an empty data set."""
    if n < 1 or d < 1:
        raise ValueError(f"n and d must be at least 1, got n={n}, d={d}")


def unit_vector(rng: np.random.RandomState, d: int) -> NDArray[np.float64]:
    """A random vector, uniformly distributed on the unit sphere."""
    direction = rng.standard_normal(d)
    return np.asarray(direction / np.linalg.norm(direction))


def _in_ball(rng: np.random.RandomState, n: int, d: int, radius: float) -> NDArray[np.float64]:
    points = rng.standard_normal((n, d))
    points *= (radius * rng.uniform(size=n) ** (1.0 / d) / np.linalg.norm(points, axis=1))[:, None]
    return points


def balanced_labels(rng: np.random.RandomState, n: int) -> NDArray[np.int64]:
    """Random labels 1 and -1 with equal probability; the first two are 1 and -1."""
    labels = 2 * rng.randint(0, 2, size=n).astype(np.int64) - 1
    labels[:2] = (1, -1)[:n]
    return labels


def with_noise(
    rng: np.random.RandomState, y: NDArray[np.int64], noise: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Flip a share of the labels; return the labels and the indices of the flipped ones."""
    if not 0.0 <= noise <= 1.0:
        raise ValueError(f"noise must be a share between 0 and 1, got {noise}")
    flipped = np.sort(rng.permutation(y.size)[: round(noise * y.size)]).astype(np.int64)
    y = y.copy()
    y[flipped] *= -1
    return y, flipped
