"""The order of visits comes from marks that the examples carry."""

import numpy as np
import pytest

from novikoff.sample import content_order, order, visit_order


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


def examples_of(n_copies, seed=0):
    """Rows of which each comes several times, of two classes, some of them equal across classes."""
    rng = np.random.default_rng(seed)
    hashes = np.repeat(rng.integers(0, 1 << 63, 500).astype(np.uint64), n_copies)
    return hashes, rng.integers(0, 2, len(hashes))


@pytest.mark.parametrize("n_copies", [1, 3])
def test_content_decides_whatever_the_order_of_the_rows(n_copies):
    hashes, codes = examples_of(n_copies)
    visits = content_order(hashes, codes, np.random.RandomState(0))
    assert sorted(visits) == list(range(len(codes)))
    for seed in range(3):
        moved = np.random.default_rng(seed).permutation(len(codes))
        again = content_order(hashes[moved], codes[moved], np.random.RandomState(0))
        np.testing.assert_array_equal(hashes[moved][again], hashes[visits])
        np.testing.assert_array_equal(codes[moved][again], codes[visits])
    other = content_order(hashes, codes, np.random.RandomState(1))
    assert (other != visits).mean() > 0.9


def test_equal_rows_are_spread_over_a_pass():
    """The mean distance of two of n random places is n / 3."""
    hashes, codes = examples_of(2)
    visits = content_order(hashes, codes, np.random.RandomState(0))
    places = np.empty(1000)
    places[visits] = np.arange(1000)
    apart = np.abs(places[::2] - places[1::2])
    assert 280 < apart.mean() < 390
    # Rows that differ in their last bits alone are as far apart.
    visits = content_order(np.arange(1000, dtype=np.uint64), codes, np.random.RandomState(3))
    places[visits] = np.arange(1000)
    assert 280 < np.abs(np.diff(places)).mean() < 390
