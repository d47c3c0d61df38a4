"""Networks of sign units for intersections and unions of halfspaces, exact on the cube of ±1."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from novikoff.certificate.wording import counted

Floats = NDArray[np.float64]
Layer = tuple[Floats, Floats]

_MOST_DIMENSIONS = 20
_BLOCK = 1 << 14
# Sums of integers and halves up to this size are exact in float64.
_EXACT = 2.0**51


class SignNetwork:
    """A network of sign units; predicts -1 and +1, like a fitted classifier of scikit-learn.

    A unit is +1 where ``w·x + b >= 0`` and -1 elsewhere. The last layer has one unit.

    Parameters
    ----------
    layers : sequence of (weights, biases)
        Weights of shape (n_units, n_inputs) and as many biases, from the first layer to the last.

    Attributes
    ----------
    layers : tuple of (ndarray, ndarray)
        The weights and biases.
    classes_ : ndarray
        -1 and 1.
    n_features_in_ : int
        The number of inputs.

    See Also
    --------
    and_network, or_network : Networks for intersections and unions of halfspaces.
    """

    def __init__(self, layers: Sequence[tuple[ArrayLike, ArrayLike]]) -> None:
        self.layers: tuple[Layer, ...] = tuple(
            (np.array(weights, dtype=np.float64, ndmin=2), np.array(biases, dtype=np.float64))
            for weights, biases in layers
        )
        widths = [self.layers[0][0].shape[1]] if self.layers else []
        for weights, biases in self.layers:
            if weights.ndim != 2 or weights.shape[1] != widths[-1]:
                raise ValueError(f"A layer of shape {weights.shape} follows {widths[-1]} units.")
            if biases.shape != weights.shape[:1]:
                raise ValueError(f"{weights.shape[0]} units with biases of shape {biases.shape}.")
            widths.append(weights.shape[0])
        if len(widths) < 2 or widths[-1] != 1:
            raise ValueError("A network needs at least one layer, and one unit in the last.")
        self.classes_ = np.array([-1, 1])
        self.n_features_in_ = widths[0]

    def decision_function(self, X: ArrayLike) -> Floats:
        """The sum that the last unit takes the sign of.

        Parameters
        ----------
        X : array-like of shape (n_examples, n_features)
            The examples.

        Returns
        -------
        ndarray of shape (n_examples,)
        """
        values = np.asarray(X, dtype=np.float64)
        if values.ndim != 2 or values.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has shape {values.shape}, and the network has {self.n_features_in_} inputs."
            )
        if not np.isfinite(values).all():
            raise ValueError("X contains NaN or infinity.")
        for weights, biases in self.layers[:-1]:
            values = np.where(values @ weights.T + biases >= 0.0, 1.0, -1.0)
        weights, biases = self.layers[-1]
        return np.asarray((values @ weights.T + biases)[:, 0])

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Predict -1 or +1.

        Parameters
        ----------
        X : array-like of shape (n_examples, n_features)
            The examples.

        Returns
        -------
        ndarray of shape (n_examples,)
        """
        return np.where(self.decision_function(X) >= 0.0, 1, -1)

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """The share of examples whose label is predicted.

        Parameters
        ----------
        X : array-like of shape (n_examples, n_features)
            The examples.
        y : array-like of shape (n_examples,)
            Their labels, -1 and +1.

        Returns
        -------
        float
        """
        return float((self.predict(X) == np.asarray(y)).mean())

    def to_torch(self) -> Any:
        """Return the same network as a module of PyTorch, in float64.

        Its output has the shape (n_examples, 1). The sign has no gradient.

        Returns
        -------
        torch.nn.Sequential
        """
        try:
            from novikoff.theory.intersections.module import sign_module
        except ModuleNotFoundError as missing:
            if missing.name != "torch":
                raise
            raise ModuleNotFoundError(
                "to_torch needs PyTorch; install it with: pip install torch", name="torch"
            ) from None
        return sign_module(self.layers)

    def __repr__(self) -> str:
        widths = [str(weights.shape[0]) for weights, _ in self.layers]
        return f"SignNetwork({self.n_features_in_}-{'-'.join(widths)})"


def and_network(W: ArrayLike, b: ArrayLike, *, hidden_layers: int = 1) -> SignNetwork:
    """The network of sign units that is the intersection of halfspaces on the cube of ±1.

    Corollary 8.3 of *Perceptron Algorithm & The Hardness of Learning* (Livni). The network is +1
    where ``w_j·x > b_j`` for every j: the hidden units are the signs of ``w_j·x - b_j - 1/2``,
    the last unit the sign of their sum minus ``k - 1/2``. All sums are half-integers, so no unit is
    ever at 0, and all of them are exact.

    Parameters
    ----------
    W : array-like of shape (k, n)
        The normals of the halfspaces: integers.
    b : array-like of shape (k,)
        Their thresholds: integers.
    hidden_layers : int, default=1
        With more than one, the further ones hand the result on.

    Returns
    -------
    SignNetwork

    Examples
    --------
    >>> from novikoff.theory.intersections import and_network, verify_on_cube
    >>> network = and_network([[1, 1, 1], [1, -1, 0]], [0, -1])
    >>> network
    SignNetwork(3-2-1)
    >>> print(verify_on_cube(network, lambda X: (X.sum(axis=1) > 0) & (X[:, 0] >= X[:, 1]), 3))
    The two agree on all 8 points of the cube in 3 dimensions.
    """
    W, b = _integers(W, b)
    return _network(W, b, 0.5 - len(b), hidden_layers)


def or_network(W: ArrayLike, b: ArrayLike, *, hidden_layers: int = 1) -> SignNetwork:
    """The network of sign units that is the union of halfspaces on the cube of ±1.

    As :func:`and_network`, but +1 where ``w_j·x > b_j`` for some j: the last unit is the sign of
    the sum of the hidden units plus ``k - 1/2``.

    Parameters
    ----------
    W, b, hidden_layers
        As in :func:`and_network`.

    Returns
    -------
    SignNetwork

    Examples
    --------
    >>> from novikoff.theory.intersections import or_network
    >>> or_network([[1, 0], [0, 1]], [0, 0]).predict([[1, -1], [-1, -1]]).tolist()
    [1, -1]
    """
    W, b = _integers(W, b)
    return _network(W, b, len(b) - 0.5, hidden_layers)


@dataclass(frozen=True)
class CubeCheck:
    """The result of comparing two functions on the cube; true if they agree everywhere.

    Attributes
    ----------
    n : int
        The dimension.
    n_differences : int
        On how many of the ``2^n`` points the two differ.
    counterexample : tuple of int or None
        The first of these points.
    """

    n: int
    n_differences: int
    counterexample: tuple[int, ...] | None

    def __bool__(self) -> bool:
        return self.n_differences == 0

    def __str__(self) -> str:
        where = f"of the cube in {counted(self.n, 'dimension')}"
        if self:
            return f"The two agree on all {2**self.n:,} points {where}."
        differ = f"The two differ on {self.n_differences:,} of the {2**self.n:,} points {where}"
        return f"{differ}, first at {self.counterexample}."


def verify_on_cube(
    network: Any, function: Callable[[NDArray[np.int64]], ArrayLike], n: int
) -> CubeCheck:
    """Compare a network with a function on all ``2^n`` points of the cube of ±1.

    Parameters
    ----------
    network : object with a method predict, or callable
        Predicts -1 and +1 of rows.
    function : callable
        Takes an integer array of rows of ±1, and returns -1 and +1, or truth values.
    n : int
        The dimension, at most 20.

    Returns
    -------
    CubeCheck
    """
    if not isinstance(n, Integral) or isinstance(n, bool) or not 1 <= n <= _MOST_DIMENSIONS:
        raise ValueError(f"n={n!r} must be an integer from 1 to {_MOST_DIMENSIONS}.")
    n = int(n)
    predict = getattr(network, "predict", network)
    bits = np.arange(n)[::-1]
    differences, first = 0, None
    for start in range(0, 1 << n, _BLOCK):
        numbers = np.arange(start, min(start + _BLOCK, 1 << n))
        points = 2 * ((numbers[:, None] >> bits) & 1) - 1
        different = _signs(predict(points), points) != _signs(function(points), points)
        differences += int(different.sum())
        if first is None and different.any():
            first = tuple(int(x) for x in points[int(np.argmax(different))])
    return CubeCheck(n, differences, first)


def halfspace_mistake_bound(w: ArrayLike, b: int) -> float:
    """The perceptron's mistakes on a halfspace of the cube: ``4 (n + 1) (‖w‖² + (b + 1/2)²)``.

    For any sequence of points of ±1 with labels +1 where ``w·x > b`` and -1 elsewhere, ``w``
    and ``b`` integers, presented with a constant feature 1: ``w·x - b - 1/2`` is at least 1/2
    in absolute value.

    Parameters
    ----------
    w : array-like of shape (n,)
        The normal: integers.
    b : int
        The threshold: an integer.

    Returns
    -------
    float

    Examples
    --------
    >>> from novikoff.theory.intersections import halfspace_mistake_bound
    >>> halfspace_mistake_bound([1, 1, 1], 0)
    52.0
    """
    W, thresholds = _integers(np.asarray(w)[None], [b])
    n = W.shape[1]
    return float(4.0 * (n + 1) * ((W**2).sum() + (thresholds[0] + 0.5) ** 2))


def _network(W: Floats, b: Floats, bias: float, hidden_layers: int) -> SignNetwork:
    if not isinstance(hidden_layers, Integral) or hidden_layers < 1:
        raise ValueError(f"hidden_layers={hidden_layers!r} must be a positive integer.")
    hand_on = ([[1.0]], [0.0])
    layers = [(W, -b - 0.5), (np.ones((1, len(b))), [bias]), *[hand_on] * (int(hidden_layers) - 1)]
    return SignNetwork(layers)


def _integers(W: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    weights, thresholds = np.asarray(W), np.asarray(b)
    if weights.ndim != 2 or thresholds.shape != weights.shape[:1] or not weights.size:
        raise ValueError(
            f"W of shape {weights.shape} and b of shape {thresholds.shape}: need one threshold for "
            "each row of W, and at least one row."
        )
    for name, values in (("W", weights), ("b", thresholds)):
        whole = values.dtype.kind in "buif" and bool((values == np.round(values)).all())
        if not whole:
            raise ValueError(f"{name} must be integers: halfspaces of the cube need no others.")
    weights, thresholds = weights.astype(np.float64), thresholds.astype(np.float64)
    if not (np.abs(weights).sum(axis=1) + np.abs(thresholds) < _EXACT).all():
        raise ValueError("W and b are too large for sums that are exact in float64.")
    return weights, thresholds


def _signs(values: ArrayLike, points: NDArray[np.int64]) -> NDArray[np.int64]:
    """Truth values or signs, as signs."""
    found = np.asarray(values)
    if found.shape != points.shape[:1]:
        raise ValueError(f"Expected one value for each of {len(points)} points: {found.shape}.")
    if found.dtype.kind == "b":
        return np.where(found, 1, -1)
    if not np.isin(found, (-1, 1)).all():
        raise ValueError("Expected the values -1 and +1, or truth values.")
    return found.astype(np.int64)
