"""Rows that differ and have the same hash, made from its public keys.

In each column, a value whose bits make the lower half of ``bits + first key`` zero contributes the
same to the first sum whatever its upper half ``h`` is, and ``c h`` plus a constant to the second,
where ``c`` is the lower half of the difference of the keys (no carry changes while ``h`` changes a
little). So a small solution of ``Σ c_j Δ_j = 0`` in integers is a collision, and lattice reduction
finds it.
"""

import numpy as np
from flint import fmpz_mat

from novikoff.certificate import row_hashes
from novikoff.certificate.examples.hashing import column_keys

COLUMNS = 8
HALF = 1 << 32


def colliding_rows():
    """Three rows on a line, at 0, 1 and 2 (up to rounding), between 1 and 2 in every column."""
    keys = column_keys(COLUMNS).astype(object)
    slopes = [int(second - first) % HALF for first, second in keys.T]
    basis = [[int(i == j) for j in range(COLUMNS)] + [1000 * c] for i, c in enumerate(slopes)]
    steps = [int(a) for a in np.array(fmpz_mat(basis).lll().tolist(), dtype=object)[0][:-1]]
    assert any(steps) and sum(c * s for c, s in zip(slopes, steps, strict=True)) == 0
    # The upper half of the bits of 1.5, and the lower half that cancels the first key's.
    words = [(0x3FF8_0000 << 32) + (-int(first)) % HALF for first in keys[0]]
    moved = [[w + k * (s << 32) for w, s in zip(words, steps, strict=True)] for k in range(3)]
    rows = np.array(moved, dtype=np.uint64).view(np.float64)
    assert np.unique(row_hashes(rows)).size == 1 and (rows[0] != rows[1]).any()
    return rows
