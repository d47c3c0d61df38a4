"""Vectors with an entry for each example, computed slice by slice, in threads if there are some."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.certificate.threads import by_slices

Vector = NDArray[np.float64]


def filled(values: Callable[[slice], Vector], length: int) -> Vector:
    """Return the vector whose slices ``values`` computes.

    Examples
    --------
    >>> x = np.array([1.0, 2.0])
    >>> filled(lambda part: 1.0 - x[part], len(x))
    array([ 0., -1.])
    """
    out = np.empty(length)

    def fill(part: slice) -> None:
        out[part] = values(part)

    for _ in by_slices(fill, length):
        pass
    return out


def where(condition: Callable[[slice], NDArray[np.bool_]], length: int) -> NDArray[np.int64]:
    """Return the positions at which the condition holds.

    Examples
    --------
    >>> x = np.array([1.0, -2.0, 3.0])
    >>> where(lambda part: x[part] > 0.0, len(x))
    array([0, 2])
    """

    def find(part: slice) -> NDArray[np.int64]:
        return np.asarray(np.flatnonzero(condition(part)) + part.start)

    return np.concatenate(list(by_slices(find, length)))


def by_class(values: NDArray[Any], signs: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the entries of the positive examples and those of the negative ones.

    Taken by position, which is four times faster than by a mask that changes at random.

    Examples
    --------
    >>> by_class(np.array([1.0, 2.0, 3.0]), np.array([1, -1, 1]))
    (array([1., 3.]), array([2.]))
    """
    positive = signs > 0
    return values[np.flatnonzero(positive)], values[np.flatnonzero(~positive)]
