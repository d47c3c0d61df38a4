"""The kernel of an estimator: its parameters checked, and "scale" and "auto" made numbers."""

import math
import numbers
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.certificate import Kernel

if TYPE_CHECKING:
    from novikoff.sample.kernel import KernelFunction

NAMES = ("linear", "rbf", "poly", "sigmoid", "laplacian", "precomputed")
SMALLEST = float(np.finfo(np.float64).tiny)
"""The inverse of anything smaller may overflow."""

BLOCK = 1 << 20
"""How many values are read at once for their variance."""


def is_linear(estimator: Any) -> bool:
    """Whether an estimator's kernel is the linear one, which takes the path of vectors."""
    kernel = getattr(estimator, "kernel", "linear")
    return isinstance(kernel, str) and kernel == "linear"


def check_kernel_options(estimator: Any) -> None:
    """Raise what is wrong with the parameters of the kernel."""
    kernel, gamma, degree = estimator.kernel, estimator.gamma, estimator.degree
    if not callable(kernel) and not (isinstance(kernel, str) and kernel in NAMES):
        known = ", ".join(map(repr, NAMES))
        raise ValueError(f"kernel={kernel!r} must be one of {known}, or a function.")
    named = isinstance(gamma, str) and gamma in ("scale", "auto")
    if not named and not (_is_real(gamma) and 0.0 < gamma < math.inf):
        raise ValueError(f"gamma={gamma!r} must be 'scale', 'auto' or a positive number.")
    whole = isinstance(degree, numbers.Integral) and not isinstance(degree, bool)
    if not whole or not 0 <= degree <= 1000:
        raise ValueError(f"degree={degree!r} must be a whole number from 0 to 1000.")
    if not (_is_real(estimator.coef0) and math.isfinite(estimator.coef0)):
        raise ValueError(f"coef0={estimator.coef0!r} must be a finite number.")
    if not (_is_real(estimator.cache_size) and 0.0 < estimator.cache_size < math.inf):
        raise ValueError(f"cache_size={estimator.cache_size!r} must be a positive number of MB.")
    if not is_linear(estimator) and estimator.scale:
        raise ValueError(
            "scale=True is for the linear kernel; put a StandardScaler before this estimator."
        )


def kernel_of(
    estimator: Any, X: Any, shares: NDArray[np.float64] | None = None
) -> "tuple[Kernel, KernelFunction]":
    """Return the kernel as a certificate states it, and as the search computes it.

    ``shares`` are weights of the rows in the variance that ``gamma="scale"`` is taken from.
    """
    from novikoff.sample.kernel import KernelFunction

    function = estimator.kernel if callable(estimator.kernel) else None
    name = "callable" if function is not None else estimator.kernel
    gamma = 1.0
    if name not in ("linear", "callable", "precomputed"):
        gamma = gamma_of(estimator.gamma, X, shares)
    stated = Kernel(name, gamma, int(estimator.degree), float(estimator.coef0))
    computed = KernelFunction(name, gamma, int(estimator.degree), float(estimator.coef0), function)
    return stated, computed


def gamma_of(gamma: Any, X: Any, shares: NDArray[np.float64] | None = None) -> float:
    """Return the number that ``gamma`` stands for, as in SVC; ``shares`` are weights of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> gamma_of("scale", np.array([[0.0, 2.0], [2.0, 0.0]])), gamma_of("auto", np.ones((3, 4)))
    (0.5, 0.25)
    """
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma == "auto":
        return 1.0 / int(X.shape[1])
    with np.errstate(over="ignore"):
        variance = _variance(X) if shares is None else _weighted_variance(X, shares)
    scale = int(X.shape[1]) * variance
    if 0.0 < scale < SMALLEST or scale == np.inf:
        raise ValueError(
            "gamma='scale' divides by the variance of the features, which overflows or underflows: "
            "rescale the features, or give gamma as a number."
        )
    return 1.0 / scale if variance > 0.0 else 1.0


def _variance(X: Any) -> float:
    """Return the variance of all values, the same for dense and sparse rows."""
    count = float(X.shape[0]) * float(X.shape[1])
    mean = sum(float(values.sum()) for values in _values_by_block(X)) / count
    squares, n_values = 0.0, 0
    for values in _values_by_block(X):
        squares += float(((values - mean) ** 2).sum())
        n_values += len(values)
    return (squares + (count - n_values) * mean * mean) / count


def _weighted_variance(X: Any, weights: NDArray[np.float64]) -> float:
    """Return the variance of all values of rows that have weights."""
    count = float(weights.sum()) * float(X.shape[1])
    mean = sum(float(each @ values) for values, each in _weighted_values(X, weights)) / count
    squares, present = 0.0, 0.0
    for values, each in _weighted_values(X, weights):
        squares += float(each @ (values - mean) ** 2)
        present += float(each.sum())
    return (squares + (count - present) * mean * mean) / count


def _weighted_values(
    X: Any, weights: NDArray[np.float64]
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Yield the values that are not zero, and the weights of their rows."""
    rows = max(1, BLOCK // max(1, X.shape[1]))
    for begin in range(0, X.shape[0], rows):
        part, each = X[begin : begin + rows], weights[begin : begin + rows]
        if sparse.issparse(part):
            yield part.data.astype(np.float64), np.repeat(each, np.diff(part.indptr))
        else:
            some = part != 0
            yield part[some].astype(np.float64), np.repeat(each, some.sum(axis=1))


def _values_by_block(X: Any) -> Iterator[NDArray[np.float64]]:
    """Yield the values that are not zero, row by row.

    Sums of them are rounded alike, however the rows are stored.
    """
    rows = max(1, BLOCK // max(1, X.shape[1]))
    for begin in range(0, X.shape[0], rows):
        part = X[begin : begin + rows]
        if sparse.issparse(part):
            part = part.sorted_indices().data
        yield part[part != 0].astype(np.float64)


def _is_real(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)
