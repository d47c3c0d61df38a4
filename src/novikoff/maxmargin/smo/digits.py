"""Whether kernel values in float32 have the digits that a margin needs, and what copies take."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from novikoff.maxmargin.smo.settings import SMO, SmoSettings

Vector = NDArray[np.float64]


def copied_bytes(X: Any, cache_bytes: float) -> int:
    """Return what a copy of dense rows in float32 takes of the cache; zero if that is too much."""
    whole = X.size * 4 if isinstance(X, np.ndarray) else 0
    return whole if whole <= cache_bytes / 3 else 0


def takes_single(
    n: int, slack2: Vector | None, cache_bytes: float, tol: float, settings: SmoSettings = SMO
) -> bool:
    """Whether the values of so many examples are float32 at first."""
    large = 8.0 * n * n > cache_bytes
    return tol >= settings.single and (large or _is_flat(slack2, tol))


def trusted(weights: Vector, tol: float, unit: float = 1.0) -> bool:
    """Whether float32 kernel values decide the margins of a solution to well below the gap.

    With weights scaled to ``y f(x) = 1``, a margin errs by the errors of its terms, which are
    independent. ``unit`` is that of the kernel's rounding errors.
    """
    error = 2.0**-22 * unit * float(np.linalg.norm(weights))
    return error <= 0.1 * tol


def _is_flat(slack2: Vector | None, tol: float) -> bool:
    """Whether a soft margin is so soft that :func:`trusted` will hold for it.

    The weights are ``hinge / Delta^2``, and few hinges are above 1.
    """
    return slack2 is not None and trusted(1.0 / slack2, tol)
