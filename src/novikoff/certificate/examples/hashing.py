"""Hashes of rows and of tables: the sums behind the fingerprint.

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

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from novikoff.certificate.exact.sums import suits_numpy

Words = npt.NDArray[np.uint64]

SMALL = 1 << 17
"""Up to this many values numpy computes what compiled loops compute for more. A check of a small
table then neither imports numba (0.3 s) nor compiles (seconds, once). At this size the hashes of
a table take 2 ms, and compiled 0.1; at twice the size, twice as long."""

FEW = 1 << 14
"""Up to this many where compiled loops are used already, as in a fit. 80,000 values in 40,000
sparse rows take 2.9 ms with numpy, and compiled 0.5; 9,000 take 0.3 ms, and 0.1 at half the
value."""

FEW_DENSE = 1 << 16
"""The same for arrays, which take numpy less: 1 ms at this size. A first fit of a small table then
compiles no hashes, half a second."""

PIECE = 12_000
"""How many values numpy hashes at a time, so that intermediate results stay in the cache. A CSR
matrix with 62,500 values takes 1.2 ms at half, 1.0 at the value and at twice, 3.2 in one piece; an
array of 357 x 64 takes 0.22, 0.15 and 0.12 ms."""

FEW_COLUMNS = 1 << 12
"""Up to so many columns have keys that are kept for the next table."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
S27, S30, S31, HALF = (np.uint64(k) for k in (27, 30, 31, 32))
LOWER = np.uint64(0xFFFFFFFF)
WORD = (1 << 64) - 1


def column_keys(n_columns: int) -> Words:
    """Two pseudo-random words for each column, read-only."""
    return _few_keys(n_columns)[0] if n_columns <= FEW_COLUMNS else _new_keys(n_columns)


@lru_cache(maxsize=16)
def _few_keys(n_columns: int) -> tuple[Words, list[np.uint64]]:
    """The keys, and the sums that they make of a row of zeros."""
    keys = _new_keys(n_columns)
    return keys, list(_folded(keys).sum(axis=1, dtype=np.uint64))


def _new_keys(n_columns: int) -> Words:
    keys = _keys_of(np.arange(n_columns, dtype=np.uint64))
    keys.flags.writeable = False
    return keys


def _keys_of(columns: Words) -> Words:
    numbers = np.uint64(2) * columns + np.array([[1], [2]], dtype=np.uint64)
    return _mix(numbers * GOLDEN)


def _zero_sums(keys: Words) -> list[np.uint64]:
    """The sums that keys make of a row of zeros."""
    if keys.shape[1] <= FEW_COLUMNS:
        return _few_keys(keys.shape[1])[1]
    return list(_folded(keys).sum(axis=1, dtype=np.uint64))


def hash_dense(values: Any, keys: Words, out: Words) -> None:
    """Hash rows of an array."""
    if not suits_numpy(values.size, SMALL, FEW_DENSE):
        from novikoff.certificate.examples import compiled_hashing

        compiled_hashing.hash_dense(values, keys, out)
        return
    zeros = _zero_sums(keys)
    for rows in _pieces(len(out), values.size):
        words, sums = _bits(values[rows]), []
        for key, zero in zip(keys, zeros, strict=True):
            lower = words + key
            upper = lower >> HALF
            lower &= LOWER
            sums.append(np.vecdot(lower, upper) - zero)
        out[rows] = _joined(*sums)


def hash_sparse(data: Any, indices: Any, ends: Any, n_columns: int, out: Words) -> None:
    """Hash rows of a CSR block of floats."""
    if not suits_numpy(data.size, SMALL, FEW):
        from novikoff.certificate.examples import compiled_hashing

        compiled_hashing.hash_sparse(data, indices, ends, out)
        return
    for rows in _pieces(len(out), data.size):
        begin, end = ends[rows.start], ends[rows.stop]
        words, columns = _bits(data[begin:end]), indices[begin:end]
        # A table of the keys of all columns may be much larger than the data.
        few = n_columns <= FEW_COLUMNS
        keys = column_keys(n_columns)[:, columns] if few else _keys_of(columns.astype(np.uint64))
        total, places = (
            np.zeros(words.size + 1, np.uint64),
            ends[rows.start : rows.stop + 1] - begin,
        )
        sums = []
        for key in keys:
            np.cumsum(_folded(words + key) - _folded(key), out=total[1:])
            sums.append(np.diff(total[places]))
        out[rows] = _joined(*sums)


def hash_table(hashes: Words, codes: Any, weights: Any, n_classes: int, n_columns: int) -> int:
    """Hash the whole: its rows in their order, their classes and weights, and its shape.

    ``weights`` may be empty, which is the same as a weight of 1 for each.
    """
    if not suits_numpy(hashes.size, SMALL, FEW):
        from novikoff.certificate.examples import compiled_hashing

        return int(compiled_hashing.hash_table(hashes, codes, weights, n_classes, n_columns))
    total = _mix_one(hashes.size * int(GOLDEN)) + _mix_one(n_columns * int(MIX_2))
    if n_classes > 2:
        # Without this, few examples of two classes could be taken for examples of three.
        total += _mix_one(n_classes * int(MIX_1))
    places = np.arange(1, n_classes * hashes.size + 1, n_classes)
    places += codes
    rows = hashes ^ _mix(places.view(np.uint64) * GOLDEN)
    if weights.size:
        weighted = _mix(rows + MIX_1) ^ _mix(_bits(weights) + GOLDEN)
        rows = np.where(weights != 1.0, weighted, rows)
    return _mix_one(total + int(_mix(rows).sum()))


def dense_words(values: Any) -> Words:
    """The rows of an array one after the other: how many values, then columns and bits.

    Zeros are left out.
    """
    words = _bits(values)
    rows, columns = np.nonzero(words)
    return _listed(len(words), rows, columns, words[rows, columns])


def sparse_words(data: Any, indices: Any, ends: Any) -> Words:
    """The same for rows of a CSR block, whose columns are in order."""
    words = _bits(data)
    some = np.flatnonzero(words)
    rows = np.repeat(np.arange(ends.size - 1), np.diff(ends))
    return _listed(ends.size - 1, rows[some], indices[some], words[some])


def _listed(n_rows: int, rows: Any, columns: Any, words: Words) -> Words:
    """Write the entries of rows, which come in order, after the number of them in each row."""
    counts = np.bincount(rows, minlength=n_rows)
    out = np.empty(n_rows + 2 * words.size, dtype=np.uint64)
    out[np.arange(n_rows) + 2 * (np.cumsum(counts) - counts)] = counts
    at = rows + 1 + 2 * np.arange(words.size)
    out[at], out[at + 1] = columns, words
    return out


def _pieces(n_rows: int, n_values: int) -> Iterator[slice]:
    """Slices of rows with so many values, about."""
    step = max(1, PIECE * n_rows // max(1, n_values))
    return (slice(begin, min(begin + step, n_rows)) for begin in range(0, n_rows, step))


def _mix(h: Words) -> Words:
    """Bijection of 64-bit words that spreads every bit (the finaliser of splitmix64)."""
    mixed = h >> S30
    mixed ^= h
    mixed *= MIX_1
    mixed ^= mixed >> S27
    mixed *= MIX_2
    mixed ^= mixed >> S31
    return mixed


def _mix_one(h: int) -> int:
    """The same for one word, a Python integer modulo ``2**64``."""
    h &= WORD
    h = (h ^ h >> 30) * int(MIX_1) & WORD
    h = (h ^ h >> 27) * int(MIX_2) & WORD
    return h ^ h >> 31


def _bits(values: Any) -> Words:
    """The bits of numbers, the same for 0.0 and -0.0."""
    words: Words = (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64)
    return words


def _folded(words: Words) -> Words:
    """The products of the halves of words."""
    return (words & LOWER) * (words >> HALF)


def _joined(first: Words, second: Words) -> Words:
    """One word of the two sums."""
    return _mix(_mix(first) + second)
