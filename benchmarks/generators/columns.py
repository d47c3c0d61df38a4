"""Dense Gaussian examples whose columns are independent or correlated, of any mean and scale."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.fft import dct

from benchmarks.generators.labels import drawn, label


def gaussian(
    n: int,
    d: int,
    seed: int,
    *,
    spectrum: float = 0.0,
    mean: float = 0.0,
    scales: float = 0.0,
    noise: float = 0.0,
    wide: bool = False,
    positives: float = 0.5,
    dtype: str = "float64",
) -> tuple[Any, Any]:
    """Gaussian examples, labelled by a hyperplane.

    Parameters
    ----------
    n, d : int
        Number of examples and of features.
    seed : int
        Seed.
    spectrum : float, default=0.0
        The k-th singular value is proportional to ``k ** -spectrum``: 0 for independent columns.
    mean : float, default=0.0
        Standard deviation of the columns' means, in units of a column's own.
    scales : float, default=0.0
        Columns are scaled by factors between ``10 ** -scales`` and ``10 ** scales``.
    noise : float, default=0.0
        Share of the labels that are flipped.
    wide : bool, default=False
        Whether the examples nearest to the hyperplane are left out.
    positives : float, default=0.5
        Share of the positive class, before the noise.
    dtype : str, default="float64"
        "uint8" rounds to levels of 0 to 255 around 100, 30 to the standard deviation.

    Returns
    -------
    X, y : arrays
        The examples, in C order, and their labels, 1 and -1.
    """
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((drawn(n, wide), d))
    normal = rng.standard_normal(d)
    if spectrum:
        values = np.arange(1.0, d + 1.0) ** -spectrum
        X *= values * np.sqrt(d / (values @ values))
        # With a normal of equal entries the first components alone would decide the labels.
        normal /= np.sqrt(values)
        signs = rng.choice([-1.0, 1.0], (2, d))
        order = rng.permutation(d)
        X, normal = (_rotated(each, signs, order) for each in (X, normal))
    if mean:
        X += mean * rng.standard_normal(d)
    if scales:
        factors = 10.0 ** rng.uniform(-scales, scales, d)
        X *= factors
        normal /= factors
    if dtype == "uint8":
        X = np.clip(np.rint(100.0 + 30.0 * X), 0.0, 255.0)
    X = np.ascontiguousarray(X, dtype)
    return label(rng, X, X @ normal, n, noise=noise, positives=positives)


def _rotated(X: Any, signs: Any, order: Any) -> Any:
    """Apply a random rotation in O(d log d) for each row: two cosine transforms."""
    X = dct(X * signs[0], norm="ortho", axis=-1)
    return dct(X[..., order] * signs[1], norm="ortho", axis=-1)
