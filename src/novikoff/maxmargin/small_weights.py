"""The vectors of a model as a combination of examples with small weights.

Where examples depend on one another, many combinations of them make the same vectors. The dual
optimum of a large ``C`` is one with large weights that nearly cancel, and rounding may leave
nothing of the vectors. Another one, of about as many examples as there are coordinates, is found by
nonnegative least squares (C. L. Lawson & R. J. Hanson, *Solving Least Squares Problems*, 1974,
chapter 23). Its weights have the signs of the classes and the size that the vectors ask for.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

Vector = NDArray[np.float64]
Ids = NDArray[np.int64]

MOST_EQUATIONS = 200
"""The most equations: about as many steps are made, each of which solves some of them."""


def small_weights(
    coordinates: Vector, codes: Ids, weights: Vector, vectors: Vector, *, affine: bool
) -> Vector | None:
    """Return weights of pairs of examples and classes whose sum is given vectors.

    Only pairs that have weight take part, which suffices at an optimum.

    Parameters
    ----------
    coordinates : array of shape (n_examples, n_coordinates)
        The examples.
    codes : array of shape (n_examples,)
        Their classes.
    weights : array of shape (n_examples, n_classes)
        Weights that make the vectors but for rounding.
    vectors : array of shape (n_classes, n_coordinates)
        Those of the classes, of which only the differences matter.
    affine : bool
        Whether the weights are to balance.

    Returns
    -------
    array of shape (n_examples, n_classes), or None
        ``None`` where there are too many coordinates and classes, or rounding prevents it.

    Examples
    --------
    >>> x, codes = np.array([[1.0], [2.0], [-1.0]]), np.array([1, 1, 0])
    >>> weights = np.array([[3e9, 0.0], [1e9, 0.0], [0.0, 4e9]])
    >>> small_weights(x, codes, weights, np.array([[-1.0], [1.0]]), affine=True)
    array([[0.        , 0.        ],
           [0.66666667, 0.        ],
           [0.        , 0.66666667]])
    """
    n_classes = len(vectors)
    rows, wrong = np.nonzero(weights)
    if not len(rows) or (n_classes - 1) * (coordinates.shape[1] + affine) > MOST_EQUATIONS:
        return None
    # In units of what a coordinate adds to the scores of the examples.
    change = np.asarray(np.linalg.qr(coordinates, mode="r"))
    points, wanted = coordinates @ change.T, (vectors - vectors.mean(axis=0)) @ change.T
    if affine:
        size = np.sqrt(np.mean(np.einsum("ij,ij->i", points, points)))
        points = np.column_stack([points, np.full(len(points), size)])
        wanted = np.column_stack([wanted, np.zeros(n_classes)])
    # The vector of the last class is given by the others.
    sides = np.zeros((n_classes - 1, points.shape[1], len(rows)))
    for k in range(n_classes - 1):
        sides[k] = 0.5 * ((codes[rows] == k) * 1.0 - (wrong == k)) * points[rows].T
    try:
        found, _ = nnls(sides.reshape(-1, len(rows)), wanted[:-1].ravel())
    except RuntimeError:
        # Rounding keeps it from an end.
        return None
    out = np.zeros_like(weights)
    out[rows, wrong] = found
    return out
