"""The data sets of the benchmarks."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from benchmarks.generators import gene_like, text_like
from novikoff.data import load_mnist, planted


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
def narrow(noise: float = 0.0, dtype: str = "float64", margin: float = 0.02) -> Labelled:
    """100,000 x 100 examples in a ball, at a distance of ``margin`` or more from a hyperplane."""
    p = planted(100_000, 100, margin=margin, noise=noise, random_state=0)
    return Labelled(p.X.astype(dtype), p.y)


@cache
def text(n: int = 50_000, noise: float = 0.0, words: int = 20_000) -> Labelled:
    """Sparse rows like documents, of 80 words each."""
    p = text_like(n, words, 80, noise=noise, random_state=0)
    return Labelled(p.X, p.y)


def scattered(n: int = 50_000, d: int = 100_000, nonzeros: int = 80) -> Labelled:
    """Sparse rows without structure: Gaussian values in random columns, labels by a hyperplane."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal(n * nonzeros) / np.sqrt(nonzeros)
    columns = rng.integers(0, d, n * nonzeros, dtype=np.int32)
    X = csr_matrix((values, columns, np.arange(0, n * nonzeros + 1, nonzeros)), shape=(n, d))
    X.sum_duplicates()
    return Labelled(X, np.where(X @ rng.standard_normal(d) > 0.0, 1, -1))


def pixels(a: int, b: int) -> Labelled:
    """Two of MNIST's digits in [0, 1], labelled 1 and -1."""
    X, y = pair(a, b)
    return Labelled(X / 255.0, np.where(y == a, 1, -1))


def even_odd_pixels() -> Labelled:
    """MNIST's training digits in [0, 1], even -1 and odd 1."""
    digits = mnist()
    return Labelled(digits.X_train / 255.0, np.where(digits.y_train % 2, 1, -1))


def breast_cancer(*, standardised: bool) -> Labelled:
    """569 x 30, separable; raw, its columns differ by a factor of 100,000."""
    X, y = load_breast_cancer(return_X_y=True)
    return Labelled(StandardScaler().fit_transform(X) if standardised else X, 2 * y - 1)


def xor() -> Labelled:
    """The four corners of a square, the two diagonals against each other."""
    return Labelled(
        np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]), np.array([1, 1, -1, -1])
    )


def clouds(n: int = 2000) -> Labelled:
    """Two Gaussian clouds in the plane that overlap."""
    rng = np.random.default_rng(0)
    y = np.where(rng.random(n) < 0.5, 1, -1)
    return Labelled(rng.standard_normal((n, 2)) + np.outer(y, [1.0, 0.0]), y)


def profiles() -> Labelled:
    """200 x 2,000, like gene-expression profiles: every labelling is separable."""
    p = gene_like(200, 2000, random_state=0)
    return Labelled(p.X, p.y)


def slab(n: int, d: int, margin: float = 0.01) -> Labelled:
    """Examples in a ball around a planted hyperplane, without the two at the planted margin.

    Those two alone would be the support; without them it has about d + 1 examples.
    """
    p = planted(n + 2, d, margin=margin, random_state=0)
    kept = np.sort(np.argsort(np.abs(p.X @ p.coef))[2:])
    return Labelled(p.X[kept], p.y[kept])
