"""Proofs of non-separability without a solver: zero rows, contradictions, perceptron cycles."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from novikoff.certificate import row_hashes
from novikoff.certificate.examples.equal import first_equal, is_zero_row
from novikoff.compiled.cycle import find_cycle

# With |x| <= 2^15, fewer than 2^13 features and 2^24 visits, w . z stays below 2^63.
LARGEST_VALUE = 1 << 15
MOST_VALUES = 1 << 13
MOST_WORK = 1 << 24
LITTLE_WORK = 1 << 20
"""What takes a millisecond, where another proof is tried after it."""

Combination = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Examples and integer weights."""


def zero_combination(
    X: Any,
    signs: NDArray[np.int8],
    hashes: NDArray[np.uint64],
    *,
    affine: bool,
    work: int = MOST_WORK,
    order: NDArray[np.int64] | None = None,
) -> Combination | None:
    """Look for signed examples that sum to zero, which proves that nothing separates them.

    Tried are: an example at the origin (homogeneous case), equal examples with opposite labels,
    and, for small data in small integers, the perceptron cycling theorem: on such data
    Algorithm 1 either stops or returns to an earlier ``w``, and the updates in between then sum
    to zero.

    Parameters
    ----------
    X : ndarray or CSR matrix
        The examples.
    signs : array of +1 and -1
        Their labels.
    hashes : array of uint64
        A hash for each row, equal for equal rows.
    affine : bool
        Whether hyperplanes may miss the origin.
    work : int
        The multiplications that the search for a cycle may take.
    order : array of int64, optional
        In what order it visits the examples; by default in that of the rows.

    Returns
    -------
    (support, weights) or None
        ``None`` says nothing about separability.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.certificate import row_hashes
    >>> from novikoff.run.nonseparable import zero_combination
    >>> X, signs = np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), np.array([1, 1, -1, -1])
    >>> zero_combination(X, signs, row_hashes(X), affine=True)
    (array([0, 1, 2, 3]), array([1, 1, 1, 1]))
    """
    row = None if affine else zero_row(X, hashes)
    if row is not None:
        return np.array([row]), np.ones(1, dtype=np.int64)
    found = contradiction(X, signs, hashes)
    if found is not None or X.shape[0] * X.shape[1] > MOST_VALUES:
        return found
    if order is None:
        return integer_cycle(X, signs, affine, work)
    found = integer_cycle(X[order], signs[order], affine, work)
    return None if found is None else (order[found[0]], found[1])


def zero_row(
    X: Any, hashes: NDArray[np.uint64], among: NDArray[np.int64] | None = None
) -> int | None:
    """Return an example at the origin, the first one, if there is any (among those listed)."""
    rows = np.arange(hashes.size) if among is None else among
    for i in rows[hashes[rows] == row_hashes(np.zeros((1, X.shape[1])))[0]]:
        if is_zero_row(X, i):
            return int(i)
    return None


def contradiction(
    X: Any,
    signs: NDArray[Any],
    hashes: NDArray[np.uint64],
    among: NDArray[np.int64] | None = None,
) -> Combination | None:
    """Return two equal examples with different labels, if there are any (among those listed).

    The labels are signs, or the numbers of more than two classes.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.certificate import row_hashes
    >>> from novikoff.run.nonseparable import contradiction
    >>> X, signs = np.array([[1.5], [2.5], [1.5]]), np.array([1, 1, -1])
    >>> contradiction(X, signs, row_hashes(X))
    (array([0, 2]), array([1, 1]))
    """
    rows = np.arange(signs.size) if among is None else among
    rows = rows[_in_mixed_group(hashes[rows], signs[rows])]
    first = first_equal(X, hashes, rows)
    # If equal examples have both labels, one of them differs in label from the first.
    opposite = np.flatnonzero(signs[rows] != signs[first])
    if not opposite.size:
        return None
    pair = np.array([first[opposite[0]], rows[opposite[0]]])
    return np.sort(pair), np.ones(2, dtype=np.int64)


def _in_mixed_group(hashes: NDArray[np.uint64], signs: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark the rows whose hash occurs with different labels."""
    mixed = np.zeros(hashes.size, dtype=np.bool_)
    if not hashes.size:
        return mixed
    order = np.argsort(hashes)
    starts = np.flatnonzero(np.r_[True, hashes[order[1:]] != hashes[order[:-1]]])
    least, most = (f.reduceat(signs[order], starts) for f in (np.minimum, np.maximum))
    mixed[order] = np.repeat(least != most, np.diff(np.r_[starts, hashes.size]))
    return mixed


def integer_cycle(X: Any, signs: NDArray[np.int8], affine: bool, work: int) -> Combination | None:
    """Return the updates between two visits of Algorithm 1 to the same ``w``, if there are such."""
    n, d = X.shape
    if n * d > MOST_VALUES:
        return None
    values = np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)
    if np.abs(values).max() > LARGEST_VALUE or (values != np.rint(values)).any():
        return None
    signed = np.ones((n, d + affine), dtype=np.int64)
    signed[:, :d] = values
    signed *= signs[:, None]
    found, counts = find_cycle(signed, work // max(d, 1))
    if not found:
        return None
    support = np.flatnonzero(counts)
    return support, counts[support]
