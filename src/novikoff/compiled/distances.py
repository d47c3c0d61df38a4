"""Hashes of the distances in feature space between examples."""

import numpy as np

from novikoff.certificate.kernels import njit

# Squared distances are cut to 16 binary digits. Two computations of a kernel that differ by e units
# in the last place of float64 then cut differently for about one pair in 2^36 / e; with 8 digits
# for one in 2^44 / e, but then few examples look alike too often.
DROPPED, DIGITS = np.uint64(36), np.uint64(16)
MANTISSA = np.uint64((1 << 16) - 1)
# Digits are cut from products with the golden ratio: those of whole numbers, and of their
# quotients, do not end there.
GOLDEN = 1.6180339887498949
# Squared distances below this share of the kernel values that they are computed from are zero.
NOISE = 2.0**-40
FIRST = np.uint64(0x9E3779B97F4A7C15)
SECOND = np.uint64(0xD6E8FEB86659FD93)
HALF = np.uint64(32)


@njit()
def hash_distances(
    values: np.ndarray,
    begin: int,
    diagonal: np.ndarray,
    powers: np.ndarray,
    colours: np.ndarray,
    counted: np.ndarray,
    owners: np.ndarray,
    hashes: np.ndarray,
    largest: np.ndarray,
) -> None:
    """Add the words of pairs to the hashes of both: of examples, and of each with those before it.

    ``values`` are kernel values of the examples from ``begin`` on, a row for each. A word is made
    of the two colours and of the digits of the distance, and multiplied by the power that stands
    for its exponent; that of two equal examples of one colour is 0. The words of examples that are
    counted (1) are added to the hashes of all others; sums and products wrap around. ``owners`` is
    told for each example the first one that is equal to it, and ``largest`` a largest distance.
    """
    row = np.empty(len(diagonal))
    words = row.view(np.uint64)
    factors = np.empty(len(diagonal), dtype=np.uint64)
    for r in range(values.shape[0]):
        i = begin + r
        # A quarter of a squared distance cannot overflow.
        own, equal, most = 0.25 * diagonal[i], 0, largest[0]
        for j in range(i):
            other, product = 0.25 * diagonal[j], 0.5 * values[r, j]
            square = (own - product) + other
            is_zero = abs(square) <= NOISE * (abs(own) + abs(other) + abs(product))
            row[j] = 0.0 if is_zero else GOLDEN * square
            equal += is_zero
            most = max(most, row[j])
        largest[0] = most
        if equal > 0:
            owners[i] = owners[np.argmin(np.abs(row[:i]))]
        total, mine, colour = hashes[i], counted[i], colours[i]
        # In a loop of its own, so that the other one is compiled to vector instructions.
        for j in range(i):
            factors[j] = powers[words[j] >> (DROPPED + DIGITS)]
        for j in range(i):
            word = (((words[j] >> DROPPED) & MANTISSA) + (colour ^ colours[j])) * FIRST
            word = (word ^ (word >> HALF)) * SECOND
            word = (word ^ (word >> HALF)) * factors[j]
            total += word * counted[j]
            hashes[j] += word * mine
        hashes[i] = total
