"""Cores against the same with the counts taken anew after every column."""

import numpy as np
import pytest
from scipy import sparse

from novikoff.compiled.kcore import peel


def peeled(signed):
    """Return what the compiled function writes, for a dense table of signed rows."""
    rows, columns = sparse.csr_array(signed), sparse.csc_array(signed)
    n, d = signed.shape
    wide = [a.astype(np.int64) for a in (rows.indices, rows.indptr)]
    tall = [a.astype(np.int64) for a in (columns.indices, columns.indptr)]
    order, left, ends = (np.full(size, -7, dtype=np.int64) for size in (d, d, n))
    peel(*wide, (rows.data > 0).astype(np.int8), *tall, order, left, ends)
    return order, left, ends


@pytest.mark.parametrize("density", [0.05, 0.3, 0.9])
@pytest.mark.parametrize("seed", range(20))
def test_each_column_has_the_fewest_rows_of_a_sign(seed, density):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 30, 2))
    signed = rng.choice([-1.0, 1.0], shape) * (rng.random(shape) < density)
    order, left, ends = peeled(signed)
    assert sorted(order) == list(range(shape[1]))
    rows, here = signed.copy(), np.full(shape[0], True)
    for step, column in enumerate(order):
        fewer = np.minimum((rows > 0).sum(axis=0), (rows < 0).sum(axis=0))
        assert fewer[column] == fewer[order[step:]].min()
        gone = here & (rows[:, column] != 0)
        assert (ends[gone] == step).all()
        here &= ~gone
        rows[gone] = 0.0
        assert left[step] == here.sum()
    assert (ends[here] == shape[1] - 1).all()
