"""The order of visits comes from marks that the examples carry."""

import numpy as np
import pytest

from novikoff.sample import order, visit_order


@pytest.mark.parametrize("n_bytes", [8, 1 << 30])
@pytest.mark.parametrize("n", [1, 2, 31, 1000, 10_007])
def test_every_example_once(n, n_bytes):
    for state in (None, np.random.RandomState(0)):
        visits = visit_order(n, n_bytes, state)
        assert visits.dtype == np.int64
        np.testing.assert_array_equal(np.sort(visits), np.arange(n))
    np.testing.assert_array_equal(visit_order(n, n_bytes, None), np.arange(n))


def test_small_data_are_shuffled_row_by_row():
    visits = visit_order(10_000, 80_000, np.random.RandomState(0))
    assert (np.diff(visits) == 1).mean() < 0.01
    again = visit_order(10_000, 80_000, np.random.RandomState(0))
    np.testing.assert_array_equal(visits, again)
    other = visit_order(10_000, 80_000, np.random.RandomState(1))
    assert (visits != other).mean() > 0.99


def test_large_data_keep_runs_of_rows():
    """Neighbours that share a mark stay together, and the runs are shuffled."""
    row_bytes = 800
    n = 4 * order.FITS_IN_CACHE // row_bytes
    visits = visit_order(n, n * row_bytes, np.random.RandomState(0))
    breaks = np.flatnonzero(np.diff(visits) != 1)
    run = np.diff(breaks).max()
    assert 1 < run <= max(1, order.RUN_BYTES // row_bytes) * 3
    assert len(breaks) > n // (4 * run)


def test_rows_longer_than_a_run_are_shuffled_one_by_one():
    n = 50
    visits = visit_order(n, n * 100 * order.RUN_BYTES, np.random.RandomState(0))
    assert (np.diff(visits) == 1).mean() < 0.2
