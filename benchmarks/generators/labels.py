"""Labels by a hidden hyperplane, with noise or with a margin."""

from __future__ import annotations

from typing import Any

import numpy as np

SPARE = 1.25
"""To leave a margin, so many times the examples are drawn, and the nearest ones are left out."""


def drawn(n: int, wide: bool) -> int:
    """How many examples to draw for ``n`` labelled ones."""
    return int(SPARE * n) if wide else n


def label(
    rng: np.random.Generator,
    X: Any,
    score: Any,
    n: int,
    *,
    noise: float = 0.0,
    positives: float = 0.5,
) -> tuple[Any, Any]:
    """Return the ``n`` examples with scores farthest from the threshold, and their labels.

    The threshold leaves a share ``positives`` of the scores above it. A share ``noise`` of the
    labels is flipped; without noise the examples are separable, and with more of them than ``n``
    they are so with a margin.
    """
    score = score - np.quantile(score, 1.0 - positives)
    if len(score) > n:
        kept = np.sort(np.argpartition(-np.abs(score), n)[:n])
        X, score = X[kept], score[kept]
    y = np.where(score > 0.0, 1, -1)
    y[rng.permutation(n)[: round(noise * n)]] *= -1
    return X, y
