"""The order of visits, from a random mark that each example carries."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.certificate.examples.matrix import canonical

# How much data keeps its sequence. A sweep of 100,000 x 100 in float64 takes as long as with the
# rows in order, within a tenth, also at half and at twice the value; with every row at random 2.4
# times as long.
RUN_BYTES = 1 << 18
# Fewer runs than this would leave neighbours together in most of a small data set.
FEWEST_RUNS = 100
# Up to this size rows are shuffled one by one. That costs a tenth of a sweep at half the size, and
# between a third and a half at this size and beyond.
FITS_IN_CACHE = 1 << 20
# Values that are ranked at a time: 569 x 30 takes 0.7 ms (0.8 at half the value, 1.2 at twice),
# 16,000 x 8 7.8 (7.7, 8.5), and 130 x 1,000 3.7 (4.0, 3.6).
RANKED = 1 << 13
# 2^64 divided by the golden ratio: its multiples are spread over all words.
ODD = np.uint64(0x9E3779B97F4A7C15)


def visit_order(
    n_examples: int, n_bytes: int, random_state: np.random.RandomState | None
) -> NDArray[np.int64]:
    """Return the examples sorted by their marks.

    A mark is drawn once, so every pass has the same order, and the order of a subset of the
    examples is the order of the whole restricted to it: rerunning on the support visits it as
    the full run did. Beyond the size of a cache, runs of neighbouring rows (up to 256 kB) share
    a mark and keep their sequence, because reading single rows at random costs two to three passes.

    Parameters
    ----------
    n_examples : int
        How many examples there are.
    n_bytes : int
        The size of the data.
    random_state : RandomState or None
        Draws the marks; ``None`` keeps the order of the rows.

    Examples
    --------
    >>> from novikoff.sample import visit_order
    >>> visit_order(4, 64, None)
    array([0, 1, 2, 3])
    """
    if random_state is None:
        return np.arange(n_examples, dtype=np.int64)
    run = 1
    if n_bytes > FITS_IN_CACHE:
        run = max(1, min(RUN_BYTES * n_examples // n_bytes, n_examples // FEWEST_RUNS))
    marks = random_state.random_sample(-(-n_examples // run))
    order = (np.argsort(marks)[:, None] * run + np.arange(run)).ravel()
    return order[order < n_examples]


def content_order(
    hashes: NDArray[np.uint64],
    codes: NDArray[np.int64],
    random_state: np.random.RandomState,
) -> NDArray[np.int64]:
    """Return the examples sorted by marks that depend on what they are, not on where they stand.

    The mark of an example is a function, drawn by ``random_state``, of its hash and of its number
    among equal rows, in the order of their classes. No two examples have both in common, so the
    marks are as good as independent, and equal rows are spread over a pass; and examples that come
    in another order are visited in the same one. Where no rows of different classes are equal, the
    order does not depend on the classes. For data that fit in a cache.

    Parameters
    ----------
    hashes : array of uint64
        A hash for each example, equal for equal ones.
    codes : array of int64
        The classes, as numbers.
    random_state : RandomState
        Draws the marks.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.sample.order import content_order
    >>> hashes, codes = np.array([7, 9, 7, 8], dtype=np.uint64), np.array([0, 1, 0, 1])
    >>> order = content_order(hashes, codes, np.random.RandomState(0))
    >>> again = content_order(hashes[::-1], codes[::-1], np.random.RandomState(0))
    >>> (hashes[order] == hashes[::-1][again]).all()
    np.True_
    """
    first, second = np.frombuffer(random_state.bytes(16), dtype="<u8")
    marks = mixed(hashes ^ first)
    order = np.argsort(marks, kind="stable")
    ordered = marks[order]
    again = np.flatnonzero(ordered[1:] == ordered[:-1]) + 1
    if not again.size:
        return order
    # The second and every further of equal rows gets a mark of its own.
    order = np.lexsort((codes, marks))
    starts = np.arange(len(order))
    starts[again] = 0
    copies = np.arange(len(order)) - np.maximum.accumulate(starts)
    ordered[again] = mixed(mixed(ordered[again] ^ second) + copies[again].astype(np.uint64))
    marks[order] = ordered
    return np.argsort(marks, kind="stable")


def rank_hashes(X: Any) -> NDArray[np.uint64]:
    """Return a hash for each row, of the ranks of its values among the distinct ones of a column.

    So it depends neither on the order of the rows nor on how often each comes, on the unit and the
    origin of a column, or on how the rows are stored; for data that fit in a cache.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from novikoff.sample.order import rank_hashes
    >>> X = np.array([[0.0, 2.0], [1.0, -1.0], [0.0, 2.0]])
    >>> hashes = rank_hashes(X)
    >>> (hashes == rank_hashes(sparse.csr_array(X))).all(), (hashes == rank_hashes(8 * X + 1)).all()
    (np.True_, np.True_)
    """
    n, d = X.shape
    columns = mixed(np.arange(1, d + 1, dtype=np.uint64) * ODD)
    if sparse.issparse(X):
        return _sparse_rank_hashes(canonical(X), columns)
    hashes = np.zeros(n, dtype=np.uint64)
    # Few columns at a time, which stay in the cache of a processor.
    some = max(1, RANKED // n)
    for begin in range(0, d, some):
        part = slice(begin, begin + some)
        values = np.ascontiguousarray(X[:, part].T)
        order = np.argsort(values, axis=1)
        ordered = np.take_along_axis(values, order, axis=1)
        new = np.zeros(values.shape, dtype=np.uint64)
        np.cumsum(ordered[:, 1:] != ordered[:, :-1], axis=1, out=new[:, 1:])
        ranks = np.empty_like(new)
        np.put_along_axis(ranks, order, new, axis=1)
        hashes += mixed(columns[part, np.newaxis] + ranks).sum(axis=0, dtype=np.uint64)
    return hashes


def _sparse_rank_hashes(X: Any, columns: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the same of a sparse matrix, most of whose values are zero."""
    n, d = X.shape
    stored = X.data != 0
    where, values = X.indices[stored], X.data[stored]
    order = np.lexsort((values, where))
    place, ordered = where[order], values[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = place[1:] != place[:-1]
    new = first.copy()
    new[1:] |= ordered[1:] != ordered[:-1]
    count = np.cumsum(new)
    begin = np.maximum.accumulate(np.where(first, count, 0))
    has_zero = np.bincount(where, minlength=d) < n
    ranks = np.empty(len(order), dtype=np.uint64)
    ranks[order] = count - begin + (has_zero[place] & (ordered > 0))
    of_zero = np.bincount(place[new & (ordered < 0)], minlength=d).astype(np.uint64)
    zeros = np.where(has_zero, mixed(columns + of_zero), np.uint64(0))
    # Sums of words wrap around, so that differences of running sums are sums of rows.
    sums = np.zeros(len(stored) + 1, dtype=np.uint64)
    sums[1:][stored] = mixed(columns[where] + ranks) - zeros[where]
    np.cumsum(sums, out=sums)
    return np.asarray(sums[X.indptr[1:]] - sums[X.indptr[:-1]] + zeros.sum(dtype=np.uint64))


def mixed(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return 64-bit words every bit of which depends on all bits of the given one.

    The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
    """
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
