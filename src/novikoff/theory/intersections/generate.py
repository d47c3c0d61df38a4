"""Examples of an intersection of random halfspaces, with a margin."""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
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
        check_positive(name, value)
    check_halfspaces(n_halfspaces, margin)
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


def check_positive(name: str, value: Any) -> None:
    """Refuse what is not a positive integer."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"{name}={value!r} must be a positive integer.")


def check_halfspaces(n_halfspaces: int, margin: float) -> None:
    """Refuse an impossible number of halfspaces, or margin."""
    check_positive("n_halfspaces", n_halfspaces)
    if not 0.0 < margin < 1.0:
        raise ValueError(f"margin={margin!r} must be between 0 and 1, both excluded.")
