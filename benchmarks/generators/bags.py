"""Sparse examples: bags of words, one-hot fields, and values scattered over the columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_matrix, hstack

from benchmarks.generators.labels import drawn, label


def bags(
    n: int,
    d: int,
    nonzeros: int,
    seed: int,
    *,
    values: Literal["ones", "counts", "gaussian"] = "ones",
    zipf: bool = True,
    noise: float = 0.0,
    wide: bool = False,
    positives: float = 0.5,
    dtype: str = "float64",
) -> tuple[Any, Any]:
    """Sparse rows with about ``nonzeros`` values each, labelled by a hyperplane.

    Parameters
    ----------
    n, d : int
        Number of examples and of features.
    nonzeros : int
        Mean number of draws in a row; repeated columns count once.
    seed : int
        Seed.
    values : {"ones", "counts", "gaussian"}, default="ones"
        The values: 1, how often the column was drawn, or Gaussian.
    zipf : bool, default=True
        Whether the frequencies of columns follow Zipf's law, or are equal.
    noise, wide, positives
        As in :func:`benchmarks.generators.columns.gaussian`.
    dtype : str, default="float64"
        The type of the values.

    Returns
    -------
    X : csr_matrix
        The examples.
    y : array
        Their labels, 1 and -1.
    """
    rng = np.random.default_rng(seed)
    m = drawn(n, wide)
    lengths = np.maximum(rng.poisson(nonzeros, m), 1)
    total = int(lengths.sum())
    if zipf:
        frequency = 1.0 / np.arange(2.0, d + 2.0)
        chosen = np.searchsorted(np.cumsum(frequency / frequency.sum())[:-1], rng.random(total))
        columns = rng.permutation(d)[chosen]
    else:
        columns = rng.integers(0, d, total)
    drawn_values = rng.standard_normal(total) if values == "gaussian" else np.ones(total)
    starts = np.concatenate(([0], np.cumsum(lengths)))
    X = csr_matrix((drawn_values, columns.astype(np.int32), starts.astype(np.int32)), shape=(m, d))
    X.sum_duplicates()
    if values == "ones":
        X.data[:] = 1.0
    X = X.astype(dtype)
    return label(rng, X, X @ rng.standard_normal(d), n, noise=noise, positives=positives)


def one_hot(
    n: int, fields: int, levels: int, seed: int, *, noise: float = 0.0, wide: bool = False
) -> tuple[Any, Any]:
    """Categorical fields in one-hot code: the columns of a field sum to 1 in every row."""
    rng = np.random.default_rng(seed)
    m, d = drawn(n, wide), fields * levels
    frequency = 1.0 / np.arange(2.0, levels + 2.0)
    chosen = rng.choice(levels, (m, fields), p=frequency / frequency.sum())
    columns = chosen + levels * np.arange(fields)
    starts = np.arange(0, m * fields + 1, fields, dtype=np.int32)
    X = csr_matrix((np.ones(m * fields), columns.ravel().astype(np.int32), starts), shape=(m, d))
    return label(rng, X, X @ rng.standard_normal(d), n, noise=noise)


def factors(
    n: int,
    levels: Sequence[int],
    seed: int,
    *,
    power: float = 0.5,
    numeric: int = 0,
    noise: float = 0.0,
) -> tuple[Any, Any]:
    """Factors of different numbers of levels in one-hot code, and columns of numbers.

    The frequency of a factor's k-th level is proportional to ``k ** -power``. Every level has an
    effect on the label, and so has each of the ``numeric`` columns, which are Gaussian.
    """
    rng = np.random.default_rng(seed)
    parts, scores = [], np.zeros(n)
    for size in levels:
        frequency = np.arange(1.0, size + 1.0) ** -power
        chosen = rng.permutation(size)[rng.choice(size, n, p=frequency / frequency.sum())]
        scores += rng.standard_normal(size)[chosen]
        parts.append(csr_matrix((np.ones(n), chosen, np.arange(n + 1)), shape=(n, size)))
    if numeric:
        values = rng.standard_normal((n, numeric))
        scores += values @ rng.standard_normal(numeric)
        parts.append(csr_matrix(values))
    X = csr_matrix(hstack(parts))
    return label(rng, X, scores, n, noise=noise)
