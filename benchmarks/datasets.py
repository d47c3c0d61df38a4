"""The data that the benchmarks share."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from novikoff.data import load_mnist, planted, text_like


class Labelled(NamedTuple):
    X: Any
    y: Any


mnist = cache(load_mnist)


@cache
def even_odd(dtype: str = "float64") -> Labelled:
    """MNIST's 60,000 x 784 training digits, even against odd: not separable."""
    digits = mnist()
    return Labelled(np.ascontiguousarray(digits.X_train, dtype), digits.y_train % 2)


def pair(a: int, b: int, dtype: str = "float64") -> Labelled:
    """Two of MNIST's digits."""
    digits = mnist()
    chosen = (digits.y_train == a) | (digits.y_train == b)
    return Labelled(digits.X_train[chosen].astype(dtype), digits.y_train[chosen])


@cache
def narrow(noise: float = 0.0, dtype: str = "float64") -> Labelled:
    """100,000 x 100 examples in a ball, on the two sides of a slab."""
    p = planted(100_000, 100, margin=0.02, noise=noise, random_state=0)
    return Labelled(p.X.astype(dtype), p.y)


@cache
def text(n: int = 50_000, noise: float = 0.0) -> Labelled:
    """Sparse rows like documents, 20,000 words, 80 in a row."""
    p = text_like(n, 20_000, 80, noise=noise, random_state=0)
    return Labelled(p.X, p.y)
