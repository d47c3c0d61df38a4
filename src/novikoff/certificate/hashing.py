"""Compiled loops behind the fingerprint, at memory speed.

A value enters by the bits of its float64 form, so copies in other types agree; zero contributes
nothing, so dense and sparse copies agree; and the sum over a row is taken modulo 2**64, so the
order of the stored values does not matter.
"""

from typing import Any

import numpy as np
from numba import njit

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S29, _S30, _S31, _S32 = (np.uint64(k) for k in (27, 29, 30, 31, 32))


@njit(cache=True, nogil=True)
def mix(h: Any) -> Any:
    """Bijection of 64-bit words that spreads every bit (the finaliser of splitmix64)."""
    h = (h ^ (h >> _S30)) * _MIX_1
    h = (h ^ (h >> _S27)) * _MIX_2
    return h ^ (h >> _S31)


@njit(cache=True, nogil=True)
def spread(value: Any) -> Any:
    """Bijection from numbers to 64-bit words that takes 0.0 and -0.0 to 0."""
    bits = np.float64(np.float64(value) + 0.0).view(np.uint64)
    # The bits of small integers are all at the top of a float64, where a product would lose them.
    h = (bits ^ (bits >> _S32)) * _MIX_1
    return h ^ (h >> _S29)


@njit(cache=True, nogil=True)
def column_keys(n_columns: int) -> Any:
    """Odd pseudo-random multiplier of each column."""
    keys = np.empty(n_columns, dtype=np.uint64)
    for j in range(n_columns):
        keys[j] = mix(np.uint64(j + 1) * _GOLDEN) | np.uint64(1)
    return keys


@njit(cache=True, nogil=True)
def byte_table() -> Any:
    """The 256 values of a byte, spread."""
    table = np.empty(256, dtype=np.uint64)
    for value in range(256):
        table[value] = spread(value)
    return table


@njit(cache=True, nogil=True)
def hash_floats(values: Any, keys: Any, out: Any) -> None:
    """Hash rows of floats."""
    for i in range(values.shape[0]):
        h = np.uint64(0)
        for j in range(values.shape[1]):
            h += spread(values[i, j]) * keys[j]
        out[i] = mix(h)


@njit(cache=True, nogil=True)
def hash_bytes(values: Any, table: Any, keys: Any, out: Any) -> None:
    """Hash rows of bytes."""
    for i in range(values.shape[0]):
        h = np.uint64(0)
        for j in range(values.shape[1]):
            h += table[values[i, j]] * keys[j]
        out[i] = mix(h)


@njit(cache=True, nogil=True)
def hash_sparse(data: Any, indices: Any, ends: Any, keys: Any, out: Any) -> None:
    """Hash rows of a CSR block of floats."""
    for i in range(ends.size - 1):
        h = np.uint64(0)
        for k in range(ends[i], ends[i + 1]):
            h += spread(data[k]) * keys[indices[k]]
        out[i] = mix(h)


@njit(cache=True, nogil=True)
def hash_table(hashes: Any, signs: Any, n_columns: int) -> Any:
    """Hash the whole: its rows in their order, their signs and its shape."""
    total = mix(np.uint64(hashes.size) * _GOLDEN) + mix(np.uint64(n_columns) * _MIX_2)
    for i in range(hashes.size):
        place = np.uint64(2 * i + (1 if signs[i] > 0 else 0) + 1) * _GOLDEN
        total += mix(hashes[i] ^ mix(place))
    return mix(total)
