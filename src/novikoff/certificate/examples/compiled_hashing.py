"""The loops of :mod:`novikoff.certificate.examples.hashing` for large tables, at memory speed."""

from typing import Any

import numpy as np

from novikoff.certificate.examples.hashing import GOLDEN, HALF, LOWER, MIX_1, MIX_2, S27, S30, S31
from novikoff.certificate.kernels import njit


@njit(inner=True)
def mix(h: Any) -> Any:
    """Bijection of 64-bit words that spreads every bit (the finaliser of splitmix64)."""
    h = (h ^ (h >> S30)) * MIX_1
    h = (h ^ (h >> S27)) * MIX_2
    return h ^ (h >> S31)


@njit(inner=True)
def bits(value: Any) -> Any:
    """The bits of a number, the same for 0.0 and -0.0."""
    return np.float64(np.float64(value) + 0.0).view(np.uint64)


@njit(inner=True)
def folded(word: Any) -> Any:
    """The product of the halves of a word."""
    return (word & LOWER) * (word >> HALF)


@njit(inner=True)
def joined(first: Any, second: Any) -> Any:
    """One word of the two sums."""
    return mix(mix(first) + second)


@njit()
def hash_dense(values: Any, keys: Any, out: Any) -> None:
    """Hash rows of an array.

    Two rows are read at a time, far apart: one stream does not use all of the memory's speed.
    """
    first_empty = second_empty = np.uint64(0)
    for j in range(keys.shape[1]):
        first_empty += folded(keys[0, j])
        second_empty += folded(keys[1, j])
    half = (values.shape[0] + 1) // 2
    for i in range(half):
        k = min(i + half, values.shape[0] - 1)
        first_i = second_i = first_k = second_k = np.uint64(0)
        for j in range(values.shape[1]):
            word = bits(values[i, j])
            first_i += folded(word + keys[0, j])
            second_i += folded(word + keys[1, j])
            word = bits(values[k, j])
            first_k += folded(word + keys[0, j])
            second_k += folded(word + keys[1, j])
        out[i] = joined(first_i - first_empty, second_i - second_empty)
        out[k] = joined(first_k - first_empty, second_k - second_empty)


@njit(inner=True)
def key(number: Any) -> Any:
    """The word of this number in the sequence that the keys of columns are taken from."""
    return mix(number * GOLDEN)


@njit()
def hash_sparse(data: Any, indices: Any, ends: Any, out: Any) -> None:
    """Hash rows of a CSR block of floats.

    The keys of columns are computed for each value, which takes less than to look them up: 430,000
    values in 93,000 columns take 0.3 ms, and 1.3 with a table that is computed in 0.4.
    """
    one, two = np.uint64(1), np.uint64(2)
    for i in range(ends.size - 1):
        first = np.uint64(0)
        second = np.uint64(0)
        for k in range(np.uint64(ends[i]), np.uint64(ends[i + 1])):
            word = bits(data[k])
            number = two * np.uint64(indices[k])
            first_key, second_key = key(number + one), key(number + two)
            first += folded(word + first_key) - folded(first_key)
            second += folded(word + second_key) - folded(second_key)
        out[i] = joined(first, second)


@njit()
def hash_table(hashes: Any, codes: Any, weights: Any, n_classes: int, n_columns: int) -> Any:
    """Hash the whole: its rows in their order, their classes and weights, and its shape.

    ``weights`` may be empty, which is the same as a weight of 1 for each.
    """
    total = mix(np.uint64(hashes.size) * GOLDEN) + mix(np.uint64(n_columns) * MIX_2)
    if n_classes > 2:
        # Without this, few examples of two classes could be taken for examples of three.
        total += mix(np.uint64(n_classes) * MIX_1)
    for i in range(hashes.size):
        place = np.uint64(n_classes * i + codes[i] + 1) * GOLDEN
        row = hashes[i] ^ mix(place)
        if weights.size > 0 and weights[i] != 1.0:
            row = mix(row + MIX_1) ^ mix(bits(weights[i]) + GOLDEN)
        total += mix(row)
    return mix(total)
