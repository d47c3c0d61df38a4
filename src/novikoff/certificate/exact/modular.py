"""Linear algebra modulo a prime: which columns of a matrix are independent.

A float is an integer times a power of two, and 2 is invertible modulo an odd prime, so every float
has a residue, and a relation over the rationals is one modulo the prime. Columns that are
independent modulo a prime are therefore independent. That the others depend on them is not proved,
but true unless the prime divides a determinant that is not zero: by accident that happens about
once in ``2**61`` cases.
"""

import numpy as np
import numpy.typing as npt
from flint import nmod_mat

from novikoff.certificate.examples.blocks import Floats

_BITS = 61
PRIMES = (2**_BITS - 1, 2**62 - 57, 2**63 - 25)


def independent_columns(table: Floats) -> list[int]:
    """The columns of a matrix of finite floats that are independent of those before them.

    Examples
    --------
    >>> independent_columns(np.array([[1.0, 0.5, 0.0], [0.25, 0.125, 1.0]]))
    [0, 2]
    """
    n_rows, n_columns = table.shape
    return _pivots(_residues(table).ravel().tolist(), n_rows, n_columns, PRIMES[0])


def independent_among(matrix: list[list[int]], n_columns: int, prime: int) -> list[int]:
    """The same for integers of any length, given by rows."""
    return _pivots([a % prime for row in matrix for a in row], len(matrix), n_columns, prime)


def _pivots(entries: list[int], n_rows: int, n_columns: int, prime: int) -> list[int]:
    if not entries:
        return []
    reduced, rank = nmod_mat(n_rows, n_columns, entries, prime).rref()
    pivots, column = [], 0
    for row in range(rank):
        while int(reduced[row, column]) == 0:
            column += 1
        pivots.append(column)
        column += 1
    return pivots


def _residues(table: Floats) -> npt.NDArray[np.uint64]:
    """The residues modulo ``2**61 - 1``, where a product with a power of two is a rotation."""
    mantissa, exponent = np.frexp(table)
    prime = np.uint64(PRIMES[0])
    whole = np.mod(np.ldexp(mantissa, 53).astype(np.int64), PRIMES[0]).astype(np.uint64)
    left = np.mod(exponent - 53, _BITS).astype(np.uint64)
    # The bits that the word loses on the left are above those of the prime.
    rotated: npt.NDArray[np.uint64] = (whole << left) & prime
    rotated |= whole >> (np.uint64(_BITS) - left)
    return rotated
