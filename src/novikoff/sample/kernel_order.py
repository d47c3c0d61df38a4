"""Hashes of examples in feature space, which the order of visits is drawn for.

They are functions of the kernel values alone, so a kernel is visited in the same order whether it
is given by its name, as a function or as a matrix.
"""

import numpy as np
from numpy.typing import NDArray

from novikoff.compiled.distances import DIGITS, DROPPED, GOLDEN, MANTISSA, hash_distances
from novikoff.sample.kernel import KernelMatrix
from novikoff.sample.order import ODD, mixed

Words = NDArray[np.uint64]

MOST_HASHED = 1000
"""So many examples are hashed, at most. Of 1,000 x 10, rbf, that takes 2.8 ms of 12 (an easy
problem) to 22; of half as many 0.8 of 8, and of twice as many it would take 10 of 40."""
BLOCK = 64
"""Rows of kernel values that are read at a time: hashing 1,000 x 10 takes 2.8 ms (3.0 at half the
value, 3.8 at twice)."""
REFINEMENTS = 8
"""After so many, examples that are not told apart yet are taken for equal."""


def distance_hashes(matrix: KernelMatrix, *, affine: bool) -> Words:
    """Return a hash for each example, of its distances to the others in feature space.

    It depends neither on the order of the examples nor on how often each comes: equal examples
    have equal hashes, and only distinct ones are counted. Nor does it depend on the unit of the
    kernel, if that is a power of two, or on the origin, unless ``affine=False``. Where several
    examples have the same distances to the others, the hashes of these others tell them apart (the
    refinement of Weisfeiler and Leman, 1968), unless a symmetry of all examples exchanges them.

    Parameters
    ----------
    matrix : KernelMatrix
        The kernel values, in float64.
    affine : bool
        Whether only differences of examples matter.

    Examples
    --------
    >>> import numpy as np
    >>> from novikoff.sample.kernel import KernelFunction, KernelMatrix
    >>> from novikoff.sample.kernel_order import distance_hashes
    >>> X = np.array([[0.0], [1.0], [3.0], [0.0]])
    >>> hashes = distance_hashes(KernelMatrix(X, KernelFunction("rbf")), affine=True)
    >>> hashes[0] == hashes[3], len(set(hashes.tolist()))
    (np.True_, 3)
    >>> again = distance_hashes(KernelMatrix(X[2::-1], KernelFunction("rbf")), affine=True)
    >>> (again == hashes[2::-1]).all()
    np.True_
    """
    n = matrix.n
    everyone = np.arange(n)
    owners, counted = everyone.copy(), np.ones(n, dtype=np.uint64)
    colours = np.zeros(n, dtype=np.uint64)
    origin = colours if affine else _origin_words(matrix.diagonal)

    def hashed() -> Words:
        hashes, largest = origin.copy(), np.zeros(1)
        for begin in range(0, n, BLOCK):
            some = everyone[begin : begin + BLOCK]
            values = matrix.block(some, everyone[: begin + BLOCK])
            how = (matrix.diagonal, POWERS, colours, counted)
            hash_distances(values, begin, *how, owners, hashes, largest)
        return hashes * INVERSES[_exponents(largest)]

    found = hashed()
    distinct = owners == everyone
    if not distinct.all():
        counted = distinct.astype(np.uint64)
        found = hashed()
    told_apart = len(np.unique(found))
    for _ in range(REFINEMENTS):
        if told_apart == np.count_nonzero(distinct):
            break
        colours = found
        finer = hashed()
        before, told_apart = told_apart, len(np.unique(finer))
        if told_apart <= before:
            break
        found = finer
    return found


def _origin_words(squares: NDArray[np.float64]) -> Words:
    """Return the words of the distances to the origin, as those between examples are made."""
    quarters = 0.25 * GOLDEN * squares + 0.0
    digits = (quarters.view(np.uint64) >> DROPPED) & MANTISSA
    return mixed(digits + ODD) * POWERS[_exponents(quarters)]


def _exponents(values: NDArray[np.float64]) -> Words:
    """Return signs and exponents of numbers, as float64 has them."""
    return values.view(np.uint64) >> (DROPPED + DIGITS)


def _powers(base: int) -> Words:
    """Return the power of an odd number, modulo 2^64, for each sign and exponent."""
    powers = np.full(1 << 12, base, dtype=np.uint64)
    powers[[0, 1 << 11]] = 1, ODD
    powers.reshape(2, -1).cumprod(axis=1, out=powers.reshape(2, -1))
    return powers


# Words are multiplied by a power of BASE for their exponents, so that in another unit, if that is a
# power of two, all hashes are multiplied by one power.
BASE = 0xD1342543DE82EF95
POWERS, INVERSES = _powers(BASE), _powers(pow(BASE, -1, 1 << 64))
