"""Compiled loops behind the fingerprint, at memory speed.

A value enters by the 64 bits of its float64 form, so copies in other types agree. The key of its
column is added to them, and the two halves of the sum are multiplied (the idea of NH in UMAC, by
Black, Halevi, Krawczyk, Krovetz and Rogaway, 1999). From the product that of the key alone is taken
away: zero then contributes nothing, so dense and sparse copies agree. The sum over a row is taken
modulo 2**64, so the order of the stored values does not matter. Over random keys, two rows that
differ have equal sums with a probability of at most ``2**-31``; a row has two independent sums.

*Proof.* Say the rows differ in a column; fix all other keys. Let ``(h, l)`` and ``(h', l')`` be the
halves of the two values there, ``(a, b)`` those of the key, ``N = 2**32``. For equal sums the
difference of the two products must have one value ``δ`` modulo ``N²``.

If ``l != l'``, fix ``b``. Then the lower halves ``p != p'`` of the sums are fixed, and so are
the carries: the upper halves are ``n`` and ``n + e`` modulo ``N``, with ``e`` fixed and ``n``
uniform. The difference is ``(p - p') n - p' e``, plus ``p' N`` where ``n >= N - e``. For two ``n``
on the same side of ``N - e`` the differences are not equal modulo ``N²``, as
``0 < |p - p'| |n - m| < N²``. For ``n < N - e <= m`` they would have to satisfy
``(p - p')(m - n) + p' N = 0`` or ``= N²``; but ``(p' - p)(m - n) < p' N`` and
``(p - p')(m - n) < (N - p') N``. So at most one ``n`` gives ``δ``.

If ``l = l'``, fix ``a``. Then the lower halves are equal, to a uniform ``p``, and the upper ones
differ by one of two numbers ``D``, one for each carry, with ``0 < |D| < N``. For each of these the
difference ``p D`` has the value ``δ`` for at most one ``p``. ∎
"""

from typing import Any

import numpy as np
from numba import njit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _HALF = (np.uint64(k) for k in (27, 30, 31, 32))
_LOWER = np.uint64(0xFFFFFFFF)
_ZERO = np.uint64(0)


@njit(cache=True, nogil=True)
def mix(h: Any) -> Any:
    """Bijection of 64-bit words that spreads every bit (the finaliser of splitmix64)."""
    h = (h ^ (h >> _S30)) * _MIX_1
    h = (h ^ (h >> _S27)) * _MIX_2
    return h ^ (h >> _S31)


@njit(cache=True, nogil=True)
def column_keys(n_columns: int) -> Any:
    """Two pseudo-random words for each column."""
    keys = np.empty((2, n_columns), dtype=np.uint64)
    for j in range(n_columns):
        for k in range(2):
            keys[k, j] = mix(np.uint64(2 * j + k + 1) * _GOLDEN)
    return keys


@njit(cache=True, nogil=True)
def bits(value: Any) -> Any:
    """The bits of a number, the same for 0.0 and -0.0."""
    return np.float64(np.float64(value) + 0.0).view(np.uint64)


@njit(cache=True, nogil=True)
def folded(word: Any) -> Any:
    """The product of the halves of a word."""
    return (word & _LOWER) * (word >> _HALF)


@njit(cache=True, nogil=True)
def joined(first: Any, second: Any) -> Any:
    """One word of the two sums."""
    return mix(mix(first) + second)


@njit(cache=True, nogil=True)
def hash_dense(values: Any, keys: Any, out: Any) -> None:
    """Hash rows of an array.

    Two rows are read at a time, far apart: one stream does not use all of the memory's speed.
    """
    empty = np.zeros(2, dtype=np.uint64)
    for j in range(keys.shape[1]):
        empty[0] += folded(keys[0, j])
        empty[1] += folded(keys[1, j])
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
        out[i] = joined(first_i - empty[0], second_i - empty[1])
        out[k] = joined(first_k - empty[0], second_k - empty[1])


@njit(cache=True, nogil=True)
def hash_sparse(data: Any, indices: Any, ends: Any, keys: Any, out: Any) -> None:
    """Hash rows of a CSR block of floats."""
    for i in range(ends.size - 1):
        first = np.uint64(0)
        second = np.uint64(0)
        for k in range(ends[i], ends[i + 1]):
            word = bits(data[k])
            j = indices[k]
            first += folded(word + keys[0, j]) - folded(keys[0, j])
            second += folded(word + keys[1, j]) - folded(keys[1, j])
        out[i] = joined(first, second)


@njit(cache=True, nogil=True)
def hash_table(hashes: Any, codes: Any, weights: Any, n_classes: int, n_columns: int) -> Any:
    """Hash the whole: its rows in their order, their classes and weights, and its shape.

    ``weights`` may be empty, which is the same as a weight of 1 for each.
    """
    total = mix(np.uint64(hashes.size) * _GOLDEN) + mix(np.uint64(n_columns) * _MIX_2)
    if n_classes > 2:
        # Without this, few examples of two classes could be taken for examples of three.
        total += mix(np.uint64(n_classes) * _MIX_1)
    for i in range(hashes.size):
        place = np.uint64(n_classes * i + codes[i] + 1) * _GOLDEN
        row = hashes[i] ^ mix(place)
        if weights.size > 0 and weights[i] != 1.0:
            row = mix(row + _MIX_1) ^ mix(bits(weights[i]) + _GOLDEN)
        total += mix(row)
    return mix(total)


@njit(cache=True, nogil=True)
def dense_words(values: Any, out: Any) -> int:
    """Write the rows of an array one after the other: how many values, then columns and bits.

    Zeros are left out. Returns the number of words written.
    """
    at = 0
    for i in range(values.shape[0]):
        head = at
        at += 1
        for j in range(values.shape[1]):
            word = bits(values[i, j])
            if word != _ZERO:
                out[at], out[at + 1] = np.uint64(j), word
                at += 2
        out[head] = np.uint64((at - head) // 2)
    return at


@njit(cache=True, nogil=True)
def sparse_words(data: Any, indices: Any, ends: Any, out: Any) -> int:
    """The same for rows of a CSR block, whose columns are in order."""
    at = 0
    for i in range(ends.size - 1):
        head = at
        at += 1
        for k in range(ends[i], ends[i + 1]):
            word = bits(data[k])
            if word != _ZERO:
                out[at], out[at + 1] = np.uint64(indices[k]), word
                at += 2
        out[head] = np.uint64((at - head) // 2)
    return at
