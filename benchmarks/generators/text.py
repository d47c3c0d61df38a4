"""Sparse examples that look like documents: few words each, some words in nearly all of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils import check_random_state

from novikoff.data.generators.hyperplane import Planted, RandomState, with_noise

# A draw of documents is given up when fewer than this share of them keeps the margin.
_WORST_ACCEPTANCE = 0.01


def text_like(
    n: int,
    d: int,
    nonzeros: int = 80,
    *,
    margin: float = 0.02,
    loyalty: float = 0.5,
    noise: float = 0.0,
    random_state: RandomState = None,
) -> Planted:
    """Documents of two classes as unit rows of tf-idf values, in CSR.

    Words come in pairs of equal frequency, one typical of each class, and the pairs' frequencies
    follow Zipf's law. Each word of a document is, with probability `loyalty`, replaced by the
    one of its pair that is typical of the document's class. The planted normal gives the two
    words of a pair opposite weights, larger ones to frequent pairs; documents closer to the
    hyperplane (through the origin) than `margin` are drawn again.

    Parameters
    ----------
    n, d : int
        Number of documents and of words; an odd word out is never used.
    nonzeros : int, default=80
        Mean number of different words in a document, below ``d / 2``.
    margin : float, default=0.02
        Every document keeps this distance. The margin attained is in the result.
    loyalty : float, default=0.5
        Share of words forced to agree with the class, in ``[0, 1]``: 0 leaves chance alone.
    noise : float, default=0.0
        Share of the labels that are flipped afterwards.
    random_state : int, RandomState or None, default=None
        Seed.

    Returns
    -------
    Planted
        ``X`` is a CSR matrix of float64 with int32 indices. The best margin may be larger than
        ``margin``.

    Examples
    --------
    >>> from benchmarks.generators import text_like
    >>> p = text_like(100, 1000, 20, random_state=0)
    >>> p.X.shape, bool((p.X.data > 0).all()), bool(p.margin >= 0.02)
    ((100, 1000), True, True)
    """
    pairs = d // 2
    if n < 1 or not 1 <= nonzeros < d / 2:
        raise ValueError(
            f"need n >= 1 and 1 <= nonzeros < d/2, got n={n}, d={d}, nonzeros={nonzeros}"
        )
    if not 0.0 <= loyalty <= 1.0:
        raise ValueError(f"loyalty must be a share between 0 and 1, got {loyalty}")
    rng = check_random_state(random_state)
    frequency = 1.0 / np.arange(1.0, pairs + 1.0)
    frequency /= frequency.sum()
    length = _mean_length(frequency, nonzeros)

    # Real vocabularies are not sorted by frequency: neither are the columns.
    columns = rng.permutation(d).astype(np.int32)
    normal = np.zeros(d)
    normal[columns[0 : 2 * pairs : 2]] = np.sqrt(frequency)
    normal[columns[1 : 2 * pairs : 2]] = -np.sqrt(frequency)
    normal /= np.linalg.norm(normal)
    in_document = -np.expm1(length * np.log1p(-frequency / 2.0))
    idf = np.ones(d)
    idf[columns[: 2 * pairs]] -= np.repeat(np.log(in_document), 2)

    blocks: list[csr_matrix] = []
    signs: list[NDArray[np.int64]] = []
    missing, acceptance = n, 1.0
    while missing:
        drawn = int(missing / acceptance * 1.05) + 16
        y = 2 * rng.randint(0, 2, size=drawn).astype(np.int64) - 1
        X = _documents(rng, y, frequency, length, loyalty, columns, idf)
        kept = np.flatnonzero(y * (X @ normal) >= margin)
        acceptance = kept.size / drawn
        if acceptance < _WORST_ACCEPTANCE:
            raise ValueError(
                f"margin={margin} leaves {acceptance:.1%} of the documents: ask for a smaller "
                "margin, or for more loyalty"
            )
        kept = kept[:missing]
        blocks.append(X if kept.size == drawn else X[kept])
        signs.append(y[kept])
        missing -= kept.size

    X, y = _stack(blocks), np.concatenate(signs)
    attained = float((y * (X @ normal)).min())
    y, flipped = with_noise(rng, y, noise)
    return Planted(X, y, normal, 0.0, attained, flipped)


def _mean_length(frequency: NDArray[np.float64], nonzeros: int) -> float:
    """Find the number of words that makes `nonzeros` of them different, in the mean."""

    def different(length: float) -> float:
        return float(-2.0 * np.expm1(length * np.log1p(-frequency / 2.0)).sum())

    low, high = 1.0, 2.0
    while different(high) < nonzeros:
        low, high = high, 2.0 * high
    while high - low > 1e-3 * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if different(middle) < nonzeros else (low, middle)
    return high


def _documents(
    rng: np.random.RandomState,
    y: NDArray[np.int64],
    frequency: NDArray[np.float64],
    length: float,
    loyalty: float,
    columns: NDArray[np.int32],
    idf: NDArray[np.float64],
) -> csr_matrix:
    n, d = y.size, columns.size
    lengths = np.maximum(rng.poisson(length, size=n), 1)
    row = np.repeat(np.arange(n), lengths)
    pair = np.searchsorted(np.cumsum(frequency)[:-1], rng.random_sample(row.size), side="right")
    negative = rng.random_sample(row.size) < 0.5
    loyal = rng.random_sample(row.size) < loyalty
    negative[loyal] = (y < 0)[row[loyal]]

    # One sort of (row, column) keys counts the repeated words and orders each row's indices.
    keys = row * d + columns[2 * pair + negative]
    keys, counts = np.unique(keys, return_counts=True)
    row, column = keys // d, (keys % d).astype(np.int32)
    values = (1.0 + np.log(counts)) * idf[column]
    values /= np.sqrt(np.bincount(row, weights=values**2, minlength=n))[row]
    starts = np.concatenate(([0], np.cumsum(np.bincount(row, minlength=n))))
    return csr_matrix((values, column, starts.astype(np.int32)), shape=(n, d))


def _stack(blocks: list[csr_matrix]) -> csr_matrix:
    if len(blocks) == 1:
        return blocks[0]
    counts = np.concatenate([np.diff(block.indptr) for block in blocks])
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    data = np.concatenate([block.data for block in blocks])
    indices = np.concatenate([block.indices for block in blocks])
    return csr_matrix((data, indices, starts), shape=(counts.size, blocks[0].shape[1]))
