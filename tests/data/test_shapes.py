"""The data of the grid of shapes have the properties that their cells claim."""

import numpy as np
import pytest
from scipy.sparse import issparse

from benchmarks.cells import GRID, select
from benchmarks.generators import bags, gaussian, one_hot
from benchmarks.generators.labels import label


def test_singular_values_fall_as_the_spectrum_says():
    X, _ = gaussian(20_000, 20, 0, spectrum=1.0)
    values = np.linalg.svd(X, compute_uv=False)
    assert values / values[0] == pytest.approx(1.0 / np.arange(1, 21), rel=0.05)
    independent, _ = gaussian(20_000, 20, 0)
    assert _largest_correlation(X) > 0.5
    assert _largest_correlation(independent) < 0.05


def _largest_correlation(X):
    return np.abs(np.corrcoef(X.T) - np.eye(X.shape[1])).max()


def test_means_and_scales_are_those_of_the_columns():
    X, _ = gaussian(5_000, 30, 0, mean=3.0)
    assert np.abs(X.mean(axis=0)).mean() > 1.0
    X, _ = gaussian(5_000, 30, 0, scales=1.0)
    assert X.std(axis=0).max() > 10.0 * X.std(axis=0).min()


@pytest.mark.parametrize("dtype", ["float64", "float32", "uint8"])
def test_types_are_in_c_order(dtype):
    X, y = gaussian(50, 7, 0, dtype=dtype, wide=True)
    assert X.dtype == dtype
    assert X.flags.c_contiguous
    assert set(y) == {-1, 1}


def test_label_keeps_the_farthest_and_flips_the_share():
    rng = np.random.default_rng(0)
    X = np.linspace(-1.0, 1.0, 125)[:, None]
    kept, y = label(rng, X, X[:, 0], 100)
    assert np.abs(kept).min() > 0.19
    assert np.array_equal(y, np.sign(kept[:, 0]))
    _, noisy = label(rng, X, X[:, 0], 100, noise=0.1)
    assert np.count_nonzero(noisy != y) == 10
    _, rare = label(rng, X, X[:, 0], 125, positives=0.2)
    assert np.count_nonzero(rare > 0) == 25


def test_sparse_rows():
    X, _ = bags(2_000, 100, 10, 0)
    assert issparse(X)
    assert set(X.data) == {1.0}
    assert X.nnz / 2_000 < 10.0
    counts, _ = bags(2_000, 100, 10, 0, values="counts")
    assert counts.sum() / 2_000 == pytest.approx(10.0, rel=0.05)
    X, _ = one_hot(500, 4, 6, 0)
    assert X.shape == (500, 24)
    assert np.all(X.sum(axis=1) == 4.0)


def test_a_cell_is_a_function_of_its_name_and_seed():
    cell = next(cell for cell in GRID if cell.name == "dense 2,000 x 200, noisy")
    first, again, other = cell.data(0), cell.data(0), cell.data(1)
    assert np.array_equal(first.X, again.X)
    assert np.array_equal(first.y, again.y)
    assert not np.array_equal(first.X, other.X)


def test_names_are_unique_and_select_by_substring():
    assert len({cell.name for cell in GRID}) == len(GRID)
    assert {cell.name for cell in select(GRID, "WINE")} == {
        "wine 0-v-1, standardised",
        "wine 1-v-2, raw",
    }
    assert all(cell.quick for cell in select(GRID, quick=True))
