"""The lift of the intercept: the coordinate ``c`` that every example has beside its features.

Examples are read relative to a centre o, the first in order, and a hyperplane that separates o from
an example x of another class crosses the segment between them, so its distance b from o is at most
``|x - o|``. With ``c = |x - o|``, the lifted problem has at least ``1 / sqrt(1 + b^2 / c^2) >= 1 /
sqrt(2)`` of the margin, and the classic rule makes at most ``(R^2 + c^2) (1 + b^2 / c^2) / margin^2
<= 4 (R / margin)^2`` updates, with R the largest distance to o. So c need not be as large as R: a
few examples far away would otherwise make it so large that every update changes the intercept by
more than all features together.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def lift_of(
    norms2: NDArray[np.float64], order: NDArray[np.int64], labels: NDArray[Any], longest: int
) -> tuple[float, tuple[int, ...]]:
    """Return the square of the lift, and the examples that it depends on beside the centre.

    These are the first examples in order of the other classes, and the lift is the distance to the
    nearest of them; where they coincide with the centre, the distance to the farthest of all.

    Parameters
    ----------
    norms2 : array of float64
        The squared distances of all examples to the first in order.
    order : array of int64
        The order of visits.
    labels : array of integers
        The classes of all examples.
    longest : int
        The example farthest from the centre.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.sample.lift import lift_of
    >>> lift_of(np.array([0.0, 1.0, 4.0, 9.0]), np.arange(4), np.array([1, 1, -1, -1]), 3)
    (4.0, (2,))
    """
    left, first = labels[order], []
    others = np.flatnonzero(left != left[0])
    while others.size:
        first.append(int(order[others[0]]))
        others = others[left[others] != left[others[0]]]
    apart = [float(norms2[i]) for i in first if norms2[i] > 0.0]
    if apart:
        return min(apart), tuple(first)
    return float(norms2[longest]) or 1.0, (*first, longest)


def lift_after(first: int, norms2: NDArray[np.float64], labels: NDArray[Any]) -> float:
    """Return the square of the lift where the centre, of class ``first``, came before the examples.

    ``norms2`` are their squared distances to the centre, not all zero.
    """
    norms2, labels = np.append(0.0, norms2), np.append(first, labels)
    return lift_of(norms2, np.arange(len(labels)), labels, int(np.argmax(norms2)))[0]
